// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/monitor_task.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "read/monitor/inspect_log.h"

// Steps. 1: the rows are read once, in order of time. Every kept value goes to a log, every
// statistic through the monitor's rules. 2: the log is sorted by series. 3: within a series a later
// start replaces what earlier ones wrote from its first step on, and the last of equal steps wins.

// Rows with weak alarms alone that are reported one by one, beyond them only counted.
enum { WEAK_ROWS_MAX = 1000 };
// The decimals of a file are those of its first numbers; fewer than these prove nothing, and the
// monitor's own default is in. Too few decimals take rounding for equal values and hide an
// alarm, too many raise alarms of rounding.
enum { SAMPLE_NUMBERS = 200, FEW_NUMBERS = 50, USUAL_DECIMALS = 6 };

typedef struct LogEntry {
    uint32_t series;
    uint32_t visit;  // index into Reading.visits
    double value;
} LogEntry;

typedef struct Log {
    LogEntry *items;
    size_t count, capacity;
} Log;
typedef struct Visits {
    int64_t *items;
    size_t count, capacity;
} Visits;
typedef struct Starts {
    size_t *items;  // where in the log each start begins
    size_t count, capacity;
} Starts;

// A statistic of a file: which number of a row it is, and what it is used for.
typedef struct Channel {
    size_t value;
    uint32_t op;   // of the task
    bool counted;  // judged or kept: how coarse its numbers are is of interest
    bool counts_nans;
} Channel;

// The statistics that a row holds of one object. Legacy files have two objects in a row, its input
// and its output.
typedef struct Side {
    Str name;
    Channel channels[MONITOR_OPS_MAX];
    size_t channel_count;
    Channel kept[MONITOR_OPS_MAX];
    size_t kept_count;
} Side;

typedef struct Reading {
    Task *task;
    Arena *scratch;
    Names *keys;  // one an object
    Log log;
    Visits visits;
    Starts starts;
    StrBuf key;
    uint32_t last_object;  // + 1
    bool in_step;
    int64_t step;  // of the row at hand
    uint32_t row_in_step;
    size_t start;
    size_t weak_rows;
    int decimals;
    size_t numbers;
    bool kept[MONITOR_OPS_MAX];    // by task op
    bool judged[MONITOR_OPS_MAX];  // norm and mean: their turbulence is reported
    size_t nans_op;                // or SIZE_MAX
    bool row_has_nan;              // one of the statistics is it, so the count of them adds nothing
    MsprobeAlarmCalm calm;
    Side sides[2];
    size_t side_count;
    uint64_t file_mark;  // + MonitorRow.known: a name of the file at hand
} Reading;

// ---- statistics

static size_t task_op(Reading *reading, Str name)
{
    Task *task = reading->task;
    NameId id = names_add(task->names, name);
    for (size_t i = 0; i < task->op_count; i++)
        if (task->ops[i] == id)
            return i;
    if (task->op_count == MONITOR_OPS_MAX)
        return SIZE_MAX;
    size_t op = task->op_count++;
    task->ops[op] = id;
    reading->judged[op] = str_equal(name, STR("norm")) || str_equal(name, STR("mean"));
    if (str_equal(name, STR("nans")))
        reading->nans_op = op;
    return op;
}

static bool is_count(Str op)
{
    return str_equal(op, STR("nans")) || str_equal(op, STR("zeros"));
}

// Logs of statistics have no hook of their own: a log without a norm is one of metrics.
static bool has_metrics(const MonitorRows *rows)
{
    const MonitorTypeInfo *info = monitor_type_info(rows->file->kind);
    bool norm = false;
    for (size_t i = 0; i < rows->op_count; i++)
        norm = norm || str_equal(rows->ops[i].name, STR("norm"));
    return info->hook && str_equal(rows->file->kind, str_of(info->name)) &&
           !(norm && str_equal(rows->file->kind, STR(INSPECT_KIND)));
}

