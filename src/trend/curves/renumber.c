// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/renumber.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/words.h"
#include "trend/curves/smooth.h"
#include "trend/curves/step_align.h"

// How far the losses of common steps are apart, of which there must be some; else infinite.
static double losses_apart(const Series *golden, const Series *other, int64_t shift, Arena *arena)
{
    enum { STEPS_LEAST = 8 };
    const Series *both[] = {golden, other};
    Aligned pair;
    align_series(both, 2, true, shift, arena, &pair);
    double *apart = ARENA_ARRAY(arena, double, pair.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < pair.count; i++)
        if (isfinite(pair.values[0][i]) && isfinite(pair.values[1][i]))
            apart[count++] = fabs(pair.values[1][i] - pair.values[0][i]);
    return count < STEPS_LEAST ? INFINITY : median_of(apart, count);
}

// Whether the losses fit at this shift far better, by this factor, than one printed step before and
// after it. With a smaller one two runs that only resemble each other are moved; with a larger one
// runs that differ a little are compared a step apart.
enum { FITS_BETTER = 4 };

static bool fits_at(const Series *golden, const Series *other, int64_t shift)
{
    Arena *scratch = arena_new();
    int64_t gap = series_spacing(golden, scratch);
    double before = losses_apart(golden, other, shift - gap, scratch);
    double behind = losses_apart(golden, other, shift + gap, scratch);
    double least = fmin(before, behind);
    bool fits =
        isfinite(least) && FITS_BETTER * losses_apart(golden, other, shift, scratch) < least;
    arena_release(scratch);
    return fits;
}

// How far the losses are apart record by record, where `ahead` of `steps` are passed over.
static double records_apart(const Series *steps, const Series *own, size_t ahead, size_t behind,
                            Arena *arena)
{
    enum { RECORDS_LEAST = 8 };
    double *apart = ARENA_ARRAY(arena, double, own->count + 1);
    size_t count = 0;
    for (size_t i = 0; i + ahead < steps->count && i + behind < own->count; i++) {
        double difference = steps->points.value[i + ahead] - own->points.value[i + behind];
        if (isfinite(difference))
            apart[count++] = fabs(difference);
    }
    return count < RECORDS_LEAST ? INFINITY : median_of(apart, count);
}

// Whether the losses fit record by record, and neither by their numbers nor a record apart.
static bool fits_in_order(const Series *steps, const Series *own)
{
    Arena *scratch = arena_new();
    double least =
        fmin(records_apart(steps, own, 1, 0, scratch), records_apart(steps, own, 0, 1, scratch));
    least = fmin(least, losses_apart(steps, own, 0, scratch));
    double apart = records_apart(steps, own, 0, 0, scratch);
    arena_release(scratch);
    return isfinite(least) && FITS_BETTER * apart < least;
}

// The step of a record; after the last one at the usual distance.
static int64_t step_of_record(const Series *steps, size_t record, int64_t spacing)
{
    size_t last = steps->count - 1, known = record < last ? record : last;
    return steps->points.x[known] + (int64_t)(record - known) * spacing;
}

// What records are to be called: by rising number, what is between two is called as the one before.
// Without any, all are moved by so much.
typedef struct Numbering {
    int64_t *number, *step;  // steps rise, but for those of records that are left out
    size_t count;
    int64_t by;
} Numbering;

#define LEFT_OUT INT64_MIN

static Numbering numbering_new(const Series *series, Arena *arena)
{
    Numbering out = {.number = ARENA_ARRAY(arena, int64_t, series->count + 1),
                     .step = ARENA_ARRAY(arena, int64_t, series->count + 1),
                     .count = series->count};
    memcpy(out.number, series->points.x, series->count * sizeof *out.number);
    return out;
}

static int64_t step_of(const Numbering *numbering, int64_t number)
{
    size_t at;
    FIND_FIRST(at, numbering->count, numbering->number[at] <= number);
    return numbering->count ? numbering->step[at ? at - 1 : 0] : number + numbering->by;
}

