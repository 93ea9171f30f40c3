// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

void json_writer_init(JsonWriter *json, Sink *out)
{
    *json = (JsonWriter){.out = out, .first = true};
}

static void new_line(JsonWriter *json)
{
    if (json->flat)
        return;
    sink_write(json->out, "\n", 1);
    for (int i = 0; i < json->depth; i++)
        sink_write(json->out, " ", 1);
}

// What stands before a value, but for the last of it on a line: a comma and a new line inside
// arrays, nothing after a key.
static Str lead(JsonWriter *json)
{
    bool inside = json->depth > 0 && !json->after_key, first = json->first;
    json->after_key = false;
    json->first = json->first && !inside;
    if (!inside)
        return (Str){"", 0};
    if (json->flat)
        return first ? (Str){"", 0} : STR(", ");
    if (!first)
        sink_write(json->out, ",", 1);
    new_line(json);
    return (Str){"", 0};
}

static void before_value(JsonWriter *json)
{
    sink_str(json->out, lead(json));
}

static void open_level(JsonWriter *json, const char *bracket, bool flat)
{
    before_value(json);
    sink_text(json->out, bracket);
    json->depth++;
    json->first = true;
    if (flat && !json->flat)
        json->flat = json->depth;
}

static void close_level(JsonWriter *json, const char *bracket)
{
    bool ends_flat = json->flat == json->depth;
    json->depth--;
    if (!json->first)
        new_line(json);
    if (ends_flat)
        json->flat = 0;
    sink_text(json->out, bracket);
    json->first = false;
}

void json_object(JsonWriter *json)
{
    open_level(json, "{", false);
}

void json_object_flat(JsonWriter *json)
{
    open_level(json, "{", true);
}

void json_object_end(JsonWriter *json)
{
    close_level(json, "}");
}

void json_array(JsonWriter *json)
{
    open_level(json, "[", false);
}

void json_array_flat(JsonWriter *json)
{
    open_level(json, "[", true);
}

void json_array_end(JsonWriter *json)
{
    close_level(json, "]");
}

// Not zero if one of eight characters does not stand for itself. Borrows and carries come from such
// a character only.
static uint64_t special_of(uint64_t eight)
{
    const uint64_t ones = UINT64_MAX / 0xFF, high = ones << 7;
    uint64_t quote = eight ^ (ones * '"'), backslash = eight ^ (ones * '\\');
    uint64_t small = eight - ones * ' ', large = eight + ones;  // from 0x7F on
    return (small | large | eight | (quote - ones) | (backslash - ones)) & high;
}

static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
}

// Where the characters of ASCII end that stand for themselves.
static size_t plain_end(Str text, size_t at)
{
    uint64_t eight;
    for (; text.size - at >= sizeof eight; at += sizeof eight) {
        memcpy(&eight, text.data + at, sizeof eight);
        if (special_of(eight))
            break;
    }
    if (text.size >= sizeof eight && text.size - at < sizeof eight) {  // the last eight
        memcpy(&eight, text.data + text.size - sizeof eight, sizeof eight);
        if (!special_of(eight))
            return text.size;
    }
    while (at < text.size && is_plain(text.data[at]))
        at++;
    return at;
}

static size_t put(char *out, size_t at, Str text)
{
    memcpy(out + at, text.data, text.size);
    return at + text.size;
}

// The text in quotes between two others; in one piece if it is short and stands for itself.
static void write_quoted(JsonWriter *json, Str before, Str text, Str behind)
{
    enum { SHORT = 240 };
    Sink *out = json->out;
    if (text.size && text.size <= SHORT && plain_end(text, 0) == text.size) {
        char piece[SHORT + 16];
        size_t size = put(piece, 0, before);
        piece[size++] = '"';
        size = put(piece, size, text);
        piece[size++] = '"';
        sink_write(out, piece, put(piece, size, behind));
        return;
    }
    sink_str(out, before);
    sink_write(out, "\"", 1);
    for (size_t at = 0; at < text.size;) {
        size_t end = plain_end(text, at);
        sink_write(out, text.data + at, end - at);
        at = end;
        if (at == text.size)
            break;
        uint32_t c = utf8_next(text, &at);
        char bytes[4];
        if (c == '"' || c == '\\')
            sink_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            sink_text(out, "\\n");
        else if (c == '\t')
            sink_text(out, "\\t");
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029)
            sink_printf(out, "\\u%04x", (unsigned)c);
        else
            sink_write(out, bytes, (size_t)utf8_write(c, bytes));
    }
    sink_write(out, "\"", 1);
    sink_str(out, behind);
}

JsonWriter *json_key(JsonWriter *json, const char *key)
{
    return json_key_str(json, str_of(key));
}

JsonWriter *json_key_str(JsonWriter *json, Str key)
{
    write_quoted(json, lead(json), key, STR(": "));
    json->after_key = true;
    return json;
}

void json_str(JsonWriter *json, Str text)
{
    write_quoted(json, lead(json), text, (Str){"", 0});
}

void json_text(JsonWriter *json, const char *text)
{
    if (text)
        json_str(json, str_of(text));
    else
        json_null(json);
}

void json_number(JsonWriter *json, double value)
{
    char text[NUMBER_BYTES];
    before_value(json);
    sink_write(json->out, text, (size_t)number_json(value, text));
}

void json_real(JsonWriter *json, double value)
{
    char text[NUMBER_BYTES];
    if (!isfinite(value)) {
        json_number(json, value);
        return;
    }
    before_value(json);
    sink_write(json->out, text, (size_t)number_python(value, text));
}

void json_int(JsonWriter *json, int64_t value)
{
    before_value(json);
    sink_printf(json->out, "%lld", (long long)value);
}

void json_uint(JsonWriter *json, uint64_t value)
{
    before_value(json);
    sink_printf(json->out, "%llu", (unsigned long long)value);
}

void json_bool(JsonWriter *json, bool value)
{
    before_value(json);
    sink_text(json->out, value ? "true" : "false");
}

void json_null(JsonWriter *json)
{
    before_value(json);
    sink_text(json->out, "null");
}

void json_end(JsonWriter *json)
{
    sink_write(json->out, "\n", 1);
}
