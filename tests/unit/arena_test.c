// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <stdint.h>

#include "check.h"

static bool is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

static void memory_is_zero_aligned_and_apart(void)
{
    Arena *arena = arena_new();
    unsigned char *before = NULL;
    for (size_t size = 0; size < 5000; size = size * 2 + 1) {
        unsigned char *at = arena_alloc(arena, size);
        CHECK(at && (uintptr_t)at % _Alignof(max_align_t) == 0 && is_zero(at, size));
        CHECK(at != before);
        memset(at, 0xA5, size);
        before = at;
    }
    arena_release(arena);
}

static void what_grows_keeps_its_bytes_and_gets_zeros(void)
{
    Arena *arena = arena_new();
    unsigned char *at = NULL;
    size_t size = 0;
    for (size_t next = 1; next < 4 << 20; next *= 3) {
        at = arena_grow(arena, at, size, next);
        CHECK(is_zero(at + size, next - size));
        memset(at + size, 7, next - size);
        size = next;
        CHECK(at[0] == 7 && at[size - 1] == 7);
        arena_alloc(arena, 40);  // something behind it
    }
    arena_release(arena);
}

static void what_grows_bare_keeps_its_bytes_in_pages_of_any_size(void)
{
    Arena *arena = arena_new();
    unsigned char *at = NULL;
    size_t size = 0;
    for (size_t next = 1000; next < 16 << 20; next = next * 3 + 8) {
        at = arena_grow_bare(arena, at, size, next);
        CHECK((uintptr_t)at % _Alignof(max_align_t) == 0);
        memset(at + size, (int)(size % 251), next - size);
        for (size_t from = 0, end = 1000; from < next; from = end, end = end * 3 + 8)
            CHECK(at[from] == from % 251 && at[end - 1] == from % 251);
        size = next;
        arena_alloc(arena, 20000);  // something behind it
    }
    at = arena_grow(arena, at, size, size + 100000);
    CHECK(at[size - 1] != 0 && is_zero(at + size, 100000));
    CHECK(arena_bytes(arena) < 2 * size);
    arena_release(arena);
}

static void a_block_that_grows_is_held_once(void)
{
    Arena *arena = arena_new();
    void *at = NULL;
    size_t size = 0;
    for (size_t next = 1 << 20; next <= 64 << 20; next *= 2) {
        at = arena_grow(arena, at, size, next);
        size = next;
    }
    CHECK(arena_bytes(arena) < size + (1 << 20));
    arena_release(arena);
}

static void children_go_with_their_parent(void)
{
    Arena *parent = arena_new();
    Arena *first = arena_child(parent), *second = arena_child(parent);
    memset(arena_alloc(first, 100000), 1, 100000);
    memset(arena_alloc(second, 100000), 2, 100000);
    CHECK(first != second && first != parent);
    arena_release(parent);  // the sanitizers would tell of what is left
    arena_release(NULL);
}

int main(void)
{
    CHECK_RUN(memory_is_zero_aligned_and_apart);
    CHECK_RUN(what_grows_keeps_its_bytes_and_gets_zeros);
    CHECK_RUN(what_grows_bare_keeps_its_bytes_in_pages_of_any_size);
    CHECK_RUN(a_block_that_grows_is_held_once);
    CHECK_RUN(children_go_with_their_parent);
    return CHECK_RESULT;
}
