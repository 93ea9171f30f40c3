// SPDX-License-Identifier: Apache-2.0
#include "read/log/json_columns.h"

#include <math.h>

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
    return value->kind == LITERAL_NUMBER && fabs(value->figure.value) < 9e15 &&
           value->figure.value == floor(value->figure.value);
}

bool json_pair_read(LiteralReader *reader, int64_t *step, Figure *value, double *time)
{
    Literal values[4];
    size_t count = literal_scalars(reader, values, 4);
    bool timed = count == 3 && values[0].kind == LITERAL_NUMBER;
    if ((count != 2 && !timed) || !is_step_value(&values[count - 2]) ||
        values[count - 1].kind != LITERAL_NUMBER)
        return false;
    *step = (int64_t)values[count - 2].figure.value;
    *value = values[count - 1].figure;
    *time = timed ? values[0].figure.value : NAN;
    return true;
}

static bool is_x(Str member)
{
    int order;
    return str_equal(member, STR("x")) || series_name_is_step(member, &order);
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
        other = other || series_name_is_measure(key) || series_name_holds_name(key);
    }
    return has_step && has_value && !other;
}

// The texts of the list that stands here.
static bool read_names(LiteralReader *reader, Arena *arena, JsonColumns *out)
{
    literal_enter(reader, '[');
    while (literal_element(reader)) {
        Literal name = literal_value(reader);
        if (name.kind != LITERAL_TEXT)
            return false;
        add_column(arena, out, name.text, name.text, reader->at);
    }
    return out->count > 0 && !reader->broken;
}

// A row of numbers for as many columns.
static bool read_cells(LiteralReader *reader, Arena *arena, JsonColumns *out)
{
    size_t i = 0;
    if (!literal_enter(reader, '['))
        return false;
    for (; literal_element(reader); i++) {
        Literal value = literal_value(reader);
        if (i == out->count || value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY)
            return false;
        *ARRAY_PUSH(arena, &out->items[i]) = (JsonCell){.figure = figure_of(&value)};
    }
    return i == out->count;
}

static bool read_split(LiteralReader *reader, Arena *arena, JsonColumns *out, JsonColumns *index)
{
    Str key;
    if (!read_names(reader, arena, out) || !literal_member(reader, &key))
        return false;
    if (str_equal(key, STR("index")) && literal_value(reader).kind == LITERAL_ARRAY) {
        json_column_read(reader, arena, index, STR("step"), key);
        if (!literal_member(reader, &key))
            return false;
    }
    if (!str_equal(key, STR("data")) || !literal_enter(reader, '['))
        return false;
    while (literal_element(reader))
        if (!read_cells(reader, arena, out))
            return false;
    return !reader->broken;
}

bool json_split_read(LiteralReader *reader, Arena *arena, JsonColumns *columns)
{
    JsonColumns table = {0}, index = {0};
    LiteralReader start = *reader;
    if (!read_split(reader, arena, &table, &index) || !json_columns_are_table(&table)) {
        *reader = start;
        return false;
    }
    if (index.count && !json_columns_step(&table))
        *ARRAY_PUSH(arena, columns) = index.items[0];
    for (size_t i = 0; i < table.count; i++)
        *ARRAY_PUSH(arena, columns) = table.items[i];
    return true;
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

bool json_columns_are_table(const JsonColumns *columns)
{
    int order;
    for (size_t i = 0; i < columns->count; i++)
        if (series_name_is_step(columns->items[i].key, &order) ||
            series_name_is_measure(columns->items[i].key) ||
            series_name_is_evaluation(columns->items[i].key))
            return true;
    return false;
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

void json_columns_join_axes(JsonColumns *columns, size_t first, Str name)
{
    JsonColumn *steps = axis(columns, first, is_x), *values = axis(columns, first, is_y);
    if (!steps || !values)
        return;
    for (size_t i = first; i < columns->count; i++)
        if (&columns->items[i] != steps && &columns->items[i] != values &&
            series_name_is_measure(columns->items[i].member))
            return;
    size_t count = 0;
    for (size_t i = 0; i < values->count && i < steps->count; i++) {
        double step = steps->items[i].figure.value;
        if (fabs(step) < 9e15 && step == floor(step) &&
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
