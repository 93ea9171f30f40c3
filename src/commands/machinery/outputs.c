// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/outputs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "commands/machinery/output_guard.h"
#include "renderers/fonts.h"
#include "renderers/html.h"
#include "renderers/pdf.h"
#include "renderers/svg.h"
#include "renderers/template.h"
#include "report/kit/print.h"

// Whether a file is meant by the name: it ends like one, ".jpg", ".svg.gz", ".docx".
static bool is_foreign(Str suffix)
{
    bool is = suffix.size > 1 && suffix.size <= 6;
    for (size_t i = 1; is && i < suffix.size; i++) {
        char letter = (char)(suffix.data[i] | 32);
        bool digit = suffix.data[i] >= '0' && suffix.data[i] <= '9';
        is = (letter >= 'a' && letter <= 'z') || (digit && i > 1);
    }
    return is;
}

static bool refuse_suffix(const Outputs *out, const OutputTarget *target, Str suffix,
                          const OtherFormat *others, Error *err)
{
    Arena *scratch = arena_new();
    error_set(err, ERR_USAGE, WHERE_FILE(target->path),
              tr("-o: this command writes no '" STR_FMT "'"), STR_ARG(suffix));
    error_hint(err, tr("known are " STR_FMT "; for a folder of that name write %s/"),
               STR_ARG(output_formats_known(others, out->options->command->data, true, scratch)),
               target->path);
    arena_release(scratch);
    return false;
}

// Whether the first file will find a folder or be able to make it; a refused input leaves none.
// Nothing is tried out: others may be writing next to this run.
static bool folder_can_be_made(char *path, Error *err)
{
    size_t size = strlen(path), there = 0;
    for (size_t end = 1; end <= size; end++) {
        char behind = path[end];
        path[end] = '\0';
        if ((behind == '/' || behind == '\0') && file_kind(path) != FILE_NONE)
            there = end;
        path[end] = behind;
    }
    char behind = path[there];
    path[there] = '\0';
    const char *above = there ? path : path[0] == '/' ? "/" : ".";
    FileKind kind = file_kind(above);
    bool good = kind == FILE_FOLDER && access(above, W_OK | X_OK) == 0;
    if (kind == FILE_REGULAR || kind == FILE_OTHER) {
        error_set(err, ERR_OUTPUT, WHERE_FILE(above), "%s", tr("is a file, not a folder"));
        path[there] = behind;
        return error_hint(err, "%s",
                          tr("name another folder after -o, or a file with the ending of its "
                             "format: report.html"));
    }
    path[there] = behind;
    return good || folder_make(path, err);
}

// A path that was named twice is one output.
static bool is_planned(const Outputs *out, Str path)
{
    for (size_t i = 0; i < out->count; i++)
        if (str_equal(str_of(out->targets[i].path), path))
            return true;
    return false;
}

static bool add_target(Outputs *out, Str path, Str given_format, const OtherFormat *others,
                       Error *err)
{
    OutputTarget target = {.path = str_cstr(out->arena, path)};
    if (is_planned(out, path))
        return true;
    if (str_equal(path, STR("-"))) {
        target.standard = true;
        target.format = given_format.size ? given_format : STR("md");
        if (str_find_char(target.format, ',', 0) != SIZE_MAX)
            return error_set(err, ERR_USAGE, NOWHERE, "%s",
                             tr("-o -: standard output takes one format"));
    } else if (!output_guard_archive(target.path, err)) {
        return false;
    } else {
        Str suffix = str_ends(path, STR("/")) ? STR("") : path_suffix(path);
        if (suffix.size)
            target.format = output_format_of_file(path, str_trim(given_format), others, out->arena);
        target.folder = target.format.size == 0;
        if (target.folder && is_foreign(suffix) && file_kind(target.path) != FILE_FOLDER)
            return refuse_suffix(out, &target, suffix, others, err);
        Str folder = target.folder ? path : path_folder(path);
        if (!folder_can_be_made(str_cstr(out->arena, folder), err))
            return false;
    }
    if (!target.standard)
        target.made = ARENA_NEW(out->arena, OutputMade);
    if (target.folder)
        target.lock = output_lock_new(out->arena);
    *ARRAY_ADD(out->arena, out->targets, out->count, out->capacity) = target;
    return true;
}

