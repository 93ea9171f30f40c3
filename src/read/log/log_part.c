// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_part.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/words.h"
#include "read/log/series_name.h"

// A log with more series than this prints names that are no series, such as numbered objects.
enum { SERIES_MAX = 4096, EVENT_TEXT_MAX = 200, AGAIN_MAX = 64 };

// The records of one kind so far: a core series that comes late was absent in all of them.
typedef struct PartKind {
    int kind;
    int64_t *xs;
    size_t count, capacity;
    uint32_t *expected;  // indices of core series
    size_t expected_count, expected_capacity;
} PartKind;

// What a printed name stood for the last time, without looking it up again.
typedef struct PartMemo {
    Str printed;
    bool is_loss, maybe_loss;  // a plain loss; an lm_loss
    bool is_time;
    int64_t series[2];  // index without and with a plain loss next to it; -1: none, -2: unknown
    int64_t further;    // index of its own where another of the record has that name; -2: unknown
    double factor[2];
    uint64_t record;     // the last one that has it as a member of an object,
    uint32_t container;  // of which one,
    size_t field;        // and at which place
} PartMemo;

const char *event_kind_text(EventKind kind)
{
    static const char *const texts[EVENT_KIND_COUNT] = {
        [EVENT_SKIP] = "skip",
        [EVENT_OVERFLOW] = "overflow",
        [EVENT_NAN] = "nan",
        [EVENT_ABORT] = "abort",
        [EVENT_CHECKPOINT] = "checkpoint",
        [EVENT_CHECKPOINT_UNHEALTHY] = "checkpoint-unhealthy",
        [EVENT_RESTART] = "restart",
        [EVENT_EVAL] = "eval",
        [EVENT_ALARM] = "alarm",
        [EVENT_ERROR] = "error",
    };
    return texts[kind];
}

Part *part_new(Parts *parts, const char *path, int64_t rank, const char *format, Arena *arena)
{
    Part *part = ARENA_NEW(arena, Part);
    *part = (Part){.arena = arena,
                   .parts = parts,
                   .path = path,
                   .rank = rank,
                   .format = format,
                   .x_unit = "step",
                   .start_time = NAN,
                   .last_step = INT64_MIN,
                   .skip_threshold = NAN};
    part->memo_names = names_new(arena);
    part->own_names = names_new(arena);
    *ARRAY_PUSH(arena, parts) = part;
    return part;
}

void part_begin(Part *part, int64_t x, int kind, uint64_t line)
{
    part->last_step = x;
    part->kind = kind;
    part->line = line;
    part->time = NAN;
    part->field_count = 0;
    part->given = NULL;
    part->beside_loss = false;
    part->memo_next = 0;
    part->record++;
}

static size_t add_memo(Part *part, Str printed)
{
    array_reserve(part->arena, (void **)&part->memos, part->memo_count, &part->memo_capacity,
                  sizeof *part->memos);
    SeriesName part_of_loss = series_name(printed, false, part->arena);
    SeriesName total = series_name(printed, true, part->arena);
    NameId id = names_add(part->memo_names, printed);
    part->memos[part->memo_count] = (PartMemo){
        .printed = names_text(part->memo_names, id),
        .is_loss = series_facts(printed).loss || series_facts(printed).total,
        .is_time = series_facts(printed).time,
        .maybe_loss = !str_equal(part_of_loss.canonical, total.canonical),
        .series = {-2, -2},
        .further = -2,
    };
    return part->memo_count++;
}

// Fields come in the same order in every record, so the next memo is nearly always the right one.
static size_t find_memo(Part *part, Str printed)
{
    size_t next = part->memo_next;
    if (next < part->memo_count && str_equal(part->memos[next].printed, printed))
        return next;
    NameId known = names_find(part->memo_names, printed);
    if (known)
        return known - 1;
    return part->memo_count < SERIES_MAX ? add_memo(part, printed) : SIZE_MAX;
}

void part_add_time(Part *part, double seconds)
{
    if (isnan(part->time) && fabs(seconds) < 1e12)
        part->time = seconds;
}

