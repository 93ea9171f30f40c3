// SPDX-License-Identifier: Apache-2.0
#include "base/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// Open addressing with linear probing. The hash is SipHash-1-3 (Aumasson and Bernstein, 2012) with
// a random key, so a hostile dump cannot make names collide; no output depends on hash order.

typedef struct Entry {
    const char *data;
    uint32_t size;
    uint32_t hash;
} Entry;

struct Names {
    Arena *arena;
    Entry *entries;  // by id - 1
    size_t count, capacity;
    uint32_t *slots;  // id or 0
    size_t slot_count;
    uint64_t key[2];
};

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static uint32_t hash_text(const uint64_t key[2], Str text)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    size_t at = 0;
    for (; text.size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text.data + at, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)text.size << 56;
    if (text.size > at)
        memcpy(&last, text.data + at, text.size - at);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    uint64_t hash = v[0] ^ v[1] ^ v[2] ^ v[3];
    return (uint32_t)(hash ^ hash >> 32);
}

Names *names_new(Arena *arena)
{
    Names *names = ARENA_NEW(arena, Names);
    names->arena = arena;
    names->slot_count = 256;
    names->slots = ARENA_ARRAY(arena, uint32_t, names->slot_count);
    if (getrandom(names->key, sizeof names->key, GRND_NONBLOCK) != (ssize_t)sizeof names->key)
        names->key[0] = (uint64_t)(uintptr_t)names;  // early boot: the address must do
    return names;
}

// The slot that holds the text, or the empty one where it belongs.
static size_t find_slot(const Names *names, Str text, uint32_t hash)
{
    size_t mask = names->slot_count - 1;
    size_t slot = hash & mask;
    while (names->slots[slot]) {
        const Entry *entry = &names->entries[names->slots[slot] - 1];
        if (entry->hash == hash && entry->size == text.size &&
            (text.size == 0 || memcmp(entry->data, text.data, text.size) == 0))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static void rehash(Names *names)
{
    size_t old_count = names->slot_count;
    names->slot_count *= 2;
    names->slots = arena_grow(names->arena, names->slots, old_count * sizeof *names->slots,
                              names->slot_count * sizeof *names->slots);
    memset(names->slots, 0, names->slot_count * sizeof *names->slots);
    size_t mask = names->slot_count - 1;
    for (size_t i = 0; i < names->count; i++) {
        size_t slot = names->entries[i].hash & mask;
        while (names->slots[slot])
            slot = (slot + 1) & mask;
        names->slots[slot] = (uint32_t)(i + 1);
    }
}

NameId names_add(Names *names, Str text)
{
    uint32_t hash = hash_text(names->key, text);
    size_t slot = find_slot(names, text, hash);
    if (names->slots[slot])
        return names->slots[slot];
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 128;
        names->entries =
            arena_grow(names->arena, names->entries, names->capacity * sizeof *names->entries,
                       capacity * sizeof *names->entries);
        names->capacity = capacity;
    }
    names->entries[names->count++] = (Entry){
        .data = str_copy(names->arena, text).data, .size = (uint32_t)text.size, .hash = hash};
    NameId id = (NameId)names->count;
    names->slots[slot] = id;
    if (names->count * 2 > names->slot_count)
        rehash(names);
    return id;
}

NameId names_find(const Names *names, Str text)
{
    return names->slots[find_slot(names, text, hash_text(names->key, text))];
}

Str names_text(const Names *names, NameId id)
{
    if (id == NAME_NONE)
        return (Str){"", 0};
    const Entry *entry = &names->entries[id - 1];
    return (Str){entry->data, entry->size};
}

size_t names_count(const Names *names)
{
    return names->count;
}

NameId *names_translate(const Names *from, const Names *to, Arena *arena)
{
    NameId *to_of = ARENA_ARRAY(arena, NameId, from->count + 1);
    for (NameId id = 1; id <= from->count; id++)
        to_of[id] = names_find(to, names_text(from, id));
    return to_of;
}
