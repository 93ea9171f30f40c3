// SPDX-License-Identifier: Apache-2.0
#include "report/precheck_report.h"

#include "base/words.h"
#include "compare/precheck_ops.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"

static Cell status_cell(PrecheckStatus status)
{
    if (status == PRECHECK_SKIPPED)
        return cell_in(cell_word(TR("skipped")), STYLE_MUTED);
    return status == PRECHECK_UNTOLD ? cell_dash() : cell_status(precheck_status(status), false);
}

static Cell text_cell(Str text)
{
    return text.size ? (Cell){.kind = CELL_TEXT, .text = text} : cell_dash();
}

static Cell word_or_dash(const char *word)
{
    return word ? cell_word(word) : cell_dash();
}

static void finding_columns(Row *row)
{
    const PrecheckFinding *it = row->item;
    TEXT(row, TR("Status"), 12, status_cell(it->status));
    TEXT(row, TR("API"), 44, cell_code(it->api));
    TEXT(row, TR("Direction"), 12,
         it->plain ? cell_dash() : cell_word(it->backward ? TR("backward") : TR("forward")));
    TEXT(row, TR("Standard"), 34, word_or_dash(it->standard));
    TEXT(row, TR("Figure"), 34, word_or_dash(it->figure));
    TEXT(row, TR("Value"), 16, text_cell(it->value));
    TEXT(row, TR("Output"), 12, it->output.size ? cell_code(it->output) : cell_dash());
    TEXT(row, TR("Dtype"), 16, text_cell(it->dtype));
    TEXT(row, TR("Shape"), 18, text_cell(it->shape));
    NUMBER(row, TR("Rows"), 8, cell_count(it->rows, row->arena));
    TEXT(row, TR("Message"), 60, text_cell(it->message));
}

Table *precheck_table(const Precheck *of, Arena *arena)
{
    return COLUMNS_TABLE(TR("APIs"), finding_columns, NULL, of->items, of->count, arena);
}

void precheck_report(const PrecheckView *view, Table *table, const Scene *picture, Arena *arena,
                     Report *out)
{
    report_init(out, arena);
    out->title = view->verdict.sentence;
    report_verdict(out, &view->verdict);
    report_text(out, view->files);
    report_figure(out, picture, STR("precheck"), STR(""));
    section_problems(out, "problems", tr("Problems with the input"), view->notices);
    section_table(out, "apis", tr("APIs"), table);
}
