// SPDX-License-Identifier: Apache-2.0
#include "compare/token/token_spread.h"

#include <math.h>

enum { TOP = 10 };

// MaxText's own tolerance of logits: a probable token further off is no rounding of bfloat16.
static const double FAR_OFF = 0.1;

static TokenSpread spread_of(const TokenSet *set, uint32_t sample, uint32_t position)
{
    size_t at = set->samples[sample].first + position;
    return at < set->spread_count ? set->spreads[at] : (TokenSpread){0};
}

static const TokenChoice *choice_of(const TokenSet *set, TokenSpread of, int64_t id)
{
    for (uint32_t i = 0; i < of.count; i++)
        if (set->choices[of.first + i].id == id)
            return &set->choices[of.first + i];
    return NULL;
}

// Of one position; the choices of both stand by probability.
static void compare_position(TokenComparison *out, TokenPair *pair, uint32_t position)
{
    TokenSpread golden = spread_of(out->golden, pair->sample, position);
    TokenSpread target = spread_of(out->target, pair->sample, position);
    TokenSpreads *all = &out->spreads;
    double worst = 0, kl = 0;
    uint32_t top = golden.count < target.count ? golden.count : target.count, shared = 0;
    top = top < TOP ? top : TOP;
    if (top == 0)
        return;
    for (uint32_t i = 0; i < golden.count; i++) {
        const TokenChoice *own = &out->golden->choices[golden.first + i];
        const TokenChoice *other = choice_of(out->target, target, own->id);
        double delta = other ? other->value - own->value : 0;
        if (!other || !isfinite(delta))
            continue;
        kl -= exp(own->value) * delta;
        shared += i < top && (uint32_t)(other - &out->target->choices[target.first]) < top;
        worst = i < top && fabs(delta) > worst ? fabs(delta) : worst;
    }
    all->positions++;
    all->kl += kl;
    all->kl_max = kl > all->kl_max ? kl : all->kl_max;
    all->overlap += (double)shared / top;
    all->worst = worst > all->worst ? worst : all->worst;
    if (worst > out->limit_log && position < pair->parts_at)
        pair->parts_at = position;
}

void token_spread_compare(TokenComparison *out)
{
    if (!out->golden->spread_count || !out->target->spread_count)
        return;
    for (size_t p = 0; p < out->pair_count; p++) {
        TokenPair *pair = &out->pairs[p];
        double golden, target;
        for (uint32_t i = 0; i < pair->length; i++)
            if (token_values(out, pair, i, &golden, &target))
                compare_position(out, pair, i);
    }
    double count = (double)out->spreads.positions;
    out->spreads.kl /= count;
    out->spreads.overlap /= count;
}

bool token_spread_differs(const TokenComparison *of)
{
    return of->spreads.positions && of->spreads.worst > FAR_OFF;
}
