// SPDX-License-Identifier: Apache-2.0
// vernier check: what must hold in one run, without a golden one.

#include "base/words.h"
#include "commands/check_gaps.h"
#include "commands/check_options.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/history_log.h"
#include "commands/machinery/runner.h"
#include "commands/machinery/settings.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_run.h"
#include "export/ci/check_ci.h"
#include "export/history/check_history.h"
#include "export/summary/check_summary.h"
#include "picture/overview/check_picture.h"
#include "report/check_report.h"
#include "verdict/sentence.h"

static const OptionSpec specs[] = {
    SELECTION_OPTIONS(0),
    {"layout", 0, OPTION_TEXT, "tp=N,pp=N,dp=N",
     TR("which ranks hold shards and which replicas of the weights; default: found from the dumps"),
     0},
    {"skip", 0, OPTION_LIST, "NAME=WHY",
     TR("an invariant not to check, and the reason, which is printed"), OPTION_WORDS},
    {"expect", 0, OPTION_LIST, "NAME=VALUE",
     TR("what was meant, which no dump records: frozen=PATTERN, trained=PATTERN, "
        "init=PATTERN=STD[,MEAN], compute=[PATTERN=]DTYPE, batch=[PATTERN=]N, length=[PATTERN=]N, "
        "generated=[PATTERN=]N. The last that fits a name decides"),
     OPTION_WORDS | OPTION_SETTING | OPTION_JUDGES},
    {"run-config", 0, OPTION_LIST, "FILE",
     TR("the run's configuration file (YAML, JSON, TOML, a script, a log); default: one found next "
        "to the dump; none: do not look"),
     OPTION_INPUT},
    {"vocab-size", 0, OPTION_NUMBER, "N",
     TR("size of the vocabulary, for arrays of tokens; default: from the configuration"), 0},
    {"tolerance", 0, OPTION_NUMBER, "X",
     TR("relative difference up to which tensors count as equal; default 5e-7"), 0},
    HISTORY_OPTION,
    {"rate", 0, OPTION_NUMBER, "X",
     TR("the largest learning rate of the optimizer (Adam): limits how far a weight may move in a "
        "step"),
     0},
};

static const OtherFormat other_formats[] = {VERDICT_FORMATS, {"junit", ".xml"}, {NULL, NULL}};

static bool make_check(const CommandCall *call, Product *out);

const CommandSpec check_command = {
    .name = "check",
    .arguments = "DUMP|CHECKPOINT...|MONITOR",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_check,
};

typedef struct CheckJob {
    Arena *arena;
    const Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    CheckInput input;
    CheckOptions wanted;
    ExpectSearch expects;
    Evidence evidence;
    RankLayout layout;
    LawResults results;
    CheckView view;
} CheckJob;

static void release(void *context)
{
    CheckJob *job = context;
    check_input_release(&job->input);
}

// ---- judging

// The step with the most ranks tells the layout, the first of them.
static size_t fullest_step(const Evidence *of, size_t *count)
{
    size_t best = 0;
    *count = 0;
    for (size_t from = 0; from < of->count; from = of->step_end[from]) {
        if (of->step_end[from] - from <= *count)
            continue;
        best = from;
        *count = of->step_end[from] - from;
    }
    return best;
}

static bool judge(CheckJob *job)
{
    const RankWitness *ranks = job->input.ranks;
    size_t count = job->input.count, in_step;
    size_t *ends = ARENA_ARRAY(job->arena, size_t, count + 1);
    for (size_t i = count; i-- > 0;) {
        bool last = i + 1 == count || ranks[i + 1].step != ranks[i].step;
        ends[i] = last ? i + 1 : ends[i + 1];
        job->view.steps += last;
    }
    ExpectTally *tally = ARENA_ARRAY(job->arena, ExpectTally, job->wanted.expects.count);
    job->expects = (ExpectSearch){&job->wanted.expects, tally, job->arena, {0}};
    job->evidence = (Evidence){.ranks = ranks,
                               .count = count,
                               .step_end = ends,
                               .layout = &job->layout,
                               .tolerance = job->wanted.tolerance,
                               .rate = job->wanted.rate,
                               .expects = &job->expects,
                               .arena = job->arena};
    size_t from = fullest_step(&job->evidence, &in_step);
    if (!job->wanted.laid_out)
        rank_layout_find(&ranks[from], in_step, job->arena, &job->layout);
    else if (!rank_layout_take(&job->wanted.layout, job->wanted.copies, &ranks[from], in_step,
                               job->arena, &job->layout, job->err))
        return check_options_name(job->err);
    if (job->layout.against.size)
        notices_partial(job->notices, NOWHERE,
                        tr("--layout: the groups " STR_FMT " of communications are over several "
                           "stages of this pipeline, and do what ranks of one stage do"),
                        STR_ARG(job->layout.against));
    law_relate(&job->evidence);
    check_config_tell(&job->wanted.config, job->notices);
    check_gaps_tell(&job->input, &job->evidence, job->notices);
    law_run(&job->evidence, job->wanted.skip, &job->results);
    check_gaps_tell_expects(&job->evidence, &job->results, job->notices);
    job->view.open = check_gaps_tell_open(&job->evidence, &job->results, job->notices);
    return true;
}

