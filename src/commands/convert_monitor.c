// SPDX-License-Identifier: Apache-2.0
// The tables of a monitor as they are, other than by `vernier monitor`, which judges them.
#include <math.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/words.h"
#include "commands/convert_log.h"
#include "commands/machinery/output_guard.h"
#include "commands/monitor_events.h"
#include "read/monitor/monitor_rows.h"
#include "renderers/csv.h"

typedef struct Conversion {
    const CommandCall *call;
    MonitorTrees trees;
    MonitorSelect select;
    uint64_t rows;
    int64_t *steps;  // by range of --step: its first number if a row is in it, else -1
    // The row that is at hand: what of all files is written next.
    size_t tree, file, op;
    MonitorRows reading;
    MonitorRow row;
    bool open, at_row;
    Arena *scratch;  // of the file
} Conversion;

static const MonitorFile *file_of(const Conversion *of)
{
    return &of->trees.items[of->tree].series.items[of->file];
}

static bool is_chosen_file(const Conversion *of)
{
    return number_list_has(of->select.ranks, file_of(of)->rank) &&
           monitor_select_takes(&of->select, file_of(of)->kind);
}

static void close_file(Conversion *of)
{
    if (of->open)
        monitor_rows_close(&of->reading, of->call->notices);
    if (of->scratch)
        arena_release(of->scratch);
    of->scratch = NULL;
    of->open = of->at_row = false;
    of->file++;
}

// Opens the next file that is chosen; false: there is none. One that cannot be read is a notice.
static bool open_file(Conversion *of)
{
    Error err;
    for (; of->tree < of->trees.count; of->tree++, of->file = 0)
        for (; of->file < of->trees.items[of->tree].series.count; of->file++) {
            if (!is_chosen_file(of))
                continue;
            of->scratch = arena_new();
            of->open = monitor_rows_open(&of->reading, file_of(of), of->scratch, &err);
            if (of->open)
                return true;
            notices_add_error(of->call->notices, &err);
            arena_release(of->scratch);
            of->scratch = NULL;
        }
    return false;
}

// Which of the steps that were asked for are there.
static void mark_step(Conversion *of)
{
    const NumberList *asked = of->select.steps;
    for (size_t i = 0; i < asked->count; i++)
        if (of->row.step >= asked->items[i].first && of->row.step <= asked->items[i].last)
            of->steps[i] = asked->items[i].first;
}

static bool next_row(Conversion *of)
{
    while (of->open || open_file(of)) {
        while (monitor_rows_next(&of->reading, &of->row)) {
            if (!number_list_has(of->select.steps, of->row.step))
                continue;
            mark_step(of);
            of->rows++;
            of->op = 0;
            return of->at_row = true;
        }
        close_file(of);
    }
    return false;
}

static void rewind_rows(void *state)
{
    Conversion *of = state;
    if (of->open)
        close_file(of);
    of->tree = of->file = 0;
    of->rows = 0;
}

static Str op_text(const MonitorOp *op, Arena *arena)
{
    return op->side.size
               ? str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(op->side), STR_ARG(op->name))
               : op->name;
}

// ---- JSON Lines

