// SPDX-License-Identifier: Apache-2.0
#include "export/line_dump_write.h"

#include "base/json_writer.h"
#include "read/dump/op_name.h"

typedef struct Writer {
    const Dump *dump;
    JsonWriter json;
    const NameId *parents;  // by NameId
    uint32_t extra;         // the next one
} Writer;

static void text_field(Writer *writer, const char *key, NameId text)
{
    if (text == NAME_NONE)
        return;
    json_key(&writer->json, key);
    json_str(&writer->json, names_text(writer->dump->names, text));
}

static Str without(Str text, const char *prefix)
{
    return str_slice(text, str_of(prefix).size, text.size);
}

// What the slot is of, and its name below that.
static const char *io_of(const Slot *slot, Str path, Str *name)
{
    *name = path;
    if (slot->group == GROUP_DEBUG)
        return "debug";
    if (slot->group == GROUP_GRADS)
        return "grad";
    if (slot->group == GROUP_OUTPUT && str_starts(path, STR("output."))) {
        *name = without(path, "output.");
        return "output";
    }
    if (slot->group == GROUP_PARAMETERS && str_starts(path, STR("parameters."))) {
        *name = without(path, "parameters.");
        return "param";
    }
    if (!str_starts(path, STR("input.")))
        return "tensor";
    *name = without(path, "input.");
    return "input";
}

// A name that a reader took apart itself; those of msProbe say all that there is.
static void op_fields(Writer *writer, const Op *op)
{
    const Dump *dump = writer->dump;
    const OpName *set = names_note(dump->names, op->name);
    json_key(&writer->json, "op");
    json_str(&writer->json, set ? set->stem : names_text(dump->names, op->name));
    if (!set)
        return;
    json_key(&writer->json, "direction");
    json_text(&writer->json, set->direction == DIR_BACKWARD ? "backward" : "forward");
    if (set->call > 0) {
        json_key(&writer->json, "call");
        json_int(&writer->json, set->call);
    }
    if (set->kind == OP_MODULE) {
        json_key(&writer->json, "module");
        json_str(&writer->json, set->path);
        json_key(&writer->json, "class");
        json_str(&writer->json, set->type_name);
    }
}

static void truth_field(Writer *writer, const char *key, uint8_t value)
{
    if (value == TRI_ABSENT)
        return;
    json_key(&writer->json, key);
    json_bool(&writer->json, value == TRI_TRUE);
}

static void stat_field(Writer *writer, const Slot *slot, Stat stat, const char *key)
{
    const StatValue *value = &slot->stat[stat];
    char buffer[40];
    JsonWriter *json = &writer->json;
    if (slot->tag[stat] == TAG_ABSENT)
        return;
    json_key(json, key);
    switch (slot->tag[stat]) {
    case TAG_NULL:
        json_null(json);
        break;
    case TAG_BOOL:
        json_bool(json, value->integer != 0);
        break;
    case TAG_INT:
        json_int(json, value->integer);
        break;
    case TAG_UINT:
        json_uint(json, value->natural);
        break;
    case TAG_REAL:
        json_real(json, value->real);
        break;
    default:
        json_str(json, slot_stat_text(writer->dump->names, slot, stat, buffer));
    }
}

// Whether the text is a list of sizes as Python prints it: "[2, 16]", "[]".
static bool is_sizes(Str text)
{
    if (text.size < 2 || text.data[0] != '[' || text.data[text.size - 1] != ']')
        return false;
    Str rest = str_slice(text, 1, text.size - 1), size;
    int64_t value;
    while (text.size > 2 && str_split(&rest, ',', &size))
        if (size.size > 18 || !str_to_int64(str_trim(size), &value))
            return false;
    return true;
}

// An array where the text is one; what else a dump may say stays text.
static void shape_field(Writer *writer, NameId shape)
{
    Str text = names_text(writer->dump->names, shape);
    JsonWriter *json = &writer->json;
    if (!shape || !is_sizes(text)) {
        text_field(writer, "shape", shape);
        return;
    }
    Str rest = str_slice(text, 1, text.size - 1), size;
    int64_t value = 0;
    json_array_flat(json_key(json, "shape"));
    while (text.size > 2 && str_split(&rest, ',', &size)) {
        str_to_int64(str_trim(size), &value);
        json_int(json, value);
    }
    json_array_end(json);
}

