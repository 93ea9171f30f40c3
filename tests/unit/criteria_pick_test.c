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

// Whether the index finds what one look at each rule finds.
static void check_op(const Criteria *criteria, const CriteriaIndex *index, Str op,
                     CriteriaPick *pick)
{
    size_t next = 0;
    criteria_pick(index, op, arena, pick);
    for (uint32_t i = 0; i < criteria->count; i++) {
        bool fits = !criteria->items[i].ops.size || pattern_fits(criteria->items[i].ops, op);
        CHECK(!fits || (next < pick->places.count && pick->places.items[next] == i &&
                        pick->rules.items[next].line == i));
        next += fits;
    }
    CHECK(next == pick->rules.count && next == pick->places.count);
}

static void an_op_has_the_rules_that_name_it_and_those_that_fit_in_the_order_of_the_file(void)
{
    static const char *const ops[] = {"", "a", "b", "*", "b|a|b", "c?", "a", "a|", "*a*|c*|?"};
    static const char *const asked[] = {"a", "b", "cx", "none", "", "xax"};
    Criteria criteria = {0};
    CriteriaPick pick = {0};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        add(&criteria, str_of(ops[i]));
    CriteriaIndex *index = criteria_index_new(&criteria, arena);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        check_op(&criteria, index, str_of(asked[k]), &pick);
}

static Str random_text(const char *letters, uint32_t count, uint32_t most, uint32_t *seed)
{
    char *text = ARENA_ARRAY(arena, char, most);
    *seed = *seed * 1664525 + 1013904223;
    uint32_t size = (*seed >> 8) % (most + 1);
    for (uint32_t i = 0; i < size; i++) {
        *seed = *seed * 1664525 + 1013904223;
        text[i] = letters[(*seed >> 8) % count];
    }
    return (Str){text, size};
}

// Few letters, so that patterns hold, overlap and end each other.
static void patterns_of_any_kind_are_found_as_by_one_look_at_each(void)
{
    uint32_t seed = 1;
    for (int round = 0; round < 200; round++) {
        Criteria criteria = {0};
        CriteriaPick pick = {0};
        for (int i = 0; i < 30; i++)
            add(&criteria, random_text("abab*?|", 7, 9, &seed));
        CriteriaIndex *index = criteria_index_new(&criteria, arena);
        for (int i = 0; i < 30; i++)
            check_op(&criteria, index, random_text("abc", 3, 12, &seed), &pick);
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

// Wildcards before, behind and on both sides of what tells the ops apart.
static void rules_with_wildcards_cost_no_more_looks_than_the_digits_of_their_numbers(void)
{
    static const struct {
        const char *before, *behind;
    } forms[] = {{"*.m", ".*"},
                 {"Module.m", ".*"},
                 {"*m", ".Linear.forward.0"},
                 {"Module.*m", ".?inear*"},
                 {"Module.m", "?Linear.forward.0|none*"}};
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
        for (size_t count = 1000; count <= 8000; count *= 2) {
            Criteria criteria = {0};
            CriteriaPick pick = {0};
            for (size_t i = 0; i < count; i++)
                add(&criteria,
                    str_printf(arena, "%s%zu%s", forms[form].before, i, forms[form].behind));
            CriteriaIndex *index = criteria_index_new(&criteria, arena);
            size_t looked = 0;
            for (size_t i = 0; i < count; i++)
                looked += criteria_pick(index, str_printf(arena, "Module.m%zu.Linear.forward.0", i),
                                        arena, &pick);
            CHECK(looked <= 5 * count && pick.rules.count == 1);
        }
}

// One rule of many ops.
static void alternatives_cost_as_many_looks_as_rules_of_their_own(void)
{
    enum { COUNT = 2000 };
    Criteria criteria = {0};
    CriteriaPick pick = {0};
    char *text = ARENA_ARRAY(arena, char, COUNT * 10);
    size_t size = 0, looked = 0;
    for (size_t i = 0; i < COUNT; i++)
        size += (size_t)snprintf(text + size, 10, "%sm%zu.*", i ? "|" : "", i);
    add(&criteria, (Str){text, size});
    CriteriaIndex *index = criteria_index_new(&criteria, arena);
    for (size_t i = 0; i < COUNT; i++) {
        looked += criteria_pick(index, str_printf(arena, "m%zu.forward", i), arena, &pick);
        CHECK(pick.rules.count == 1 && pick.rules.items[0].ops.size == 0);
    }
    CHECK(looked == COUNT);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(an_op_has_the_rules_that_name_it_and_those_that_fit_in_the_order_of_the_file);
    CHECK_RUN(patterns_of_any_kind_are_found_as_by_one_look_at_each);
    CHECK_RUN(rules_with_wildcards_cost_no_more_looks_than_the_digits_of_their_numbers);
    CHECK_RUN(alternatives_cost_as_many_looks_as_rules_of_their_own);
    CHECK_RUN(rules_that_name_ops_cost_as_many_looks_as_there_are_ops);
    arena_release(arena);
    return CHECK_RESULT;
}