static void write_value(JsonWriter *json, Str name, double value)
{
    json_key_str(json, name);
    if (isfinite(value))
        json_number(json, value);
    else
        json_text(json, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

static void write_line(const Conversion *of, Sink *out)
{
    JsonWriter json;
    const MonitorRow *row = &of->row;
    json_writer_init(&json, out);
    json_object_flat(&json);
    json_str(json_key(&json, "run"), path_base(str_of(of->trees.items[of->tree].base)));
    json_int(json_key(&json, "rank"), file_of(of)->rank);
    json_uint(json_key(&json, "start"), file_of(of)->start);
    json_str(json_key(&json, "metric"), file_of(of)->kind);
    if (row->stage != MONITOR_NONE)
        json_int(json_key(&json, "vpp_stage"), row->stage);
    json_str(json_key(&json, "name"), row->name);
    if (row->scope.size)
        json_str(json_key(&json, "scope"), row->scope);
    json_int(json_key(&json, "step"), row->step);
    if (row->micro != MONITOR_NONE)
        json_int(json_key(&json, "micro_step"), row->micro);
    for (size_t i = 0; i < of->reading.op_count; i++)
        if (!monitor_is_absent(row->values[i]))
            write_value(&json, op_text(&of->reading.ops[i], of->scratch), row->values[i]);
    json_object_end(&json);
    json_end(&json);
}

// ---- CSV

enum { CSV_COLUMNS = 10 };

static Cell whole_cell(const Conversion *of, int64_t number)
{
    return cell_number_as((double)number, str_printf(of->scratch, "%lld", (long long)number));
}

static bool next_value(void *state, Cell *cells)
{
    Conversion *of = state;
    while (of->at_row || next_row(of)) {
        if (of->op == of->reading.op_count) {
            of->at_row = false;
            continue;
        }
        size_t op = of->op++;
        const MonitorRow *row = &of->row;
        if (monitor_is_absent(row->values[op]))
            continue;
        cells[0] = cell_text(path_base(str_of(of->trees.items[of->tree].base)));
        cells[1] = whole_cell(of, file_of(of)->rank);
        cells[2] = cell_text(file_of(of)->kind);
        if (row->stage != MONITOR_NONE)
            cells[3] = whole_cell(of, row->stage);
        cells[4] = cell_text(row->name);
        cells[5] = cell_text(row->scope);
        cells[6] = whole_cell(of, row->step);
        if (row->micro != MONITOR_NONE)
            cells[7] = whole_cell(of, row->micro);
        cells[8] = cell_text(op_text(&of->reading.ops[op], of->scratch));
        cells[9] = cell_number(row->values[op]);
        return true;
    }
    return false;
}

static bool write_csv(Conversion *of, Sink *out)
{
    static const char *const titles[CSV_COLUMNS] = {"run",       "rank",  "type", "vpp_stage",
                                                    "name",      "scope", "step", "micro_step",
                                                    "statistic", "value"};
    Column columns[CSV_COLUMNS];
    for (int i = 0; i < CSV_COLUMNS; i++)
        columns[i] = (Column){.title = str_of(titles[i])};
    Table table = {.columns = columns,
                   .column_count = CSV_COLUMNS,
                   .row_count = UINT64_MAX,
                   .next = next_value,
                   .rewind = rewind_rows,
                   .state = of};
    Table *tables[] = {&table};
    return csv_renderer.write_tables(tables, 1, NULL, out, of->call->err);
}

// ---- outputs

static bool write_file(Conversion *of, const OutputTarget *target)
{
    const CommandCall *call = of->call;
    const char *path =
        target->folder ? path_join(call->arena, target->path, STR("monitor.jsonl")) : target->path;
    bool made = target->standard ||
                folder_make(str_cstr(call->arena, path_folder(str_of(path))), call->err);
    Sink *sink = !made ? NULL : target->standard ? sink_stdout() : sink_file(path, call->err);
    bool good = sink != NULL;
    rewind_rows(of);
    if (sink && str_equal(target->format, STR("csv")))
        good = write_csv(of, sink);
    else
        while (sink && next_row(of))
            write_line(of, sink);
    return sink && sink_commit(sink, call->err) && good;
}

static void write_events(const Conversion *of, const OutputTarget *target)
{
    for (size_t i = 0; i < of->trees.count; i++) {
        const MonitorTree *tree = &of->trees.items[i];
        MonitorExport export = {.tree = tree,
                                .select = &of->select,
                                .run =
                                    of->trees.count == 1 ? STR("") : path_base(str_of(tree->base))};
        for (size_t k = 0; k < tree->series.count; k++)
            if ((k == 0 || tree->series.items[k - 1].rank != tree->series.items[k].rank) &&
                number_list_has(of->select.ranks, tree->series.items[k].rank))
                monitor_events_rank(&export, tree->series.items[k].rank, target->path,
                                    of->call->outputs);
    }
}

static bool write_target(Conversion *of, const OutputTarget *target)
{
    const CommandCall *call = of->call;
    bool known = target->standard || target->folder || str_equal(target->format, STR("dump")) ||
                 str_equal(target->format, STR("csv"));
    if (!known)
        return error_set(call->err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                         tr("convert writes a monitor as .csv, .jsonl, or event files into a "
                            "folder"));
    if (target->folder && output_guard_in_input(call->options, target->path))
        return error_set(call->err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                         tr("this is an input: it is not written over"));
    if (!write_file(of, target))
        return false;
    if (target->folder)
        write_events(of, target);
    return !call->outputs->failed;
}

static void note_missing(const Conversion *of, const MonitorTree *tree)
{
    Arena *scratch = arena_new();
    int64_t *ranks = ARENA_ARRAY(scratch, int64_t, tree->series.count);
    for (size_t i = 0; i < tree->series.count; i++)
        ranks[i] = tree->series.items[i].rank;
    MonitorRun run = {.steps = of->steps,
                      .step_count = of->select.steps->count,
                      .ranks = ranks,
                      .rank_count = tree->series.count};
    monitor_note_missing(&run, tree, &of->select, of->call->notices);
    arena_release(scratch);
}

// What lies next to the series, such as signs and stacks, is no row of a table.
static void note_beside(const MonitorTree *tree, Notices *notices)
{
    size_t beside = tree->summaries.count + tree->similarities.count + tree->stacks.count +
                    tree->anomalies.count;
    if (beside)
        notices_partial(notices, WHERE_FILE(tree->base),
                        tr("files next to the series of the monitor are not converted: %zu"),
                        beside);
}

bool convert_monitor(const CommandCall *call, Product *out)
{
    Conversion of = {.call = call};
    if (!monitor_select_read(call->options, call->arena, &of.select, call->err) ||
        !monitor_find(str_cstr(call->arena, call->options->arguments[0]), call->arena, &of.trees,
                      call->notices, call->err))
        return false;
    of.steps = ARENA_ARRAY(call->arena, int64_t, of.select.steps->count + 1);
    for (size_t i = 0; i < of.select.steps->count; i++)
        of.steps[i] = -1;
    for (size_t i = 0; i < call->outputs->count; i++)
        if (!write_target(&of, &call->outputs->targets[i]))
            return false;
    for (size_t i = 0; i < of.trees.count; i++)
        note_beside(&of.trees.items[i], call->notices);
    for (size_t i = 0; i < of.trees.count; i++)
        note_missing(&of, &of.trees.items[i]);
    Str rest = str_printf(call->arena, tr("%llu rows of a monitor"), (unsigned long long)of.rows);
    convert_tell(call, of.rows > 0, rest, out);
    return true;
}

bool convert_is_monitor(const Options *options, Arena *arena)
{
    Error ignored;
    Notices quiet;
    MonitorTrees trees = {0};
    notices_init(&quiet, arena);
    const char *path = options->argument_count == 1 ? str_cstr(arena, options->arguments[0]) : "";
    bool found = (file_kind(path) == FILE_FOLDER || monitor_table_is(path)) &&
                 monitor_find(path, arena, &trees, &quiet, &ignored);
    for (size_t i = 0; found && i < trees.count; i++)
        if (trees.items[i].series.count)
            return true;
    return false;
}
