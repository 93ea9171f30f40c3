// SPDX-License-Identifier: Apache-2.0
// vernier compare: options, which pairs there are, and all of them in parallel.
#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/compare/compare_book.h"
#include "commands/compare/compare_main.h"
#include "commands/compare/compare_mapping.h"
#include "commands/compare/compare_pair.h"
#include "commands/compare/compare_report.h"
#include "commands/compare/compare_reports.h"
#include "commands/compare/compare_runs.h"
#include "commands/compare/compare_shard.h"
#include "commands/compare/compare_sides.h"
#include "commands/compare/compare_vis.h"
#include "commands/compare/compare_weights.h"
#include "commands/compare/pair_cost.h"
#include "commands/compare/pair_page.h"
#include "commands/compare/rows_join.h"
#include "commands/dumps/dump_argument.h"
#include "commands/dumps/dump_config.h"
#include "commands/dumps/parallel_places.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/history_log.h"
#include "commands/machinery/runner.h"
#include "compare/criteria_fit.h"
#include "compare/mapping_fit.h"
#include "compare/origin.h"
#include "compare/pair_groups.h"
#include "compare/precheck_ops.h"
#include "read/dump/dump_folder.h"
#include "read/dump/run_names.h"
#include "read/precheck/precheck_file.h"
#include "verdict/verdict_text.h"

static const OptionSpec specs[] = {
    {"golden", 'g', OPTION_TEXT, "DUMP", TR("the trusted run"), OPTION_INPUT},
    {"target", 't', OPTION_TEXT, "DUMP", TR("the run under question"), OPTION_INPUT},
    SELECTION_OPTIONS(OPTION_OF_DUMPS | OPTION_OF_RUNS),
    {"noise", 0, OPTION_LIST, "DUMP",
     TR("another run of the golden configuration: measures the noise"),
     OPTION_INPUT | OPTION_OF_DUMPS | OPTION_SETTING | OPTION_JUDGES},
    {"fuzzy", 0, OPTION_FLAG, NULL, TR("ignore call numbers when matching ops"), OPTION_OF_DUMPS},
    {"layer-mapping", 0, OPTION_YAML, "[FILE]",
     TR("what the target calls its layers (docs/matching.md)"), OPTION_OF_DUMPS},
    {"cell-mapping", 0, OPTION_YAML, "[FILE]", TR("what the target calls its modules"),
     OPTION_OF_DUMPS},
    {"api-mapping", 0, OPTION_YAML, "[FILE]",
     TR("what the target calls its APIs and their arguments"), OPTION_OF_DUMPS},
    {"data-mapping", 0, OPTION_TEXT, "FILE", TR("which row of the target is which row of golden"),
     OPTION_OF_DUMPS},
    {"write-mapping", 0, OPTION_TEXT, "FILE", TR("write the inferred matches as a data mapping"),
     OPTION_OUTPUT | OPTION_OF_DUMPS},
    {"write-layer-mapping", 0, OPTION_TEXT, "FILE",
     TR("write the inferred names of modules as a layer mapping"), OPTION_OUTPUT | OPTION_OF_DUMPS},
    {"consistency", 0, OPTION_CHOICE, "fsdp|megatron",
     TR("golden is inference, the target this kind of training"), OPTION_OF_DUMPS},
    {"criteria", 0, OPTION_TEXT, "FILE", TR("tolerances and exceptions (YAML, docs/criteria.md)"),
     OPTION_INPUT | OPTION_OF_DUMPS | OPTION_SETTING | OPTION_JUDGES},
    {"via", 0, OPTION_TEXT, "CKPT",
     TR("with two checkpoints: the one between them, e.g. of a converter: which step changes "
        "weights?"),
     OPTION_INPUT},
    {"dump-config", 0, OPTION_LIST, "FILE",
     TR("configuration of golden's dump, then of the target's; default: the one next to each dump"),
     OPTION_INPUT | OPTION_OF_DUMPS},
    {"precheck", 0, OPTION_LIST, "CSV",
     TR("CSV files of the target's pre-check, shown with the comparison ('vernier precheck')"),
     OPTION_INPUT | OPTION_OF_DUMPS},
    {"rules", 0, OPTION_CHOICE, "vernier|msprobe26|msprobe8",
     TR("the rules by which values are judged"), OPTION_OF_DUMPS},
    {"without", 0, OPTION_LIST, "RULE",
     TR("judge without a rule of 'vernier help rules', to see what it changes"),
     OPTION_OF_DUMPS | OPTION_JUDGES},
    {"strict", 0, OPTION_FLAG, NULL,
     TR("exit 1 also for replaced ops, ops on one side only and values that pass by a rule"),
     OPTION_OF_DUMPS | OPTION_SETTING | OPTION_JUDGES},
    {"view", 0, OPTION_CHOICE, "tree|boxes|card", TR("what the picture of a pair shows"),
     OPTION_OF_DUMPS},
    {"focus", 0, OPTION_TEXT, "NAME",
     TR("a node to show: first-divergence, worst, an id or a module path"), OPTION_OF_DUMPS},
    {"depth", 0, OPTION_COUNT, "N", TR("open the hierarchy of the picture down to this depth"),
     OPTION_OF_DUMPS},
    {"overflow", 0, OPTION_FLAG, NULL, TR("mark NaN, Inf and norm explosions"), OPTION_OF_DUMPS},
    PARALLEL_MERGE_OPTION,
    HISTORY_OPTION,
    SOURCE_ROOT_OPTION,
    {"all-pictures", 0, OPTION_FLAG, NULL,
     TR("page, pictures and workbook of every pair, also of those that agree"), OPTION_OF_DUMPS},
    {"all-rows", 0, OPTION_FLAG, NULL, TR("write all rows, also beyond 100,000"), 0},
    {"runs", 0, OPTION_FLAG, NULL,
     TR("the dumps are runs of one configuration: compare each with the most common one "
        "(docs/runs.md)"),
     OPTION_OF_RUNS},
    {"shard", 0, OPTION_TEXT, "I/N",
     TR("compare the I-th of N parts of the pairs, for 'vernier merge'"),
     OPTION_ASIDE | OPTION_OF_PART},
};

