// SPDX-License-Identifier: Apache-2.0
#include "picture/monitor/monitor_maps.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/path.h"
#include "base/words.h"
#include "picture/kit/page.h"
#include "picture/kit/verdict_head.h"
#include "picture/monitor/monitor_lines.h"

enum { GRIDS_MAX = 16, RANK_PANELS = 3 };
static const int64_t all_ranks = INT64_MIN;

// Everything one figure is made from.
typedef struct Maps {
    Arena *arena;
    const MonitorViews *views;
    const Verdict *verdict;
    MonitorFigures *out;
    const MonitorView *view;
    const MonitorGrid *grid;
    bool several_ops;  // the type has more than one statistic: file names tell which
} Maps;

static MonitorGrid *grid_of_type(MonitorGrid *grids, size_t count, Str type)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(grids[i].type_name, type))
            return &grids[i];
    return NULL;
}

// Names of files keep to letters, digits and a few signs.
static Str file_name(Arena *arena, const char *prefix, Str type, Str op, Str run)
{
    Str name = str_printf(arena, "%s-" STR_FMT "%s" STR_FMT "%s" STR_FMT, prefix, STR_ARG(type),
                          op.size ? "-" : "", STR_ARG(op), run.size ? "-" : "", STR_ARG(run));
    return path_safe(arena, name, 120);
}

static bool of_grid(const MonitorGrid *grid, const Alarm *alarm)
{
    return str_equal(alarm->type, grid->type_name) && alarm->level != ALARM_WEAK &&
           monitor_step_index(grid->run, alarm->step) != SIZE_MAX &&
           monitor_grid_object(grid, alarm->stage, alarm->name) != SIZE_MAX;
}

// The sound rule's alarm of a place speaks, where there is one: its history is a median.
static const Alarm *spokesman(const Alarms *alarms, size_t index)
{
    const Alarm *alarm = &alarms->items[index];
    for (size_t i = index + 1; i < alarms->count && alarms->items[i].step == alarm->step; i++) {
        const Alarm *other = &alarms->items[i];
        if (alarm->rule == ALARM_TURBULENCE && other->rule == ALARM_DRIFT &&
            other->rank == alarm->rank && other->micro == alarm->micro &&
            other->stage == alarm->stage && str_equal(other->type, alarm->type) &&
            str_equal(other->name, alarm->name))
            return other;
    }
    return alarm;
}

// Without an alarm of any run: the picture shows the target, and of it what lies apart from golden.
static bool shows_apart(const Maps *maps)
{
    return monitor_status(maps->views) == MONITOR_APART && maps->view != maps->views->items &&
           str_equal(maps->views->apart.type, maps->grid->type_name);
}

// What a picture says is true of what it shows: its own first NaN or infinity, else its first
// alarm, or that it has none.
static void own_verdict(const Maps *maps, Verdict *verdict)
{
    const Alarms *alarms = &maps->view->alarms;
    size_t told = alarms->count, first = told;
    for (size_t i = 0; i < alarms->count; i++) {
        if (!of_grid(maps->grid, &alarms->items[i]))
            continue;
        if (first == alarms->count)
            told = first = i;
        if (alarm_is_broken(&alarms->items[i])) {
            told = i;
            break;
        }
    }
    if (told < alarms->count)
        monitor_alarm_verdict(spokesman(alarms, told), spokesman(alarms, first), maps->arena,
                              verdict);
    else if (verdict->style == STYLE_ERROR && !shows_apart(maps))
        monitor_no_alarm_verdict(maps->views, maps->view, maps->grid->type_name, maps->arena,
                                 verdict);
}

// "grad_reduced, norm · 4 ranks, 30 steps, 43 names · colour = ratio to …"
static Verdict figure_verdict(const Maps *maps, const char *scale)
{
    const MonitorGrid *grid = maps->grid;
    Verdict verdict = *maps->verdict;
    StrBuf text = strbuf_new(maps->arena);
    if (maps->views->count > 1)
        strbuf_printf(&text, STR_FMT ": ", STR_ARG(maps->view->run.name));
    strbuf_printf(&text, tr(STR_FMT ", " STR_FMT), STR_ARG(grid->type_name),
                  STR_ARG(grid->op_name));
    strbuf_add(&text, STR(" · "));
    strbuf_add(&text, monitor_extent(grid->rank_count, grid->run->step_count, grid->object_count,
                                     maps->arena));
    strbuf_printf(&text, " · %s", scale);
    verdict.context = strbuf_str(&text);
    own_verdict(maps, &verdict);
    return verdict;
}

