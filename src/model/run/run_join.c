// SPDX-License-Identifier: Apache-2.0
#include "model/run/run_join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/sort.h"
#include "base/words.h"

// ---- One process

// A series of one name in the parts of a process that have it.
typedef struct Piece {
    size_t part;
    const PartSeries *series;
} Piece;

typedef struct Pieces {
    Piece *items;
    size_t count, capacity;
} Pieces;

typedef struct Process {
    int64_t rank;
    Part **parts;  // in the order of time
    size_t part_count;
    Names *restarts;  // the steps of those the run has; NULL: none
    Run run;
} Process;

static bool is_relative(const PartSeries *series)
{
    return series->digits[true].count > 0 && series->digits[false].count == 0;
}

static void split_absent(const Points *points, Arena *arena, Series *out)
{
    size_t absent_count = 0, count = points->count;
    const double *value = points->items.value;
    for (size_t i = 0; i < count; i++)
        absent_count += point_is_absent(value[i]);
    out->points = points->items;
    out->count = points->count;
    if (absent_count == 0)
        return;
    PointColumns kept = point_columns(arena, points->count);
    int64_t *absent = ARENA_ARRAY(arena, int64_t, absent_count);
    out->count = 0;
    for (size_t i = 0; i < points->count; i++)
        if (point_is_absent(points->items.value[i]))
            absent[out->absent_count++] = points->items.x[i];
        else
            point_put(kept, out->count++, point_at(points->items, i));
    out->points = kept;
    out->absent = absent;
}

static void widen_overlap(Run *run, const Legs *legs, bool is_loss)
{
    for (size_t i = 0; i < legs->count; i++) {
        const Leg *leg = &legs->items[i];
        if (!run->has_overlap || leg->first < run->overlap_first)
            run->overlap_first = leg->first;
        if (!run->has_overlap || leg->last > run->overlap_last)
            run->overlap_last = leg->last;
        run->has_overlap = true;
        if (is_loss && !(leg->difference <= run->overlap_difference))
            run->overlap_difference = leg->difference;
    }
}

static void add_restarts(Process *process, const Legs *legs, Arena *arena)
{
    Events *events = &process->run.events;
    if (legs->count && !process->restarts)
        process->restarts = names_new(arena);
    for (size_t i = 0; i < legs->count; i++) {
        size_t known = names_count(process->restarts);
        if (names_add(process->restarts, names_number(&legs->items[i].first)) > known)
            *ARRAY_PUSH(arena, events) =
                (Event){.step = legs->items[i].first,
                        .kind = EVENT_RESTART,
                        .rank = process->rank,
                        .count = 1,
                        .text = STR("a later start writes from this step on"),
                        .file = process->parts[process->part_count - 1]->path};
    }
}

static void add_series(Run *run, Series series, Arena *arena)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has room has series
    *ARRAY_ADD(arena, run->series, run->series_count, run->series_capacity) = series;
}

// By name: the first series of that name in each part.
static void list_series(const Process *process, Names *names, Pieces *pieces, Arena *arena)
{
    for (size_t p = 0; p < process->part_count; p++) {
        const Part *part = process->parts[p];
        for (size_t i = 0; i < part->series_count; i++) {
            Pieces *known = &pieces[names_add(names, part->series[i].name)];
            if (known->count == 0 || known->items[known->count - 1].part != p)
                *ARRAY_PUSH(arena, known) = (Piece){p, &part->series[i]};
        }
    }
}

// The digits of plain numbers count, unless all have an exponent.
static void join_digits(const Pieces *pieces, Series *series)
{
    series->relative = true;
    int plain = 0, relative = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        const PartSeries *from = pieces->items[i].series;
        const PartDigits *digits = from->digits;
        plain = digits[false].most > plain ? digits[false].most : plain;
        relative = digits[true].most > relative ? digits[true].most : relative;
        series->relative = series->relative && is_relative(from);
    }
    series->decimals = series->relative ? relative : plain;
}

