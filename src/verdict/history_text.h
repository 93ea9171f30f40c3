// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_HISTORY_TEXT_H
#define VERNIER_VERDICT_HISTORY_TEXT_H

#include "scene/report.h"
#include "trend/history/history_things.h"

// The nights of a command in words: what is new since the run before, since when, and what
// recovered.

// What the layouts of a history take: the nights up to the newest one and what is known by them.
typedef struct HistoryView {
    const History *history;
    HistoryThings things;
    HistoryNews news;  // of the newest night
    size_t night;      // index of the newest night
} HistoryView;

// `history` must hold a night.
void history_view(const History *history, Arena *arena, HistoryView *out);

// "night 9 (2026-11-09)"
Str history_night_name(const HistoryNight *night, Arena *arena);

// What the report of that night said, in the reader's language where the night has it.
Str history_night_verdict(const HistoryNight *night);

// "blocks.2", "step 0, rank 1", "loss of target"
Str history_thing_name(const HistoryThing *thing, Arena *arena);

// A metric as a reader knows it, translated where it is a word: "forward", "mean_relative".
Str history_metric(Str metric);

// Where a fact was seen: an op, or a finding of curves in the reader's language; may be empty.
Str history_note(const HistoryFact *fact, Arena *arena);

// "forward 2.9e-05" of the fact that tells most in that night, or empty.
Str history_figure(const HistoryThing *thing, size_t night, Arena *arena);

// "New since night 8 (mon): blocks.2 (forward 2.9e-05). Recovered: …": the newest night against the
// one before it.
Str history_news_sentence(const HistoryView *view, Arena *arena);

CellStyle history_style(FactState state);
Str history_state_shown(FactState state);      // translated
Str history_change_shown(ThingChange change);  // translated

// One block character a night, low to high, for texts and sheets: "▁▁▁▅█". Logarithmic where the
// values span more than two decades or some are 0; "·" without a value, "!" for what is not finite.
// At most the last `nights`.
Str history_sparkline(const HistoryTrack *track, size_t night, size_t nights, Arena *arena);

// Where a value lies between the lowest (0) and the highest (1) of some tracks, on the same scale;
// NaN without a value, infinity where it is not finite.
typedef struct HistoryScale {
    double low, high;    // logarithms where `log` is set
    double least, most;  // as they are; infinite without any
    bool log;
} HistoryScale;
HistoryScale history_scale(const HistoryTrack *const *tracks, size_t count, size_t from, size_t to);
double history_height(const HistoryScale *scale, const HistoryFact *fact);

// The verdict of `vernier history`: WORSE, BETTER or STEADY, over the newest night of each command.
void history_verdict(const HistoryView *views, size_t count, Arena *arena, Verdict *out);

#endif
