// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/outline.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/words.h"
#include "compare/judge/judge.h"
#include "compare/pair_facts.h"
#include "picture/compare/node_name.h"
#include "picture/kit/error_axis.h"
#include "verdict/figure_text.h"

uint32_t row_ops(const TreeNode *row)
{
    uint32_t ops = 0;
    for (int status = 0; status < STATUS_COUNT; status++)
        ops += row->counts[status];
    return ops;
}

static bool is_shown(const Outline *outline, uint32_t row)
{
    return row_ops(&outline->comparison->tree[row]) > 0 ||
           outline->comparison->mode == MODE_STRUCTURE;
}

static uint32_t skip_hidden(const Outline *outline, uint32_t row)
{
    while (row != PAIR_NONE && !is_shown(outline, row))
        row = outline->comparison->tree[row].next;
    return row;
}

uint32_t outline_first(const Outline *outline, uint32_t row)
{
    return skip_hidden(outline, outline->comparison->tree[row].first_child);
}

uint32_t outline_next(const Outline *outline, uint32_t row)
{
    return skip_hidden(outline, outline->comparison->tree[row].next);
}

uint32_t outline_depth(const Outline *outline)
{
    const Comparison *comparison = outline->comparison;
    Arena *scratch = arena_new();
    uint32_t *depth = ARENA_ARRAY(scratch, uint32_t, (size_t)comparison->tree_count + 1);
    uint32_t deepest = 0;
    for (uint32_t row = 0; row < comparison->tree_count; row++) {
        uint32_t parent = comparison->tree[row].parent;
        bool top = parent == PAIR_NONE || outline->section_of[parent] == PAIR_NONE;
        bool shown = outline->section_of[row] != PAIR_NONE && is_shown(outline, row) &&
                     (top || depth[parent]);
        depth[row] = shown ? 1 + (top ? 0 : depth[parent]) : 0;
        deepest = depth[row] > deepest ? depth[row] : deepest;
    }
    arena_release(scratch);
    return deepest;
}

static const Node *row_node(const Comparison *comparison, uint32_t row)
{
    const TreeNode *at = &comparison->tree[row];
    if (at->target != NODE_NONE)
        return &comparison->target->nodes[at->target];
    return at->golden != NODE_NONE ? &comparison->golden->nodes[at->golden] : NULL;
}

// Gradients of weights are written in the backward run, whatever their names say.
static bool is_backward(const Comparison *comparison, uint32_t row)
{
    const Node *node = row_node(comparison, row);
    if (node->direction == DIR_BACKWARD)
        return true;
    const Graph *graph =
        comparison->tree[row].target != NODE_NONE ? comparison->target : comparison->golden;
    return node->op != OP_NONE && graph->dump->ops[node->op].kind == OP_GRADS;
}

// Where a top row belongs. `before` counts up along the tops, so that sorting keeps their order.
typedef struct Place {
    uint32_t row, before;
    uint32_t micro_step;
    SectionKind kind;
    bool module, backward;
} Place;

typedef struct Places {
    Place *items;
    size_t count, capacity;
} Places;

static void add_place(const Outline *outline, Places *places, uint32_t row, Arena *arena)
{
    if (!is_shown(outline, row))
        return;
    const Node *node = row_node(outline->comparison, row);
    Place *place = ARRAY_PUSH(arena, places);
    *place = (Place){.row = row,
                     .before = (uint32_t)places->count,
                     .micro_step = node ? node->micro_step : 0,
                     .module = node && node->type == NODE_MODULE,
                     .backward = node && is_backward(outline->comparison, row)};
}

// The children of the root, groups replaced by theirs.
static void collect_tops(const Outline *outline, Arena *arena, Places *places)
{
    const Comparison *comparison = outline->comparison;
    if (!comparison->tree_count)
        return;
    for (uint32_t row = comparison->tree[0].first_child; row != PAIR_NONE;
         row = comparison->tree[row].next) {
        const Node *node = row_node(comparison, row);
        if (!node || node->type != NODE_GROUP) {
            add_place(outline, places, row, arena);
            continue;
        }
        for (uint32_t child = comparison->tree[row].first_child; child != PAIR_NONE;
             child = comparison->tree[child].next)
            add_place(outline, places, child, arena);
    }
}