static void add_field(Part *part, Str printed, Figure figure, bool absent)
{
    size_t memo = part->field_count < SERIES_MAX ? find_memo(part, printed) : SIZE_MAX;
    if (memo == SIZE_MAX) {
        part->ignored_series++;
        return;
    }
    part->memo_next = memo + 1;
    part->beside_loss = part->beside_loss || part->memos[memo].is_loss;
    *ARRAY_ADD(part->arena, part->fields, part->field_count, part->field_capacity) =
        (PartField){memo, figure, absent, printed};
}

void part_add_member(Part *part, Str printed, uint32_t container, const Figure *figure)
{
    Figure value = figure ? *figure : (Figure){.value = point_absent()};
    size_t before = part->field_count;
    add_field(part, printed, value, !figure);
    if (part->field_count == before)
        return;
    PartField *added = &part->fields[before];
    PartMemo *memo = &part->memos[added->memo];
    bool again = memo->record == part->record && memo->container == container;
    if (again) {
        part->fields[memo->field] = *added;
        part->field_count = before;
        return;
    }
    memo->record = part->record;
    memo->container = container;
    memo->field = before;
}

void part_add_again(Part *part, const PartField *fields, size_t count, bool beside_loss)
{
    part->given = fields;
    part->field_count = count;
    part->beside_loss = beside_loss;
}

void part_add(Part *part, Str printed, Figure figure)
{
    add_field(part, printed, figure, false);
}

void part_add_absent(Part *part, Str printed)
{
    add_field(part, printed, (Figure){.value = point_absent()}, true);
}

PartSeries *part_find(const Part *part, const char *name)
{
    for (size_t i = 0; i < part->series_count; i++)
        if (str_equal(part->series[i].name, str_of(name)))
            return &part->series[i];
    return NULL;
}

bool part_knows(const Part *part, Str printed)
{
    NameId known = names_find(part->memo_names, printed);
    const PartMemo *memo = known ? &part->memos[known - 1] : NULL;
    int64_t index = !memo ? -1 : memo->series[0] >= 0 ? memo->series[0] : memo->series[1];
    return index >= 0 &&
           part->series[index].digits[0].count + part->series[index].digits[1].count > 0;
}

static int64_t series_index(Part *part, const SeriesName *name, Str printed)
{
    if (name->canonical.size == 0)
        return -1;
    NameId known = names_add(part->own_names, name->canonical);
    if (known <= part->series_count)
        return known - 1;
    array_reserve(part->arena, (void **)&part->series, part->series_count, &part->series_capacity,
                  sizeof *part->series);
    part->series[part->series_count] =
        (PartSeries){.name = name->canonical, .printed = printed, .core = name->core};
    return (int64_t)part->series_count++;
}

static int64_t memo_series(Part *part, PartMemo *memo, bool beside_loss)
{
    int which = beside_loss;
    if (memo->series[which] == -2) {
        SeriesName name = series_name(memo->printed, !beside_loss, part->arena);
        memo->series[which] = series_index(part, &name, memo->printed);
        memo->factor[which] = name.factor;
    }
    return memo->series[which];
}

// Of several losses of evaluations in one record each further one keeps its printed name, and that
// of a test does next to another evaluation.
static int64_t further_series(Part *part, PartMemo *memo, int64_t index)
{
    if (!str_equal(part->series[index].name, STR("eval_loss")) ||
        str_equal(part->series[index].printed, memo->printed))
        return -1;
    if (memo->further == -2) {
        SeriesName own = {memo->printed, 1, false};
        memo->further = series_index(part, &own, memo->printed);
    }
    return memo->further;
}

static bool is_test(Str printed)
{
    return str_equal_nocase(str_slice(printed, 0, 4), STR("test"));
}

static bool is_test_beside(const PartSeries *series, const PartMemo *memo)
{
    return is_test(series->printed) != is_test(memo->printed);
}

