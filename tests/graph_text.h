// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_GRAPH_TEXT_H
#define VERNIER_TESTS_GRAPH_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "model/graph/graph.h"
#include "model/graph/graph_build.h"
#include "read/dump/dump_source.h"

// Graphs from JSON written out in a test. Files go to the working folder of the test.

typedef struct GraphText {
    const char *construct;
    const char *data;       // the object `data`, with its braces
    const char *stack;      // NULL: no file
    const char *framework;  // NULL: pytorch
} GraphText;

static inline void graph_text_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

// With the names of other graphs, as ranks that are merged have them.
static inline void graph_text_build_among(Names *names, const char *name, const GraphText *text,
                                          GraphRules rules, Arena *arena, Graph *out,
                                          Notices *notices)
{
    Error err;
    Dump *dump = ARENA_NEW(arena, Dump);
    Construct construct;
    Str construct_path = str_printf(arena, "%s.construct.json", name);
    Str stack_path = str_printf(arena, "%s.stack.json", name);
    Str json = str_printf(arena,
                          "{\"task\":\"statistics\",\"level\":\"mix\",\"framework\":\"%s\","
                          "\"dump_data_dir\":null,\"data\":%s}",
                          text->framework ? text->framework : "pytorch", text->data);
    graph_text_write(construct_path.data, text->construct);
    remove(stack_path.data);
    if (text->stack)
        graph_text_write(stack_path.data, text->stack);
    if (!dump_read_text(name, json, names, arena, dump, notices, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        exit(1);
    }
    construct_read(construct_path.data, names, arena, &construct, notices);
    Stacks *stacks = stacks_open(stack_path.data, names, arena, notices);
    graph_build(dump, &construct, stacks, rules, arena, out, notices);
}

// `name` tells the files of different graphs apart.
static inline void graph_text_build(const char *name, const GraphText *text, GraphRules rules,
                                    Arena *arena, Graph *out, Notices *notices)
{
    graph_text_build_among(names_new(arena), name, text, rules, arena, out, notices);
}

static inline NodeId graph_text_find(const Graph *graph, const char *name)
{
    NameId id = names_find(graph->dump->names, str_of(name));
    return id == NAME_NONE ? NODE_NONE : graph_find(graph, id);
}

// "child of parent" as the tests name it; the empty text where there is no such node.
static inline Str graph_text_parent(const Graph *graph, const char *name)
{
    NodeId node = graph_text_find(graph, name);
    if (node == NODE_NONE || graph->nodes[node].parent == NODE_NONE)
        return (Str){"", 0};
    return names_text(graph->dump->names, graph->nodes[graph->nodes[node].parent].name);
}

// The names of the children, separated by blanks.
static inline Str graph_text_children(const Graph *graph, const char *name, Arena *arena)
{
    StrBuf buf;
    buf = strbuf_new(arena);
    NodeId node = graph_text_find(graph, name);
    for (NodeId at = node == NODE_NONE ? NODE_NONE : graph->nodes[node].first_child;
         at != NODE_NONE; at = graph->nodes[at].next)
        strbuf_printf(&buf, "%s" STR_FMT, buf.size ? " " : "",
                      STR_ARG(names_text(graph->dump->names, graph->nodes[at].name)));
    return strbuf_str(&buf);
}

#endif
