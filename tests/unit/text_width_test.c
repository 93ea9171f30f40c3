// SPDX-License-Identifier: Apache-2.0
#include "scene/text_width.h"

#include <math.h>

#include "base/utf8.h"
#include "check.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void widths_are_those_of_the_font(void)
{
    CHECK(near(text_width(STR("A"), 2048, 400), 1401));
    CHECK(near(text_width(STR("Ai"), 2048, 400), 1401 + 569));
    CHECK(text_width(STR("Ai"), 10, 700) > text_width(STR("Ai"), 10, 400));
    CHECK(near(text_width(STR("A"), 10, 600), text_width(STR("A"), 10, 700)));
    CHECK(near(text_width(STR("中文"), 12, 400), 24));
    CHECK(near(text_width(STR("e\xCC\x81"), 10, 400), text_width(STR("e"), 10, 400)));
    CHECK(near(text_width(STR(""), 12, 400), 0));
    CHECK(near(text_width_mono(STR("abc"), 2048), 3 * 1233));
    CHECK(near(text_width(STR("\xE2\x80\xA6"), 2048, 400), 2048));
    CHECK(text_width(STR("\x1B"), 10, 400) >= text_width(STR("\\x1B"), 10, 400));
    CHECK(text_width(STR("\xE2\x80\xAE"), 10, 400) >= text_width(STR("\\u202E"), 10, 400));
}

static void a_text_that_fits_stays_as_it_is(void)
{
    Arena *arena = arena_new();
    Str text = STR("blocks.2");
    CHECK(text_fit(text, 10, 400, 100, arena).data == text.data);
    CHECK(text_fit(text, 10, 400, text_width(text, 10, 400), arena).data == text.data);
    arena_release(arena);
}

static void long_texts_are_cut_in_the_middle(void)
{
    Arena *arena = arena_new();
    Str text = STR("Module.transformer.layers.31.self_attention.query_key_value");
    CHECK_TEXT(text_fit(text, 10, 400, 90, arena), "Module.…y_value");
    CHECK_TEXT(text_fit(text, 10, 400, 20, arena), "");
    CHECK_TEXT(text_fit(text, 10, 400, -5, arena), "");
    CHECK_TEXT(text_fit(text, 10, 400, NAN, arena), "");
    arena_release(arena);
}

// A small generator, so that the test is the same everywhere.
static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

static Str random_name(uint64_t *seed, Arena *arena)
{
    static const char *const chinese[] = {"层", "输", "出", "注", "意", "力", "线", "性"};
    uint32_t length = 1 + draw(seed, 300);
    uint32_t mode = draw(seed, 4);
    StrBuf buf;
    buf = strbuf_new(arena);
    for (uint32_t i = 0; i < length; i++) {
        if (mode == 3 && draw(seed, 8) == 0)
            strbuf_add(&buf, STR("\xCC\x81"));  // a combining mark
        else if (mode == 0 || (mode >= 2 && draw(seed, 2)))
            strbuf_add_char(&buf, (char)('!' + (char)draw(seed, 94)));
        else
            strbuf_add(&buf, str_of(chinese[draw(seed, 8)]));
    }
    return strbuf_str(&buf);
}

static void every_cut_fits_and_is_whole_characters(void)
{
    uint64_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        Arena *arena = arena_new();
        Str name = random_name(&seed, arena);
        double width = draw(&seed, 400);
        int weight = draw(&seed, 2) ? 400 : 700;
        double size = 9 + draw(&seed, 20);
        Str cut = text_fit(name, size, weight, width, arena);
        CHECK(text_width(cut, size, weight) <= width);
        CHECK(utf8_valid(cut));
        CHECK(cut.size > 0 || width < 6 * size);
        arena_release(arena);
    }
}

static void check_distinct(const Str *names, size_t count, double width, Arena *arena)
{
    Str *out = ARENA_ARRAY(arena, Str, count);
    text_fit_distinct(names, count, 11, 400, width, arena, out);
    for (size_t i = 0; i < count; i++) {
        CHECK(text_width(out[i], 11, 400) <= width);
        CHECK(utf8_valid(out[i]));
        for (size_t j = 0; j < i; j++)
            CHECK(str_equal(out[i], out[j]) == str_equal(names[i], names[j]));
    }
}

static void names_that_differ_anywhere_stay_distinct(void)
{
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        Arena *arena = arena_new();
        Str names[9];
        Str base = random_name(&seed, arena);
        for (size_t i = 0; i < 9; i++) {
            size_t at = draw(&seed, (uint32_t)base.size + 1);
            while (at > 0 && at < base.size && ((unsigned char)base.data[at] & 0xC0) == 0x80)
                at--;
            Str tail = str_slice(base, at, base.size);
            names[i] = str_printf(arena, "%.*s%zu" STR_FMT, (int)at, base.data, i, STR_ARG(tail));
        }
        check_distinct(names, 9, 110 + draw(&seed, 200), arena);
        arena_release(arena);
    }
}

static void names_that_differ_in_two_places_stay_distinct(void)
{
    Arena *arena = arena_new();
    Str names[16];
    for (size_t i = 0; i < 16; i++)
        names[i] = str_printf(arena,
                              "Module.a_very_long_prefix_that_all_of_them_have.%zu."
                              "something_in_the_middle_of_it.%zu.and_the_same_ending_too",
                              i / 4, i % 4);
    check_distinct(names, 16, 120, arena);
    names[3] = names[2];
    check_distinct(names, 16, 120, arena);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(widths_are_those_of_the_font);
    CHECK_RUN(a_text_that_fits_stays_as_it_is);
    CHECK_RUN(long_texts_are_cut_in_the_middle);
    CHECK_RUN(every_cut_fits_and_is_whole_characters);
    CHECK_RUN(names_that_differ_anywhere_stay_distinct);
    CHECK_RUN(names_that_differ_in_two_places_stay_distinct);
    return CHECK_RESULT;
}
