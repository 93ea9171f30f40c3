// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_HISTORY_HISTORY_TABLES_H
#define VERNIER_REPORT_HISTORY_HISTORY_TABLES_H

#include "verdict/history_text.h"

// The nights of one command as tables, all in memory.

// What changed in the newest night: new first, then recovered, then lasting; at most `limit` rows.
// NULL if nothing is or was beyond tolerance.
Table *history_table_of_news(const HistoryView *view, size_t limit, Arena *arena);

// Excel keeps the sheet name "History" for itself, so the sheet is called "Night history". A row
// for each thing and metric: state, trend over the last nights, figure of the run before and of
// this one, since when. `limit` 0: all; else what changed or is beyond tolerance comes first.
Table *history_table_of_trends(const HistoryView *view, size_t limit, Arena *arena);

// A row a night, the newest first: label, verdict, how many things are new and recovered. At most
// `limit` rows, 0: all.
Table *history_table_of_nights(const HistoryView *view, size_t limit, Arena *arena);

// Every regression and recovery of a layer, curve or object, the newest first; at most `limit`, 0:
// as many as fit a page. NULL without any.
Table *history_table_of_events(const HistoryView *view, size_t limit, Arena *arena);

// Every fact of every night, for CSV.
Table *history_table_of_facts(const HistoryView *views, size_t count, Arena *arena);

#endif
