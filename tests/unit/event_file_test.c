// SPDX-License-Identifier: Apache-2.0
#include "renderers/event_file.h"

#include <math.h>

#include "check.h"

// An event file reader of its own: bit by bit CRC, fields by wire type, nothing shared with the
// writer.

typedef struct Bytes {
    const unsigned char *data;
    size_t size, at;
} Bytes;

typedef struct Point {
    char tag[256];
    int64_t step;
    float value;
    double wall_time;
    bool has_value;
    char version[32];
} Point;

static uint32_t crc_of(const unsigned char *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            uint32_t in = (uint32_t)(data[i] >> bit & 1) ^ (crc & 1);
            crc = crc >> 1 ^ (in ? UINT32_C(0x82F63B78) : 0);
        }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + UINT32_C(0xA282EAD8);
}

static uint64_t little(const unsigned char *data, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | data[i];
    return value;
}

static uint64_t varint(Bytes *in)
{
    uint64_t value = 0;
    for (int shift = 0; in->at < in->size && shift < 70; shift += 7) {
        unsigned char byte = in->data[in->at++];
        value |= (uint64_t)(byte & 0x7F) << (shift < 64 ? shift : 63);
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static Bytes part(Bytes *in)
{
    size_t size = (size_t)varint(in);
    Bytes out = {in->data + in->at, size, 0};
    CHECK(in->at + size <= in->size);
    in->at += size;
    return out;
}

static void copy_text(Bytes from, char *out, size_t room)
{
    CHECK(from.size < room);
    memcpy(out, from.data, from.size);
    out[from.size] = '\0';
}

static void read_value(Bytes in, Point *out)
{
    while (in.at < in.size) {
        uint64_t key = varint(&in);
        if (key == (1 << 3 | 2)) {
            copy_text(part(&in), out->tag, sizeof out->tag);
        } else if (key == (2 << 3 | 5)) {
            uint32_t bits = (uint32_t)little(in.data + in.at, 4);
            memcpy(&out->value, &bits, 4);
            out->has_value = true;
            in.at += 4;
        } else {
            CHECK(false);
            return;
        }
    }
}

static void read_event(Bytes in, Point *out)
{
    *out = (Point){0};
    while (in.at < in.size) {
        uint64_t key = varint(&in);
        if (key == (1 << 3 | 1)) {
            uint64_t bits = little(in.data + in.at, 8);
            memcpy(&out->wall_time, &bits, 8);
            in.at += 8;
        } else if (key == (2 << 3 | 0)) {
            out->step = (int64_t)varint(&in);
        } else if (key == (3 << 3 | 2)) {
            copy_text(part(&in), out->version, sizeof out->version);
        } else if (key == (5 << 3 | 2)) {
            Bytes summary = part(&in);
            CHECK(varint(&summary) == (1 << 3 | 2));
            read_value(part(&summary), out);
        } else {
            CHECK(false);
            return;
        }
    }
}

// The next record, with both of its checks; false at the end.
static bool next_record(Bytes *file, Point *out)
{
    if (file->at == file->size)
        return false;
    const unsigned char *at = file->data + file->at;
    size_t size = (size_t)little(at, 8);
    CHECK(little(at + 8, 4) == crc_of(at, 8));
    CHECK(file->at + 16 + size <= file->size);
    CHECK(little(at + 12 + size, 4) == crc_of(at + 12, size));
    read_event((Bytes){at + 12, size, 0}, out);
    file->at += 16 + size;
    return true;
}

typedef struct Fixture {
    Arena *arena;
    Sink *sink;
    EventFile file;
} Fixture;

static Fixture begin(void)
{
    Fixture f = {.arena = arena_new()};
    f.sink = sink_memory(f.arena);
    event_file_begin(&f.file, f.sink, 1746514800.0, f.arena);
    return f;
}

static Bytes written(const Fixture *f)
{
    Str bytes = sink_bytes(f->sink);
    return (Bytes){(const unsigned char *)bytes.data, bytes.size, 0};
}

static void end(Fixture *f)
{
    Error err;
    CHECK(sink_commit(f->sink, &err));
    arena_release(f->arena);
}

static void the_worked_example_is_met_byte_for_byte(void)
{
    static const unsigned char want[] = {
        0x18, 0,    0,    0,    0,    0,    0,    0,    0xa3, 0x7f, 0x4b, 0x22, 0x09, 0,
        0,    0,    0xdc, 0x6c, 0x06, 0xda, 0x41, 0x1a, 0x0d, 0x62, 0x72, 0x61, 0x69, 0x6e,
        0x2e, 0x45, 0x76, 0x65, 0x6e, 0x74, 0x3a, 0x32, 0x30, 0x44, 0x66, 0xe0, 0x18, 0,
        0,    0,    0,    0,    0,    0,    0xa3, 0x7f, 0x4b, 0x22, 0x09, 0,    0,    0,
        0xdc, 0x6c, 0x06, 0xda, 0x41, 0x2a, 0x0d, 0x0a, 0x0b, 0x0a, 0x04, 0x6c, 0x6f, 0x73,
        0x73, 0x15, 0x04, 0xe0, 0x7e, 0x40, 0x79, 0x7c, 0x40, 0x84};
    uint32_t bits = UINT32_C(0x407ee004);
    float value;
    memcpy(&value, &bits, 4);
    Fixture f = begin();
    event_file_scalar(&f.file, STR("loss"), 0, (double)value);
    Bytes bytes = written(&f);
    CHECK(bytes.size == sizeof want && memcmp(bytes.data, want, sizeof want) == 0);
    end(&f);
}

static void every_number_is_read_back_as_its_nearest_float(void)
{
    static const double values[] = {0,
                                    -0.0,
                                    1.5,
                                    10.860343974,
                                    -3e-9,
                                    1e30,
                                    1e-300,
                                    -1e300,
                                    (double)NAN,
                                    (double)INFINITY,
                                    (double)-INFINITY};
    static const int64_t steps[] = {0, 1, 127, 128, 16384, INT64_MAX, -1};
    Fixture f = begin();
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            event_file_scalar(&f.file, STR("vp0:layers.0.w:micro1/norm"), steps[s], values[v]);
    Bytes bytes = written(&f);
    Point point;
    CHECK(next_record(&bytes, &point));
    CHECK(strcmp(point.version, "brain.Event:2") == 0);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            CHECK(next_record(&bytes, &point));
            float want = (float)values[v];
            CHECK(point.has_value && point.step == steps[s] && point.wall_time == 1746514800.0);
            CHECK(isnan(want) ? isnan(point.value) : point.value == want);
            CHECK(strcmp(point.tag, "vp0:layers.0.w:micro1/norm") == 0);
        }
    CHECK(!next_record(&bytes, &point));
    end(&f);
}

static void long_tags_have_long_lengths(void)
{
    Fixture f = begin();
    char tag[200];
    for (size_t size = 100; size < 200; size++) {
        memset(tag, 'a', size);
        event_file_scalar(&f.file, (Str){tag, size}, 7, 1);
    }
    Bytes bytes = written(&f);
    Point point;
    CHECK(next_record(&bytes, &point));
    for (size_t size = 100; size < 200; size++) {
        CHECK(next_record(&bytes, &point));
        CHECK(strlen(point.tag) == size && point.value == 1 && point.step == 7);
    }
    end(&f);
}

int main(void)
{
    CHECK_RUN(the_worked_example_is_met_byte_for_byte);
    CHECK_RUN(every_number_is_read_back_as_its_nearest_float);
    CHECK_RUN(long_tags_have_long_lengths);
    return CHECK_RESULT;
}