static bool make_compare(const CommandCall *call, Product *out);

const CommandSpec compare_command = {
    .name = "compare",
    .arguments = "GOLDEN TARGET",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_compare,
};

static const OtherFormat other_formats[] = {
    VERDICT_FORMATS, {"nodes", ".nodes.json"}, {"junit", ".xml"}, {"vis-db", ".db"}, {NULL, NULL},
};

// Everything of one run of the command.
typedef struct CompareJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
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
    Criteria *criteria;     // or NULL
    const Names *precheck;  // compare/precheck_ops.h, or NULL
    RuleSet without;        // rules that are off
    MatchOptions match;
    ComparePairOptions pair_options;
    Stated stated[2];     // by the configurations of golden and target
    const size_t *order;  // in which the pairs are begun
    PairStore *store;     // of the dumps that they read, or NULL
    MainKeeper keeper;
    PairResult *results;
    size_t *shown;  // the pairs that stand for others, while their files are written
    Verdict verdict;
    MainView view;
    Arena *scratch;  // of what the reports show of the main pair
    CompareResults report;
    Shard shard_file;
    WeightsJob weights;
} CompareJob;

// From here on no folder is named: not in notices, not in the sides as they are shown.
static void redact(CompareJob *job)
{
    if (!options_flag(job->options, "redact"))
        return;
    redact_add(&job->redaction, job->arena, job->paths[0], STR("golden"));
    redact_add(&job->redaction, job->arena, job->paths[1], STR("target"));
    size_t count = options_list_count(job->options, "noise");
    for (size_t i = 0; i < count; i++)
        redact_add(&job->redaction, job->arena, options_list_item(job->options, "noise", i),
                   str_printf(job->arena, "noise%zu", i + 1));
    job->sides = (VerdictSides){.golden = STR("golden"), .target = STR("target")};
    job->notices->redaction = &job->redaction;
}

