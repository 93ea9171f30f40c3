// SPDX-License-Identifier: Apache-2.0
#include "commands/history_reports.h"

#include <math.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"
#include "base/words.h"
#include "commands/machinery/input_kind.h"
#include "commands/machinery/report_file.h"

typedef struct ReportPaths {
    Str *items;
    size_t count, capacity;
} ReportPaths;

// A folder or a .json next to reports that holds none is a run that left none; tonight's, if it
// is the last.
static void note_no_report(const char *path, bool last, Notices *notices)
{
    const char *text = tr("there is no report here: a run that left none is no calm one");
    if (file_kind(path) != FILE_FOLDER && !str_ends(str_of(path), STR(".json")))
        return;
    if (last)
        notices_partial(notices, WHERE_FILE(path), "%s", text);
    else
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(path), "%s", text);
}

// The report itself, else the reports in the folder. False: there is none.
static bool find_reports(Str path, Arena *arena, ReportPaths *out, Notices *notices)
{
    const char *name = str_cstr(arena, path);
    FolderList list = {0};
    Error ignored;
    size_t before = out->count, last = 0;
    if (input_kind_is_report(name, arena)) {
        *ARRAY_PUSH(arena, out) = path;
        return true;
    }
    if (file_kind(name) != FILE_FOLDER || !folder_list(name, arena, &list, &ignored))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        const char *inner = path_join(arena, name, list.items[i]);
        if (input_kind_is_report(inner, arena)) {
            *ARRAY_PUSH(arena, out) = str_of(inner);
            last = i;
        }
    }
    for (size_t i = 0; i < list.count && notices; i++) {
        const char *inner = path_join(arena, name, list.items[i]);
        if (list.items[i].data[0] != '.' && !input_kind_is_report(inner, arena))
            note_no_report(inner, i > last, notices);
    }
    return out->count > before;
}

bool history_reports_wanted(const Str *paths, size_t count, Arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        ReportPaths found = {0};
        if (!find_reports(paths[i], arena, &found, NULL))
            return false;
    }
    return count > 0;
}

static FactState state_of(const JsonNode *node)
{
    static const FactState states[] = {
        [REPORT_SAME] = FACT_CALM,       [REPORT_PASS] = FACT_CALM,
        [REPORT_WARNING] = FACT_WARNING, [REPORT_UNMATCHED] = FACT_BEYOND,
        [REPORT_ERROR] = FACT_BEYOND,    [REPORT_UNKNOWN] = FACT_NONE};
    return states[report_state(node)];
}

// The largest error of a pair; NaN: none is listed.
static double worst_error(const JsonNode *pair)
{
    const JsonNode *list = tree_member(pair, STR("worst"));
    const JsonNode *worst = list ? tree_item(list, 0) : NULL;
    const JsonNode *error = worst ? tree_member(worst, STR("error_out")) : NULL;
    double value;
    bool number = error && (error->kind == JSON_REAL || error->kind == JSON_INTEGER);
    return number && number_parse(error->text, &value) ? value : (double)NAN;
}

static void add_facts(const JsonNode *root, Arena *arena, HistoryNight *out)
{
    const JsonNode *pairs = report_pairs(root);
    int64_t position = 0;
    for (const JsonNode *pair = pairs ? pairs->child : NULL; pair; pair = pair->next) {
        history_add(out, arena,
                    (HistoryFact){.kind = STR("object"),
                                  .name = report_pair_place(pair, arena),
                                  .metric = STR("largest_error"),
                                  .state = state_of(pair),
                                  .value = worst_error(pair),
                                  .position = position,
                                  .note = report_first_op(pair)});
        position++;
    }
    if (!position)
        history_add(out, arena,
                    (HistoryFact){.kind = STR("object"),
                                  .name = str_of(tr("the whole")),
                                  .metric = STR("status"),
                                  .state = out->state,
                                  .value = (double)NAN});
    history_sort(out);
}

// "compare" of "vernier.compare/1".
static Str command_of(const JsonNode *root)
{
    Str schema = tree_member_text(root, "schema");
    size_t dot = str_find_char(schema, '.', 0), slash = str_find_char(schema, '/', 0);
    return dot == SIZE_MAX || slash == SIZE_MAX ? schema : str_slice(schema, dot + 1, slash);
}

static History *history_of(Histories *of, Str command, Arena *arena)
{
    size_t at = 0;
    while (at < of->count && str_compare(of->items[at].command, command) < 0)
        at++;
    if (at < of->count && str_equal(of->items[at].command, command))
        return &of->items[at];
    ARRAY_PUSH(arena, of);
    for (size_t i = of->count - 1; i > at; i--)
        of->items[i] = of->items[i - 1];
    of->items[at] = (History){.command = command};
    return &of->items[at];
}

static void add_report(const JsonNode *root, Str path, Arena *arena, Histories *out)
{
    const JsonNode *partial = tree_member(root, STR("partial"));
    History *history = history_of(out, command_of(root), arena);
    HistoryNight *night = ARRAY_PUSH(arena, history);
    *night = (HistoryNight){.command = history->command,
                            .number = (int64_t)history->count,
                            .label = history_label(path),
                            .verdict = tree_member_text(root, "verdict"),
                            .state = state_of(root),
                            .partial = partial && partial->truth};
    add_facts(root, arena, night);
}

bool history_reports_read(const Str *paths, size_t count, Arena *arena, Notices *notices,
                          Histories *out, size_t *files, Error *err)
{
    ReportPaths found = {0};
    for (size_t i = 0; i < count; i++)
        find_reports(paths[i], arena, &found, notices);
    for (size_t i = 0; i < found.count; i++) {
        Error wrong;
        const char *path = str_cstr(arena, found.items[i]);
        const JsonNode *root = report_file_read(path, arena, &wrong);
        if (root)
            add_report(root, found.items[i], arena, out);
        else
            notices_partial(notices, WHERE_FILE(path), "%s", wrong.text);
        *files += root != NULL;
    }
    return *files > 0 || error_set(err, ERR_INPUT, NOWHERE, "%s", tr("no report could be read"));
}
