// SPDX-License-Identifier: Apache-2.0
#include "read/log/record_object.h"

#include <math.h>

#include "read/log/log_time.h"
#include "read/log/series_name.h"

enum { KIND_TRAINING = 30, NO_STEP = 1000 };

// A number, or the number in front of the slash of "5/1000".
static bool step_of(const Literal *value, int64_t *out)
{
    if (value->kind == LITERAL_NUMBER) {
        if (!(value->figure.value >= -9e15 && value->figure.value <= 9e15))
            return false;
        *out = (int64_t)value->figure.value;
        return true;
    }
    Scan scan = scan_of(value->text);
    return value->kind == LITERAL_TEXT && scan_int(&scan, out) &&
           (scan_done(&scan) || scan_char(&scan, '/'));
}

static void classify(RecordObject *record, Str key, const NameFacts *facts)
{
    record->is_evaluation = record->is_evaluation || str_starts(key, STR("eval"));
    record->is_summary = record->is_summary || str_equal(key, STR("train_runtime"));
    record->is_training = record->is_training || facts->core;
    record->is_measured = record->is_measured || (facts->measure && !facts->rate);
}

static void add_field(RecordObject *record, Arena *arena, Str key, const NameFacts *facts,
                      const Literal *value)
{
    RecordField field = {.key = key, .figure = value->figure};
    if (str_equal(key, STR("elapsed_time")) && duration_of_text(value->text, &record->elapsed)) {
        record->has_elapsed = true;
        return;
    }
    field.absent = value->kind == LITERAL_NULL;
    bool number = value->kind == LITERAL_NUMBER ||
                  (value->kind == LITERAL_TEXT && figure_of_text(value->text, &field.figure));
    if (!number && !field.absent)
        return;
    classify(record, key, facts);
    *ARRAY_PUSH(arena, record) = field;
}

static bool is_wrapper(Str key)
{
    return str_equal(key, STR("data")) || str_equal(key, STR("metrics"));
}

static void read_members(LiteralReader *reader, Arena *arena, RecordObject *out, int *best)
{
    Str key;
    int depth = 1;
    while (depth > 0 && !reader->broken) {
        if (!literal_member(reader, &key)) {
            depth--;
            continue;
        }
        Literal value = literal_value(reader);
        NameFacts facts = name_facts(out->names, key);
        if (value.kind == LITERAL_OBJECT && is_wrapper(key) && literal_enter(reader, '{')) {
            depth++;
        } else if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY) {
            literal_skip(reader);
        } else if (facts.step) {
            if (facts.order < *best && step_of(&value, &out->step))
                *best = facts.order;
        } else {
            add_field(out, arena, key, &facts, &value);
        }
    }
}

bool record_object_read(LiteralReader *reader, Arena *arena, RecordObject *out)
{
    RecordField *items = out->items;
    size_t capacity = out->capacity;
    NameMemo *names = out->names ? out->names : ARENA_NEW(arena, NameMemo);
    *out = (RecordObject){.items = items, .capacity = capacity, .names = names};
    if (!literal_enter(reader, '{'))
        return false;
    int best = NO_STEP;
    read_members(reader, arena, out, &best);
    out->has_step = best != NO_STEP;
    return !reader->broken;
}

bool record_object_store(const RecordObject *record, Part *part, int64_t step, uint64_t line)
{
    if (record->is_summary || record->count == 0)
        return false;
    // What stands between records of training without a loss or norm is an evaluation: its step may
    // be an epoch, its times are others.
    bool beside = part->is_measured && !record->is_measured && !record->is_training;
    part->is_measured = part->is_measured || record->is_measured;
    part_begin(part, step, record->is_training && !record->is_evaluation ? KIND_TRAINING : -1,
               line);
    if (record->has_elapsed)
        part_add_time(part, record->elapsed);
    for (size_t i = 0; i < record->count; i++) {
        const RecordField *field = &record->items[i];
        if (beside && series_name_is_speed(field->key))
            continue;
        if (field->absent)
            part_add_absent(part, field->key);
        else
            part_add(part, field->key, field->figure);
    }
    bool any = part_end(part);
    if (any && record->is_evaluation)
        part_event(part, EVENT_EVAL, step, 1, line, STR("evaluation"));
    return any;
}
