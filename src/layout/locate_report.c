// SPDX-License-Identifier: Apache-2.0
#include "layout/locate_report.h"

#include "base/words.h"
#include "layout/compare_tables.h"
#include "layout/figure_text.h"
#include "layout/locate_picture.h"
#include "layout/table_heads.h"
#include "layout/ticket_frames.h"

enum { RANGES_SHOWN = 16 };

static Cell number_cell(uint64_t number, Arena *arena)
{
    return cell_number_as((double)number, figure_count(number, arena));
}

static Cell rank_cell(int64_t rank, Arena *arena)
{
    return cell_number_as((double)rank, str_printf(arena, "%lld", (long long)rank));
}

static Str level_shown(Overflow level)
{
    static const char *const words[] = {NULL, TR("medium"), TR("high"), TR("critical")};
    return level == OVERFLOW_NONE ? STR("—") : str_of(tr(words[level]));
}

Table *locate_table_of_origins(const LocateView *view, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("step"),    8,  true },
        {TR("rank"),    8,  true },
        {TR("op"),      40, false},
        {TR("slot"),    16, false},
        {TR("kind"),    8,  false},
        {TR("level"),   10, false},
        {TR("why"),     60, false},
        {TR("reached"), 10, true },
        {TR("module"),  40, false},
    };
    Table *table = TABLE_NEW(TR("Origins"), heads, arena);
    for (size_t i = 0; i < view->result->origin_count; i++) {
        const Origin *origin = &view->result->origins[i];
        Cell *row = table_add_row(table);
        row[0] = rank_cell(origin->step, arena);
        row[1] = rank_cell(origin->rank, arena);
        row[2] = cell_styled(STYLE_ERROR, origin->sighting->op);
        row[3] = cell_styled(STYLE_CODE, origin->sighting->slot);
        row[4] = cell_text(str_of(locate_kind_word(origin->sighting->found)));
        row[5] = cell_text(level_shown(origin->sighting->level));
        row[6] = cell_text(locate_reason(origin, arena));
        row[7] = number_cell(origin->reached, arena);
        row[8] = cell_styled(STYLE_CODE, origin->sighting->module);
    }
    return table;
}

Table *locate_table_of_spread(const LocateView *view, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("hop"),       8,  true },
        {TR("through"),   40, false},
        {TR("from rank"), 10, true },
        {TR("to ranks"),  40, false},
        {TR("ranks"),     8,  true },
    };
    Table *table = TABLE_NEW(TR("Spread"), heads, arena);
    for (size_t i = 0; i < view->result->spread_count; i++) {
        const Spread *spread = &view->result->spreads[i];
        Cell *row = table_add_row(table);
        row[0] = number_cell(spread->hop, arena);
        row[1] = cell_styled(STYLE_CODE, spread->through);
        row[2] = rank_cell(spread->from_rank, arena);
        row[3] = cell_text(rank_ranges(spread->to_ranks, spread->to_count, RANGES_SHOWN, arena));
        row[4] = number_cell(spread->to_count, arena);
    }
    return table;
}

static Cell fate_cell(const LocateView *view, const RankFate *fate, Arena *arena)
{
    if (fate->trail->failed)
        return cell_styled(STYLE_UNMATCHED, str_of(tr("not readable")));
    if (fate->position == 0)
        return cell_styled(STYLE_PASS, str_of(tr("finite")));
    if (fate->spread == SIZE_MAX)
        return cell_styled(STYLE_ERROR, str_of(tr("born here")));
    const Spread *spread = &view->result->spreads[fate->spread];
    return cell_styled(STYLE_ERROR_TINT,
                       str_printf(arena, tr("from rank %lld through " STR_FMT),
                                  (long long)spread->from_rank, STR_ARG(spread->through)));
}