// How many different steps the points have; they are looked at where they stand.
static size_t steps_of(const Points *parts, size_t count, Arena *arena)
{
    size_t total = 0;
    bool rise = true;
    int64_t last = INT64_MIN;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < parts[p].count; i++) {
            rise = rise && parts[p].items.x[i] > last;
            last = parts[p].items.x[i];
        }
        total += parts[p].count;
    }
    if (rise)
        return total;
    int64_t *steps = ARENA_ARRAY(arena, int64_t, total);
    total = 0;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].count; i++)
            steps[total++] = parts[p].items.x[i];
    return sort_distinct(steps, total);
}

static int by_step_and_value(const void *a, const void *b)
{
    const Point *one = a, *two = b;
    if (one->x != two->x)
        return one->x < two->x ? -1 : 1;
    return (one->value > two->value) - (one->value < two->value);
}

// Values that are recorded of one step, of which 0 may be a placeholder.
static size_t list_told(const Points *parts, size_t count, Point *out)
{
    size_t told = 0;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].count; i++) {
            Point point = point_at(parts[p].items, i);
            if (isfinite(point.value) && point.value != 0)
                out[told++] = point;
        }
    if (told)
        qsort(out, told, sizeof *out, by_step_and_value);
    return told;
}

// Which of the values of a step comes first is chance then: of two runs, means can be compared.
// Nearly every is nine of ten, as the last steps of a log may be cut.
static void add_means(const Points *parts, size_t count, Series *series, Arena *arena)
{
    enum { STEPS_LEAST = 8 };
    size_t records = 0, apart = 0;
    for (size_t p = 0; p < count; p++)
        records += parts[p].count;
    if (series->count < STEPS_LEAST || 10 * records < 19 * series->count)
        return;
    Point *told = ARENA_ARRAY(arena, Point, records);
    double *means = ARENA_ARRAY(arena, double, series->count);
    records = list_told(parts, count, told);
    for (size_t i = 0, at = 0; i < series->count; i++) {
        int64_t x = series->points.x[i];
        while (at < records && told[at].x < x)
            at++;
        size_t from = at;
        double sum = 0;
        for (; at < records && told[at].x == x; at++)
            sum += told[at].value;
        bool differ = at > from && told[from].value != told[at - 1].value;
        bool number = isfinite(series->points.value[i]);
        means[i] = differ && number ? sum / (double)(at - from) : series->points.value[i];
        apart += differ;
    }
    if (10 * apart >= 9 * series->count)
        series->means = means;
}

static bool any_apart_lasts(const Process *process, const Legs *legs)
{
    bool lasts = legs->apart.count && apart_lasts(&legs->apart);
    for (size_t p = 0; p < process->part_count; p++)
        lasts = lasts || (process->parts[p]->apart.count && apart_lasts(&process->parts[p]->apart));
    return lasts;
}

// How many of the losses of all starts are to be left. A run that was started again goes on from
// where it was at that step: it is what counts. One that goes on from its last loss has a counter
// that began anew, and each record is a step of its own; where nothing tells, so is each step.
static size_t steps_due(const Legs *legs, size_t steps, size_t records)
{
    bool restarts = true, goes_on = true;
    for (size_t i = 0; i < legs->count; i++) {
        const Leg *leg = &legs->items[i];
        restarts = restarts && leg->count > 2 && 2 * leg->from_old < leg->from_last;
        goes_on = goes_on && leg->count > 2 && 2 * leg->from_last < leg->from_old;
    }
    return restarts ? 0 : goes_on ? records : steps;
}

