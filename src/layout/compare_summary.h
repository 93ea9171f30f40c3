// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_COMPARE_SUMMARY_H
#define VERNIER_LAYOUT_COMPARE_SUMMARY_H

#include "base/notice.h"
#include "base/sink.h"
#include "compare/facts.h"
#include "layout/history_text.h"
#include "scene/report.h"

// summary.json of `vernier compare`, schema "vernier.compare/1" (design.md §3).

// The files of one pair by format name: "svg" → "graph-step0-rank0.svg".
typedef struct PairFile {
    const char *format;
    Str file;
} PairFile;

typedef struct PairFiles {
    PairFile *items;
    size_t count, capacity;
} PairFiles;

typedef struct CompareSummary {
    const char *version;
    const PairFacts *pairs;
    const Verdict *verdicts;  // of the pairs
    const PairFiles *files;   // of the pairs
    size_t count;
    const Verdict *verdict;  // of the report
    Status status;
    CompareMode mode;
    Str golden_path, target_path;
    Rules rules;
    const Criteria *criteria;  // or NULL
    const Str *noise_paths;    // of the noise runs
    size_t noise_count;
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
} CompareSummary;

void compare_summary_write(const CompareSummary *summary, Sink *out);

const char *compare_mode_word(CompareMode mode);  // "statistics", …
const char *rules_word(Rules rules);              // "vernier", …

#endif
