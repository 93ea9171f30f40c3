// SPDX-License-Identifier: Apache-2.0
#include "read/log/record_object.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "read/known_rows.h"
#include "read/log/log_time.h"
#include "read/log/series_name.h"
#include "read/log/table_cell.h"

enum { KIND_TRAINING = 30, NO_STEP = 1000, DEPTH_MAX = 1000 };

// A number, or the number in front of the slash of "5/1000".
static bool step_of(const Literal *value, int64_t *out)
{
    if (value->kind == LITERAL_NUMBER) {
        if (!number_can_count(value->figure.value))
            return false;
        *out = (int64_t)value->figure.value;
        return true;
    }
    Scan scan = scan_of(value->text);
    return value->kind == LITERAL_TEXT && scan_int(&scan, out) &&
           (scan_done(&scan) || scan_char(&scan, '/'));
}

// [3] is a step, [1, 3] one in an epoch.
static void take_steps(LiteralReader *reader, RecordObject *out)
{
    Literal values[8];
    int64_t counts[2] = {0};
    size_t count = 0, given = literal_scalars(reader, values, sizeof values / sizeof *values);
    for (size_t i = 0; i < given && count < 2; i++)
        count += step_of(&values[i], &counts[count]);
    out->has_step = count > 0;
    out->step_text = out->epoch_text = NULL;
    out->step = count == 2 ? counts[1] : counts[0];
    out->has_epoch = out->has_epoch || count == 2;
    out->epoch = count == 2 ? counts[0] : out->epoch;
}

// "1/3" is the first of three.
static void note_epoch(RecordObject *record, const Literal *value)
{
    Figure figure = value->figure;
    Str text = value->text;
    if (value->kind != LITERAL_NUMBER &&
        !figure_of_text(str_slice(text, 0, str_find_char(text, '/', 0)), &figure))
        return;
    bool whole = figure.decimals == 0 && figure.value >= 0 && figure.value < RECORD_EPOCH_MAX;
    record->fractional += !whole;
    record->has_epoch = whole;
    record->epoch_text = figure.text;
    record->epoch = whole ? (int64_t)figure.value : 0;
}

static void classify(RecordObject *record, Str key, const NameFacts *facts)
{
    record->is_evaluation = record->is_evaluation || str_starts(key, STR("eval"));
    record->is_summary = record->is_summary || str_equal(key, STR("train_runtime"));
    record->is_training = record->is_training || facts->core;
    record->is_measured = record->is_measured || (facts->measure && !facts->rate);
}

// "cross_entropy", "mse": which loss it is; "N/A" and "none" are no loss.
static bool is_name_of_loss(Str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!is_letter(text.data[i]) && text.data[i] != '_')
            return false;
    return text.size > 1 && !STR_IN(text, "none", "None", "NA", "null");
}

enum { PATHS_MAX = 4, CONTAINERS_MAX = 16 };

// The members of an object as they are read.
typedef struct Members {
    RecordObject *out;
    Arena *arena;
    uint32_t depth;
    Str name;  // of the series whose value is in "value"
    int best;  // how good the step is that was found: of the outer object, then by its name
    Str paths[PATHS_MAX];       // names of containers that say what their members are of
    uint32_t begin[PATHS_MAX];  // the depth of what is in them
    size_t path_count;
    uint32_t inside[CONTAINERS_MAX], entered;  // containers by depth; deeper ones count as one
} Members;

static uint32_t *container_of(Members *members)
{
    return &members->inside[members->depth < CONTAINERS_MAX ? members->depth : CONTAINERS_MAX - 1];
}

static void go_in(Members *members)
{
    members->depth++;
    *container_of(members) = ++members->entered;
}

static void add_field(Members *members, Str key, const NameFacts *facts, const Literal *value)
{
    RecordObject *record = members->out;
    RecordField field = {
        .key = key, .figure = value->figure, .depth = members->depth, .place = record->count};
    field.container = *container_of(members);
    if (str_equal(key, STR("elapsed_time")) && duration_of_text(value->text, &record->elapsed)) {
        record->has_elapsed = true;
        return;
    }
    field.absent = value->kind == LITERAL_NULL;
    bool number =
        value->kind == LITERAL_NUMBER ||
        (value->kind == LITERAL_TEXT && table_cell_figure(value->text, false, &field.figure));
    if (!number && !field.absent) {
        record->names_loss = record->names_loss || (value->kind == LITERAL_TEXT && facts->loss &&
                                                    is_name_of_loss(value->text));
        return;
    }
    classify(record, key, facts);
    *ARRAY_PUSH(members->arena, record) = field;
}

