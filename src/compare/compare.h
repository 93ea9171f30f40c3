// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_COMPARE_H
#define VERNIER_COMPARE_COMPARE_H

#include "base/arena.h"
#include "compare/match.h"
#include "model/graph.h"
#include "read/criteria.h"
#include "read/dump.h"

// What comparing one (step, rank) pair gives: matched ops and slots, a status for each, a node
// tree of both sides aligned, the first divergence. Everything that layouts and reports show is
// here; they judge nothing.

typedef enum Status {
    STATUS_NO_DATA,  // nothing in it to compare
    STATUS_SAME,     // bit for bit
    STATUS_PASS,
    STATUS_WARNING,
    STATUS_ERROR,
    STATUS_UNMATCHED,  // on one side only
    STATUS_COUNT
} Status;

typedef enum CompareMode {
    MODE_STATISTICS,
    MODE_CHECKSUM,
    MODE_TENSOR,
    MODE_STRUCTURE
} CompareMode;
typedef enum Rules { RULES_VERNIER, RULES_MSPROBE26, RULES_MSPROBE8 } Rules;

#define SLOT_NONE UINT32_MAX

// Why a slot got its status; the first that applies, worst first. Texts in compare/reason.h.
typedef enum Reason {
    REASON_NONE,
    REASON_UNMATCHED,
    REASON_NONFINITE,    // NaN or Inf on one side only
    REASON_DTYPE,        // dtypes differ
    REASON_SHAPE,        // shapes differ
    REASON_ARGUMENT,     // a scalar or configuration argument differs
    REASON_CHECKSUM,     // checksums differ
    REASON_STATISTIC,    // a statistic differs beyond the floor
    REASON_ELEMENTS,     // tensor mode: elements differ beyond the floor
    REASON_EXACT,        // a value that nothing computed (weight, input) differs at all
    REASON_IGNORED,      // a rule of the criteria leaves it out
    REASON_UNCOMPARABLE  // checksums of different kinds, missing files
} Reason;

// What a slot's difference was measured by, for the verdict and the card.
typedef enum Metric {
    METRIC_NONE,
    METRIC_NORM,
    METRIC_MAX,
    METRIC_MIN,
    METRIC_MEAN,
    METRIC_VALUE,
    METRIC_CHECKSUM,
    METRIC_ELEMENTS
} Metric;

// One pair of slots, or one slot without partner (the other is SLOT_NONE).
typedef struct SlotPair {
    uint32_t golden, target;  // index in Dump.slots
    uint8_t status, reason, metric;
    bool exact;         // its floor is zero: nothing computed it (argument, weight, input, index)
    float floor;        // relative noise floor of `metric`
    double error;       // relative difference of `metric` (0 equal, NaN undefined, Inf)
    double norm_error;  // |n-b|/|b| of Norm; Inf: NaN, Inf or zero on one side; NaN: not known
} SlotPair;

#define PAIR_NONE UINT32_MAX

// One pair of ops, or one op without partner.
typedef struct OpPair {
    uint32_t golden, target;          // index in Dump.ops, or OP_NONE
    uint32_t first_slot, slot_count;  // in Comparison.slots
    uint8_t status;                   // worst of its slots
    uint8_t input_status;             // worst over inputs, arguments and parameters
    uint8_t output_status;            // worst over outputs and gradients
    bool inherited;                   // an input already differs: drawn as a tint
    double error_in, error_out;       // worst norm_error over inputs / outputs; NaN: none,
                                      // 0: equal norms; -1: all bit for bit
} OpPair;

typedef enum DivergenceKind {
    DIVERGE_NONE,
    DIVERGE_OUTPUT,
    DIVERGE_ARGUMENT,
    DIVERGE_PARAMETER,
    DIVERGE_INPUT,
    DIVERGE_MISSING
} DivergenceKind;

