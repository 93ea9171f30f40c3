// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/matrix.h"

#include "base/sink.h"
#include "check.h"
#include "demo.h"
#include "layout_fixture.h"
#include "picture/kit/verdict_head.h"
#include "renderers/svg.h"

typedef struct Cells {
    MatrixCell *items;
    size_t count;
} Cells;

// Every seventh pair differs, the dump of every thirteenth is missing on one side.
static Cells make_cells(size_t steps, size_t ranks, bool calm, Arena *arena)
{
    Cells out = {ARENA_ARRAY(arena, MatrixCell, steps * ranks), 0};
    for (size_t step = 0; step < steps; step++)
        for (size_t rank = 0; rank < ranks; rank++) {
            size_t i = out.count++;
            MatrixCell *cell = &out.items[i];
            *cell = (MatrixCell){.step = (int64_t)step * 100,
                                 .rank = (int64_t)rank,
                                 .status = STATUS_PASS,
                                 .error = (double)NAN};
            if (calm)
                continue;
            if (i % 7 == 3) {
                cell->status = i % 14 == 3 ? STATUS_ERROR : STATUS_WARNING;
                cell->kind = DIVERGE_INPUT;
                cell->op = STR("Distributed.all_reduce.3.forward");
                cell->position = 81;
                cell->error = 0.153;
                cell->differing = 12345;
            }
            cell->target_missing = i % 13 == 5;
            cell->failed = i % 29 == 11;
        }
    return out;
}

static void check_matrix(size_t steps, size_t ranks, bool calm)
{
    Arena *arena = arena_new();
    Cells cells = make_cells(steps, ranks, calm, arena);
    Verdict verdict = fixture_verdict();
    Scene scene;
    MatrixOptions options = {.origin = calm || cells.count < 4 ? SIZE_MAX : 3,
                             .golden = STR("gpu"),
                             .target = STR("npu")};
    matrix_picture(cells.items, cells.count, &options, arena, &scene);
    size_t pages = 0;
    for (const Scene *page = picture_with_verdict(&scene, &verdict, arena); page;
         page = page->next, pages++) {
        CHECK(scene_overlaps(page) == 0);
        CHECK(scene_outside(page) == 0);
        CHECK(page->width <= 1600 && page->height <= 8000);
        Error err;
        Sink *sink = sink_memory(arena);
        RenderOptions render = {.theme = demo_theme(), .mode = THEME_LIGHT};
        CHECK(svg_renderer.write_scene(page, &render, sink, &err));
        CHECK(sink_bytes(sink).size <= 300000);
        sink_discard(sink);
    }
    CHECK(pages == 1);
    arena_release(arena);
}

static void matrices_of_any_size_keep_clear(void)
{
    static const size_t sizes[][2] = {{1, 1},    {1, 2},    {3, 8},    {12, 8},   {2, 9},
                                      {3, 64},   {40, 1},   {100, 16}, {1, 1024}, {300, 2},
                                      {64, 256}, {1, 9000}, {0, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_matrix(sizes[i][0], sizes[i][1], false);
        check_matrix(sizes[i][0], sizes[i][1], true);
    }
}

// How many cells are drawn, and whether the rank of the origin has one.
static size_t count_cells(const Scene *scene)
{
    size_t cells = 0;
    for (size_t i = 0; i < scene->count; i++)
        cells += scene->items[i].kind == ITEM_BOX && scene->items[i].as.box.height > 70;
    return cells;
}

static void ranks_that_are_alike_share_a_column_and_the_origin_has_its_own(void)
{
    Arena *arena = arena_new();
    Cells cells = {ARENA_ARRAY(arena, MatrixCell, 2 * 1000), 2 * 1000};
    for (size_t i = 0; i < cells.count; i++)
        cells.items[i] = (MatrixCell){.step = (int64_t)(i / 1000),
                                      .rank = (int64_t)(i % 1000),
                                      .status = STATUS_ERROR,
                                      .kind = DIVERGE_INPUT,
                                      .op = STR("Functional.linear.8.forward"),
                                      .position = i % 1000 == 625 ? 41 : 62,
                                      .error = 0.5};
    Scene scene;
    matrix_picture(cells.items, cells.count, &(MatrixOptions){.origin = 625}, arena, &scene);
    CHECK(!scene.next && count_cells(&scene) == 4);
    for (size_t i = 0; i < cells.count; i++)  // no two alike
        cells.items[i].position = (uint32_t)i + 1;
    matrix_picture(cells.items, cells.count, &(MatrixOptions){.origin = 625}, arena, &scene);
    bool origin = false;
    for (size_t i = 0; i < scene.count; i++)
        origin |= scene.items[i].kind == ITEM_TEXT && scene.items[i].as.text.count &&
                  str_equal(scene.items[i].as.text.spans[0].text, STR("rank 625"));
    CHECK(!scene.next && count_cells(&scene) == 16 && origin);
    arena_release(arena);
}

static void only_the_origin_is_solid(void)
{
    Arena *arena = arena_new();
    Cells cells = make_cells(3, 8, false, arena);
    Scene scene;
    MatrixOptions options = {.origin = 3};
    matrix_picture(cells.items, cells.count, &options, arena, &scene);
    int solid = 0;
    for (size_t i = 0; i < scene.count; i++)
        solid += scene.items[i].kind == ITEM_BOX && scene.items[i].as.box.height > 50 &&
                 scene.items[i].paint.fill == ROLE_ERROR_FILL;
    CHECK(solid == 1);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(matrices_of_any_size_keep_clear);
    CHECK_RUN(ranks_that_are_alike_share_a_column_and_the_origin_has_its_own);
    CHECK_RUN(only_the_origin_is_solid);
    return CHECK_RESULT;
}