// ---- notes

static Str ratio_text(double cell, Arena *arena)
{
    char text[NUMBER_BYTES];
    if (isnan(cell))
        return STR("NaN");
    double ratio = pow(10, cell);
    if (ratio < 1) {
        number_significant(1 / ratio, 3, text);
        return ratio > 1e-9 ? str_printf(arena, "÷%s", text) : STR("0");
    }
    number_significant(ratio, 3, text);
    return str_printf(arena, "×%s", text);
}

// The largest departure of the other ranks at that step: "other ranks ≤ ×1.10".
static Str other_ranks(const MonitorGrid *grid, const Alarm *alarm, Arena *arena)
{
    size_t o = monitor_grid_object(grid, alarm->stage, alarm->name);
    size_t step = monitor_step_index(grid->run, alarm->step);
    double worst = 0;
    bool any = false;
    for (size_t s = grid->objects[o].from; s < grid->objects[o].to; s++) {
        const MonitorSeries *series = &grid->run->series[s];
        if (series->rank == alarm->rank || series->object.op != grid->op)
            continue;
        for (size_t i = 0; i < series->count; i++)
            if (series->points[i].step == step) {
                double cell = monitor_grid_cell(grid, s, series->points[i].value);
                any = true;
                if (isnan(cell))
                    return str_of(tr("other ranks have it too"));
                worst = fabs(cell) > fabs(worst) ? cell : worst;
            }
    }
    if (!any)
        return STR("");
    return str_printf(arena, tr("other ranks at most " STR_FMT), STR_ARG(ratio_text(worst, arena)));
}

static Str alarm_text(const MonitorGrid *grid, const Alarm *alarm, Arena *arena)
{
    if (alarm->rule == ALARM_SIMILARITY)
        return isnan(alarm->history)
                   ? str_printf(arena, tr("%.4f, below 0.97 (GradSimilarity)"), alarm->value)
                   : str_printf(arena, tr("%.4f after %.4f (GradSimilarity)"), alarm->value,
                                alarm->history);
    Str others = other_ranks(grid, alarm, arena);
    StrBuf text = strbuf_new(arena);
    if (isnan(alarm->value))
        strbuf_add(&text, str_of(tr("not a number")));
    else if (isfinite(alarm->ratio))
        strbuf_printf(&text, tr(STR_FMT " its history"),
                      STR_ARG(ratio_text(alarm->ratio > 0 ? log10(alarm->ratio) : -9, arena)));
    else
        strbuf_add(&text, str_of(tr("beyond any bound")));
    if (alarm->last_step > alarm->step)
        strbuf_printf(&text, tr(", until step %lld"), (long long)alarm->last_step);
    if (others.size)
        strbuf_printf(&text, tr("; " STR_FMT), STR_ARG(others));
    strbuf_printf(&text, " (%s)", alarm_rule_name(alarm->rule));
    return strbuf_str(&text);
}

static Str note_head(const Alarm *alarm, Arena *arena)
{
    Str stage = alarm->stage > 0 ? str_printf(arena, tr(" (stage %lld)"), (long long)alarm->stage)
                                 : STR("");
    return str_printf(arena, tr("rank %lld, step %lld: " STR_FMT STR_FMT), (long long)alarm->rank,
                      (long long)alarm->step, STR_ARG(alarm->name), STR_ARG(stage));
}

// One disc an object and rank: the alarms after its first are the same event, or in the table.
static bool noted_before(const HeatNote *notes, const Alarm *const *of, size_t count,
                         const HeatNote *note, const Alarm *alarm)
{
    for (size_t i = 0; i < count; i++)
        if ((notes[i].panel == note->panel && notes[i].row == note->row &&
             notes[i].column == note->column) ||
            (of[i]->rank == alarm->rank && of[i]->stage == alarm->stage &&
             str_equal(of[i]->name, alarm->name)))
            return true;
    return false;
}

// Where an alarm is in a figure; false if it has no place there.
typedef bool (*NotePlace)(const Maps *maps, const HeatMap *map, const Alarm *alarm, HeatNote *out);

