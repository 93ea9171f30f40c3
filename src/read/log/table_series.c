// SPDX-License-Identifier: Apache-2.0
#include "read/log/table_series.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/names.h"
#include "base/number.h"
#include "base/words.h"
#include "read/log/epoch_counter.h"
#include "read/log/line_guess.h"
#include "read/log/line_shape.h"
#include "read/log/series_name.h"
#include "read/log/table_cell.h"
#include "read/log/table_header.h"
#include "read/table/csv_file.h"

enum { KIND_ROW = 50, PROBE_ROWS = 20, PROBE_BYTES = 1 << 20 };

// What a column feeds: a series of a part, the x of all, or nothing.
typedef struct Feed {
    Part *part;  // NULL: none
    Str name;
    bool split;  // its cells say what a row is of, "train" or "val"
    int next;    // column of the same part, -1: none
} Feed;

// The columns of a table with one value a row: "run,step,metric,value".
typedef struct LongColumns {
    int run, name, value;  // run -1: none
} LongColumns;

typedef struct SeriesTable {
    Csv csv;
    int x_column;      // -1: rows are numbered
    int epoch_column;  // -1: none, or the rows are of several runs
    EpochCounter counter;
    LogPlace place;  // of the row
    LongColumns columns;
    bool is_long;
    Feed *feeds;  // of the columns of the first row
    size_t feed_count;
    bool decimal_comma;
    Parts *parts;
    size_t first_part;
    Names *runs;        // of the parts from the first one on, in their order
    int *first_column;  // of each of them, -1: none
    uint64_t bad_x, bad_x_line, values;
    uint64_t bad_cells, bad_cell_line;
    uint64_t unfinished_line;  // of a last row without line end; 0: none
    bool dropped;              // it had too few cells
    bool nameless;             // columns without a name next to step and loss
    uint64_t texts;            // cells of series that are neither numbers nor absent
    bool numbered_names;       // a column is called as a number is
    LineShapes shapes;
} SeriesTable;

static bool find_long(const Str *titles, size_t count, LongColumns *out)
{
    bool counts = false;
    int order;
    *out = (LongColumns){-1, -1, -1};
    for (size_t i = 0; i < count; i++) {
        Str title = str_trim(titles[i]);
        int *column = NULL;
        if (series_facts(title).holds_name)
            column = &out->name;
        else if (str_equal_nocase(title, STR("value")) ||
                 str_equal_nocase(title, STR("metric_value")) ||
                 str_equal_nocase(title, STR("metricValue")))
            column = &out->value;
        else if (str_equal_nocase(title, STR("run")) || str_equal_nocase(title, STR("run_name")) ||
                 str_equal_nocase(title, STR("run_id")) ||
                 str_equal_nocase(title, STR("run.hash")) ||
                 str_equal_nocase(title, STR("experimentKey")))
            column = &out->run;
        if (column && *column < 0)
            *column = (int)i;
        counts = counts || series_name_is_step(title, &order);
    }
    return counts && out->name >= 0 && out->value >= 0;
}

bool table_series_recognise(Str text, Arena *arena)
{
    Csv csv;
    csv_open(&csv, "", str_slice(text, 0, PROBE_BYTES), 0, arena);
    bool comma = csv.separator == ';' || csv.separator == '\t';
    size_t cells = 0, numbers = 0, rows = 0, columns = 0, even = 0;
    for (; rows < PROBE_ROWS && csv_next(&csv); rows++) {
        if (rows == 0 && table_header_is(&csv, comma)) {
            // "[0]	eval-rmse:0.5": a count in brackets begins a line of a log.
            if (str_starts(csv.cells[0], STR("[")) && csv.count > 1)
                return false;
            LongColumns columns_of_long;
            if (find_long(csv.cells, csv.count, &columns_of_long))
                return true;
            columns = csv.count;
            continue;
        }
        if (csv.unfinished && text.size > PROBE_BYTES)
            break;
        columns = columns ? columns : csv.count;
        even += csv.count == columns;
        cells += csv.count;
        for (size_t i = 0; i < csv.count; i++) {
            Figure figure;
            numbers += table_cell_is_absent(csv.cells[i]) ||
                       table_cell_figure(csv.cells[i], comma, &figure);
        }
    }
    return cells > 0 && 2 * numbers >= cells && 3 * even >= 2 * (rows - 1);
}

