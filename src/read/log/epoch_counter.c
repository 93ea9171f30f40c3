// SPDX-License-Identifier: Apache-2.0
#include "read/log/epoch_counter.h"

#include "base/array.h"

// Beyond these the numbers are no counters.
enum { STEPS_MAX = 1000000000 };

static int64_t with_total(const EpochCounter *counter, const LogPlace *place)
{
    int64_t before = place->epoch - (counter->first_epoch > 0);
    return before * place->total + place->step;
}

// Of two records of an epoch; before there are two, the steps up to the first one.
static int64_t usual_distance(const EpochCounter *counter)
{
    int64_t distance = counter->distance > 0 ? counter->distance : counter->step;
    return distance > 0 ? distance : 1;
}

static int64_t without_total(EpochCounter *counter, const LogPlace *place, Arena *arena)
{
    counter->starts = counter->starts ? counter->starts : names_new(arena);
    size_t known = names_count(counter->starts);
    NameId id = names_add(counter->starts, names_number(&place->epoch));
    int64_t *offset = &ARRAY_REACH(arena, counter->offsets, counter->offset_count, id)[id];
    if (id > known) {
        bool goes_on = !counter->started || place->step > counter->highest;
        int64_t distance = usual_distance(counter);
        *offset = goes_on ? counter->x - counter->step : counter->x + distance - place->step;
    }
    return place->step + *offset;
}

// Several lines of one epoch and no step: they are numbered on.
static int64_t of_epochs(EpochCounter *counter, const LogPlace *place)
{
    if (counter->started && place->epoch == counter->epoch && !counter->rises)
        counter->numbered = true;
    counter->rises = counter->rises || (counter->started && place->epoch != counter->epoch);
    return counter->numbered ? counter->x + 1 : place->epoch;
}

int64_t epoch_counter_peek(const EpochCounter *counter, const LogPlace *place)
{
    return counter->numbered ? counter->x : place->epoch;
}

static int64_t of_steps(EpochCounter *counter, const LogPlace *place, Arena *arena)
{
    bool next = counter->started && place->epoch > counter->epoch;
    if (next && !counter->anew && !place->within)
        counter->rises = counter->rises || place->step > counter->highest;
    if (next && place->step <= counter->highest)
        counter->anew = true;
    if (counter->rises && !counter->anew)
        return place->step;
    return place->total > 0 && place->step <= place->total ? with_total(counter, place)
                                                           : without_total(counter, place, arena);
}

// A rounded step is the first one at the usual distance that would be printed in the same way, else
// the next one; where it falls by more than that, it is as printed.
static int64_t of_rounded(const EpochCounter *counter, const LogPlace *place)
{
    int64_t distance = counter->plain_distance, half = (place->unit + 1) / 2;
    int64_t least = place->step - half, last = counter->plain;
    if (last <= 0 || place->step <= last - place->unit)
        return place->step;
    int64_t leaps = distance && last + distance < least ? (least - last - 1) / distance + 1 : 1;
    int64_t next = distance ? last + leaps * distance : INT64_MAX;
    return next <= place->step + half ? next : place->step > last ? place->step : last + 1;
}

static int64_t of_plain(EpochCounter *counter, const LogPlace *place)
{
    int64_t step = place->unit ? of_rounded(counter, place) : place->step;
    bool exact = !place->unit && !counter->plain_rounded;
    if (exact && counter->plain > 0 && step > counter->plain)
        counter->plain_distance = step - counter->plain;
    counter->plain = step;
    counter->plain_rounded = place->unit > 0;
    return step;
}

bool epoch_counter_next(EpochCounter *counter, const LogPlace *place, Arena *arena, int64_t *out)
{
    if (!place->has_epoch && !place->has_step)
        return false;
    bool both = place->has_epoch && place->has_step && place->epoch < STEPS_MAX &&
                place->step < STEPS_MAX && place->total < STEPS_MAX;
    if (!both && place->has_step) {
        *out = of_plain(counter, place);
        return true;
    }
    if (!counter->started)
        counter->first_epoch = place->from_zero && place->epoch > 1 ? 0 : place->epoch;
    *out = both ? of_steps(counter, place, arena) : of_epochs(counter, place);
    if (counter->started && place->epoch == counter->epoch && *out > counter->x)
        counter->distance = *out - counter->x;
    bool falls = !counter->started || place->epoch < counter->epoch;
    if (falls || place->step > counter->highest)
        counter->highest = place->step;
    counter->epoch = place->epoch;
    counter->step = place->step;
    counter->x = *out;
    counter->started = true;
    return true;
}
