// SPDX-License-Identifier: Apache-2.0
#include "renderers/event_file.h"

#include <string.h>

#include "base/crc32c.h"

// Keys of the fields: number << 3 | wire type.
enum {
    EVENT_WALL_TIME = 0x09,
    EVENT_STEP = 0x10,
    EVENT_VERSION = 0x1A,
    EVENT_SUMMARY = 0x2A,
    SUMMARY_VALUE = 0x0A,
    VALUE_TAG = 0x0A,
    VALUE_SIMPLE = 0x15
};

static void put_little(StrBuf *buf, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_add_char(buf, (char)(unsigned char)(value >> (8 * i) & 0xFF));
}

static void put_varint(StrBuf *buf, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        strbuf_add_char(buf, (char)(unsigned char)(value | 0x80));
    strbuf_add_char(buf, (char)(unsigned char)value);
}

static void put_bytes(StrBuf *buf, int key, Str bytes)
{
    strbuf_add_char(buf, (char)key);
    put_varint(buf, bytes.size);
    strbuf_add(buf, bytes);
}

static void write_little(Sink *out, uint64_t value, int bytes)
{
    unsigned char text[8];
    for (int i = 0; i < bytes; i++)
        text[i] = (unsigned char)(value >> (8 * i) & 0xFF);
    sink_write(out, text, (size_t)bytes);
}

static void write_record(EventFile *file, Str payload)
{
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)payload.size >> (8 * i) & 0xFF);
    sink_write(file->out, length, sizeof length);
    write_little(file->out, crc32c_masked(length, sizeof length), 4);
    sink_str(file->out, payload);
    write_little(file->out, crc32c_masked(payload.data, payload.size), 4);
}

// Fields with their default value are left out, step 0 too.
static void begin_event(EventFile *file, int64_t step)
{
    uint64_t bits;
    memcpy(&bits, &file->wall_time, sizeof bits);
    file->event.size = 0;
    strbuf_add_char(&file->event, EVENT_WALL_TIME);
    put_little(&file->event, bits, 8);
    if (step != 0) {
        strbuf_add_char(&file->event, EVENT_STEP);
        put_varint(&file->event, (uint64_t)step);
    }
}

void event_file_begin(EventFile *file, Sink *out, double wall_time, Arena *arena)
{
    *file = (EventFile){.out = out, .wall_time = wall_time, .arena = arena};
    file->event = strbuf_new(arena);
    file->summary = strbuf_new(arena);
    begin_event(file, 0);
    put_bytes(&file->event, EVENT_VERSION, STR("brain.Event:2"));
    write_record(file, strbuf_str(&file->event));
}

void event_file_scalar(EventFile *file, Str tag, int64_t step, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    file->summary.size = 0;
    put_bytes(&file->summary, VALUE_TAG, tag);
    strbuf_add_char(&file->summary, VALUE_SIMPLE);
    put_little(&file->summary, bits, 4);
    begin_event(file, step);
    strbuf_add_char(&file->event, EVENT_SUMMARY);
    Str inner = strbuf_str(&file->summary);
    size_t head = inner.size < 0x80 ? 2 : inner.size < 0x4000 ? 3 : inner.size < 0x200000 ? 4 : 5;
    put_varint(&file->event, inner.size + head);
    put_bytes(&file->event, SUMMARY_VALUE, inner);
    write_record(file, strbuf_str(&file->event));
}
