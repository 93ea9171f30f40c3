// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

// Small requests are cut from chunks; a request of LARGE bytes or more gets a block of its own, so
// that arena_grow can move it with realloc, one of PAGED_LEAST or more large pages. The first chunk
// is small, as many arenas live for a few texts; each further one is twice the one before, and an
// arena that has grown to CHUNKS_PAGED takes large pages: a fault for 2 MB instead of 512.
#define ALIGNMENT   16u
#define CHUNK_FIRST (2u * 1024u)
#define CHUNK_BYTES (64u * 1024u)
#define LARGE       (16u * 1024u)
#define CHUNK_PAGED (2u * 1024u * 1024u)

// What reads past a block of the allocator the sanitizers see.
#ifdef VERNIER_SANITIZED
#define PAGED_LEAST  SIZE_MAX
#define CHUNKS_PAGED SIZE_MAX
#else
#define PAGED_LEAST  PAGES_LEAST
#define CHUNKS_PAGED ((size_t)4 * 1024 * 1024)
#endif

typedef struct Chunk {
    struct Chunk *next;
    size_t used, size;
    bool paged;
} Chunk;

typedef struct Large {
    struct Large *prev, *next;
    size_t size;
    void *pages;  // that it is in, so many bytes; NULL: it is the allocator's
    size_t paged;
} Large;

struct Arena {
    Chunk *chunks;
    Large *larges;
    size_t bytes, paged;
    Arena *children, *sibling;
};

_Noreturn void out_of_memory(void)
{
    fputs("vernier: out of memory\n", stderr);
    exit(3);
}

static size_t add_checked(size_t a, size_t b)
{
    if (a > SIZE_MAX - b)
        out_of_memory();
    return a + b;
}

