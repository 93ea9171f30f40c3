// SPDX-License-Identifier: Apache-2.0
#include "report/check_report.h"

#include "base/words.h"
#include "report/history/history_page.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"

static Cell state_cell(LawState state)
{
    static const CellStyle styles[LAW_STATES] = {STYLE_PASS, STYLE_ERROR, STYLE_NO_DATA,
                                                 STYLE_UNMATCHED};
    return cell_styled(styles[state], str_of(tr(law_state_word(state))));
}

static void law_columns(Row *row)
{
    const LawResult *it = row->item;
    TEXT(row, TR("Invariant"), 20, cell_strong(str_of(it->law->name)));
    TEXT(row, TR("Verdict"), 18, state_cell(it->state));
    NUMBER(row, TR("Compared"), 12, cell_count_or_dot(it->checked, row->arena));
    NUMBER(row, TR("Broken"), 10, cell_count_or_dot(it->broken, row->arena));
    TEXT(row, TR("What must hold"), 50, cell_word(it->texts.holds));
    TEXT(row, TR("Where first, or why not"), 60,
         it->state == LAW_BROKEN
             ? cell_text(str_printf(row->arena, STR_FMT ": " STR_FMT,
                                    STR_ARG(check_place(&it->breaks[0], row->arena)),
                                    STR_ARG(it->breaks[0].what)))
             : cell_text(it->why));
}

static void evidence_columns(Row *row)
{
    const LawResult *law = row->of;
    const LawBreak *it = row->item;
    TEXT(row, TR("Invariant"), 20, cell_strong(str_of(law->law->name)));
    NUMBER(row, TR("step"), 8, cell_int(it->step, row->arena));
    NUMBER(row, TR("rank"), 8, cell_int(it->rank, row->arena));
    NUMBER(row, TR("other rank"), 8, it->other < 0 ? NO_CELL : cell_int(it->other, row->arena));
    TEXT(row, TR("what"), 50, cell_code(it->what));
    TEXT(row, TR("why"), 60, cell_text(it->text));
}

static Cell set_cell(const RankLayout *layout, size_t set, Arena *arena)
{
    return set == GROUP_UNKNOWN ? cell_dash() : cell_int(layout->places[set].rank, arena);
}

static void rank_columns(Row *row)
{
    const RankPlace *it = row->item;
    const RankLayout *layout = row->view;
    NUMBER(row, TR("rank"), 8, cell_int(it->rank, row->arena));
    NUMBER(row, TR("copies with rank"), 16, set_cell(layout, it->copies, row->arena));
    NUMBER(row, TR("shares with rank"), 16, set_cell(layout, it->shares, row->arena));
}

void check_tables(const CheckView *view, Arena *arena, CheckTables *out)
{
    const RankLayout *layout = view->evidence->layout;
    out->laws = COLUMNS_TABLE(TR("Invariants"), law_columns, view, view->results->items,
                              view->results->count, arena);
    out->evidence = columns_table(TR("Evidence"), evidence_columns, view, arena);
    for (size_t i = 0; i < view->results->count; i++) {
        const LawResult *law = &view->results->items[i];
        for (size_t k = 0; k < law->break_count; k++)
            columns_add_of(out->evidence, law, &law->breaks[k]);
        if (law->break_count < law->broken)
            out->evidence->note = str_of(tr("of each invariant the first 200"));
    }
    out->ranks =
        COLUMNS_TABLE(TR("Layout"), rank_columns, layout, layout->places, layout->count, arena);
}

void check_report(const CheckView *view, CheckTables *tables, const Scene *picture, Arena *arena,
                  Report *out)
{
    report_init(out, arena);
    out->title = view->verdict.sentence;
    report_verdict(out, &view->verdict);
    report_text(out, str_printf(arena, "%s: " STR_FMT,
                                view->evidence->layout->given ? tr("layout, as stated")
                                                              : tr("layout, found"),
                                STR_ARG(view->evidence->layout->text)));
    const Expects *expects = view->evidence->expects->all;
    for (size_t i = 0; i < expects->count; i++)
        if (expects->items[i].source.size)
            report_text(out, str_printf(arena, tr("expects " STR_FMT ", from " STR_FMT "%s"),
                                        STR_ARG(expects->items[i].text),
                                        STR_ARG(expects->items[i].source),
                                        view->evidence->expects->tally[i].checked
                                            ? ""
                                            : tr("; that cannot be checked here")));
    section_problems(out, "problems", tr("Problems with the input"), view->notices);
    history_report_news(view->history, arena, out);
    report_figure(out, picture, STR("check"), STR(""));
    section_table(out, "evidence", tr("Evidence"), tables->evidence);
    section_table(out, "invariants", tr("Invariants"), tables->laws);
    if (view->evidence->layout->count > 1)
        section_table(out, "layout", tr("Layout"), tables->ranks);
    report_footer(out, str_printf(arena,
                                  tr("An invariant without evidence cannot be checked; HOLDS is "
                                     "said of what was compared alone. vernier %s."),
                                  view->version));
}