Table *locate_table_of_ranks(const LocateView *view, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("rank"),                8,  true },
        {TR("state"),               40, false},
        {TR("first op"),            40, false},
        {TR("position"),            10, true },
        {TR("first NaN"),           40, false},
        {TR("ops"),                 10, true },
        {TR("ops with NaN or Inf"), 10, true },
    };
    Table *table = TABLE_NEW(TR("Ranks"), heads, arena);
    for (size_t i = 0; i < view->result->rank_count; i++) {
        const RankFate *fate = &view->result->ranks[i];
        const Trail *trail = fate->trail;
        Cell *row = table_add_row(table);
        row[0] = rank_cell(trail->rank, arena);
        row[1] = fate_cell(view, fate, arena);
        row[2] = cell_styled(STYLE_CODE, trail->first.op);
        if (fate->position)
            row[3] = number_cell(fate->position, arena);
        row[4] = cell_styled(STYLE_CODE, trail->nan_op);
        row[5] = number_cell(trail->op_count, arena);
        row[6] = number_cell(trail->bad_ops, arena);
    }
    return table;
}

// Births on ranks that were bad already.
static Table *table_of_later(const LocateView *view, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("rank"),     8,  true },
        {TR("position"), 10, true },
        {TR("op"),       40, false},
        {TR("slot"),     16, false},
        {TR("kind"),     8,  false},
    };
    Table *table = TABLE_NEW(TR("Further births"), heads, arena);
    for (size_t i = 0; i < view->result->rank_count; i++) {
        const Trail *trail = view->result->ranks[i].trail;
        for (uint32_t k = 0; k < trail->later_count; k++) {
            Cell *row = table_add_row(table);
            row[0] = rank_cell(trail->rank, arena);
            row[1] = number_cell(trail->later[k].position, arena);
            row[2] = cell_styled(STYLE_CODE, trail->later[k].op);
            row[3] = cell_styled(STYLE_CODE, trail->later[k].slot);
            row[4] = cell_text(str_of(locate_kind_word(trail->later[k].found)));
        }
    }
    return table;
}

static void add_table(Report *out, const char *id, const char *heading, Table *table)
{
    if (!table || table->row_count == 0)
        return;
    report_heading(out, 2, id, str_of(heading), (Str){"", 0});
    report_table(out, table);
}

static void add_code(Report *out, const char *heading, Str code)
{
    if (code.size == 0)
        return;
    report_heading(out, 2, "", str_of(heading), (Str){"", 0});
    report_code(out, code);
}

static Str rule_text(const LocateView *view, Arena *arena)
{
    StrBuf text;
    strbuf_init(&text, arena);
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
        return (Str){"", 0};
    const Sighting *sighting = view->result->origins[0].sighting;
    return ticket_frames(sighting->frames, sighting->frame_count, arena);
}

void locate_page_build(const LocateReport *report, Arena *arena, Report *out)
{
    const LocateView *view = report->view;
    report_init(out, arena);
    if (report->title.size)
        report_text(out, report->title);
    report_verdict(out, view->verdict);
    add_table(out, "problems", tr("Problems with the input"),
              table_of_problems(view->notices, arena));
    report_heading(out, 2, "ranks", str_of(tr("Ranks × execution order")), (Str){"", 0});
    report_figure(out, report->figure.scene, report->figure.file, (Str){"", 0});
    add_table(out, "origins", tr("Where it was born"), locate_table_of_origins(view, arena));
    add_code(out, tr("Called from"), main_frames(view, arena));
    add_table(out, "spread", tr("How it spread"), locate_table_of_spread(view, arena));
    add_table(out, "later", tr("Further births on ranks that were bad already"),
              table_of_later(view, arena));
    add_table(out, "fates", tr("All ranks"), locate_table_of_ranks(view, arena));
    report_footer(out, rule_text(view, arena));
    if (report->title.size)
        out->title = report->title;
}

void locate_ticket_build(const LocateReport *report, Arena *arena, Report *out)
{
    const LocateView *view = report->view;
    report_init(out, arena);
    report_verdict(out, view->verdict);
    report_figure(out, report->figure.scene, report->figure.file, (Str){"", 0});
    add_table(out, "", tr("Where it was born"), locate_table_of_origins(view, arena));
    add_table(out, "", tr("How it spread"), locate_table_of_spread(view, arena));
    add_code(out, tr("Called from"), main_frames(view, arena));
    add_table(out, "", tr("Problems with the input"), table_of_problems(view->notices, arena));
    add_code(out, tr("To repeat"), report->command);
    report_footer(out, rule_text(view, arena));
}
