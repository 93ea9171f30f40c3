// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_arrays.h"

#include <math.h>

#include "compare/mapping/mapping_data.h"

// ARRAYS_MAX bounds a search over all pairs. FAR: of two gradients of one weight in two frameworks
// norms differ by less; of two weights of one shape mostly by more.
enum { ARRAYS_MAX = 4096 };
static const double far = 0.05;

static const Slot *array_at(const Dump *dump, uint32_t op)
{
    return &dump->slots[dump->ops[op].first_slot];
}

static bool are_arrays(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].slot_count != 1 || array_at(dump, i)->kind != SLOT_TENSOR ||
            !str_equal(names_text(dump->names, array_at(dump, i)->path), STR("value")))
            return false;
    return dump->op_count > 0 && dump->op_count <= ARRAYS_MAX && dump->has_data_name;
}

typedef struct Arrays {
    const Dump *sides[2];
    uint32_t *partner[2];  // by op; MAPPED_NOT: none yet
} Arrays;

static bool same_shape(const Arrays *of, uint32_t golden, uint32_t target)
{
    return str_equal(names_text(of->sides[0]->names, array_at(of->sides[0], golden)->shape),
                     names_text(of->sides[1]->names, array_at(of->sides[1], target)->shape));
}

// The largest relative difference of the statistics; infinity: of another shape, or not told.
static double distance(const Arrays *of, uint32_t golden, uint32_t target)
{
    static const Stat stats[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    double worst = 0, a, b;
    if (!same_shape(of, golden, target))
        return INFINITY;
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        if (!slot_stat(array_at(of->sides[0], golden), stats[i], &a) ||
            !slot_stat(array_at(of->sides[1], target), stats[i], &b) || !isfinite(a) ||
            !isfinite(b))
            return INFINITY;
        double size = fmax(fabs(a), fabs(b));
        worst = fmax(worst, size > 0 ? fabs(a - b) / size : 0);
    }
    return worst;
}

static bool names_fit(const Arrays *of)
{
    for (uint32_t t = 0; t < of->sides[1]->op_count; t++) {
        Str name = names_text(of->sides[1]->names, of->sides[1]->ops[t].name);
        bool fits = false;
        for (uint32_t g = 0; g < of->sides[0]->op_count && !fits; g++)
            fits = str_equal(names_text(of->sides[0]->names, of->sides[0]->ops[g].name), name) &&
                   same_shape(of, g, t);
        if (!fits)
            return false;
    }
    return true;
}

// The nearest op of the other side that has no partner yet; MAPPED_NOT: none is near.
static uint32_t nearest(const Arrays *of, int side, uint32_t op)
{
    double best = far;
    uint32_t found = MAPPED_NOT;
    for (uint32_t i = 0; i < of->sides[!side]->op_count; i++) {
        double away = of->partner[!side][i] != MAPPED_NOT ? INFINITY
                      : side                              ? distance(of, i, op)
                                                          : distance(of, op, i);
        if (away < best) {
            best = away;
            found = i;
        }
    }
    return found;
}

static uint32_t pair_nearest(Arrays *of, bool equal)
{
    uint32_t pairs = 0;
    for (uint32_t t = 0; t < of->sides[1]->op_count; t++) {
        if (of->partner[1][t] != MAPPED_NOT)
            continue;
        uint32_t g = nearest(of, 1, t);
        if (g == MAPPED_NOT || (equal && distance(of, g, t) > 0) || nearest(of, 0, g) != t)
            continue;
        of->partner[1][t] = g;
        of->partner[0][g] = t;
        pairs++;
    }
    return pairs;
}

bool match_arrays(const Dump *golden, const Dump *target, Arena *arena, uint32_t **golden_of)
{
    Arrays of = {.sides = {golden, target}};
    if (!are_arrays(golden) || !are_arrays(target) || names_fit(&of))
        return false;
    for (int side = 0; side < 2; side++) {
        of.partner[side] = ARENA_ARRAY(arena, uint32_t, (size_t)of.sides[side]->op_count + 1);
        for (uint32_t i = 0; i < of.sides[side]->op_count; i++)
            of.partner[side][i] = MAPPED_NOT;
    }
    uint32_t pairs = pair_nearest(&of, true);
    pairs += pair_nearest(&of, false);
    *golden_of = of.partner[1];
    return 2 * pairs >= target->op_count;
}
