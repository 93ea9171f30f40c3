// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_weights.h"

#include "base/words.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/history_log.h"
#include "compare/weights/decay_groups.h"
#include "export/history/weights_history.h"
#include "export/summary/weights_summary.h"
#include "picture/overview/weights_picture.h"
#include "read/dump/dump_folder.h"
#include "report/compare/weights_page.h"
#include "report/history/history_tables.h"
#include "verdict/verdict_text.h"

static bool is_weights(Str path, Arena *arena)
{
    const char *at = str_cstr(arena, path);
    if (!weights_readable(at))
        return false;
    return file_kind(at) != FILE_FOLDER || !folder_dump_below(at, arena);
}

bool compare_weights_wanted(const Options *options, const Str paths[2], Arena *arena)
{
    return !options_first_with(options, OPTION_OF_DUMPS, true) && is_weights(paths[0], arena) &&
           is_weights(paths[1], arena) &&
           !(weights_are_arrays(str_cstr(arena, paths[0])) &&
             weights_are_arrays(str_cstr(arena, paths[1])));
}

static void add_picture(WeightsJob *job, Product *out)
{
    Scene *scene = ARENA_NEW(job->arena, Scene);
    if (!outputs_want_pictures(job->outputs) ||
        !weights_picture(&job->comparison, job->arena, scene))
        return;
    product_figure(out, STR("weights"), true, scene, &job->verdict);
    job->view.picture = scene;
}

static void add_tables(WeightsJob *job, Product *out)
{
    Table *sheets[4];
    size_t count = 0;
    Table *all = weights_table(&job->comparison, 0, job->arena);
    Table *forms = weights_forms_table(&job->comparison, job->arena);
    sheets[count++] = all;
    if (forms)
        sheets[count++] = forms;
    sheets[count++] = weights_sides_table(&job->view, job->arena);
    if (job->view.history)
        sheets[count++] = history_table_of_trends(job->view.history, 0, job->arena);
    product_book(out, STR("compare"), true, sheets, count);
    product_sheet(out, STR("weights"), true, all);
}

static bool note_without_ops(void *context, Notices *notices, Error *err)
{
    const WeightsJob *job = context;
    (void)err;
    static const char *const others[] = {"nodes", "junit", "vis-db"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (outputs_want(job->outputs, others[i]))
            notices_add(notices, NOTICE_WARNING, NOWHERE,
                        tr("checkpoints have no ops: there is nothing to write as %s"), others[i]);
    return true;
}

static void add_pages(WeightsJob *job, Product *out)
{
    Report *page = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    Str title = options_text(job->options, "title", "");
    weights_page_build(&job->view, title, job->arena, page);
    weights_ticket_build(&job->view, title, job->arena, ticket);
    product_page(out, page, NULL);
    product_ticket(out, ticket, "summary");
}

static Str tell(const void *of, Arena *arena)
{
    const WeightsJob *job = of;
    Verdict verdict;
    weights_verdict(&job->comparison, notices_any_partial(job->notices), arena, &verdict);
    return verdict.sentence;
}

// Nights of checkpoints are counted apart from those of dumps.
static void keep_night(WeightsJob *job, Product *out)
{
    if (!history_wanted(job->options) || job->comparison.compared == 0)
        return;
    HistoryNight tonight = {.command = STR("checkpoints")};
    weights_history_facts(&job->view, job->arena, &tonight);
    job->view.history = history_log_keep(job->options, &tonight, job->target, tell, job, out);
}

// What a hop from one checkpoint to the next changes, whatever names it fuses and splits.
static Str hop_text(const WeightComparison *hop, Arena *arena)
{
    Verdict verdict;
    weights_verdict(hop, false, arena, &verdict);
    return verdict.reason;
}

// --via: the weights pass through a third checkpoint, of a converter, say: which hop changes them.
static bool add_hops(WeightsJob *job)
{
    Weights between;
    WeightComparison hops[2];
    Str path = options_text(job->options, "via", "");
    if (!path.size)
        return true;
    if (!weights_open(str_cstr(job->arena, path), job->arena, &between, job->notices, job->err))
        return false;
    int jobs = options_jobs(job->options);
    weight_compare(&job->sides[0], &between, jobs, job->arena, &hops[0], job->notices);
    weight_compare(&between, &job->sides[1], jobs, job->arena, &hops[1], job->notices);
    Verdict *verdict = &job->verdict;
    Str first = hop_text(&hops[0], job->arena), second = hop_text(&hops[1], job->arena);
    const char *where = weights_differ(&hops[0]) && weights_differ(&hops[1])
                            ? tr("both hops change weights")
                        : weights_differ(&hops[0]) ? tr("the first hop changes weights")
                        : weights_differ(&hops[1]) ? tr("the second hop changes weights")
                                                   : tr("no hop changes a weight");
    Str text = str_printf(
        job->arena, tr(". By way of " STR_FMT ": %s; first hop: " STR_FMT "; second hop: " STR_FMT),
        STR_ARG(redact_path(job->notices->redaction, path, job->arena)), where, STR_ARG(first),
        STR_ARG(second));
    verdict->reason = str_concat(job->arena, verdict->reason, text);
    verdict->sentence = str_concat(job->arena, verdict->sentence, text);
    verdict->rest = str_concat(job->arena, verdict->rest, text);
    weights_close(&between);
    return true;
}

// Which parameters each side decays, where the states of the optimizers do not say the same.
static void add_decay(WeightsJob *job)
{
    Str golden = decay_groups_text(&job->sides[0], job->arena);
    Str target = decay_groups_text(&job->sides[1], job->arena);
    if (!golden.size || !target.size || str_equal(golden, target))
        return;
    notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                tr("the optimizers decay other parameters: golden " STR_FMT "; target " STR_FMT),
                STR_ARG(golden), STR_ARG(target));
}

