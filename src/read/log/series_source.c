// SPDX-License-Identifier: Apache-2.0
#include "read/log/series_source.h"

#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "base/text_decode.h"
#include "base/words.h"
#include "read/json/python_literal.h"
#include "read/log/event_records.h"
#include "read/log/health_file.h"
#include "read/log/json_series.h"
#include "read/log/line_wrap.h"
#include "read/log/lines.h"
#include "read/log/log_bytes.h"
#include "read/log/log_folder.h"
#include "read/log/log_forms.h"
#include "read/log/log_wrapper.h"
#include "read/log/series_name.h"
#include "read/log/table_series.h"
#include "read/log/trainlog_dialects.h"
#include "read/table/event_stream.h"

enum { DEPTH_MAX = 8, FILES_MAX = 20000 };

static bool is_event_file(Str text, Arena *arena)
{
    (void)arena;
    return event_stream_is(text);
}

static bool read_event_file(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                            Notices *notices, Error *err)
{
    (void)file_rank;
    return event_file_read(path, text, arena, out, notices, err);
}

// Records of a log stand among or below the lines of a document, which is a printed setting then.
// A whole document ends with its bracket.
static bool is_above_log(Str text, Arena *arena)
{
    size_t feed = str_rfind_char(str_trim(text), '\n');
    Str last = feed == SIZE_MAX ? STR("}") : str_trim(str_slice(str_trim(text), feed, text.size));
    if (str_starts(last, STR("}")) || str_starts(last, STR("]")))
        return false;
    LiteralReader reader = literal_open(text, 0, arena);
    bool whole = literal_skip(&reader) && str_trim(str_slice(text, reader.at, text.size)).size == 0;
    return !whole && trainlog_recognise(text, arena);
}

// A document that is no more than a setting may stand above a log.
static bool read_document(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                          Notices *notices, Error *err)
{
    if (is_above_log(text, arena))
        return trainlog_read(path, text, file_rank, arena, out, notices, err);
    if (json_document_read(path, text, arena, out, notices, err))
        return true;
    Error of_log;
    return wrapper_unpack_array(text, arena, &text) &&
           trainlog_read(path, text, file_rank, arena, out, notices, &of_log);
}

static bool read_lines(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                       Notices *notices, Error *err)
{
    Str printed;
    if (json_lines_read(path, text, arena, out, notices, err))
        return true;
    return wrapper_unpack_json(text, arena, &printed) &&
           trainlog_read(path, printed, file_rank, arena, out, notices, err);
}

static bool read_table(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                       Notices *notices, Error *err)
{
    (void)file_rank;
    return table_series_read(path, text, arena, out, notices, err);
}

static bool is_markdown(Str text, Arena *arena)
{
    Str table;
    uint64_t unread;
    text = str_slice(text, 0, 1 << 20);
    return str_find_char(text, '|', 0) != SIZE_MAX &&
           wrapper_unpack_markdown(text, arena, &table, &unread);
}

static bool read_markdown(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                          Notices *notices, Error *err)
{
    Str table = STR("");
    uint64_t unread;
    wrapper_unpack_markdown(text, arena, &table, &unread);
    if (unread)
        notices_partial(notices, WHERE_LINE(path, unread), "%s",
                        tr("only the first table of steps is read, not the one here"));
    return read_table(path, table, file_rank, arena, out, notices, err);
}

static bool is_any(Str text, Arena *arena)
{
    (void)text;
    (void)arena;
    return true;
}

static const SeriesKind markdown = {"Markdown", is_markdown, read_markdown};

// A log may begin with any number of other lines, so it is also the last resort.
static const SeriesKind kinds[] = {
    {"event file", is_event_file, read_event_file},
    {"abnormal norms", abnormal_norm_recognise, abnormal_norm_read},
    {"JSON", json_document_recognise, read_document},
    {"JSON lines", json_lines_recognise, read_lines},
    {"log", trainlog_recognise, trainlog_read},
    {"Markdown", is_markdown, read_markdown},
    {"table", table_series_recognise, read_table},
    {"log", is_any, trainlog_read},
};

