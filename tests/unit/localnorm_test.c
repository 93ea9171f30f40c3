// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/localnorm.h"

#include <math.h>

#include "check.h"
#include "model/run/run_source.h"
#include "trend/curves/checkpoint_health.h"

static Arena *arena;
static Notices notices;

static const char *sample(const char *name)
{
    return str_cstr(arena, str_printf(arena, "%s/tests/data/curves/%s", TEST_SOURCE_DIR, name));
}

static Runs read_pair(const char *golden, const char *target)
{
    Runs runs = {0};
    Error err;
    CHECK(run_source_read(str_of(sample(golden)), ROLE_GOLDEN_RUN, arena, &runs, &notices, &err));
    CHECK(run_source_read(str_of(sample(target)), ROLE_TARGET_RUN, arena, &runs, &notices, &err));
    return runs;
}

static void sums_of_squares_are_told_from_norms_by_the_global_norm(void)
{
    Runs runs = read_pair("megatron_step1.log", "mindformers_step1.log");
    NameMap map;
    NormTable table;
    Error err;
    CHECK(name_map_read(sample("name_map.csv"), arena, &map, &notices, &err));
    CHECK(localnorm_compare(&runs.items[0], &runs.items[1], &map, arena, &table));
    CHECK(table.golden.unit == UNIT_SQUARES && table.target.unit == UNIT_SQUARES);
    CHECK(table.count == 15 && table.only_target_count == 0 && table.only_golden_count == 0);
    CHECK(table.items[0].problem && fabs(table.items[0].relative_error - 0.0422569) < 1e-6);
    CHECK_TEXT(table.items[0].golden, "module.embedding.word_embeddings.weight");
    for (size_t i = 1; i < table.count; i++)
        CHECK(!table.items[i].flagged);
}

static void without_a_map_equal_lists_pair_by_place(void)
{
    Runs runs = read_pair("megatron_step1.log", "mindformers_step1.log");
    NormTable table;
    CHECK(localnorm_compare(&runs.items[0], &runs.items[1], NULL, arena, &table));
    CHECK(table.count == 15);
    CHECK_TEXT(table.items[0].target, "#1");
}

static LocalNorm named(const char *name, double value)
{
    return (LocalNorm){.name = str_of(name), .value = value};
}

static void usual_renames_are_known(void)
{
    LocalNorm left[] = {named("module.decoder.layers.0.input_layernorm.weight", 3),
                        named("module.decoder.layers.0.mlp.linear_fc2.weight", 4)};
    LocalNorm right[] = {named("model.layers.0.feed_forward.w2.weight", 4),
                         named("model.layers.0.attention_norm.weight", 3)};
    NormList lists[] = {{.step = 1, .global_norm = 5, .items = left, .count = 2},
                        {.step = 1, .global_norm = 5, .items = right, .count = 2}};
    Run golden = {.norms = {&lists[0], 1, 1}}, target = {.norms = {&lists[1], 1, 1}};
    NormTable table;
    CHECK(localnorm_compare(&golden, &target, NULL, arena, &table));
    CHECK(table.golden.unit == UNIT_NORMS && table.count == 2);
    CHECK(table.items[0].relative_error == 0 && table.items[1].relative_error == 0);
    CHECK(!localnorm_compare(&golden, &(Run){0}, NULL, arena, &table));
}

