// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/input_kind.h"

#include <string.h>

#include "base/file.h"
#include "base/mounts.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/machinery/packed_inputs.h"
#include "read/dump/dump_folder.h"
#include "read/dump/dump_source.h"
#include "read/dump/run_names.h"
#include "read/log/series_source.h"
#include "read/monitor/monitor_files.h"
#include "read/monitor/monitor_side.h"
#include "read/precheck/comparison_result.h"
#include "read/settings/compare_config.h"
#include "read/settings/config_pack.h"
#include "read/tensor/torch_content.h"
#include "read/tensor/weights_file.h"
#include "read/token/token_tree.h"

// What to run with one, two and more of a kind; NULL: nothing fits.
static const struct {
    const char *name;  // TR
    const char *one, *two, *more;
    const char *choices;  // for the message where nothing fits, or too much
} kinds[INPUT_KINDS] = {
    [INPUT_NONE] = {TR("nothing that is known"), NULL, NULL, NULL, ""},
    [INPUT_DUMP] = {TR("a dump"), "graph", "compare", NULL, "compare --runs, graph, locate, check"},
    [INPUT_WEIGHTS] = {TR("a checkpoint"), NULL, "compare", "compare", "compare"},
    [INPUT_TENSOR] = {TR("an array"), NULL, NULL, NULL, "compare, tokens"},
    [INPUT_LOG] = {TR("a training log"), "curves", "curves", "curves", "curves, advise"},
    [INPUT_MONITOR] = {TR("monitor output"), "monitor", "monitor", "monitor", "monitor, check"},
    [INPUT_CONFIG] = {TR("a configuration"), "checklist", "checklist", NULL, "checklist, study"},
    [INPUT_COMPARE] = {TR("a compare.json of msProbe"), "compare", NULL, NULL, "compare"},
    [INPUT_TOKENS] = {TR("log-probabilities of tokens"), "tokens", "tokens", NULL, "tokens"},
    [INPUT_PRECHECK] = {TR("a table of results, of a pre-check or a comparison"), "precheck",
                        "precheck", "precheck", "precheck"},
    [INPUT_SCORES] = {TR("scores of an evaluation"), NULL, "precheck", NULL, "precheck"},
    [INPUT_CHECKSUMS] = {TR("checksums of weights"), NULL, "precheck", "precheck", "precheck"},
    [INPUT_SUMMARY] = {TR("a report of vernier"), "explain", NULL, NULL,
                       "explain, compare, history"},
    [INPUT_HISTORY] = {TR("a history of nights"), "history", NULL, NULL, "history"},
    [INPUT_WORKBOOK] = {TR("a workbook"), NULL, NULL, NULL, "merge, precheck, study"},
    [INPUT_PICTURE] = {TR("a picture"), NULL, NULL, NULL, ""},
};

// Formats that their first bytes name.
static const struct {
    const char *bytes;
    size_t at;
    InputKind kind;
} marks[] = {
    {"SQLite format 3", 0, INPUT_HISTORY},
    {"[Content_Types].xml", 30, INPUT_WORKBOOK},
    {"\x89PNG\r\n", 0, INPUT_PICTURE},
    {"\xFF\xD8\xFF", 0, INPUT_PICTURE},
    {"GIF8", 0, INPUT_PICTURE},
    {"%PDF-", 0, INPUT_PICTURE},
    {"<svg ", 0, INPUT_PICTURE},
};

static bool is_monitor(const char *path, Arena *arena)
{
    Error ignored;
    Notices quiet;
    MonitorTrees trees = {0};
    notices_init(&quiet, arena);
    // A log of torchao's is a dump as well, which is taken for what was meant.
    return monitor_find(path, arena, &trees, &quiet, &ignored) && trees.count &&
           !(trees.items[0].series.count &&
             str_equal(trees.items[0].series.items[0].kind, STR(QUANT_LOG_KIND)));
}

static bool is_log(const char *path, Arena *arena)
{
    Error ignored;
    Notices quiet;
    Parts parts = {0};
    SourceFiles files = {0};
    notices_init(&quiet, arena);
    bool is = series_source_files(path, arena, &files, &quiet, &ignored) && files.count > 0;
    return is && series_source_read(files.items[0], arena, &parts, &quiet, &ignored);
}

static bool holds_dump(const char *path, Arena *arena)
{
    DumpPlaces places;
    Notices quiet;
    Error ignored;
    notices_init(&quiet, arena);
    // Of several runs in one folder the command says what to type.
    folder_find_dumps(path, NULL, arena, &places, &quiet, &ignored);
    return places.count > 0 || child_runs_find(path, arena).count > 0;
}

