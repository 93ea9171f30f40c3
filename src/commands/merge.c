// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/words.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/compare_mapping.h"
#include "commands/compare_report.h"
#include "commands/history_log.h"
#include "commands/merge_files.h"
#include "commands/merge_metrics.h"
#include "commands/merge_shards.h"
#include "commands/outputs.h"
#include "commands/runner.h"
#include "compare/criteria_fit.h"

static const OptionSpec specs[] = {
    HISTORY_OPTION,
    {"write-mapping",       0, OPTION_TEXT, "FILE",
      TR("write the pairs that names do not tell as a data mapping")                                           },
    {"write-layer-mapping", 0, OPTION_TEXT, "FILE",
      TR("write what the target calls its modules as a layer mapping")                                         },
    {"config",              0, OPTION_TEXT, "FILE", TR("of row tables: which rows and metrics to take (YAML)")},
};

static const char *const examples[] = {
    "vernier merge parts/ -o report/",
    TR("join what 'vernier compare --shard I/N -o parts/I' left into the report of one run"),
    "vernier merge results/ -o ranks/",
    TR("put the row tables of many ranks (CSV or workbooks) side by side, metric by rank"),
    NULL,
};

static const CommandSpec command = {
    .name = "merge",
    .arguments = "DIR...",
    .purpose =
        TR("Joins the parts of a comparison into one report, or puts row tables side by side."),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

static const OtherFormat other_formats[] = {
    {"json",  ".json"      },
    {"nodes", ".nodes.json"},
    {"junit", ".xml"       },
    {NULL,    NULL         },
};

typedef struct Run {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Redaction redaction;
    Error err;
    ShardSet shards;
    PairFacts *facts;  // by pair of the whole run
    Verdict *verdicts;
    PairFiles *files;
    JunitCases *cases;
    LayerFacts *layers;
    Mappings mappings;
    HistoryLog log;
    CompareSummary summary;
    Verdict verdict;
} Run;

static bool find_shards(Run *run)
{
    ShardPaths paths = {0};
    if (options_given(&run->options, "config"))
        return error_set(
            &run->err, ERR_USAGE, NOWHERE, "%s",
            tr("--config chooses rows of row tables: these are parts of a comparison"));
    if (run->options.argument_count == 0)
        return error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                         tr("merge needs folders: vernier merge DIR..."));
    for (size_t i = 0; i < run->options.argument_count; i++)
        if (!merge_find_shards(run->options.arguments[i], run->arena, &paths, &run->err))
            return false;
    return merge_read_shards(&paths, VERNIER_VERSION, run->arena, &run->shards, &run->notices,
                             &run->err);
}

// ---- options of the run that were not given anew

static bool inherit(Run *run)
{
    static const char *const names[] = {
        "format",  "title",  "html",          "theme",
        "palette", "redact", "write-mapping", "write-layer-mapping"};
    const Shard *shard = run->shards.any;
    for (size_t i = 0; i < shard->option_count; i++) {
        const ShardOption *option = &shard->options[i];
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (str_equal(option->name, str_of(names[k])) &&
                !options_inherit(&run->options, names[k], option->value, run->arena, &run->err))
                return false;
        if (str_equal(option->name, STR("templates")) && !options_given(&run->options, "templates"))
            notices_add(&run->notices, NOTICE_WARNING, NOWHERE, "%s",
                        tr("the parts were made with --templates: give it to merge as well, or the "
                           "pages look different"));
    }
    if (options_flag(&run->options, "redact"))
        run->notices.redaction = &run->redaction;
    return true;
}

// The parts have noted only what they were asked for.
static bool check_mapping(Run *run)
{
    static const char *const names[] = {"write-mapping", "write-layer-mapping"};
    const Shard *shard = run->shards.any;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bool noted = !options_given(&run->options, names[k]);
        for (size_t i = 0; i < shard->option_count; i++)
            noted = noted || str_equal(shard->options[i].name, str_of(names[k]));
        if (!noted)
            return error_set(&run->err, ERR_USAGE, NOWHERE,
                             tr("--%s: the parts were made without it; give it to them as well"),
                             names[k]);
    }
    return true;
}

static bool check_lang(Run *run)
{
    Str lang = words_lang() == LANG_ZH ? STR("zh") : STR("en");
    if (str_equal(lang, run->shards.any->lang))
        return true;
    error_set(&run->err, ERR_USAGE, NOWHERE, tr("the parts were written with --lang " STR_FMT),
              STR_ARG(run->shards.any->lang));
    return error_hint(&run->err, tr("add --lang " STR_FMT), STR_ARG(run->shards.any->lang));
}

// ---- the report

