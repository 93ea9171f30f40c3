// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/compare_book.h"
#include "commands/compare_main.h"
#include "commands/compare_mapping.h"
#include "commands/compare_pair.h"
#include "commands/compare_report.h"
#include "commands/compare_runs.h"
#include "commands/compare_shard.h"
#include "commands/compare_vis.h"
#include "commands/compare_weights.h"
#include "commands/history_log.h"
#include "commands/outputs.h"
#include "commands/pair_cost.h"
#include "commands/parallel_places.h"
#include "commands/runner.h"
#include "compare/criteria_fit.h"
#include "layout/compare_summary.h"
#include "layout/verdict_text.h"
#include "read/folder.h"

static const OptionSpec specs[] = {
    {"golden",              'g', OPTION_TEXT,   "DUMP",                       TR("the trusted run")                                     },
    {"target",              't', OPTION_TEXT,   "DUMP",                       TR("the run under question")                              },
    {"step",                0,   OPTION_TEXT,   "LIST",                       TR("steps to take, e.g. 0,2-5")                           },
    {"rank",                0,   OPTION_TEXT,   "LIST",                       TR("ranks to take, e.g. 0,2-5")                           },
    {"noise",               0,   OPTION_LIST,   "DUMP",
     TR("another run of the golden set-up: its spread is the noise")                                                                    },
    {"fuzzy",               0,   OPTION_FLAG,   NULL,                         TR("call numbers never count when ops are paired")        },
    {"layer-mapping",       0,   OPTION_YAML,   "[FILE]",
     TR("what the target calls its layers (docs/matching.md)")                                                                          },
    {"cell-mapping",        0,   OPTION_YAML,   "[FILE]",                     TR("what the target calls its modules")                   },
    {"api-mapping",         0,   OPTION_YAML,   "[FILE]",
     TR("what the target calls its APIs and their arguments")                                                                           },
    {"data-mapping",        0,   OPTION_TEXT,   "FILE",                       TR("which row of the target is which row of golden")      },
    {"write-mapping",       0,   OPTION_TEXT,   "FILE",
     TR("write the pairs that names do not tell as a data mapping")                                                                     },
    {"write-layer-mapping", 0,   OPTION_TEXT,   "FILE",
     TR("write what the target calls its modules as a layer mapping")                                                                   },
    {"consistency",         0,   OPTION_CHOICE, "fsdp|megatron",
     TR("golden is inference, the target this training")                                                                                },
    {"criteria",            0,   OPTION_TEXT,   "FILE",                       TR("tolerances and exceptions (YAML, docs/criteria.md)")  },
    {"rules",               0,   OPTION_CHOICE, "vernier|msprobe26|msprobe8", TR("the set of checks")                                   },
    {"view",                0,   OPTION_CHOICE, "tree|boxes|card",            TR("what the picture of a pair shows")                    },
    {"focus",               0,   OPTION_TEXT,   "NAME",
     TR("a node to show: first-divergence, worst, an id or a module path")                                                              },
    {"depth",               0,   OPTION_COUNT,  "N",                          TR("open the hierarchy of the picture down to this depth")},
    {"overflow",            0,   OPTION_FLAG,   NULL,                         TR("mark NaN, Inf and norm explosions")                   },
    PARALLEL_MERGE_OPTION,
    HISTORY_OPTION,
    {"all-rows",            0,   OPTION_FLAG,   NULL,                         TR("write all rows, also beyond 100,000")                 },
    {"runs",                0,   OPTION_FLAG,   NULL,
     TR("the dumps are runs of one set-up: hold each against the most common (docs/runs.md)")                                           },
    {"shard",               0,   OPTION_TEXT,   "I/N",
     TR("compare the I-th of N parts of the pairs, for 'vernier merge'")                                                                },
};

