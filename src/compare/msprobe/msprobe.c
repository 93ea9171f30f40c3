// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe.h"

#include "base/words.h"
#include "compare/compare.h"
#include "compare/flow.h"
#include "compare/msprobe/msprobe_colour.h"
#include "compare/msprobe/msprobe_mapped.h"
#include "compare/sum_up.h"

static bool mode_of(const Dump *golden, const Dump *target, CompareMode *mode, Error *err)
{
    *mode = compare_mode(golden, target);
    if (*mode == MODE_TENSOR && !str_equal(target->task, STR("tensor")))
        *mode = MODE_STATISTICS;
    if (*mode == MODE_STATISTICS && golden->has_checksum != target->has_checksum)
        return error_set(err, ERR_INPUT, WHERE_FILE(target->path.data), "%s",
                         tr("only one side has checksums: the rules of msprobe compare statistics "
                            "with statistics or checksums with checksums"));
    return true;
}

static MsprobeMetrics *no_metrics(size_t count, Arena *arena)
{
    MsprobeMetrics *metrics = ARENA_ARRAY(arena, MsprobeMetrics, count + 1);
    for (size_t i = 0; i < count; i++) {
        for (int metric = 0; metric < ELEMENT_METRICS; metric++)
            metrics[i].cells[metric].kind = MSPROBE_UNSUPPORTED;
        metrics[i].note = NOTE_NO_FILE;
    }
    return metrics;
}

bool msprobe_pair(const Graph *golden, const Graph *target, Rules rules, const MatchOptions *match,
                  Arena *arena, MsprobeComparison *out, Error *err)
{
    MsprobeGeneration generation = rules == RULES_MSPROBE8 ? MSPROBE_8 : MSPROBE_26;
    *out = (MsprobeComparison){.golden = golden, .target = target, .rules = rules, .match = match};
    if (!mode_of(golden->dump, target->dump, &out->mode, err))
        return false;
    if (msprobe_mapped_wanted(match))
        msprobe_mapped_build(golden, target, generation, match, arena, &out->rows);
    else
        msprobe_rows_build(golden->dump, target->dump, generation, arena, &out->rows);
    if (out->mode == MODE_TENSOR)
        out->metrics = no_metrics(out->rows.count, arena);
    out->golden_columns = msprobe_columns(golden->dump);
    out->target_columns = msprobe_columns(target->dump);
    return true;
}

// ---- metrics of a node's items: those of the row of the same target slot

typedef struct MetricsOfSlots {
    const MsprobeComparison *msprobe;
    uint32_t *row_of;  // by target slot: its first row, or UINT32_MAX
} MetricsOfSlots;

static const MsprobeMetrics *metrics_of(void *context, uint32_t golden, uint32_t target)
{
    const MetricsOfSlots *slots = context;
    uint32_t row = slots->row_of[target];
    if (row == UINT32_MAX || slots->msprobe->rows.items[row].golden != golden)
        return NULL;
    return &slots->msprobe->metrics[row];
}

static uint32_t *rows_by_slot(const MsprobeComparison *msprobe, Arena *arena)
{
    size_t count = msprobe->target->dump->slot_count;
    uint32_t *row_of = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        row_of[i] = UINT32_MAX;
    for (size_t i = msprobe->rows.count; i > 0; i--)
        row_of[msprobe->rows.items[i - 1].target] = (uint32_t)(i - 1);
    return row_of;
}

void msprobe_judge_pair(MsprobeComparison *msprobe, Arena *arena)
{
    if (msprobe->rules == RULES_MSPROBE8)
        msprobe_rows_colour(&msprobe->rows, msprobe->mode, msprobe->metrics);
    else
        msprobe_rows_judge(&msprobe->rows, msprobe->mode, msprobe->metrics);
    Arena *scratch = arena_new();
    MetricsOfSlots slots = {.msprobe = msprobe, .row_of = rows_by_slot(msprobe, scratch)};
    MsprobeMetricsSource source = {.of = metrics_of, .context = &slots};
    CompareMode mode = msprobe_graph_mode(msprobe->golden->dump, msprobe->target->dump);
    MatchOptions match = msprobe->match ? *msprobe->match : (MatchOptions){0};
    match.fuzzy = match.fuzzy || msprobe->golden->dump->merged || msprobe->target->dump->merged;
    msprobe_nodes_compare(msprobe->golden, msprobe->target, mode, &match,
                          msprobe->metrics ? &source : NULL, arena, &msprobe->nodes);
    arena_release(scratch);
}

