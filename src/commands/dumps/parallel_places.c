// SPDX-License-Identifier: Apache-2.0
#include "commands/dumps/parallel_places.h"

#include "base/array.h"
#include "base/threads.h"
#include "base/words.h"
#include "compare/nonfinite/parallel_groups.h"
#include "read/dump/dump_source.h"
#include "read/dump/place_name.h"

// msProbe merges shares, stages and virtual stages alone.
static bool check_rules(const Options *options, const ParallelMerge *merge, Error *err)
{
    bool peer = !str_equal(options_text(options, "rules", "vernier"), STR("vernier"));
    bool batches =
        parallel_layout_batches(&merge->golden) > 1 || parallel_layout_batches(&merge->target) > 1;
    return !(peer && batches) ||
           error_set(err, ERR_USAGE, NOWHERE, "%s",
                     tr("parallel merge: msProbe merges no cp, ep or dp: without --rules"));
}

bool parallel_merge_options(const Options *options, Arena *arena, ParallelMerge *out, Error *err)
{
    static const Str sides[] = {{"golden:", 7}, {"target:", 7}};
    *out = (ParallelMerge){.wanted = options_given(options, "parallel-merge"),
                           .golden = parallel_layout_none(),
                           .target = parallel_layout_none()};
    for (size_t i = 0; i < options_list_count(options, "parallel-merge"); i++) {
        Str text = options_list_item(options, "parallel-merge", i);
        ParallelLayout layout;
        if (str_ends(text, STR(".json"))) {
            if (!parallel_layout_read(str_cstr(arena, text), arena, &out->golden, &out->target,
                                      err))
                return false;
            continue;
        }
        bool golden = str_starts(text, sides[0]), target = str_starts(text, sides[1]);
        if (golden || target)
            text = str_slice(text, sides[0].size, text.size);
        if (!parallel_layout_parse(text, &layout, err))
            return false;
        if (!target)
            out->golden = layout;
        if (!golden)
            out->target = layout;
    }
    return check_rules(options, out, err);
}

// ---- what the dumps tell of their places

typedef struct LinksWork {
    const DumpPlace *const *by_rank;
    RankLinks *links;
    Arena **arenas;
} LinksWork;

static void read_links(void *context, size_t rank)
{
    LinksWork *work = context;
    work->arenas[rank] = arena_new();
    work->links[rank] = (RankLinks){.next = -1};
    Arena *scratch = arena_new();
    Notices notices;
    Error err;
    Dump dump;
    notices_init(&notices, scratch);  // said when the graph is read
    if (work->by_rank[rank] &&
        dump_read(work->by_rank[rank]->file, names_new(scratch), scratch, &dump, &notices, &err))
        work->links[rank] = parallel_links(&dump, (int64_t)rank, work->arenas[rank]);
    arena_release(scratch);
}

// Where all ranks share one model by tensors alone there is nothing to ask.
static int64_t *group_ranks(const ParallelLayout *layout, const DumpPlace *const *by_rank,
                            int64_t ranks, int jobs, Arena *arena)
{
    bool ask = layout->pp > 1 || (layout->tp > 1 && layout->tp < ranks);
    if (!ask)
        return parallel_groups(layout, ranks, NULL, arena);
    LinksWork work = {.by_rank = by_rank,
                      .links = ARENA_ARRAY(arena, RankLinks, (size_t)ranks),
                      .arenas = ARENA_ARRAY(arena, Arena *, (size_t)ranks)};
    threads_run((size_t)ranks, jobs, read_links, &work);
    int64_t *groups = parallel_groups(layout, ranks, work.links, arena);
    for (int64_t rank = 0; rank < ranks; rank++)
        arena_release(work.arenas[rank]);
    return groups;
}

// ---- places

static bool same_step(const DumpPlace *a, const DumpPlace *b)
{
    return a->step == b->step && a->has_step == b->has_step && str_equal(a->stage, b->stage);
}