static bool read_criteria(CompareJob *job)
{
    Str path = options_text(job->options, "criteria", "");
    if (path.size == 0)
        return true;
    job->criteria = ARENA_NEW(job->arena, Criteria);
    if (!criteria_read(str_cstr(job->arena, path), job->arena, job->criteria, job->notices,
                       job->err))
        return false;
    job->criteria->path = redact_path(job->notices->redaction, path, job->arena);
    return true;
}

static bool read_precheck(CompareJob *job)
{
    size_t count = options_list_count(job->options, "precheck");
    Precheck precheck;
    precheck_init(job->arena, &precheck);
    for (size_t i = 0; i < count; i++) {
        const char *path = str_cstr(job->arena, options_list_item(job->options, "precheck", i));
        if (!precheck_read(path, job->arena, &precheck, job->notices, job->err))
            return false;
    }
    precheck_tell_contradictions(&precheck, job->notices);
    precheck_sort(&precheck);
    for (size_t i = 0; i < precheck.count && job->notices->redaction; i++)
        precheck.items[i].message =
            redact_text(job->notices->redaction, precheck.items[i].message, job->arena);
    job->precheck = count ? precheck_ops(&precheck, job->arena) : NULL;
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

static bool read_without(CompareJob *job)
{
    size_t count = options_list_count(job->options, "without");
    for (size_t i = 0; i < count; i++) {
        Str id = options_list_item(job->options, "without", i);
        Rule rule = rule_by_id(id);
        if (rule == RULE_COUNT)
            return error_set(job->err, ERR_USAGE, NOWHERE,
                             tr("--without: expected a rule of 'vernier help rules' that is no "
                                "check, found '" STR_FMT "'"),
                             STR_ARG(id));
        job->without |= (RuleSet)1 << rule;
        notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                    tr("judged without the rule %s (--without)"), rule_table[rule].id);
    }
    return true;
}

// A run differs from itself by nothing, and the target may differ by more than noise.
static bool check_noise(CompareJob *job)
{
    size_t count = options_list_count(job->options, "noise");
    for (size_t i = 0; i < count; i++) {
        char *path = str_cstr(job->arena, options_list_item(job->options, "noise", i));
        if (file_same(path, str_cstr(job->arena, job->paths[1])))
            return error_set(job->err, ERR_USAGE, WHERE_FILE(path), "%s",
                             tr("--noise: expected another run of the golden configuration, found "
                                "the target itself"));
        if (file_same(path, str_cstr(job->arena, job->paths[0])))
            notices_add(job->notices, NOTICE_WARNING, WHERE_FILE(path), "%s",
                        tr("golden itself does not describe its noise: expected another run of its "
                           "configuration after --noise"));
    }
    return true;
}

// Which dumps are looked for, on every side.
typedef struct Search {
    DumpSelection selection;
    ParallelMerge merge;
    int jobs;
} Search;

static bool read_search(CompareJob *job, Search *out)
{
    out->jobs = options_jobs(job->options);
    return dump_selection_read(job->options, job->arena, &out->selection, job->err);
}

static bool find_dumps(CompareJob *job, const Search *search, Str path, DumpPlaces *out)
{
    return folder_find_dumps(str_cstr(job->arena, path), &search->selection, job->arena, out,
                             job->notices, job->err);
}

// Ranks that hold one model in parts become one place.
static bool merge_ranks(CompareJob *job, const Search *search, const ParallelLayout *layout,
                        DumpPlaces *places)
{
    return !search->merge.wanted ||
           parallel_places(layout, search->jobs, job->arena, places, job->notices, job->err);
}

