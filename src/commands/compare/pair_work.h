// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_PAIR_WORK_H
#define VERNIER_COMMANDS_COMPARE_PAIR_WORK_H

#include "commands/compare/pair_store.h"
#include "commands/machinery/product.h"
#include "compare/layer_facts.h"
#include "compare/msprobe/msprobe.h"
#include "compare/pair_facts.h"
#include "export/ci/junit.h"
#include "export/summary/compare_summary.h"
#include "picture/compare/focus.h"
#include "read/dump/dump_folder.h"
#include "report/compare/compare_page.h"
#include "verdict/verdict_text.h"

// One (step, rank) pair while it is worked on: what is asked of it, what is read, what remains.
// Pairs are independent: each has memory of its own, so that what a run holds is bounded by its
// threads, not by its ranks.

typedef struct RowsJoin RowsJoin;  // commands/compare/rows_join.h

// Where the rows of a pair wait, header first.
typedef struct RowsSpan {
    uint64_t at, bytes;
    size_t header;  // its bytes
} RowsSpan;

typedef struct ComparePairOptions {
    Rules rules;
    RuleSet without;  // rules that are off
    bool overflow, all_rows;
    bool all_pictures;         // pictures and workbooks of every pair, also of those that agree
    bool all_books;            // workbooks of every pair: the formats were named
    const Criteria *criteria;  // or NULL
    const MatchOptions *match;
    const Names *precheck;    // compare/precheck_ops.h, or NULL
    const Stated *stated[2];  // what the configurations of the dumps state, or NULL
    Str consistency;          // training against inference: "fsdp", "megatron", or empty
    bool collect_mapping, collect_layer_mapping, collect_layers;
    bool keep_facts;             // all that merge needs, whatever formats are wanted
    const HistoryView *history;  // for the workbook of a single pair, or NULL
    bool single;                 // the only pair of the run
    bool keeps;                  // the graphs of a pair, for the reports
    bool pages;                  // pairs with pictures get a page of their own
    int jobs;                    // threads that share the work of a pair
    Str view;                    // "tree", "boxes", "card": what the main picture shows
    Str focus;                   // a node to show, as typed, or empty
    uint32_t depth;              // open the hierarchy down to here; 0: what matters
    bool tree;                   // of the divergence, for a terminal
    uint32_t world_size;         // ranks of the golden run in one step, 0: unknown
    VerdictSides sides;
    const PlacePairs *places;  // of all parts of the run, or NULL
    PairStore *store;          // of the dumps of the run, or NULL
    const DumpPlaces *noise;   // by noise run: its dumps
    size_t noise_count;
    const Outputs *outputs;
    RowsJoin *rows;              // for one table of all pairs, or NULL
    const Redaction *redaction;  // --redact, else NULL
} ComparePairOptions;

// Both sides read and compared.
typedef struct PairGraphs {
    Graph golden, target;
    Comparison comparison;
    MsprobeComparison msprobe;  // under the rules of msprobe
    MsprobeMetrics *metrics;  // under the rules vernier, tensor mode: one per slot pair, else NULL
    Notices *late[2];         // of golden and target: what their stacks told when they were asked
} PairGraphs;

// What remains of a pair.
typedef struct PairResult {
    Arena *arena;
    PairFacts facts;
    Verdict verdict;
    PairFiles files;
    bool shown;        // it stands for pairs like it: it has pictures, a page, a workbook
    bool written_any;  // it has files
    OutputNames written;
    RowsSpan rows;      // in the one table of all pairs
    Product product;    // what a study takes of the pair
    JunitCases cases;   // if JUnit is wanted
    LayerFacts layers;  // if they are collected
    Notices notices;
    bool focus_missing;  // no node is called as --focus has it; here the nearest names
    Str focus_near[FOCUS_SUGGESTIONS];
    size_t focus_near_count;
    NameMapping mapping;         // what names do not tell, if it is to be written
    LayerMapping layer_mapping;  // of modules, if it is to be written
    Table *tree;                 // if it is wanted
    bool output_failed;
    Error output_error;
    PairGraphs *graphs;  // kept for the reports, or NULL
    Arena *graphs_arena;
} PairResult;

#endif
