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
    CHECK(pages >= 1 && pages <= 12);
    CHECK(steps * ranks < 3000 || calm || pages > 1);
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

static void pages_show_every_cell_that_differs(void)
{
    Arena *arena = arena_new();
    Cells cells = {ARENA_ARRAY(arena, MatrixCell, 40 * 100), 40 * 100};
    for (size_t i = 0; i < cells.count; i++)
        cells.items[i] = (MatrixCell){.step = (int64_t)(i / 100),
                                      .rank = (int64_t)(i % 100),
                                      .status = STATUS_ERROR,
                                      .kind = DIVERGE_OUTPUT,
                                      .op = STR("Functional.linear.8.forward"),
                                      .position = 62,
                                      .error = 0.5};
    Scene scene;
    matrix_picture(cells.items, cells.count, &(MatrixOptions){.origin = 0}, arena, &scene);
    size_t boxes = 0;
    for (const Scene *page = &scene; page; page = page->next)
        for (size_t i = 0; i < page->count; i++)
            boxes += page->items[i].kind == ITEM_BOX && page->items[i].as.box.height > 17 &&
                     page->items[i].as.box.height < 21;
    CHECK(scene.next && boxes == cells.count);
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
    CHECK_RUN(pages_show_every_cell_that_differs);
    CHECK_RUN(only_the_origin_is_solid);
    return CHECK_RESULT;
}
