// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/localnorm.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "trend/curves/norm_groups.h"
#include "trend/curves/smooth.h"

// How near the root of a list has to be to the printed global norm (docs/spec/curves.md §4.2, M5):
// three printed digits of each weight leave less. A list that fits by chance in the other unit
// would have all its relative errors doubled or halved.
static const double unit_tolerance = 0.005;

// Ratios that all lie within this are one factor. Chosen: twice what is flagged, so that the noise
// that a weight may have on either side does not hide it. It only words the reading.
#define ONE_FACTOR 1.02

// The lists of the first step, one after the other: each rank prints its own weights.
static NormList first_lists(const Run *run, Arena *arena)
{
    NormList all = {.global_norm = NAN};
    for (size_t i = 0; i < run->norms.count; i++) {
        const NormList *list = &run->norms.items[i];
        if (all.count && list->step != all.step)
            continue;
        all.step = list->step;
        all.maybe_squares = list->maybe_squares;
        all.elided = all.elided || list->elided;
        all.global_norm = isnan(all.global_norm) ? list->global_norm : all.global_norm;
        for (size_t k = 0; k < list->count; k++)
            *ARRAY_PUSH(arena, &all) = list->items[k];
    }
    const Series *norm = run_series(run, "grad_norm");
    if (isnan(all.global_norm) && norm) {
        double value = series_at(norm, all.step);
        all.global_norm = point_is_absent(value) ? NAN : value;
    }
    return all;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= unit_tolerance * fabs(b);
}

// Which unit makes the list agree with the printed global norm; then the list in true norms.
static NormSide normalise(NormList *list)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < list->count; i++) {
        sum += list->items[i].value;
        squares += list->items[i].value * list->items[i].value;
    }
    NormSide side = {.step = list->step,
                     .global_norm = list->global_norm,
                     .count = list->count,
                     .elided = list->elided};
    side.unit = close_to(sqrt(sum), list->global_norm)       ? UNIT_SQUARES
                : close_to(sqrt(squares), list->global_norm) ? UNIT_NORMS
                : list->maybe_squares                        ? UNIT_SQUARES_LIKELY
                                                             : UNIT_NORMS;
    for (size_t i = 0; side.unit != UNIT_NORMS && i < list->count; i++)
        list->items[i].value = sqrt(list->items[i].value);
    side.root = sqrt(side.unit == UNIT_NORMS ? squares : sum);
    side.contradicts = side.root > list->global_norm * (1 + unit_tolerance);
    return side;
}

static void name_items(NormList *list, const Str *names, size_t count, Arena *arena)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].name.size)
            continue;
        bool mapped = names && count == list->count;
        list->items[i].name = mapped ? names[i] : str_printf(arena, "#%zu", i + 1);
    }
}

enum { NAMES_SHOWN = 8 };  // of a group's weights

// "layers.0.attention.wq.weight + wk + wv" of several.
static void add_name(StrBuf *text, Str name, size_t index)
{
    if (index == 0) {
        strbuf_add(text, name);
    } else if (index < NAMES_SHOWN) {
        size_t last = str_rfind_char(name, '.');
        Str path = last == SIZE_MAX ? name : str_slice(name, 0, last);
        strbuf_add(text, STR(" + "));
        strbuf_add(text, str_behind(path, '.'));
    } else if (index == NAMES_SHOWN) {
        strbuf_add(text, STR(" + …"));
    }
}

// The sum of each group's weights on one side, by group.
static LocalNorm *group_sums(const NormList *list, const int *groups, int count, Arena *arena)
{
    LocalNorm *sums = ARENA_ARRAY(arena, LocalNorm, (size_t)count + 1);
    StrBuf *names = ARENA_ARRAY(arena, StrBuf, (size_t)count + 1);
    size_t *parts = ARENA_ARRAY(arena, size_t, (size_t)count + 1);
    for (size_t i = 0; i < list->count; i++) {
        const LocalNorm *item = &list->items[i];
        int group = groups[i];
        if (group == NORM_ALONE)
            continue;
        LocalNorm *sum = &sums[group];
        names[group].arena = arena;
        add_name(&names[group], item->name, parts[group]);
        sum->value = parts[group]++ ? hypot(sum->value, item->value) : item->value;
        sum->elements += item->elements;
    }
    for (int i = 0; i < count; i++)
        sums[i].name = strbuf_str(&names[i]);
    return sums;
}

