// SPDX-License-Identifier: Apache-2.0
#include "picture/monitor/monitor_grid.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/words.h"

enum { GAP_FACTOR = 3 };
#define SHARE_SCALE 0.06

// ---- objects

static bool of_set(const MonitorGrid *grid, const MonitorSeries *series)
{
    return series->object.type == grid->type && series->object.op == grid->op;
}

static void collect_objects(MonitorGrid *grid, size_t from, size_t to, Arena *arena)
{
    const MonitorRun *run = grid->run;
    grid->objects = ARENA_ARRAY(arena, GridObject, to - from);
    for (size_t at = from, end; at < to; at = end) {
        bool used = false;
        for (end = at; end < to && run->series[end].order == run->series[at].order; end++)
            used = used || of_set(grid, &run->series[end]);
        if (!used)
            continue;
        Str name = monitor_series_name(run, &run->series[at]);
        grid->objects[grid->object_count++] = (GridObject){.name = name,
                                                           .stage = run->series[at].object.stage,
                                                           .layer = monitor_layer(name),
                                                           .from = at,
                                                           .to = end};
    }
}

double monitor_series_base(const MonitorSeries *series)
{
    double values[MONITOR_BASE_STEPS];
    size_t count = 0;
    for (size_t i = 0; i < series->count && count < MONITOR_BASE_STEPS; i++)
        if (isfinite(series->points[i].value))
            values[count++] = fabs(series->points[i].value);
    return median_of(values, count);
}

static void collect_series(MonitorGrid *grid, size_t from, size_t to, Arena *arena)
{
    const MonitorRun *run = grid->run;
    int64_t *ranks = ARENA_ARRAY(arena, int64_t, to - from + 1);
    size_t count = 0;
    for (size_t s = from; s < to; s++) {
        if (!of_set(grid, &run->series[s]))
            continue;
        grid->base[s] = monitor_series_base(&run->series[s]);
        ranks[count++] = run->series[s].rank;
    }
    grid->ranks = ranks;
    grid->rank_count = sort_distinct(ranks, count);
}

size_t monitor_grid_rank(const MonitorGrid *grid, int64_t rank)
{
    for (size_t i = 0; i < grid->rank_count; i++)
        if (grid->ranks[i] == rank)
            return i;
    return 0;
}

// ---- columns

// More than three usual distances without a step is a gap, and is drawn as one.
static void collect_columns(MonitorGrid *grid, const int64_t *steps, size_t count, Arena *arena)
{
    grid->columns = ARENA_ARRAY(arena, int64_t, 2 * count + 1);
    grid->column_count = 0;
    grid->column_of = ARENA_ARRAY(arena, size_t, count + 1);
    uint64_t usual = UINT64_MAX;
    for (size_t i = 1; i < count; i++) {
        uint64_t distance = (uint64_t)steps[i] - (uint64_t)steps[i - 1];
        usual = distance < usual ? distance : usual;
    }
    grid->steps_a_column = (count + MONITOR_COLUMNS_MAX - 1) / MONITOR_COLUMNS_MAX;
    size_t in_column = 0;
    for (size_t i = 0; i < count; i++) {
        bool gap = i && (uint64_t)steps[i] - (uint64_t)steps[i - 1] > GAP_FACTOR * usual;
        if (gap)
            grid->columns[grid->column_count++] = INT64_MIN;
        if (i == 0 || gap || in_column == grid->steps_a_column) {
            grid->columns[grid->column_count++] = steps[i];
            in_column = 0;
        }
        in_column++;
        grid->column_of[i] = grid->column_count - 1;
    }
}

void monitor_grid_widen(MonitorGrid *grid, const MonitorRun *other, Arena *arena,
                        size_t **other_column_of)
{
    const MonitorRun *run = grid->run;
    int64_t *steps = ARENA_ARRAY(arena, int64_t, run->step_count + other->step_count + 1);
    size_t *own = ARENA_ARRAY(arena, size_t, run->step_count + 1);
    size_t *theirs = ARENA_ARRAY(arena, size_t, other->step_count + 1);
    size_t count = 0, i = 0, k = 0;
    while (i < run->step_count || k < other->step_count) {
        int64_t left = i < run->step_count ? run->steps[i] : INT64_MAX;
        int64_t right = k < other->step_count ? other->steps[k] : INT64_MAX;
        if (i < run->step_count && left <= right)
            own[i++] = count;
        if (k < other->step_count && right <= left)
            theirs[k++] = count;
        steps[count++] = left < right ? left : right;
    }
    collect_columns(grid, steps, count, arena);
    const size_t *column_of = grid->column_of;
    for (i = 0; i < run->step_count; i++)
        own[i] = column_of[own[i]];
    for (k = 0; k < other->step_count; k++)
        theirs[k] = column_of[theirs[k]];
    grid->column_of = own;
    *other_column_of = theirs;
}

