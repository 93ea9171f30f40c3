// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "check.h"
#include "model/graph/graph_build.h"
#include "picture/compare/hierarchy_picture.h"
#include "read/dump/dump_source.h"
#include "report/compare/graph_report.h"

#define TENSOR(max)                                                                     \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":" max \
    ",\"Min\":0.0,\"Mean\":0.5,\"Norm\":1.0,\"requires_grad\":false}"
#define ENTRY(name, in, out) \
    "\"" name                \
    "\":{\"input_args\":[" TENSOR(in) "],\"input_kwargs\":{},\"output\":[" TENSOR(out) "]}"
#define DUMP(data) \
    "{\"task\":\"statistics\",\"level\":\"mix\",\"framework\":\"pytorch\",\"data\":{" data "}}"

static Arena *arena;

static Hierarchy *hierarchy_of(const char *text, const char *construct_text)
{
    Notices notices;
    Error err;
    Construct construct;
    Names *names = names_new(arena);
    Dump *dump = ARENA_NEW(arena, Dump);
    Graph *graph = ARENA_NEW(arena, Graph);
    Hierarchy *out = ARENA_NEW(arena, Hierarchy);
    notices_init(&notices, arena);
    CHECK(dump_read_text("dump.json", str_of(text), names, arena, dump, &notices, &err));
    CHECK(construct_read_text("construct.json", str_of(construct_text), names, arena, &construct,
                              &notices, &err));
    graph_build(dump, &construct, NULL, GRAPH_VERNIER, arena, graph, &notices);
    graph_mark_overflow(graph);
    hierarchy_build(graph, arena, out);
    return out;
}

// Three layers that are alike, and a head in which an Inf starts.
static Hierarchy *layers(void)
{
    StrBuf data, construct;
    data = strbuf_new(arena);
    construct = strbuf_new(arena);
    for (int i = 0; i < 3; i++) {
        strbuf_printf(&data,
                      ENTRY("Functional.linear.%d.forward", "1.0",
                            "1.0") "," ENTRY("Module.layers.%d.Block.forward.0", "1.0", "1.0") ",",
                      i, i);
        strbuf_printf(&construct,
                      "\"Functional.linear.%d.forward\":\"Module.layers.%d.Block.forward.0\","
                      "\"Module.layers.%d.Block.forward.0\":null,",
                      i, i, i);
    }
    strbuf_add(&data, STR(ENTRY("Module.head.Head.forward.0", "1.0", "Infinity")));
    strbuf_add(&construct, STR("\"Module.head.Head.forward.0\":null"));
    return hierarchy_of(str_printf(arena, DUMP("%s"), str_cstr(arena, strbuf_str(&data))).data,
                        str_printf(arena, "{%s}", str_cstr(arena, strbuf_str(&construct))).data);
}

static void repeats_are_folded_and_levels_summed_up(void)
{
    Hierarchy *hierarchy = layers();
    HierarchyRows rows;
    hierarchy_rows(hierarchy, &(HierarchyLimits){.rows = 64, .most = 64}, arena, &rows);
    CHECK(rows.cut == 0 && rows.count == 4);  // Forward, layers ×3, linear, head
    CHECK(rows.items[0].section != NULL);
    CHECK(rows.items[1].repeats == 3 && rows.items[2].depth == 1 && rows.items[3].repeats == 1);
    CHECK(hierarchy->levels[0][OVERFLOW_CRITICAL] == 1 && hierarchy->levels[0][OVERFLOW_NONE] == 6);
    CHECK(hierarchy_first_overflow(hierarchy) == rows.items[3].row);
}

// Calls of a model without modules: `names` one after the other, `times` times.
static Hierarchy *calls(const char *const *names, int count, int times)
{
    StrBuf data = strbuf_new(arena);
    for (int i = 0; i < count * times; i++)
        strbuf_printf(&data, "%s" ENTRY("Torch.%s.%d.forward", "1.0", "1.0"), i ? "," : "",
                      names[i % count], i);
    return hierarchy_of(str_printf(arena, DUMP("%s"), str_cstr(arena, strbuf_str(&data))).data,
                        "{}");
}

