// SPDX-License-Identifier: Apache-2.0
#include "base/str.h"

#include "check.h"

static Arena *arena;

static void texts_are_compared_by_bytes_and_naturally(void)
{
    CHECK(str_equal(STR(""), (Str){NULL, 0}) && str_equal(str_of(NULL), STR("")));
    CHECK(str_equal_nocase(STR("aBc"), STR("AbC")) && !str_equal_nocase(STR("a"), STR("ab")));
    CHECK(str_compare(STR("ab"), STR("abc")) < 0 && str_compare(STR("\xff"), STR("a")) > 0);
    CHECK(str_compare_natural(STR("rank2"), STR("rank10")) < 0);
    CHECK(str_compare_natural(STR("rank10"), STR("rank10")) == 0);
    CHECK(str_compare_natural(STR("rank02"), STR("rank2")) < 0);
    CHECK(str_compare_natural(STR("step99999999999999999999"), STR("step3")) > 0);
}

static void slices_stay_within_the_text(void)
{
    Str text = STR("abcdef");
    CHECK_TEXT(str_slice(text, 2, 4), "cd");
    CHECK_TEXT(str_slice(text, 4, 99), "ef");
    CHECK_TEXT(str_slice(text, 9, 99), "");
    CHECK_TEXT(str_slice(text, 4, 2), "");
    CHECK_TEXT(str_trim(STR(" \t\r\n a b \n")), "a b");
    CHECK_TEXT(str_trim(STR(" \n")), "");
}

static void parts_are_found_from_a_place_on(void)
{
    CHECK(str_find(STR("abcabc"), STR("bc"), 0) == 1 && str_find(STR("abcabc"), STR("bc"), 2) == 4);
    CHECK(str_find(STR("abc"), STR("abcd"), 0) == SIZE_MAX);
    CHECK(str_find(STR("abc"), STR("c"), 99) == SIZE_MAX);
    CHECK(str_find_char(STR("a.b.c"), '.', 2) == 3 && str_rfind_char(STR("a.b.c"), '.') == 3);
    CHECK(str_rfind_char(STR("abc"), '.') == SIZE_MAX);
}

static void a_text_splits_into_as_many_parts_as_it_has_separators_and_one(void)
{
    Str rest = STR("a..b"), part;
    CHECK(str_split(&rest, '.', &part) && str_equal(part, STR("a")));
    CHECK(str_split(&rest, '.', &part) && part.size == 0);
    CHECK(str_split(&rest, '.', &part) && str_equal(part, STR("b")));
    CHECK(!str_split(&rest, '.', &part));
    rest = STR("");
    CHECK(str_split(&rest, '.', &part) && part.size == 0 && !str_split(&rest, '.', &part));
}

static void whole_numbers_are_read_to_their_limits(void)
{
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"1 ", false, 0},
        {"0x10", false, 0},
        {"1.0", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        bool good = str_to_int64(str_of(cases[i].text), &value);
        CHECK(good == cases[i].good && (!good || value == cases[i].value));
    }
    uint64_t value;
    CHECK(str_to_uint64(STR("18446744073709551615"), &value) && value == UINT64_MAX);
    CHECK(!str_to_uint64(STR("18446744073709551616"), &value));
    CHECK(!str_to_uint64(STR("-1"), &value));
}

static void every_occurrence_is_replaced(void)
{
    CHECK_TEXT(str_replace(arena, STR("aXbXX"), STR("X"), STR("--")), "a--b----");
    CHECK_TEXT(str_replace(arena, STR("abc"), STR("abc"), STR("")), "");
    CHECK_TEXT(str_replace(arena, STR("aaa"), STR("aa"), STR("b")), "ba");
    CHECK_TEXT(str_concat(arena, STR("ab"), STR("")), "ab");
}

static void a_buffer_takes_any_bytes_and_any_length(void)
{
    StrBuf buf;
    buf = strbuf_new(arena);
    CHECK(strbuf_str(&buf).size == 0);
    for (int i = 0; i < 3000; i++)
        strbuf_printf(&buf, "%d,", i);
    strbuf_add_char(&buf, '\0');
    strbuf_add(&buf, STR("\0end"));
    Str text = strbuf_str(&buf);
    CHECK(str_starts(text, STR("0,1,2,")) && str_ends(text, STR("2999,\0\0end")));
    Str copy = str_copy(arena, text);
    CHECK(str_equal(copy, text) && copy.data != text.data && copy.data[copy.size] == '\0');
    Str wide = str_printf(arena, "%5000d", 7);
    CHECK(wide.size == 5000 && wide.data[4999] == '7' && wide.data[0] == ' ');
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(texts_are_compared_by_bytes_and_naturally);
    CHECK_RUN(slices_stay_within_the_text);
    CHECK_RUN(parts_are_found_from_a_place_on);
    CHECK_RUN(a_text_splits_into_as_many_parts_as_it_has_separators_and_one);
    CHECK_RUN(whole_numbers_are_read_to_their_limits);
    CHECK_RUN(every_occurrence_is_replaced);
    CHECK_RUN(a_buffer_takes_any_bytes_and_any_length);
    arena_release(arena);
    return CHECK_RESULT;
}