static bool check_rules(CompareJob *job)
{
    if (rules_of(job->options) == RULES_VERNIER)
        return true;
    if (options_given(job->options, "consistency"))
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--consistency goes with the rules vernier only"));
    if (job->precheck)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--precheck goes with the rules vernier only"));
    for (int i = 0; i < 2; i++)
        if (options_given(job->options, i ? "strict" : "without"))
            return error_set(job->err, ERR_USAGE, NOWHERE,
                             tr("--%s goes with the rules vernier only"), i ? "strict" : "without");
    return !job->criteria || error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                                       tr("--criteria goes with the rules vernier only"));
}

static bool find_noise(CompareJob *job, const Search *search)
{
    job->noise_count = options_list_count(job->options, "noise");
    job->noise = ARENA_ARRAY(job->arena, DumpPlaces, job->noise_count);
    job->noise_paths = ARENA_ARRAY(job->arena, Str, job->noise_count);
    for (size_t i = 0; i < job->noise_count; i++) {
        Str path = options_list_item(job->options, "noise", i);
        job->noise_paths[i] = redact_path(job->notices->redaction, path, job->arena);
        if (!find_dumps(job, search, path, &job->noise[i]) ||
            !merge_ranks(job, search, &search->merge.golden, &job->noise[i]))
            return false;
    }
    return true;
}

static bool find_places(CompareJob *job)
{
    Search search;
    DumpPlaces golden, target;
    if (!read_search(job, &search) || !find_dumps(job, &search, job->paths[0], &golden) ||
        !find_dumps(job, &search, job->paths[1], &target) || !check_rules(job) ||
        !parallel_merge_options(job->options, job->arena, &search.merge, job->err) ||
        !merge_ranks(job, &search, &search.merge.golden, &golden) ||
        !merge_ranks(job, &search, &search.merge.target, &target))
        return false;
    if (outputs_want(job->outputs, "vis-db") &&
        (!dump_one_stage(&golden, job->err) || !dump_one_stage(&target, job->err)))
        return false;
    folder_pair_dumps(&golden, &target, job->arena, &job->places);
    const char *given[2] = {NULL, NULL};
    for (size_t side = 0; side < 2 && side < options_list_count(job->options, "dump-config");
         side++)
        given[side] = str_cstr(job->arena, options_list_item(job->options, "dump-config", side));
    dump_config_tell(str_cstr(job->arena, job->paths[0]), str_cstr(job->arena, job->paths[1]),
                     given, job->arena, job->stated, job->notices);
    if (!options_given(job->options, "golden") || !options_given(job->options, "target"))
        run_names_note_swapped("compare", job->paths, job->notices);
    compare_sides_note_pairs(job->paths, &golden, &target, &job->places, job->notices);
    return find_noise(job, &search);
}

static void compare_one(void *context, size_t turn)
{
    CompareJob *job = context;
    size_t index = job->order[turn];
    const PlacePair *place = &job->mine.items[index], *before;
    PairStore *store = job->pair_options.store;
    compare_pair_run(place, &job->pair_options, &job->results[index]);
    before = store ? place_pair_before(&job->places, place) : NULL;
    if (before)
        pair_store_leave(store, before);
    size_t loser = main_keeper_offer(&job->keeper, job->results, index);
    if (loser != SIZE_MAX) {
        compare_pair_drop(&job->results[loser]);
        if (store)
            pair_store_leave(store, &job->mine.items[loser]);
    }
    progress_pair_done(job->outputs->progress);
}

// How many ranks the run had in the first stage of the first step.
static uint32_t world_size(const PlacePairs *places)
{
    uint32_t ranks = 0;
    for (size_t i = 0; i < places->count; i++)
        ranks += places->items[i].step == places->items[0].step &&
                 str_equal(places->items[i].stage, places->items[0].stage);
    return ranks > 1 ? ranks : 0;
}

