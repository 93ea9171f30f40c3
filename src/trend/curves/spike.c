// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/spike.h"

#include <math.h>

#include "base/array.h"
#include "base/sort.h"
#include "trend/curves/smooth.h"

// All of docs/spec/curves.md §5.7, chosen: fewer scales call scatter spikes, more let small ones
// through; the least size keeps the noise of a quiet run from being one.
enum { CENTRE = 11, HISTORY = 100, SETTLED = 22, RELEARN = 20, NEIGHBOURS = 5, RETURN_MAX = 200 };
enum { RETURN_SCALES = 3 };  // within so many the run is back
enum { EARLY_AROUND = 8, EARLY_LEAST = 3 };
#define EARLY_SIZE 0.25

const SpikeRule spike_rule_loss = {.score = 6, .size = 0.05};
const SpikeRule spike_rule_norm = {.logarithm = true, .score = 6, .size = 1};

enum { RING = 256, RESORT = 48 };

// The last values of a series, and the same in rising order: a median of many values is too dear
// when each time sorts anew. Most values are never judged, so the order is brought up to date only
// when a median is asked for.
typedef struct Window {
    double ring[RING], sorted[HISTORY];
    size_t room, pushed, ordered;  // of the values pushed, how many `sorted` has seen
} Window;

static size_t window_count(size_t pushed, size_t room)
{
    return pushed < room ? pushed : room;
}

static void order_next(Window *window)
{
    size_t count = window_count(window->ordered, window->room);
    double value = window->ring[window->ordered % RING];
    if (count < window->room) {
        sorted_replace(window->sorted, count, count, value);
    } else {
        double gone = window->ring[(window->ordered - window->room) % RING];
        sorted_replace(window->sorted, count, sorted_place(window->sorted, count, gone), value);
    }
    window->ordered++;
}

static void window_order(Window *window)
{
    if (window->pushed - window->ordered > RESORT) {
        size_t count = window_count(window->pushed, window->room);
        for (size_t i = 0; i < count; i++)
            window->sorted[i] = window->ring[(window->pushed - count + i) % RING];
        sort_doubles(window->sorted, count);
        window->ordered = window->pushed;
    }
    while (window->ordered < window->pushed)
        order_next(window);
}

static void window_push(Window *window, double value)
{
    window->ring[window->pushed++ % RING] = value;
}

static double window_median(Window *window)
{
    window_order(window);
    return sorted_median(window->sorted, window_count(window->pushed, window->room));
}

// The median distance from the median. Distances rise from the middle to both ends, so the two
// sides are merged up to the middle one.
static double window_spread(Window *window)
{
    size_t count = window_count(window->pushed, window->room);
    double middle = window_median(window), last = 0, before = 0;
    size_t up = sorted_place(window->sorted, count, middle), down = up;
    for (size_t taken = 0; taken <= count / 2; taken++) {
        double above = up < count ? window->sorted[up] - middle : INFINITY;
        double below = down > 0 ? middle - window->sorted[down - 1] : INFINITY;
        before = last;
        last = above <= below ? above : below;
        up += above <= below;
        down -= above > below;
    }
    return count % 2 ? last : before + 0.5 * (last - before);
}

static double window_scale(Window *window, double least)
{
    double scale = MAD_TO_SIGMA * window_spread(window);
    return scale > least ? scale : least;
}

// A bound from below of the last values, CENTRE of them or more: the least of a row of so many and
// of those since.
typedef struct Floor {
    double before, since;
    size_t count;
} Floor;

static void floor_push(Floor *floor, double value)
{
    bool full = floor->count == CENTRE;
    floor->before = full ? floor->since : floor->before;
    floor->since = full || !(floor->since < value) ? value : floor->since;
    floor->count = full ? 1 : floor->count + 1;
}

