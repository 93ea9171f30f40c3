// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <string.h>

#include "check.h"

static void every_byte_is_plain_or_not_whether_char_has_a_sign_or_none(void)
{
    for (int byte = 0; byte < 256; byte++) {
        char text[] = {'a', (char)(unsigned char)byte};
        bool printable = byte >= ' ' && byte <= '~';
        CHECK(utf8_plain((Str){text, 2}, "") == printable);
        CHECK(utf8_plain((Str){text, 2}, "\n\t") == (printable || byte == '\n' || byte == '\t'));
    }
}

static void a_byte_is_seen_wherever_it_stands(void)
{
    char text[20];
    for (size_t at = 0; at < sizeof text; at++)
        for (int byte = 0; byte < 256; byte++) {
            memset(text, at % 2 ? ' ' : '~', sizeof text);
            text[at] = (char)(unsigned char)byte;
            CHECK(utf8_plain((Str){text, sizeof text}, "") == (byte >= ' ' && byte <= '~'));
        }
}

static void what_could_turn_a_line_round_is_shown_as_an_escape(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(utf8_display(STR("ev\xE2\x80\xAEl\xFF\x7F\xC2\x85"), arena),
               "ev\\u202El\xEF\xBF\xBD\\x7F\\x85");
    CHECK_TEXT(utf8_display(STR("\xE5\xB1\x82 plain"), arena), "\xE5\xB1\x82 plain");
    arena_release(arena);
}

static void a_beginning_ends_between_characters(void)
{
    Str text = STR("a\xE5\x90\x8D\xF0\x9F\x98\x80z");
    static const size_t sizes[] = {0, 1, 1, 1, 4, 4, 4, 4, 8, 9, 9};
    for (size_t most = 0; most < sizeof sizes / sizeof *sizes; most++)
        CHECK(utf8_start(text, most).size == sizes[most]);
    CHECK(utf8_start(STR("\x80\x80\x80\x80\x80\x80\x80"), 5).size == 2);  // no UTF-8 at all
}

int main(void)
{
    CHECK_RUN(every_byte_is_plain_or_not_whether_char_has_a_sign_or_none);
    CHECK_RUN(a_byte_is_seen_wherever_it_stands);
    CHECK_RUN(what_could_turn_a_line_round_is_shown_as_an_escape);
    CHECK_RUN(a_beginning_ends_between_characters);
    return CHECK_RESULT;
}