static bool choose_mine(CompareJob *job)
{
    job->mine = job->places;
    if (job->part == 0)
        return true;
    if (!compare_shard_select(&job->places, job->part, job->parts, job->arena, &job->shard,
                              job->notices, job->err))
        return false;
    job->mine = job->shard.mine;
    notices_init(&job->before, job->arena);
    notices_join(&job->before, job->notices);
    return true;
}

// Some outputs show the main pair.
static bool shows_main(const CompareJob *job)
{
    if (!job->part && !outputs_want_pictures(job->outputs))
        return false;
    for (size_t i = 0; i < job->outputs->count; i++)
        if (!job->outputs->targets[i].folder)
            return true;
    return job->part || outputs_want_pages(job->outputs);
}

static void show_one(void *context, size_t turn)
{
    CompareJob *job = context;
    size_t index = job->shown[turn];
    compare_pair_show(&job->mine.items[index], &job->pair_options, &job->results[index]);
}

// One pair of each group of pairs that are equal gets pictures, a page and a workbook.
static void show_groups(CompareJob *job, int jobs)
{
    size_t count = job->mine.count, shown = 0;
    Arena *scratch = arena_new();
    PairFacts *facts = ARENA_ARRAY(scratch, PairFacts, count);
    PairGroups groups;
    for (size_t i = 0; i < count; i++)
        facts[i] = job->results[i].facts;
    size_t origin = origin_find(facts, count);
    pair_groups(facts, count, origin, scratch, &groups);
    job->shown = ARENA_ARRAY(scratch, size_t, groups.count);
    for (size_t i = 0; i < groups.count; i++)
        if (job->results[groups.items[i].first].written_any &&
            pair_group_shown(&groups, i, facts, origin))
            job->shown[shown++] = groups.items[i].first;
    if (!job->pair_options.single && !job->pair_options.all_pictures)
        threads_run(shown, jobs, show_one, job);
    for (size_t i = 0; i < count; i++)
        compare_pair_list(&job->mine.items[i], &job->pair_options, &job->results[i]);
    arena_release(scratch);
}

// Those that no pair of its own keeps busy help within the pairs.
static int jobs_within(int jobs, size_t pairs)
{
    return pairs && (size_t)jobs > pairs ? jobs / (int)pairs : 1;
}

static bool compare_all(CompareJob *job, Product *out)
{
    size_t count = job->mine.count;
    int jobs = options_jobs(job->options);
    job->pair_options = (ComparePairOptions){
        .rules = rules_of(job->options),
        .overflow = options_flag(job->options, "overflow"),
        .all_rows = options_flag(job->options, "all-rows"),
        .all_pictures = options_flag(job->options, "all-pictures"),
        .all_books = options_given(job->options, "format"),
        .criteria = job->criteria,
        .without = job->without,
        .match = &job->match,
        .precheck = job->precheck,
        .stated = {&job->stated[0], &job->stated[1]},
        .consistency = options_text(job->options, "consistency", ""),
        .collect_mapping = options_given(job->options, "write-mapping"),
        .collect_layers = history_wanted(job->options),
        .keep_facts = job->part > 0,
        .collect_layer_mapping = options_given(job->options, "write-layer-mapping"),
        .single = job->places.count == 1,
        .pages = pair_page_wanted(job->outputs, job->places.count),
        .jobs = jobs_within(jobs, count),
        .view = options_text(job->options, "view", "tree"),
        .focus = options_text(job->options, "focus", ""),
        .depth = (uint32_t)options_count(job->options, "depth", 0),
        .tree = console_of(job->options).result_terminal && !outputs_want_pages(job->outputs),
        .world_size = world_size(&job->places),
        .sides = job->sides,
        .places = &job->places,
        .noise = job->noise,
        .noise_count = job->noise_count,
        .outputs = job->outputs,
        .redaction = job->notices->redaction};
    job->results = ARENA_ARRAY(job->arena, PairResult, count);
    if (!job->pair_options.single &&
        !rows_join_open(job->outputs, job->arena, &job->pair_options.rows, job->err))
        return false;
    progress_pairs(job->outputs->progress, count);
    job->order = pair_cost_order(&job->mine, job->arena);
    if (!job->pair_options.single && job->pair_options.rules == RULES_VERNIER &&
        !job->pair_options.consistency.size)
        job->pair_options.store =
            pair_store_new(&job->mine, &job->places, job->notices->redaction, job->arena);
    job->pair_options.keeps = job->pair_options.single || shows_main(job);
    main_keeper_init(&job->keeper, job->pair_options.keeps, count, job->arena);
    threads_run(count, jobs, compare_one, job);
    job->store = job->pair_options.store;
    job->pair_options.store = NULL;
    show_groups(job, jobs);
    for (size_t i = 0; i < count; i++) {
        notices_join(job->notices, &job->results[i].notices);
        product_copy(&job->results[i].product, out);
        if (job->results[i].output_failed) {
            job->outputs->failed = true;
            *job->err = job->results[i].output_error;
        }
    }
    return true;
}

