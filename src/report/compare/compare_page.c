// SPDX-License-Identifier: Apache-2.0
#include "report/compare/compare_page.h"

#include <math.h>

#include "base/words.h"
#include "compare/evidence.h"
#include "read/dump/place_name.h"
#include "report/compare/compare_tables.h"
#include "report/compare/coverage_table.h"
#include "report/compare/op_index.h"
#include "report/compare/pair_links.h"
#include "report/compare/ticket_frames.h"
#include "report/compare/tree_table.h"
#include "report/history/history_page.h"
#include "report/kit/sections.h"
#include "report/kit/tree_text.h"
#include "verdict/advice.h"
#include "verdict/figure_text.h"

// The page stays below 2 MB: past this many ops only those that differ are listed.
enum { TICKET_COLUMNS = 70, PAGE_OPS = 1500, PAGE_PAIRS = 2000, TICKET_WORST = 5, PAGE_WORST = 6 };

static const PairFacts *main_facts(const ComparePage *page)
{
    return page->main == SIZE_MAX ? NULL : &page->summary->pairs[page->main];
}

// The peers' rules keep no account of it.
static void add_coverage(const ComparePage *page, int level, const char *id, Arena *arena,
                         Report *out)
{
    if (page->summary->rules != RULES_VERNIER || !main_facts(page))
        return;
    report_heading(out, level, id, str_of(tr("What was compared")), STR(""));
    report_table(out, table_of_coverage(page->summary, arena));
    Table *excused = table_of_excused(page->summary, arena);
    if (excused)
        report_table(out, excused);
}

static void add_overview_tables(const ComparePage *page, Arena *arena, Report *out)
{
    report_columns(out);
    report_heading(out, 3, "runs", str_of(tr("Runs")), STR(""));
    report_table(out, table_of_runs(page->summary, arena));
    report_heading(out, 3, "counts", str_of(tr("Counts")), STR(""));
    report_table(out, table_of_counts(page->summary, arena));
    add_coverage(page, 3, "coverage", arena, out);
    report_end(out);
}

