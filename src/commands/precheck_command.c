// SPDX-License-Identifier: Apache-2.0
// vernier precheck: what msProbe's accuracy pre-check and free benchmark found, worst first.
#include "base/file.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "export/summary/precheck_summary.h"
#include "picture/overview/precheck_picture.h"
#include "report/precheck_report.h"

static bool make_precheck(const CommandCall *call, Product *out);

const CommandSpec precheck_command = {
    .name = "precheck",
    .arguments = "FILE...",
    .printed = true,
    .make = make_precheck,
};

typedef struct PrecheckJob {
    Arena *arena;
    const Options *options;
    Notices *notices;
    Error *err;
    Redaction redaction;
    Precheck precheck;
    PrecheckView view;
} PrecheckJob;

static bool read_files(PrecheckJob *job)
{
    bool redacted = options_flag(job->options, "redact");
    StrBuf files = strbuf_new(job->arena);
    if (job->options->argument_count == 0)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("precheck needs a CSV file: vernier precheck "
                            "accuracy_checking_details_1.csv"));
    if (redacted)
        job->notices->redaction = &job->redaction;
    precheck_init(job->arena, &job->precheck);
    for (size_t i = 0; i < job->options->argument_count; i++) {
        Str path = job->options->arguments[i];
        strbuf_add(&files, i ? STR(" · ") : STR(""));
        strbuf_add(&files, redact_path(job->notices->redaction, path, job->arena));
        const char *file = str_cstr(job->arena, path);
        if (!precheck_read(file, job->arena, &job->precheck, job->notices, job->err))
            return file_kind(file) == FILE_FOLDER &&
                   error_hint(job->err, tr("its files are read by: %s/*.csv"),
                              SHELL_LINE(job->arena, "precheck", file));
    }
    if (job->precheck.scores)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("scores of an evaluation are compared in pairs: vernier precheck "
                            "GOLDEN.json TARGET.json"));
    if (job->precheck.lists == 1)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("lists of checksums are compared in their order: vernier precheck "
                            "TRAINER CONVERTER ENGINE"));
    for (size_t i = 0; i < job->precheck.count && redacted; i++)
        job->precheck.items[i].message =
            redact_text(&job->redaction, job->precheck.items[i].message, job->arena);
    job->view.files = strbuf_str(&files);
    return true;
}

static void produce(PrecheckJob *job, Product *out)
{
    const Precheck *of = &job->precheck;
    Scene *picture = ARENA_NEW(job->arena, Scene);
    Report *report = ARENA_NEW(job->arena, Report);
    Table *table = precheck_table(of, job->arena);
    precheck_picture(of, job->arena, picture);
    picture->title = job->view.verdict.sentence;
    precheck_report(&job->view, table, picture, job->arena, report);
    product_facts(out, precheck_summary_write, &job->view);
    product_figure(out, STR("precheck"), true, picture, &job->view.verdict);
    product_page(out, report, "report");
    product_ticket(out, report, "summary");
    product_book(out, STR("precheck"), true, &table, 1);
    product_sheet(out, STR("precheck"), true, table);
    out->verdict = job->view.verdict;
    out->read = (ReadTotals){
        .rows = true, .files = job->options->argument_count, .bytes = of->bytes, .ops = of->rows};
    out->tells_read = true;
    out->status = of->counts[PRECHECK_ERROR]                                 ? PRODUCT_DIFFERS
                  : of->counts[PRECHECK_WARNING] + of->counts[PRECHECK_PASS] ? PRODUCT_AGREES
                                                                             : PRODUCT_NOTHING;
}

static bool make_precheck(const CommandCall *call, Product *out)
{
    PrecheckJob *job = ARENA_NEW(call->arena, PrecheckJob);
    *job = (PrecheckJob){
        .arena = call->arena, .options = call->options, .notices = call->notices, .err = call->err};
    if (!outputs_plan(job->options, NULL, job->arena, call->outputs, job->err) || !read_files(job))
        return false;
    precheck_tell_contradictions(&job->precheck, job->notices);
    precheck_sort(&job->precheck);
    job->view.precheck = &job->precheck;
    job->view.version = VERNIER_VERSION;
    job->view.notices = job->notices;
    size_t unresolved =
        job->precheck.counts[PRECHECK_SKIPPED] + job->precheck.counts[PRECHECK_UNTOLD];
    account_see(&job->notices->account, job->precheck.count);
    account_set_aside(&job->notices->account, ASIDE_NO_VALUE, unresolved);
    account_compare_rest(&job->notices->account);
    precheck_verdict(&job->precheck, notices_any_partial(job->notices), job->arena,
                     &job->view.verdict);
    produce(job, out);
    return true;
}