static CompareSummary summarise(CompareJob *job)
{
    size_t count = job->mine.count;
    PairFacts *facts = ARENA_ARRAY(job->arena, PairFacts, count);
    Verdict *verdicts = ARENA_ARRAY(job->arena, Verdict, count);
    PairFiles *files = ARENA_ARRAY(job->arena, PairFiles, count);
    for (size_t i = 0; i < count; i++) {
        facts[i] = job->results[i].facts;
        verdicts[i] = job->results[i].verdict;
        files[i] = job->results[i].files;
    }
    if (job->criteria && !job->part)
        criteria_note_unused(job->criteria, facts, count, job->notices);
    if (!job->part)
        mapping_note_unused(facts, count, job->notices);
    CompareSummary summary = {.version = VERNIER_VERSION,
                              .pairs = facts,
                              .verdicts = verdicts,
                              .files = files,
                              .count = count,
                              .golden_path = job->sides.golden,
                              .target_path = job->sides.target,
                              .rules = job->pair_options.rules,
                              .criteria = job->criteria,
                              .judged_by = job->sides.judged_by,
                              .strict = job->sides.strict,
                              .noise_paths = job->noise_paths,
                              .noise_count = job->noise_count,
                              .notices = job->notices};
    compare_report_verdict(&summary, job->arena, &job->verdict);
    return summary;
}

static const JunitCases *cases_of(CompareJob *job)
{
    JunitCases *cases = ARENA_ARRAY(job->arena, JunitCases, job->mine.count);
    for (size_t i = 0; i < job->mine.count; i++)
        cases[i] = job->results[i].cases;
    return cases;
}

// Before the run is judged for good: a file that cannot be read again makes it partial.
static bool view_main(CompareJob *job, CompareSummary *summary)
{
    size_t main = compare_report_main(summary->pairs, summary->count);
    job->view = (MainView){.several = job->places.count > 1};
    if (main == SIZE_MAX || !shows_main(job))
        return false;
    PairResult *result = &job->results[main];
    bool seen = compare_main_view(&job->mine.items[main], &job->pair_options, job->scratch, result,
                                  &job->view);
    if (notices_join_new(job->notices, &result->notices))
        *summary = summarise(job);
    return seen;
}

static void write_joined_rows(void *context, Outputs *outputs)
{
    const CompareJob *job = context;
    rows_join_write(job->pair_options.rows, job->results, job->mine.count, outputs);
}

