// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/hierarchy.h"

#include <string.h>

#include "base/array.h"
#include "compare/nonfinite/trail.h"
#include "compare/tree_align.h"
#include "picture/compare/node_name.h"
#include "read/dump/op_name.h"

#define HASH_PRIME 0x100000001B3U  // of FNV-1a

enum { DEEPEST = 24, LONGEST_PERIOD = 96 };

NodeId hierarchy_node(const Hierarchy *hierarchy, uint32_t row)
{
    return hierarchy->comparison.tree[row].target;
}

Overflow hierarchy_level(const Hierarchy *hierarchy, uint32_t row)
{
    return (Overflow)hierarchy->level[row];
}

// ---- masks

static Nonfinite worst_of(const Dump *dump, const Op *op, bool outputs)
{
    Nonfinite found = 0;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &dump->slots[op->first_slot + i];
        bool output = slot->group == GROUP_OUTPUT;
        if (output == outputs &&
            (output || slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS))
            found |= nonfinite_of(dump, slot);
    }
    return found;
}

// A module whose own weights are not finite was given something bad, too: msProbe's levels look at
// arguments alone.
static bool has_bad_weight(const Dump *dump, const Op *op)
{
    Nonfinite found = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (dump->slots[i].group == GROUP_PARAMETERS)
            found |= nonfinite_of(dump, &dump->slots[i]);
    return found != 0;
}

// What no mask explains keeps its level, whatever else an op may hold in good health.
static bool is_masked(const Dump *dump, const Op *op, uint8_t mark)
{
    return mark == TRAIL_HEALTHY &&
           (worst_of(dump, op, false) | worst_of(dump, op, true)) == NONFINITE_MINUS;
}

// What a mask made no number of: the overflow starts here, though an input is not finite.
static bool breaks_mask(const Dump *dump, const Op *op)
{
    return worst_of(dump, op, false) == NONFINITE_MINUS &&
           worst_of(dump, op, true) & (NONFINITE_NAN | NONFINITE_PLUS);
}

// In execution order: after a true overflow an -Inf may be what became of it.
static void set_levels(Hierarchy *hierarchy, Arena *arena)
{
    const Comparison *comparison = &hierarchy->comparison;
    const Dump *dump = hierarchy->graph->dump;
    bool trouble = false;
    Trail trail = {0};  // one rule of what is healthy for this picture and for locate
    trail_follow(dump, hierarchy->graph, arena, &trail);
    hierarchy->unsure = trail.unsure;
    hierarchy->masked = ARENA_ARRAY(arena, bool, comparison->tree_count + 1);
    hierarchy->level = ARENA_ARRAY(arena, uint8_t, comparison->tree_count + 1);
    for (uint32_t row = 0; row < comparison->tree_count; row++)
        hierarchy->level[row] = hierarchy->graph->nodes[hierarchy_node(hierarchy, row)].overflow;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        uint32_t row = hierarchy->outline.row_of_op[i];
        if (row == PAIR_NONE)
            continue;
        uint32_t index = comparison->ops[i].target;
        const Op *op = &dump->ops[index];
        if (hierarchy->level[row] == OVERFLOW_NONE && has_bad_weight(dump, op)) {
            hierarchy->level[row] = OVERFLOW_MEDIUM;
            continue;
        }
        if (hierarchy->level[row] == OVERFLOW_NONE)
            continue;
        bool masked = trail.marks && is_masked(dump, op, trail.marks[index]);
        if (masked)
            hierarchy->level[row] = OVERFLOW_NONE;
        else if (!trouble && breaks_mask(dump, op))
            hierarchy->level[row] = OVERFLOW_CRITICAL;
        hierarchy->masked[row] = masked;
        hierarchy->mask_count += masked;
        trouble = trouble || (!masked && worst_of(dump, op, true));
    }
}

// Where in a subtree which levels and masks are.
static void sum_health(Hierarchy *hierarchy, Arena *arena)
{
    uint32_t count = hierarchy->comparison.tree_count;
    uint64_t *health = hierarchy->health = ARENA_ARRAY(arena, uint64_t, (size_t)count + 1);
    for (uint32_t row = count; row-- > 0;) {
        uint32_t parent = hierarchy->comparison.tree[row].parent;
        uint32_t own = hierarchy->level[row] * 2U + hierarchy->masked[row];
        health[row] = own ? (health[row] ^ own) * HASH_PRIME : health[row];
        if (parent != PAIR_NONE && health[row])
            health[parent] = ((health[parent] ^ health[row]) + (row - parent)) * HASH_PRIME;
    }
}

