// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_COMPARISON_H
#define VERNIER_COMPARE_JUDGE_COMPARISON_H

#include "compare/flow.h"
#include "compare/judge/recorded.h"
#include "compare/judge/rule_table.h"
#include "compare/match/match_pairs.h"
#include "compare/stated.h"

// What comparing one (step, stage, rank) pair gives: matched ops and slots, a status for each, a
// node tree of both sides aligned, the first divergence. Everything that layouts and reports show
// is here; they judge nothing. Statuses, reasons, absences and rules are written by
// compare/judge/fold.h; pairs of ops and slots by compare/compare.c; `first` by compare/diverge.c;
// counts and the tree by compare/sum_up.c.

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
    MODE_STRUCTURE,
    MODE_COUNT
} CompareMode;
typedef enum Rules { RULES_VERNIER, RULES_MSPROBE26, RULES_MSPROBE8, RULES_COUNT } Rules;

// What a slot's difference was measured by, for the verdict and the card.
typedef enum Metric {
    METRIC_NONE,
    METRIC_NORM,
    METRIC_MAX,
    METRIC_MIN,
    METRIC_MEAN,
    METRIC_VALUE,
    METRIC_CHECKSUM,
    METRIC_ELEMENTS,
    METRIC_COUNT
} Metric;

// One pair of slots, or one slot without partner (the other is SLOT_NONE).
typedef struct SlotPair {
    uint32_t golden, target;         // index in Dump.slots
    uint8_t status, reason, metric;  // Status, Reason, Metric: written by compare/judge/fold.h
    uint8_t beyond : 4;              // bit by Stat: beyond its floor
    bool exact : 1;    // its floor is zero: nothing computed it (argument, weight, input, index)
    bool decided : 1;  // its integers or its shape differ between noise runs
    bool not_updated : 1;  // a weight that the step before left as it was (compare/not_updated.h)
    bool widened : 1;      // passes by the room of weights that moved apart; no dump tells if so
    float floor;           // relative noise floor of `metric`
    double error;          // relative difference of `metric` (0 equal, NaN undefined, Inf)
    double norm_error;     // |n-b|/|b| of Norm; Inf: NaN, Inf or zero on one side; NaN: not known
} SlotPair;

// Why an op that only one side holds is no divergence: what the other side left out.
typedef enum Absence {
    ABSENCE_NONE,       // it has a partner, or is missing
    ABSENCE_APIS,       // every call of an API
    ABSENCE_MODULES,    // every call of a module
    ABSENCE_GRADIENTS,  // the gradients of weights
    ABSENCE_DIRECTION,  // every call of its direction
    ABSENCE_API,        // every call of its API, or of its class of module
    ABSENCE_CALLS,      // every call of its API, or class of module, in its direction alone
    ABSENCE_RANGE,      // what lies before the first and after the last op that it holds
    ABSENCE_HEAD,       // what lies before the first alone: a scope, or a dump that lost it
    ABSENCE_TAIL,       // what lies after the last alone
    ABSENCE_INSIDE,     // every call of an API within the module around it, which it holds
    ABSENCE_LAYER,      // the layer of it: its own list of what it leaves out says so
    ABSENCE_NO_EFFECT,  // nothing: the op changes no value, and no later op differs
    ABSENCE_ROLE,       // of slots: their role
    ABSENCE_KEYWORDS,   // of slots: arguments by keyword
    ABSENCE_STATISTIC,  // of slots: a statistic of their tensors
    ABSENCE_DIGITS,  // of slots: the digits of their statistics that the other's writer rounds off
    ABSENCE_COUNT
} Absence;

#define PAIR_NONE UINT32_MAX

// What vouches for a slot that is excused.
typedef struct Given {
    uint32_t slot;  // of Comparison.slots, + 1; 0: several together, or nothing
    float error;    // by which it is off
} Given;

// One pair of ops, or one op without partner.
typedef struct OpPair {
    uint32_t golden, target;          // index in Dump.ops, or OP_NONE
    uint32_t first_slot, slot_count;  // in Comparison.slots
    uint8_t status;                   // worst of its slots
    uint8_t input_status;             // worst over inputs, arguments and parameters
    uint8_t output_status;            // worst over outputs and gradients
    bool inherited;                   // an input already differs, or after the first divergence
                                      // none is recorded; of a pass: by an allowance, above its
                                      // floor. Drawn as a tint
    uint8_t absence, rule;            // Absence; of such an op the Rule that says so
    double error_in, error_out;       // of inputs / outputs (compare/judge/op_error.h); NaN: none,
                                      // 0: equal norms; -1: all bit for bit
} OpPair;

// Nothing is recorded of its inputs: whether they differ is not known.
static inline bool op_inputs_unknown(const OpPair *op)
{
    return op->golden != OP_NONE && op->target != OP_NONE && op->input_status == STATUS_NO_DATA;
}

static inline bool op_has_both(const OpPair *op)
{
    return op->golden != OP_NONE && op->target != OP_NONE;
}

typedef enum DivergenceKind {
    DIVERGE_NONE,
    DIVERGE_OUTPUT,
    DIVERGE_ARGUMENT,
    DIVERGE_PARAMETER,
    DIVERGE_INPUT,
    DIVERGE_MISSING,
} DivergenceKind;
enum { DIVERGE_COUNT = DIVERGE_MISSING + 1 };

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
    // order and what is there. `differing` 0: not known.
    uint64_t differing, count, element;
    double golden_element, target_element;
} Divergence;

