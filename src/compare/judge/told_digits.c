// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/told_digits.h"

#include <math.h>

#include "base/decimal.h"

// So many values must have the last digit, and so many digits, before all are held for rounded:
// numbers of small examples are short by themselves.
enum { EVIDENCE_MIN = 32, DIGITS_LEAST = 4, DECIMALS_LEAST = 3 };

// Any decimal of so many digits comes back from a double.
enum { DIGITS_EXACT = 15 };

static void take(uint8_t *most, uint32_t *met, int seen)
{
    if (seen < *most)
        return;
    *met = seen > *most ? 1 : *met + 1;
    *most = (uint8_t)(seen > TOLD_DIGITS_MOST ? TOLD_DIGITS_MOST + 1 : seen);
}

void told_digits_see(ToldDigits *told, double value)
{
    uint64_t digits;
    int exponent, count = DIGITS_EXACT;
    if (told_digits_whole(told) || value == 0 || !isfinite(value) ||
        !decimal_digits(fabs(value), DIGITS_EXACT, &digits, &exponent))
        return;
    for (; digits % 10 == 0; digits /= 10, exponent++)
        count--;
    take(&told->digits, &told->digits_met, count);
    if (exponent < 0)
        take(&told->decimals, &told->decimals_met, -exponent);
}

static bool is_rounded(uint8_t most, uint32_t met, int least)
{
    return most >= least && most <= TOLD_DIGITS_MOST && met >= EVIDENCE_MIN;
}

ToldRounding told_digits_rounding(const ToldDigits *told)
{
    ToldRounding out = {0};
    if (is_rounded(told->decimals, told->decimals_met, DECIMALS_LEAST))
        out.decimals = told->decimals;
    // Halves and quarters have few digits too, but none of them stand far after the point.
    if (is_rounded(told->digits, told->digits_met, DIGITS_LEAST) && told->decimals >= told->digits)
        out.digits = told->digits;
    return out;
}

// How many decimals the largest values have, and how many significant digits the smallest, follows
// from the values: the smaller number is that of the writer.
static bool in_decimals(ToldRounding rounding)
{
    return rounding.decimals && (!rounding.digits || rounding.decimals < rounding.digits);
}

Str told_digits_format(ToldRounding rounding, Arena *arena)
{
    if (in_decimals(rounding))
        return str_printf(arena, "%%.%uf", (unsigned)rounding.decimals);
    return rounding.digits ? str_printf(arena, "%%.%ug", (unsigned)rounding.digits) : (Str){"", 0};
}

bool told_digits_coarser(ToldRounding a, ToldRounding b)
{
    if (in_decimals(a))
        return !b.decimals || a.decimals < b.decimals;
    return a.digits && (!b.digits || a.digits < b.digits);
}

double told_digits_step(ToldRounding rounding, double value)
{
    double step = rounding.decimals ? pow(10, -rounding.decimals) : 0;
    if (rounding.digits && value != 0 && isfinite(value))
        step = fmax(step, pow(10, floor(log10(fabs(value))) + 1 - rounding.digits));
    return step;
}