// Equal for siblings that fold; 64 bits tell others apart.
static uint64_t fold_key(const Hierarchy *hierarchy, uint32_t row)
{
    const Comparison *comparison = &hierarchy->comparison;
    uint64_t key = node_alike_key(comparison, row);
    key = (key ^ row_ops(&comparison->tree[row])) * HASH_PRIME;
    key = (key ^ hierarchy->health[row]) * HASH_PRIME;
    for (int level = 0; level < LEVEL_COUNT; level++)
        key = (key ^ hierarchy->levels[row][level]) * HASH_PRIME;
    return key;
}

void hierarchy_build(const Graph *graph, Arena *arena, Hierarchy *out)
{
    *out = (Hierarchy){.graph = graph};
    align_itself(graph, arena, &out->comparison);
    outline_build(&out->comparison, arena, &out->outline);
    set_levels(out, arena);
    sum_health(out, arena);
    uint32_t count = out->comparison.tree_count;
    out->levels = arena_array(arena, (size_t)count + 1, sizeof *out->levels);
    for (uint32_t row = count; row-- > 0;) {
        const TreeNode *node = &out->comparison.tree[row];
        if (node->pair != PAIR_NONE)
            out->levels[row][hierarchy_level(out, row)]++;
        for (int level = 0; node->parent != PAIR_NONE && level < LEVEL_COUNT; level++)
            out->levels[node->parent][level] += out->levels[row][level];
        for (int level = 1; node->pair == PAIR_NONE && level < LEVEL_COUNT; level++)
            out->level[row] = out->levels[row][level] ? (uint8_t)level : out->level[row];
    }
    uint64_t *keys = ARENA_ARRAY(arena, uint64_t, (size_t)count + 1);
    out->fold_keys = keys;
    for (uint32_t row = 0; row < count; row++)
        keys[row] = fold_key(out, row);
}

uint32_t hierarchy_first_overflow(const Hierarchy *hierarchy)
{
    const Comparison *comparison = &hierarchy->comparison;
    uint32_t best = PAIR_NONE;
    for (uint32_t op = 0; op < comparison->op_count; op++) {
        uint32_t row = hierarchy->outline.row_of_op[op];
        if (row == PAIR_NONE || hierarchy_level(hierarchy, row) == OVERFLOW_NONE)
            continue;
        if (best == PAIR_NONE || hierarchy_level(hierarchy, row) > hierarchy_level(hierarchy, best))
            best = row;
    }
    for (uint32_t inner = best; inner != PAIR_NONE;) {
        best = inner;
        inner = outline_first(&hierarchy->outline, best);
        while (inner != PAIR_NONE && !hierarchy->levels[inner][hierarchy_level(hierarchy, best)])
            inner = outline_next(&hierarchy->outline, inner);
    }
    return best;
}

// ---- rows

typedef struct RowPlan {
    const Hierarchy *hierarchy;
    Arena *arena, *scratch;
    HierarchyRows *out;
    struct {
        HierarchyRow *items;
        size_t count, capacity;
    } tasks;  // to be added, the next one last
    uint32_t depth;
    size_t most;
    uint32_t first;  // tree row of the first overflow; PAIR_NONE: none
} RowPlan;

// Siblings one after the other, then as many of each further copy of their parent.
typedef struct Siblings {
    uint32_t *items;
    size_t count, capacity;  // of all copies
    size_t copies;
} Siblings;

static size_t each(const Siblings *of)
{
    return of->copies ? of->count / of->copies : 0;
}

static bool folds(const Hierarchy *hierarchy, uint32_t a, uint32_t b)
{
    return hierarchy->fold_keys[a] == hierarchy->fold_keys[b];
}

static void add_row(RowPlan *plan, HierarchyRow row)
{
    if (plan->out->count < plan->most)
        *ARRAY_PUSH(plan->arena, plan->out) = row;
    else
        plan->out->cut++;
}

// What begins at a sibling: `repeats` times a sequence of `period` siblings.
typedef struct Repeat {
    uint32_t period, repeats;
} Repeat;

static uint32_t cover(Repeat repeat)
{
    return repeat.period * repeat.repeats;
}