// What a user has said of the text leaves no choice.
static const SeriesKind *wished_kind(const LogWish *wish)
{
    static const SeriesKind log = {"log", is_any, trainlog_read};
    static const SeriesKind table = {"table", is_any, read_table};
    if (wish && wish->pattern_count)
        return &log;
    return wish && wish->columns.size ? &table : NULL;
}

static void report_repeated(const Parts *parts, size_t first, Notices *notices)
{
    for (size_t i = first; i < parts->count; i++) {
        const Part *part = parts->items[i];
        if (part->repeated)
            notices_add(
                notices, NOTICE_WARNING, WHERE_LINE(part->path, part->repeated_line),
                tr_count(part->repeated,
                         "%llu record repeats the step of the one before; the first value that is "
                         "not 0 counts",
                         "%llu records repeat the step of the one before, from this line; the "
                         "first value that is not 0 counts"),
                (unsigned long long)part->repeated);
        if (part->ignored_series)
            notices_partial(notices, WHERE_FILE(part->path), "%s",
                            tr("only the first 4,096 names of series are kept"));
        if (part->apart.count && apart_lasts(&part->apart))
            apart_tell(&part->apart, WHERE_LINE(part->path, part->differing_line), notices);
        else if (part->apart.count)
            notices_add(notices, NOTICE_WARNING, WHERE_LINE(part->path, part->differing_line),
                        tr_count(part->apart.count, "%llu of them has another value",
                                 "%llu of them have other values"),
                        (unsigned long long)part->apart.count);
    }
}

static const SeriesKind *kind_of(Str text, LinePrefix prefix)
{
    enum { PROBE_BYTES = 1 << 20 };
    Arena *scratch = arena_new();
    const SeriesKind *kind = NULL;
    if (prefix)
        text = line_prefix_drop(prefix, str_slice(text, 0, PROBE_BYTES), scratch);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !kind; i++)
        kind = kinds[i].recognise(text, scratch) ? &kinds[i] : NULL;
    arena_release(scratch);
    return kind;
}

// The user's own dialect for a log that nothing was said of; `own` takes the place of the wish.
static const LogWish *installed_wish(const LogWish *wish, Str text, const char *path,
                                     Notices *notices, LogWish *own)
{
    const FormFile *file = NULL;
    if (wish && wish->installed.count && !wished_kind(wish))
        file =
            form_files_fit(&wish->installed, text, kind_of(text, line_prefix_find(text)) != NULL);
    if (!file)
        return wish;
    notices_add(notices, NOTICE_TOLD, WHERE_FILE(path),
                tr("read by the forms of %s, which fit its lines"), file->path);
    *own = *wish;
    own->patterns = file->forms;
    own->pattern_count = file->count;
    own->events = file->events;
    return own;
}

// "gpu" and "lm_loss" of "gpu_lm_loss"; names of more than so many bytes have no device.
static bool split_device(Str printed, Str *device, Str *measure)
{
    enum { NAME_BYTES = 64 };
    return printed.size <= NAME_BYTES && series_name_split_side(printed, device, measure);
}

// Where all that is measured has the name of one device next to it, it is called as on any other:
// "gpu_loss" of one file is compared with "npu_loss" of another. Next to a column of another device
// or without one the names stay.
static void drop_device(Part *part)
{
    Str device = STR(""), own, measure;
    for (size_t i = 0; i < part->series_count; i++) {
        Str printed = part->series[i].printed;
        bool named = split_device(printed, &own, &measure);
        if (named ? device.size && !str_equal_nocase(own, device) : series_facts(printed).measure)
            return;
        device = named ? own : device;
    }
    for (size_t i = 0; device.size && i < part->series_count; i++) {
        PartSeries *series = &part->series[i];
        if (!split_device(series->printed, &own, &measure))
            continue;
        SeriesName name = series_name(measure, true, part->arena);
        if (!part_find(part, str_cstr(part->arena, name.canonical))) {
            series->name = name.canonical;
            series->core = name.core;
        }
    }
}

