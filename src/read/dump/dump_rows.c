// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_rows.h"

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"
#include "read/dump/dump_parts.h"
#include "read/dump/op_name.h"

void dump_rows_init(DumpRows *rows, const char *path, uint64_t bytes, Names *names, Arena *arena,
                    Arena *scratch, Dump *out)
{
    *out = (Dump){
        .path = str_copy(arena, str_of(path)), .names = names, .bytes = bytes, .partial_at = -1};
    *rows = (DumpRows){.dump = out, .arena = arena, .scratch = scratch};
}

static void add_op(DumpRows *rows, NameId id, uint64_t offset)
{
    OpName parts = op_name_of(rows->dump->names, id);
    Op *op;
    op = ARRAY_ADD(rows->scratch, rows->ops, rows->op_count, rows->op_capacity);
    *op = (Op){.name = id,
               .offset = offset,
               .call = parts.call,
               .kind = (uint8_t)parts.kind,
               .direction = (uint8_t)parts.direction};
}

Slot *dump_rows_add(DumpRows *rows, Str name, uint64_t offset)
{
    NameId id = names_add(rows->dump->names, name);
    // Index of the op, plus one; 0 for a new name.
    uint32_t *op = &ARRAY_REACH(rows->scratch, rows->op_of_name, rows->name_capacity, id)[id];
    if (*op == 0) {
        add_op(rows, id, offset);
        *op = (uint32_t)rows->op_count;
    }
    DumpRow *row = ARRAY_ADD(rows->scratch, rows->rows, rows->row_count, rows->row_capacity);
    *row = (DumpRow){.op = *op - 1};
    rows->ops[row->op].slot_count++;
    rows->dump->seen++;
    return &row->slot;
}

Op *dump_rows_op(DumpRows *rows)
{
    return &rows->ops[rows->rows[rows->row_count - 1].op];
}

void dump_rows_extra(DumpRows *rows, Str key, Str text)
{
    DumpRow *row = &rows->rows[rows->row_count - 1];
    for (int i = 0; i < ROW_EXTRAS; i++)
        if (!row->keys[i]) {
            row->keys[i] = names_add(rows->dump->names, key);
            row->texts[i] = names_add(rows->dump->names, text);
            rows->extra_count++;
            return;
        }
}

// In the order of the slots: `row_of` tells which row each slot was.
static void place_extras(DumpRows *rows, const uint32_t *row_of)
{
    Dump *dump = rows->dump;
    dump->extras = ARENA_ARRAY(rows->arena, SlotExtra, rows->extra_count);
    for (uint32_t slot = 0; rows->extra_count && slot < dump->slot_count; slot++) {
        const DumpRow *row = &rows->rows[row_of[slot]];
        for (int i = 0; i < ROW_EXTRAS && row->keys[i]; i++)
            dump->extras[dump->extra_count++] = (SlotExtra){slot, row->keys[i], row->texts[i]};
    }
}

void dump_rows_finish(DumpRows *rows)
{
    Dump *dump = rows->dump;
    dump->op_count = (uint32_t)rows->op_count;
    dump->slot_count = (uint32_t)rows->row_count;
    dump->ops = ARENA_ARRAY(rows->arena, Op, rows->op_count);
    dump->slots = ARENA_ARRAY(rows->arena, Slot, rows->row_count);
    uint32_t *row_of = ARENA_ARRAY(rows->scratch, uint32_t, rows->row_count);
    uint32_t first = 0;
    for (size_t i = 0; i < rows->op_count; i++) {
        dump->ops[i] = rows->ops[i];
        dump->ops[i].first_slot = first;
        first += rows->ops[i].slot_count;
        rows->ops[i].slot_count = 0;
    }
    for (size_t i = 0; i < rows->row_count; i++) {
        const DumpRow *row = &rows->rows[i];
        uint32_t at = dump->ops[row->op].first_slot + rows->ops[row->op].slot_count++;
        dump->slots[at] = row->slot;
        row_of[at] = (uint32_t)i;
    }
    place_extras(rows, row_of);
}

bool dump_rows_end(DumpRows *rows, Framework framework, const char *level, Error *err)
{
    Dump *out = rows->dump;
    dump_rows_finish(rows);
    arena_release(rows->scratch);
    out->framework = framework;
    out->level = str_of(level);
    out->task = STR("statistics");
    return out->op_count > 0 || error_set(err, ERR_INPUT, WHERE_FILE(out->path.data), "%s",
                                          tr("no tensor could be read"));
}

void dump_rows_stat(DumpRows *rows, Slot *slot, Stat stat, Str text)
{
    bool yes = str_equal_nocase(text, STR("true")), no = str_equal_nocase(text, STR("false"));
    slot->stat[stat] = (StatValue){0};
    if (text.size == 0) {
        slot->tag[stat] = TAG_ABSENT;
    } else if (str_equal_nocase(text, STR("null")) || str_equal(text, STR("None"))) {
        slot->tag[stat] = TAG_NULL;
    } else if (yes || no) {
        slot->tag[stat] = TAG_BOOL;
        slot->stat[stat].integer = yes;
    } else {
        Datum datum = datum_of_text(rows->dump->names, text);
        slot->tag[stat] = (uint8_t)datum.tag;
        slot->stat[stat] = datum.stat;
    }
}

static Str class_of(Str text)
{
    int64_t integer;
    double number;
    if (str_equal(text, STR("True")) || str_equal(text, STR("False")))
        return STR("bool");
    if (str_to_int64(text, &integer))
        return STR("int");
    return number_of_text(text, &number) ? STR("float") : STR("str");
}

void dump_rows_plain(DumpRows *rows, Slot *slot, Str text)
{
    Names *names = rows->dump->names;
    bool none = str_equal(text, STR("None"));
    for (int i = 0; i < STAT_COUNT; i++)
        dump_rows_stat(rows, slot, (Stat)i, text);
    slot->kind = none ? SLOT_NULL : SLOT_SCALAR;
    if (none)
        return;
    Str name = class_of(text);
    slot->value = names_add(names, text);
    slot->type = names_add(names, name);
    slot->dtype =
        names_add(names, str_printf(rows->scratch, "<class '" STR_FMT "'>", STR_ARG(name)));
    slot->shape = names_add(names, STR("[]"));
}

void dump_rows_keep_last_files(DumpRows *rows)
{
    bool *seen = ARENA_ARRAY(rows->scratch, bool, names_count(rows->dump->names) + 1);
    for (size_t i = rows->row_count; i-- > 0;) {
        Slot *slot = &rows->rows[i].slot;
        rows->dump->has_data_name = rows->dump->has_data_name || slot->data_name;
        if (seen[slot->data_name])
            slot->data_name = NAME_NONE;
        seen[slot->data_name] = slot->data_name != NAME_NONE;
    }
}
