// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_CHECK_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_CHECK_SUMMARY_H

#include "base/sink.h"
#include "verdict/check_verdict.h"

// summary.json of `vernier check`.
void check_summary_write(const void *view, Sink *out);

#endif
