// SPDX-License-Identifier: Apache-2.0
#include "export/vis/vis_items.h"

#include <math.h>

#include "base/json_writer.h"
#include "base/number.h"
#include "compare/mapping/row_name.h"
#include "report/compare/rows_table.h"

typedef struct ItemWriter {
    const VisItems *items;
    JsonWriter json;
    Arena *arena;
    StrBuf said, message;
    char number[NUMBER_PLACES_BYTES + 1];
} ItemWriter;

uint32_t *vis_items_pairs(const Comparison *comparison, Arena *arena)
{
    size_t count = comparison->target->dump->slot_count;
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        out[i] = SLOT_NONE;
    for (uint32_t i = comparison->slot_count; i-- > 0;)
        if (comparison->slots[i].target != SLOT_NONE)
            out[comparison->slots[i].target] = i;
    return out;
}

uint32_t *vis_items_rows(const MsprobeComparison *msprobe, Arena *arena)
{
    size_t count = msprobe->target->dump->slot_count;
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        out[i] = UINT32_MAX;
    for (size_t i = msprobe->rows.count; i-- > 0;)
        out[msprobe->rows.items[i].target] = (uint32_t)i;
    return out;
}

// "12.3456789" and "12.3456789%": six places. Other texts stay, a minus sign included.
static bool is_long_decimal(Str text)
{
    size_t at = 0, places = 0;
    while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9')
        at++;
    if (at == 0 || at >= text.size || text.data[at] != '.')
        return false;
    for (at++; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++)
        places++;
    if (at < text.size && text.data[at] == '%')
        at++;
    return places > 6 && at == text.size;
}

static Str clean(ItemWriter *writer, Str text)
{
    double number;
    if (str_equal(text, STR("None")))
        return STR("null");
    if (is_long_decimal(text) && number_parse(text, &number)) {
        size_t size = (size_t)number_places(number, 6, writer->number);
        if (str_ends(text, STR("%")))
            writer->number[size++] = '%';
        return (Str){writer->number, size};
    }
    return str_find_char(text, '\'', 0) == SIZE_MAX
               ? text
               : str_replace(writer->arena, text, STR("'"), STR(""));
}

static void write_field(ItemWriter *writer, const char *key, Str text)
{
    json_str(json_key(&writer->json, key), clean(writer, text));
}

// More than six places in the shortest text, and no exponent: no whole number of millionths.
static bool is_long_number(double number)
{
    return number >= 1e-4 && number < 1e9 && nearbyint(number * 1e6) / 1e6 != number;
}

// What `clean` would make of the number's text.
static void write_long_number(ItemWriter *writer, const char *key, double number, bool percent)
{
    size_t size = (size_t)number_places(number, 6, writer->number);
    if (percent)
        writer->number[size++] = '%';
    json_str(json_key(&writer->json, key), (Str){writer->number, size});
}

static void write_name(ItemWriter *writer, const char *key, NameId name)
{
    write_field(writer, key, name ? names_text(writer->items->dump->names, name) : STR("None"));
}

static void write_statistics(ItemWriter *writer, const Slot *slot)
{
    static const char *const names[STAT_COUNT] = {"Max", "Min", "Mean", "Norm"};
    char buffer[NUMBER_BYTES];
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        if (slot->tag[stat] == TAG_REAL && is_long_number(slot->stat[stat].real))
            write_long_number(writer, names[stat], slot->stat[stat].real, false);
        else
            write_field(writer, names[stat],
                        slot_stat_text(writer->items->dump->names, slot, (Stat)stat, buffer));
    }
}

static void write_gradient(ItemWriter *writer, const Slot *slot)
{
    static const char *const words[] = {
        [TRI_ABSENT] = "None", [TRI_FALSE] = "False", [TRI_TRUE] = "True"};
    write_field(writer, "requires_grad", str_of(words[slot->requires_grad]));
}

static void write_data_name(ItemWriter *writer, const Slot *slot)
{
    write_field(writer, "data_name",
                slot->data_name ? names_text(writer->items->dump->names, slot->data_name)
                                : STR("-1"));
}

static bool is_group(const Dump *dump, const Slot *slot)
{
    return slot->kind == SLOT_OTHER &&
           str_ends(names_text(dump->names, slot->type), STR("ProcessGroup"));
}

static void write_checksum(ItemWriter *writer, const Slot *slot)
{
    char buffer[MSPROBE_TEXT_BYTES];
    if (writer->items->checksums)
        write_field(writer, "md5", msprobe_checksum(writer->items->dump, slot, buffer));
}

static void write_tensor(ItemWriter *writer, const Slot *slot)
{
    write_name(writer, "type", slot->type);
    write_name(writer, "dtype", slot->dtype);
    write_name(writer, "shape", slot->shape);
    write_statistics(writer, slot);
    write_gradient(writer, slot);
    write_data_name(writer, slot);
    write_checksum(writer, slot);
}

static void write_scalar(ItemWriter *writer, const Slot *slot)
{
    write_name(writer, "type", slot->type);
    write_name(writer, "value", slot->value);
    write_data_name(writer, slot);
    write_gradient(writer, slot);
    write_statistics(writer, slot);
    write_name(writer, "dtype", slot->dtype);
    write_name(writer, "shape", slot->shape);
    write_checksum(writer, slot);
}

// ---- what the comparison adds

static void write_cell(ItemWriter *writer, const char *key, const MsprobeCell *cell)
{
    char buffer[MSPROBE_TEXT_BYTES];
    bool percent = cell->kind == MSPROBE_PERCENT;
    if ((percent || cell->kind == MSPROBE_REAL) && is_long_number(cell->number))
        write_long_number(writer, key, cell->number, percent);
    else
        write_field(writer, key, msprobe_cell_text(cell, buffer));
}