// "Everything before op 62 agrees bit for bit."
static Str before_text(const MainPair *pair, Arena *arena)
{
    const Comparison *comparison = pair->comparison;
    const PairFacts *facts = pair->facts;
    if (!pair_facts_compared(facts) && facts->matched_ops)
        return str_of(tr("No value of the two sides could be compared; the picture shows what "
                         "they record."));
    if (!pair_facts_compared(facts))
        return str_of(tr("Nothing was compared: no value of one side has a partner on the other. "
                         "Where the two sides name their modules or ops differently, "
                         "--layer-mapping or --api-mapping says which belong together; "
                         "--write-layer-mapping writes a first one to correct."));
    if (facts->first.kind == DIVERGE_NONE)
        return str_of(tr("The runs do not part."));
    bool same = true;
    for (uint32_t i = 0; i + 1 < facts->first.position; i++)
        same = same && comparison->ops[i].status <= STATUS_SAME;
    Str position = figure_count(facts->first.position, arena);
    if (comparison->mode == MODE_STRUCTURE)
        return str_printf(arena,
                          tr("Everything before op " STR_FMT
                             " agrees in names, shapes and types; values were not compared."),
                          STR_ARG(position));
    if (same && evidence_same_by(comparison) == SAME_BY_STATISTICS)
        return str_printf(arena,
                          tr("Everything before op " STR_FMT
                             " has the same statistics. Solid colour marks where an error starts; "
                             "a tint marks what inherits it."),
                          STR_ARG(position));
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

static void add_pairs(const ComparePage *page, Arena *arena, Report *out)
{
    if (page->summary->count < 2)
        return;
    report_heading(out, 2, "pairs", str_of(tr("Steps and ranks")), STR(""));
    section_figure(out, &page->field);
    if (page->field_data.size)
        report_index(out, "field-index", page->field_data);
    section_figure(out, &page->matrix);
    size_t count = page->summary->count;
    if (page->summary->groups.count < count)
        report_table(out, table_of_groups(page->summary, PAGE_PAIRS, true, arena));
    report_details(
        out,
        count > PAGE_PAIRS
            ? str_printf(arena, tr("The first %d of %zu pairs as a table"), (int)PAGE_PAIRS, count)
            : str_printf(arena,
                         tr_count(count, "The %zu pair as a table", "All %zu pairs as a table"),
                         count));
    report_table(out, table_of_pairs(page->summary, PAGE_PAIRS, true, arena));
    report_end(out);
}

static void add_card(const MainPair *pair, Arena *arena, Report *out)
{
    Table *slots = table_of_first_divergence(pair->comparison, arena);
    if (!pair->card.scene && !slots)
        return;
    report_heading(out, 2, "first-divergence", str_of(tr("The op where they diverge")), STR(""));
    section_figure(out, &pair->card);
    section_folded(out, str_of(tr("All slots of this op")), slots);
}

static void add_precheck(const PairFacts *facts, Arena *arena, Report *out)
{
    if (facts->prechecked == 0)
        return;
    Str failed = figure_count(facts->precheck_count, arena);
    report_heading(out, 2, "precheck", str_of(tr("Ops that fail in isolation")),
                   str_printf(arena, tr(STR_FMT " of the " STR_FMT " ops that the pre-check has"),
                              STR_ARG(failed), STR_ARG(figure_count(facts->prechecked, arena))));
    if (facts->precheck_count)
        report_table(out, table_of_precheck(facts, arena));
}

static void add_main_pair(const MainPair *pair, Arena *arena, Report *out)
{
    const PairFacts *facts = pair->facts;
    Str note = pair->several ? place_text(facts->step, facts->stage, facts->rank, arena) : STR("");
    bool parts = facts->first.kind != DIVERGE_NONE;
    report_heading(out, 2, "where",
                   str_of(parts ? tr("Where the runs diverge") : tr("The two runs")), note);
    report_text(out, before_text(pair, arena));
    section_figure(out, &pair->graph);
    add_card(pair, arena, out);
    section_table(out, "layers", tr("By layer"),
                  table_of_layers(pair->comparison, pair->book, arena));
    add_precheck(facts, arena, out);
    if (pair->profile.scene) {
        report_heading(out, 2, "profile", str_of(tr("Error along execution order")), STR(""));
        section_figure(out, &pair->profile);
    }
    Table *unmatched = table_of_unmatched(pair->comparison, arena);
    section_folded(out,
                   str_printf(arena, tr("Ops on one side only: " STR_FMT),
                              STR_ARG(figure_count(unmatched->row_count, arena))),
                   unmatched);
    Table *ops = table_of_ops(pair->comparison, PAGE_OPS, pair->book, arena);
    report_details(out, str_printf(arena, tr("All ops in execution order: " STR_FMT),
                                   STR_ARG(figure_count(pair->comparison->op_count, arena))));
    report_table(out, ops);
    report_end(out);
    report_index(out, "op-index", op_index_text(pair->comparison, arena));
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
    out->tree = table_of_tree(pair->comparison, arena);
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
                             " (%zu rules), which are in summary.json."),
                          STR_ARG(page->summary->criteria->path), page->summary->criteria->count);
    return str_of(
        tr("Rules: vernier. A difference up to the noise floor passes, up to 10 floors it is a "
           "warning, above an error; an argument, a weight or an index must be equal."));
}