static ThemeMode theme_mode(const Options *options)
{
    Str name = options_text(options, "theme", "auto");
    if (str_equal(name, STR("light")))
        return THEME_LIGHT;
    return str_equal(name, STR("dark")) ? THEME_DARK : THEME_AUTO;
}

static int64_t source_date(void)
{
    int64_t seconds;
    const char *text = getenv("SOURCE_DATE_EPOCH");
    return text && str_to_int64(str_of(text), &seconds) ? seconds : 0;
}

void outputs_watch_fonts(Outputs *outputs, FontReport *fonts)
{
    *fonts = (FontReport){0};
    outputs->fonts = outputs->render.fonts = fonts;
}

void outputs_note_missing(const Outputs *outputs, Notices *notices)
{
    const char *text = NULL;
    if (outputs->fonts->no_fonts)
        text = tr("no font is installed: PNG and PDF are drawn with plain strokes, in ASCII alone; "
                  "install fonts-dejavu-core, or use SVG or HTML");
    else if (outputs->fonts->missing)
        text = tr("no installed font has some characters of the pictures: PNG and PDF show "
                  "boxes with their codes; install fonts-noto-cjk, or use SVG or HTML");
    if (text)
        notices_add(notices, NOTICE_WARNING, NOWHERE, "%s", text);
    if (outputs->png_left_out)
        notices_add(notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("no installed font has Chinese characters: the PNG pictures are left out, "
                       "the SVG pictures are complete; install fonts-noto-cjk"));
    if (outputs->in_english)
        notices_add(notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("no installed font has Chinese characters, which PNG and PDF need: this "
                       "run's outputs are in English; install fonts-noto-cjk, or ask for SVG or "
                       "HTML alone"));
}

// PNG and PDF are drawn with the fonts of this machine. Where these lack Chinese, PNG that nobody
// asked for is left out; else the run goes on in English, which every font has.
static void check_chinese(Outputs *outputs, bool formats_given)
{
    bool png = outputs_want(outputs, "png"), pdf = outputs_want(outputs, "pdf");
    if (words_lang() != LANG_ZH || (!png && !pdf) || fonts_have(&outputs->theme, "\u4E2D\u6587"))
        return;
    bool asked = pdf || formats_given;
    for (size_t i = 0; i < outputs->count; i++)
        asked = asked || str_equal(outputs->targets[i].format, STR("png"));
    outputs->in_english = asked;
    outputs->png_left_out = !asked;
    if (asked) {
        words_speak(LANG_EN);
        return;
    }
    StrBuf left;
    Str rest = outputs->formats, name;
    left = strbuf_new(outputs->arena);
    while (str_split(&rest, ',', &name))
        if (!str_equal(name, STR("png")))
            strbuf_printf(&left, "%s" STR_FMT, left.size ? "," : "", STR_ARG(name));
    outputs->formats = strbuf_str(&left);
}

// A linked page is several files.
static bool check_linked(const Outputs *outputs, Error *err)
{
    for (size_t i = 0; outputs->render.page_linked && i < outputs->count; i++) {
        const OutputTarget *target = &outputs->targets[i];
        if (!target->folder && str_equal(target->format, STR("html")))
            return error_set(err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                             tr("--html folder writes several files: expected a folder after -o"));
    }
    return true;
}

static const OtherFormat verdict_formats[] = {
    VERDICT_FORMATS,
    {NULL, NULL},
};

// What folders get where --format does not say it; `study` takes the same of its commands.
static Str usual_formats(const Options *options, bool kept)
{
    if (kept)
        return STR("html,svg,json,xlsx");
    return options->command->printed ? STR("html,md,json,xlsx,svg,png,pdf")
                                     : STR("html,md,json,xlsx,svg,png");
}

