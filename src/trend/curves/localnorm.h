// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_LOCALNORM_H
#define VERNIER_TREND_CURVES_LOCALNORM_H

#include "model/run/series.h"
#include "read/settings/name_map.h"

// Gradient norms per weight of two runs next to each other (docs/spec/curves.md §5.2).

// The relative error of one weight that is flagged; LOCALNORM_PROBLEM times it is a problem by
// itself, else if it is also LOCALNORM_ALONE times the median of all, as where one operator is off
// (docs/spec/curves.md §5.0, chosen). Both are shown; a wrong limit colours a row and no more.
#define LOCALNORM_LOOK 0.01
enum { LOCALNORM_PROBLEM = 5, LOCALNORM_ALONE = 10 };

// What a printed list turned out to hold.
typedef enum NormUnit {
    UNIT_NORMS,
    UNIT_SQUARES,        // proved by the printed global norm
    UNIT_SQUARES_LIKELY  // taken for squares; the global norm fits neither (often a rank's part)
} NormUnit;

// One run's list in true norms.
typedef struct NormSide {
    int64_t step;
    NormUnit unit;
    double global_norm, root;  // printed, and the root of the square sum of the list
    size_t count;
    bool elided, contradicts;  // entries left out; the root exceeds the global norm
} NormSide;

typedef struct NormPair {
    Str target, golden;  // names; "#1" where only the place is known
    double target_norm, golden_norm;
    double relative_error;  // (target - golden) / golden; NaN where a side is no number
    double share;           // of the square sum of golden
    uint64_t elements;      // 0: unknown
    bool flagged, problem;
} NormPair;

typedef struct NormTable {
    NormPair *items;
    size_t count, capacity;
    NormSide target, golden;
    Str *only_target, *only_golden;
    size_t only_target_count, only_golden_count;
    double median_error;
    double look;  // the limit in force
} NormTable;

// Pairs the first lists of both runs: by the map, by name, by usual renames, or by place where both
// lists are nameless and equally long. Parts of a weight that the other side has fused (query, key,
// value; gate, up; rows of the map that share a name) are one pair with the root of their square
// sum. False if one side has no list.
bool localnorm_compare(const Run *golden, const Run *target, const NameMap *map, Arena *arena,
                       NormTable *out);

// Judges the pairs by another limit than LOCALNORM_LOOK.
void localnorm_flag(NormTable *table, double look, Arena *arena);

size_t localnorm_flagged(const NormTable *table);  // how many pairs are

// How far the two norms of a pair are apart: the magnitude of the relative error, 0 where both are
// equal or no numbers, infinity where one is.
double localnorm_distance(const NormPair *pair);

// The pair furthest apart, the first of equals; NULL without pairs.
const NormPair *localnorm_worst(const NormTable *table);

// The reading of docs/spec/curves.md §5.2, translated: "only the embedding is off: …".
const char *localnorm_reading(const NormTable *table);

#endif