// Of the values that were no spikes, `kept` has the last. The residual of each but the first few is
// its distance from the median of those before, so `residuals` is filled from them when a value is
// to be judged, which is seldom.
typedef struct Search {
    const SpikeRule *rule;
    Window kept, residuals;
    Floor floor;   // of `kept`
    double usual;  // so many times the floor is no spike yet
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

static Spike *last_spike(const Search *search)
{
    return &search->out->items[search->out->count - 1];
}

static void note_return(Search *search, Point point, double residual)
{
    if (!search->open)
        return;
    Spike *last = last_spike(search);
    double after = (double)(point.x - last->end);
    if (residual <= RETURN_SCALES * search->scale)
        last->returned_after = after;
    else if (after > RETURN_MAX)
        last->returned_after = INFINITY;
    search->open = isnan(last->returned_after);
}

static double residual_of(const Search *search, double value, double centre)
{
    return search->rule->logarithm ? log(value) - log(centre) : value - centre;
}

// Brings the residuals up to the values kept: medians are asked for again, from the first on that
// still counts.
static void fill_residuals(Search *search)
{
    Window *kept = &search->kept, *residuals = &search->residuals;
    size_t pushed = kept->pushed, count = pushed - CENTRE;
    size_t from = residuals->pushed;
    if (count - from > HISTORY)
        from = count - HISTORY;
    if (from < count && kept->ordered > from + CENTRE)
        kept->ordered = 0;
    for (residuals->pushed = from; residuals->pushed < count;) {
        kept->pushed = residuals->pushed + CENTRE;
        double value = kept->ring[kept->pushed % RING];
        window_push(residuals, residual_of(search, value, window_median(kept)));
    }
    kept->pushed = pushed;
}

// The scale of the residuals, at least what the last printed digit is worth.
static double scale_at(Search *search, const Series *series, Point point)
{
    double unit = series_resolution(series, point.value);
    fill_residuals(search);
    return window_scale(&search->residuals, search->rule->logarithm ? unit / point.value : unit);
}

// True if the value is refused as a spike. After 20 in a row all are accepted, until the new level
// is the centre.
static bool judge(Search *search, const Series *series, Point point, double residual, double centre)
{
    const SpikeRule *rule = search->rule;
    double size = rule->logarithm ? expm1(residual) : residual / fabs(centre);
    bool judged = size > rule->size && search->kept.pushed >= CENTRE + SETTLED;
    double scale = judged ? scale_at(search, series, point) : 0;
    if (!judged || !(residual / scale > rule->score)) {
        search->refused = 0;
        return false;
    }
    search->refused++;
    add_spike(search, point, residual, scale, size + 1);
    return search->refused <= RELEARN;
}

// No spike whatever the median is, which is not below the floor; rounding is far less than what is
// left to the bound.
static inline bool is_usual(const Search *search, double value)
{
    const Floor *floor = &search->floor;
    double low = floor->before < floor->since ? floor->before : floor->since;
    return value <= low * search->usual && low > 0 && !search->open;
}

// Room of the values on one side of a place, those that are numbers.
typedef struct Side {
    double values[EARLY_AROUND];
    size_t count;
} Side;

static Side side_of(const Series *series, size_t from, size_t to)
{
    Side out = {.count = 0};
    for (size_t i = from; i < to && i < series->count && out.count < EARLY_AROUND; i++)
        if (isfinite(series->points.value[i]))
            out.values[out.count++] = series->points.value[i];
    return out;
}

// Values with too few before them to be judged by: a spike is far above those on either side, so
// that neither a fall nor a rise is one.
static bool stands_out(Search *search, const Series *series, size_t at)
{
    Side sides[] = {side_of(series, at > EARLY_AROUND ? at - EARLY_AROUND : 0, at),
                    side_of(series, at + 1, series->count)};
    double centre = -INFINITY, scale = 0;
    for (size_t k = 0; k < 2; k++) {
        Side *side = &sides[k];
        if (side->count < EARLY_LEAST)
            return false;
        double middle = median_of(side->values, side->count);
        for (size_t i = 0; i < side->count; i++)
            side->values[i] = fabs(side->values[i] - middle);
        scale = fmax(scale, MAD_TO_SIGMA * median_of(side->values, side->count));
        centre = fmax(centre, middle);
    }
    Point point = point_at(series->points, at);
    double away = point.value - centre, least = fmax(search->rule->size, EARLY_SIZE);
    if (!(away > least * fabs(centre)) || !(away > search->rule->score * scale) ||
        (search->rule->logarithm && !(centre > 0)))
        return false;
    add_spike(search, point, residual_of(search, point.value, centre), scale,
              away / fabs(centre) + 1);
    search->open = false;
    for (size_t i = at + 1; i < series->count && isnan(last_spike(search)->returned_after); i++)
        if (series->points.value[i] - centre <= away / 2)
            last_spike(search)->returned_after = (double)(series->points.x[i] - point.x);
    return true;
}

// True if the value is no spike.
static bool keeps(Search *search, const Series *series, size_t at)
{
    Point point = point_at(series->points, at);
    if (search->kept.pushed < CENTRE + SETTLED && stands_out(search, series, at))
        return false;
    if (search->kept.pushed < CENTRE)
        return true;
    if (is_usual(search, point.value)) {
        search->refused = 0;
        return true;
    }
    double centre = window_median(&search->kept);
    double residual = residual_of(search, point.value, centre);
    if (judge(search, series, point, residual, centre))
        return false;
    note_return(search, point, residual);
    return true;
}

void spikes_find(const Series *series, const SpikeRule *rule, Arena *arena, Spikes *out)
{
    Search search = {.rule = rule,
                     .floor = {INFINITY, INFINITY, 0},
                     .usual = 1 + 0.99 * rule->size,
                     .arena = arena,
                     .out = out};
    const double least = rule->logarithm ? 0 : -INFINITY;
    search.kept.room = CENTRE;
    search.residuals.room = HISTORY;
    for (size_t i = 0; i < series->count; i++) {
        Point point = point_at(series->points, i);
        if (!(point.value > least && point.value < INFINITY) || !keeps(&search, series, i))
            continue;
        window_push(&search.kept, point.value);
        floor_push(&search.floor, point.value);
    }
}

const SpikeRule *spike_rule_for(Str name)
{
    if (str_equal(name, STR("loss")) || str_starts(name, STR("loss.")))
        return &spike_rule_loss;
    return str_equal(name, STR("grad_norm")) ? &spike_rule_norm : NULL;
}
