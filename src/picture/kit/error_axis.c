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

// Of the value that the op shows: the deciding one, else that with the largest error of the norm.
static double output_floor(const Comparison *comparison, const OpPair *pair)
{
    bool differs = status_differs((Status)pair->output_status);
    const SlotPair *shown = differs ? comparison_worst_slot(comparison, pair, OP_OUTPUTS) : NULL;
    for (uint32_t i = 0; i < pair->slot_count && !differs; i++) {
        const SlotPair *slot = &comparison->slots[pair->first_slot + i];
        bool result = slot_is_result(shown_slot(comparison, slot));
        bool norm = slot->metric == METRIC_NORM || slot->metric == METRIC_ELEMENTS;
        if (norm && result && !isnan(slot->norm_error) &&
            (!shown || slot->norm_error > shown->norm_error))
            shown = slot;
    }
    bool known = shown && !shown->exact && shown->floor > 0 && isfinite(shown->floor);
    return known && error_floor_counts(comparison) ? (double)shown->floor : 0;
}

ErrorMark error_unsaid(const Comparison *comparison, uint32_t op, OpSide side)
{
    const OpPair *pair = &comparison->ops[op];
    ErrorWord word = op_error_word(comparison, pair, side);
    if (word == ERROR_WORD_NONE && op_nan_in_both(comparison, pair, side))
        return (ErrorMark){.kind = ERROR_NONFINITE, .text = str_of(tr("NaN both"))};
    if (word == ERROR_WORD_NONE) {
        ErrorMark out = numeric(side == OP_INPUTS ? pair->error_in : pair->error_out);
        out.floor = side == OP_OUTPUTS ? output_floor(comparison, pair) : 0;
        return out;
    }
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
    if (at.floor > 0) {
        range->least_floor = range->least_floor > 0 ? fmin(range->least_floor, at.floor) : at.floor;
        range->most_floor = fmax(range->most_floor, at.floor);
    }
    if (at.kind != ERROR_NUMBER)
        return;
    if (range->least == 0 || at.value < range->least)
        range->least = at.value;
    if (at.value > range->most)
        range->most = at.value;
}

// Beyond it errors are drawn at the rim. More than AXIS_DECADES + 5 above 0.
enum { DECADE_MOST = 20 };

static int decade_below(double value)
{
    return (int)floor(log10(value));
}

static int clamp_int(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

ErrorAxis error_axis(const Comparison *comparison, const ErrorRange *range, double zero, double end)
{
    double sign = end > zero ? 1 : -1;
    ErrorAxis out = {.zero = zero,
                     .has_numbers = range->most > 0,
                     .has_differs = range->differs,
                     .has_nonfinite = range->nonfinite};
    double floor = range->least_floor > 0 ? range->least_floor : comparison->floor_norm;
    int low = isfinite(floor) && floor > 0 ? decade_below(floor) - 1 : -8;
    if (range->most > 0)
        low = clamp_int(decade_below(range->least), -16, low);
    int top = range->most > 0 ? clamp_int((int)ceil(log10(range->most)), -16, DECADE_MOST) : low;
    out.low_exponent = clamp_int(low, top - AXIS_DECADES > -16 ? top - AXIS_DECADES : -16, 0);
    out.high_exponent = clamp_int(top, out.low_exponent + 5, DECADE_MOST);
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

bool error_axis_below(const ErrorAxis *axis, ErrorMark mark)
{
    return mark.kind == ERROR_NUMBER && mark.value < pow(10, axis->low_exponent) * (1 - 1e-9);
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

Str error_floor_word(const Comparison *comparison, const ErrorRange *range, Arena *arena)
{
    double least = range->least_floor, most = range->most_floor;
    if (!(least > 0))
        least = most = comparison->floor_norm;
    Str low = figure_number(least, 2, arena), high = figure_number(most, 2, arena);
    if (most > 1)  // whatever a value is off by, it passes
        high = STR("≥ 1");
    if (!str_equal(low, high))
        return str_printf(arena,
                          comparison->noise_known
                              ? tr("noise floor of each op, " STR_FMT " … " STR_FMT)
                              : tr("floor of each op, " STR_FMT " … " STR_FMT),
                          STR_ARG(low), STR_ARG(high));
    if (comparison->noise_known)
        return str_printf(arena, tr("noise floor %s"), str_cstr(arena, low));
    return str_printf(arena, tr("fp32 floor %s"), str_cstr(arena, low));
}
