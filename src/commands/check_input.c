// SPDX-License-Identifier: Apache-2.0
#include "commands/check_input.h"

#include "base/shell_word.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/dumps/dump_argument.h"
#include "compare/invariant/witness_take.h"
#include "compare/nonfinite/nonfinite.h"
#include "model/graph/graph_build.h"
#include "read/dump/dump_source.h"

typedef struct Reading {
    Arena *arena;
    const Options *options;
    const Expects *expects;
    CheckInput *out;
    Notices *notices;
    DumpArgument dump;
    DumpSelection selection;
    CheckpointPlaces checkpoints;
    size_t *ends;   // by rank: where its files end in `checkpoints`
    Notices *told;  // by rank
} Reading;

// ---- what it is

static bool holds_dump(const Reading *of, const char *path)
{
    DumpPlaces places;
    Notices quiet;
    Error err;
    notices_init(&quiet, of->arena);
    return folder_find_dumps(path, &of->selection, of->arena, &places, &quiet, &err) &&
           file_kind(places.items[0].file) == FILE_REGULAR && !weights_is(places.items[0].file);
}

static void choose_checkpoints(Reading *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->checkpoints.count; i++) {
        const CheckpointPlace *it = &of->checkpoints.items[i];
        if (number_list_has(&of->selection.steps, it->step) &&
            number_list_has(&of->selection.ranks, it->rank))
            of->checkpoints.items[kept++] = *it;
    }
    of->checkpoints.count = kept;
}

static void tell_empty_folders(const Reading *of)
{
    const CheckpointPlaces *all = &of->checkpoints;
    for (size_t i = 0; i < all->empty_count; i++)
        if (number_list_has(&of->selection.steps, all->empty[i].step))
            notices_partial(of->notices, WHERE_FILE(all->empty[i].path), "%s",
                            tr("is called after a step and holds no weights"));
}

static bool find_monitor(const Reading *of, MonitorTrees *out)
{
    Notices quiet;
    Error err;
    notices_init(&quiet, of->arena);
    return of->options->argument_count == 1 &&
           monitor_find(str_cstr(of->arena, of->options->arguments[0]), of->arena, out, &quiet,
                        &err) &&
           out->items[0].series.count > 0;
}

// ---- reading

// A dump, of which the hierarchy may be asked for.
typedef struct DumpRead {
    Dump dump;
    const DumpPlace *place;
    Arena *scratch;
    Notices *told;
} DumpRead;

static const Graph *make_graph(void *context)
{
    DumpRead *of = context;
    Construct construct;
    Stacks *stacks;
    Graph *graph = ARENA_NEW(of->scratch, Graph);
    dump_read_hierarchy(&of->dump, of->place->folder, of->scratch, &construct, &stacks, of->told);
    graph_build(&of->dump, &construct, stacks, GRAPH_VERNIER, of->scratch, graph, of->told);
    return graph;
}

static void read_dump(Reading *of, size_t index)
{
    RankWitness *rank = &of->out->ranks[index];
    Notices *told = &of->told[index];
    Arena *scratch = arena_new();
    Names *names = names_new(scratch);
    DumpRead reading = {.place = &of->dump.places.items[index], .scratch = scratch, .told = told};
    Dump *dump = &reading.dump;
    Error err;
    if (of->notices->redaction)
        names_redact(names);
    rank->failed = !dump_read(reading.place->file, names, scratch, dump, told, &err);
    if (rank->failed) {
        notices_add_error(told, &err);
        arena_release(scratch);
        return;
    }
    rank->read.bytes = dump->bytes;
    rank->read.ops = dump->op_count;
    rank->read.partial_at = dump->partial_at;
    rank->silent = dump->op_count && !dump->has_checksum && !nonfinite_told_any(dump);
    witness_take(dump, &(GraphSource){make_graph, &reading}, scratch, rank);
    witness_tokens(dump, rank, told);
    witness_keep(of->out->pool, of->out->arenas[index], rank);
    arena_release(scratch);
}