static void a_sequence_of_calls_that_comes_again_is_folded_with_its_count(void)
{
    static const char *const names[] = {"norm", "matmul", "add"};
    HierarchyRows rows;
    Hierarchy *hierarchy = calls(names, 3, 5);
    hierarchy_rows(hierarchy, &(HierarchyLimits){.rows = 64, .most = 64}, arena, &rows);
    CHECK(rows.cut == 0 && rows.count == 5);  // Forward, the sequence, its three calls
    CHECK(rows.items[1].period == 3 && rows.items[1].repeats == 5 && rows.items[1].depth == 0);
    for (size_t i = 2; i < rows.count; i++)
        CHECK(rows.items[i].period == 0 && rows.items[i].repeats == 1 && rows.items[i].depth == 1);
}

static bool shows(const Scene *scene, const char *text)
{
    for (size_t i = 0; i < scene->count; i++) {
        const Item *item = &scene->items[i];
        for (size_t k = 0; item->kind == ITEM_TEXT && k < item->as.text.count; k++)
            if (str_equal(item->as.text.spans[k].text, str_of(text)))
                return true;
    }
    return false;
}

#define SHAPED(name, shape, norm)                                                               \
    "\"" name "\":{\"input_args\":[],\"input_kwargs\":{},\"output\":[{\"type\":"                \
    "\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":" shape ",\"Max\":1.0,\"Min\":0.0," \
    "\"Mean\":0.5,\"Norm\":" norm "}]}"

static void a_call_inside_of_a_sequence_shows_the_range_over_all_repeats(void)
{
    Scene scene;
    StrBuf data = strbuf_new(arena);
    HierarchyOptions options = {.path = STR("dump")};
    for (int i = 0; i < 40; i++)
        strbuf_printf(&data,
                      "%s" SHAPED("Torch.matmul.%d.forward", "[2, 4]",
                                  "%d.0") "," SHAPED("Torch.relu.%d.forward", "[2, %d]", "1.0"),
                      i ? "," : "", i, 4 + i, i, i < 30 ? 4 : 4096);
    Hierarchy *hierarchy =
        hierarchy_of(str_printf(arena, DUMP("%s"), str_cstr(arena, strbuf_str(&data))).data, "{}");
    hierarchy_picture(hierarchy, &options, arena, &scene);
    CHECK(shows(&scene, "( matmul.0 … relu.0 ) ×40"));
    CHECK(shows(&scene, "4.00–43.0") && shows(&scene, "shapes differ"));
}

// Blocks of a linear and a relu; the overflow is in `bad`, in its linear or in its relu.
static Hierarchy *blocks(int bad, bool other)
{
    StrBuf data = strbuf_new(arena), construct = strbuf_new(arena);
    for (int i = 0; i < 4; i++) {
        const char *linear = i == bad && !other ? "Infinity" : i == 0 ? "7.0" : "1.0";
        const char *relu = (i == bad && other) || (bad >= 0 && i != bad) ? "Infinity" : "1.0";
        strbuf_printf(&data,
                      "%s" ENTRY("Functional.linear.%d.forward", "1.0", "%s") "," ENTRY(
                          "Functional.relu.%d.forward", "1.0",
                          "%s") "," ENTRY("Module.blocks.%d.Block.forward.0", "1.0", "1.0"),
                      i ? "," : "", i, linear, i, relu, i);
        strbuf_printf(&construct,
                      "%s\"Functional.linear.%d.forward\":\"Module.blocks.%d.Block.forward.0\","
                      "\"Functional.relu.%d.forward\":\"Module.blocks.%d.Block.forward.0\","
                      "\"Module.blocks.%d.Block.forward.0\":null",
                      i ? "," : "", i, i, i, i, i);
    }
    return hierarchy_of(str_printf(arena, DUMP("%s"), str_cstr(arena, strbuf_str(&data))).data,
                        str_printf(arena, "{%s}", str_cstr(arena, strbuf_str(&construct))).data);
}