static size_t round_up(size_t size)
{
    return add_checked(size, ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t chunk_header(void)
{
    return round_up(sizeof(Chunk));
}

static size_t large_header(void)
{
    return round_up(sizeof(Large));
}

Arena *arena_new(void)
{
    Arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        out_of_memory();
    return arena;
}

static void release_large(Large *large)
{
    if (large->pages)
        pages_unmap(large->pages, large->paged);
    else
        free(large);
}

void arena_release(Arena *arena)
{
    if (!arena)
        return;
    for (Chunk *chunk = arena->chunks; chunk;) {
        Chunk *next = chunk->next;
        if (chunk->paged)
            pages_unmap(chunk, CHUNK_PAGED);
        else
            free(chunk);
        chunk = next;
    }
    for (Large *large = arena->larges; large;) {
        Large *next = large->next;
        release_large(large);
        large = next;
    }
    for (Arena *child = arena->children; child;) {
        Arena *next = child->sibling;
        arena_release(child);
        child = next;
    }
    free(arena);
}

Arena *arena_child(Arena *parent)
{
    Arena *child = arena_new();
    child->sibling = parent->children;
    parent->children = child;
    return child;
}

// Blocks that are written side by side must not all begin at one place of their pages: a cache
// holds few lines of equal places.
static Large *new_paged(Arena *arena, size_t size)
{
    enum { PLACES = 32, APART = 65 * 64 };
    size_t from = arena->paged++ % PLACES * APART, whole = add_checked(from, size);
    char *pages = pages_map(whole);
    if (!pages)
        out_of_memory();
    Large *large = (Large *)(void *)(pages + from);
    large->pages = pages;
    large->paged = whole;
    return large;
}

static Large *new_large(size_t size)
{
    Large *large = calloc(1, size);
    if (!large)
        out_of_memory();
    return large;
}

static void *large_alloc(Arena *arena, size_t size)
{
    size_t whole = add_checked(large_header(), size);
    Large *large = size >= PAGED_LEAST ? new_paged(arena, whole) : new_large(whole);
    large->size = size;
    large->next = arena->larges;
    if (large->next)
        large->next->prev = large;
    arena->larges = large;
    arena->bytes += size;
    return (char *)large + large_header();
}

static Chunk *new_chunk(Arena *arena, size_t least)
{
    bool paged = arena->bytes >= CHUNKS_PAGED;
    size_t size = arena->chunks ? arena->chunks->size : CHUNK_FIRST / 2;
    do
        size *= 2;
    while (size < least);
    if (size > CHUNK_BYTES)
        size = CHUNK_BYTES;
    if (paged)
        size = CHUNK_PAGED - chunk_header();
    Chunk *chunk = paged ? pages_map(CHUNK_PAGED) : calloc(1, chunk_header() + size);
    if (!chunk)
        out_of_memory();
    chunk->size = size;
    chunk->paged = paged;
    return chunk;
}

static Chunk *add_chunk(Arena *arena, size_t least)
{
    Chunk *chunk = new_chunk(arena, least);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->bytes += chunk->size;
    return chunk;
}

void *arena_alloc(Arena *arena, size_t size)
{
    size = round_up(size ? size : 1);
    if (size >= LARGE)
        return large_alloc(arena, size);
    Chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size)
        chunk = add_chunk(arena, size);
    void *memory = (char *)chunk + chunk_header() + chunk->used;
    chunk->used += size;
    return memory;
}

void *arena_array(Arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    return arena_alloc(arena, count * size);
}

static void unlink_large(Arena *arena, Large *large)
{
    if (large->prev)
        large->prev->next = large->next;
    else
        arena->larges = large->next;
    if (large->next)
        large->next->prev = large->prev;
    arena->bytes -= large->size;
}

// Where little of a block is old, fresh memory is taken: the system's is zero without being
// written, and what is never used then costs nothing.
static void *large_leap(Arena *arena, Large *large, size_t new_size)
{
    void *memory = large_alloc(arena, new_size);
    memcpy(memory, (char *)large + large_header(), large->size);
    unlink_large(arena, large);
    release_large(large);
    return memory;
}

static void *large_grow(Arena *arena, void *old, size_t new_size, bool bare)
{
    Large *large = (Large *)(void *)((char *)old - large_header());
    size_t old_size = large->size;
    if (new_size / 4 > old_size || new_size >= PAGED_LEAST)
        return large_leap(arena, large, new_size);
    Large *moved = realloc(large, add_checked(large_header(), new_size));
    if (!moved)
        out_of_memory();
    moved->size = new_size;
    if (moved->prev)
        moved->prev->next = moved;
    else
        arena->larges = moved;
    if (moved->next)
        moved->next->prev = moved;
    arena->bytes += new_size - old_size;
    char *memory = (char *)moved + large_header();
    if (!bare)
        memset(memory + old_size, 0, new_size - old_size);
    return memory;
}

static void *grow(Arena *arena, void *old, size_t old_size, size_t new_size, bool bare)
{
    if (!old)
        return arena_alloc(arena, new_size);
    size_t old_rounded = round_up(old_size ? old_size : 1);
    size_t new_rounded = round_up(new_size ? new_size : 1);
    if (new_rounded <= old_rounded)
        return old;
    if (old_rounded >= LARGE)
        return large_grow(arena, old, new_rounded, bare);
    Chunk *chunk = arena->chunks;
    size_t extra = new_rounded - old_rounded;
    char *chunk_end = (char *)chunk + chunk_header() + chunk->used;
    if (new_rounded < LARGE && (char *)old + old_rounded == chunk_end &&
        chunk->size - chunk->used >= extra) {
        chunk->used += extra;
        return old;
    }
    void *memory = arena_alloc(arena, new_rounded);
    memcpy(memory, old, old_size);
    return memory;
}

void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size)
{
    return grow(arena, old, old_size, new_size, false);
}

void *arena_grow_bare(Arena *arena, void *old, size_t old_size, size_t new_size)
{
    return grow(arena, old, old_size, new_size, true);
}

size_t arena_bytes(const Arena *arena)
{
    return arena->bytes;
}