// "<run> - <metric>" of a W&B export; the last " - " parts them. False for other columns.
static bool split_run(Str title, Str *run, Str *metric)
{
    for (size_t at = title.size; at >= 3; at--)
        if (str_equal(str_slice(title, at - 3, at), STR(" - "))) {
            *run = str_slice(title, 0, at - 3);
            *metric = str_slice(title, at, title.size);
            if (str_starts(*run, STR("Group: ")))
                *run = str_slice(*run, 7, run->size);
            return run->size && metric->size;
        }
    return false;
}

static bool is_range(Str title)
{
    return str_ends(title, STR("__MIN")) || str_ends(title, STR("__MAX"));
}

static Part *run_part(SeriesTable *table, Str run, const char *format)
{
    NameId id = names_add(table->runs, run);
    size_t at = table->first_part + id - 1;
    if (at < table->parts->count)
        return table->parts->items[at];
    Part *part = part_new(table->parts, table->csv.path, -1, format, table->csv.arena);
    part->run = names_text(table->runs, id);
    return part;
}

enum { RISING_COLUMNS = 64 };

// The first column of whole numbers that rise from row to row, or -1. An epoch may fall to one
// after the first: the run was resumed there.
static int find_rising(const Csv *csv)
{
    Csv probe;
    double last[RISING_COLUMNS], first[RISING_COLUMNS] = {0};
    bool rising[RISING_COLUMNS];
    size_t rows = 0;
    csv_open(&probe, csv->path, str_slice(csv->text, csv->at, csv->text.size), csv->separator,
             csv->arena);
    while (rows < PROBE_ROWS && csv_next(&probe)) {
        if (csv->column_count && str_equal(csv_cell(&probe, 0), csv->names[0]))
            continue;  // the header again
        for (size_t i = 0; i < RISING_COLUMNS && i < csv->column_count; i++) {
            Figure figure = {0};
            bool whole = figure_of_text(csv_cell(&probe, (int)i), &figure) &&
                         figure.value == floor(figure.value);
            bool resumes = rows && figure.value < last[i] && figure.value > first[i] &&
                           str_equal_nocase(csv->names[i], STR("epoch"));
            rising[i] = whole && (rows == 0 || (rising[i] && (figure.value > last[i] || resumes)));
            first[i] = rows ? first[i] : figure.value;
            last[i] = figure.value;
        }
        rows++;
    }
    for (size_t i = 0; rows > 1 && i < RISING_COLUMNS && i < csv->column_count; i++)
        if (rising[i])
            return (int)i;
    return -1;
}

// "r,l,t" of the monitors of Gym and stable-baselines3: an episode a row, its reward, its length,
// which may rise and is no step, and the seconds since the start.
static bool is_monitor(const Csv *csv)
{
    return csv->column_count > 2 && str_equal(csv->names[0], STR("r")) &&
           str_equal(csv->names[1], STR("l")) && str_equal(csv->names[2], STR("t"));
}

static Str monitor_title(Str title)
{
    return str_equal(title, STR("r"))   ? STR("episode_reward")
           : str_equal(title, STR("l")) ? STR("episode_length")
           : str_equal(title, STR("t")) ? STR("runtime")
                                        : title;
}

// The step column: by name, else the first one that rises.
static int find_x(const Csv *csv)
{
    int found = -1, best = 1000, order;
    for (size_t i = 0; i < csv->column_count; i++)
        if (series_name_is_step(csv->names[i], &order) && order < best) {
            best = order;
            found = (int)i;
        }
    return found >= 0 || is_monitor(csv) ? found : find_rising(csv);
}

