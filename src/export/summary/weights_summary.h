// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_WEIGHTS_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_WEIGHTS_SUMMARY_H

#include "base/sink.h"
#include "verdict/weights_verdict.h"

// summary.json of two checkpoints, schema "vernier.weights/1".

void weights_summary_write(const void *view, Sink *out);

#endif