// `view`: NULL if the main pair is not shown.
static void add_reports(CompareJob *job, const MainView *view, Product *out)
{
    CompareResults *report = &job->report;
    report->cases = cases_of(job);
    report->main = compare_report_main(report->summary.pairs, report->summary.count);
    report->parts = view ? &view->parts : NULL;
    if (report->main != SIZE_MAX)
        out->tree = job->results[report->main].tree;
    report->title = options_text(job->options, "title", "");
    report->root = options_text(job->options, "source-root", "");
    report->command = command_quote(job->options, job->notices->redaction, job->arena);
    // The files of the only pair are written already.
    if (view && report->summary.count > 1)
        report->picture = view->picture;
    compare_vis_add(&job->places, job->results, &job->pair_options, out);
    if (job->pair_options.rows)
        product_emit(out, write_joined_rows, job);
    compare_report_add(report, out);
}

static void keep_night(CompareJob *job, CompareSummary *summary, Product *out)
{
    LayerFacts *layers = ARENA_ARRAY(job->arena, LayerFacts, summary->count);
    for (size_t i = 0; i < summary->count; i++)
        layers[i] = job->results[i].layers;
    compare_report_keep(summary, layers, job->options, out);
    job->pair_options.history = summary->history;
}

// The workbook of a single pair waits for the night, to hold the sheet History.
static void add_single_book(CompareJob *job, Product *out)
{
    const PairResult *only = job->results;
    if (job->places.count == 1 && only->graphs && job->pair_options.collect_layers)
        compare_book_add(only->graphs, job->places.items, &job->pair_options, only, out);
}

static void write_shard(void *context, Outputs *outputs)
{
    CompareJob *job = context;
    compare_shard_write(&job->shard_file, &job->shard, job->results, outputs);
}

// What a part of a run says of itself; a part to which no pair falls is done, not wrong.
static void add_part(CompareJob *job, const MainView *view, Product *out)
{
    job->shard_file = (Shard){.part = job->part,
                              .parts = job->parts,
                              .golden = job->sides.golden,
                              .target = job->sides.target,
                              .rules = job->pair_options.rules,
                              .criteria = job->criteria,
                              .judged_by = job->sides.judged_by,
                              .noise_paths = job->noise_paths,
                              .noise_count = job->noise_count,
                              .notices = job->before,
                              .has_main = view != NULL};
    if (view) {
        job->shard_file.parts_of_page = view->parts;
        job->shard_file.picture = view->picture;
    }
    compare_shard_describe(job->options, job->notices->redaction, job->arena, &job->shard_file);
    product_emit(out, write_shard, job);
    compare_report_judge(&job->report.summary, out);
    bool any = job->mine.count > 0;
    if (!any)
        out->status = PRODUCT_AGREES;
    out->verdict.sentence =
        str_printf(job->arena, tr("part %u of %u, %zu of %zu pairs: " STR_FMT), job->part,
                   job->parts, job->mine.count, job->places.count,
                   STR_ARG(any ? out->verdict.sentence : str_of(tr("nothing to do"))));
}

// A part leaves that to merge.
static bool write_mapping(void *context, Notices *notices, Error *err)
{
    const CompareJob *job = context;
    size_t count = job->mine.count;
    if (job->part)
        return true;
    Mappings mappings = {.rows = ARENA_ARRAY(job->arena, NameMapping, count),
                         .layers = ARENA_ARRAY(job->arena, LayerMapping, count),
                         .count = count};
    for (size_t i = 0; i < count; i++) {
        mappings.rows[i] = job->results[i].mapping;
        mappings.layers[i] = job->results[i].layer_mapping;
    }
    return compare_mapping_write(job->options, &mappings, notices, err);
}

static void produce(CompareJob *job, Product *out)
{
    CompareSummary *summary = &job->report.summary;
    *summary = summarise(job);
    bool seen = view_main(job, summary);
    keep_night(job, summary, out);
    add_single_book(job, out);
    if (job->part)
        add_part(job, seen ? &job->view : NULL, out);
    else
        add_reports(job, seen ? &job->view : NULL, out);
    out->write_beside = write_mapping;
}