static bool is_board_export(const Csv *csv)
{
    return csv->column_count == 3 && csv_column(csv, "Wall time") == 0 &&
           csv_column(csv, "Step") == 1 && csv_column(csv, "Value") == 2;
}

static bool is_value(Str title)
{
    return str_equal_nocase(title, STR("value")) || str_equal_nocase(title, STR("values"));
}

// What values without a name are: "run-<run>-tag-<tag>.csv", "gpu_loss.csv".
static Str tag_of_file(const char *path, Str title)
{
    Str name = path_base(str_of(path));
    size_t tag = str_find(name, STR("-tag-"), 0), dot = str_rfind_char(name, '.');
    if (tag != SIZE_MAX)
        return str_slice(name, tag + 5, dot == SIZE_MAX ? name.size : dot);
    Str stem = series_stem(path);
    return stem.size ? stem : title;
}

// Values are what the file is called as where no other column is measured, and nobody asks for them
// by their own name.
static bool takes_file_name(const SeriesTable *table, Str title)
{
    const Csv *csv = &table->csv;
    const LogWish *wish = table->parts->wish;
    if (!is_value(title) || (wish && str_equal(wish->loss, title)))
        return false;
    for (size_t i = 0; i < csv->column_count; i++)
        if (series_facts(csv->names[i]).measure || series_facts(csv->names[i]).evaluation)
            return false;
    return true;
}

// Of a table with one value a row only the columns of the step and of what a row is of are asked.
static void feed_long(SeriesTable *table)
{
    const Csv *csv = &table->csv;
    table->x_column = find_x(csv);
    for (size_t i = 0; i < csv->column_count; i++)
        table->feeds[i].split = series_facts(csv->names[i]).holds_split;
}

static void feed_named(SeriesTable *table)
{
    Csv *csv = &table->csv;
    Str run, metric;
    table->x_column = find_x(csv);
    bool export = false;
    for (size_t i = 0; i < csv->column_count; i++)
        export = export || (is_range(csv->names[i]) && split_run(csv->names[i], &run, &metric));
    if (export && table->x_column < 0)
        table->x_column = 0;
    const ColumnSide *sides = export ? NULL : table_header_sides(csv);
    for (size_t i = 0; i < csv->column_count; i++) {
        Str title = csv->names[i];
        if ((int)i != table->x_column && sides && sides[i].side.size) {
            table->feeds[i] =
                (Feed){.part = run_part(table, sides[i].side, "sides"), .name = sides[i].measure};
            continue;
        }
        if (sides)
            continue;
        table->feeds[i].split = series_facts(title).holds_split;
        if (table->feeds[i].split || (int)i == table->x_column || (export && is_range(title)))
            continue;
        bool own_run = export && split_run(title, &run, &metric);
        table->feeds[i].part =
            own_run ? run_part(table, run, "wandb") : run_part(table, STR(""), "csv");
        table->feeds[i].name = own_run                         ? metric
                               : takes_file_name(table, title) ? tag_of_file(csv->path, title)
                               : is_monitor(csv)               ? monitor_title(title)
                                                               : title;
    }
}

static void feed_header(SeriesTable *table)
{
    Csv *csv = &table->csv;
    if (is_board_export(csv)) {
        table->x_column = 1;
        table->feeds[2].part = run_part(table, STR(""), "tensorboard-export");
        Str value = STR("value");
        table->feeds[2].name =
            takes_file_name(table, value) ? tag_of_file(csv->path, value) : value;
        table->feeds[0] = (Feed){.part = table->feeds[2].part, .name = csv->names[0]};
        return;
    }
    feed_named(table);
    for (size_t i = 0; i < csv->column_count; i++)
        if (str_starts(path_base(str_of(csv->path)), STR("Train_Samples_")) && table->feeds[i].part)
            table->feeds[i].part->x_unit = "samples";
}

