// SPDX-License-Identifier: Apache-2.0
#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_equal_nocase(Str a, Str b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (lower(a.data[i]) != lower(b.data[i]))
            return false;
    return true;
}

bool str_in(Str text, const char *const *words)
{
    for (; *words; words++)
        if (text.size == 0 ? !**words : text.data[0] == **words && str_equal(text, str_of(*words)))
            return true;
    return false;
}

bool str_has(Str text, Str part)
{
    return str_find(text, part, 0) != SIZE_MAX;
}

bool str_any(Str text, bool (*fits)(Str text, Str word), const char *const *words)
{
    while (*words && !fits(text, str_of(*words)))
        words++;
    return *words != NULL;
}

int str_compare(Str a, Str b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared ? memcmp(a.data, b.data, shared) : 0;
    if (order)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

static Str digits_at(Str text, size_t at)
{
    size_t end = at;
    while (end < text.size && is_digit(text.data[end]))
        end++;
    while (at + 1 < end && text.data[at] == '0')
        at++;
    return str_slice(text, at, end);
}

static size_t skip_digits(Str text, size_t at)
{
    while (at < text.size && is_digit(text.data[at]))
        at++;
    return at;
}

int str_compare_natural(Str a, Str b)
{
    size_t i = 0, k = 0;
    while (i < a.size && k < b.size) {
        if (is_digit(a.data[i]) && is_digit(b.data[k])) {
            Str x = digits_at(a, i), y = digits_at(b, k);
            if (x.size != y.size)
                return x.size < y.size ? -1 : 1;
            int order = str_compare(x, y);
            if (order)
                return order;
            i = skip_digits(a, i);
            k = skip_digits(b, k);
            continue;
        }
        if (a.data[i] != b.data[k])
            return (unsigned char)a.data[i] < (unsigned char)b.data[k] ? -1 : 1;
        i++;
        k++;
    }
    int order = (i < a.size) - (k < b.size);
    return order ? order : str_compare(a, b);
}

int str_order(const void *a, const void *b)
{
    return str_compare(*(const Str *)a, *(const Str *)b);
}

Str str_trim(Str text)
{
    size_t from = 0, to = text.size;
    while (from < to && is_space(text.data[from]))
        from++;
    while (to > from && is_space(text.data[to - 1]))
        to--;
    return str_slice(text, from, to);
}

size_t str_find(Str text, Str part, size_t from)
{
    if (part.size == 0)
        return from <= text.size ? from : SIZE_MAX;
    while (from < text.size && text.size - from >= part.size) {
        const char *hit = memchr(text.data + from, part.data[0], text.size - from - part.size + 1);
        if (!hit)
            return SIZE_MAX;
        from = (size_t)(hit - text.data);
        if (memcmp(hit, part.data, part.size) == 0)
            return from;
        from++;
    }
    return SIZE_MAX;
}

size_t str_rfind_char(Str text, char c)
{
    for (size_t i = text.size; i > 0; i--)
        if (text.data[i - 1] == c)
            return i - 1;
    return SIZE_MAX;
}

Str str_behind(Str text, char c)
{
    size_t at = str_rfind_char(text, c);
    return str_slice(text, at == SIZE_MAX ? 0 : at + 1, text.size);
}

bool str_split(Str *rest, char c, Str *part)
{
    if (rest->size == SIZE_MAX)
        return false;
    size_t at = str_find_char(*rest, c, 0);
    if (at == SIZE_MAX) {
        *part = *rest;
        *rest = (Str){NULL, SIZE_MAX};
        return true;
    }
    *part = str_slice(*rest, 0, at);
    *rest = str_slice(*rest, at + 1, rest->size);
    return true;
}

bool str_to_uint64(Str text, uint64_t *out)
{
    uint64_t value = 0;
    if (text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has a size has data
        if (!is_digit(text.data[i]))
            return false;
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool str_to_int64(Str text, int64_t *out)
{
    bool negative = text.size && text.data[0] == '-';
    uint64_t value;
    if (!str_to_uint64(negative ? str_slice(text, 1, text.size) : text, &value))
        return false;
    if (value > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

Str str_copy(Arena *arena, Str text)
{
    char *copy = arena_alloc(arena, text.size + 1);
    if (text.size)
        memcpy(copy, text.data, text.size);
    return (Str){copy, text.size};
}

char *str_cstr(Arena *arena, Str text)
{
    char *copy = arena_alloc(arena, text.size + 1);
    if (text.size)
        memcpy(copy, text.data, text.size);
    return copy;
}

Str str_vprintf(Arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    if (size < 0)
        size = 0;
    char *text = arena_alloc(arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return (Str){text, (size_t)size};
}

Str str_printf(Arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Str text = str_vprintf(arena, format, args);
    va_end(args);
    return text;
}

Str str_concat(Arena *arena, Str a, Str b)
{
    char *text = arena_alloc(arena, a.size + b.size + 1);
    if (a.size)
        memcpy(text, a.data, a.size);
    if (b.size)
        memcpy(text + a.size, b.data, b.size);
    return (Str){text, a.size + b.size};
}

Str str_replace(Arena *arena, Str text, Str part, Str by)
{
    if (part.size == 0 || str_find(text, part, 0) == SIZE_MAX)
        return text;
    StrBuf buf = strbuf_new(arena);
    size_t from = 0;
    for (size_t at; (at = str_find(text, part, from)) != SIZE_MAX; from = at + part.size) {
        strbuf_add(&buf, str_slice(text, from, at));
        strbuf_add(&buf, by);
    }
    strbuf_add(&buf, str_slice(text, from, text.size));
    return strbuf_str(&buf);
}

StrBuf strbuf_new(Arena *arena)
{
    return (StrBuf){.arena = arena};
}

static void strbuf_reserve(StrBuf *buf, size_t extra)
{
    size_t needed = buf->size + extra + 1;
    if (needed <= buf->capacity)
        return;
    size_t capacity = buf->capacity * 2 > needed ? buf->capacity * 2 : needed + 32;
    buf->data = arena_grow(buf->arena, buf->data, buf->capacity, capacity);
    buf->capacity = capacity;
}

void strbuf_add(StrBuf *buf, Str text)
{
    strbuf_reserve(buf, text.size);
    if (text.size)
        // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what has a size has data
        memcpy(buf->data + buf->size, text.data, text.size);
    buf->size += text.size;
    buf->data[buf->size] = '\0';
}

void strbuf_add_char(StrBuf *buf, char c)
{
    strbuf_add(buf, (Str){&c, 1});
}

void strbuf_printf(StrBuf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size > 0) {
        strbuf_reserve(buf, (size_t)size);
        vsnprintf(buf->data + buf->size, (size_t)size + 1, format, again);
        buf->size += (size_t)size;
    }
    va_end(again);
}

Str strbuf_str(const StrBuf *buf)
{
    return (Str){buf->data ? buf->data : "", buf->size};
}
