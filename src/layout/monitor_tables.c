// SPDX-License-Identifier: Apache-2.0
#include "layout/monitor_tables.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/words.h"
#include "layout/figure_text.h"
#include "trend/alarm_drift.h"
#include "trend/monitor_probe.h"

typedef struct Head {
    const char *title;
    double width;
    bool number;
} Head;

static Table *new_table(const char *name, const Head *heads, size_t count, Arena *arena)
{
    Column *columns = ARENA_ARRAY(arena, Column, count);
    for (size_t i = 0; i < count; i++)
        columns[i] = (Column){str_of(tr(heads[i].title)), heads[i].width, heads[i].number};
    Table *table = ARENA_NEW(arena, Table);
    table_init_rows(table, ARENA_NEW(arena, TableRows), tr(name), columns, count, arena);
    table->freeze = true;
    return table;
}

#define NEW_TABLE(name, heads, arena) \
    new_table((name), (heads), sizeof(heads) / sizeof *(heads), (arena))

static Cell whole(int64_t value, Arena *arena)
{
    if (value == MONITOR_NONE)
        return (Cell){0};
    return cell_number_as((double)value, str_printf(arena, "%lld", (long long)value));
}

static Cell count_cell(uint64_t value, Arena *arena)
{
    return cell_number_as((double)value, figure_count(value, arena));
}

static Cell number_cell(double value, Arena *arena)
{
    return cell_number_as(value, figure_number(value, 6, arena));
}

Table *monitor_table_runs(const MonitorViews *views, Arena *arena)
{
    static const Head heads[] = {
        {TR("run"),       18, false},
        {TR("path"),      48, false},
        {TR("ranks"),     8,  true },
        {TR("steps"),     16, false},
        {TR("types"),     40, false},
        {TR("names"),     8,  true },
        {TR("rows"),      12, true },
        {TR("files"),     8,  true },
        {TR("quantised"), 10, true },
    };
    Table *table = NEW_TABLE(TR("Runs"), heads, arena);
    for (size_t i = 0; i < views->count; i++) {
        const MonitorRun *run = &views->items[i].run;
        StrBuf types;
        strbuf_init(&types, arena);
        for (size_t t = 0; t < run->type_count; t++)
            strbuf_printf(&types, "%s" STR_FMT, t ? ", " : "", STR_ARG(run->types[t]));
        Cell *row = table_add_row(table);
        row[0] = cell_styled(STYLE_STRONG, run->name);
        row[1] = cell_styled(STYLE_CODE, str_of(run->path));
        row[2] = count_cell(run->rank_count, arena);
        row[3] =
            cell_text(run->step_count ? str_printf(arena, "%lld–%lld", (long long)run->steps[0],
                                                   (long long)run->steps[run->step_count - 1])
                                      : STR("—"));
        row[4] = cell_text(strbuf_str(&types));
        row[5] = count_cell(run->object_count, arena);
        row[6] = count_cell(run->row_count, arena);
        row[7] = count_cell(run->file_count, arena);
        row[8] = count_cell(views->items[i].quantised_series, arena);
    }
    return table;
}

static Str ops_text(const Alarm *alarm, Arena *arena)
{
    StrBuf text;
    strbuf_init(&text, arena);
    for (size_t i = 0; i < alarm->op_count; i++)
        strbuf_printf(&text, "%s" STR_FMT, i ? ", " : "", STR_ARG(alarm->ops[i]));
    return strbuf_str(&text);
}

static const char *level_word(AlarmLevel level)
{
    static const char *const words[] = {TR("certain"), TR("likely"), TR("weak")};
    return tr(words[level]);
}

static CellStyle level_style(AlarmLevel level)
{
    static const CellStyle styles[] = {STYLE_ERROR, STYLE_ERROR_TINT, STYLE_WARNING_TINT};
    return styles[level];
}

