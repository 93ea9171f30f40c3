// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_ARENA_H
#define VERNIER_BASE_ARENA_H

#include <stddef.h>

// Memory that is released all at once. A function that takes an `Arena *` returns memory of that
// arena; nothing else is ever handed over, so nobody asks who frees.

typedef struct Arena Arena;

// What every allocation that fails comes to, also one of a library that cannot end the program
// itself.
_Noreturn void out_of_memory(void);

// Out of memory ends the program with exit code 3 and a message; no caller checks.
Arena *arena_new(void);
void arena_release(Arena *arena);  // NULL is allowed

// An arena that is released with its parent: for work of another thread whose result stays. Only
// one thread at a time may make children of one parent.
Arena *arena_child(Arena *parent);

// Zeroed memory, aligned for any type. size 0 gives a valid pointer.
void *arena_alloc(Arena *arena, size_t size);

// count * size with overflow check.
void *arena_array(Arena *arena, size_t count, size_t size);

// Grows `old` (from this arena, old_size bytes, or NULL) to new_size; the new part is zeroed.
// Large blocks are moved or given back, so a growing array leaves no garbage.
void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size);

// The same of an array that is written before it is read: the new part holds anything. (Blocks of
// 1 MB and more are in large pages, either way: base/pages.h.)
void *arena_grow_bare(Arena *arena, void *old, size_t old_size, size_t new_size);

// Bytes held from the system, for the peak-memory tests.
size_t arena_bytes(const Arena *arena);

#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_array((arena), (count), sizeof(type)))

#endif