static PartKind *find_kind(Part *part)
{
    for (size_t i = 0; i < part->kind_count; i++)
        if (part->kinds[i].kind == part->kind)
            return &part->kinds[i];
    array_reserve(part->arena, (void **)&part->kinds, part->kind_count, &part->kind_capacity,
                  sizeof *part->kinds);
    part->kinds[part->kind_count] = (PartKind){.kind = part->kind};
    return &part->kinds[part->kind_count++];
}

enum { FORESEEN = 1024, LEAP_MAX = 256 };

// Room for as many items as the rest of the file will bring if it goes on as it began: an array
// that is made once is neither moved nor larger than it must be.
static size_t foreseen(const Part *part, size_t count)
{
    const Parts *parts = part->parts;
    double share = (double)parts->bytes_all / (double)(parts->bytes_read + 1);
    size_t wanted = (size_t)((double)count * fmin(share, LEAP_MAX)) + count / 16;
    return count >= FORESEEN && wanted > count ? wanted : count < 4 ? 8 : 2 * count;
}

static void move_steps(Points *points, const int64_t *old, int64_t *fresh)
{
    if (points->shares_x && points->items.x == old)
        points->items.x = fresh;
}

// Room for the step of the open record; whoever shares the column follows it.
static void reserve_step(Part *part, PartKind *kind)
{
    if (kind->count < kind->capacity)
        return;
    size_t capacity = foreseen(part, kind->count);
    int64_t *old = kind->xs;
    kind->xs =
        arena_grow_bare(part->arena, old, kind->capacity * sizeof *old, capacity * sizeof *old);
    kind->capacity = capacity;
    for (size_t i = 0; i < part->series_count; i++)
        move_steps(&part->series[i].points, old, kind->xs);
    move_steps(&part->times, old, kind->xs);
}

// A series that every record of one kind has shares its steps with the others of that kind, whose
// last step is written when the record ends.
static void add_point(Part *part, const PartKind *kind, Points *points, double value)
{
    size_t count = points->count;
    bool shares = kind && count == kind->count &&
                  (count == 0 || (points->shares_x && points->items.x == kind->xs));
    if (shares) {
        points->shares_x = true;
        points->items.x = kind->xs;
        if (count == points->capacity) {
            points->capacity = foreseen(part, count);
            points->items.value =
                arena_grow_bare(part->arena, points->items.value, count * sizeof(double),
                                points->capacity * sizeof(double));
        }
        points->items.value[points->count++] = value;
        return;
    }
    if (count == points->capacity || points->shares_x)
        points_grow(part->arena, points, foreseen(part, count));
    point_put(points->items, points->count++, (Point){part->last_step, value});
}

static void push_point(Part *part, const PartKind *kind, PartSeries *series, double value)
{
    series->record = part->record;
    add_point(part, kind, &series->points, value);
}

static inline bool is_awaited(const PartSeries *series, const PartKind *kind)
{
    return series->awaited >> kind->kind & 1;
}

// Records are expected to have so many series that they have from the first one on, and so many in
// all: where each names others, these are none that a record does not have.
enum { EXPECTED_AT_FIRST = 256, EXPECTED_LATER = 64 };

static void expect(Part *part, PartKind *kind, int64_t index)
{
    PartSeries *series = &part->series[index];
    if (is_awaited(series, kind) ||
        kind->expected_count >= (kind->count ? EXPECTED_LATER : EXPECTED_AT_FIRST))
        return;
    series->awaited |= UINT64_C(1) << kind->kind;
    *ARRAY_ADD(part->arena, kind->expected, kind->expected_count, kind->expected_capacity) =
        (uint32_t)index;
    if (series->points.count)
        return;
    series->points = (Points){.items = {kind->xs, ARENA_ARRAY(part->arena, double, kind->capacity)},
                              .count = kind->count,
                              .capacity = kind->capacity,
                              .shares_x = true};
    for (size_t i = 0; i < kind->count; i++)
        series->points.items.value[i] = point_absent();
}

static inline void note_digits(PartSeries *series, const Figure *figure)
{
    PartDigits *digits = &series->digits[figure->exponent];
    if (!isfinite(figure->value))
        return;
    digits->count++;
    digits->most = figure->decimals > digits->most ? figure->decimals : digits->most;
}

