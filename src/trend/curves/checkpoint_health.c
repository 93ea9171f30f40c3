// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/checkpoint_health.h"

#include <math.h>

#include "base/array.h"
#include "base/sort.h"
#include "trend/curves/smooth.h"

static int64_t steps_per_epoch(const Runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].steps_per_epoch > 0)
            return runs->items[i].steps_per_epoch;
    return 0;
}

static void find_embeddings(const Runs *runs, Arena *arena, HealthFindings *out)
{
    bool any = false;
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].series_count; k++) {
            const Series *series = &runs->items[i].series[k];
            if (!str_starts(series->name, STR("embedding_local_norm")))
                continue;
            any = true;
            bool zero = true;
            for (size_t p = 0; p < series->count; p++)
                zero = zero && series->points.value[p] == 0;
            if (zero)
                continue;
            *ARRAY_ADD(arena, out->embeddings, out->embedding_count, out->embedding_capacity) =
                series;
        }
    out->all_zero = any && out->embedding_count == 0;
}

// What the two numbers of a checkpoint's name count: epochs and steps of the epoch, or, with data
// sinking, sinks and the steps of each.
typedef struct NameReading {
    int64_t per_epoch;
    bool sinks;
} NameReading;

static int64_t last_step(const Runs *runs)
{
    int64_t last = 0;
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->items[i].series_count; k++) {
            const Series *series = &runs->items[i].series[k];
            if (series->count && series->points.x[series->count - 1] > last)
                last = series->points.x[series->count - 1];
        }
    return last;
}

// The reading whose steps the log has: a checkpoint was not saved after its end.
static NameReading reading_of(const Checkpoints *checkpoints, const Runs *runs)
{
    NameReading out = {.per_epoch = steps_per_epoch(runs)};
    int64_t last = last_step(runs), epochs = 0, sinks = 0;
    for (size_t i = 0; i < checkpoints->count; i++) {
        const Checkpoint *at = &checkpoints->items[i];
        if (!at->placed || at->step > INT32_MAX)
            continue;
        int64_t of_epochs = (at->epoch - 1) * out.per_epoch + at->step;
        int64_t of_sinks = at->epoch * at->step;
        epochs = of_epochs > epochs ? of_epochs : epochs;
        sinks = of_sinks > sinks ? of_sinks : sinks;
    }
    out.sinks = last > 0 && epochs > last && sinks <= last;
    return out;
}

static void place_mark(HealthFindings *out, HealthMark *mark, NameReading reading)
{
    int64_t per_epoch = reading.per_epoch;
    const Checkpoint *checkpoint = mark->checkpoint;
    mark->value = NAN;
    mark->has_step =
        checkpoint->placed && (reading.sinks || per_epoch > 0 || checkpoint->epoch <= 1);
    if (!mark->has_step)
        return;
    mark->step = reading.sinks ? checkpoint->epoch * checkpoint->step
                               : (checkpoint->epoch - 1) * per_epoch + checkpoint->step;
    for (size_t i = 0; i < out->embedding_count; i++) {
        double value = series_at(out->embeddings[i], mark->step);
        if (!point_is_absent(value) && !(value <= mark->value)) {
            mark->value = value;
            mark->rank = out->embeddings[i]->rank;
        }
    }
}

static void add_causes(HealthFindings *out, const HealthMark *mark, Arena *arena)
{
    for (size_t i = 0; i < out->embedding_count && mark->has_step; i++) {
        double value = series_at(out->embeddings[i], mark->step);
        bool over = !point_is_absent(value) && !(value < out->threshold);
        if (!over)
            continue;
        *ARRAY_ADD(arena, out->causes, out->cause_count, out->cause_capacity) =
            (HealthCause){mark->step, out->embeddings[i]->rank, value};
    }
}

static void note_mark(HealthFindings *out, const HealthMark *mark)
{
    bool healthy = mark->checkpoint->healthy;
    out->newest = mark->checkpoint;
    if (healthy)
        out->newest_healthy = mark->checkpoint;
    out->unhealthy_count += !healthy;
    if (!isnan(out->threshold) && !isnan(mark->value))
        out->contradicts = out->contradicts || healthy != (mark->value < out->threshold);
}

// A threshold to suggest (docs/spec/curves.md §5.11, chosen): so many robust scales above the
// middle, which no normal norm reaches, and so far above the largest below that. Too low it throws
// good checkpoints away, too high it keeps broken ones.
#define HEALTH_SCALES 8
#define HEALTH_ABOVE  1.2

static double suggest(const HealthFindings *report, Arena *arena)
{
    size_t total = 0, count = 0;
    for (size_t i = 0; i < report->embedding_count; i++)
        total += report->embeddings[i]->count;
    double *values = ARENA_ARRAY(arena, double, total + 1);
    double *spread = ARENA_ARRAY(arena, double, total + 1);
    for (size_t i = 0; i < report->embedding_count; i++)
        for (size_t k = 0; k < report->embeddings[i]->count; k++)
            if (isfinite(report->embeddings[i]->points.value[k]))
                values[count++] = report->embeddings[i]->points.value[k];
    double middle = median_of(values, count), largest = 0;
    for (size_t i = 0; i < count; i++)
        spread[i] = fabs(values[i] - middle);
    double limit = middle + HEALTH_SCALES * MAD_TO_SIGMA * median_of(spread, count);
    for (size_t i = 0; i < count; i++)
        if (values[i] <= limit && values[i] > largest)
            largest = values[i];
    return count == 0 ? NAN : fmax(limit, HEALTH_ABOVE * largest);
}

void health_judge(const Checkpoints *checkpoints, const Runs *runs, double threshold, Arena *arena,
                  HealthFindings *out)
{
    *out = (HealthFindings){.threshold = threshold, .count = checkpoints->count};
    out->marks = ARENA_ARRAY(arena, HealthMark, checkpoints->count + 1);
    find_embeddings(runs, arena, out);
    NameReading reading = reading_of(checkpoints, runs);
    for (size_t i = 0; i < checkpoints->count; i++) {
        HealthMark *mark = &out->marks[i];
        mark->checkpoint = &checkpoints->items[i];
        place_mark(out, mark, reading);
        note_mark(out, mark);
        if (!mark->checkpoint->healthy && !isnan(threshold))
            add_causes(out, mark, arena);
    }
    out->suggested = suggest(out, arena);
}