static void add_alarm(Table *table, const MonitorViews *views, const MonitorRun *run,
                      const Alarm *alarm, Arena *arena)
{
    (void)views;
    Cell *row = table_add_row(table);
    row[0] = cell_styled(level_style(alarm->level), str_of(level_word(alarm->level)));
    row[1] = cell_text(str_of(alarm_rule_name(alarm->rule)));
    row[2] = cell_text(run->name);
    row[3] = whole(alarm->step, arena);
    row[4] = whole(alarm->last_step, arena);
    row[5] = whole(alarm->rank, arena);
    row[6] = cell_text(alarm->type);
    row[7] = whole(alarm->stage, arena);
    row[8] = cell_styled(STYLE_CODE, alarm->name);
    row[9] = whole(alarm->micro, arena);
    row[10] = cell_text(ops_text(alarm, arena));
    row[11] = !isnan(alarm->ratio) ? number_cell(alarm->ratio, arena) : (Cell){0};
    row[12] = number_cell(alarm->value, arena);
    row[13] = !isnan(alarm->history) ? number_cell(alarm->history, arena) : (Cell){0};
}

typedef void (*AddAlarm)(Table *table, const MonitorViews *views, const MonitorRun *run,
                         const Alarm *alarm, Arena *arena);

static void add_all_alarms(Table *table, const MonitorViews *views, size_t limit, AddAlarm add,
                           Arena *arena)
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
                    add(table, views, &view->run, alarm, arena);
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
    StrBuf text;
    strbuf_init(&text, arena);
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

static void add_first_alarm(Table *table, const MonitorViews *views, const MonitorRun *run,
                            const Alarm *alarm, Arena *arena)
{
    Cell *row = table_add_row(table);
    row[0] = cell_styled(level_style(alarm->level), str_of(level_word(alarm->level)));
    row[1] = cell_text(str_of(alarm_rule_name(alarm->rule)));
    row[2] = whole(alarm->step, arena);
    row[3] = whole(alarm->rank, arena);
    row[4] = cell_text(alarm->type);
    row[5] = cell_styled(STYLE_CODE, place_text(views, run, alarm, arena));
    row[6] = cell_text(ops_text(alarm, arena));
    row[7] = !isnan(alarm->ratio)
                 ? cell_number_as(alarm->ratio, figure_number(alarm->ratio, 3, arena))
                 : (Cell){0};
    row[8] = cell_number_as(alarm->value, figure_number(alarm->value, 3, arena));
}

Table *monitor_table_first_alarms(const MonitorViews *views, size_t limit, Arena *arena)
{
    static const Head heads[] = {
        {TR("level"),     10, false},
        {TR("rule"),      20, false},
        {TR("step"),      8,  true },
        {TR("rank"),      6,  true },
        {TR("type"),      16, false},
        {TR("name"),      48, false},
        {TR("statistic"), 22, false},
        {TR("ratio"),     8,  true },
        {TR("value"),     10, true },
    };
    Table *table = NEW_TABLE(TR("Alarms"), heads, arena);
    add_all_alarms(table, views, limit, add_first_alarm, arena);
    return table;
}

Table *monitor_table_alarms(const MonitorViews *views, size_t limit, Arena *arena)
{
    static const Head heads[] = {
        {TR("level"),     10, false},
        {TR("rule"),      20, false},
        {TR("run"),       14, false},
        {TR("step"),      8,  true },
        {TR("until"),     8,  true },
        {TR("rank"),      6,  true },
        {TR("type"),      16, false},
        {TR("stage"),     6,  true },
        {TR("name"),      48, false},
        {TR("micro"),     6,  true },
        {TR("statistic"), 22, false},
        {TR("ratio"),     12, true },
        {TR("value"),     14, true },
        {TR("history"),   14, true },
    };
    Table *table = NEW_TABLE(TR("Alarms"), heads, arena);
    add_all_alarms(table, views, limit, add_alarm, arena);
    return table;
}

// ---- series

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

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
        if (isfinite(value))
            values[count++] = value;
    }
    if (count) {
        qsort(values, count, sizeof *values, compare_doubles);
        facts.median = values[count / 2];
        facts.least = values[0];
        facts.largest = values[count - 1];
    }
    arena_release(scratch);
    return facts;
}

