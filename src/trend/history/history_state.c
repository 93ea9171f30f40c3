// SPDX-License-Identifier: Apache-2.0
#include "trend/history/history_state.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/file.h"

const char *fact_state_word(FactState state)
{
    static const char *const words[] = {"no data", "calm", "inherited", "warning", "beyond"};
    return words[state];
}

void history_add(HistoryNight *night, Arena *arena, HistoryFact fact)
{
    *ARRAY_PUSH(arena, night) = fact;
}

int history_fact_order(const HistoryFact *a, const HistoryFact *b)
{
    const Str left[] = {a->kind, a->place, a->name, a->metric};
    const Str right[] = {b->kind, b->place, b->name, b->metric};
    for (size_t i = 0; i < 4; i++) {
        int order = str_compare(left[i], right[i]);
        if (order)
            return order;
    }
    return 0;
}

// Worse first among facts about the same thing, so that the first one stays.
static int by_thing(const void *left, const void *right)
{
    const HistoryFact *a = left, *b = right;
    int order = history_fact_order(a, b);
    if (order)
        return order;
    if (a->state != b->state)
        return a->state > b->state ? -1 : 1;
    double x = isnan(a->value) ? -INFINITY : a->value, y = isnan(b->value) ? -INFINITY : b->value;
    if (x != y)
        return x > y ? -1 : 1;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return str_compare(a->note, b->note);
}

void history_sort(HistoryNight *night)
{
    if (night->count == 0)
        return;
    qsort(night->items, night->count, sizeof *night->items, by_thing);
    size_t kept = 1;
    for (size_t i = 1; i < night->count; i++)
        if (history_fact_order(&night->items[kept - 1], &night->items[i]) != 0)
            night->items[kept++] = night->items[i];
    night->count = kept;
}

static bool same_value(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

bool history_same_night(const HistoryNight *a, const HistoryNight *b)
{
    if (a->count != b->count || a->state != b->state || a->partial != b->partial ||
        !str_equal(a->label, b->label))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const HistoryFact *x = &a->items[i], *y = &b->items[i];
        if (history_fact_order(x, y) != 0 || x->state != y->state ||
            !same_value(x->value, y->value))
            return false;
    }
    return true;
}

static bool is_numbered(Str part, Str word)
{
    uint64_t number;
    return str_starts(part, word) &&
           (part.size == word.size ||
            str_to_uint64(str_slice(part, word.size, part.size), &number));
}

static bool says_nothing(Str part)
{
    return part.size == 0 || str_equal(part, STR(".")) || str_equal(part, STR("..")) ||
           str_equal(part, STR("dump.json")) || is_numbered(part, STR("step")) ||
           is_numbered(part, STR("rank"));
}

Str history_label(Str path)
{
    for (Str rest = path; rest.size;) {
        Str part = path_base(rest);
        if (!says_nothing(part))
            return part;
        Str above = path_folder(rest);
        if (above.size >= rest.size)
            break;
        rest = above;
    }
    return path_base(path);
}
