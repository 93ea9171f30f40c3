// SPDX-License-Identifier: Apache-2.0 What would explain a difference of log-probabilities. Each
// cause has a form of its own in the sums of the comparison; the first that fits is reported. The
// bounds are those at which the planted causes of tests/cases/tokens.py part from noise of the same
// size.
#include "compare/token/token_cause.h"

#include <math.h>

enum { SOME_TOKENS = 1 << 20, LEAST_TOKENS = 16, MOST_HALF_STEPS = 6 };

// Mean |Δ| of the same tokens as they stand, and with target's moved.
typedef struct Shifted {
    uint64_t count, nearer;  // of them, those that the move brings nearer
    double plain, moved;
} Shifted;

// Tokens that are counted at both places: the ends of a sample have no partner.
static Shifted shifted_means(const TokenComparison *of, int shift)
{
    Shifted out = {0};
    for (size_t p = 0; p < of->pair_count && out.count < SOME_TOKENS; p++) {
        const TokenPair *pair = &of->pairs[p];
        for (uint32_t i = 1; i + 1 < pair->length; i++) {
            double golden, plain, moved, ignored;
            uint32_t at = shift > 0 ? i + 1 : i - 1;
            bool both = token_values(of, pair, i, &golden, &plain) &&
                        token_values(of, pair, at, &ignored, &moved);
            if (both && isfinite(golden) && isfinite(plain) && isfinite(moved)) {
                out.plain += fabs(plain - golden);
                out.moved += fabs(moved - golden);
                out.nearer += fabs(moved - golden) < fabs(plain - golden);
                out.count++;
            }
        }
    }
    out.plain /= (double)out.count;
    out.moved /= (double)out.count;
    return out;
}

static bool is_shift(const TokenComparison *of, TokenExplanation *out)
{
    for (int shift = -1; shift <= 1; shift += 2) {
        Shifted means = shifted_means(of, shift);
        if (means.nearer >= LEAST_TOKENS && means.moved * 10 < means.plain) {
            *out = (TokenExplanation){
                .cause = TOKEN_CAUSE_SHIFT, .figure = means.moved, .shift = shift};
            return true;
        }
    }
    return false;
}

static uint64_t finite_tokens(const TokenComparison *of)
{
    uint64_t count = 0;
    for (size_t i = 0; i < of->pair_count; i++)
        count += of->pairs[i].counted;
    return count;
}

// Whether t = k g leaves less than a tenth of the squares of Δ; k is above 0, as a quotient of
// temperatures is.
static bool is_factor(const TokenSquares *sums, double *factor)
{
    *factor = sums->gg > 0 ? sums->gt / sums->gg : 1;
    double explained = (*factor - 1) * (*factor - 1) * sums->gg;
    return isfinite(*factor) && *factor > 0 && fabs(*factor - 1) >= 1e-6 &&
           explained >= 0.9 * sums->dd;
}

// Whether most tokens are nearer with the factor. Where it stands three times above the noise,
// which is_factor asks, these are 0.5 + atan(1.5) / π = 81 %; with a few outliers they are half.
static bool brings_most_nearer(const TokenComparison *of, double factor)
{
    uint64_t nearer = 0, count = 0;
    for (size_t p = 0; p < of->pair_count && count < SOME_TOKENS; p++) {
        const TokenPair *pair = &of->pairs[p];
        for (uint32_t i = 0; i < pair->length; i++) {
            double golden, target;
            if (token_values(of, pair, i, &golden, &target) && isfinite(golden) &&
                isfinite(target)) {
                nearer += fabs(target - factor * golden) < fabs(target - golden);
                count++;
            }
        }
    }
    return (double)nearer >= 0.7 * (double)count;
}

// The factor holds without the token that is furthest off: alone it would always have one.
static bool is_temperature(const TokenComparison *of, TokenExplanation *out)
{
    double factor, without;
    TokenSquares all = of->rest;
    token_squares_add(&all, of->worst[0], of->worst[1]);
    if (finite_tokens(of) < LEAST_TOKENS || !is_factor(&all, &factor) ||
        !is_factor(&of->rest, &without) || !brings_most_nearer(of, factor))
        return false;
    *out = (TokenExplanation){.cause = TOKEN_CAUSE_TEMPERATURE, .figure = factor};
    return true;
}

static double mean_of(const TokenBin *bin)
{
    return bin->count ? bin->sum / (double)bin->count : 0;
}

static bool is_edge(const TokenComparison *of, const TokenBin *edge, const TokenBin *other,
                    TokenCause cause, TokenExplanation *out)
{
    double rest = mean_of(&of->between), there = mean_of(other);
    double others = rest > there ? rest : there;
    if (edge->count < 2 || mean_of(edge) < 50 * others)
        return false;
    *out = (TokenExplanation){.cause = cause,
                              .figure = others > 0 ? mean_of(edge) / others : (double)INFINITY};
    return true;
}

