// SPDX-License-Identifier: Apache-2.0
#include "compare/runs/run_leave.h"

#include "compare/judge/tree_row.h"
#include "read/dump/op_name.h"
#include "read/dump/place_name.h"

static bool is_equal(uint8_t status)
{
    return status == STATUS_SAME || status == STATUS_NO_DATA;
}

static Str op_name(const Comparison *comparison, const OpPair *op)
{
    return names_text(comparison_graph(comparison, shown_side(op))->dump->names,
                      shown_op(comparison, op)->name);
}

// The op's own path if it is a module, else that of the nearest module around it.
static Str module_of(const Comparison *comparison, uint32_t op)
{
    uint32_t row = 0;
    while (row < comparison->tree_count && comparison->tree[row].pair != op)
        row++;
    while (row < comparison->tree_count) {
        OpName name = tree_row_op_name(comparison, &comparison->tree[row]);
        if (name.path.size)
            return name.path;
        if (comparison->tree[row].parent == PAIR_NONE)
            break;
        row = comparison->tree[row].parent;
    }
    return (Str){"", 0};
}

static Str first_slot(const Comparison *comparison, const OpPair *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        bool in_target = pair->target != SLOT_NONE;
        const Dump *dump = in_target ? comparison->target->dump : comparison->golden->dump;
        if (!is_equal(pair->status))
            return names_text(dump->names,
                              dump->slots[in_target ? pair->target : pair->golden].path);
    }
    return (Str){"", 0};
}

static RunLeave none_yet(const Comparison *comparison)
{
    return (RunLeave){
        .step = comparison->step, .stage = comparison->stage, .rank = comparison->rank};
}

static void leave_at(const Comparison *comparison, uint32_t index, Arena *arena, RunLeave *out)
{
    const OpPair *op = &comparison->ops[index];
    out->leaves = true;
    out->position = index + 1;
    out->op = str_copy(arena, op_name(comparison, op));
    out->slot = str_copy(arena, first_slot(comparison, op));
    out->module = str_copy(arena, module_of(comparison, index));
    out->status = (Status)op->status;
    out->inputs_same = is_equal(op->input_status);
    out->error_in = op->error_in;
    out->error_out = op->error_out;
}

void run_leave_find(const Comparison *comparison, Arena *arena, RunLeave *out)
{
    *out = none_yet(comparison);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (is_equal(op->status))
            continue;
        out->differing++;
        if (!out->leaves)
            leave_at(comparison, i, arena, out);
    }
}

void run_beyond_find(const Comparison *comparison, Arena *arena, RunLeave *out)
{
    *out = none_yet(comparison);
    if (comparison->first.kind != DIVERGE_NONE)
        leave_at(comparison, comparison->first.op, arena, out);
}

bool run_leave_before(const RunLeave *a, const RunLeave *b)
{
    if (!a->leaves || !b->leaves)
        return a->leaves && !b->leaves;
    if (a->step != b->step)
        return a->step < b->step;
    if (!str_equal(a->stage, b->stage))
        return stage_compare(a->stage, b->stage) < 0;
    if (a->position != b->position)
        return a->position < b->position;
    if (a->inputs_same != b->inputs_same)
        return a->inputs_same;
    return a->rank < b->rank;
}