// One row of both hierarchies aligned (docs/spec/graph.md §7.4): pre-order of the target,
// golden-only nodes after their nearest matched sibling.
typedef struct TreeNode {
    NodeId golden, target;  // NODE_NONE where the side does not have it
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
    bool tolerances;       // of the user replace floors
    bool kernels;          // one side recorded kernels: what has no partner there is no evidence
    bool renamed_by_user;  // by a mapping file
    Rules rules;
    RuleSet without;  // rules that are off (--without)
    Arena *arena;     // what it lives in
    Given *given;     // by slot; NULL: nothing is excused by another value
    int64_t step, rank;
    Str stage;    // of the step, or empty
    OpPair *ops;  // in execution order of the target; golden-only ops where golden has them
    uint32_t op_count;
    SlotPair *slots;
    uint32_t slot_count;
    const Flow *flows[2];  // golden, target
    NodeId *golden_of;     // by target NodeId: partner or NODE_NONE
    NodeId *target_of;     // by golden NodeId
    TreeNode *tree;
    uint32_t tree_count;
    Divergence first;
    Status status;
    uint64_t slot_counts[STATUS_COUNT];
    uint64_t op_counts[STATUS_COUNT];
    uint64_t matched_ops;                         // ops that both sides have
    uint64_t unmatched_golden, unmatched_target;  // ops
    uint64_t compared;                            // slots with a partner and a value on both sides
    uint64_t compared_tensors;                    // of these
    uint64_t carried;                             // slots that pass by what the op was given alone
    uint64_t widened;         // slots that pass by the room of weights that no dump tells
    uint64_t lost;            // slots of which one side lost what is recorded of them
    Recorded recorded[2];     // golden, target
    bool *regrouped;          // by op: see compare/regrouped.h; NULL: none
    bool ends_early[2];       // the side has nothing of the other's last ops
    const Stated *stated[2];  // what the configurations of the dumps state; NULL: none
    uint8_t stated_used[2];   // by StatedKey, a bit each: it excuses an op on one side only
    uint8_t stated_unfit[2];  // the dump holds what it leaves out: it excuses nothing
    bool listed[2];        // the side records some APIs only: more ops are left out than it holds
    MatchCounts matched;   // ops, by what brought them together
    double largest_error;  // largest finite norm_error of a slot
    double nearest;        // error / floor of the passing slot nearest to its floor; 0: none
    uint32_t nearest_op, nearest_slot;  // in `ops` and `slots`
    double furthest[STAT_COUNT];        // see JudgeContext
    bool noise_known;
    uint32_t first_decided;     // golden op: noise decides it or what runs before; UINT32_MAX: none
    const float *noise_share;   // by noise run as given, of golden's tensors in it. Or NULL
    const uint8_t *noise_fits;  // by noise run as given: NoiseFit (compare/judge/noise_fit.h)
    double floor_norm;          // typical floor of the norm (float32), for legends
    const Names *precheck;  // of the target's APIs (compare/precheck_ops.h), or NULL: none given
} Comparison;

// ---- sides: 0 golden, 1 the target

static inline const Graph *comparison_graph(const Comparison *comparison, int side)
{
    return side == 0 ? comparison->golden : comparison->target;
}

// The op of a side, OP_NONE without one.
static inline uint32_t op_on_side(const OpPair *pair, int side)
{
    return side == 0 ? pair->golden : pair->target;
}

// The side that shows a pair: the target, where it has the op or the slot.
static inline int shown_side(const OpPair *pair)
{
    return pair->target == OP_NONE ? 0 : 1;
}

static inline const Op *shown_op(const Comparison *comparison, const OpPair *pair)
{
    int side = shown_side(pair);
    return &comparison_graph(comparison, side)->dump->ops[op_on_side(pair, side)];
}

static inline const Slot *shown_slot(const Comparison *comparison, const SlotPair *pair)
{
    return pair->target != SLOT_NONE ? &comparison->target->dump->slots[pair->target]
                                     : &comparison->golden->dump->slots[pair->golden];
}

// By op of the side: its pair, PAIR_NONE without one.
uint32_t *pairs_by_op(const Comparison *comparison, int side, Arena *arena);

// The worse of two statuses, for roll-ups: no data < same < pass < warning < unmatched < error.
Status status_worst(Status a, Status b);

// Higher is worse: the one order of statuses, from 0 for no data.
int status_severity(Status status);

// Warning or worse: beyond tolerance.
bool status_differs(Status status);

const char *status_word(Status status);            // "same", "no data"; not translated
const char *divergence_word(DivergenceKind kind);  // "output", …
const char *compare_mode_word(CompareMode mode);   // "statistics", …
const char *rules_word(Rules rules);               // "vernier", …

typedef enum OpSide { OP_INPUTS, OP_OUTPUTS } OpSide;

// The slot that gives a side of the op (arguments and parameters among the inputs, gradients among
// the outputs) its worst status; of equals NaN and Inf before what no number tells, before the
// largest error. NULL without slots.
const SlotPair *comparison_worst_slot(const Comparison *comparison, const OpPair *pair,
                                      OpSide side);

#endif