static void renumber_series(Series *series, const Numbering *numbering, Arena *arena)
{
    PointColumns points = point_columns(arena, series->count);
    int64_t *absent = ARENA_ARRAY(arena, int64_t, series->absent_count + 1);
    size_t count = 0, absent_count = 0;
    for (size_t k = 0; k < series->count; k++) {
        int64_t x = step_of(numbering, series->points.x[k]);
        if (x != LEFT_OUT && (count == 0 || points.x[count - 1] < x))
            point_put(points, count++, (Point){x, series->points.value[k]});
    }
    for (size_t k = 0; k < series->absent_count; k++) {
        int64_t x = step_of(numbering, series->absent[k]);
        if (x != LEFT_OUT)
            absent[absent_count++] = x;
    }
    series->points = points;
    series->count = count;
    series->absent = absent;
    series->absent_count = absent_count;
}

static void renumber(Run *run, const Numbering *numbering, Arena *arena)
{
    Points times = {0};
    size_t kept = 0;
    for (size_t i = 0; i < run->series_count; i++)
        renumber_series(&run->series[i], numbering, arena);
    for (size_t i = 0; i < run->times.count; i++) {
        Point time = point_at(run->times.items, i);
        time.x = step_of(numbering, time.x);
        if (time.x != LEFT_OUT)
            points_push(arena, &times, time);
    }
    run->times = times;
    for (size_t i = 0; i < run->events.count; i++) {
        Event event = run->events.items[i];
        event.step = step_of(numbering, event.step);
        if (event.step != LEFT_OUT)
            run->events.items[kept++] = event;
    }
    run->events.count = kept;
    kept = 0;
    for (size_t i = 0; i < run->norms.count; i++) {
        NormList norms = run->norms.items[i];
        norms.step = step_of(numbering, norms.step);
        if (norms.step != LEFT_OUT)
            run->norms.items[kept++] = norms;
    }
    run->norms.count = kept;
}

// Gives the records of a run that carry no step those of another one's records, and tells it.
static void take_steps(Run *run, const Run *from, Arena *arena, Notices *notices)
{
    const Series *steps = run_series(from, "loss"), *loss = run_series(run, "loss");
    if (!steps || !loss || !run->is_numbered || from->is_numbered || !fits_in_order(steps, loss))
        return;
    int64_t spacing = series_spacing(steps, arena);
    Numbering numbering = numbering_new(loss, arena);
    for (size_t i = 0; i < numbering.count; i++)
        numbering.step[i] = step_of_record(steps, i, spacing);
    renumber(run, &numbering, arena);
    run->is_numbered = false;
    notices_add(notices, NOTICE_TOLD, WHERE_FILE(run->files[0]),
                tr("by their losses its records are those of " STR_FMT
                   " in their order; they get its steps"),
                STR_ARG(from->name));
}

// ---- records that tell their epoch: where a run was started again, where a later one begins

static size_t first_not_below(const double *values, size_t count, double value)
{
    size_t at;
    FIND_FIRST(at, count, values[at] < value);
    return at;
}

// The mean distance of the losses of two stretches of records, from `own` and `other` on.
static double stretch_apart(const Series *loss, const Series *against, const int64_t *own,
                            const int64_t *other, size_t count)
{
    double sum = 0;
    size_t both = 0;
    for (size_t i = 0; i < count; i++) {
        double apart = fabs(series_at(loss, own[i]) - series_at(against, other[i]));
        sum += isfinite(apart) ? apart : 0;
        both += isfinite(apart) ? 1 : 0;
    }
    return both ? sum / (double)both : INFINITY;
}

// Records of some epochs among others: `epoch` rises but for equal ones.
typedef struct EpochPlaces {
    const int64_t *number;
    const double *epoch;
    size_t count;
    const Series *loss;
} EpochPlaces;

