// SPDX-License-Identifier: Apache-2.0
// Turns: the stretches of a sample that the masks leave between what they take out.
#include <math.h>

#include "compare/token/token_cause.h"

enum { TURNS_MAX = 64, LEAST_TOKENS = 16, LEAST_SAMPLES = 2, TIMES_OFF = 10 };

typedef struct Turn {
    uint64_t count;
    double sum, signed_sum;      // of |Δ|, Δ
    uint32_t samples, from, to;  // positions, where all samples have the same
} Turn;

// The turns of one sample added up; how many it has.
static size_t add_turns(const TokenComparison *of, const TokenPair *pair, Turn *turns)
{
    size_t count = 0;
    bool open = false;
    for (uint32_t i = 0; i < pair->length; i++) {
        double golden, target;
        bool counted = token_values(of, pair, i, &golden, &target);
        if (counted && !open) {
            if (++count > TURNS_MAX)
                return 0;
            Turn *turn = &turns[count - 1];
            turn->from = turn->samples++ ? (turn->from == i ? i : UINT32_MAX) : i;
        }
        open = counted;
        if (!counted || !isfinite(golden) || !isfinite(target))
            continue;
        Turn *turn = &turns[count - 1];
        turn->count++;
        turn->sum += fabs(target - golden);
        turn->signed_sum += target - golden;
        turn->to = i > turn->to ? i : turn->to;
    }
    return count;
}

static double mean_of(const Turn *turn)
{
    return turn->count ? turn->sum / (double)turn->count : 0;
}

// One turn ten times as far off as any other, in at least two samples.
bool token_is_turn(const TokenComparison *of, TokenExplanation *out)
{
    Turn turns[TURNS_MAX] = {0};
    size_t most = 0, worst = 0;
    double others = 0;
    if (!of->golden->mask && !of->target->mask)
        return false;
    for (size_t p = 0; p < of->pair_count; p++) {
        size_t count = add_turns(of, &of->pairs[p], turns);
        most = count > most ? count : most;
    }
    for (size_t i = 1; i < most; i++)
        worst = mean_of(&turns[i]) > mean_of(&turns[worst]) ? i : worst;
    for (size_t i = 0; i < most; i++)
        if (i != worst && mean_of(&turns[i]) > others)
            others = mean_of(&turns[i]);
    const Turn *turn = &turns[worst];
    if (most < 2 || turn->count < LEAST_TOKENS || turn->samples < LEAST_SAMPLES ||
        mean_of(turn) < TIMES_OFF * others)
        return false;
    *out = (TokenExplanation){.cause = TOKEN_CAUSE_TURN,
                              .figure = turn->signed_sum / (double)turn->count,
                              .others = others,
                              .turn = (uint32_t)worst + 1,
                              .from = turn->from,
                              .to = turn->to};
    return true;
}

typedef struct Stretch {
    uint64_t tokens, off, changes;
    double off_sum, rest_sum, signed_sum;
    uint32_t from, to;  // of the first sample with one
    bool same;          // in all samples
    bool any;
} Stretch;

static void add_stretch(const TokenComparison *of, const TokenPair *pair, double limit,
                        Stretch *out)
{
    bool before = false, first = true;
    uint32_t from = UINT32_MAX, to = 0;
    for (uint32_t i = 0; i < pair->length; i++) {
        double golden, target;
        if (!token_values(of, pair, i, &golden, &target) || !isfinite(golden) || !isfinite(target))
            continue;
        double size = fabs(target - golden);
        bool off = size >= limit;
        out->changes += !first && off != before;
        out->tokens++;
        out->off += off;
        *(off ? &out->off_sum : &out->rest_sum) += size;
        out->signed_sum += off ? target - golden : 0;
        from = off && from == UINT32_MAX ? i : from;
        to = off ? i : to;
        before = off;
        first = false;
    }
    if (from == UINT32_MAX)
        return;
    out->same = out->any ? out->same && from == out->from : true;
    out->from = out->any ? out->from : from;
    out->to = to > out->to ? to : out->to;
    out->any = true;
}

// Tokens that fall into the groups by chance change between them 2 p (1 - p) times a token; a
// quarter of that is no chance any more.
bool token_is_stretch(const TokenComparison *of, double limit, TokenExplanation *out)
{
    Stretch all = {0};
    for (size_t p = 0; p < of->pair_count; p++)
        add_stretch(of, &of->pairs[p], limit, &all);
    double count = (double)all.tokens, share = (double)all.off / count;
    if (!all.off || all.off == all.tokens || (double)all.changes > count * share * (1 - share) / 2)
        return false;
    *out = (TokenExplanation){.cause = TOKEN_CAUSE_TURN,
                              .figure = all.signed_sum / (double)all.off,
                              .share = share,
                              .others = all.rest_sum / (double)(all.tokens - all.off),
                              .from = all.same ? all.from : UINT32_MAX,
                              .to = all.to};
    return true;
}