static void add_series(Table *table, const MonitorRun *run, const MonitorSeries *series,
                       Arena *arena)
{
    SeriesFacts facts = facts_of(series);
    Cell *row = table_add_row(table);
    row[0] = cell_text(run->name);
    row[1] = cell_text(monitor_series_type(run, series));
    row[2] = cell_text(monitor_series_op(run, series));
    row[3] = whole(series->object.stage, arena);
    row[4] = cell_styled(STYLE_CODE, monitor_series_name(run, series));
    row[5] = whole(series->object.micro, arena);
    row[6] = whole(series->rank, arena);
    row[7] = count_cell(series->count, arena);
    double numbers[] = {series->points[0].value, facts.median, facts.least, facts.largest,
                        series->points[series->count - 1].value};
    for (size_t i = 0; i < 5; i++)
        row[8 + i] = number_cell(numbers[i], arena);
    row[13] = facts.nans ? cell_styled(STYLE_ERROR, figure_count(facts.nans, arena)) : (Cell){0};
    row[14] = facts.infinities ? cell_styled(STYLE_ERROR, figure_count(facts.infinities, arena))
                               : (Cell){0};
    row[15] = series->quantised
                  ? cell_text(str_printf(arena, tr("quantised at %.0e"), series->unit))
                  : (Cell){0};
}

Table *monitor_table_series(const MonitorViews *views, Arena *arena)
{
    static const Head heads[] = {
        {TR("run"),       14, false},
        {TR("type"),      16, false},
        {TR("statistic"), 10, false},
        {TR("stage"),     6,  true },
        {TR("name"),      48, false},
        {TR("micro"),     6,  true },
        {TR("rank"),      6,  true },
        {TR("points"),    8,  true },
        {TR("first"),     14, true },
        {TR("median"),    14, true },
        {TR("least"),     14, true },
        {TR("largest"),   14, true },
        {TR("last"),      14, true },
        {TR("NaN"),       8,  true },
        {TR("Inf"),       8,  true },
        {TR("note"),      20, false},
    };
    enum { SERIES_ROWS_MAX = 100000 };
    Table *table = NEW_TABLE(TR("Series"), heads, arena);
    for (size_t v = 0; v < views->count; v++)
        for (size_t s = 0; s < views->items[v].run.series_count; s++) {
            if (table->row_count == SERIES_ROWS_MAX) {
                table->note = str_of(tr("the first 100,000 series"));
                return table;
            }
            add_series(table, &views->items[v].run, &views->items[v].run.series[s], arena);
        }
    return table;
}

// ---- values

typedef struct ValueRows {
    const MonitorViews *views;
    size_t view, series, point;
    char texts[4][NUMBER_BYTES];
} ValueRows;

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
        const MonitorPoint *point = &series->points[rows->point++];
        cells[0] = cell_text(run->name);
        cells[1] = cell_text(monitor_series_type(run, series));
        cells[3] = cell_text(monitor_series_name(run, series));
        cells[6] = cell_text(monitor_series_op(run, series));
        if (series->object.stage != MONITOR_NONE)
            cells[2] = cell_number((double)series->object.stage);
        if (series->object.micro != MONITOR_NONE)
            cells[4] = cell_number((double)series->object.micro);
        cells[5] = cell_number((double)series->rank);
        cells[7] = cell_number((double)run->steps[point->step]);
        cells[8] = cell_number(point->value);
        for (size_t i = 2; i < 8; i++)
            if (cells[i].kind == CELL_NUMBER) {
                size_t slot = i == 2 ? 0 : i == 4 ? 1 : i == 5 ? 2 : 3;
                number_json(cells[i].number, rows->texts[slot]);
                cells[i].text = str_of(rows->texts[slot]);
            }
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
    static const char *const titles[] = {"run",  "type",      "vpp_stage", "name", "micro_step",
                                         "rank", "statistic", "step",      "value"};
    static const double widths[] = {14, 16, 8, 48, 8, 6, 10, 8, 22};
    Column *columns = ARENA_ARRAY(arena, Column, 9);
    for (size_t i = 0; i < 9; i++)
        columns[i] = (Column){str_of(titles[i]), widths[i], i == 2 || i == 4 || i == 5 || i > 6};
    ValueRows *state = ARENA_NEW(arena, ValueRows);
    state->views = views;
    uint64_t count = 0;
    for (size_t v = 0; v < views->count; v++)
        for (size_t s = 0; s < views->items[v].run.series_count; s++)
            count += views->items[v].run.series[s].count;
    Table *table = ARENA_NEW(arena, Table);
    *table = (Table){.name = str_of(tr("Values")),
                     .columns = columns,
                     .column_count = 9,
                     .row_count = count,
                     .freeze = true,
                     .next = next_value,
                     .rewind = rewind_values,
                     .state = state};
    return table;
}

