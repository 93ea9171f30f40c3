// SPDX-License-Identifier: Apache-2.0
// vernier tokens: log-probabilities of two engines, or of engine and trainer, token by token.
#include "base/file.h"
#include "base/words.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "commands/tokens_steps.h"
#include "compare/token/token_compare.h"
#include "export/summary/token_summary.h"
#include "picture/overview/token_picture.h"
#include "read/token/token_file.h"
#include "report/token_report.h"

static const OptionSpec specs[] = {
    {"columns", 0, OPTION_TEXT, "GOLDEN,TARGET",
     TR("names of the columns, if they are not the usual ones"), OPTION_WORDS},
    {"mask", 0, OPTION_TEXT, "FILE", TR("of .npy: which tokens count, in the same shape"),
     OPTION_INPUT},
    {"ids", 0, OPTION_TEXT, "FILE", TR("of .npy: the tokens themselves, in the same shape"),
     OPTION_INPUT},
    {"limit", 0, OPTION_NUMBER, "FACTOR",
     TR("mean factor of the probabilities that still agrees; default 1.05"), 0},
};

static bool make_tokens(const CommandCall *call, Product *out);

const CommandSpec tokens_command = {
    .name = "tokens",
    .arguments = "GOLDEN [TARGET]",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .printed = true,
    .make = make_tokens,
};

typedef struct TokenJob {
    Arena *arena;
    const Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Redaction redaction;
    TokenSet sets[2];
    TokenComparison comparison;
    TokenView view;
    TokenCourse course;
    Str paths[2];  // that are read: the arguments, or one step of their folders
    ReadTotals totals;
} TokenJob;

static bool ask_for(TokenJob *job, size_t files, TokenAsk *out)
{
    Str columns = options_text(job->options, "columns", ""), rest = columns, more;
    Str mask = options_text(job->options, "mask", ""), ids = options_text(job->options, "ids", "");
    *out = (TokenAsk){.both = files == 1};
    out->mask = mask.size ? str_cstr(job->arena, mask) : NULL;
    out->ids = ids.size ? str_cstr(job->arena, ids) : NULL;
    if (columns.size &&
        (!str_split(&rest, ',', &out->columns[0]) || !str_split(&rest, ',', &out->columns[1]) ||
         !out->columns[0].size || !out->columns[1].size || str_split(&rest, ',', &more)))
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--columns: expected two names, GOLDEN,TARGET"));
    return true;
}

static bool read_side(TokenJob *job, size_t side, TokenAsk ask)
{
    const char *path = str_cstr(job->arena, job->paths[side]);
    if (file_kind(path) == FILE_FOLDER)
        return error_set(job->err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("this is a folder, the other side is a file"));
    // Of two files each has its own column.
    if (!ask.both && ask.columns[0].size)
        ask.columns[0] = ask.columns[1] = ask.columns[side];
    if (!token_set_read(path, &ask, job->arena, &job->sets[side], job->notices, job->err))
        return false;
    job->totals.files++;
    job->totals.bytes += job->sets[side].bytes;
    job->totals.ops += job->sets[side].count;
    return true;
}

// An option that no file has a use for would be believed to have done something.
static bool check_use(TokenJob *job, size_t files, const TokenAsk *ask)
{
    bool arrays = job->sets[0].array || job->sets[1].array;
    bool named = !job->sets[0].array || (files == 2 && !job->sets[1].array);
    if ((ask->mask || ask->ids) && !arrays)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--mask and --ids are for .npy; other files hold theirs by name"));
    if (ask->columns[0].size && !named)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--columns is for .jsonl and .csv; .npy has no names"));
    return true;
}

