// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_CHECK_VERDICT_H
#define VERNIER_VERDICT_CHECK_VERDICT_H

#include "base/notice.h"
#include "compare/invariant/law_run.h"
#include "scene/report.h"
#include "verdict/history_text.h"

// What `vernier check` says.

typedef struct CheckView {
    const LawResults *results;
    const Evidence *evidence;
    Str path;
    bool of_dumps;        // not of checkpoints or of a monitor
    size_t files, steps;  // that were read
    const char *version;
    Str open;  // what the dumps leave to be told by the user; empty: nothing
    Verdict verdict;
    const Notices *notices;
    const HistoryView *history;  // NULL without --history
} CheckView;

// BROKEN: the first law of the table that is broken, at the first step; HOLDS: how many of the laws
// hold, and how many could not be checked; NOT CHECKED: none could.
void check_verdict(const CheckView *view, bool partial, Arena *arena, Verdict *out);

// "step 1, ranks 0 and 2"
Str check_place(const LawBreak *where, Arena *arena);

#endif
