// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_NOISE_DECIDED_H
#define VERNIER_COMPARE_JUDGE_NOISE_DECIDED_H

#include "compare/match/match.h"
#include "read/dump/dump.h"

// What noise decides in the runs of one configuration: an integer, a shape or the numbers of an
// argument that differ between them, as where a router chooses between two experts that are equally
// good.

// The runs, and their slots by golden's.
typedef struct NoiseRuns {
    const Dump *golden;
    const Dump *const *dumps;
    const OpMatch *matches;  // by run: golden as the target of the match
    size_t count;
} NoiseRuns;

// False where the run does not have it.
bool noise_runs_value(const NoiseRuns *runs, size_t run, uint32_t slot, Stat stat, double *out);

// Whether all statistics are golden's in every run.
bool noise_runs_repeat(const NoiseRuns *runs, uint32_t slot);

// What golden and the runs have of an argument, or a shape, each text once.
typedef struct NoiseTexts {
    Str *texts;
    size_t count;
    bool apart;  // no two runs have the same: a name that each makes for itself
} NoiseTexts;

bool noise_texts_have(const NoiseTexts *texts, Str text);  // NULL: none

// By golden slot. Slots of one place in calls of one API that run after the first decision vary
// in the same way: that some of them are equal in all runs is luck.
typedef struct NoiseDecided {
    uint32_t first;       // the first op of which a run decided otherwise; UINT32_MAX: none
    const float **reach;  // by axis or number: how far off it may be; NULL: its numbers do not vary
    uint64_t *axes;       // by bit: the axes of its shape, or the numbers of its text, that vary
    const NoiseTexts **texts;  // of one that varies in more than its numbers; NULL: it does not
    bool *integer;             // an integer tensor that varies
    uint32_t *like;            // a number for its API and place
} NoiseDecided;

// `sources`: SourceKind of golden's slots; `apis`: noise_apis. `multiple` spreads are in reach.
// Linear in slots and runs. In `arena`.
void noise_decided_find(const NoiseRuns *runs, const uint8_t *sources, const uint32_t *apis,
                        double multiple, Arena *arena, NoiseDecided *out);

#endif
