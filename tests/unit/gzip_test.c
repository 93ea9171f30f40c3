// SPDX-License-Identifier: Apache-2.0
#include "read/archive/gzip.h"

#include <string.h>
#include <zlib.h>

#include "check.h"

static Arena *arena;

// The bytes as a ZIP archive packs them: deflate without any header.
static Str deflated(Str text)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    size_t room = deflateBound(&stream, text.size);
    char *out = ARENA_ARRAY(arena, char, room);
    stream.next_in = (z_const Bytef *)(uintptr_t)text.data;
    stream.avail_in = (uInt)text.size;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH);
    Str packed = {out, stream.total_out};
    deflateEnd(&stream);
    return packed;
}

static Str zeros(size_t size)
{
    return (Str){ARENA_ARRAY(arena, char, size), size};
}

static void a_stream_gives_its_bytes_where_its_size_is_told_right(void)
{
    Str out, texts[] = {STR(""), STR("x"), STR("what is packed, packed, packed"), zeros(1000000)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Str packed = deflated(texts[i]);
        CHECK(deflate_unpack(packed, texts[i].size, arena, &out));
        CHECK(str_equal(out, texts[i]));
        CHECK(!deflate_unpack(packed, texts[i].size + 1, arena, &out));
        CHECK(!texts[i].size || !deflate_unpack(packed, texts[i].size - 1, arena, &out));
    }
}

static void a_stream_that_is_cut_or_no_stream_gives_nothing(void)
{
    Str out, packed = deflated(STR("what is packed, packed, packed"));
    for (size_t size = 0; size < packed.size; size++)
        CHECK(!deflate_unpack(str_slice(packed, 0, size), 30, arena, &out));
    CHECK(!deflate_unpack(STR("\xFF\xFF\xFF\xFF"), 30, arena, &out));
}

static void more_than_deflate_can_hold_is_not_asked_for(void)
{
    Str out;
    CHECK(!deflate_unpack(deflated(STR("x")), UINT64_MAX, arena, &out));
    CHECK(!deflate_unpack(deflated(STR("x")), (uint64_t)1 << 40, arena, &out));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_stream_gives_its_bytes_where_its_size_is_told_right);
    CHECK_RUN(a_stream_that_is_cut_or_no_stream_gives_nothing);
    CHECK_RUN(more_than_deflate_can_hold_is_not_asked_for);
    arena_release(arena);
    return CHECK_RESULT;
}
