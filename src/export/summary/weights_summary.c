// SPDX-License-Identifier: Apache-2.0
// summary.json of two checkpoints.
#include "export/summary/weights_summary.h"

#include <math.h>

#include "export/summary/history_json.h"
#include "export/summary/summary.h"

static const struct {
    uint32_t form;
    const char *word;
} forms[] = {{WEIGHT_RENAMED, "renamed"},       {WEIGHT_NEAREST, "nearest"},
             {WEIGHT_FUSED, "fused"},           {WEIGHT_SPLIT, "split"},
             {WEIGHT_TRANSPOSED, "transposed"}, {WEIGHT_PADDED, "padded"},
             {WEIGHT_RESHAPED, "reshaped"}};
enum { FORMS = sizeof forms / sizeof *forms };

static void write_shape(JsonWriter *json, const char *key, const Weights *weights, uint32_t index)
{
    json_key(json, key);
    if (index == WEIGHT_NONE) {
        json_null(json);
        return;
    }
    const Weight *weight = &weights->items[index];
    json_array_flat(json);
    for (uint32_t axis = 0; axis < weight->rank; axis++)
        json_uint(json, weight->shape[axis]);
    json_array_end(json);
}

static void write_name(JsonWriter *json, const char *key, const Weights *weights, uint32_t index,
                       const WeightSpan *span, Arena *arena)
{
    json_key(json, key);
    if (index == WEIGHT_NONE)
        json_null(json);
    else
        json_str(json, weights_part_text(&weights->items[index], span, arena));
}

static void write_metrics(JsonWriter *json, const WeightComparison *comparison,
                          const WeightResult *result, Arena *arena)
{
    const TensorMetrics *metrics = &result->metrics;
    bool cosine = metrics->kind[ELEMENT_COSINE] == ELEMENT_NUMBER;
    summary_number(json, "cosine", cosine ? metrics->value[ELEMENT_COSINE] : (double)NAN);
    summary_number(json, "rel_norm", result->norm_relative);
    summary_number(json, "rel_l2", metrics->norm_error);
    bool largest = metrics->kind[ELEMENT_MAX_ABS] == ELEMENT_NUMBER;
    summary_number(json, "max_abs", largest ? metrics->value[ELEMENT_MAX_ABS] : (double)NAN);
    summary_number(json, "ulp_max", metrics->ulp_max);
    summary_int(json, "nonfinite_mismatch", (int64_t)metrics->nonfinite_mismatch);
    if (metrics->worst != ELEMENT_NONE) {
        summary_str(json, "worst_at",
                    weights_place_text(comparison, result, metrics->worst, arena));
        summary_number(json, "worst_golden", metrics->worst_golden);
        summary_number(json, "worst_target", metrics->worst_target);
    }
}

static void write_weight(JsonWriter *json, const WeightComparison *comparison,
                         const WeightResult *result, Arena *arena)
{
    static const char *const paddings[] = {NULL, "zeros", "equal rows", "values"};
    const WeightPair *pair = &result->pair;
    json_object_flat(json);
    write_name(json, "golden", comparison->golden, pair->golden, &pair->golden_span, arena);
    write_name(json, "target", comparison->target, pair->target, &pair->target_span, arena);
    summary_str(json, "status", str_of(status_word(result->status)));
    json_array_flat(json_key(json, "forms"));
    for (size_t i = 0; i < FORMS; i++)
        if (pair->forms & forms[i].form)
            json_text(json, forms[i].word);
    json_array_end(json);
    write_shape(json, "golden_shape", comparison->golden, pair->golden);
    write_shape(json, "target_shape", comparison->target, pair->target);
    if (result->padding != PADDING_NONE)
        summary_str(json, "padding", str_of(paddings[result->padding]));
    if (result->status == STATUS_PASS || result->status == STATUS_ERROR)
        write_metrics(json, comparison, result, arena);
    json_object_end(json);
}

static void write_counts(JsonWriter *json, const WeightComparison *comparison)
{
    json_object_flat(json_key(json, "counts"));
    summary_int(json, "golden", (int64_t)comparison->golden->count);
    summary_int(json, "target", (int64_t)comparison->target->count);
    summary_int(json, "compared", (int64_t)comparison->compared);
    summary_int(json, "same", (int64_t)comparison->status_counts[STATUS_SAME]);
    summary_int(json, "pass", (int64_t)comparison->status_counts[STATUS_PASS]);
    summary_int(json, "error", (int64_t)comparison->status_counts[STATUS_ERROR]);
    summary_int(json, "no_data",
                (int64_t)(comparison->status_counts[STATUS_NO_DATA] + comparison->empty));
    summary_int(json, "unmatched_golden", (int64_t)comparison->alone[0]);
    summary_int(json, "unmatched_target", (int64_t)comparison->alone[1]);
    for (size_t i = 0; i < FORMS; i++)
        summary_int(json, forms[i].word, (int64_t)weights_count_form(comparison, forms[i].form));
    json_object_end(json);
}

void weights_summary_write(const void *facts, Sink *out)
{
    const WeightsView *view = facts;
    const WeightComparison *comparison = view->comparison;
    JsonWriter json;
    const char *status = !comparison->compared        ? "no data"
                         : weights_differ(comparison) ? "error"
                                                      : "pass";
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.weights/1",
                                 .version = view->version,
                                 .status = status,
                                 .verdict = view->verdict},
                  out);
    summary_str(&json, "golden", view->golden);
    summary_str(&json, "target", view->target);
    write_counts(&json, comparison);
    json_array(json_key(&json, "weights"));
    for (size_t i = 0; i < comparison->count; i++) {
        Arena *scratch = arena_new();
        write_weight(&json, comparison, &comparison->items[i], scratch);
        arena_release(scratch);
    }
    json_array_end(&json);
    if (view->history)
        history_json(&json, view->history);
    summary_end(&json, view->notices);
}
