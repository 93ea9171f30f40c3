// SPDX-License-Identifier: Apache-2.0
#include "read/archive/gzip.h"

#include <limits.h>
#include <zlib.h>

enum { BLOCK = 1 << 18, TRAILER = 8, SIZE_AT = 4, WITH_HEADER = 16 + MAX_WBITS };

bool gzip_is(Str bytes)
{
    return str_starts(bytes, STR("\x1F\x8B\x08"));
}

uint64_t gzip_limit(size_t packed)
{
    const uint64_t most = (uint64_t)4 << 30, begin = (uint64_t)256 << 20, ratio = 200;
    return packed > (most - begin) / ratio ? most : begin + ratio * packed;
}

typedef struct Unpack {
    z_stream stream;
    Str rest;  // not given to the stream yet
    char *data;
    size_t size, capacity;
} Unpack;

static bool begin(Unpack *work, Str packed, int window)
{
    *work = (Unpack){.rest = packed};
    return inflateInit2(&work->stream, window) == Z_OK;
}

static void feed(Unpack *work)
{
    size_t size = work->rest.size < UINT_MAX ? work->rest.size : UINT_MAX;
    if (work->stream.avail_in || size == 0)
        return;
    work->stream.next_in = (z_const Bytef *)(uintptr_t)work->rest.data;
    work->stream.avail_in = (uInt)size;
    work->rest = str_slice(work->rest, size, work->rest.size);
}

// How large the text says that it is, modulo 4 GiB: a guess, since members may follow each other.
static size_t told_size(Str packed, uint64_t limit)
{
    if (packed.size < TRAILER)
        return BLOCK;
    const unsigned char *end = (const unsigned char *)packed.data + packed.size - SIZE_AT;
    uint64_t size =
        end[0] | (uint64_t)end[1] << 8 | (uint64_t)end[2] << 16 | (uint64_t)end[3] << 24;
    return (size_t)(size < limit ? size : limit) + 1;
}

static void make_room(Unpack *work, Arena *arena, size_t guess)
{
    size_t capacity = work->capacity ? 2 * work->capacity : guess;
    if (work->size < work->capacity)
        return;
    work->data = arena_grow(arena, work->data, work->capacity, capacity);
    work->capacity = capacity;
}

// After the end of a member: another one, zeros that pad the file, or damage.
static int next_member(Unpack *work)
{
    feed(work);
    Str rest = {(const char *)work->stream.next_in, work->stream.avail_in};
    if (rest.size && gzip_is(rest))
        return inflateReset(&work->stream);
    for (size_t i = 0; i < rest.size; i++)
        if (rest.data[i])
            return Z_DATA_ERROR;
    return Z_STREAM_END;
}

static int inflate_more(Unpack *work)
{
    size_t room = work->capacity - work->size;
    feed(work);
    work->stream.next_out = (Bytef *)work->data + work->size;
    work->stream.avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    uInt before = work->stream.avail_out;
    int code = inflate(&work->stream, Z_NO_FLUSH);
    work->size += before - work->stream.avail_out;
    return code;
}

static int step(Unpack *work)
{
    int code = inflate_more(work);
    return code == Z_STREAM_END ? next_member(work) : code;
}

GzipEnd gzip_unpack(Str packed, uint64_t limit, Arena *arena, Str *out)
{
    Unpack work;
    size_t guess = told_size(packed, limit);
    *out = STR("");
    if (!begin(&work, packed, WITH_HEADER))
        return GZIP_BROKEN;
    int code = Z_OK;
    while (code == Z_OK && work.size <= limit) {
        make_room(&work, arena, guess);
        code = step(&work);
    }
    inflateEnd(&work.stream);
    *out = (Str){work.data, work.size};
    if (work.size > limit)
        return GZIP_TOO_LARGE;
    return code == Z_STREAM_END ? GZIP_WHOLE : GZIP_BROKEN;
}

bool deflate_unpack(Str packed, uint64_t size, Arena *arena, Str *out)
{
    enum { MOST = 1032, SLACK = 64 };  // of a byte; in a first block
    Unpack work;
    *out = STR("");
    if (size > SLACK + MOST * (uint64_t)packed.size || !begin(&work, packed, -MAX_WBITS))
        return false;
    work.capacity = (size_t)size + 1;  // one more byte than there may be is too many
    work.data = ARENA_ARRAY(arena, char, work.capacity);
    int code = Z_OK;
    while (code == Z_OK && work.size <= size)
        code = inflate_more(&work);
    inflateEnd(&work.stream);
    *out = (Str){work.data, work.size};
    return code == Z_STREAM_END && work.size == size;
}

size_t gzip_begin(Str packed, char *room, size_t size)
{
    Unpack work;
    if (!gzip_is(packed) || !begin(&work, packed, WITH_HEADER))
        return 0;
    work.data = room;
    work.capacity = size;
    for (int code = Z_OK; code == Z_OK && work.size < work.capacity;)
        code = step(&work);
    inflateEnd(&work.stream);
    return work.size;
}