// A metric of MLflow: time in ms, value, step; the file is called as the series, and its run is the
// folder above "metrics".
static bool feed_metric(SeriesTable *table)
{
    Csv *csv = &table->csv;
    int64_t number;
    if (csv->count != 3 || csv->cells[0].size != 13 || !str_to_int64(csv->cells[0], &number) ||
        !str_to_int64(csv->cells[2], &number))
        return false;
    Str path = str_of(csv->path), run = STR(""), name = path_base(path);
    for (size_t at = 0; (at = str_find(path, STR("metrics/"), at)) != SIZE_MAX; at++)
        if (at == 0 || path.data[at - 1] == '/') {
            name = str_slice(path, at + 8, path.size);
            run = at ? path_base(str_slice(path, 0, at - 1)) : STR("");
        }
    table->x_column = 2;
    table->feeds[1] = (Feed){.part = run_part(table, run, "mlflow"), .name = name};
    return true;
}

// Seconds or milliseconds since 1970, from 2001 to 2100: no measure and no step.
static bool is_moment(Str cell)
{
    Figure figure;
    bool number = figure_of_text(str_trim(cell), &figure) && !figure.exponent;
    double seconds = number && figure.value >= 1e12 ? figure.value / 1e3 : figure.value;
    return number && seconds >= 1e9 && seconds < 4.1e9;
}

// Without a header: one column is the loss, two are step and loss, or what the file is called as;
// others have no name. Of three or more one may say when a row was written.
static void feed_nameless(SeriesTable *table)
{
    if (feed_metric(table))
        return;
    const Csv *csv = &table->csv;
    bool stepped = csv->count > 1, timed = csv->count > 2, loss = false;
    Str stem = series_stem(csv->path);
    table->x_column = !stepped ? -1 : timed && is_moment(csv->cells[0]) ? 1 : 0;
    for (size_t i = 0; i < csv->count; i++) {
        if ((int)i == table->x_column || (timed && is_moment(csv->cells[i])))
            continue;
        table->feeds[i].part = run_part(table, STR(""), "csv");
        table->feeds[i].name = loss        ? str_printf(csv->arena, "column %zu", i + 1)
                               : stem.size ? stem
                                           : STR("loss");
        loss = true;
    }
    table->nameless = table->csv.count > 2;
}

// Rows without names are a curve where their first column counts and another has a point: a list of
// whole numbers is none.
static bool rows_count(const SeriesTable *table)
{
    Csv probe;
    const Csv *csv = &table->csv;
    double last = -INFINITY;
    size_t rows = 0, falls = 0, values = 0;
    if (csv->count < 3 || table->x_column < 0)
        return csv->count > 1 || str_find_char(str_trim(csv->text), '\n', 0) != SIZE_MAX;
    csv_open(&probe, csv->path, csv->text, csv->separator, csv->arena);
    while (rows < 5 * PROBE_ROWS && csv_next(&probe)) {
        Figure figure;
        if (!figure_of_text(str_trim(csv_cell(&probe, table->x_column)), &figure))
            continue;
        falls += figure.value < last;
        last = figure.value;
        rows++;
        for (size_t i = 0; i < probe.count; i++)
            values += (int)i != table->x_column &&
                      figure_of_text(str_trim(probe.cells[i]), &figure) &&
                      (figure.decimals > 0 || figure.exponent || !isfinite(figure.value));
    }
    return values > 0 && 4 * falls <= rows;
}

static int find_epoch(const SeriesTable *table)
{
    const Csv *csv = &table->csv;
    for (size_t i = 0; table->x_column >= 0 && i < csv->column_count; i++)
        if ((int)i != table->x_column && str_equal_nocase(csv->names[i], STR("epoch")) &&
            table->feeds[i].part)
            return (int)i;
    return -1;
}