// Which statistics of a file become series.
static void choose_kept(Reading *reading, const MonitorRows *rows, const size_t *op_of)
{
    bool hook = has_metrics(rows);
    Str stat = reading->task->select->stat;
    Str wanted = stat.size ? stat : STR("norm");
    bool found = false;
    for (size_t i = 0; i < rows->op_count; i++) {
        if (op_of[i] == SIZE_MAX)
            continue;
        bool keep = str_equal(rows->ops[i].name, wanted) || (hook && stat.size == 0) ||
                    reading->task->select->all_stats;
        reading->kept[op_of[i]] = reading->kept[op_of[i]] || keep;
        found = found || keep;
    }
    for (size_t i = 0; i < rows->op_count && !found && stat.size == 0; i++)
        if (op_of[i] != SIZE_MAX && !is_count(rows->ops[i].name))
            reading->kept[op_of[i]] = true;
}

// ---- objects

static bool is_object(const Reading *reading, TaskObject *object, const MonitorRow *row, Str side)
{
    if (object->stage != row->stage || object->micro != row->micro ||
        !str_equal(object->raw_scope, row->scope) || !str_equal(object->raw_side, side))
        return false;
    uint64_t known = reading->file_mark + row->known;
    if (row->known && object->known == known)
        return true;
    if (!str_equal(object->raw_name, row->name))
        return false;
    object->known = row->known ? known : 0;
    return true;
}

static uint32_t add_object(Reading *reading, const MonitorRow *row, Str side)
{
    Task *task = reading->task;
    Str name = row->name;
    if (side.size)
        name = str_printf(reading->scratch, STR_FMT "." STR_FMT, STR_ARG(name), STR_ARG(side));
    TaskObject object = {
        .type = names_add(task->names, monitor_type_of(task->files[0].kind, row->scope)),
        .name = names_add(task->names, name),
        .stage = row->stage,
        .micro = row->micro,
        .last_step = INT64_MIN,
        .start = reading->start,
        .call = reading->row_in_step,
        .raw_name = str_copy(reading->scratch, row->name),
        .raw_scope = str_copy(reading->scratch, row->scope),
        .raw_side = side,
    };
    *ARRAY_PUSH(reading->scratch, &task->objects) = object;
    return (uint32_t)(task->objects.count - 1);
}

static uint32_t find_object(Reading *reading, const MonitorRow *row, Str side)
{
    Task *task = reading->task;
    TaskObject *objects = task->objects.items;
    uint32_t guess = reading->last_object ? objects[reading->last_object - 1].next : 0;
    uint32_t index;
    if (guess && is_object(reading, &objects[guess - 1], row, side)) {
        index = guess - 1;
    } else {
        reading->key.size = 0;
        strbuf_printf(&reading->key, "%lld:%lld:", (long long)row->stage, (long long)row->micro);
        strbuf_add(&reading->key, row->scope);
        strbuf_add_char(&reading->key, '\x1f');
        strbuf_add(&reading->key, side);
        strbuf_add_char(&reading->key, '\x1f');
        strbuf_add(&reading->key, row->name);
        index = names_add(reading->keys, strbuf_str(&reading->key)) - 1;
        if (index == task->objects.count)
            add_object(reading, row, side);
        objects = task->objects.items;
        if (reading->last_object)
            objects[reading->last_object - 1].next = index + 1;
    }
    reading->last_object = index + 1;
    return index;
}

// Room for the statistics that the files have by now, and series for those that are kept.
static void extend_object(Reading *reading, uint32_t index)
{
    Task *task = reading->task;
    TaskObject *object = &task->objects.items[index];
    size_t old = object->state_count, count = task->op_count;
    object->states = arena_grow(reading->scratch, object->states, old * sizeof *object->states,
                                count * sizeof *object->states);
    object->series = arena_grow(reading->scratch, object->series, old * sizeof *object->series,
                                count * sizeof *object->series);
    object->state_count = count;
}

static uint32_t series_of(Reading *reading, uint32_t index, size_t op)
{
    Task *task = reading->task;
    TaskObject *object = &task->objects.items[index];
    if (!object->series[op]) {
        *ARRAY_PUSH(reading->scratch, &task->series) =
            (TaskSeries){.object = index, .op = task->ops[op], .op_index = (uint32_t)op};
        object->series[op] = (uint32_t)task->series.count;
    }
    return object->series[op] - 1;
}

