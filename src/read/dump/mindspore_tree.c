// SPDX-License-Identifier: Apache-2.0
#include "read/dump/mindspore_tree.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/dump/dump_source.h"
#include "read/dump/place_name.h"
#include "read/dump/tensor_set.h"

enum { LEVELS = 8, FOLDERS_MAX = 1000000 };

bool mindspore_is_time(Str name)
{
    size_t digits = 0, start = str_starts(name, STR("dump_")) ? strlen("dump_") : 0;
    for (size_t i = start; i < name.size; i++) {
        if (!is_digit(name.data[i]) && name.data[i] != '_' && name.data[i] != '-')
            return false;
        digits += is_digit(name.data[i]);
    }
    return digits >= 8;
}

// What the folders above an iteration say.
typedef struct Iteration {
    int64_t step, rank, graph;
    bool by_number;  // `graph` counts what the process compiled: only its order is of the network
    bool constants;
    Str time;  // of O2
    const char *folder;
} Iteration;

static bool is_number(Str name, int64_t *out)
{
    return !mindspore_is_time(name) && str_to_int64(name, out) && *out >= 0;
}

static bool read_rank(Str name, int64_t *out)
{
    FolderName parsed = folder_name_parse(name);
    *out = parsed.number;
    return parsed.role == FOLDER_RANK && parsed.number >= 0;
}

static bool parse(Str path, Iteration *out)
{
    Str parts[6];
    for (size_t i = 0; i < 6; i++) {
        parts[i] = path_base(path);
        path = path_folder(path);
    }
    FolderName step = folder_name_parse(parts[0]);
    *out = (Iteration){.step = step.number, .time = parts[1]};
    if (step.role == FOLDER_STEP)
        return mindspore_is_time(parts[1]) && read_rank(parts[2], &out->rank);
    out->constants = str_equal(parts[0], STR("constants"));
    if ((!is_number(parts[0], &out->step) && !out->constants) || !is_number(parts[1], &out->graph))
        return false;
    out->time = (Str){0};
    if (read_rank(parts[3], &out->rank))
        return parts[2].size > 0;
    int64_t ignored;
    out->by_number = true;
    out->time = is_number(parts[4], &ignored) ? parts[5] : parts[4];
    if (!mindspore_is_time(out->time))  // the folder was given another name
        out->time = (Str){0};
    return is_number(parts[3], &out->rank) &&
           (out->time.size || str_find(parts[2], STR("graph"), 0) != SIZE_MAX);
}

static Str stage_of(const Iteration *at, int64_t graph, Arena *arena)
{
    if (at->constants)
        return graph ? str_printf(arena, "constants.graph_%lld", (long long)graph)
                     : STR(STAGE_CONSTANTS);
    return graph ? str_printf(arena, STAGE_GRAPH "%lld", (long long)graph) : STR("");
}

bool mindspore_place_read(Str path, Arena *arena, DumpPlace *out)
{
    Iteration at;
    if (!parse(path, &at))
        return false;
    out->step = at.step < 0 ? 0 : at.step;
    out->rank = at.rank;
    out->has_step = out->has_rank = true;
    out->rank_label = str_printf(arena, "rank_%lld", (long long)at.rank);
    out->stage = stage_of(&at, at.by_number ? 0 : at.graph, arena);
    return true;
}

typedef struct Tree {
    Arena *arena;
    Notices *notices;
    Iteration *items;
    size_t count, capacity;
    size_t folders;
} Tree;

// Whether a folder holds records: a table, tensors, what an overflow left.
static bool holds_records(const FolderList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (dump_is_record_name(list->items[i]) || tensor_set_has_name(list->items[i]))
            return true;
    return false;
}

static bool may_lead_down(Str name)
{
    return name.data[0] != '.' && !tensor_set_has_name(name) && !dump_is_record_name(name) &&
           !STR_IN(name, "execution_order", "graphs", "dump_tensor_data");
}

// Whether the first records below lie as in such a tree. Links are not followed.
static bool leads_to_iteration(const char *path, Str full, Arena *arena, int levels, bool *found)
{
    FolderList list;
    Error ignored;
    Iteration at;
    if (levels == 0 || !folder_list(path, arena, &list, &ignored))
        return false;
    *found = holds_records(&list);
    if (*found)
        return parse(full, &at);
    for (size_t i = 0; i < list.count && !*found; i++) {
        const char *below = path_join(arena, path, list.items[i]);
        Str name = str_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(full), STR_ARG(list.items[i]));
        if (may_lead_down(list.items[i]) && file_kind_unfollowed(below) == FILE_FOLDER &&
            leads_to_iteration(below, name, arena, levels - 1, found))
            return true;
    }
    return false;
}

