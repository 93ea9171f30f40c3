// SPDX-License-Identifier: Apache-2.0
#include "base/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/redact.h"

// Open addressing with linear probing. The hash is SipHash-1-3 (Aumasson and Bernstein, 2012) with
// a random key, so a hostile dump cannot make names collide; no output depends on hash order.

typedef struct Entry {
    const char *data;
    uint32_t size;
    uint32_t hash;
} Entry;

// A place of the table. With the hash in it, probing seldom looks at the entries, which lie far
// apart.
typedef struct Place {
    uint32_t id;  // 0: empty
    uint32_t hash;
} Place;

struct Names {
    Arena *arena;
    Entry *entries;  // by id - 1
    size_t count, capacity;
    Place *slots;
    size_t slot_count;
    uint64_t key[2];
    bool redacted;
    const void **notes;  // by id
    size_t note_count;
};

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

typedef struct Sip {
    uint64_t a, b, c, d;
} Sip;

static inline Sip sip_round(Sip v)
{
    v.a += v.b;
    v.b = rotate(v.b, 13) ^ v.a;
    v.a = rotate(v.a, 32);
    v.c += v.d;
    v.d = rotate(v.d, 16) ^ v.c;
    v.a += v.d;
    v.d = rotate(v.d, 21) ^ v.a;
    v.c += v.b;
    v.b = rotate(v.b, 17) ^ v.c;
    v.c = rotate(v.c, 32);
    return v;
}

static inline Sip sip_word(Sip v, uint64_t word)
{
    v.d ^= word;
    v = sip_round(v);
    v.a ^= word;
    return v;
}

static uint32_t hash_text(const uint64_t key[2], Str text)
{
    Sip v = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
             key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    size_t at = 0;
    for (; text.size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text.data + at, 8);
        v = sip_word(v, word);
    }
    uint64_t last = (uint64_t)text.size << 56;
    if (text.size > at)
        memcpy(&last, text.data + at, text.size - at);
    v = sip_word(v, last);
    v.c ^= 0xff;
    for (int i = 0; i < 3; i++)
        v = sip_round(v);
    uint64_t hash = v.a ^ v.b ^ v.c ^ v.d;
    return (uint32_t)(hash ^ hash >> 32);
}

Names *names_new(Arena *arena)
{
    Names *names = ARENA_NEW(arena, Names);
    names->arena = arena;
    names->slot_count = 256;
    names->slots = ARENA_ARRAY(arena, Place, names->slot_count);
    if (getrandom(names->key, sizeof names->key, GRND_NONBLOCK) != (ssize_t)sizeof names->key)
        names->key[0] = (uint64_t)(uintptr_t)names;  // early boot: the address must do
    return names;
}

// The slot that holds the text, or the empty one where it belongs.
static size_t find_slot(const Names *names, Str text, uint32_t hash)
{
    size_t mask = names->slot_count - 1;
    size_t slot = hash & mask;
    for (; names->slots[slot].id; slot = (slot + 1) & mask) {
        if (names->slots[slot].hash != hash)
            continue;
        const Entry *entry = &names->entries[names->slots[slot].id - 1];
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has a number is there
        if (entry->size == text.size &&
            (text.size == 0 || memcmp(entry->data, text.data, text.size) == 0))
            break;
    }
    return slot;
}

static void rehash(Names *names)
{
    size_t old_count = names->slot_count;
    names->slot_count *= 2;
    names->slots = arena_grow(names->arena, names->slots, old_count * sizeof *names->slots,
                              names->slot_count * sizeof *names->slots);
    memset(names->slots, 0, old_count * sizeof *names->slots);
    size_t mask = names->slot_count - 1;
    for (size_t i = 0; i < names->count; i++) {
        size_t slot = names->entries[i].hash & mask;
        while (names->slots[slot].id)
            slot = (slot + 1) & mask;
        names->slots[slot] = (Place){(NameId)(i + 1), names->entries[i].hash};
    }
}

void names_redact(Names *names)
{
    names->redacted = true;
}

bool names_redacted(const Names *names)
{
    return names->redacted;
}

NameId names_add(Names *names, Str text)
{
    if (names->redacted)
        text = redact_value(text, names->arena);
    uint32_t hash = hash_text(names->key, text);
    size_t slot = find_slot(names, text, hash);
    if (names->slots[slot].id)
        return names->slots[slot].id;
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
    names->slots[slot] = (Place){id, hash};
    if (names->count * 2 > names->slot_count)
        rehash(names);
    return id;
}

NameId names_find(const Names *names, Str text)
{
    if (names->redacted)
        text = redact_value(text, names->arena);
    return names->slots[find_slot(names, text, hash_text(names->key, text))].id;
}

Str names_number(const int64_t *number)
{
    return (Str){(const char *)number, sizeof *number};
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

// Tables of two runs mostly grow in one order, so the name after the last one found is tried
// first.
NameId *names_translate(const Names *from, const Names *to, Arena *arena)
{
    NameId *to_of = ARENA_ARRAY(arena, NameId, from->count + 1);
    size_t next = 0;
    for (NameId id = 1; id <= from->count; id++) {
        Str text = names_text(from, id);
        const Entry *entry = next < to->count ? &to->entries[next] : NULL;
        bool guessed = entry && !to->redacted && entry->size == text.size &&
                       memcmp(entry->data, text.data, text.size) == 0;
        to_of[id] = guessed ? (NameId)(next + 1) : names_find(to, text);
        next = to_of[id] ? to_of[id] : next;
    }
    return to_of;
}

void names_set_note(Names *names, NameId id, const void *note)
{
    ARRAY_REACH(names->arena, names->notes, names->note_count, id)[id] = note;
}

const void *names_note(const Names *names, NameId id)
{
    return id < names->note_count ? names->notes[id] : NULL;
}

Arena *names_arena(const Names *names)
{
    return names->arena;
}
