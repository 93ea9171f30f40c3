// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/axis.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "verdict/figure_text.h"

enum { TICKS_MAX = 64 };

// Beyond this the width of a range overflows.
static const double value_max = 8e307;

static double clamped(double value)
{
    return value > value_max ? value_max : value < -value_max ? -value_max : value;
}

static void add_tick(Axis *axis, AxisTick tick)
{
    if (axis->count < TICKS_MAX)
        axis->ticks[axis->count++] = tick;
}

static double target_count(const Axis *axis, double spacing)
{
    double count = fabs(axis->to - axis->from) / spacing;
    return count < 1 ? 1 : count;
}

// The next of 1, 2, 2.5, 5, 10 times a power of ten.
static double nice_step(double raw)
{
    static const double factors[] = {1, 2, 2.5, 5, 10};
    double unit = pow(10, floor(log10(raw)));
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (factors[i] * unit >= raw * (1 - 1e-9))
            return factors[i] * unit;
    return 10 * unit;
}

// ---- Linear

static int decimals_of_step(double step)
{
    int decimals = 0;
    while (decimals < 12 && fabs(step - round(step)) > 1e-6 * step) {
        step *= 10;
        decimals++;
    }
    return decimals;
}

static Str with_minus(const char *text, Arena *arena)
{
    return text[0] == '-' ? str_printf(arena, "−%s", text + 1) : str_copy(arena, str_of(text));
}

// Plain between 1e-3 and 1e5 with the decimals of the step, else with as many significant digits as
// tell one tick from the next.
static Str linear_label(double value, double step, double most, Arena *arena)
{
    char text[NUMBER_BYTES];
    if (value == 0)
        return STR("0");
    if (most < 1e5 && most >= 1e-3 && step >= 0.99e-9) {
        snprintf(text, sizeof text, "%.*f", decimals_of_step(step), value);
        return with_minus(text, arena);
    }
    double tenth = fmod(step / pow(10, floor(log10(step))), 1) > 1e-6 ? step / 10 : step;
    int digits = (int)floor(log10(most)) - (int)floor(log10(tenth)) + 1;
    digits = digits < 1 ? 1 : digits > 16 ? 16 : digits;
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return with_minus(text, arena);
}

// One value, or a range that no double can divide: some room around it.
static void widen(double *low, double *high)
{
    double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low > 1e-12 * size && size > 0)
        return;
    double room = size == 0 ? 1 : 0.05 * size;
    *low -= room;
    *high += room;
}

Axis axis_linear(double low, double high, double from, double to, double spacing, Arena *arena)
{
    Axis axis = {.from = from, .to = to, .ticks = ARENA_ARRAY(arena, AxisTick, TICKS_MAX)};
    axis.high = 1;
    if (!isfinite(low) || !isfinite(high) || low > high)
        return axis;
    low = clamped(low);
    high = clamped(high);
    widen(&low, &high);
    axis.low = low;
    axis.high = high;
    double step =
        nice_step(high / target_count(&axis, spacing) - low / target_count(&axis, spacing));
    // One tick alone tells no scale.
    while (floor(high / step + 1e-9) - ceil(low / step - 1e-9) < 1)
        step = nice_step(0.45 * step);
    double most = fmax(fabs(low), fabs(high));
    for (double at = ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at += 1) {
        double value = at == 0 ? 0 : at * step;
        add_tick(&axis,
                 (AxisTick){.value = value, .label = linear_label(value, step, most, arena)});
        if (axis.count == TICKS_MAX)
            break;
    }
    return axis;
}

// ---- Logarithmic

static Str plain_label(double value, Arena *arena)
{
    char text[NUMBER_BYTES];
    if (value >= 1 && value < 1e5)
        return figure_count((uint64_t)llround(value), arena);
    if (value >= 1e-3 && value < 1) {
        number_fixed(value, 4, text);
        return str_copy(arena, str_of(text));
    }
    snprintf(text, sizeof text, "%.0e", value);
    return str_copy(arena, str_of(text));
}

static double power(int exponent)
{
    return exponent < -307 ? 0 : pow(10, exponent);
}

static void add_decades(Axis *axis, int low, int high, double spacing)
{
    static const int strides[] = {1, 2, 3, 5, 10, 20, 50, 100, 200};
    size_t at = 0;
    while ((high - low) / strides[at] > (int)target_count(axis, spacing) &&
           at + 1 < sizeof strides / sizeof *strides)
        at++;
    int stride = strides[at];
    for (int exponent = low; exponent <= high; exponent++)
        if (exponent % stride == 0 && power(exponent) >= axis->low)
            add_tick(axis,
                     (AxisTick){.value = power(exponent), .decade = true, .exponent = exponent});
}

// Few decades fit: their multiples tell more. `every` labels all of them, else 1, 2 and 5.
static size_t add_minors(Axis *axis, bool every, Arena *arena)
{
    size_t labels = 0;
    axis->count = 0;
    for (int exponent = (int)floor(log10(axis->low)); exponent <= (int)floor(log10(axis->high));
         exponent++)
        for (int factor = 1; factor < 10; factor++) {
            double value = factor * power(exponent);
            if (value < axis->low || value > axis->high)
                continue;
            bool labelled = every || factor == 1 || factor == 2 || factor == 5;
            add_tick(axis, (AxisTick){.value = value,
                                      .label = labelled ? plain_label(value, arena) : STR("")});
            labels += labelled;
        }
    return labels;
}

