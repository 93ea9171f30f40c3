// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/npy.h"

#include "check.h"

static Arena *arena;
static Notices notices;
static Error err;
static Tensor tensor;

// A file of version 1 with this header and room for `data` bytes behind it.
static bool reads(const char *header, size_t data)
{
    size_t size = strlen(header);
    char *bytes = arena_alloc(arena, 10 + size + data);
    memset(bytes, 0, 10 + size + data);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (char)(size & 255);
    bytes[9] = (char)(size >> 8);
    memcpy(bytes + 10, header, size);
    notices_init(&notices, arena);
    err = (Error){0};
    return npy_read("a.npy", (Str){bytes, 10 + size + data}, &tensor, &notices, &err);
}

static void a_broken_header_is_refused_at_its_byte_with_what_was_expected(void)
{
    static const struct {
        const char *header, *text;
        int64_t byte;
    } cases[] = {
        {"[1]", "expected a dict", 10},
        {"{descr: '<f4'}", "expected a quoted text", 11},
        {"{'descr: <f4}", "a quoted text does not end", 11},
        {"{'descr' '<f4'}", "expected a colon after a key", 19},
        {"{'descr': '<f4' 'shape'", "expected a comma after a value", 26},
        {"{'kind': '<f4'}", "expected the keys descr, fortran_order and shape only", 18},
        {"{'fortran_order': no}", "expected True or False", 28},
        {"{'shape': 3}", "expected the shape in parentheses", 20},
        {"{'shape': (a,)}", "expected a size of the shape", 21},
        {"{'shape': (-1,)}", "expected a size of the shape", 21},
        {"{'shape': (1 2)}", "expected a comma in the shape", 23},
        {"{'descr': '<f4', 'fortran_order': False}",
         "one of descr, fortran_order and shape is missing", 50},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "text after the dict", 66},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!reads(cases[i].header, 4));
        CHECK(str_find(str_of(err.text), str_of(cases[i].text), 0) != SIZE_MAX);
        CHECK(err.kind == ERR_INPUT && err.byte == cases[i].byte);
        CHECK_TEXT(str_of(err.file), "a.npy");
    }
}

static void arrays_that_are_no_tensors_are_refused_with_their_kind(void)
{
    static const char *const cases[][2] = {
        {"|O", "an array of Python objects (pickled) is not read"},
        {"<U3", "an array of strings has no numbers to compare"},
        {"|S7", "an array of strings has no numbers to compare"},
        {"|V16", "an array of raw bytes has no known meaning"},
        {"<M8", "an array of dates is not a tensor"},
        {"<m8", "an array of dates is not a tensor"},
        {"<g16", "a number type that is not known"},
        {"", "a number type that is not known"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}",
                 cases[i][0]);
        CHECK(!reads(header, 32));
        CHECK(str_starts(str_of(err.text), str_of(cases[i][1])));
        CHECK(str_find(str_of(err.text), STR("shape [2]"), 0) != SIZE_MAX);
    }
    CHECK(!reads("{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (2,)}",
                 32));
    CHECK(str_starts(str_of(err.text), STR("a structured array")));
}

static void shapes_that_no_file_can_hold_are_refused(void)
{
    char header[1024] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    CHECK(!reads("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 4));
    CHECK_TEXT(str_of(err.text), "the product of the shape is larger than any file");
    CHECK(!reads("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4));
    for (int i = 0; i < 65; i++)
        strcat(header, "1,");
    strcat(header, ")}");
    CHECK(!reads(header, 4));
    CHECK(str_find(str_of(err.text), STR("more than 64 axes"), 0) != SIZE_MAX);
}

static void a_file_that_ends_in_its_header_is_refused(void)
{
    static const struct {
        Str bytes;
        const char *text;
        int64_t byte;
    } cases[] = {
        {{"\x93NUMPY\1\0\1", 9}, "the file ends inside the .npy header", 9},
        {{"\x93NUMPY\2\0\1\0", 10}, "the file ends inside the .npy header", 10},
        {{"\x93NUMPY\7\0\1\0", 10}, "expected .npy version 1, 2 or 3, found 7", 6},
        {{"\x93NUMPY\1\0\x77\0{}", 12}, "the .npy header of 119 bytes is longer than", 8},
    };
    notices_init(&notices, arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!npy_read("a.npy", cases[i].bytes, &tensor, &notices, &err));
        CHECK(str_starts(str_of(err.text), str_of(cases[i].text)) && err.byte == cases[i].byte);
    }
}

static void bytes_behind_the_last_element_are_told(void)
{
    CHECK(reads("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 12));
    CHECK(notices.count == 1 && notices.items[0].byte == 10 + 55 + 8);
    CHECK(!reads("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7));
    CHECK_TEXT(str_of(err.text), "the shape needs 8 bytes of data, the file holds 7");
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_broken_header_is_refused_at_its_byte_with_what_was_expected);
    CHECK_RUN(arrays_that_are_no_tensors_are_refused_with_their_kind);
    CHECK_RUN(shapes_that_no_file_can_hold_are_refused);
    CHECK_RUN(a_file_that_ends_in_its_header_is_refused);
    CHECK_RUN(bytes_behind_the_last_element_are_told);
    arena_release(arena);
    return CHECK_RESULT;
}
