// SPDX-License-Identifier: Apache-2.0
#include "compare/token/token_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/token/token_cause.h"
#include "compare/token/token_spread.h"

// A log-probability is at most 0; a coarse dtype may round it a little above.
static const double ROUNDED_ABOVE = 1e-3;

// Which scale bin |Δ| falls in: two an octave, from 2^-48 on.
static int scale_of(double size)
{
    int exponent;
    double fraction = frexp(size, &exponent);
    int bin = 2 * (exponent + 48) + (fraction >= 0.70710678118654752);
    return bin < 0 ? 0 : bin >= TOKEN_SCALE ? TOKEN_SCALE - 1 : bin;
}

static void bin_add(TokenBin *bin, double size)
{
    bin->count++;
    bin->sum += size;
}

// The token that is furthest off is kept apart: what it alone shows is no cause.
static void count_squares(TokenComparison *out, double golden, double target)
{
    double *worst = out->worst;
    bool further = fabs(target - golden) > fabs(worst[1] - worst[0]);
    token_squares_add(&out->rest, further ? worst[0] : golden, further ? worst[1] : target);
    worst[0] = further ? golden : worst[0];
    worst[1] = further ? target : worst[1];
}

// Roundings: half a unit in the last place of float16 (11 bits), of bfloat16 (8 bits).
static void count_steps(TokenComparison *out, double golden, double target, double size)
{
    int exponent;
    double larger = fabs(golden) > fabs(target) ? fabs(golden) : fabs(target);
    frexp(larger, &exponent);
    double half16 = ldexp(1, exponent - 12), half8 = ldexp(1, exponent - 9);
    if (size == 0)
        return;
    out->unequal++;
    out->steps_max = size / half8 > out->steps_max ? size / half8 : out->steps_max;
    out->half_steps += size <= half16 * 1.001;
    out->bf16_steps += size <= half8 * 1.001;
    out->unit_sum += half8;
}

// Clamped while it is a double: of a value far above 0 the exponential fits no int.
static int decile_of(double golden)
{
    double decile = exp(golden) * TOKEN_DECILES;
    return decile < 0 ? 0 : decile < TOKEN_DECILES ? (int)decile : TOKEN_DECILES - 1;
}

static void count_token(TokenComparison *out, TokenPair *pair, uint32_t position, double golden,
                        double target)
{
    double delta = target - golden, size = fabs(delta), grown = exp(delta);
    pair->counted++;
    pair->sum += size;
    out->signed_mean += delta;
    out->k3 += grown - 1 - delta;
    out->factor += delta > 0 ? grown : 1 / grown;
    count_squares(out, golden, target);
    for (int i = 0; i < TOKEN_SHARES; i++)
        out->beyond[i] += size > token_share_limits[i];
    if (size > pair->max || pair->counted == 1) {
        pair->max = size;
        pair->max_at = position;
    }
    if (pair->parts_at == UINT32_MAX && size > out->limit_log)
        pair->parts_at = position;
    out->equal += golden == target;
    bin_add(&out->positions[position / out->bin_width], size);
    bin_add(&out->deciles[decile_of(golden)], size);
    out->above += golden > ROUNDED_ABOVE || target > ROUNDED_ABOVE;
    if (size > 0)
        out->scale[scale_of(size)]++;
    count_steps(out, golden, target, size);
}

static bool differs_beside(const TokenComparison *out, const TokenPair *pair, uint32_t position)
{
    const TokenSet *golden = out->golden, *target = out->target;
    if (!golden->beside || !target->beside)
        return false;
    double g = golden->beside[golden->samples[pair->sample].first + position];
    double t = target->beside[target->samples[pair->sample].first + position];
    return g != t && !(isnan(g) && isnan(t));
}

