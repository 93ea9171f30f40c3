// SPDX-License-Identifier: Apache-2.0
#include "compare/token/token_comparison.h"

const double token_share_limits[TOKEN_SHARES] = {0.01, 0.1, 1};

void token_squares_add(TokenSquares *sums, double golden, double target)
{
    double delta = target - golden;
    sums->gg += golden * golden;
    sums->gt += golden * target;
    sums->dd += delta * delta;
}

bool token_values(const TokenComparison *of, const TokenPair *pair, uint32_t position,
                  double *golden, double *target)
{
    size_t g = of->golden->samples[pair->sample].first + position;
    size_t t = of->target->samples[pair->sample].first + position;
    *golden = of->golden->values[of->golden_column][g];
    *target = of->target->values[of->target_column][t];
    return (!of->golden->mask || of->golden->mask[g]) && (!of->target->mask || of->target->mask[t]);
}
