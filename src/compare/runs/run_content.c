// SPDX-License-Identifier: Apache-2.0
#include "compare/runs/run_content.h"
#include "read/dump/slot_content.h"

#include <stdlib.h>
#include <string.h>

// FNV-1a, 64 bits.
#define HASH_START  0xCBF29CE484222325U
#define HASH_FACTOR 0x100000001B3U

static void add_bytes(uint64_t *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ at[i]) * HASH_FACTOR;
}

static void add_number(uint64_t *hash, uint64_t number)
{
    add_bytes(hash, &number, sizeof number);
}

// With its length, so that two texts never read as one.
static void add_text(uint64_t *hash, const Dump *dump, NameId name)
{
    Str text = names_text(dump->names, name);
    add_number(hash, text.size);
    add_bytes(hash, text.data, text.size);
}

static void add_stat(uint64_t *hash, const Dump *dump, const Slot *slot, int stat)
{
    const StatValue *value = &slot->stat[stat];
    add_number(hash, slot->tag[stat]);
    switch ((StatTag)slot->tag[stat]) {
    case TAG_REAL:
        add_bytes(hash, &value->real, sizeof value->real);
        break;
    case TAG_TEXT:
    case TAG_BIGINT:
        add_text(hash, dump, value->text);
        break;
    case TAG_BOOL:
    case TAG_INT:
    case TAG_UINT:
        add_number(hash, value->natural);
        break;
    case TAG_ABSENT:
    case TAG_NULL:
        break;
    }
}

static void add_slot(uint64_t *hash, const Dump *dump, const Slot *slot)
{
    const NameId texts[] = {slot->path,  slot->type,     slot->dtype,
                            slot->shape, slot->checksum, slot->value};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(hash, dump, texts[i]);
    add_number(hash, slot->kind);
    add_number(hash, slot->requires_grad);
    add_number(hash, slot->counted);
    for (int stat = 0; stat < STAT_COUNT; stat++)
        add_stat(hash, dump, slot, stat);
}

void run_content(const Dump *dump, Arena *arena, RunContent *out)
{
    *out = (RunContent){.whole = HASH_START,
                        .ops = ARENA_ARRAY(arena, uint64_t, dump->op_count),
                        .op_count = dump->op_count};
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        uint64_t hash = HASH_START;
        add_text(&hash, dump, op->name);
        for (uint32_t k = 0; k < op->slot_count; k++)
            add_slot(&hash, dump, &dump->slots[op->first_slot + k]);
        out->ops[i] = hash;
        add_number(&out->whole, hash);
    }
    for (uint32_t i = 0; i < dump->extra_count; i++)
        if (nonfinite_is_count(names_text(dump->names, dump->extras[i].key)))
            add_text(&out->whole, dump, dump->extras[i].text);
    add_number(&out->whole, dump->partial_at >= 0);
    out->whole += out->whole == 0;
}

typedef struct OpOfRun {
    uint64_t hash;
    size_t run;
} OpOfRun;

static int by_hash(const void *a, const void *b)
{
    const OpOfRun *left = a, *right = b;
    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    return left->run < right->run ? -1 : left->run > right->run;
}

void run_content_agreement(const RunContent *runs, size_t count, uint64_t *out)
{
    Arena *scratch = arena_new();
    size_t total = 0, at = 0;
    for (size_t run = 0; run < count; run++) {
        total += runs[run].op_count;
        out[run] = 0;
    }
    OpOfRun *items = ARENA_ARRAY(scratch, OpOfRun, total);
    for (size_t run = 0; run < count; run++)
        for (uint32_t i = 0; i < runs[run].op_count; i++)
            items[at++] = (OpOfRun){runs[run].ops[i], run};
    if (total)
        qsort(items, total, sizeof *items, by_hash);
    for (size_t first = 0, end; first < total; first = end) {
        for (end = first + 1; end < total && items[end].hash == items[first].hash;)
            end++;
        for (size_t i = first; i < end; i++)
            out[items[i].run] += end - first - 1;
    }
    arena_release(scratch);
}

static bool has_dump(const uint64_t *keys, size_t places)
{
    for (size_t i = 0; i < places; i++)
        if (keys[i])
            return true;
    return false;
}

size_t run_most_common(const uint64_t *keys, size_t runs, size_t places, const uint64_t *agreement)
{
    size_t best = SIZE_MAX, best_group = 0;
    for (size_t run = 0; run < runs; run++) {
        size_t group = 0;
        if (!has_dump(keys + run * places, places))
            continue;
        for (size_t other = 0; other < runs; other++)
            group += memcmp(keys + run * places, keys + other * places, places * sizeof *keys) == 0;
        bool better =
            group > best_group || (group == best_group && agreement[run] > agreement[best]);
        if (best == SIZE_MAX || better) {
            best = run;
            best_group = group;
        }
    }
    return best;
}
