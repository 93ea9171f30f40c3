// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/graph_picture.h"

#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/sink.h"
#include "check.h"
#include "demo.h"
#include "layout_fixture.h"
#include "picture/compare/strip_columns.h"
#include "picture/compare/tree_plan.h"
#include "picture/kit/verdict_head.h"
#include "renderers/svg.h"

static Comparison *compared(Arena *arena, uint32_t layers, FixturePattern pattern,
                            const char *layer_name)
{
    FixtureRun *golden = ARENA_NEW(arena, FixtureRun), *target = ARENA_NEW(arena, FixtureRun);
    FixtureModel model = {.layers = layers, .pattern = pattern, .layer_name = layer_name};
    fixture_model(target, model, arena);
    model.golden = true;
    fixture_model(golden, model, arena);
    Comparison *out = ARENA_NEW(arena, Comparison);
    fixture_compare(golden, target, arena, out);
    return out;
}

static size_t svg_bytes(const Scene *scene, Arena *arena)
{
    Error err;
    Sink *sink = sink_memory(arena);
    RenderOptions options = {.theme = demo_theme(), .mode = THEME_LIGHT};
    CHECK(svg_renderer.write_scene(scene, &options, sink, &err));
    size_t size = sink_bytes(sink).size;
    sink_discard(sink);
    return size;
}

static void check_pages(const Scene *page, Arena *arena)
{
    for (; page; page = page->next) {
        CHECK(scene_overlaps(page) == 0);
        CHECK(scene_outside(page) == 0);
        CHECK(page->width <= 1600 && page->height <= 8000);
        CHECK(svg_bytes(page, arena) <= 300000);
    }
}

static void check_picture(const Comparison *comparison, const GraphOptions *options, Arena *arena)
{
    Verdict verdict = fixture_verdict();
    ScenePages pages;
    graph_picture(comparison, options, arena, &pages);
    check_pages(pages.items, arena);
    check_pages(picture_with_verdict(pages.items, &verdict, arena), arena);
}

static void labels_keep_clear_of_each_other_and_of_the_edge(void)
{
    static const FixturePattern patterns[] = {FIXTURE_CLEAN, FIXTURE_SCATTERED, FIXTURE_NOISY};
    static const uint32_t layers[] = {1, 4, 32, 200};
    for (size_t p = 0; p < 3; p++)
        for (size_t l = 0; l < 4; l++) {
            Arena *arena = arena_new();
            check_picture(compared(arena, layers[l], patterns[p], NULL), &(GraphOptions){0}, arena);
            arena_release(arena);
        }
}

static void seventy_thousand_nodes_fit_a_ticket_in_under_a_second(void)
{
    static const FixturePattern patterns[] = {FIXTURE_CLEAN, FIXTURE_SCATTERED, FIXTURE_NOISY};
    for (size_t p = 0; p < 3; p++) {
        Arena *arena = arena_new();
        clock_t began = clock();
        Comparison *comparison = compared(arena, 4500, patterns[p], NULL);
        double comparing = (double)(clock() - began) / CLOCKS_PER_SEC;
        CHECK(comparison->tree_count > 70000);
        ScenePages pages;
        clock_t start = clock();
        graph_picture(comparison, &(GraphOptions){0}, arena, &pages);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        CHECK(pages.count == 1);
        // Under sanitizers; a third of it without. On a slow machine the comparison is slow as
        // well.
        CHECK(seconds < 3 || seconds < comparing);
        check_pages(pages.items, arena);
        arena_release(arena);
    }
}

static void a_page_holds_at_most_its_rows(void)
{
    Arena *arena = arena_new();
    Comparison *comparison = compared(arena, 300, FIXTURE_NOISY, NULL);
    ScenePages pages;
    GraphOptions options = {.rows = 900, .page_rows = 100, .depth = 4};
    graph_picture(comparison, &options, arena, &pages);
    CHECK(pages.count > 1 && pages.count <= 9);
    check_pages(pages.items, arena);
    arena_release(arena);
}

static void the_plan_keeps_its_budget_and_shows_the_first_divergence(void)
{
    static const FixturePattern patterns[] = {FIXTURE_CLEAN, FIXTURE_SCATTERED, FIXTURE_NOISY};
    for (size_t p = 0; p < 3; p++) {
        Arena *arena = arena_new();
        Comparison *comparison = compared(arena, 250, patterns[p], NULL);
        Outline outline;
        Flags flags;
        TreePlan plan;
        outline_build(comparison, arena, &outline);
        flags_find(&outline, &flags);
        tree_plan(&outline, &flags, &(TreeLimits){0}, arena, &plan);
        CHECK(plan.count <= 52 && plan.rows_cut == 0);
        bool found = flags.count == 0;
        uint64_t sections = 0;
        for (size_t i = 0; i < plan.count; i++) {
            found = found ||
                    (plan.items[i].kind == TREE_NODE && plan.items[i].row == flags.items[0].row);
            for (int s = 0; plan.items[i].kind == TREE_SECTION && s < STATUS_COUNT; s++)
                sections += plan.items[i].counts[s];
        }
        CHECK(found);
        CHECK(sections == comparison->op_count);
        arena_release(arena);
    }
}

