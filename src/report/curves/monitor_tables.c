// SPDX-License-Identifier: Apache-2.0
#include "report/curves/monitor_tables.h"

#include <math.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "trend/monitor/alarm_drift.h"
#include "trend/monitor/monitor_probe.h"
#include "verdict/figure_text.h"

// MONITOR_NONE: empty.
static Cell whole(int64_t value, Arena *arena)
{
    return value == MONITOR_NONE ? NO_CELL : cell_int(value, arena);
}

// NaN: empty.
static Cell known(double value, int digits, Arena *arena)
{
    return isnan(value) ? NO_CELL : cell_digits(value, digits, arena);
}

static Str types_text(const MonitorRun *run, Arena *arena)
{
    StrBuf types = strbuf_new(arena);
    for (size_t i = 0; i < run->type_count; i++)
        strbuf_printf(&types, "%s" STR_FMT, i ? ", " : "", STR_ARG(run->types[i]));
    return strbuf_str(&types);
}

static Str steps_text(const MonitorRun *run, Arena *arena)
{
    if (run->step_count == 0)
        return STR("—");
    return str_printf(arena, "%lld–%lld", (long long)run->steps[0],
                      (long long)run->steps[run->step_count - 1]);
}

static void run_columns(Row *row)
{
    const MonitorView *view = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("run"), 18, cell_strong(view->run.name));
    TEXT(row, TR("path"), 48, cell_code(str_of(view->run.path)));
    NUMBER(row, TR("ranks"), 8, cell_count(view->run.rank_count, arena));
    TEXT(row, TR("steps"), 16, cell_text(steps_text(&view->run, arena)));
    TEXT(row, TR("types"), 40, cell_text(types_text(&view->run, arena)));
    NUMBER(row, TR("names"), 8, cell_count(view->run.object_count, arena));
    NUMBER(row, TR("rows"), 12, cell_count(view->run.row_count, arena));
    NUMBER(row, TR("files"), 8, cell_count(view->run.file_count, arena));
    NUMBER(row, TR("quantised"), 10, cell_count(view->quantised_series, arena));
}

Table *monitor_table_runs(const MonitorViews *views, Arena *arena)
{
    return COLUMNS_TABLE(TR("Runs"), run_columns, NULL, views->items, views->count, arena);
}

static Str ops_text(const Alarm *alarm, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < alarm->op_count; i++)
        strbuf_printf(&text, "%s" STR_FMT, i ? ", " : "", STR_ARG(alarm->ops[i]));
    return strbuf_str(&text);
}

static Cell level_cell(AlarmLevel level)
{
    static const CellStyle styles[] = {STYLE_ERROR, STYLE_ERROR_TINT, STYLE_WARNING_TINT};
    static const char *const words[] = {TR("certain"), TR("likely"), TR("weak")};
    return cell_styled(styles[level], str_of(tr(words[level])));
}

static void add_alarms(Table *table, const MonitorViews *views, size_t limit, Arena *arena)
{
    uint64_t left_out = 0;
    for (int weak = 0; weak < 2; weak++)
        for (size_t v = 0; v < views->count; v++) {
            const MonitorView *view = &views->items[v];
            left_out += weak ? view->alarms.left_out : 0;
            for (size_t i = 0; i < view->alarms.count; i++) {
                const Alarm *alarm = &view->alarms.items[i];
                if ((alarm->level == ALARM_WEAK) != (weak == 1))
                    continue;
                if (table->row_count < limit)
                    columns_add_of(table, &view->run, alarm);
                else
                    left_out++;
            }
        }
    if (left_out)
        table->note = str_printf(
            arena, tr_count(left_out, "%s more alarm is left out", "%s more alarms are left out"),
            str_cstr(arena, figure_count(left_out, arena)));
}

// The separators are words too: "，" is three bytes.
static void add_place_part(StrBuf *text, Str part)
{
    if (strbuf_str(text).size)
        strbuf_add(text, str_of(tr(", ")));
    strbuf_add(text, part);
}

// "layers.0.w (gpu, stage 1, micro step 2)"
static Str place_text(const MonitorViews *views, const MonitorRun *run, const Alarm *alarm,
                      Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    if (views->count > 1)
        add_place_part(&text, run->name);
    if (alarm->stage > 0)
        add_place_part(&text, str_printf(arena, tr("stage %lld"), (long long)alarm->stage));
    if (alarm->micro > 0)
        add_place_part(&text, str_printf(arena, tr("micro step %lld"), (long long)alarm->micro));
    Str more = strbuf_str(&text);
    return more.size ? str_printf(arena, tr(STR_FMT " (" STR_FMT ")"), STR_ARG(alarm->name),
                                  STR_ARG(more))
                     : alarm->name;
}