static void what_is_inside_of_folded_blocks_stands_for_all_of_them(void)
{
    Scene scene;
    HierarchyOptions options = {.path = STR("dump")};
    hierarchy_picture(blocks(-1, false), &options, arena, &scene);
    CHECK(shows(&scene, "1.00–7.00"));
}

static void a_block_whose_overflow_is_at_another_place_is_not_folded(void)
{
    HierarchyRows rows;
    HierarchyLimits limits = {.rows = 64, .most = 64};
    hierarchy_rows(blocks(2, true), &limits, arena, &rows);
    CHECK(rows.items[1].repeats == 4);
    hierarchy_rows(blocks(2, false), &limits, arena, &rows);
    CHECK(rows.items[1].repeats == 2);
}

static void what_comes_before_a_longer_sequence_does_not_break_it(void)
{
    static const char *const names[] = {"add", "add", "norm", "matmul"};
    HierarchyRows rows;
    hierarchy_rows(calls(names, 4, 3), &(HierarchyLimits){.rows = 64, .most = 64, .depth = 2},
                   arena, &rows);
    CHECK(rows.items[1].period == 4 && rows.items[1].repeats == 3);
    CHECK(rows.items[2].repeats == 2 && rows.items[2].members[1] != rows.items[2].members[0]);
    CHECK(rows.count == 5);
}

#define BETWEEN(min, max)                                                               \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":0.1,\"Norm\":1.0,\"requires_grad\":false}"
#define MASKED(name, in_min, out_min, out_max)                             \
    "\"" name                                                              \
    "\":{\"input_args\":[" BETWEEN(in_min, "1.0") "],\"input_kwargs\":{}," \
                                                  "\"output\":[" BETWEEN(out_min, out_max) "]}"

static void the_infinities_of_a_mask_are_no_overflow(void)
{
    Hierarchy *hierarchy = hierarchy_of(
        DUMP(MASKED("Tensor.masked_fill.0.forward", "0.0", "-Infinity",
                    "1.0") "," MASKED("Functional.softmax.0.forward", "-Infinity", "0.0", "1.0")),
        "{}");
    CHECK(hierarchy->mask_count == 2);
    CHECK(hierarchy_first_overflow(hierarchy) == PAIR_NONE);
}

static void what_makes_nan_of_a_mask_is_where_it_starts(void)
{
    Hierarchy *hierarchy = hierarchy_of(
        DUMP(MASKED("Tensor.masked_fill.0.forward", "0.0", "-Infinity", "1.0") "," MASKED(
            "Functional.softmax.0.forward", "-Infinity", "NaN",
            "NaN") "," MASKED("Tensor.masked_fill.1.forward", "0.0", "-Infinity", "1.0")),
        "{}");
    uint32_t first = hierarchy_first_overflow(hierarchy);
    CHECK(first != PAIR_NONE && first == hierarchy->outline.row_of_op[1]);
    CHECK(hierarchy_level(hierarchy, first) == OVERFLOW_CRITICAL && hierarchy->mask_count == 2);
}

static void an_infinity_that_no_mask_put_there_is_an_overflow(void)
{
    Hierarchy *hierarchy =
        hierarchy_of(DUMP(MASKED("Torch.log.0.forward", "0.1", "-Infinity", "1.0") "," MASKED(
                         "Functional.softmax.0.forward", "-Infinity", "0.0", "1.0")),
                     "{}");
    CHECK(hierarchy->mask_count == 0);
    CHECK(hierarchy_first_overflow(hierarchy) == hierarchy->outline.row_of_op[0]);
}

#define OP(name, in, out)                                        \
    "\"" name "\":{\"input_args\":[" in "],\"input_kwargs\":{}," \
    "\"output\":[" out "]}"

