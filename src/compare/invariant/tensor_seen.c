// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/tensor_seen.h"

#include <float.h>
#include <math.h>

#include "base/words.h"
#include "compare/judge/floor.h"

static const char *const stat_names[STAT_COUNT] = {"Max", "Min", "Mean", "Norm"};

static bool knows(const TensorSeen *seen, Stat stat)
{
    return seen->known >> stat & 1;
}

bool tensor_seen_rounded(const TensorSeen *seen)
{
    return seen->rounding.digits || seen->rounding.decimals;
}

double tensor_seen_blur(const TensorSeen *seen, Stat stat)
{
    static const double half = 0.5 + 1e-9;  // of a decimal that a double holds
    bool ends = stat == STAT_MAX || stat == STAT_MIN;
    if (!tensor_seen_rounded(seen) || (ends && !tensor_seen_is_float(seen)))
        return 0;
    return half * told_digits_step(seen->rounding, seen->stat[stat]);
}

static double blur_of(const TensorSeen *a, const TensorSeen *b, int stat, bool exact)
{
    bool same =
        a->rounding.digits == b->rounding.digits && a->rounding.decimals == b->rounding.decimals;
    return exact && same ? 0 : tensor_seen_blur(a, (Stat)stat) + tensor_seen_blur(b, (Stat)stat);
}

// Of what size a difference of this statistic is measured.
static double scale_of(const TensorSeen *a, const TensorSeen *b, int stat)
{
    if (stat == STAT_MAX || stat == STAT_MIN)
        return fmax(fabs(a->stat[stat]), fabs(b->stat[stat]));
    if (!knows(a, STAT_NORM) || !knows(b, STAT_NORM))
        return fmax(fabs(a->stat[stat]), fabs(b->stat[stat]));
    double norm = fmax(fabs(a->stat[STAT_NORM]), fabs(b->stat[STAT_NORM]));
    return stat == STAT_NORM || a->elements == 0 ? norm : norm / sqrt((double)a->elements);
}

static bool stats_differ(const TensorSeen *a, const TensorSeen *b, int stat, double tolerance)
{
    double x = a->stat[stat], y = b->stat[stat];
    if (x == y)
        return false;
    if (!isfinite(x) || !isfinite(y))
        return true;
    bool exact = (stat == STAT_MAX || stat == STAT_MIN) && tolerance <= SEEN_TOLERANCE;
    double blur = blur_of(a, b, stat, exact || tolerance == 0);
    return fabs(x - y) > blur + (exact ? 0 : tolerance * scale_of(a, b, stat));
}

bool tensor_seen_nan(const TensorSeen *seen)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (knows(seen, (Stat)i) && isnan(seen->stat[i]))
            return true;
    return false;
}

static bool texts_differ(Str a, Str b)
{
    return a.size && b.size && !str_equal(a, b);
}

SeenMatch tensor_seen_match(const TensorSeen *a, const TensorSeen *b, double tolerance)
{
    bool checksums = a->checksum.size && a->checksum.size == b->checksum.size;
    if (texts_differ(a->shape, b->shape) || texts_differ(a->dtype, b->dtype))
        return SEEN_DIFFERENT;
    if (tensor_seen_nan(a) || tensor_seen_nan(b))
        return SEEN_UNKNOWN;
    if (checksums && str_equal_nocase(a->checksum, b->checksum))
        return SEEN_EQUAL;
    if (checksums && tolerance <= SEEN_TOLERANCE)
        return SEEN_DIFFERENT;
    uint8_t common = a->known & b->known;
    for (int i = 0; i < STAT_COUNT; i++)
        if (common >> i & 1 && stats_differ(a, b, i, tolerance))
            return SEEN_DIFFERENT;
    bool sums = common >> STAT_MEAN & 1 || common >> STAT_NORM & 1;
    bool ends = common >> STAT_MAX & 1 && common >> STAT_MIN & 1;
    return sums || (ends && a->elements <= 2) ? SEEN_EQUAL : SEEN_UNKNOWN;
}

double tensor_seen_step(const TensorSeen *seen)
{
    Precision precision = precision_of(seen->dtype);
    return precision >= PRECISION_F16 ? epsilon_of(precision) : (double)FLT_EPSILON;
}

bool tensor_seen_is_float(const TensorSeen *seen)
{
    return str_find(seen->dtype, STR("loat"), 0) != SIZE_MAX;
}

bool tensor_seen_finite(const TensorSeen *seen)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (knows(seen, (Stat)i) && !isfinite(seen->stat[i]))
            return false;
    return true;
}

bool tensor_seen_has_ends(const TensorSeen *seen)
{
    return knows(seen, STAT_MAX) && knows(seen, STAT_MIN);
}

bool tensor_seen_constant(const TensorSeen *seen)
{
    return tensor_seen_has_ends(seen) && seen->stat[STAT_MAX] == seen->stat[STAT_MIN];
}

bool tensor_seen_zero(const TensorSeen *seen)
{
    return tensor_seen_constant(seen) && seen->stat[STAT_MAX] == 0;
}

bool tensor_seen_rich(const TensorSeen *seen)
{
    if (seen->elements < SEEN_ELEMENTS || tensor_seen_constant(seen))
        return false;
    return seen->checksum.size || (knows(seen, STAT_MEAN) && knows(seen, STAT_NORM));
}

double tensor_seen_rms(const TensorSeen *seen)
{
    if (!knows(seen, STAT_NORM) || seen->elements == 0)
        return (double)NAN;
    return seen->stat[STAT_NORM] / sqrt((double)seen->elements);
}

Str tensor_seen_text(const TensorSeen *seen, Arena *arena)
{
    if (seen->checksum.size)
        return seen->checksum;
    int stat = knows(seen, STAT_NORM) ? STAT_NORM : knows(seen, STAT_MAX) ? STAT_MAX : STAT_COUNT;
    return stat == STAT_COUNT ? STR("—")
                              : str_printf(arena, "%s %.8g", stat_names[stat], seen->stat[stat]);
}

Str tensor_seen_difference(const TensorSeen *a, const TensorSeen *b, Arena *arena)
{
    static const Stat order[] = {STAT_NORM, STAT_MAX, STAT_MIN, STAT_MEAN};
    if (texts_differ(a->shape, b->shape))
        return str_printf(arena, tr("shape " STR_FMT " against " STR_FMT), STR_ARG(a->shape),
                          STR_ARG(b->shape));
    if (texts_differ(a->dtype, b->dtype))
        return str_printf(arena, tr("dtype " STR_FMT " against " STR_FMT), STR_ARG(a->dtype),
                          STR_ARG(b->dtype));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        Stat stat = order[i];
        if (knows(a, stat) && knows(b, stat) && stats_differ(a, b, (int)stat, 0))
            return str_printf(arena, tr("%s %.9g against %.9g"), stat_names[stat], a->stat[stat],
                              b->stat[stat]);
    }
    return str_printf(arena, tr("checksum " STR_FMT " against " STR_FMT), STR_ARG(a->checksum),
                      STR_ARG(b->checksum));
}
