// SPDX-License-Identifier: Apache-2.0
// vernier merge: parts of a comparison, or row tables of many ranks, joined.
#include "base/words.h"
#include "commands/compare/compare_mapping.h"
#include "commands/compare/compare_report.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "commands/merge/merge_files.h"
#include "commands/merge/merge_metrics.h"
#include "commands/merge/merge_shards.h"
#include "commands/merge/part_file.h"
#include "compare/criteria_fit.h"
#include "compare/mapping_fit.h"
#include "compare/origin.h"

static const OptionSpec specs[] = {
    HISTORY_OPTION,
    SOURCE_ROOT_OPTION,
    {"write-mapping", 0, OPTION_TEXT, "FILE", TR("write the inferred matches as a data mapping"),
     OPTION_OUTPUT},
    {"write-layer-mapping", 0, OPTION_TEXT, "FILE",
     TR("write the inferred names of modules as a layer mapping"), OPTION_OUTPUT},
    {"config", 0, OPTION_TEXT, "FILE", TR("for row tables: which rows and metrics to take (YAML)"),
     OPTION_INPUT},
};

static bool make_merge(const CommandCall *call, Product *out);

const CommandSpec merge_command = {
    .name = "merge",
    .arguments = "DIR...",
    .joins_parts = true,
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_merge,
};

static const OtherFormat other_formats[] = {
    VERDICT_FORMATS,
    {"nodes", ".nodes.json"},
    {"junit", ".xml"},
    {NULL, NULL},
};

typedef struct MergeJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Redaction redaction;
    ShardSet shards;
    PairFacts *facts;  // by pair of the whole run
    Verdict *verdicts;
    PairFiles *files;
    JunitCases *cases;
    LayerFacts *layers;
    Mappings mappings;
    CompareResults report;
    Verdict verdict;
} MergeJob;

static bool find_shards(MergeJob *job)
{
    ShardPaths paths = {0};
    if (options_given(job->options, "config"))
        return error_set(
            job->err, ERR_USAGE, NOWHERE, "%s",
            tr("--config chooses rows of row tables: these are parts of a comparison"));
    if (job->options->argument_count == 0)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("merge needs folders: vernier merge DIR..."));
    for (size_t i = 0; i < job->options->argument_count; i++)
        if (!merge_find_shards(job->options->arguments[i], job->arena, &paths, job->err))
            return false;
    return merge_read_shards(&paths, VERNIER_VERSION, job->arena, &job->shards, job->notices,
                             job->err);
}

// ---- options of the run that were not given anew

static bool is_inherited(Str name)
{
    for (size_t i = 0; i < common_option_count; i++)
        if (str_equal(name, str_of(common_options[i].name)))
            return common_options[i].nature & OPTION_INHERITED;
    return false;
}

static bool inherit(MergeJob *job)
{
    const Shard *shard = job->shards.any;
    for (size_t i = 0; i < shard->option_count; i++) {
        const ShardOption *option = &shard->options[i];
        if (is_inherited(option->name) &&
            !options_inherit(job->options, str_cstr(job->arena, option->name), option->value,
                             job->arena, job->err))
            return false;
        if (str_equal(option->name, STR("templates")) && !options_given(job->options, "templates"))
            notices_add(job->notices, NOTICE_WARNING, NOWHERE, "%s",
                        tr("the parts were made with --templates: give it to merge as well, or the "
                           "pages look different"));
    }
    if (options_flag(job->options, "redact"))
        job->notices->redaction = &job->redaction;
    return true;
}

static bool parts_had(const MergeJob *job, const char *option)
{
    const Shard *shard = job->shards.any;
    for (size_t i = 0; i < shard->option_count; i++)
        if (str_equal(shard->options[i].name, str_of(option)))
            return true;
    return false;
}

