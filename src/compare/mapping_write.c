// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping_write.h"

#include <string.h>

#include "base/array.h"
#include "compare/mapping/row_name.h"

#define NO_PARTNER STR("N/A")

static void add_entry(NameMapping *out, Arena *arena, Str target, Str golden)
{
    *ARRAY_PUSH(arena, out) =
        (NamePair){.target = str_copy(arena, target), .golden = str_copy(arena, golden)};
}

typedef struct Collector {
    const Comparison *comparison;
    const Dump *golden, *target;
    StrBuf names[2];
    Arena *arena;
    NameMapping *out;
} Collector;

static Str target_row(Collector *collector, const OpPair *op, uint32_t slot)
{
    return row_name(collector->target, &collector->target->ops[op->target],
                    &collector->target->slots[slot], &collector->names[0]);
}

static void collect_single(Collector *collector, const OpPair *pair)
{
    const Op *op = &collector->target->ops[pair->target];
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        add_entry(collector->out, collector->arena, target_row(collector, pair, i), NO_PARTNER);
}

static void collect_pair(Collector *collector, const OpPair *pair)
{
    const Op *golden = &collector->golden->ops[pair->golden];
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        const SlotPair *slots = &collector->comparison->slots[i];
        if (slots->golden == SLOT_NONE || slots->target == SLOT_NONE)
            continue;
        Str n = target_row(collector, pair, slots->target);
        Str b = row_name(collector->golden, golden, &collector->golden->slots[slots->golden],
                         &collector->names[1]);
        if (!str_equal(n, b))
            add_entry(collector->out, collector->arena, n, b);
    }
}

void mapping_collect(const Comparison *comparison, Arena *arena, NameMapping *out)
{
    Arena *scratch = arena_new();
    Collector collector = {.comparison = comparison,
                           .golden = comparison->golden->dump,
                           .target = comparison->target->dump,
                           .arena = arena,
                           .out = out};
    collector.names[0] = strbuf_new(scratch);
    collector.names[1] = strbuf_new(scratch);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        if (pair->target == OP_NONE)
            continue;
        if (pair->golden == OP_NONE)
            collect_single(&collector, pair);
        else
            collect_pair(&collector, pair);
    }
    arena_release(scratch);
}

size_t mapping_join(NameMapping *out, const NameMapping *from, Names *seen, Arena *arena)
{
    size_t others = 0;
    for (size_t i = 0; i < from->count; i++) {
        const NamePair *pair = &from->items[i];
        NameId known = names_find(seen, pair->target);
        if (known == NAME_NONE) {
            names_add(seen, pair->target);
            add_entry(out, arena, pair->target, pair->golden);
        } else {
            others += !str_equal(out->items[known - 1].golden, pair->golden);
        }
    }
    return others;
}

static bool is_plain(Str text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./";
    bool letter = false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == 0 || !strchr(plain, text.data[i]))
            return false;
        letter = letter || (text.data[i] | 0x20) >= 'a';
    }
    return letter && text.data[0] != '.';
}

void mapping_write_name(Str text, Sink *out)
{
    if (is_plain(text)) {
        sink_str(out, text);
        return;
    }
    sink_text(out, "\"");
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            sink_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            sink_printf(out, "\\x%02X", c);
        else
            sink_write(out, &text.data[i], 1);
    }
    sink_text(out, "\"");
}

void mapping_write(const NameMapping *mapping, Sink *out)
{
    sink_text(out, "# row of the target: row of the golden run; N/A: it has no partner.\n"
                   "# Rows that are not listed pair with the row of their own name.\n");
    if (mapping->count == 0)
        sink_text(out, "{}\n");
    for (size_t i = 0; i < mapping->count; i++) {
        mapping_write_name(mapping->items[i].target, out);
        sink_text(out, ": ");
        mapping_write_name(mapping->items[i].golden, out);
        sink_text(out, "\n");
    }
}
