// SPDX-License-Identifier: Apache-2.0
#include "read/table/event_stream.h"

#include <math.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/words.h"

enum { HEAD_BYTES = 12, FOOT_BYTES = 4 };
static const uint64_t length_max = UINT64_C(1) << 30;

static uint64_t little_endian(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

bool event_stream_is(Str bytes)
{
    return bytes.size >= HEAD_BYTES &&
           little_endian(bytes.data + 8, 4) == crc32c_masked(bytes.data, 8) &&
           little_endian(bytes.data, 8) <= length_max;
}

// ---- Protocol buffers, as far as events need them.

typedef enum Wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 } Wire;

typedef struct Field {
    uint64_t number;
    Wire wire;
    uint64_t value;  // varint, or the bits of a fixed one
    Str bytes;
} Field;

static bool read_varint(Str *rest, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < rest->size && i < 10; i++) {
        unsigned char byte = (unsigned char)rest->data[i];
        value |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *rest = str_slice(*rest, i + 1, rest->size);
            *out = value;
            return true;
        }
    }
    return false;
}

static bool take_bytes(Str *rest, uint64_t size, Str *out)
{
    if (size > rest->size)
        return false;
    *out = str_slice(*rest, 0, (size_t)size);
    *rest = str_slice(*rest, (size_t)size, rest->size);
    return true;
}

