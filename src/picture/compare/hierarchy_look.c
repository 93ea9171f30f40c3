// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/hierarchy_look.h"

#include <math.h>

#include "base/utf8.h"
#include "base/words.h"
#include "compare/nonfinite/nonfinite.h"
#include "picture/compare/node_name.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

static const LevelLook level_looks[LEVEL_COUNT] = {
    [OVERFLOW_NONE] = {ROLE_SAME_FILL, ROLE_SAME_EDGE, ROLE_SAME_INK, NULL},
    [OVERFLOW_MEDIUM] = {ROLE_OVERFLOW_M, ROLE_OVERFLOW_C, ROLE_INK, "M"},
    [OVERFLOW_HIGH] = {ROLE_OVERFLOW_H, ROLE_OVERFLOW_C, ROLE_INK, "H"},
    [OVERFLOW_CRITICAL] = {ROLE_OVERFLOW_C, ROLE_OVERFLOW_C, ROLE_ERROR_INK, "C"},
};

static const char *const level_words[LEVEL_COUNT] = {
    [OVERFLOW_NONE] = TR("no overflow"),
    [OVERFLOW_MEDIUM] = TR("medium: it comes in and does not go out"),
    [OVERFLOW_HIGH] = TR("high: in and out, or a norm 100x as large"),
    [OVERFLOW_CRITICAL] = TR("critical: it starts here")};

const LevelLook *level_look(Overflow level)
{
    return &level_looks[level];
}

void level_draw(Scene *scene, double x, double y, double size, Overflow level)
{
    const LevelLook *look = level_look(level);
    scene_box(scene, x + 0.5, y + 0.5, size - 1, size - 1, look->fill, look->edge);
    if (look->letter)
        scene_text(scene, x + size / 2, y + size * 0.77, (float)(size * 0.74), 700, ANCHOR_MIDDLE,
                   look->ink, str_of(look->letter));
}

bool hierarchy_overflows(const Hierarchy *hierarchy)
{
    const uint32_t *found = hierarchy->levels[0];
    return found[OVERFLOW_MEDIUM] + found[OVERFLOW_HIGH] + found[OVERFLOW_CRITICAL] > 0;
}

// Where an entry of the legend stands: a new line where this one has no room for it.
static void place_entry(const Scene *scene, double left, double width, double *x, double *y)
{
    if (*x + width <= scene->width - page_margin(scene->width))
        return;
    *x = left;
    *y += 18;
}

double level_legend(Scene *scene, double x, double y, const Hierarchy *hierarchy)
{
    const uint32_t *found = hierarchy->levels[0];
    double left = x;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        Str word = str_of(tr(level_words[level]));
        if (!found[level] || !hierarchy_overflows(hierarchy))
            continue;
        double width = 18 + text_width(word, SIZE_NOTE, 400);
        place_entry(scene, left, width, &x, &y);
        level_draw(scene, x, y - 10, 13, (Overflow)level);
        note_text(scene, x + 18, y, ANCHOR_START, word);
        x += width + 22;
    }
    uint32_t masks = hierarchy->mask_count;
    if (masks) {
        Str word = str_printf(
            scene->arena,
            tr_count(masks, "−Inf of a mask in %u op: healthy", "−Inf of masks in %u ops: healthy"),
            masks);
        place_entry(scene, left, text_width(word, SIZE_NOTE, 400), &x, &y);
        note_text(scene, x, y, ANCHOR_START, word);
    }
    return y;
}

Str hierarchy_label(const Hierarchy *hierarchy, const HierarchyRow *row, Arena *arena)
{
    Str local = node_name(&hierarchy->comparison, row->row, arena).local;
    if (row->repeats == 1)
        return local;
    Str last = node_name(&hierarchy->comparison, row->last, arena).local;
    if (row->period)
        return str_printf(arena, "( " STR_FMT " … " STR_FMT " ) ×%u", STR_ARG(local), STR_ARG(last),
                          row->repeats);
    return str_printf(arena, STR_FMT " … " STR_FMT " ×%u", STR_ARG(local), STR_ARG(last),
                      row->repeats);
}

uint64_t hierarchy_sums(const Hierarchy *hierarchy, const HierarchyRow *row,
                        uint32_t levels[LEVEL_COUNT])
{
    uint64_t ops = 0;
    for (uint32_t i = 0; i < (row->period ? row->period : 1); i++) {
        ops += (uint64_t)row_ops(&hierarchy->comparison.tree[row->members[i]]) * row->repeats;
        for (int level = 0; level < LEVEL_COUNT; level++)
            levels[level] += hierarchy->levels[row->members[i]][level] * row->repeats;
    }
    return ops;
}

static void widen(double range[2], double value)
{
    range[0] = fmin(range[0], value);  // the number, where one is none
    range[1] = fmax(range[1], value);
}

static Str shape_text(const Dump *dump, const Slot *slot, Arena *arena)
{
    Str shape = names_text(dump->names, slot->shape), type = names_text(dump->names, slot->dtype);
    if (str_starts(type, STR("torch.")))
        type = str_slice(type, 6, type.size);
    return utf8_display(str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(shape), STR_ARG(type)),
                        arena);
}

void hierarchy_add_outputs(const Graph *graph, NodeId node, Arena *arena, RowOutputs *out)
{
    const Dump *dump = graph->dump;
    uint32_t op = graph->nodes[node].op;
    double largest = (double)NAN, norm = (double)NAN;
    Str shape = {0};
    for (uint32_t i = 0; op != OP_NONE && i < dump->ops[op].slot_count; i++) {
        const Slot *slot = &dump->slots[dump->ops[op].first_slot + i];
        double value;
        if (slot->group != GROUP_OUTPUT || slot->kind != SLOT_TENSOR)
            continue;
        if (!shape.size && slot->shape != NAME_NONE)
            shape = shape_text(dump, slot, arena);
        out->nan = out->nan || nonfinite_of(dump, slot) & NONFINITE_NAN;
        for (int stat = STAT_MAX; stat <= STAT_MIN; stat++)
            if (slot_stat(slot, (Stat)stat, &value))
                largest = fmax(largest, fabs(value));
        if (slot_stat(slot, STAT_NORM, &value))
            norm = fmax(norm, value);
    }
    out->shapes_differ = out->shapes_differ || (out->shape.size && !str_equal(shape, out->shape));
    out->shape = out->shape.size ? out->shape : shape;
    widen(out->largest, largest);
    widen(out->norm, norm);
}

RowOutputs hierarchy_outputs(const Hierarchy *hierarchy, const HierarchyRow *row, Arena *arena)
{
    RowOutputs out = NO_OUTPUTS;
    for (uint32_t i = 0; i < row->member_count; i++)
        hierarchy_add_outputs(hierarchy->graph, hierarchy_node(hierarchy, row->members[i]), arena,
                              &out);
    return out;
}

Str hierarchy_cut_text(size_t cut, Str all_nodes, Arena *arena)
{
    const char *count = str_cstr(arena, figure_count(cut, arena));
    if (!all_nodes.size)
        return str_printf(arena, tr("… and %s more rows"), count);
    return str_printf(arena, tr("… and %s more rows; every node is in %s"), count,
                      str_cstr(arena, all_nodes));
}
