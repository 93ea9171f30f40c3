// SPDX-License-Identifier: Apache-2.0
#include "picture/curves/curves_multiples.h"

#include <math.h>
#include <stdlib.h>

#include "base/words.h"
#include "picture/curves/curves_panels.h"
#include "picture/kit/chip.h"
#include "picture/kit/label_set.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "trend/curves/smooth.h"
#include "verdict/curves_verdict.h"
#include "verdict/figure_text.h"

enum { COLUMNS = 4, PANELS_MAX = 36, AXIS = 46, GAP = 20, PLOT = 64, WORDS = 40, PITCH = 130 };
enum { MATTERS_NOT, STANDS_OUT, NOT_A_NUMBER, BEYOND, MATTERS_COUNT };

// A run with its line, and its difference from golden where there is one.
typedef struct Member {
    const Run *run;
    const Series *series;
    const CurveComparison *comparison;  // NULL: not judged
    int matters;
    double far;  // from the others, or from golden
    bool shown;
} Member;

typedef struct Grid {
    const CurvesView *view;
    Scene *scene;
    Str series;
    Member *members;
    size_t count, left_out;
    bool judged;
    ChartPanel shared;  // the band, the levels and the range of every panel
    LabelSet names;
    ChartCounts counts;
    size_t beyond_left_out;
} Grid;

static bool is_broken(const Series *series)
{
    double last = series->points.value[series->count - 1];
    return !isfinite(last) && !point_is_absent(last);
}

static int how_much_it_matters(const CurvesView *view, const Member *member)
{
    if (member->comparison && member->comparison->beyond)
        return BEYOND;
    if (is_broken(member->series))
        return NOT_A_NUMBER;
    bool pale = member->run->role == ROLE_SINGLE || member->run->role == ROLE_TARGET_RUN;
    return pale && !curves_is_grey(view, member->run) ? STANDS_OUT : MATTERS_NOT;
}

static void add_member(Grid *grid, const Run *run, const CurveComparison *comparison)
{
    const Series *series = run_series(run, grid->series.data);
    if (!series || series->count == 0)
        return;
    Member *member = &grid->members[grid->count++];
    *member = (Member){.run = run, .series = series, .comparison = comparison};
    if (comparison && isfinite(comparison->band.late_mean))
        member->far = fabs(comparison->band.late_mean);
    member->matters = how_much_it_matters(grid->view, member);
}

// The loss; without one what the first run has first of what is shown.
static Str find_series(const CurvesView *view)
{
    const Runs *runs = view->report->runs;
    for (size_t i = 0; i < runs->count && curves_shown(view, STR("loss")); i++)
        if (run_series(&runs->items[i], "loss"))
            return STR("loss");
    for (size_t i = 0; i < runs->items[0].series_count; i++)
        if (curves_shown(view, runs->items[0].series[i].name))
            return runs->items[0].series[i].name;
    return STR("");
}

static int by_name(const void *a, const void *b)
{
    return str_compare_natural(((const Member *)a)->run->name, ((const Member *)b)->run->name);
}

// In the natural order of their names: seed2 before seed10.
static void find_members(Grid *grid)
{
    const CurveFindings *report = grid->view->report;
    Arena *arena = grid->scene->arena;
    grid->series = find_series(grid->view);
    grid->members = ARENA_ARRAY(arena, Member, report->count + report->runs->count + 1);
    for (size_t i = 0; i < report->count && grid->series.size; i++)
        if (str_equal(report->items[i].series, grid->series)) {
            add_member(grid, report->items[i].target, &report->items[i]);
            grid->judged = grid->judged || report->items[i].band.count > 0;
        }
    grid->count = grid->judged ? grid->count : 0;
    for (size_t i = 0; i < report->runs->count && grid->series.size && !grid->judged; i++)
        add_member(grid, &report->runs->items[i], NULL);
    if (grid->count > 1)
        qsort(grid->members, grid->count, sizeof *grid->members, by_name);
}

static bool tells_more(const Member *a, const Member *b)
{
    return a->matters != b->matters ? a->matters > b->matters : a->far > b->far;
}

// What has most to tell is shown, in the order of names.
static void choose_members(Grid *grid)
{
    for (size_t n = 0; n < PANELS_MAX && n < grid->count; n++) {
        size_t best = 0;
        while (grid->members[best].shown)
            best++;
        for (size_t i = best + 1; i < grid->count; i++)
            if (!grid->members[i].shown && tells_more(&grid->members[i], &grid->members[best]))
                best = i;
        grid->members[best].shown = true;
    }
    for (size_t i = 0; i < grid->count; i++) {
        grid->left_out += !grid->members[i].shown;
        grid->beyond_left_out += !grid->members[i].shown && grid->members[i].matters == BEYOND;
    }
}