static void count_pair(TokenComparison *out, TokenPair *pair)
{
    double first = -1, last = -1, all = pair->sum;
    uint64_t before = pair->counted, gap = 0;
    bool begun = false;
    bool masked =
        out->golden->samples[pair->sample].masked || out->target->samples[pair->sample].masked;
    for (uint32_t i = 0; i < pair->length; i++) {
        double golden, target;
        if (!token_values(out, pair, i, &golden, &target) || masked) {
            out->masked++;
            continue;
        }
        out->beside += differs_beside(out, pair, i);
        bool none = isnan(golden) && isnan(target);
        begun = begun || !none;
        gap += begun && none;
        out->gaps += none ? 0 : gap;
        gap = none ? gap : 0;
        if (golden == target && !isfinite(golden)) {
            out->equal++;  // both give the token no chance at all
            out->no_chance++;
            out->counted++;
            continue;
        }
        if (none) {
            out->unknown++;  // as of the first token of a prompt, which no engine has one for
            continue;
        }
        if (!isfinite(golden) || !isfinite(target)) {
            pair->nonfinite++;
            pair->parts_at = i < pair->parts_at ? i : pair->parts_at;
            continue;
        }
        count_token(out, pair, i, golden, target);
        last = fabs(target - golden);
        first = first < 0 ? last : first;
    }
    uint64_t count = pair->counted - before;
    if (count < 3)
        return;
    bin_add(&out->first, first);
    bin_add(&out->last, last);
    out->between.count += count - 2;
    out->between.sum += pair->sum - all - first - last;
}

static bool is_out(const TokenSet *set, const TokenSample *sample, uint32_t position)
{
    return sample->masked || (set->mask && !set->mask[sample->first + position]);
}

static bool tells(const TokenSet *set, const TokenSample *sample, uint32_t position)
{
    return set->ids && set->ids[sample->first + position] != INT64_MIN;
}

// How many of the ids agree from the start; UINT32_MAX where all do that both sides tell. What both
// sides mask, padding say, may be anything. *alone: one side tells some that the other does not.
static uint32_t other_token(const TokenComparison *out, const TokenPair *pair, bool *alone)
{
    const TokenSet *golden = out->golden, *target = out->target;
    const TokenSample *g = &golden->samples[pair->sample], *t = &target->samples[pair->sample];
    *alone = false;
    for (uint32_t i = 0; i < pair->length; i++) {
        bool told = tells(golden, g, i), both = told && tells(target, t, i);
        *alone = *alone || told != tells(target, t, i);
        if (both && golden->ids[g->first + i] != target->ids[t->first + i] &&
            !(is_out(golden, g, i) && is_out(target, t, i)))
            return i;
    }
    return UINT32_MAX;
}

static bool same_masks(const TokenComparison *out, const TokenPair *pair)
{
    const uint8_t *golden = out->golden->mask, *target = out->target->mask;
    if (!golden || !target)
        return true;
    golden += out->golden->samples[pair->sample].first;
    target += out->target->samples[pair->sample].first;
    for (uint32_t i = 0; i < pair->length; i++)
        if (golden[i] != target[i])
            return false;
    return true;
}

// After a token that is another one the two sides speak of different texts.
static TokenPair begin_pair(TokenComparison *out, uint32_t sample)
{
    const TokenSample *golden = &out->golden->samples[sample],
                      *target = &out->target->samples[sample];
    TokenPair pair = {.sample = sample, .parts_at = UINT32_MAX};
    if (golden->missing || target->missing) {
        pair.other_at = UINT32_MAX;
        return pair;
    }
    pair.length = golden->count < target->count ? golden->count : target->count;
    out->other_lengths += golden->count != target->count;
    bool alone;
    pair.other_at = other_token(out, &pair, &alone);
    out->lone_ids += alone;
    out->other_masks += !same_masks(out, &pair);
    if (pair.other_at != UINT32_MAX) {
        out->other_ids++;
        pair.length = pair.other_at;
    }
    return pair;
}

static void finish(TokenComparison *out)
{
    double sum = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < out->pair_count; i++) {
        const TokenPair *pair = &out->pairs[i];
        sum += pair->sum;
        count += pair->counted;
        out->nonfinite += pair->nonfinite;
        if (pair->counted && pair->max > out->max) {
            out->max = pair->max;
            out->max_sample = pair->sample;
            out->max_at = pair->max_at;
        }
    }
    out->counted += count + out->nonfinite;
    double n = (double)count;  // without a token all of these are 0 / 0, which is no figure
    out->mean = sum / n;
    out->signed_mean /= n;
    out->k1 = -out->signed_mean;
    out->k3 /= n;
    out->factor /= n;
    out->perplexity = exp(out->k1);
    if (count == 0)
        out->max = (double)NAN;
}