// Whether the last word of the name is that of a norm or a rate; "norm" next to a loss is that of
// the gradient.
static bool is_part_named(Part *part, Str printed, const char *name)
{
    size_t slash = str_rfind_char(printed, '/');
    Str last = str_slice(printed, slash == SIZE_MAX ? 0 : slash + 1, printed.size);
    bool bare = str_equal_nocase(last, STR("norm")) && str_equal(str_of(name), STR("grad_norm"));
    return bare ? part_find(part, "loss") != NULL
                : str_equal(series_name(last, true, part->arena).canonical, str_of(name));
}

// Where one series alone is a norm or a rate after the name of a part, "policy/lr", and none of
// the whole, it is that of the run.
static void use_part(Part *part, const char *name)
{
    PartSeries *found = NULL;
    for (size_t i = 0; i < part->series_count; i++) {
        PartSeries *series = &part->series[i];
        bool named = is_part_named(part, series->printed, name);
        if (str_equal(series->name, str_of(name)) || (named && found))
            return;
        found = named ? series : found;
    }
    if (found) {
        found->name = str_of(name);
        found->core = true;
    }
}

static size_t value_count(const PartSeries *series)
{
    size_t count = 0;
    for (size_t i = 0; i < series->points.count; i++)
        count += !point_is_absent(series->points.items.value[i]);
    return count;
}

// Of two evaluations of one name that of the test is the lesser one where it has fewer values.
static void prefer_validation(Part *part)
{
    PartSeries *named = part_find(part, "eval_loss"), *best = named;
    for (size_t i = 0; named && i < part->series_count; i++) {
        PartSeries *series = &part->series[i];
        Str name = series_name(series->printed, true, part->arena).canonical;
        if (str_equal(name, STR("eval_loss")) && value_count(series) > value_count(best))
            best = series;
    }
    if (best != named) {
        named->name = named->printed;
        best->name = STR("eval_loss");
    }
}

// Values alone at one step, none of which is a loss, a norm or a rate, are settings.
static bool holds_curves(const Parts *parts, size_t first)
{
    for (size_t i = first; i < parts->count; i++) {
        const Part *part = parts->items[i];
        if (part->events.count || part->norms.count)
            return true;
        for (size_t k = 0; k < part->series_count; k++) {
            const PartSeries *series = &part->series[k];
            if (series->points.count > 1 || (series->points.count && series->core) ||
                str_equal(series->name, STR("eval_loss")))
                return true;
        }
    }
    return false;
}

// Of readers that count no lines: the values that they keep.
static void count_values(const Parts *parts, size_t first, Account *account)
{
    uint64_t values = 0;
    for (size_t i = first; i < parts->count; i++)
        for (size_t k = 0; k < parts->items[i]->series_count; k++)
            values += parts->items[i]->series[k].points.count;
    account_see(account, values);
    account_compare(account, values);
}

static bool read_text(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                      Error *err)
{
    size_t first = out->count;
    uint64_t seen = notices->account.seen;
    out->bytes_read = out->bytes_all = 0;
    const SeriesKind *wished = wished_kind(out->wish);
    if (wished)
        return wished->read(path, text, series_source_rank(path), arena, out, notices, err);
    bool events = event_stream_is(text);
    LinePrefix prefix = events ? PREFIX_NONE : line_prefix_find(text);
    const SeriesKind *kind = kind_of(text, prefix);
    // What a text says of logs, and quotes of them, is none.
    Str name = str_of(path);
    if (str_ends(name, STR(".md")) && kind->read != read_markdown) {
        Arena *scratch = arena_new();
        bool table = is_markdown(text, scratch);
        arena_release(scratch);
        if (!table)
            return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                             tr("a text in Markdown without a table of steps and losses"));
        kind = &markdown;
    }
    // A log drops it line by line, since it may say when a line was written and by which rank.
    if (prefix && kind->read != trainlog_read)
        text = line_prefix_drop(prefix, text, arena);
    bool table = kind->read == read_table;
    if (table && memchr(text.data, '\x1B', text.size))
        text = text_without_escapes(text, arena);
    bool good = kind->read(path, text, series_source_rank(path), arena, out, notices, err);
    for (size_t i = first; i < out->count; i++) {
        drop_device(out->items[i]);
        use_part(out->items[i], "grad_norm");
        use_part(out->items[i], "lr");
        prefer_validation(out->items[i]);
    }
    if (good && !holds_curves(out, first)) {
        out->count = first;
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("no training record in this file"));
    }
    report_repeated(out, first, notices);
    if (notices->account.seen == seen)
        count_values(out, first, &notices->account);
    return good;
}

