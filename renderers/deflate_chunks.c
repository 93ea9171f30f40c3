// SPDX-License-Identifier: Apache-2.0
#include "renderers/deflate_chunks.h"

#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

// Level 6, zlib's own, takes half as long again for rows of numbers and makes 4 % less of them.
enum { CHUNK = 1 << 17, WINDOW = 1 << 15, CHUNKS_AT_ONCE = 4, LEVEL = 5, MEMORY_LEVEL = 8 };

typedef struct Chunk {
    CrewTask task;  // first: a task is its chunk
    z_stream stream;
    unsigned char *bytes;  // what stands before it, then the chunk
    unsigned char *packed;
    size_t before, size, room, packed_size;
    uLong crc;
} Chunk;

struct Deflater {
    Crew *crew;
    DeflatedText *to;
    size_t count;        // of chunks there is room for
    size_t first, used;  // those on their way, then the one that is being filled
    Chunk chunks[CHUNKS_AT_ONCE];
};

static void start_stream(z_stream *stream)
{
    *stream = (z_stream){0};
    if (deflateInit2(stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        out_of_memory();
}

static void deflate_chunk(CrewTask *task)
{
    Chunk *chunk = (Chunk *)task;
    z_stream *stream = &chunk->stream;
    unsigned char *text = chunk->bytes + chunk->before;
    deflateReset(stream);
    if (chunk->before)
        deflateSetDictionary(stream, chunk->bytes, (uInt)chunk->before);
    stream->next_in = text;
    stream->avail_in = (uInt)chunk->size;
    stream->next_out = chunk->packed;
    stream->avail_out = (uInt)chunk->room;
    deflate(stream, Z_SYNC_FLUSH);  // `room` is enough
    chunk->packed_size = chunk->room - stream->avail_out;
    chunk->crc = crc32(0, text, (uInt)chunk->size);
}

Deflater *deflater_new(Arena *arena, Crew *crew)
{
    Deflater *deflater = ARENA_NEW(arena, Deflater);
    deflater->crew = crew;
    deflater->count = crew ? CHUNKS_AT_ONCE : 1;
    for (size_t i = 0; i < deflater->count; i++) {
        Chunk *chunk = &deflater->chunks[i];
        start_stream(&chunk->stream);
        chunk->task.work = deflate_chunk;
        chunk->bytes = arena_alloc(arena, WINDOW + CHUNK);
        chunk->room = deflateBound(&chunk->stream, CHUNK) + 16;  // and the empty block at the end
        chunk->packed = arena_alloc(arena, chunk->room);
    }
    return deflater;
}

static Chunk *filling(Deflater *deflater)
{
    return &deflater->chunks[(deflater->first + deflater->used) % deflater->count];
}

static void finish_first(Deflater *deflater)
{
    Chunk *chunk = &deflater->chunks[deflater->first];
    DeflatedText *to = deflater->to;
    crew_finish(deflater->crew, &chunk->task);
    fwrite(chunk->packed, 1, chunk->packed_size, to->file);
    to->crc = (uint32_t)crc32_combine(to->crc, chunk->crc, (z_off_t)chunk->size);
    to->size += chunk->size;
    to->packed_size += chunk->packed_size;
    deflater->first = (deflater->first + 1) % deflater->count;
    deflater->used--;
}

void deflater_start(Deflater *deflater, DeflatedText *to)
{
    deflater->to = to;
    filling(deflater)->before = 0;
    filling(deflater)->size = 0;
}

// The chunk is full: the next one, whose place is free by then.
static void go_on(Deflater *deflater)
{
    const Chunk *full = filling(deflater);
    crew_give(deflater->crew, &filling(deflater)->task);
    if (++deflater->used == deflater->count)
        finish_first(deflater);
    Chunk *next = filling(deflater);
    memmove(next->bytes, full->bytes + full->before + full->size - WINDOW, WINDOW);
    next->before = WINDOW;
    next->size = 0;
}

void deflater_add(Deflater *deflater, Str text)
{
    while (text.size) {
        Chunk *chunk = filling(deflater);
        size_t fits = CHUNK - chunk->size < text.size ? CHUNK - chunk->size : text.size;
        memcpy(chunk->bytes + chunk->before + chunk->size, text.data, fits);
        chunk->size += fits;
        text = str_slice(text, fits, text.size);
        if (chunk->size == CHUNK)
            go_on(deflater);
    }
}

void deflater_end(Deflater *deflater)
{
    if (filling(deflater)->size) {
        crew_give(deflater->crew, &filling(deflater)->task);
        deflater->used++;
    }
    while (deflater->used)
        finish_first(deflater);
    deflater->to = NULL;
}

void deflater_free(Deflater *deflater)
{
    if (!deflater)
        return;
    if (deflater->to)
        deflater_end(deflater);
    for (size_t i = 0; i < deflater->count; i++)
        deflateEnd(&deflater->chunks[i].stream);
}

Str deflate_piece(Str text, bool last, Arena *arena)
{
    z_stream stream;
    start_stream(&stream);
    size_t room = deflateBound(&stream, text.size) + 16;
    unsigned char *packed = arena_alloc(arena, room);
    stream.next_in = (const unsigned char *)text.data;
    stream.avail_in = (uInt)text.size;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
    deflateEnd(&stream);
    return (Str){(char *)packed, room - stream.avail_out};
}

Str inflate_piece(Str packed, size_t size, Arena *arena)
{
    z_stream stream = {0};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        out_of_memory();
    unsigned char *text = arena_alloc(arena, size);
    stream.next_in = (const unsigned char *)packed.data;
    stream.avail_in = (uInt)packed.size;
    stream.next_out = text;
    stream.avail_out = (uInt)size;
    int end = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return (Str){(char *)text, end == Z_STREAM_END && stream.avail_out == 0 ? size : 0};
}