static void join_series(Process *process, Str name, const Pieces *pieces, Arena *arena)
{
    Points *parts = ARENA_ARRAY(arena, Points, pieces->count);
    Series series = {.name = name, .rank = process->rank};
    size_t count = 0, records = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        const Piece *from = &pieces->items[i];
        if (from->series->points.count == 0)
            continue;
        parts[count++] = from->series->points;
        records += from->series->points.count;
        series.file = process->parts[from->part]->path;
    }
    Points joined = {0};
    Legs legs = {0};
    bool is_loss = str_starts(name, STR("loss"));
    size_t steps = is_loss ? steps_of(parts, count, arena) : 0;
    join_points(parts, count, arena, &joined, &legs);
    join_digits(pieces, &series);
    split_absent(&joined, arena, &series);
    if (legs.count == 0 && !any_apart_lasts(process, &legs))
        add_means(parts, count, &series, arena);
    widen_overlap(&process->run, &legs, str_equal(name, STR("loss")));
    steps = legs.count && is_loss ? steps_due(&legs, steps, records) : 0;
    if (is_loss && legs.apart.count && apart_lasts(&legs.apart))
        process->run.apart = legs.apart;
    if (2 * joined.count < steps) {
        process->run.overlap_steps = steps;
        process->run.overlap_left = joined.count;
    }
    add_restarts(process, &legs, arena);
    add_series(&process->run, series, arena);
}

// The first step that a later file writes: events of earlier files from there on are overtaken.
static int64_t first_step(const Part *part)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < part->series_count; i++)
        if (part->series[i].points.count && part->series[i].points.items.x[0] < first)
            first = part->series[i].points.items.x[0];
    return first;
}

static void join_times(Process *process, Arena *arena)
{
    Points *parts = ARENA_ARRAY(arena, Points, process->part_count);
    Legs ignored = {0};
    for (size_t p = 0; p < process->part_count; p++)
        parts[p] = process->parts[p]->times;
    join_points(parts, process->part_count, arena, &process->run.times, &ignored);
}

static void join_events(Process *process, Arena *arena)
{
    int64_t *limits = ARENA_ARRAY(arena, int64_t, process->part_count), limit = INT64_MAX;
    for (size_t p = process->part_count; p-- > 0;) {
        limits[p] = limit;
        int64_t first = first_step(process->parts[p]);
        limit = first < limit ? first : limit;
    }
    for (size_t p = 0; p < process->part_count; p++) {
        const Part *part = process->parts[p];
        for (size_t i = 0; i < part->events.count; i++)
            if (part->events.items[i].step < limits[p])
                *ARRAY_PUSH(arena, &process->run.events) = part->events.items[i];
        for (size_t i = 0; i < part->norms.count; i++)
            if (part->norms.items[i].step < limits[p])
                *ARRAY_PUSH(arena, &process->run.norms) = part->norms.items[i];
    }
}

static void join_process(Process *process, Arena *arena)
{
    Run *run = &process->run;
    *run = (Run){.overlap_difference = NAN, .skip_threshold = NAN};
    size_t most = 0;
    for (size_t p = 0; p < process->part_count; p++) {
        const Part *part = process->parts[p];
        most += part->series_count;
        run->steps_per_epoch = part->steps_per_epoch ? part->steps_per_epoch : run->steps_per_epoch;
        run->skip_threshold =
            isnan(part->skip_threshold) ? run->skip_threshold : part->skip_threshold;
        run->skip_limit = part->skip_limit ? part->skip_limit : run->skip_limit;
    }
    Names *names = names_new(arena);
    Pieces *pieces = ARENA_ARRAY(arena, Pieces, most + 1);  // by name
    list_series(process, names, pieces, arena);
    for (NameId id = 1; id <= names_count(names); id++)
        join_series(process, names_text(names, id), &pieces[id], arena);
    join_times(process, arena);
    join_events(process, arena);
}

// ---- All processes of a run

typedef struct Processes {
    Process *items;
    size_t count, capacity;
} Processes;

typedef struct Given {
    Part *part;
    size_t index;
    size_t stretch;  // parts of one rank between two whose times are not known
} Given;

