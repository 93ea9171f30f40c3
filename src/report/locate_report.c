// SPDX-License-Identifier: Apache-2.0
#include "report/locate_report.h"

#include "base/words.h"
#include "read/dump/place_name.h"
#include "report/compare/ticket_frames.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/figure_text.h"

enum { RANGES_SHOWN = 16 };

static Str level_shown(Overflow level)
{
    static const char *const words[] = {NULL, TR("medium"), TR("high"), TR("critical")};
    return level == OVERFLOW_NONE ? STR("—") : str_of(tr(words[level]));
}

static void origin_columns(Row *row)
{
    const Origin *origin = row->item;
    const LocateView *view = row->view;
    NUMBER(row, TR("step"), 8, cell_int(origin->step, row->arena));
    if (view->result->stage.size)
        TEXT(row, TR("stage"), 22, cell_text(view->result->stage));
    NUMBER(row, TR("rank"), 8, cell_int(origin->rank, row->arena));
    TEXT(row, TR("op"), 40, cell_styled(STYLE_ERROR, origin->sighting->op));
    TEXT(row, TR("slot"), 16, cell_code(origin->sighting->slot));
    TEXT(row, TR("kind"), 8, cell_text(str_of(locate_kind_word(origin->sighting->found))));
    TEXT(row, TR("level"), 10, cell_text(level_shown(origin->sighting->level)));
    TEXT(row, TR("why"), 60, cell_text(locate_reason(origin, row->arena)));
    NUMBER(row, TR("reached"), 10, cell_count(origin->reached, row->arena));
    TEXT(row, TR("module"), 40, cell_code(origin->sighting->module));
}

Table *locate_table_of_origins(const LocateView *view, Arena *arena)
{
    return COLUMNS_TABLE(TR("Origins"), origin_columns, view, view->result->origins,
                         view->result->origin_count, arena);
}

static void spread_columns(Row *row)
{
    const Spread *spread = row->item;
    NUMBER(row, TR("hop"), 8, cell_count(spread->hop, row->arena));
    TEXT(row, TR("through"), 40, cell_code(spread->through));
    NUMBER(row, TR("from rank"), 10, cell_int(spread->from_rank, row->arena));
    TEXT(row, TR("to ranks"), 40,
         cell_text(rank_ranges(spread->to_ranks, spread->to_count, RANGES_SHOWN, row->arena)));
    NUMBER(row, TR("ranks"), 8, cell_count(spread->to_count, row->arena));
}

Table *locate_table_of_spread(const LocateView *view, Arena *arena)
{
    return COLUMNS_TABLE(TR("Spread"), spread_columns, view, view->result->spreads,
                         view->result->spread_count, arena);
}

static Cell fate_cell(const LocateView *view, const RankFate *fate, Arena *arena)
{
    if (fate->trail->failed)
        return cell_styled(STYLE_UNMATCHED, str_of(tr("not readable")));
    if (fate->position == 0)
        return cell_styled(STYLE_PASS, str_of(tr("finite")));
    if (fate->spread == SIZE_MAX)
        return cell_styled(STYLE_ERROR, str_of(tr("starts here")));
    const Spread *spread = &view->result->spreads[fate->spread];
    return cell_styled(STYLE_ERROR_TINT,
                       str_printf(arena, tr("from rank %lld through " STR_FMT),
                                  (long long)spread->from_rank, STR_ARG(spread->through)));
}

static void rank_columns(Row *row)
{
    const RankFate *fate = row->item;
    NUMBER(row, TR("rank"), 8, cell_int(fate->trail->rank, row->arena));
    TEXT(row, TR("state"), 40, fate_cell(row->view, fate, row->arena));
    TEXT(row, TR("first op"), 40, cell_code(fate->trail->first.op));
    NUMBER(row, TR("position"), 10,
           fate->position ? cell_count(fate->position, row->arena) : NO_CELL);
    TEXT(row, TR("first NaN"), 40, cell_code(fate->trail->nan_op));
    NUMBER(row, TR("ops"), 10, cell_count(fate->trail->op_count, row->arena));
    NUMBER(row, TR("ops with NaN or Inf"), 10, cell_count(fate->trail->bad_ops, row->arena));
}