static void parts_of_a_fused_weight_are_summed(void)
{
    LocalNorm left[] = {named("module.decoder.layers.0.self_attention.linear_qkv.weight", 7),
                        named("module.decoder.layers.0.mlp.linear_fc1.weight", 5),
                        named("module.decoder.layers.1.mlp.linear_fc1.weight", 1)};
    LocalNorm right[] = {named("model.layers.0.self_attn.q_proj.weight", 2),
                         named("model.layers.0.self_attn.k_proj.weight", 3),
                         named("model.layers.0.self_attn.v_proj.weight", 6),
                         named("model.layers.0.mlp.gate_proj.weight", 3),
                         named("model.layers.0.mlp.up_proj.weight", 4),
                         named("model.layers.2.mlp.up_proj.weight", 4)};
    NormList lists[] = {{.step = 1, .global_norm = NAN, .items = left, .count = 3},
                        {.step = 1, .global_norm = NAN, .items = right, .count = 6}};
    Run golden = {.norms = {&lists[0], 1, 1}}, target = {.norms = {&lists[1], 1, 1}};
    NormTable table;
    CHECK(localnorm_compare(&golden, &target, NULL, arena, &table));
    CHECK(table.count == 2 && table.only_target_count == 1 && table.only_golden_count == 1);
    CHECK_TEXT(table.items[0].target, "model.layers.0.self_attn.q_proj.weight + k_proj + v_proj");
    CHECK(fabs(table.items[0].relative_error) < 1e-12 && table.items[0].target_norm == 7);
    CHECK(fabs(table.items[1].relative_error) < 1e-12);
    Str names[] = {right[0].name, right[1].name, right[2].name};
    Str goldens[] = {left[0].name, left[0].name, left[0].name};
    NameMap map = {names, goldens, 3};
    CHECK(localnorm_compare(&golden, &target, &map, arena, &table));
    CHECK(table.count == 1 && fabs(table.items[0].relative_error) < 1e-12);
}

static void lists_of_different_length_never_pair_by_place(void)
{
    LocalNorm left[] = {{.value = 1}, {.value = 2}}, right[] = {{.value = 1}};
    NormList lists[] = {{.step = 1, .global_norm = NAN, .items = left, .count = 2},
                        {.step = 1, .global_norm = NAN, .items = right, .count = 1}};
    Run golden = {.norms = {&lists[0], 1, 1}}, target = {.norms = {&lists[1], 1, 1}};
    NormTable table;
    CHECK(localnorm_compare(&golden, &target, NULL, arena, &table));
    CHECK(table.count == 0 && table.only_target_count == 1 && table.only_golden_count == 2);
}

static void health_names_the_newest_healthy_checkpoint(void)
{
    Checkpoints checkpoints = {0};
    Runs none = {0};
    HealthFindings report;
    Error err;
    CHECK(health_read(sample("health_ckpts.json"), arena, &checkpoints, &notices, &err));
    health_judge(&checkpoints, &none, NAN, arena, &report);
    CHECK(report.count == 10 && report.unhealthy_count == 2);
    CHECK_TEXT(report.newest_healthy->name, "llama3_1_8b_rank_0-2_250.safetensors");
    CHECK(report.marks[2].has_step && report.marks[2].step == 150 && !report.marks[6].has_step);
    CHECK(!health_read(sample("worker_7.log"), arena, &checkpoints, &notices, &err) ||
          checkpoints.count == 10);
}

// Weights of a model of two layers, each golden norm 1, the target's as given.
static NormTable table_of(const double norms[5])
{
    static const char *const names[] = {"embedding.word_embeddings.weight", "layers.0.mlp.weight",
                                        "layers.0.attention.weight", "layers.1.mlp.weight",
                                        "layers.1.attention.weight"};
    LocalNorm left[5], right[5];
    for (size_t i = 0; i < 5; i++) {
        left[i] = named(names[i], 1);
        right[i] = named(names[i], norms[i]);
    }
    NormList lists[] = {{.step = 1, .global_norm = NAN, .items = left, .count = 5},
                        {.step = 1, .global_norm = NAN, .items = right, .count = 5}};
    Run golden = {.norms = {&lists[0], 1, 1}}, target = {.norms = {&lists[1], 1, 1}};
    NormTable table;
    CHECK(localnorm_compare(&golden, &target, NULL, arena, &table));
    CHECK(table.count == 5);
    return table;
}