// What runs forward after the last backward row is a section of its own. Loose APIs among backward
// rows (reductions of gradients) belong to the backward run that they interrupt: the next module or
// backward rows on both sides of them tell.
static void assign_kinds(Places *places, bool flat)
{
    bool seen_backward = false;
    SectionKind ahead = SECTION_AFTER;
    for (size_t i = places->count; i-- > 0;) {
        Place *place = &places->items[i];
        if (place->backward) {
            place->kind = ahead = SECTION_BACKWARD;
            seen_backward = true;
        } else if (place->module || flat || !seen_backward) {
            place->kind = seen_backward ? SECTION_FORWARD : SECTION_AFTER;
            ahead = place->kind;
        } else {
            place->kind = ahead;
        }
    }
    bool any_backward = seen_backward;
    bool after_backward = false;
    for (size_t i = 0; i < places->count; i++) {
        Place *place = &places->items[i];
        if (place->backward || place->module)
            after_backward = place->backward;
        else if (place->kind == SECTION_BACKWARD && !after_backward)
            place->kind = SECTION_FORWARD;
        if (!any_backward)
            place->kind = SECTION_FORWARD;
    }
}

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    bool x_after = x->kind == SECTION_AFTER, y_after = y->kind == SECTION_AFTER;
    if (x_after != y_after)
        return x_after ? 1 : -1;
    if (!x_after && x->micro_step != y->micro_step)
        return x->micro_step < y->micro_step ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->before < y->before ? -1 : 1;
}

static bool same_section(const Place *a, const Place *b)
{
    return a->kind == b->kind && (a->kind == SECTION_AFTER || a->micro_step == b->micro_step);
}

static void count_row(Section *section, const TreeNode *row)
{
    for (int status = 0; status < STATUS_COUNT; status++) {
        section->counts[status] += row->counts[status];
        section->ops += row->counts[status];
        if (row->counts[status])
            section->worst = status_worst(section->worst, (Status)status);
    }
}

static void cut_sections(Outline *outline, const Places *places, Arena *arena)
{
    const Comparison *comparison = outline->comparison;
    outline->tops = ARENA_ARRAY(arena, uint32_t, places->count);
    outline->sections = ARENA_ARRAY(arena, Section, places->count);
    outline->top_count = (uint32_t)places->count;
    for (uint32_t i = 0; i < places->count; i++) {
        const Place *place = &places->items[i];
        if (i == 0 || !same_section(place, place - 1)) {
            outline->sections[outline->section_count++] =
                (Section){.kind = place->kind, .micro_step = place->micro_step, .first = i};
            outline->many_micro_steps |= place->kind != SECTION_AFTER && place->micro_step > 0;
        }
        Section *section = &outline->sections[outline->section_count - 1];
        section->count++;
        outline->tops[i] = place->row;
        count_row(section, &comparison->tree[place->row]);
        for (uint32_t row = place->row; row < comparison->tree[place->row].end; row++)
            outline->section_of[row] = outline->section_count - 1;
    }
}

void outline_build(const Comparison *comparison, Arena *arena, Outline *out)
{
    *out = (Outline){.comparison = comparison};
    out->section_of = ARENA_ARRAY(arena, uint32_t, comparison->tree_count);
    out->row_of_op = ARENA_ARRAY(arena, uint32_t, comparison->op_count);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        out->row_of_op[i] = PAIR_NONE;
    for (uint32_t row = 0; row < comparison->tree_count; row++) {
        out->section_of[row] = PAIR_NONE;
        if (comparison->tree[row].pair != PAIR_NONE)
            out->row_of_op[comparison->tree[row].pair] = row;
    }
    Arena *scratch = arena_new();
    Places places = {0};
    collect_tops(out, scratch, &places);
    assign_kinds(&places, comparison->target->flat);
    if (places.count)
        qsort(places.items, places.count, sizeof *places.items, compare_places);
    cut_sections(out, &places, arena);
    arena_release(scratch);
}

Str section_name(const Outline *outline, const Section *section, Arena *arena)
{
    static const char *const plain[] = {TR("Forward"), TR("Backward"), TR("After backward")};
    if (!outline->many_micro_steps || section->kind == SECTION_AFTER)
        return str_of(tr(plain[section->kind]));
    if (section->kind == SECTION_FORWARD)
        return str_printf(arena, tr("Forward, micro step %u"), section->micro_step);
    return str_printf(arena, tr("Backward, micro step %u"), section->micro_step);
}

