// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_forms.h"

#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text_decode.h"
#include "base/words.h"
#include "read/known_rows.h"
#include "read/log/line_pattern.h"
#include "read/log/lines.h"

enum { FIT_LINES = 400, FIT_BYTES = 256 << 10 };

// Of a log that is known by itself, more of its lines than this have to fit.
#define FIT_KNOWN 0.5

bool form_is_good(Str form)
{
    static const char *const measures[] = {"loss", "grad_norm", "lr", "eval_loss"};
    bool measure = false;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        measure = measure || pattern_names(form, measures[i]);
    return measure && pattern_is_whole(form);
}

static const struct {
    const char *word;
    FormRole role;
    EventKind event;
} roles[] = {
    {"training", FORM_TRAINING, 0},
    {"bare", FORM_BARE, 0},
    {"measured", FORM_MEASURED, 0},
    {"evaluation", FORM_EVALUATION, 0},
    {"beside", FORM_BESIDE, 0},
    {"passed", FORM_PASSED, 0},
    {"heading", FORM_HEADING, 0},
    {"skip", FORM_EVENT, EVENT_SKIP},
    {"overflow", FORM_EVENT, EVENT_OVERFLOW},
    {"nan", FORM_EVENT, EVENT_NAN},
    {"abort", FORM_EVENT, EVENT_ABORT},
    {"error", FORM_EVENT, EVENT_ERROR},
    {"restart", FORM_EVENT, EVENT_RESTART},
    {"checkpoint", FORM_EVENT, EVENT_CHECKPOINT},
};

static bool take_role(Str word, LineForm *form)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (str_equal(word, str_of(roles[i].word))) {
            form->role = roles[i].role;
            form->event = roles[i].event;
            return true;
        }
    return false;
}

uint64_t form_start(Str text)
{
    unsigned hash = 0;
    for (size_t i = 0; i < text.size && is_letter(text.data[i]); i++)
        hash = hash * 31 + (unsigned char)(text.data[i] | 0x20);
    return text.size && (text.data[0] & 0x80) ? 1 : UINT64_C(2) << hash % 63;
}

static void take_words(Str words, Arena *arena, FormWords *out)
{
    while (words.size) {
        Str word = str_copy(arena, known_word(&words));
        uint64_t start = str_ends(word, STR("~")) ? UINT64_MAX : form_start(word);
        *ARRAY_PUSH(arena, out) = (struct FormWord){word, start};
    }
}

// Reads a line of a file of forms. False: it is a pattern alone, or no role.
static bool take_form_line(Str key, Str rest, Arena *arena, LineForms *out, bool *good)
{
    LineForm *last = out->count ? &out->items[out->count - 1] : NULL;
    *good = true;
    if (str_equal(key, STR("form")) && rest.size) {
        *ARRAY_PUSH(arena, out) = (LineForm){.name = str_cstr(arena, rest)};
        return true;
    }
    if (!last)
        return false;
    if (str_equal(key, STR("role")))
        *good = take_role(rest, last);
    else if (str_equal(key, STR("match")))
        last->pattern = str_copy(arena, rest);
    else if (str_equal(key, STR("any")) && last->set_count < FORM_SETS_MAX)
        take_words(rest, arena, &last->sets[last->set_count++]);
    else if (str_equal(key, STR("none")))
        take_words(rest, arena, &last->none);
    else if (str_equal(key, STR("fields")))
        last->fields = rest.size ? rest.data[0] : '\0';
    else if (str_equal(key, STR("alone")))
        last->is_alone = true;
    else if (str_equal(key, STR("at")))
        last->is_at_last = true;
    else
        return STR_IN(key, "line", "gives", "from", "show", "example", "step");
    return true;
}

void forms_known(Arena *arena, LineForms *records, LineForms *events)
{
    LineForms all = {0};
    KnownRows rows = known_rows("logs.forms");
    Str key, rest;
    bool good;
    while (known_rows_next(&rows, &key, &rest))
        take_form_line(key, rest, arena, &all, &good);
    for (size_t i = 0; i < all.count; i++)
        *ARRAY_PUSH(arena, all.items[i].role == FORM_EVENT ? events : records) = all.items[i];
}