static void finite_values_that_become_minus_infinity_are_an_overflow(void)
{
    static const char *const ops[] = {"Functional.linear.0.forward", "Functional.relu.0.forward",
                                      "Functional.layer_norm.0.forward", "Torch.mean.0.forward",
                                      "Module.fc.Linear.forward.0"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        Hierarchy *hierarchy = hierarchy_of(
            str_printf(arena,
                       DUMP(OP("%s", BETWEEN("0.0", "1.0"), BETWEEN("-Infinity", "%s")) "," OP(
                           "Functional.linear.1.forward", BETWEEN("-Infinity", "%s"),
                           BETWEEN("-Infinity", "%s"))),
                       ops[i], i % 2 ? "0.0" : "-Infinity", i % 2 ? "0.0" : "-Infinity",
                       i % 2 ? "0.0" : "-Infinity")
                .data,
            "{}");
        uint32_t first = hierarchy_first_overflow(hierarchy);
        CHECK(first == hierarchy->outline.row_of_op[0] && hierarchy->mask_count == 0);
        CHECK(hierarchy_level(hierarchy, first) == OVERFLOW_CRITICAL);
        CHECK(hierarchy_level(hierarchy, hierarchy->outline.row_of_op[1]) == OVERFLOW_HIGH);
    }
}

static void what_has_no_room_is_counted(void)
{
    Hierarchy *hierarchy = layers();
    HierarchyRows rows;
    hierarchy_rows(hierarchy, &(HierarchyLimits){.rows = 2, .most = 2}, arena, &rows);
    CHECK(rows.count == 2 && rows.cut == 1 && rows.depth == 1);
}

// Modules of as many classes, so that none is folded.
static Hierarchy *unlike(int count)
{
    StrBuf data, construct;
    data = strbuf_new(arena);
    construct = strbuf_new(arena);
    for (int i = 0; i < count; i++) {
        const char *comma = i ? "," : "";
        strbuf_printf(&data, "%s" ENTRY("Module.part%d.Class%d.forward.0", "1.0", "1.0"), comma, i,
                      i);
        strbuf_printf(&construct, "%s\"Module.part%d.Class%d.forward.0\":null", comma, i, i);
    }
    return hierarchy_of(str_printf(arena, DUMP("%s"), str_cstr(arena, strbuf_str(&data))).data,
                        str_printf(arena, "{%s}", str_cstr(arena, strbuf_str(&construct))).data);
}

static size_t rows_drawn(const Scene *scene, size_t *pages)
{
    size_t rows = 0;
    for (*pages = 0; scene; scene = scene->next, (*pages)++)
        for (size_t i = 0; i < scene->count; i++)
            rows += str_starts(scene->items[i].title, STR("Module.part")) &&
                    scene->items[i].kind == ITEM_TEXT;
    return rows;
}

static void draw(int count, Scene *out)
{
    HierarchyOptions options = {.path = STR("dump"), .all_nodes = STR("graph.xlsx")};
    Hierarchy *hierarchy = unlike(count);
    hierarchy_picture(hierarchy, &options, arena, out);
}

static void a_tree_longer_than_a_page_goes_on_and_only_what_six_pages_lack_is_counted(void)
{
    size_t pages;
    Scene scene;
    draw(200, &scene);
    CHECK(rows_drawn(&scene, &pages) == 200 && pages == 2);
    CHECK(shows(scene.next, "continued: Forward") && shows(scene.next, "part 2 of 2"));
    CHECK(scene.height < 8000 && scene.next->height < scene.height);
    draw(1000, &scene);
    CHECK(rows_drawn(&scene, &pages) == 899 && pages == 6);  // beside the section's heading
    const Scene *last = &scene;
    while (last->next)
        last = last->next;
    CHECK(shows(last, "… and 101 more rows; every node is in graph.xlsx"));
}