bool series_source_read_text(const char *path, Str bytes, Arena *arena, Parts *out,
                             Notices *notices, Error *err)
{
    bool events = event_stream_is(bytes);
    Str text = events ? bytes : text_decode(bytes, arena);
    if (str_trim(str_slice(text, 0, 65536)).size == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the file is empty"));
    size_t columns = events ? 0 : text_unwrap(text, arena, &text);
    if (columns)
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(path),
                    tr("lines that a terminal broke at %zu columns are joined again"), columns);
    uint64_t left_out = 0, fold = events ? 0 : text_unfold(text, arena, &text, &left_out);
    if (fold)
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(path),
                    tr("each line is in the file %llu times, as processes print it: one of them is "
                       "read, and lines are numbered without the others"),
                    (unsigned long long)fold);
    account_see(&notices->account, left_out);
    account_set_aside(&notices->account, ASIDE_REPEATED, left_out);
    const LogWish *said = out->wish;
    LogWish own;
    out->wish = events ? said : installed_wish(said, text, path, notices, &own);
    bool good = read_text(path, text, arena, out, notices, err);
    out->wish = said;
    return good;
}

bool series_source_read(const char *path, Arena *arena, Parts *out, Notices *notices, Error *err)
{
    LogBytes bytes;
    out->unopened = !log_bytes_open(path, arena, &bytes, notices, err);
    if (out->unopened)
        return false;
    bool good = series_source_read_text(path, bytes.text, arena, out, notices, err);
    log_bytes_close(&bytes);
    return good;
}

static int64_t rank_in(Str name)
{
    static const char *const words[] = {"worker_", "rank_", "rank-", "rank"};
    int64_t rank;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        Scan scan = scan_of(name);
        if (scan_find(&scan, words[i]) && scan_uint(&scan, &rank))
            return rank;
    }
    return -1;
}

int64_t series_source_rank(const char *path)
{
    Str name = path_base(str_of(path)), folder = path_base(path_folder(str_of(path)));
    int64_t rank = rank_in(name);
    if (rank >= 0)
        return rank;
    size_t bar = str_rfind_char(name, '_');
    Scan scan = {name, bar == SIZE_MAX ? name.size : bar + 1};
    if (scan_uint(&scan, &rank) && scan_word(&scan, ".log") && scan_done(&scan))
        return rank;
    if (str_starts(folder, STR("rank")))
        return rank_in(folder);
    // torchrun: "attempt_0/3/stdout.log"
    Str above = path_base(path_folder(path_folder(str_of(path))));
    scan = scan_of(folder);
    return str_starts(above, STR("attempt_")) && scan_uint(&scan, &rank) && scan_done(&scan) ? rank
                                                                                             : -1;
}

// ---- Folders

typedef struct Walk {
    Arena *arena;
    Notices *notices;
    SourceFiles *files;
    struct Place {
        char *path;
        int depth;
    } * items;  // folders that still wait
    size_t count, capacity;
    bool cut;
    SourceFiles links;  // names of what is not followed
} Walk;

// Links may lead outside or in a circle. What one leads to is read where the folder holds it too,
// else it is missing.
static void note_links(const Walk *walk)
{
    Names *known = names_new(walk->arena);
    for (size_t i = 0; walk->links.count && i < walk->count; i++)
        names_add(known, file_identity(walk->items[i].path, walk->arena));
    for (size_t i = 0; walk->links.count && i < walk->files->count; i++)
        names_add(known, file_identity(walk->files->items[i], walk->arena));
    for (size_t i = 0; i < walk->links.count; i++) {
        const char *path = walk->links.items[i];
        Str identity = file_identity(path, walk->arena);
        if (identity.size == 0 || !names_find(known, identity))
            notices_partial(walk->notices, WHERE_FILE(path), "%s",
                            tr("a link in a folder is not followed: name what it leads to"));
    }
}

