// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_LAW_H
#define VERNIER_COMPARE_INVARIANT_LAW_H

#include "compare/invariant/expect.h"
#include "compare/invariant/rank_layout.h"

// Invariants of one training run: what must hold without a golden one. Each is a row of a table
// (law_table.c); what became of it is a LawResult.

typedef enum LawState {
    LAW_HOLDS,
    LAW_BROKEN,
    LAW_UNKNOWN,  // cannot be checked here
    LAW_SKIPPED,  // by --skip
    LAW_STATES
} LawState;

// What the test looks at: the dumps of all steps and ranks. `ranks` by step, then by rank;
// step_end[i] is where the step of ranks[i] ends.
typedef struct Evidence {
    const RankWitness *ranks;
    size_t count;
    const size_t *step_end;
    const size_t *earlier, *next;  // by index: the dumps of its rank before and after it
    const size_t *later;           // by index: the next one of its rank in another step
    const RankLayout *layout;
    const size_t *first_copy, *first_share;  // by index: the first of its step in the same set
    double tolerance;                        // of equal tensors: tensor_seen_match
    double rate;            // the largest learning rate of an Adam, as told; 0: not told
    ExpectSearch *expects;  // what the user meant, and what the tests made of it
    Arena *arena;
} Evidence;

struct LawResult;

// Where in a step what a law is about comes to be: the weights that it begins with first.
typedef enum LawStage {
    COMES_WEIGHTS,
    COMES_INPUTS,
    COMES_FORWARD,
    COMES_BACKWARD,
    COMES_REDUCTION
} LawStage;

// What dumps of a level have to have for a law. Source: recordings of every level.
typedef enum LawShown {
    SHOWN_NOT,    // its evidence is in no such dump, or in checkpoints and monitors alone
    SHOWN_ONE,    // one dump
    SHOWN_STEPS,  // two steps
    SHOWN_RANKS,  // two ranks
    SHOWN_TWO     // two of either
} LawShown;
typedef enum DumpLevel { LEVEL_L1, LEVEL_L0, LEVEL_MIX, LEVEL_COUNT } DumpLevel;

// The dump that a law compares one with, as bits.
typedef enum LawWith {
    WITH_COPY = 1,   // the first of its step that holds the same weights
    WITH_SHARE = 2,  // the first of its step that shares them
    WITH_NEXT = 4    // the one a step later, of checkpoints the next
} LawWith;

typedef void LawTest(const Evidence *of, struct LawResult *out);
typedef void LawEach(const Evidence *of, struct LawResult *out, size_t rank);
typedef void LawPair(const Evidence *of, struct LawResult *out, size_t rank, size_t other);

// How it is tested: all at once, dump by dump, or dump by dump against those of `with`. None of
// them: `local` was, on reading.
typedef struct Law {
    const char *name;  // of --skip: "replicas"
    LawTest *test;
    LawEach *each;
    LawPair *pair;
    uint8_t with;   // LawWith
    uint8_t local;  // LocalLaw
} Law;

// What templates/laws.table has of a law; its texts are English.
typedef struct LawTexts {
    uint8_t stage;                                                 // LawStage
    uint8_t shown[LEVEL_COUNT];                                    // LawShown
    enum { OVER_NONE, OVER_COPIES, OVER_SHARES } over;             // the sets of ranks it compares
    enum { ONLY_ALL, ONLY_SOME, ONLY_TOKENS, ONLY_EXPECTS } only;  // see there
    const char *holds;                                             // what must hold
    const char *needs;   // what the dumps have to hold for it
    const char *broken;  // what is said where it does not: "weights differ over their copies"
    const char *tested;  // how it is tested, and what it leaves out
} LawTexts;

typedef struct LawBreak {
    int64_t step, rank, other;  // the ranks that do not fit together; other -1: one alone
    Str what;                   // a parameter or an op
    Str text;                   // the values
} LawBreak;

enum { LAW_BREAKS_KEPT = 200 };

// What became of a law on one dump, for the picture.
typedef enum LawMark { MARK_NONE, MARK_HOLDS, MARK_OPEN, MARK_BROKEN } LawMark;

typedef struct LawResult {
    const Law *law;
    LawTexts texts;
    LawState state;
    uint64_t checked, broken;  // comparisons
    LawBreak *breaks;          // the first ones, by step
    size_t break_count, break_capacity;
    bool possible;                    // dumps as these can show it
    const struct LawResult *follows;  // LAW_BROKEN: one that is broken before it on its ranks
    size_t open;     // of LAW_HOLDS: dumps in which it could not be checked, or not in all of them
    Str why;         // LAW_UNKNOWN, LAW_SKIPPED, and where some are open
    uint8_t *marks;  // LawMark by dump, in the order of Evidence.ranks
} LawResult;

typedef struct LawResults {
    LawResult *items;  // one for each law that was tested or skipped, in the order of the table
    size_t count;
    size_t states[LAW_STATES];
    size_t possible;  // of them
    Str more;  // the one setting of the collection that would show most, translated; or empty
} LawResults;

extern const Law laws[];
extern const size_t law_count;
LawTexts *law_texts_read(Arena *arena);  // of the laws, in their order

#endif
