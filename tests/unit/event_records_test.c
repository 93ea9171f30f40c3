// SPDX-License-Identifier: Apache-2.0
#include "read/log/event_records.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

// Files are written here byte by byte, as docs/spec/curves.md §3.2 has them.

static Arena *arena;
static Notices notices;
static Error err;

static uint32_t masked_check(Str bytes)
{
    uint32_t c = 0xFFFFFFFFu;
    for (size_t i = 0; i < bytes.size; i++) {
        c ^= (unsigned char)bytes.data[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0x82F63B78u : c >> 1;
    }
    c ^= 0xFFFFFFFFu;
    return (c >> 15 | c << 17) + 0xA282EAD8u;
}

static void add_number(StrBuf *out, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_add_char(out, (char)(number >> 8 * i & 255));
}

static void add_record(StrBuf *file, Str payload)
{
    StrBuf length;
    length = strbuf_new(arena);
    add_number(&length, payload.size, 8);
    strbuf_add(file, strbuf_str(&length));
    add_number(file, masked_check(strbuf_str(&length)), 4);
    strbuf_add(file, payload);
    add_number(file, masked_check(payload), 4);
}

static Str field_bytes(char key, Str bytes)
{
    StrBuf out;
    out = strbuf_new(arena);
    strbuf_add_char(&out, key);
    strbuf_add_char(&out, (char)bytes.size);
    strbuf_add(&out, bytes);
    return strbuf_str(&out);
}

// wall_time, step, summary { value { tag, `value` } }
static Str event(int step, const char *tag, Str value)
{
    StrBuf out;
    Str inside = str_concat(arena, field_bytes(0x0A, str_of(tag)), value);
    out = strbuf_new(arena);
    strbuf_add(&out, (Str){"\x09\0\0\0\xdc\x6c\x06\xda\x41", 9});
    strbuf_add_char(&out, 0x10);
    strbuf_add_char(&out, (char)step);
    strbuf_add(&out, field_bytes(0x2A, field_bytes(0x0A, inside)));
    return strbuf_str(&out);
}

// A tensor of one number: its type and its raw bytes.
static Str tensor(int dtype, Str content)
{
    char head[2] = {0x08, (char)dtype};
    return field_bytes(0x42, str_concat(arena, (Str){head, 2}, field_bytes(0x22, content)));
}

#define BYTES(text) ((Str){text, sizeof(text) - 1})

static double value_at(const Part *part, int64_t x)
{
    const PartSeries *series = part_find(part, "loss");
    for (size_t i = 0; series && i < series->points.count; i++)
        if (series->points.items.x[i] == x)
            return series->points.items.value[i];
    return point_absent();
}

static void numbers_of_every_type_that_a_scalar_may_have_are_read(void)
{
    const struct {
        int dtype;
        Str bytes;
        double want;
    } cases[] = {
        {1, BYTES("\0\0\x20\x40"), 2.5},
        {2, BYTES("\0\0\0\0\0\0\x04\xC0"), -2.5},
        {19, BYTES("\0\x41"), 2.5},
        {19, BYTES("\0\xC1"), -2.5},
        {19, BYTES("\x01\0"), 1.0 / (1 << 24)},  // the smallest
        {19, BYTES("\0\x04"), 1.0 / (1 << 14)},  // the smallest normal
        {19, BYTES("\xFF\x7B"), 65504},
        {19, BYTES("\0\x7C"), (double)INFINITY},
        {19, BYTES("\0\x7E"), (double)NAN},
        {14, BYTES("\x20\x40"), 2.5},
        {14, BYTES("\x80\xFF"), (double)-INFINITY},
    };
    size_t count = sizeof cases / sizeof *cases;
    StrBuf file;
    Parts parts = {0};
    file = strbuf_new(arena);
    for (size_t i = 0; i < count; i++)
        add_record(&file, event((int)i + 1, "loss", tensor(cases[i].dtype, cases[i].bytes)));
    add_record(&file, event(100, "loss",
                            field_bytes(0x42, BYTES("\x08\x02\x32\x08\0\0\0\0\0\0\x10\x40"))));
    add_record(&file, event(101, "loss", BYTES("\x15\0\0\x20\x40")));
    add_record(&file, event(102, "loss", tensor(7, BYTES("text"))));
    notices_init(&notices, arena);
    CHECK(event_file_read("events", strbuf_str(&file), arena, &parts, &notices, &err));
    const Part *part = parts.items[0];
    for (size_t i = 0; i < count; i++) {
        double got = value_at(part, (int64_t)i + 1);
        CHECK(isnan(cases[i].want) ? isnan(got) && !point_is_absent(got) : got == cases[i].want);
    }
    CHECK(value_at(part, 100) == 4 && value_at(part, 101) == 2.5);
    CHECK(point_is_absent(value_at(part, 102)));
    CHECK(part->start_time == 1746514800);
    CHECK(notices.count == 0);
}

static void a_payload_that_is_no_message_ends_the_file_at_its_byte(void)
{
    const Str payloads[] = {
        BYTES("\x2A\x7F\x0A"),          // a summary longer than the record
        BYTES("\x2A\x03\x0A\x7F\x0A"),  // a value longer than the summary
        BYTES("\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),  // a number without end
        BYTES("\x0B\x01"),  // a group, which no writer makes
    };
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        StrBuf file;
        Parts parts = {0};
        file = strbuf_new(arena);
        add_record(&file, event(1, "loss", BYTES("\x15\0\0\x20\x40")));
        size_t good = strbuf_str(&file).size;
        add_record(&file, payloads[i]);
        add_record(&file, event(2, "loss", BYTES("\x15\0\0\x20\x40")));
        notices_init(&notices, arena);
        CHECK(event_file_read("events", strbuf_str(&file), arena, &parts, &notices, &err));
        CHECK(value_at(parts.items[0], 1) == 2.5 && point_is_absent(value_at(parts.items[0], 2)));
        CHECK(notices_any_partial(&notices) && notices.items[0].byte == (int64_t)good);
    }
}

static void a_file_without_one_whole_record_is_refused(void)
{
    StrBuf file;
    Parts parts = {0};
    file = strbuf_new(arena);
    add_record(&file, event(1, "loss", BYTES("\x15\0\0\x20\x40")));
    Str cut = str_slice(strbuf_str(&file), 0, 30);
    notices_init(&notices, arena);
    CHECK(!event_file_read("events", cut, arena, &parts, &notices, &err));
    CHECK_TEXT(str_of(err.text), "not one whole record in this event file");
    CHECK(parts.count == 0 && err.kind == ERR_INPUT);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(numbers_of_every_type_that_a_scalar_may_have_are_read);
    CHECK_RUN(a_payload_that_is_no_message_ends_the_file_at_its_byte);
    CHECK_RUN(a_file_without_one_whole_record_is_refused);
    arena_release(arena);
    return CHECK_RESULT;
}