// The next field of a message; false at its end. *good turns false where the message is broken.
static bool next_field(Str *rest, Field *out, bool *good)
{
    uint64_t key = 0, size;
    *out = (Field){0};
    if (rest->size == 0)
        return false;
    *good = read_varint(rest, &key);
    out->number = key >> 3;
    out->wire = (Wire)(key & 7);
    if (*good && out->wire == WIRE_VARINT)
        *good = read_varint(rest, &out->value);
    else if (*good && out->wire == WIRE_BYTES)
        *good = read_varint(rest, &size) && take_bytes(rest, size, &out->bytes);
    else if (*good && (out->wire == WIRE_64 || out->wire == WIRE_32)) {
        int width = out->wire == WIRE_64 ? 8 : 4;
        *good = take_bytes(rest, (uint64_t)width, &out->bytes);
        if (*good)
            out->value = little_endian(out->bytes.data, width);
    } else {
        *good = false;
    }
    return *good;
}

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double float_of_bits(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

static double half_of_bits(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024;
    double value = exponent == 31  ? (fraction > 0 ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(fraction, -14)
                                   : ldexp(1 + fraction, exponent - 15);
    return bits & 0x8000 ? -value : value;
}

// How an element of a tensor is kept, by the number of its type.
typedef struct ElementType {
    uint64_t type;
    int bytes, decimals;
    double (*of_bits)(uint64_t);
} ElementType;

static double bfloat_of_bits(uint64_t bits)
{
    return float_of_bits(bits << 16);
}

static const ElementType element_types[] = {
    {1, 4, 7, float_of_bits},
    {2, 8, 16, double_of_bits},
    {14, 2, 2, bfloat_of_bits},
    {19, 2, 3, half_of_bits},
};

static const ElementType *element_type(uint64_t type)
{
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
        if (element_types[i].type == type)
            return &element_types[i];
    return NULL;
}

static Figure figure_of_bits(const ElementType *type, uint64_t bits)
{
    return (Figure){.value = type->of_bits(bits), .decimals = type->decimals, .exponent = true};
}

// The one value of a scalar tensor; false for other types and more values.
static bool scalar_of_tensor(Str message, Figure *out)
{
    const ElementType *type = NULL;
    Field field;
    bool good = true, any = false;
    while (next_field(&message, &field, &good)) {
        const ElementType *own = field.number == 5   ? element_type(1)
                                 : field.number == 6 ? element_type(2)
                                 : field.number == 4 ? type
                                                     : NULL;
        if (field.number == 1 && field.wire == WIRE_VARINT)
            type = element_type(field.value);
        if (!own || field.bytes.size != (size_t)own->bytes)
            continue;
        *out = figure_of_bits(own, little_endian(field.bytes.data, own->bytes));
        any = true;
    }
    return any && good;
}

static bool take_event(EventStream *stream, Str message)
{
    Field field;
    bool good = true;
    stream->step = 0;  // a default value is left out
    stream->time = NAN;
    stream->summary = STR("");
    while (next_field(&message, &field, &good)) {
        if (field.number == 1 && field.wire == WIRE_64)
            stream->time = double_of_bits(field.value);
        else if (field.number == 2 && field.wire == WIRE_VARINT)
            stream->step = (int64_t)field.value;
        else if (field.number == 5 && field.wire == WIRE_BYTES)
            stream->summary = field.bytes;
    }
    return good;
}

static EventState next_record(Str bytes, size_t at, Str *payload)
{
    if (bytes.size - at < HEAD_BYTES)
        return EVENT_CUT;
    const char *head = bytes.data + at;
    uint64_t size = little_endian(head, 8);
    if (little_endian(head + 8, 4) != crc32c_masked(head, 8) || size > length_max)
        return EVENT_BAD;
    if (size + FOOT_BYTES > bytes.size - at - HEAD_BYTES)
        return EVENT_CUT;
    *payload = (Str){head + HEAD_BYTES, (size_t)size};
    uint64_t check = little_endian(payload->data + size, 4);
    return check == crc32c_masked(payload->data, (size_t)size) ? EVENT_GOOD : EVENT_BAD;
}

bool event_stream_next(EventStream *stream)
{
    Str payload;
    if (stream->state != EVENT_GOOD)
        return false;
    stream->at += stream->size;
    stream->count += stream->size > 0;
    stream->size = 0;
    if (stream->at >= stream->bytes.size)
        return false;
    stream->state = next_record(stream->bytes, stream->at, &payload);
    if (stream->state == EVENT_GOOD && !take_event(stream, payload))
        stream->state = EVENT_BAD;
    if (stream->state != EVENT_GOOD)
        return false;
    stream->size = HEAD_BYTES + payload.size + FOOT_BYTES;
    return true;
}

// A value of a summary; without a tag: no scalar.
static bool take_value(Str message, Str *tag, Figure *figure)
{
    Field field;
    bool good = true, scalar = false;
    *tag = STR("");
    while (next_field(&message, &field, &good)) {
        if (field.number == 1 && field.wire == WIRE_BYTES) {
            *tag = field.bytes;
        } else if (field.number == 2 && field.wire == WIRE_32) {
            *figure = figure_of_bits(element_type(1), field.value);
            scalar = true;
        } else if (field.number == 8 && field.wire == WIRE_BYTES) {
            scalar = scalar_of_tensor(field.bytes, figure);
        }
    }
    if (!scalar)
        *tag = STR("");
    return good;
}

bool event_stream_value(EventStream *stream, Str *tag, Figure *figure)
{
    Field field;
    bool good = true;
    while (stream->state == EVENT_GOOD && next_field(&stream->summary, &field, &good)) {
        if (field.number != 1 || field.wire != WIRE_BYTES)
            continue;
        if (!take_value(field.bytes, tag, figure))
            stream->state = EVENT_BAD;
        else if (tag->size)
            return true;
    }
    stream->state = good ? stream->state : EVENT_BAD;
    return false;
}

void event_stream_report(const EventStream *stream, const char *path, Notices *notices)
{
    size_t left = stream->bytes.size - stream->at;
    if (stream->state == EVENT_CUT)
        notices_add(notices, NOTICE_INFO, WHERE_BYTE(path, stream->at),
                    tr_count(left, "the last record is cut; %zu byte is left out",
                             "the last record is cut; %zu bytes are left out"),
                    left);
    if (stream->state == EVENT_BAD)
        notices_partial(notices, WHERE_BYTE(path, stream->at), "%s",
                        tr("a damaged record; the rest of this event file is not read"));
}
