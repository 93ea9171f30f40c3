// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/torch_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

enum { DEPTH_MAX = 32, SHOWN_MAX = 200 };

static bool is_list(const PickleValue *value)
{
    return value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE;
}

static TorchListKind kind_below(const PickleValue *value, size_t depth, size_t *left)
{
    if (depth == DEPTH_MAX)
        return TORCH_LIST_MIXED;
    for (size_t i = 0; i < value->count; i++) {
        const PickleValue *part = value->items[i];
        size_t cost = 1 + (part->kind == PICKLE_TEXT ? part->text.size : 0);
        TorchListKind kind = part->kind <= PICKLE_TEXT ? TORCH_LIST_PLAIN : TORCH_LIST_MIXED;
        if (cost > *left)
            return TORCH_LIST_LONG;
        *left -= cost;
        if (is_list(part))
            kind = kind_below(part, depth + 1, left);
        if (kind != TORCH_LIST_PLAIN)
            return kind;
    }
    return TORCH_LIST_PLAIN;
}

TorchListKind torch_list_kind(const PickleValue *value, size_t *left)
{
    return is_list(value) ? kind_below(value, 0, left) : TORCH_LIST_MIXED;
}

// Text of which the beginning is kept, and a sum of all of it.
typedef struct Writer {
    char shown[SHOWN_MAX];
    size_t size, values;  // bytes of the whole, elements that are no list
    unsigned long sum;
} Writer;

static void put(Writer *out, Str text)
{
    if (text.size == 0)
        return;
    for (size_t i = 0; i < text.size && out->size + i < SHOWN_MAX; i++)
        out->shown[out->size + i] = text.data[i];
    out->size += text.size;
    out->sum = crc32_z(out->sum, (const unsigned char *)text.data, text.size);
}

static void put_text(Writer *out, Str text)
{
    put(out, STR("'"));
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\'' || text.data[i] == '\\')
            put(out, STR("\\"));
        put(out, str_slice(text, i, i + 1));
    }
    put(out, STR("'"));
}

Str torch_plain_text(const PickleValue *value, char buffer[NUMBER_BYTES])
{
    switch (value->kind) {
    case PICKLE_NONE:
        return STR("None");
    case PICKLE_BOOL:
        return value->integer ? STR("True") : STR("False");
    case PICKLE_INT:
        return (Str){buffer, (size_t)snprintf(buffer, NUMBER_BYTES, "%" PRId64, value->integer)};
    case PICKLE_REAL:
        return (Str){buffer, (size_t)number_python(value->real, buffer)};
    default:
        return STR("");
    }
}

static void put_value(Writer *out, const PickleValue *value)
{
    char buffer[NUMBER_BYTES];
    out->values++;
    if (value->kind == PICKLE_TEXT)
        put_text(out, value->text);
    else
        put(out, torch_plain_text(value, buffer));
}

// Not deeper than DEPTH_MAX, as its kind was asked for.
static void put_list(Writer *out, const PickleValue *list)
{
    bool tuple = list->kind == PICKLE_TUPLE;
    put(out, tuple ? STR("(") : STR("["));
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            put(out, STR(", "));
        if (is_list(list->items[i]))
            put_list(out, list->items[i]);
        else
            put_value(out, list->items[i]);
    }
    if (tuple && list->count == 1)
        put(out, STR(","));
    put(out, tuple ? STR(")") : STR("]"));
}

Str torch_list_text(const PickleValue *value, Arena *arena)
{
    Writer out = {.sum = crc32_z(0, NULL, 0)};
    put_list(&out, value);
    if (out.size <= SHOWN_MAX)
        return str_copy(arena, (Str){out.shown, out.size});
    size_t kept = SHOWN_MAX;  // and no part of a character
    while (kept > 0 && ((unsigned char)out.shown[kept - 1] & 0xC0) == 0x80)
        kept--;
    if (kept > 0 && ((unsigned char)out.shown[kept - 1] & 0x80) != 0)
        kept--;
    return str_printf(arena, STR_FMT "... %zu values, crc32 %08lx%c", (int)kept, out.shown,
                      out.values, out.sum, value->kind == PICKLE_TUPLE ? ')' : ']');
}

bool torch_list_is_few_reals(const PickleValue *value)
{
    enum { FEW = 64 };
    bool real = false;
    if (!is_list(value) || value->count > FEW)
        return false;
    for (size_t i = 0; i < value->count; i++)
        real = real || value->items[i]->kind == PICKLE_REAL;
    return real;
}