Axis axis_log(double low, double high, double from, double to, double spacing, Arena *arena)
{
    if (!(high > 0) || !isfinite(high) || !(low > 0))
        return axis_linear(low, high, from, to, spacing, arena);
    Axis axis = {.log = true, .from = from, .to = to};
    axis.ticks = ARENA_ARRAY(arena, AxisTick, TICKS_MAX);
    axis.low = low < 1e-300 ? 1e-300 : low;
    axis.high = clamped(high);
    if (axis.high / axis.low < 1.02) {
        axis.low /= 1.1;
        axis.high *= 1.1;
    }
    int first = (int)ceil(log10(axis.low) - 1e-9), last = (int)floor(log10(axis.high) + 1e-9);
    if (last - first >= 2) {
        add_decades(&axis, first, last, spacing);
        return axis;
    }
    if (add_minors(&axis, false, arena) >= 2 || add_minors(&axis, true, arena) >= 2)
        return axis;
    // Less than one digit's range: a linear choice of ticks, on the log scale.
    Axis linear = axis_linear(axis.low, axis.high, from, to, spacing, arena);
    axis.ticks = linear.ticks;
    axis.count = linear.count;
    return axis;
}

// ---- Steps

Str axis_step_label(int64_t step, Arena *arena)
{
    if (step < 0)
        return str_printf(arena, "−%lld", (long long)-step);
    if (step >= 1000000 && step % 100000 == 0)
        return step % 1000000 ? str_printf(arena, "%.1fM", (double)step / 1e6)
                              : str_printf(arena, "%lldM", (long long)(step / 1000000));
    if (step >= 10000 && step % 1000 == 0)
        return str_printf(arena, "%lldk", (long long)(step / 1000));
    return figure_count((uint64_t)step, arena);
}

static int64_t whole_step(double raw)
{
    double step = nice_step(raw < 1 ? 1 : raw);
    if (step != floor(step))
        step = nice_step(step * 1.01);
    return step < 9e18 ? (int64_t)step : INT64_MAX;
}

Axis axis_steps(int64_t first, int64_t last, double from, double to, double spacing, Arena *arena)
{
    Axis axis = {.from = from, .to = to, .ticks = ARENA_ARRAY(arena, AxisTick, TICKS_MAX)};
    axis.low = (double)first;
    axis.high = (double)last;
    add_tick(&axis, (AxisTick){.value = axis.low, .label = axis_step_label(first, arena)});
    if (first >= last) {
        axis.low -= 1;
        axis.high += 1;
        return axis;
    }
    double range = axis.high - axis.low;
    int64_t step = whole_step(range / target_count(&axis, spacing));
    double room = 0.6 * (double)step;
    for (double at = floor(axis.low / (double)step) + 1; at * (double)step <= axis.high; at += 1) {
        double value = at * (double)step;
        if (value - axis.low >= room && axis.count < TICKS_MAX)
            add_tick(&axis,
                     (AxisTick){.value = value, .label = axis_step_label((int64_t)value, arena)});
    }
    return axis;
}

// ---- Time

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

Str axis_time_label(int64_t ms, Arena *arena)
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{DAY, "d"}, {HOUR, "h"}, {MINUTE, "m"}, {SECOND, "s"}};
    Str text = STR("");
    if (ms < MINUTE) {
        char seconds[NUMBER_BYTES];
        number_fixed((double)ms / SECOND, 3, seconds);
        return ms ? str_printf(arena, "%ss", seconds) : STR("0");
    }
    // Two units tell enough: nobody reads the seconds of a day.
    for (size_t i = 0, shown = 0; i < sizeof units / sizeof *units && shown < 2; i++) {
        int64_t count = ms / units[i].ms;
        shown += shown || count;
        ms %= units[i].ms;
        if (count)
            text = str_printf(arena, STR_FMT "%s%lld%s", STR_ARG(text), text.size ? " " : "",
                              (long long)count, units[i].name);
    }
    return text;
}

static double time_step(double raw)
{
    static const int64_t steps[] = {SECOND,      2 * SECOND,  5 * SECOND, 10 * SECOND, 15 * SECOND,
                                    30 * SECOND, MINUTE,      2 * MINUTE, 5 * MINUTE,  10 * MINUTE,
                                    15 * MINUTE, 30 * MINUTE, HOUR,       2 * HOUR,    3 * HOUR,
                                    6 * HOUR,    12 * HOUR,   DAY};
    if (raw < SECOND || raw > DAY)
        return raw < SECOND ? nice_step(raw < 1 ? 1 : raw) : DAY * nice_step(raw / DAY);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if ((double)steps[i] >= raw * (1 - 1e-9))
            return (double)steps[i];
    return DAY;
}

Axis axis_time(int64_t first, int64_t last, double from, double to, double spacing, Arena *arena)
{
    Axis axis = {.from = from, .to = to, .ticks = ARENA_ARRAY(arena, AxisTick, TICKS_MAX)};
    axis.low = (double)first;
    axis.high = (double)(last > first ? last : first + 1);
    double step = time_step((axis.high - axis.low) / target_count(&axis, spacing));
    for (double at = ceil(axis.low / step - 1e-9); at * step <= axis.high; at += 1)
        add_tick(&axis, (AxisTick){.value = at * step,
                                   .label = axis_time_label(llround(at * step), arena)});
    return axis;
}

double axis_at(const Axis *axis, double value)
{
    double share;
    if (axis->log)
        share = (log10(value) - log10(axis->low)) / (log10(axis->high) - log10(axis->low));
    else
        share = (value / 2 - axis->low / 2) / (axis->high / 2 - axis->low / 2);
    return axis->from + share * (axis->to - axis->from);
}
