// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/card.h"

#include "check.h"
#include "layout_fixture.h"
#include "picture/kit/verdict_head.h"

static void every_sample_that_diverges_has_a_clear_card(void)
{
    for (size_t i = 0; i < FIXTURE_SAMPLES; i++) {
        Arena *arena = arena_new();
        Comparison comparison;
        Verdict verdict = fixture_verdict();
        Scene card;
        if (fixture_sample(fixture_samples[i].sample, fixture_samples[i].target, arena,
                           &comparison)) {
            bool drawn = card_picture(&comparison, &(CardOptions){0}, arena, &card);
            CHECK(drawn == (comparison.first.kind != DIVERGE_NONE));
            if (drawn) {
                CHECK(scene_overlaps(&card) == 0);
                CHECK(scene_outside(&card) == 0);
                CHECK(card.width <= 900 && card.height < 1600);
                Scene *alone = picture_with_verdict(&card, &verdict, arena);
                CHECK(scene_overlaps(alone) == 0);
                CHECK(scene_outside(alone) == 0);
            }
        }
        arena_release(arena);
    }
}

// One op in the middle of a small model whose output differs by a factor.
static void planted(double factor, const char *layer_name, Arena *arena, Comparison *out)
{
    FixtureRun *runs = ARENA_ARRAY(arena, FixtureRun, 2);
    for (int side = 0; side < 2; side++) {
        fixture_begin(&runs[side], arena);
        for (int i = 0; i < 9; i++) {
            runs[side].output = side && i == 4 ? factor - 1 : 0;
            Str module = str_printf(arena, "Module.%s.%d.Linear.forward.0", layer_name, i);
            Str api = str_printf(arena, "Functional.linear.%d.forward", i);
            fixture_op(&runs[side], api, module);
            fixture_op(&runs[side], module, STR(""));
        }
        fixture_end(&runs[side]);
    }
    fixture_compare(&runs[0], &runs[1], arena, out);
}

static Str all_text(const Scene *scene, Arena *arena)
{
    StrBuf buf;
    buf = strbuf_new(arena);
    for (size_t i = 0; i < scene->count; i++)
        for (size_t k = 0; scene->items[i].kind == ITEM_TEXT && k < scene->items[i].as.text.count;
             k++) {
            strbuf_add(&buf, scene->items[i].as.text.spans[k].text);
            strbuf_add_char(&buf, ' ');
        }
    return strbuf_str(&buf);
}

static void the_card_names_the_op_and_what_its_numbers_say(void)
{
    Arena *arena = arena_new();
    Comparison comparison;
    Scene card;
    planted(4, "layers", arena, &comparison);
    CHECK(card_picture(&comparison, &(CardOptions){.world_size = 4}, arena, &card));
    Str text = all_text(&card, arena);
    CHECK(str_find(text, STR("layers.4"), 0) != SIZE_MAX);
    CHECK(str_find(text, STR("linear.4"), 0) != SIZE_MAX);
    CHECK(str_find(text, STR("all 4 times golden's, the number of ranks"), 0) != SIZE_MAX ||
          str_find(text, STR("all 4.0000 times golden's, the number of ranks"), 0) != SIZE_MAX);
    CHECK(str_find(text, STR("op 9 of 18"), 0) != SIZE_MAX);
    arena_release(arena);
}

static void any_name_stays_inside_the_card(void)
{
    static const char *const names[] = {
        "x", "一个非常长的模块名称用于测试标签是否会重叠或者离开图片边界以及更多的字",
        "naïve_Größe_и_ещё_немного_слов_без_пробелов_и_точек_в_одном_имени_и_ещё",
        "</title><script>alert(1)</script>", "a\tb\x1b[2Jc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Arena *arena = arena_new();
        Comparison comparison;
        Scene card;
        planted(2, names[i], arena, &comparison);
        CHECK(card_picture(&comparison, &(CardOptions){0}, arena, &card));
        CHECK(scene_overlaps(&card) == 0);
        CHECK(scene_outside(&card) == 0);
        arena_release(arena);
    }
}

int main(void)
{
    CHECK_RUN(every_sample_that_diverges_has_a_clear_card);
    CHECK_RUN_SHARED(every_sample_that_diverges_has_a_clear_card);
    CHECK_RUN(the_card_names_the_op_and_what_its_numbers_say);
    CHECK_RUN(any_name_stays_inside_the_card);
    return CHECK_RESULT;
}
