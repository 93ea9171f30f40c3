// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_GRAPH_REPORT_H
#define VERNIER_REPORT_COMPARE_GRAPH_REPORT_H

#include "picture/compare/hierarchy.h"
#include "report/kit/sections.h"
#include "verdict/graph_verdict.h"

// What `vernier graph` says of its dumps: facts of each, page, ticket text, tables.

// Texts are copied into `arena`.
void graph_facts_collect(const Hierarchy *hierarchy, Arena *arena, GraphFacts *out);

typedef struct GraphPage {
    const char *version;
    Str path, title, command;
    const GraphFacts *facts;  // by step and rank
    size_t count;
    const Verdict *verdict;
    PageFigure boxes, tree;      // of the first dump
    const Hierarchy *hierarchy;  // of the first dump, NULL: none could be read
    const Notices *notices;
} GraphPage;

void graph_page_build(const GraphPage *report, Arena *arena, Report *out);
void graph_ticket_build(const GraphPage *report, Arena *arena, Report *out);

// Every node of one dump in execution order: id, type, parent, level, micro step, output
// statistics.
Table *graph_table_of_nodes(const Hierarchy *hierarchy, Arena *arena);
Table *graph_table_of_dumps(const GraphPage *report, Arena *arena);
// The ops with an overflow level, at most `limit`, worst first in execution order.
Table *graph_table_of_overflow(const Hierarchy *hierarchy, size_t limit, Arena *arena);

const char *graph_type_word(const Node *node);         // "module", …; not translated
Str graph_node_text(const Graph *graph, NodeId node);  // its id; empty for NODE_NONE

#endif
