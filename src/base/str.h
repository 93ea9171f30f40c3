// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_STR_H
#define VERNIER_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

// Text with a length. Not ended by NUL, may hold any bytes; a NULL pointer with length 0 is the
// empty text.
typedef struct Str {
    const char *data;
    size_t size;
} Str;

#define STR(literal) ((Str){"" literal, sizeof(literal) - 1})
#define STR_FMT      "%.*s"
#define STR_ARG(str) ((int)(str).size), ((str).data ? (str).data : "")

// Readers ask these several times for each word of a log, so they are expanded where they stand.

static inline bool is_digit(char c)  // of ASCII
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)  // of ASCII
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// NULL gives the empty text.
static inline Str str_of(const char *text)
{
    return text ? (Str){text, strlen(text)} : (Str){"", 0};
}

static inline bool str_equal(Str a, Str b)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what has a size has data
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool str_starts(Str text, Str prefix)
{
    return text.size >= prefix.size &&
           (prefix.size == 0 || memcmp(text.data, prefix.data, prefix.size) == 0);
}

static inline bool str_ends(Str text, Str suffix)
{
    return text.size >= suffix.size &&
           (suffix.size == 0 ||
            memcmp(text.data + text.size - suffix.size, suffix.data, suffix.size) == 0);
}

// [from, to), clamped to the text.
static inline Str str_slice(Str text, size_t from, size_t to)
{
    if (to > text.size)
        to = text.size;
    if (from > to)
        from = to;
    return (Str){from ? text.data + from : text.data, to - from};
}

// Position of the first `c` at or after `from`, or SIZE_MAX.
static inline size_t str_find_char(Str text, char c, size_t from)
{
    if (from >= text.size)
        return SIZE_MAX;
    const char *hit = memchr(text.data + from, c, text.size - from);
    return hit ? (size_t)(hit - text.data) : SIZE_MAX;
}

bool str_equal_nocase(Str a, Str b);  // ASCII letters only
// Whether it is one of these: STR_IN(word, "if", "then").
#define STR_IN(text, ...) str_in((text), (const char *const[]){__VA_ARGS__, NULL})
bool str_in(Str text, const char *const *words);  // NULL ends them
// Whether one of these fits it: STR_ANY(name, str_ends, ".so", ".md"), by str_starts, str_has, ....
#define STR_ANY(text, fits, ...) str_any((text), (fits), (const char *const[]){__VA_ARGS__, NULL})
bool str_any(Str text, bool (*fits)(Str text, Str word), const char *const *words);
bool str_has(Str text, Str part);
int str_compare(Str a, Str b);                // by bytes; <0, 0, >0
int str_compare_natural(Str a, Str b);        // digit runs by value: "rank2" before "rank10"
int str_order(const void *a, const void *b);  // str_compare of two Str *, for qsort
Str str_trim(Str text);                       // without ASCII white space at both ends

// Position of `part` at or after `from`, or SIZE_MAX.
size_t str_find(Str text, Str part, size_t from);
size_t str_rfind_char(Str text, char c);  // the last one, or SIZE_MAX
Str str_behind(Str text, char c);         // after the last one; all of it where there is none

// The text before the first `c` from *rest, which then holds what follows it. False when *rest is
// used up. "a..b" gives "a", "", "b"; "" gives "" once.
bool str_split(Str *rest, char c, Str *part);

// Whole text as a decimal integer; false if it is none or does not fit.
bool str_to_int64(Str text, int64_t *out);
bool str_to_uint64(Str text, uint64_t *out);

// Copies in the arena; the data are ended by a NUL that does not count.
Str str_copy(Arena *arena, Str text);
char *str_cstr(Arena *arena, Str text);
Str str_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
Str str_vprintf(Arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
Str str_concat(Arena *arena, Str a, Str b);
Str str_replace(Arena *arena, Str text, Str part, Str by);  // every occurrence

// A text that grows. `data` is in the arena.
typedef struct StrBuf {
    Arena *arena;
    char *data;
    size_t size, capacity;
} StrBuf;

StrBuf strbuf_new(Arena *arena);
void strbuf_add(StrBuf *buf, Str text);
void strbuf_add_char(StrBuf *buf, char c);
void strbuf_printf(StrBuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
Str strbuf_str(const StrBuf *buf);  // borrowed, valid until the next change

#endif