static int by_rank(const void *a, const void *b)
{
    const Given *one = a, *two = b;
    if (one->part->rank != two->part->rank)
        return one->part->rank < two->part->rank ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

static int by_time(const void *a, const void *b)
{
    const Given *one = a, *two = b;
    if (one->stretch != two->stretch)
        return one->stretch < two->stretch ? -1 : 1;
    if (one->part->start_time != two->part->start_time && !isnan(one->part->start_time))
        return one->part->start_time < two->part->start_time ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

// By rank, then by time. Unknown times keep the place they were given in.
static Part **sort_parts(Part *const *parts, size_t count, Arena *arena)
{
    Part **sorted = ARENA_ARRAY(arena, Part *, count);
    Given *given = ARENA_ARRAY(arena, Given, count);
    for (size_t i = 0; i < count; i++)
        given[i] = (Given){.part = parts[i], .index = i};
    if (count)
        qsort(given, count, sizeof *given, by_rank);
    for (size_t i = 1; i < count; i++) {
        const Part *part = given[i].part, *before = given[i - 1].part;
        given[i].stretch =
            given[i - 1].stretch +
            (part->rank != before->rank || isnan(part->start_time) || isnan(before->start_time));
    }
    if (count)
        qsort(given, count, sizeof *given, by_time);
    for (size_t i = 0; i < count; i++)
        sorted[i] = given[i].part;
    return sorted;
}

static void find_processes(Part *const *parts, size_t count, Arena *arena, Processes *out)
{
    Part **sorted = sort_parts(parts, count, arena);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || sorted[i]->rank != sorted[i - 1]->rank)
            *ARRAY_PUSH(arena, out) = (Process){.rank = sorted[i]->rank, .parts = &sorted[i]};
        out->items[out->count - 1].part_count++;
    }
    for (size_t i = 0; i < out->count; i++)
        join_process(&out->items[i], arena);
}

static bool is_all_zero(const Series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->points.value[i] != 0)
            return false;
    return true;
}

static bool starts_with_loss(Str name)
{
    return str_equal(name, STR("loss")) || str_starts(name, STR("loss."));
}

static bool has_placeholder(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    return loss && loss->count > 1 && is_all_zero(loss);
}

static void drop_loss(Run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->series_count; i++)
        if (!starts_with_loss(run->series[i].name))
            run->series[kept++] = run->series[i];
    run->series_count = kept;
}

// A process whose loss is 0 at every step does not have the loss; it is said where nobody has it.
static void drop_placeholders(Processes *processes, Notices *notices)
{
    size_t dropped = 0;
    bool real = false;
    for (size_t p = 0; p < processes->count; p++) {
        Run *run = &processes->items[p].run;
        if (has_placeholder(run)) {
            drop_loss(run);
            dropped++;
        }
        const Series *loss = run_series(run, "loss");
        real = real || (loss && loss->count);
    }
    if (dropped && !real)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(processes->items[0].parts[0]->path), "%s",
                    tr("the loss is 0 at every step: the placeholder of a pipeline stage without "
                       "loss; it is not used"));
}

static size_t point_count(const Run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->series_count; i++)
        count += run->series[i].count;
    return count;
}

// The process that speaks for the run: the last one with a loss, else the one with most points.
static size_t main_process(const Processes *processes)
{
    size_t best = 0;
    bool found = false;
    for (size_t p = 0; p < processes->count; p++) {
        const Series *loss = run_series(&processes->items[p].run, "loss");
        if (loss && loss->count) {
            best = p;
            found = true;
        } else if (!found && point_count(&processes->items[p].run) >
                                 point_count(&processes->items[best].run)) {
            best = p;
        }
    }
    return best;
}

// Two processes that print one number: each rounds it, and so does what adds it up in float32, to
// some parts in a million. More would call ranks equal that train apart; less tells rounding.
#define SUMMED_ALIKE 1e-6

static bool agrees_as_printed(const Series *own, const Series *other, double value, double another)
{
    double unit = series_resolution(own, value) + series_resolution(other, another);
    return value == another || fabs(value - another) <= 2 * unit + SUMMED_ALIKE * fabs(value);
}

// What the processes add to a series of the run: the steps that it does not have, of each the first
// value.
typedef struct Added {
    Names *steps;   // NULL: none
    Points points;  // by id - 1
} Added;

// Of all processes so far.
static double value_at(const Series *own, const Added *added, int64_t x)
{
    double value = series_at(own, x);
    NameId id = added->steps && point_is_absent(value) ? names_find(added->steps, names_number(&x))
                                                       : NAME_NONE;
    return id ? added->points.items.value[id - 1] : value;
}