static bool row_x(SeriesTable *table, int64_t *out)
{
    Figure figure, epoch;
    table->place = (LogPlace){0};
    if (table->x_column < 0) {
        *out = (int64_t)table->csv.row_count;
        return true;
    }
    Str cell = csv_cell(&table->csv, table->x_column);
    char room[TABLE_CELL_ROOM];
    cell = table_cell_without_thousands(str_trim(cell), room);
    if (table_cell_figure(cell, table->decimal_comma, &figure) && number_can_count(figure.value)) {
        table->place = (LogPlace){.has_step = true, .step = (int64_t)figure.value};
        table->place.step_text = cell.data == room ? NULL : figure.text;
        if (figure_of_text(csv_cell(&table->csv, table->epoch_column), &epoch) &&
            epoch.value == floor(epoch.value) && number_can_count(epoch.value)) {
            table->place.has_epoch = true;
            table->place.epoch = (int64_t)epoch.value;
            table->place.epoch_text = epoch.text;
        }
        return epoch_counter_next(&table->counter, &table->place, table->csv.arena, out);
    }
    if (table->bad_x++ == 0)
        table->bad_x_line = table->csv.line;
    return false;
}

static void link_columns(SeriesTable *table)
{
    size_t parts = table->parts->count - table->first_part;
    table->first_column = ARENA_ARRAY(table->csv.arena, int, parts + 1);
    for (size_t i = 0; i < parts; i++)
        table->first_column[i] = -1;
    for (int i = (int)table->feed_count - 1; i >= 0; i--) {
        Feed *feed = &table->feeds[i];
        if (!feed->part)
            continue;
        int *first = &table->first_column[names_find(table->runs, feed->part->run) - 1];
        feed->next = *first;
        *first = i;
    }
}

static bool is_of_evaluation(const SeriesTable *table)
{
    for (size_t i = 0; i < table->csv.count && i < table->feed_count; i++)
        if (table->feeds[i].split && series_facts(str_trim(table->csv.cells[i])).split)
            return true;
    return false;
}

// The cells of one part as a record. Where a table holds several runs, a row without any value of
// one is no record of it.
static bool take_part(SeriesTable *table, size_t at, int64_t x, bool evaluation)
{
    Part *part = table->parts->items[table->first_part + at];
    int first = table->first_column[at], end = (int)table->csv.count;
    bool any = table->parts->count - table->first_part == 1;
    for (int i = first; i >= 0 && i < end && !any; i = table->feeds[i].next)
        any = !table_cell_is_absent(table->csv.cells[i]);
    if (!any)
        return false;
    part_begin(part, x, evaluation ? -1 : KIND_ROW, table->csv.line);
    for (int i = first; i >= 0 && i < end; i = table->feeds[i].next) {
        Figure figure;
        Str cell = table->csv.cells[i], name = table->feeds[i].name;
        if (evaluation && series_facts(name).measure)
            name = str_printf(table->csv.arena, "eval_" STR_FMT, STR_ARG(name));
        if (table_cell_figure(cell, table->decimal_comma, &figure)) {
            part_add(part, name, figure);
            table->values++;
            continue;
        }
        part_add_absent(part, table->feeds[i].name);
        table->texts += !table_cell_is_absent(cell);
        if (!table_cell_is_absent(cell) && part_knows(part, table->feeds[i].name) &&
            table->bad_cells++ == 0)
            table->bad_cell_line = table->csv.line;
    }
    return part_end(part);
}

// A row with the name of its series.
static void take_named_value(SeriesTable *table, int64_t x)
{
    const Csv *csv = &table->csv;
    Str run = csv_cell(csv, table->columns.run), name = csv_cell(csv, table->columns.name);
    Str cell = csv_cell(csv, table->columns.value);
    Part *part = run_part(table, run, "csv");
    Figure figure;
    if (is_of_evaluation(table) && series_facts(name).measure)
        name = str_printf(csv->arena, "eval_" STR_FMT, STR_ARG(name));
    part_begin(part, x, -1, csv->line);
    if (table_cell_figure(cell, table->decimal_comma, &figure)) {
        part_add(part, name, figure);
        table->values++;
    } else {
        part_add_absent(part, name);
        if (!table_cell_is_absent(cell) && table->bad_cells++ == 0)
            table->bad_cell_line = csv->line;
    }
    part_end(part);
}

