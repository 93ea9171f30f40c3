// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_report.h"

#include "commands/compare/compare_book.h"
#include "compare/origin.h"
#include "export/ci/compare_ci.h"
#include "picture/compare/matrix.h"
#include "picture/overview/field_picture.h"
#include "report/compare/pair_links.h"

size_t compare_report_main(const PairFacts *pairs, size_t count)
{
    size_t main = origin_find(pairs, count);
    for (size_t i = 0; i < count && main == SIZE_MAX; i++)
        if (pairs[i].compared)
            main = i;
    // Nothing was compared: what the two sides hold is still worth a look.
    for (size_t i = 0; i < count && main == SIZE_MAX; i++)
        if (pairs[i].reads[0].file.size && pairs[i].reads[1].file.size && !pairs[i].failed)
            main = i;
    return main;
}

static CompareMode mode_of(const PairFacts *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].reads[0].file.size && pairs[i].reads[1].file.size)
            return pairs[i].mode;
    return MODE_STATISTICS;
}

void compare_report_verdict(CompareSummary *summary, Arena *arena, Verdict *out)
{
    VerdictSides sides = {.golden = summary->golden_path,
                          .target = summary->target_path,
                          .judged_by = summary->judged_by,
                          .strict = summary->strict};
    for (size_t i = 0; i < summary->count && summary->strict; i++)
        summary->strict_differs =
            summary->strict_differs || coverage_strict_differs(&summary->pairs[i].coverage);
    summary->origin = origin_find(summary->pairs, summary->count);
    pair_groups(summary->pairs, summary->count, summary->origin, arena, &summary->groups);
    verdict_of_report(summary->pairs, summary->count, &sides, notices_any_partial(summary->notices),
                      arena, out);
    summary->verdict = out;
    summary->status = verdict_status(summary->pairs, summary->count);
    summary->mode = mode_of(summary->pairs, summary->count);
}

static Str tell(const void *of, Arena *arena)
{
    CompareSummary summary = *(const CompareSummary *)of;
    Verdict verdict;
    compare_report_verdict(&summary, arena, &verdict);
    return verdict.sentence;
}

void compare_report_keep(CompareSummary *summary, const LayerFacts *layers, const Options *options,
                         Product *product)
{
    if (!history_wanted(options) || summary->status == STATUS_NO_DATA)
        return;
    HistoryNight tonight = {.command = STR("compare")};
    compare_history_facts(summary, layers, product->arena, &tonight);
    summary->history =
        history_log_keep(options, &tonight, summary->target_path, tell, summary, product);
}

static bool write_junit(void *context, Sink *out, Error *err)
{
    (void)err;
    const CompareResults *report = context;
    junit_write(&report->summary, report->cases, out);
    return true;
}

// Steps by ranks, where there is more than one pair.
static PageFigure add_matrix(const CompareSummary *summary, Product *product)
{
    if (summary->count < 2)
        return (PageFigure){0};
    MatrixCell *cells = ARENA_ARRAY(product->arena, MatrixCell, summary->count);
    Scene *scene = ARENA_NEW(product->arena, Scene);
    for (size_t i = 0; i < summary->count; i++)
        cells[i] = matrix_cell(&summary->pairs[i], pair_page_link(summary, i));
    MatrixOptions options = {
        .origin = summary->origin, .golden = summary->golden_path, .target = summary->target_path};
    matrix_picture(cells, summary->count, &options, product->arena, scene);
    product_figure(product, STR("overview"), false, scene, summary->verdict);
    return (PageFigure){scene, STR("overview")};
}

// Where ranks of the step in which the divergence starts differ.
static PageFigure add_field(const CompareSummary *summary, Str *data, Product *product)
{
    Str *links = ARENA_ARRAY(product->arena, Str, summary->count);
    Scene *scene = ARENA_NEW(product->arena, Scene);
    for (size_t i = 0; i < summary->count; i++)
        links[i] = pair_page_link(summary, i);
    FieldView view = {.pairs = summary->pairs,
                      .links = links,
                      .count = summary->count,
                      .origin = summary->origin};
    if (!field_picture(&view, product->arena, scene, data))
        return (PageFigure){0};
    product_figure(product, STR("field"), false, scene, summary->verdict);
    return (PageFigure){scene, STR("field")};
}

static void add_pages(const CompareResults *report, Product *product)
{
    Arena *arena = product->arena;
    ComparePage *page = ARENA_NEW(arena, ComparePage);
    Str field_data = {0};
    Report *blocks = ARENA_NEW(arena, Report), *ticket = ARENA_NEW(arena, Report);
    PageFigure field = add_field(&report->summary, &field_data, product);
    *page = (ComparePage){.summary = &report->summary,
                          .main = report->main,
                          .parts = report->parts,
                          .field = field,
                          .field_data = field_data,
                          .matrix = add_matrix(&report->summary, product),
                          .title = report->title,
                          .command = report->command};
    if (report->picture.scene)
        product_picture(product, report->picture.file, true, report->picture.scene);
    compare_page_build(page, arena, blocks);
    compare_ticket_build(page, arena, ticket);
    product_page(product, blocks, NULL);
    product_ticket(product, ticket, "summary");
}

void compare_report_add(CompareResults *report, Product *product)
{
    const CompareSummary *summary = &report->summary;
    history_log_draw(summary->history, summary->verdict, product);
    product_facts(product, compare_summary_write, summary);
    if (report->cases)
        product_file(product, "junit", STR("junit.xml"), true, write_junit, report);
    if (summary->count > 1)
        compare_book_overview(summary, product);
    add_pages(report, product);
    if (report->parts && report->parts->tree)
        product->tree = report->parts->tree;
    compare_ci_collect(summary, report->root, product->arena, &product->ci);
    compare_report_judge(summary, product);
}

void compare_report_judge(const CompareSummary *summary, Product *product)
{
    bool differs = summary->origin != SIZE_MAX || summary->strict_differs;
    product->verdict = *summary->verdict;
    product->tells_read = true;
    product->status = summary->status == STATUS_NO_DATA ? PRODUCT_NOTHING
                      : differs                         ? PRODUCT_DIFFERS
                                                        : PRODUCT_AGREES;
    for (size_t i = 0; i < summary->count; i++) {
        console_add_read(&product->read, &summary->pairs[i].reads[0]);
        console_add_read(&product->read, &summary->pairs[i].reads[1]);
    }
}