// What every process prints in the same way must agree within its printed digits.
static void check_agreement(Run *run, const Series *own, const Added *added, const Series *other,
                            Arena *arena, Notices *notices)
{
    for (size_t i = 0; i < other->count; i++) {
        Point point = point_at(other->points, i);
        double value = value_at(own, added, point.x);
        if (point_is_absent(value) || !isfinite(value) || !isfinite(point.value) ||
            agrees_as_printed(own, other, value, point.value))
            continue;
        Str text =
            str_printf(arena, tr("%s of rank %lld differs from that of rank %lld"),
                       str_cstr(arena, own->name), (long long)other->rank, (long long)own->rank);
        *ARRAY_PUSH(arena, &run->events) = (Event){.step = point.x,
                                                   .kind = EVENT_ERROR,
                                                   .rank = other->rank,
                                                   .count = 1,
                                                   .text = text,
                                                   .file = other->file};
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(other->file),
                    tr("%s differs between the ranks of this run, first at step %lld"),
                    str_cstr(arena, own->name), (long long)point.x);
        return;
    }
}

// Each process may have a loss of its own data; one that is NaN or differs lastingly from the one
// that speaks for the run is a series of its own: true. 0 is a placeholder.
static bool check_loss_apart(const Series *own, const Added *added, const Series *other,
                             Notices *notices)
{
    Apart apart = {0};
    int64_t first = 0;
    for (size_t i = 0; i < other->count; i++) {
        Point point = point_at(other->points, i);
        double value = value_at(own, added, point.x);
        if (point_is_absent(value) || value == 0 || point.value == 0 ||
            (isnan(value) && isnan(point.value)) ||
            agrees_as_printed(own, other, value, point.value))
            continue;
        first = apart.count ? first : point.x;
        apart_add(&apart, value, point.value);
    }
    if (apart_lasts(&apart))
        notices_add(
            notices, NOTICE_WARNING, WHERE_FILE(other->file),
            tr("the loss of rank %lld differs lastingly from that of rank %lld, first at step "
               "%lld (%llu of %zu steps, %llu of them NaN or Inf): it is a series of its own"),
            (long long)other->rank, (long long)own->rank, (long long)first,
            (unsigned long long)apart.count, other->count, (unsigned long long)apart.not_numbers);
    return apart_lasts(&apart);
}

static bool agrees_by_design(Str name)
{
    return str_equal(name, STR("grad_norm")) || str_equal(name, STR("lr"));
}

// Each first-stage process has an embedding of its own: one series a rank where several have one.
static bool is_per_rank(Str name)
{
    return str_equal(name, STR("embedding_local_norm"));
}

// Steps that only the other process printed: one log may take turns between its ranks.
static void add_steps(const Series *own, Added *added, const Series *other, Arena *arena)
{
    for (size_t i = 0; i < other->count; i++) {
        Point point = point_at(other->points, i);
        if (!point_is_absent(series_at(own, point.x)))
            continue;
        added->steps = added->steps ? added->steps : names_new(arena);
        if (names_add(added->steps, names_number(&point.x)) > added->points.count)
            points_push(arena, &added->points, point);
    }
}

static void fill_steps(Series *own, const Added *added, Arena *arena)
{
    size_t fresh = added->points.count, count = 0, absent = 0, at = 0;
    if (fresh == 0)
        return;
    int64_t *steps = ARENA_ARRAY(arena, int64_t, fresh);
    memcpy(steps, added->points.items.x, fresh * sizeof *steps);
    sort_distinct(steps, fresh);
    PointColumns points = point_columns(arena, own->count + fresh);
    for (size_t i = 0; i < fresh; i++) {
        while (at < own->count && own->points.x[at] < steps[i])
            point_put(points, count++, point_at(own->points, at++));
        NameId id = names_find(added->steps, names_number(&steps[i]));
        point_put(points, count++, point_at(added->points.items, id - 1));
    }
    while (at < own->count)
        point_put(points, count++, point_at(own->points, at++));
    own->points = points;
    own->count = count;
    own->means = NULL;
    int64_t *kept = ARENA_ARRAY(arena, int64_t, own->absent_count + 1);
    for (size_t i = 0; i < own->absent_count; i++)
        if (point_is_absent(series_at(own, own->absent[i])))
            kept[absent++] = own->absent[i];
    own->absent = kept;
    own->absent_count = absent;
}