static bool produce(WeightsJob *job, Product *out)
{
    add_decay(job);
    weights_verdict(&job->comparison, notices_any_partial(job->notices), job->arena, &job->verdict);
    Str paths = verdict_of_sides(job->golden, job->target, job->arena);
    Str forms = job->verdict.context;
    job->verdict.context = str_printf(job->arena, STR_FMT "%s" STR_FMT, STR_ARG(forms),
                                      forms.size && paths.size ? " · " : "", STR_ARG(paths));
    if (!add_hops(job))
        return false;
    job->view = (WeightsView){.version = VERNIER_VERSION,
                              .comparison = &job->comparison,
                              .verdict = &job->verdict,
                              .golden = job->golden,
                              .target = job->target,
                              .notices = job->notices};
    keep_night(job, out);
    add_picture(job, out);
    history_log_draw(job->view.history, &job->verdict, out);
    add_tables(job, out);
    add_pages(job, out);
    product_facts(out, weights_summary_write, &job->view);
    out->write_beside = note_without_ops;
    out->verdict = job->verdict;
    out->tells_read = true;
    out->status = job->comparison.compared == 0       ? PRODUCT_NOTHING
                  : job->verdict.style == STYLE_ERROR ? PRODUCT_DIFFERS
                                                      : PRODUCT_AGREES;
    return true;
}

static void release(void *context)
{
    WeightsJob *job = context;
    weights_close(&job->sides[0]);
    weights_close(&job->sides[1]);
}

bool compare_weights(WeightsJob *job, Product *out)
{
    double started = console_now();
    if (!weights_open(str_cstr(job->arena, job->paths[0]), job->arena, &job->sides[0], job->notices,
                      job->err))
        return false;
    if (!weights_open(str_cstr(job->arena, job->paths[1]), job->arena, &job->sides[1], job->notices,
                      job->err)) {
        weights_close(&job->sides[0]);
        return false;
    }
    out->release = release;
    out->job = job;
    command_note_one_side(str_cstr(job->arena, job->paths[0]), str_cstr(job->arena, job->paths[1]),
                          job->notices);
    uint64_t described[2] = {weights_described(&job->sides[0]), weights_described(&job->sides[1])};
    if (described[0] && described[1] && described[0] != described[1])
        notices_add(job->notices, NOTICE_TOLD, WHERE_FILE(job->sides[1].path), "%s",
                    tr("numbers or texts next to the weights (steps, rates) are not those of the "
                       "other side and are not compared"));
    int jobs = options_jobs(job->options);
    weight_compare(&job->sides[0], &job->sides[1], jobs, job->arena, &job->comparison,
                   job->notices);
    out->read = (ReadTotals){.files = 2,
                             .bytes = job->sides[0].bytes + job->sides[1].bytes,
                             .ops = job->sides[0].count + job->sides[1].count,
                             .weights = true,
                             .seconds = console_now() - started};
    return produce(job, out);
}
