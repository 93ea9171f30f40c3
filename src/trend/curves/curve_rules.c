// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/curve_rules.h"

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
    {"curves", "MEAN", &curve_limits.mean_relative, "%"},
    {"curves", "ABSOLUTE", &series_absolute_share, "%"},
    {"curves", "STEP1", &curve_limits.step_one, ""},
    {"curves", "STEP1-REL", &curve_limits.step_one_relative, "%"},
    {"curves", "LR0-LOSS", &curve_limits.lr0_loss, ""},
    {"curves", "LR0-NORM", &curve_limits.lr0_norm, ""},
    {"curves", "LATE", &curve_limits.late_problem, ""},
    {"curves", "LATE-OK", &curve_limits.late_accepted, ""},
    {"curves", "NORM-MEAN", &curve_limits.norm_mean_relative, "%"},
    {"curves", "NOISE", NULL, ""},
    {"curves", "LASTING", NULL, ""},
    {"curves", "SPIKE-LOSS", &spike_rule_loss.score, "x"},
    {"curves", "SPIKE-NORM", &spike_rule_norm.score, "x"},
    {"curves", "LOCAL-LOOK", &curve_limits.local_look, "%"},
    {"curves", "LOCAL", &local_problem, "%"},
    {"monitor", "TURBULENCE", NULL, ""},
    {"monitor", "DRIFT", &drift_scales, "x"},
    {"monitor", "DRIFT-BY", &drift_factor, "x"},
    {"monitor", "RANK", &drift_rank_scales, "x"},
    {"monitor", "RANK-BY", &drift_rank_factor, "x"},
    {"monitor", "SIMILARITY", &probe_similarity, ""},
    {"monitor", "SIMILARITY-DROP", &probe_drop, ""},
    {"advise", "SKIP", NULL, ""},
    {"advise", "HEALTH", NULL, ""},
};
const size_t trend_rule_count = sizeof trend_rules / sizeof *trend_rules;
