// SPDX-License-Identifier: Apache-2.0
#include "read/dump/slot_content.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"

// ---- NaN and Inf

// The columns of MindSpore's statistic.csv, and what other hooks call their counts.
static const struct {
    const char *key;
    Nonfinite found;
} counts[] = {
    {"NaN Count", NONFINITE_NAN},
    {"Positive Inf Count", NONFINITE_PLUS},
    {"Negative Inf Count", NONFINITE_MINUS},
    {"nan_count", NONFINITE_NAN},
    {"num_nan", NONFINITE_NAN},
    {"num_nans", NONFINITE_NAN},
    {"inf_count", NONFINITE_PLUS},
    {"num_inf", NONFINITE_PLUS},
    {"num_infs", NONFINITE_PLUS},
};
enum { COUNTS = sizeof counts / sizeof *counts };

bool nonfinite_stat(const Dump *dump, const Slot *slot, Stat stat, double *out)
{
    if (slot_stat(slot, stat, out))
        return true;
    return slot->tag[stat] == TAG_TEXT &&
           number_of_text(names_text(dump->names, slot->stat[stat].text), out);
}

Nonfinite nonfinite_kind(double value)
{
    if (isfinite(value))
        return 0;
    return isnan(value) ? NONFINITE_NAN : value > 0 ? NONFINITE_PLUS : NONFINITE_MINUS;
}

static Nonfinite kind_of_stat(const Dump *dump, const Slot *slot, Stat stat)
{
    double value;
    return nonfinite_stat(dump, slot, stat, &value) ? nonfinite_kind(value) : 0;
}

bool nonfinite_norm_alone(const Slot *slot)
{
    return slot->tag[STAT_NORM] != TAG_ABSENT && slot->tag[STAT_NORM] != TAG_NULL &&
           slot->tag[STAT_MAX] == TAG_ABSENT && slot->tag[STAT_MIN] == TAG_ABSENT &&
           slot->tag[STAT_MEAN] == TAG_ABSENT;
}

Nonfinite nonfinite_of_any(const Dump *dump, const Slot *slot)
{
    Nonfinite found = (Nonfinite)(slot->counted | kind_of_stat(dump, slot, STAT_MAX) |
                                  kind_of_stat(dump, slot, STAT_MIN));
    if (!found)
        found = kind_of_stat(dump, slot, STAT_MEAN);
    if (found)
        return found;
    Nonfinite norm = kind_of_stat(dump, slot, STAT_NORM);
    return nonfinite_norm_alone(slot) ? norm : norm & NONFINITE_NAN;
}

bool nonfinite_is_count(Str key)
{
    for (size_t i = 0; i < COUNTS; i++)
        if (str_equal_nocase(key, str_of(counts[i].key)))
            return true;
    return false;
}

bool nonfinite_counts_differ(const Dump *golden, uint32_t golden_slot, const Dump *target,
                             uint32_t target_slot)
{
    for (size_t i = 0; i < COUNTS; i++) {
        Str a = slot_extra(golden, golden_slot, str_of(counts[i].key));
        Str b = slot_extra(target, target_slot, str_of(counts[i].key));
        if (a.size && b.size && !str_equal(a, b))
            return true;
    }
    return false;
}

static void mark_counts(Dump *dump)
{
    for (uint32_t i = 0; i < dump->extra_count; i++) {
        const SlotExtra *extra = &dump->extras[i];
        uint64_t count;
        for (size_t k = 0; k < COUNTS; k++)
            if (str_equal_nocase(names_text(dump->names, extra->key), str_of(counts[k].key)) &&
                str_to_uint64(names_text(dump->names, extra->text), &count) && count > 0)
                dump->slots[extra->slot].counted |= counts[k].found;
    }
}

// The flag is of the whole op: its results hold NaN where no statistic shows what does.
static void mark_flag(const Dump *dump, const Op *op)
{
    bool shown = false;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        shown = shown || nonfinite_of(dump, &dump->slots[i]);
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count && !shown; i++)
        if (dump->slots[i].kind == SLOT_TENSOR && slot_is_result(&dump->slots[i]))
            dump->slots[i].counted |= NONFINITE_NAN;
}

// ---- checksums

static bool is_hex(Str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F'))
            return false;
    }
    return text.size > 0;
}

static bool has_statistics(const Slot *slot)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (slot->tag[stat] > TAG_NULL)
            return true;
    return false;
}

// CRC-32, 64 bits, MD5, SHA-1, SHA-256 and xor as their writers print them; of a value without
// axes xor is the number itself (docs/spec/dump-format.md, checksums).
static bool is_checksum(Slot *slot, Str text)
{
    double value;
    if (str_starts(text, STR("0x")))
        return text.size <= 18 && is_hex(str_slice(text, 2, text.size));
    if (is_hex(text) && (text.size == 8 || text.size == 16 || text.size == 32 || text.size == 40 ||
                         text.size == 64))
        return true;
    if (has_statistics(slot) || !number_of_text(text, &value))
        return false;
    slot->counted |= nonfinite_kind(value);
    return true;
}

static bool means_none(Str text)
{
    return text.size == 0 || str_equal(text, STR("-")) || str_equal_nocase(text, STR("none")) ||
           str_equal_nocase(text, STR("null")) || str_equal_nocase(text, STR("n/a")) ||
           str_equal_nocase(text, STR("na")) || str_equal_nocase(text, STR("nan"));
}

static void settle_checksums(Dump *dump, Notices *notices)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < dump->slot_count; i++) {
        Slot *slot = &dump->slots[i];
        if (slot->checksum == NAME_NONE)
            continue;
        Str text = names_text(dump->names, slot->checksum);
        if (is_checksum(slot, text)) {
            kept++;
            continue;
        }
        slot->checksum = NAME_NONE;
        if (!means_none(text))
            notices_partial(notices, WHERE_FILE(dump->path.data), "%s",
                            tr("a checksum is in no form that is known (8, 16, 32, 40 or 64 hex "
                               "digits, or 0x and up to 16): the statistics are compared"));
    }
    dump->has_checksum = kept > 0;
}

void slot_content_settle(Dump *dump, Notices *notices)
{
    if (dump->has_checksum)
        settle_checksums(dump, notices);
    mark_counts(dump);
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].is_nan == TRI_TRUE)
            mark_flag(dump, &dump->ops[i]);
}
