// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_COMPARE_VIEW_H
#define VERNIER_VERDICT_COMPARE_VIEW_H

#include "base/notice.h"
#include "compare/pair_groups.h"
#include "read/settings/criteria_file.h"
#include "scene/report.h"
#include "verdict/history_text.h"

// Everything that `vernier compare` says, for its reports and summary.json.

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
    size_t origin;           // the pair in which the divergence starts, SIZE_MAX: none
    PairGroups groups;       // of the pairs
    const Verdict *verdict;  // of the report
    Status status;
    CompareMode mode;
    Str golden_path, target_path;
    Rules rules;
    const Criteria *criteria;  // or NULL
    Str judged_by;             // the settings that decide, for the verdict line; or empty
    bool strict;               // --strict
    bool strict_differs;       // and it makes a difference of an agreement
    const Str *noise_paths;    // of the noise runs
    size_t noise_count;
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
} CompareSummary;

// The first pair whose dump of that side (0 golden, 1 target) was read; NULL: none was.
static inline const PairFacts *compare_summary_read(const CompareSummary *summary, int side)
{
    for (size_t i = 0; i < summary->count; i++)
        if (summary->pairs[i].reads[side].file.size)
            return &summary->pairs[i];
    return NULL;
}

#endif
