// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>

#include "base/words.h"
#include "model/ranks/merge_tree.h"

// What makes one value of the values of several ranks (docs/spec/graph.md §2.14).

// Of Mean and Norm, relative, as msProbe has it: sums of another order differ in the last digits of
// a float32. What is further apart is taken for shares of one tensor, and their squares add up.
#define EQUAL_WITHIN 1e-6

bool merge_takes_part(const MergeTree *tree, const Slot *slot)
{
    if (slot->kind != SLOT_TENSOR)
        return false;
    Str dtype = str_behind(names_text(tree->names, slot->dtype), '.');
    return STR_IN(dtype, "int8", "int32", "int64", "bfloat16", "float16", "float32", "float64",
                  "Int8", "Int32", "Int64", "BFloat16", "Float16", "Float32", "Float64");
}

static bool is_number(const Slot *slot, Stat stat)
{
    return slot->tag[stat] == TAG_INT || slot->tag[stat] == TAG_UINT || slot->tag[stat] == TAG_REAL;
}

static bool close_enough(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    if (!isfinite(a) || !isfinite(b))
        return false;
    double scale = a != 0 ? fabs(a) : 1;
    return fabs(b - a) <= EQUAL_WITHIN * scale;
}

static bool stats_equal(const Slot *a, const Slot *b, Stat stat, bool exactly)
{
    double x, y;
    if (!is_number(a, stat) || !is_number(b, stat) || !slot_stat(a, stat, &x) ||
        !slot_stat(b, stat, &y))
        return true;
    if (exactly || stat == STAT_MAX || stat == STAT_MIN)
        return x == y || (isnan(x) && isnan(y));
    return close_enough(x, y);
}

bool merge_slots_equal(const Slot *a, const Slot *b)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (!stats_equal(a, b, (Stat)stat, false))
            return false;
    return a->counted == b->counted;
}

bool merge_slots_identical(const Slot *a, const Slot *b)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (is_number(a, (Stat)stat) != is_number(b, (Stat)stat) ||
            !stats_equal(a, b, (Stat)stat, true))
            return false;
    return true;
}

static bool all_numbers(const Slot *own, const Slot *const *others, size_t count, Stat stat)
{
    for (size_t i = 0; i < count; i++)
        if (!is_number(others[i], stat))
            return false;
    return is_number(own, stat);
}

static void set_real(Slot *slot, Stat stat, double value)
{
    slot->tag[stat] = TAG_REAL;
    slot->stat[stat].real = value;
}

// The largest or smallest as it is written, so that integers stay integers. A NaN anywhere stays.
static void merge_extreme(Slot *own, const Slot *const *others, size_t count, Stat stat)
{
    for (size_t i = 0; i < count; i++) {
        double best = 0, value = 0;
        slot_stat(own, stat, &best);
        slot_stat(others[i], stat, &value);
        bool better = stat == STAT_MAX ? value > best : value < best;
        if (isnan(best) || !(better || isnan(value)))
            continue;
        own->tag[stat] = others[i]->tag[stat];
        own->stat[stat] = others[i]->stat[stat];
    }
}

static void merge_mean(Slot *own, const Slot *const *others, const double *weights, size_t count)
{
    double total = weights ? weights[0] : 1, sum = 0, value = 0;
    slot_stat(own, STAT_MEAN, &sum);
    sum *= total;
    for (size_t i = 0; i < count; i++) {
        double weight = weights ? weights[i + 1] : 1;
        if (slot_stat(others[i], STAT_MEAN, &value))
            sum += value * weight;
        total += weight;
    }
    set_real(own, STAT_MEAN, sum / total);
}

static void merge_norm(Slot *own, const Slot *const *others, size_t count)
{
    double sum = 0, value = 0;
    if (slot_stat(own, STAT_NORM, &value))
        sum = value * value;
    for (size_t i = 0; i < count; i++)
        if (slot_stat(others[i], STAT_NORM, &value))
            sum += value * value;
    set_real(own, STAT_NORM, sqrt(sum));
}

static void note_values(MergeTree *tree, uint32_t node, uint32_t slot, const int64_t *ranks,
                        size_t count)
{
    StrBuf text = strbuf_new(tree->arena);
    Str name = merge_name(tree, node);
    Str path = names_text(tree->names, tree->items[node].slots[slot].path);
    strbuf_printf(&text, STR_FMT "." STR_FMT ": ", STR_ARG(name), STR_ARG(path));
    strbuf_printf(
        &text, "%s",
        tr("Max = max, Min = min, Mean = mean, Norm = root of the sum of squares, of ranks"));
    for (size_t i = 0; i <= count; i++)
        strbuf_printf(&text, "%s %" PRId64, i ? "," : "", ranks[i]);
    merge_note(tree, node, strbuf_str(&text));
}

// How many statistics all tell, which are merged.
static int merge_stats(Slot *own, const Slot *const *others, const double *weights, size_t count)
{
    int merged = 0;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        if (!all_numbers(own, others, count, (Stat)stat))
            continue;
        merged++;
        if (stat == STAT_MAX || stat == STAT_MIN)
            merge_extreme(own, others, count, (Stat)stat);
        else if (stat == STAT_MEAN)
            merge_mean(own, others, weights, count);
        else
            merge_norm(own, others, count);
    }
    return merged;
}

void merge_slot_overview(Slot *own, const Slot *const *others, size_t count)
{
    double norm;
    bool told = all_numbers(own, others, count, STAT_NORM);
    merge_stats(own, others, NULL, count);
    if (told && slot_stat(own, STAT_NORM, &norm))
        set_real(own, STAT_NORM, norm / sqrt((double)count + 1));
}

void merge_slot_values(MergeTree *tree, uint32_t node, uint32_t slot, const Slot *const *others,
                       const int64_t *ranks, const double *weights, size_t count)
{
    Slot *own = &tree->items[node].slots[slot];
    int merged = merge_stats(own, others, weights, count);
    for (size_t i = 0; i < count; i++)
        own->counted |= others[i]->counted;
    if (merged) {
        tree->items[node].merged = true;
        note_values(tree, node, slot, ranks, count);
    }
    if (merged < STAT_COUNT && tree->rules == GRAPH_VERNIER)
        notices_add(tree->notices, NOTICE_INFO, tree->where, "%s",
                    tr("parallel merge: a statistic that is no number on every rank is that of the "
                       "first rank"));
}

bool merge_side_differs(const MergeNode *a, const MergeNode *b, bool outputs)
{
    uint32_t counts[2] = {0, 0};
    const MergeNode *nodes[2] = {a, b};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < nodes[side]->slot_count; i++) {
            const Slot *slot = &nodes[side]->slots[i];
            bool input = slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
            counts[side] += outputs ? slot->group == GROUP_OUTPUT : input;
        }
    if (counts[0] != counts[1])
        return true;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        const Slot *slot = &a->slots[i];
        bool input = slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
        if (outputs ? slot->group != GROUP_OUTPUT : !input)
            continue;
        const Slot *other = merge_slot_like(b, a, i);
        if (!other || other->kind != slot->kind || !merge_slots_equal(slot, other))
            return true;
    }
    return false;
}
