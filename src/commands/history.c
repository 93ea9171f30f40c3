// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "base/words.h"
#include "commands/commands.h"
#include "commands/outputs.h"
#include "commands/runner.h"
#include "layout/history_page.h"
#include "layout/history_picture.h"
#include "layout/history_tables.h"
#include "trend/history_store.h"

static const char *const examples[] = {
    "vernier history nights.db",
    TR("what got worse and what recovered, night by night, as a page and files"),
    "vernier history nights.db -o night.md --quiet || mail -s regression team@example.org < night.md",
    TR("exit code 1: the newest night is worse than the one before"),
    NULL,
};

static const CommandSpec command = {
    .name = "history",
    .arguments = "FILE",
    .purpose = TR("Lists the nights that --history kept and draws their trends."),
    .examples = examples,
};

typedef struct Job {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    Histories histories;
    HistoryView *views;
    Verdict verdict;
    HistoryPage page;
} Job;

static bool read_file(Job *job)
{
    if (job->options.argument_count != 1)
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("history needs one file: vernier history FILE"));
    const char *path = str_cstr(job->arena, job->options.arguments[0]);
    if (!history_read(path, job->arena, &job->histories, &job->err))
        return false;
    job->views = ARENA_ARRAY(job->arena, HistoryView, job->histories.count);
    for (size_t i = 0; i < job->histories.count; i++)
        history_view(&job->histories.items[i], job->arena, &job->views[i]);
    return true;
}

static void draw_pictures(Job *job)
{
    for (size_t i = 0; i < job->histories.count; i++) {
        Scene scene;
        Verdict own;
        Str base = job->histories.count > 1 ? str_printf(job->arena, "history-" STR_FMT,
                                                         STR_ARG(job->histories.items[i].command))
                                            : STR("history");
        history_verdict(&job->views[i], 1, job->arena, &own);
        if (history_picture(&job->views[i], &own, job->arena, &scene))
            outputs_scene(&job->outputs, base.data, i == 0, &scene);
    }
}

static void write_tables(Job *job)
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
        outputs_tables(&job->outputs, "xlsx", "history", true, sheets, count);
    Table *facts = history_table_of_facts(job->views, job->histories.count, job->arena);
    outputs_tables(&job->outputs, "csv", "history", true, &facts, 1);
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    history_summary_write(context, out);
    return true;
}

static void write_outputs(Job *job)
{
    Report report;
    history_page_build(&job->page, job->arena, &report);
    outputs_report(&job->outputs, "html", "index", true, &report);
    outputs_report(&job->outputs, "pdf", "report", true, &report);
    history_ticket_build(&job->page, job->arena, &report);
    outputs_report(&job->outputs, "md", "summary", true, &report);
    outputs_custom(&job->outputs, "json", "summary.json", true, write_summary, &job->page);
    draw_pictures(job);
    write_tables(job);
}

static bool any_worse(const Job *job)
{
    for (size_t i = 0; i < job->histories.count; i++)
        if (job->views[i].news.worse)
            return true;
    return false;
}

static int finish(Job *job, const Console *console)
{
    ReadTotals totals = {.rows = true, .files = 1};
    totals.bytes = file_size(str_cstr(job->arena, job->options.arguments[0]));
    for (size_t i = 0; i < job->histories.count; i++)
        for (size_t k = 0; k < job->histories.items[i].count; k++)
            totals.ops += job->histories.items[i].items[k].count;
    outputs_note_missing(&job->outputs, &job->notices);
    console_notices(console, &job->notices);
    console_read_line(console, &totals, &job->notices);
    console_verdict(console, &job->verdict);
    if (job->outputs.failed)
        return console_error(console, &job->err);
    if (job->histories.count == 0)
        return 3;
    if (options_flag(&job->options, "exit-zero"))
        return 0;
    return any_worse(job) ? 1 : 0;
}

static int history(Job *job, const Console *console)
{
    static const Redaction folders = {0};
    job->notices.redaction = options_flag(&job->options, "redact") ? &folders : NULL;
    if (!read_file(job) || !outputs_plan(&job->options, "html,md,json,xlsx,svg,png",
                                         outputs_json_only, job->arena, &job->outputs, &job->err))
        return console_error(console, &job->err);
    history_verdict(job->views, job->histories.count, job->arena, &job->verdict);
    job->page = (HistoryPage){.views = job->views,
                              .count = job->histories.count,
                              .verdict = &job->verdict,
                              .notices = &job->notices,
                              .version = VERNIER_VERSION,
                              .title = options_text(&job->options, "title", "")};
    write_outputs(job);
    return finish(job, console);
}

static int run_history(const CommandCall *call)
{
    Job job = {.arena = call->arena, .options = call->options};
    notices_init(&job.notices, job.arena);
    return history(&job, &call->console);
}

int command_history(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_history, argc, argv, collector);
}