static InputKind kind_of_name(Str name)
{
    static const char *const prechecks[] = {"accuracy_checking_", "api_precision_compare_",
                                            "free_benchmark"};
    for (size_t i = 0; i < sizeof prechecks / sizeof *prechecks; i++)
        if (str_starts(name, str_of(prechecks[i])) && str_ends(name, STR(".csv")))
            return INPUT_PRECHECK;
    if (str_ends(name, STR(".sh")) || str_ends(name, STR(".yaml")) || str_ends(name, STR(".yml")))
        return INPUT_CONFIG;
    return dump_is_record_name(name) ? INPUT_DUMP : INPUT_NONE;
}

static bool holds(Str text, const char *word)
{
    return str_find(text, str_of(word), 0) != SIZE_MAX;
}

static bool names_probabilities(Str text)
{
    bool named = false;
    for (size_t at = 0; at + 7 <= text.size && !named; at++)
        named = str_equal_nocase(str_slice(text, at, at + 7), STR("logprob")) ||
                str_equal_nocase(str_slice(text, at, at + 8), STR("log_prob"));
    return named;
}

// Answers of servers and lines of log-probabilities, logits with the tokens that they are of, or
// samples in a file of torch.save.
static bool tokens_are(Str text)
{
    enum { LOOK = 1 << 16 };
    Str start = str_trim(str_slice(text, 0, LOOK));
    if (torch_is(text))
        return names_probabilities(start) && holds(start, "samples");
    return (str_starts(start, STR("{")) || str_starts(start, STR("["))) &&
           ((names_probabilities(start) && token_tree_is(text)) ||
            (holds(start, "\"logits\"") && holds(start, "\"tokens\"")));
}

// What the first bytes tell: what vernier writes itself, and, of rows, the names of
// log-probabilities, as a key or a column.
static InputKind kind_of_start(const char *path, bool rows)
{
    enum { START = 4096 };
    File file;
    Error ignored;
    InputKind kind = INPUT_NONE;
    if (!file_open(path, &file, &ignored))
        return kind;
    Str start = str_slice(file.text, 0, START), top = str_slice(start, 0, 40);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (str_starts(str_slice(start, marks[i].at, START), str_of(marks[i].bytes)))
            kind = marks[i].kind;
    if (kind == INPUT_NONE && holds(top, "\"schema\": \"vernier.") && !holds(top, "vernier.dump/"))
        kind = INPUT_SUMMARY;
    else if (kind == INPUT_NONE && (tokens_are(file.text) || (rows && names_probabilities(start))))
        kind = INPUT_TOKENS;
    else if (kind == INPUT_NONE && monitor_anomalies_are(path))
        kind = INPUT_MONITOR;
    file_close(&file);
    return kind;
}

static InputKind kind_of_comparison(const char *path)
{
    File file;
    Error ignored;
    if (!file_open(path, &file, &ignored))
        return INPUT_NONE;
    PrecheckKind kind = comparison_kind(file.text);
    file_close(&file);
    return kind == PRECHECK_SCORES      ? INPUT_SCORES
           : kind == PRECHECK_CHECKSUMS ? INPUT_CHECKSUMS
           : kind == PRECHECK_KINDS     ? INPUT_NONE
                                        : INPUT_PRECHECK;
}

static InputKind kind_of_file(const char *path, Arena *arena)
{
    Str name = path_base(str_of(path));
    InputKind kind = kind_of_name(name);
    if (kind == INPUT_NONE)
        kind = kind_of_start(path, false);
    if (kind == INPUT_NONE || kind == INPUT_HISTORY || kind == INPUT_WORKBOOK) {
        InputKind comparison = kind_of_comparison(path);
        kind = comparison == INPUT_NONE ? kind : comparison;
    }
    if (kind != INPUT_NONE)
        return kind;
    CompareConfig config;
    if (compare_config_read(path, arena, &config))
        return INPUT_COMPARE;
    if (monitor_table_is(path) || monitor_file_named(path))
        return INPUT_MONITOR;
    if (weights_are_arrays(path) || dump_is_file(path))
        return INPUT_DUMP;
    if (weights_is(path))
        return INPUT_WEIGHTS;
    if (weights_readable(path))
        return INPUT_TENSOR;
    bool rows = str_ends(name, STR(".jsonl")) || str_ends(name, STR(".csv"));
    if (rows && kind_of_start(path, true) == INPUT_TOKENS)
        return INPUT_TOKENS;
    return is_log(path, arena) ? INPUT_LOG : INPUT_NONE;
}

bool input_kind_is_report(const char *path, Arena *arena)
{
    if (file_kind(path) == FILE_FOLDER)
        path = path_join(arena, path, STR("summary.json"));
    return file_kind(path) == FILE_REGULAR && kind_of_start(path, false) == INPUT_SUMMARY;
}

// A file a step, all of them log-probabilities.
static bool holds_tokens(const char *path, Arena *arena)
{
    Error ignored;
    FolderList files = {0};
    bool all = folder_list(path, arena, &files, &ignored) && files.count > 1;
    for (size_t i = 0; i < files.count && all; i++) {
        const char *file = path_join(arena, path, files.items[i]);
        all = file_kind(file) == FILE_REGULAR && kind_of_start(file, true) == INPUT_TOKENS;
    }
    return all;
}