// Of each sibling the repeat that covers most, the shortest sequence of equal ones.
static Repeat *find_repeats(const RowPlan *plan, const Siblings *of)
{
    size_t count = each(of);
    Repeat *best = ARENA_ARRAY(plan->scratch, Repeat, count + 1);
    for (size_t i = 0; i < count; i++)
        best[i] = (Repeat){1, 1};
    for (uint32_t period = 1; period <= LONGEST_PERIOD && 2 * period <= count; period++) {
        uint32_t run = 0;
        for (size_t i = count - period; i-- > 0;) {
            run = folds(plan->hierarchy, of->items[i], of->items[i + period]) ? run + 1 : 0;
            Repeat found = {period, run / period + 1};
            if (found.repeats > 1 && cover(found) > cover(best[i]))
                best[i] = found;
        }
    }
    return best;
}

// A longer repeat that begins inside of the first sequence of this one goes before it.
static bool stands_back(const Repeat *best, size_t at, size_t count)
{
    for (size_t i = at + 1; i < count && i <= at + best[at].period; i++)
        if (cover(best[i]) > cover(best[at]))
            return true;
    return false;
}

// The `run` equal siblings from `at` on, in all repeats of the sequence that they are in.
static HierarchyRow fold(const RowPlan *plan, const Siblings *of, size_t at, size_t run,
                         Repeat sequence, uint32_t depth)
{
    uint32_t *members = ARENA_ARRAY(plan->arena, uint32_t, of->copies * sequence.repeats * run);
    HierarchyRow out = {.row = of->items[at],
                        .last = of->items[at + run - 1],
                        .repeats = (uint32_t)run,
                        .depth = depth,
                        .members = members};
    for (size_t copy = 0; copy < of->copies; copy++)
        for (size_t repeat = 0; repeat < sequence.repeats; repeat++)
            for (size_t i = 0; i < run; i++)
                members[out.member_count++] =
                    of->items[copy * each(of) + repeat * sequence.period + at + i];
    return out;
}

// Siblings that are equal one after the other, up to `end`.
static size_t run_end(const RowPlan *plan, const Siblings *of, size_t from, size_t end)
{
    size_t at = from + 1;
    while (at < end && folds(plan->hierarchy, of->items[from], of->items[at]))
        at++;
    return at;
}

static void lay_sequence(RowPlan *plan, const Siblings *of, size_t from, Repeat sequence,
                         uint32_t depth)
{
    size_t end = from + sequence.period;
    while (from < end) {
        size_t next = run_end(plan, of, from, end);
        *ARRAY_PUSH(plan->scratch, &plan->tasks) =
            fold(plan, of, from, next - from, sequence, depth);
        from = next;
    }
}

static void lay_siblings(RowPlan *plan, const Siblings *of, uint32_t depth)
{
    const Repeat *best = find_repeats(plan, of), once = {1, 1};
    for (size_t at = 0; at < each(of);) {
        Repeat repeat = stands_back(best, at, each(of)) ? (Repeat){1, 1} : best[at];
        if (repeat.period == 1) {
            *ARRAY_PUSH(plan->scratch, &plan->tasks) =
                fold(plan, of, at, repeat.repeats, once, depth);
        } else {
            HierarchyRow row = fold(plan, of, at, repeat.period, once, depth);
            row.repeats = repeat.repeats;
            row.period = repeat.period;
            *ARRAY_PUSH(plan->scratch, &plan->tasks) = row;
            if (depth + 1 < plan->depth)
                lay_sequence(plan, of, at, repeat, depth + 1);
        }
        at += cover(repeat);
    }
}

// Rows are taken from the end, so what was laid from `first` on is turned round.
static void push_siblings(RowPlan *plan, const Siblings *of, uint32_t depth)
{
    size_t first = plan->tasks.count;
    lay_siblings(plan, of, depth);
    for (size_t low = first, high = plan->tasks.count; low + 1 < high; low++) {
        HierarchyRow last = plan->tasks.items[--high];
        plan->tasks.items[high] = plan->tasks.items[low];
        plan->tasks.items[low] = last;
    }
}

// What is inside of a row's nodes. They are equal, but may have other children where only a name
// was compared: then those of the first stand for themselves.
static void push_children(RowPlan *plan, const HierarchyRow *row)
{
    const Outline *outline = &plan->hierarchy->outline;
    Siblings children = {.copies = 1};
    size_t count = 0;
    for (uint32_t copy = 0; copy < row->member_count; copy++) {
        size_t before = children.count, i = 0;
        bool alike = true;
        for (uint32_t at = outline_first(outline, row->members[copy]); at != PAIR_NONE;
             at = outline_next(outline, at), i++) {
            alike = alike &&
                    (copy == 0 || (i < count && folds(plan->hierarchy, children.items[i], at)));
            *ARRAY_PUSH(plan->scratch, &children) = at;
        }
        count = copy ? count : i;
        children.count = alike && i == count ? children.count : before;
    }
    children.copies = count ? children.count / count : 1;
    push_siblings(plan, &children, row->depth + 1);
}

