// SPDX-License-Identifier: Apache-2.0
// What weights and the state of an optimizer are in themselves, without a gradient.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness.h"

// ---- weights of one value

static bool is_matrix(const TensorSeen *seen)
{
    return str_find_char(seen->shape, ',', 0) != SIZE_MAX && seen->elements >= SEEN_ELEMENTS;
}

static bool tells_constant(const ParameterSeen *it)
{
    return it && it->seen && is_matrix(&it->value) && tensor_seen_has_ends(&it->value) &&
           !tensor_seen_nan(&it->value) && it->requires_grad != TRI_FALSE &&
           !(tensor_seen_constant(&it->value) && tensor_seen_rounded(&it->value));
}

// What may begin with one value, as the second factor of LoRA does, has left it two updates later,
// and in the second checkpoint. No update is a warm-up, or micro steps.
void law_constant_weights(const Evidence *of, LawResult *out, size_t rank)
{
    const RankWitness *first = &of->ranks[rank];
    size_t updates = 0, least = first->sparse ? 1 : 2;
    if (of->earlier[rank] != SIZE_MAX)
        return;
    for (size_t i = rank; of->next[i] != SIZE_MAX; i = of->next[i])
        updates += weight_any_moved(&of->ranks[i], &of->ranks[of->next[i]]);
    for (size_t k = 0; k < first->parameter_count; k++) {
        bool always = updates >= least;
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = rank; i != SIZE_MAX; i = of->next[i]) {
                const ParameterSeen *it =
                    witness_parameter(&of->ranks[i], first->parameters[k].name);
                bool constant = it && it->seen && tensor_seen_constant(&it->value);
                always = always && (constant || !it || !it->seen);
                if (pass == 0 && tells_constant(it) && !constant)
                    law_note_held(out, i, SIZE_MAX);
                else if (pass == 1 && always && tells_constant(it))
                    law_note_broken(of, out, i, SIZE_MAX, parameter_label(it),
                                    str_printf(of->arena, tr("all elements are %g, in every step"),
                                               it->value.stat[STAT_MAX]));
            }
    }
}

// ---- how far a step goes

// Decoupled decay adds up to 0.1 times the weight to a step of Adam.
#define DECAY_REACH 0.1

// No element moved further than the largest and the smallest of them did.
static void judge_step(const Evidence *of, LawResult *out, size_t later,
                       const ParameterSeen *before, const ParameterSeen *after, double steps)
{
    const TensorSeen *a = &before->value, *b = &after->value;
    double largest = fmax(fabs(a->stat[STAT_MAX]), fabs(a->stat[STAT_MIN]));
    double reach = of->rate * steps * (ADAM_REACH + DECAY_REACH * largest);
    double went = 0, slack = 2 * steps * weight_unit(a) * (largest + reach), blur = 0;
    for (int i = STAT_MAX; i <= STAT_MIN; i++) {
        went = fmax(went, fabs(b->stat[i] - a->stat[i]));
        blur = fmax(blur, tensor_seen_blur(a, (Stat)i) + tensor_seen_blur(b, (Stat)i));
    }
    if (went <= reach + slack + blur)
        law_note_held(out, later, SIZE_MAX);
    else
        law_note_broken(of, out, later, SIZE_MAX, parameter_label(before),
                        str_printf(of->arena,
                                   tr("its ends moved by %.3g, the rate allows %.3g in %.0f steps"),
                                   went, reach, steps));
}

void law_weight_steps(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    const RankWitness *mine = &of->ranks[rank];
    for (size_t k = 0; of->rate > 0 && k < mine->parameter_count; k++) {
        const ParameterSeen *it = &mine->parameters[k];
        const ParameterSeen *next = witness_partner(&of->ranks[later], it);
        if (it->seen && next && next->seen && !weight_is_statistic(it->name) &&
            tensor_seen_is_float(&it->value) && tensor_seen_has_ends(&it->value) &&
            tensor_seen_has_ends(&next->value) && tensor_seen_finite(&it->value) &&
            tensor_seen_finite(&next->value))
            judge_step(of, out, later, it, next, (double)(of->ranks[later].step - mine->step));
    }
}

// ---- the state of the optimizer

static void judge_square(const Evidence *of, LawResult *out, size_t rank, const ParameterSeen *it)
{
    if (it->value.stat[STAT_MIN] < 0)
        law_note_broken(
            of, out, rank, SIZE_MAX, it->name,
            str_printf(of->arena, tr("a second moment is %g, below 0"), it->value.stat[STAT_MIN]));
    else
        law_note_held(out, rank, SIZE_MAX);
}

