// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/elements.h"
#include "compare/judge/fold.h"
#include "compare/sum_up.h"

#include <math.h>

#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "compare/flow.h"
#include "compare/judge/floor.h"
#include "compare/judge/judge.h"
#include "read/dump/tensor_set.h"
#include "read/settings/criteria_pick.h"
#include "read/tensor/safetensors.h"

enum { BLOCK_PAIRS = 64 };

// Pairs are read in blocks, each with memory and notices of its own, so that neither order nor
// number of the threads shows.
typedef struct Work {
    const ElementReading *reading;
    const ElementPair *pairs;
    size_t count;
    const char *golden_folder, *target_folder;  // of the tensor files
    TensorSet *golden_set, *target_set;         // of dumps that are sets of tensors, else NULL
    TensorMetrics *out;
    Arena **arenas;    // one per block
    Notices *notices;  // one per block
    int jobs;          // for one pair
} Work;

// The one tensor of a safetensors file, which is called "data".
static bool open_data(const char *path, Arena *arena, TensorFile *out, Notices *notices, Error *err)
{
    SafeTensors file;
    if (!safetensors_open(path, arena, &file, notices, err))
        return false;
    size_t index = safetensors_find(&file, STR("data"));
    if (index == SIZE_MAX) {
        safetensors_close(&file);
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("the checkpoint has no such tensor"));
    }
    *out = (TensorFile){.tensor = safetensors_tensor(&file, index), .file = file.file};
    return true;
}

static bool open_tensor(const char *folder, TensorSet *set, const Dump *dump, const Slot *slot,
                        Arena *arena, TensorFile *out, Notices *notices)
{
    Error err;
    if (set) {
        bool good =
            tensor_set_tensor(set, names_text(dump->names, slot->data_name), out, notices, &err);
        if (!good)
            notices_add_error(notices, &err);
        return good;
    }
    char *path = path_inside(arena, folder, names_text(dump->names, slot->data_name), &err);
    if (path && file_kind(path) == FILE_NONE) {
        notices_partial(notices, WHERE_FILE(folder), "%s",
                        tr("tensor files that the dump names are missing"));
        return false;
    }
    bool data = dump->tensors_beside && !str_ends(str_of(path), STR(".npy"));
    if (path &&
        (data ? open_data(path, arena, out, notices, &err) : tensor_open(path, out, notices, &err)))
        return true;
    notices_add_error(notices, &err);
    return false;
}

static const Slot *slot_with_file(const Dump *dump, uint32_t index)
{
    const Slot *slot = index == SLOT_NONE ? NULL : &dump->slots[index];
    return slot && slot->data_name != NAME_NONE ? slot : NULL;
}

// A damaged file looks like a defect of the run. The checksum costs as much as the comparison, so
// that it is asked only where the difference is large.
static void check_bytes(const Dump *dump, const Slot *slot, const Tensor *tensor,
                        const TensorMetrics *metrics, Notices *notices)
{
    static const double large = 1e-3;  // beyond what float32 leaves; a bit that fell is mostly more
    if (metrics->bit_equal || (metrics->norm_error <= large && metrics->nonfinite_mismatch == 0) ||
        tensor_crc_fits(tensor, NULL))
        return;
    notices_partial(notices, WHERE_FILE(dump->path.data),
                    tr("'" STR_FMT "' is damaged: its bytes do not fit the checksum of the file"),
                    STR_ARG(names_text(dump->names, slot->data_name)));
}

