// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/decimal.h"
#include "read/dump_cursor.h"
#include "read/dump_direct.h"
#include "read/json_python.h"

// Leaves whose first key is "type", field by field from the text into a slot.

enum { LIST_BYTES_MAX = 4096 };  // longer ones are left to the tree

// Paths longer than this are left to the tree, too.
enum { PATH_BYTES_MAX = 512 };

NameId direct_path(Direct *direct, NameId parent, Str segment)
{
    if (names_text(direct->reader->names, parent).size + segment.size > PATH_BYTES_MAX)
        return NAME_NONE;
    return reader_child_path(direct->reader, parent, segment, 0);
}

Memo *direct_memo(Direct *direct, Str raw, uint32_t salt, bool *found)
{
    Memo *memo = &direct->memos[cursor_hash(raw.data, raw.size, salt) % MEMO_COUNT];
    *found = memo->raw && memo->size == raw.size && memo->salt == salt &&
             memcmp(memo->raw, raw.data, raw.size) == 0;
    if (!*found)
        *memo = (Memo){.size = (uint32_t)raw.size, .salt = salt};
    return memo;
}

static NameId text_name(Direct *direct, Str text)
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

static const char *read_text(Direct *direct, const char *at, NameId *out)
{
    Str text;
    at = direct_string(direct, at, &text);
    if (!at || text.size == 0)
        return NULL;
    *out = text_name(direct, text);
    return at;
}

static Datum datum_of_decimal(Direct *direct, const Decimal *decimal, Str digits)
{
    Datum out = {.tag = TAG_REAL};
    if (decimal->real) {
        if (!decimal_round(decimal, &out.stat.real))
            out.stat.real = python_real(digits);
    } else if (decimal->dropped || decimal->digits > INT64_MAX) {
        out = datum_of_number(direct->reader->names, digits, false, 0);
    } else {
        int64_t value = (int64_t)decimal->digits;
        out.tag = TAG_INT;
        out.stat.integer = decimal->negative ? -value : value;
    }
    return out;
}

static const char *read_number(Direct *direct, const char *at, Datum *out)
{
    Decimal decimal;
    if (CURSOR_IS(at, "-Infinity")) {
        *out = (Datum){TAG_REAL, {.real = (double)-INFINITY}};
        return at + 9;
    }
    const char *end = decimal_scan(at, &decimal);
    if (end)
        *out = datum_of_decimal(direct, &decimal, (Str){at, (size_t)(end - at)});
    return end;
}

// A number or a word.
static const char *read_datum(Direct *direct, const char *at, Datum *out)
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

static const char *read_stat(Direct *direct, const char *at, Slot *slot, Stat stat)
{
    Datum datum = {0};
    Str text;
    if (*at == '"') {
        at = direct_string(direct, at, &text);
        if (at)
            datum = datum_of_text(direct->reader->names, text);
    } else {
        at = read_datum(direct, at, &datum);
    }
    slot->tag[stat] = (uint8_t)datum.tag;
    slot->stat[stat] = datum.stat;
    return at;
}

// The Python text of a flat list of integers and nulls. False for any other list.
static bool compose_list(Str raw, StrBuf *out, uint32_t *items)
{
    const char *at = cursor_space(raw.data + 1), *end = raw.data + raw.size - 1;
    out->size = 0;
    *items = 0;
    strbuf_add_char(out, '[');
    while (at != end || *items) {
        Decimal decimal = {0};
        bool null = CURSOR_IS(at, "null");
        const char *behind = null ? at + 4 : decimal_scan(at, &decimal);
        if (!behind || decimal.real)
            return false;
        if (null)
            strbuf_add(out, STR("None"));
        else
            python_number((Str){at, (size_t)(behind - at)}, out);
        (*items)++;
        at = cursor_space(behind);
        if (at == end)
            break;
        if (*at != ',')
            return false;
        strbuf_add(out, STR(", "));
        at = cursor_space(at + 1);
    }
    strbuf_add_char(out, ']');
    return true;
}

