// SPDX-License-Identifier: Apache-2.0
#include "compare/block_errors.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"
#include "read/dump/op_name.h"

// Blocks of one model, at least; and how many times its inheritance a block adds to be named.
// Chosen: where errors grow evenly over the depth, each block adds less than it inherits.
enum { BLOCKS_LEAST = 4 };
static const double TIMES_LEAST = 5;

// Whether the op is the first forward call of a module whose path ends in a number that does not
// stand alone, "model.layers.17".
static bool is_block(const Dump *dump, const Op *op, Str *path)
{
    if (op->kind != OP_MODULE || op->direction != DIR_FORWARD)
        return false;
    OpName name = op_name_of(dump->names, op->name);
    size_t dot = str_rfind_char(name.path, '.');
    uint64_t number;
    *path = name.path;
    return name.call <= 0 && dot != SIZE_MAX &&
           str_to_uint64(str_slice(name.path, dot + 1, name.path.size), &number);
}

// The relative error of the first tensor of a group: of its elements where there are files, else of
// its norm. NaN: not known; 0: equal.
static double error_of(const Comparison *comparison, const OpPair *op, SlotGroup group)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE ||
            comparison->golden->dump->slots[pair->golden].group != (uint8_t)group)
            continue;
        double error = pair->metric == METRIC_ELEMENTS ? pair->error : pair->norm_error;
        return error < 0 ? 0 : error;
    }
    return (double)NAN;
}

BlockErrors block_errors_find(const Comparison *comparison, Arena *arena)
{
    const Dump *dump = comparison->golden->dump;
    BlockErrors out = {0};
    double before = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        Str path;
        if (!op_has_both(op) || !is_block(dump, &dump->ops[op->golden], &path))
            continue;
        double given = error_of(comparison, op, GROUP_INPUT);
        double error = error_of(comparison, op, GROUP_OUTPUT);
        BlockError *block = ARRAY_PUSH(arena, &out);
        *block = (BlockError){.op = i, .inherited = given > before ? given : before, .added = NAN};
        if (!isfinite(error))
            continue;
        double more = error * error - block->inherited * block->inherited;
        block->added = more > 0 ? sqrt(more) : 0;
        before = error > before ? error : before;
    }
    return out;
}

void block_errors_tell(const Comparison *comparison, Notices *notices)
{
    Arena *scratch = arena_new();
    BlockErrors blocks = block_errors_find(comparison, scratch);
    const BlockError *most = NULL;
    for (size_t i = 0; i < blocks.count; i++) {
        const BlockError *at = &blocks.items[i];
        bool differs = status_differs((Status)comparison->ops[at->op].output_status);
        if (differs && at->inherited > 0 && at->added >= TIMES_LEAST * at->inherited &&
            (!most || at->added * most->inherited > most->added * at->inherited))
            most = at;
    }
    if (blocks.count >= BLOCKS_LEAST && most) {
        const Dump *dump = comparison->golden->dump;
        Str path;
        is_block(dump, &dump->ops[comparison->ops[most->op].golden], &path);
        notices_add(notices, NOTICE_TOLD, NOWHERE,
                    tr(STR_FMT " adds %.0fx the error that it inherits (relative error %.1e in, "
                               "%.1e out): of all blocks the most"),
                    STR_ARG(path), most->added / most->inherited, most->inherited,
                    hypot(most->added, most->inherited));
    }
    arena_release(scratch);
}