static const char *const examples[] = {
    "vernier compare gpu/ npu/",
    TR("compare two dump folders and write vernier-compare/index.html and the files beside it"),
    "vernier compare gpu/step0/rank0 npu/step0/rank0 -o bug.svg -o bug.md",
    TR("one picture and one text for a ticket"),
    "vernier compare golden.safetensors target.pt",
    TR("two checkpoints, weight by weight"),
    "vernier compare --runs run1/ run2/ run3/",
    TR("one set-up run several times: is it deterministic, and where not?"),
    NULL,
};

static const CommandSpec command = {
    .name = "compare",
    .arguments = "GOLDEN TARGET",
    .purpose = TR("Compares two dumps: where do the runs first part, and why?"),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

static const OtherFormat other_formats[] = {
    {"json",   ".json"      },
    {"nodes",  ".nodes.json"},
    {"junit",  ".xml"       },
    {"vis-db", ".db"        },
    {NULL,     NULL         },
};

// Everything of one run of the command.
typedef struct Run {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    Str paths[2];        // golden and target, as typed
    VerdictSides sides;  // as shown
    Redaction redaction;
    PlacePairs places;     // all pairs
    uint32_t part, parts;  // --shard; part 0: none
    ShardPairs shard;
    PlacePairs mine;    // the pairs that are compared here
    Notices before;     // what was noted before the first pair was read
    DumpPlaces *noise;  // by noise run
    Str *noise_paths;
    size_t noise_count;
    Criteria *criteria;  // or NULL
    MatchOptions match;
    ComparePairOptions pair_options;
    const size_t *order;  // in which the pairs are begun
    PairResult *results;
    Verdict verdict;
    HistoryLog log;
    int argc;
    char **argv;
} Run;

static bool find_sides(Run *run)
{
    Str *sides = run->paths;
    sides[0] = options_text(&run->options, "golden", "");
    sides[1] = options_text(&run->options, "target", "");
    size_t next = 0;
    for (int side = 0; side < 2; side++)
        if (sides[side].size == 0 && next < run->options.argument_count)
            sides[side] = run->options.arguments[next++];
    if (sides[0].size == 0 || sides[1].size == 0)
        return error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                         tr("compare needs two dumps: vernier compare GOLDEN TARGET"));
    if (next < run->options.argument_count)
        return error_set(&run->err, ERR_USAGE, NOWHERE,
                         tr("compare takes two dumps, found a third: '" STR_FMT "'"),
                         STR_ARG(run->options.arguments[next]));
    run->sides = (VerdictSides){run->paths[0], run->paths[1]};
    return true;
}

// From here on no folder is named: not in notices, not in the sides as they are shown.
static void redact(Run *run)
{
    if (!options_flag(&run->options, "redact"))
        return;
    redact_add(&run->redaction, run->arena, run->paths[0], STR("golden"));
    redact_add(&run->redaction, run->arena, run->paths[1], STR("target"));
    for (size_t i = 0; i < options_list_count(&run->options, "noise"); i++)
        redact_add(&run->redaction, run->arena, options_list_item(&run->options, "noise", i),
                   str_printf(run->arena, "noise%zu", i + 1));
    run->sides = (VerdictSides){STR("golden"), STR("target")};
    run->notices.redaction = &run->redaction;
}

static bool read_criteria(Run *run)
{
    Str path = options_text(&run->options, "criteria", "");
    if (path.size == 0)
        return true;
    run->criteria = ARENA_NEW(run->arena, Criteria);
    if (!criteria_read(str_cstr(run->arena, path), run->arena, run->criteria, &run->notices,
                       &run->err))
        return false;
    run->criteria->path = redact_path(run->notices.redaction, path, run->arena);
    return true;
}

static Rules rules_of(const Options *options)
{
    Str name = options_text(options, "rules", "vernier");
    for (int rules = RULES_VERNIER; rules <= RULES_MSPROBE8; rules++)
        if (str_equal(name, str_of(rules_word((Rules)rules))))
            return (Rules)rules;
    return RULES_VERNIER;
}