static void read_weights(Reading *of, size_t index)
{
    RankWitness *rank = &of->out->ranks[index];
    Arena *scratch = arena_new();
    rank->arena = scratch;
    for (size_t i = index ? of->ends[index - 1] : 0; i < of->ends[index]; i++) {
        const CheckpointPlace *place = &of->checkpoints.items[i];
        Weights weights;
        Error err;
        if (!weights_open(place->path, scratch, &weights, &of->told[index], &err)) {
            notices_add_error(&of->told[index], &err);
            rank->failed = true;
            continue;
        }
        account_see(&of->told[index].account, weights.count);
        rank->read.bytes += weights.bytes;
        rank->read.ops += (uint32_t)weights.count;
        rank->has_share = place->has_share;
        rank->share_of = place->copy * of->checkpoints.stages + place->stage;
        witness_weights(&weights, place->aside, rank, &of->told[index]);
        weights_close(&weights);
    }
    witness_weights_end(rank);
    witness_keep(of->out->pool, of->out->arenas[index], rank);
    arena_release(scratch);
}

static void read_rank(void *context, size_t index)
{
    Reading *of = context;
    if (of->out->kind == CHECK_DUMP)
        read_dump(of, index);
    else
        read_weights(of, index);
}

static void begin_ranks(Reading *of, size_t count)
{
    of->out->count = count;
    of->out->pool = witness_pool_new();
    of->out->ranks = ARENA_ARRAY(of->arena, RankWitness, count);
    of->out->arenas = ARENA_ARRAY(of->arena, Arena *, count);
    of->told = ARENA_ARRAY(of->arena, Notices, count);
    for (size_t i = 0; i < count; i++) {
        of->out->arenas[i] = arena_new();
        notices_init(&of->told[i], of->out->arenas[i]);
        of->told[i].redaction = of->notices->redaction;
    }
}

static void set_rank(Reading *of, size_t index, int64_t step, int64_t rank, const char *file)
{
    of->out->ranks[index] =
        (RankWitness){.step = step,
                      .rank = rank,
                      .expects = of->expects,
                      .read = {.file = redact_path(of->notices->redaction, str_of(file), of->arena),
                               .partial_at = -1}};
}

static void read_ranks(Reading *of)
{
    int jobs = options_jobs(of->options);
    threads_run(of->out->count, jobs, read_rank, of);
    for (size_t i = 0; i < of->out->count; i++) {
        account_compare_rest(&of->told[i].account);
        notices_join(of->notices, &of->told[i]);
        if (!of->out->ranks[i].failed)
            console_add_read(&of->out->totals, &of->out->ranks[i].read);
    }
}

static bool take_dumps(Reading *of, Error *err)
{
    if (!folder_is_one_stage(&of->dump.places)) {
        error_set(err, ERR_USAGE, NOWHERE, "%s",
                  tr("check: the dumps are of several stages, each a run of its own"));
        return error_hint(err, "%s", tr("choose one with --stage"));
    }
    begin_ranks(of, of->dump.places.count);
    for (size_t i = 0; i < of->out->count; i++)
        set_rank(of, i, of->dump.places.items[i].step, of->dump.places.items[i].rank,
                 of->dump.places.items[i].file);
    read_ranks(of);
    return true;
}

// Files of one step and rank are read as one.
static void take_weights(Reading *of)
{
    const CheckpointPlaces *all = &of->checkpoints;
    size_t count = 0;
    of->ends = ARENA_ARRAY(of->arena, size_t, all->count);
    for (size_t i = 0; i < all->count; i++) {
        bool new = i == 0 || all->items[i].step != all->items[i - 1].step ||
                   all->items[i].rank != all->items[i - 1].rank;
        count += new;
        of->ends[count - 1] = i + 1;
    }
    begin_ranks(of, count);
    for (size_t i = 0; i < count; i++) {
        const CheckpointPlace *first = &all->items[i ? of->ends[i - 1] : 0];
        set_rank(of, i, first->step, first->rank, first->path);
    }
    of->out->totals.weights = true;
    read_ranks(of);
}

