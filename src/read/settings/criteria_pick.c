// SPDX-License-Identifier: Apache-2.0
#include "read/settings/criteria_pick.h"

#include "base/array.h"
#include "base/names.h"
#include "base/sort.h"

#define NO_LINK UINT32_MAX

// An alternative of a rule's pattern among those of one name or fragment.
typedef struct Link {
    Str pattern;
    uint32_t rule, next;
} Link;

// The links of each name or fragment, by its number.
typedef struct Chains {
    uint32_t *first;  // one more than the link; 0: none
    size_t count;
} Chains;

struct CriteriaIndex {
    const Criteria *criteria;
    Names *ops;            // that rules name without wildcards
    Fragments *fragments;  // one of each pattern with wildcards
    Chains of_op, of_fragment;
    Chains of_any;  // under 0: patterns that hold no text to look for
    struct {
        Link *items;
        size_t count, capacity;
    } links;
};

// What stands before the next wildcard; false at the end.
static bool next_fragment(Str *pattern, Str *out)
{
    size_t size = 0;
    while (pattern->size && (*pattern->data == '*' || *pattern->data == '?'))
        *pattern = str_slice(*pattern, 1, pattern->size);
    while (size < pattern->size && pattern->data[size] != '*' && pattern->data[size] != '?')
        size++;
    *out = str_slice(*pattern, 0, size);
    *pattern = str_slice(*pattern, size, pattern->size);
    return size > 0;
}

// In how many places each fragment stands, by its name.
typedef struct Uses {
    Names *names;
    uint32_t *items;
    size_t count;  // of items
} Uses;

static void count_uses(Uses *uses, const Criteria *criteria, Arena *arena)
{
    uses->names = names_new(arena);
    for (size_t i = 0; i < criteria->count; i++) {
        Str rest = criteria->items[i].ops, alternative, fragment;
        while (str_split(&rest, '|', &alternative))
            while (next_fragment(&alternative, &fragment)) {
                NameId id = names_add(uses->names, fragment);
                ARRAY_REACH(arena, uses->items, uses->count, id)[id]++;
            }
    }
}

// Of those that are as rare the longest; empty: nothing but wildcards.
static Str rarest_fragment(const Uses *uses, Str pattern)
{
    Str fragment, best = {"", 0};
    uint32_t least = UINT32_MAX;
    while (next_fragment(&pattern, &fragment)) {
        NameId id = names_find(uses->names, fragment);
        uint32_t count = id < uses->count ? uses->items[id] : 0;
        if (count < least || (count == least && fragment.size > best.size)) {
            best = fragment;
            least = count;
        }
    }
    return best;
}

static void add_link(CriteriaIndex *index, Chains *chains, uint32_t number, Str pattern,
                     uint32_t rule, Arena *arena)
{
    uint32_t *first = &ARRAY_REACH(arena, chains->first, chains->count, number)[number];
    *ARRAY_PUSH(arena, &index->links) = (Link){pattern, rule, *first ? *first - 1 : NO_LINK};
    *first = (uint32_t)index->links.count;
}

static void add_alternative(CriteriaIndex *index, const Uses *uses, Str pattern, uint32_t rule,
                            Arena *arena)
{
    Str fragment = rarest_fragment(uses, pattern);
    if (fragment.size == pattern.size)
        add_link(index, &index->of_op, names_add(index->ops, pattern), pattern, rule, arena);
    else if (fragment.size)
        add_link(index, &index->of_fragment, fragments_add(index->fragments, fragment), pattern,
                 rule, arena);
    else
        add_link(index, &index->of_any, 0, pattern, rule, arena);
}

CriteriaIndex *criteria_index_new(const Criteria *criteria, Arena *arena)
{
    CriteriaIndex *index = ARENA_NEW(arena, CriteriaIndex);
    Uses uses = {0};
    index->criteria = criteria;
    index->ops = names_new(arena);
    index->fragments = fragments_new(arena);
    count_uses(&uses, criteria, arena);
    for (uint32_t i = 0; i < criteria->count; i++) {
        Str rest = criteria->items[i].ops, alternative;
        if (rest.size == 0)
            rest = STR("*");
        while (str_split(&rest, '|', &alternative))
            add_alternative(index, &uses, alternative, i, arena);
    }
    fragments_link(index->fragments);
    return index;
}

// How many alternatives were looked at.
static size_t gather(const CriteriaIndex *index, const Chains *chains, size_t number, Str op,
                     Arena *arena, CriteriaPick *out)
{
    size_t looked = 0;
    uint32_t at =
        number < chains->count && chains->first[number] ? chains->first[number] - 1 : NO_LINK;
    for (; at != NO_LINK; at = index->links.items[at].next, looked++)
        if (pattern_fits(index->links.items[at].pattern, op))
            *ARRAY_PUSH(arena, &out->found) = index->links.items[at].rule;
    return looked;
}

size_t criteria_pick(const CriteriaIndex *index, Str op, Arena *arena, CriteriaPick *out)
{
    out->rules.count = out->places.count = out->found.count = 0;
    size_t looked = gather(index, &index->of_any, 0, op, arena, out);
    looked += gather(index, &index->of_op, names_find(index->ops, op), op, arena, out);
    fragments_in(index->fragments, op, arena, &out->hits);
    for (size_t i = 0; i < out->hits.count; i++)
        looked += gather(index, &index->of_fragment, (size_t)out->hits.items[i], op, arena, out);
    size_t count = sort_distinct(out->found.items, out->found.count);
    for (size_t i = 0; i < count; i++) {
        uint32_t rule = (uint32_t)out->found.items[i];
        CriteriaRule *picked = ARRAY_PUSH(arena, &out->rules);
        *picked = index->criteria->items[rule];
        picked->ops = (Str){"", 0};
        *ARRAY_PUSH(arena, &out->places) = rule;
    }
    return looked;
}
