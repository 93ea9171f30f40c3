// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_FIT_H
#define VERNIER_COMPARE_MAPPING_FIT_H

#include "compare/judge/comparison.h"
#include "compare/pair_facts.h"

// Mapping files that name nothing: most likely their sides are swapped, or a name is mistyped.

// Sets mapping_given and mapping_fit: of the options those with a file, and those whose file names
// something of the target (bits of 1 << MappingKind).
typedef enum MappingKind { MAPPING_DATA, MAPPING_CELLS, MAPPING_APIS, MAPPING_LAYERS } MappingKind;
void mapping_fit(const Comparison *comparison, const MatchOptions *match, PairFacts *out);

// A notice for each file that fits no pair. None if a pair was not compared.
void mapping_note_unused(const PairFacts *pairs, size_t count, Notices *notices);

#endif