static void first_alarm_columns(Row *row)
{
    const Alarm *alarm = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("level"), 10, level_cell(alarm->level));
    TEXT(row, TR("rule"), 20, cell_text(str_of(alarm_rule_name(alarm->rule))));
    NUMBER(row, TR("step"), 8, whole(alarm->step, arena));
    NUMBER(row, TR("rank"), 6, whole(alarm->rank, arena));
    TEXT(row, TR("type"), 16, cell_text(alarm->type));
    TEXT(row, TR("name"), 48, cell_code(place_text(row->view, row->of, alarm, arena)));
    TEXT(row, TR("statistic"), 22, cell_text(ops_text(alarm, arena)));
    NUMBER(row, TR("ratio"), 8, known(alarm->ratio, 3, arena));
    NUMBER(row, TR("value"), 10, cell_digits(alarm->value, 3, arena));
}

Table *monitor_table_first_alarms(const MonitorViews *views, size_t limit, Arena *arena)
{
    Table *table = columns_table(TR("Alarms"), first_alarm_columns, views, arena);
    add_alarms(table, views, limit, arena);
    return table;
}

static void alarm_columns(Row *row)
{
    const MonitorRun *run = row->of;
    const Alarm *alarm = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("level"), 10, level_cell(alarm->level));
    TEXT(row, TR("rule"), 20, cell_text(str_of(alarm_rule_name(alarm->rule))));
    TEXT(row, TR("run"), 14, cell_text(run->name));
    NUMBER(row, TR("step"), 8, whole(alarm->step, arena));
    NUMBER(row, TR("until"), 8, whole(alarm->last_step, arena));
    NUMBER(row, TR("rank"), 6, whole(alarm->rank, arena));
    TEXT(row, TR("type"), 16, cell_text(alarm->type));
    NUMBER(row, TR("stage"), 6, whole(alarm->stage, arena));
    TEXT(row, TR("name"), 48, cell_code(alarm->name));
    NUMBER(row, TR("micro"), 6, whole(alarm->micro, arena));
    TEXT(row, TR("statistic"), 22, cell_text(ops_text(alarm, arena)));
    NUMBER(row, TR("ratio"), 12, known(alarm->ratio, 6, arena));
    NUMBER(row, TR("value"), 14, cell_digits(alarm->value, 6, arena));
    NUMBER(row, TR("history"), 14, known(alarm->history, 6, arena));
}

Table *monitor_table_alarms(const MonitorViews *views, size_t limit, Arena *arena)
{
    Table *table = columns_table(TR("Alarms"), alarm_columns, views, arena);
    add_alarms(table, views, limit, arena);
    return table;
}

// ---- series

typedef struct SeriesFacts {
    double median, least, largest;
    size_t nans, infinities;
} SeriesFacts;

static SeriesFacts facts_of(const MonitorSeries *series)
{
    SeriesFacts facts = {.median = (double)NAN, .least = (double)NAN, .largest = (double)NAN};
    Arena *scratch = arena_new();
    double *values = ARENA_ARRAY(scratch, double, series->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        double value = series->points[i].value;
        facts.nans += isnan(value) != 0;
        facts.infinities += isinf(value) != 0;
        if (!isfinite(value))
            continue;
        facts.least = fmin(facts.least, value);  // the number, where one is none
        facts.largest = fmax(facts.largest, value);
        values[count++] = value;
    }
    if (count)
        facts.median = value_at_place(values, count, count / 2);
    arena_release(scratch);
    return facts;
}

static Cell alarming_count(size_t count, Arena *arena)
{
    return count ? cell_styled(STYLE_ERROR, figure_count(count, arena)) : NO_CELL;
}

static void series_columns(Row *row)
{
    const MonitorRun *run = row->of;
    const MonitorSeries *series = row->item;
    Arena *arena = row->arena;
    SeriesFacts facts = {0};
    if (row->cells)
        facts = facts_of(series);
    TEXT(row, TR("run"), 14, cell_text(run->name));
    TEXT(row, TR("type"), 16, cell_text(monitor_series_type(run, series)));
    TEXT(row, TR("statistic"), 10, cell_text(monitor_series_op(run, series)));
    NUMBER(row, TR("stage"), 6, whole(series->object.stage, arena));
    TEXT(row, TR("name"), 48, cell_code(monitor_series_name(run, series)));
    NUMBER(row, TR("micro"), 6, whole(series->object.micro, arena));
    NUMBER(row, TR("rank"), 6, whole(series->rank, arena));
    NUMBER(row, TR("points"), 8, cell_count(series->count, arena));
    NUMBER(row, TR("first"), 14, cell_digits(series->points[0].value, 6, arena));
    NUMBER(row, TR("median"), 14, cell_digits(facts.median, 6, arena));
    NUMBER(row, TR("least"), 14, cell_digits(facts.least, 6, arena));
    NUMBER(row, TR("largest"), 14, cell_digits(facts.largest, 6, arena));
    NUMBER(row, TR("last"), 14, cell_digits(series->points[series->count - 1].value, 6, arena));
    NUMBER(row, TR("NaN"), 8, alarming_count(facts.nans, arena));
    NUMBER(row, TR("Inf"), 8, alarming_count(facts.infinities, arena));
    TEXT(row, TR("note"), 20,
         series->quantised ? cell_text(str_printf(arena, tr("quantised at %.0e"), series->unit))
                           : NO_CELL);
}

