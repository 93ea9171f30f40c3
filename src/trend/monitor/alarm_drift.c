// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/alarm_drift.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/threads.h"

enum {
    CENTRE = 11,       // accepted values whose median is the expectation
    RESIDUALS = 100,   // residuals whose spread is the scale
    REFUSED_MAX = 20,  // refused in a row: the level has shifted, start anew
    EVENT_GAP = 5,     // points between two jumps of one event
    ZEROS_MIN = 3,     // an expert without tokens has no gradient now and then
    BASE_STEPS = 20,   // the first steps are what ranks are compared with
    SERIES_A_JOB = 256
};

typedef struct Jump {
    size_t series, first, last;  // points of the series
    double distance;             // natural logarithm of the factor at `first`, signed
    double centre;               // value it is compared with
    bool needs_ranks;            // counts only if the other ranks do not share it
} Jump;
typedef struct Jumps {
    Jump *items;
    size_t count, capacity;
} Jumps;

typedef struct History {
    double sorted[CENTRE + 2];    // of the values in `recent`; two more for sorted_replace
    double recent[CENTRE];        // ring of accepted magnitudes
    double residuals[RESIDUALS];  // relative to the centre of their time: as good as logarithms
    size_t recent_count, residual_count, refused, zeros;
    bool zero_is_usual;
} History;

// Part of the series, for one thread.
typedef struct Share {
    const MonitorRun *run;
    size_t from, to;
    bool nan_too;
    Arena *arena;
    Jumps jumps;
} Share;

// ---- history

// One value of the full list goes, one comes. Where is not known before, so nothing branches on it:
// after the old value all move down by one; then each place holds the new value, or its neighbour
// below, or what it had, whichever is in the middle.
static void sorted_replace(History *history, double old, double value)
{
    enum { EVEN = CENTRE + 1 };  // pairs fill the registers of every machine
    double *sorted = history->sorted, kept[EVEN + 1];
    sorted[CENTRE] = sorted[EVEN] = (double)INFINITY;
    kept[0] = 0;
    for (size_t i = 0; i < EVEN; i++) {
        double here = sorted[i], next = sorted[i + 1];
        kept[i + 1] = here < old ? here : next;
    }
    for (size_t i = 0; i < EVEN; i++) {
        double at_most = kept[i + 1] < value ? kept[i + 1] : value;
        sorted[i] = kept[i] > at_most ? kept[i] : at_most;
    }
}

static void sorted_insert(History *history, size_t count, double value)
{
    size_t at = count;
    while (at > 0 && history->sorted[at - 1] > value) {
        history->sorted[at] = history->sorted[at - 1];
        at--;
    }
    history->sorted[at] = value;
}

static size_t recent_size(const History *history)
{
    return history->recent_count < CENTRE ? history->recent_count : CENTRE;
}

static double history_centre(const History *history)
{
    return sorted_median(history->sorted, recent_size(history));
}

static void history_accept(History *history, double value)
{
    size_t count = recent_size(history);
    if (count >= 3)
        history->residuals[history->residual_count++ % RESIDUALS] =
            value / history_centre(history) - 1;
    size_t slot = history->recent_count % CENTRE;
    if (count == CENTRE)
        sorted_replace(history, history->recent[slot], value);
    else
        sorted_insert(history, count, value);
    history->recent[slot] = value;
    history->recent_count++;
    history->refused = 0;
}

// The standard deviation of normal residuals, from their median absolute deviation.
static double history_scale(const History *history, double at_least)
{
    double values[RESIDUALS];
    size_t count = history->residual_count < RESIDUALS ? history->residual_count : RESIDUALS;
    memcpy(values, history->residuals, count * sizeof *values);
    double centre = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - centre);
    double scale = MAD_TO_SIGMA * median_of(values, count);
    return scale > at_least ? scale : at_least;
}

// ---- one series

// How far the logarithms of two rounded magnitudes are apart at least, signed; 0 if the rounding
// explains the difference. `half` is half a unit of the last decimal.
static double log_distance(double value, double centre, double half)
{
    double low = value - half, high = value + half;
    double centre_low = centre - half, centre_high = centre + half;
    if (low > centre_high)
        return centre_high > 0 ? log(low / centre_high) : (double)INFINITY;
    if (high < centre_low)
        return high > 0 ? log(high / centre_low) : (double)-INFINITY;
    return 0;
}