static bool is_evaluation_wrapper(Str key)
{
    return series_facts(key).split && str_find_char(key, '_', 0) == SIZE_MAX;
}

static bool is_wrapper(Str key)
{
    return is_evaluation_wrapper(key) ||
           STR_IN(key, "data", "metrics", "train", "training", "info", "learner", "learner_stats",
                  "default_policy", "attributes", "extra", "metadata");
}

static void take_member(Members *members, Str key, const Literal *value)
{
    RecordObject *out = members->out;
    NameFacts facts = name_facts(out->names, key);
    int depth = members->depth < DEPTH_MAX ? (int)members->depth : DEPTH_MAX;
    int rank = depth * NO_STEP + facts.order;
    if (facts.step) {
        if (rank < members->best && step_of(value, &out->step)) {
            members->best = rank;
            out->step_text = value->kind == LITERAL_NUMBER ? value->figure.text : value->text.data;
        }
    } else if (value->kind == LITERAL_TEXT && series_facts(key).holds_name) {
        members->name = members->depth == 1 ? value->text : members->name;
    } else if (value->kind == LITERAL_TEXT && series_facts(key).holds_split) {
        out->is_all_evaluation |= series_facts(value->text).split;
    } else {
        if (str_equal_nocase(key, STR("epoch")) && !(members->depth > 1 && out->has_epoch))
            note_epoch(out, value);
        add_field(members, key, &facts, value);
    }
}

static bool is_setting(Str key)
{
    return key.size == 0 || key.data[0] == '_' || known_group_in("setting", key);
}

// Enters a container that is none of records but may hold what is measured: {"optim": {"lr": 0.1}}.
static bool enter_named(LiteralReader *reader, Members *members, Str key)
{
    size_t count = members->path_count;
    if (count == PATHS_MAX || is_setting(key) || series_facts(key).split ||
        !literal_enter(reader, '{'))
        return false;
    Str path = count ? members->paths[count - 1] : STR("");
    go_in(members);
    members->paths[count] = series_name_below(path, key, members->arena);
    members->begin[count] = members->depth;
    members->path_count = count + 1;
    return true;
}

// A member of such a container: of a summary, {"num": 64, "mean": 2.5, "std": 0.1}, the mean alone,
// and only what a curve is drawn of.
static void take_named(Members *members, Str key, const Literal *value)
{
    Str path = members->paths[members->path_count - 1];
    bool mean = STR_IN(key, "mean", "avg", "average", "value");
    Str name = mean ? path : series_name_below(path, key, members->arena);
    bool spread = STR_IN(key, "num", "count", "n", "std", "min", "max", "sum", "var", "median");
    NameFacts facts = name_facts(members->out->names, name);
    NameFacts own = name_facts(members->out->names, mean ? path : key);
    if (spread)
        return;
    if (facts.measure || facts.evaluation || facts.metric || (mean && facts.step))
        take_member(members, name, value);
    else if (own.core)
        take_member(members, key, value);
}

static bool is_value(Str key)
{
    return STR_IN(key, "value", "metricValue", "metric_value");
}

// [{"name": "loss", "value": 2.5}]
static void take_named_values(LiteralReader *reader, Members *members)
{
    literal_enter(reader, '[');
    while (literal_element(reader)) {
        Str key, name = STR("");
        Literal element = literal_value(reader), number = {.kind = LITERAL_OBJECT};
        if (element.kind == LITERAL_ARRAY)
            literal_skip(reader);
        if (element.kind != LITERAL_OBJECT || !literal_enter(reader, '{'))
            continue;
        while (literal_member(reader, &key)) {
            Literal value = literal_value(reader);
            if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY)
                literal_skip(reader);
            else if (value.kind == LITERAL_TEXT && series_facts(key).holds_name)
                name = value.text;
            else if (is_value(key))
                number = value;
        }
        if (name.size && number.kind != LITERAL_OBJECT)
            take_member(members, name, &number);
    }
}

