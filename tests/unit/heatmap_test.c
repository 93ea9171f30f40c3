// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/heatmap.h"

#include <math.h>

#include "base/sink.h"
#include "check.h"
#include "picture/kit/heatmap_cells.h"
#include "picture/monitor/monitor_grid.h"
#include "renderers/renderer.h"

typedef struct Sample {
    Arena *arena;
    HeatMap map;
    HeatRow *rows;
    HeatPanel *panels;
    double *cells;
    int64_t *columns;
    Scene scene;
} Sample;

static Sample sample(size_t rows, size_t columns)
{
    Sample s = {.arena = arena_new()};
    s.rows = ARENA_ARRAY(s.arena, HeatRow, rows + 1);
    s.columns = ARENA_ARRAY(s.arena, int64_t, columns + 1);
    s.cells = ARENA_ARRAY(s.arena, double, rows *columns + 1);
    s.panels = ARENA_NEW(s.arena, HeatPanel);
    for (size_t r = 0; r < rows; r++)
        s.rows[r] = (HeatRow){.label = str_printf(s.arena, "row %zu", r),
                              .title = str_printf(s.arena, "the whole name of row %zu", r)};
    for (size_t c = 0; c < columns; c++)
        s.columns[c] = (int64_t)c;
    *s.panels = (HeatPanel){.title = STR("rank 0"), .cells = s.cells};
    s.map = (HeatMap){.rows = s.rows,
                      .row_count = rows,
                      .panels = s.panels,
                      .panel_count = 1,
                      .columns = s.columns,
                      .column_count = columns,
                      .column_title = STR("step"),
                      .scale_title = STR("norm / median")};
    return s;
}

static void draw(Sample *s)
{
    scene_init(&s->scene, s->arena, "heat", 1200);
    heatmap_draw(&s->scene, &s->map);
}

static size_t count_fill(const Sample *s, Role role)
{
    size_t count = 0;
    for (size_t i = 0; i < s->scene.count; i++)
        count += s->scene.items[i].paint.fill == role;
    return count;
}

static void a_single_bad_step_among_many_stays_visible(void)
{
    Sample s = sample(3, 100000);
    s.cells[100000 + 77777] = log10(4);
    draw(&s);
    CHECK(count_fill(&s, (Role)(ROLE_HEAT + HEAT_STEPS - 1)) >= 2);  // the cell and the scale
    arena_release(s.arena);
}

static void nan_and_infinity_are_marks_and_never_a_colour(void)
{
    Sample s = sample(2, 10);
    s.cells[3] = heat_nan();
    s.cells[14] = heat_infinity();
    draw(&s);
    CHECK(count_fill(&s, ROLE_NAN) == 2);  // the cell and the legend
    CHECK(count_fill(&s, (Role)(ROLE_HEAT + HEAT_STEPS - 1)) == 1);
    arena_release(s.arena);
}

static void a_nan_wins_its_bin(void)
{
    Sample s = sample(1, 50000);
    s.cells[123] = heat_nan();
    s.cells[124] = log10(4);
    draw(&s);
    CHECK(count_fill(&s, ROLE_NAN) == 2);
    arena_release(s.arena);
}

static void the_scale_is_symmetric(void)
{
    CHECK(heat_step(0) == HEAT_STEPS / 2);
    CHECK(heat_step(-9) == 0 && heat_step(9) == HEAT_STEPS - 1);
    for (double x = 0; x < 1; x += 0.01)
        CHECK(heat_step(x) + heat_step(-x) == HEAT_STEPS - 1);
}

static void everything_lies_inside_the_picture(void)
{
    static const size_t rows[] = {0, 1, 30, 60, 160}, columns[] = {1, 2, 30, 1500};
    for (size_t r = 0; r < 5; r++)
        for (size_t c = 0; c < 4; c++) {
            Sample s = sample(rows[r], columns[c]);
            HeatNote notes[HEAT_NOTES_MAX];
            for (size_t i = 0; rows[r] && i < HEAT_NOTES_MAX; i++)
                notes[i] = (HeatNote){.row = (i * 7) % rows[r],
                                      .column = (i * 11) % columns[c],
                                      .head = STR("rank 0, step 3: layers.0.w"),
                                      .text = STR("why")};
            s.map.notes = notes;
            s.map.note_count = rows[r] ? HEAT_NOTES_MAX : 0;
            draw(&s);
            for (size_t i = 0; i < s.scene.count; i++) {
                const Item *item = &s.scene.items[i];
                if (item->kind != ITEM_BOX)
                    continue;
                CHECK(item->as.box.x >= 0 && item->as.box.x + item->as.box.width <= 1200);
                CHECK(item->as.box.y >= 0 &&
                      item->as.box.y + item->as.box.height <= s.scene.height);
            }
            arena_release(s.arena);
        }
}