static void add_jump(Share *share, Jump jump)
{
    Jump *last = share->jumps.count ? &share->jumps.items[share->jumps.count - 1] : NULL;
    bool same = last && last->series == jump.series && jump.first - last->last <= EVENT_GAP &&
                (last->distance > 0) == (jump.distance > 0) && isfinite(last->distance);
    if (same && (last->needs_ranks || !jump.needs_ranks || isfinite(jump.distance))) {
        last->last = jump.first;
        last->needs_ranks = last->needs_ranks && jump.needs_ranks;
        return;
    }
    *ARRAY_PUSH(share->arena, &share->jumps) = jump;
}

// Whether the value is out of its history; tells in *jump how far.
static bool out_of_history(const History *history, const MonitorSeries *series, double size,
                           Jump *jump)
{
    if (history->residual_count < DRIFT_FIRST_JUDGED)
        return false;
    double centre = history_centre(history), half = 0.5 * series->unit;
    if (size <= DRIFT_RANK_FACTOR * centre && DRIFT_RANK_FACTOR * size >= centre)
        return false;
    double distance = log_distance(size, centre, half);
    if (fabs(distance) <= log(DRIFT_RANK_FACTOR))
        return false;
    double scales = fabs(distance) / history_scale(history, 1e-9 + half / centre);
    bool early = history->residual_count < DRIFT_FULL_HISTORY;
    bool alone =
        fabs(distance) > log(DRIFT_FACTOR) && scales > (early ? DRIFT_SCALES_EARLY : DRIFT_SCALES);
    bool beside_ranks = !early && scales > DRIFT_RANK_SCALES;
    jump->distance = distance;
    jump->centre = centre;
    jump->needs_ranks = !alone;
    return alone || beside_ranks;
}

static bool is_expert(const Share *share, const MonitorSeries *series)
{
    return str_find(monitor_series_name(share->run, series), STR("expert"), 0) != SIZE_MAX;
}

// Zeros have no logarithm: they are counted next to the history. Objects that are 0 now and then
// are not judged for it.
static void take_zero(Share *share, History *history, const MonitorSeries *series, Jump jump)
{
    history->zeros++;
    if (history->zero_is_usual)
        return;
    if (history->residual_count < DRIFT_FIRST_JUDGED) {
        history->zero_is_usual = true;
        return;
    }
    size_t needed = is_expert(share, series) ? ZEROS_MIN : 1;
    bool out = out_of_history(history, series, 0, &jump);
    if (history->zeros < needed || !out || jump.needs_ranks)
        return;
    jump.first -= needed - 1;
    add_jump(share, jump);
}

static void take_value(Share *share, History *history, const MonitorSeries *series, Jump jump,
                       double size)
{
    if (history->zeros && history->zeros < ZEROS_MIN && is_expert(share, series))
        history->zero_is_usual = true;
    history->zeros = 0;
    if (!out_of_history(history, series, size, &jump)) {
        history_accept(history, size);
        return;
    }
    add_jump(share, jump);
    if (++history->refused >= REFUSED_MAX) {
        *history = (History){.zero_is_usual = history->zero_is_usual};
        history_accept(history, size);
    }
}

static void judge_series(Share *share, size_t index)
{
    const MonitorSeries *series = &share->run->series[index];
    History history = {0};
    bool was_nan = false, was_infinite = false;
    for (size_t i = 0; i < series->count; i++) {
        double size = fabs(series->points[i].value);
        Jump jump = {.series = index, .first = i, .last = i, .centre = (double)NAN};
        bool is_nan = isnan(size), is_infinite = isinf(size);
        if (is_infinite || is_nan) {
            jump.distance = is_nan ? (double)NAN : (double)INFINITY;
            if (is_infinite ? !was_infinite : share->nan_too && !was_nan)
                *ARRAY_PUSH(share->arena, &share->jumps) = jump;
        } else if (size == 0) {
            take_zero(share, &history, series, jump);
        } else {
            take_value(share, &history, series, jump, size);
        }
        was_nan = is_nan;
        was_infinite = is_infinite;
    }
}

static void judge_share(void *context, size_t index)
{
    Share *share = (Share *)context + index;
    share->arena = arena_new();
    for (size_t i = share->from; i < share->to; i++)
        judge_series(share, i);
}