typedef struct Merge {
    Run *run;
    Names *names;  // of the run's series, in their order
    Added *added;  // by id
    size_t added_count;
    struct ApartLosses {
        Series *items;
        size_t count, capacity;
    } apart;  // losses of processes that differ lastingly
    Arena *scratch;
} Merge;

static void merge_process(Merge *merge, const Process *process, Arena *arena, Notices *notices)
{
    Run *run = merge->run;
    for (size_t i = 0; i < process->run.series_count; i++) {
        Series series = process->run.series[i];
        if (is_per_rank(series.name)) {
            if (is_all_zero(&series))
                continue;
            series.name = str_printf(arena, STR_FMT ".rank%lld", STR_ARG(series.name),
                                     (long long)series.rank);
        }
        NameId id = names_find(merge->names, series.name);
        if (!id) {
            names_add(merge->names, series.name);
            add_series(run, series, arena);
            continue;
        }
        const Series *own = &run->series[id - 1];
        Added *added = &ARRAY_REACH(merge->scratch, merge->added, merge->added_count, id)[id];
        if (agrees_by_design(series.name))
            check_agreement(run, own, added, &series, arena, notices);
        else if (str_equal(series.name, STR("loss")) &&
                 check_loss_apart(own, added, &series, notices))
            *ARRAY_PUSH(merge->scratch, &merge->apart) = series;
        add_steps(own, added, &series, merge->scratch);
    }
}

static void end_merge(Merge *merge, Arena *arena)
{
    for (size_t id = 1; id < merge->added_count && id <= merge->run->series_count; id++)
        fill_steps(&merge->run->series[id - 1], &merge->added[id], arena);
    for (size_t i = 0; i < merge->apart.count; i++) {
        Series series = merge->apart.items[i];
        series.name = str_printf(arena, "loss.rank%lld", (long long)series.rank);
        add_series(merge->run, series, arena);
    }
    arena_release(merge->scratch);
}

static int compare_events(const void *a, const void *b)
{
    const Event *left = a, *right = b;
    if (left->step != right->step)
        return left->step < right->step ? -1 : 1;
    if (left->kind != right->kind)
        return (left->kind > right->kind) - (left->kind < right->kind);
    return (left->line > right->line) - (left->line < right->line);
}

// Which events are known, by step and kind.
static NameId event_id(Names *known, const Event *event, bool add)
{
    char key[sizeof event->step + sizeof event->kind];
    memcpy(key, &event->step, sizeof event->step);
    memcpy(key + sizeof event->step, &event->kind, sizeof event->kind);
    Str text = {key, sizeof key};
    return add ? names_add(known, text) : names_find(known, text);
}

static Names *known_events(const Events *events, Arena *arena)
{
    Names *known = names_new(arena);
    for (size_t i = 0; i < events->count; i++)
        event_id(known, &events->items[i], true);
    return known;
}

// Of events that every process prints, one process is enough.
static void merge_events(Run *run, const Events *events, Names *known, Arena *arena)
{
    size_t own = run->events.count;
    for (size_t i = 0; i < events->count; i++)
        if (!event_id(known, &events->items[i], false))
            *ARRAY_PUSH(arena, &run->events) = events->items[i];
    for (size_t i = own; i < run->events.count; i++)
        event_id(known, &run->events.items[i], true);
}

