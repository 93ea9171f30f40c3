// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "read/dump/dump.h"

// What reports show of the records.

const char *framework_text(Framework framework)
{
    static const char *const texts[] = {
        [FRAMEWORK_UNKNOWN] = "unknown",
        [FRAMEWORK_PYTORCH] = "pytorch",
        [FRAMEWORK_MINDSPORE] = "mindspore",
        [FRAMEWORK_MINDTORCH] = "mindtorch",
    };
    return texts[framework];
}

bool dump_add_version(Dump *dump, Str key, Str value, Arena *arena)
{
    enum { VERSION_BYTES = 100, VERSIONS_BYTES = 400 };
    bool all = str_equal(key, STR("versions"));
    if (!all && !str_ends(key, STR("_version")))
        return false;
    if (value.size == 0 || value.size > (all ? VERSIONS_BYTES : VERSION_BYTES) ||
        dump->versions.size + key.size + value.size > VERSIONS_BYTES)
        return true;
    Str name = str_slice(key, 0, all ? 0 : key.size - strlen("_version"));
    dump->versions =
        str_printf(arena, STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(dump->versions),
                   dump->versions.size ? ", " : "", STR_ARG(name), all ? "" : " ", STR_ARG(value));
    return true;
}

static size_t write_uint(uint64_t value, char *out)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < count; i++)
        out[i] = digits[count - 1 - i];
    return count;
}

static size_t write_int(int64_t value, char *out)
{
    if (value >= 0)
        return write_uint((uint64_t)value, out);
    out[0] = '-';
    return 1 + write_uint(0 - (uint64_t)value, out + 1);
}

Str slot_stat_text(const Names *names, const Slot *slot, Stat stat, char buffer[40])
{
    const StatValue *value = &slot->stat[stat];
    switch (slot->tag[stat]) {
    case TAG_BOOL:
        return value->integer ? STR("True") : STR("False");
    case TAG_INT:
        return (Str){buffer, write_int(value->integer, buffer)};
    case TAG_UINT:
        return (Str){buffer, write_uint(value->natural, buffer)};
    case TAG_REAL:
        return (Str){buffer, (size_t)number_python(value->real, buffer)};
    case TAG_TEXT:
    case TAG_BIGINT:
        return names_text(names, value->text);
    default:
        return STR("None");
    }
}

Str slot_extra(const Dump *dump, uint32_t slot, Str key)
{
    size_t at;
    FIND_FIRST(at, dump->extra_count, dump->extras[at].slot < slot);
    for (; at < dump->extra_count && dump->extras[at].slot == slot; at++)
        if (str_equal(names_text(dump->names, dump->extras[at].key), key))
            return names_text(dump->names, dump->extras[at].text);
    return (Str){NULL, 0};
}

static const char *past_spaces(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

// In one pass: it is asked of every tensor.
size_t shape_dimensions(Str shape)
{
    size_t count = 1;
    for (size_t i = 0; i < shape.size; i++)
        count += shape.data[i] == ',';
    return count;
}

uint64_t shape_elements(Str shape)
{
    if (shape.size < 2 || shape.data[0] != '[' || shape.data[shape.size - 1] != ']')
        return 0;
    const char *end = shape.data + shape.size - 1, *at = past_spaces(shape.data + 1, end);
    uint64_t product = 1;
    if (at == end)
        return 1;
    for (;; at = past_spaces(at + 1, end)) {
        uint64_t extent = 0;
        if (at == end || !is_digit(*at))
            return 0;
        for (; at < end && is_digit(*at); at++) {
            if (extent > UINT64_MAX / 10 - 1)
                return 0;
            extent = extent * 10 + (uint64_t)(*at - '0');
        }
        if (extent && product > UINT64_MAX / extent)
            return 0;
        product *= extent;
        at = past_spaces(at, end);
        if (at == end)
            return product;
        if (*at != ',')
            return 0;
    }
}