// ---- rows

static void reset_history(TaskObject *object)
{
    for (size_t i = 0; i < object->state_count; i++)
        object->states[i].seen = 0;
}

static bool hit_is_weak(const Reading *reading, const TaskHit *hit)
{
    Str op = names_text(reading->task->names, reading->task->ops[hit->op]);
    return hit->rule == ALARM_TURBULENCE && !str_equal(op, STR("norm"));
}

// Alarms of the mean alone come by the hundred thousand: past a limit they are only counted.
static void limit_weak(Reading *reading, size_t from)
{
    TaskHits *hits = &reading->task->hits;
    for (size_t i = from; i < hits->count; i++)
        if (!hit_is_weak(reading, &hits->items[i]))
            return;
    if (from == hits->count || reading->weak_rows++ < WEAK_ROWS_MAX)
        return;
    const TaskHit *first = &hits->items[from];
    reading->task->objects.items[first->object].states[first->op].left_out++;
    hits->count = from;
}

static void judge_value(Reading *reading, uint32_t index, size_t op, int64_t step, double value,
                        bool wanted)
{
    Task *task = reading->task;
    MsprobeAlarmState *state = &task->objects.items[index].states[op];
    OriginalHit hit;
    bool fires = msprobe_alarm_step(task->rules, state, value, reading->judged[op], &hit);
    reading->row_has_nan = reading->row_has_nan || isnan(value);
    if (!fires && op == reading->nans_op && value > 0 && !reading->row_has_nan) {
        fires = true;
        hit = (OriginalHit){ALARM_DRIFT, 0};
    }
    if (fires && wanted)
        *ARRAY_PUSH(reading->scratch, &task->hits) = (TaskHit){.object = index,
                                                               .op = (uint32_t)op,
                                                               .row = (uint32_t)reading->log.count,
                                                               .rule = hit.rule,
                                                               .step = step,
                                                               .value = value,
                                                               .history = hit.history};
}

static void log_value(Reading *reading, uint32_t index, size_t op, double value)
{
    Log *log = &reading->log;
    if (log->count == log->capacity)
        array_reserve(reading->scratch, (void **)&log->items, log->count, &log->capacity,
                      sizeof *log->items);
    log->items[log->count++] = (LogEntry){.series = series_of(reading, index, op),
                                          .visit = (uint32_t)(reading->visits.count - 1),
                                          .value = value};
}

// False if the row holds no number.
static bool judge_row(Reading *reading, const MonitorRow *row, const Side *side, uint32_t index,
                      bool wanted)
{
    Task *task = reading->task;
    MsprobeAlarmState *states = task->objects.items[index].states;
    size_t hits_before = task->hits.count;
    bool told = false;
    reading->row_has_nan = false;
    for (size_t i = 0; i < side->channel_count; i++) {
        const Channel *channel = &side->channels[i];
        double value = row->values[channel->value];
        if (monitor_is_absent(value)) {
            task->empty_cells++;
            continue;
        }
        told = true;
        MsprobeAlarmState *state = &states[channel->op];
        if (channel->counted)
            msprobe_alarm_count(state, value, task->unit);
        bool some_nans = channel->counts_nans && value > 0;
        if (some_nans || !msprobe_alarm_step_calm(&reading->calm, state, value))
            judge_value(reading, index, channel->op, row->step, value, wanted);
    }
    if (task->hits.count > hits_before)
        limit_weak(reading, hits_before);
    return told;
}

static bool take_side(Reading *reading, const MonitorRow *row, const Side *side)
{
    Task *task = reading->task;
    uint32_t index = find_object(reading, row, side->name);
    if (task->objects.items[index].state_count < task->op_count)
        extend_object(reading, index);
    TaskObject *object = &task->objects.items[index];
    if (object->start != reading->start || row->step < object->last_step)
        reset_history(object);
    object->start = reading->start;
    object->last_step = row->step;
    bool wanted = number_list_has(task->select->steps, row->step);
    bool told = judge_row(reading, row, side, index, wanted);
    for (size_t i = 0; i < side->kept_count && wanted; i++) {
        double value = row->values[side->kept[i].value];
        if (!monitor_is_absent(value))
            log_value(reading, index, side->kept[i].op, value);
    }
    return told;
}

