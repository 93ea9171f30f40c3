// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_PEER_ROWS_H
#define VERNIER_TESTS_PEER_ROWS_H

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "compare/peer.h"
#include "compare/peer_colour.h"
#include "layout/rows_table.h"

// The row table of two dumps written out in a test, asked for single cells.

#define T(max, min, mean, norm)                                                           \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,8],\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":" mean ",\"Norm\":" norm ",\"requires_grad\":true}"
#define LEAF(dtype, shape, max, min, mean, norm, more)                                    \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"" dtype "\",\"shape\":" shape ",\"Max\":" max \
    ",\"Min\":" min ",\"Mean\":" mean ",\"Norm\":" norm more "}"
#define IN(i)      "{\"input_args\":[" i "],\"input_kwargs\":{},\"output\":[]}"
#define IO(i, o)   "{\"input_args\":[" i "],\"input_kwargs\":{},\"output\":[" o "]}"
#define SAME_INPUT T("2", "-1", "0.25", "10")

typedef struct PeerTest {
    Arena *arena;
    Graph golden, target;
    const MatchOptions *match;  // NULL: rows pair by name
    PeerComparison peer;
    Table table;
} PeerTest;

static inline void peer_test_graph(Arena *arena, const char *name, const char *task,
                                   const char *data, const char *framework, Graph *out)
{
    Error err;
    Notices notices;
    notices_init(&notices, arena);
    Dump *dump = ARENA_NEW(arena, Dump);
    Str json = str_printf(arena,
                          "{\"task\":\"%s\",\"level\":\"mix\",\"framework\":\"%s\","
                          "\"dump_data_dir\":null,\"data\":%s}",
                          task, framework, data);
    if (!dump_read_text(name, json, false, names_new(arena), arena, dump, &notices, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        exit(1);
    }
    Construct construct = {.last_micro_step = -1};
    graph_build(dump, &construct, NULL, GRAPH_PEER, arena, out, &notices);
}

// Pairs without judging; tensor tests fill in metrics between the two.
static inline void peer_test_pair(PeerTest *test, Rules rules)
{
    Error err;
    if (!peer_pair(&test->golden, &test->target, rules, test->match, test->arena, &test->peer,
                   &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

static inline void peer_test_judge(PeerTest *test)
{
    peer_judge_pair(&test->peer, test->arena);
    RowsTableOptions options = {.name = "Compare"};
    rows_table_of_peer(&test->table, &test->peer, &options, test->arena);
}

static inline PeerTest *peer_test_new(void)
{
    Arena *arena = arena_new();
    PeerTest *test = ARENA_NEW(arena, PeerTest);
    test->arena = arena;
    return test;
}

static inline PeerTest *peer_test(const char *target, const char *golden, Rules rules)
{
    PeerTest *test = peer_test_new();
    peer_test_graph(test->arena, "golden", "statistics", golden, "pytorch", &test->golden);
    peer_test_graph(test->arena, "target", "statistics", target, "pytorch", &test->target);
    peer_test_pair(test, rules);
    peer_test_judge(test);
    return test;
}

static inline void peer_test_end(PeerTest *test)
{
    arena_release(test->arena);
}

static inline Str peer_test_cell_text(const Cell *cell, Arena *arena)
{
    if (cell->kind == CELL_BOOL)
        return cell->number != 0 ? STR("True") : STR("False");
    return str_copy(arena, cell->text);
}

static inline size_t peer_test_column(const Table *table, const char *title)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (str_equal(table->columns[i].title, str_of(title)))
            return i;
    return SIZE_MAX;
}

// The cell of the first row whose name on the target side is `row`; "(no row)", "(no column)".
static inline Str peer_test_cell(const PeerTest *test, const char *row, const char *column)
{
    const Table *table = &test->table;
    size_t at = peer_test_column(table, column);
    if (at == SIZE_MAX)
        return STR("(no column)");
    Cell cells[64];
    memset(cells, 0, sizeof cells);
    for (table->rewind(table->state); table->next(table->state, cells);) {
        if (str_equal(cells[0].text, str_of(row)))
            return peer_test_cell_text(&cells[at], test->arena);
        memset(cells, 0, sizeof cells);
    }
    return STR("(no row)");
}

static inline const PeerRow *peer_test_row(const PeerTest *test, const char *row)
{
    StrBuf name;
    strbuf_init(&name, test->arena);
    const PeerRows *rows = &test->peer.rows;
    for (size_t i = 0; i < rows->count; i++) {
        const PeerRow *at = &rows->items[i];
        if (str_equal(peer_row_name(rows->target, &rows->target->ops[at->op],
                                    &rows->target->slots[at->target], &name),
                      str_of(row)))
            return at;
    }
    return NULL;
}

// Result and the ids of the rules: "error NORMREL NORM10X", "pass".
static inline Str peer_test_verdict(const PeerTest *test, const char *name)
{
    const PeerRow *row = peer_test_row(test, name);
    if (!row)
        return STR("(no row)");
    StrBuf text;
    strbuf_init(&text, test->arena);
    strbuf_add(&text, str_of(status_word((Status)row->status)));
    for (int rule = 0; rule < PEER_RULE_COUNT; rule++)
        if (row->hits >> rule & 1)
            strbuf_printf(&text, " %s", peer_rules[rule].id);
    return strbuf_str(&text);
}

// "red", "yellow" or "none"
static inline Str peer_test_colour(const PeerTest *test, const char *name)
{
    static const char *const words[] = {"none", "red", "yellow"};
    const PeerRow *row = peer_test_row(test, name);
    return row ? str_of(words[row->colour]) : STR("(no row)");
}

#endif
