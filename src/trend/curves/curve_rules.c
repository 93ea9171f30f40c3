// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/curve_rules.h"

#include "base/words.h"
#include "trend/curves/judge_curves.h"
#include "trend/curves/localnorm.h"
#include "trend/curves/spike.h"
#include "trend/monitor/alarm_drift.h"
#include "trend/monitor/monitor_probe.h"

static const double drift_scales = DRIFT_SCALES, drift_factor = DRIFT_FACTOR,
                    drift_rank_scales = DRIFT_RANK_SCALES, drift_rank_factor = DRIFT_RANK_FACTOR,
                    local_problem = LOCALNORM_PROBLEM * LOCALNORM_LOOK,
                    probe_similarity = PROBE_SIMILARITY_MIN, probe_drop = PROBE_DROP_MAX;

const TrendRule trend_rules[] = {
    {"curves", "MEAN", &curve_limits.mean_relative, "%",
     TR("without noise runs: mean relative difference of the loss"),
     TR("msProbe guide; accuracy guide")},
    {"curves", "ABSOLUTE", &series_absolute_share, "%",
     TR("without noise runs: a difference up to this share of golden's level at the end agrees; "
        "--limits ABSOLUTE=X gives it in units of the loss"),
     TR("case of the accuracy guide")},
    {"curves", "STEP1", &curve_limits.step_one, "",
     TR("loss of the first common step, same weights and data"),
     TR("our choice; the guide's case shows about 0.001")},
    {"curves", "STEP1-REL", &curve_limits.step_one_relative, "%",
     TR("the same relative to golden; the larger limit counts"), TR("our choice")},
    {"curves", "LR0-LOSS", &curve_limits.lr0_loss, "",
     TR("learning rate 0: mean difference of the loss"),
     TR("case of the accuracy guide: about 0.001 was fine")},
    {"curves", "LR0-NORM", &curve_limits.lr0_norm, "",
     TR("learning rate 0: mean difference of the global norm"),
     TR("case of the accuracy guide: about 0.05 was fine")},
    {"curves", "LATE", &curve_limits.late_problem, "",
     TR("--criterion converged: an offset at the end above this is a problem"),
     TR("case of the accuracy guide")},
    {"curves", "LATE-OK", &curve_limits.late_accepted, "",
     TR("--criterion converged: an offset at the end below this is accepted"),
     TR("case of the accuracy guide: it lay between two benchmark runs")},
    {"curves", "NORM-MEAN", &curve_limits.norm_mean_relative, "%",
     TR("mean relative difference of the global norm that is worth a look"), TR("our choice")},
    {"curves", "NOISE", NULL, "",
     TR("with noise runs: the smoothed difference stays within three standard deviations of the "
        "golden runs, "
        "correlation counted"),
     TR("measured from the runs")},
    {"curves", "LASTING", NULL, "",
     TR("a divergence lasts to the end, longer than the window of the mean and a twentieth of the "
        "steps; anything "
        "shorter is an excursion"),
     TR("our choice")},
    {"curves", "SPIKE-LOSS", &spike_rule_loss.score, "x",
     TR("a loss this many robust scales off the median of the last 11 values, and by 5 %"),
     TR("our choice")},
    {"curves", "SPIKE-NORM", &spike_rule_norm.score, "x",
     TR("a norm this many robust scales off the median of the last 11 values in the logarithm, and "
        "twice as large"),
     TR("our choice")},
    {"curves", "LOCAL-LOOK", &curve_limits.local_look, "%",
     TR("local norm of one weight: worth a look"), TR("our choice")},
    {"curves", "LOCAL", &local_problem, "%",
     TR("local norm of one weight: a problem, if also 10 times the median of all weights"),
     TR("our choice")},
    {"monitor", "TURBULENCE", NULL, "",
     TR("AnomalyTurbulence and AnomalyNan: the monitor's own rules value by value, with the "
        "thresholds of its "
        "configuration"),
     TR("msProbe; defects included, see docs/monitor.md")},
    {"monitor", "DRIFT", &drift_scales, "x",
     TR("Drift: this many robust scales off the median of the last 11 values, up or down"),
     TR("our choice")},
    {"monitor", "DRIFT-BY", &drift_factor, "x", TR("Drift: and by this factor"), TR("our choice")},
    {"monitor", "RANK", &drift_rank_scales, "x",
     TR("Drift of one rank that the others do not share: robust scales"), TR("our choice")},
    {"monitor", "RANK-BY", &drift_rank_factor, "x",
     TR("Drift of one rank that the others do not share: factor"), TR("our choice")},
    {"monitor", "SIMILARITY", &probe_similarity, "",
     TR("GradSimilarity: below this at the first step"), TR("manual of the gradient probe")},
    {"monitor", "SIMILARITY-DROP", &probe_drop, "",
     TR("GradSimilarity: a drop of more than this from one step to the next"),
     TR("manual of the gradient probe")},
    {"advise", "SKIP", NULL, "",
     TR("a step is skipped when its norm is at or above the threshold; so many in a row end the "
        "run"),
     TR("data skip of MindSpore Transformers")},
    {"advise", "HEALTH", NULL, "",
     TR("suggested threshold of the embedding norm: median + 8 x 1.4826 MAD, at least 1.2 times "
        "the largest normal value"),
     TR("our choice")},
};
const size_t trend_rule_count = sizeof trend_rules / sizeof *trend_rules;