static const char *read_list(Direct *direct, const char *at, NameId *text, uint32_t *items)
{
    bool found;
    const char *end = *at == '[' ? cursor_list_end(at, direct->safe) : NULL;
    if (!end || end - at > LIST_BYTES_MAX)
        return NULL;
    Str raw = {at, (size_t)(end + 1 - at)};
    Memo *memo = direct_memo(direct, raw, SALT_LIST, &found);
    if (!found) {
        if (!compose_list(raw, &direct->reader->python, &memo->items))
            return NULL;
        memo->id = names_add(direct->reader->names, strbuf_str(&direct->reader->python));
        memo->raw = raw.data;
    }
    *text = memo->id;
    *items = memo->items;
    return end + 1;
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

static void set_word(Direct *direct, Slot *slot, Leaf *leaf, Str digits)
{
    Names *names = direct->reader->names;
    switch (leaf->value_datum.tag) {
    case TAG_NULL:
        leaf->value_class = VALUE_NONE;
        slot->value = names_add(names, STR("None"));
        break;
    case TAG_BOOL:
        leaf->value_class = VALUE_BOOL;
        slot->value = names_add(names, leaf->value_datum.stat.integer ? STR("True") : STR("False"));
        break;
    case TAG_REAL:
        leaf->value_class = VALUE_FLOAT;
        slot->value = number_text(direct, digits);
        break;
    default:
        leaf->value_class = VALUE_INT;
        slot->value = number_text(direct, digits);
    }
}

static const char *read_value(Direct *direct, const char *at, Slot *slot, Leaf *leaf)
{
    uint32_t items;
    Str text;
    leaf->has_value = true;
    if (*at == '"') {
        leaf->value_class = VALUE_STR;
        at = direct_string(direct, at, &text);
        slot->value = at ? text_name(direct, text) : NAME_NONE;
        return at;
    }
    if (*at == '[') {
        leaf->value_class = VALUE_LIST;
        at = read_list(direct, at, &slot->value, &items);
        if (at)
            leaf->value_shape = list_shape(direct->reader->names, items);
        return at;
    }
    const char *end = read_datum(direct, at, &leaf->value_datum);
    if (end)
        set_word(direct, slot, leaf, (Str){at, (size_t)(end - at)});
    return end;
}

static const char *read_bool(const char *at, Slot *slot)
{
    if (CURSOR_IS(at, "false")) {
        slot->requires_grad = TRI_FALSE;
        return at + 5;
    }
    slot->requires_grad = TRI_TRUE;
    return CURSOR_IS(at, "true") ? at + 4 : NULL;
}

// A string that seldom repeats; "" and null are none.
static const char *read_own_text(Direct *direct, const char *at, NameId *out)
{
    Str text;
    *out = NAME_NONE;
    if (CURSOR_IS(at, "null"))
        return at + 4;
    at = direct_string(direct, at, &text);
    if (at && text.size)
        *out = names_add(direct->reader->names, text);
    return at;
}

static const char *read_file_name(Direct *direct, const char *at, NameId *out)
{
    if (CURSOR_IS(at, "\"-1\"")) {
        *out = NAME_NONE;
        return at + 4;
    }
    return read_own_text(direct, at, out);
}

typedef enum Field {
    FIELD_NONE = 0,
    FIELD_TYPE = 1 << 0,
    FIELD_DTYPE = 1 << 1,
    FIELD_SHAPE = 1 << 2,
    FIELD_MAX = 1 << 3,
    FIELD_MIN = 1 << 4,
    FIELD_MEAN = 1 << 5,
    FIELD_NORM = 1 << 6,
    FIELD_GRAD = 1 << 7,
    FIELD_DATA_NAME = 1 << 8,
    FIELD_MD5 = 1 << 9,
    FIELD_VALUE = 1 << 10,
    FIELD_SIGNS = FIELD_DTYPE | FIELD_SHAPE | FIELD_VALUE  // only leaves have them
} Field;

#define KEY_IS(at, key, field) \
    (CURSOR_IS(at, "\"" key "\"") ? (*size = sizeof(key) + 1, (unsigned)(field)) : 0u)

// The key that begins with the quote at `at`, and its size with quotes.
static unsigned find_field(const char *at, size_t *size)
{
    switch (at[1]) {
    case 't':
        return KEY_IS(at, "type", FIELD_TYPE);
    case 'd':
        return at[2] == 't' ? KEY_IS(at, "dtype", FIELD_DTYPE)
                            : KEY_IS(at, "data_name", FIELD_DATA_NAME);
    case 's':
        return KEY_IS(at, "shape", FIELD_SHAPE);
    case 'M':
        if (at[2] == 'i')
            return KEY_IS(at, "Min", FIELD_MIN);
        return at[2] == 'a' ? KEY_IS(at, "Max", FIELD_MAX) : KEY_IS(at, "Mean", FIELD_MEAN);
    case 'N':
        return KEY_IS(at, "Norm", FIELD_NORM);
    case 'r':
        return KEY_IS(at, "requires_grad", FIELD_GRAD);
    case 'm':
        return KEY_IS(at, "md5", FIELD_MD5);
    case 'v':
        return KEY_IS(at, "value", FIELD_VALUE);
    default:
        return FIELD_NONE;
    }
}

static const char *read_field(Direct *direct, const char *at, unsigned field, Slot *slot,
                              Leaf *leaf)
{
    uint32_t items;
    switch (field) {
    case FIELD_TYPE:
        return read_text(direct, at, &slot->type);
    case FIELD_DTYPE:
        return read_text(direct, at, &slot->dtype);
    case FIELD_SHAPE:
        return read_list(direct, at, &slot->shape, &items);
    case FIELD_MAX:
        return read_stat(direct, at, slot, STAT_MAX);
    case FIELD_MIN:
        return read_stat(direct, at, slot, STAT_MIN);
    case FIELD_MEAN:
        return read_stat(direct, at, slot, STAT_MEAN);
    case FIELD_NORM:
        return read_stat(direct, at, slot, STAT_NORM);
    case FIELD_GRAD:
        return read_bool(at, slot);
    case FIELD_DATA_NAME:
        return read_file_name(direct, at, &slot->data_name);
    case FIELD_MD5:
        return read_own_text(direct, at, &slot->checksum);
    case FIELD_VALUE:
        return read_value(direct, at, slot, leaf);
    default:
        return NULL;
    }
}

static const char *read_fields(Direct *direct, const char *at, Slot *slot, Leaf *leaf,
                               unsigned *seen)
{
    for (;;) {
        size_t size = 0;
        unsigned field = *at == '"' ? find_field(at, &size) : FIELD_NONE;
        if (field & *seen)
            return NULL;  // repeated
        *seen |= field;
        at = field ? cursor_colon(at + size) : NULL;
        at = at ? read_field(direct, at, field, slot, leaf) : NULL;
        if (!at)
            return NULL;
        at = cursor_space(at);
        if (*at == '}')
            return at + 1;
        if (*at != ',')
            return NULL;
        at = cursor_space(at + 1);
    }
}

static bool type_known(Direct *direct, NameId type)
{
    if (type == direct->known_type)
        return true;
    if (!leaf_type_known(names_text(direct->reader->names, type)))
        return false;
    direct->known_type = type;
    return true;
}

const char *direct_leaf(Direct *direct, const char *at, SlotGroup group, NameId path)
{
    Slot *slot = reader_next_slot(direct->reader);
    Leaf leaf = {0};
    unsigned seen = 0;
    at = read_fields(direct, at, slot, &leaf, &seen);
    if (!at || (!(seen & FIELD_SIGNS) && !type_known(direct, slot->type)))
        return NULL;
    reader_keep_leaf(direct->reader, group, path, &leaf);
    return at;
}