static void strip_columns_lie_inside_their_parents(void)
{
    Arena *arena = arena_new();
    Comparison *comparison = compared(arena, 40, FIXTURE_NOISY, NULL);
    Outline outline;
    StripColumns columns;
    outline_build(comparison, arena, &outline);
    CHECK(outline.section_count == 2);
    columns_build(&outline, &outline.sections[0], &outline.sections[1], arena, &columns);
    columns_place(&columns, 158, 1010);
    for (uint32_t i = 1; i < columns.count; i++) {
        const StripColumn *column = &columns.items[i], *parent = &columns.items[column->parent];
        CHECK(column->x >= parent->x - 1e-6);
        CHECK(column->x + column->width <= parent->x + parent->width + 1e-6);
        CHECK(column->row[0] != PAIR_NONE && column->row[1] != PAIR_NONE);
    }
    arena_release(arena);
}

static void any_name_stays_in_its_place(void)
{
    static const char *const names[] = {
        "x",
        "一个非常长的模块名称用于测试标签是否会重叠或者离开图片边界",
        "naïve_Größe_и_ещё_немного_слов_без_пробелов_и_точек_в_одном_имени",
        "</title><script>alert(1)</script>",
        "a\tb\x1b[2Jc",
        "🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Arena *arena = arena_new();
        check_picture(compared(arena, 6, FIXTURE_NOISY, names[i]), &(GraphOptions){0}, arena);
        arena_release(arena);
    }
    char name[302];
    for (size_t length = 1; length <= 300; length += 23) {
        memset(name, 'w', length);
        for (size_t i = 5; i < length; i += 7)
            name[i] = '_';
        name[length] = '\0';
        Arena *arena = arena_new();
        check_picture(compared(arena, 3, FIXTURE_NOISY, name), &(GraphOptions){0}, arena);
        arena_release(arena);
    }
}

static void long_verdicts_are_broken_into_lines(void)
{
    Arena *arena = arena_new();
    Comparison *comparison = compared(arena, 4, FIXTURE_NOISY, NULL);
    char place[1000], reason[4000];
    memset(place, 'm', sizeof place - 1);
    for (size_t i = 9; i < sizeof place - 1; i += 10)
        place[i] = '.';
    place[sizeof place - 1] = '\0';
    memset(reason, 'r', sizeof reason - 1);
    for (size_t i = 7; i < sizeof reason - 1; i += 8)
        reason[i] = ' ';
    reason[sizeof reason - 1] = '\0';
    Verdict verdict = {.style = STYLE_UNMATCHED,
                       .partial = true,
                       .word = STR("DIVERGES"),
                       .place = str_of(place),
                       .reason = str_of(reason),
                       .context = str_of(reason),
                       .sentence = str_of(reason)};
    ScenePages pages;
    graph_picture(comparison, &(GraphOptions){0}, arena, &pages);
    check_pages(picture_with_verdict(pages.items, &verdict, arena), arena);
    verdict.place = str_of(reason + 1);
    verdict.reason = verdict.context = (Str){0};
    check_pages(picture_with_verdict(pages.items, &verdict, arena), arena);
    arena_release(arena);
}

static void a_deep_chain_is_cut_in_its_middle(void)
{
    enum { DEPTH = 5000 };
    Arena *arena = arena_new();
    FixtureRun runs[2];
    for (int side = 0; side < 2; side++) {
        fixture_begin(&runs[side], arena);
        runs[side].output = side ? 1e-2 : 0;
        for (int i = DEPTH; i-- > 0;) {
            Str name = str_printf(arena, "Module.m%d.Box.forward.0", i);
            Str parent = i ? str_printf(arena, "Module.m%d.Box.forward.0", i - 1) : (Str){0};
            fixture_op(&runs[side], name, parent);
        }
        fixture_end(&runs[side]);
    }
    Comparison comparison;
    fixture_compare(&runs[0], &runs[1], arena, &comparison);
    check_picture(&comparison, &(GraphOptions){0}, arena);
    Outline outline;
    Flags flags;
    TreePlan plan;
    outline_build(&comparison, arena, &outline);
    flags_find(&outline, &flags);
    tree_plan(&outline, &flags, &(TreeLimits){0}, arena, &plan);
    CHECK(plan.count > 8 && plan.count <= 20);
    CHECK(plan.items[plan.count - 1].row == flags.items[0].row);
    arena_release(arena);
}

