// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/focus.h"

#include "check.h"
#include "layout_fixture.h"

static Str row_name(const Comparison *comparison, uint32_t row)
{
    const Graph *graph = comparison->target;
    return names_text(graph->dump->names, graph->nodes[comparison->tree[row].target].name);
}

static void names_paths_and_parts_find_their_node(void)
{
    Arena *arena = arena_new();
    FixtureRun golden, target;
    FixtureModel model = {.layers = 40, .pattern = FIXTURE_NOISY};
    fixture_model(&target, model, arena);
    model.golden = true;
    fixture_model(&golden, model, arena);
    Comparison comparison;
    fixture_compare(&golden, &target, arena, &comparison);
    static const struct {
        const char *name, *found;
    } cases[] = {
        {"Functional.linear.1.forward", "Functional.linear.1.forward"},
        {"layers.1", "Module.layers.1.Block.forward.0"},
        {"layers.7.mlp.fc", "Module.layers.7.mlp.fc.Linear.forward.0"},
        {"gelu.11.back", "Functional.gelu.11.backward"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t row = focus_find(&comparison, str_of(cases[i].name));
        CHECK(row != PAIR_NONE);
        if (row != PAIR_NONE)
            CHECK_TEXT(row_name(&comparison, row), cases[i].found);
    }
    CHECK(focus_find(&comparison, STR("")) == 0);
    CHECK(focus_find(&comparison, STR("first-divergence")) == 0);
    CHECK(focus_find(&comparison, STR("no such node")) == PAIR_NONE);
    uint32_t worst = focus_find(&comparison, STR("worst"));
    CHECK(worst != 0 && worst != PAIR_NONE);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(names_paths_and_parts_find_their_node);
    return CHECK_RESULT;
}
