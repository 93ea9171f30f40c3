// SPDX-License-Identifier: Apache-2.0
#include "model/run/rekey.h"

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"

// What a step becomes; rises with the step.
typedef struct Key {
    const Series *counter;  // consumed samples or tokens; NULL: a factor or the skips
    double factor;          // of the counter, or of the step without one; 0: none
    const Run *run;         // for updates
} Key;

// Asks for the keys of rising steps: the skips are walked along, once a series.
typedef struct KeyWalk {
    const Key *key;
    SkipWalk skips;
} KeyWalk;

// The value of a series that never changes, or 0.
static double constant_value(const Run *run, const char *name)
{
    const Series *series = run_series(run, name);
    for (size_t i = 1; series && i < series->count; i++)
        if (series->points.value[i] != series->points.value[0])
            return 0;
    return series && series->count ? series->points.value[0] : 0;
}

// Samples of a constant length hold so many tokens.
static bool find_tokens(const Run *run, Key *out)
{
    double length = constant_value(run, "seq_length");
    out->counter = run_series(run, "consumed_samples");
    out->factor = out->counter ? length : length * constant_value(run, "batch_size");
    return out->factor > 0;
}

static bool find_key(const Run *run, XUnit unit, Key *out)
{
    *out = (Key){.run = run};
    switch (unit) {
    case X_SAMPLES:
        out->counter = run_series(run, "consumed_samples");
        out->factor = out->counter ? 1 : constant_value(run, "batch_size");
        return out->factor > 0;
    case X_TOKENS:
        out->counter = run_series(run, "consumed_tokens");
        out->factor = 1;
        return out->counter || find_tokens(run, out);
    default:
        return true;
    }
}

static bool key_of(KeyWalk *walk, int64_t step, int64_t *out)
{
    const Key *key = walk->key;
    if (key->counter) {
        double value = series_at(key->counter, step) * key->factor;
        if (!number_can_count(value))
            return false;
        *out = (int64_t)value;
        return true;
    }
    skip_walk_to(&walk->skips, step);
    *out = key->factor > 0 ? (int64_t)((double)step * key->factor) : step - walk->skips.count;
    return true;
}

static void rekey_series(Series *series, const Key *key, Arena *arena)
{
    PointColumns points = point_columns(arena, series->count);
    KeyWalk walk = {.key = key, .skips = {.run = key->run}};
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        int64_t x;
        if (!key_of(&walk, series->points.x[i], &x))
            continue;
        // A skipped step stands where the applied one before it does, and a restart may set the
        // counter back: the later values count.
        while (count > 0 && points.x[count - 1] >= x)
            count--;
        point_put(points, count++, (Point){x, series->points.value[i]});
    }
    series->points = points;
    series->count = count;
    series->absent_count = 0;
}

bool rekey_run(Run *run, XUnit unit, Arena *arena)
{
    static const char *const names[] = {TR("step"), TR("samples"), TR("tokens"), TR("updates")};
    Key key;
    if (unit == X_STEP)
        return true;
    if (!find_key(run, unit, &key))
        return false;
    // The counters and skips are read while the series change: from a copy.
    Series counter = key.counter ? *key.counter : (Series){0};
    Run before = *run;
    key.counter = key.counter ? &counter : NULL;
    key.run = &before;
    Series *series = ARENA_ARRAY(arena, Series, run->series_count + 1);
    for (size_t i = 0; i < run->series_count; i++) {
        series[i] = run->series[i];
        rekey_series(&series[i], &key, arena);
    }
    Events events = {0};
    KeyWalk walk = {.key = &key, .skips = {.run = &before}};
    for (size_t i = 0; i < before.events.count; i++) {
        Event event = before.events.items[i];
        if (key_of(&walk, event.step, &event.step))
            *ARRAY_PUSH(arena, &events) = event;
    }
    run->series = series;
    run->events = events;
    run->x_unit = names[unit];
    return true;
}

static bool rises(const Series *series)
{
    for (size_t i = 1; i < series->count; i++)
        if (!(series->points.value[i] > series->points.value[i - 1]))
            return false;
    return series->count > 1;
}

// Whether most counts of one run are those of the other, at other places.
static bool meet_elsewhere(const Series *golden, const Series *other)
{
    size_t shared = 0, placed = 0;
    for (size_t i = 0, k = 0; i < golden->count && k < other->count;) {
        double own = golden->points.value[i], value = other->points.value[k];
        shared += own == value;
        placed += own == value && golden->points.x[i] == other->points.x[k];
        i += own <= value;
        k += value <= own;
    }
    size_t least = golden->count < other->count ? golden->count : other->count;
    return shared * 2 >= least && placed < shared;
}

XUnit runs_unit(const Runs *runs)
{
    static const struct {
        XUnit unit;
        const char *counter;
    } counters[] = {{X_TOKENS, "consumed_tokens"}, {X_SAMPLES, "consumed_samples"}};
    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
        const Series *golden = NULL;
        bool all = runs->count > 1, numbered = false;
        for (size_t i = 0; all && i < runs->count; i++) {
            const Series *own = run_series(&runs->items[i], counters[c].counter);
            golden = golden ? golden : own;
            numbered = numbered || runs->items[i].is_numbered;
            all = own && rises(own) && (i == 0 || meet_elsewhere(golden, own));
        }
        if (all && numbered)
            return counters[c].unit;
    }
    return X_STEP;
}

void clip_run(Run *run, int64_t first, int64_t last, Arena *arena)
{
    for (size_t i = 0; i < run->series_count; i++) {
        Series *series = &run->series[i];
        size_t from = 0, to = series->count, kept = 0;
        while (from < to && series->points.x[from] < first)
            from++;
        while (to > from && series->points.x[to - 1] > last)
            to--;
        series->points = points_behind(series->points, from);
        series->count = to - from;
        int64_t *absent = ARENA_ARRAY(arena, int64_t, series->absent_count + 1);
        for (size_t k = 0; k < series->absent_count; k++)
            if (series->absent[k] >= first && series->absent[k] <= last)
                absent[kept++] = series->absent[k];
        series->absent = absent;
        series->absent_count = kept;
    }
    size_t kept = 0;
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.items[i].step >= first && run->events.items[i].step <= last)
            run->events.items[kept++] = run->events.items[i];
    run->events.count = kept;
}