// ---- rows

// The place after "layers.N" in a name, or 0.
static size_t layer_end(Str name, int64_t layer)
{
    Str rest = name, part;
    while (layer >= 0 && str_split(&rest, '.', &part)) {
        int64_t number;
        if (str_to_int64(part, &number) && number == layer)
            return (size_t)(part.data + part.size - name.data);
    }
    return 0;
}

// "layers.3" of "module.decoder.layers.3.mlp.w"
static Str group_name(const GridObject *object)
{
    size_t end = layer_end(object->name, object->layer);
    Str head = str_slice(object->name, 0, end);
    size_t dot = str_rfind_char(head, '.');
    if (dot == SIZE_MAX)
        return head;
    size_t before = str_rfind_char(str_slice(head, 0, dot), '.');
    return before == SIZE_MAX ? head : str_slice(head, before + 1, end);
}

// The last `parts` parts of what follows the layer, without `suffix`.
static Str short_label(const GridObject *object, Str suffix, size_t parts)
{
    size_t from = layer_end(object->name, object->layer);
    Str rest =
        str_slice(object->name, from + (from > 0 && from < object->name.size), object->name.size);
    if (suffix.size && str_ends(rest, suffix) && rest.size > suffix.size)
        rest = str_slice(rest, 0, rest.size - suffix.size);
    size_t at = rest.size;
    while (at > 0 && parts > 0) {
        at--;
        if (rest.data[at] == '.' && --parts == 0)
            return str_slice(rest, at + 1, rest.size);
    }
    return rest.size ? rest : object->name;
}

// ".weight" if all objects end in it.
static Str common_suffix(const MonitorGrid *grid)
{
    static const char *const suffixes[] = {".weight", ".output", ".input"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        bool all = grid->object_count > 0;
        for (size_t o = 0; o < grid->object_count && all; o++)
            all = str_ends(grid->objects[o].name, str_of(suffixes[i]));
        if (all)
            return str_of(suffixes[i]);
    }
    return STR("");
}

static bool labels_repeat(const MonitorGrid *grid, size_t from, size_t to, Str suffix, size_t parts)
{
    for (size_t i = from; i < to; i++)
        for (size_t j = i + 1; j < to; j++)
            if (str_equal(short_label(&grid->objects[i], suffix, parts),
                          short_label(&grid->objects[j], suffix, parts)))
                return true;
    return false;
}

static bool same_group(const GridObject *a, const GridObject *b)
{
    return a->layer == b->layer && a->stage == b->stage && a->layer >= 0;
}

static size_t objects_group_end(const MonitorGrid *grid, size_t from)
{
    size_t end = from + 1;
    while (end < grid->object_count && same_group(&grid->objects[from], &grid->objects[end]))
        end++;
    return end;
}

static bool has_several_stages(const MonitorGrid *grid)
{
    for (size_t i = 1; i < grid->object_count; i++)
        if (grid->objects[i].stage != grid->objects[0].stage)
            return true;
    return false;
}

static Str stage_note(const GridObject *object, Arena *arena)
{
    return object->stage == MONITOR_NONE
               ? STR("")
               : str_printf(arena, tr("stage %lld"), (long long)object->stage);
}

static HeatRow row_of(const MonitorGrid *grid, const GridObject *object, Arena *arena)
{
    bool several = has_several_stages(grid);
    Str note = several ? stage_note(object, arena) : STR("");
    return (HeatRow){.group = object->layer < 0 ? STR("") : group_name(object),
                     .group_note = object->layer < 0 ? STR("") : note,
                     .title = note.size ? str_printf(arena, tr(STR_FMT ", " STR_FMT),
                                                     STR_ARG(object->name), STR_ARG(note))
                                        : object->name};
}

// How many parts of the names tell all objects of every layer apart; "weight" alone is no evidence.
static size_t label_parts(const MonitorGrid *grid, Str suffix)
{
    static const char *const dull[] = {".weight", ".bias", ".input", ".output"};
    size_t parts = 1;
    for (size_t i = 0; i < grid->object_count && suffix.size == 0; i++)
        for (size_t d = 0; d < sizeof dull / sizeof *dull; d++)
            if (str_ends(grid->objects[i].name, str_of(dull[d])))
                parts = 2;
    for (size_t from = 0, end; from < grid->object_count; from = end) {
        end = objects_group_end(grid, from);
        while (grid->objects[from].layer < 0 && end < grid->object_count &&
               grid->objects[end].layer < 0)
            end++;
        while (parts < 6 && end - from <= 64 && labels_repeat(grid, from, end, suffix, parts))
            parts++;
    }
    return parts;
}