static InputKind kind_of_folder(const char *path, Arena *arena)
{
    if (input_kind_is_report(path, arena))
        return INPUT_SUMMARY;
    if (config_pack_is(path))
        return INPUT_CONFIG;
    if (weights_is(path) && !folder_dump_below(path, arena))
        return INPUT_WEIGHTS;
    if (is_monitor(path, arena))
        return INPUT_MONITOR;
    if (holds_dump(path, arena))
        return INPUT_DUMP;
    if (holds_tokens(path, arena))
        return INPUT_TOKENS;
    return is_log(path, arena) ? INPUT_LOG : INPUT_NONE;
}

InputKind input_kind_of(const char *path)
{
    Arena *arena = arena_new();
    InputKind kind =
        file_kind(path) == FILE_FOLDER ? kind_of_folder(path, arena) : kind_of_file(path, arena);
    arena_release(arena);
    return kind;
}

bool input_kind_find(const char *path, InputKind *out, Error *err)
{
    Arena *arena = arena_new();
    Notices quiet;
    notices_init(&quiet, arena);
    bool good = packed_input_open(str_of(path), &quiet, err);
    if (good)
        *out = input_kind_of(path);
    mounts_clear();
    arena_release(arena);
    return good;
}

const char *input_kind_name(InputKind kind)
{
    return tr(kinds[kind].name);
}

const char *input_kind_command(InputKind kind, int count)
{
    return count == 1 ? kinds[kind].one : count == 2 ? kinds[kind].two : kinds[kind].more;
}

const char *input_kind_choices(InputKind kind)
{
    return kinds[kind].choices;
}

static bool reads(const CommandSpec *command, InputKind kind)
{
    Str rest = str_of(kinds[kind].choices), word;
    while (str_split(&rest, ',', &word))
        if (str_equal(str_slice(str_trim(word), 0, str_find_char(str_trim(word), ' ', 0)),
                      str_of(command->name)))
            return true;
    return false;
}

bool input_kind_expected(const Options *options, Arena *arena, Error *err)
{
    for (size_t i = 0; i < options->argument_count; i++) {
        const char *path = str_cstr(arena, options->arguments[i]);
        InputKind kind = file_kind(path) == FILE_REGULAR ? kind_of_start(path, false) : INPUT_NONE;
        if ((kind != INPUT_PICTURE && kind != INPUT_WORKBOOK) || reads(options->command, kind))
            continue;
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("this is %s"), tr(kinds[kind].name));
        return kinds[kind].choices[0]
                   ? error_hint(err, tr("commands for it: %s"), kinds[kind].choices)
                   : error_hint(err, "%s", tr("'vernier help inputs' lists what can be read"));
    }
    return true;
}

// What a path is that the command does not read, with the line to type; NULL: none of that kind.
static const char *other_kind(const Options *options, const char *path, Arena *arena)
{
    FileKind there = file_kind(path);
    InputKind kind =
        there == FILE_REGULAR || there == FILE_FOLDER ? input_kind_of(path) : INPUT_NONE;
    // A report is compared with a report alone.
    if (!kinds[kind].choices[0] || (reads(options->command, kind) && kind != INPUT_SUMMARY))
        return NULL;
    const char *line = kinds[kind].one, *two = kinds[kind].two, *name = tr(kinds[kind].name);
    if (!line)
        return str_cstr(arena, str_printf(arena, tr("this is %s; commands for it: %s"), name,
                                          kinds[kind].choices));
    line = SHELL_LINE(arena, line, path);
    Str text = two && strcmp(kinds[kind].one, two) != 0
                   ? str_printf(arena, tr("this is %s: %s; two are compared by: vernier %s A B"),
                                name, line, two)
                   : str_printf(arena, tr("this is %s: %s"), name, line);
    return str_cstr(arena, text);
}

bool input_kind_hint(const Options *options, Arena *arena, Error *err)
{
    for (size_t i = 0; i < options->argument_count && err->kind == ERR_INPUT; i++) {
        const char *path = str_cstr(arena, options->arguments[i]);
        // A hint that gives a line or a path to type is nearer to what was meant.
        Str hint = str_of(err->hint);
        bool said = str_find(hint, STR("vernier "), 0) != SIZE_MAX ||
                    str_find(hint, str_of(path), 0) != SIZE_MAX;
        const char *other =
            said || strcmp(path, err->file) != 0 ? NULL : other_kind(options, path, arena);
        if (other)
            error_hint(err, "%s", other);
    }
    return false;
}

void input_kind_note(const Options *options, Notices *notices)
{
    for (size_t i = 0; i < options->argument_count; i++) {
        const char *path = str_cstr(notices->arena, options->arguments[i]);
        const char *other = other_kind(options, path, notices->arena);
        if (other)
            notices_add(notices, NOTICE_UNMET, WHERE_FILE(path), "%s", other);
    }
}
