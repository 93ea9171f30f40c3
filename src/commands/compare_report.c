// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_report.h"

#include "commands/compare_book.h"
#include "layout/matrix.h"

size_t compare_report_main(const PairFacts *pairs, size_t count)
{
    size_t main = verdict_main_pair(pairs, count);
    for (size_t i = 0; i < count && main == SIZE_MAX; i++)
        if (pairs[i].compared)
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
    VerdictSides sides = {summary->golden_path, summary->target_path};
    verdict_of_report(summary->pairs, summary->count, &sides, notices_any_partial(summary->notices),
                      arena, out);
    summary->verdict = out;
    summary->status = verdict_status(summary->pairs, summary->count);
    summary->mode = mode_of(summary->pairs, summary->count);
}

void compare_report_keep(CompareSummary *summary, const LayerFacts *layers, const Options *options,
                         const Outputs *outputs, Notices *notices, HistoryLog *log)
{
    if (!history_wanted(options) || summary->status == STATUS_NO_DATA)
        return;
    HistoryNight tonight = {.command = STR("compare"), .verdict = summary->verdict->sentence};
    compare_history_facts(summary, layers, outputs->arena, &tonight);
    summary->history =
        history_log_keep(outputs, options, &tonight, summary->target_path, notices, log);
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    compare_summary_write(context, out);
    return true;
}

static bool write_junit(void *context, Sink *out, Error *err)
{
    (void)err;
    const CompareReport *report = context;
    junit_write(&report->summary, report->cases, out);
    return true;
}

// Steps by ranks, where there is more than one pair. On the page the verdict stands once, above the
// pictures.
static void write_matrix(const CompareReport *report, Outputs *outputs, Arena *arena,
                         PageFigure *out)
{
    const CompareSummary *summary = &report->summary;
    if (summary->count < 2)
        return;
    MatrixCell *cells = ARENA_ARRAY(arena, MatrixCell, summary->count);
    for (size_t i = 0; i < summary->count; i++)
        cells[i] = matrix_cell(&summary->pairs[i]);
    MatrixOptions options = {.origin = verdict_main_pair(summary->pairs, summary->count),
                             .golden = summary->golden_path,
                             .target = summary->target_path};
    Scene *scene = ARENA_NEW(arena, Scene), *on_page = ARENA_NEW(arena, Scene);
    layout_matrix(cells, summary->count, summary->verdict, &options, arena, scene);
    outputs_scene(outputs, "overview", false, scene);
    Verdict title = {.sentence = summary->verdict->sentence, .style = summary->verdict->style};
    layout_matrix(cells, summary->count, &title, &options, arena, on_page);
    *out = (PageFigure){on_page, STR("overview")};
}

static void write_pages(const CompareReport *report, Outputs *outputs, Arena *arena)
{
    ComparePage page = {.summary = &report->summary,
                        .main = report->main,
                        .parts = report->parts,
                        .title = report->title,
                        .command = report->command};
    Report blocks;
    write_matrix(report, outputs, arena, &page.matrix);
    if (report->picture.scene)
        outputs_scene(outputs, report->picture.file.data, true, report->picture.scene);
    compare_page_build(&page, arena, &blocks);
    outputs_report(outputs, "html", "index", true, &blocks);
    compare_ticket_build(&page, arena, &blocks);
    outputs_report(outputs, "md", "summary", true, &blocks);
}

void compare_report_write(const CompareReport *report, Outputs *outputs, Arena *arena)
{
    CompareReport copy = *report;
    history_log_draw(report->summary.history, report->summary.verdict, outputs);
    outputs_custom(outputs, "json", "summary.json", true, write_summary, &copy.summary);
    if (report->cases)
        outputs_custom(outputs, "junit", "junit.xml", true, write_junit, &copy);
    if (report->summary.count > 1)
        compare_book_overview(&report->summary, outputs);
    write_pages(report, outputs, arena);
}

int compare_report_exit(const CompareSummary *summary, bool exit_zero)
{
    if (summary->status == STATUS_NO_DATA)
        return 3;
    if (exit_zero)
        return 0;
    if (verdict_main_pair(summary->pairs, summary->count) != SIZE_MAX)
        return 1;
    return summary->verdict->partial ? 4 : 0;
}
