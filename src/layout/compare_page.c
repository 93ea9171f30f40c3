// SPDX-License-Identifier: Apache-2.0
#include "layout/compare_page.h"

#include <math.h>

#include "base/words.h"
#include "layout/compare_tables.h"
#include "layout/figure_text.h"
#include "layout/history_page.h"
#include "layout/ticket_frames.h"

// The page stays below 2 MB: past this many ops only those that differ are listed.
enum { PAGE_OPS = 2000, PAGE_PAIRS = 2000, PAGE_ITEMS = 5000, TICKET_WORST = 5, PAGE_WORST = 6 };

static const PairFacts *main_facts(const ComparePage *page)
{
    return page->main == SIZE_MAX ? NULL : &page->summary->pairs[page->main];
}

static void add_overview_tables(const ComparePage *page, Arena *arena, Report *out)
{
    const PairFacts *facts = main_facts(page);
    report_columns(out);
    report_heading(out, 3, "runs", str_of(tr("Runs")), (Str){"", 0});
    report_table(out, table_of_runs(page->summary, arena));
    report_heading(out, 3, "counts", str_of(tr("Counts")), (Str){"", 0});
    report_table(out, table_of_counts(page->summary, arena));
    if (facts && facts->worst_count) {
        report_heading(out, 3, "worst", str_of(tr("Largest errors")), (Str){"", 0});
        report_table(out, table_of_worst(facts, PAGE_WORST, arena));
    }
    report_end(out);
}

// "Everything before op 62 agrees bit for bit."
static Str before_text(const MainPair *pair, Arena *arena)
{
    const Comparison *comparison = pair->comparison;
    const PairFacts *facts = pair->facts;
    if (facts->first.kind == DIVERGE_NONE)
        return str_of(tr("The runs do not part."));
    bool same = true;
    for (uint32_t i = 0; i + 1 < facts->first.position; i++)
        same = same && comparison->ops[i].status <= STATUS_SAME;
    Str position = figure_count(facts->first.position, arena);
    if (same)
        return str_printf(
            arena,
            tr("Everything before op " STR_FMT
               " agrees bit for bit. Solid colour marks where an error starts; a tint "
               "marks what inherits it."),
            STR_ARG(position));
    return str_printf(
        arena,
        tr("Everything before op " STR_FMT
           " agrees within the noise floor. Solid colour marks where an error starts; "
           "a tint marks what inherits it."),
        STR_ARG(position));
}

static size_t items_drawn(const Report *report)
{
    size_t items = 0;
    for (size_t i = 0; i < report->count; i++)
        items += report->items[i].kind == BLOCK_FIGURE ? report->items[i].scene->count : 0;
    return items;
}

void page_add_figure(Report *out, const PageFigure *figure)
{
    size_t page = 1, left_out = 0;
    for (const Scene *scene = figure->scene; scene; scene = scene->next, page++) {
        if (page > 1 && (left_out || items_drawn(out) + scene->count > PAGE_ITEMS)) {
            left_out++;
            continue;
        }
        Str file = page == 1 ? figure->file
                             : str_printf(out->arena, STR_FMT "-%zu", STR_ARG(figure->file), page);
        report_figure(out, scene, file, (Str){"", 0});
    }
    if (left_out)
        report_text(
            out,
            str_printf(
                out->arena,
                tr_count(
                    left_out,
                    "%zu further page of this picture is left out here; its own files have them all.",
                    "%zu further pages of this picture are left out here; its "
                    "own files have them all."),
                left_out));
}

static void add_pairs(const ComparePage *page, Arena *arena, Report *out)
{
    if (page->summary->count < 2)
        return;
    report_heading(out, 2, "pairs", str_of(tr("Steps and ranks")), (Str){"", 0});
    page_add_figure(out, &page->matrix);
    size_t count = page->summary->count;
    report_details(
        out,
        count > PAGE_PAIRS
            ? str_printf(arena, tr("The first %d of %zu pairs as a table"), (int)PAGE_PAIRS, count)
            : str_printf(arena,
                         tr_count(count, "The %zu pair as a table", "All %zu pairs as a table"),
                         count));
    report_table(out, table_of_pairs(page->summary, PAGE_PAIRS, arena));
    report_end(out);
}

