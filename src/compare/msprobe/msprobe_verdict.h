// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_VERDICT_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_VERDICT_H

#include "compare/msprobe/msprobe_cells.h"
#include "compare/msprobe/msprobe_rows.h"
#include "compare/tensor/tensor_metrics.h"

// The verdict rules of generation 26, shared by its row report and its graph
// (docs/spec/compare.md §5.2, docs/spec/graph.md §4.3), defects included.

// In the order in which their messages are in a row.
typedef enum MsprobeRule {
    MSPROBE_NONFINITE,
    MSPROBE_NORMREL,
    MSPROBE_THOUSANDTH,
    MSPROBE_REQGRAD,
    MSPROBE_SCALAR,
    MSPROBE_DTYPE,
    MSPROBE_SHAPE,
    MSPROBE_NORM10X,
    MSPROBE_COSDROP,
    MSPROBE_CRC,
    MSPROBE_MD5MISS,
    MSPROBE_RULE_COUNT
} MsprobeRule;

typedef struct MsprobeRuleInfo {
    const char *id;
    Status level;
    uint8_t modes;        // a bit for each CompareMode
    const char *text;     // the message, to be translated
    const char *applies;  // which rows, to be translated
} MsprobeRuleInfo;
extern const MsprobeRuleInfo msprobe_rules[MSPROBE_RULE_COUNT];

// The metrics of one pair of tensors as msProbe prints them (docs/spec/compare.md §4.4).
typedef struct MsprobeMetrics {
    MsprobeCell cells[ELEMENT_METRICS];
    uint8_t note;  // MsprobeNote of the situation of msprobe_colour.h, or UINT8_MAX
} MsprobeMetrics;

typedef enum MsprobeChecksum { CHECKSUM_EQUAL, CHECKSUM_DIFFERS, CHECKSUM_MISSING } MsprobeChecksum;

// What the rules look at in one row.
typedef struct MsprobeFacts {
    bool output;
    bool nonfinite;  // target Max or Min is no finite number, and neither of golden's
    bool requires_grad, scalar, dtype, shape;  // these differ, on a row where that counts
    MsprobeChecksum checksum;
    MsprobeCell norm_relative;  // NormRelativeErr
    MsprobeCell cosine, thousandths;
} MsprobeFacts;

// What an API is exempt from, by the second part of the name of its first input row.
typedef enum MsprobeExempt { EXEMPT_NOTHING, EXEMPT_INPUTS, EXEMPT_ALL } MsprobeExempt;
MsprobeExempt msprobe_exempt(Str row_name);

// The rules hit by each of the rows of one op or node, a bit for each MsprobeRule. Linear.
void msprobe_judge(const MsprobeFacts *facts, size_t count, CompareMode mode, MsprobeExempt exempt,
                   uint32_t *hits);

Status msprobe_status(uint32_t hits);  // worst level, STATUS_PASS without a hit

// Sets hits and status of all rows. `metrics` has one item per row in tensor mode, else NULL.
// Linear in the rows.
void msprobe_rows_judge(MsprobeRows *rows, CompareMode mode, const MsprobeMetrics *metrics);

// Facts that rows and nodes share: two slots of one place. `golden` is NULL without a partner.
typedef struct MsprobeSides {
    const Dump *golden, *target;
    const NameId *to_target;
    const MsprobeColumns *golden_columns, *target_columns;  // or NULL
} MsprobeSides;
void msprobe_facts_statistics(const MsprobeSides *sides, const Slot *golden, const Slot *target,
                              MsprobeFormula formula, MsprobeFacts *facts);
MsprobeChecksum msprobe_compare_checksums(const MsprobeSides *sides, const Slot *golden,
                                          const Slot *target);

// "True", "False" or "N/A"
const char *msprobe_requires_grad(const Slot *slot);

#endif
