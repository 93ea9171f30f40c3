// SPDX-License-Identifier: Apache-2.0
#include "layout/compare_summary.h"

#include <math.h>

#include "base/json_writer.h"
#include "layout/history_page.h"

const char *compare_mode_word(CompareMode mode)
{
    static const char *const words[] = {[MODE_STATISTICS] = "statistics",
                                        [MODE_CHECKSUM] = "checksum",
                                        [MODE_TENSOR] = "tensor",
                                        [MODE_STRUCTURE] = "structure"};
    return words[mode];
}

const char *rules_word(Rules rules)
{
    static const char *const words[] = {[RULES_VERNIER] = "vernier",
                                        [RULES_MSPROBE26] = "msprobe26",
                                        [RULES_MSPROBE8] = "msprobe8"};
    return words[rules];
}

static const char *metric_word(Metric metric)
{
    static const char *const words[] = {[METRIC_NONE] = NULL,
                                        [METRIC_NORM] = "NormRelativeErr",
                                        [METRIC_MAX] = "MaxRelativeErr",
                                        [METRIC_MIN] = "MinRelativeErr",
                                        [METRIC_MEAN] = "MeanRelativeErr",
                                        [METRIC_VALUE] = "value",
                                        [METRIC_CHECKSUM] = "checksum",
                                        [METRIC_ELEMENTS] = "elements"};
    return words[metric];
}

// A number that may be unknown: null then.
static void write_number(JsonWriter *json, const char *key, double value)
{
    json_key(json, key);
    if (isnan(value))
        json_null(json);
    else
        json_number(json, value);
}

static void write_str(JsonWriter *json, const char *key, Str text)
{
    json_key(json, key);
    json_str(json, text);
}

// A name that the side lacks: null.
static void write_name(JsonWriter *json, const char *key, Str name)
{
    json_key(json, key);
    if (name.size)
        json_str(json, name);
    else
        json_null(json);
}

static void write_uint(JsonWriter *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_uint(json, value);
}

static void write_counts(JsonWriter *json, const PairFacts *pair)
{
    json_key(json, "counts");
    json_object_flat(json);
    write_uint(json, "ops_golden", pair->ops_golden);
    write_uint(json, "ops_target", pair->ops_target);
    write_uint(json, "slots", pair->compared);
    write_uint(json, "same", pair->slot_counts[STATUS_SAME]);
    write_uint(json, "pass", pair->slot_counts[STATUS_PASS]);
    write_uint(json, "warning", pair->slot_counts[STATUS_WARNING]);
    write_uint(json, "error", pair->slot_counts[STATUS_ERROR]);
    write_uint(json, "unmatched_golden", pair->unmatched_golden);
    write_uint(json, "unmatched_target", pair->unmatched_target);
    json_object_end(json);
    json_key(json, "ops");
    json_object_flat(json);
    for (int s = 0; s < STATUS_COUNT; s++)
        write_uint(json, status_word((Status)s), pair->op_counts[s]);
    json_object_end(json);
}

static void write_first(JsonWriter *json, const FirstDivergence *first)
{
    json_key(json, "first_divergence");
    if (first->kind == DIVERGE_NONE) {
        json_null(json);
        return;
    }
    json_object(json);
    json_key(json, "kind");
    json_text(json, divergence_word(first->kind));
    write_name(json, "target", first->target);
    write_name(json, "golden", first->golden);
    write_name(json, "module", first->module);
    write_name(json, "slot", first->slot);
    json_key(json, "metric");
    json_text(json, metric_word(first->metric));
    write_number(json, "value", first->kind == DIVERGE_MISSING ? (double)NAN : first->value);
    write_number(json, "worst_input",
                 first->kind == DIVERGE_MISSING ? (double)NAN : first->worst_input);
    write_number(json, "noise", first->noise);
    write_name(json, "target_value", first->target_value);
    write_name(json, "golden_value", first->golden_value);
    write_uint(json, "position", first->position);
    write_uint(json, "later", first->later);
    json_key(json, "stack");
    json_array(json);
    for (uint32_t i = 0; i < first->frame_count; i++)
        json_str(json, first->frames[i]);
    json_array_end(json);
    json_object_end(json);
}