static void add_footer(const ComparePage *page, Arena *arena, Report *out)
{
    StrBuf buf = strbuf_new(arena);
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

// Of the pair that the pictures show; those of the others are linked from their rows.
static void add_files(const ComparePage *page, Arena *arena, Report *out)
{
    Table *files =
        page->main == SIZE_MAX ? NULL : table_of_files(&page->summary->files[page->main], arena);
    section_folded(out, str_of(tr("Files next to this page")), files);
}

void compare_page_build(const ComparePage *page, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (page->title.size)
        report_text(out, page->title);
    if (page->up.size)
        report_text(out, str_of(tr("All pairs")))->link = page->up;
    report_verdict(out, page->summary->verdict);
    history_report_news(page->summary->history, arena, out);
    add_overview_tables(page, arena, out);
    section_problems(out, "problems", tr("Problems with the input"), page->summary->notices);
    add_pairs(page, arena, out);
    if (page->parts)
        add_parts(page->parts, out);
    const PairFacts *facts = main_facts(page);
    if (facts && facts->worst_count)
        section_table(out, "worst", tr("Largest errors"),
                      table_of_worst(facts, PAGE_WORST, false, arena));
    add_files(page, arena, out);
    history_report_trends(page->summary->history, HISTORY_PAGE_TRENDS, arena, out);
    add_footer(page, arena, out);
    if (page->title.size)
        out->title = page->title;
}

// What a reader of the ticket asks next: where it is in the model, what the numbers say, what to
// look at (docs/compare.md).
static void add_first(const FirstDivergence *first, Arena *arena, Report *out)
{
    if (first->kind == DIVERGE_NONE)
        return;
    if (first->module.size)
        report_text(out, str_printf(arena, tr("Module: " STR_FMT), STR_ARG(first->module)));
    for (uint32_t i = 0; i < first->observation_count; i++)
        report_text(out, first->observations[i]);
    const char *look = first->look.size ? str_cstr(arena, first->look)
                                        : advice_of(str_of(divergence_word(first->kind)));
    report_text(out, str_printf(arena, tr("Look at next: %s."), look));
}

void compare_ticket_build(const ComparePage *page, Arena *arena, Report *out)
{
    const PairFacts *facts = main_facts(page);
    report_init(out, arena);
    report_verdict(out, page->summary->verdict);
    if (facts)
        add_first(&facts->first, arena, out);
    history_report_news(page->summary->history, arena, out);
    if (page->parts) {
        const PageParts *parts = page->parts;
        Table *slots = parts->first_slots;
        for (size_t i = 0; i < parts->graph_pages; i++)
            *ARRAY_PUSH(arena, out) = parts->blocks.items[parts->graph + i];
        if (parts->tree)
            section_code(out, tr("Where the runs diverge"),
                         tree_text(parts->tree, TICKET_COLUMNS, false, arena));
        section_table(out, "", tr("The op where they diverge"), slots);
    }
    report_heading(out, 2, "", str_of(tr("Runs")), STR(""));
    report_table(out, table_of_runs(page->summary, arena));
    if (page->summary->count > 1) {
        report_heading(out, 2, "", str_of(tr("Steps and ranks")), STR(""));
        report_table(out, table_of_groups(page->summary, PAGE_PAIRS, false, arena));
    }
    report_heading(out, 2, "", str_of(tr("Counts")), STR(""));
    report_table(out, table_of_counts(page->summary, arena));
    add_coverage(page, 2, "", arena, out);
    if (facts && facts->worst_count) {
        report_heading(out, 2, "", str_of(tr("Largest errors")), STR(""));
        report_table(out, table_of_worst(facts, TICKET_WORST, true, arena));
    }
    history_report_trends(page->summary->history, HISTORY_TICKET_TRENDS, arena, out);
    Str frames =
        facts ? ticket_frames(facts->first.frames, facts->first.frame_count, arena) : STR("");
    section_code(out, tr("Called from"), frames);
    section_problems(out, "", tr("Problems with the input"), page->summary->notices);
    section_code(out, tr("To repeat"), page->command);
    report_footer(out, str_printf(arena, STR_FMT " vernier %s.", STR_ARG(rule_text(page, arena)),
                                  page->summary->version));
}
