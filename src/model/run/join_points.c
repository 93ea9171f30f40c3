// SPDX-License-Identifier: Apache-2.0
// Points of several files as one series: later files overtake, repeated steps join.
#include "base/sort.h"
#include "model/run/run_join.h"

#include <math.h>
#include <stdlib.h>

// A value takes the place of none, and one that is not 0 that of a 0, which may be a placeholder.
static bool says_more(double value, double than)
{
    return point_is_absent(than) || (than == 0 && value != 0 && !point_is_absent(value));
}

static size_t first_not_below(const Points *points, int64_t x)
{
    size_t at;
    FIND_FIRST(at, points->count, points->items.x[at] < x);
    return at;
}

static void add_point(Arena *arena, Points *out, Point point)
{
    size_t last = out->count - 1;
    if (out->count == 0 || out->items.x[last] < point.x)
        points_push(arena, out, point);
    else if (says_more(point.value, out->items.value[last]))
        out->items.value[last] = point.value;
}

// Processes that write into one file in turn make steps fall at every other record, restarts at a
// few. More falls would let two processes pass for restarts, each of which drops what is overtaken;
// fewer would put the steps of a run that was started again in order.
enum { FALLS_MOST = 3, FALLS_SHARE = 5 };

static bool is_interleaved(const Points *parts, size_t part_count)
{
    size_t falls = 0, points = 0;
    for (size_t p = 0; p < part_count; p++) {
        points += parts[p].count;
        for (size_t i = 1; i < parts[p].count; i++)
            falls += parts[p].items.x[i] < parts[p].items.x[i - 1];
    }
    return falls > FALLS_MOST && falls * FALLS_SHARE > points;
}

typedef struct Placed {
    Point point;
    size_t place;  // keeps the order of equal steps
} Placed;

static int compare_placed(const void *a, const void *b)
{
    const Placed *left = a, *right = b;
    if (left->point.x != right->point.x)
        return left->point.x < right->point.x ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static void join_interleaved(const Points *parts, size_t part_count, Arena *arena, Points *out,
                             Apart *apart)
{
    size_t count = 0, at = 0;
    for (size_t p = 0; p < part_count; p++)
        count += parts[p].count;
    Placed *all = ARENA_ARRAY(arena, Placed, count);
    for (size_t p = 0; p < part_count; p++)
        for (size_t i = 0; i < parts[p].count; i++, at++)
            all[at] = (Placed){point_at(parts[p].items, i), at};
    qsort(all, count, sizeof *all, compare_placed);
    for (size_t i = 0; i < count; i++) {
        size_t last = out->count - 1;
        double own = all[i].point.value;
        bool again = out->count && out->items.x[last] == all[i].point.x;
        // 0 may be a placeholder.
        if (again && !says_more(own, out->items.value[last]) && own != 0 && !point_is_absent(own))
            apart_add(apart, out->items.value[last], own);
        add_point(arena, out, all[i].point);
    }
}

enum { BEGINNING = 16 };  // steps of a start that are looked at

// Where a new start writes old steps again.
typedef struct Overtaken {
    Points points;
    size_t at;
} Overtaken;

static void start_leg(Arena *arena, Points *out, Legs *legs, Overtaken *old, int64_t x)
{
    size_t from = first_not_below(out, x);
    old->points = (Points){0};
    old->at = 0;
    for (size_t i = from; i < out->count; i++)
        points_push(arena, &old->points, point_at(out->items, i));
    *ARRAY_PUSH(arena, legs) =
        (Leg){.first = x, .last = out->items.x[out->count - 1], .difference = NAN};
    out->count = from;
}

static void compare_overtaken(Overtaken *old, Leg *leg, Point point)
{
    while (old->at < old->points.count && old->points.items.x[old->at] < point.x)
        old->at++;
    if (old->at >= old->points.count || old->points.items.x[old->at] != point.x)
        return;
    double difference = fabs(point.value - old->points.items.value[old->at]);
    if (!(difference <= leg->difference))
        leg->difference = isnan(difference) ? leg->difference : difference;
    double last = fabs(point.value - old->points.items.value[old->points.count - 1]);
    if (leg->count < BEGINNING && isfinite(difference) && isfinite(last)) {
        leg->from_old += difference;
        leg->from_last += last;
        leg->count++;
    }
}

// The only part with points, if its steps rise from first to last: it needs no copy.
static const Points *plain_part(const Points *parts, size_t part_count)
{
    const Points *only = NULL;
    for (size_t p = 0; p < part_count; p++) {
        if (parts[p].count && only)
            return NULL;
        only = parts[p].count ? &parts[p] : only;
    }
    const int64_t *x = only ? only->items.x : NULL;
    for (size_t i = 1, count = only ? only->count : 0; i < count; i++)
        if (x[i] <= x[i - 1])
            return NULL;
    return only;
}

// One record between two that follow each other: a line that two processes wrote at once, or a
// counter that was cut. A start would go on from its own step.
static bool is_stray(const Points *part, size_t i, int64_t last)
{
    return i > 0 && i + 1 < part->count && part->items.x[i] < last && part->items.x[i + 1] > last;
}

// A last record that says an earlier one again, as the best one is shown at the end.
static bool is_echo(const Points *part, size_t i, const Points *out)
{
    Point point = point_at(part->items, i);
    if (i == 0 || i + 1 < part->count || out->count == 0 || point.x >= out->items.x[out->count - 1])
        return false;
    size_t at = first_not_below(out, point.x);
    return out->items.x[at] == point.x && out->items.value[at] == point.value;
}

void join_points(const Points *parts, size_t part_count, Arena *arena, Points *out, Legs *legs)
{
    Overtaken old = {0};
    const Points *plain = plain_part(parts, part_count);
    if (plain) {
        *out = *plain;
        return;
    }
    if (is_interleaved(parts, part_count)) {
        join_interleaved(parts, part_count, arena, out, &legs->apart);
        return;
    }
    for (size_t p = 0; p < part_count; p++)
        for (size_t i = 0; i < parts[p].count; i++) {
            Point point = point_at(parts[p].items, i);
            int64_t last = out->count ? out->items.x[out->count - 1] : INT64_MIN;
            if (is_stray(&parts[p], i, last) || is_echo(&parts[p], i, out))
                continue;
            bool repeats = i == 0 && out->count && point.x == last;  // the first step of a file
            if (point.x < last || repeats)
                start_leg(arena, out, legs, &old, point.x);
            if (legs->count)
                compare_overtaken(&old, &legs->items[legs->count - 1], point);
            add_point(arena, out, point);
        }
}
