// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>

#include "compare/compare.h"
#include "export/ci/junit.h"
#include "export/nodes_json.h"
#include "fuzz_input.h"
#include "model/graph/graph_build.h"
#include "picture/compare/boxes.h"
#include "picture/compare/card.h"
#include "picture/compare/graph_picture.h"
#include "picture/compare/profile.h"
#include "picture/kit/verdict_head.h"
#include "read/dump/dump_source.h"
#include "verdict/verdict_text.h"

// Two dumps, a construct and a stack, parted by bytes 0xFF: whatever they hold they are compared,
// counted and drawn; against itself a side never differs; every place in a picture is finite.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_side(Str dump, Str construct_text, Str stack, Arena *arena, Graph *out)
{
    Notices notices;
    Error err;
    Names *names = names_new(arena);
    Dump *records = ARENA_NEW(arena, Dump);
    Construct construct;
    notices_init(&notices, arena);
    if (!dump_read_text("dump.json", dump, names, arena, records, &notices, &err))
        return false;
    if (!construct_read_text("construct.json", construct_text, names, arena, &construct, &notices,
                             &err))
        construct = (Construct){0};
    Stacks *stacks = stacks_of_text("stack.json", stack, names, arena, &notices);
    graph_build(records, &construct, stacks, GRAPH_VERNIER, arena, out, &notices);
    graph_mark_overflow(out);
    return true;
}

static void check_finite(const Scene *scene)
{
    demand(isfinite(scene->width) && isfinite(scene->height));
    for (size_t i = 0; i < scene->count; i++) {
        const Item *item = &scene->items[i];
        if (item->kind == ITEM_TEXT)
            demand(isfinite(item->as.text.x) && isfinite(item->as.text.y));
        if (item->kind == ITEM_BOX)
            demand(isfinite(item->as.box.x) && isfinite(item->as.box.width) &&
                   item->as.box.width >= 0 && item->as.box.height >= 0);
        for (size_t k = 0; item->kind == ITEM_PATH && k < item->as.path.count; k++)
            demand(isfinite(item->as.path.steps[k].x) && isfinite(item->as.path.steps[k].y));
    }
}

static void draw(const Comparison *comparison, const Verdict *verdict, Arena *arena)
{
    ScenePages pages;
    Scene scene;
    GraphOptions graph = {.golden = STR("g"), .target = STR("t")};
    graph_picture(comparison, &graph, arena, &pages);
    for (size_t i = 0; i < pages.count; i++)
        check_finite(&pages.items[i]);
    BoxesOptions boxes = {.golden = STR("g"), .target = STR("t")};
    boxes_picture(comparison, &boxes, arena, &scene);
    check_finite(picture_with_verdict(&scene, verdict, arena));
    CardOptions card = {.golden = STR("g"), .target = STR("t"), .world_size = 8};
    if (card_picture(comparison, &card, arena, &scene))
        check_finite(&scene);
    ProfileOptions profile = {STR("g"), STR("t")};
    if (profile_picture(comparison, &profile, arena, &scene))
        check_finite(&scene);
}

static void check_counts(const Comparison *comparison)
{
    uint64_t ops = 0, slots = 0;
    for (int status = 0; status < STATUS_COUNT; status++) {
        ops += comparison->op_counts[status];
        slots += comparison->slot_counts[status];
    }
    demand(ops == comparison->op_count && slots <= comparison->slot_count);
}

static Status compare(const Graph *golden, const Graph *target, Arena *arena)
{
    Comparison comparison;
    CompareOptions options = {.mode = compare_mode(golden->dump, target->dump)};
    PairFacts facts;
    Verdict verdict;
    JunitCases cases = {0};
    if (options.mode == MODE_TENSOR)
        options.mode = MODE_STATISTICS;
    compare_graphs(golden, target, &options, arena, &comparison);
    check_counts(&comparison);
    facts_collect(&comparison, 8, arena, &facts);
    VerdictSides sides = {.golden = STR("g"), .target = STR("t")};
    verdict_of_pair(&facts, &sides, false, arena, &verdict);
    demand(verdict.word.size > 0);
    draw(&comparison, &verdict, arena);
    junit_collect(&comparison, arena, &cases);
    Sink *sink = sink_memory(arena);
    Error err;
    nodes_json_write(&comparison, NULL, true, sink);
    demand(sink_commit(sink, &err));
    return comparison.status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str copy = fuzz_copy(data, size), rest = copy;
    Str golden_text = fuzz_part(&rest), target_text = fuzz_part(&rest);
    Str construct = fuzz_part(&rest), stack = fuzz_part(&rest);
    Graph golden, target, again;
    if (read_side(golden_text, construct, stack, arena, &golden)) {
        if (read_side(target_text, construct, stack, arena, &target))
            compare(&golden, &target, arena);
        demand(read_side(golden_text, construct, stack, arena, &again));
        demand(compare(&golden, &again, arena) <= STATUS_PASS);
    }
    free((void *)copy.data);
    arena_release(arena);
    return 0;
}
