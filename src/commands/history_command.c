// SPDX-License-Identifier: Apache-2.0
// vernier history: the nights that --history kept.
#include "base/file.h"
#include "base/words.h"
#include "commands/history_reports.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "export/summary/history_json.h"
#include "picture/overview/history_picture.h"
#include "report/history/history_page.h"
#include "report/history/history_tables.h"
#include "trend/history/history_store.h"

static bool make_history(const CommandCall *call, Product *out);

const CommandSpec history_command = {
    .name = "history",
    .arguments = "FILE|REPORT...",
    .make = make_history,
};

typedef struct HistoryJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Histories histories;
    size_t files;
    HistoryView *views;
    Verdict verdict;
    HistoryPage page;
} HistoryJob;

static bool read_file(HistoryJob *job)
{
    const Options *options = job->options;
    if (history_reports_wanted(options->arguments, options->argument_count, job->arena))
        return history_reports_read(options->arguments, options->argument_count, job->arena,
                                    job->notices, &job->histories, &job->files, job->err);
    if (options->argument_count != 1)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("history needs one file, or reports: vernier history FILE"));
    const char *path = str_cstr(job->arena, options->arguments[0]);
    job->files = 1;
    if (file_kind(path) == FILE_FOLDER) {
        error_set(job->err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("a folder without a summary.json"));
        return error_hint(job->err, "%s",
                          tr("history reads the file that --history named, or reports with json "
                             "in their --format"));
    }
    if (!history_read(path, HISTORY_FACTS_MAX, job->arena, &job->histories, job->err))
        return false;
    for (size_t i = 0; i < job->histories.count; i++)
        if (job->histories.items[i].left_out)
            notices_add(job->notices, NOTICE_WARNING, WHERE_FILE(path),
                        tr("%zu older nights of " STR_FMT " are left out: together they have more "
                           "than 4,000,000 facts"),
                        job->histories.items[i].left_out, STR_ARG(job->histories.items[i].command));
    return true;
}

static void make_views(HistoryJob *job)
{
    job->views = ARENA_ARRAY(job->arena, HistoryView, job->histories.count);
    for (size_t i = 0; i < job->histories.count; i++)
        history_view(&job->histories.items[i], job->arena, &job->views[i]);
}

static void add_pictures(HistoryJob *job, Product *out)
{
    for (size_t i = 0; i < job->histories.count; i++) {
        Scene *scene = ARENA_NEW(job->arena, Scene);
        Verdict own;
        Str base = job->histories.count > 1 ? str_printf(job->arena, "history-" STR_FMT,
                                                         STR_ARG(job->histories.items[i].command))
                                            : STR("history");
        history_verdict(&job->views[i], 1, job->arena, &own);
        if (history_picture(&job->views[i], job->arena, scene))
            product_figure(out, base, i == 0, scene, &own);
    }
}

static void add_tables(HistoryJob *job, Product *out)
{
    Table **sheets = ARENA_ARRAY(job->arena, Table *, job->histories.count * 3 + 1);
    size_t count = 0;
    for (size_t i = 0; i < job->histories.count; i++) {
        Table *tables[] = {history_table_of_nights(&job->views[i], 0, job->arena),
                           history_table_of_events(&job->views[i], 0, job->arena),
                           history_table_of_trends(&job->views[i], 0, job->arena)};
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
            if (!tables[k])
                continue;
            if (job->histories.count > 1)
                tables[k]->name =
                    str_printf(job->arena, STR_FMT " " STR_FMT,
                               STR_ARG(job->histories.items[i].command), STR_ARG(tables[k]->name));
            sheets[count++] = tables[k];
        }
    }
    if (count)
        product_book(out, STR("history"), true, sheets, count);
    product_sheet(out, STR("history"), true,
                  history_table_of_facts(job->views, job->histories.count, job->arena));
}

static bool any_worse(const HistoryJob *job)
{
    for (size_t i = 0; i < job->histories.count; i++)
        if (job->views[i].news.worse)
            return true;
    return false;
}

static ReadTotals count_read(const HistoryJob *job)
{
    ReadTotals totals = {.rows = true, .files = job->files};
    for (size_t i = 0; i < job->options->argument_count; i++)
        totals.bytes += file_size(str_cstr(job->arena, job->options->arguments[i]));
    for (size_t i = 0; i < job->histories.count; i++)
        for (size_t k = 0; k < job->histories.items[i].count; k++)
            totals.ops += job->histories.items[i].items[k].count;
    return totals;
}

static void produce(HistoryJob *job, Product *out)
{
    Report *page = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    history_page_build(&job->page, job->arena, page);
    history_ticket_build(&job->page, job->arena, ticket);
    product_page(out, page, "report");
    product_ticket(out, ticket, "summary");
    product_facts(out, history_summary_write, &job->page);
    add_pictures(job, out);
    add_tables(job, out);
    out->verdict = job->verdict;
    out->read = count_read(job);
    out->tells_read = true;
    out->status = job->histories.count == 0 ? PRODUCT_NOTHING
                  : any_worse(job)          ? PRODUCT_DIFFERS
                                            : PRODUCT_AGREES;
}

static bool make_history(const CommandCall *call, Product *out)
{
    HistoryJob *job = ARENA_NEW(call->arena, HistoryJob);
    *job = (HistoryJob){.arena = call->arena,
                        .options = call->options,
                        .outputs = call->outputs,
                        .notices = call->notices,
                        .err = call->err};
    if (!read_file(job) || !outputs_plan(job->options, NULL, job->arena, job->outputs, job->err))
        return false;
    make_views(job);
    history_verdict(job->views, job->histories.count, job->arena, &job->verdict);
    job->page = (HistoryPage){.views = job->views,
                              .count = job->histories.count,
                              .verdict = &job->verdict,
                              .notices = job->notices,
                              .version = VERNIER_VERSION,
                              .title = options_text(job->options, "title", "")};
    produce(job, out);
    return true;
}