static void add_card(const MainPair *pair, Arena *arena, Report *out)
{
    Table *slots = table_of_first_divergence(pair->comparison, arena);
    if (!pair->card.scene && !slots)
        return;
    report_heading(out, 2, "first-divergence", str_of(tr("The op where they part")), (Str){"", 0});
    page_add_figure(out, &pair->card);
    if (slots && slots->row_count) {
        report_details(out, str_of(tr("All slots of this op")));
        report_table(out, slots);
        report_end(out);
    }
}

static void add_main_pair(const MainPair *pair, Arena *arena, Report *out)
{
    const PairFacts *facts = pair->facts;
    Str note = pair->several ? str_printf(arena, tr("step %lld, rank %lld"), (long long)facts->step,
                                          (long long)facts->rank)
                             : (Str){"", 0};
    bool parts = facts->first.kind != DIVERGE_NONE;
    report_heading(out, 2, "where", str_of(parts ? tr("Where the runs part") : tr("The two runs")),
                   note);
    report_text(out, before_text(pair, arena));
    page_add_figure(out, &pair->graph);
    add_card(pair, arena, out);
    Table *layers = table_of_layers(pair->comparison, arena);
    if (layers->row_count) {
        report_heading(out, 2, "layers", str_of(tr("By layer")), (Str){"", 0});
        report_table(out, layers);
    }
    if (pair->profile.scene) {
        report_heading(out, 2, "profile", str_of(tr("Error along execution order")), (Str){"", 0});
        page_add_figure(out, &pair->profile);
    }
    Table *unmatched = table_of_unmatched(pair->comparison, arena);
    if (unmatched->row_count) {
        report_details(out, str_printf(arena, tr("Ops on one side only: " STR_FMT),
                                       STR_ARG(figure_count(unmatched->row_count, arena))));
        report_table(out, unmatched);
        report_end(out);
    }
    Table *ops = table_of_ops(pair->comparison, PAGE_OPS, arena);
    report_details(out, str_printf(arena, tr("All ops in execution order: " STR_FMT),
                                   STR_ARG(figure_count(pair->comparison->op_count, arena))));
    report_table(out, ops);
    report_end(out);
}

void compare_page_parts(const MainPair *pair, Arena *arena, PageParts *out)
{
    *out = (PageParts){.graph = SIZE_MAX};
    for (const Scene *page = pair->graph.scene; page; page = page->next)
        out->graph_pages++;
    report_init(&out->blocks, arena);
    add_main_pair(pair, arena, &out->blocks);
    for (size_t i = 0; i < out->blocks.count && out->graph == SIZE_MAX; i++)
        if (out->blocks.items[i].kind == BLOCK_FIGURE && pair->graph.scene)
            out->graph = i;
    out->first_slots = table_of_first_slots(pair->comparison, arena);
}

static void add_parts(const PageParts *parts, Report *out)
{
    for (size_t i = 0; i < parts->blocks.count; i++)
        *ARRAY_PUSH(out->arena, out) = parts->blocks.items[i];
}

static Str rule_text(const ComparePage *page, Arena *arena)
{
    if (page->summary->rules != RULES_VERNIER)
        return str_printf(arena, tr("Rules: %s."), rules_word(page->summary->rules));
    if (page->summary->criteria)
        return str_printf(arena,
                          tr("Rules: vernier with the criteria of " STR_FMT
                             " (%zu rules), which stand in summary.json."),
                          STR_ARG(page->summary->criteria->path), page->summary->criteria->count);
    return str_of(
        tr("Rules: vernier. A difference up to the noise floor passes, up to 10 floors it is a "
           "warning, above an error; an argument, a weight or an index must be equal."));
}

