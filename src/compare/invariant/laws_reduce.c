// SPDX-License-Identifier: Apache-2.0
// Gradients from rank to rank and from step to step, as a monitor or a dump tells them.
#include <math.h>

#include "base/sort.h"
#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/witness.h"

static bool knows(const TensorSeen *seen, Stat stat)
{
    return seen->known >> stat & 1 && isfinite(seen->stat[stat]);
}

// ---- sums over copies

// What the members of a set gave of one gradient, as far as it can be told.
typedef struct Sum {
    double mean, size;  // sum of the Means, and of their magnitudes
    double blur;        // what their writers rounded off
    bool whole;         // every member tells it
} Sum;

static Sum sum_over(const Evidence *of, size_t first, Str name)
{
    Sum out = {.whole = true};
    for (size_t i = first; i < of->step_end[first]; i++) {
        if (i != first && of->first_copy[i] != first)
            continue;
        const ParameterSeen *it = witness_parameter(&of->ranks[i], name);
        out.whole = out.whole && it && it->unreduced_told;
        if (!out.whole)
            return out;
        out.mean += it->unreduced_mean;
        out.size += fabs(it->unreduced_mean);
        out.blur += it->unreduced_blur;
    }
    return out;
}

// Gradients agree on a factor where theirs are that near to the middle.
#define NEAR 0.01

// Means that cancel show nothing of the factor, nor do those of which few digits are recorded.
static bool factor_of(const Evidence *of, size_t first, const ParameterSeen *it, double *out)
{
#define CANCELS 0.1
    if (!it->reduced || !it->gradient_came || !knows(&it->gradient, STAT_MEAN))
        return false;
    Sum sum = sum_over(of, first, it->name);
    if (!sum.whole || sum.size == 0 || fabs(sum.mean) < CANCELS * sum.size)
        return false;
    double reduced = it->gradient.stat[STAT_MEAN];
    *out = reduced / sum.mean;
    return sum.blur <= NEAR * fabs(sum.mean) &&
           tensor_seen_blur(&it->gradient, STAT_MEAN) <= NEAR * fabs(reduced);
}

// A mean over ranks, or a sum, has one factor for all gradients. It is known where most agree to a
// hundredth; those that are off by a fifth are broken.
static void judge_factors(const Evidence *of, LawResult *out, size_t first)
{
    enum { FACTORS_FROM = 4 };
    static const double off = 0.2;
    const RankWitness *rank = &of->ranks[first];
    Arena *scratch = arena_new();
    double *sorted = ARENA_ARRAY(scratch, double, rank->parameter_count), factor;
    size_t count = 0, agree = 0;
    for (size_t i = 0; i < rank->parameter_count; i++)
        count += factor_of(of, first, &rank->parameters[i], &sorted[count]);
    sort_doubles(sorted, count);
    double middle = count ? sorted[count / 2] : 0;
    for (size_t i = 0; i < count; i++)
        agree += fabs(sorted[i] - middle) <= NEAR * fabs(middle);
    for (size_t i = 0; count >= FACTORS_FROM && 4 * agree >= 3 * count && i < rank->parameter_count;
         i++) {
        if (!factor_of(of, first, &rank->parameters[i], &factor))
            continue;
        if (fabs(factor - middle) <= off * fabs(middle))
            law_note_held(out, first, SIZE_MAX);
        else
            law_note_broken(of, out, first, SIZE_MAX, parameter_label(&rank->parameters[i]),
                            str_printf(of->arena,
                                       tr("reduced it is %.4g times the sum over the ranks, others "
                                          "%.4g times"),
                                       factor, middle));
    }
    arena_release(scratch);
}

void law_reduced_gradients(const Evidence *of, LawResult *out, size_t rank)
{
    const RankPlace *place = rank_layout_place(of->layout, of->ranks[rank].rank);
    if (place && place->copies != GROUP_UNKNOWN && of->first_copy[rank] == SIZE_MAX)
        judge_factors(of, out, rank);
}

// ---- all of them

// A gradient that copies have of one weight, where each has one of its own.
static const ParameterSeen *other_gradient(const Evidence *of, const ParameterSeen *it,
                                           const RankWitness *other)
{
    const ParameterSeen *its = it->gradient_parts == 1 && !it->shared && !parameter_is_local(it)
                                   ? witness_partner(other, it)
                                   : NULL;
    bool told = its && its->gradient_parts == 1 && it->gradient_nonzero && its->gradient_nonzero &&
                tensor_seen_match(&it->gradient, &its->gradient, of->tolerance) == SEEN_DIFFERENT;
    bool equal =
        told && (!it->seen || !its->seen ||
                 tensor_seen_match(&it->value, &its->value, of->tolerance) != SEEN_DIFFERENT);
    return equal ? its : NULL;
}

// The call of `mine` that is at the place of that one of the other rank; NULL: there is none.
static const CommSeen *same_place(const RankWitness *mine, const RankWitness *other, uint32_t call)
{
    const CommSeen *theirs = &other->comms[call - 1];
    size_t number = 0;
    for (const CommSeen *it = other->comms; it < theirs; it++)
        number += str_equal(it->api, theirs->api);
    for (size_t i = 0; i < mine->comm_count; i++)
        if (str_equal(mine->comms[i].api, theirs->api) && number-- == 0)
            return mine->comms[i].gave_count == 1 ? &mine->comms[i] : NULL;
    return NULL;
}