static void facts_and_verdict_name_the_worst_level_first(void)
{
    Hierarchy *hierarchy = layers();
    GraphFacts facts = {0};
    Verdict verdict;
    graph_facts_collect(hierarchy, arena, &facts);
    CHECK(facts.modules == 4 && facts.apis == 3 && facts.depth == 2 && !facts.flat);
    CHECK_TEXT(facts.first_overflow, "Module.head.Head.forward.0");
    graph_verdict(&facts, 1, false, arena, &verdict);
    CHECK_TEXT(
        verdict.sentence,
        "Inf       at Module.head.Head.forward.0, step 0, rank 0: the first critical; overflow "
        "levels: 1 critical. 1 dump, 7 ops, 4 modules; most repeats: layers.0 … layers.2 ×3.");
    CHECK_TEXT(verdict.word, "Inf");
    CHECK_TEXT(verdict.place, "Module.head.Head.forward.0");
    memset(facts.levels, 0, sizeof facts.levels);
    facts.first_overflow = (Str){0};
    graph_verdict(&facts, 1, false, arena, &verdict);
    CHECK_TEXT(verdict.word, "FINITE");
    CHECK_TEXT(verdict.place, "7 ops");
    CHECK_TEXT(verdict.reason, "no overflow level.");
    CHECK_TEXT(verdict.context, "1 dump, 7 ops, 4 modules; most repeats: layers.0 … layers.2 ×3");
}

static void a_dump_without_statistics_is_not_called_free_of_overflow(void)
{
    static const char bare[] =
        "\"Torch.%s.0.forward\":{\"input_args\":[],\"input_kwargs\":{},\"output\":[{\"type\":"
        "\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2]}]}";
    const char *data = str_replace(arena, str_of(bare), STR("%s"), STR("relu")).data;
    for (int some = 0; some < 2; some++) {
        GraphFacts facts = {0};
        Verdict verdict;
        Str text = str_printf(arena, DUMP("%s%s"), data,
                              some ? "," ENTRY("Torch.add.0.forward", "1.0", "1.0") : "");
        graph_facts_collect(hierarchy_of(text.data, "{}"), arena, &facts);
        graph_verdict(&facts, 1, false, arena, &verdict);
        CHECK(facts.unjudged == 1);
        CHECK_TEXT(verdict.word, some ? "FINITE" : "NOT JUDGED");
        CHECK_TEXT(verdict.place, some ? "1 of 2 ops" : "1 op");
        CHECK_TEXT(verdict.reason, some ? "no overflow level; 1 of 2 ops have tensors without "
                                          "statistics and cannot be judged."
                                        : "no op records statistics of its "
                                          "results, so overflow cannot be judged.");
    }
}

static void a_dump_without_ops_still_gives_a_picture(void)
{
    Hierarchy *hierarchy = hierarchy_of(DUMP(""), "{}");
    Scene scene;
    HierarchyOptions options = {.path = STR("dump")};
    hierarchy_picture(hierarchy, &options, arena, &scene);
    CHECK(scene.height > 0 && scene.count > 0);
    CHECK(hierarchy_first_overflow(hierarchy) == PAIR_NONE);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(repeats_are_folded_and_levels_summed_up);
    CHECK_RUN(a_sequence_of_calls_that_comes_again_is_folded_with_its_count);
    CHECK_RUN(a_call_inside_of_a_sequence_shows_the_range_over_all_repeats);
    CHECK_RUN(what_is_inside_of_folded_blocks_stands_for_all_of_them);
    CHECK_RUN(a_block_whose_overflow_is_at_another_place_is_not_folded);
    CHECK_RUN(what_comes_before_a_longer_sequence_does_not_break_it);
    CHECK_RUN(the_infinities_of_a_mask_are_no_overflow);
    CHECK_RUN(what_makes_nan_of_a_mask_is_where_it_starts);
    CHECK_RUN(an_infinity_that_no_mask_put_there_is_an_overflow);
    CHECK_RUN(finite_values_that_become_minus_infinity_are_an_overflow);
    CHECK_RUN(what_has_no_room_is_counted);
    CHECK_RUN(a_tree_longer_than_a_page_goes_on_and_only_what_six_pages_lack_is_counted);
    CHECK_RUN(facts_and_verdict_name_the_worst_level_first);
    CHECK_RUN(a_dump_without_statistics_is_not_called_free_of_overflow);
    CHECK_RUN(a_dump_without_ops_still_gives_a_picture);
    arena_release(arena);
    return CHECK_RESULT;
}