static void rows_of_objects(MonitorGrid *grid, Arena *arena)
{
    Str suffix = common_suffix(grid);
    size_t parts = label_parts(grid, suffix);
    for (size_t i = 0; i < grid->object_count; i++) {
        HeatRow *row = &grid->rows[grid->row_count];
        *row = row_of(grid, &grid->objects[i], arena);
        row->label = short_label(&grid->objects[i], suffix, parts);
        bool alone = (i == 0 || !same_group(&grid->objects[i - 1], &grid->objects[i])) &&
                     objects_group_end(grid, i) == i + 1;
        if (alone && row->group_note.size)  // no room for it under the group
            row->label = str_printf(arena, tr(STR_FMT ", " STR_FMT), STR_ARG(row->label),
                                    STR_ARG(row->group_note));
        grid->objects[i].row = grid->row_count++;
    }
}

// Too many objects: one row a layer, or, with `span`, so many of them.
static void rows_of_many(MonitorGrid *grid, size_t span, Arena *arena)
{
    grid->rows_are_many = true;
    grid->row_count = 0;
    for (size_t from = 0, end; from < grid->object_count; from = end) {
        end = span ? from + span : objects_group_end(grid, from);
        end = end < grid->object_count ? end : grid->object_count;
        HeatRow *row = &grid->rows[grid->row_count];
        *row = row_of(grid, &grid->objects[from], arena);
        row->label = row->group.size ? row->group : grid->objects[from].name;
        if (span && row->group.size && grid->objects[end - 1].layer >= 0 &&
            !same_group(&grid->objects[from], &grid->objects[end - 1]))
            row->label = str_printf(arena, STR_FMT " … " STR_FMT, STR_ARG(row->group),
                                    STR_ARG(group_name(&grid->objects[end - 1])));
        if (row->group_note.size && !span)
            row->label = str_printf(arena, tr(STR_FMT ", " STR_FMT), STR_ARG(row->label),
                                    STR_ARG(row->group_note));
        row->group = row->group_note = STR("");
        row->title = str_printf(arena,
                                tr_count(end - from, "%zu object, " STR_FMT " to " STR_FMT,
                                         "%zu objects, " STR_FMT " to " STR_FMT),
                                end - from, STR_ARG(grid->objects[from].name),
                                STR_ARG(grid->objects[end - 1].name));
        for (size_t i = from; i < end; i++)
            grid->objects[i].row = grid->row_count;
        grid->row_count++;
    }
}

static void collect_rows(MonitorGrid *grid, Arena *arena)
{
    grid->rows = ARENA_ARRAY(arena, HeatRow, grid->object_count + 1);
    if (grid->object_count <= HEAT_ROWS_MAX) {
        rows_of_objects(grid, arena);
        return;
    }
    rows_of_many(grid, 0, arena);
    if (grid->row_count > HEAT_ROWS_MAX)
        rows_of_many(grid, (grid->object_count + HEAT_ROWS_MAX - 1) / HEAT_ROWS_MAX, arena);
}

// ---- grids

static void build(MonitorGrid *grid, size_t from, size_t to, double *base, Arena *arena)
{
    grid->type_name = names_text(grid->run->names, grid->type);
    grid->op_name = names_text(grid->run->names, grid->op);
    grid->is_share = str_equal(grid->type_name, STR("similarity"));
    grid->base = base;
    collect_objects(grid, from, to, arena);
    collect_series(grid, from, to, arena);
    collect_columns(grid, grid->run->steps, grid->run->step_count, arena);
    collect_rows(grid, arena);
}

size_t monitor_grids(const MonitorRun *run, size_t limit, Arena *arena, MonitorGrid *out)
{
    double *base = ARENA_ARRAY(arena, double, run->series_count + 1);
    size_t count = 0;
    for (size_t from = 0, end; from < run->series_count; from = end) {
        NameId type = run->series[from].object.type;
        size_t first = count;
        for (end = from; end < run->series_count && run->series[end].object.type == type; end++) {
            bool known = false;
            for (size_t i = first; i < count; i++)
                known = known || out[i].op == run->series[end].object.op;
            if (!known && count < limit)
                out[count++] =
                    (MonitorGrid){.run = run, .type = type, .op = run->series[end].object.op};
        }
        for (size_t i = first; i < count; i++)
            build(&out[i], from, end, base, arena);
    }
    return count;
}

double *monitor_grid_cells(size_t rows, size_t columns, Arena *arena)
{
    double *cells = ARENA_ARRAY(arena, double, rows *columns);
    for (size_t i = 0; i < rows * columns; i++)
        cells[i] = heat_absent();
    return cells;
}

