// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_PRECHECK_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_PRECHECK_SUMMARY_H

#include "base/sink.h"
#include "verdict/precheck_verdict.h"

// summary.json of `vernier precheck`, schema vernier.precheck/1.
void precheck_summary_write(const void *view, Sink *out);

#endif
