// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_MSPROBE_ROWS_H
#define VERNIER_TESTS_MSPROBE_ROWS_H

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "compare/mapping/row_name.h"
#include "compare/msprobe/msprobe.h"
#include "compare/msprobe/msprobe_colour.h"
#include "model/graph/graph_build.h"
#include "read/dump/dump_source.h"
#include "renderers/cell_text.h"
#include "report/compare/rows_table.h"

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

typedef struct MsprobeTest {
    Arena *arena;
    Graph golden, target;
    const MatchOptions *match;  // NULL: rows pair by name
    MsprobeComparison msprobe;
    Table table;
} MsprobeTest;

static inline void msprobe_test_graph(Arena *arena, const char *name, const char *task,
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
    if (!dump_read_text(name, json, names_new(arena), arena, dump, &notices, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        exit(1);
    }
    Construct construct = {.last_micro_step = -1};
    graph_build(dump, &construct, NULL, GRAPH_MSPROBE, arena, out, &notices);
}

// Pairs without judging; tensor tests fill in metrics between the two.
static inline void msprobe_test_pair(MsprobeTest *test, Rules rules)
{
    Error err;
    if (!msprobe_pair(&test->golden, &test->target, rules, test->match, test->arena, &test->msprobe,
                      &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

static inline void msprobe_test_judge(MsprobeTest *test)
{
    msprobe_judge_pair(&test->msprobe, test->arena);
    RowsTableOptions options = {.name = "Compare"};
    rows_table_of_msprobe(&test->table, &test->msprobe, &options, test->arena);
}

static inline MsprobeTest *msprobe_test_new(void)
{
    Arena *arena = arena_new();
    MsprobeTest *test = ARENA_NEW(arena, MsprobeTest);
    test->arena = arena;
    return test;
}

static inline MsprobeTest *msprobe_test(const char *target, const char *golden, Rules rules)
{
    MsprobeTest *test = msprobe_test_new();
    msprobe_test_graph(test->arena, "golden", "statistics", golden, "pytorch", &test->golden);
    msprobe_test_graph(test->arena, "target", "statistics", target, "pytorch", &test->target);
    msprobe_test_pair(test, rules);
    msprobe_test_judge(test);
    return test;
}

static inline void msprobe_test_end(MsprobeTest *test)
{
    arena_release(test->arena);
}

static inline size_t msprobe_test_column(const Table *table, const char *title)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (str_equal(table->columns[i].title, str_of(title)))
            return i;
    return SIZE_MAX;
}

// The cell of the first row whose name on the target side is `row`; "(no row)", "(no column)".
static inline Str msprobe_test_cell(const MsprobeTest *test, const char *row, const char *column)
{
    const Table *table = &test->table;
    size_t at = msprobe_test_column(table, column);
    if (at == SIZE_MAX)
        return STR("(no column)");
    Cell cells[64];
    char digits[NUMBER_BYTES];
    memset(cells, 0, sizeof cells);
    for (table->rewind(table->state); table->next(table->state, cells);) {
        if (str_equal(cells[0].text, str_of(row)))
            return str_copy(test->arena, cell_shown(&cells[at], digits));
        memset(cells, 0, sizeof cells);
    }
    return STR("(no row)");
}

static inline const MsprobeRow *msprobe_test_row(const MsprobeTest *test, const char *row)
{
    StrBuf name;
    name = strbuf_new(test->arena);
    const MsprobeRows *rows = &test->msprobe.rows;
    for (size_t i = 0; i < rows->count; i++) {
        const MsprobeRow *at = &rows->items[i];
        if (str_equal(row_name(rows->target, &rows->target->ops[at->op],
                               &rows->target->slots[at->target], &name),
                      str_of(row)))
            return at;
    }
    return NULL;
}

// Result and the ids of the rules: "error NORMREL NORM10X", "pass".
static inline Str msprobe_test_verdict(const MsprobeTest *test, const char *name)
{
    const MsprobeRow *row = msprobe_test_row(test, name);
    if (!row)
        return STR("(no row)");
    StrBuf text;
    text = strbuf_new(test->arena);
    strbuf_add(&text, str_of(status_word((Status)row->status)));
    for (int rule = 0; rule < MSPROBE_RULE_COUNT; rule++)
        if (row->hits >> rule & 1)
            strbuf_printf(&text, " %s", msprobe_rules[rule].id);
    return strbuf_str(&text);
}

// "red", "yellow" or "none"
static inline Str msprobe_test_colour(const MsprobeTest *test, const char *name)
{
    static const char *const words[] = {"none", "red", "yellow"};
    const MsprobeRow *row = msprobe_test_row(test, name);
    return row ? str_of(words[row->colour]) : STR("(no row)");
}

#endif
