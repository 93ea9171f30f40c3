// SPDX-License-Identifier: Apache-2.0
#include "read/settings/criteria_pick.h"

#include "base/array.h"
#include "base/names.h"

#define NO_LINK UINT32_MAX

// A rule among those of one name.
typedef struct Link {
    uint32_t rule, next;
} Link;

struct CriteriaIndex {
    const Criteria *criteria;
    Names *ops;       // that rules name without wildcards
    uint32_t *first;  // by NameId: the first link
    uint32_t *last;
    size_t first_count, last_count;
    struct {
        Link *items;
        size_t count, capacity;
    } links;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } others;  // rules with wildcards, or about all ops
};

static bool is_plain(Str pattern)
{
    for (size_t i = 0; i < pattern.size; i++)
        if (pattern.data[i] == '*' || pattern.data[i] == '?')
            return false;
    return pattern.size > 0;
}

static void link_rule(CriteriaIndex *index, Str op, uint32_t rule, Arena *arena)
{
    size_t before = names_count(index->ops);
    NameId id = names_add(index->ops, op);
    uint32_t *first = &ARRAY_REACH(arena, index->first, index->first_count, id)[id];
    uint32_t *last = &ARRAY_REACH(arena, index->last, index->last_count, id)[id];
    bool fresh = names_count(index->ops) != before;
    if (!fresh && index->links.items[*last].rule == rule)
        return;
    uint32_t link = (uint32_t)index->links.count;
    *ARRAY_PUSH(arena, &index->links) = (Link){rule, NO_LINK};
    if (fresh)
        *first = link;
    else
        index->links.items[*last].next = link;
    *last = link;
}

CriteriaIndex *criteria_index_new(const Criteria *criteria, Arena *arena)
{
    CriteriaIndex *index = ARENA_NEW(arena, CriteriaIndex);
    index->criteria = criteria;
    index->ops = names_new(arena);
    for (uint32_t i = 0; i < criteria->count; i++) {
        Str rest = criteria->items[i].ops, op;
        if (!is_plain(rest)) {
            *ARRAY_PUSH(arena, &index->others) = i;
            continue;
        }
        while (str_split(&rest, '|', &op))
            link_rule(index, op, i, arena);
    }
    return index;
}

static void take(const CriteriaIndex *index, uint32_t rule, Arena *arena, CriteriaPick *out)
{
    *ARRAY_PUSH(arena, &out->rules) = index->criteria->items[rule];
    *ARRAY_PUSH(arena, &out->places) = rule;
}

size_t criteria_pick(const CriteriaIndex *index, Str op, Arena *arena, CriteriaPick *out)
{
    NameId id = names_find(index->ops, op);
    uint32_t link = id == NAME_NONE ? NO_LINK : index->first[id];
    size_t next = 0, looked = 0;
    out->rules.count = out->places.count = 0;
    for (; next < index->others.count || link != NO_LINK; looked++) {
        uint32_t other = next < index->others.count ? index->others.items[next] : NO_LINK;
        if (link != NO_LINK && index->links.items[link].rule < other) {
            take(index, index->links.items[link].rule, arena, out);
            link = index->links.items[link].next;
            continue;
        }
        Str pattern = index->criteria->items[other].ops;
        if (!pattern.size || pattern_fits(pattern, op))
            take(index, other, arena, out);
        next++;
    }
    return looked;
}
