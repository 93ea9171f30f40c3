// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_divided.h"

#include <math.h>

#include "base/array.h"
#include "compare/flow.h"

enum { CALLS_BEHIND = 4, TENSORS_MAX = 8 };
// A weight that is off by more is another one; what was computed may be off by two steps of
// bfloat16 in each statistic.
static const double other = 1e-3, rounded = 0.016;

typedef struct Dividing {
    const Dump *dumps[2];  // golden, target
    OpMatch *match;
    uint32_t *called[2];  // by NameId: its op; NULL: not asked for yet
    Arena *scratch;
} Dividing;

// The tensors that a forward call of an API takes, or that it gives.
static uint32_t tensors_of(const Dump *dump, const Op *op, bool results, const Slot **out)
{
    uint32_t count = 0;
    if (op->kind != OP_API || op->direction != DIR_FORWARD)
        return 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->kind == SLOT_TENSOR && slot_is_result(slot) == results && count < TENSORS_MAX)
            out[count++] = slot;
    }
    return count;
}

static bool is_same(const Dividing *of, int side, const Slot *own, const Slot *theirs, double most)
{
    static const Stat stats[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    Str a = names_text(of->dumps[side]->names, own->shape);
    Str b = names_text(of->dumps[1 - side]->names, theirs->shape);
    double x = 0, y = 0;
    bool same = str_equal(a, b);
    for (size_t i = 0; same && i < sizeof stats / sizeof *stats; i++)
        same = slot_stat(own, stats[i], &x) && slot_stat(theirs, stats[i], &y) &&
               fabs(x - y) <= most * fmax(fabs(x), fabs(y));
    return same;
}

// Whether the call of `side` without a partner takes both the tensor of the other and `result`.
static bool goes_on(const Dividing *of, int side, uint32_t op, const Slot *more, const Slot *result)
{
    const Dump *dump = of->dumps[side];
    const uint32_t *partner = side == 0 ? of->match->target_of : of->match->golden_of;
    const Slot *taken[TENSORS_MAX];
    uint32_t count = partner[op] == OP_NONE ? tensors_of(dump, &dump->ops[op], false, taken) : 0;
    bool takes_more = false, takes_result = false;
    for (uint32_t i = 0; i < count; i++) {
        takes_result = takes_result || flow_equal(taken[i], result);
        takes_more = takes_more || is_same(of, side, taken[i], more, other);
    }
    return takes_more && takes_result;
}

// Whether `fewer`, a call of `side`, and one after it do what `more` does.
static bool is_divided(const Dividing *of, int side, uint32_t fewer, uint32_t more)
{
    const Dump *dump = of->dumps[side], *others = of->dumps[1 - side];
    const Slot *own[TENSORS_MAX], *theirs[TENSORS_MAX], *result[TENSORS_MAX];
    uint32_t count = tensors_of(dump, &dump->ops[fewer], false, own);
    if (count == 0 || tensors_of(others, &others->ops[more], false, theirs) != count + 1 ||
        tensors_of(dump, &dump->ops[fewer], true, result) != 1)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!is_same(of, side, own[i], theirs[i], i == 0 ? rounded : other))
            return false;
    for (uint32_t i = fewer + 1; i < dump->op_count && i - fewer <= CALLS_BEHIND; i++)
        if (goes_on(of, side, i, theirs[count], result[0]))
            return true;
    return false;
}

static void part(Dividing *of, uint32_t golden, uint32_t target)
{
    const Dump *const *dumps = of->dumps;
    bool named = str_equal(names_text(dumps[0]->names, dumps[0]->ops[golden].name),
                           names_text(dumps[1]->names, dumps[1]->ops[target].name));
    --*(named ? &of->match->counts.by_name : &of->match->counts.renumbered);
    of->match->target_of[golden] = of->match->golden_of[target] = OP_NONE;
}

static uint32_t backward_of(Dividing *of, int side, uint32_t forward)
{
    const Dump *dump = of->dumps[side];
    Str name = str_replace(of->scratch, names_text(dump->names, dump->ops[forward].name),
                           STR(".forward"), STR(".backward"));
    NameId found = names_find(dump->names, name);
    if (!of->called[side]) {
        of->called[side] = array_of_none(of->scratch, names_count(dump->names) + 1);
        for (uint32_t i = 0; i < dump->op_count; i++)
            of->called[side][dump->ops[i].name] = i;
    }
    return found == NAME_NONE ? OP_NONE : of->called[side][found];
}

void match_divided(const Dump *golden, const Dump *target, OpMatch *match)
{
    Dividing of = {.dumps = {golden, target}, .match = match, .scratch = arena_new()};
    for (uint32_t i = 0; i < golden->op_count; i++) {
        uint32_t partner = match->target_of[i];
        if (partner == OP_NONE ||
            !(is_divided(&of, 0, i, partner) || is_divided(&of, 1, partner, i)))
            continue;
        uint32_t back[2] = {backward_of(&of, 0, i), backward_of(&of, 1, partner)};
        part(&of, i, partner);
        if (back[0] != OP_NONE && back[1] != OP_NONE && match->target_of[back[0]] == back[1])
            part(&of, back[0], back[1]);
    }
    arena_release(of.scratch);
}