// A run differs from itself by nothing, and the target may differ by more than noise.
static bool check_noise(Run *run)
{
    for (size_t i = 0; i < options_list_count(&run->options, "noise"); i++) {
        char *path = str_cstr(run->arena, options_list_item(&run->options, "noise", i));
        if (file_same(path, str_cstr(run->arena, run->paths[1])))
            return error_set(&run->err, ERR_USAGE, WHERE_FILE(path), "%s",
                             tr("--noise: expected another run of the golden set-up, found the "
                                "target itself"));
        if (file_same(path, str_cstr(run->arena, run->paths[0])))
            notices_add(&run->notices, NOTICE_WARNING, WHERE_FILE(path), "%s",
                        tr("golden itself tells nothing of its noise: expected another run of its "
                           "set-up behind --noise"));
    }
    return true;
}

static bool find_places(Run *run)
{
    NumberList steps, ranks;
    DumpPlaces golden, target;
    if (!options_numbers(&run->options, "step", run->arena, &steps, &run->err) ||
        !options_numbers(&run->options, "rank", run->arena, &ranks, &run->err))
        return false;
    if (!folder_find_dumps(str_cstr(run->arena, run->paths[0]), &steps, &ranks, run->arena, &golden,
                           &run->notices, &run->err) ||
        !folder_find_dumps(str_cstr(run->arena, run->paths[1]), &steps, &ranks, run->arena, &target,
                           &run->notices, &run->err))
        return false;
    if (options_given(&run->options, "consistency") && rules_of(&run->options) != RULES_VERNIER)
        return error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--consistency goes with the rules vernier only"));
    if (run->criteria && rules_of(&run->options) != RULES_VERNIER)
        return error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--criteria goes with the rules vernier only"));
    ParallelMerge merge;
    int jobs = (int)options_count(&run->options, "jobs", threads_default_jobs());
    if (!parallel_merge_options(&run->options, run->arena, &merge, &run->err) ||
        (merge.wanted &&
         (!parallel_places(&merge.golden, jobs, run->arena, &golden, &run->notices, &run->err) ||
          !parallel_places(&merge.target, jobs, run->arena, &target, &run->notices, &run->err))))
        return false;
    folder_pair_dumps(&golden, &target, run->arena, &run->places);
    run->noise_count = options_list_count(&run->options, "noise");
    run->noise = ARENA_ARRAY(run->arena, DumpPlaces, run->noise_count);
    run->noise_paths = ARENA_ARRAY(run->arena, Str, run->noise_count);
    for (size_t i = 0; i < run->noise_count; i++)
        run->noise_paths[i] = redact_path(run->notices.redaction,
                                          options_list_item(&run->options, "noise", i), run->arena);
    for (size_t i = 0; i < run->noise_count; i++)
        if (!folder_find_dumps(str_cstr(run->arena, options_list_item(&run->options, "noise", i)),
                               &steps, &ranks, run->arena, &run->noise[i], &run->notices,
                               &run->err) ||
            (merge.wanted && !parallel_places(&merge.golden, jobs, run->arena, &run->noise[i],
                                              &run->notices, &run->err)))
            return false;
    return true;
}

static void compare_one(void *context, size_t turn)
{
    Run *run = context;
    size_t index = run->order[turn];
    compare_pair_run(&run->mine.items[index], &run->pair_options, &run->results[index]);
}

// How many ranks the run had in the first step.
static uint32_t world_size(const PlacePairs *places)
{
    uint32_t ranks = 0;
    for (size_t i = 0; i < places->count; i++)
        ranks += places->items[i].step == places->items[0].step;
    return ranks > 1 ? ranks : 0;
}

static bool choose_mine(Run *run)
{
    run->mine = run->places;
    if (run->part == 0)
        return true;
    if (!compare_shard_select(&run->places, run->part, run->parts, run->arena, &run->shard,
                              &run->err))
        return false;
    run->mine = run->shard.mine;
    notices_init(&run->before, run->arena);
    notices_join(&run->before, &run->notices);
    return true;
}

