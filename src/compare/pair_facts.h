// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PAIR_FACTS_H
#define VERNIER_COMPARE_PAIR_FACTS_H

#include "compare/coverage.h"
#include "compare/judge/op_error.h"
#include "compare/nonfinite/comm_call.h"
#include "read/dump/read_fact.h"

// What is kept of a comparison when its graphs are gone: plain texts and numbers of one pair, from
// which verdicts, the matrix and summary.json are made.

typedef struct WorstOp {
    Str target, golden;  // names; empty where the side does not have the op
    Status status;
    bool inherited;
    Direction direction;
    bool gradient;                // the gradients of a module's parameters
    double error_in, error_out;   // as in OpPair
    ErrorWord word_in, word_out;  // what is in their place
} WorstOp;

// An op of the target that fails or warns in its pre-check, run alone.
typedef struct PrecheckFact {
    Str op;
    Status precheck;
    Str reason;
    Status status;  // of the comparison
    bool inherited;
} PrecheckFact;

enum { FACTS_WORST = 10, FACTS_FRAMES = STACK_FRAMES_TOLD, FACTS_OBSERVATIONS = 4 };

typedef struct FirstDivergence {
    DivergenceKind kind;
    // Op names. DIVERGE_MISSING: the op and what the other side runs there (`replaced`); where the
    // target does not have golden's op, else the op of the target at which that is first felt.
    Str target, golden;
    bool missing_in_target, replaced;
    Str module;  // the module that encloses it, or the op itself if it is one; may be empty
    Str slot;    // "input.4", "output.0"; empty for DIVERGE_MISSING
    Metric metric;
    Reason reason;
    double value, worst_input, noise;       // as in Divergence; NaN for DIVERGE_MISSING
    double tolerance;                       // of `value`, as the slot has it; NaN: none
    uint64_t differing, count;              // as in Divergence
    Str element;                            // the first that differs: "[2, 5]"
    double golden_element, target_element;  // NaN: not known
    bool some_inputs;                       // it may have inputs that were not recorded
    bool no_inputs;       // no tensor goes into it (gradients of weights): nothing that could agree
    Str precheck;         // "pass", "warning", "error": run alone (--precheck); empty: not told
    Str precheck_reason;  // "cosine similarity 0.71", or empty
    Str unsure;           // an input of which the dumps tell too little; empty: all are known
    Str target_giver, golden_giver;  // DIVERGE_INPUT: the op that gave the value; empty: none did
    Str left_out;                    // the module of golden that the target does not have
    Str target_value, golden_value;  // what is there: value of an argument, dtype or shape
    uint32_t position;               // of the op in execution order, from 1
    uint32_t target_position;        // by the target's ops alone: of the op, or of the next one
    uint32_t later;
    Str look;           // what to look at next by these; empty: by the kind
    Str *observations;  // what its numbers say beyond that they differ: sentences
    uint32_t observation_count;
    Str *frames;  // its call stack, innermost first, as in stack.json
    uint32_t frame_count;
} FirstDivergence;

typedef struct PairFacts {
    int64_t step, rank;
    Str stage;  // of the step; empty: it has none
    // The target's place, in words, where it is another one ("rank 2"); the command that pairs the
    // dumps sets it. Empty: the same place.
    Str against;
    bool golden_missing, target_missing;  // the side has no dump of this pair
    bool failed;                          // a side could not be read
    Status status;
    CompareMode mode;
    uint64_t ops_golden, ops_target, slots, compared;
    uint64_t slot_counts[STATUS_COUNT], op_counts[STATUS_COUNT];
    uint64_t unmatched_golden, unmatched_target;
    uint64_t matched_ops;
    Coverage coverage;
    double largest_error;
    bool noise_known;
    // Of the passing slots the one nearest to its tolerance: its share of it, from 0 (nothing
    // differs) to 1, its op and its path.
    double nearest;
    Str nearest_op, nearest_slot;
    // By Stat: the smallest tolerances of the user (docs/criteria.md) with which the pair passes,
    // on those that need one; NaN: needs none, or none helps (NaN, an argument, a missing op).
    double would_pass_at[STAT_COUNT];
    FirstDivergence first;
    WorstOp worst[FACTS_WORST];
    uint32_t worst_count;
    uint64_t prechecked;  // ops of the target of which --precheck says something
    PrecheckFact *precheck;
    size_t precheck_count;
    ReadFact reads[2];  // golden, target
    Framework framework[2];
    Str level[2], task[2];
    Str versions[2];  // as the dump tells them (Dump.versions); empty: not at all
    Str dtypes[2];    // of its tensors, the most frequent first: "float32, int64"
    CommCall *calls;  // the target's communications in order: channel, op, peer and role alone
    size_t call_count;
    // Where ops are equal bit for bit up to one: its name and how many are; empty: none differs, or
    // the first already does.
    Str first_unequal;
    uint64_t equal_before;
    Str profile;       // of its ops (compare/op_profile.h); empty: not known
    Str criteria_fit;  // by rule of --criteria (compare/criteria_fit.h); may be empty
    // Mapping files that were given, and those that name something (compare/mapping_fit.h).
    uint32_t mapping_given, mapping_fit;
} PairFacts;

// Of a pair that was not compared: what would be measured is unknown.
PairFacts pair_facts_unread(int64_t step, Str stage, int64_t rank);

// Whether something was compared with something: of dumps with tensors, a tensor, or a difference.
bool pair_facts_compared(const PairFacts *facts);

// The op by which a divergence is named: golden's where the target has none, else the target's.
Str pair_facts_op(const FirstDivergence *first);

// Of the same stage of the same step: ranks of these run side by side.
bool pair_facts_same_step(const PairFacts *a, const PairFacts *b);

// Whether `a` comes before `b` among the largest errors: the worse status, then the larger error of
// its outputs.
bool op_is_worse(const OpPair *a, const OpPair *b);

// Texts are copied into `arena`. `world_size`: ranks of the run, 0: unknown.
void facts_collect(const Comparison *comparison, uint32_t world_size, Arena *arena, PairFacts *out);

#endif
