// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_alike.h"

#include <math.h>
#include <stdlib.h>

#include "compare/match/match_pass.h"

enum { MOST_EXTRA = 64 };

// Two calls whose inputs are twice as large or nothing similar are as far apart as can be.
static const double farthest = 1;

// Another choice must be better by more than noise: by a twentieth of an octave of a norm over all
// calls. With less, calls of equal inputs change partners by chance; with more they keep others.
static const double margin = 0.05;

typedef struct Call {
    uint64_t token;
    uint32_t op;
} Call;

// The calls of one side that look the same, in the order of the file.
typedef struct Calls {
    const Call *items;
    uint32_t count;
} Calls;

typedef struct Group {
    Matcher *matcher;
    int few_side;     // the side with fewer of them
    Calls few, many;  // all of `few` have a partner among `many`
    uint32_t extra;
    double *costs;     // [extra + 1]: the best so far with so many left out
    uint8_t *skipped;  // [few.count][extra + 1]: how many were left out one call before
    Arena *scratch;
} Group;

// ---- how far apart two calls are

static const Slot *next_tensor(const Dump *dump, const Op *op, uint32_t *at)
{
    while (*at < op->slot_count) {
        const Slot *slot = &dump->slots[op->first_slot + (*at)++];
        if (slot->kind == SLOT_TENSOR &&
            (slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS))
            return slot;
    }
    return NULL;
}

static double slot_distance(const Slot *a, const Slot *b)
{
    double x, y;
    if (!slot_stat(a, STAT_NORM, &x) || !slot_stat(b, STAT_NORM, &y) || !isfinite(x) ||
        !isfinite(y))
        return 0;
    if (x == y)
        return 0;
    return x > 0 && y > 0 ? fmin(farthest, fabs(log2(x / y))) : farthest;
}

static double distance(const Group *group, uint32_t few, uint32_t many)
{
    const Matcher *matcher = group->matcher;
    int few_side = group->few_side, many_side = 1 - few_side;
    const Dump *a = matcher->sides[few_side].dump, *b = matcher->sides[many_side].dump;
    const OpKey *key = &matcher->keys.ops[few_side][few];
    if (key->values != 0 && key->values == matcher->keys.ops[many_side][many].values)
        return 0;
    double sum = 0;
    uint32_t count = 0, i = 0, k = 0;
    for (;;) {
        const Slot *x = next_tensor(a, &a->ops[few], &i), *y = next_tensor(b, &b->ops[many], &k);
        if (!x || !y)
            return count ? sum / count : 0;
        sum += slot_distance(x, y);
        count++;
    }
}

// ---- the best choice

static double cost_now(const Group *group)
{
    double cost = 0;
    for (uint32_t i = 0; i < group->few.count; i++) {
        uint32_t op = group->few.items[i].op;
        cost += distance(group, op, group->matcher->partner[group->few_side][op]);
    }
    return cost;
}

// Call i of the few pairs with call i + k of the many, k never falling.
static double best_cost(Group *group)
{
    uint32_t width = group->extra + 1;
    for (uint32_t i = 0; i < group->few.count; i++) {
        uint32_t from = 0;
        double before = group->costs[0];
        for (uint32_t k = 0; k < width; k++) {
            if (group->costs[k] < before) {
                before = group->costs[k];
                from = k;
            }
            group->skipped[(size_t)i * width + k] = (uint8_t)from;
            group->costs[k] =
                before + distance(group, group->few.items[i].op, group->many.items[i + k].op);
        }
    }
    double best = group->costs[0];
    for (uint32_t k = 1; k < width; k++)
        best = fmin(best, group->costs[k]);
    return best;
}

static void move_pairs(const Group *group)
{
    uint32_t **partner = group->matcher->partner, width = group->extra + 1, k = 0;
    for (uint32_t i = 1; i < width; i++)
        if (group->costs[i] < group->costs[k])
            k = i;
    for (uint32_t i = 0; i < group->many.count; i++)
        partner[1 - group->few_side][group->many.items[i].op] = OP_NONE;
    for (uint32_t i = group->few.count; i-- > 0;) {
        uint32_t few = group->few.items[i].op, many = group->many.items[i + k].op;
        partner[group->few_side][few] = many;
        partner[1 - group->few_side][many] = few;
        k = group->skipped[(size_t)i * width + k];
    }
}

