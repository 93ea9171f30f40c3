// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_DEMO_REPORT_H
#define VERNIER_TESTS_DEMO_REPORT_H

#include "demo.h"

// A page with every kind of block, as compare makes it. `hostile` puts the hostile names wherever a
// text can come from a dump.

typedef struct DemoReport {
    Report report;
    Scene scene;
    Verdict verdict;
    Table tables[4];
    TableRows rows[4];
} DemoReport;

static const Column demo_runs_columns[] = {
    {.title = {"side", 4}}, {.title = {"dump", 4}}, {.title = {"ops", 3}, .number = true}};
static const Column demo_counts_columns[] = {{.title = {"status", 6}},
                                             {.title = {"ops", 3}, .number = true}};
static const Column demo_errors_columns[] = {{.title = {"op", 2}},
                                             {.title = {"in", 2}, .number = true},
                                             {.title = {"out", 3}, .number = true}};

static inline void demo_runs(DemoReport *demo, Arena *arena)
{
    Table *table = &demo->tables[0];
    table_init_rows(table, &demo->rows[0], "Runs", demo_runs_columns, 3, arena);
    Cell *cells = table_add_row(table);
    cells[0] = cell_styled(STYLE_GOLDEN, STR("golden"));
    cells[1] = cell_styled(STYLE_CODE, STR("gpt4-mix-stats/bench"));
    cells[2] = cell_number_as(421, STR("421"));
    cells = table_add_row(table);
    cells[0] = cell_styled(STYLE_TARGET, STR("target"));
    cells[1] = cell_styled(STYLE_CODE, STR("gpt4-mix-stats/target_linear_bf16"));
    cells[2] = cell_number_as(421, STR("421"));
    cells = table_add_row(table);
    cells[0] = cell_text(STR("noise"));
    cells[1] = cell_styled(STYLE_MUTED, STR("none given"));
    cells[2] = cell_text(STR("—"));
}

static inline void demo_counts(DemoReport *demo, Arena *arena)
{
    static const struct {
        CellStyle style;
        const char *word;
        int count;
    } counts[] = {{STYLE_ERROR, "error, starts here", 3},
                  {STYLE_ERROR_TINT, "error, inherited", 214},
                  {STYLE_WARNING, "warning", 1},
                  {STYLE_WARNING_TINT, "warning, inherited", 83},
                  {STYLE_PASS, "pass", 48},
                  {STYLE_SAME, "same", 70},
                  {STYLE_UNMATCHED, "unmatched", 0},
                  {STYLE_NO_DATA, "no data", 2}};
    Table *table = &demo->tables[1];
    table_init_rows(table, &demo->rows[1], "Counts", demo_counts_columns, 2, arena);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        Cell *cells = table_add_row(table);
        cells[0] = cell_styled(counts[i].style, str_of(counts[i].word));
        cells[1] = cell_number_as(counts[i].count, str_printf(arena, "%d", counts[i].count));
    }
}

static inline void demo_errors(DemoReport *demo, size_t which, size_t count, bool hostile,
                               Arena *arena)
{
    Table *table = &demo->tables[which];
    table_init_rows(table, &demo->rows[which], which == 2 ? "Largest errors" : "All ops",
                    demo_errors_columns, 3, arena);
    for (size_t i = 0; i < count; i++) {
        Cell *cells = table_add_row(table);
        Str name = hostile ? str_of(hostile_names[i % HOSTILE_COUNT])
                           : str_printf(arena, "blocks.%zu.ln_1 grad", i);
        cells[0] = cell_styled(i % 2 ? STYLE_ERROR_TINT : STYLE_ERROR, name);
        cells[0].title = hostile ? name : STR("Module.blocks.2.ln_1.LayerNorm.backward.0");
        cells[0].link = hostile ? name : STR("#op-3");
        cells[1] = i ? cell_number_as(9.7e-5, STR("9.74e-05")) : cell_text(STR("—"));
        cells[2] = cell_number_as(7.1e-4, STR("7.06e-04"));
    }
    if (which == 3)
        table->note = STR("every row is in compare.xlsx");
}

static inline Str demo_name(bool hostile, size_t which, const char *plain)
{
    return str_of(hostile ? hostile_names[which % HOSTILE_COUNT] : plain);
}

static inline void demo_verdict(DemoReport *demo, bool hostile, Arena *arena)
{
    Str place = demo_name(hostile, 0, "Functional.linear.8.forward");
    Str reason = demo_name(hostile, 1,
                           "inputs agree (norm rel. diff 0), output.0 does not (2.9e-05; "
                           "noise not measured).");
    Str context = demo_name(hostile, 2, "Step 0, rank 0. 357 later ops inherit it.");
    Str sentence = str_printf(arena, "DIVERGES  at " STR_FMT ", step 0, rank 0: " STR_FMT,
                              STR_ARG(place), STR_ARG(reason));
    demo->verdict = (Verdict){.style = STYLE_ERROR,
                              .sentence = sentence,
                              .word = STR("DIVERGES"),
                              .place = place,
                              .reason = reason,
                              .context = context};
}

static inline void demo_report(DemoReport *demo, bool hostile, Arena *arena)
{
    Report *report = &demo->report;
    demo->scene = hostile ? hostile_scene(arena) : demo_scene(arena);
    demo_verdict(demo, hostile, arena);
    demo_runs(demo, arena);
    demo_counts(demo, arena);
    demo_errors(demo, 2, 6, hostile, arena);
    demo_errors(demo, 3, hostile ? HOSTILE_COUNT : 120, hostile, arena);
    report_init(report, arena);
    report_verdict(report, &demo->verdict);
    report_columns(report);
    static const char *const heads[] = {"Runs", "Counts", "Largest errors"};
    for (size_t i = 0; i < 3; i++) {
        report_heading(report, 3, "", demo_name(hostile, i, heads[i]), (Str){"", 0});
        report_table(report, &demo->tables[i]);
    }
    report_end(report);
    report_heading(report, 2, hostile ? hostile_names[0] : "where",
                   demo_name(hostile, 28, "Where the runs diverge"),
                   demo_name(hostile, 29,
                             "Everything before op 62 agrees bit for bit. Solid colour "
                             "marks where an error starts; a tint marks what "
                             "inherits it."));
    report_figure(report, &demo->scene, demo_name(hostile, 1, "graph-step0-rank0"),
                  demo_name(hostile, 30, "The hierarchy of step 0, rank 0"));
    report_text(report, demo_name(hostile, 31, "- a paragraph that starts like a list"));
    report_code(report, demo_name(hostile, 28, "train.py:41  q, k, v = self.qkv(x)\n  ``` fence"));
    report_details(report, demo_name(hostile, 0, "All 120 ops"));
    report_table(report, &demo->tables[3]);
    report_end(report);
    report_footer(report, demo_name(hostile, 32, "vernier 0.1.0 · rule: norm rel. diff ≤ 9.5e-07"));
}

#endif