// All steps of folders; the one that the report shows is then read as a file: the first that
// drifts, else the first that differs, else the last.
static bool read_steps(TokenJob *job, size_t files, const TokenAsk *ask)
{
    TokenFolder folder = {.ask = *ask, .limit = options_number(job->options, "limit", 1.05)};
    for (size_t side = 0; side < files; side++)
        folder.folders[side] = str_cstr(job->arena, job->paths[side]);
    if (!token_steps_read(&folder, job->arena, &job->course, job->notices, job->err))
        return false;
    TokenCourse *course = &job->course;
    size_t at = course->from;
    for (size_t i = 0; i < course->count && at == course->count; i++)
        at = course->items[i].outcome == TOKENS_DIFFER ? i : at;
    at = at < course->count ? at : course->count - 1;
    for (size_t side = 0; side < files; side++)
        job->paths[side] =
            str_of(path_join(job->arena, folder.folders[side], course->items[at].file));
    job->view.course = course;
    job->view.step = course->items[at].step;
    return true;
}

static bool read_sides(TokenJob *job)
{
    static const char *const labels[] = {"golden", "target"};
    size_t files = job->options->argument_count;
    TokenAsk ask;
    if (files != 1 && files != 2)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("tokens needs one file with both columns, or two: vernier tokens "
                            "GOLDEN TARGET"));
    if (!ask_for(job, files, &ask))
        return false;
    Str *shown[2] = {&job->view.golden_path, &job->view.target_path};
    for (size_t side = 0; side < 2; side++) {
        Str path = job->options->arguments[files == 1 ? 0 : side];
        *shown[side] = job->paths[side] = path;
        if (!options_flag(job->options, "redact"))
            continue;
        redact_add(&job->redaction, job->arena, path, str_of(labels[side]));
        job->notices->redaction = &job->redaction;
        *shown[side] = str_of(labels[side]);
    }
    if (file_kind(str_cstr(job->arena, job->paths[0])) == FILE_FOLDER &&
        !read_steps(job, files, &ask))
        return false;
    for (size_t side = 0; side < files; side++)
        if (!read_side(job, side, ask))
            return false;
    if (files == 2 && !ask.columns[0].size)
        command_note_one_side(str_cstr(job->arena, job->options->arguments[0]),
                              str_cstr(job->arena, job->options->arguments[1]), job->notices);
    return check_use(job, files, &ask);
}

// What the sides do not have in common; what was left out makes the verdict partial.
static void note_differences(TokenJob *job)
{
    const TokenComparison *of = &job->comparison;
    if (of->only[0] || of->only[1])
        notices_partial(job->notices, NOWHERE,
                        tr("samples of one side alone: %zu of golden, %zu of target"), of->only[0],
                        of->only[1]);
    if (of->other_lengths)
        notices_partial(job->notices, NOWHERE,
                        tr_count(of->other_lengths,
                                 "%zu sample is of other length: compared up to the shorter end",
                                 "%zu samples are of other length: compared up to the shorter end"),
                        of->other_lengths);
    if (of->other_masks)
        notices_partial(
            job->notices, NOWHERE,
            tr_count(of->other_masks,
                     "%zu sample has other masks: a token counts where both count it",
                     "%zu samples have other masks: a token counts where both count it"),
            of->other_masks);
    if (!of->golden->mask != !of->target->mask)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    of->golden->mask
                        ? tr("only golden records a mask: it counts for both sides")
                        : tr("only the target records a mask: it counts for both sides"));
    if (of->lone_ids)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                    tr_count(of->lone_ids,
                             "%zu sample has token ids on one side alone: whether its tokens are "
                             "the same is not known",
                             "%zu samples have token ids on one side alone: whether their tokens "
                             "are the same is not known"),
                    of->lone_ids);
    if (of->gaps)
        notices_partial(job->notices, NOWHERE,
                        tr_count(of->gaps,
                                 "%zu token in the middle of a sample is NaN on both sides",
                                 "%zu tokens in the middle of samples are NaN on both sides"),
                        (size_t)of->gaps);
    if (of->beside)
        notices_partial(job->notices, NOWHERE,
                        tr_count(of->beside,
                                 "the log-probabilities of training are compared; those of "
                                 "generation, which both files hold too, differ at %zu token: "
                                 "--columns names them",
                                 "the log-probabilities of training are compared; those of "
                                 "generation, which both files hold too, differ at %zu tokens: "
                                 "--columns names them"),
                        (size_t)of->beside);
    if (of->above)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                    tr_count(of->above, "%zu token has a value above 0: no log-probability",
                             "%zu tokens have a value above 0: these are no log-probabilities"),
                    (size_t)of->above);
}