static bool write_junit(void *context, Sink *out, Error *err)
{
    (void)err;
    check_junit_write(context, out);
    return true;
}

static void conclude(const CheckJob *job, Arena *arena, Verdict *out)
{
    check_verdict(&job->view, notices_any_partial(job->notices), arena, out);
    verdict_judged_by(out, settings_judging(job->options, job->notices->redaction, arena), arena);
}

// In the language that is spoken now: the laws say again what they found.
static Str tell(const void *of, Arena *arena)
{
    const CheckJob *job = of;
    CheckJob again = *job;
    Verdict verdict;
    size_t count = job->wanted.expects.count;
    ExpectTally *tally = ARENA_ARRAY(arena, ExpectTally, count + 1);
    again.expects.tally = tally;
    again.evidence.expects = &again.expects;
    law_run(&again.evidence, job->wanted.skip, &again.results);
    again.view.results = &again.results;
    again.view.evidence = &again.evidence;
    conclude(&again, arena, &verdict);
    return verdict.sentence;
}

static void keep_night(CheckJob *job, Product *out)
{
    HistoryNight tonight = {0};
    bool any = job->results.states[LAW_HOLDS] + job->results.states[LAW_BROKEN] > 0;
    if (!any || !history_wanted(job->options))
        return;
    check_history_facts(&job->view, job->arena, &tonight);
    job->view.history = history_log_keep(job->options, &tonight, job->view.path, tell, job, out);
}

static void produce(CheckJob *job, Product *out)
{
    CheckTables tables;
    Scene *picture = ARENA_NEW(job->arena, Scene);
    Report *report = ARENA_NEW(job->arena, Report);
    check_picture(&job->view, job->arena, picture);
    check_tables(&job->view, job->arena, &tables);
    check_report(&job->view, &tables, picture, job->arena, report);
    Table *all[] = {tables.laws, tables.evidence, tables.ranks};
    product_facts(out, check_summary_write, &job->view);
    product_figure(out, STR("check"), true, picture, &job->view.verdict);
    product_page(out, report, NULL);
    product_ticket(out, report, "summary");
    product_book(out, STR("check"), true, all, sizeof all / sizeof *all);
    product_sheet(out, STR("check"), true, tables.laws);
    product_sheet(out, STR("evidence"), false, tables.evidence);
    product_file(out, "junit", STR("junit.xml"), true, write_junit, &job->view);
    check_ci_collect(&job->view, job->arena, &out->ci);
    out->ci.judged_by = settings_judging(job->options, job->notices->redaction, job->arena);
    out->verdict = job->view.verdict;
    out->read = job->input.totals;
    out->tells_read = true;
    out->status = job->results.states[LAW_BROKEN]  ? PRODUCT_DIFFERS
                  : job->results.states[LAW_HOLDS] ? PRODUCT_AGREES
                                                   : PRODUCT_NOTHING;
}

static bool make_check(const CommandCall *call, Product *out)
{
    CheckJob *job = ARENA_NEW(call->arena, CheckJob);
    *job = (CheckJob){.arena = call->arena,
                      .options = call->options,
                      .outputs = call->outputs,
                      .notices = call->notices,
                      .err = call->err};
    out->release = release;
    out->job = job;
    if (!check_options_read(job->options, job->arena, &job->wanted, job->err) ||
        !outputs_plan(job->options, other_formats, job->arena, job->outputs, job->err) ||
        !check_input_read(job->options, &job->wanted.expects, job->arena, &job->input, job->notices,
                          job->err) ||
        !judge(job))
        return false;
    account_compare_rest(&job->notices->account);
    job->view.results = &job->results;
    job->view.evidence = &job->evidence;
    job->view.path = job->input.shown;
    job->view.files = job->input.totals.files;
    job->view.of_dumps = job->input.kind == CHECK_DUMP;
    job->view.version = VERNIER_VERSION;
    job->view.notices = job->notices;
    conclude(job, job->arena, &job->view.verdict);
    keep_night(job, out);
    produce(job, out);
    history_log_draw(job->view.history, &job->view.verdict, out);
    return true;
}