static void the_pattern_of_the_weights_tells_where_to_look(void)
{
    static const struct {
        double norms[5];
        const char *part;
        size_t problems;
    } cases[] = {
        {{1, 1.009, 0.991, 1, 1}, "the backward pass is fine", 0},
        {{1.04, 1, 1, 1, 1}, "only the embedding is off", 1},
        {{2, 2, 2.01, 1.99, 2}, "off by one factor", 5},
        {{1, 1, 1.2, 1, 1}, "one weight is off", 1},
        {{1.5, 1.3, 1.2, 1.1, 1}, "several weights are off", 4},
        {{2, 2, 2, 2, 2.2}, "several weights are off", 5},
        {{1.02, 1.02, 1.02, 1, 1.02}, "several weights are off", 0},
        {{1, 1, NAN, 1, 1}, "one weight is off", 1},
        {{NAN, 2, 2, 2, 2}, "several weights are off", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        NormTable table = table_of(cases[i].norms);
        CHECK(str_find(str_of(localnorm_reading(&table)), str_of(cases[i].part), 0) != SIZE_MAX);
        size_t problems = 0;
        for (size_t k = 0; k < table.count; k++)
            problems += table.items[k].problem;
        CHECK(problems == cases[i].problems);
    }
}

static void only_the_lists_of_the_first_step_count_and_ranks_are_joined(void)
{
    LocalNorm first[] = {named("a.weight", 3)}, second[] = {named("b.weight", 4)};
    LocalNorm later[] = {named("a.weight", 99)};
    NormList lists[] = {{.step = 1, .global_norm = 5, .items = first, .count = 1},
                        {.step = 1, .global_norm = NAN, .items = second, .count = 1},
                        {.step = 2, .global_norm = 99, .items = later, .count = 1}};
    Run run = {.norms = {lists, 3, 3}};
    NormTable table;
    CHECK(localnorm_compare(&run, &run, NULL, arena, &table));
    CHECK(table.count == 2 && table.golden.step == 1 && table.golden.root == 5);
    CHECK(table.golden.unit == UNIT_NORMS && !table.golden.contradicts);
}

static void a_weight_that_the_map_ties_to_a_paired_one_joins_its_row(void)
{
    LocalNorm left[] = {named("wq", 2), named("wk", 3)};
    LocalNorm right[] = {named("q", 2), named("k", 3), named("rest", 1)};
    NormList lists[] = {{.step = 1, .global_norm = NAN, .items = left, .count = 2},
                        {.step = 1, .global_norm = NAN, .items = right, .count = 3}};
    Run golden = {.norms = {&lists[0], 1, 1}}, target = {.norms = {&lists[1], 1, 1}};
    Str names[] = {STR("q"), STR("q"), STR("k"), STR("absent")};
    Str goldens[] = {STR("wq"), STR("wk"), STR("wk"), STR("wq")};
    NameMap map = {names, goldens, 4};
    NormTable table;
    CHECK(localnorm_compare(&golden, &target, &map, arena, &table));
    CHECK(table.count == 1 && table.items[0].relative_error == 0);
    CHECK_TEXT(table.items[0].golden, "wq + wk");
    CHECK_TEXT(table.items[0].target, "q + k");
    CHECK(table.only_target_count == 1 && table.only_golden_count == 0);
}

static void many_parts_of_one_weight_are_one_row_whose_name_stays_short(void)
{
    enum { PARTS = 50000 };
    LocalNorm *parts = ARENA_ARRAY(arena, LocalNorm, PARTS);
    LocalNorm fused[] = {named("all", 0)};
    Str *names = ARENA_ARRAY(arena, Str, PARTS), *goldens = ARENA_ARRAY(arena, Str, PARTS);
    for (size_t i = 0; i < PARTS; i++) {
        names[i] = str_printf(arena, "experts.%zu.weight", i);
        parts[i] = (LocalNorm){.name = names[i], .value = 1};
        goldens[i] = STR("all");
    }
    fused[0].value = sqrt(PARTS);
    NormList lists[] = {{.step = 1, .global_norm = NAN, .items = fused, .count = 1},
                        {.step = 1, .global_norm = NAN, .items = parts, .count = PARTS}};
    Run golden = {.norms = {&lists[0], 1, 1}}, target = {.norms = {&lists[1], 1, 1}};
    NameMap map = {names, goldens, PARTS};
    NormTable table;
    CHECK(localnorm_compare(&golden, &target, &map, arena, &table));
    CHECK(table.count == 1 && table.only_target_count == 0);
    CHECK(fabs(table.items[0].relative_error) < 1e-9);
    CHECK_TEXT(table.items[0].target, "experts.0.weight + 1 + 2 + 3 + 4 + 5 + 6 + 7 + …");
}

static void a_map_that_is_missing_or_empty_is_refused_with_what_is_expected(void)
{
    NameMap map;
    Error err;
    CHECK(!name_map_read("no-such-map.csv", arena, &map, &notices, &err));
    CHECK(err.kind == ERR_INPUT);
    CHECK_TEXT(str_of(err.file), "no-such-map.csv");
    CHECK(!name_map_read(sample("worker_7.log"), arena, &map, &notices, &err));
    CHECK_TEXT(str_of(err.text), "expected rows under the header 'target,benchmark'");
}

static NormTable table_of_one(double golden, double target)
{
    LocalNorm left[] = {named("a", golden), named("b", 1)};
    LocalNorm right[] = {named("a", target), named("b", 1.001)};
    NormList lists[] = {{.step = 1, .global_norm = NAN, .items = left, .count = 2},
                        {.step = 1, .global_norm = NAN, .items = right, .count = 2}};
    Run one = {.norms = {&lists[0], 1, 1}}, two = {.norms = {&lists[1], 1, 1}};
    NormTable table;
    CHECK(localnorm_compare(&one, &two, NULL, arena, &table) && table.count == 2);
    return table;
}

static void a_norm_that_is_no_number_on_one_side_is_a_problem_and_the_worst(void)
{
    static const struct {
        double golden, target;
        bool problem;
    } cases[] = {
        {1, NAN, true}, {NAN, 1, true}, {1, INFINITY, true}, {INFINITY, 1, true},
        {0, 1, true},   {1, 0, true},   {NAN, NAN, false},   {INFINITY, INFINITY, false},
        {0, 0, false},  // a weight that is not trained
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        NormTable table = table_of_one(cases[i].golden, cases[i].target);
        CHECK(table.items[0].problem == cases[i].problem);
        CHECK(table.items[0].flagged == cases[i].problem && !table.items[1].flagged);
        CHECK(localnorm_worst(&table) == &table.items[cases[i].problem ? 0 : 1]);
        CHECK(localnorm_distance(&table.items[1]) > 0 &&
              localnorm_distance(&table.items[1]) < 0.01);
        CHECK(!isnan(table.median_error));
    }
    NormTable none = {0};
    CHECK(localnorm_worst(&none) == NULL);
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(sums_of_squares_are_told_from_norms_by_the_global_norm);
    CHECK_RUN(without_a_map_equal_lists_pair_by_place);
    CHECK_RUN(usual_renames_are_known);
    CHECK_RUN(parts_of_a_fused_weight_are_summed);
    CHECK_RUN(lists_of_different_length_never_pair_by_place);
    CHECK_RUN(health_names_the_newest_healthy_checkpoint);
    CHECK_RUN(the_pattern_of_the_weights_tells_where_to_look);
    CHECK_RUN(only_the_lists_of_the_first_step_count_and_ranks_are_joined);
    CHECK_RUN(a_weight_that_the_map_ties_to_a_paired_one_joins_its_row);
    CHECK_RUN(many_parts_of_one_weight_are_one_row_whose_name_stays_short);
    CHECK_RUN(a_map_that_is_missing_or_empty_is_refused_with_what_is_expected);
    CHECK_RUN(a_norm_that_is_no_number_on_one_side_is_a_problem_and_the_worst);
    arena_release(arena);
    return CHECK_RESULT;
}
