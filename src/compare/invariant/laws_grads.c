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

void law_gradients(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count; i++) {
        const RankWitness *rank = &of->ranks[i];
        bool told = rank->has_gradients && rank->has_parameters && rank->has_backward;
        for (size_t k = 0;
             told && !rank->failed && rank->read.partial_at < 0 && k < rank->parameter_count; k++) {
            const ParameterSeen *it = &rank->parameters[k];
            if (!it->seen || it->requires_grad != TRI_TRUE || !it->flows)
                continue;
            if (it->gradient_came)
                law_note_held(out, i, SIZE_MAX);
            else if (!it->backward && trained_elsewhere(of, i, it->name))
                law_note_open(out, i,
                              str_of(tr("a weight gets no gradient here and is trained in other "
                                        "steps, as where two optimizers or losses take turns")));
            else if (!it->backward)
                law_note_broken(
                    of, out, i, SIZE_MAX, parameter_label(it),
                    str_printf(of->arena,
                               tr("trained and used by " STR_FMT ", but no gradient came"),
                               STR_ARG(it->op)));
        }
    }
}

// Known to be zero at every step, of several, and on every rank where it came.
static bool always_zero(const Evidence *of, Str name)
{
    enum { STEPS = 2 };  // what starts from zero has zero gradients around it in its first step
    int64_t last = INT64_MIN;
    size_t steps = 0;
    for (size_t i = 0; i < of->count; i++) {
        const ParameterSeen *it = witness_parameter(&of->ranks[i], name);
        if (!it || !it->gradient_came)
            continue;
        if (!it->gradient_zero)
            return false;
        steps += of->ranks[i].step != last;
        last = of->ranks[i].step;
    }
    return steps >= STEPS;
}

// The same, found once a name: `asked` keeps those that are, with a note.
static bool stays_zero(const Evidence *of, Names *asked, Str name)
{
    NameId id = names_find(asked, name);
    if (id == NAME_NONE) {
        id = names_add(asked, name);
        if (always_zero(of, name))
            names_set_note(asked, id, asked);
    }
    return names_note(asked, id) != NULL;
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
            else if (it->gradient_zero && !witness_is_expert(it->name) &&
                     stays_zero(of, asked, it->name))
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

static const BiasSeen *bias_of_step_before(const Evidence *of, size_t rank, Str op)
{
    size_t earlier = law_earlier_dump(of, rank);
    if (earlier == SIZE_MAX || law_next_step(of, earlier) != rank)
        return NULL;
    const RankWitness *its = &of->ranks[earlier];
    size_t at;
    FIND_FIRST(at, its->bias_count, str_compare(its->biases[at].op, op) < 0);
    bool found = at < its->bias_count && str_equal(its->biases[at].op, op);
    return found ? &its->biases[at] : NULL;
}

bool bias_grads_anew(const Evidence *of, size_t rank)
{
    for (size_t at = rank, next;
         of->ranks[rank].adds_grads && (next = law_next_step(of, at)) != SIZE_MAX; at = next)
        for (size_t i = 0; i < of->ranks[next].bias_count; i++) {
            const BiasSeen *it = &of->ranks[next].biases[i];
            const BiasSeen *before = bias_of_step_before(of, next, it->op);
            if (before && !bias_is_off(it) && fabs(before->left) > it->slack + before->slack)
                return true;
        }
    return false;
}

static bool is_what_stayed(const BiasSeen *it, const BiasSeen *before)
{
    return bias_is_off(it) && before &&
           fabs(it->found - it->due - before->left) <= it->slack + before->slack;
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
    for (size_t k = 0; k < its->bias_count; k++) {
        const BiasSeen *it = &its->biases[k], *old = bias_of_step_before(of, rank, it->op);
        double blur = old ? (it->slack + old->slack) / fabs(old->left) : (double)NAN;
        if (old && bias_is_off(it) && blur < unsure) {
            unsure = blur;
            factor = (it->found - it->due) / old->left;
        }
    }
    if (!(factor > 0 && factor < 1))
        return false;
    for (size_t k = 0; k < its->bias_count; k++) {
        const BiasSeen *it = &its->biases[k], *old = bias_of_step_before(of, rank, it->op);
        double excess = it->found - it->due, slack;
        if (!old)
            return false;
        slack = it->slack + old->slack + unsure * fabs(old->left);
        if (!(fabs(excess - factor * old->left) <= slack))
            return false;
        sharp += fabs(excess) > SHARP * slack;
    }
    return sharp >= SCALED_FROM;
}

// What stays of the micro batches of one step is due; of those that no dump tells, nothing is said.
void law_bias_gradients(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count; i++) {
        const RankWitness *rank = &of->ranks[i];
        size_t earlier = law_earlier_dump(of, i);
        bool stepped = earlier != SIZE_MAX && weight_any_moved(&of->ranks[earlier], rank);
        bool scaled = stepped && stays_scaled(of, i);
        for (size_t k = 0; k < rank->bias_count; k++) {
            const BiasSeen *it = &rank->biases[k];
            if (!bias_is_off(it)) {
                law_note_held(out, i, SIZE_MAX);
            } else if (scaled ||
                       (stepped && is_what_stayed(it, bias_of_step_before(of, i, it->op)))) {
                law_note_broken(
                    of, out, i, SIZE_MAX, it->op,
                    str_printf(
                        of->arena,
                        tr("the gradient of bias sums up to %.6g, what arrived to %.6g: the rest "
                           "is the gradient of the step before"),
                        it->found, it->due));
            } else {
                law_note_open(out, i,
                              str_of(tr("a gradient is not what arrived, and may hold that of "
                                        "other micro batches of its step")));
            }
        }
    }
}