// ---- ranks

static bool same_object(const MonitorSeries *a, const MonitorSeries *b)
{
    return a->object.type == b->object.type && a->object.name == b->object.name &&
           a->object.stage == b->object.stage && a->object.micro == b->object.micro &&
           a->object.op == b->object.op;
}

static double value_at(const MonitorSeries *series, uint32_t step)
{
    size_t at;
    FIND_FIRST(at, series->count, series->points[at].step < step);
    return at < series->count && series->points[at].step == step ? fabs(series->points[at].value)
                                                                 : (double)NAN;
}

// Median logarithm of the first steps: tensor-parallel shards differ in size.
static double base_of(const MonitorSeries *series)
{
    double values[BASE_STEPS];
    size_t count = 0;
    for (size_t i = 0; i < series->count && count < BASE_STEPS; i++) {
        double size = fabs(series->points[i].value);
        if (size > 0 && isfinite(size))
            values[count++] = log(size);
    }
    return count ? median_of(values, count) : (double)NAN;
}

// True if at the step of the jump this rank stands apart from the others.
static bool ranks_disagree(const MonitorRun *run, const Jump *jump, Arena *scratch)
{
    const MonitorSeries *series = &run->series[jump->series];
    size_t from = jump->series, to = jump->series + 1;
    while (from > 0 && same_object(&run->series[from - 1], series))
        from--;
    while (to < run->series_count && same_object(&run->series[to], series))
        to++;
    double *levels = ARENA_ARRAY(scratch, double, to - from);
    double own = (double)NAN;
    size_t count = 0;
    for (size_t i = from; i < to; i++) {
        double level = log(value_at(&run->series[i], series->points[jump->first].step)) -
                       base_of(&run->series[i]);
        if (i == jump->series)
            own = level;
        if (isfinite(level))
            levels[count++] = level;
    }
    if (count < DRIFT_RANKS_MIN || !isfinite(own))
        return false;
    double centre = median_of(levels, count);
    for (size_t i = 0; i < count; i++)
        levels[i] = fabs(levels[i] - centre);
    double scale = MAD_TO_SIGMA * median_of(levels, count);
    return fabs(own - centre) > log(DRIFT_RANK_FACTOR) &&
           fabs(own - centre) > DRIFT_RANK_SCALES * scale;
}

static void add_alarm(const MonitorRun *run, const Jump *jump, Alarms *alarms)
{
    const MonitorSeries *series = &run->series[jump->series];
    double value = series->points[jump->first].value;
    Alarm *alarm = ARRAY_PUSH(run->arena, alarms);
    *alarm = (Alarm){
        .rule = ALARM_DRIFT,
        .rank = series->rank,
        .step = run->steps[series->points[jump->first].step],
        .last_step = run->steps[series->points[jump->last].step],
        .stage = series->object.stage,
        .micro = series->object.micro,
        .type = monitor_series_type(run, series),
        .name = monitor_series_name(run, series),
        .ops = {monitor_series_op(run, series)},
        .op_count = 1,
        .ratio = fabs(value) / jump->centre,
        .value = value,
        .history = jump->centre,
        .last_value = value,
        .last_history = jump->centre,
        .call = series->call,
    };
}

void alarms_add_drift(const MonitorRun *run, bool nan_too, int jobs, Alarms *alarms)
{
    Arena *arena = arena_new();
    size_t count = (run->series_count + SERIES_A_JOB - 1) / SERIES_A_JOB;
    Share *shares = ARENA_ARRAY(arena, Share, count);
    for (size_t i = 0; i < count; i++) {
        size_t to = (i + 1) * SERIES_A_JOB;
        shares[i] = (Share){.run = run,
                            .from = i * SERIES_A_JOB,
                            .to = to < run->series_count ? to : run->series_count,
                            .nan_too = nan_too};
    }
    threads_run(count, jobs, judge_share, shares);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < shares[i].jumps.count; j++) {
            const Jump *jump = &shares[i].jumps.items[j];
            if (!jump->needs_ranks || ranks_disagree(run, jump, shares[i].arena))
                add_alarm(run, jump, alarms);
        }
        arena_release(shares[i].arena);
    }
    arena_release(arena);
}
