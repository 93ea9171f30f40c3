// SPDX-License-Identifier: Apache-2.0
#include "export/summary/token_summary.h"

#include <math.h>

#include "compare/token/token_compare.h"
#include "export/summary/summary.h"

static void write_counts(JsonWriter *json, const TokenComparison *of)
{
    json_object(json_key(json, "counts"));
    summary_int(json, "samples", (int64_t)of->pair_count);
    summary_int(json, "only_golden", (int64_t)of->only[0]);
    summary_int(json, "only_target", (int64_t)of->only[1]);
    summary_int(json, "other_tokens", (int64_t)of->other_ids);
    summary_int(json, "unchecked_tokens", (int64_t)of->lone_ids);
    summary_int(json, "other_lengths", (int64_t)of->other_lengths);
    summary_int(json, "other_masks", (int64_t)of->other_masks);
    summary_int(json, "tokens", (int64_t)of->counted);
    summary_int(json, "masked", (int64_t)of->masked);
    summary_int(json, "equal", (int64_t)of->equal);
    summary_int(json, "mismatch", (int64_t)(of->counted - of->equal));
    summary_int(json, "one_side_not_finite", (int64_t)of->nonfinite);
    summary_int(json, "both_not_a_number", (int64_t)of->unknown);
    json_object_end(json);
}

static void write_figures(JsonWriter *json, const TokenComparison *of)
{
    summary_number(json, "mean_abs", of->mean);
    summary_number(json, "max_abs", of->max);
    bool any = !isnan(of->max);
    summary_int(json, "max_sample", any ? of->max_sample : INT64_MIN);
    summary_int(json, "max_token", any ? of->max_at : INT64_MIN);
    summary_number(json, "k1", of->k1);
    summary_number(json, "k3", of->k3);
    summary_str(json, "kl", STR("KL(golden || target) over tokens that golden sampled"));
    summary_number(json, "perplexity_ratio", of->perplexity);
    summary_number(json, "mean_factor", of->factor);
    summary_number(json, "limit", of->limit);
    if (of->spreads.positions) {
        summary_int(json, "distributions", (int64_t)of->spreads.positions);
        summary_number(json, "distribution_kl", of->spreads.kl);
        summary_number(json, "distribution_kl_max", of->spreads.kl_max);
        summary_number(json, "top10_overlap", of->spreads.overlap);
        summary_number(json, "top10_max_abs", of->spreads.worst);
    }
    json_array(json_key(json, "beyond"));
    for (int i = 0; i < TOKEN_SHARES; i++) {
        json_object_flat(json);
        summary_number(json, "abs", token_share_limits[i]);
        summary_int(json, "tokens", (int64_t)of->beyond[i]);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_cause(JsonWriter *json, const TokenExplanation *why)
{
    json_object_flat(json_key(json, "cause"));
    summary_str(json, "name", str_of(token_cause_word(why->cause)));
    if (why->cause != TOKEN_CAUSE_NONE && why->cause != TOKEN_CAUSE_DTYPE)
        summary_number(json, "figure", why->figure);
    if (why->cause == TOKEN_CAUSE_ROUTING)
        summary_number(json, "share", why->share);
    if (why->cause == TOKEN_CAUSE_TURN)
        summary_int(json, "turn", why->turn);
    if (why->cause == TOKEN_CAUSE_SHIFT)
        summary_int(json, "shift", why->shift);
    if (why->cause == TOKEN_CAUSE_DTYPE)
        summary_str(json, "dtype", str_of(why->dtype));
    json_object_end(json);
}

static void write_steps(JsonWriter *json, const TokenCourse *course)
{
    json_array(json_key(json, "steps"));
    for (size_t i = 0; i < course->count; i++) {
        json_object_flat(json);
        summary_int(json, "step", course->items[i].step);
        summary_int(json, "tokens", (int64_t)course->items[i].tokens);
        summary_number(json, "mean_abs", course->items[i].mean);
        summary_number(json, "mean_factor", course->items[i].factor);
        json_object_end(json);
    }
    json_array_end(json);
    if (course->from < course->count)
        summary_int(json, "drifts_from", course->items[course->from].step);
}

static void write_samples(JsonWriter *json, const TokenComparison *of)
{
    json_array(json_key(json, "samples"));
    for (size_t i = 0; i < of->pair_count; i++) {
        const TokenPair *pair = &of->pairs[i];
        json_object_flat(json);
        summary_int(json, "sample", pair->sample);
        summary_int(json, "tokens", (int64_t)pair->counted);
        summary_number(json, "mean_abs",
                       pair->counted ? pair->sum / (double)pair->counted : (double)NAN);
        summary_number(json, "max_abs", pair->counted ? pair->max : (double)NAN);
        if (pair->parts_at != UINT32_MAX)
            summary_int(json, "parts_at", pair->parts_at);
        if (pair->other_at != UINT32_MAX)
            summary_int(json, "other_token_at", pair->other_at);
        json_object_end(json);
    }
    json_array_end(json);
}

void token_summary_write(const void *facts, Sink *out)
{
    const TokenView *view = facts;
    static const char *const statuses[] = {[TOKENS_NOTHING] = "no data",
                                           [TOKENS_SAME] = "pass",
                                           [TOKENS_AGREE] = "pass",
                                           [TOKENS_DIFFER] = "error"};
    const TokenComparison *of = view->comparison;
    JsonWriter json;
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.tokens/1",
                                 .version = view->version,
                                 .status = view->course && view->course->from < view->course->count
                                               ? "error"
                                               : statuses[token_outcome(of)],
                                 .verdict = &view->verdict},
                  out);
    summary_str(&json, "golden", view->golden_path);
    summary_str(&json, "target", view->target_path);
    write_counts(&json, of);
    write_figures(&json, of);
    write_cause(&json, &of->explanation);
    if (view->course)
        write_steps(&json, view->course);
    write_samples(&json, of);
    summary_end(&json, view->notices);
}