static TokenBin quarter(const TokenBin *bins, size_t from, size_t to)
{
    TokenBin out = {0};
    for (size_t i = from; i < to; i++) {
        out.count += bins[i].count;
        out.sum += bins[i].sum;
    }
    return out;
}

// Quarters that rise, the last three times the first at least.
static bool is_growth(const TokenComparison *of, TokenExplanation *out)
{
    size_t bins = TOKEN_POSITIONS;
    double means[4];
    while (bins > 0 && of->positions[bins - 1].count == 0)
        bins--;
    if (bins < 8)
        return false;
    for (size_t i = 0; i < 4; i++) {
        TokenBin part = quarter(of->positions, bins * i / 4, bins * (i + 1) / 4);
        means[i] = mean_of(&part);
        if (part.count < LEAST_TOKENS || (i > 0 && means[i] < means[i - 1]))
            return false;
    }
    if (means[3] < 3 * means[0] || means[0] == 0)
        return false;
    *out = (TokenExplanation){.cause = TOKEN_CAUSE_GROWTH, .figure = means[3] / means[0]};
    return true;
}

typedef struct Groups {
    double distance;  // of the means of the two groups, in bins
    double share;     // of the upper group
    double valley;    // tokens within an octave at the cut, relative to the smaller group
} Groups;

// The two groups of |Δ| below and from a bin on.
static Groups split_at(const uint64_t *scale, int cut)
{
    double count[2] = {0}, sum[2] = {0};
    for (int i = 0; i < TOKEN_SCALE; i++) {
        count[i >= cut] += (double)scale[i];
        sum[i >= cut] += (double)scale[i] * i;
    }
    double least = count[0] < count[1] ? count[0] : count[1];
    if (least < LEAST_TOKENS)
        return (Groups){.valley = 1};
    return (Groups){.distance = sum[1] / count[1] - sum[0] / count[0],
                    .share = count[1] / (count[0] + count[1]),
                    .valley = (double)(scale[cut] + scale[cut - 1]) / least};
}

// Two groups, each of three per cent at least, whose means lie 16-fold apart, and at whose border
// an octave holds less than a tenth of the smaller: the tail of one group holds half of it.
static bool is_routing(const TokenComparison *of, TokenExplanation *out)
{
    Groups best = {.valley = 0.1};
    int border = 0;
    for (int cut = 1; cut < TOKEN_SCALE; cut++) {
        Groups groups = split_at(of->scale, cut);
        if (groups.valley < best.valley && groups.share >= 0.03 && groups.share <= 0.97 &&
            groups.distance >= 8) {
            best = groups;
            border = cut;
        }
    }
    if (best.distance == 0)
        return false;
    if (token_is_stretch(of, exp2(border / 2.0 - 49), out))
        return true;
    *out = (TokenExplanation){
        .cause = TOKEN_CAUSE_ROUTING, .figure = exp2(best.distance / 2), .share = best.share};
    return true;
}

// Nearly all within half a unit of the coarser dtype, and of that size: a rounding is uniform, so
// that its mean is a quarter of a unit; a finer one lies far below. Tokens that are equal show
// none, and one that is off by many steps has another reason.
static bool is_dtype(const TokenComparison *of, TokenExplanation *out)
{
    double count = (double)of->unequal;
    if (of->unequal < LEAST_TOKENS)
        return false;
    double half = of->unit_sum / count, mean = of->mean * (double)finite_tokens(of) / count;
    bool fp16 = (double)of->half_steps >= 0.99 * count && of->steps_max * 8 <= MOST_HALF_STEPS &&
                mean >= 0.2 * half / 8;
    bool bf16 = (double)of->bf16_steps >= 0.99 * count && of->steps_max <= MOST_HALF_STEPS &&
                mean >= 0.2 * half;
    if (!fp16 && !bf16)
        return false;
    *out = (TokenExplanation){.cause = TOKEN_CAUSE_DTYPE, .dtype = fp16 ? "float16" : "bfloat16"};
    return true;
}

void token_explain(TokenComparison *out)
{
    TokenExplanation *why = &out->explanation;
    *why = (TokenExplanation){.cause = TOKEN_CAUSE_NONE};
    if (out->mean == 0 || !isfinite(out->mean))
        return;
    if (is_shift(out, why) || is_edge(out, &out->first, &out->last, TOKEN_CAUSE_FIRST, why) ||
        is_edge(out, &out->last, &out->first, TOKEN_CAUSE_END, why) || token_is_turn(out, why) ||
        is_temperature(out, why) || is_growth(out, why))
        return;
    if (!is_dtype(out, why))
        is_routing(out, why);
}
