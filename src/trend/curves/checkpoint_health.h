// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_CHECKPOINT_HEALTH_H
#define VERNIER_TREND_CURVES_CHECKPOINT_HEALTH_H

#include "model/run/series.h"
#include "read/log/health_file.h"

// The health of checkpoints over a run, and which embedding norm spoke against one
// (docs/spec/curves.md §5.11).

typedef struct HealthMark {
    const Checkpoint *checkpoint;
    bool has_step;
    int64_t step;  // global: (epoch - 1) x steps per epoch + step
    double value;  // the largest embedding norm there; NaN without a log
    int64_t rank;  // of that value
} HealthMark;

typedef struct HealthCause {
    int64_t step, rank;
    double value;
} HealthCause;

typedef struct HealthFindings {
    double threshold;   // as given; NaN
    HealthMark *marks;  // in the order of the file
    size_t count;
    HealthCause *causes;  // values at or above the threshold in the step of a save
    size_t cause_count, cause_capacity;
    size_t unhealthy_count;
    const Checkpoint *newest, *newest_healthy;  // NULL: none
    const Series **embeddings;                  // with a value that is not 0
    size_t embedding_count, embedding_capacity;
    bool contradicts;  // a mark and the log disagree: the threshold was another
    bool all_zero;     // logs were given, but no embedding norm is above 0: other ranks have it
    double suggested;  // median + 8 x 1.4826 MAD, at least 1.2 x the largest normal; NaN
} HealthFindings;

// `runs` are the logs, each of one process or joined; may be empty.
void health_judge(const Checkpoints *checkpoints, const Runs *runs, double threshold, Arena *arena,
                  HealthFindings *out);

#endif
