// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_vis.h"

#include "base/words.h"
#include "commands/compare/pair_read.h"
#include "export/vis/vis_db.h"

typedef struct VisWork {
    const PlacePairs *places;
    const PairResult *results;
    const ComparePairOptions *options;
} VisWork;

static const char *folder_shown(const VisWork *work, const DumpPlace *place, Arena *arena)
{
    return str_cstr(arena, redact_path(work->options->redaction, str_of(place->folder), arena));
}

static bool add_pair(const VisWork *work, size_t index, VisDb *db, Error *err)
{
    const PlacePair *place = &work->places->items[index];
    const PairResult *result = &work->results[index];
    if (!place->golden || !place->target || result->facts.failed)
        return true;
    Arena *scratch = arena_new();
    Notices again;
    notices_init(&again, scratch);
    again.redaction = work->options->redaction;
    PairGraphs *own = ARENA_NEW(scratch, PairGraphs);
    const PairGraphs *graphs = result->graphs;
    bool good = true;
    if (!graphs) {
        graphs = own;
        good = compare_pair_read(place, work->options, scratch, own, &again);
        if (good)
            compare_pair_read_stacks(own, work->options->outputs, &again);
        good = good && (!notices_any_partial(&again) || notices_any_partial(&result->notices));
    }
    if (!good) {
        error_set(err, ERR_INPUT, WHERE_FILE(place->target->file), "%s",
                  tr("the pair could be read once, but not again: try again with a sound disk"));
    } else {
        VisPair pair = {.comparison = &graphs->comparison,
                        .msprobe =
                            graphs->comparison.rules == RULES_VERNIER ? NULL : &graphs->msprobe,
                        .metrics = graphs->metrics,
                        .golden_folder = folder_shown(work, place->golden, scratch),
                        .target_folder = folder_shown(work, place->target, scratch)};
        good = vis_db_add_pair(db, &pair, err);
    }
    arena_release(scratch);
    return good;
}

static bool write_database(void *context, Sink *out, Error *err)
{
    const VisWork *work = context;
    VisDb *db = vis_db_open(sink_path(out), work->options->overflow, err);
    bool good = db != NULL;
    for (size_t i = 0; good && i < work->places->count; i++)
        good = add_pair(work, i, db, err);
    good = good && vis_db_finish(db, out, err);
    vis_db_close(db);
    return good;
}

void compare_vis_add(const PlacePairs *places, const PairResult *results,
                     const ComparePairOptions *options, Product *product)
{
    VisWork *work = ARENA_NEW(product->arena, VisWork);
    *work = (VisWork){places, results, options};
    product_file(product, "vis-db", STR("compare.vis.db"), true, write_database, work);
}
