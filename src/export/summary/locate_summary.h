// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_LOCATE_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_LOCATE_SUMMARY_H

#include "base/sink.h"
#include "verdict/locate_verdict.h"

// summary.json of `vernier locate`, schema "vernier.locate/1".

void locate_summary_write(const void *view, Sink *out);

#endif
