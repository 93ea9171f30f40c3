// SPDX-License-Identifier: Apache-2.0
#include "renderers/deflate_text.h"

#include "check.h"

// `size` bytes of a text that repeats itself.
static Str text_of(size_t size, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    for (unsigned i = 0; buf.size < size; i++)
        strbuf_printf(&buf, "<c r=\"A%u\"><v>%u</v></c>", i, i * 2654435761u % 10007);
    return str_slice(strbuf_str(&buf), 0, size);
}

static void what_is_deflated_inflates_to_itself(void)
{
    Arena *arena = arena_new();
    static const size_t sizes[] = {1, 65535, 65536, 131072, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Str text = text_of(sizes[i], arena), packed = deflate_last(text, arena);
        CHECK(str_equal(inflate_text(packed, text.size, arena), text));
        CHECK(packed.size < text.size / 4 + 100);
        Str both = str_concat(arena, deflate_stored(text, arena), packed);
        CHECK(str_equal(inflate_text(both, 2 * text.size, arena), str_concat(arena, text, text)));
    }
    CHECK(deflate_last((Str){"", 0}, arena).size > 0 && deflate_stored((Str){0}, arena).size == 0);
    arena_release(arena);
}

static void the_checksum_of_pieces_is_that_of_the_whole(void)
{
    CHECK(deflate_crc(0, STR("123456789")) == 0xcbf43926u);
    CHECK(deflate_crc(deflate_crc(0, STR("1234")), STR("56789")) == 0xcbf43926u);
}

static void what_is_cut_or_longer_than_told_inflates_to_nothing(void)
{
    Arena *arena = arena_new();
    Str text = text_of(1000, arena);
    Str packed = deflate_last(text, arena);
    CHECK(str_equal(inflate_text(packed, 1000, arena), text));
    CHECK(inflate_text(packed, 999, arena).size == 0);
    CHECK(inflate_text(packed, 1001, arena).size == 0);
    CHECK(inflate_text(str_slice(packed, 0, packed.size - 1), 1000, arena).size == 0);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(what_is_deflated_inflates_to_itself);
    CHECK_RUN(the_checksum_of_pieces_is_that_of_the_whole);
    CHECK_RUN(what_is_cut_or_longer_than_told_inflates_to_nothing);
    return CHECK_RESULT;
}