// An optimizer that was built of other weights never gets a gradient.
void law_optimizer_state(const Evidence *of, LawResult *out, size_t rank)
{
    const RankWitness *mine = &of->ranks[rank];
    size_t zero = 0, count = 0;
    for (size_t i = 0; i < mine->state_count; i++) {
        const ParameterSeen *it = &mine->states[i];
        if (!tensor_seen_has_ends(&it->value))
            continue;
        if (it->state == STATE_SQUARE && tensor_seen_finite(&it->value))
            judge_square(of, out, rank, it);
        count += it->state == STATE_MOMENT;
        zero += it->state == STATE_MOMENT && tensor_seen_zero(&it->value);
    }
    if (count && zero == count && mine->step > 0)
        law_note_broken(of, out, rank, SIZE_MAX, STR(""),
                        str_printf(of->arena,
                                   tr("all %zu first moments are 0: no gradient reached it"),
                                   count));
    else if (count > zero)
        law_note_held(out, rank, SIZE_MAX);
}

// ---- master weights

static int by_size(const void *a, const void *b)
{
    const TensorSeen *one = *(const TensorSeen *const *)a, *two = *(const TensorSeen *const *)b;
    if (one->elements != two->elements)
        return one->elements < two->elements ? -1 : 1;
    return (one->stat[STAT_MAX] > two->stat[STAT_MAX]) -
           (one->stat[STAT_MAX] < two->stat[STAT_MAX]);
}

static bool rounds_to(double master, const TensorSeen *weight, Stat stat)
{
    return fabs(master - weight->stat[stat]) <=
           weight_unit(weight) * fabs(master) + (double)FLT_MIN;
}

// Names of masters are often numbers alone: one of the weights of that size must be the master,
// rounded. Rounding keeps order, so the largest element of one is that of the other. `alike`: there
// are weights of that size at all, and few enough to look at; else it is a part of several.
enum { WEIGHTS_TRIED = 1024 };

static bool has_weight(const TensorSeen **weights, size_t count, const TensorSeen *master,
                       bool *alike)
{
    size_t at;
    double top = master->stat[STAT_MAX], low = top - fabs(top) / 128 - (double)FLT_MIN;
    FIND_FIRST(at, count, weights[at]->elements < master->elements);
    *alike = at < count && weights[at]->elements == master->elements;
    FIND_FIRST(
        at, count,
        weights[at]->elements < master->elements ||
            (weights[at]->elements == master->elements && weights[at]->stat[STAT_MAX] < low));
    size_t end = at + WEIGHTS_TRIED;
    for (; at < count && at < end && weights[at]->elements == master->elements &&
           weights[at]->stat[STAT_MAX] <= top + fabs(top) / 128 + (double)FLT_MIN;
         at++)
        if (rounds_to(top, weights[at], STAT_MAX) &&
            rounds_to(master->stat[STAT_MIN], weights[at], STAT_MIN))
            return true;
    *alike = *alike && at < end;
    return false;
}

static size_t sort_weights(const RankWitness *rank, const TensorSeen **out)
{
    size_t count = 0;
    for (size_t i = 0; i < rank->parameter_count; i++)
        if (tensor_seen_has_ends(&rank->parameters[i].value) &&
            tensor_seen_finite(&rank->parameters[i].value))
            out[count++] = &rank->parameters[i].value;
    if (count > 1)
        qsort(out, count, sizeof *out, by_size);
    return count;
}

static void judge_master(const Evidence *of, LawResult *out, size_t rank, const ParameterSeen *it,
                         const TensorSeen **weights, size_t count)
{
    bool alike = false;
    if (!str_ends(it->value.dtype, STR("32")) && !str_ends(it->value.dtype, STR("64")))
        law_note_broken(
            of, out, rank, SIZE_MAX, it->name,
            str_printf(of->arena, tr("a master weight is " STR_FMT), STR_ARG(it->value.dtype)));
    else if (tensor_seen_has_ends(&it->value) && tensor_seen_finite(&it->value)) {
        if (has_weight(weights, count, &it->value, &alike))
            law_note_held(out, rank, SIZE_MAX);
        else if (alike)
            law_note_broken(of, out, rank, SIZE_MAX, it->name,
                            str_printf(of->arena,
                                       tr("no weight of the model is this one rounded (Max %.7g)"),
                                       it->value.stat[STAT_MAX]));
    }
}

void law_master_weights(const Evidence *of, LawResult *out, size_t rank)
{
    const RankWitness *mine = &of->ranks[rank];
    Arena *scratch = arena_new();
    const TensorSeen **weights =
        ARENA_ARRAY(scratch, const TensorSeen *, mine->parameter_count + 1);
    size_t count = sort_weights(mine, weights);
    for (size_t k = 0; count && k < mine->state_count; k++)
        if (mine->states[k].state == STATE_MASTER)
            judge_master(of, out, rank, &mine->states[k], weights, count);
    arena_release(scratch);
}