Table *locate_table_of_ranks(const LocateView *view, Arena *arena)
{
    return COLUMNS_TABLE(TR("Ranks"), rank_columns, view, view->result->ranks,
                         view->result->rank_count, arena);
}

static void later_columns(Row *row)
{
    const Trail *trail = row->of;
    const Sighting *seen = row->item;
    NUMBER(row, TR("rank"), 8, cell_int(trail->rank, row->arena));
    NUMBER(row, TR("position"), 10, cell_count(seen->position, row->arena));
    TEXT(row, TR("op"), 40, cell_code(seen->op));
    TEXT(row, TR("slot"), 16, cell_code(seen->slot));
    TEXT(row, TR("kind"), 8, cell_text(str_of(locate_kind_word(seen->found))));
}

// Births on ranks that were bad already.
static Table *table_of_later(const LocateView *view, Arena *arena)
{
    Table *table = columns_table(TR("Further births"), later_columns, view, arena);
    for (size_t i = 0; i < view->result->rank_count; i++) {
        const Trail *trail = view->result->ranks[i].trail;
        for (uint32_t k = 0; k < trail->later_count; k++)
            columns_add_of(table, trail, &trail->later[k]);
    }
    return table;
}

static Str rule_text(const LocateView *view, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    strbuf_add(&text, str_of(tr("Born: an op whose inputs and weights are finite and one of whose "
                                "outputs is not, by Max, Min and Mean. Infinities that an argument "
                                "puts there, masks and memory that nothing has written count as "
                                "healthy.")));
    if (view->steps_left)
        strbuf_printf(&text, tr(" Later steps inherit it; %zu of them were not read."),
                      view->steps_left);
    strbuf_printf(&text, " vernier %s.", view->version);
    return strbuf_str(&text);
}

static Str main_frames(const LocateView *view, Arena *arena)
{
    if (view->result->origin_count == 0)
        return STR("");
    const Sighting *sighting = view->result->origins[0].sighting;
    return ticket_frames(sighting->frames, sighting->frame_count, arena);
}

void locate_page_build(const LocatePage *report, Arena *arena, Report *out)
{
    const LocateView *view = report->view;
    report_init(out, arena);
    if (report->title.size)
        report_text(out, report->title);
    report_verdict(out, view->verdict);
    section_problems(out, "problems", tr("Problems with the input"), view->notices);
    report_heading(out, 2, "ranks", str_of(tr("Ranks × execution order")), STR(""));
    report_figure(out, report->figure.scene, report->figure.file, STR(""));
    section_table(out, "origins", tr("Where it started"), locate_table_of_origins(view, arena));
    section_code(out, tr("Called from"), main_frames(view, arena));
    section_table(out, "spread", tr("How it spread"), locate_table_of_spread(view, arena));
    section_table(out, "later", tr("Further births on ranks that were bad already"),
                  table_of_later(view, arena));
    section_table(out, "fates", tr("All ranks"), locate_table_of_ranks(view, arena));
    report_footer(out, rule_text(view, arena));
    if (report->title.size)
        out->title = report->title;
}

void locate_ticket_build(const LocatePage *report, Arena *arena, Report *out)
{
    const LocateView *view = report->view;
    report_init(out, arena);
    report_verdict(out, view->verdict);
    report_figure(out, report->figure.scene, report->figure.file, STR(""));
    section_table(out, "", tr("Where it started"), locate_table_of_origins(view, arena));
    section_table(out, "", tr("How it spread"), locate_table_of_spread(view, arena));
    section_code(out, tr("Called from"), main_frames(view, arena));
    section_problems(out, "", tr("Problems with the input"), view->notices);
    section_code(out, tr("To repeat"), report->command);
    report_footer(out, rule_text(view, arena));
}