static bool has_exponents(const PartSeries *series)
{
    return series->digits[true].count > 0;
}

// A record before gave the series a value at this step.
static bool has_value_here(const Part *part, const PartSeries *series)
{
    if (series->points.count == 0)
        return false;
    size_t last = series->points.count - 1;
    return series->points.items.x[last] == part->last_step &&
           !point_is_absent(series->points.items.value[last]);
}

// The same value at the same step with more digits takes the place of the shorter one, once.
static bool refine_value(const Part *part, PartSeries *series, const Figure *figure, double factor)
{
    if (has_exponents(series) || figure->value == 0 || series->refined == series->points.count)
        return false;
    double *last = &series->points.items.value[series->points.count - 1];
    double value = figure->value * factor;
    double coarse =
        figure_resolution((Figure){.value = *last, .decimals = series->digits[false].most});
    if (!(figure_resolution(*figure) < coarse) || !(fabs(value - *last) <= 1.01 * coarse))
        return false;
    *last = value;
    series->record = part->record;
    series->refined = series->points.count;
    return true;
}

void apart_add(Apart *apart, double value, double other)
{
    bool numbers = isfinite(value) && isfinite(other);
    apart->count++;
    apart->not_numbers += !numbers;
    if (!numbers)
        return;
    apart->sum += other - value;
    apart->squares += (other - value) * (other - value);
    apart->level += fabs(value);
}

// Of the values at the last step the first one, as far as it is looked for.
static double first_value_here(const Points *points)
{
    size_t at = points->count - 1, least = at > AGAIN_MAX ? at - AGAIN_MAX : 0;
    const int64_t *x = points->items.x;
    const double *values = points->items.value;
    while (at > least && x[at - 1] == x[at] && values[at - 1] != 0 &&
           !point_is_absent(values[at - 1]))
        at--;
    return values[at];
}

// A value again at one step. 0 is no other value: stages without a loss print it.
static void note_again(Part *part, const PartSeries *series, const PartField *field, double value)
{
    double first = first_value_here(&series->points), own = field->figure.value;
    Figure seen = {.value = first, .decimals = series->digits[false].most};
    double unit = figure_resolution(field->figure);
    unit = has_exponents(series) ? unit : fmax(unit, figure_resolution(seen));
    bool numbers = isfinite(first) && isfinite(value);
    bool equal = first == value || (isnan(first) && isnan(value)) ||
                 (numbers && fabs(value - first) <= 1.01 * unit);
    if (series->core || !equal)
        part->again = part->record;
    if (!series->core || own == 0 || first == 0 || equal || part->differs == part->record)
        return;
    part->differs = part->record;
    if (part->apart.count == 0)
        part->differing_line = part->line;
    apart_add(&part->apart, first, value);
}

bool apart_lasts(const Apart *apart)
{
    double n = (double)(apart->count - apart->not_numbers);
    double mean = n > 0 ? apart->sum / n : 0;
    double variance = n > 0 ? fmax(apart->squares / n - mean * mean, 0) : 0;
    bool lasts =
        n >= 8 && fabs(mean) > 3 * sqrt(variance / n) && fabs(apart->sum) > 0.01 * apart->level;
    bool far = n >= 3 && fabs(apart->sum) > 0.5 * apart->level;
    return apart->not_numbers > 0 || lasts || far;
}

void apart_tell(const Apart *apart, Where where, Notices *notices)
{
    notices_partial(notices, where,
                    tr_count(apart->count,
                             "%llu record of a step again is lastingly apart from the first (%llu "
                             "next to NaN or Inf), and is not compared",
                             "%llu records of a step again are lastingly apart from the first "
                             "(%llu next to NaN or Inf), and are not compared"),
                    (unsigned long long)apart->count, (unsigned long long)apart->not_numbers);
}