static void add_notes(const Maps *maps, HeatMap *map, NotePlace place)
{
    HeatNote *notes = ARENA_ARRAY(maps->arena, HeatNote, HEAT_NOTES_MAX);
    const Alarm *of[HEAT_NOTES_MAX];
    const Alarms *alarms = &maps->view->alarms;
    map->notes = notes;
    for (size_t i = 0; i < alarms->count && map->note_count < HEAT_NOTES_MAX; i++) {
        HeatNote note = {0};
        if (!of_grid(maps->grid, &alarms->items[i]) ||
            !place(maps, map, &alarms->items[i], &note) ||
            noted_before(notes, of, map->note_count, &note, &alarms->items[i]))
            continue;
        of[map->note_count] = &alarms->items[i];
        const Alarm *alarm = spokesman(alarms, i);
        note.head = note_head(alarm, maps->arena);
        note.text = alarm_text(maps->grid, alarm, maps->arena);
        notes[map->note_count++] = note;
    }
}

// ---- figures

static MonitorFigure *add_figure(Maps *maps, MonitorFigureKind kind, const char *prefix,
                                 Str heading)
{
    Str run = maps->views->count > 1 ? maps->view->run.name : STR("");
    MonitorFigure *figure = ARRAY_PUSH(maps->arena, maps->out);
    *figure =
        (MonitorFigure){.kind = kind,
                        .file = file_name(maps->arena, prefix, maps->grid->type_name,
                                          maps->several_ops ? maps->grid->op_name : STR(""), run),
                        .heading = heading,
                        .run = run,
                        .scene = ARENA_NEW(maps->arena, Scene)};
    scene_init(figure->scene, maps->arena, str_cstr(maps->arena, figure->file), PAGE_WIDTH);
    return figure;
}

// Of several runs the picture says whose it is.
static void finish(const Maps *maps, MonitorFigure *figure, const Verdict *verdict)
{
    Str kind = figure->heading;
    if (figure->run.size)
        kind = str_printf(maps->arena, STR_FMT ": " STR_FMT, STR_ARG(figure->run), STR_ARG(kind));
    figure->scene = picture_with_verdict(figure->scene, verdict, maps->arena);
    picture_title_as(figure->scene, kind, verdict->sentence, maps->arena);
    figure->scene->caption = figure->scene->title;
}

static void draw(Maps *maps, MonitorFigure *figure, const HeatMap *map, const char *scale)
{
    Verdict verdict = figure_verdict(maps, scale);
    figure->scene->description = verdict.context;
    heatmap_draw(figure->scene, map);
    finish(maps, figure, &verdict);
}

static HeatMap map_of_objects(const Maps *maps)
{
    static const char *const shares[] = {"≤ −0.06", "−0.03", "0", "+0.03", "≥ +0.06"};
    const MonitorGrid *grid = maps->grid;
    return (HeatMap){.rows = grid->rows,
                     .row_count = grid->row_count,
                     .columns = grid->columns,
                     .column_count = grid->column_count,
                     .steps_a_column = grid->steps_a_column,
                     .column_title = str_of(tr("step")),
                     .scale_title = str_printf(maps->arena,
                                               grid->is_share ? tr(STR_FMT " − median")
                                                              : tr(STR_FMT " / median"),
                                               STR_ARG(grid->op_name)),
                     .scale_labels = grid->is_share ? shares : NULL,
                     .absent_text = str_of(tr("no value")),
                     .absent_row = str_of(tr("not on this rank"))};
}

static bool rank_has_alarm(const Maps *maps, int64_t rank)
{
    for (size_t i = 0; i < maps->view->alarms.count; i++)
        if (maps->view->alarms.items[i].rank == rank &&
            of_grid(maps->grid, &maps->view->alarms.items[i]))
            return true;
    return false;
}

// Up to four ranks are all shown; of more, all together and those with alarms, else the first.
static size_t choose_ranks(const Maps *maps, int64_t ranks[HEAT_PANELS_MAX])
{
    const MonitorGrid *grid = maps->grid;
    size_t count = 0;
    if (grid->rank_count <= HEAT_PANELS_MAX) {
        for (size_t i = 0; i < grid->rank_count; i++)
            ranks[count++] = grid->ranks[i];
        return count;
    }
    ranks[count++] = INT64_MIN;
    for (int wanted = 1; wanted >= 0; wanted--)
        for (size_t i = 0; i < grid->rank_count && count <= RANK_PANELS; i++)
            if (rank_has_alarm(maps, grid->ranks[i]) == (wanted == 1))
                ranks[count++] = grid->ranks[i];
    return count;
}

