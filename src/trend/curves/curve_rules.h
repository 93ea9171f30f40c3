// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_CURVE_RULES_H
#define VERNIER_TREND_CURVES_CURVE_RULES_H

#include <stddef.h>

// The limits by which curves, monitored series and checkpoints are judged, in words: for `vernier
// help rules`. The values are those that the judging code uses.
typedef struct TrendRule {
    const char *command;  // "curves", "monitor", "advise"
    const char *id;       // "LR0-LOSS"
    const double *limit;  // in `unit`; NULL: the text says all
    const char *unit;     // "", "%" (limit is a share), "x"
} TrendRule;

extern const TrendRule trend_rules[];
extern const size_t trend_rule_count;

#endif
