// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_PARTS_SAME_H
#define VERNIER_TESTS_PARTS_SAME_H

#include <string.h>

#include "read/log/log_part.h"

// Whether two readings of a log gave the same, bit for bit.

static bool double_same(double a, double b)
{
    uint64_t left, right;
    memcpy(&left, &a, sizeof left);
    memcpy(&right, &b, sizeof right);
    return left == right;
}

static bool points_same(const Points *a, const Points *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->items.x[i] != b->items.x[i] || !double_same(a->items.value[i], b->items.value[i]))
            return false;
    return true;
}

static bool digits_same(const PartDigits *a, const PartDigits *b)
{
    return a->count == b->count && a->most == b->most;
}

static bool series_same(const PartSeries *a, const PartSeries *b)
{
    return str_equal(a->name, b->name) && str_equal(a->printed, b->printed) &&
           points_same(&a->points, &b->points) && a->core == b->core &&
           digits_same(&a->digits[0], &b->digits[0]) && digits_same(&a->digits[1], &b->digits[1]);
}

static bool event_same(const Event *a, const Event *b)
{
    return a->step == b->step && a->kind == b->kind && a->rank == b->rank && a->count == b->count &&
           str_equal(a->text, b->text) && a->line == b->line;
}

static bool part_same(const Part *a, const Part *b)
{
    bool same =
        str_equal(a->run, b->run) && a->rank == b->rank && strcmp(a->format, b->format) == 0 &&
        strcmp(a->x_unit, b->x_unit) == 0 && double_same(a->start_time, b->start_time) &&
        a->series_count == b->series_count && a->events.count == b->events.count &&
        a->norms.count == b->norms.count && points_same(&a->times, &b->times) &&
        a->record_count == b->record_count && a->of_epochs == b->of_epochs &&
        a->is_measured == b->is_measured && a->steps_per_epoch == b->steps_per_epoch &&
        a->last_step == b->last_step && double_same(a->skip_threshold, b->skip_threshold) &&
        a->skip_limit == b->skip_limit && a->ignored_series == b->ignored_series &&
        a->repeated == b->repeated && a->repeated_line == b->repeated_line &&
        a->apart.count == b->apart.count && a->differing_line == b->differing_line &&
        a->apart.not_numbers == b->apart.not_numbers && double_same(a->apart.sum, b->apart.sum);
    for (size_t i = 0; same && i < a->series_count; i++)
        same = series_same(&a->series[i], &b->series[i]);
    for (size_t i = 0; same && i < a->events.count; i++)
        same = event_same(&a->events.items[i], &b->events.items[i]);
    return same;
}

static bool parts_same(const Parts *a, const Parts *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = part_same(a->items[i], b->items[i]);
    return same;
}

#endif
