// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_CHECKLIST_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_CHECKLIST_SUMMARY_H

#include "base/sink.h"
#include "verdict/checklist_verdict.h"

// summary.json of `vernier checklist`, schema "vernier.checklist/1".

void checklist_summary_write(const void *view, Sink *out);

#endif