// A second value of one series in one record loses: "loss" before "train_loss".
static bool store_field(Part *part, PartKind *kind, const PartField *field, bool beside_loss)
{
    PartMemo *memo = &part->memos[field->memo];
    if (memo->is_time) {
        if (!field->absent)
            part_add_time(part, field->figure.value);
        return false;
    }
    bool second = beside_loss && memo->maybe_loss;
    int64_t index = memo_series(part, memo, second);
    if (index < 0)
        return false;
    if (kind && part->series[index].core)
        expect(part, kind, index);
    if (part->series[index].record == part->record || is_test_beside(&part->series[index], memo))
        index = further_series(part, memo, index);
    if (index < 0 || part->series[index].record == part->record)
        return false;
    PartSeries *series = &part->series[index];
    double value = field->figure.value;
    bool again = !field->absent && has_value_here(part, series);
    if (again && refine_value(part, series, &field->figure, memo->factor[second]))
        return true;
    if (kind && again)
        note_again(part, series, field, value * memo->factor[second]);
    push_point(part, kind, series, field->absent ? value : value * memo->factor[second]);
    if (!field->absent)
        note_digits(series, &field->figure);
    return true;
}

// Most fields: a series that every record so far had gets the value of a new step. The same as
// store_field, of which nothing else holds then.
static inline bool store_next(Part *part, const PartKind *kind, const PartField *field)
{
    const PartMemo *memo = &part->memos[field->memo];
    bool second = part->beside_loss && memo->maybe_loss;
    int64_t index = memo->series[second];
    if (memo->is_time || index < 0 || field->absent)
        return false;
    PartSeries *series = &part->series[index];
    Points *points = &series->points;
    if (series->record == part->record || !points->shares_x || points->items.x != kind->xs ||
        points->count != kind->count || points->count == points->capacity ||
        (series->core && !is_awaited(series, kind)))
        return false;
    series->record = part->record;
    points->items.value[points->count++] = field->figure.value * memo->factor[second];
    note_digits(series, &field->figure);
    return true;
}

static bool store_fields(Part *part, PartKind *kind, const PartField *fields)
{
    bool any = false;
    bool rises = kind && kind->count && kind->xs[kind->count - 1] != part->last_step;
    for (size_t i = 0; i < part->field_count; i++) {
        bool next = rises && store_next(part, kind, &fields[i]);
        any = next || store_field(part, kind, &fields[i], part->beside_loss) || any;
    }
    return any;
}

static void close_kind(Part *part, PartKind *kind)
{
    if (part->again == part->record && part->repeated++ == 0)
        part->repeated_line = part->line;
    for (size_t i = 0; i < kind->expected_count; i++) {
        PartSeries *series = &part->series[kind->expected[i]];
        if (series->record != part->record)
            push_point(part, kind, series, point_absent());
    }
    kind->xs[kind->count++] = part->last_step;
}

bool part_end(Part *part)
{
    PartKind *kind = part->kind < 0 ? NULL : find_kind(part);
    const PartField *fields = part->given ? part->given : part->fields;
    if (kind)
        reserve_step(part, kind);
    bool any = store_fields(part, kind, fields);
    if (any && !isnan(part->time))
        add_point(part, kind, &part->times, part->time);
    if (kind && any)
        close_kind(part, kind);
    part->record_count += any;
    part->ended_count = part->field_count;
    part->field_count = 0;
    return any;
}

void part_add_late(Part *part, const char *name, Figure figure)
{
    if (part->last_step == INT64_MIN)
        return;
    SeriesName known = series_name(str_of(name), true, part->arena);
    int64_t index = series_index(part, &known, str_of(name));
    if (index < 0)
        return;
    push_point(part, NULL, &part->series[index], figure.value * known.factor);
    note_digits(&part->series[index], &figure);
}

void part_event(Part *part, EventKind kind, int64_t step, uint64_t count, uint64_t line, Str text)
{
    text = str_slice(str_trim(text), 0, EVENT_TEXT_MAX);
    *ARRAY_PUSH(part->arena, &part->events) = (Event){.step = step,
                                                      .kind = kind,
                                                      .rank = part->rank,
                                                      .count = count,
                                                      .text = str_copy(part->arena, text),
                                                      .file = part->path,
                                                      .line = line};
}