// ---- the same as a Comparison

// One reason for a report's words; the first rule hit speaks.
static Reason reason_of(const MsprobeComparison *msprobe, const MsprobeRow *row)
{
    static const uint8_t reasons[MSPROBE_RULE_COUNT] = {
        [MSPROBE_NONFINITE] = REASON_NONFINITE, [MSPROBE_NORMREL] = REASON_STATISTIC,
        [MSPROBE_THOUSANDTH] = REASON_ELEMENTS, [MSPROBE_REQGRAD] = REASON_ARGUMENT,
        [MSPROBE_SCALAR] = REASON_ARGUMENT,     [MSPROBE_DTYPE] = REASON_DTYPE,
        [MSPROBE_SHAPE] = REASON_SHAPE,         [MSPROBE_NORM10X] = REASON_STATISTIC,
        [MSPROBE_COSDROP] = REASON_ELEMENTS,    [MSPROBE_CRC] = REASON_CHECKSUM,
        [MSPROBE_MD5MISS] = REASON_UNCOMPARABLE};
    if (row->golden == SLOT_NONE)
        return REASON_UNMATCHED;
    if (msprobe->rules == RULES_MSPROBE8)
        return row->hits >> NOTE_NONFINITE & 1 ? REASON_NONFINITE : REASON_STATISTIC;
    for (int rule = 0; rule < MSPROBE_RULE_COUNT; rule++)
        if (row->hits >> rule & 1)
            return (Reason)reasons[rule];
    return REASON_NONE;
}

static void fill_slot(const MsprobeComparison *msprobe, uint32_t row_index, SlotPair *pair)
{
    if (row_index == UINT32_MAX) {
        pair->status = pair->golden == SLOT_NONE ? STATUS_UNMATCHED : STATUS_NO_DATA;
        return;
    }
    const MsprobeRow *row = &msprobe->rows.items[row_index];
    Status status = row->golden == SLOT_NONE ? STATUS_UNMATCHED : (Status)row->status;
    pair->status = (uint8_t)status;
    pair->reason = (uint8_t)(status >= STATUS_WARNING ? reason_of(msprobe, row) : REASON_NONE);
}

static void fill_op(const MsprobeComparison *msprobe, const uint32_t *row_of,
                    Comparison *comparison, OpPair *op)
{
    if (op->golden == OP_NONE || op->target == OP_NONE)
        return;
    op->input_status = op->output_status = STATUS_NO_DATA;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        SlotPair *pair = &comparison->slots[i];
        if (pair->target == SLOT_NONE)
            continue;  // msProbe does not describe what only golden has
        fill_slot(msprobe, row_of[pair->target], pair);
        uint8_t *side =
            slot_is_result(shown_slot(comparison, pair)) ? &op->output_status : &op->input_status;
        // An unmatched slot passes under msProbe's rules.
        Status status = pair->status == STATUS_UNMATCHED ? STATUS_PASS : (Status)pair->status;
        *side = (uint8_t)status_worst((Status)*side, status);
    }
    op->status = (uint8_t)status_worst((Status)op->input_status, (Status)op->output_status);
    op->inherited = status_differs((Status)op->input_status);
}

void msprobe_fill_comparison(const MsprobeComparison *msprobe, Arena *arena, Comparison *comparison)
{
    Arena *scratch = arena_new();
    const uint32_t *row_of = rows_by_slot(msprobe, scratch);
    comparison->mode = msprobe->mode;
    for (uint32_t i = 0; i < comparison->op_count; i++)
        fill_op(msprobe, row_of, comparison, &comparison->ops[i]);
    comparison->golden_of = msprobe->nodes.golden_of;
    comparison->target_of = msprobe->nodes.target_of;
    sum_up_comparison(comparison, arena);
    arena_release(scratch);
}