// The parts have noted only what they were asked for.
static bool check_mapping(MergeJob *job)
{
    static const char *const names[] = {"write-mapping", "write-layer-mapping"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (options_given(job->options, names[k]) && !parts_had(job, names[k]))
            return error_set(job->err, ERR_USAGE, NOWHERE,
                             tr("--%s: the parts were made without it; give it to them as well"),
                             names[k]);
    return true;
}

static bool check_lang(MergeJob *job)
{
    Str lang = words_lang() == LANG_ZH ? STR("zh") : STR("en");
    if (str_equal(lang, job->shards.any->lang))
        return true;
    error_set(job->err, ERR_USAGE, NOWHERE, tr("the parts were written with --lang " STR_FMT),
              STR_ARG(job->shards.any->lang));
    return error_hint(job->err, tr("add --lang " STR_FMT), STR_ARG(job->shards.any->lang));
}

// ---- the report

static void take_pairs(MergeJob *job)
{
    const Shard *any = job->shards.any;
    size_t count = any->place_count;
    job->facts = ARENA_ARRAY(job->arena, PairFacts, count);
    job->verdicts = ARENA_ARRAY(job->arena, Verdict, count);
    job->files = ARENA_ARRAY(job->arena, PairFiles, count);
    job->cases = ARENA_ARRAY(job->arena, JunitCases, count);
    job->layers = ARENA_ARRAY(job->arena, LayerFacts, count);
    job->mappings = (Mappings){.rows = ARENA_ARRAY(job->arena, NameMapping, count),
                               .layers = ARENA_ARRAY(job->arena, LayerMapping, count),
                               .count = count};
    bool *partial = ARENA_ARRAY(job->arena, bool, count);
    const Notices **notices = ARENA_ARRAY(job->arena, const Notices *, count);
    for (size_t i = 0; i < count; i++) {
        job->facts[i] =
            pair_facts_unread(any->places[i].step, any->places[i].stage, any->places[i].rank);
        job->facts[i].failed = partial[i] = true;
    }
    for (uint32_t part = 0; part < job->shards.part_count; part++) {
        const ShardSource *source = job->shards.parts[part];
        for (size_t i = 0; source && i < source->shard.pair_count; i++) {
            const ShardPair *pair = &source->shard.pairs[i];
            job->facts[pair->place] = pair->facts;
            job->files[pair->place] = pair->files;
            job->cases[pair->place] = pair->cases;
            job->layers[pair->place] = pair->layers;
            job->mappings.rows[pair->place] = pair->mapping;
            job->mappings.layers[pair->place] = pair->layer_mapping;
            notices[pair->place] = &pair->notices;
            partial[pair->place] = notices_any_partial(&pair->notices);
        }
    }
    VerdictSides sides = {.golden = any->golden,
                          .target = any->target,
                          .judged_by = any->judged_by,
                          .strict = parts_had(job, "strict")};
    for (size_t i = 0; i < count; i++) {
        verdict_of_pair(&job->facts[i], &sides, partial[i], job->arena, &job->verdicts[i]);
        if (notices[i])
            notices_join(job->notices, notices[i]);
    }
}

// A part shows one pair of each group that it has; of the whole run fewer stand for others.
static const bool *find_shown(const MergeJob *job)
{
    size_t count = job->shards.any->place_count, origin = origin_find(job->facts, count);
    bool *shown = ARENA_ARRAY(job->arena, bool, count);
    PairGroups groups;
    pair_groups(job->facts, count, origin, job->arena, &groups);
    for (size_t i = 0; i < count; i++)
        shown[i] = count == 1 || parts_had(job, "all-pictures") ||
                   (groups.items[groups.of[i]].first == i &&
                    pair_group_shown(&groups, groups.of[i], job->facts, origin));
    return shown;
}

static void summarise(MergeJob *job)
{
    CompareSummary *summary = &job->report.summary;
    const Shard *any = job->shards.any;
    if (any->criteria)
        criteria_note_unused(any->criteria, job->facts, any->place_count, job->notices);
    mapping_note_unused(job->facts, any->place_count, job->notices);
    *summary = (CompareSummary){.version = VERNIER_VERSION,
                                .pairs = job->facts,
                                .verdicts = job->verdicts,
                                .files = job->files,
                                .count = any->place_count,
                                .golden_path = any->golden,
                                .target_path = any->target,
                                .rules = any->rules,
                                .criteria = any->criteria,
                                .judged_by = any->judged_by,
                                .strict = parts_had(job, "strict"),
                                .noise_paths = any->noise_paths,
                                .noise_count = any->noise_count,
                                .notices = job->notices};
    compare_report_verdict(summary, job->arena, &job->verdict);
}

// The command of the whole run: that of a part without --shard, with the outputs of this one.
static Str command_of(MergeJob *job)
{
    const Shard *any = job->shards.any;
    size_t outputs = options_list_count(job->options, "output"), count = 0;
    Str *words = ARENA_ARRAY(job->arena, Str, any->argument_count + 2 * outputs);
    for (size_t i = 0; i <= any->argument_count; i++) {
        bool here = i == any->output_at ||
                    (i == any->argument_count && any->output_at > any->argument_count);
        for (size_t k = 0; here && k < outputs; k++) {
            words[count++] = STR("-o");
            words[count++] = command_argument(
                job->notices->redaction, options_list_item(job->options, "output", k), job->arena);
        }
        if (i < any->argument_count)
            words[count++] = any->arguments[i];
    }
    return command_join(words, count, job->arena);
}

static const Shard *shard_of_place(const ShardSet *set, size_t place)
{
    for (uint32_t part = 0; part < set->part_count; part++) {
        const ShardSource *source = set->parts[part];
        for (size_t i = 0; source && i < source->shard.pair_count; i++)
            if (source->shard.pairs[i].place == place)
                return &source->shard;
    }
    return NULL;
}

// The file of the main pair's picture is written anew, under its own name only.
static bool is_own_picture(MergeJob *job, Str base, size_t main)
{
    const ShardPlace *place = &job->shards.any->places[main];
    Str file = str_concat(job->arena, base, STR(".svg"));
    return part_file_format(file, place->step, place->stage, place->rank, false, job->arena) !=
           NULL;
}

static void add_report(MergeJob *job, Product *out)
{
    CompareResults *report = &job->report;
    size_t main = compare_report_main(job->facts, report->summary.count);
    // The main pair of all is the main pair of its part.
    const Shard *shard = main == SIZE_MAX ? NULL : shard_of_place(&job->shards, main);
    bool seen = shard && shard->has_main;
    report->cases = job->cases;
    report->main = main;
    report->parts = seen ? &shard->parts_of_page : NULL;
    // The options are those of the parts now.
    report->title = job->notices->title = options_text(job->options, "title", "");
    report->root = options_text(job->options, "source-root", "");
    report->command = command_of(job);
    if (seen && is_own_picture(job, shard->picture.file, main))
        report->picture = shard->picture;
    compare_report_add(report, out);
}

// No path comes from a part: what the parts noted is written only where merge is set to.
static void note_unwritten(const MergeJob *job, Notices *notices)
{
    const Shard *shard = job->shards.any;
    for (size_t i = 0; i < shard->option_count; i++)
        for (size_t k = 0; k < merge_command.option_count; k++) {
            const OptionSpec *spec = &merge_command.options[k];
            if ((spec->nature & OPTION_OUTPUT) && !options_given(job->options, spec->name) &&
                str_equal(shard->options[i].name, str_of(spec->name)))
                notices_add(notices, NOTICE_WARNING, NOWHERE,
                            tr("the parts have noted a mapping that is not written: give --%s to "
                               "merge as well"),
                            spec->name);
        }
}

static bool write_mapping(void *context, Notices *notices, Error *err)
{
    const MergeJob *job = context;
    note_unwritten(job, notices);
    return compare_mapping_write(job->options, &job->mappings, notices, err);
}

static bool make_merge(const CommandCall *call, Product *out)
{
    if (merge_metrics_wanted(call->options, call->arena))
        return merge_metrics(call, out);
    MergeJob *job = ARENA_NEW(call->arena, MergeJob);
    *job = (MergeJob){.arena = call->arena,
                      .options = call->options,
                      .outputs = call->outputs,
                      .notices = call->notices,
                      .err = call->err};
    if (!find_shards(job) || !inherit(job) || !check_lang(job) || !check_mapping(job) ||
        !outputs_plan(job->options, other_formats, job->arena, job->outputs, job->err))
        return false;
    outputs_list_files(job->outputs);
    take_pairs(job);
    CopyChoice choice = {.shown = find_shown(job), .books = parts_had(job, "format")};
    merge_copy_files(&job->shards, &choice, job->outputs, job->files, job->notices);
    summarise(job);
    compare_report_keep(&job->report.summary, job->layers, job->options, out);
    add_report(job, out);
    out->write_beside = write_mapping;
    out->job = job;
    return true;
}