// A format that was typed and that nothing after -o takes; one in the settings is for folders.
static bool check_all_written(const Outputs *out, Str given, Error *err)
{
    static const char *const typed[] = {"format", NULL};
    bool folder = !options_first_of(out->options, typed);
    Str rest = given, name;
    for (size_t i = 0; i < out->count; i++)
        folder = folder || out->targets[i].folder;
    while (!folder && str_split(&rest, ',', &name)) {
        bool taken = false;
        name = str_trim(name);
        for (size_t i = 0; i < out->count; i++)
            taken = taken || str_equal(out->targets[i].format, name);
        if (taken)
            continue;
        error_set(
            err, ERR_USAGE, NOWHERE,
            tr("--format: nothing is written as '" STR_FMT "', the ending says what -o %s is"),
            STR_ARG(name), out->targets[0].path);
        return error_hint(err, "%s",
                          tr("write -o FILE with the ending of the format, or -o FOLDER and "
                             "--format"));
    }
    return true;
}

bool outputs_plan(const Options *options, const OtherFormat *others, Arena *arena, Outputs *out,
                  Error *err)
{
    Str given = options->command->data ? STR("dump") : options_text(options, "format", "");
    others = others ? others : verdict_formats;
    *out = (Outputs){.arena = arena,
                     .options = options,
                     .formats = given.size ? given : usual_formats(options, out->kept),
                     .report_alone_as_pdf = options->command->printed,
                     .kept = out->kept,
                     .progress = out->progress,
                     .err = err};
    if (!output_formats_check(out->formats, others, err))
        return false;
    Str folder = options_text(options, "templates", ""), theme;
    const char *templates = folder.size ? str_cstr(arena, folder) : NULL;
    if (templates && file_kind(templates) != FILE_FOLDER)
        return error_set(err, ERR_USAGE, WHERE_FILE(templates), "%s",
                         tr("--templates: there is no such folder"));
    bool msprobe = str_equal(options_text(options, "palette", "vernier"), STR("msprobe"));
    const char *palette = msprobe ? "msprobe.theme" : "vernier.theme";
    if (!template_find(templates, palette, arena, &theme, err) ||
        !theme_read(theme, palette, &out->theme, err))
        return false;
    out->render = (RenderOptions){
        .theme = &out->theme,
        .mode = theme_mode(options),
        .created = source_date(),
        .link = options_given(options, "link") ? str_cstr(arena, options_text(options, "link", ""))
                                               : NULL,
        .templates = templates,
        .page_linked = str_equal(options_text(options, "html", "file"), STR("folder"))};
    outputs_watch_fonts(out, ARENA_NEW(arena, FontReport));
    if (out->kept)
        return true;
    if (!output_guard_options(options, arena, err))
        return false;
    size_t count = options_list_count(options, "output");
    for (size_t i = 0; i < count; i++)
        if (!add_target(out, options_list_item(options, "output", i), given, others, err))
            return false;
    Str usual = str_printf(arena, "vernier-%s", options->command->name);
    if (count == 0 && !add_target(out, usual, given, others, err)) {
        if (err->kind != ERR_OUTPUT)
            return false;
        // No place for a report that nobody asked for: the verdict is printed all the same.
        error_hint(err, "%s", tr("no report is written: -o FOLDER names another place"));
        out->failed = true;
        Error *why = ARENA_NEW(arena, Error);
        *why = *err;
        out->unplaced = why;
        return true;
    }
    if (!check_all_written(out, given, err))
        return false;
    check_chinese(out, given.size > 0);
    return check_linked(out, err);
}

bool outputs_folder_wants(const Outputs *outputs, const char *format)
{
    if (!output_formats_have(outputs->formats, str_of(format)))
        return false;
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].folder)
            return true;
    return outputs->kept;
}

bool outputs_want(const Outputs *outputs, const char *format)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (str_equal(outputs->targets[i].format, str_of(format)))
            return true;
    return outputs_folder_wants(outputs, format);
}

void outputs_list_files(Outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].folder)
            outputs->targets[i].list = output_list_open(outputs->targets[i].path, outputs->arena);
}

bool outputs_named(const Outputs *outputs)
{
    return options_known(outputs->options, "output") && options_given(outputs->options, "output");
}

void outputs_leave_old(Outputs *outputs)
{
    outputs->keeps_old = true;
    if (outputs->options && !outputs_named(outputs))
        outputs->count = 0;
}