static void take_pairs(Run *run)
{
    const Shard *any = run->shards.any;
    size_t count = any->place_count;
    run->facts = ARENA_ARRAY(run->arena, PairFacts, count);
    run->verdicts = ARENA_ARRAY(run->arena, Verdict, count);
    run->files = ARENA_ARRAY(run->arena, PairFiles, count);
    run->cases = ARENA_ARRAY(run->arena, JunitCases, count);
    run->layers = ARENA_ARRAY(run->arena, LayerFacts, count);
    run->mappings = (Mappings){.rows = ARENA_ARRAY(run->arena, NameMapping, count),
                               .layers = ARENA_ARRAY(run->arena, LayerMapping, count),
                               .count = count};
    bool *partial = ARENA_ARRAY(run->arena, bool, count);
    const Notices **notices = ARENA_ARRAY(run->arena, const Notices *, count);
    for (size_t i = 0; i < count; i++) {
        run->facts[i] = pair_facts_unread(any->places[i].step, any->places[i].rank);
        run->facts[i].failed = partial[i] = true;
    }
    for (uint32_t part = 0; part < run->shards.part_count; part++) {
        const ShardSource *source = run->shards.parts[part];
        for (size_t i = 0; source && i < source->shard.pair_count; i++) {
            const ShardPair *pair = &source->shard.pairs[i];
            run->facts[pair->place] = pair->facts;
            run->files[pair->place] = pair->files;
            run->cases[pair->place] = pair->cases;
            run->layers[pair->place] = pair->layers;
            run->mappings.rows[pair->place] = pair->mapping;
            run->mappings.layers[pair->place] = pair->layer_mapping;
            notices[pair->place] = &pair->notices;
            partial[pair->place] = notices_any_partial(&pair->notices);
        }
    }
    VerdictSides sides = {any->golden, any->target};
    for (size_t i = 0; i < count; i++) {
        verdict_of_pair(&run->facts[i], &sides, partial[i], run->arena, &run->verdicts[i]);
        if (notices[i])
            notices_join(&run->notices, notices[i]);
    }
}

static void summarise(Run *run)
{
    const Shard *any = run->shards.any;
    if (any->criteria)
        criteria_note_unused(any->criteria, run->facts, any->place_count, &run->notices);
    run->summary = (CompareSummary){.version = VERNIER_VERSION,
                                    .pairs = run->facts,
                                    .verdicts = run->verdicts,
                                    .files = run->files,
                                    .count = any->place_count,
                                    .golden_path = any->golden,
                                    .target_path = any->target,
                                    .rules = any->rules,
                                    .criteria = any->criteria,
                                    .noise_paths = any->noise_paths,
                                    .noise_count = any->noise_count,
                                    .notices = &run->notices};
    compare_report_verdict(&run->summary, run->arena, &run->verdict);
}

// The command of the whole run: that of a part without --shard, with the outputs of this one.
static Str command_of(Run *run)
{
    const Shard *any = run->shards.any;
    size_t outputs = options_list_count(&run->options, "output"), count = 0;
    Str *words = ARENA_ARRAY(run->arena, Str, any->argument_count + 2 * outputs);
    for (size_t i = 0; i <= any->argument_count; i++) {
        bool here = i == any->output_at ||
                    (i == any->argument_count && any->output_at > any->argument_count);
        for (size_t k = 0; here && k < outputs; k++) {
            words[count++] = STR("-o");
            words[count++] = command_argument(
                run->notices.redaction, options_list_item(&run->options, "output", k), run->arena);
        }
        if (i < any->argument_count)
            words[count++] = any->arguments[i];
    }
    return command_join(words, count, run->arena);
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

static void write_report(Run *run)
{
    size_t main = compare_report_main(run->facts, run->summary.count);
    // The main pair of all is the main pair of its part.
    const Shard *shard = main == SIZE_MAX ? NULL : shard_of_place(&run->shards, main);
    bool seen = shard && shard->has_main;
    CompareReport report = {.summary = run->summary,
                            .cases = run->cases,
                            .main = main,
                            .parts = seen ? &shard->parts_of_page : NULL,
                            .title = options_text(&run->options, "title", ""),
                            .command = command_of(run)};
    if (seen)
        report.picture = shard->picture;
    compare_report_write(&report, &run->outputs, run->arena);
}

static void print_end(Run *run, const Console *console)
{
    ReadTotals totals = {0};
    for (size_t i = 0; i < run->summary.count; i++) {
        console_add_read(&totals, &run->facts[i].reads[0]);
        console_add_read(&totals, &run->facts[i].reads[1]);
    }
    outputs_note_missing(&run->outputs, &run->notices);
    console_notices(console, &run->notices);
    console_read_line(console, &totals, &run->notices);
    console_verdict(console, &run->verdict);
}

static int merge(Run *run, const Console *console)
{
    if (!find_shards(run) || !inherit(run) || !check_lang(run) || !check_mapping(run) ||
        !outputs_plan(&run->options, "html,md,json,xlsx,svg,png", other_formats, run->arena,
                      &run->outputs, &run->err)) {
        console_notices(console, &run->notices);
        return console_error(console, &run->err);
    }
    take_pairs(run);
    merge_copy_files(&run->shards, &run->outputs, &run->notices);
    summarise(run);
    compare_report_keep(&run->summary, run->layers, &run->options, &run->outputs, &run->notices,
                        &run->log);
    write_report(run);
    if (!compare_mapping_write(&run->options, &run->mappings, &run->notices, &run->err))
        run->outputs.failed = true;
    print_end(run, console);
    if (run->outputs.failed)
        return console_error(console, &run->err);
    if (run->log.failed)
        return 5;
    return compare_report_exit(&run->summary, options_flag(&run->options, "exit-zero"));
}

static int run_merge(const CommandCall *call)
{
    if (merge_metrics_wanted(&call->options, call->arena))
        return merge_metrics(call);
    Run run = {.arena = call->arena, .options = call->options};
    notices_init(&run.notices, run.arena);
    return merge(&run, &call->console);
}

int command_merge(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_merge, argc, argv, collector);
}