static void add_pair(NormTable *table, const LocalNorm *target, const LocalNorm *golden,
                     Arena *arena)
{
    double root = table->golden.root;
    *ARRAY_PUSH(arena, table) = (NormPair){
        .target = target->name,
        .golden = golden->name,
        .target_norm = target->value,
        .golden_norm = golden->value,
        .relative_error =
            target->value == golden->value ? 0 : (target->value - golden->value) / golden->value,
        .share = golden->value * golden->value / (root * root),
        .elements = target->elements ? target->elements : golden->elements};
}

// Rows in the order of the target's list.
static void add_pairs(NormTable *table, const NormList *target, const NormList *golden,
                      const NormGroups *groups, Arena *arena)
{
    bool *done = ARENA_ARRAY(arena, bool, (size_t)groups->count + 1);
    LocalNorm *own = group_sums(target, groups->target, groups->count, arena);
    LocalNorm *other = group_sums(golden, groups->golden, groups->count, arena);
    for (size_t i = 0; i < target->count; i++) {
        int group = groups->target[i];
        if (group == NORM_ALONE) {
            table->only_target[table->only_target_count++] = target->items[i].name;
        } else if (!done[group]) {
            done[group] = true;
            add_pair(table, &own[group], &other[group], arena);
        }
    }
    for (size_t i = 0; i < golden->count; i++)
        if (groups->golden[i] == NORM_ALONE)
            table->only_golden[table->only_golden_count++] = golden->items[i].name;
}

double localnorm_distance(const NormPair *pair)
{
    if (isnan(pair->target_norm) && isnan(pair->golden_norm))
        return 0;
    return isnan(pair->relative_error) ? INFINITY : fabs(pair->relative_error);
}

const NormPair *localnorm_worst(const NormTable *table)
{
    const NormPair *worst = NULL;
    for (size_t i = 0; i < table->count; i++)
        if (!worst || localnorm_distance(&table->items[i]) > localnorm_distance(worst))
            worst = &table->items[i];
    return worst;
}

void localnorm_flag(NormTable *table, double look, Arena *arena)
{
    double *errors = ARENA_ARRAY(arena, double, table->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        double error = localnorm_distance(&table->items[i]);
        if (isfinite(error))
            errors[count++] = error;
    }
    table->median_error = count ? median_of(errors, count) : 0;
    table->look = look;
    for (size_t i = 0; i < table->count; i++) {
        double error = localnorm_distance(&table->items[i]);
        table->items[i].flagged = error > look;
        table->items[i].problem = error > LOCALNORM_PROBLEM * look ||
                                  (error > look && error > LOCALNORM_ALONE * table->median_error);
    }
}

size_t localnorm_flagged(const NormTable *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += table->items[i].flagged;
    return count;
}

bool localnorm_compare(const Run *golden, const Run *target, const NameMap *map, Arena *arena,
                       NormTable *out)
{
    *out = (NormTable){0};
    NormList left = first_lists(golden, arena), right = first_lists(target, arena);
    if (left.count == 0 || right.count == 0)
        return false;
    out->golden = normalise(&left);
    out->target = normalise(&right);
    name_items(&left, map ? map->goldens : NULL, map ? map->count : 0, arena);
    name_items(&right, map ? map->targets : NULL, map ? map->count : 0, arena);
    NormGroups groups;
    norm_groups_find(&right, &left, map, arena, &groups);
    out->only_target = ARENA_ARRAY(arena, Str, right.count);
    out->only_golden = ARENA_ARRAY(arena, Str, left.count);
    add_pairs(out, &right, &left, &groups, arena);
    localnorm_flag(out, LOCALNORM_LOOK, arena);
    return true;
}

static bool is_embedding(Str name)
{
    return str_find(name, STR("embed"), 0) != SIZE_MAX || str_find(name, STR("wte"), 0) != SIZE_MAX;
}

const char *localnorm_reading(const NormTable *table)
{
    size_t flagged = 0, embeddings = 0;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < table->count; i++) {
        const NormPair *pair = &table->items[i];
        flagged += pair->flagged;
        embeddings += pair->flagged && is_embedding(pair->target);
        double ratio = pair->target_norm / pair->golden_norm;
        low = ratio < low ? ratio : low;
        high = ratio > high || isnan(ratio) ? ratio : high;
    }
    if (flagged == 0)
        return tr("every weight agrees: the backward pass is fine; look at the second step next");
    if (flagged == embeddings)
        return tr("only the embedding is off: one side may initialise or compute it in fp32, the "
                  "other in bf16");
    if (flagged == table->count && high < low * ONE_FACTOR)
        return tr("all weights are off by one factor: loss scale, mean against sum over data "
                  "parallel ranks, or gradient accumulation");
    if (flagged == 1)
        return tr("one weight is off: look at its operator");
    return tr("several weights are off: the error enters late in the network and is carried "
              "backward; dump the backward pass of this step");
}