void outputs_unlock(Outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].lock)
            output_lock_end(outputs->targets[i].lock);
}

void outputs_end_lists(Outputs *outputs)
{
    for (size_t i = 0; i < outputs->count && !outputs->failed; i++)
        if (outputs->targets[i].list)
            output_list_end(outputs->targets[i].list, outputs->options, outputs->keeps_old,
                            outputs->render.jobs);
}

static Sink *open_in_folder(Outputs *outputs, const OutputTarget *target, const char *file)
{
    Arena *scratch = arena_new();
    const char *path = path_join(scratch, target->path, str_of(file));
    Sink *sink =
        folder_make(target->path, outputs->err) &&
                output_lock_take(target->lock, target->path, outputs->options, outputs->err) &&
                output_guard_file(outputs->options, path, outputs->err)
            ? sink_file(path, outputs->err)
            : NULL;
    arena_release(scratch);
    outputs->failed = outputs->failed || !sink;
    return sink;
}

static const OutputTarget *first_folder(const Outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].folder)
            return &outputs->targets[i];
    return NULL;
}

static void keep_name(const Outputs *outputs, const OutputTarget *target, const char *file)
{
    OutputNames *names = outputs->written;
    if (names && target == first_folder(outputs))
        *ARRAY_PUSH(names->arena, names) = str_copy(names->arena, str_of(file));
}

bool outputs_want_pictures(const Outputs *outputs)
{
    bool want = outputs_want_pages(outputs);
    for (size_t i = 0; renderers[i] && !want; i++)
        want = renderers[i]->write_scene && outputs_want(outputs, renderers[i]->name);
    return want;
}

bool outputs_want_pages(const Outputs *outputs)
{
    bool want = false;
    for (size_t i = 0; renderers[i] && !want; i++)
        want = renderers[i]->write_report && outputs_want(outputs, renderers[i]->name);
    return want;
}

static bool writes_tables(const Renderer *renderer, bool alone)
{
    return renderer->write_tables && renderer->one_table == alone;
}

static bool want_tables(const Outputs *outputs, bool alone)
{
    bool want = false;
    for (size_t i = 0; renderers[i] && !want; i++)
        want = writes_tables(renderers[i], alone) && outputs_want(outputs, renderers[i]->name);
    return want;
}

bool outputs_want_books(const Outputs *outputs)
{
    return want_tables(outputs, false);
}

bool outputs_want_sheets(const Outputs *outputs)
{
    return want_tables(outputs, true);
}

Str outputs_book_file(const Outputs *outputs, const char *base, bool main, Arena *arena)
{
    for (size_t i = 0; renderers[i]; i++)
        if (writes_tables(renderers[i], false) && outputs_folder_wants(outputs, renderers[i]->name))
            return str_printf(arena, "%s%s", base, renderers[i]->suffix);
    for (size_t i = 0; renderers[i] && main; i++)
        for (size_t k = 0; writes_tables(renderers[i], false) && k < outputs->count; k++) {
            const OutputTarget *target = &outputs->targets[k];
            if (!target->folder && !target->standard &&
                str_equal(target->format, str_of(renderers[i]->name)))
                return path_base(str_of(target->path));
        }
    return (Str){"", 0};
}

static bool is_named(void *context, Str name)
{
    return str_equal(name, *(const Str *)context);
}

// The sink for `file` of that format at one target, or NULL if the target does not want it.
static Sink *open_sink(Outputs *outputs, const OutputTarget *target, const char *format,
                       const char *file, bool main)
{
    if (target->folder) {
        if (!output_formats_have(outputs->formats, str_of(format)))
            return NULL;
        keep_name(outputs, target, file);
        return open_in_folder(outputs, target, file);
    }
    if (!main || !str_equal(target->format, str_of(format)))
        return NULL;
    if (target->standard)
        return sink_stdout();
    Arena *scratch = arena_new();
    const char *folder = str_cstr(scratch, path_folder(str_of(target->path)));
    Str base = path_base(str_of(target->path));
    if (file_kind(folder) == FILE_FOLDER)
        sink_remove_abandoned(folder, is_named, &base);
    Sink *sink = folder_make(folder, outputs->err) ? sink_file(target->path, outputs->err) : NULL;
    arena_release(scratch);
    outputs->failed = outputs->failed || !sink;
    return sink;
}

