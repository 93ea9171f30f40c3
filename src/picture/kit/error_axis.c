// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/error_axis.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge/judge.h"
#include "verdict/figure_text.h"

static ErrorMark mark(ErrorForm kind, const char *text)
{
    return (ErrorMark){.kind = kind, .text = str_of(text)};
}

static bool slot_holds_nan(const Dump *dump, uint32_t slot)
{
    double value;
    for (int stat = 0; slot != SLOT_NONE && stat < STAT_COUNT; stat++)
        if (slot_stat(&dump->slots[slot], (Stat)stat, &value) && isnan(value))
            return true;
    return false;
}

static bool holds_nan(const Comparison *comparison, const SlotPair *slot)
{
    return slot_holds_nan(comparison->golden->dump, slot->golden) ||
           slot_holds_nan(comparison->target->dump, slot->target);
}

// A difference that a number does not tell, by its reason; ERROR_ABSENT for all others.
static ErrorMark wordy(const Comparison *comparison, const SlotPair *slot)
{
    switch ((Reason)slot->reason) {
    case REASON_NONFINITE:
        return mark(ERROR_NONFINITE, holds_nan(comparison, slot) ? "NaN" : "Inf");
    case REASON_ARGUMENT:
        return mark(ERROR_DIFFERS, tr("argument"));
    case REASON_DTYPE:
        return mark(ERROR_DIFFERS, tr("dtype"));
    case REASON_SHAPE:
        return mark(ERROR_DIFFERS, tr("shape"));
    case REASON_CHECKSUM:
        return mark(ERROR_DIFFERS, "≠");
    default:
        return mark(ERROR_ABSENT, "—");
    }
}

static ErrorMark numeric(double error, Arena *arena)
{
    ErrorMark out = {.value = error, .text = figure_error(error, arena)};
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

ErrorMark error_of_op(const Comparison *comparison, uint32_t op, OpSide side, Arena *arena)
{
    const OpPair *pair = &comparison->ops[op];
    double error = side == OP_INPUTS ? pair->error_in : pair->error_out;
    Status status = (Status)(side == OP_INPUTS ? pair->input_status : pair->output_status);
    if (status == STATUS_UNMATCHED || pair->status == STATUS_UNMATCHED)
        return mark(ERROR_ABSENT, "—");
    const SlotPair *worst =
        status >= STATUS_WARNING ? comparison_worst_slot(comparison, pair, side) : NULL;
    if (worst) {
        ErrorMark words = wordy(comparison, worst);
        bool measured = (worst->reason == REASON_CHECKSUM || worst->reason == REASON_DTYPE) &&
                        isfinite(error) && error > 0;
        if (words.kind != ERROR_ABSENT && !measured)
            return words;
        if (isnan(worst->error) && isnan(error))
            return mark(ERROR_DIFFERS, "≠");
        if (!isnan(worst->error) && !measured)
            error = worst->error;
    }
    if (isnan(error) && status == STATUS_SAME)
        error = -1;
    return numeric(error, arena);
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