static void write_worst(JsonWriter *json, const PairFacts *pair)
{
    json_key(json, "worst");
    json_array(json);
    for (uint32_t i = 0; i < pair->worst_count; i++) {
        const WorstOp *op = &pair->worst[i];
        json_object_flat(json);
        write_name(json, "target", op->target);
        write_name(json, "golden", op->golden);
        json_key(json, "status");
        json_text(json, status_word(op->status));
        json_key(json, "inherited");
        json_bool(json, op->inherited);
        write_number(json, "error_in", op->error_in < 0 ? 0 : op->error_in);
        write_number(json, "error_out", op->error_out < 0 ? 0 : op->error_out);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_reads(JsonWriter *json, const PairFacts *pair)
{
    json_key(json, "read");
    json_array(json);
    for (int side = 0; side < 2; side++) {
        const ReadFact *read = &pair->reads[side];
        if (read->file.size == 0)
            continue;
        json_object_flat(json);
        write_str(json, "file", read->file);
        write_uint(json, "bytes", read->bytes);
        write_uint(json, "ops", read->ops);
        json_key(json, "partial_at_byte");
        if (read->partial_at < 0)
            json_null(json);
        else
            json_int(json, read->partial_at);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_files(JsonWriter *json, const PairFiles *files)
{
    json_key(json, "files");
    json_object_flat(json);
    for (size_t i = 0; i < files->count; i++)
        write_str(json, files->items[i].format, files->items[i].file);
    json_object_end(json);
}

static void write_pair(JsonWriter *json, const CompareSummary *summary, size_t index)
{
    const PairFacts *pair = &summary->pairs[index];
    json_object(json);
    json_key(json, "step");
    json_int(json, pair->step);
    json_key(json, "rank");
    json_int(json, pair->rank);
    json_key(json, "status");
    json_text(json, status_word(pair->status));
    write_str(json, "verdict", summary->verdicts[index].sentence);
    write_counts(json, pair);
    write_first(json, &pair->first);
    write_worst(json, pair);
    json_key(json, "would_pass_at");
    json_object_flat(json);
    if (!isnan(pair->would_pass_at))
        write_number(json, "NormRelativeErr", pair->would_pass_at);
    json_object_end(json);
    write_reads(json, pair);
    write_files(json, &summary->files[index]);
    json_object_end(json);
}

static const PairFacts *first_read(const CompareSummary *summary, int side)
{
    for (size_t i = 0; i < summary->count; i++)
        if (summary->pairs[i].reads[side].file.size)
            return &summary->pairs[i];
    return NULL;
}

static void write_side(JsonWriter *json, const CompareSummary *summary, int side)
{
    const PairFacts *pair = first_read(summary, side);
    json_key(json, side == 0 ? "golden" : "target");
    json_object_flat(json);
    write_str(json, "path", side == 0 ? summary->golden_path : summary->target_path);
    json_key(json, "framework");
    json_text(json, pair ? framework_text(pair->framework[side]) : NULL);
    write_name(json, "level", pair ? pair->level[side] : (Str){"", 0});
    write_name(json, "task", pair ? pair->task[side] : (Str){"", 0});
    json_object_end(json);
}

static void write_problems(JsonWriter *json, const Notices *notices)
{
    static const char *const levels[] = {"info", "warning", "error"};
    json_key(json, "problems");
    json_array(json);
    for (size_t i = 0; i < notices->count; i++) {
        const Notice *notice = &notices->items[i];
        json_object_flat(json);
        json_key(json, "level");
        json_text(json, levels[notice->level]);
        write_str(json, "file", notice->file);
        json_key(json, "line");
        if (notice->line)
            json_uint(json, notice->line);
        else
            json_null(json);
        json_key(json, "byte");
        if (notice->byte >= 0)
            json_int(json, notice->byte);
        else
            json_null(json);
        write_str(json, "text", notice->text);
        write_uint(json, "count", notice->count);
        json_object_end(json);
    }
    json_array_end(json);
}

// Where the floor comes from; null without noise runs.
static void write_noise(JsonWriter *json, const CompareSummary *summary)
{
    json_key(json, "noise_floor");
    if (summary->noise_count == 0) {
        json_null(json);
        return;
    }
    json_object(json);
    write_uint(json, "runs", summary->noise_count);
    json_key(json, "paths");
    json_array(json);
    for (size_t i = 0; i < summary->noise_count; i++)
        json_str(json, summary->noise_paths[i]);
    json_array_end(json);
    json_object_end(json);
}

static void write_limits(JsonWriter *json, const CriteriaRule *rule)
{
    json_key(json, "limits");
    json_object(json);
    for (int metric = 0; metric < CRITERIA_METRICS; metric++) {
        if (!rule->limits[metric].set)
            continue;
        json_key(json, criteria_metric_text((CriteriaMetric)metric));
        json_object(json);
        write_number(json, "pass", rule->limits[metric].pass);
        write_number(json, "warning", rule->limits[metric].warning);
        json_object_end(json);
    }
    json_object_end(json);
}

// The criteria in force, whole, so that a report can be judged without the file.
static void write_criteria(JsonWriter *json, const Criteria *criteria)
{
    json_key(json, "criteria");
    if (!criteria) {
        json_null(json);
        return;
    }
    json_object(json);
    write_str(json, "path", criteria->path);
    json_key(json, "rules");
    json_array(json);
    for (size_t i = 0; i < criteria->count; i++) {
        const CriteriaRule *rule = &criteria->items[i];
        json_object_flat(json);
        write_str(json, "ops", rule->ops);
        write_str(json, "slots", rule->slots);
        write_str(json, "dtypes", rule->dtypes);
        json_key(json, "ignore");
        json_bool(json, rule->sets_ignore && rule->ignore);
        write_limits(json, rule);
        write_str(json, "reason", rule->reason);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

void compare_summary_write(const CompareSummary *summary, Sink *out)
{
    JsonWriter json;
    json_writer_init(&json, out);
    json_object(&json);
    json_key(&json, "schema");
    json_text(&json, "vernier.compare/1");
    json_key(&json, "version");
    json_text(&json, summary->version);
    json_key(&json, "mode");
    json_text(&json, compare_mode_word(summary->mode));
    json_key(&json, "rules");
    json_text(&json, rules_word(summary->rules));
    json_key(&json, "status");
    json_text(&json, status_word(summary->status));
    json_key(&json, "partial");
    json_bool(&json, summary->verdict->partial);
    write_str(&json, "verdict", summary->verdict->sentence);
    write_side(&json, summary, 0);
    write_side(&json, summary, 1);
    write_noise(&json, summary);
    write_criteria(&json, summary->criteria);
    json_key(&json, "pairs");
    json_array(&json);
    for (size_t i = 0; i < summary->count; i++)
        write_pair(&json, summary, i);
    json_array_end(&json);
    if (summary->history)
        history_json(&json, summary->history);
    write_problems(&json, summary->notices);
    json_object_end(&json);
    json_end(&json);
}
