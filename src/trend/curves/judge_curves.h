// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_JUDGE_CURVES_H
#define VERNIER_TREND_CURVES_JUDGE_CURVES_H

#include "base/notice.h"
#include "trend/curves/band.h"
#include "trend/curves/curve_limits.h"
#include "trend/curves/localnorm.h"
#include "trend/curves/noise_runs.h"
#include "trend/curves/schedule.h"
#include "trend/curves/series_scale.h"
#include "trend/curves/spike.h"

// Runs next to each other: what differs, by how much, and whether it is more than noise.

typedef enum Finding {
    FINDING_WITHIN,
    FINDING_BORDERLINE,
    FINDING_OUTSIDE,
    FINDING_OFFSET,
    FINDING_DIVERGING,
    FINDING_CANNOT_TELL
} Finding;
const char *finding_text(Finding finding);  // "within noise", …, as in summary.json

// What the runs are judged by.
typedef enum Criterion { CRITERION_LONG, CRITERION_LR0, CRITERION_CONVERGED } Criterion;

enum { PHASE_COUNT = 3 };  // first 10 %, middle, last 20 %

typedef struct CurveComparison {
    const Run *golden, *target;
    const CurveLimits *limits;  // those of the report
    Str series;
    const Series *golden_series, *target_series;
    int64_t step_shift;
    bool by_updates;  // the rate was aligned over applied updates
    Aligned pair;     // golden, target; all common steps
    DifferenceStats stats, phases[PHASE_COUNT];
    bool has_band;      // noise runs were there; else `band` holds the tolerance
    Band band;          // of the loss
    NoiseRuns noise;    // those that are there for it
    size_t uncovered;   // steps that no noise run covers: judged by the tolerance
    double resolution;  // joint
    SeriesScale scale;
    size_t first_difference;  // index into pair of the first step whose printed digits differ
    Finding finding;
    int shifted;         // the target's values are golden's so many common steps later; 0: are not
    double own_scatter;  // of golden, where it explains a mean difference beyond the tolerance
    bool exact_off;      // differs where any difference is beyond
    bool judged;         // a loss that a verdict may rest on
    bool beyond;         // beyond tolerance: exit code 1
    double gravity;      // of a series next to the loss that is: its end in units of its limit
    bool lr0;            // judged as a run with rate 0
    int64_t *outliers;   // of a run with rate 0
    size_t outlier_count;
    double step_one, step_two;  // differences at the first two common steps; NaN
} CurveComparison;

typedef struct RunSpikes {
    const Series *series;
    bool searched;
    Spikes spikes;
} RunSpikes;

typedef struct CurveFindings {
    const Runs *runs;
    const CurveLimits *limits;  // in force
    Criterion criterion;
    CurveComparison *items;  // targets in order; loss first, then as in the golden run
    size_t count, capacity;
    CurveComparison *noise;  // the noise runs against the golden one, loss only
    size_t noise_count, noise_capacity;
    NormTable norms;  // of the first target that has some
    bool has_norms;
    RunSpikes *spikes;  // of each series of each run, in their order
    size_t spikes_count, spikes_capacity;
    size_t *spikes_from;  // where those of each run begin
} CurveFindings;

// Compares each target with the golden run. `limits` may be NULL: those of curve_limits; `map` may
// be NULL. Cost linear in the points.
void curves_judge(const Runs *runs, Criterion criterion, const CurveLimits *limits,
                  const NameMap *map, Arena *arena, CurveFindings *out);

// Those of a series of a run of the report; NULL: not searched.
const Spikes *curves_spikes(const CurveFindings *report, const Run *run, const Series *series);

// The comparison that decides: the worst finding of a loss (of several targets with the same one
// that farthest from golden), else the first one. NULL without any.
const CurveComparison *curves_deciding(const CurveFindings *report);

// Whether a rate is outside of its tolerance: the first step where it is, and by how much of
// golden's it is off at most (infinite where golden has no rate above 0).
bool curves_rate_off(const CurveComparison *comparison, int64_t *step, double *most);

// True if a weight's gradient norm is off.
bool curves_norms_off(const CurveFindings *report);

// True if a comparison is beyond its tolerance: exit code 1.
bool curves_beyond(const CurveFindings *report);

#endif