double monitor_grid_cell(const MonitorGrid *grid, size_t series, double value)
{
    double base = grid->base[series], size = fabs(value);
    if (isnan(value))
        return heat_nan();
    if (isinf(value))
        return heat_infinity();
    if (isnan(base) || (base == 0 && size == 0))
        return 0;
    if (grid->is_share)
        return (value - base) / SHARE_SCALE * log10(4);
    if (base == 0)
        return 9;  // out of nothing: beyond any scale
    double ratio = size > 0 ? log10(size / base) : -9;
    return ratio > 9 ? 9 : ratio < -9 ? -9 : ratio;
}

// By index of the step: the median of the object's cells over its ranks; 0 where fewer than 4 have
// a finite one.
static double *centres_of(const MonitorGrid *grid, const GridObject *object, Arena *arena)
{
    enum { LEAST = 4 };
    size_t width = object->to - object->from, steps = grid->run->step_count;
    double *centres = ARENA_ARRAY(arena, double, steps);
    Arena *scratch = arena_new();
    size_t *at = ARENA_ARRAY(scratch, size_t, width);
    double *values = ARENA_ARRAY(scratch, double, width);
    for (size_t step = 0; step < steps; step++) {
        size_t count = 0;
        for (size_t k = 0; k < width; k++) {
            const MonitorSeries *series = &grid->run->series[object->from + k];
            while (at[k] < series->count && series->points[at[k]].step < step)
                at[k]++;
            if (!of_set(grid, series) || at[k] == series->count ||
                series->points[at[k]].step != step)
                continue;
            double cell = monitor_grid_cell(grid, object->from + k, series->points[at[k]].value);
            if (isfinite(cell))
                values[count++] = cell;
        }
        if (count >= LEAST)
            centres[step] = median_of(values, count);
    }
    arena_release(scratch);
    return centres;
}

void monitor_grid_put(double *at, double cell)
{
    int order = heat_weight(heat_kind(cell)) - heat_weight(heat_kind(*at));
    if (order > 0 || (order == 0 && fabs(cell) > fabs(*at)))
        *at = cell;
}

static void fill_series(const MonitorGrid *grid, const GridFill *fill, const GridObject *object,
                        size_t index, const double *centres, double *cells)
{
    const MonitorSeries *series = &grid->run->series[index];
    size_t rank = monitor_grid_rank(grid, series->rank);
    size_t width = fill->rank_columns ? grid->rank_count : grid->column_count;
    double *row = cells + width * (fill->rank_rows ? rank / fill->rank_rows : object->row);
    for (size_t i = 0; i < series->count; i++) {
        const MonitorPoint *point = &series->points[i];
        if (fill->step != SIZE_MAX && point->step != fill->step)
            continue;
        double cell = monitor_grid_cell(grid, index, point->value);
        if (centres && isfinite(cell))  // what is no number stays as it is
            cell -= centres[point->step];
        monitor_grid_put(&row[fill->rank_columns ? rank : grid->column_of[point->step]], cell);
    }
}

double **monitor_grid_fill(const MonitorGrid *grid, const GridFill *fill, Arena *arena)
{
    size_t rows = fill->rank_rows ? (grid->rank_count + fill->rank_rows - 1) / fill->rank_rows
                                  : grid->row_count;
    size_t width = fill->rank_columns ? grid->rank_count : grid->column_count;
    double **cells = ARENA_ARRAY(arena, double *, fill->panels);
    for (size_t p = 0; p < fill->panels; p++)
        cells[p] = monitor_grid_cells(rows, width, arena);
    for (size_t o = 0; o < grid->object_count; o++) {
        const GridObject *object = &grid->objects[o];
        if (fill->only && fill->only != object)
            continue;
        Arena *scratch = arena_new();
        const double *centres = fill->among_ranks ? centres_of(grid, object, scratch) : NULL;
        for (size_t s = object->from; s < object->to; s++)
            for (size_t p = 0; p < fill->panels && of_set(grid, &grid->run->series[s]); p++)
                if (fill->ranks[p] == INT64_MIN || fill->ranks[p] == grid->run->series[s].rank)
                    fill_series(grid, fill, object, s, centres, cells[p]);
        arena_release(scratch);
    }
    return cells;
}

size_t monitor_grid_object(const MonitorGrid *grid, int64_t stage, Str name)
{
    for (size_t o = 0; o < grid->object_count; o++)
        if (grid->objects[o].stage == stage && str_equal(grid->objects[o].name, name))
            return o;
    return SIZE_MAX;
}

size_t monitor_grid_row(const MonitorGrid *grid, int64_t stage, Str name)
{
    size_t object = monitor_grid_object(grid, stage, name);
    return object == SIZE_MAX ? SIZE_MAX : grid->objects[object].row;
}