static void visit(Walk *walk, char *path, int depth)
{
    FileKind kind = file_kind_unfollowed(path);
    if (kind == FILE_NONE || kind == FILE_UNKNOWN) {
        notices_partial(walk->notices, WHERE_FILE(path), "%s", tr(FILE_UNKNOWN_TEXT));
        return;
    }
    FileKind leads = kind == FILE_OTHER ? file_kind(path) : FILE_OTHER;
    bool empty = leads == FILE_REGULAR && file_size(path) == 0;
    if (leads != FILE_OTHER && !empty && log_folder_may_hold(path_base(str_of(path))))
        *ARRAY_PUSH(walk->arena, &walk->links) = path;
    if (kind == FILE_FOLDER && depth < DEPTH_MAX)
        *ARRAY_PUSH(walk->arena, walk) = (struct Place){path, depth};
    if (kind != FILE_REGULAR || file_size(path) == 0 ||
        !log_folder_may_hold(path_base(str_of(path))))
        return;
    if (walk->files->count >= FILES_MAX)
        walk->cut = true;
    else
        *ARRAY_PUSH(walk->arena, walk->files) = path;
}

static int64_t checkpoint_number(const char *path)
{
    Str folder = path_base(path_folder(str_of(path)));
    Scan scan = scan_of(folder);
    int64_t number;
    return scan_word(&scan, "checkpoint-") && scan_uint(&scan, &number) ? number : -1;
}

static bool is_state(const char *path)
{
    return str_equal(path_base(str_of(path)), STR("trainer_state.json"));
}

// Every checkpoint holds the whole history so far: the last has them all.
static void keep_last_state(SourceFiles *files)
{
    const char *last = NULL;
    int64_t most = -2;
    for (size_t i = 0; i < files->count; i++) {
        int64_t number = is_state(files->items[i]) ? checkpoint_number(files->items[i]) : -2;
        // A state outside of any checkpoint is that of the finished run.
        number = number == -1 ? INT64_MAX : number;
        if (number > most) {
            most = number;
            last = files->items[i];
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++)
        if (!is_state(files->items[i]) || files->items[i] == last)
            files->items[kept++] = files->items[i];
    files->count = kept;
}

// The folder of a run of MLflow: only its metrics are series.
static bool is_tracked_run(const FolderList *names)
{
    bool metrics = false, other = false;
    for (size_t i = 0; i < names->count; i++) {
        metrics = metrics || str_equal(names->items[i], STR("metrics"));
        other = other || str_equal(names->items[i], STR("meta.yaml"));
    }
    return metrics && other;
}

bool series_source_files(const char *path, Arena *arena, SourceFiles *out, Notices *notices,
                         Error *err)
{
    FileKind kind = file_kind(path);
    if (kind == FILE_NONE)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("does not exist"));
    if (kind != FILE_FOLDER) {
        *ARRAY_PUSH(arena, out) = str_cstr(arena, str_of(path));
        return true;
    }
    Walk walk = {.arena = arena, .notices = notices, .files = out};
    *ARRAY_PUSH(arena, &walk) = (struct Place){str_cstr(arena, str_of(path)), 0};
    for (size_t i = 0; i < walk.count; i++) {
        struct Place place = walk.items[i];
        FolderList names;
        if (log_folder_is_report(place.path, arena))
            continue;
        if (!folder_list(place.path, arena, &names, err)) {
            if (i == 0)
                return false;
            notices_add_error(notices, err);
            continue;
        }
        bool tracked = is_tracked_run(&names);
        for (size_t k = 0; k < names.count; k++)
            if (!tracked || str_equal(names.items[k], STR("metrics")))
                visit(&walk, path_join(arena, place.path, names.items[k]), place.depth + 1);
    }
    if (walk.cut)
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("only the first 20,000 files of this folder are read"));
    note_links(&walk);
    keep_last_state(out);
    return true;
}
