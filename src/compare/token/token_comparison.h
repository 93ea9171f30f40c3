// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TOKEN_TOKEN_COMPARISON_H
#define VERNIER_COMPARE_TOKEN_TOKEN_COMPARISON_H

#include "read/token/token_set.h"

// Two sets of log-probabilities compared with each other, token by token: g of golden, t of target,
// Δ = t - g. A token is counted where no mask of either side takes it out.

enum {
    TOKEN_POSITIONS = 96,  // bins of positions
    TOKEN_DECILES = 10,    // of golden's probability
    TOKEN_SHARES = 3,
    TOKEN_SCALE = 128  // bins of |Δ|, two an octave
};

extern const double token_share_limits[TOKEN_SHARES];  // |Δ| of 0.01, 0.1, 1

typedef struct TokenBin {
    uint64_t count;
    double sum;  // of |Δ|
} TokenBin;

// What one sample of both sides gives.
typedef struct TokenPair {
    uint32_t sample;
    uint32_t length;     // tokens that both have
    uint64_t counted;    // of them, finite on both sides
    double sum, max;     // of |Δ|
    uint32_t max_at;     // position
    uint32_t parts_at;   // the first token whose probability is off by more than the limit
    uint32_t other_at;   // the first token that is another one; UINT32_MAX: none, or no ids
    uint32_t nonfinite;  // tokens that are finite on one side only
} TokenPair;

typedef struct TokenSquares {
    double gg, gt, dd;  // sums of g², g·t, Δ²
} TokenSquares;

// What would explain the difference, the first that fits.
typedef enum TokenCause {
    TOKEN_CAUSE_NONE,
    TOKEN_CAUSE_SHIFT,        // one side is moved by a token
    TOKEN_CAUSE_TEMPERATURE,  // a constant factor
    TOKEN_CAUSE_FIRST,        // the first token of each sample alone
    TOKEN_CAUSE_END,          // the last one alone
    TOKEN_CAUSE_TURN,         // one turn of every sample alone: what stands between turns
    TOKEN_CAUSE_GROWTH,       // it grows with the position: cache, rope
    TOKEN_CAUSE_ROUTING,      // two groups of tokens: experts
    TOKEN_CAUSE_DTYPE         // one rounding step of a coarser dtype
} TokenCause;

typedef struct TokenExplanation {
    TokenCause cause;
    double figure;  // factor, growth, distance of the groups; of a shift the mean |Δ| with it;
                    // of an end, how many times as far off as the others, infinite: they are equal
    double share;   // of the groups the upper one's
    int shift;      // target's token i + shift is golden's i
    const char *dtype;
    double others;            // of a turn: mean |Δ| of the turn next to it in size
    uint32_t turn, from, to;  // its number from 1, 0: a stretch without masks around it; its
                              // positions, `from` UINT32_MAX: they vary
} TokenExplanation;

// Of positions where both sides tell the most probable tokens.
typedef struct TokenSpreads {
    uint64_t positions;
    double kl, kl_max;  // mean and largest KL(golden || target) over tokens that both tell
    double overlap;     // mean share of golden's ten most probable that are so of target
    double worst;       // the largest |Δ| of golden's ten most probable
} TokenSpreads;

typedef struct TokenComparison {
    const TokenSet *golden, *target;
    int golden_column, target_column;
    double limit;  // of the mean factor exp|Δ|
    double limit_log;
    TokenPair *pairs;
    size_t pair_count;
    size_t only[2];                                // samples of one side alone
    size_t other_lengths, other_masks, other_ids;  // samples
    size_t lone_ids;                               // samples with ids that one side alone tells
    uint64_t counted, equal, masked, nonfinite;
    uint64_t no_chance;             // of the equal ones: -Inf or Inf on both sides
    uint64_t beside;                // tokens whose other column (TokenSet.next to) differs
    uint64_t unknown;               // NaN on both sides: not counted
    uint64_t gaps;                  // of these, between others of their sample
    uint64_t above;                 // tokens with a value above 0, which no log-probability has
    double mean, max, signed_mean;  // of |Δ|, of Δ; NaN as all below where no Δ is finite
    uint32_t max_sample, max_at;
    double k1, k3;      // estimates of KL(golden || target) from tokens that golden sampled
    double perplexity;  // of target over that of golden
    double factor;      // mean of exp|Δ|
    uint64_t beyond[TOKEN_SHARES];
    uint32_t bin_width;  // positions a bin
    TokenBin positions[TOKEN_POSITIONS], deciles[TOKEN_DECILES];
    uint64_t scale[TOKEN_SCALE];
    TokenBin first, last, between;    // tokens of a sample
    double worst[2];                  // golden's and target's of the largest |Δ|
    TokenSquares rest;                // of all other tokens
    uint64_t unequal;                 // of finite tokens
    double steps_max;                 // the largest |Δ| in half units of bfloat16
    uint64_t half_steps, bf16_steps;  // |Δ| within half a unit of float16, bfloat16 of g
    double unit_sum;                  // of the units of bfloat16
    TokenExplanation explanation;
    TokenSpreads spreads;
} TokenComparison;

typedef enum TokenOutcome {
    TOKENS_NOTHING,  // no token is counted on both sides
    TOKENS_SAME,     // all are equal
    TOKENS_AGREE,
    TOKENS_DIFFER  // beyond the limit, not finite on one side, other tokens, or a systematic cause
} TokenOutcome;

void token_squares_add(TokenSquares *sums, double golden, double target);

// Golden's token, target's, and whether it is counted.
bool token_values(const TokenComparison *of, const TokenPair *pair, uint32_t position,
                  double *golden, double *target);

#endif