static void compare_all(Run *run)
{
    size_t count = run->mine.count;
    int jobs = (int)options_count(&run->options, "jobs", threads_default_jobs());
    run->pair_options = (ComparePairOptions){
        .rules = rules_of(&run->options),
        .overflow = options_flag(&run->options, "overflow"),
        .all_rows = options_flag(&run->options, "all-rows"),
        .criteria = run->criteria,
        .match = &run->match,
        .consistency = options_text(&run->options, "consistency", ""),
        .collect_mapping = options_given(&run->options, "write-mapping"),
        .collect_layers = history_wanted(&run->options),
        .keep_facts = run->part > 0,
        .collect_layer_mapping = options_given(&run->options, "write-layer-mapping"),
        .single = run->places.count == 1,
        .jobs = jobs,
        .view = options_text(&run->options, "view", "tree"),
        .focus = options_text(&run->options, "focus", ""),
        .depth = (uint32_t)options_count(&run->options, "depth", 0),
        .world_size = world_size(&run->places),
        .sides = run->sides,
        .noise = run->noise,
        .noise_count = run->noise_count,
        .outputs = &run->outputs,
        .redaction = run->notices.redaction};
    run->results = ARENA_ARRAY(run->arena, PairResult, count);
    run->order = pair_cost_order(&run->mine, run->arena);
    threads_run(count, jobs, compare_one, run);
    for (size_t i = 0; i < count; i++) {
        notices_join(&run->notices, &run->results[i].notices);
        if (run->outputs.collector)
            collector_join(run->outputs.collector, &run->results[i].collected);
        if (run->results[i].output_failed) {
            run->outputs.failed = true;
            run->err = run->results[i].output_error;
        }
    }
}

static CompareSummary summarise(Run *run)
{
    size_t count = run->mine.count;
    PairFacts *facts = ARENA_ARRAY(run->arena, PairFacts, count);
    Verdict *verdicts = ARENA_ARRAY(run->arena, Verdict, count);
    PairFiles *files = ARENA_ARRAY(run->arena, PairFiles, count);
    for (size_t i = 0; i < count; i++) {
        facts[i] = run->results[i].facts;
        verdicts[i] = run->results[i].verdict;
        files[i] = run->results[i].files;
    }
    if (run->criteria && !run->part)
        criteria_note_unused(run->criteria, facts, count, &run->notices);
    CompareSummary summary = {.version = VERNIER_VERSION,
                              .pairs = facts,
                              .verdicts = verdicts,
                              .files = files,
                              .count = count,
                              .golden_path = run->sides.golden,
                              .target_path = run->sides.target,
                              .rules = run->pair_options.rules,
                              .criteria = run->criteria,
                              .noise_paths = run->noise_paths,
                              .noise_count = run->noise_count,
                              .notices = &run->notices};
    compare_report_verdict(&summary, run->arena, &run->verdict);
    return summary;
}

static const JunitCases *cases_of(Run *run)
{
    JunitCases *cases = ARENA_ARRAY(run->arena, JunitCases, run->mine.count);
    for (size_t i = 0; i < run->mine.count; i++)
        cases[i] = run->results[i].cases;
    return cases;
}

// The main pair is read again only for outputs that show it.
static bool shows_main(const Run *run)
{
    if (!run->part && !outputs_want_pictures(&run->outputs))
        return false;
    for (size_t i = 0; i < run->outputs.count; i++)
        if (!run->outputs.targets[i].folder)
            return true;
    return run->part || outputs_want(&run->outputs, "html") || outputs_want(&run->outputs, "md");
}