// What a reader opens first, the best last.
static const char *const first_files[] = {"",
                                          "vernier.prom",
                                          "annotations.txt",
                                          "gl-code-quality-report.json",
                                          "vernier.sarif",
                                          "junit.xml",
                                          "summary.json",
                                          "summary.html",
                                          "summary.jira",
                                          "summary.txt",
                                          "summary.md",
                                          "index.html"};

void outputs_join_made(const OutputMade *from, OutputMade *to)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    to->files += from->files;
    to->bytes += from->bytes;
    to->first = from->first > to->first ? from->first : to->first;
    pthread_mutex_unlock(&lock);
}

static void tally(const OutputTarget *target, const char *file, const char *path)
{
    OutputMade made = {.files = 1, .bytes = file_size(path)};
    for (int i = 1; i < (int)(sizeof first_files / sizeof *first_files); i++)
        if (strcmp(file, first_files[i]) == 0)
            made.first = i;
    outputs_join_made(&made, target->made);
}

Str outputs_first_file(const OutputTarget *target, Arena *arena)
{
    if (!target->folder)
        return str_of(target->path);
    return str_of(path_join(arena, target->path, str_of(first_files[target->made->first])));
}

static void commit(Outputs *outputs, const OutputTarget *target, const char *file, Sink *sink)
{
    Arena *scratch = arena_new();
    OutputNames *fresh = target->standard ? NULL : outputs->fresh;
    const char *path =
        target->folder ? path_join(scratch, target->path, str_of(file)) : target->path;
    bool is_new = fresh && file_kind(path) == FILE_NONE;
    if (!sink_commit(sink, outputs->err))
        outputs->failed = true;
    else if (target->made)
        tally(target, file, path);
    if (is_new && !outputs->failed)
        *ARRAY_PUSH(fresh->arena, fresh) = str_copy(fresh->arena, str_of(path));
    arena_release(scratch);
}

static void end_sink(Outputs *outputs, const OutputTarget *target, const char *file, Sink *sink,
                     bool good)
{
    if (good && target->list)
        output_list_add(target->list, file);
    if (good) {
        commit(outputs, target, file, sink);
        return;
    }
    sink_discard(sink);
    outputs->failed = true;
}

void outputs_custom(Outputs *outputs, const char *format, const char *file, bool main,
                    bool (*write)(void *context, Sink *out, Error *err), void *context)
{
    for (size_t i = 0; i < outputs->count && !outputs->failed; i++) {
        const OutputTarget *target = &outputs->targets[i];
        Sink *sink = open_sink(outputs, target, format, file, main);
        if (!sink)
            continue;
        progress_writes(outputs->progress,
                        target->folder || target->standard ? file : target->path);
        end_sink(outputs, target, file, sink, write(context, sink, outputs->err));
    }
}

void outputs_every_folder(Outputs *outputs, const char *file,
                          bool (*write)(void *context, Sink *out, Error *err), void *context)
{
    for (size_t i = 0; i < outputs->count && !outputs->failed; i++) {
        if (!outputs->targets[i].folder)
            continue;
        Sink *sink = open_in_folder(outputs, &outputs->targets[i], file);
        if (sink)
            end_sink(outputs, &outputs->targets[i], file, sink, write(context, sink, outputs->err));
    }
}

typedef struct Rendering {
    const Renderer *renderer;
    const RenderOptions *options;
    const Scene *scene;
    const Report *report;
    Table *const *tables;
    size_t table_count;
} Rendering;

static bool write_rendering(void *context, Sink *out, Error *err)
{
    const Rendering *work = context;
    if (work->scene)
        return work->renderer->write_scene(work->scene, work->options, out, err);
    if (work->report)
        return work->renderer->write_report(work->report, work->options, out, err);
    return work->renderer->write_tables(work->tables, work->table_count, work->options, out, err);
}

static void render(Outputs *outputs, Rendering work, const char *base, bool main)
{
    Arena *scratch = arena_new();
    work.options = &outputs->render;
    Str file = str_printf(scratch, "%s%s", base, work.renderer->suffix);
    outputs_custom(outputs, work.renderer->name, file.data, main, write_rendering, &work);
    arena_release(scratch);
}

