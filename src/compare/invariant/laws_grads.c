// SPDX-License-Identifier: Apache-2.0
// Gradients: they reach what is trained, and are not zero throughout.
#include <math.h>

#include "base/names.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness.h"

// Whether another pass than those of this dump trains the weight of its rank: a gradient comes in
// another step, or it moves by more than decay.
static bool trained_elsewhere(const Evidence *of, size_t rank, Str name)
{
    const ParameterSeen *before = NULL;
    for (size_t i = 0; i < of->count; i++) {
        const ParameterSeen *it = of->ranks[i].rank == of->ranks[rank].rank
                                      ? witness_parameter(&of->ranks[i], name)
                                      : NULL;
        if (!it)
            continue;
        if (it->gradient_came ||
            (before && before->seen && it->seen &&
             tensor_seen_match(&before->value, &it->value, 0) == SEEN_DIFFERENT &&
             !weight_is_scaled(&before->value, &it->value)))
            return true;
        before = it;
    }
    return false;
}

void law_gradients(const Evidence *of, LawResult *out, size_t rank)
{
    const RankWitness *mine = &of->ranks[rank];
    bool told = mine->has_gradients && mine->has_parameters && mine->has_backward &&
                !mine->failed && mine->read.partial_at < 0;
    for (size_t k = 0; told && k < mine->parameter_count; k++) {
        const ParameterSeen *it = &mine->parameters[k];
        if (!it->seen || it->requires_grad != TRI_TRUE || !it->flows)
            continue;
        if (it->gradient_came)
            law_note_held(out, rank, SIZE_MAX);
        else if (!it->backward && trained_elsewhere(of, rank, it->name))
            law_note_open(out, rank,
                          str_of(tr("a weight gets no gradient here and is trained in other "
                                    "steps, as where two optimizers or losses take turns")));
        else if (!it->backward)
            law_note_broken(of, out, rank, SIZE_MAX, parameter_label(it),
                            str_printf(of->arena,
                                       tr("trained and used by " STR_FMT ", but no gradient came"),
                                       STR_ARG(it->op)));
    }
}

// Known to be zero at every step, of several, and on every rank where it came. `asked` keeps the
// names that it was found of once, with a note where they are.
static bool always_zero(const Evidence *of, Names *asked, Str name)
{
    enum { STEPS = 2 };  // what starts from zero has zero gradients around it in its first step
    int64_t last = INT64_MIN;
    size_t steps = 0, known = names_count(asked);
    NameId id = names_add(asked, name);
    for (size_t i = 0; names_count(asked) > known && i < of->count; i++) {
        const ParameterSeen *it = witness_parameter(&of->ranks[i], name);
        if (!it || !it->gradient_came)
            continue;
        if (!it->gradient_zero)
            return false;
        steps += of->ranks[i].step != last;
        last = of->ranks[i].step;
    }
    if (steps >= STEPS)
        names_set_note(asked, id, asked);
    return names_note(asked, id) != NULL;
}

// One number may be a sum that comes out even, as that of the signs of an L1 loss; where a
// weight among inputs of calls tells too little, it is not known which calls are its own.
static bool may_cancel(const ParameterSeen *it)
{
    return (it->gradient.elements > 0 && it->gradient.elements < SEEN_ELEMENTS) ||
           (it->places && !tensor_seen_rich(&it->value));
}

void law_zero_gradients(const Evidence *of, LawResult *out)
{
    Names *asked = names_new(of->arena);
    for (size_t i = 0; i < of->count; i++) {
        const RankWitness *rank = &of->ranks[i];
        for (size_t k = 0; k < rank->parameter_count; k++) {
            const ParameterSeen *it = &rank->parameters[k];
            if (!it->gradient_came)
                continue;
            if (it->gradient_nonzero)
                law_note_held(out, i, SIZE_MAX);
            else if (it->gradient_zero && !may_cancel(it) && !witness_is_expert(it->name) &&
                     always_zero(of, asked, it->name))
                law_note_broken(of, out, i, SIZE_MAX, parameter_label(it),
                                str_of(tr("all zeros, in every step")));
        }
    }
}