// ---- two runs

Table *monitor_table_differences(const MonitorDifferences *differences, Arena *arena)
{
    static const Head heads[] = {
        {TR("type"),            16, false},
        {TR("statistic"),       10, false},
        {TR("series"),          8,  true },
        {TR("points"),          10, true },
        {TR("median ratio"),    14, true },
        {TR("largest ratio"),   14, true },
        {TR("at"),              48, false},
        {TR("rank"),            6,  true },
        {TR("step"),            8,  true },
        {TR("NaN on one side"), 16, true },
    };
    Table *table = NEW_TABLE(TR("Target over golden"), heads, arena);
    for (size_t i = 0; i < differences->count; i++) {
        const MonitorDifference *difference = &differences->items[i];
        Cell *row = table_add_row(table);
        row[0] = cell_styled(STYLE_STRONG, difference->type);
        row[1] = cell_text(difference->op);
        row[2] = count_cell(difference->series, arena);
        row[3] = count_cell(difference->points, arena);
        if (difference->points == 0)
            continue;
        row[4] = number_cell(difference->median_ratio, arena);
        row[5] = number_cell(difference->largest_ratio, arena);
        row[6] = cell_styled(STYLE_CODE, difference->name);
        row[7] = whole(difference->rank, arena);
        row[8] = whole(difference->step, arena);
        row[9] = count_cell(difference->one_sided_nan, arena);
    }
    return table;
}

static Str missing_name(const MonitorMissing *missing, Arena *arena)
{
    if (missing->name.size)
        return missing->name;
    return str_printf(
        arena, tr_count(missing->objects, "the whole type: %zu name", "the whole type: %zu names"),
        missing->objects);
}

Table *monitor_table_missing(const MonitorViews *views, const MonitorDifferences *differences,
                             size_t limit, Arena *arena)
{
    static const Head heads[] = {
        {TR("only in"), 18, false},
        {TR("type"),    16, false},
        {TR("name"),    56, false},
        {TR("stage"),   8,  true },
        {TR("ranks"),   8,  true },
    };
    if (differences->missing_count == 0)
        return NULL;
    Table *table = NEW_TABLE(TR("Only in one run"), heads, arena);
    for (size_t i = 0; i < differences->missing_count && i < limit; i++) {
        const MonitorMissing *missing = &differences->missing[i];
        Cell *row = table_add_row(table);
        row[0] = cell_styled(STYLE_STRONG, views->items[missing->in_golden ? 0 : 1].run.name);
        row[1] = cell_text(missing->type);
        row[2] = cell_styled(missing->name.size ? STYLE_CODE : STYLE_PLAIN,
                             missing_name(missing, arena));
        row[3] = whole(missing->stage, arena);
        row[4] = count_cell(missing->ranks, arena);
    }
    if (differences->missing_count > limit)
        table_add_row(table)[2] =
            cell_text(str_printf(arena, tr("and %zu more"), differences->missing_count - limit));
    return table;
}

// ---- rules

static void add_rule(Table *table, const char *rule, Str text, const char *source)
{
    Cell *row = table_add_row(table);
    row[0] = cell_styled(STYLE_STRONG, str_of(rule));
    row[1] = cell_text(text);
    row[2] = cell_text(str_of(tr(source)));
}

Table *monitor_table_rules(const MonitorViews *views, Arena *arena)
{
    static const Head heads[] = {
        {TR("rule"),   20, false},
        {TR("fires"),  90, false},
        {TR("source"), 36, false}
    };
    Table *table = NEW_TABLE(TR("Rules"), heads, arena);
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
