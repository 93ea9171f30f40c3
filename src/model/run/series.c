// SPDX-License-Identifier: Apache-2.0
#include "model/run/series.h"

#include <string.h>

#include "base/sort.h"

const char *run_role_text(RunRole role)
{
    static const char *const texts[] = {"single", "golden", "target", "noise"};
    return texts[role];
}

const Series *run_series(const Run *run, const char *name)
{
    Str wanted = str_of(name);
    for (size_t i = 0; i < run->series_count; i++)
        if (str_equal(run->series[i].name, wanted))
            return &run->series[i];
    return NULL;
}

size_t run_event_count(const Run *run, EventKind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < run->events.count; i++)
        count += run->events.items[i].kind == kind;
    return count;
}

double series_at(const Series *series, int64_t x)
{
    size_t at;
    FIND_FIRST(at, series->count, series->points.x[at] < x);
    return at < series->count && series->points.x[at] == x ? series->points.value[at]
                                                           : point_absent();
}

// What the events of one step say, from walk->event on.
static int64_t skips_of_step(SkipWalk *walk, int64_t step)
{
    const Events *events = &walk->run->events;
    bool counted = walk->run->format && strcmp(walk->run->format, "megatron") == 0,
         overflow = false;
    int64_t skips = 0;
    for (; walk->event < events->count && events->items[walk->event].step == step; walk->event++) {
        const Event *event = &events->items[walk->event];
        skips += event->kind == EVENT_SKIP ? (int64_t)event->count : 0;
        overflow = overflow || event->kind == EVENT_OVERFLOW;
    }
    return skips == 0 && overflow && !counted ? 1 : skips;
}

void skip_walk_to(SkipWalk *walk, int64_t step)
{
    const Events *events = &walk->run->events;
    walk->now = false;
    while (walk->event < events->count && events->items[walk->event].step <= step) {
        int64_t at = events->items[walk->event].step, skips = skips_of_step(walk, at);
        walk->count += skips;
        walk->now = at == step && skips > 0;
    }
}

double series_resolution(const Series *series, double value)
{
    return figure_resolution(
        (Figure){.value = value, .decimals = series->decimals, .exponent = series->relative});
}