static bool make_weights(CompareJob *job, Product *out)
{
    job->weights = (WeightsJob){.arena = job->arena,
                                .options = job->options,
                                .outputs = job->outputs,
                                .notices = job->notices,
                                .err = job->err,
                                .paths = {job->paths[0], job->paths[1]},
                                .golden = job->sides.golden,
                                .target = job->sides.target};
    return compare_weights(&job->weights, out);
}

// Whether some pair has the node that --focus names.
static bool check_focus(CompareJob *job)
{
    const PairResult *missing = NULL;
    // The pairs of another part may have it.
    if (job->part && job->places.count > 1)
        return true;
    for (size_t i = 0; i < job->mine.count; i++) {
        const PairResult *result = &job->results[i];
        const PairFacts *facts = &result->facts;
        bool read = !facts->failed && !facts->golden_missing && !facts->target_missing;
        if (read && !result->focus_missing)
            return true;
        if (result->focus_missing && !missing)
            missing = result;
    }
    if (!missing)
        return true;
    StrBuf near = strbuf_new(job->arena);
    for (size_t i = 0; i < missing->focus_near_count; i++)
        strbuf_printf(&near, "%s'" STR_FMT "'", i ? ", " : "", STR_ARG(missing->focus_near[i]));
    error_set(job->err, ERR_USAGE, NOWHERE, tr("--focus: no node is called '" STR_FMT "'"),
              STR_ARG(job->pair_options.focus));
    return error_hint(job->err, tr("spelled like it: " STR_FMT), STR_ARG(strbuf_str(&near)));
}

static void release(void *context)
{
    CompareJob *job = context;
    arena_release(job->scratch);
    rows_join_close(job->pair_options.rows);
    for (size_t i = 0; i < job->mine.count && job->results; i++)
        compare_pair_release(&job->results[i]);
    if (!job->store)
        return;
    pthread_mutex_destroy(&job->keeper.lock);
    pair_store_free(job->store);
}

static bool make_pairs(CompareJob *job, Product *out)
{
    settings_tell(job->options, job->notices);
    job->sides.judged_by = settings_judging(job->options, job->notices->redaction, job->arena);
    job->sides.strict = options_flag(job->options, "strict");
    if (!check_noise(job) || !read_criteria(job) || !read_precheck(job) || !read_without(job) ||
        !compare_mapping_read(job->options, job->arena, &job->match, job->notices, job->err) ||
        !find_places(job) || !choose_mine(job))
        return false;
    out->release = release;
    out->job = job;
    job->scratch = arena_new();
    if (!compare_all(job, out) || !check_focus(job))
        return false;
    produce(job, out);
    return true;
}

static bool make_compare(const CommandCall *call, Product *out)
{
    if (options_flag(call->options, "runs")) {
        options_drop_settings(call->options, OPTION_JUDGES, true);
        return compare_runs(call, out);
    }
    CompareJob *job = ARENA_NEW(call->arena, CompareJob);
    *job = (CompareJob){.arena = call->arena,
                        .options = call->options,
                        .outputs = call->outputs,
                        .notices = call->notices,
                        .err = call->err};
    if (!compare_sides_find(call, job->paths))
        return false;
    job->sides = (VerdictSides){.golden = job->paths[0], .target = job->paths[1]};
    redact(job);
    if (!compare_shard_parse(job->options, &job->part, &job->parts, job->err) ||
        !outputs_plan(job->options, other_formats, job->arena, job->outputs, job->err) ||
        (job->part && !compare_shard_check(job->options, job->outputs, job->err)))
        return false;
    outputs_list_files(job->outputs);
    job->outputs->keeps_old = job->part > 0;
    if (compare_reports_wanted(job->paths, job->arena)) {
        options_drop_settings(job->options, OPTION_JUDGES, true);
        return compare_reports(call, job->paths, out);
    }
    if (job->part || !compare_weights_wanted(job->options, job->paths, job->arena))
        return make_pairs(job, out);
    options_drop_settings(job->options, OPTION_JUDGES, true);
    return make_weights(job, out);
}