Str outline_continued(const Outline *outline, const Section *section, uint32_t row, Arena *arena)
{
    const Comparison *comparison = outline->comparison;
    Str path = {0};
    uint32_t at = row == PAIR_NONE ? PAIR_NONE : comparison->tree[row].parent;
    for (; at != PAIR_NONE && outline->section_of[at] != PAIR_NONE;
         at = comparison->tree[at].parent)
        path = str_printf(arena, " › " STR_FMT STR_FMT,
                          STR_ARG(node_name(comparison, at, arena).local), STR_ARG(path));
    return str_printf(arena, tr("continued: " STR_FMT STR_FMT),
                      STR_ARG(section_name(outline, section, arena)), STR_ARG(path));
}

static void add_flag(const Outline *outline, Flags *flags, FlagKind kind, uint32_t op,
                     uint32_t alike)
{
    for (size_t i = 0; i < flags->count; i++)
        if (flags->items[i].op == op)
            return;
    uint32_t row = outline->row_of_op[op];
    if (row == PAIR_NONE || outline->section_of[row] == PAIR_NONE || flags->count == FLAG_MAX)
        return;
    flags->items[flags->count] = (Flag){kind, (int)flags->count + 1, op, row, alike};
    flags->count++;
}

static bool has_nonfinite(const Comparison *comparison, const OpPair *pair)
{
    if (pair->status < STATUS_WARNING)
        return false;
    for (uint32_t i = 0; i < pair->slot_count; i++)
        if (comparison->slots[pair->first_slot + i].reason == REASON_NONFINITE)
            return true;
    return false;
}

uint32_t divergence_op(const Comparison *comparison)
{
    const Divergence *first = &comparison->first;
    if (first->kind != DIVERGE_MISSING || first->beside == PAIR_NONE)
        return first->op;
    bool gone = comparison->ops[first->op].target == OP_NONE;
    bool replaced = comparison->ops[first->beside].status == STATUS_UNMATCHED;
    return gone && replaced ? first->beside : first->op;
}

void flags_find(const Outline *outline, Flags *out)
{
    *out = (Flags){0};
    const Comparison *comparison = outline->comparison;
    if (comparison->first.kind == DIVERGE_NONE)
        return;
    add_flag(outline, out, FLAG_FIRST, divergence_op(comparison), 1);
    uint32_t largest = PAIR_NONE, nonfinite = PAIR_NONE, unmatched = PAIR_NONE;
    uint32_t alike = 0;
    ErrorMark most = {0};
    Arena *scratch = arena_new();
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        ErrorMark error = status_differs((Status)pair->status)
                              ? error_of_op(comparison, i, OP_OUTPUTS, scratch)
                              : (ErrorMark){0};
        const OpPair *best = largest == PAIR_NONE ? NULL : &comparison->ops[largest];
        if (error.kind == ERROR_NUMBER && best && best->status == pair->status &&
            str_equal(error.text, most.text)) {
            alike++;
        } else if (error.kind == ERROR_NUMBER && (!best || op_is_worse(pair, best))) {
            most = error;
            largest = i;
            alike = 1;
        }
        if (unmatched == PAIR_NONE && pair->status == STATUS_UNMATCHED &&
            comparison->first.kind != DIVERGE_MISSING)
            unmatched = i;
        if (nonfinite == PAIR_NONE && has_nonfinite(comparison, pair))
            nonfinite = i;
    }
    arena_release(scratch);
    if (out->count == 0)  // the first divergence is not in the tree: the discs keep their meaning
        return;
    if (nonfinite != PAIR_NONE)
        add_flag(outline, out, FLAG_NONFINITE, nonfinite, 1);
    if (largest != PAIR_NONE)
        add_flag(outline, out, FLAG_LARGEST, largest, alike);
    if (unmatched != PAIR_NONE)
        add_flag(outline, out, FLAG_UNMATCHED, unmatched, 1);
}

const Flag *flags_at(const Flags *flags, uint32_t row)
{
    for (size_t i = 0; i < flags->count; i++)
        if (flags->items[i].row == row)
            return &flags->items[i];
    return NULL;
}

const char *flag_word(FlagKind kind)
{
    static const char *const words[] = {TR("first divergence"), TR("largest error"),
                                        TR("first NaN or Inf"), TR("first without partner")};
    return words[kind];
}

Str flag_text(const Flag *flag, Arena *arena)
{
    if (flag->kind != FLAG_LARGEST || flag->alike < 2)
        return str_of(tr(flag_word(flag->kind)));
    return str_printf(arena, tr("largest error, equal in %s ops"),
                      str_cstr(arena, figure_count(flag->alike, arena)));
}
