// SPDX-License-Identifier: Apache-2.0
#include "trend/spike.h"

#include <math.h>
#include <string.h>

#include "trend/smooth.h"

enum { CENTRE = 11, HISTORY = 100, SETTLED = 22, RELEARN = 20, NEIGHBOURS = 5, RETURN_MAX = 200 };

const SpikeRule spike_rule_loss = {.score = 6, .size = 0.05};
const SpikeRule spike_rule_norm = {.logarithm = true, .score = 6, .size = 1};

// The last values of a series, the newest replacing the oldest.
typedef struct Ring {
    double items[HISTORY];
    size_t room, count;
} Ring;

static void ring_push(Ring *ring, double value)
{
    ring->items[ring->count++ % ring->room] = value;
}

static size_t ring_copy(const Ring *ring, double out[HISTORY])
{
    size_t count = ring->count < ring->room ? ring->count : ring->room;
    memcpy(out, ring->items, count * sizeof *out);
    return count;
}

static double ring_median(const Ring *ring)
{
    double values[HISTORY];
    return median_of(values, ring_copy(ring, values));
}

// Few values, and nearly sorted order is of no use: insertion is the fastest here.
static double centre_of(const Ring *ring)
{
    double values[HISTORY];
    size_t count = ring_copy(ring, values);
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
    return values[count / 2];
}

static double ring_scale(const Ring *ring, double least)
{
    double values[HISTORY], middle = ring_median(ring);
    size_t count = ring_copy(ring, values);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - middle);
    double scale = 1.4826 * median_of(values, count);
    return scale > least ? scale : least;
}

typedef struct Search {
    const SpikeRule *rule;
    Ring kept, residuals;
    size_t refused;
    Arena *arena;
    Spikes *out;
    bool open;     // the last spike has not returned yet
    double scale;  // when the last spike began
    double peak;   // residual at its peak
} Search;

static void add_spike(Search *search, Point point, double residual, double scale, double ratio)
{
    Spikes *out = search->out;
    Spike *last = out->count ? &out->items[out->count - 1] : NULL;
    bool same = last && (point.x - last->end <= NEIGHBOURS || search->refused > 1);
    if (!same) {
        last = ARRAY_PUSH(search->arena, out);
        *last = (Spike){.start = point.x};
        search->scale = scale;
    }
    if (!same || residual > search->peak) {
        search->peak = residual;
        last->peak = point.x;
        last->value = point.value;
        last->ratio = ratio;
    }
    last->end = point.x;
    last->returned_after = NAN;
    last->level_shift = last->level_shift || search->refused > RELEARN;
    search->open = true;
}

static void note_return(Search *search, Point point, double residual)
{
    if (!search->open)
        return;
    Spike *last = &search->out->items[search->out->count - 1];
    double after = (double)(point.x - last->end);
    if (after > RETURN_MAX)
        last->returned_after = INFINITY;
    else if (residual <= 3 * search->scale)
        last->returned_after = after;
    search->open = isnan(last->returned_after);
}

// True if the value is refused as a spike.
static bool judge(Search *search, const Series *series, Point point, double residual, double centre)
{
    const SpikeRule *rule = search->rule;
    double size = rule->logarithm ? expm1(residual) : residual / fabs(centre);
    if (!(size > rule->size) || search->residuals.count < SETTLED)
        return false;
    double unit = series_resolution(series, point.value);
    double scale = ring_scale(&search->residuals, rule->logarithm ? unit / point.value : unit);
    if (!(residual / scale > rule->score))
        return false;
    search->refused++;
    add_spike(search, point, residual, scale, size + 1);
    return search->refused <= RELEARN;
}

void spikes_find(const Series *series, const SpikeRule *rule, Arena *arena, Spikes *out)
{
    Search search = {.rule = rule, .arena = arena, .out = out};
    search.kept.room = CENTRE;
    search.residuals.room = HISTORY;
    for (size_t i = 0; i < series->count; i++) {
        Point point = series->points[i];
        double value = rule->logarithm ? log(point.value) : point.value;
        if (!isfinite(value))
            continue;
        if (search.kept.count >= CENTRE) {
            double centre = centre_of(&search.kept), residual = value - centre;
            if (judge(&search, series, point, residual, centre))
                continue;
            note_return(&search, point, residual);
            search.refused = 0;
            ring_push(&search.residuals, residual);
        }
        ring_push(&search.kept, value);
    }
}

const SpikeRule *spike_rule_for(Str name)
{
    if (str_equal(name, STR("loss")) || str_starts(name, STR("loss.")))
        return &spike_rule_loss;
    return str_equal(name, STR("grad_norm")) ? &spike_rule_norm : NULL;
}
