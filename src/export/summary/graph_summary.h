// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_GRAPH_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_GRAPH_SUMMARY_H

#include "base/sink.h"
#include "report/compare/graph_report.h"

// summary.json of `vernier graph`, schema "vernier.graph/1".
void graph_summary_write(const void *report, Sink *out);

// {"target": [node...]} as nodes_json_write gives them, without partners.
void graph_nodes_write(const Graph *graph, Sink *out);

#endif