Table *monitor_table_series(const MonitorViews *views, Arena *arena)
{
    enum { SERIES_ROWS_MAX = 100000 };
    Table *table = columns_table(TR("Series"), series_columns, NULL, arena);
    for (size_t v = 0; v < views->count; v++)
        for (size_t s = 0; s < views->items[v].run.series_count; s++) {
            if (table->row_count == SERIES_ROWS_MAX) {
                table->note = str_of(tr("the first 100,000 series"));
                return table;
            }
            columns_add_of(table, &views->items[v].run, &views->items[v].run.series[s]);
        }
    return table;
}

// ---- values

typedef struct ValueRows {
    const MonitorViews *views;
    size_t view, series, point;
    char (*texts)[NUMBER_BYTES];  // of the row given last, by column
} ValueRows;

static Cell machine_number(const Row *row, int64_t value)
{
    const ValueRows *rows = row->view;
    char *text = rows->texts[row->at];
    if (value == MONITOR_NONE)
        return NO_CELL;
    number_json((double)value, text);
    return cell_number_as((double)value, str_of(text));
}

// Titles that programs read are the same in all languages.
static void value_columns(Row *row)
{
    const ValueRows *rows = row->view;
    const MonitorRun *run = &rows->views->items[rows->view].run;
    const MonitorSeries *series = row->of;
    const MonitorPoint *point = row->item;
    ROW_COLUMN(row, STR("run"), 14, false, cell_text(run->name));
    ROW_COLUMN(row, STR("type"), 16, false, cell_text(monitor_series_type(run, series)));
    ROW_COLUMN(row, STR("vpp_stage"), 8, true, machine_number(row, series->object.stage));
    ROW_COLUMN(row, STR("name"), 48, false, cell_text(monitor_series_name(run, series)));
    ROW_COLUMN(row, STR("micro_step"), 8, true, machine_number(row, series->object.micro));
    ROW_COLUMN(row, STR("rank"), 6, true, machine_number(row, series->rank));
    ROW_COLUMN(row, STR("statistic"), 10, false, cell_text(monitor_series_op(run, series)));
    ROW_COLUMN(row, STR("step"), 8, true, machine_number(row, run->steps[point->step]));
    ROW_COLUMN(row, STR("value"), 22, true, cell_number(point->value));
}

static bool next_value(void *state, Cell *cells)
{
    ValueRows *rows = state;
    while (rows->view < rows->views->count) {
        const MonitorRun *run = &rows->views->items[rows->view].run;
        if (rows->series >= run->series_count) {
            rows->view++;
            rows->series = rows->point = 0;
            continue;
        }
        const MonitorSeries *series = &run->series[rows->series];
        if (rows->point >= series->count) {
            rows->series++;
            rows->point = 0;
            continue;
        }
        columns_fill(value_columns, rows, series, &series->points[rows->point++], cells);
        return true;
    }
    return false;
}

static void rewind_values(void *state)
{
    ValueRows *rows = state;
    rows->view = rows->series = rows->point = 0;
}

Table *monitor_table_values(const MonitorViews *views, Arena *arena)
{
    ValueRows *state = ARENA_NEW(arena, ValueRows);
    Table *table = ARENA_NEW(arena, Table);
    state->views = views;
    *table = (Table){.name = str_of(tr("Values")),
                     .freeze = true,
                     .next = next_value,
                     .rewind = rewind_values,
                     .state = state};
    table->columns = columns_heads(value_columns, state, arena, &table->column_count);
    state->texts = arena_array(arena, table->column_count, sizeof *state->texts);
    for (size_t v = 0; v < views->count; v++)
        for (size_t s = 0; s < views->items[v].run.series_count; s++)
            table->row_count += views->items[v].run.series[s].count;
    return table;
}

// ---- two runs