static size_t panel_of_rank(const HeatMap *map, int64_t rank, Arena *arena)
{
    Str title = str_printf(arena, tr("rank %lld"), (long long)rank);
    for (size_t p = 0; p < map->panel_count; p++)
        if (str_equal(map->panels[p].title, title))
            return p;
    return 0;
}

static bool place_in_layers(const Maps *maps, const HeatMap *map, const Alarm *alarm, HeatNote *out)
{
    size_t step = monitor_step_index(maps->grid->run, alarm->step);
    out->panel = panel_of_rank(map, alarm->rank, maps->arena);
    out->row = monitor_grid_row(maps->grid, alarm->stage, alarm->name);
    out->column = maps->grid->column_of[step];
    return true;
}

// "the first 20 steps", or fewer where there are no more.
static Str first_steps(const Maps *maps)
{
    size_t steps = maps->grid->run->step_count;
    if (steps <= MONITOR_BASE_STEPS)
        return str_of(tr("all steps"));
    return str_printf(maps->arena, tr("the first %d steps"), MONITOR_BASE_STEPS);
}

static const char *scale_text(const Maps *maps)
{
    if (maps->grid->is_share)
        return tr("colour = difference from the row's median");
    return str_cstr(maps->arena,
                    str_printf(maps->arena, tr("colour = ratio to the row's median over " STR_FMT),
                               STR_ARG(first_steps(maps))));
}

// Of 4 ranks and more: see GridFill.
static const char *rank_scale_text(const Maps *maps)
{
    return maps->grid->rank_count < 4 ? scale_text(maps)
                                      : tr("colour = against the median of all ranks at that step, "
                                           "each by its own history");
}

static MonitorFigure *draw_layers(Maps *maps)
{
    const MonitorGrid *grid = maps->grid;
    int64_t ranks[HEAT_PANELS_MAX] = {0};
    size_t count = choose_ranks(maps, ranks);
    HeatPanel *panels = ARENA_ARRAY(maps->arena, HeatPanel, HEAT_PANELS_MAX);
    HeatMap map = map_of_objects(maps);
    map.panels = panels;
    map.panel_count = count;
    // What all ranks do at once is seen where they are together, what one does among the others.
    bool together = ranks[0] == INT64_MIN;
    GridFill fill = {.ranks = ranks, .panels = together ? 1 : count, .step = SIZE_MAX};
    GridFill apart = {.ranks = ranks + 1,
                      .panels = together ? count - 1 : 0,
                      .step = SIZE_MAX,
                      .among_ranks = true};
    double **cells = monitor_grid_fill(grid, &fill, maps->arena);
    double **others = monitor_grid_fill(grid, &apart, maps->arena);
    for (size_t p = 0; p < count; p++) {
        panels[p].cells = p && together ? others[p - 1] : cells[p];
        if (ranks[p] == INT64_MIN)
            panels[p].title = str_printf(maps->arena, tr("all %zu ranks"), grid->rank_count);
        else
            panels[p].title = str_printf(maps->arena, tr("rank %lld"), (long long)ranks[p]);
        if (together)
            panels[p].note = str_of(p ? tr("against the other ranks") : tr("largest departure"));
    }
    add_notes(maps, &map, place_in_layers);
    MonitorFigure *figure =
        add_figure(maps, FIGURE_LAYERS, "layers",
                   str_printf(maps->arena, tr(STR_FMT ", " STR_FMT ": layer by step"),
                              STR_ARG(grid->type_name), STR_ARG(grid->op_name)));
    draw(maps, figure, &map, scale_text(maps));
    return figure;
}

// ---- rank by step

typedef struct RankRows {
    HeatRow *rows;
    size_t count, span;  // ranks a row
} RankRows;

static RankRows rank_rows(const MonitorGrid *grid, Arena *arena)
{
    RankRows out = {.span = (grid->rank_count + HEAT_ROWS_MAX - 1) / HEAT_ROWS_MAX};
    out.rows = ARENA_ARRAY(arena, HeatRow, grid->rank_count + 1);
    for (size_t from = 0; from < grid->rank_count; from += out.span) {
        size_t last = from + out.span - 1;
        last = last < grid->rank_count ? last : grid->rank_count - 1;
        Str label = out.span == 1
                        ? str_printf(arena, tr("rank %lld"), (long long)grid->ranks[from])
                        : str_printf(arena, tr("ranks %lld–%lld"), (long long)grid->ranks[from],
                                     (long long)grid->ranks[last]);
        out.rows[out.count++] = (HeatRow){.label = label, .title = label};
    }
    return out;
}