typedef struct Keyed {
    uint64_t key;
    size_t at;
} Keyed;

static int by_key(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

// The ids of a set in their order; NULL: a sample has none, or two have one.
static Keyed *keys_of(const TokenSet *set, Arena *arena)
{
    Keyed *keys = ARENA_ARRAY(arena, Keyed, set->sample_count + 1);
    for (size_t i = 0; i < set->sample_count; i++)
        keys[i] = (Keyed){set->samples[i].key, i};
    if (set->sample_count)
        qsort(keys, set->sample_count, sizeof *keys, by_key);
    for (size_t i = 0; i < set->sample_count; i++)
        if (keys[i].key == 0 || (i && keys[i].key == keys[i - 1].key))
            return NULL;
    return keys;
}

bool token_order_samples(const TokenSet *golden, TokenSet *target)
{
    Arena *scratch = arena_new();
    size_t count = golden->sample_count, same = 0;
    const Keyed *of = keys_of(golden, scratch), *in = keys_of(target, scratch);
    bool both = of && in && count == target->sample_count;
    while (both && same < count && of[same].key == in[same].key)
        same++;
    TokenSample *samples = ARENA_ARRAY(scratch, TokenSample, count + 1);
    for (size_t i = 0; both && same == count && i < count; i++)
        samples[of[i].at] = target->samples[in[i].at];
    if (both && same == count && count)
        memcpy(target->samples, samples, count * sizeof *samples);
    arena_release(scratch);
    return !both || same == count;
}

void token_compare(const TokenSet *golden, int golden_column, const TokenSet *target,
                   int target_column, double limit, Arena *arena, TokenComparison *out)
{
    *out = (TokenComparison){.golden = golden,
                             .target = target,
                             .golden_column = golden_column,
                             .target_column = target_column,
                             .limit = limit,
                             .limit_log = log(limit)};
    size_t count =
        golden->sample_count < target->sample_count ? golden->sample_count : target->sample_count;
    uint32_t longest = 1;
    out->only[0] = golden->sample_count - count;
    out->only[1] = target->sample_count - count;
    out->pairs = ARENA_ARRAY(arena, TokenPair, count);
    for (size_t i = 0; i < count; i++) {
        TokenPair *pair = &out->pairs[out->pair_count++];
        *pair = begin_pair(out, (uint32_t)i);
        longest = pair->length > longest ? pair->length : longest;
    }
    out->bin_width = (longest + TOKEN_POSITIONS - 1) / TOKEN_POSITIONS;
    for (size_t i = 0; i < count; i++)
        count_pair(out, &out->pairs[i]);
    token_spread_compare(out);
    finish(out);
    token_explain(out);
}

void token_account(const TokenComparison *of, Account *account)
{
    const TokenSet *golden = of->golden, *target = of->target;
    uint64_t all = golden->count + target->count, paired = 0;
    for (size_t i = 0; i < of->pair_count; i++)
        paired += of->pairs[i].length;
    account_compare(account, 2 * (paired - of->masked - of->unknown));
    account_set_aside(account, ASIDE_IGNORED, 2 * of->masked);
    account_set_aside(account, ASIDE_NONFINITE, 2 * of->unknown);
    account_set_aside(account, ASIDE_LOST, all - 2 * paired);
    if (golden != target && golden->beside && target->beside)
        account_compare(account, all);
    if (golden != target && golden->ids && target->ids)
        account_compare(account, all);
    account_set_aside(account, ASIDE_NOT_RECORDED, account_open(account));
}

TokenOutcome token_outcome(const TokenComparison *of)
{
    bool systematic = of->explanation.cause != TOKEN_CAUSE_NONE &&
                      of->explanation.cause != TOKEN_CAUSE_DTYPE &&
                      of->explanation.cause != TOKEN_CAUSE_ROUTING;
    if (of->counted == of->no_chance)
        return of->other_ids ? TOKENS_DIFFER : TOKENS_NOTHING;
    if (of->nonfinite || of->other_ids)
        return TOKENS_DIFFER;
    if (of->equal == of->counted && of->spreads.worst == 0)
        return TOKENS_SAME;
    return systematic || token_spread_differs(of) || of->factor > of->limit ? TOKENS_DIFFER
                                                                            : TOKENS_AGREE;
}
