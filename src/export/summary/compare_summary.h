// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_COMPARE_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_COMPARE_SUMMARY_H

#include "base/sink.h"
#include "verdict/compare_view.h"

// summary.json of `vernier compare`, schema "vernier.compare/1" (docs/spec/output.md §2).

void compare_summary_write(const void *summary, Sink *out);

#endif
