// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_RUNS_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_RUNS_SUMMARY_H

#include "base/sink.h"
#include "verdict/runs_verdict.h"

// summary.json of `vernier compare --runs`, schema "vernier.runs/1".

void runs_summary_write(const void *report, Sink *out);

#endif