static void equal_input_gives_equal_bytes(void)
{
    Arena *arena = arena_new();
    Str bytes[2];
    for (int i = 0; i < 2; i++) {
        Comparison *comparison = compared(arena, 20, FIXTURE_SCATTERED, NULL);
        ScenePages pages;
        graph_picture(comparison, &(GraphOptions){0}, arena, &pages);
        Error err;
        Sink *sink = sink_memory(arena);
        RenderOptions options = {.theme = demo_theme(), .mode = THEME_DARK};
        CHECK(svg_renderer.write_scene(&pages.items[0], &options, sink, &err));
        bytes[i] = str_copy(arena, sink_bytes(sink));
        sink_discard(sink);
    }
    CHECK(str_equal(bytes[0], bytes[1]));
    arena_release(arena);
}

static void many_micro_steps_share_thin_bands(void)
{
    Arena *arena = arena_new();
    FixtureRun runs[2];
    for (int side = 0; side < 2; side++) {
        fixture_begin(&runs[side], arena);
        for (int step = 0; step < 40; step++) {
            runs[side].output = side && step == 25 ? 1e-2 : 0;
            fixture_op(&runs[side], str_printf(arena, "Module.net.Net.forward.%d", step), STR(""));
            fixture_op(&runs[side], str_printf(arena, "Module.net.Net.backward.%d", step), STR(""));
        }
        fixture_end(&runs[side]);
    }
    Comparison comparison;
    fixture_compare(&runs[0], &runs[1], arena, &comparison);
    check_picture(&comparison, &(GraphOptions){0}, arena);
    arena_release(arena);
}

static void the_samples_keep_clear_too(void)
{
    for (size_t i = 0; i < FIXTURE_SAMPLES; i++) {
        Arena *arena = arena_new();
        Comparison comparison;
        if (fixture_sample(fixture_samples[i].sample, fixture_samples[i].target, arena,
                           &comparison))
            check_picture(&comparison, &(GraphOptions){.all_rows = STR("compare.xlsx")}, arena);
        arena_release(arena);
    }
}

// The text item that starts with `text` at the given size, or NULL.
static const TextShape *find_text(const Scene *scene, const char *text, float size)
{
    for (size_t i = 0; i < scene->count; i++) {
        const TextShape *at = &scene->items[i].as.text;
        if (scene->items[i].kind == ITEM_TEXT && at->size == size && at->count &&
            str_equal(at->spans[0].text, str_of(text)))
            return at;
    }
    return NULL;
}

static void places_are_where_they_were(void)
{
    static const struct {
        const char *text;
        float size;
        double x, y;
    } probes[] = {
        {"DIVERGES", 34, 73.5, 54.5}, {"Overview", 15, 32, 176},     {"Forward", 13, 32, 208},
        {"layers.0", 10, 283.5, 207}, {"layers.3", 10, 1042.5, 207}, {"node", 11, 54, 484},
    };
    Arena *arena = arena_new();
    Comparison *comparison = compared(arena, 4, FIXTURE_NOISY, NULL);
    Verdict verdict = fixture_verdict();
    ScenePages pages;
    graph_picture(comparison, &(GraphOptions){0}, arena, &pages);
    Scene *alone = picture_with_verdict(pages.items, &verdict, arena);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        const TextShape *at = find_text(alone, probes[i].text, probes[i].size);
        if (!at) {
            CHECK(probes[i].x == 0);
            continue;
        }
        CHECK(fabs(at->x - probes[i].x) < 0.1 && fabs(at->y - probes[i].y) < 0.1);
        if (!(fabs(at->x - probes[i].x) < 0.1 && fabs(at->y - probes[i].y) < 0.1))
            fprintf(stderr, "'%s' is at %.2f, %.2f\n", probes[i].text, at->x, at->y);
    }
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(labels_keep_clear_of_each_other_and_of_the_edge);
    CHECK_RUN(seventy_thousand_nodes_fit_a_ticket_in_under_a_second);
    CHECK_RUN(a_page_holds_at_most_its_rows);
    CHECK_RUN(the_plan_keeps_its_budget_and_shows_the_first_divergence);
    CHECK_RUN(strip_columns_lie_inside_their_parents);
    CHECK_RUN(any_name_stays_in_its_place);
    CHECK_RUN(long_verdicts_are_broken_into_lines);
    CHECK_RUN(a_deep_chain_is_cut_in_its_middle);
    CHECK_RUN(equal_input_gives_equal_bytes);
    CHECK_RUN(many_micro_steps_share_thin_bands);
    CHECK_RUN(places_are_where_they_were);
    CHECK_RUN(the_samples_keep_clear_too);
    CHECK_RUN_SHARED(the_samples_keep_clear_too);
    return CHECK_RESULT;
}
