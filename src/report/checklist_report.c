// SPDX-License-Identifier: Apache-2.0
#include "report/checklist_report.h"

#include "base/number.h"
#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"

// ---- tables

static Str side_text(const CheckSide *side, Arena *arena)
{
    if (!side->known)
        return str_of("—");
    if (side->derived)
        return str_printf(arena, tr(STR_FMT " (from " STR_FMT ")"), STR_ARG(side->text),
                          STR_ARG(side->name));
    return str_printf(arena, STR_FMT " = " STR_FMT, STR_ARG(side->name), STR_ARG(side->text));
}

static Str reason_text(const CheckResult *row)
{
    return str_of(row->row->text ? tr(row->row->text) : "");
}

static CellStyle style_of(const CheckResult *row)
{
    if (row->row->rule == CHECK_HAND)
        return STYLE_NO_DATA;
    if (row->status == CHECK_EQUAL)
        return STYLE_SAME;
    if (row->status == CHECK_ONE_SIDE || row->status == CHECK_UNKNOWN)
        return STYLE_UNMATCHED;
    if (row->row->rule == CHECK_SAME)
        return STYLE_ERROR;
    return STYLE_PASS;
}

static const char *status_text(const CheckResult *row)
{
    if (row->row->rule == CHECK_HAND)
        return TR("open question");
    if (row->status == CHECK_EQUAL)
        return TR("equal");
    if (row->status == CHECK_UNKNOWN)
        return TR("not known");
    if (row->status == CHECK_ONE_SIDE)
        return TR("one side only");
    return row->row->rule == CHECK_SAME ? TR("differs") : TR("differs, may do so");
}

static void result_columns(Row *row)
{
    const CheckResult *it = row->item;
    TEXT(row, TR("Result"), 16, cell_styled(style_of(it), str_of(tr(status_text(it)))));
    TEXT(row, TR("Group"), 12, cell_word(it->row->group));
    TEXT(row, TR("Setting"), 22, cell_strong(str_of(it->row->key)));
    TEXT(row, TR("Golden"), 34, cell_text(side_text(&it->golden, row->arena)));
    TEXT(row, TR("Target"), 34, cell_text(side_text(&it->target, row->arena)));
    TEXT(row, TR("Why it matters"), 60, cell_text(reason_text(it)));
}

static void advice_columns(Row *row)
{
    const CheckSide *side = row->of;
    const CheckResult *it = row->item;
    TEXT(row, TR("Side"), 10, cell_side(side == &it->target));
    TEXT(row, TR("Setting"), 22, cell_strong(str_of(it->row->key)));
    TEXT(row, TR("Value"), 34, cell_styled(STYLE_WARNING, side_text(side, row->arena)));
    TEXT(row, TR("Advised"), 24, cell_text(checklist_advised(it->row, row->arena)));
    TEXT(row, TR("Why it matters"), 60, cell_text(reason_text(it)));
}

static void open_columns(Row *row)
{
    const CheckResult *it = row->item;
    TEXT(row, TR("Setting"), 22, cell_strong(str_of(it->row->key)));
    TEXT(row, TR("Question"), 70, cell_word(it->row->text));
    TEXT(row, TR("Golden"), 34, cell_text(side_text(&it->golden, row->arena)));
    TEXT(row, TR("Target"), 34, cell_text(side_text(&it->target, row->arena)));
}

static void other_columns(Row *row)
{
    const CheckOther *it = row->item;
    TEXT(row, TR("Result"), 12,
         it->equal ? cell_styled(STYLE_SAME, str_of(tr("equal")))
                   : cell_styled(STYLE_PASS, str_of(tr("differs"))));
    TEXT(row, TR("Setting"), 40, cell_text(it->golden_name));
    TEXT(row, TR("Golden"), 34, cell_text(it->golden));
    TEXT(row, TR("Target"), 34, cell_text(it->target));
}

void checklist_tables(const ChecklistView *view, Arena *arena, ChecklistTables *out)
{
    const Checklist *list = view->list;
    out->differs = columns_table(TR("Differences"), result_columns, NULL, arena);
    out->advice = columns_table(TR("Advice"), advice_columns, NULL, arena);
    out->rows = columns_table(TR("Checklist"), result_columns, NULL, arena);
    out->open = columns_table(TR("Open questions"), open_columns, NULL, arena);
    out->others = COLUMNS_TABLE(TR("Other settings"), other_columns, NULL, list->others.items,
                                list->others.count, arena);
    out->differs->freeze = out->advice->freeze = out->open->freeze = false;
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *it = &list->rows[i];
        if (checklist_mismatch(it))
            columns_add(out->differs, it);
        if (it->status != CHECK_NEITHER)
            columns_add(out->rows, it);
        if (it->advice_golden)
            columns_add_of(out->advice, &it->golden, it);
        if (it->advice_target)
            columns_add_of(out->advice, &it->target, it);
        if (it->row->rule == CHECK_HAND)
            columns_add(out->open, it);
    }
}

// ---- page

static void add_section(Report *report, const char *title, const char *note, const char *id,
                        Table *table)
{
    if (table->row_count == 0)
        return;
    report_heading(report, 2, id, str_of(tr(title)), str_of(*note ? tr(note) : ""));
    report_table(report, table);
}

void checklist_report(const ChecklistView *view, ChecklistTables *tables, Arena *arena, Report *out)
{
    report_init(out, arena);
    out->title = view->verdict.sentence;
    report_verdict(out, &view->verdict);
    report_text(out, str_printf(arena, tr("golden: " STR_FMT " · target: " STR_FMT),
                                STR_ARG(view->golden_path), STR_ARG(view->target_path)));
    if (view->picture)
        report_figure(out, view->picture, STR("settings"), STR(""));
    add_section(out, TR("Differences"), TR("settings that must agree and do not"), "differences",
                tables->differs);
    add_section(out, TR("Advice"), TR("values that the accuracy checklist advises against"),
                "advice", tables->advice);
    section_problems(out, "problems", tr("Problems with the input"), view->notices);
    add_section(out, TR("Open questions"), TR("what no file records"), "open", tables->open);
    add_section(out, TR("All settings of the checklist"),
                TR("equal ones may be spelled differently"), "rows", tables->rows);
    section_folded(out, str_of(tr("Settings outside of the checklist that both sides have")),
                   tables->others);
}
