// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_GRAPH_REPORT_H
#define VERNIER_LAYOUT_GRAPH_REPORT_H

#include "layout/compare_page.h"
#include "layout/hierarchy.h"
#include "layout/summary.h"

// What `vernier graph` says of its dumps: facts of each, verdict, summary.json (schema
// "vernier.graph/1"), page, ticket text, tables.

// One (step, rank), kept when its graph is gone.
typedef struct GraphFacts {
    int64_t step, rank;
    bool failed;
    ReadFact read;
    Framework framework;
    Str level, task;
    uint32_t modules, apis, groups, depth, micro_steps;
    bool flat;                     // no hierarchy recorded
    uint32_t levels[LEVEL_COUNT];  // ops by Overflow
    Str first_overflow;            // the first op of the worst level, or empty
    Overflow first_level;
} GraphFacts;

// Texts are copied into `arena`.
void graph_facts_collect(const Hierarchy *hierarchy, Arena *arena, GraphFacts *out);

typedef struct GraphReport {
    const char *version;
    Str path, title, command;
    const GraphFacts *facts;  // by step and rank
    size_t count;
    const Verdict *verdict;
    PageFigure figure;           // of the first dump
    const Hierarchy *hierarchy;  // of the first dump, NULL: none could be read
    const Notices *notices;
} GraphReport;

// Of all dumps, or with count 1 of one.
void graph_verdict(const GraphFacts *facts, size_t count, bool partial, Arena *arena, Verdict *out);

void graph_summary_write(const GraphReport *report, Sink *out);
void graph_page_build(const GraphReport *report, Arena *arena, Report *out);
void graph_ticket_build(const GraphReport *report, Arena *arena, Report *out);

// Every node of one dump in execution order: id, type, parent, level, micro step, output statistics.
Table *graph_table_of_nodes(const Hierarchy *hierarchy, Arena *arena);
Table *graph_table_of_dumps(const GraphReport *report, Arena *arena);
// The ops with an overflow level, at most `limit`, worst first in execution order.
Table *graph_table_of_overflow(const Hierarchy *hierarchy, size_t limit, Arena *arena);

// {"target": [node...]} as nodes_json_write gives them, without partners.
void graph_nodes_write(const Graph *graph, Sink *out);

#endif
