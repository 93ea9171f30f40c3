// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PEER_VERDICT_H
#define VERNIER_COMPARE_PEER_VERDICT_H

#include "compare/peer_cells.h"
#include "compare/peer_rows.h"

// The verdict rules of generation 26, shared by its row report and its graph (spec/compare.md §5.2,
// spec/graph.md §4.3), defects included.

// In the order in which their messages stand in a row.
typedef enum PeerRule {
    PEER_NONFINITE,
    PEER_NORMREL,
    PEER_THOUSANDTH,
    PEER_REQGRAD,
    PEER_SCALAR,
    PEER_DTYPE,
    PEER_SHAPE,
    PEER_NORM10X,
    PEER_COSDROP,
    PEER_CRC,
    PEER_MD5MISS,
    PEER_RULE_COUNT
} PeerRule;

typedef struct PeerRuleInfo {
    const char *id;
    Status level;
    uint8_t modes;        // a bit for each CompareMode
    const char *text;     // the message, to be translated
    const char *applies;  // which rows, to be translated
} PeerRuleInfo;
extern const PeerRuleInfo peer_rules[PEER_RULE_COUNT];

// The six metrics of one pair of tensors (spec/compare.md §4.4).
typedef enum PeerMetric {
    PEER_COSINE,
    PEER_EUCLID,
    PEER_MAX_ABS,
    PEER_MAX_RELATIVE,
    PEER_THOUSANDTHS,
    PEER_FIVE_THOUSANDTHS,
    PEER_METRIC_COUNT
} PeerMetric;

typedef struct PeerMetrics {
    PeerCell cells[PEER_METRIC_COUNT];
    uint8_t note;  // PeerNote of the situation of peer_colour.h, or UINT8_MAX
} PeerMetrics;

typedef enum PeerChecksum { CHECKSUM_EQUAL, CHECKSUM_DIFFERS, CHECKSUM_MISSING } PeerChecksum;

// What the rules look at in one row.
typedef struct PeerFacts {
    bool output;
    bool nonfinite;  // target Max or Min is no finite number, and neither of golden's
    bool requires_grad, scalar, dtype, shape;  // these differ, on a row where that counts
    PeerChecksum checksum;
    PeerCell norm_relative;  // NormRelativeErr
    PeerCell cosine, thousandths;
} PeerFacts;

// What an API is exempt from, by the second part of the name of its first input row.
typedef enum PeerExempt { EXEMPT_NOTHING, EXEMPT_INPUTS, EXEMPT_ALL } PeerExempt;
PeerExempt peer_exempt(Str row_name);

// The rules hit by each of the rows of one op or node, a bit for each PeerRule. Linear.
void peer_judge(const PeerFacts *facts, size_t count, CompareMode mode, PeerExempt exempt,
                uint32_t *hits);

Status peer_status(uint32_t hits);  // worst level, STATUS_PASS without a hit

// Sets hits and status of all rows. `metrics` has one item per row in tensor mode, else NULL.
// Linear in the rows.
void peer_rows_judge(PeerRows *rows, CompareMode mode, const PeerMetrics *metrics);

// Facts that rows and nodes share: two slots of one place. `golden` is NULL without a partner.
typedef struct PeerSides {
    const Dump *golden, *target;
    const NameId *to_target;
    const PeerColumns *golden_columns, *target_columns;  // or NULL
} PeerSides;
void peer_facts_statistics(const PeerSides *sides, const Slot *golden, const Slot *target,
                           PeerFormula formula, PeerFacts *facts);
PeerChecksum peer_compare_checksums(const PeerSides *sides, const Slot *golden, const Slot *target);

// Both sides are values of Python classes, the target's has no extent, and they differ.
bool peer_scalar_differs(const PeerSides *sides, const Slot *golden, const Slot *target);

// "True", "False" or "N/A"
const char *peer_requires_grad(const Slot *slot);

#endif
