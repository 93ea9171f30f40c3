// SPDX-License-Identifier: Apache-2.0
// Calls that two runs without modules make in another order.
#include "compare/match/match_crossed.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "read/dump/op_name.h"

// Calls that are made in another order stand close to each other.
enum { CALLS_APART = 16 };
// Tensors that are less apart are no others.
#define OTHER 1e-3
// Crosswise their tensors must be so many times closer: what differs by noise, or not at all.
#define CLOSER 64.0

typedef struct Ops {
    uint32_t *items;  // of golden, that have another second tensor than their partners
    size_t count, capacity;
} Ops;

typedef struct Crossing {
    const Dump *golden, *target;
    OpMatch *match;
    uint32_t *op_of[2];  // by name: its op, golden and target; NULL until one is asked for
    Ops ops;
    Arena *scratch;
} Crossing;

// The second tensor that a forward call takes, mostly its weight; NULL without one.
static const Slot *second_tensor(const Dump *dump, const Op *op)
{
    uint32_t seen = 0;
    if (op->kind != OP_API || op->direction != DIR_FORWARD)
        return NULL;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->group != GROUP_INPUT)
            return NULL;
        if (slot->kind == SLOT_TENSOR && seen++ == 1)
            return slot;
    }
    return NULL;
}

// How far the second tensors of two calls are apart: sums of relative differences. 0 where they
// tell nothing.
static double apart(const Crossing *crossing, uint32_t golden, uint32_t target)
{
    static const Stat stats[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    const Slot *a = second_tensor(crossing->golden, &crossing->golden->ops[golden]);
    const Slot *b = second_tensor(crossing->target, &crossing->target->ops[target]);
    double sum = 0, x, y;
    for (size_t i = 0; a && b && i < sizeof stats / sizeof *stats; i++)
        if (slot_stat(a, stats[i], &x) && slot_stat(b, stats[i], &y) && isfinite(x) &&
            isfinite(y) && x != y)
            sum += fabs(x - y) / fmax(fabs(x), fabs(y));
    return sum;
}

static bool same_call(const Crossing *crossing, uint32_t golden, uint32_t target)
{
    const Op *a = &crossing->golden->ops[golden], *b = &crossing->target->ops[target];
    const Names *names[2] = {crossing->golden->names, crossing->target->names};
    if (a->slot_count != b->slot_count ||
        !str_equal(op_name_of(names[0], a->name).stem, op_name_of(names[1], b->name).stem))
        return false;
    for (uint32_t i = 0; i < a->slot_count; i++)
        if (!str_equal(names_text(names[0], crossing->golden->slots[a->first_slot + i].shape),
                       names_text(names[1], crossing->target->slots[b->first_slot + i].shape)))
            return false;
    return true;
}

static void collect(Crossing *crossing)
{
    for (uint32_t i = 0; i < crossing->golden->op_count; i++) {
        uint32_t other = crossing->match->target_of[i];
        if (other != OP_NONE && apart(crossing, i, other) > OTHER)
            *ARRAY_PUSH(crossing->scratch, &crossing->ops) = i;
    }
}

// Whether each of two calls of golden fits the other's partner, and not its own.
static bool is_crossed(const Crossing *crossing, uint32_t a, uint32_t b)
{
    uint32_t of_a = crossing->match->target_of[a], of_b = crossing->match->target_of[b];
    double own = fmin(apart(crossing, a, of_a), apart(crossing, b, of_b));
    double other = fmax(apart(crossing, a, of_b), apart(crossing, b, of_a));
    return other * CLOSER < own && same_call(crossing, a, of_b) && same_call(crossing, b, of_a);
}

static uint32_t *count_of(Crossing *crossing, uint32_t golden, uint32_t target)
{
    const Dump *dumps[2] = {crossing->golden, crossing->target};
    bool named = str_equal(names_text(dumps[0]->names, dumps[0]->ops[golden].name),
                           names_text(dumps[1]->names, dumps[1]->ops[target].name));
    MatchCounts *counts = &crossing->match->counts;
    return named ? &counts->by_name : &counts->renumbered;
}

// Two pairs of calls change partners.
static void exchange(Crossing *crossing, const uint32_t golden[2], const uint32_t target[2])
{
    for (int i = 0; i < 2; i++) {
        --*count_of(crossing, golden[i], target[i]);
        ++*count_of(crossing, golden[i], target[1 - i]);
        crossing->match->target_of[golden[i]] = target[1 - i];
        crossing->match->golden_of[target[1 - i]] = golden[i];
    }
}

static uint32_t backward_of(Crossing *crossing, int side, uint32_t forward)
{
    const Dump *dump = side == 0 ? crossing->golden : crossing->target;
    if (!crossing->op_of[side]) {
        size_t count = names_count(dump->names) + 1;
        crossing->op_of[side] = ARENA_ARRAY(crossing->scratch, uint32_t, count);
        memset(crossing->op_of[side], 0xFF, count * sizeof(uint32_t));
        for (uint32_t i = 0; i < dump->op_count; i++)
            crossing->op_of[side][dump->ops[i].name] = i;
    }
    Str name = names_text(dump->names, dump->ops[forward].name);
    Str stem = str_slice(name, 0, name.size - STR("forward").size);
    NameId found =
        names_find(dump->names, str_printf(crossing->scratch, STR_FMT "backward", STR_ARG(stem)));
    return found == NAME_NONE ? OP_NONE : crossing->op_of[side][found];
}

// So do their backward calls, where all four are there.
static void cross(Crossing *crossing, uint32_t a, uint32_t b)
{
    const uint32_t *target_of = crossing->match->target_of;
    uint32_t golden[2] = {a, b}, target[2] = {target_of[a], target_of[b]}, back[2][2];
    bool whole = true;
    for (int i = 0; i < 2; i++) {
        back[0][i] = backward_of(crossing, 0, golden[i]);
        back[1][i] = backward_of(crossing, 1, target[i]);
        whole = whole && back[0][i] != OP_NONE && back[1][i] != OP_NONE &&
                target_of[back[0][i]] == back[1][i];
    }
    exchange(crossing, golden, target);
    if (whole)
        exchange(crossing, back[0], back[1]);
}

void match_crossed(const Dump *golden, const Dump *target, OpMatch *match)
{
    Arena *scratch = arena_new();
    Crossing crossing = {.golden = golden, .target = target, .match = match, .scratch = scratch};
    collect(&crossing);
    for (size_t i = 0; i < crossing.ops.count; i++)
        for (size_t k = i + 1; k < crossing.ops.count && k <= i + CALLS_APART; k++)
            if (is_crossed(&crossing, crossing.ops.items[i], crossing.ops.items[k])) {
                cross(&crossing, crossing.ops.items[i], crossing.ops.items[k]);
                break;
            }
    arena_release(scratch);
}
