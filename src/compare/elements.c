// SPDX-License-Identifier: Apache-2.0
#include "compare/elements.h"

#include "base/file.h"
#include "base/threads.h"

enum { BLOCK_PAIRS = 64 };

// Pairs are read in blocks, each with memory and notices of its own, so that neither order nor
// number of the threads shows.
typedef struct Work {
    const ElementReading *reading;
    const ElementPair *pairs;
    size_t count;
    const char *golden_folder, *target_folder;  // of the tensor files
    TensorMetrics *out;
    Arena **arenas;    // one per block
    Notices *notices;  // one per block
    int jobs;          // for one pair
} Work;

static bool open_tensor(const char *folder, const Dump *dump, const Slot *slot, Arena *arena,
                        TensorFile *out, Notices *notices)
{
    Error err;
    char *path = path_inside(arena, folder, names_text(dump->names, slot->data_name), &err);
    if (path && tensor_open(path, out, notices, &err))
        return true;
    notices_add_error(notices, &err);
    return false;
}

static const Slot *slot_with_file(const Dump *dump, uint32_t index)
{
    const Slot *slot = index == SLOT_NONE ? NULL : &dump->slots[index];
    return slot && slot->data_name != NAME_NONE ? slot : NULL;
}

static void compare_files(const Work *work, size_t index, size_t block)
{
    const ElementReading *reading = work->reading;
    const Slot *golden = slot_with_file(reading->golden, work->pairs[index].golden);
    const Slot *target = slot_with_file(reading->target, work->pairs[index].target);
    TensorMetrics *out = &work->out[index];
    tensor_metrics_missing(golden && target ? ELEMENTS_UNREADABLE : ELEMENTS_NO_FILE, out);
    if (!golden || !target)
        return;
    TensorFile golden_file, target_file;
    Arena *arena = work->arenas[block];
    Notices *notices = &work->notices[block];
    if (!open_tensor(work->target_folder, reading->target, target, arena, &target_file, notices))
        return;
    if (open_tensor(work->golden_folder, reading->golden, golden, arena, &golden_file, notices)) {
        tensor_metrics(&golden_file.tensor, &target_file.tensor, reading->rules, work->jobs, out);
        tensor_close(&golden_file);
    }
    tensor_close(&target_file);
}

static void read_block(void *context, size_t block)
{
    const Work *work = context;
    size_t end = (block + 1) * BLOCK_PAIRS < work->count ? (block + 1) * BLOCK_PAIRS : work->count;
    for (size_t i = block * BLOCK_PAIRS; i < end; i++)
        compare_files(work, i, block);
}

void elements_read(const ElementReading *reading, const ElementPair *pairs, size_t count,
                   TensorMetrics *out, Notices *notices)
{
    Arena *scratch = arena_new();
    size_t blocks = (count + BLOCK_PAIRS - 1) / BLOCK_PAIRS;
    Work work = {
        .reading = reading,
        .pairs = pairs,
        .count = count,
        .golden_folder = path_join(scratch, reading->golden_folder, STR("dump_tensor_data")),
        .target_folder = path_join(scratch, reading->target_folder, STR("dump_tensor_data")),
        .out = out,
        .arenas = ARENA_ARRAY(scratch, Arena *, blocks),
        .notices = ARENA_ARRAY(scratch, Notices, blocks),
        .jobs = blocks < (size_t)reading->jobs ? reading->jobs : 1};
    for (size_t i = 0; i < blocks; i++) {
        work.arenas[i] = arena_new();
        notices_init(&work.notices[i], work.arenas[i]);
    }
    threads_run(blocks, reading->jobs, read_block, &work);
    for (size_t i = 0; i < blocks; i++) {
        notices_join(notices, &work.notices[i]);
        arena_release(work.arenas[i]);
    }
    arena_release(scratch);
}

TensorMetrics *elements_of_comparison(const Comparison *comparison, const ElementReading *reading,
                                      Arena *arena, Notices *notices)
{
    size_t count = comparison->slot_count;
    Arena *scratch = arena_new();
    TensorMetrics *metrics = ARENA_ARRAY(arena, TensorMetrics, count + 1);
    ElementPair *pairs = ARENA_ARRAY(scratch, ElementPair, count);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (ElementPair){comparison->slots[i].golden, comparison->slots[i].target};
    elements_read(reading, pairs, count, metrics, notices);
    arena_release(scratch);
    return metrics;
}
