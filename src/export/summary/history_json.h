// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_HISTORY_JSON_H
#define VERNIER_EXPORT_SUMMARY_HISTORY_JSON_H

#include "base/json_writer.h"
#include "report/history/history_page.h"

// A history in summary.json.

// The key "history" of summary.json: the last 60 nights, what changed and since when, the tracks.
// Writes null without a view.
void history_json(JsonWriter *json, const HistoryView *view);

// summary.json of `vernier history`, schema "vernier.history/1".
void history_summary_write(const void *page, Sink *out);

#endif