static const char *const difference_names[2][STAT_COUNT] = {
    {"Max diff", "Min diff", "Mean diff", "L2norm diff"},
    {"MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr"}};

static void write_differences(ItemWriter *writer, const Slot *target, const Slot *golden)
{
    const Comparison *comparison = writer->items->compared;
    MsprobeDifference differences[STAT_COUNT];
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        MsprobeCell n = msprobe_stat(comparison->target->dump, NULL, target, (Stat)stat);
        MsprobeCell b = msprobe_stat(comparison->golden->dump, NULL, golden, (Stat)stat);
        differences[stat] = msprobe_difference(MSPROBE_FORMULA_8, &n, &b, false);
    }
    for (int part = 0; part < 2; part++)
        for (int stat = 0; stat < STAT_COUNT; stat++) {
            const MsprobeCell *cell =
                part == 0 ? &differences[stat].difference : &differences[stat].relative;
            write_cell(writer, difference_names[part][stat], cell);
        }
}

static void write_metrics(ItemWriter *writer, const MsprobeMetrics *metrics)
{
    for (int i = 0; metrics && i < ELEMENT_METRICS; i++)
        write_cell(writer, element_metric_text((ElementMetric)i), &metrics->cells[i]);
}

static const MsprobeMetrics *metrics_of(const VisItems *items, uint32_t pair, uint32_t row)
{
    if (items->msprobe)
        return items->msprobe->metrics && row != UINT32_MAX ? &items->msprobe->metrics[row] : NULL;
    return items->metrics ? &items->metrics[pair] : NULL;
}

static const char *result_word(Status status)
{
    switch (status) {
    case STATUS_WARNING:
        return "warning";
    case STATUS_ERROR:
        return "error";
    case STATUS_UNMATCHED:
        return "unmatched";
    default:
        return "pass";
    }
}

static Str message_of(ItemWriter *writer, const SlotPair *pair, uint32_t row)
{
    const MsprobeComparison *msprobe = writer->items->msprobe;
    if (msprobe && row == UINT32_MAX)
        return STR("[]");
    if (msprobe)
        return row_msprobe_message(msprobe, &msprobe->rows.items[row], &writer->message);
    return row_rule_message(writer->items->compared, NULL, pair, &writer->said, &writer->message);
}

static void write_comparison(ItemWriter *writer, uint32_t slot)
{
    const VisItems *items = writer->items;
    const Comparison *comparison = items->compared;
    if (!comparison || items->pair_of[slot] == SLOT_NONE)
        return;
    uint32_t index = items->pair_of[slot];
    uint32_t row = items->row_of ? items->row_of[slot] : UINT32_MAX;
    const SlotPair *pair = &comparison->slots[index];
    const Slot *target = &comparison->target->dump->slots[slot];
    const Slot *golden =
        pair->golden == SLOT_NONE ? NULL : &comparison->golden->dump->slots[pair->golden];
    if (comparison->mode == MODE_STATISTICS)
        write_differences(writer, target, golden);
    else if (comparison->mode == MODE_TENSOR)
        write_metrics(writer, metrics_of(items, index, row));
    bool differ = golden && golden->requires_grad && target->requires_grad &&
                  golden->requires_grad != target->requires_grad;
    write_field(writer, "Requires_grad Consistent", str_of(differ ? "False" : "True"));
    write_field(writer, "Result", str_of(result_word((Status)pair->status)));
    json_str(json_key(&writer->json, "Err_message"), message_of(writer, pair, row));
}

static void write_item(ItemWriter *writer, uint32_t index)
{
    const Dump *dump = writer->items->dump;
    const Slot *slot = &dump->slots[index];
    if (is_group(dump, slot)) {
        write_name(writer, "type", slot->type);
        write_name(writer, "group_ranks", slot->value);
        Str group = slot_extra(dump, index, STR("group_id"));
        write_field(writer, "group_id", group.data ? group : STR("None"));
        write_data_name(writer, slot);
        return;
    }
    if (slot->tag[STAT_MAX] == TAG_NULL || slot->tag[STAT_MAX] == TAG_ABSENT) {
        // What has no number still has a value to show: a shape, a device.
        Str value = slot->kind == SLOT_TENSOR || !slot->value
                        ? STR("null")
                        : names_text(dump->names, slot->value);
        write_field(writer, "value", value);
        return;
    }
    if (slot->kind == SLOT_TENSOR)
        write_tensor(writer, slot);
    else
        write_scalar(writer, slot);
    write_comparison(writer, index);
}

static bool is_output(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT;
}

Str vis_items_json(const VisItems *items, uint32_t op, bool outputs, Arena *arena)
{
    ItemWriter writer = {.items = items, .arena = arena};
    StrBuf name;
    Sink *sink = sink_memory(arena);
    name = strbuf_new(arena);
    writer.said = strbuf_new(arena);
    writer.message = strbuf_new(arena);
    json_writer_init(&writer.json, sink);
    json_object_flat(&writer.json);
    const Op *at = op == OP_NONE ? NULL : &items->dump->ops[op];
    for (uint32_t i = 0; at && i < at->slot_count; i++) {
        const Slot *slot = &items->dump->slots[at->first_slot + i];
        if (is_output(slot) != outputs)
            continue;
        Str key = row_name(items->dump, at, slot, &name);
        json_key_str(&writer.json, key);
        json_object_flat(&writer.json);
        write_item(&writer, at->first_slot + i);
        json_object_end(&writer.json);
    }
    json_object_end(&writer.json);
    Str out = sink_bytes(sink);
    sink_discard(sink);
    return out;
}