static void read_members(LiteralReader *reader, Members *members)
{
    Str key;
    RecordObject *out = members->out;
    uint32_t evaluation = 0;  // the depth of the container of an evaluation
    members->depth = 1;
    while (members->depth > 0 && !reader->broken) {
        if (!literal_member(reader, &key)) {
            evaluation = evaluation == members->depth ? 0 : evaluation;
            size_t inner = members->path_count;
            members->path_count -= inner && members->begin[inner - 1] == members->depth;
            members->depth--;
            continue;
        }
        Literal value = literal_value(reader);
        bool named = members->path_count > 0;
        if (value.kind == LITERAL_OBJECT && !named && is_wrapper(key) &&
            literal_enter(reader, '{')) {
            go_in(members);
            if (evaluation == 0 && is_evaluation_wrapper(key))
                evaluation = members->depth;
        } else if (value.kind == LITERAL_ARRAY && !named && name_facts(out->names, key).step) {
            take_steps(reader, out);
        } else if (value.kind == LITERAL_ARRAY && !named && evaluation == 0 && is_wrapper(key) &&
                   !is_evaluation_wrapper(key)) {
            take_named_values(reader, members);
        } else if (value.kind == LITERAL_OBJECT && evaluation == 0 &&
                   enter_named(reader, members, key)) {
            continue;
        } else if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY) {
            literal_skip(reader);
        } else if (named) {
            take_named(members, key, &value);
        } else {
            Str name = evaluation ? str_printf(members->arena, "eval_" STR_FMT, STR_ARG(key)) : key;
            take_member(members, name, &value);
        }
    }
}

// {"name": "loss", "value": 2.5}, {"name": "loss", "data": {"step": 1, "value": 2.5}}
static void name_value(Members *members)
{
    RecordObject *out = members->out;
    for (size_t i = 0; members->name.size && i < out->count; i++) {
        RecordField *field = &out->items[i];
        if (field->depth > 2 || !is_value(field->key))
            continue;
        NameFacts facts = name_facts(out->names, members->name);
        field->key = members->name;
        classify(out, field->key, &facts);
        out->is_named = true;
    }
}

static int by_depth(const void *a, const void *b)
{
    const RecordField *left = a, *right = b;
    if (left->depth != right->depth)
        return left->depth < right->depth ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

// Of two values of a name the first one counts.
static void outer_first(RecordObject *out)
{
    for (size_t i = 1; i < out->count; i++)
        if (out->items[i].depth < out->items[i - 1].depth) {
            qsort(out->items, out->count, sizeof *out->items, by_depth);
            return;
        }
}

bool record_object_read(LiteralReader *reader, Arena *arena, RecordObject *out)
{
    RecordField *items = out->items;
    size_t capacity = out->capacity;
    NameMemo *names = out->names ? out->names : ARENA_NEW(arena, NameMemo);
    uint64_t fractional = out->fractional;
    *out = (RecordObject){
        .items = items, .capacity = capacity, .names = names, .fractional = fractional};
    if (!literal_enter(reader, '{'))
        return false;
    Members members = {.out = out, .arena = arena, .best = INT_MAX};
    read_members(reader, &members);
    name_value(&members);
    outer_first(out);
    out->has_step = out->has_step || members.best != INT_MAX;
    out->is_evaluation = out->is_evaluation || out->is_all_evaluation;
    return !reader->broken;
}

LogPlace record_object_place(const RecordObject *record)
{
    return (LogPlace){.has_step = record->has_step,
                      .has_epoch = record->has_epoch && record->fractional == 0,
                      .step = record->step,
                      .epoch = record->epoch,
                      .step_text = record->step_text,
                      .epoch_text = record->epoch_text};
}

bool record_object_is_plain(const RecordObject *record)
{
    return record->is_training && record->is_measured && !record->is_evaluation &&
           !record->is_summary && !record->has_elapsed;
}

bool record_object_step(const RecordObject *record, EpochCounter *counter, Arena *arena,
                        int64_t *out)
{
    LogPlace place = record_object_place(record);
    return epoch_counter_next(counter, &place, arena, out);
}

bool record_object_store(const RecordObject *record, Part *part, int64_t step, uint64_t line)
{
    if (record->is_summary || record->count == 0)
        return false;
    // What stands between records of training without a loss or norm is an evaluation: its step may
    // be an epoch, its times are others.
    bool beside = part->is_measured && !record->is_measured && !record->is_training;
    part->is_measured = part->is_measured || record->is_measured;
    bool whole = record->is_training && !record->is_evaluation && !record->is_named;
    part_begin(part, step, whole ? KIND_TRAINING : -1, line);
    if (record->has_elapsed)
        part_add_time(part, record->elapsed);
    for (size_t i = 0; i < record->count; i++) {
        const RecordField *field = &record->items[i];
        if (beside && series_facts(field->key).speed)
            continue;
        Str key = field->key;
        if (record->is_all_evaluation && name_facts(record->names, key).measure)
            key = str_printf(part->arena, "eval_" STR_FMT, STR_ARG(key));
        part_add_member(part, key, field->container, field->absent ? NULL : &field->figure);
    }
    bool any = part_end(part);
    if (any && record->is_evaluation)
        part_event(part, EVENT_EVAL, step, 1, line, STR("evaluation"));
    return any;
}