// Each tree is a run of its own, and none is chosen in silence.
static bool is_one_monitor(const Reading *of, const MonitorTrees *trees, Error *err)
{
    StrBuf list = strbuf_new(of->arena);
    if (trees->count == 1)
        return true;
    for (size_t i = 0; i < trees->count; i++)
        strbuf_printf(&list, "%s" STR_FMT, i ? ", " : "",
                      STR_ARG(path_base(str_of(trees->items[i].base))));
    error_set(err, ERR_INPUT, WHERE_FILE(str_cstr(of->arena, of->out->shown)),
              tr("holds several runs: " STR_FMT), STR_ARG(strbuf_str(&list)));
    return error_hint(err, tr("name one of them: %s"),
                      SHELL_LINE(of->arena, "check", trees->items[0].base));
}

static void take_monitor(Reading *of, const MonitorTrees *trees)
{
    MonitorWitness found;
    begin_ranks(of, 1);
    witness_monitor(&trees->items[0], &of->selection.steps, &of->selection.ranks,
                    of->out->arenas[0], &found, of->notices);
    of->out->ranks = found.items;
    of->out->count = found.count;
    of->out->totals.rows = true;
    of->out->totals.files = trees->items[0].series.count;
    for (size_t i = 0; i < found.count; i++)
        of->out->totals.ops += found.items[i].parameter_count;
}

static void redact(Reading *of)
{
    if (!options_flag(of->options, "redact"))
        return;
    for (size_t i = 0; i < of->options->argument_count; i++)
        redact_add(&of->out->redaction, of->arena, of->options->arguments[i], STR("run"));
    of->notices->redaction = &of->out->redaction;
    of->out->shown = STR("run");
}

bool check_input_read(const Options *options, const Expects *expects, Arena *arena, CheckInput *out,
                      Notices *notices, Error *err)
{
    Reading of = {
        .arena = arena, .options = options, .expects = expects, .out = out, .notices = notices};
    MonitorTrees trees = {0};
    size_t count = options->argument_count;
    *out = (CheckInput){.shown = count ? options->arguments[0] : STR("")};
    if (!dump_selection_read(options, arena, &of.selection, err))
        return false;
    bool dump = count == 0 || (count == 1 && holds_dump(&of, str_cstr(arena, out->shown)));
    if (!dump && checkpoint_find(options->arguments, count, arena, &of.checkpoints, notices)) {
        out->kind = CHECK_WEIGHTS;
        choose_checkpoints(&of);
        redact(&of);
        tell_empty_folders(&of);
        take_weights(&of);
        return out->count > 0 ||
               error_set(err, ERR_INPUT, NOWHERE, "%s",
                         tr("no checkpoint has the steps and ranks that are asked for"));
    }
    if (!dump && find_monitor(&of, &trees)) {
        if (!is_one_monitor(&of, &trees, err))
            return false;
        out->kind = CHECK_MONITOR;
        redact(&of);
        take_monitor(&of, &trees);
        return true;
    }
    if (!dump_argument_find(options, "check", arena, &of.dump, notices, err))
        return false;
    out->shown = of.dump.shown;
    out->redaction = of.dump.redaction;
    notices->redaction = options_flag(options, "redact") ? &out->redaction : NULL;
    return take_dumps(&of, err);
}

void check_input_release(CheckInput *input)
{
    size_t count = input->kind == CHECK_MONITOR ? 1 : input->count;
    for (size_t i = 0; i < count && input->arenas; i++)
        arena_release(input->arenas[i]);
    input->arenas = NULL;
    witness_pool_release(input->pool);
    input->pool = NULL;
}
