// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_CRITERIA_PICK_H
#define VERNIER_READ_SETTINGS_CRITERIA_PICK_H

#include "read/settings/criteria_file.h"
#include "read/settings/fragments.h"

// Which rules are about an op: those that name ops without wildcards are found by name, those with
// wildcards by the rarest of the texts between them, so that many rules cost no more than there are
// ops they are about. Rules about all ops, or of nothing but wildcards, are looked at one by one.

typedef struct CriteriaIndex CriteriaIndex;

CriteriaIndex *criteria_index_new(const Criteria *criteria, Arena *arena);

typedef struct CriteriaPick {
    Criteria rules;  // in the order of the file; `ops` is empty, as they fit
    struct {
        uint32_t *items;  // where the rules stand in it
        size_t count, capacity;
    } places;
    FragmentHits hits, found;  // memory of the search
} CriteriaPick;

// The rules whose `ops` fit the op, in place of what *out held; it grows in `arena`. Returns how
// many patterns were looked at.
size_t criteria_pick(const CriteriaIndex *index, Str op, Arena *arena, CriteriaPick *out);

#endif
