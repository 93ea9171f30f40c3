// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/monitor_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/sink.h"
#include "check.h"

typedef struct Reading {
    Arena *arena;
    MonitorRows *rows;
    MonitorFile file;
    Notices notices;
    Error err;
    bool open;
} Reading;

static void write_text(const char *path, Str text)
{
    Error err;
    Sink *sink = sink_file(path, &err);
    CHECK(sink != NULL);
    sink_str(sink, text);
    CHECK(sink_commit(sink, &err));
}

static Reading begin(const char *path)
{
    Reading r = {.arena = arena_new(), .file = {.path = path, .kind = STR("grad_reduced")}};
    notices_init(&r.notices, r.arena);
    r.rows = ARENA_NEW(r.arena, MonitorRows);
    return r;
}

static void open_rows(Reading *r)
{
    r->open = monitor_rows_open(r->rows, &r->file, r->arena, &r->err);
}

static void end(Reading *r)
{
    if (r->open)
        monitor_rows_close(r->rows, &r->notices);
    arena_release(r->arena);
}

// Names of different lengths, so that chunks end everywhere in a row.
static double value_of(int step, int name)
{
    return (step * 131 + name * 17) % 99991 / 99991.0 * (name % 3 ? 1 : -1e-7);
}

static void rows_go_on_over_the_ends_of_chunks(void)
{
    enum { STEPS = 1000, NAMES = 60 };
    Arena *arena = arena_new();
    StrBuf text;
    text = strbuf_new(arena);
    strbuf_add(&text, STR("vpp_stage,name,step,norm,mean,shape,dtype\n"));
    for (int step = 0; step < STEPS; step++)
        for (int name = 0; name < NAMES; name++) {
            char number[NUMBER_BYTES];
            number_python(value_of(step, name), number);
            strbuf_printf(&text, "0,layers.%d.%.*s,%d,%s,0.5,\"[%d, 2]\",torch.float32\n", name,
                          name % 23, "abcdefghijklmnopqrstuvwxyz", step, number, name);
        }
    CHECK(text.size > 3000000);
    write_text("rows-chunks.csv", strbuf_str(&text));
    for (int general = 0; general < 2; general++) {
        Reading r = begin("rows-chunks.csv");
        open_rows(&r);
        CHECK(r.open);
        r.rows->general_only = general == 1;
        MonitorRow row;
        size_t count = 0;
        for (; monitor_rows_next(r.rows, &row); count++) {
            int step = (int)(count / NAMES), name = (int)(count % NAMES);
            if (row.step != step || row.values[0] != value_of(step, name) || row.values[1] != 0.5 ||
                row.line != count + 2 || row.stage != 0 || row.micro != MONITOR_NONE)
                break;
        }
        CHECK(count == STEPS * NAMES);
        CHECK(r.rows->byte_count == text.size);
        end(&r);
    }
    arena_release(arena);
}

static void short_decimals_are_the_nearest_doubles(void)
{
    static const char *const numbers[] = {
        "0.0",
        "-0.0",
        "1",
        "12345678",
        "123456789",
        "0.12345678",
        "0.1234567890",
        "1.5e-07",
        "1e+16",
        "999999999999999",
        "9999999999999999",
        "0.000000000000001",
        "1234567.12345678",
        "12345678.1234567",
        "123456789012345.6",
        "0.00000000000000001",
        "4503599627370497.5",
        "2.5",
        "-17.25",
        "1e999",
    };
    Arena *arena = arena_new();
    StrBuf text;
    text = strbuf_new(arena);
    strbuf_add(&text, STR("name,step,norm\n"));
    size_t count = sizeof numbers / sizeof *numbers;
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&text, "w,%zu,%s\n", i, numbers[i]);
    write_text("rows-numbers.csv", strbuf_str(&text));
    Reading r = begin("rows-numbers.csv");
    open_rows(&r);
    MonitorRow row;
    for (size_t i = 0; i < count; i++) {
        double want;
        CHECK(number_of_text(str_of(numbers[i]), &want));
        CHECK(monitor_rows_next(r.rows, &row));
        CHECK(memcmp(&row.values[0], &want, sizeof want) == 0);
    }
    end(&r);
    arena_release(arena);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Numbers as a monitor might write them: sign, 0 to 3 digits, point, up to 24 digits, exponent.
static void add_number(StrBuf *text, uint32_t *state)
{
    static const char *const endings[] = {"e-05", "e+01", "e-300", "E7", "e"};
    if (next_random(state) % 3 == 0)
        strbuf_add_char(text, '-');
    for (uint32_t n = next_random(state) % 4; n > 0; n--)
        strbuf_add_char(text, (char)('0' + next_random(state) % 10));
    uint32_t decimals = next_random(state) % 25;
    if (next_random(state) % 8)
        strbuf_add_char(text, '.');
    else
        decimals = 0;
    bool zeros = next_random(state) % 4 == 0, nines = next_random(state) % 16 == 0;
    for (uint32_t n = 0; n < decimals; n++) {
        char digit = (char)('0' + next_random(state) % 10);
        strbuf_add_char(text, nines ? '9' : zeros && n < decimals / 2 ? '0' : digit);
    }
    if (next_random(state) % 6 == 0)
        strbuf_add(text, str_of(endings[next_random(state) % 5]));
}

