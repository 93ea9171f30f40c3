// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_RULE_TABLE_H
#define VERNIER_COMPARE_JUDGE_RULE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

// Every rule by which the rules `vernier` judge: what it says, of what, and why. `vernier help
// rules`, docs/reference/rules.md, summary.json, Err_message and `--without` are made of this one
// table.

// Those up to REASON_COUNT are what a slot's status may rest on; the others widen a floor, settle
// an op that one side alone holds, or name the place where the runs diverge.
typedef enum Rule {
    REASON_NONE,
    REASON_UNMATCHED,
    REASON_NONFINITE,
    REASON_DTYPE,
    REASON_SHAPE,
    REASON_ARGUMENT,
    REASON_CHECKSUM,
    REASON_STATISTIC,
    REASON_ELEMENTS,
    REASON_EXACT,
    REASON_IGNORED,
    REASON_UNCOMPARABLE,
    REASON_OVERWRITTEN,
    REASON_NOT_RECORDED,
    REASON_LOST,
    REASON_SAME_MEANING,
    REASON_INTEGER_TYPE,
    REASON_AXES,
    REASON_REGROUPED,
    REASON_WEIGHT_SUMS,
    REASON_NOISE_GRADIENT,
    REASON_INHERITED,
    REASON_INSIDE,
    REASON_COUNT,

    RULE_CANCELS = REASON_COUNT,
    RULE_OUTSIDE,
    RULE_FEW,
    RULE_LATER,
    RULE_DIGITS,
    RULE_LOST_NORM,
    RULE_COMPUTED_NUMBER,
    RULE_FIRST_CHANGE,
    RULE_LOST_GIFT,
    RULE_NOT_UPDATED,
    RULE_LAYERS,
    RULE_KINDS,
    RULE_RISK_LEVEL,
    RULE_INSIDE_MODULE,
    RULE_SCOPE,
    RULE_NAMED,
    RULE_LIST,
    RULE_END,
    RULE_CALLED_OTHERWISE,
    RULE_LOGGING,
    RULE_REWRITTEN,
    RULE_NO_EFFECT,
    RULE_CHANGES_NOTHING,
    RULE_MISSING_SOURCE,
    RULE_COUNT
} Rule;

// Why a slot has its status.
typedef Rule Reason;

// A slot beyond its floor that passes because of another value.
static inline bool reason_is_vouched(unsigned reason)
{
    return reason >= REASON_NOISE_GRADIENT && reason < REASON_COUNT;
}

typedef enum RuleScope {
    RULE_CHECKS,   // of a slot: what is wrong with it; no --without
    RULE_EXCUSES,  // of a slot beyond its floor, or without one: passes, or is not compared
    RULE_FLOORS,   // of a slot: how large its floor is
    RULE_ACCUSES,  // of a slot within its floor
    RULE_SETTLES,  // of an op that one side alone holds
    RULE_PLACES,   // of the pair: where the runs diverge
    RULE_SCOPES
} RuleScope;

typedef struct RuleRow {
    const char *id;  // "inherited": in JSON, Err_message, --without
    RuleScope scope;
    const char *levels;  // its outputs: "error", "pass"; of a floor how it changes: "wider"
    const char *said;    // of a slot: in Err_message; marked for tr, or NULL
} RuleRow;

extern const RuleRow rule_table[RULE_COUNT];

// Rules as bits.
typedef uint64_t RuleSet;

static inline bool rule_on(RuleSet without, Rule rule)
{
    return !(without >> rule & 1);
}

// The rule of that id that --without may name; RULE_COUNT: none.
Rule rule_by_id(Str id);

// What it does, English; `source` of templates/rules.table says why it holds.
const char *rule_says(Rule rule, Arena *arena);

#endif
