// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_TOKEN_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_TOKEN_SUMMARY_H

#include "base/sink.h"
#include "verdict/token_verdict.h"

// summary.json of `vernier tokens`, schema vernier.tokens/1.
void token_summary_write(const void *view, Sink *out);

#endif
