// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"

static Arena *arena;

static void the_layout_is_one_a_line_and_flat_where_asked_for(void)
{
    JsonWriter json;
    json_writer_init(&json, sink_memory(arena));
    json_object(&json);
    json_key(&json, "empty");
    json_array(&json);
    json_array_end(&json);
    json_key(&json, "list");
    json_array(&json);
    json_int(&json, -1);
    json_object_flat(&json);
    json_key(&json, "a");
    json_bool(&json, true);
    json_key(&json, "b");
    json_text(&json, NULL);
    json_object_end(&json);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
    CHECK_TEXT(sink_bytes(json.out),
               "{\n \"empty\": [],\n \"list\": [\n  -1,\n  {\"a\": true, \"b\": null}\n ]\n}\n");
    sink_discard(json.out);
}

static Str written(double value)
{
    JsonWriter json;
    json_writer_init(&json, sink_memory(arena));
    json_number(&json, value);
    Str out = sink_bytes(json.out);
    sink_discard(json.out);
    return out;
}

static void numbers_read_back_and_what_is_none_is_a_text(void)
{
    static const double values[] = {0.1, 1e-310, DBL_MAX, -5e-324, 1.0 / 3, 123456789012345680.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        Str text = written(values[i]);
        CHECK(text.size <= 24 && strtod(str_cstr(arena, text), NULL) == values[i]);
    }
    CHECK_TEXT(written((double)NAN), "\"NaN\"");
    CHECK_TEXT(written((double)INFINITY), "\"Infinity\"");
    CHECK_TEXT(written(-(double)INFINITY), "\"-Infinity\"");
}

static void texts_are_escaped_and_bad_bytes_become_the_replacement(void)
{
    JsonWriter json;
    json_writer_init(&json, sink_memory(arena));
    json_str(&json, STR("\"\\\b\n\x01 \xe4\xbd\xa0 \xff"));
    Str out = sink_bytes(json.out);
    sink_discard(json.out);
    CHECK(str_starts(out, STR("\"\\\"\\\\")) && str_find(out, STR("\\u0001"), 0) != SIZE_MAX);
    CHECK(str_find(out, STR("\xe4\xbd\xa0"), 0) != SIZE_MAX);
    CHECK(str_ends(out, STR("\xef\xbf\xbd\"")));
}

static Str quoted(Str text)
{
    JsonWriter json;
    json_writer_init(&json, sink_memory(arena));
    json_str(&json, text);
    Str out = sink_bytes(json.out);
    sink_discard(json.out);
    return out;
}

// Texts are looked at by eight characters.
static void a_character_is_written_as_it_is_alone_wherever_it_stands(void)
{
    for (int c = 1; c < 0x80; c++) {
        char letter = (char)c;
        Str alone = quoted((Str){&letter, 1});
        for (size_t at = 0; at < 19; at++) {
            char text[20] = "~ !#[]abcdefghijklm";
            text[at] = letter;
            Str out = quoted((Str){text, 19});
            CHECK(out.size == 18 + alone.size);
            CHECK(str_equal(str_slice(out, 1 + at, at + alone.size - 1),
                            str_slice(alone, 1, alone.size - 1)));
            CHECK(str_equal(str_slice(out, at + alone.size - 1, out.size - 1),
                            str_slice((Str){text, 19}, at + 1, 19)));
        }
    }
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(the_layout_is_one_a_line_and_flat_where_asked_for);
    CHECK_RUN(numbers_read_back_and_what_is_none_is_a_text);
    CHECK_RUN(texts_are_escaped_and_bad_bytes_become_the_replacement);
    CHECK_RUN(a_character_is_written_as_it_is_alone_wherever_it_stands);
    arena_release(arena);
    return CHECK_RESULT;
}
