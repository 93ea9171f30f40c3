// SPDX-License-Identifier: Apache-2.0
#include "read/log/json_columns.h"

#include <math.h>

#include "base/number.h"
#include "read/log/series_name.h"

static JsonColumn *add_column(Arena *arena, JsonColumns *columns, Str key, Str member, size_t at)
{
    JsonColumn *column = ARRAY_PUSH(arena, columns);
    *column = (JsonColumn){.key = key, .member = member, .at = at};
    return column;
}

// A "nan" in quotes is no value: so the golden values of Megatron say that there was none.
static Figure figure_of(const Literal *value)
{
    Figure figure = value->figure;
    bool quoted = value->kind == LITERAL_TEXT && figure_of_text(value->text, &figure) &&
                  isfinite(figure.value);
    return value->kind == LITERAL_NUMBER || quoted ? figure : (Figure){.value = point_absent()};
}

void json_column_read(LiteralReader *reader, Arena *arena, JsonColumns *columns, Str key,
                      Str member)
{
    literal_enter(reader, '[');
    JsonColumn *column = add_column(arena, columns, key, member, reader->at);
    while (literal_element(reader)) {
        Literal value = literal_value(reader);
        if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY)
            literal_skip(reader);
        *ARRAY_PUSH(arena, column) = (JsonCell){.figure = figure_of(&value)};
    }
}

void json_column_add(Arena *arena, JsonColumns *columns, Str key, size_t at, int64_t x,
                     Figure figure)
{
    JsonColumn *last = columns->count ? &columns->items[columns->count - 1] : NULL;
    if (!last || !last->keyed || !str_equal(last->key, key)) {
        last = add_column(arena, columns, key, key, at);
        last->keyed = true;
    }
    *ARRAY_PUSH(arena, last) = (JsonCell){x, figure};
}

static bool is_step_value(const Literal *value)
{
    return value->kind == LITERAL_NUMBER && number_can_count(value->figure.value) &&
           value->figure.value == floor(value->figure.value);
}

// Points of a board have the time of day in seconds.
static bool is_time(const Literal *value)
{
    return value->kind == LITERAL_NUMBER && value->figure.value > 1e8;
}

bool json_pair_read(LiteralReader *reader, bool strict, int64_t *step, Figure *value, double *time)
{
    Literal values[4];
    size_t count = literal_scalars(reader, values, 4);
    if (count < 2 || count > 3 || (strict && count == 3 && !is_time(&values[0])))
        return false;
    const Literal *x = &values[count - 2];
    if (x->kind != LITERAL_NUMBER || values[count - 1].kind != LITERAL_NUMBER ||
        !number_can_count(x->figure.value) || (strict && !is_step_value(x)))
        return false;
    *step = (int64_t)x->figure.value;
    *value = values[count - 1].figure;
    *time = count == 3 && values[0].kind == LITERAL_NUMBER ? values[0].figure.value : NAN;
    return true;
}

static bool is_x(Str member)
{
    int order;
    return STR_IN(member, "x", "iters") || series_name_is_step(member, &order);
}

static bool is_y(Str member)
{
    return STR_IN(member, "y", "value", "values");
}

bool json_point_read(LiteralReader *reader, int64_t *step, Figure *value)
{
    bool has_step = false, has_value = false, other = false;
    Str key;
    literal_enter(reader, '{');
    while (literal_member(reader, &key)) {
        Literal literal = literal_value(reader);
        if (literal.kind == LITERAL_OBJECT || literal.kind == LITERAL_ARRAY) {
            literal_skip(reader);
        } else if (is_x(key) && is_step_value(&literal)) {
            has_step = true;
            *step = (int64_t)literal.figure.value;
        } else if (is_y(key)) {
            has_value = true;
            *value = figure_of(&literal);
        }
        other = other || series_facts(key).measure || series_facts(key).holds_name;
    }
    return has_step && has_value && !other;
}

const JsonColumn *json_columns_step(const JsonColumns *columns)
{
    const JsonColumn *found = NULL;
    int best = 1000, order;
    for (size_t i = 0; i < columns->count; i++)
        if (series_name_is_step(columns->items[i].key, &order) && order < best) {
            best = order;
            found = &columns->items[i];
        }
    return found;
}

bool json_is_series(Str name)
{
    return series_facts(name).measure || series_facts(name).evaluation;
}

bool json_columns_are_table(const JsonColumns *columns)
{
    int order;
    for (size_t i = 0; i < columns->count; i++)
        if (series_name_is_step(columns->items[i].key, &order) ||
            json_is_series(columns->items[i].key) ||
            (columns->loss.size && str_equal(columns->items[i].key, columns->loss)))
            return true;
    return false;
}

// A measure but no evaluation of it.
static bool is_trained(Str key)
{
    return series_facts(key).loss && !series_facts(key).evaluation;
}

bool json_columns_are_placed(const JsonColumns *columns)
{
    bool keyed = false, listed = false, any = false;
    for (size_t i = 0; i < columns->count; i++) {
        const JsonColumn *column = &columns->items[i];
        any = any || column->keyed;
        keyed = keyed || (column->keyed && is_trained(column->key));
        listed = listed || (!column->keyed && is_trained(column->key));
    }
    return !any || json_columns_step(columns) || (listed && !keyed);
}

bool json_column_is_by_rows(const JsonColumn *column, const JsonColumn *steps)
{
    return !column->keyed || (steps && steps->keyed);
}

// The one column of the two axes' kind; NULL where there are none, several, or some with steps.
static JsonColumn *axis(const JsonColumns *columns, size_t first, bool (*is)(Str))
{
    JsonColumn *found = NULL;
    for (size_t i = first; i < columns->count; i++) {
        JsonColumn *column = &columns->items[i];
        if (column->keyed || (found && is(column->member)))
            return NULL;
        found = is(column->member) ? column : found;
    }
    return found;
}

// Next to steps and values nothing but their times, as trackers keep a series of any name.
static bool is_tracked(const JsonColumns *columns, size_t first)
{
    bool timed = false;
    for (size_t i = first; i < columns->count; i++)
        timed = timed || STR_IN(columns->items[i].member, "timestamps", "timestamp");
    return timed && columns->count == first + 3;
}

void json_columns_join_axes(JsonColumns *columns, size_t first, Str name)
{
    JsonColumn *steps = axis(columns, first, is_x), *values = axis(columns, first, is_y);
    if (!steps || !values)
        return;
    // Steps and values below any name are a table: {"train": {"step": [], "value": []}}.
    bool plot = str_equal(steps->member, STR("x")) && str_equal(values->member, STR("y")) &&
                columns->count == first + 2;
    if (!plot && !is_tracked(columns, first) && !json_is_series(name))
        return;
    for (size_t i = first; i < columns->count; i++)
        if (&columns->items[i] != steps && &columns->items[i] != values &&
            series_facts(columns->items[i].member).measure)
            return;
    size_t count = 0;
    for (size_t i = 0; i < values->count && i < steps->count; i++) {
        double step = steps->items[i].figure.value;
        if (number_can_count(step) && step == floor(step) &&
            !point_is_absent(values->items[i].figure.value))
            values->items[count++] = (JsonCell){(int64_t)step, values->items[i].figure};
    }
    JsonColumn joined = *values;
    joined.key = joined.member = name;
    joined.keyed = true;
    joined.count = count;
    columns->items[first] = joined;
    columns->count = first + 1;
}