// The line of a row without quotes; empty for the last one, which may go on.
static Str line_of_row(const Csv *csv)
{
    const char *text = csv->text.data, *from = csv->cells[0].data;
    const char *stop = text + csv->at - 1;
    if (csv->unfinished || from < text || from > stop || (*stop != '\n' && *stop != '\r'))
        return STR("");
    stop -= *stop == '\n' && stop > from && stop[-1] == '\r';
    while (from > text && from[-1] != '\n' && from[-1] != '\r')
        from--;
    return (Str){from, (size_t)(stop - from)};
}

static void learn_row(SeriesTable *table)
{
    Part *part = table->parts->items[table->first_part];
    Str line = line_of_row(&table->csv);
    if (line.size == 0 || table->parts->parses_all || table->numbered_names ||
        str_find_char(line, '"', 0) != SIZE_MAX)
        return;
    LineReading reading = line_reading(&table->place, part);
    reading.padded = reading.table = true;
    shapes_learn(&table->shapes, line, &reading, 1, table->csv.arena);
}

static void take_row(SeriesTable *table)
{
    int64_t x;
    bool cut = table->csv.unfinished && table->csv.count < table->csv.column_count;
    if (table->csv.unfinished)
        table->unfinished_line = table->csv.line;
    table->dropped = cut;
    if ((table->csv.column_count && !csv_row_is_whole(&table->csv)) || cut || !row_x(table, &x))
        return;
    if (table->is_long) {
        take_named_value(table, x);
        return;
    }
    uint64_t texts = table->texts;
    bool stored = false, evaluation = is_of_evaluation(table);
    for (size_t i = 0; i < table->parts->count - table->first_part; i++)
        stored = take_part(table, i, x, evaluation);
    if (stored && texts == table->texts && table->parts->count - table->first_part == 1)
        learn_row(table);
}

// Takes the next row where it has the shape of one before: it is no header, comment or blank row,
// has no quotes and as many cells.
static bool take_again(SeriesTable *table)
{
    Csv *csv = &table->csv;
    Str line;
    LineShape *shape = shapes_find_ahead(&table->shapes, csv->at, 1, &line);
    if (!shape)
        return false;
    const LogPlace *place = &shape->reading.place;
    int64_t x;
    csv_pass_line(csv, line);
    if (!epoch_counter_next(&table->counter, place, csv->arena, &x))
        x = (int64_t)csv->row_count;
    shape_store(shape, x, csv->line);
    table->values += shape->present;
    return true;
}

static void report(const SeriesTable *table, Notices *notices)
{
    const Csv *csv = &table->csv;
    account_see(&notices->account, csv->row_count);
    account_compare(&notices->account, csv->row_count);
    csv_report(csv, notices);
    if (table->bad_cells)
        notices_partial(notices, WHERE_LINE(csv->path, table->bad_cell_line),
                        tr_count(table->bad_cells, "%llu cell is no number and is left out",
                                 "%llu cells are no numbers and are left out, from this line"),
                        (unsigned long long)table->bad_cells);
    if (table->unfinished_line)
        notices_add(notices, NOTICE_WARNING, WHERE_LINE(csv->path, table->unfinished_line), "%s",
                    table->dropped
                        ? tr("the last line has no end and is left out (still being written?)")
                        : tr("the last line has no end; its last number may be cut"));
    if (table->bad_x)
        notices_partial(notices, WHERE_LINE(csv->path, table->bad_x_line),
                        tr_count(table->bad_x, "%llu row has no step",
                                 "%llu rows have no step, from this line"),
                        (unsigned long long)table->bad_x);
    if (table->nameless)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(csv->path), "%s",
                    tr("the table has no header: the first column is taken as step, the next as "
                       "loss; --columns step=1,loss=2,lr=3 names them"));
    if (is_board_export(csv) && csv->row_count == 1000)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(csv->path), "%s",
                    tr("exactly 1,000 rows: the dashboard gave a random sample, spikes may miss"));
}