static void add_channels(const Reading *reading, const MonitorRows *rows, const size_t *op_of,
                         Side *side)
{
    for (size_t i = 0; i < rows->op_count; i++) {
        size_t op = op_of[i];
        if (op == SIZE_MAX || (side->name.size && !str_equal(rows->ops[i].side, side->name)))
            continue;
        Channel channel = {.value = i,
                           .op = (uint32_t)op,
                           .counted = reading->judged[op] || reading->kept[op],
                           .counts_nans = op == reading->nans_op};
        side->channels[side->channel_count++] = channel;
        if (reading->kept[op])
            side->kept[side->kept_count++] = channel;
    }
}

static void choose_sides(Reading *reading, const MonitorRows *rows, const size_t *op_of)
{
    static const char *const names[] = {"input", "output"};
    bool two_sides = false;
    for (size_t i = 0; i < rows->op_count; i++)
        two_sides = two_sides || rows->ops[i].side.size;
    reading->side_count = two_sides ? 2 : 1;
    for (size_t s = 0; s < reading->side_count; s++) {
        Side *side = &reading->sides[s];
        side->name = two_sides ? str_of(names[s]) : STR("");
        side->channel_count = side->kept_count = 0;
        add_channels(reading, rows, op_of, side);
    }
}

static void visit_step(Reading *reading, int64_t step)
{
    reading->row_in_step++;
    if (reading->in_step && reading->step == step)
        return;
    reading->in_step = true;
    reading->step = step;
    reading->row_in_step = 0;
    if (number_list_has(reading->task->select->steps, step))
        *ARRAY_PUSH(reading->scratch, &reading->visits) = step;
}

static void take_rows(Reading *reading, MonitorRows *rows)
{
    MonitorRow row;
    while (monitor_rows_next(rows, &row)) {
        if (row.scope.size &&
            !monitor_select_takes(reading->task->select,
                                  monitor_type_of(reading->task->files[0].kind, row.scope)))
            continue;
        visit_step(reading, row.step);
        bool told = false;
        for (size_t s = 0; s < reading->side_count; s++)
            told = take_side(reading, &row, &reading->sides[s]) || told;
        bool wanted = number_list_has(reading->task->select->steps, row.step);
        reading->task->taken += wanted;
        reading->task->untold += wanted && !told;
    }
}

// Monitors round to a fixed number of decimals: that of the longest number among many, else what
// the configuration tells.
static void learn_unit(Reading *reading, MonitorRows *rows)
{
    Task *task = reading->task;
    if (reading->numbers >= SAMPLE_NUMBERS)
        return;
    int decimals = monitor_rows_decimals(rows, &reading->numbers);
    reading->decimals = decimals > reading->decimals ? decimals : reading->decimals;
    decimals = reading->decimals;
    int usual = task->rules->decimals >= 0 ? task->rules->decimals : USUAL_DECIMALS;
    if (reading->numbers < FEW_NUMBERS && decimals < usual)
        decimals = usual;  // a few short numbers prove nothing
    bool rounded = rows->generation != MONITOR_SECOND && decimals <= 20;
    task->unit = rounded ? pow(10, -decimals) : 0;
}

static void read_file(Reading *reading, const MonitorFile *file)
{
    Task *task = reading->task;
    Arena *arena = arena_new();
    MonitorRows *rows = ARENA_NEW(arena, MonitorRows);
    Error err;
    if (!monitor_rows_open(rows, file, arena, &err)) {
        notices_add_error(&task->notices, &err);
        arena_release(arena);
        return;
    }
    size_t op_of[MONITOR_OPS_MAX];
    for (size_t i = 0; i < rows->op_count; i++)
        op_of[i] = task_op(reading, rows->ops[i].name);
    choose_kept(reading, rows, op_of);
    choose_sides(reading, rows, op_of);
    learn_unit(reading, rows);
    reading->file_mark += MONITOR_KNOWN_MAX;
    take_rows(reading, rows);
    monitor_rows_close(rows, &task->notices);
    task->row_count += rows->row_count;
    task->byte_count += rows->byte_count;
    task->file_count++;
    arena_release(arena);
}

