// SPDX-License-Identifier: Apache-2.0
#include "read/settings/criteria_pick.h"

#include "base/array.h"

struct CriteriaIndex {
    const Criteria *criteria;
    PatternIndex *ops;
};

CriteriaIndex *criteria_index_new(const Criteria *criteria, Arena *arena)
{
    CriteriaIndex *index = ARENA_NEW(arena, CriteriaIndex);
    Str *ops = ARENA_ARRAY(arena, Str, criteria->count);
    for (size_t i = 0; i < criteria->count; i++)
        ops[i] = criteria->items[i].ops;
    *index = (CriteriaIndex){criteria, pattern_index_new(ops, criteria->count, arena)};
    return index;
}

void criteria_pick(const CriteriaIndex *index, Str op, Arena *arena, CriteriaPick *out)
{
    pattern_index_find(index->ops, op, arena, &out->places);
    out->rules.count = 0;
    for (size_t i = 0; i < out->places.count; i++) {
        CriteriaRule *picked = ARRAY_PUSH(arena, &out->rules);
        *picked = index->criteria->items[out->places.items[i]];
        picked->ops = (Str){"", 0};
    }
}
