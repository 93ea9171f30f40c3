// SPDX-License-Identifier: Apache-2.0
#include "read/log/event_records.h"

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

bool event_file_recognise(Str bytes)
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

// A tag over samples has a twin over steps: never mixed with it.
static bool is_twin(Str tag)
{
    return str_ends(tag, STR(" vs samples"));
}

static bool take_value(Part *part, Str message)
{
    Str tag = STR("");
    Figure figure = {0};
    Field field;
    bool good = true, scalar = false;
    while (next_field(&message, &field, &good)) {
        if (field.number == 1 && field.wire == WIRE_BYTES) {
            tag = field.bytes;
        } else if (field.number == 2 && field.wire == WIRE_32) {
            figure = figure_of_bits(element_type(1), field.value);
            scalar = true;
        } else if (field.number == 8 && field.wire == WIRE_BYTES) {
            scalar = scalar_of_tensor(field.bytes, &figure);
        }
    }
    // What Trainer writes at its end is the mean over the run.
    bool mean = str_equal(tag, STR("train/train_loss")) && part_knows(part, STR("train/loss"));
    if (good && scalar && tag.size && !is_twin(tag) && !mean)
        part_add(part, tag, figure);
    return good;
}

static bool take_summary(Part *part, Str message)
{
    Field field;
    bool good = true;
    while (next_field(&message, &field, &good))
        if (field.number == 1 && field.wire == WIRE_BYTES && !take_value(part, field.bytes))
            return false;
    return good;
}

static bool take_event(Part *part, Str message)
{
    int64_t step = 0;  // a default value is left out
    double time = NAN;
    Str summary = STR("");
    Field field;
    bool good = true;
    while (next_field(&message, &field, &good)) {
        if (field.number == 1 && field.wire == WIRE_64)
            time = double_of_bits(field.value);
        else if (field.number == 2 && field.wire == WIRE_VARINT)
            step = (int64_t)field.value;
        else if (field.number == 5 && field.wire == WIRE_BYTES)
            summary = field.bytes;
    }
    if (!good)
        return false;
    part->start_time = isnan(part->start_time) ? time : part->start_time;
    part_begin(part, step, -1, 0);
    part_add_time(part, time);
    good = take_summary(part, summary);
    part_end(part);
    return good;
}

typedef enum RecordState { RECORD_GOOD, RECORD_CUT, RECORD_BAD } RecordState;

static RecordState next_record(Str bytes, size_t at, Str *payload)
{
    if (bytes.size - at < HEAD_BYTES)
        return RECORD_CUT;
    const char *head = bytes.data + at;
    uint64_t size = little_endian(head, 8);
    if (little_endian(head + 8, 4) != crc32c_masked(head, 8) || size > length_max)
        return RECORD_BAD;
    if (size + FOOT_BYTES > bytes.size - at - HEAD_BYTES)
        return RECORD_CUT;
    *payload = (Str){head + HEAD_BYTES, (size_t)size};
    uint64_t check = little_endian(payload->data + size, 4);
    return check == crc32c_masked(payload->data, (size_t)size) ? RECORD_GOOD : RECORD_BAD;
}

static void report_end(const char *path, RecordState state, size_t at, size_t left,
                       Notices *notices)
{
    if (state == RECORD_CUT)
        notices_add(notices, NOTICE_INFO, WHERE_BYTE(path, at),
                    tr_count(left, "the last record is cut; %zu byte is left out",
                             "the last record is cut; %zu bytes are left out"),
                    left);
    if (state == RECORD_BAD)
        notices_partial(notices, WHERE_BYTE(path, at), "%s",
                        tr("a damaged record; the rest of this event file is not read"));
}

bool event_file_read(const char *path, Str bytes, Arena *arena, Parts *out, Notices *notices,
                     Error *err)
{
    Part *part = part_new(out, path, -1, "tensorboard", arena);
    size_t at = 0;
    uint64_t count = 0;
    RecordState state = RECORD_GOOD;
    while (at < bytes.size) {
        Str payload;
        state = next_record(bytes, at, &payload);
        if (state == RECORD_GOOD && !take_event(part, payload))
            state = RECORD_BAD;
        if (state != RECORD_GOOD)
            break;
        at += HEAD_BYTES + payload.size + FOOT_BYTES;
        count++;
    }
    if (count == 0) {
        out->count--;
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, 0), "%s",
                         tr("not one whole record in this event file"));
    }
    report_end(path, state, at, bytes.size - at, notices);
    return true;
}