// The op that the verdict names has a row whatever the depth.
static bool holds_first(const RowPlan *plan, const HierarchyRow *row)
{
    const TreeNode *tree = plan->hierarchy->comparison.tree;
    for (uint32_t i = 0; i < row->member_count && plan->first != PAIR_NONE; i++)
        if (row->members[i] < plan->first && plan->first < tree[row->members[i]].end)
            return true;
    return false;
}

// One row, then what is inside of the first that it stands for.
static void plan_next(RowPlan *plan)
{
    HierarchyRow row = plan->tasks.items[--plan->tasks.count];
    add_row(plan, row);
    if (row.period == 0 && (row.depth + 1 < plan->depth || holds_first(plan, &row)))
        push_children(plan, &row);
}

static bool sections_alike(const Hierarchy *hierarchy, const Section *a, const Section *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!folds(hierarchy, hierarchy->outline.tops[a->first + i],
                   hierarchy->outline.tops[b->first + i]))
            return false;
    return true;
}

// The sections by what stands for them: the first of their kind where they are equal, else they
// themselves.
typedef struct Alike {
    bool repeats;   // an earlier section stands for it
    uint32_t next;  // the next that the same one stands for; 0: none
} Alike;

static Alike *find_alike(const Hierarchy *hierarchy, Arena *scratch)
{
    const Outline *outline = &hierarchy->outline;
    Alike *alike = ARENA_ARRAY(scratch, Alike, outline->section_count);
    uint32_t first[SECTION_AFTER + 1] = {0}, last[SECTION_AFTER + 1] = {0};
    bool known[SECTION_AFTER + 1] = {false};
    for (uint32_t i = 0; i < outline->section_count; i++) {
        const Section *section = &outline->sections[i];
        SectionKind kind = section->kind;
        if (!known[kind]) {
            known[kind] = true;
            first[kind] = last[kind] = i;
        } else if (sections_alike(hierarchy, &outline->sections[first[kind]], section)) {
            alike[i].repeats = true;
            alike[last[kind]].next = i;
            last[kind] = i;
        }
    }
    return alike;
}

static void plan_section(RowPlan *plan, const Alike *alike, uint32_t at)
{
    const Outline *outline = &plan->hierarchy->outline;
    Siblings tops = {0};
    HierarchyRow row = {.section = &outline->sections[at], .repeats = 0};
    uint32_t i = at;
    do {
        const Section *other = &outline->sections[i];
        row.repeats++;
        for (uint32_t k = 0; k < other->count; k++)
            *ARRAY_PUSH(plan->scratch, &tops) = outline->tops[other->first + k];
        i = alike[i].next;
    } while (i);
    tops.copies = row.repeats;
    add_row(plan, row);
    push_siblings(plan, &tops, 0);
    while (plan->tasks.count)
        plan_next(plan);
}

static void plan_rows(const Hierarchy *hierarchy, size_t most, uint32_t depth, Arena *arena,
                      HierarchyRows *out)
{
    RowPlan plan = {.hierarchy = hierarchy,
                    .arena = arena,
                    .scratch = arena_new(),
                    .out = out,
                    .depth = depth,
                    .first = hierarchy_first_overflow(hierarchy),
                    .most = most};
    const Outline *outline = &hierarchy->outline;
    const Alike *alike = find_alike(hierarchy, plan.scratch);
    *out = (HierarchyRows){.depth = depth};
    for (uint32_t i = 0; i < outline->section_count; i++)
        if (outline->sections[i].count && !alike[i].repeats)
            plan_section(&plan, alike, i);
    arena_release(plan.scratch);
    uint32_t deepest = 1;
    for (size_t i = 0; i < out->count; i++)
        deepest = out->items[i].depth + 1 > deepest ? out->items[i].depth + 1 : deepest;
    out->depth = deepest < depth ? deepest : depth;
}

void hierarchy_rows(const Hierarchy *hierarchy, const HierarchyLimits *limits, Arena *arena,
                    HierarchyRows *out)
{
    plan_rows(hierarchy, limits->most, limits->depth ? limits->depth : 1, arena, out);
    for (uint32_t deeper = 2; limits->depth == 0 && deeper <= DEEPEST; deeper++) {
        HierarchyRows next;
        plan_rows(hierarchy, limits->rows, deeper, arena, &next);
        if (next.cut || next.count == out->count)
            return;
        *out = next;
    }
}
