// SPDX-License-Identifier: Apache-2.0
#include "trend/localnorm.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/words.h"
#include "read/csv.h"
#include "trend/smooth.h"

static const double unit_tolerance = 0.005;
const double localnorm_look = 0.01, localnorm_problem = 0.05;

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

// What frameworks call the same weight.
static const char *const renames[][2] = {
    {"attention_norm",                  "input_layernorm"           },
    {"ffn_norm",                        "pre_mlp_layernorm"         },
    {"post_attention_layernorm",        "pre_mlp_layernorm"         },
    {"attention.wo",                    "self_attention.linear_proj"},
    {"o_proj",                          "linear_proj"               },
    {"w_qkv",                           "linear_qkv"                },
    {"qkv_proj",                        "linear_qkv"                },
    {"feed_forward.w2",                 "mlp.linear_fc2"            },
    {"down_proj",                       "linear_fc2"                },
    {"feed_forward.w_gate_hidden",      "mlp.linear_fc1"            },
    {"gate_up_proj",                    "linear_fc1"                },
    {"tok_embeddings.embedding_weight", "word_embeddings.weight"    },
    {"embed_tokens",                    "word_embeddings"           },
    {"norm_out",                        "final_layernorm"           },
    {"lm_head",                         "output_layer"              },
    {"self_attn",                       "self_attention"            },
    {".attention.",                     ".self_attention."          },
    {".feed_forward.",                  ".mlp."                     },
};

// A name without what differs between frameworks: the path before "layers.N", the usual renames.
static Str plain_name(Str name, Arena *arena)
{
    size_t at = str_find(name, STR("layers."), 0);
    if (at != SIZE_MAX)
        name = str_slice(name, at, name.size);
    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++)
        name = str_replace(arena, name, str_of(renames[i][0]), str_of(renames[i][1]));
    if (at == SIZE_MAX) {
        size_t last = str_rfind_char(name, '.');
        size_t before = last == SIZE_MAX ? SIZE_MAX : str_rfind_char(str_slice(name, 0, last), '.');
        name = before == SIZE_MAX ? name : str_slice(name, before + 1, name.size);
    }
    return name;
}

static size_t find_name(const NormList *list, Str name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal(list->items[i].name, name))
            return i;
    return SIZE_MAX;
}

static size_t find_plain(const Str *plain, size_t count, Str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(plain[i], name))
            return i;
    return SIZE_MAX;
}

static Str *plain_names(const NormList *list, Arena *arena)
{
    Str *plain = ARENA_ARRAY(arena, Str, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        plain[i] = plain_name(list->items[i].name, arena);
    return plain;
}

static Str mapped_name(const NameMap *map, Str target)
{
    for (size_t i = 0; map && i < map->count; i++)
        if (str_equal(map->targets[i], target))
            return map->goldens[i];
    return target;
}

static void add_pair(NormTable *table, const LocalNorm *target, const LocalNorm *golden,
                     Arena *arena)
{
    double root = table->golden.root;
    *ARRAY_PUSH(arena, table) =
        (NormPair){.target = target->name,
                   .golden = golden->name,
                   .target_norm = target->value,
                   .golden_norm = golden->value,
                   .relative_error = (target->value - golden->value) / golden->value,
                   .share = golden->value * golden->value / (root * root),
                   .elements = target->elements ? target->elements : golden->elements};
}

static void flag_pairs(NormTable *table, Arena *arena)
{
    double *errors = ARENA_ARRAY(arena, double, table->count + 1);
    for (size_t i = 0; i < table->count; i++)
        errors[i] = fabs(table->items[i].relative_error);
    table->median_error = median_of(errors, table->count);
    for (size_t i = 0; i < table->count; i++) {
        double error = fabs(table->items[i].relative_error);
        table->items[i].flagged = error > localnorm_look || !isfinite(error);
        table->items[i].problem = error > localnorm_problem ||
                                  (error > localnorm_look && error > 10 * table->median_error);
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
    Str *plain_left = plain_names(&left, arena), *plain_right = plain_names(&right, arena);
    bool *used = ARENA_ARRAY(arena, bool, left.count);
    out->only_target = ARENA_ARRAY(arena, Str, right.count);
    out->only_golden = ARENA_ARRAY(arena, Str, left.count);
    for (size_t i = 0; i < right.count; i++) {
        size_t at = find_name(&left, mapped_name(map, right.items[i].name));
        if (at == SIZE_MAX && !map)
            at = find_plain(plain_left, left.count, plain_right[i]);
        if (at == SIZE_MAX || used[at]) {
            out->only_target[out->only_target_count++] = right.items[i].name;
            continue;
        }
        used[at] = true;
        add_pair(out, &right.items[i], &left.items[at], arena);
    }
    for (size_t i = 0; i < left.count; i++)
        if (!used[i])
            out->only_golden[out->only_golden_count++] = left.items[i].name;
    flag_pairs(out, arena);
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
        high = ratio > high ? ratio : high;
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