// Texts of tokens and their numbers cannot be compared with each other.
static void settle_ids(TokenJob *job, TokenSet *golden, TokenSet *target)
{
    if (golden == target || !golden->ids || !target->ids || golden->texts == target->texts)
        return;
    notices_partial(job->notices, NOWHERE, "%s",
                    tr("one side has the texts of the tokens, the other their numbers: whether "
                       "they are the same tokens is not known"));
    golden->ids = target->ids = NULL;
}

static void produce(TokenJob *job, Product *out)
{
    TokenTables tables;
    Scene *picture = ARENA_NEW(job->arena, Scene);
    Report *report = ARENA_NEW(job->arena, Report);
    token_picture(&job->comparison, job->arena, picture);
    picture->title = job->view.verdict.sentence;
    token_tables(&job->view, job->arena, &tables);
    token_report(&job->view, &tables, picture, job->arena, report);
    Table *all[] = {tables.figures, tables.samples};
    product_facts(out, token_summary_write, &job->view);
    product_figure(out, STR("tokens"), true, picture, &job->view.verdict);
    product_page(out, report, "report");
    product_ticket(out, report, "summary");
    product_book(out, STR("tokens"), true, all, sizeof all / sizeof *all);
    product_sheet(out, STR("tokens"), true, tables.samples);
    out->verdict = job->view.verdict;
    out->read = job->totals;
    out->tells_read = true;
    TokenOutcome outcome = token_outcome(&job->comparison);
    bool drifts = job->view.course && job->course.from < job->course.count;
    out->status = drifts                      ? PRODUCT_DIFFERS
                  : outcome == TOKENS_NOTHING ? PRODUCT_NOTHING
                  : outcome == TOKENS_DIFFER  ? PRODUCT_DIFFERS
                                              : PRODUCT_AGREES;
}

static bool make_tokens(const CommandCall *call, Product *out)
{
    TokenJob *job = ARENA_NEW(call->arena, TokenJob);
    *job = (TokenJob){.arena = call->arena,
                      .options = call->options,
                      .outputs = call->outputs,
                      .notices = call->notices,
                      .err = call->err,
                      .totals = {.rows = true}};
    double limit = options_number(job->options, "limit", 1.05);
    if (!(limit > 1))
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--limit: expected a factor above 1"));
    if (!outputs_plan(job->options, NULL, job->arena, job->outputs, job->err) || !read_sides(job))
        return false;
    bool both = job->options->argument_count == 1;
    settle_ids(job, &job->sets[0], &job->sets[both ? 0 : 1]);
    if (!both && !token_order_samples(&job->sets[0], &job->sets[1]))
        notices_add(job->notices, NOTICE_TOLD, NOWHERE, "%s",
                    tr("the ids of samples are not those of the other side: samples pair by "
                       "their place"));
    token_compare(&job->sets[0], 0, &job->sets[both ? 0 : 1], both ? 1 : 0, limit, job->arena,
                  &job->comparison);
    token_account(&job->comparison, &job->notices->account);
    note_differences(job);
    job->view.comparison = &job->comparison;
    job->view.version = VERNIER_VERSION;
    job->view.notices = job->notices;
    token_verdict(&job->comparison, job->view.course, job->view.step,
                  notices_any_partial(job->notices), job->arena, &job->view.verdict);
    produce(job, out);
    return true;
}
