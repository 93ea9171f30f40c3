// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/decimal.h"
#include "read/dump/dump_cursor.h"
#include "read/dump/dump_direct.h"
#include "read/json/json_python.h"
#include "read/json/json_tree.h"

// Values of the fields of a leaf, from the text: numbers and words as data, and any value as the
// text that Python shows for it.

enum { VALUE_BYTES_MAX = 4096 };  // longer values are left to the tree of the entry

Memo *direct_memo(Direct *direct, Str raw, uint32_t salt, bool *found)
{
    Memo *memo = &direct->memos[cursor_hash(raw.data, raw.size, salt) % MEMO_COUNT];
    *found = memo->raw && memo->size == raw.size && memo->salt == salt &&
             memcmp(memo->raw, raw.data, raw.size) == 0;
    if (!*found)
        *memo = (Memo){.size = (uint32_t)raw.size, .salt = salt};
    return memo;
}

NameId direct_text(Direct *direct, Str text)
{
    bool found;
    Memo *memo = direct_memo(direct, text, SALT_TEXT, &found);
    if (!found) {
        memo->raw = text.data;
        memo->id = names_add(direct->reader->names, text);
    }
    return memo->id;
}

const char *direct_string(const Direct *direct, const char *at, Str *out)
{
    if (*at != '"')
        return NULL;
    const char *end = cursor_string_end(at + 1, direct->safe);
    if (!end || end - at > INT32_MAX)
        return NULL;
    *out = (Str){at + 1, (size_t)(end - at - 1)};
    return end + 1;
}

static Datum datum_of_integer(Direct *direct, const Decimal *decimal, Str digits)
{
    if (decimal->dropped || decimal->digits > INT64_MAX)
        return datum_of_number(direct->reader->names, digits, false, 0);
    int64_t value = (int64_t)decimal->digits;
    return (Datum){TAG_INT, {.integer = decimal->negative ? -value : value}};
}

static const char *read_number(Direct *direct, const char *at, Datum *out)
{
    Decimal decimal;
    if (CURSOR_IS(at, "-I")) {
        *out = (Datum){TAG_REAL, {.real = (double)-INFINITY}};
        return CURSOR_IS(at, "-Infinity") ? at + 9 : NULL;
    }
    const char *end = decimal_scan(at, &decimal);
    if (!end)
        return NULL;
    Str digits = {at, (size_t)(end - at)};
    if (!decimal.real)
        *out = datum_of_integer(direct, &decimal, digits);
    else
        *out = (Datum){TAG_REAL, {.real = python_real(digits)}};
    return end;
}

const char *direct_datum(Direct *direct, const char *at, Datum *out)
{
    switch (*at) {
    case 'n':
        *out = (Datum){.tag = TAG_NULL};
        return CURSOR_IS(at, "null") ? at + 4 : NULL;
    case 't':
        *out = (Datum){TAG_BOOL, {.integer = 1}};
        return CURSOR_IS(at, "true") ? at + 4 : NULL;
    case 'f':
        *out = (Datum){TAG_BOOL, {.integer = 0}};
        return CURSOR_IS(at, "false") ? at + 5 : NULL;
    case 'N':
        *out = (Datum){TAG_REAL, {.real = (double)NAN}};
        return CURSOR_IS(at, "NaN") ? at + 3 : NULL;
    case 'I':
        *out = (Datum){TAG_REAL, {.real = (double)INFINITY}};
        return CURSOR_IS(at, "Infinity") ? at + 8 : NULL;
    default:
        return read_number(direct, at, out);
    }
}

// Reads it as a tree; NULL: it is broken, or has a key twice.
static const char *read_python(Direct *direct, Str raw, Memo *memo)
{
    JsonTree tree;
    Arena *scratch = arena_new();
    StrBuf *text = &direct->reader->python;
    bool good = tree_parse(raw, scratch, &tree) && !tree.repeated;
    if (good) {
        text->size = 0;
        tree_python(tree.root, text);
        *memo = (Memo){.raw = raw.data,
                       .size = memo->size,
                       .salt = memo->salt,
                       .id = names_add(direct->reader->names, strbuf_str(text)),
                       .items = (uint32_t)tree_count(tree.root)};
    }
    arena_release(scratch);
    return good ? raw.data + raw.size : NULL;
}

const char *direct_python(Direct *direct, const char *at, NameId *text, uint32_t *items)
{
    Str whole = {direct->text, (size_t)(direct->safe - direct->text)};
    size_t from = (size_t)(at - direct->text), end = from;
    bool found;
    if (from >= whole.size || scan_value(whole, &end, 0) != SCAN_OK || end - from > VALUE_BYTES_MAX)
        return NULL;
    Memo *memo = direct_memo(direct, str_slice(whole, from, end), SALT_VALUE, &found);
    if (!found && !read_python(direct, str_slice(whole, from, end), memo))
        return NULL;
    *text = memo->id;
    *items = memo->items;
    return direct->text + end;
}

const char *direct_any(Direct *direct, const char *at, NameId *text)
{
    uint32_t items;
    return direct_python(direct, at, text, &items);
}

static ValueClass class_of_datum(Datum datum)
{
    switch (datum.tag) {
    case TAG_NULL:
        return VALUE_NONE;
    case TAG_BOOL:
        return VALUE_BOOL;
    case TAG_REAL:
        return VALUE_FLOAT;
    default:
        return VALUE_INT;
    }
}

const char *direct_value(Direct *direct, const char *at, Slot *slot, Leaf *leaf)
{
    uint32_t items;
    bool list = *at == '[';
    leaf->has_value = true;
    if (list || *at == '{' || *at == '"')
        leaf->value_class = list ? VALUE_LIST : *at == '{' ? VALUE_DICT : VALUE_STR;
    else if (direct_datum(direct, at, &leaf->value_datum))
        leaf->value_class = class_of_datum(leaf->value_datum);
    else
        return NULL;
    at = direct_python(direct, at, &slot->value, &items);
    if (at && list)
        leaf->value_shape = list_shape(direct->reader->names, items);
    return at;
}