// ---- The range and the ground of all panels

// One run far away would make the others flat: then it leaves its panel.
static const double RANGE_MOST = 2.5;

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

static void share_differences(Grid *grid)
{
    size_t count = 0;
    double *above = ARENA_ARRAY(grid->scene->arena, double, grid->count + 1);
    double *below = ARENA_ARRAY(grid->scene->arena, double, grid->count + 1);
    double *reach = ARENA_ARRAY(grid->scene->arena, double, grid->count + 1);
    for (size_t i = 0; i < grid->count; i++) {
        if (!grid->members[i].shown || grid->members[i].comparison->band.count == 0)
            continue;
        ChartPanel own;
        Arena *scratch = arena_new();
        curves_target_panel(grid->view, grid->members[i].comparison, scratch, &own);
        above[count] = own.high;
        below[count] = -own.low;
        reach[count++] = fmax(own.high, -own.low);
        arena_release(scratch);
    }
    double cap = RANGE_MOST * quantile_of(reach, count, 0.5);
    grid->shared.high = fmin(largest(above, count), cap);
    grid->shared.low = -fmin(largest(below, count), cap);
}

static void share_series(Grid *grid)
{
    Arena *arena = grid->scene->arena;
    ChartPanel all;
    curves_overlay_panel(grid->view, str_cstr(arena, grid->series), arena, &all);
    grid->shared =
        (ChartPanel){.log = all.log, .low = all.low, .high = all.high, .empty = all.empty};
    curves_most_band(grid->view, str_cstr(arena, grid->series), arena, &grid->shared.band);
}

// ---- A panel

// "2.02 at 300", or from where on there is no number.
static Str course_text(const Grid *grid, const Member *member)
{
    const Series *series = member->series;
    Arena *arena = grid->scene->arena;
    size_t end = series->count;
    while (end > 0 && !isfinite(series->points.value[end - 1]))
        end--;
    if (end < series->count && is_broken(series))
        return str_printf(arena, tr("no number from %s " STR_FMT " on"), grid->view->x_unit,
                          STR_ARG(curves_x_label(grid->view, series->points.x[end], arena)));
    if (end == 0)
        return str_of(tr("no finite value"));
    Str value = figure_number(series->points.value[end - 1], 4, arena);
    return str_printf(arena, tr(STR_FMT " at " STR_FMT), STR_ARG(value),
                      STR_ARG(curves_x_label(grid->view, series->points.x[end - 1], arena)));
}

// From where on, and how far the run ends from golden.
static Str judged_text(const Grid *grid, const CurveComparison *comparison, const Verdict *verdict)
{
    Arena *arena = grid->scene->arena;
    Str late = STR("");
    double mean = comparison->band.late_mean;
    if (!comparison->stats.one_sided && isfinite(mean))
        late = str_printf(arena, "%s" STR_FMT, mean > 0 ? "+" : "",
                          STR_ARG(figure_number(mean, 2, arena)));
    if (verdict->place.size == 0)
        return late;
    return str_printf(arena, STR_FMT " " STR_FMT "%s" STR_FMT, STR_ARG(verdict->joint),
                      STR_ARG(verdict->place), late.size ? " · " : "", STR_ARG(late));
}

static void draw_words(Grid *grid, const Member *member, double x, double y, double width)
{
    Scene *scene = grid->scene;
    Arena *arena = scene->arena;
    double text_x = x;
    Verdict verdict = {.style = STYLE_PLAIN};
    if (member->comparison)
        curves_verdict_of(grid->view->report, member->comparison, arena, &verdict);
    if (chip_draw_style(scene, x, y + 2, 13, verdict.style))
        text_x += 18;
    Str name = curves_run_name(grid->view, member->run, CURVES_NAME_ROOM, arena);
    Str fitted = label_fit(&grid->names, name, SIZE_TEXT, 600, x + width - text_x, arena);
    RunLook look = curves_run_look(grid->view, member->run);
    Item *item = scene_text(scene, text_x, y + 13, SIZE_TEXT, 600, ANCHOR_START,
                            look.role == ROLE_INK3 ? ROLE_INK : look.role, fitted);
    if (!str_equal(fitted, member->run->name))
        scene_title(scene, item, STR_FMT, STR_ARG(member->run->name));
    Str rest = course_text(grid, member);
    if (member->comparison)
        rest = judged_text(grid, member->comparison, &verdict);
    double room = width - text_width(verdict.word, SIZE_NOTE, 600) - 5;
    rest = text_fit(rest, SIZE_NOTE, 400, room, arena);
    const Span spans[] = {
        {.text = verdict.word, .weight = 600, .role = ROLE_INK},
        {.text = rest, .role = ROLE_INK2, .dx = verdict.word.size ? 5 : 0},
    };
    scene_spans(scene, x, y + 28, SIZE_NOTE, ANCHOR_START, ROLE_INK2,
                verdict.word.size ? spans : spans + 1, verdict.word.size ? 2 : 1);
}