// A single file's further pages are next to it: bug.svg, bug-2.svg. Standard output has the first.
static const char *numbered_path(const char *path, size_t page, Arena *arena)
{
    Str suffix = path_suffix(str_of(path));
    Str stem = str_slice(str_of(path), 0, strlen(path) - suffix.size);
    return str_printf(arena, STR_FMT "-%zu" STR_FMT, STR_ARG(stem), page, STR_ARG(suffix)).data;
}

static void render_page(Outputs *outputs, Rendering work, const char *base, bool main, size_t page)
{
    Arena *scratch = arena_new();
    Outputs paged = *outputs;
    paged.targets = ARENA_ARRAY(scratch, OutputTarget, outputs->count);
    paged.count = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        OutputTarget target = outputs->targets[i];
        if (target.standard)
            continue;
        if (!target.folder)
            target.path = numbered_path(target.path, page, scratch);
        paged.targets[paged.count++] = target;
    }
    render(&paged, work, str_printf(scratch, "%s-%zu", base, page).data, main);
    outputs->failed = paged.failed;
    arena_release(scratch);
}

void outputs_scene(Outputs *outputs, const char *base, bool main, const Scene *scene)
{
    for (size_t i = 0; renderers[i]; i++) {
        const Renderer *renderer = renderers[i];
        if (!renderer->write_scene || !outputs_want(outputs, renderer->name) ||
            (outputs->report_alone_as_pdf && renderer == &pdf_renderer))
            continue;
        render(outputs, (Rendering){.renderer = renderer, .scene = scene}, base, main);
        size_t page = 2;
        for (const Scene *at = scene->next; at && !renderer->all_pages; at = at->next)
            render_page(outputs, (Rendering){.renderer = renderer, .scene = at}, base, main,
                        page++);
    }
}

static bool write_style(void *context, Sink *out, Error *err)
{
    return html_write_style(context, out, err);
}

// What a linked page loads: its style sheet, and its pictures under names of their own, since they
// have no verdict on top. Gives the report with these names.
static Report write_linked_files(Outputs *outputs, const Report *report, Arena *arena)
{
    Report linked = *report;
    linked.items = ARENA_ARRAY(arena, Block, report->count);
    for (size_t i = 0; i < report->count; i++) {
        Block *block = &linked.items[i];
        *block = report->items[i];
        if (block->kind != BLOCK_FIGURE)
            continue;
        block->file = str_printf(arena, "page-%zu-" STR_FMT, i, STR_ARG(block->file));
        Rendering work = {
            .renderer = &svg_renderer, .options = &outputs->render, .scene = block->scene};
        Str file = str_printf(arena, STR_FMT ".svg", STR_ARG(block->file));
        outputs_custom(outputs, "html", file.data, false, write_rendering, &work);
    }
    outputs_custom(outputs, "html", "page.css", false, write_style, &outputs->render);
    return linked;
}

void outputs_report(Outputs *outputs, const char *format, const char *base, const Report *report)
{
    const Renderer *renderer = renderer_by_name(str_of(format));
    Rendering work = {.renderer = renderer, .report = report};
    Arena *scratch = arena_new();
    if (renderer == &html_renderer && outputs->render.page_linked) {
        Report linked = write_linked_files(outputs, report, scratch);
        work.report = &linked;
        render(outputs, work, base, true);
    } else if (renderer == &pdf_renderer && outputs_want(outputs, format)) {
        work = (Rendering){.renderer = renderer, .scene = print_report(report, scratch)};
        render(outputs, work, base, true);
    } else if (renderer->write_report) {
        render(outputs, work, base, true);
    }
    arena_release(scratch);
}

void outputs_tables(Outputs *outputs, bool alone, const char *base, bool main, Table *const *tables,
                    size_t count)
{
    for (size_t i = 0; renderers[i]; i++)
        if (writes_tables(renderers[i], alone))
            render(outputs,
                   (Rendering){.renderer = renderers[i], .tables = tables, .table_count = count},
                   base, main);
}
