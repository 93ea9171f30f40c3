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

static void set_stat(Slot *slot, Stat stat, Datum datum)
{
    slot->tag[stat] = (uint8_t)datum.tag;
    slot->stat[stat] = datum.stat;
}

static const char *read_odd_stat(Direct *direct, const char *at, Slot *slot, Stat stat)
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
    set_stat(slot, stat, datum);
    return at;
}

// Nearly every statistic is a real number of few digits.
static inline const char *read_stat(Direct *direct, const char *at, Slot *slot, Stat stat)
{
    const char *end = decimal_read(at, &slot->stat[stat].real);
    if (!end)
        return read_odd_stat(direct, at, slot, stat);
    slot->tag[stat] = TAG_REAL;
    return end;
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

// The fields from `at`, which is on a key's quote.
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

// What comes behind a value: more fields or the end.
static const char *read_rest(Direct *direct, const char *at, Slot *slot, Leaf *leaf, unsigned *seen)
{
    at = cursor_space(at);
    if (*at == '}')
        return at + 1;
    return *at == ',' ? read_fields(direct, cursor_space(at + 1), slot, leaf, seen) : NULL;
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

// The opening that was met last with this shape, type and dtype: the bytes up to the end of the
// shape tell most of them apart, the comparison all.
static Opening *find_opening(Direct *direct, const char *at)
{
    uint64_t hash = 0;
    for (const char *word = at + 48; word < direct->safe; word += 8) {
        uint64_t bytes = cursor_load(word);
        uint64_t hits = cursor_hits(bytes, 0x5D5D5D5D5D5D5D5Du);
        if (hits)
            bytes &= (hits & (0 - hits)) - 1;
        hash = (hash ^ bytes) * 0x9E3779B97F4A7C15u;
        if (hits)
            break;
    }
    return &direct->openings[(hash >> 40) % OPENINGS];
}

static bool seam_fits(const Seam *seam, const char *at)
{
    uint64_t other = (cursor_load(at) ^ seam->words[0]) & seam->masks[0];
    other |= (cursor_load(at + 8) ^ seam->words[1]) & seam->masks[1];
    other |= (cursor_load(at + 16) ^ seam->words[2]) & seam->masks[2];
    return other == 0 && seam->size;
}

static void learn_seam(Seam *seam, const char *at, const char *end)
{
    *seam = (Seam){.size = (size_t)(end - at)};
    if (seam->size > sizeof seam->words)
        seam->size = 0;
    for (size_t i = 0; i < 3; i++) {
        size_t left = seam->size > 8 * i ? seam->size - 8 * i : 0;
        seam->masks[i] = left >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * left) - 1;
        seam->words[i] = cursor_load(at + 8 * i) & seam->masks[i];
    }
}

// The key of a seam, taken apart, where the seam has changed: gives the place of its value.
static const char *cross_seam(Seam *seam, const char *at, unsigned field)
{
    size_t size = 0;
    const char *key = cursor_space(at);
    if (*key != ',')
        return NULL;
    key = cursor_space(key + 1);
    if (*key != '"' || find_field(key, &size) != field)
        return NULL;
    const char *value = cursor_colon(key + size);
    if (value)
        learn_seam(seam, at, value);
    return value;
}

// The statistics behind an opening in their usual order. Gives where the fields stop to be usual.
static const char *read_usual(Direct *direct, const char *at, Slot *slot, unsigned *seen)
{
    static const unsigned fields[SEAMS] = {FIELD_MIN, FIELD_MEAN, FIELD_NORM, FIELD_GRAD};
    at = read_stat(direct, at, slot, STAT_MAX);
    for (int i = 0; at && i < SEAMS; i++) {
        Seam *seam = &direct->seams[i];
        const char *value = seam_fits(seam, at) ? at + seam->size : cross_seam(seam, at, fields[i]);
        if (!value)
            return at;
        *seen |= fields[i];
        at = i == SEAM_GRAD ? read_bool(value, slot)
                            : read_stat(direct, value, slot, (Stat)(STAT_MIN + i));
    }
    return at;
}

static const char *read_known(Direct *direct, const char *at, const Opening *opening, Slot *slot,
                              Leaf *leaf)
{
    unsigned seen = FIELD_TYPE | FIELD_DTYPE | FIELD_SHAPE | FIELD_MAX;
    slot->type = opening->type;
    slot->dtype = opening->dtype;
    slot->shape = opening->shape;
    at = read_usual(direct, at + opening->size, slot, &seen);
    return at ? read_rest(direct, at, slot, leaf, &seen) : NULL;
}

// Behind a string or flat list, which was read before, and the comma that follows; NULL: something
// else.
static const char *skip_usual_value(const char *at)
{
    if (*at == '"')
        at = cursor_string_end(at + 1, at + OPENING_BYTES_MAX);
    else
        at = *at == '[' ? cursor_list_end(at, at + OPENING_BYTES_MAX) : NULL;
    at = at ? cursor_space(at + 1) : NULL;
    return at && *at == ',' ? cursor_space(at + 1) : NULL;
}

// Keeps the opening of a tensor that was read field by field, if its fields stand as usual.
static void learn_opening(Opening *opening, const char *at, const Slot *slot)
{
    static const unsigned order[] = {FIELD_TYPE, FIELD_DTYPE, FIELD_SHAPE, FIELD_MAX};
    const char *start = at;
    for (size_t i = 0;; i++) {
        size_t size = 0;
        if (*at != '"' || find_field(at, &size) != order[i])
            return;
        at = cursor_colon(at + size);
        if (i == 3)
            break;
        at = skip_usual_value(at);
        if (!at)
            return;
    }
    if (at - start <= OPENING_BYTES_MAX)
        *opening = (Opening){start, (size_t)(at - start), slot->type, slot->dtype, slot->shape};
}

const char *direct_leaf(Direct *direct, const char *at, SlotGroup group, NameId path)
{
    Slot *slot = reader_next_slot(direct->reader);
    Leaf leaf = {0};
    unsigned seen = 0;
    const char *end;
    Opening *opening = find_opening(direct, at);
    bool fits = opening->raw && (size_t)(direct->safe - at) > opening->size;
    if (fits && memcmp(opening->raw, at, opening->size) == 0) {
        end = read_known(direct, at, opening, slot, &leaf);
    } else {
        end = read_fields(direct, at, slot, &leaf, &seen);
        if (!end || (!(seen & FIELD_SIGNS) && !type_known(direct, slot->type)))
            return NULL;
        learn_opening(opening, at, slot);
    }
    if (end)
        reader_keep_leaf(direct->reader, group, path, &leaf);
    return end;
}