static void value_fields(Writer *writer, const Slot *slot)
{
    static const char *const kinds[] = {"null", "tensor", "scalar", "other"};
    JsonWriter *json = &writer->json;
    if (slot->kind != SLOT_TENSOR) {
        json_key(json, "kind");
        json_text(json, kinds[slot->kind]);
        json_key(json, "value");
        if (slot->value)
            json_str(json, names_text(writer->dump->names, slot->value));
        else
            json_null(json);
    }
    text_field(writer, "type", slot->type);
    text_field(writer, "dtype", slot->dtype);
    shape_field(writer, slot->shape);
    stat_field(writer, slot, STAT_MAX, "max");
    stat_field(writer, slot, STAT_MIN, "min");
    stat_field(writer, slot, STAT_MEAN, "mean");
    stat_field(writer, slot, STAT_NORM, "norm");
    text_field(writer, "md5", slot->checksum);
    if (slot->requires_grad != TRI_ABSENT) {
        json_key(json, "requires_grad");
        json_bool(json, slot->requires_grad == TRI_TRUE);
    }
}

static void extra_fields(Writer *writer, uint32_t slot)
{
    const Dump *dump = writer->dump;
    bool open = false;
    while (writer->extra < dump->extra_count && dump->extras[writer->extra].slot < slot)
        writer->extra++;
    for (; writer->extra < dump->extra_count && dump->extras[writer->extra].slot == slot;
         writer->extra++) {
        if (!open) {
            json_key(&writer->json, "extra");
            json_object(&writer->json);
        }
        open = true;
        json_key_str(&writer->json, names_text(dump->names, dump->extras[writer->extra].key));
        json_str(&writer->json, names_text(dump->names, dump->extras[writer->extra].text));
    }
    if (open)
        json_object_end(&writer->json);
}

static void write_slot(Writer *writer, const Op *op, uint32_t index)
{
    const Slot *slot = &writer->dump->slots[index];
    Str name;
    const char *io = io_of(slot, names_text(writer->dump->names, slot->path), &name);
    json_object_flat(&writer->json);
    op_fields(writer, op);
    truth_field(writer, "is_recompute", op->recompute);
    truth_field(writer, "is_nan", op->is_nan);
    text_field(writer, "parent", writer->parents[op->name]);
    json_key(&writer->json, "io");
    json_text(&writer->json, io);
    json_key(&writer->json, "slot");
    json_str(&writer->json, name);
    value_fields(writer, slot);
    extra_fields(writer, index);
    json_object_end(&writer->json);
    json_end(&writer->json);
}

static void write_header(Writer *writer)
{
    const Dump *dump = writer->dump;
    JsonWriter *json = &writer->json;
    json_object_flat(json);
    json_key(json, "schema");
    json_text(json, "vernier.dump/1");
    json_key(json, "framework");
    json_text(json, framework_text(dump->framework));
    json_key(json, "level");
    json_str(json, dump->level);
    json_key(json, "task");
    json_str(json, dump->task);
    if (dump->versions.size) {
        json_key(json, "versions");
        json_str(json, dump->versions);
    }
    if (!dump->some_inputs) {
        json_object_flat(json_key(json, "recorded"));
        json_array(json_key(json, "inputs"));
        json_text(json, "positional");
        json_text(json, "keyword");
        json_array_end(json);
        json_object_end(json);
    }
    if (dump->adds_grads) {
        json_key(json, "gradients");
        json_text(json, "accumulated");
    }
    json_object_end(json);
    json_end(json);
}

void line_dump_write(const Dump *dump, const Construct *construct, Sink *out)
{
    Arena *scratch = arena_new();
    NameId *parents = ARENA_ARRAY(scratch, NameId, names_count(dump->names) + 1);
    for (uint32_t i = 0; i < construct->count; i++)
        parents[construct->entries[i].child] = construct->entries[i].parent;
    Writer writer = {.dump = dump, .parents = parents};
    json_writer_init(&writer.json, out);
    write_header(&writer);
    for (uint32_t i = 0; i < dump->op_count; i++)
        for (uint32_t k = 0; k < dump->ops[i].slot_count; k++)
            write_slot(&writer, &dump->ops[i], dump->ops[i].first_slot + k);
    arena_release(scratch);
}
