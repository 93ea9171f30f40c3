// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_CRITERIA_FILE_H
#define VERNIER_READ_SETTINGS_CRITERIA_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/str.h"

// The file of --criteria: tolerances and what is to be ignored (docs/criteria.md).

// What a tolerance is on: the relative difference of a statistic, of an argument, or of the
// elements (normalised L2 error).
typedef enum CriteriaMetric {
    CRITERIA_NORM,
    CRITERIA_MAX,
    CRITERIA_MIN,
    CRITERIA_MEAN,
    CRITERIA_VALUE,
    CRITERIA_ELEMENTS,
    CRITERIA_METRICS
} CriteriaMetric;

// A relative difference up to `pass` passes, up to `warning` is a warning, above an error. An
// absolute difference up to `absolute` passes whatever the relative one is.
typedef struct CriteriaLimit {
    bool set;
    double pass, warning, absolute;
} CriteriaLimit;

// One entry of `rules`, or the defaults (selectors empty). Of several rules that fit, the last one
// that sets a limit or `ignore` counts; of a file with `order: first` the rules are here in the
// other direction.
typedef struct CriteriaRule {
    Str ops, slots, dtypes;  // patterns; empty: any
    bool sets_ignore, ignore;
    CriteriaLimit limits[CRITERIA_METRICS];
    Str reason;  // the author's words, for the report; may be empty
    uint64_t line;
} CriteriaRule;

typedef struct Criteria {
    Str path;
    CriteriaRule *items;  // the defaults first, if there are any, then in the order of the file
    size_t count, capacity;
} Criteria;

bool criteria_read(const char *path, Arena *arena, Criteria *out, Notices *notices, Error *err);

// Whether the selectors of a rule fit a slot. Texts as in the dump: "Functional.linear.3.forward",
// "output.0", "torch.bfloat16".
bool criteria_rule_fits(const CriteriaRule *rule, Str op, Str slot, Str dtype);

// The rule that decides whether a slot is left out, or NULL if none says so.
const CriteriaRule *criteria_ignore(const Criteria *criteria, Str op, Str slot, Str dtype);

// The rule that sets the limit of a metric for a slot, or NULL: the default floors apply.
const CriteriaRule *criteria_limit(const Criteria *criteria, CriteriaMetric metric, Str op,
                                   Str slot, Str dtype);

// Whether a text fits a pattern: '*' stands for any text, '?' for one byte, '|' between
// alternatives; the whole text must fit. Letter case counts.
bool pattern_fits(Str pattern, Str text);

#endif