static bool has_column(const Csv *csv, const char *name)
{
    return csv_column(csv, name) >= 0;
}

// The row after the header holds no texts.
static bool rows_are_numbers(const Csv *csv)
{
    Csv probe;
    csv_open(&probe, csv->path, str_slice(csv->text, csv->at, csv->text.size), csv->separator,
             csv->arena);
    return csv_next(&probe) && !table_header_is(&probe, false);
}

// "step 1 score: 8.95": names and numbers by turns above others are a line of a log, no header.
static bool is_line(const Csv *csv)
{
    size_t numbers = 0, turns = 0;
    Figure figure;
    for (size_t i = 0; i < csv->column_count; i++)
        turns += figure_of_text(csv->names[i], &figure) == (i % 2 == 1);
    if (csv->separator == ' ' && csv->column_count > 2 && turns == csv->column_count)
        return true;
    bool measures = false;
    for (size_t i = 0; i < csv->column_count; i++) {
        measures = measures || series_facts(csv->names[i]).measure ||
                   series_facts(csv->names[i]).evaluation;
        numbers += figure_of_text(csv->names[i], &figure);
    }
    size_t least = measures ? (csv->column_count + 1) / 2 : 1;
    return csv->separator == ' ' && numbers >= least && numbers < csv->column_count;
}

// A table of curves has a step, or a column that rises like one, or a loss, norm or rate.
static bool is_curve(const Csv *csv, Error *err)
{
    if (is_line(csv))
        return line_guess_refuse(csv->path, csv->text, csv->arena, err);
    bool runs = has_column(csv, "Name") && has_column(csv, "State") &&
                (has_column(csv, "Created") || has_column(csv, "Runtime"));
    if (runs) {
        error_set(err, ERR_INPUT, WHERE_FILE(csv->path), "%s",
                  tr("a table of runs: one row is one run, not one step"));
        return error_hint(err, "%s",
                          tr("export the chart, or the history of one run, from the dashboard"));
    }
    bool curve = is_board_export(csv) || find_x(csv) >= 0;
    for (size_t i = 0; i < csv->column_count && !curve; i++) {
        Str run, metric = csv->names[i];
        split_run(csv->names[i], &run, &metric);
        curve = series_facts(metric).measure || series_facts(metric).evaluation;
    }
    if (curve || rows_are_numbers(csv))
        return true;
    error_set(err, ERR_INPUT, WHERE_FILE(csv->path), "%s",
              tr("no column of this table is a step, a loss, a gradient norm or a rate"));
    return error_hint(err, "%s", tr("--columns step=2,loss=1 says which column is which"));
}

// No step has a fraction: where one has commas between its thousands, they are none of decimals.
static bool steps_have_thousands(const SeriesTable *table)
{
    Csv probe;
    const Csv *csv = &table->csv;
    char room[TABLE_CELL_ROOM];
    if (table->x_column < 0 || str_find_char(csv->text, ',', 0) == SIZE_MAX)
        return false;
    csv_open(&probe, csv->path, str_slice(csv->text, csv->at, csv->text.size), csv->separator,
             csv->arena);
    while (csv_next(&probe)) {
        Str cell = str_trim(csv_cell(&probe, table->x_column));
        if (table_cell_without_thousands(cell, room).data != cell.data)
            return true;
    }
    return false;
}

