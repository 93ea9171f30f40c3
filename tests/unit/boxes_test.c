// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/boxes.h"

#include "base/sink.h"
#include "check.h"
#include "demo.h"
#include "layout_fixture.h"
#include "picture/kit/verdict_head.h"
#include "renderers/svg.h"

static void check_boxes(const Comparison *comparison, const BoxesOptions *options, Arena *arena)
{
    Verdict verdict = fixture_verdict();
    Scene scene;
    boxes_picture(comparison, options, arena, &scene);
    const Scene *alone = picture_with_verdict(&scene, &verdict, arena);
    CHECK(scene_overlaps(alone) == 0);
    CHECK(scene_outside(alone) == 0);
    CHECK(alone->width <= 1120 && alone->height <= 9000);
    Error err;
    Sink *sink = sink_memory(arena);
    RenderOptions render = {.theme = demo_theme(), .mode = THEME_DARK};
    CHECK(svg_renderer.write_scene(alone, &render, sink, &err));
    CHECK(sink_bytes(sink).size <= 400000);
    CHECK(options->boxes || sink_bytes(sink).size <= 300000);
    sink_discard(sink);
}

static void every_sample_has_clear_boxes(void)
{
    for (size_t i = 0; i < FIXTURE_SAMPLES; i++) {
        Arena *arena = arena_new();
        Comparison comparison;
        if (fixture_sample(fixture_samples[i].sample, fixture_samples[i].target, arena,
                           &comparison)) {
            check_boxes(&comparison, &(BoxesOptions){0}, arena);
            check_boxes(&comparison, &(BoxesOptions){.focus = comparison.tree_count / 2}, arena);
            check_boxes(&comparison, &(BoxesOptions){.boxes = 1000, .depth = 6}, arena);
        }
        arena_release(arena);
    }
}

static bool inside(const BoxShape *inner, const BoxShape *outer)
{
    return inner->x >= outer->x && inner->y >= outer->y &&
           inner->x + inner->width <= outer->x + outer->width &&
           inner->y + inner->height <= outer->y + outer->height;
}

static bool apart(const BoxShape *a, const BoxShape *b)
{
    return a->x + a->width <= b->x || b->x + b->width <= a->x || a->y + a->height <= b->y ||
           b->y + b->height <= a->y;
}

static void boxes_nest_or_stay_apart(void)
{
    Arena *arena = arena_new();
    FixtureRun golden, target;
    FixtureModel model = {.layers = 3, .pattern = FIXTURE_NOISY};
    fixture_model(&target, model, arena);
    model.golden = true;
    fixture_model(&golden, model, arena);
    Comparison comparison;
    fixture_compare(&golden, &target, arena, &comparison);
    Scene scene;
    boxes_picture(&comparison, &(BoxesOptions){.depth = 8}, arena, &scene);
    for (size_t i = 0; i < scene.count; i++)
        for (size_t k = i + 1; k < scene.count; k++) {
            const Item *a = &scene.items[i], *b = &scene.items[k];
            if (a->kind != ITEM_BOX || b->kind != ITEM_BOX || a->as.box.width < 60 ||
                b->as.box.width < 60)
                continue;
            CHECK(inside(&b->as.box, &a->as.box) || inside(&a->as.box, &b->as.box) ||
                  apart(&a->as.box, &b->as.box));
        }
    arena_release(arena);
}

static void large_and_deep_graphs_keep_the_page(void)
{
    static const FixturePattern patterns[] = {FIXTURE_CLEAN, FIXTURE_SCATTERED, FIXTURE_NOISY};
    for (size_t p = 0; p < 3; p++) {
        Arena *arena = arena_new();
        FixtureRun golden, target;
        FixtureModel model = {.layers = 400,
                              .pattern = patterns[p],
                              .layer_name =
                                  "一个非常长的模块名称用于测试标签是否会重叠或者离开图片边界"};
        fixture_model(&target, model, arena);
        model.golden = true;
        fixture_model(&golden, model, arena);
        Comparison comparison;
        fixture_compare(&golden, &target, arena, &comparison);
        check_boxes(&comparison, &(BoxesOptions){0}, arena);
        check_boxes(&comparison, &(BoxesOptions){.boxes = 1000, .depth = 9}, arena);
        arena_release(arena);
    }
}

int main(void)
{
    CHECK_RUN(every_sample_has_clear_boxes);
    CHECK_RUN_SHARED(every_sample_has_clear_boxes);
    CHECK_RUN(boxes_nest_or_stay_apart);
    CHECK_RUN(large_and_deep_graphs_keep_the_page);
    return CHECK_RESULT;
}
