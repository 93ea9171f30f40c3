// SPDX-License-Identifier: Apache-2.0
#include "picture/curves/norms_picture.h"

#include <math.h>

#include "check.h"
#include "layout_fixture.h"
#include "picture/kit/verdict_head.h"
#include "verdict/norms_verdict.h"

enum { MANY = 90, SHOWN = 60 };

static Arena *arena;

// Weights w0, w1, … with errors that rise from 0 to 1 %, and one other.
static NormTable table_of(size_t count, size_t at, double error)
{
    NormTable table = {.items = ARENA_ARRAY(arena, NormPair, count), .count = count};
    for (size_t i = 0; i < count; i++) {
        double relative = i == at ? error : 0.009 * (double)i / (double)count;
        Str name = str_printf(arena, "layers.%zu.w", i);
        table.items[i] = (NormPair){.target = name,
                                    .golden = name,
                                    .golden_norm = 1,
                                    .target_norm = 1 + relative,
                                    .relative_error = relative,
                                    .share = 1 / (double)count};
    }
    localnorm_flag(&table, LOCALNORM_LOOK, arena);
    return table;
}

static size_t count_texts(const Scene *scene, const char *part)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->count; i++) {
        const Item *item = &scene->items[i];
        if (item->kind == ITEM_TEXT && item->as.text.count &&
            str_find(item->as.text.spans[0].text, str_of(part), 0) != SIZE_MAX)
            count++;
    }
    return count;
}

static Scene draw(const NormTable *table, Verdict *verdict)
{
    Scene scene;
    norms_verdict(table, false, arena, verdict);
    norms_picture(table, arena, &scene);
    scene = *picture_with_verdict(&scene, verdict, arena);
    CHECK(scene_outside(&scene) == 0 && scene_overlaps(&scene) == 0);
    return scene;
}

static void of_many_weights_the_largest_errors_are_drawn_in_the_order_of_the_network(void)
{
    Verdict verdict;
    NormTable table = table_of(MANY, 3, 0.2);
    Scene scene = draw(&table, &verdict);
    CHECK(count_texts(&scene, "the 60 largest errors of 90 weights") == 1);
    CHECK(count_texts(&scene, "layers.3.w") >= 1 && count_texts(&scene, "layers.89.w") == 1);
    CHECK(count_texts(&scene, "layers.5.w") == 0);
    size_t rows = 0;
    for (size_t i = 0; i < MANY; i++) {
        Str name = str_printf(arena, "layers.%zu.w", i);
        for (size_t k = 0; k < scene.count; k++)
            rows += scene.items[k].kind == ITEM_TEXT && scene.items[k].as.text.count &&
                    scene.items[k].as.text.size > 12.9F && scene.items[k].as.text.size < 13.1F &&
                    str_equal(scene.items[k].as.text.spans[0].text, name);
    }
    CHECK(rows == SHOWN);
}

static void a_weight_that_is_no_number_is_named_and_hides_no_other(void)
{
    for (size_t count = 5; count <= MANY; count += MANY - 5)
        for (size_t at = 0; at < count; at += count - 1) {
            Verdict verdict;
            NormTable table = table_of(count, at, NAN);
            Scene scene = draw(&table, &verdict);
            Str name = str_printf(arena, "layers.%zu.w", at);
            CHECK(str_equal(verdict.place, name) && verdict.style == STYLE_ERROR);
            CHECK(str_starts(verdict.reason, STR("its gradient norm is no number on one side; ")));
            CHECK(count_texts(&scene, str_cstr(arena, name)) >= 1);
            CHECK(
                count_texts(&scene, str_cstr(arena, str_printf(arena, "layers.%zu.w", count - 2))));
        }
}

static void weights_that_agree_are_said_to(void)
{
    Verdict verdict;
    NormTable table = table_of(5, 0, 0);
    Scene scene = draw(&table, &verdict);
    CHECK_TEXT(verdict.word, "AGREES");
    CHECK(verdict.style == STYLE_PASS && count_texts(&scene, "largest errors") == 0);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(of_many_weights_the_largest_errors_are_drawn_in_the_order_of_the_network);
    CHECK_RUN(a_weight_that_is_no_number_is_named_and_hides_no_other);
    CHECK_RUN(weights_that_agree_are_said_to);
    arena_release(arena);
    return CHECK_RESULT;
}
