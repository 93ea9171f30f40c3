// SPDX-License-Identifier: Apache-2.0
#include "renderers/zip_pack.h"

#include <zip.h>

#include "check.h"

enum { LARGE = 1500000, PIECE = 777 };

// Bytes that repeat, but not from one place to the next.
static Str large_text(Arena *arena)
{
    char *text = arena_alloc(arena, LARGE);
    uint32_t state = 1;
    for (size_t i = 0; i < LARGE; i++) {
        state = state * 1664525u + 1013904223u;
        text[i] = (char)('a' + (state >> 24) % 17);
        if (i > 40000 && i % 64 > 20)
            text[i] = text[i - 20000];
    }
    return (Str){text, LARGE};
}

static Str pack(int jobs, Str text, Arena *arena)
{
    Error err;
    Sink *sink = sink_memory(arena);
    ZipPack *out = zip_pack_new(sink, jobs, arena);
    zip_pack_part(out, "empty.xml");
    zip_pack_part(out, "small.xml");
    zip_pack_write(out, STR("<a/>"));
    zip_pack_part(out, "large.xml");
    for (size_t at = 0; at < text.size; at += PIECE)
        zip_pack_write(out, str_slice(text, at, at + PIECE));
    zip_pack_part(out, "whole.xml");
    zip_pack_write(out, text);
    CHECK(zip_pack_end(out, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static void check_part(zip_t *zip, const char *name, Str want, Arena *arena)
{
    zip_stat_t about;
    CHECK(zip_stat(zip, name, 0, &about) == 0 && about.size == want.size);
    char *bytes = arena_alloc(arena, want.size + 1);
    zip_file_t *file = zip_fopen(zip, name, 0);
    // Its end checks the CRC too.
    CHECK(file && zip_fread(file, bytes, want.size + 1) == (zip_int64_t)want.size);
    CHECK(memcmp(bytes, want.data, want.size) == 0);
    zip_fclose(file);
}

static void parts_of_any_size_are_read_back(void)
{
    Arena *arena = arena_new();
    Str text = large_text(arena), bytes = pack(1, text, arena);
    zip_error_t why;
    zip_source_t *source = zip_source_buffer_create(bytes.data, bytes.size, 0, &why);
    zip_t *zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &why);
    CHECK(zip && zip_get_num_entries(zip, 0) == 4);
    check_part(zip, "empty.xml", STR(""), arena);
    check_part(zip, "small.xml", STR("<a/>"), arena);
    check_part(zip, "large.xml", text, arena);
    check_part(zip, "whole.xml", text, arena);
    zip_discard(zip);
    arena_release(arena);
}

static void the_bytes_are_the_same_for_any_number_of_threads(void)
{
    Arena *arena = arena_new();
    Str text = large_text(arena), alone = pack(1, text, arena);
    CHECK(str_equal(alone, pack(2, text, arena)));
    CHECK(str_equal(alone, pack(7, text, arena)));
    // A block knows what came before it: the second copy of what is near costs next to nothing.
    CHECK(alone.size < LARGE);
    arena_release(arena);
}

static void what_the_format_cannot_say_is_an_error(void)
{
    Arena *arena = arena_new();
    Error err;
    Sink *sink = sink_memory(arena);
    ZipPack *out = zip_pack_new(sink, 1, arena);
    for (int i = 0; i <= ZIP_PARTS_MAX; i++)
        zip_pack_part(out, "a");
    CHECK(!zip_pack_end(out, &err) && err.kind == ERR_OUTPUT);
    CHECK(strstr(err.text, "larger than 4 GB"));
    sink_discard(sink);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(parts_of_any_size_are_read_back);
    CHECK_RUN(the_bytes_are_the_same_for_any_number_of_threads);
    CHECK_RUN(what_the_format_cannot_say_is_an_error);
    return CHECK_RESULT;
}