static void difference_columns(Row *row)
{
    const MonitorDifference *it = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("type"), 16, cell_strong(it->type));
    TEXT(row, TR("statistic"), 10, cell_text(it->op));
    NUMBER(row, TR("series"), 8, cell_count(it->series, arena));
    NUMBER(row, TR("points"), 10, cell_count(it->points, arena));
    if (row->cells && it->points == 0)
        return;
    NUMBER(row, TR("median ratio"), 14, cell_digits(it->median_ratio, 6, arena));
    NUMBER(row, TR("largest ratio"), 14, cell_digits(it->largest_ratio, 6, arena));
    TEXT(row, TR("at"), 48, cell_code(it->name));
    NUMBER(row, TR("rank"), 6, whole(it->rank, arena));
    NUMBER(row, TR("step"), 8, whole(it->step, arena));
    NUMBER(row, TR("NaN on one side"), 16, cell_count(it->one_sided_nan, arena));
}

Table *monitor_table_differences(const MonitorDifferences *differences, Arena *arena)
{
    return COLUMNS_TABLE(TR("Target over golden"), difference_columns, NULL, differences->items,
                         differences->count, arena);
}

static Str missing_name(const MonitorMissing *missing, Arena *arena)
{
    if (missing->name.size)
        return missing->name;
    return str_printf(
        arena, tr_count(missing->objects, "the whole type: %zu name", "the whole type: %zu names"),
        missing->objects);
}

static void missing_columns(Row *row)
{
    const MonitorViews *views = row->view;
    const MonitorMissing *missing = row->item;
    TEXT(row, TR("only in"), 18, cell_strong(views->items[missing->in_golden ? 0 : 1].run.name));
    TEXT(row, TR("type"), 16, cell_text(missing->type));
    TEXT(row, TR("name"), 56,
         cell_styled(missing->name.size ? STYLE_CODE : STYLE_PLAIN,
                     missing_name(missing, row->arena)));
    NUMBER(row, TR("stage"), 8, whole(missing->stage, row->arena));
    NUMBER(row, TR("ranks"), 8, cell_count(missing->ranks, row->arena));
}

Table *monitor_table_missing(const MonitorViews *views, const MonitorDifferences *differences,
                             size_t limit, Arena *arena)
{
    size_t count = differences->missing_count;
    if (count == 0)
        return NULL;
    Table *table = COLUMNS_TABLE(TR("Only in one run"), missing_columns, views,
                                 differences->missing, count < limit ? count : limit, arena);
    if (count > limit)
        table_add_row(table)[2] = cell_text(str_printf(arena, tr("and %zu more"), count - limit));
    return table;
}

// ---- rules

typedef struct RuleText {
    const char *rule;
    Str text;
    const char *source;  // TR
} RuleText;

static void rule_columns(Row *row)
{
    const RuleText *it = row->item;
    TEXT(row, TR("rule"), 20, cell_strong(str_of(it->rule)));
    TEXT(row, TR("fires"), 90, cell_text(it->text));
    TEXT(row, TR("source"), 36, cell_word(it->source));
}

static void add_rule(Table *table, const char *rule, Str text, const char *source)
{
    columns_add(table, &(RuleText){rule, text, source});
}

Table *monitor_table_rules(const MonitorViews *views, Arena *arena)
{
    Table *table = columns_table(TR("Rules"), rule_columns, NULL, arena);
    const MonitorRules *rules = &views->items[0].rules;
    for (size_t i = 0; i < rules->count; i++) {
        char limit[NUMBER_BYTES];
        number_python(rules->items[i].threshold, limit);
        if (rules->items[i].turbulence)
            add_rule(table, "AnomalyTurbulence",
                     str_printf(arena,
                                tr("norm or mean above 1 + %s times its running mean (0.99 old, "
                                   "0.01 new); upward only, silent after a NaN"),
                                limit),
                     rules->from_config ? TR("the monitor's configuration")
                                        : TR("the monitor's own rule, default limit"));
        else
            add_rule(table, "AnomalyNan",
                     rules->items[i].has_threshold
                         ? str_printf(arena, tr("a NaN, or a magnitude above %s"), limit)
                         : str_of(tr("a NaN")),
                     TR("the monitor's own rule"));
    }
    add_rule(table, "Drift",
             str_printf(arena,
                        tr("log norm more than %.0f robust scales (%.0f in the first %d values) "
                           "and a factor %.0f from the median of the last 11, up or down; %.0f "
                           "scales and a factor %.1f where the other ranks do not share it; any "
                           "infinity"),
                        DRIFT_SCALES, DRIFT_SCALES_EARLY, DRIFT_FULL_HISTORY, DRIFT_FACTOR,
                        DRIFT_RANK_SCALES, DRIFT_RANK_FACTOR),
             TR("vernier"));
    add_rule(table, "GradSimilarity",
             str_printf(arena,
                        tr("below %.2f at the first step, or a drop of more than %.2f from one "
                           "step to the next"),
                        PROBE_SIMILARITY_MIN, PROBE_DROP_MAX),
             TR("manual of the gradient probe"));
    return table;
}
