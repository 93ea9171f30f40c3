// SPDX-License-Identifier: Apache-2.0
#include "base/sink.h"
#include "check.h"
#include "demo.h"
#include "layout_fixture.h"
#include "picture/kit/verdict_head.h"
#include "picture/overview/history_picture.h"
#include "renderers/svg.h"
#include "report/history/history_tables.h"

// A small generator of its own, so that every machine draws the same nights.
typedef struct Dice {
    uint32_t state;
} Dice;

static uint32_t roll(Dice *dice, uint32_t sides)
{
    dice->state = dice->state * 1664525U + 1013904223U;
    return (dice->state >> 8) % sides;
}

static const char *const names[] = {
    "module.decoder.layers.#", "编码器.层.#.注意力",
    "a.module.with.a.very.long.path.that.nobody.would.ever.write.by.hand.blocks.#.mlp", "#"};

static double value_of(Dice *dice)
{
    static const double values[] = {0, 1e-300, 3.2e-8, 1.5e-3, 1, 1e300};
    uint32_t kind = roll(dice, 24);
    return kind < 22 ? values[kind % 6] : kind == 22 ? (double)NAN : (double)INFINITY;
}

static void add_layer(Dice *dice, uint32_t layer, Arena *arena, HistoryNight *night)
{
    static const char *const metrics[] = {"forward", "backward", "parameters"};
    static const FactState states[] = {FACT_CALM,      FACT_CALM,    FACT_CALM,   FACT_CALM,
                                       FACT_INHERITED, FACT_WARNING, FACT_BEYOND, FACT_NONE};
    Str number = str_printf(arena, "%u", layer);
    HistoryFact fact = {.kind = STR("layer"),
                        .name = str_replace(arena, str_of(names[layer % 4]), STR("#"), number),
                        .state = states[roll(dice, 8)],
                        .position = layer};
    if (fact.state == FACT_BEYOND)
        fact.note = STR("Functional.linear.8.forward, step0/rank0");
    for (size_t i = 0; i < 3; i++) {
        fact.metric = str_of(metrics[i]);
        fact.value = value_of(dice);
        history_add(night, arena, fact);
    }
}

static History random_history(Dice *dice, size_t nights, uint32_t layers, Arena *arena)
{
    History out = {.command = STR("compare"), .items = ARENA_ARRAY(arena, HistoryNight, nights)};
    for (size_t i = 0; i < nights; i++) {
        HistoryNight *night = &out.items[out.count++];
        *night = (HistoryNight){.command = out.command,
                                .number = (int64_t)i + 1,
                                .label = str_printf(arena, "2026-%03zu", i),
                                .verdict = STR("a verdict"),
                                .state = (FactState)roll(dice, FACT_STATES),
                                .partial = roll(dice, 9) == 0};
        for (uint32_t layer = 0; layer < layers; layer++)
            if (roll(dice, 10))
                add_layer(dice, layer, arena, night);
        history_sort(night);
    }
    return out;
}

static void check_history(uint32_t seed, size_t nights, uint32_t layers)
{
    Dice dice = {seed};
    Arena *arena = arena_new();
    History history = random_history(&dice, nights, layers, arena);
    HistoryView view;
    Verdict verdict;
    Scene scene;
    Error err;
    history_view(&history, arena, &view);
    history_verdict(&view, 1, arena, &verdict);
    if (history_picture(&view, arena, &scene)) {
        const Scene *alone = picture_with_verdict(&scene, &verdict, arena);
        CHECK(scene_overlaps(alone) == 0);
        CHECK(scene_outside(alone) == 0);
        Sink *sink = sink_memory(arena);
        RenderOptions render = {.theme = demo_theme(), .mode = THEME_LIGHT};
        CHECK(svg_renderer.write_scene(alone, &render, sink, &err));
        CHECK(sink_bytes(sink).size <= 400000);
        sink_discard(sink);
    }
    CHECK(history_table_of_nights(&view, 0, arena)->row_count == nights);
    history_table_of_trends(&view, 0, arena);
    history_table_of_events(&view, 0, arena);
    arena_release(arena);
}

static void no_text_lies_over_another_in_any_history(void)
{
    static const size_t nights[] = {1, 2, 14, 16, 17, 31, 60, 61, 200};
    static const uint32_t layers[] = {0, 1, 7, 40, 41, 90};
    for (size_t i = 0; i < sizeof nights / sizeof *nights; i++)
        for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
            check_history((uint32_t)(i * 100 + k), nights[i], layers[k]);
}

static void a_history_without_a_judged_thing_has_no_picture(void)
{
    Arena *arena = arena_new();
    HistoryNight night = {.command = STR("compare"), .number = 1, .label = STR("x")};
    History history = {.command = STR("compare"), .items = &night, .count = 1};
    HistoryView view;
    Scene scene;
    history_view(&history, arena, &view);
    CHECK(!history_picture(&view, arena, &scene));
    CHECK(!history_table_of_events(&view, 0, arena));
    CHECK(!history_table_of_news(&view, 8, arena));
    arena_release(arena);
}

static void a_rank_that_is_missing_has_not_recovered(void)
{
    Arena *arena = arena_new();
    HistoryNight nights[3] = {{.number = 1}, {.number = 2}, {.number = 3}};
    History history = {.command = STR("compare"), .items = nights, .count = 3};
    HistoryThings things;
    size_t since;
    for (size_t i = 0; i < 3; i++) {
        history_add(&nights[i], arena,
                    (HistoryFact){.kind = STR("layer"),
                                  .name = STR("blocks.2"),
                                  .metric = STR("forward"),
                                  .state = i == 0 ? FACT_BEYOND : FACT_CALM});
        if (i != 1)
            history_add(&nights[i], arena,
                        (HistoryFact){.kind = STR("input"), .place = STR("step0/rank2")});
        history_sort(&nights[i]);
    }
    history_things(&history, arena, &things);
    CHECK(history_change(&things.items[0], 1, &since) == THING_UNKNOWN);
    CHECK(history_change(&things.items[0], 2, &since) == THING_RECOVERED);
    CHECK(since == 0);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(no_text_lies_over_another_in_any_history);
    CHECK_RUN(a_history_without_a_judged_thing_has_no_picture);
    CHECK_RUN(a_rank_that_is_missing_has_not_recovered);
    return CHECK_RESULT;
}