static void add_footer(const ComparePage *page, Arena *arena, Report *out)
{
    StrBuf buf;
    strbuf_init(&buf, arena);
    for (size_t i = 0; i < page->summary->count && i < 4; i++) {
        for (int side = 0; side < 2; side++) {
            const ReadFact *read = &page->summary->pairs[i].reads[side];
            if (read->file.size)
                strbuf_printf(&buf, tr("Read " STR_FMT ", %.0f kB%s. "), STR_ARG(read->file),
                              (double)read->bytes / 1000,
                              read->partial_at >= 0 ? tr(", in part") : "");
        }
    }
    strbuf_add(&buf, rule_text(page, arena));
    strbuf_printf(&buf, " vernier %s.", page->summary->version);
    report_footer(out, strbuf_str(&buf));
}

void compare_page_build(const ComparePage *page, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (page->title.size)
        report_text(out, page->title);
    report_verdict(out, page->summary->verdict);
    history_report_news(page->summary->history, arena, out);
    add_overview_tables(page, arena, out);
    Table *problems = table_of_problems(page->summary->notices, arena);
    if (problems) {
        report_heading(out, 2, "problems", str_of(tr("Problems with the input")), (Str){"", 0});
        report_table(out, problems);
    }
    add_pairs(page, arena, out);
    if (page->parts)
        add_parts(page->parts, out);
    history_report_trends(page->summary->history, HISTORY_PAGE_TRENDS, arena, out);
    add_footer(page, arena, out);
    if (page->title.size)
        out->title = page->title;
}

void compare_ticket_build(const ComparePage *page, Arena *arena, Report *out)
{
    const PairFacts *facts = main_facts(page);
    report_init(out, arena);
    report_verdict(out, page->summary->verdict);
    history_report_news(page->summary->history, arena, out);
    if (page->parts) {
        const PageParts *parts = page->parts;
        Table *slots = parts->first_slots;
        for (size_t i = 0; i < parts->graph_pages; i++)
            *ARRAY_PUSH(arena, out) = parts->blocks.items[parts->graph + i];
        if (slots && slots->row_count) {
            report_heading(out, 2, "", str_of(tr("The op where they part")), (Str){"", 0});
            report_table(out, slots);
        }
    }
    report_heading(out, 2, "", str_of(tr("Runs")), (Str){"", 0});
    report_table(out, table_of_runs(page->summary, arena));
    if (page->summary->count > 1) {
        report_heading(out, 2, "", str_of(tr("Steps and ranks")), (Str){"", 0});
        report_table(out, table_of_pairs(page->summary, PAGE_PAIRS, arena));
    }
    report_heading(out, 2, "", str_of(tr("Counts")), (Str){"", 0});
    report_table(out, table_of_counts(page->summary, arena));
    if (facts && facts->worst_count) {
        report_heading(out, 2, "", str_of(tr("Largest errors")), (Str){"", 0});
        report_table(out, table_of_worst(facts, TICKET_WORST, arena));
    }
    history_report_trends(page->summary->history, HISTORY_TICKET_TRENDS, arena, out);
    Str frames =
        facts ? ticket_frames(facts->first.frames, facts->first.frame_count, arena) : (Str){"", 0};
    if (frames.size) {
        report_heading(out, 2, "", str_of(tr("Called from")), (Str){"", 0});
        report_code(out, frames);
    }
    Table *problems = table_of_problems(page->summary->notices, arena);
    if (problems) {
        report_heading(out, 2, "", str_of(tr("Problems with the input")), (Str){"", 0});
        report_table(out, problems);
    }
    if (page->command.size) {
        report_heading(out, 2, "", str_of(tr("To repeat")), (Str){"", 0});
        report_code(out, page->command);
    }
    report_footer(out, rule_text(page, arena));
}