// Before the run is judged for good: a file that cannot be read again makes it partial.
static bool view_main(Run *run, CompareSummary *summary, Arena *scratch, MainView *out)
{
    size_t main = compare_report_main(summary->pairs, summary->count);
    *out = (MainView){.several = run->places.count > 1};
    if (main == SIZE_MAX || !shows_main(run))
        return false;
    PairResult *result = &run->results[main];
    bool seen = compare_main_view(&run->mine.items[main], &run->pair_options, scratch, result, out);
    if (notices_join_new(&run->notices, &result->notices))
        *summary = summarise(run);
    return seen;
}

// `view`: NULL if the main pair is not shown.
static void write_reports(Run *run, const CompareSummary *summary, const MainView *view)
{
    Arena *scratch = arena_new();
    CompareReport report = {
        .summary = *summary,
        .cases = cases_of(run),
        .main = compare_report_main(summary->pairs, summary->count),
        .parts = view ? &view->parts : NULL,
        .title = options_text(&run->options, "title", ""),
        .command = command_quote(run->argc, run->argv, run->notices.redaction, run->arena)};
    // The files of the only pair are written already.
    if (view && summary->count > 1)
        report.picture = view->picture;
    compare_vis_write(&run->places, run->results, &run->pair_options, &run->outputs);
    compare_report_write(&report, &run->outputs, scratch);
    arena_release(scratch);
}

static void keep_night(Run *run, CompareSummary *summary)
{
    LayerFacts *layers = ARENA_ARRAY(run->arena, LayerFacts, summary->count);
    for (size_t i = 0; i < summary->count; i++)
        layers[i] = run->results[i].layers;
    compare_report_keep(summary, layers, &run->options, &run->outputs, &run->notices, &run->log);
    run->pair_options.history = summary->history;
}

// The workbook of a single pair waits for the night, to hold the sheet History.
static void write_single_book(Run *run)
{
    const PairResult *only = run->results;
    if (run->places.count == 1 && only->graphs && run->pair_options.collect_layers)
        compare_book_write(only->graphs, run->places.items, &run->pair_options, only,
                           &run->outputs);
}

static void write_part(Run *run, const MainView *view)
{
    Shard shard = {.part = run->part,
                   .parts = run->parts,
                   .golden = run->sides.golden,
                   .target = run->sides.target,
                   .rules = run->pair_options.rules,
                   .criteria = run->criteria,
                   .noise_paths = run->noise_paths,
                   .noise_count = run->noise_count,
                   .notices = run->before};
    compare_shard_describe(&run->options, run->argc, run->argv, run->notices.redaction, run->arena,
                           &shard);
    compare_shard_write(&shard, &run->shard, run->results, view, &run->outputs);
}

// A part leaves that to merge.
static void write_mapping(Run *run)
{
    size_t count = run->part ? 0 : run->mine.count;
    Mappings mappings = {.rows = ARENA_ARRAY(run->arena, NameMapping, count),
                         .layers = ARENA_ARRAY(run->arena, LayerMapping, count),
                         .count = count};
    for (size_t i = 0; i < count; i++) {
        mappings.rows[i] = run->results[i].mapping;
        mappings.layers[i] = run->results[i].layer_mapping;
    }
    bool good =
        run->part || compare_mapping_write(&run->options, &mappings, &run->notices, &run->err);
    run->outputs.failed = run->outputs.failed || !good;
}

// What a part of a run says of itself; a part to which no pair falls is done, not wrong.
static void print_verdict(Run *run, const Console *console)
{
    if (run->part) {
        Str head = str_printf(
            run->arena, tr("part %u of %u, %zu of %zu pairs: " STR_FMT), run->part, run->parts,
            run->mine.count, run->places.count,
            STR_ARG(run->mine.count ? run->verdict.sentence : str_of(tr("nothing to do"))));
        run->verdict.sentence = head;
    }
    console_verdict(console, &run->verdict);
}

