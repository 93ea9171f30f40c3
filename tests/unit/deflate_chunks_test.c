// SPDX-License-Identifier: Apache-2.0
#include "renderers/deflate_chunks.h"

#include "check.h"

// `size` bytes of a text that repeats itself farther than a chunk.
static Str text_of(size_t size, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    for (unsigned i = 0; buf.size < size; i++)
        strbuf_printf(&buf, "<c r=\"A%u\"><v>%u</v></c>", i, i * 2654435761u % 10007);
    return str_slice(strbuf_str(&buf), 0, size);
}

// What is deflated, ended by an empty last block.
static Str deflated(Deflater *deflater, Str text, size_t step, Arena *arena)
{
    DeflatedText to = {.file = tmpfile()};
    CHECK(to.file != NULL);
    deflater_start(deflater, &to);
    for (size_t at = 0; at < text.size; at += step)
        deflater_add(deflater, str_slice(text, at, at + step));
    deflater_end(deflater);
    CHECK(to.size == text.size);
    char *bytes = arena_alloc(arena, to.packed_size);
    rewind(to.file);
    CHECK(fread(bytes, 1, to.packed_size, to.file) == to.packed_size && fgetc(to.file) == EOF);
    fclose(to.file);
    Str end = deflate_piece((Str){"", 0}, true, arena);
    return str_concat(arena, (Str){bytes, to.packed_size}, end);
}

static void what_is_deflated_inflates_to_itself(void)
{
    Arena *arena = arena_new();
    Deflater *deflater = deflater_new(arena, NULL);
    static const size_t sizes[] = {0, 1, 131071, 131072, 131073, 262144, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Str text = text_of(sizes[i], arena);
        Str packed = deflated(deflater, text, 70001, arena);
        CHECK(str_equal(inflate_piece(packed, text.size, arena), text));
        CHECK(packed.size < text.size / 4 + 100);
    }
    deflater_free(deflater);
    arena_release(arena);
}

static void the_bytes_depend_on_no_crew_and_no_step(void)
{
    Arena *arena = arena_new();
    Crew *crew = crew_new(arena);  // of nobody: whoever gives does the work
    Deflater *alone = deflater_new(arena, NULL), *many = deflater_new(arena, crew);
    Str text = text_of(1500000, arena);
    Str packed = deflated(alone, text, text.size, arena);
    CHECK(str_equal(packed, deflated(many, text, 999, arena)));
    CHECK(str_equal(packed, deflated(many, text, 200000, arena)));
    deflater_free(alone);
    deflater_free(many);
    crew_free(crew);
    arena_release(arena);
}

static void what_is_cut_or_longer_than_told_inflates_to_nothing(void)
{
    Arena *arena = arena_new();
    Str text = text_of(1000, arena);
    Str packed = deflate_piece(text, true, arena);
    CHECK(str_equal(inflate_piece(packed, 1000, arena), text));
    CHECK(inflate_piece(packed, 999, arena).size == 0);
    CHECK(inflate_piece(packed, 1001, arena).size == 0);
    CHECK(inflate_piece(str_slice(packed, 0, packed.size - 1), 1000, arena).size == 0);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(what_is_deflated_inflates_to_itself);
    CHECK_RUN(the_bytes_depend_on_no_crew_and_no_step);
    CHECK_RUN(what_is_cut_or_longer_than_told_inflates_to_nothing);
    return CHECK_RESULT;
}
