// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/error_axis.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge/op_error.h"
#include "verdict/figure_text.h"

static ErrorMark numeric(double error)
{
    ErrorMark out = {.value = error};
    if (isnan(error))
        out.kind = ERROR_ABSENT;
    else if (isinf(error))
        out.kind = ERROR_NONFINITE;
    else if (error < 0)
        out.kind = ERROR_SAME;
    else
        out.kind = error == 0 ? ERROR_ZERO : ERROR_NUMBER;
    return out;
}

ErrorMark error_unsaid(const Comparison *comparison, uint32_t op, OpSide side)
{
    const OpPair *pair = &comparison->ops[op];
    ErrorWord word = op_error_word(comparison, pair, side);
    if (word == ERROR_WORD_NONE)
        return numeric(side == OP_INPUTS ? pair->error_in : pair->error_out);
    bool nonfinite = word == ERROR_WORD_NAN || word == ERROR_WORD_INF;
    return (ErrorMark){.kind = nonfinite ? ERROR_NONFINITE : ERROR_DIFFERS,
                       .text = str_of(tr(error_word(word)))};
}

ErrorMark error_said(ErrorMark mark, Arena *arena)
{
    if (mark.text.size == 0)
        mark.text = figure_error(mark.value, arena);
    return mark;
}

ErrorMark error_of_op(const Comparison *comparison, uint32_t op, OpSide side, Arena *arena)
{
    return error_said(error_unsaid(comparison, op, side), arena);
}

ErrorMark error_worse(ErrorMark a, ErrorMark b)
{
    if (a.kind != b.kind)
        return a.kind > b.kind ? a : b;
    return b.value > a.value ? b : a;
}

void error_range_add(ErrorRange *range, ErrorMark at)
{
    range->differs |= at.kind == ERROR_DIFFERS;
    range->nonfinite |= at.kind == ERROR_NONFINITE;
    if (at.kind != ERROR_NUMBER)
        return;
    if (range->least == 0 || at.value < range->least)
        range->least = at.value;
    if (at.value > range->most)
        range->most = at.value;
}

static int decade_below(double value)
{
    return (int)floor(log10(value));
}

static int clamp_int(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

ErrorAxis error_axis(const ErrorRange *range, double floor_error, double zero, double end)
{
    double sign = end > zero ? 1 : -1;
    ErrorAxis out = {.zero = zero,
                     .has_numbers = range->most > 0,
                     .has_differs = range->differs,
                     .has_nonfinite = range->nonfinite};
    bool floor_known = isfinite(floor_error) && floor_error > 0;
    out.low_exponent = clamp_int(floor_known ? decade_below(floor_error) - 1 : -8, -16, 0);
    int top = range->most > 0 ? (int)ceil(log10(range->most)) : out.low_exponent;
    out.high_exponent = clamp_int(top, out.low_exponent + 5, 20);
    int decades = out.high_exponent - out.low_exponent;
    out.step = (decades + 7) / 8;
    double rim = fmin(28, fabs(end - zero) * 0.1);
    out.high = end;
    if (range->nonfinite) {
        out.nonfinite = end;
        out.high -= sign * rim;
    }
    if (range->differs) {
        out.differs = out.high;
        out.high -= sign * rim;
    }
    out.low = zero + sign * rim;
    if (!range->nonfinite)
        out.nonfinite = out.high;
    if (!range->differs)
        out.differs = out.high;
    return out;
}

double error_axis_number(const ErrorAxis *axis, double value)
{
    double share = (log10(value) - axis->low_exponent) / (axis->high_exponent - axis->low_exponent);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return axis->low + share * (axis->high - axis->low);
}

double error_axis_at(const ErrorAxis *axis, ErrorMark at)
{
    switch (at.kind) {
    case ERROR_NUMBER:
        return error_axis_number(axis, at.value);
    case ERROR_DIFFERS:
        return axis->differs;
    case ERROR_NONFINITE:
        return axis->nonfinite;
    default:
        return axis->zero;
    }
}

bool error_floor_counts(const Comparison *comparison)
{
    return comparison->rules == RULES_VERNIER && comparison->mode != MODE_CHECKSUM &&
           comparison->floor_norm > 0;
}

// The median by a histogram of 40 bins a decade, from 1e-14 to 1: near enough for a band.
static double measured_floor(const Comparison *comparison)
{
    enum { DECADES = 14, PER_DECADE = 40, BINS = DECADES * PER_DECADE };
    uint32_t bins[BINS] = {0}, count = 0, below = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *slot = &comparison->slots[i];
        double at = (double)slot->floor;
        if (slot->exact || slot->metric != METRIC_NORM || !(at > 1e-14) || !(at < 1))
            continue;
        bins[(int)((log10(at) + DECADES) * PER_DECADE)]++;
        count++;
    }
    for (int bin = 0; bin < BINS && count; bin++) {
        below += bins[bin];
        if (below * 2 >= count)
            return pow(10, (bin + 0.5) / PER_DECADE - DECADES);
    }
    return comparison->floor_norm;
}

double error_floor(const Comparison *comparison)
{
    return comparison->noise_known ? measured_floor(comparison) : comparison->floor_norm;
}

Str error_floor_word(const Comparison *comparison, Arena *arena)
{
    const char *text = str_cstr(arena, figure_number(error_floor(comparison), 2, arena));
    if (comparison->noise_known)
        return str_printf(arena, tr("noise floor %s"), text);
    return str_printf(arena, tr("fp32 floor %s"), text);
}