static void a_noisy_map_stays_within_the_budget_of_a_ticket(void)
{
    Sample s = sample(HEAT_ROWS_MAX, 1500);
    unsigned random = 1;
    for (size_t i = 0; i < HEAT_ROWS_MAX * 1500; i++) {
        random = random * 1103515245u + 12345u;
        s.cells[i] = ((double)(random >> 16 & 0x7fff) / 0x7fff - 0.5) * 1.2;
    }
    draw(&s);
    const Renderer *svg = renderer_by_name(STR("svg"));
    Theme theme = {0};
    RenderOptions options = {.theme = &theme, .mode = THEME_AUTO};
    Sink *sink = sink_memory(s.arena);
    Error err;
    CHECK(svg && svg->write_scene(&s.scene, &options, sink, &err));
    CHECK(sink_bytes(sink).size <= 300000);
    CHECK(sink_commit(sink, &err));
    arena_release(s.arena);
}

static void ticks_of_steps_do_not_touch(void)
{
    Sample s = sample(1, 1500);
    for (size_t c = 0; c < 1500; c++)
        s.columns[c] = (int64_t)(c * 1000);
    draw(&s);
    double last = -100;
    for (size_t i = 0; i < s.scene.count; i++) {
        const Item *item = &s.scene.items[i];
        if (item->kind != ITEM_TEXT || item->as.text.anchor != ANCHOR_MIDDLE ||
            item->as.text.size != 11 || item->as.text.y > s.scene.height - 60)
            continue;
        CHECK(item->as.text.x - last > 20);
        last = item->as.text.x;
    }
    CHECK(last > 1000);
    arena_release(s.arena);
}

// ---- grids

static MonitorRun run_of(Arena *arena, size_t names, size_t steps)
{
    MonitorRun run = {.arena = arena, .names = names_new(arena), .rank_count = 1};
    int64_t *numbers = ARENA_ARRAY(arena, int64_t, steps);
    for (size_t i = 0; i < steps; i++)
        numbers[i] = (int64_t)i + (i >= steps / 2 ? 1000 : 0);
    run.steps = numbers;
    run.step_count = steps;
    run.ranks = ARENA_NEW(arena, int64_t);
    run.series = ARENA_ARRAY(arena, MonitorSeries, names);
    run.series_count = names;
    for (size_t n = 0; n < names; n++) {
        MonitorPoint *points = ARENA_ARRAY(arena, MonitorPoint, steps);
        for (size_t i = 0; i < steps; i++)
            points[i] = (MonitorPoint){(uint32_t)i, 2};
        Str name = str_printf(arena, "layers.%zu.mlp.w%zu.weight", n / 4, n % 4);
        run.series[n] =
            (MonitorSeries){.object = {.type = names_add(run.names, STR("grad_reduced")),
                                       .name = names_add(run.names, name),
                                       .op = names_add(run.names, STR("norm")),
                                       .micro = MONITOR_NONE},
                            .order = (uint32_t)n,
                            .points = points,
                            .count = steps};
    }
    return run;
}

static void gaps_of_steps_are_columns_of_their_own(void)
{
    Arena *arena = arena_new();
    MonitorRun run = run_of(arena, 8, 20);
    MonitorGrid grid;
    CHECK(monitor_grids(&run, 1, arena, &grid) == 1);
    CHECK(grid.column_count == 21 && grid.columns[10] == INT64_MIN);
    CHECK(grid.row_count == 8);
    CHECK_TEXT(grid.rows[5].label, "w1");
    CHECK_TEXT(grid.rows[5].group, "layers.1");
    arena_release(arena);
}

static void many_objects_become_rows_of_layers(void)
{
    Arena *arena = arena_new();
    MonitorRun run = run_of(arena, 400, 4);
    MonitorGrid grid;
    CHECK(monitor_grids(&run, 1, arena, &grid) == 1);
    CHECK(grid.rows_are_many && grid.row_count == 100);
    MonitorRun large = run_of(arena, 4000, 4);
    CHECK(monitor_grids(&large, 1, arena, &grid) == 1);
    CHECK(grid.rows_are_many && grid.row_count <= HEAT_ROWS_MAX);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(a_single_bad_step_among_many_stays_visible);
    CHECK_RUN(nan_and_infinity_are_marks_and_never_a_colour);
    CHECK_RUN(a_nan_wins_its_bin);
    CHECK_RUN(the_scale_is_symmetric);
    CHECK_RUN(everything_lies_inside_the_picture);
    CHECK_RUN(a_noisy_map_stays_within_the_budget_of_a_ticket);
    CHECK_RUN(ticks_of_steps_do_not_touch);
    CHECK_RUN(gaps_of_steps_are_columns_of_their_own);
    CHECK_RUN(many_objects_become_rows_of_layers);
    return CHECK_RESULT;
}