// The first objects with alarms; without any, none.
static size_t choose_objects(const Maps *maps, size_t objects[HEAT_PANELS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < maps->view->alarms.count && count < HEAT_PANELS_MAX; i++) {
        const Alarm *alarm = &maps->view->alarms.items[i];
        if (!of_grid(maps->grid, alarm))
            continue;
        size_t object = monitor_grid_object(maps->grid, alarm->stage, alarm->name);
        bool known = false;
        for (size_t j = 0; j < count; j++)
            known = known || objects[j] == object;
        if (!known)
            objects[count++] = object;
    }
    return count;
}

static bool place_in_ranks(const Maps *maps, const HeatMap *map, const Alarm *alarm, HeatNote *out)
{
    size_t span = (maps->grid->rank_count + HEAT_ROWS_MAX - 1) / HEAT_ROWS_MAX;
    size_t object = monitor_grid_object(maps->grid, alarm->stage, alarm->name);
    size_t objects[HEAT_PANELS_MAX];
    size_t count = choose_objects(maps, objects);
    for (size_t p = 0; p < count && p < map->panel_count; p++)
        if (objects[p] == object) {
            out->panel = p;
            out->row = monitor_grid_rank(maps->grid, alarm->rank) / span;
            out->column = maps->grid->column_of[monitor_step_index(maps->grid->run, alarm->step)];
            return true;
        }
    return false;
}

static void draw_ranks(Maps *maps)
{
    const MonitorGrid *grid = maps->grid;
    size_t objects[HEAT_PANELS_MAX];
    size_t count = choose_objects(maps, objects);
    if (count == 0 || grid->rank_count < 2)
        return;
    RankRows rows = rank_rows(grid, maps->arena);
    HeatPanel *panels = ARENA_ARRAY(maps->arena, HeatPanel, HEAT_PANELS_MAX);
    HeatMap map = map_of_objects(maps);
    map.rows = rows.rows;
    map.row_count = rows.count;
    map.panels = panels;
    map.panel_count = count;
    map.absent_row = str_of(tr("has no such object"));
    for (size_t p = 0; p < count; p++) {
        const GridObject *object = &grid->objects[objects[p]];
        GridFill fill = {.only = object,
                         .ranks = &all_ranks,
                         .panels = 1,
                         .step = SIZE_MAX,
                         .rank_rows = rows.span,
                         .among_ranks = true};
        panels[p].cells = *monitor_grid_fill(grid, &fill, maps->arena);
        panels[p].title = object->name;
        if (object->stage > 0)
            panels[p].note = str_printf(maps->arena, tr("stage %lld"), (long long)object->stage);
    }
    add_notes(maps, &map, place_in_ranks);
    MonitorFigure *figure =
        add_figure(maps, FIGURE_RANKS, "ranks",
                   str_printf(maps->arena, tr(STR_FMT ", " STR_FMT ": rank by step"),
                              STR_ARG(grid->type_name), STR_ARG(grid->op_name)));
    draw(maps, figure, &map, rank_scale_text(maps));
}

// ---- rank by layer

static const double *cells_at_step(const MonitorGrid *grid, size_t step, Arena *arena)
{
    GridFill fill = {
        .ranks = &all_ranks, .panels = 1, .step = step, .rank_columns = true, .among_ranks = true};
    return *monitor_grid_fill(grid, &fill, arena);
}

static bool place_at_step(const Maps *maps, const HeatMap *map, const Alarm *alarm, HeatNote *out)
{
    out->panel = map->panel_count - 1;
    if (map->panel_count == 2 &&
        str_equal(map->panels[0].title,
                  str_printf(maps->arena, tr("at step %lld"), (long long)alarm->step)))
        out->panel = 0;
    out->row = monitor_grid_row(maps->grid, alarm->stage, alarm->name);
    out->column = monitor_grid_rank(maps->grid, alarm->rank);
    return true;
}