static void walk(Tree *tree, const char *path, Str full, int levels)
{
    FolderList list;
    Error err;
    Iteration at;
    if (levels == 0 || tree->folders++ > FOLDERS_MAX)
        return;
    if (!folder_list(path, tree->arena, &list, &err)) {
        notices_add_error(tree->notices, &err);
        return;
    }
    if (holds_records(&list) || (parse(full, &at) && list.count == 0)) {
        bool is = parse(full, &at);
        at.folder = path;
        if (is && list.count)
            *ARRAY_PUSH(tree->arena, tree) = at;
        else
            notices_partial(tree->notices, WHERE_FILE(path), "%s",
                            is ? tr("the iteration holds neither statistic.csv nor tensors and is "
                                    "skipped")
                               : tr("this folder holds a dump and is not read: it lies in no "
                                    "iteration of MindSpore's Dump"));
        return;
    }
    for (size_t i = 0; i < list.count; i++) {
        const char *below = path_join(tree->arena, path, list.items[i]);
        if (may_lead_down(list.items[i]) && file_kind_noted(below, tree->notices) == FILE_FOLDER)
            walk(
                tree, below,
                str_printf(tree->arena, STR_FMT "/" STR_FMT, STR_ARG(full), STR_ARG(list.items[i])),
                levels - 1);
    }
}

// How many graphs of this rank come before this one.
static int64_t graph_place(const Tree *tree, const Iteration *at)
{
    int64_t before = 0, last = -1;
    for (bool more = at->by_number; more; before += more) {
        int64_t next = at->graph;
        for (size_t i = 0; i < tree->count; i++)
            if (tree->items[i].rank == at->rank && tree->items[i].graph > last &&
                tree->items[i].graph < next)
                next = tree->items[i].graph;
        more = next < at->graph;
        last = next;
    }
    return at->by_number ? before : at->graph;
}

static int by_time(const void *a, const void *b)
{
    const Iteration *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return str_compare(x->time, y->time);
}

// Whether one iteration of a rank was dumped at two times.
static bool are_runs(const Tree *tree, Error *err)
{
    if (tree->count)
        qsort(tree->items, tree->count, sizeof *tree->items, by_time);
    for (size_t i = 1; i < tree->count; i++) {
        const Iteration *one = &tree->items[i - 1], *two = &tree->items[i];
        if (one->step != two->step || one->rank != two->rank || str_equal(one->time, two->time))
            continue;
        error_set(err, ERR_INPUT, WHERE_FILE(two->folder),
                  tr("holds several runs: " STR_FMT ", " STR_FMT), STR_ARG(one->time),
                  STR_ARG(two->time));
        error_hint(err, "%s", tr("name the folder of one of these times"));
        return true;
    }
    return false;
}

static void make_places(const Tree *tree, DumpPlaces *out)
{
    int64_t first = INT64_MAX;
    bool constants = false;
    for (size_t i = 0; i < tree->count; i++) {
        const Iteration *at = &tree->items[i];
        first = !at->constants && at->step < first ? at->step : first;
    }
    for (size_t i = 0; i < tree->count; i++) {
        const Iteration *at = &tree->items[i];
        const char *file = dump_file_in(at->folder, tree->arena);
        constants = constants || at->constants;
        *ARRAY_PUSH(tree->arena, out) =
            (DumpPlace){.step = !at->constants       ? at->step
                                : first == INT64_MAX ? 0
                                                     : first,
                        .rank = at->rank,
                        .has_step = true,
                        .has_rank = true,
                        .folder = at->folder,
                        .file = file ? file : at->folder,
                        .rank_label = str_printf(tree->arena, "rank_%lld", (long long)at->rank),
                        .stage = stage_of(at, graph_place(tree, at), tree->arena)};
    }
    if (constants)
        notices_add(
            tree->notices, NOTICE_INFO, WHERE_FILE(out->items[0].folder), "%s",
            tr("constants are no iteration: they are compared as what comes before the first one"));
}

bool mindspore_tree_find(const char *path, Str full, Arena *arena, DumpPlaces *out,
                         Notices *notices, Error *err)
{
    bool found = false;
    Tree tree = {.arena = arena, .notices = notices};
    if (!leads_to_iteration(path, full, arena, LEVELS, &found))
        return false;
    walk(&tree, path, full, LEVELS);
    if (are_runs(&tree, err))
        return false;
    make_places(&tree, out);
    return true;
}
