// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/elements.h"

#include <math.h>

#include "check.h"
#include "compare/compare.h"
#include "graph_text.h"

// Elements against statistics: the op has one input that is equal and one output whose statistics
// agree.

#define TENSOR                                                                                  \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4],\"Max\":2,\"Min\":1," \
    "\"Mean\":1.5,\"Norm\":3,\"requires_grad\":false,\"data_name\":\"x.pt\"}"

static Arena *arena;

static const GraphText text = {.construct = "{\"Torch.f.0.forward\":null}",
                               .data = "{\"Torch.f.0.forward\":{\"input_args\":[" TENSOR
                                       "],\"output\":[" TENSOR "]}}"};

static Comparison *compared(void)
{
    Comparison *comparison = ARENA_NEW(arena, Comparison);
    Graph *golden = ARENA_NEW(arena, Graph), *target = ARENA_NEW(arena, Graph);
    Notices notices;
    notices_init(&notices, arena);
    graph_text_build("golden", &text, GRAPH_VERNIER, arena, golden, &notices);
    graph_text_build("target", &text, GRAPH_VERNIER, arena, target, &notices);
    CompareOptions options = {.mode = MODE_TENSOR};
    compare_graphs(golden, target, &options, arena, comparison);
    CHECK(comparison->slot_count == 2 && comparison->status == STATUS_SAME);
    return comparison;
}

// Judges with an equal input and the given output.
static Comparison *judged_by(const Criteria *criteria, const TensorMetrics *output)
{
    Comparison *comparison = compared();
    TensorMetrics metrics[2] = {{.state = ELEMENTS_COMPUTED, .bit_equal = true}, *output};
    elements_judge(comparison, metrics, NULL, criteria, arena);
    return comparison;
}

static Comparison *judged(const TensorMetrics *output)
{
    return judged_by(NULL, output);
}

static void a_limit_for_elements_stands_before_the_floor(void)
{
    CriteriaRule rule = {.ops = STR("Torch.f.*")};
    rule.limits[CRITERIA_ELEMENTS] = (CriteriaLimit){.set = true, .pass = 0.1, .warning = 0.6};
    Criteria criteria = {.items = &rule, .count = 1, .capacity = 1};
    TensorMetrics within = {.state = ELEMENTS_COMPUTED, .norm_error = 0.1},
                  above = {.state = ELEMENTS_COMPUTED, .norm_error = 0.5},
                  beyond = {.state = ELEMENTS_COMPUTED, .norm_error = 0.7};
    CHECK(judged_by(&criteria, &within)->slots[1].status == STATUS_PASS);
    CHECK(judged_by(&criteria, &above)->slots[1].status == STATUS_WARNING);
    CHECK(judged_by(&criteria, &beyond)->slots[1].status == STATUS_ERROR);
    rule.ops = STR("Torch.g.*");
    CHECK(judged_by(&criteria, &within)->slots[1].status == STATUS_ERROR);
}

static void equal_statistics_hide_no_difference(void)
{
    TensorMetrics output = {.state = ELEMENTS_COMPUTED, .norm_error = 0.5};
    Comparison *comparison = judged(&output);
    CHECK(comparison->slots[1].status == STATUS_ERROR);
    CHECK(comparison->slots[1].reason == REASON_ELEMENTS);
    CHECK(comparison->slots[1].error == 0.5 && comparison->slots[1].norm_error == 0.5);
    CHECK(comparison->first.kind == DIVERGE_OUTPUT && comparison->first.value == 0.5);
    CHECK(comparison->status == STATUS_ERROR);
}

static void what_is_not_equal_to_the_bit_is_not_called_same(void)
{
    TensorMetrics output = {.state = ELEMENTS_COMPUTED, .norm_error = 1e-8};
    Comparison *comparison = judged(&output);
    CHECK(comparison->slots[0].status == STATUS_SAME);
    CHECK(comparison->slots[1].status == STATUS_PASS && comparison->status == STATUS_PASS);
}

static void a_difference_a_little_above_the_floor_is_a_warning(void)
{
    TensorMetrics output = {.state = ELEMENTS_COMPUTED, .norm_error = 2e-5};
    CHECK(judged(&output)->slots[1].status == STATUS_WARNING);
}

static void other_places_of_nan_are_an_error(void)
{
    TensorMetrics output = {.state = ELEMENTS_COMPUTED, .nonfinite_mismatch = 1};
    Comparison *comparison = judged(&output);
    CHECK(comparison->slots[1].status == STATUS_ERROR);
    CHECK(comparison->slots[1].reason == REASON_NONFINITE);
    output.state = ELEMENTS_NONFINITE;
    comparison = judged(&output);
    CHECK(comparison->slots[1].status == STATUS_ERROR);
    CHECK(comparison->slots[1].reason == REASON_NONFINITE);
}

static void without_files_the_statistics_stand(void)
{
    TensorMetrics output;
    tensor_metrics_missing(ELEMENTS_UNREADABLE, &output);
    CHECK(judged(&output)->slots[1].status == STATUS_SAME);
    Comparison *comparison = compared();
    Notices notices;
    notices_init(&notices, arena);
    ElementReading reading = {.golden = comparison->golden->dump,
                              .target = comparison->target->dump,
                              .golden_folder = "/nonexistent",
                              .target_folder = "/nonexistent",
                              .jobs = 2};
    TensorMetrics *metrics = elements_of_comparison(comparison, &reading, arena, &notices);
    CHECK(metrics[0].state == ELEMENTS_NO_FILE && metrics[1].state == ELEMENTS_NO_FILE);
    CHECK(notices.count == 1 && !notices_any_partial(&notices));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(equal_statistics_hide_no_difference);
    CHECK_RUN(a_limit_for_elements_stands_before_the_floor);
    CHECK_RUN(what_is_not_equal_to_the_bit_is_not_called_same);
    CHECK_RUN(a_difference_a_little_above_the_floor_is_a_warning);
    CHECK_RUN(other_places_of_nan_are_an_error);
    CHECK_RUN(without_files_the_statistics_stand);
    arena_release(arena);
    return CHECK_RESULT;
}
