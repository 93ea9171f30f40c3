// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_CRITERIA_PICK_H
#define VERNIER_READ_SETTINGS_CRITERIA_PICK_H

#include "read/settings/criteria_file.h"
#include "read/settings/pattern_index.h"

// Which rules are about an op, by an index of their patterns.

typedef struct CriteriaIndex CriteriaIndex;

CriteriaIndex *criteria_index_new(const Criteria *criteria, Arena *arena);

typedef struct CriteriaPick {
    Criteria rules;      // in the order of the file; `ops` is empty, as they fit
    PatternHits places;  // where the rules are in it
} CriteriaPick;

// The rules whose `ops` fit the op, in place of what *out held; it grows in `arena`.
void criteria_pick(const CriteriaIndex *index, Str op, Arena *arena, CriteriaPick *out);

#endif