static bool holds(Calls calls, uint32_t op)
{
    uint32_t low = 0, high = calls.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (calls.items[middle].op == op)
            return true;
        if (calls.items[middle].op < op)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool pairs_within(const Group *group)
{
    for (uint32_t i = 0; i < group->few.count; i++) {
        uint32_t other = group->matcher->partner[group->few_side][group->few.items[i].op];
        if (other == OP_NONE || !holds(group->many, other))
            return false;
    }
    for (uint32_t i = 0; i < group->many.count; i++) {
        uint32_t other = group->matcher->partner[1 - group->few_side][group->many.items[i].op];
        if (other != OP_NONE && !holds(group->few, other))
            return false;
    }
    return true;
}

static void settle_group(Matcher *matcher, Calls first, Calls second, Arena *scratch)
{
    bool fewer = first.count < second.count;
    Group group = {.matcher = matcher,
                   .few_side = fewer ? 0 : 1,
                   .few = fewer ? first : second,
                   .many = fewer ? second : first};
    group.extra = group.many.count - group.few.count;
    if (group.extra == 0 || group.extra > MOST_EXTRA || group.few.count == 0 ||
        !pairs_within(&group))
        return;
    size_t width = (size_t)group.extra + 1;
    group.costs = ARENA_ARRAY(scratch, double, width);
    group.skipped = ARENA_ARRAY(scratch, uint8_t, group.few.count * width);
    if (best_cost(&group) + margin < cost_now(&group))
        move_pairs(&group);
}

// ---- the groups

static int compare_calls(const void *a, const void *b)
{
    const Call *x = a, *y = b;
    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

// Classes of which a call has no partner.
static bool *open_classes(const Matcher *matcher, MatchStage stage, Arena *scratch)
{
    bool *open = ARENA_ARRAY(scratch, bool, matcher->keys.class_count);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < matcher->sides[side].dump->op_count; i++)
            if (matcher->stage[side][i] == stage && matcher->partner[side][i] == OP_NONE)
                open[matcher->keys.ops[side][i].class] = true;
    return open;
}

static Calls collect(const Matcher *matcher, MatchStage stage, int side, const bool *open,
                     Arena *scratch)
{
    uint32_t op_count = matcher->sides[side].dump->op_count, count = 0;
    Call *calls = ARENA_ARRAY(scratch, Call, (size_t)op_count + 1);
    for (uint32_t i = 0; i < op_count; i++)
        if (matcher->stage[side][i] == stage && open[matcher->keys.ops[side][i].class])
            calls[count++] = (Call){match_pass_look(matcher, side, i), i};
    qsort(calls, count, sizeof *calls, compare_calls);
    return (Calls){calls, count};
}

static uint32_t group_end(Calls calls, uint32_t from)
{
    uint32_t end = from;
    while (end < calls.count && calls.items[end].token == calls.items[from].token)
        end++;
    return end;
}

void match_alike_settle(Matcher *matcher, MatchStage stage)
{
    if (matcher->names_stand)
        return;
    Arena *scratch = arena_new();
    const bool *open = open_classes(matcher, stage, scratch);
    Calls first = collect(matcher, stage, 0, open, scratch);
    Calls second = collect(matcher, stage, 1, open, scratch);
    for (uint32_t i = 0, k = 0; i < first.count && k < second.count;) {
        uint64_t a = first.items[i].token, b = second.items[k].token;
        uint32_t first_end = group_end(first, i), second_end = group_end(second, k);
        if (a == b)
            settle_group(matcher, (Calls){first.items + i, first_end - i},
                         (Calls){second.items + k, second_end - k}, scratch);
        i = a <= b ? first_end : i;
        k = b <= a ? second_end : k;
    }
    arena_release(scratch);
}
