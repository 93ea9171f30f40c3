// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_RANK_METRICS_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_RANK_METRICS_SUMMARY_H

#include "base/sink.h"
#include "verdict/rank_metrics_verdict.h"

// summary.json of merged row tables, schema "vernier.merge/1".

void rank_metrics_summary(const void *view, Sink *out);

#endif
