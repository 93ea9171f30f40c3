// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "scene/scene.h"
#include "scene/table.h"

static void a_copied_scene_outlives_its_maker(void)
{
    Arena *arena = arena_new(), *short_lived = arena_new();
    Scene scene;
    PathStep steps[] = {
        {.verb = PATH_MOVE, .x = 1, .y = 2},
        {.verb = PATH_LINE, .x = 3, .y = 4},
    };
    scene_init(&scene, short_lived, "part", 100);
    scene.title = str_copy(short_lived, STR("a verdict"));
    scene_text(&scene, 1, 2, 12, 400, ANCHOR_START, ROLE_INK, STR("a text"));
    scene_path(&scene, steps, 2, ROLE_NONE, ROLE_INK);
    Scene *copy = scene_copy(&scene, arena);
    arena_release(short_lived);
    CHECK(copy->count == 2);
    CHECK(str_equal(copy->title, STR("a verdict")));
    CHECK(str_equal(copy->items[0].as.text.spans[0].text, STR("a text")));
    CHECK(copy->items[1].as.path.count == 2 && copy->items[1].as.path.steps[1].y == 4);
    arena_release(arena);
}

static void a_copied_table_keeps_its_first_rows_and_counts_the_others(void)
{
    static const Column columns[] = {{.title = {"name", 4}}};
    Arena *arena = arena_new(), *short_lived = arena_new();
    Table table;
    TableRows rows;
    Cell cell;
    table_init_rows(&table, &rows, "names", columns, 1, short_lived);
    for (int i = 0; i < 5; i++)
        *table_add_row(&table) = cell_text(str_printf(short_lived, "row %d", i));
    Table *copy = table_copy(&table, 2, arena);
    arena_release(short_lived);
    CHECK(copy->row_count == 2);
    CHECK(str_find(copy->note, STR("3 more rows"), 0) != SIZE_MAX);
    CHECK(copy->next(copy->state, &cell) && str_equal(cell.text, STR("row 0")));
    CHECK(copy->next(copy->state, &cell) && str_equal(cell.text, STR("row 1")));
    CHECK(!copy->next(copy->state, &cell));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(a_copied_scene_outlives_its_maker);
    CHECK_RUN(a_copied_table_keeps_its_first_rows_and_counts_the_others);
    return CHECK_RESULT;
}