// ---- sums of gradients of biases, from step to step

static bool bias_is_off(const BiasSeen *it)
{
    return fabs(it->found - it->due) > it->slack;
}

// That of the same weight in the step before; NULL: none is recorded.
static const BiasSeen *bias_before(const Evidence *of, size_t rank, const ParameterSeen *weight)
{
    size_t earlier = of->earlier[rank];
    const ParameterSeen *its = earlier != SIZE_MAX && law_next_step(of, earlier) == rank
                                   ? witness_parameter(&of->ranks[earlier], weight->name)
                                   : NULL;
    return its && its->bias.told ? &its->bias : NULL;
}

bool bias_grads_anew(const Evidence *of, size_t rank)
{
    for (size_t at = rank, next;
         of->ranks[rank].adds_grads && (next = law_next_step(of, at)) != SIZE_MAX; at = next)
        for (size_t i = 0; i < of->ranks[next].parameter_count; i++) {
            const BiasSeen *it = &of->ranks[next].parameters[i].bias, *before;
            if (it->told && !bias_is_off(it) &&
                (before = bias_before(of, next, &of->ranks[next].parameters[i])) &&
                fabs(before->left) > it->slack + before->slack)
                return true;
        }
    return false;
}

// Whether what is too much is that of the dump before by one factor below 1 for all biases, of
// which two or more tell it sharply: it stayed, and clipping or a scaler made it smaller after it
// was given.
static bool stays_scaled(const Evidence *of, size_t rank)
{
    enum { SCALED_FROM = 2, SHARP = 64 };
    const RankWitness *its = &of->ranks[rank];
    double factor = 0, unsure = (double)INFINITY;
    size_t sharp = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < its->parameter_count; k++) {
            const BiasSeen *it = &its->parameters[k].bias;
            const BiasSeen *old = it->told ? bias_before(of, rank, &its->parameters[k]) : NULL;
            double excess = it->found - it->due;
            double slack = old ? it->slack + old->slack : 0;
            if (pass == 0 && old && bias_is_off(it) && slack / fabs(old->left) < unsure) {
                unsure = slack / fabs(old->left);
                factor = excess / old->left;
            }
            if (pass == 0 || !it->told)
                continue;
            if (!old || !(factor > 0 && factor < 1))
                return false;
            slack += unsure * fabs(old->left);
            if (!(fabs(excess - factor * old->left) <= slack))
                return false;
            sharp += fabs(excess) > SHARP * slack;
        }
    return sharp >= SCALED_FROM;
}

// What stays of the micro batches of one step is due; of those that no dump tells, nothing is said.
void law_bias_gradients(const Evidence *of, LawResult *out, size_t rank)
{
    const RankWitness *mine = &of->ranks[rank];
    size_t earlier = of->earlier[rank];
    bool stepped = earlier != SIZE_MAX && weight_any_moved(&of->ranks[earlier], mine);
    bool scaled = stepped && stays_scaled(of, rank);
    for (size_t k = 0; k < mine->parameter_count; k++) {
        const BiasSeen *it = &mine->parameters[k].bias;
        const BiasSeen *old = it->told ? bias_before(of, rank, &mine->parameters[k]) : NULL;
        double excess = it->found - it->due;
        bool stayed =
            scaled || (stepped && old && fabs(excess - old->left) <= it->slack + old->slack);
        if (!it->told)
            continue;
        if (!bias_is_off(it))
            law_note_held(out, rank, SIZE_MAX);
        else if (stayed)
            law_note_broken(
                of, out, rank, SIZE_MAX, mine->parameters[k].name,
                str_printf(of->arena,
                           tr("the gradient of bias sums up to %.6g, what arrived to %.6g: the "
                              "rest is the gradient of the step before"),
                           it->found, it->due));
        else
            law_note_open(out, rank,
                          str_of(tr("a gradient is not what arrived, and may hold that of "
                                    "other micro batches of its step")));
    }
}
