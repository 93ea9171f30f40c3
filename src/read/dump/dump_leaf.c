// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"
#include "read/dump/dump_cursor.h"
#include "read/dump/dump_direct.h"

// Leaves whose first key is "type", field by field from the text into a slot.

static const char *read_text(Direct *direct, const char *at, NameId *out)
{
    Str text;
    at = direct_string(direct, at, &text);
    if (!at || text.size == 0)
        return NULL;
    *out = direct_text(direct, text);
    return at;
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
        at = direct_datum(direct, at, &datum);
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
    FIELD_FORMAT = 1 << 11,
    FIELD_RANKS = 1 << 12,
    FIELD_GROUP_ID = 1 << 13,
    FIELD_DEVICE_MESH = 1 << 14,
    FIELD_PLACEMENTS = 1 << 15,
    FIELD_LAYOUT = 1 << 16,
    FIELD_SHARD_SIZE = 1 << 17,
    // Only leaves have one of these.
    FIELD_SIGNS = FIELD_DTYPE | FIELD_SHAPE | FIELD_VALUE | FIELD_FORMAT | FIELD_RANKS
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
        if (at[2] == 'e')
            return KEY_IS(at, "device_mesh", FIELD_DEVICE_MESH);
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
    case 'f':
        return KEY_IS(at, "format", FIELD_FORMAT);
    case 'g':
        return CURSOR_IS(at, "\"group_r") ? KEY_IS(at, "group_ranks", FIELD_RANKS)
                                          : KEY_IS(at, "group_id", FIELD_GROUP_ID);
    case 'p':
        return KEY_IS(at, "placements", FIELD_PLACEMENTS);
    case 'l':
        return KEY_IS(at, "layout", FIELD_LAYOUT);
    case 'h':
        return KEY_IS(at, "hsdp_shard_size", FIELD_SHARD_SIZE);
    default:
        return FIELD_NONE;
    }
}

static const char *read_extra(Direct *direct, const char *at, ExtraKey key, Leaf *leaf)
{
    leaf->has_extra = true;
    return direct_any(direct, at, &leaf->extra[key]);
}

static const char *read_format(Direct *direct, const char *at, Leaf *leaf)
{
    return CURSOR_IS(at, "null") ? at + 4 : direct_any(direct, at, &leaf->format);
}

static const char *read_shape(Direct *direct, const char *at, Slot *slot)
{
    uint32_t items;
    return *at == '[' ? direct_python(direct, at, &slot->shape, &items) : NULL;
}

// The fields that few leaves have.
static const char *read_rare_field(Direct *direct, const char *at, unsigned field, Slot *slot,
                                   Leaf *leaf)
{
    Datum ignored;
    switch (field) {
    case FIELD_DATA_NAME:
        return read_file_name(direct, at, &slot->data_name);
    case FIELD_MD5:
        return read_own_text(direct, at, &slot->checksum);
    case FIELD_FORMAT:
        return read_format(direct, at, leaf);
    case FIELD_RANKS:
        return direct_any(direct, at, &leaf->ranks);
    case FIELD_GROUP_ID:
        return read_extra(direct, at, EXTRA_GROUP_ID, leaf);
    case FIELD_DEVICE_MESH:
        return read_extra(direct, at, EXTRA_DEVICE_MESH, leaf);
    case FIELD_PLACEMENTS:
        return read_extra(direct, at, EXTRA_PLACEMENTS, leaf);
    case FIELD_LAYOUT:
        return read_extra(direct, at, EXTRA_LAYOUT, leaf);
    case FIELD_SHARD_SIZE:
        dump_describe(direct->reader->dump, 1);
        return direct_datum(direct, at, &ignored);
    default:
        return NULL;
    }
}

static const char *read_field(Direct *direct, const char *at, unsigned field, Slot *slot,
                              Leaf *leaf)
{
    switch (field) {
    case FIELD_TYPE:
        return read_text(direct, at, &slot->type);
    case FIELD_DTYPE:
        return read_text(direct, at, &slot->dtype);
    case FIELD_SHAPE:
        return read_shape(direct, at, slot);
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
    case FIELD_VALUE:
        return direct_value(direct, at, slot, leaf);
    default:
        return read_rare_field(direct, at, field, slot, leaf);
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

// What comes after a value: more fields or the end.
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
        uint64_t bytes = bytes_load(word);
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
    uint64_t other = (bytes_load(at) ^ seam->words[0]) & seam->masks[0];
    other |= (bytes_load(at + 8) ^ seam->words[1]) & seam->masks[1];
    other |= (bytes_load(at + 16) ^ seam->words[2]) & seam->masks[2];
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
        seam->words[i] = bytes_load(at + 8 * i) & seam->masks[i];
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

// The statistics after an opening in their usual order. Gives where the fields stop to be usual.
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

// After a string or flat list, which was read before, and the comma that follows; NULL: something
// else.
static const char *skip_usual_value(const char *at)
{
    if (*at == '"')
        at = cursor_string_end(at + 1, at + OPENING_BYTES_MAX);
    else
        at = *at == '[' ? cursor_find(at, ']', at + OPENING_BYTES_MAX) : NULL;
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