static void note_missing(const DumpPlace *there, int64_t rank, Notices *notices)
{
    notices_partial(
        notices, WHERE_FILE(there->folder),
        tr("parallel merge: " STR_FMT " has no rank %lld; what it holds a part of is not "
           "merged"),
        STR_ARG(place_step_text(there->step, there->stage, notices->arena)), (long long)rank);
}

// The copies of the model, of all steps.
typedef struct Merging {
    const ParallelLayout *layout;
    int jobs;
    Arena *arena;
    DumpPlaces *out;
    Notices *notices;
} Merging;

static void add_copy(const Merging *of, const DumpPlace *const *by_rank, size_t count,
                     const int64_t *ranks, int64_t copy)
{
    const ParallelLayout *layout = of->layout;
    DumpPlace *parts = ARENA_ARRAY(of->arena, DumpPlace, count);
    for (size_t i = 0; i < count; i++)
        parts[i] = *by_rank[ranks[i]];
    DumpPlace *added = ARRAY_PUSH(of->arena, of->out);
    *added = parts[0];
    added->rank = copy;
    added->has_rank = true;
    added->parts = parts;
    added->tp = (size_t)layout->tp;
    added->pp = (size_t)layout->pp;
    added->vpp = (size_t)layout->vpp;
    added->batches = count / added->tp / added->pp;
    added->ep = (size_t)layout->ep;
    added->cp = (size_t)layout->cp;
    added->mean = layout->mean;
}

static bool merge_step(const Merging *of, const DumpPlace *places, size_t count, Error *err)
{
    const ParallelLayout *layout = of->layout;
    int64_t ranks = 0;
    for (size_t i = 0; i < count; i++)
        ranks = places[i].rank >= ranks ? places[i].rank + 1 : ranks;
    if (ranks > (int64_t)count * 64 + 1024)
        return error_set(err, ERR_INPUT, WHERE_FILE(places[0].folder),
                         tr("parallel merge: rank %lld among %zu ranks"), (long long)ranks - 1,
                         count);
    ranks = ranks < layout->rank_size ? layout->rank_size : ranks;
    if (!parallel_layout_check(layout, ranks, err))
        return false;
    const DumpPlace **by_rank = ARENA_ARRAY(of->arena, const DumpPlace *, (size_t)ranks);
    for (size_t i = 0; i < count; i++)
        by_rank[places[i].rank] = &places[i];
    int64_t *groups = group_ranks(layout, by_rank, ranks, of->jobs, of->arena);
    int64_t size = layout->tp * layout->pp * parallel_layout_batches(layout);
    int64_t ep_stride = parallel_layout_strides(layout, ranks).ep;
    for (int64_t copy = 0; copy < ranks / size; copy++) {
        bool whole = true;
        for (int64_t i = copy * size; i < (copy + 1) * size; i++)
            if (!by_rank[groups[i]]) {
                note_missing(&places[0], groups[i], of->notices);
                whole = false;
            }
        if (!whole)
            continue;
        add_copy(of, by_rank, (size_t)size, &groups[copy * size], copy);
        of->out->items[of->out->count - 1].ep_stride = (size_t)ep_stride;
    }
    return true;
}

bool parallel_places(const ParallelLayout *layout, int jobs, Arena *arena, DumpPlaces *places,
                     Notices *notices, Error *err)
{
    DumpPlaces out = {0};
    Merging merging = {layout, jobs, arena, &out, notices};
    for (size_t first = 0, end; first < places->count; first = end) {
        for (end = first + 1; end < places->count; end++)
            if (!same_step(&places->items[first], &places->items[end]))
                break;
        if (!merge_step(&merging, &places->items[first], end - first, err))
            return false;
    }
    if (out.count == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(places->items[0].folder), "%s",
                         tr("parallel merge: no copy of the model has all its ranks"));
    *places = out;
    return true;
}