// --columns: "step=2,loss=objective".
static bool feed_chosen(SeriesTable *table, Str columns, Error *err)
{
    Str entry;
    while (columns.size && str_split(&columns, ',', &entry)) {
        size_t equal = str_find_char(entry, '=', 0);
        Str name = str_trim(str_slice(entry, 0, equal));
        int column =
            table_header_column(&table->csv, str_trim(str_slice(entry, equal + 1, entry.size)));
        if (column < 0) {
            error_set(err, ERR_INPUT, WHERE_FILE(table->csv.path),
                      tr("--columns: the table has no column for '" STR_FMT "'"), STR_ARG(entry));
            return error_hint(err, "%s", tr("columns are named, or numbered from 1"));
        }
        if (str_equal(name, STR("step")))
            table->x_column = column;
        else
            table->feeds[column] = (Feed){.part = run_part(table, STR(""), "csv"), .name = name};
    }
    return true;
}

// "iter	RMSE" of CatBoost: what alone is measured next to a counter that is called one is the loss
// that the model is fitted by.
static void use_only_error(const SeriesTable *table)
{
    int order;
    const Csv *csv = &table->csv;
    if (table->parts->count != table->first_part + 1 || table->x_column < 0 ||
        (size_t)table->x_column >= csv->column_count ||
        !series_name_is_step(csv->names[table->x_column], &order))
        return;
    Part *part = table->parts->items[table->first_part];
    if (part->series_count == 1 && series_facts(part->series[0].printed).error) {
        part->series[0].name = STR("loss");
        part->series[0].core = true;
    }
}

// Which column feeds what: as the user says, by the names above, or without any.
static bool feed_columns(SeriesTable *table, bool named, Error *err)
{
    const Csv *csv = &table->csv;
    const LogWish *wish = table->parts->wish;
    if (wish && wish->columns.size)
        return feed_chosen(table, wish->columns, err);
    if (!named) {
        feed_nameless(table);
        return rows_count(table) || error_set(err, ERR_INPUT, WHERE_FILE(csv->path), "%s",
                                              tr("no column of this table is a step, a loss, a "
                                                 "gradient norm or a rate"));
    }
    if (!is_curve(csv, err))
        return false;
    table->is_long = find_long(csv->names, csv->column_count, &table->columns);
    if (table->is_long)
        feed_long(table);
    else
        feed_header(table);
    return true;
}

bool table_series_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                       Error *err)
{
    SeriesTable table = {.x_column = -1,
                         .epoch_column = -1,
                         .parts = out,
                         .first_part = out->count,
                         .runs = names_new(arena),
                         .shapes = {.text = text}};
    Csv *csv = &table.csv;
    csv_open(csv, path, text, 0, arena);
    table.decimal_comma = csv->separator == ';' || csv->separator == '\t';
    if (!csv_next(csv))
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the table is empty"));
    table.feed_count = csv->count;
    table.feeds = ARENA_ARRAY(arena, Feed, csv->count);
    bool header = table_header_is(csv, table.decimal_comma);
    bool commented = !header && table_header_commented(csv);
    if (header)
        csv_take_header(csv);
    if (!feed_columns(&table, header || commented, err))
        return false;
    table.decimal_comma = table.decimal_comma && !steps_have_thousands(&table);
    link_columns(&table);
    if (out->count - table.first_part == 1)
        table.epoch_column = find_epoch(&table);
    if (!header)
        take_row(&table);
    out->bytes_all = text.size;
    for (size_t i = 0; i < csv->column_count; i++) {
        Figure figure;
        table.numbered_names = table.numbered_names || figure_of_text(csv->names[i], &figure);
    }
    for (bool more = true; more;) {
        out->bytes_read = csv->at;
        if (take_again(&table))
            continue;
        more = csv_next(csv);
        out->bytes_read = csv->at;
        if (more)
            take_row(&table);
    }
    use_only_error(&table);
    report(&table, notices);
    if (table.values == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("the table holds no column of numbers"));
    return true;
}
