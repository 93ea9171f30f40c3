// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/weight_change.h"

#include <math.h>

#include "base/sort.h"
#include "compare/invariant/witness_take.h"

#define SURE_PUSH 4

static bool is_float32(const TensorSeen *seen)
{
    return str_equal(seen->dtype, STR("torch.float32")) || str_equal(seen->dtype, STR("Float32"));
}

// Small steps of one element are rounded away in half precision; those of many elements between
// two checkpoints are not.
static bool is_told(const TensorSeen *seen, bool sparse)
{
    enum { MANY = 1024 };
    return is_float32(seen) ? seen->elements >= SEEN_ELEMENTS
                            : sparse && tensor_seen_is_float(seen) && seen->elements >= MANY;
}

bool weight_change(const ParameterSeen *it, const RankWitness *later, WeightChange *out)
{
    out->after = witness_parameter(later, it->name);
    if (!it->seen || !out->after || !out->after->seen || !is_told(&it->value, later->sparse))
        return false;
    SeenMatch match = tensor_seen_match(&it->value, &out->after->value, 0);
    out->changed = match == SEEN_DIFFERENT;
    // A small step may be rounded away.
    return match != SEEN_UNKNOWN && (out->changed || !tensor_seen_rounded(&it->value));
}

bool weight_is_statistic(Str name)
{
    static const char *const ends[] = {"running_mean", "running_var", "moving_mean",
                                       "moving_variance"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(name, str_of(ends[i])))
            return true;
    return false;
}

double weight_push(const ParameterSeen *it)
{
    double push = tensor_seen_rms(&it->gradient), weight = tensor_seen_rms(&it->value);
    if (it->requires_grad == TRI_FALSE || !it->gradient_came || it->gradient_zero || !(push > 0) ||
        !isfinite(push) || isnan(weight))
        return (double)NAN;
    return push / (weight + 1e-12);
}

double weight_sure_push(const Evidence *of, size_t rank, size_t later)
{
    const RankWitness *mine = &of->ranks[rank];
    Arena *scratch = arena_new();
    double *moved = ARENA_ARRAY(scratch, double, mine->parameter_count), out = (double)NAN;
    size_t count = 0;
    WeightChange change;
    for (size_t i = 0; i < mine->parameter_count; i++) {
        double push = weight_push(&mine->parameters[i]);
        if (!isnan(push) && weight_change(&mine->parameters[i], &of->ranks[later], &change) &&
            change.changed)
            moved[count++] = push;
    }
    sort_doubles(moved, count);
    if (count)
        out = fmin(SURE_PUSH * moved[0], moved[count / 4]);
    arena_release(scratch);
    return out;
}
