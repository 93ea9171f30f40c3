// SPDX-License-Identifier: Apache-2.0
#include "read/settings/pattern_index.h"

#include "base/array.h"
#include "base/names.h"
#include "base/sort.h"
#include "read/settings/criteria_file.h"

#define NO_LINK UINT32_MAX

// An alternative of a pattern among those of one name or fragment.
typedef struct Link {
    Str pattern;
    uint32_t place, next;
} Link;

// The links of each name or fragment, by its number.
typedef struct Chains {
    uint32_t *first;  // one more than the link; 0: none
    size_t count;
} Chains;

struct PatternIndex {
    Names *names;          // patterns without wildcards
    Fragments *fragments;  // one of each pattern with wildcards
    Chains of_name, of_fragment;
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

static void count_uses(Uses *uses, const Str *patterns, size_t count, Arena *arena)
{
    uses->names = names_new(arena);
    for (size_t i = 0; i < count; i++) {
        Str rest = patterns[i], alternative, fragment;
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

static void add_link(PatternIndex *index, Chains *chains, uint32_t number, Str pattern,
                     uint32_t place, Arena *arena)
{
    uint32_t *first = &ARRAY_REACH(arena, chains->first, chains->count, number)[number];
    *ARRAY_PUSH(arena, &index->links) = (Link){pattern, place, *first ? *first - 1 : NO_LINK};
    *first = (uint32_t)index->links.count;
}

static void add_alternative(PatternIndex *index, const Uses *uses, Str pattern, uint32_t place,
                            Arena *arena)
{
    Str fragment = rarest_fragment(uses, pattern);
    if (fragment.size == pattern.size)
        add_link(index, &index->of_name, names_add(index->names, pattern), pattern, place, arena);
    else if (fragment.size)
        add_link(index, &index->of_fragment, fragments_add(index->fragments, fragment), pattern,
                 place, arena);
    else
        add_link(index, &index->of_any, 0, pattern, place, arena);
}

PatternIndex *pattern_index_new(const Str *patterns, size_t count, Arena *arena)
{
    PatternIndex *index = ARENA_NEW(arena, PatternIndex);
    Uses uses = {0};
    index->names = names_new(arena);
    index->fragments = fragments_new(arena);
    count_uses(&uses, patterns, count, arena);
    for (uint32_t i = 0; i < count; i++) {
        Str rest = patterns[i].size ? patterns[i] : STR("*"), alternative;
        while (str_split(&rest, '|', &alternative))
            add_alternative(index, &uses, alternative, i, arena);
    }
    fragments_link(index->fragments);
    return index;
}

// How many alternatives were looked at.
static size_t gather(const PatternIndex *index, const Chains *chains, size_t number, Str name,
                     Arena *arena, PatternHits *out)
{
    size_t looked = 0;
    uint32_t at =
        number < chains->count && chains->first[number] ? chains->first[number] - 1 : NO_LINK;
    for (; at != NO_LINK; at = index->links.items[at].next, looked++)
        if (pattern_fits(index->links.items[at].pattern, name))
            *ARRAY_PUSH(arena, out) = index->links.items[at].place;
    return looked;
}

size_t pattern_index_find(const PatternIndex *index, Str name, Arena *arena, PatternHits *out)
{
    out->count = 0;
    size_t looked = gather(index, &index->of_any, 0, name, arena, out);
    looked += gather(index, &index->of_name, names_find(index->names, name), name, arena, out);
    fragments_in(index->fragments, name, arena, &out->fragments);
    for (size_t i = 0; i < out->fragments.count; i++)
        looked +=
            gather(index, &index->of_fragment, (size_t)out->fragments.items[i], name, arena, out);
    out->count = sort_distinct(out->items, out->count);
    return looked;
}