// The place in `all` from which on the epochs are those of `some`, as far as both go; of several,
// as where many records print one epoch, that where the losses are nearest. The count: none.
static size_t find_stretch(const EpochPlaces *all, const EpochPlaces *some)
{
    enum { PLACES_MOST = 256, LOOKED_AT = 4096 };
    double least = INFINITY;
    size_t found = all->count, first = first_not_below(all->epoch, all->count, some->epoch[0]);
    for (size_t from = first;
         from < all->count && from - first < PLACES_MOST && all->epoch[from] == some->epoch[0];
         from++) {
        size_t count = all->count - from < some->count ? all->count - from : some->count, same = 0;
        count = count < LOOKED_AT ? count : LOOKED_AT;
        while (same < count && all->epoch[from + same] == some->epoch[same])
            same++;
        double apart = same < count ? INFINITY
                                    : stretch_apart(some->loss, all->loss, some->number,
                                                    all->number + from, count);
        if (same == count && (found == all->count || apart < least)) {
            found = from;
            least = apart;
        }
    }
    return found;
}

static size_t fall_behind(const PointColumns epochs, size_t at, size_t count)
{
    for (at++; at < count && epochs.value[at] >= epochs.value[at - 1];)
        at++;
    return at;
}

// A trainer that goes on from a checkpoint prints epochs again, in the middle of the run. From
// there on the later records count, by the numbers of those they overtake.
static void settle_restarts(Run *run, Arena *arena, Notices *notices)
{
    const Series *epochs = run_series(run, "epoch"), *loss = run_series(run, "loss");
    if (!run->is_numbered || !epochs || !loss || epochs->count < 2)
        return;
    size_t count = epochs->count, kept = fall_behind(epochs->points, 0, count);
    if (kept == count)
        return;
    Numbering numbering = numbering_new(epochs, arena);
    double *epoch = ARENA_ARRAY(arena, double, count);
    int64_t *number = ARENA_ARRAY(arena, int64_t, count);
    size_t *place = ARENA_ARRAY(arena, size_t, count);
    memcpy(numbering.step, numbering.number, count * sizeof *numbering.step);
    memcpy(epoch, epochs->points.value, count * sizeof *epoch);
    memcpy(number, epochs->points.x, count * sizeof *number);
    for (size_t i = 0; i < count; i++)
        place[i] = i;
    for (size_t from = kept, end; from < count; from = end) {
        end = fall_behind(epochs->points, from, count);
        EpochPlaces all = {number, epoch, kept, loss};
        EpochPlaces some = {numbering.number + from, epochs->points.value + from, end - from, loss};
        size_t at = find_stretch(&all, &some);
        if (at == 0 || at == kept)  // another training, or one that nobody can place
            return;
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(run->files[0]),
                    tr("its epochs fall from %g to %g after record %lld: it was started again "
                       "there, and the later records count"),
                    epoch[kept - 1], some.epoch[0], (long long)some.number[0] - 1);
        int64_t by = numbering.step[place[at]] - some.number[0];
        for (size_t i = at; i < kept; i++)
            numbering.step[place[i]] = LEFT_OUT;
        for (kept = at; from < end; from++, kept++) {
            numbering.step[from] = numbering.number[from] + by;
            epoch[kept] = epochs->points.value[from];
            number[kept] = numbering.number[from];
            place[kept] = from;
        }
    }
    renumber(run, &numbering, arena);
}

static bool epochs_rise(const Series *epochs, bool strictly)
{
    for (size_t i = 1; i < epochs->count; i++)
        if (epochs->points.value[i] < epochs->points.value[i - 1] ||
            (strictly && epochs->points.value[i] == epochs->points.value[i - 1]))
            return false;
    return epochs->count > 0;
}

// Each record at the place of golden's with its epoch, where nearly all that golden reaches have
// one; false: they have not.
static bool place_each(const Series *golden, const Series *own, Arena *scratch, Numbering *out)
{
    size_t missing = 0, within = 0;
    int64_t behind = golden->points.x[golden->count - 1], gap = series_spacing(golden, scratch);
    double last = golden->points.value[golden->count - 1];
    for (size_t i = 0; i < own->count; i++) {
        double epoch = own->points.value[i];
        size_t at = first_not_below(golden->points.value, golden->count, epoch);
        bool found = at < golden->count && golden->points.value[at] == epoch;
        out->step[i] = found ? golden->points.x[at] : epoch > last ? behind += gap : LEFT_OUT;
        within += epoch <= last;
        missing += !found && epoch <= last;
    }
    return within > missing && 10 * missing <= within;
}