static bool is_number_of(double value, const char *text)
{
    char *end;
    double want = strtod(text, &end);
    if (end == text || *end)
        return monitor_is_absent(value);
    return memcmp(&value, &want, sizeof want) == 0;
}

static void numbers_are_those_of_strtod_in_both_ways_of_reading(void)
{
    enum { ROWS = 30000 };
    Arena *arena = arena_new();
    StrBuf text;
    text = strbuf_new(arena);
    strbuf_add(&text, STR("vpp_stage,name,step,norm,mean,shape\n"));
    const char **numbers = ARENA_ARRAY(arena, const char *, 2 * ROWS);
    uint32_t state = 7;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t n = 0; n < 2; n++) {
            StrBuf number;
            number = strbuf_new(arena);
            add_number(&number, &state);
            numbers[2 * i + n] = str_cstr(arena, strbuf_str(&number));
        }
        strbuf_printf(&text, "%zu,w%zu,%zu,%s,%s,[%zu]\n", i % 3, i % 7, i / 7, numbers[2 * i],
                      numbers[2 * i + 1], i % 7);
    }
    write_text("rows-strtod.csv", strbuf_str(&text));
    for (int general = 0; general < 2; general++) {
        Reading r = begin("rows-strtod.csv");
        open_rows(&r);
        r.rows->general_only = general == 1;
        MonitorRow row;
        size_t count = 0;
        for (; monitor_rows_next(r.rows, &row) && count < ROWS; count++)
            if (row.stage != (int64_t)(count % 3) || row.step != (int64_t)(count / 7) ||
                !is_number_of(row.values[0], numbers[2 * count]) ||
                !is_number_of(row.values[1], numbers[2 * count + 1]))
                break;
        CHECK(count == ROWS);
        end(&r);
    }
    arena_release(arena);
}

static void a_header_without_a_step_is_refused_in_words(void)
{
    write_text("rows-header.csv", STR("vpp_stage,name,norm\n0,w,1\n"));
    Reading r = begin("rows-header.csv");
    open_rows(&r);
    CHECK(!r.open && r.err.line == 1);
    CHECK(str_find(str_of(r.err.text), STR("vpp_stage,name,norm"), 0) != SIZE_MAX);
    end(&r);
}

static void a_folder_a_missing_and_an_empty_file_are_refused(void)
{
    static const char *const paths[] = {".", "rows-nothing.csv", "/dev/null"};
    for (size_t i = 0; i < 3; i++) {
        Reading r = begin(paths[i]);
        open_rows(&r);
        CHECK(!r.open && r.err.text[0] != '\0');
        end(&r);
    }
    write_text("rows-empty.csv", STR(""));
    Reading r = begin("rows-empty.csv");
    open_rows(&r);
    CHECK(!r.open && r.err.text[0] != '\0');
    end(&r);
}

static void columns_are_found_by_name_in_any_order(void)
{
    write_text("rows-order.csv",
               STR("dtype,norm,new_thing,step,name,vpp_stage\nx,1.5,2.5,7,w,3\n"));
    Reading r = begin("rows-order.csv");
    open_rows(&r);
    MonitorRow row;
    CHECK(monitor_rows_next(r.rows, &row));
    CHECK(row.step == 7 && row.stage == 3 && row.values[0] == 1.5 && row.values[1] == 2.5);
    CHECK_TEXT(row.name, "w");
    CHECK_TEXT(r.rows->ops[1].name, "new_thing");
    end(&r);
}

static void names_that_come_in_another_order_are_not_mixed_up(void)
{
    write_text("rows-guess.csv",
               STR("vpp_stage,name,step,norm,shape\n0,a,0,1,[2]\n0,ab,0,2,\"[2, 3]\"\n0,b,0,3,[4]\n"
                   "0,a,1,4,[2]\n0,b,1,5,[4]\n0,ab,1,6,\"[2, 3]\"\n0,c,1,7,[9]\n0,a,2,8,[5]\n"));
    static const char *const names[] = {"a", "ab", "b", "a", "b", "ab", "c", "a"};
    Reading r = begin("rows-guess.csv");
    open_rows(&r);
    MonitorRow row;
    for (size_t i = 0; i < 8; i++) {
        CHECK(monitor_rows_next(r.rows, &row));
        CHECK_TEXT(row.name, names[i]);
        CHECK(row.values[0] == (double)(i + 1));
    }
    CHECK(!monitor_rows_next(r.rows, &row));
    end(&r);
}

int main(void)
{
    CHECK_RUN(rows_go_on_over_the_ends_of_chunks);
    CHECK_RUN(short_decimals_are_the_nearest_doubles);
    CHECK_RUN(numbers_are_those_of_strtod_in_both_ways_of_reading);
    CHECK_RUN(a_header_without_a_step_is_refused_in_words);
    CHECK_RUN(a_folder_a_missing_and_an_empty_file_are_refused);
    CHECK_RUN(columns_are_found_by_name_in_any_order);
    CHECK_RUN(names_that_come_in_another_order_are_not_mixed_up);
    return CHECK_RESULT;
}