// ---- steps and series

static int compare_steps(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// The distinct steps, and for every visit its index among them.
static uint32_t *sort_steps(Reading *reading)
{
    Task *task = reading->task;
    const Visits *visits = &reading->visits;
    int64_t *steps = ARENA_ARRAY(task->arena, int64_t, visits->count + 1);
    if (visits->count) {
        memcpy(steps, visits->items, visits->count * sizeof *steps);
        qsort(steps, visits->count, sizeof *steps, compare_steps);
    }
    size_t count = 0;
    for (size_t i = 0; i < visits->count; i++)
        if (count == 0 || steps[count - 1] != steps[i])
            steps[count++] = steps[i];
    task->steps = steps;
    task->step_count = count;
    uint32_t *index_of = ARENA_ARRAY(reading->scratch, uint32_t, visits->count + 1);
    for (size_t i = 0; i < visits->count; i++) {
        const int64_t *found =
            bsearch(&visits->items[i], steps, count, sizeof *steps, compare_steps);
        index_of[i] = (uint32_t)(found - steps);
    }
    return index_of;
}

// A point on its way: which start and which log entry it came from.
typedef struct Candidate {
    MonitorPoint point;
    uint32_t entry, start;
} Candidate;

static int compare_candidates(const void *left, const void *right)
{
    const Candidate *a = left, *b = right;
    if (a->point.step != b->point.step)
        return a->point.step < b->point.step ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

static void note_overlap(Task *task, uint32_t step)
{
    int64_t number = task->steps[step];
    if (!task->overlap || number < task->overlap_first)
        task->overlap_first = number;
    if (!task->overlap || number > task->overlap_last)
        task->overlap_last = number;
    task->overlap = true;
}

// Drops what a later start replaces. `dropped` marks log entries.
static size_t drop_replaced(Task *task, Candidate *all, size_t count, bool *dropped)
{
    size_t kept = count;
    uint32_t cut = UINT32_MAX, first = UINT32_MAX;  // first step of later starts, of this one
    uint32_t reach = 0, last = 0;                   // last step of later starts, of this one
    for (size_t i = count; i-- > 0;) {              // from the last start to the first
        if (i + 1 < count && all[i].start != all[i + 1].start) {
            cut = first < cut ? first : cut;
            reach = last > reach ? last : reach;
            first = UINT32_MAX;
        }
        first = all[i].point.step < first ? all[i].point.step : first;
        last = all[i].point.step > last ? all[i].point.step : last;
        if (all[i].point.step < cut) {
            all[--kept] = all[i];
        } else {
            dropped[all[i].entry] = true;
            task->replaced_points++;
            if (all[i].point.step <= reach)
                note_overlap(task, all[i].point.step);
        }
    }
    memmove(all, all + kept, (count - kept) * sizeof *all);
    return count - kept;
}

static size_t drop_repeated(Task *task, Candidate *all, size_t count, bool *dropped)
{
    size_t kept = 0;
    qsort(all, count, sizeof *all, compare_candidates);
    for (size_t i = 0; i < count; i++) {
        if (kept && all[kept - 1].point.step == all[i].point.step) {
            dropped[all[kept - 1].entry] = true;
            task->replaced_points++;
            note_overlap(task, all[i].point.step);
            all[kept - 1] = all[i];
        } else {
            all[kept++] = all[i];
        }
    }
    return kept;
}

static bool in_order(const Candidate *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (all[i].point.step <= all[i - 1].point.step)
            return false;
    return true;
}

static uint32_t start_of_entry(const Starts *starts, size_t entry)
{
    uint32_t start = 0;
    while (start + 1 < starts->count && starts->items[start + 1] <= entry)
        start++;
    return start;
}

// The log entries of each series one after the other: order[offset[s]] … order[offset[s + 1] - 1].
static uint32_t *sort_log(Reading *reading, size_t *offset)
{
    const Log *log = &reading->log;
    size_t series_count = reading->task->series.count;
    uint32_t *order = ARENA_ARRAY(reading->scratch, uint32_t, log->count + 1);
    for (size_t i = 0; i < log->count; i++)
        offset[log->items[i].series + 1]++;
    for (size_t s = 0; s < series_count; s++)
        offset[s + 1] += offset[s];
    size_t *at = ARENA_ARRAY(reading->scratch, size_t, series_count + 1);
    memcpy(at, offset, (series_count + 1) * sizeof *at);
    for (size_t i = 0; i < log->count; i++)
        order[at[log->items[i].series]++] = (uint32_t)i;
    return order;
}

static size_t longest(const size_t *offset, size_t count)
{
    size_t most = 0;
    for (size_t s = 0; s < count; s++)
        most = offset[s + 1] - offset[s] > most ? offset[s + 1] - offset[s] : most;
    return most;
}

static void make_series(Reading *reading)
{
    Task *task = reading->task;
    size_t series_count = task->series.count;
    uint32_t *index_of = sort_steps(reading);
    size_t *offset = ARENA_ARRAY(reading->scratch, size_t, series_count + 2);
    uint32_t *order = sort_log(reading, offset);
    bool *dropped = ARENA_ARRAY(reading->scratch, bool, reading->log.count + 1);
    Candidate *all = ARENA_ARRAY(reading->scratch, Candidate, longest(offset, series_count) + 1);
    for (size_t s = 0; s < series_count; s++) {
        size_t count = offset[s + 1] - offset[s];
        for (size_t i = 0; i < count; i++) {
            uint32_t entry = order[offset[s] + i];
            assert(reading->log.items);
            const LogEntry *from = &reading->log.items[entry];
            all[i] = (Candidate){{index_of[from->visit], from->value},
                                 entry,
                                 start_of_entry(&reading->starts, entry)};
        }
        if (!in_order(all, count)) {
            count = drop_replaced(task, all, count, dropped);
            count = drop_repeated(task, all, count, dropped);
        }
        TaskSeries *series = &task->series.items[s];
        series->points = ARENA_ARRAY(task->arena, MonitorPoint, count);
        series->count = count;
        for (size_t i = 0; i < count; i++)
            series->points[i] = all[i].point;
    }
    for (size_t i = 0; i < task->hits.count; i++)
        task->hits.items[i].dropped =
            task->hits.items[i].row < reading->log.count && dropped[task->hits.items[i].row];
}

// What the scan goes on using moves out of the scratch memory.
static void *moved(Arena *arena, const void *items, size_t count, size_t size)
{
    void *copy = arena_array(arena, count, size);
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

static void keep_results(Task *task)
{
    Arena *arena = task->arena;
    task->objects.items =
        moved(arena, task->objects.items, task->objects.count, sizeof *task->objects.items);
    task->series.items =
        moved(arena, task->series.items, task->series.count, sizeof *task->series.items);
    task->hits.items = moved(arena, task->hits.items, task->hits.count, sizeof *task->hits.items);
    for (size_t i = 0; i < task->objects.count; i++) {
        TaskObject *object = &task->objects.items[i];
        object->states = moved(arena, object->states, object->state_count, sizeof *object->states);
        object->series = NULL;
        object->raw_name = object->raw_scope = object->raw_side = STR("");
    }
}

void task_run(Task *task)
{
    Reading reading = {.task = task, .scratch = arena_new(), .nans_op = SIZE_MAX};
    reading.calm = msprobe_alarm_calm(task->rules);
    reading.keys = names_new(reading.scratch);
    reading.key = strbuf_new(reading.scratch);
    for (size_t i = 0; i < task->given_count; i++) {
        const MonitorFile *file = &task->files[i];
        if (i == 0 || file->start != task->files[i - 1].start) {
            *ARRAY_PUSH(reading.scratch, &reading.starts) = reading.log.count;
            reading.start = i;
        }
        read_file(&reading, file);
    }
    make_series(&reading);
    keep_results(task);
    arena_release(reading.scratch);
}