static int finish(Run *run, const Console *console)
{
    CompareSummary summary = summarise(run);
    MainView view;
    Arena *scratch = arena_new();
    bool seen = view_main(run, &summary, scratch, &view);
    keep_night(run, &summary);
    write_single_book(run);
    ReadTotals totals = {0};
    for (size_t i = 0; i < summary.count; i++) {
        console_add_read(&totals, &summary.pairs[i].reads[0]);
        console_add_read(&totals, &summary.pairs[i].reads[1]);
    }
    if (run->part)
        write_part(run, seen ? &view : NULL);
    else
        write_reports(run, &summary, seen ? &view : NULL);
    arena_release(scratch);
    write_mapping(run);
    outputs_note_missing(&run->outputs, &run->notices);
    console_notices(console, &run->notices);
    console_read_line(console, &totals, &run->notices);
    print_verdict(run, console);
    if (run->outputs.failed)
        return console_error(console, &run->err);
    if (run->log.failed)
        return 5;
    if (run->part && summary.count == 0)
        return 0;
    return compare_report_exit(&summary, options_flag(&run->options, "exit-zero"));
}

static int compare_checkpoints(Run *run, const Console *console)
{
    WeightsJob job = {
        .arena = run->arena,
        .options = &run->options,
        .outputs = &run->outputs,
        .notices = &run->notices,
        .err = &run->err,
        .paths = {run->paths[0], run->paths[1]},
        .golden = run->sides.golden,
        .target = run->sides.target
    };
    return compare_weights(&job, console);
}

// Whether some pair has the node that --focus names.
static bool check_focus(Run *run)
{
    const PairResult *missing = NULL;
    // The pairs of another part may have it.
    if (run->part && run->places.count > 1)
        return true;
    for (size_t i = 0; i < run->mine.count; i++) {
        const PairResult *result = &run->results[i];
        const PairFacts *facts = &result->facts;
        bool read = !facts->failed && !facts->golden_missing && !facts->target_missing;
        if (read && !result->focus_missing)
            return true;
        if (result->focus_missing && !missing)
            missing = result;
    }
    if (!missing)
        return true;
    StrBuf near;
    strbuf_init(&near, run->arena);
    for (size_t i = 0; i < missing->focus_near_count; i++)
        strbuf_printf(&near, "%s'" STR_FMT "'", i ? ", " : "", STR_ARG(missing->focus_near[i]));
    error_set(&run->err, ERR_USAGE, NOWHERE, tr("--focus: no node is called '" STR_FMT "'"),
              STR_ARG(run->pair_options.focus));
    return error_hint(&run->err, tr("spelled like it: " STR_FMT), STR_ARG(strbuf_str(&near)));
}

static int compare(Run *run, const Console *console)
{
    if (!find_sides(run))
        return console_error(console, &run->err);
    redact(run);
    if (!compare_shard_parse(&run->options, &run->part, &run->parts, &run->err) ||
        !outputs_plan(&run->options, "html,md,json,xlsx,svg,png", other_formats, run->arena,
                      &run->outputs, &run->err) ||
        (run->part && !compare_shard_check(&run->options, &run->outputs, &run->err)))
        return console_error(console, &run->err);
    if (!run->part && compare_weights_wanted(&run->options, run->paths, run->arena))
        return compare_checkpoints(run, console);
    if (!check_noise(run) || !read_criteria(run) ||
        !compare_mapping_read(&run->options, run->arena, &run->match, &run->notices, &run->err) ||
        !find_places(run) || !choose_mine(run))
        return console_error(console, &run->err);
    compare_all(run);
    int code = check_focus(run) ? finish(run, console) : console_error(console, &run->err);
    for (size_t i = 0; i < run->mine.count; i++)
        compare_pair_release(&run->results[i]);
    return code;
}

static int run_compare(const CommandCall *call)
{
    if (options_flag(&call->options, "runs"))
        return compare_runs(call);
    Run run = {
        .arena = call->arena, .options = call->options, .argc = call->argc, .argv = call->argv};
    notices_init(&run.notices, run.arena);
    return compare(&run, &call->console);
}

int command_compare(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_compare, argc, argv, collector);
}
