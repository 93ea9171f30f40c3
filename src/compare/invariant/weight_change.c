// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/weight_change.h"

#include <math.h>

#include "compare/invariant/law_note.h"
#include "compare/invariant/witness.h"

// By how much less than the others a group of weights may be moved for its gradient: a rate that
// falls by 0.65 a layer, over twelve layers and the embedding, ends at 1/270 (Bao et al.: BEiT,
// fine-tuning).
#define SLOWEST 270

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
    out->after = witness_partner(later, it);
    if (!it->seen || !out->after || !out->after->seen || !is_told(&it->value, later->sparse))
        return false;
    SeenMatch match = tensor_seen_match(&it->value, &out->after->value, 0);
    out->changed = match == SEEN_DIFFERENT;
    // A small step may be rounded away.
    return match != SEEN_UNKNOWN && (out->changed || !tensor_seen_rounded(&it->value));
}

bool weight_any_moved(const RankWitness *rank, const RankWitness *later)
{
    for (size_t i = 0; i < rank->parameter_count; i++) {
        const ParameterSeen *it = &rank->parameters[i], *after;
        if (it->seen && !weight_is_statistic(it->name) && (after = witness_partner(later, it)) &&
            after->seen && tensor_seen_match(&it->value, &after->value, 0) == SEEN_DIFFERENT)
            return true;
    }
    return false;
}

double weight_push(const ParameterSeen *it)
{
    double push = tensor_seen_rms(&it->gradient), weight = tensor_seen_rms(&it->value);
    if (it->requires_grad == TRI_FALSE || !it->gradient_came || it->gradient_zero || !(push > 0) ||
        !isfinite(push) || isnan(weight))
        return (double)NAN;
    static const double least = 1e-12;  // of a weight that is zero the push is large, not infinite
    return push / (weight + least);
}

double weight_unit(const TensorSeen *seen)
{
    return tensor_seen_step(seen) / 2;
}

static double end_went(const TensorSeen *before, const TensorSeen *after)
{
    if (!tensor_seen_has_ends(before) || !tensor_seen_has_ends(after) ||
        !tensor_seen_finite(before) || !tensor_seen_finite(after))
        return 0;
    return fmax(fabs(after->stat[STAT_MAX] - before->stat[STAT_MAX]),
                fabs(after->stat[STAT_MIN] - before->stat[STAT_MIN]));
}

// How many halves of a rounding step of its dtype it moved at least: the Norm changes by no more
// than the Norm of the step, an end by no more than its largest element.
static double steps_moved(const TensorSeen *before, const TensorSeen *after)
{
    double most = 0;
    for (int i = 0; i < STAT_COUNT; i++)
        if (before->known & after->known & 1U << i && i != STAT_MEAN && before->stat[i] != 0)
            most = fmax(most, fabs(after->stat[i] / before->stat[i] - 1));
    return most / weight_unit(before);
}

// Any optimizer moves a weight at least as far for its gradient as it moves that which it moves
// least for its own: of SGD these are equal, Adam moves small gradients further.
void weight_moves(const Evidence *of, size_t rank, size_t later, WeightMoves *out)
{
    const RankWitness *mine = &of->ranks[rank];
    double slowest = 0;  // push for half a rounding step
    size_t count = 0;
    WeightChange change;
    *out = (WeightMoves){.push = (double)NAN};
    for (size_t i = 0; i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i];
        if (!weight_change(it, &of->ranks[later], &change) || !change.changed)
            continue;
        out->went = fmax(out->went, end_went(&it->value, &change.after->value));
        if (isnan(weight_push(it)))
            continue;
        double steps = steps_moved(&it->value, &change.after->value);
        count++;
        if (steps >= 1)
            slowest = fmax(slowest, weight_push(it) / steps);
    }
    if (count)
        out->push = slowest > 0 ? SLOWEST * slowest : (double)INFINITY;
}

// The magnitude of its smallest element: known where all have one sign, else that of many numbers
// around 0.
static double least_element(const TensorSeen *seen)
{
    double max = seen->stat[STAT_MAX], min = seen->stat[STAT_MIN];
    if (tensor_seen_has_ends(seen) && (min > 0 || max < 0))
        return fmin(fabs(min), fabs(max));
    return seen->elements ? tensor_seen_rms(seen) / (double)seen->elements : 0;
}

bool weight_shows(const ParameterSeen *it, const WeightMoves *moves)
{
    return !(moves->went < ADAM_REACH * weight_unit(&it->value) * least_element(&it->value));
}

bool weight_sure(const ParameterSeen *it, const WeightMoves *moves)
{
    return weight_push(it) >= moves->push && weight_shows(it, moves);
}

size_t weight_still_steps(const Evidence *of, size_t rank)
{
    size_t still = 0;
    for (size_t at = rank, next; (next = law_next_step(of, at)) != SIZE_MAX; at = next) {
        size_t pushed = 0, moved = 0;
        for (size_t i = 0; i < of->ranks[at].parameter_count; i++) {
            WeightChange change;
            const ParameterSeen *it = &of->ranks[at].parameters[i];
            if (!weight_change(it, &of->ranks[next], &change))
                continue;
            pushed += weight_push(it) > 0;
            moved += change.changed;
        }
        if (moved || !pushed)
            return 0;
        still++;
    }
    return still;
}

bool weight_is_scaled(const TensorSeen *a, const TensorSeen *b)
{
    enum { AS_IT_WAS = 8 };           // times that: rounding alone leaves as much
    static const double near = 1e-6;  // of float32, several rounding steps
    static const Stat ends[] = {STAT_MAX, STAT_MIN};
    uint8_t sums = 1U << STAT_MAX | 1U << STAT_MIN | 1U << STAT_NORM;
    if ((a->known & b->known & sums) != sums)
        return false;
    double factor = b->stat[STAT_NORM] / a->stat[STAT_NORM];
    if (!(fabs(factor - 1) > AS_IT_WAS * near))
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        double due = factor * a->stat[ends[i]];
        if (!(fabs(b->stat[ends[i]] - due) <= near * fabs(due)))
            return false;
    }
    return true;
}