// One line printed by several ranks into one file (an overflow) counts once: of equal steps and
// kinds those of the rank that comes first stay.
static void drop_other_ranks(Events *events)
{
    size_t kept = 0;
    for (size_t i = 0; i < events->count; i++) {
        Event event = events->items[i];
        const Event *before = kept ? &events->items[kept - 1] : NULL;
        if (!before || before->step != event.step || before->kind != event.kind ||
            before->rank == event.rank)
            events->items[kept++] = event;
    }
    events->count = kept;
}

static void list_files(Run *run, Part *const *parts, size_t count, Arena *arena)
{
    run->files = ARENA_ARRAY(arena, const char *, count);
    for (size_t i = 0; i < count; i++)  // parts of one file stand together
        if (run->file_count == 0 || run->files[run->file_count - 1] != parts[i]->path)
            run->files[run->file_count++] = parts[i]->path;
}

static void name_per_rank(Run *run, Arena *arena)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->series_count; i++) {
        Series series = run->series[i];
        if (is_per_rank(series.name) && is_all_zero(&series))
            continue;
        if (is_per_rank(series.name))
            series.name = str_printf(arena, STR_FMT ".rank%lld", STR_ARG(series.name),
                                     (long long)series.rank);
        run->series[kept++] = series;
    }
    run->series_count = kept;
}

void join_run(Part *const *parts, size_t count, Arena *arena, Run *out, Notices *notices)
{
    Processes processes = {0};
    find_processes(parts, count, arena, &processes);
    drop_placeholders(&processes, notices);
    size_t first = main_process(&processes);
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a process
    *out = processes.items[first].run;
    out->format = processes.items[first].parts[0]->format;
    out->x_unit = processes.items[first].parts[0]->x_unit;
    out->is_numbered = processes.items[first].parts[0]->is_numbered;
    for (size_t i = 0; i < count; i++)
        out->tells_skips = out->tells_skips || parts[i]->tells_skips;
    int64_t *ranks = ARENA_ARRAY(arena, int64_t, processes.count);
    for (; out->rank_count < processes.count; out->rank_count++)
        ranks[out->rank_count] = processes.items[out->rank_count].rank;
    out->ranks = ranks;
    if (processes.count > 1)
        name_per_rank(out, arena);
    Names *known = known_events(&out->events, arena);
    Merge merge = {.run = out, .names = names_new(arena), .scratch = arena_new()};
    for (size_t i = 0; i < out->series_count; i++)
        names_add(merge.names, out->series[i].name);
    for (size_t p = 0; p < processes.count; p++) {
        const Run *other = &processes.items[p].run;
        if (p == first)
            continue;
        merge_process(&merge, &processes.items[p], arena, notices);
        merge_events(out, &other->events, known, arena);
        for (size_t i = 0; i < other->norms.count; i++)
            *ARRAY_PUSH(arena, &out->norms) = other->norms.items[i];
        out->times = out->times.count ? out->times : other->times;
        out->steps_per_epoch = out->steps_per_epoch ? out->steps_per_epoch : other->steps_per_epoch;
    }
    end_merge(&merge, arena);
    if (out->events.count > 1)
        qsort(out->events.items, out->events.count, sizeof(Event), compare_events);
    drop_other_ranks(&out->events);
    list_files(out, parts, count, arena);
}

void join_view(Run *run, const Run *view, Arena *arena)
{
    for (size_t i = 0; i < view->series_count; i++)
        if (!run_series(run, str_cstr(arena, view->series[i].name)))
            add_series(run, view->series[i], arena);
    run->times = run->times.count ? run->times : view->times;
    const char **files = ARENA_ARRAY(arena, const char *, run->file_count + view->file_count);
    for (size_t i = 0; i < run->file_count + view->file_count; i++)
        files[i] = i < run->file_count ? run->files[i] : view->files[i - run->file_count];
    run->files = files;
    run->file_count += view->file_count;
    Names *known = known_events(&run->events, arena);
    merge_events(run, &view->events, known, arena);
    if (run->events.count > 1)
        qsort(run->events.items, run->events.count, sizeof(Event), compare_events);
    for (size_t i = 0; run->norms.count == 0 && i < view->norms.count; i++)
        *ARRAY_PUSH(arena, &run->norms) = view->norms.items[i];
}
