// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_PAIR_H
#define VERNIER_COMMANDS_COMPARE_PAIR_H

#include "commands/outputs.h"
#include "compare/facts.h"
#include "compare/layer_facts.h"
#include "compare/peer.h"
#include "layout/compare_page.h"
#include "layout/compare_summary.h"
#include "layout/focus.h"
#include "layout/junit.h"
#include "layout/verdict_text.h"
#include "read/folder.h"

// One (step, rank) pair from its files to its outputs. Pairs are independent: each has memory of its
// own, so that what a run holds is bounded by its threads, not by its ranks.

typedef struct ComparePairOptions {
    Rules rules;
    bool overflow, all_rows;
    const Criteria *criteria;  // or NULL
    const MatchOptions *match;
    Str consistency;  // training against inference: "fsdp", "megatron", or empty
    bool collect_mapping, collect_layer_mapping, collect_layers;
    bool keep_facts;             // all that merge needs, whatever formats are wanted
    const HistoryView *history;  // for the workbook of a single pair, or NULL
    bool single;                 // the only pair of the run
    int jobs;                    // threads; of a single pair they share its work
    Str view;                    // "tree", "boxes", "card": what the main picture shows
    Str focus;                   // a node to show, as typed, or empty
    uint32_t depth;              // open the hierarchy down to here; 0: what matters
    uint32_t world_size;         // ranks of the golden run in one step, 0: unknown
    VerdictSides sides;
    const DumpPlaces *noise;  // by noise run: its dumps
    size_t noise_count;
    const Outputs *outputs;
    const Redaction *redaction;  // --redact, else NULL
} ComparePairOptions;

// Both sides read and compared.
typedef struct PairGraphs {
    Graph golden, target;
    Comparison comparison;
    PeerComparison peer;   // under the rules of msprobe
    PeerMetrics *metrics;  // under the rules vernier, tensor mode: one per slot pair, else NULL
    Notices *late[2];      // of golden and target: what their stacks told when they were asked
} PairGraphs;

// What remains of a pair.
typedef struct PairResult {
    Arena *arena;
    PairFacts facts;
    Verdict verdict;
    PairFiles files;
    OutputNames written;
    Collector collected;  // what a study takes of the pair
    JunitCases cases;     // if JUnit is wanted
    LayerFacts layers;    // if they are collected
    Notices notices;
    bool focus_missing;  // no node is called as --focus has it; here the nearest names
    Str focus_near[FOCUS_SUGGESTIONS];
    size_t focus_near_count;
    NameMapping mapping;         // what names do not tell, if it is to be written
    LayerMapping layer_mapping;  // of modules, if it is to be written
    bool output_failed;
    Error output_error;
    PairGraphs *graphs;  // of the only pair of a run, else NULL: kept for the reports
    Arena *graphs_arena;
} PairResult;

// Reads, compares and writes the files of the pair. Safe to run for different pairs at once.
void compare_pair_run(const PlacePair *place, const ComparePairOptions *options, PairResult *out);
void compare_pair_release(PairResult *result);

// Lives in `arena`. Stacks are read when somebody asks for them; what goes wrong then stands in out->late.
bool compare_pair_read(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairGraphs *out, Notices *notices);

// Reads the stacks that an output asks for, so that trouble with them belongs to the verdict.
void compare_pair_read_stacks(PairGraphs *pair, const Outputs *outputs, Notices *notices);

// The pictures of a pair, with the base names of their files.
typedef struct PairPictures {
    PageFigure graph, card, profile;
    bool card_first;  // the card is the main picture, for outputs that are one file
} PairPictures;
void compare_pair_draw(const Comparison *comparison, const Verdict *verdict,
                       const ComparePairOptions *options, Arena *arena, PairPictures *out,
                       Notices *notices);

// "compare", or with several pairs "compare-step0-rank3".
Str compare_pair_base(const char *what, const PlacePair *place, Arena *arena);

#endif