// A run whose records carry no step, but epochs that golden's print elsewhere, is put there.
static void take_epochs(Run *run, const Run *golden, Arena *arena, Notices *notices)
{
    const Series *own = run_series(run, "epoch"), *its = run_series(golden, "epoch");
    const Series *loss = run_series(run, "loss"), *losses = run_series(golden, "loss");
    if (run == golden || !run->is_numbered || !own || !its || !loss || !losses ||
        !epochs_rise(own, false) || !epochs_rise(its, false))
        return;
    EpochPlaces all = {its->points.x, its->points.value, its->count, losses};
    EpochPlaces some = {own->points.x, own->points.value, own->count, loss};
    Numbering numbering = numbering_new(own, arena);
    size_t at = find_stretch(&all, &some);
    bool moves = at < its->count && own->count > 1;
    int64_t spacing = series_spacing(its, arena);
    for (size_t i = 0; moves && i < own->count; i++)
        numbering.step[i] = step_of_record(its, at + i, spacing);
    moves = moves || (epochs_rise(its, true) && place_each(its, own, arena, &numbering));
    if (!moves || memcmp(numbering.step, numbering.number, own->count * sizeof *own->points.x) == 0)
        return;
    renumber(run, &numbering, arena);
    run->is_numbered = golden->is_numbered;
    notices_add(notices, NOTICE_TOLD, WHERE_FILE(run->files[0]),
                tr("its records are put next to those of " STR_FMT " that print their epochs"),
                STR_ARG(golden->name));
}

static bool begins_before(const Run *run, const Run *golden)
{
    const Series *own = run_series(run, "epoch"), *its = run_series(golden, "epoch");
    return own && its && own->count && its->count && own->points.value[0] < its->points.value[0];
}

// Golden's records get their steps from the first run that has some which fit.
static const Run *number_golden(Runs *runs, Arena *arena, Notices *notices)
{
    Run *golden = NULL;
    for (size_t i = 0; i < runs->count && !golden; i++)
        golden = runs->items[i].role == ROLE_GOLDEN_RUN ? &runs->items[i] : NULL;
    for (size_t i = 0; i < runs->count; i++)
        settle_restarts(&runs->items[i], arena, notices);
    for (size_t i = 0; golden && i < runs->count; i++)
        if (begins_before(&runs->items[i], golden))
            take_epochs(golden, &runs->items[i], arena, notices);
    for (size_t i = 0; golden && i < runs->count; i++)
        take_epochs(&runs->items[i], golden, arena, notices);
    for (size_t i = 0; golden && i < runs->count; i++)
        take_steps(golden, &runs->items[i], arena, notices);
    for (size_t i = 0; golden && i < runs->count; i++)
        take_steps(&runs->items[i], golden, arena, notices);
    return golden;
}

void align_first_steps(Runs *runs, Arena *arena, Notices *notices)
{
    const Run *first = number_golden(runs, arena, notices);
    const Series *golden = first ? run_series(first, "loss") : NULL;
    for (size_t i = 0; golden && golden->count && i < runs->count; i++) {
        Run *run = &runs->items[i];
        const Series *own = run_series(run, "loss");
        int64_t by = own && own->count ? golden->points.x[0] - own->points.x[0] : 0;
        if ((by != 1 && by != -1) || !fits_at(golden, own, by))
            continue;
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(run->files[0]),
                    tr("it counts from %lld, golden from %lld: its losses are those of golden's "
                       "steps, and get these steps"),
                    (long long)own->points.x[0], (long long)golden->points.x[0]);
        renumber(run, &(Numbering){.by = by}, arena);
    }
}
