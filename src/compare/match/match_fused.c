// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_fused.h"

#include <math.h>

#include "model/ops/op_traits.h"

static bool is_triton(Str name)
{
    return str_starts(name, STR("triton_")) || str_find(name, STR(".triton_"), 0) != SIZE_MAX;
}

static bool has_kernels(const Dump *dump)
{
    bool plain = dump->framework != FRAMEWORK_PYTORCH || dump->level.size > 0;
    for (uint32_t i = 0; i < dump->op_count && !plain; i++)
        if (is_triton(names_text(dump->names, dump->ops[i].name)))
            return true;
    return false;
}

bool match_is_fused(const Dump *golden, const Dump *target)
{
    return has_kernels(golden) != has_kernels(target);
}

static Str name_at(const Dump *dump, uint32_t op)
{
    return names_text(dump->names, dump->ops[op].name);
}

// "addmm" of "Net.fc.aten::addmm.out".
static Str base_of(Str name)
{
    size_t colons = str_find(name, STR("::"), 0);
    Str base = str_slice(name, colons == SIZE_MAX ? 0 : colons + 2, name.size);
    return str_slice(base, 0, str_find_char(base, '.', 0));
}

// Whether the call is, or a fused kernel lists, the op.
static bool does(Str kernel, Str op)
{
    size_t at = SIZE_MAX;
    if (!is_triton(kernel))
        return str_equal(base_of(kernel), op);
    while ((at = str_find(kernel, op, at + 1)) != SIZE_MAX)
        if (at > 0 && kernel.data[at - 1] == '_' && at + op.size < kernel.size &&
            kernel.data[at + op.size] == '_')
            return true;
    return false;
}

// What passes numbers on within a fused run.
static bool is_view(Str op)
{
    return (op_traits(op) & OP_MOVES) || STR_IN(op, "t", "detach", "alias", "_unsafe_view");
}

// The norm of the first result; NaN: not told.
static double result_of(const Dump *dump, uint32_t op)
{
    double norm;
    const Op *record = &dump->ops[op];
    for (uint32_t i = record->first_slot; i < record->first_slot + record->slot_count; i++)
        if (slot_is_output_tensor(&dump->slots[i]) && slot_stat(&dump->slots[i], STAT_NORM, &norm))
            return norm;
    return (double)NAN;
}

// The op of the eager side that the kernel or call stands for, from *next on, which moves past it:
// the first of the run that the kernel lists which gives what it holds, else, before one comes
// again, the last.
static uint32_t eager_of(const Dump *eager, Str name, double held, uint32_t *next, Arena *scratch)
{
    static const double near = 0.01;
    uint32_t last = OP_NONE, repeated = OP_NONE;
    Names *seen = names_new(scratch);
    for (uint32_t at = *next; at < eager->op_count; at++) {
        Str base = base_of(name_at(eager, at));
        if (!does(name, base)) {
            if (last == OP_NONE || is_view(base))
                continue;
            break;
        }
        double norm = result_of(eager, at);
        bool found = norm == held || fabs(norm - held) < near * fmax(fabs(norm), fabs(held));
        if (names_find(seen, base) != NAME_NONE && repeated == OP_NONE)
            repeated = last;
        names_add(seen, base);
        last = at;
        if (repeated == OP_NONE || found)
            *next = at + 1;
        if (found || !is_triton(name))
            return at;
    }
    return repeated != OP_NONE ? repeated : last;
}

void match_fused(Matcher *matcher)
{
    int fused = has_kernels(matcher->sides[0].dump) ? 0 : 1;
    const Dump *side = matcher->sides[fused].dump, *eager = matcher->sides[1 - fused].dump;
    Arena *scratch = arena_new();
    uint32_t next = 0;
    for (uint32_t i = 0; i < side->op_count; i++) {
        uint32_t at = eager_of(eager, name_at(side, i), result_of(side, i), &next, scratch);
        if (at != OP_NONE)
            match_pair(matcher, fused ? at : i, fused ? i : at);
    }
    arena_release(scratch);
}