// Two dumps that tell one shape, and files that do not have it: some file is another tensor's.
static void check_shape(const ElementReading *reading, const Slot *golden, const Slot *target,
                        const TensorMetrics *metrics, Notices *notices)
{
    if (metrics->state != ELEMENTS_SHAPE ||
        !str_equal(names_text(reading->golden->names, golden->shape),
                   names_text(reading->target->names, target->shape)))
        return;
    notices_partial(notices, WHERE_FILE(reading->target->path.data),
                    tr("'" STR_FMT "' is of another shape than golden's, though both dumps record "
                       "the same: its elements were not compared"),
                    STR_ARG(names_text(reading->target->names, target->data_name)));
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
    if (!open_tensor(work->target_folder, work->target_set, reading->target, target, arena,
                     &target_file, notices))
        return;
    if (open_tensor(work->golden_folder, work->golden_set, reading->golden, golden, arena,
                    &golden_file, notices)) {
        tensor_metrics(&golden_file.tensor, &target_file.tensor, reading->rules, work->jobs, out);
        check_shape(reading, golden, target, out, notices);
        check_bytes(reading->golden, golden, &golden_file.tensor, out, notices);
        check_bytes(reading->target, target, &target_file.tensor, out, notices);
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

static TensorSet *open_set(const Dump *dump, Arena *arena, Notices *notices)
{
    Error err;
    if (!tensor_set_is(dump->path.data))
        return NULL;
    TensorSet *set = tensor_set_open(dump->path.data, arena, notices, &err);
    if (!set)
        notices_add_error(notices, &err);
    return set;
}

static void tell_missing(const char *folder, bool one_side, Notices *notices)
{
    const char *text =
        tr("the folder of the tensor files is missing: only statistics are compared");
    if (one_side)
        notices_partial(notices, WHERE_FILE(folder), "%s", text);
    else
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(folder), "%s", text);
}

// Dumps are often kept without their tensors: one notice, not one per file. Where one side has
// them, less is compared than it recorded.
static bool has_folders(const Work *work, Notices *notices)
{
    const char *folders[] = {work->golden_folder, work->target_folder};
    const TensorSet *sets[] = {work->golden_set, work->target_set};
    bool there[2];
    for (int side = 0; side < 2; side++)
        there[side] = sets[side] || file_kind(folders[side]) == FILE_FOLDER;
    for (int side = 0; side < 2; side++)
        if (!there[side])
            tell_missing(folders[side], there[1 - side], notices);
    return there[0] && there[1];
}

static void read_blocks(Work *work, Arena *scratch, Notices *notices)
{
    size_t blocks = (work->count + BLOCK_PAIRS - 1) / BLOCK_PAIRS;
    work->arenas = ARENA_ARRAY(scratch, Arena *, blocks);
    work->notices = ARENA_ARRAY(scratch, Notices, blocks);
    work->jobs = blocks < (size_t)work->reading->jobs ? work->reading->jobs : 1;
    for (size_t i = 0; i < blocks; i++) {
        work->arenas[i] = arena_new();
        notices_init(&work->notices[i], work->arenas[i]);
    }
    threads_run(blocks, work->reading->jobs, read_block, work);
    for (size_t i = 0; i < blocks; i++) {
        notices_join(notices, &work->notices[i]);
        arena_release(work->arenas[i]);
    }
}

static const char *tensor_folder(const Dump *dump, const char *folder, Arena *arena)
{
    return dump->tensors_beside ? folder : path_join(arena, folder, STR("dump_tensor_data"));
}

// False where one side has no tensors at all. Closed by close_work in either case.
static bool open_work(const ElementReading *reading, Arena *scratch, Work *out, Notices *notices)
{
    *out = (Work){.reading = reading,
                  .golden_folder = tensor_folder(reading->golden, reading->golden_folder, scratch),
                  .target_folder = tensor_folder(reading->target, reading->target_folder, scratch),
                  .golden_set = open_set(reading->golden, scratch, notices),
                  .target_set = open_set(reading->target, scratch, notices)};
    return has_folders(out, notices);
}

static void close_work(Work *work)
{
    tensor_set_close(work->golden_set);
    tensor_set_close(work->target_set);
}

void elements_read(const ElementReading *reading, const ElementPair *pairs, size_t count,
                   TensorMetrics *out, Notices *notices)
{
    Arena *scratch = arena_new();
    Work work;
    bool good = open_work(reading, scratch, &work, notices);
    work.pairs = pairs;
    work.count = count;
    work.out = out;
    if (good)
        read_blocks(&work, scratch, notices);
    else
        for (size_t i = 0; i < count; i++)
            tensor_metrics_missing(ELEMENTS_NO_FILE, &out[i]);
    close_work(&work);
    arena_release(scratch);
}

// The tensors of one slot; they are compared one after the other, so that the first difference ends
// it.
static bool slot_equal(const Work *work, uint32_t slot)
{
    const ElementPair pair = {slot, slot};
    TensorMetrics metrics;
    Arena *arena = arena_new();
    Notices notices;
    notices_init(&notices, arena);
    Work one = *work;
    one.pairs = &pair;
    one.count = 1;
    one.out = &metrics;
    one.arenas = &arena;
    one.notices = &notices;
    one.jobs = one.reading->jobs;
    compare_files(&one, 0, 0);
    arena_release(arena);
    bool missing = metrics.state == ELEMENTS_NO_FILE || metrics.state == ELEMENTS_UNREADABLE;
    return missing || metrics.bit_equal;
}

bool elements_equal(const ElementReading *reading)
{
    Arena *scratch = arena_new();
    Notices unheard;  // whoever compares the dumps in earnest says them
    notices_init(&unheard, scratch);
    Work work;
    bool equal = true;
    if (open_work(reading, scratch, &work, &unheard))
        for (uint32_t i = 0; equal && i < reading->golden->slot_count; i++)
            equal = slot_equal(&work, i);
    close_work(&work);
    arena_release(scratch);
    return equal;
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

// ---- judging

// Noise moves single elements more than it moves their norm, where it cancels out. Source: runs
// that add up in another order (float32: below 2 steps of the L2 difference in small models,
// growing with depth); the floor of the norm is 16 steps, the floor of the elements four times
// that.
static const double elements_per_norm = 4;

static double floor_of(const Comparison *comparison, const SlotPair *pair, float measured)
{
    const Dump *golden = comparison->golden->dump;
    Precision own = precision_of(names_text(golden->names, golden->slots[pair->golden].dtype));
    if (pair->exact)
        return 0;
    if (measured >= 0)
        return (double)measured;
    return elements_per_norm * fmax((double)pair->floor, floor_default(STAT_NORM, own, own));
}

static void raise_status(SlotPair *pair, Status status, Reason reason)
{
    if (status_worst((Status)pair->status, status) == (Status)pair->status)
        return;
    fold_judged(pair, status, reason, METRIC_ELEMENTS);
}

// The user's limit for the elements of a slot, or NULL: the floors apply.
static const CriteriaLimit *limit_of(const Comparison *comparison, const Criteria *rules, Str op,
                                     const SlotPair *pair)
{
    const Dump *golden = comparison->golden->dump;
    const Slot *slot = &golden->slots[pair->golden];
    const CriteriaRule *rule =
        criteria_limit(rules, CRITERIA_ELEMENTS, op, names_text(golden->names, slot->path),
                       names_text(golden->names, slot->dtype));
    return rule ? &rule->limits[CRITERIA_ELEMENTS] : NULL;
}

// `limit` may be NULL.
static void judge_error(SlotPair *pair, double error, double floor, const CriteriaLimit *limit)
{
    double pass = limit ? limit->pass : floor;
    double warning = limit ? limit->warning : floor * JUDGE_WARNING_RATIO;
    Status status = error > warning ? STATUS_ERROR : STATUS_WARNING;
    if (error > pass && status_worst((Status)pair->status, status) != (Status)pair->status)
        raise_status(pair, status, pair->exact && !limit ? REASON_EXACT : REASON_ELEMENTS);
    if (pair->metric == METRIC_ELEMENTS || pair->status == STATUS_PASS) {
        pair->metric = METRIC_ELEMENTS;
        pair->error = error;
        pair->floor = (float)pass;
    }
    if (isfinite(pair->norm_error) || isnan(pair->norm_error))
        pair->norm_error = error;
}

static void judge_pair(const Comparison *comparison, const TensorMetrics *metrics, float measured,
                       const Criteria *rules, Str op, SlotPair *pair)
{
    bool computed = metrics->state == ELEMENTS_COMPUTED || metrics->state == ELEMENTS_SCALAR;
    // Statistics that one side lost, or that neither records, are no reason to leave files out.
    bool files_alone = pair->reason == REASON_LOST || pair->reason == REASON_NONE;
    if (pair->status == STATUS_UNMATCHED ||
        (pair->status == STATUS_NO_DATA && !(computed && files_alone)))
        return;
    if (metrics->state == ELEMENTS_NONFINITE)
        raise_status(pair, STATUS_ERROR, REASON_NONFINITE);
    if (!computed || (pair->decided && !metrics->bit_equal))
        return;
    if (pair->reason == REASON_LOST)
        fold_judged(pair, (Status)pair->status, REASON_NONE, (Metric)pair->metric);
    if (metrics->bit_equal) {
        if (pair->status == STATUS_PASS || pair->status == STATUS_NO_DATA)
            fold_judged(pair, STATUS_SAME, (Reason)pair->reason, (Metric)pair->metric);
        return;
    }
    raise_status(pair, STATUS_PASS, REASON_NONE);
    if (metrics->nonfinite_mismatch)
        raise_status(pair, STATUS_ERROR, REASON_NONFINITE);
    // Whole numbers beyond 2^53 may differ though their doubles do not.
    if (metrics->differing && metrics->norm_error == 0)
        raise_status(pair, STATUS_ERROR, REASON_EXACT);
    // Against a golden tensor of zeros nothing is relative; its statistics have judged it.
    if (!isfinite(metrics->norm_error) || metrics->norm_error == 0)
        return;
    const CriteriaLimit *limit = limit_of(comparison, rules, op, pair);
    if (limit && limit->absolute > 0 && metrics->kind[ELEMENT_MAX_ABS] == ELEMENT_NUMBER &&
        metrics->value[ELEMENT_MAX_ABS] <= limit->absolute)
        return;
    judge_error(pair, metrics->norm_error, floor_of(comparison, pair, measured), limit);
}

// Integers differ or do not: the first element that does says more than any norm.
static void name_element(Comparison *comparison, const TensorMetrics *metrics)
{
    Divergence *first = &comparison->first;
    if (first->kind == DIVERGE_NONE || first->slot == SLOT_NONE)
        return;
    const TensorMetrics *of = &metrics[first->slot];
    first->differing = of->differing;
    first->count = of->count;
    first->element = of->first_differing;
    first->golden_element = of->first_golden;
    first->target_element = of->first_target;
}

void elements_judge(Comparison *comparison, const TensorMetrics *metrics, const float *floors,
                    const Criteria *criteria, Arena *arena)
{
    Arena *scratch = arena_new();
    const CriteriaIndex *index = criteria ? criteria_index_new(criteria, scratch) : NULL;
    CriteriaPick picked = {0};
    const Dump *target = comparison->target->dump;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        if (op->golden == OP_NONE || op->target == OP_NONE)
            continue;
        Str name = names_text(target->names, target->ops[op->target].name);
        if (index)
            criteria_pick(index, name, scratch, &picked);
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            judge_pair(comparison, &metrics[k], floors ? floors[k] : -1, &picked.rules, name,
                       &comparison->slots[k]);
        fold_op(comparison, op);
    }
    sum_up_comparison(comparison, arena);
    name_element(comparison, metrics);
    arena_release(scratch);
}