typedef struct Divergence {
    DivergenceKind kind;
    uint32_t op;      // index in Comparison.ops
    uint32_t beside;  // DIVERGE_MISSING: the op that the other side runs there or, where golden's
                      // op is gone, the op of the target that first feels it; or PAIR_NONE
    uint32_t slot;    // index in Comparison.slots, or SLOT_NONE (missing)
    Metric metric;
    double value;        // relative error of that slot
    double worst_input;  // worst relative error of its inputs; NaN: it has none (debug.json)
    double noise;        // floor measured from noise runs; NaN: unknown
    uint32_t later;      // ops after it that are warning, error or unmatched
    // Of integers compared element by element: how many of `count` differ, the first of them in C
    // order and what stands there. `differing` 0: not known.
    uint64_t differing, count, element;
    double golden_element, target_element;
} Divergence;

// One row of both hierarchies aligned (spec/graph.md §7.4): pre-order of the target, golden-only
// nodes after their nearest matched sibling.
typedef struct TreeNode {
    NodeId golden, target;  // NODE_NONE where the side lacks it
    uint32_t parent;        // index in Comparison.tree, or PAIR_NONE for the root
    uint32_t first_child, next;
    uint32_t end;    // index after the last descendant: the subtree is [self, end)
    uint32_t pair;   // its OpPair, or PAIR_NONE
    uint16_t depth;  // 0 for the root
    uint8_t status;  // own
    uint8_t rollup;  // worst in the subtree, itself included
    bool inherited;
    uint32_t counts[STATUS_COUNT];  // ops of the subtree by status, itself included
} TreeNode;

typedef struct Comparison {
    const Graph *golden, *target;
    CompareMode mode;
    bool kernels;  // one side recorded kernels: what has no partner there tells nothing
    Rules rules;
    int64_t step, rank;
    OpPair *ops;  // in execution order of the target; golden-only ops where golden has them
    uint32_t op_count;
    SlotPair *slots;
    uint32_t slot_count;
    NodeId *golden_of;  // by target NodeId: partner or NODE_NONE
    NodeId *target_of;  // by golden NodeId
    TreeNode *tree;
    uint32_t tree_count;
    Divergence first;
    Status status;
    uint64_t slot_counts[STATUS_COUNT];
    uint64_t op_counts[STATUS_COUNT];
    uint64_t unmatched_golden, unmatched_target;  // ops
    uint64_t compared;                            // slots with a partner
    MatchCounts matched;                          // ops, by what brought them together
    double largest_error;                         // largest finite norm_error of a slot
    double largest_floor;                         // the floor of that slot's norm; NaN: unknown
    bool noise_known;
    double floor_norm;  // typical floor of the norm (float32), for legends
} Comparison;

typedef struct CompareOptions {
    Rules rules;
    CompareMode mode;
    int64_t step, rank;
    int jobs;                       // threads; the result does not depend on them
    const MatchOptions *match;      // NULL: by name, else by order
    const Dump *const *noise_runs;  // other runs of the golden set-up
    size_t noise_run_count;
    const Criteria *criteria;  // tolerances of the user, or NULL
} CompareOptions;

// The mode of a pair: checksums on both sides, tensor files on both sides, else statistics.
CompareMode compare_mode(const Dump *golden, const Dump *target);

// Compares two graphs by the rules `vernier`. Linear in ops and slots; the result borrows both
// graphs and lives in `arena`.
void compare_graphs(const Graph *golden, const Graph *target, const CompareOptions *options,
                    Arena *arena, Comparison *out);

// The statuses and errors of an op from those of its slots.
void compare_sum_up_op(Comparison *comparison, OpPair *op);

// What follows from the statuses of slots and ops and the partners of nodes: the first divergence,
// the aligned tree, the counts. `sources` is the SourceKind of every slot of golden.
void compare_sum_up(Comparison *comparison, const uint8_t *sources, Arena *arena);

const char *status_word(Status status);            // "same", "no data"; not translated
const char *divergence_word(DivergenceKind kind);  // "output", …

#endif