static void draw_at_step(Maps *maps)
{
    const MonitorGrid *grid = maps->grid;
    if (grid->rank_count < 2)
        return;
    HeatPanel *panels = ARENA_ARRAY(maps->arena, HeatPanel, 2);
    HeatMap map = map_of_objects(maps);
    map.panels = panels;
    map.columns = grid->ranks;
    map.column_count = grid->rank_count;
    map.steps_a_column = 1;
    map.column_title = str_of(tr("rank"));
    map.absent_row = str_of(tr("no value"));
    for (size_t i = 0; i < maps->view->alarms.count && map.panel_count == 0; i++) {
        const Alarm *alarm = &maps->view->alarms.items[i];
        if (!of_grid(grid, alarm))
            continue;
        size_t step = monitor_step_index(grid->run, alarm->step);
        panels[map.panel_count++] = (HeatPanel){
            .title = str_printf(maps->arena, tr("at step %lld"), (long long)alarm->step),
            .note = str_of(tr("of the first alarm")),
            .cells = cells_at_step(grid, step, maps->arena)};
    }
    panels[map.panel_count++] = (HeatPanel){.title = str_of(tr("all steps")),
                                            .note = str_of(tr("largest departure")),
                                            .cells = cells_at_step(grid, SIZE_MAX, maps->arena)};
    add_notes(maps, &map, place_at_step);
    MonitorFigure *figure =
        add_figure(maps, FIGURE_AT_STEP, "rank-layer",
                   str_printf(maps->arena, tr(STR_FMT ", " STR_FMT ": layer by rank"),
                              STR_ARG(grid->type_name), STR_ARG(grid->op_name)));
    draw(maps, figure, &map, rank_scale_text(maps));
}

// ---- all

static void draw_lines(Maps *maps)
{
    const MonitorGrid *grid = maps->grid;
    if (grid->run->step_count < 2)
        return;
    MonitorFigure *figure =
        add_figure(maps, FIGURE_LINES, "lines",
                   str_printf(maps->arena, tr(STR_FMT ", " STR_FMT ": every object over the steps"),
                              STR_ARG(grid->type_name), STR_ARG(grid->op_name)));
    Str scale =
        str_printf(maps->arena, tr("departure from the median over " STR_FMT ", one scale for all"),
                   STR_ARG(first_steps(maps)));
    Verdict verdict = figure_verdict(maps, str_cstr(maps->arena, scale));
    figure->scene->description = verdict.context;
    monitor_lines_draw(figure->scene, maps->view, grid);
    finish(maps, figure, &verdict);
}

static bool has_alarm(const Maps *maps)
{
    for (size_t i = 0; i < maps->view->alarms.count; i++)
        if (of_grid(maps->grid, &maps->view->alarms.items[i]))
            return true;
    return false;
}

// The data type to be seen first: that of the alarm that is reported, else reduced gradients, else
// the first.
static const MonitorGrid *main_grid(const MonitorView *view, MonitorGrid *grids, size_t count)
{
    const Alarm *told = alarms_gravest(&view->alarms);
    static const char *const preferred[] = {"grad_reduced", "grad_unreduced", "similarity"};
    MonitorGrid *found = told ? grid_of_type(grids, count, told->type) : NULL;
    for (size_t i = 0; i < sizeof preferred / sizeof *preferred && !found; i++)
        found = grid_of_type(grids, count, str_of(preferred[i]));
    return found ? found : &grids[0];
}

static void draw_view(Maps *maps, bool seen_first)
{
    MonitorGrid grids[GRIDS_MAX];
    size_t count = monitor_grids(&maps->view->run, GRIDS_MAX, maps->arena, grids);
    if (count == 0)
        return;
    const MonitorGrid *main = main_grid(maps->view, grids, count);
    for (size_t i = 0; i < count && maps->out->count < MONITOR_FIGURES_MAX; i++) {
        maps->grid = &grids[i];
        maps->several_ops = (i > 0 && grids[i - 1].type == grids[i].type) ||
                            (i + 1 < count && grids[i + 1].type == grids[i].type);
        MonitorFigure *figure = draw_layers(maps);
        figure->main = seen_first && &grids[i] == main;
        draw_lines(maps);
        if (has_alarm(maps) || &grids[i] == main) {
            draw_ranks(maps);
            draw_at_step(maps);
        }
    }
    maps->grid = NULL;
}

void monitor_figures(const MonitorViews *views, const Verdict *verdict, Arena *arena,
                     MonitorFigures *out)
{
    Maps maps = {.arena = arena, .views = views, .verdict = verdict, .out = out};
    for (size_t i = 0; i < views->count; i++) {
        maps.view = &views->items[i];
        draw_view(&maps, i == monitor_first_view(views));
    }
}
