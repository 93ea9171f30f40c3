// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/decimal.h"
#include "read/dump/dump_cursor.h"
#include "read/dump/dump_direct.h"
#include "read/json/json_python.h"

// Values of the fields of a leaf, from the text: numbers and words as data, and any value as the
// text that Python shows for it.

enum {
    VALUE_BYTES_MAX = 4096,  // longer lists and objects are left to the tree
    VALUE_DEPTH_MAX = 8,
    VALUE_KEYS_MAX = 8  // of one object: each is compared with those before
};

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

static NameId number_text(Direct *direct, Str digits)
{
    bool found;
    Memo *memo = direct_memo(direct, digits, SALT_NUMBER, &found);
    if (!found) {
        StrBuf *text = &direct->reader->python;
        text->size = 0;
        python_number(digits, text);
        memo->raw = digits.data;
        memo->id = names_add(direct->reader->names, strbuf_str(text));
    }
    return memo->id;
}

// An open list or object of a value being composed.
typedef struct Bracket {
    bool list;
    int key_count;
    Str keys[VALUE_KEYS_MAX];
} Bracket;

typedef struct Composer {
    const Direct *direct;
    StrBuf *out;
    int depth;
    uint32_t items;  // of the outermost list
    Bracket open[VALUE_DEPTH_MAX];
} Composer;

// A string, number or word inside a list or object.
static const char *compose_scalar(Composer *composer, const char *at)
{
    static const Str words[][2] = {
        {{"null", 4}, {"None", 4}}, {{"true", 4}, {"True", 4}}, {{"false", 5}, {"False", 5}}};
    Str text;
    if (*at == '"') {
        at = direct_string(composer->direct, at, &text);
        if (at)
            python_string(text, composer->out);
        return at;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (memcmp(at, words[i][0].data, words[i][0].size) == 0) {
            strbuf_add(composer->out, words[i][1]);
            return at + words[i][0].size;
        }
    }
    bool real;
    Str rest = {at, (size_t)(composer->direct->safe - at)};
    size_t size = scan_number(rest, 0, &real);
    if (size)
        python_number(str_slice(rest, 0, size), composer->out);
    return size ? at + size : NULL;
}

static const char *compose_key(Composer *composer, const char *at)
{
    Bracket *open = &composer->open[composer->depth - 1];
    Str key;
    at = direct_string(composer->direct, at, &key);
    if (!at || open->key_count == VALUE_KEYS_MAX)
        return NULL;
    for (int i = 0; i < open->key_count; i++)
        if (str_equal(open->keys[i], key))
            return NULL;  // repeated
    open->keys[open->key_count++] = key;
    python_string(key, composer->out);
    strbuf_add(composer->out, STR(": "));
    return cursor_colon(at);
}

// The next item: of an object, its key is written.
static const char *begin_item(Composer *composer, const char *at)
{
    composer->items += composer->depth == 1;
    return composer->open[composer->depth - 1].list ? at : compose_key(composer, at);
}

// What opens at `at`: gives the place of its first item, or, with *complete, where it ends.
static const char *open_bracket(Composer *composer, const char *at, bool *complete)
{
    bool list = *at == '[';
    const char *inner = cursor_space(at + 1);
    strbuf_add_char(composer->out, *at);
    *complete = *inner == (list ? ']' : '}');
    if (*complete) {
        strbuf_add_char(composer->out, *inner);
        return inner < composer->direct->safe ? inner + 1 : NULL;
    }
    if (composer->depth == VALUE_DEPTH_MAX)
        return NULL;
    composer->open[composer->depth++] = (Bracket){.list = list};
    return begin_item(composer, inner);
}

// Behind a complete item: the place of the next one, or, with depth 0, the end.
static const char *end_item(Composer *composer, const char *at)
{
    while (composer->depth) {
        bool list = composer->open[composer->depth - 1].list;
        at = cursor_space(at);
        if (*at == ',') {
            strbuf_add(composer->out, STR(", "));
            return begin_item(composer, cursor_space(at + 1));
        }
        if (*at != (list ? ']' : '}') || at >= composer->direct->safe)
            return NULL;
        strbuf_add_char(composer->out, *at++);
        composer->depth--;
    }
    return at;
}

// The Python text of the list or object at `at` into `out`; gives the place after it.
static const char *compose(Composer *composer, const char *at)
{
    const char *start = at;
    composer->out->size = 0;
    while (at && at < composer->direct->safe && at - start < VALUE_BYTES_MAX) {
        bool complete = true;
        if (*at == '[' || *at == '{')
            at = open_bracket(composer, at, &complete);
        else
            at = compose_scalar(composer, at);
        if (at && complete)
            at = end_item(composer, at);
        if (composer->depth == 0)
            return at;
    }
    return NULL;
}

// A memo that fits the text at `at`, told by its size up to the first closing bracket of its kind.
static const char *find_composed(Direct *direct, const char *at, Memo **memo)
{
    bool found = false;
    const char *end = cursor_find(at, *at == '[' ? ']' : '}', direct->safe);
    *memo = NULL;
    if (!end || end - at > VALUE_BYTES_MAX)
        return NULL;
    *memo = direct_memo(direct, (Str){at, (size_t)(end + 1 - at)}, SALT_LIST, &found);
    return found ? end + 1 : NULL;
}

const char *direct_python(Direct *direct, const char *at, NameId *text, uint32_t *items)
{
    Memo *memo;
    const char *behind = find_composed(direct, at, &memo);
    if (!behind) {
        Composer composer = {.direct = direct, .out = &direct->reader->python};
        behind = compose(&composer, at);
        if (!behind || !memo)
            return NULL;
        memo->id = names_add(direct->reader->names, strbuf_str(composer.out));
        memo->items = composer.items;
        if ((size_t)(behind - at) == memo->size)
            memo->raw = at;  // nothing of its kind inside
    }
    *text = memo->id;
    *items = memo->items;
    return behind;
}

// The text of a datum read from `digits`.
static NameId datum_text(Direct *direct, Datum datum, Str digits)
{
    if (datum.tag == TAG_NULL)
        return names_add(direct->reader->names, STR("None"));
    if (datum.tag == TAG_BOOL)
        return names_add(direct->reader->names, datum.stat.integer ? STR("True") : STR("False"));
    return number_text(direct, digits);
}

const char *direct_any(Direct *direct, const char *at, NameId *text)
{
    uint32_t items;
    Str string;
    Datum datum;
    if (*at == '[' || *at == '{')
        return direct_python(direct, at, text, &items);
    const char *behind =
        *at == '"' ? direct_string(direct, at, &string) : direct_datum(direct, at, &datum);
    if (behind)
        *text = *at == '"' ? direct_text(direct, string)
                           : datum_text(direct, datum, (Str){at, (size_t)(behind - at)});
    return behind;
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
    leaf->has_value = true;
    if (*at == '[' || *at == '{') {
        leaf->value_class = *at == '[' ? VALUE_LIST : VALUE_DICT;
        at = direct_python(direct, at, &slot->value, &items);
        if (at && leaf->value_class == VALUE_LIST)
            leaf->value_shape = list_shape(direct->reader->names, items);
        return at;
    }
    if (*at == '"') {
        leaf->value_class = VALUE_STR;
        return direct_any(direct, at, &slot->value);
    }
    const char *behind = direct_datum(direct, at, &leaf->value_datum);
    if (behind) {
        leaf->value_class = class_of_datum(leaf->value_datum);
        slot->value = datum_text(direct, leaf->value_datum, (Str){at, (size_t)(behind - at)});
    }
    return behind;
}
