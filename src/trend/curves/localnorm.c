// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/localnorm.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/words.h"
#include "read/table/csv_file.h"
#include "trend/curves/norm_names.h"
#include "trend/curves/smooth.h"

static const double unit_tolerance = 0.005;

bool name_map_read(const char *path, Arena *arena, NameMap *out, Notices *notices, Error *err)
{
    File file;
    *out = (NameMap){0};
    if (!file_open(path, &file, err))
        return false;
    Csv csv;
    csv_open(&csv, path, file.text, ',', arena);
    if (csv_next(&csv))
        csv_take_header(&csv);
    int target = csv_column(&csv, "target"), golden = csv_column(&csv, "benchmark");
    golden = golden < 0 ? csv_column(&csv, "golden") : golden;
    size_t capacity = 1;
    for (size_t i = 0; i < file.text.size; i++)
        capacity += file.text.data[i] == '\n';
    out->targets = ARENA_ARRAY(arena, Str, capacity + 1);
    out->goldens = ARENA_ARRAY(arena, Str, capacity + 1);
    while (target >= 0 && golden >= 0 && csv_next(&csv) && out->count < capacity) {
        out->targets[out->count] = str_copy(arena, csv_cell(&csv, target));
        out->goldens[out->count++] = str_copy(arena, csv_cell(&csv, golden));
    }
    csv_report(&csv, notices);
    file_close(&file);
    if (out->count == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("expected rows under the header 'target,benchmark'"));
    return true;
}

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

static Str *plain_names(const NormList *list, Arena *arena)
{
    Str *plain = ARENA_ARRAY(arena, Str, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        plain[i] = norm_plain_name(list->items[i].name, arena);
    return plain;
}

// ---- Which weights belong together

enum { NO_GROUP = -1 };

// Weights of both sides in one row: mostly one and one; parts of a fused weight are summed.
typedef struct Pairing {
    const NormList *target, *golden;
    int *target_group, *golden_group;  // by weight
    int count;
    const NameMap *map;
} Pairing;

static size_t find_item(const NormList *list, Str name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal(list->items[i].name, name))
            return i;
    return SIZE_MAX;
}

static bool knows_target(const NameMap *map, Str target)
{
    for (size_t i = 0; map && i < map->count; i++)
        if (str_equal(map->targets[i], target))
            return true;
    return false;
}

// The two weights join what either belongs to already.
static void join_weights(Pairing *pairing, size_t target, size_t golden)
{
    int *left = &pairing->target_group[target], *right = &pairing->golden_group[golden];
    if (*left == NO_GROUP && *right == NO_GROUP)
        *left = *right = pairing->count++;
    else if (*left == NO_GROUP)
        *left = *right;
    else if (*right == NO_GROUP)
        *right = *left;
}

static void pair_by_map(Pairing *pairing)
{
    const NameMap *map = pairing->map;
    for (size_t i = 0; i < map->count; i++) {
        size_t target = find_item(pairing->target, map->targets[i]);
        size_t golden = find_item(pairing->golden, map->goldens[i]);
        if (target != SIZE_MAX && golden != SIZE_MAX)
            join_weights(pairing, target, golden);
    }
}

// Places pair only where both lists are equally long.
static bool is_open(const Pairing *pairing, Str name)
{
    return !str_starts(name, STR("#")) || pairing->target->count == pairing->golden->count;
}

// One to one, by names as they are given for both sides.
static void pair_by_names(Pairing *pairing, const Str *target, const Str *golden)
{
    for (size_t i = 0; i < pairing->target->count; i++) {
        if (pairing->target_group[i] != NO_GROUP || !is_open(pairing, target[i]) ||
            knows_target(pairing->map, pairing->target->items[i].name))
            continue;
        for (size_t k = 0; k < pairing->golden->count; k++)
            if (pairing->golden_group[k] == NO_GROUP && str_equal(target[i], golden[k])) {
                join_weights(pairing, i, k);
                break;
            }
    }
}

// All that is left of one fused weight on both sides, where one side has several parts of it.
static void pair_fused(Pairing *pairing, const Str *target, const Str *golden)
{
    int first = pairing->count;
    for (size_t i = 0; i < pairing->target->count; i++)
        for (size_t k = 0; k < pairing->golden->count; k++) {
            bool open_target =
                pairing->target_group[i] == NO_GROUP || pairing->target_group[i] >= first;
            bool open_golden =
                pairing->golden_group[k] == NO_GROUP || pairing->golden_group[k] >= first;
            if (open_target && open_golden && is_open(pairing, target[i]) &&
                str_equal(target[i], golden[k]))
                join_weights(pairing, i, k);
        }
}