static void draw_member(Grid *grid, const Member *member, size_t place, size_t shown, double y)
{
    double pitch = (PAGE_WIDTH - 2 * PAGE_MARGIN - AXIS + GAP) / (double)COLUMNS;
    size_t column = place % COLUMNS;
    ChartFrame frame = {.small = true, .column = 2, .time = grid->view->over_time};
    frame.left = PAGE_MARGIN + AXIS + pitch * (double)column;
    frame.right = frame.left + pitch - GAP;
    frame.no_values = column > 0;
    frame.no_steps = place + COLUMNS < shown;
    curves_extent(grid->view, &frame.first, &frame.last);
    Arena *scratch = arena_new();
    ChartPanel panel = grid->shared;
    if (member->comparison && member->comparison->band.count) {
        curves_target_panel(grid->view, member->comparison, scratch, &panel);
        panel.low = grid->shared.low;
        panel.high = grid->shared.high;
    } else if (!member->comparison) {
        curves_add_run(grid->view, member->run, member->series, scratch, &panel);
    }
    panel.height = PLOT;
    draw_words(grid, member, frame.left, y, frame.right - frame.left);
    chart_panel(grid->scene, &frame, &panel, y + WORDS - CHART_HEADING, &grid->counts);
    arena_release(scratch);
}

// ---- The whole

static Str left_out_text(const Grid *grid)
{
    const CurveComparison *loss = grid->judged ? grid->members[0].comparison : NULL;
    if (grid->shared.band.count == 0 && !loss)
        return str_of(tr("all over the same axes"));
    if (!loss)
        return str_of(tr("all over the same axes; grey band: where the middle 8 of 10 runs lie"));
    return str_of(loss->has_band ? tr("all over the same axes; band = 3 sigma of the golden runs; "
                                      "number = mean of the last fifth")
                                 : tr("all over the same axes; band = the tolerance; "
                                      "number = mean of the last fifth"));
}

static double draw_key(Grid *grid, double y)
{
    Scene *scene = grid->scene;
    double x = PAGE_MARGIN + AXIS;
    if (grid->counts.nan) {
        cross_draw(scene, x + 4, y - 4, 3.5);
        x = key_word(scene, x + 14, y, str_of(tr("no number")));
    }
    if (grid->counts.clipped) {
        const double triangle[] = {x, y, x + 8, y, x + 4, y - 7};
        scene_polygon(scene, triangle, 3, ROLE_INK3, ROLE_NONE);
        x = key_word(scene, x + 14, y, str_of(tr("beyond the edge")));
    }
    if (grid->left_out) {
        Str text = str_printf(scene->arena,
                              tr_count(grid->left_out,
                                       "%zu more run is left out, %zu of these beyond tolerance",
                                       "%zu more runs are left out, %zu of these beyond tolerance"),
                              grid->left_out, grid->beyond_left_out);
        if (!grid->judged)
            text = str_printf(scene->arena,
                              tr_count(grid->left_out, "%zu more run, which ends as most do",
                                       "%zu more runs, which end as most do"),
                              grid->left_out);
        x = key_word(scene, x, y, text);
    }
    return x > PAGE_MARGIN + AXIS ? y + 14 : y - 10;
}

bool curves_multiples(const CurvesView *what, const char *id, Arena *arena, Scene *out)
{
    CurvesView view = *what;
    Grid *grid = ARENA_NEW(arena, Grid);
    *grid = (Grid){.view = &view, .scene = out};
    scene_init(out, arena, id, PAGE_WIDTH);
    curves_look_at_runs(&view, arena);
    find_members(grid);
    if (view.report->runs->count <= CURVES_MANY || grid->count < 2)
        return false;
    choose_members(grid);
    (grid->judged ? share_differences : share_series)(grid);
    Str heading = curves_heading(grid->series);
    if (grid->judged)
        heading = str_printf(arena, tr(STR_FMT ", target − golden"), STR_ARG(heading));
    section_heading(out, PAGE_MARGIN, 24, SIZE_HEADING, heading, left_out_text(grid));
    size_t place = 0, shown = grid->count - grid->left_out;
    for (size_t i = 0; i < grid->count; i++)
        if (grid->members[i].shown) {
            draw_member(grid, &grid->members[i], place, shown,
                        40 + (double)PITCH * (double)(place / COLUMNS));
            place++;
        }
    double below = 40 + (double)PITCH * (double)((shown + COLUMNS - 1) / COLUMNS);
    out->height = draw_key(grid, below + 14) + 10;
    return true;
}
