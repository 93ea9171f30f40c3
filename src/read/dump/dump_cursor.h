// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_CURSOR_H
#define VERNIER_READ_DUMP_DUMP_CURSOR_H

#include <stddef.h>

#include "base/digits.h"

// Steps over JSON text, eight bytes at a time. They look at up to 16 bytes after where they stop
// and stop at the latest at a '}' that the caller knows to come.

// Whether the literal stands here; for literals of up to 16 bytes this is one or two compares.
#define CURSOR_IS(at, literal) (memcmp((at), "" literal, sizeof(literal) - 1) == 0)

static inline const char *cursor_space(const char *at)
{
    if ((unsigned char)*at > ' ')
        return at;
    at += *at == '\n' || *at == ' ';
    for (;;) {
        uint64_t other = bytes_load(at) ^ 0x2020202020202020u;
        if (other) {
            at += __builtin_ctzll(other) >> 3;
            break;
        }
        at += 8;
    }
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
        at++;
    return at;
}

// The colon and the white space around it.
static inline const char *cursor_colon(const char *at)
{
    if (CURSOR_IS(at, ": "))
        return cursor_space(at + 2);
    at = cursor_space(at);
    return *at == ':' ? cursor_space(at + 1) : NULL;
}

// The bytes of `word` that equal the byte repeated in `pattern`, as their top bits; exact up to the
// first hit.
static inline uint64_t cursor_hits(uint64_t word, uint64_t pattern)
{
    uint64_t zero = word ^ pattern;
    return (zero - 0x0101010101010101u) & ~zero & 0x8080808080808080u;
}

// The closing quote of the string whose characters begin at `at`; NULL if there is a backslash in
// it or `safe` comes first.
static inline const char *cursor_string_end(const char *at, const char *safe)
{
    for (; at < safe; at += 8) {
        uint64_t word = bytes_load(at);
        uint64_t hits =
            cursor_hits(word, 0x2222222222222222u) | cursor_hits(word, 0x5C5C5C5C5C5C5C5Cu);
        if (hits) {
            at += __builtin_ctzll(hits) >> 3;
            return *at == '"' && at < safe ? at : NULL;
        }
    }
    return NULL;
}

// The first `byte` from `at`; NULL if `safe` comes first.
static inline const char *cursor_find(const char *at, char byte, const char *safe)
{
    uint64_t pattern = (unsigned char)byte * UINT64_C(0x0101010101010101);
    for (; at < safe; at += 8) {
        uint64_t hits = cursor_hits(bytes_load(at), pattern);
        if (hits) {
            at += __builtin_ctzll(hits) >> 3;
            return at < safe ? at : NULL;
        }
    }
    return NULL;
}

// Good enough for a small table whose hits are compared.
static inline uint32_t cursor_hash(const char *at, size_t size, uint32_t salt)
{
    uint64_t hash = salt * 0x9E3779B97F4A7C15u + size;
    for (; size >= 8; size -= 8, at += 8)
        hash = (hash ^ bytes_load(at)) * 0x9E3779B97F4A7C15u;
    if (size)
        hash = (hash ^ bytes_load(at) << (64 - 8 * size)) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 40);
}

#endif