// "layers.0.attention.wq.weight + wk + wv" of several.
static Str joined_name(Str before, Str name, Arena *arena)
{
    if (before.size == 0)
        return name;
    size_t last = str_rfind_char(name, '.');
    Str path = last == SIZE_MAX ? name : str_slice(name, 0, last);
    Str own = str_behind(path, '.');
    return str_printf(arena, STR_FMT " + " STR_FMT, STR_ARG(before), STR_ARG(own));
}

// The sum of a group's weights on one side.
static LocalNorm group_norm(const NormList *list, const int *groups, int group, Arena *arena)
{
    LocalNorm sum = {0};
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (groups[i] != group)
            continue;
        const LocalNorm *item = &list->items[i];
        sum.name = joined_name(sum.name, item->name, arena);
        sum.value = count++ ? hypot(sum.value, item->value) : item->value;
        sum.elements += item->elements;
    }
    return sum;
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

static int *new_groups(size_t count, Arena *arena)
{
    int *groups = ARENA_ARRAY(arena, int, count + 1);
    for (size_t i = 0; i < count; i++)
        groups[i] = NO_GROUP;
    return groups;
}

static Str *fused_names(const Str *plain, size_t count, Arena *arena)
{
    Str *fused = ARENA_ARRAY(arena, Str, count + 1);
    for (size_t i = 0; i < count; i++)
        fused[i] = norm_fused_name(plain[i], arena);
    return fused;
}

static Str *own_names(const NormList *list, Arena *arena)
{
    Str *names = ARENA_ARRAY(arena, Str, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->items[i].name;
    return names;
}

static void pair_weights(Pairing *pairing, Arena *arena)
{
    const NormList *target = pairing->target, *golden = pairing->golden;
    pairing->target_group = new_groups(target->count, arena);
    pairing->golden_group = new_groups(golden->count, arena);
    if (pairing->map)
        pair_by_map(pairing);
    pair_by_names(pairing, own_names(target, arena), own_names(golden, arena));
    if (pairing->map)
        return;
    Str *left = plain_names(target, arena), *right = plain_names(golden, arena);
    pair_by_names(pairing, left, right);
    pair_fused(pairing, fused_names(left, target->count, arena),
               fused_names(right, golden->count, arena));
}

// Rows in the order of the target's list.
static void add_pairs(NormTable *table, const Pairing *pairing, Arena *arena)
{
    bool *done = ARENA_ARRAY(arena, bool, (size_t)pairing->count + 1);
    for (size_t i = 0; i < pairing->target->count; i++) {
        int group = pairing->target_group[i];
        if (group == NO_GROUP) {
            table->only_target[table->only_target_count++] = pairing->target->items[i].name;
        } else if (!done[group]) {
            LocalNorm own = group_norm(pairing->target, pairing->target_group, group, arena);
            LocalNorm other = group_norm(pairing->golden, pairing->golden_group, group, arena);
            done[group] = true;
            add_pair(table, &own, &other, arena);
        }
    }
    for (size_t i = 0; i < pairing->golden->count; i++)
        if (pairing->golden_group[i] == NO_GROUP)
            table->only_golden[table->only_golden_count++] = pairing->golden->items[i].name;
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
        table->items[i].problem =
            error > LOCALNORM_PROBLEM * look || (error > look && error > 10 * table->median_error);
    }
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
    Pairing pairing = {.target = &right, .golden = &left, .map = map};
    pair_weights(&pairing, arena);
    out->only_target = ARENA_ARRAY(arena, Str, right.count);
    out->only_golden = ARENA_ARRAY(arena, Str, left.count);
    add_pairs(out, &pairing, arena);
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
    if (flagged == table->count && high < low * 1.02)
        return tr("all weights are off by one factor: loss scale, mean against sum over data "
                  "parallel ranks, or gradient accumulation");
    if (flagged == 1)
        return tr("one weight is off: look at its operator");
    return tr("several weights are off: the error enters late in the network and is carried "
              "backward; dump the backward pass of this step");
}
