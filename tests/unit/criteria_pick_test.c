// SPDX-License-Identifier: Apache-2.0
#include "read/settings/criteria_pick.h"

#include "base/array.h"
#include "check.h"

static Arena *arena;

static void add(Criteria *criteria, Str ops)
{
    uint64_t line = criteria->count;
    *ARRAY_PUSH(arena, criteria) = (CriteriaRule){.ops = ops, .line = line};
}

static void an_op_has_the_rules_that_name_it_and_those_that_fit_in_the_order_of_the_file(void)
{
    static const char *const ops[] = {"", "a", "b", "*", "b|a|b", "c?", "a"};
    Criteria criteria = {0};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        add(&criteria, str_of(ops[i]));
    CriteriaIndex *index = criteria_index_new(&criteria, arena);
    CriteriaPick pick = {0};
    static const char *const asked[] = {"a", "b", "cx", "none"};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        Str op = str_of(asked[k]);
        size_t next = 0;
        criteria_pick(index, op, arena, &pick);
        for (uint32_t i = 0; i < criteria.count; i++) {
            bool fits = !criteria.items[i].ops.size || pattern_fits(criteria.items[i].ops, op);
            CHECK(!fits || (next < pick.places.count && pick.places.items[next] == i &&
                            pick.rules.items[next].line == i));
            next += fits;
        }
        CHECK(next == pick.rules.count && next == pick.places.count);
    }
}

// Twice the rules and ops are twice the work.
static void rules_that_name_ops_cost_as_many_looks_as_there_are_ops(void)
{
    for (size_t count = 1000; count <= 8000; count *= 2) {
        Criteria criteria = {0};
        CriteriaPick pick = {0};
        for (size_t i = 0; i < count; i++)
            add(&criteria, str_printf(arena, "Module.m%zu.Linear.forward.0", i));
        CriteriaIndex *index = criteria_index_new(&criteria, arena);
        size_t looked = 0;
        for (size_t i = 0; i < count; i++)
            looked += criteria_pick(index, criteria.items[i].ops, arena, &pick);
        CHECK(looked == count && pick.rules.count == 1);
    }
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(an_op_has_the_rules_that_name_it_and_those_that_fit_in_the_order_of_the_file);
    CHECK_RUN(rules_that_name_ops_cost_as_many_looks_as_there_are_ops);
    arena_release(arena);
    return CHECK_RESULT;
}