void forms_shown(Arena *arena, FormShows *out)
{
    KnownRows rows = known_rows("logs.forms");
    Str key, rest;
    while (known_rows_next(&rows, &key, &rest)) {
        const char *value = str_cstr(arena, rest);
        FormShow *last = out->count ? &out->items[out->count - 1] : NULL;
        if (str_equal(key, STR("show")))
            *ARRAY_PUSH(arena, out) = (FormShow){value, "", ""};
        else if (last && str_equal(key, STR("example")))
            last->example = value;
        else if (last && str_equal(key, STR("step")))
            last->step = value;
    }
}

static bool read_forms(Str text, Arena *arena, FormFile *out, Error *err)
{
    Lines lines;
    Str line;
    LineForms rows = {0};
    struct {
        Str *items;
        size_t count, capacity;
    } forms = {0};
    lines_open(&lines, text_decode(text, arena), arena);
    while (lines_next(&lines, &line)) {
        Str form = str_trim(line), rest = form, key = known_word(&rest);
        bool good;
        if (form.size == 0 || form.data[0] == '#')
            continue;
        if (take_form_line(key, rest, arena, &rows, &good) && good)
            continue;
        if (!good || !form_is_good(form))
            return error_set(err, ERR_INPUT, WHERE_LINE(out->path, lines.line),
                             tr("'" STR_FMT "' needs {loss}, {grad_norm} or {lr}, and {step} where "
                                "the line has one"),
                             STR_ARG(form));
        *ARRAY_PUSH(arena, &forms) = str_copy(arena, form);
    }
    for (size_t i = 0; i < rows.count; i++)
        if (rows.items[i].role == FORM_EVENT)
            *ARRAY_PUSH(arena, &out->events) = rows.items[i];
        else if (form_is_good(rows.items[i].pattern))
            *ARRAY_PUSH(arena, &forms) = rows.items[i].pattern;
    out->forms = forms.items;
    out->count = forms.count;
    return forms.count || out->events.count ||
           error_set(err, ERR_INPUT, WHERE_FILE(out->path), "%s",
                     tr("no form of a line in this file"));
}

bool form_file_read(const char *path, Arena *arena, FormFile *out, Error *err)
{
    File file;
    *out = (FormFile){.path = path};
    if (!file_open(path, &file, err))
        return false;
    bool good = read_forms(file.text, arena, out, err);
    file_close(&file);
    return good;
}

void form_folder_read(const char *folder, Arena *arena, FormFiles *out, Notices *notices)
{
    FolderList names;
    Error err;
    if (file_kind(folder) != FILE_FOLDER)
        return;
    if (!folder_list(folder, arena, &names, &err)) {
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(folder), "%s", err.text);
        return;
    }
    for (size_t i = 0; i < names.count; i++) {
        FormFile file;
        if (!str_ends(names.items[i], STR(".patterns")))
            continue;
        if (form_file_read(path_join(arena, folder, names.items[i]), arena, &file, &err))
            *ARRAY_PUSH(arena, out) = file;
        else
            notices_add(notices, NOTICE_WARNING, ((Where){err.file, err.line, -1}),
                        tr("%s; this file of forms is left out"), err.text);
    }
}

// The share of the first lines that are records in these forms.
static double share_that_fits(const FormFile *file, Str text)
{
    Arena *scratch = arena_new();
    Lines lines;
    Str line;
    PatternMatch match;
    size_t fit = 0, count = 0;
    lines_open(&lines, text, scratch);
    for (; count < FIT_LINES && lines_next(&lines, &line); count++) {
        bool fits = false;
        for (size_t i = 0; i < file->count && !fits; i++)
            fits = pattern_match(file->forms[i], line, &match);
        fit += fits;
    }
    arena_release(scratch);
    return count ? (double)fit / (double)count : 0;
}

const FormFile *form_files_fit(const FormFiles *files, Str text, bool known)
{
    const FormFile *best = NULL;
    double most = known ? FIT_KNOWN : 0;
    for (size_t i = 0; i < files->count; i++) {
        double fit = share_that_fits(&files->items[i], str_slice(text, 0, FIT_BYTES));
        if (fit > most) {
            best = &files->items[i];
            most = fit;
        }
    }
    return best;
}