static void note_unreduced(const Evidence *of, LawResult *out, size_t rank, size_t other,
                           const ParameterSeen *it, const ParameterSeen *its)
{
    const RankWitness *mine = &of->ranks[rank];
    const CommSeen *instead =
        its->reduction ? same_place(mine, &of->ranks[other], its->reduction) : NULL;
    Str label = parameter_label(it);
    if (instead)
        law_note_broken(of, out, rank, other, instead->call.name,
                        str_printf(of->arena,
                                   tr("gives " STR_FMT " though the gradient of " STR_FMT
                                      " is " STR_FMT " and goes into no reduction"),
                                   STR_ARG(tensor_seen_text(&instead->gave[0], of->arena)),
                                   STR_ARG(label),
                                   STR_ARG(tensor_seen_text(&it->gradient, of->arena))));
    else
        law_note_broken(
            of, out, rank, other, label,
            str_printf(of->arena,
                       tr("its gradient goes into no reduction, those of other "
                          "weights do (" STR_FMT ")"),
                       STR_ARG(tensor_seen_difference(&it->gradient, &its->gradient, of->arena))));
}

static bool is_of_weight(const RankWitness *rank, Str shape)
{
    for (size_t i = 0; i < rank->parameter_count; i++)
        if (str_equal(rank->parameters[i].value.shape, shape))
            return true;
    return false;
}

// Whether a gradient may have gone another way after the backward: in a flat bucket with others, or
// gathered, as sparse ones are.
static bool may_go_elsewhere(const RankWitness *rank, const ParameterSeen *it)
{
    for (size_t i = 0; i < rank->comm_count; i++) {
        const CommSeen *comm = &rank->comms[i];
        if (!comm->before_backward && comm->gave_count && !comm->of_gradient &&
            comm->gave[0].elements > it->gradient.elements &&
            str_find_char(comm->gave[0].shape, ',', 0) == SIZE_MAX &&
            !is_of_weight(rank, comm->gave[0].shape))
            return true;
        if (!comm->before_backward && comm->call.peer < 0 && !comm_is_reduction(comm) &&
            comm->gave_count && comm->gave[0].elements > 1)
            return true;
    }
    return false;
}

// Gradients are given to reductions as they arrived, or put together or scaled before, and then
// none is found there: Max and Min of two of them are equal by chance once in 2^48. Where more than
// half are found the first is how it is done.
void law_reduced_all(const Evidence *of, LawResult *out, size_t rank, size_t other)
{
    const RankWitness *mine = &of->ranks[rank], *theirs = &of->ranks[other];
    size_t all = 0, reduced = 0;
    if (mine->read.partial_at >= 0 || theirs->read.partial_at >= 0)
        return;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < mine->parameter_count; i++) {
            const ParameterSeen *it = &mine->parameters[i];
            const ParameterSeen *its = other_gradient(of, it, theirs);
            if (!its)
                continue;
            all += pass == 0;
            reduced += pass == 0 && it->reduction && its->reduction;
            if (pass == 0 || 2 * reduced <= all)
                continue;
            if (it->reduction && its->reduction)
                law_note_held(out, rank, other);
            else if (it->reduction)
                note_unreduced(of, out, other, rank, its, it);
            else if (its->reduction || !may_go_elsewhere(mine, it))
                note_unreduced(of, out, rank, other, it, its);
        }
}

// ---- from step to step

// Whether the three would hardly be told equal of two gradients: four digits of each.
static bool is_fine(const TensorSeen *seen)
{
    static const double fine = 1e-4;
    static const Stat stats[] = {STAT_NORM, STAT_MAX, STAT_MIN};
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
        if (tensor_seen_blur(seen, stats[i]) > fine * fabs(seen->stat[stats[i]]))
            return false;
    return true;
}

static bool repeats(const ParameterSeen *a, const ParameterSeen *b)
{
    const TensorSeen *one = &a->gradient, *two = &b->gradient;
    if (one->checksum.size && two->checksum.size)
        return str_equal(one->checksum, two->checksum);
    return knows(one, STAT_NORM) && knows(one, STAT_MAX) && knows(one, STAT_MIN) &&
           one->known == two->known && one->stat[STAT_NORM] == two->stat[STAT_NORM] &&
           one->stat[STAT_MAX] == two->stat[STAT_MAX] && one->stat[STAT_MIN] == two->stat[STAT_MIN];
}

// A gradient of one value throughout says too little: that of a bias after which all is summed up
// is the number of samples in every step.
static const ParameterSeen *gradient_later(const Evidence *of, size_t later,
                                           const ParameterSeen *it)
{
    const ParameterSeen *next =
        it->gradient_nonzero ? witness_partner(&of->ranks[later], it) : NULL;
    bool told = next && next->gradient_nonzero && !tensor_seen_nan(&it->gradient) &&
                !tensor_seen_nan(&next->gradient) && !tensor_seen_constant(&it->gradient);
    bool fine = told && ((it->gradient.checksum.size && next->gradient.checksum.size) ||
                         (is_fine(&it->gradient) && is_fine(&next->gradient)));
    return fine ? next : NULL;
}

// Where the same batch is used with a rate of 0 all repeat, which says nothing.
void law_repeated_gradients(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    const RankWitness *mine = &of->ranks[rank];
    size_t same = 0, both = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < mine->parameter_count; k++) {
            const ParameterSeen *it = &mine->parameters[k];
            const ParameterSeen *next = gradient_later(of, later, it);
            if (!next)
                continue;
            bool repeated = repeats(it, next);
            both += pass == 0;
            same += pass == 0 && repeated;
            if (pass == 0 || 2 * same >= both)
                continue;
            if (repeated)
                law_note_broken(of, out, later, SIZE_MAX, parameter_label(it),
                                str_printf(of->arena,
                                           tr("the gradient of the step before: " STR_FMT),
                                           STR_ARG(tensor_seen_text(&next->gradient, of->arena))));
            else
                law_note_held(out, later, SIZE_MAX);
        }
}
