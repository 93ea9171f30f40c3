// SPDX-License-Identifier: Apache-2.0
#include "read/settings/criteria_pick.h"

#include "base/array.h"
#include "check.h"

static Arena *arena;

// Whether the index finds what one look at each pattern finds.
static void check_name(const Str *patterns, size_t count, const PatternIndex *index, Str name,
                       PatternHits *hits)
{
    size_t next = 0;
    pattern_index_find(index, name, arena, hits);
    for (size_t i = 0; i < count; i++) {
        bool fits = !patterns[i].size || pattern_fits(patterns[i], name);
        CHECK(!fits || (next < hits->count && hits->items[next] == (int64_t)i));
        next += fits;
    }
    CHECK(next == hits->count);
}

static void a_name_has_the_patterns_that_are_it_and_those_that_fit_in_their_order(void)
{
    static const char *const texts[] = {"", "a", "b", "*", "b|a|b", "c?", "a", "a|", "*a*|c*|?"};
    static const char *const asked[] = {"a", "b", "cx", "none", "", "xax"};
    enum { COUNT = sizeof texts / sizeof *texts };
    Str patterns[COUNT];
    PatternHits hits = {0};
    for (size_t i = 0; i < COUNT; i++)
        patterns[i] = str_of(texts[i]);
    PatternIndex *index = pattern_index_new(patterns, COUNT, arena);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        check_name(patterns, COUNT, index, str_of(asked[k]), &hits);
}

static void an_op_has_its_rules_in_the_order_of_the_file_without_their_patterns(void)
{
    CriteriaRule rules[] = {
        {.ops = STR("b*"), .line = 1}, {.line = 2}, {.ops = STR("a|b"), .line = 3}};
    Criteria criteria = {.items = rules, .count = 3};
    CriteriaPick pick = {0};
    CriteriaIndex *index = criteria_index_new(&criteria, arena);
    criteria_pick(index, STR("b"), arena, &pick);
    CHECK(pick.rules.count == 3 && pick.places.count == 3);
    criteria_pick(index, STR("a"), arena, &pick);
    CHECK(pick.rules.count == 2 && pick.places.items[0] == 1 && pick.places.items[1] == 2);
    CHECK(pick.rules.items[1].line == 3 && pick.rules.items[1].ops.size == 0);
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
        Str patterns[30];
        PatternHits hits = {0};
        for (int i = 0; i < 30; i++)
            patterns[i] = random_text("abab*?|", 7, 9, &seed);
        PatternIndex *index = pattern_index_new(patterns, 30, arena);
        for (int i = 0; i < 30; i++)
            check_name(patterns, 30, index, random_text("abc", 3, 12, &seed), &hits);
    }
}

// How many patterns are looked at for so many names, each of which has one.
static size_t looks(const char *before, const char *behind, size_t count)
{
    Str *patterns = ARENA_ARRAY(arena, Str, count);
    PatternHits hits = {0};
    size_t looked = 0;
    for (size_t i = 0; i < count; i++)
        patterns[i] = str_printf(arena, "%s%zu%s", before, i, behind);
    PatternIndex *index = pattern_index_new(patterns, count, arena);
    for (size_t i = 0; i < count; i++) {
        Str name = str_printf(arena, "Module.m%zu.Linear.forward.0", i);
        looked += pattern_index_find(index, name, arena, &hits);
        CHECK(hits.count == 1 && hits.items[0] == (int64_t)i);
    }
    return looked;
}

// Twice the patterns and names are twice the work.
static void patterns_that_are_names_cost_as_many_looks_as_there_are_names(void)
{
    for (size_t count = 1000; count <= 8000; count *= 2)
        CHECK(looks("Module.m", ".Linear.forward.0", count) == count);
}

// Wildcards before, behind and on both sides of what tells the names apart.
static void patterns_with_wildcards_cost_no_more_looks_than_the_digits_of_their_numbers(void)
{
    static const struct {
        const char *before, *behind;
    } forms[] = {{"*.m", ".*"},
                 {"Module.m", ".*"},
                 {"*m", ".Linear.forward.0"},
                 {"Module.*m", ".?inear*"},
                 {"Module.m", "?Linear.forward.0|none*"}};
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
        for (size_t count = 1000; count <= 8000; count *= 2)
            CHECK(looks(forms[form].before, forms[form].behind, count) <= 5 * count);
}

// One pattern of many names.
static void alternatives_cost_as_many_looks_as_patterns_of_their_own(void)
{
    enum { COUNT = 2000 };
    PatternHits hits = {0};
    char *text = ARENA_ARRAY(arena, char, COUNT * 10);
    size_t size = 0, looked = 0;
    for (size_t i = 0; i < COUNT; i++)
        size += (size_t)snprintf(text + size, 10, "%sm%zu.*", i ? "|" : "", i);
    PatternIndex *index = pattern_index_new(&(Str){text, size}, 1, arena);
    for (size_t i = 0; i < COUNT; i++) {
        looked += pattern_index_find(index, str_printf(arena, "m%zu.forward", i), arena, &hits);
        CHECK(hits.count == 1);
    }
    CHECK(looked == COUNT);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_name_has_the_patterns_that_are_it_and_those_that_fit_in_their_order);
    CHECK_RUN(an_op_has_its_rules_in_the_order_of_the_file_without_their_patterns);
    CHECK_RUN(patterns_of_any_kind_are_found_as_by_one_look_at_each);
    CHECK_RUN(patterns_that_are_names_cost_as_many_looks_as_there_are_names);
    CHECK_RUN(patterns_with_wildcards_cost_no_more_looks_than_the_digits_of_their_numbers);
    CHECK_RUN(alternatives_cost_as_many_looks_as_patterns_of_their_own);
    arena_release(arena);
    return CHECK_RESULT;
}
