// SPDX-License-Identifier: Apache-2.0
#include "layout/wire_compare.h"

#include <string.h>

#include "base/array.h"

static void wire_worst(Wire *wire, PairFacts *facts)
{
    WireList list = wire_list(wire, "worst", facts->worst_count);
    if (list.count > FACTS_WORST) {
        wire_bad(wire, "worst");
        list.count = 0;
    }
    facts->worst_count = (uint32_t)list.count;
    for (size_t i = 0; i < list.count; i++) {
        WorstOp *op = &facts->worst[i];
        wire_item(wire, &list);
        op->target = wire_str(wire, "target", op->target);
        op->golden = wire_str(wire, "golden", op->golden);
        op->status = (Status)wire_choice(wire, "status", (int)op->status, STATUS_COUNT);
        op->inherited = wire_bool(wire, "inherited", op->inherited);
        op->error_in = wire_number(wire, "error_in", op->error_in);
        op->error_out = wire_number(wire, "error_out", op->error_out);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void wire_frames(Wire *wire, FirstDivergence *first)
{
    size_t count = first->frame_count;
    first->frames = wire_texts(wire, "frames", first->frames, &count);
    if (count > FACTS_FRAMES) {
        wire_bad(wire, "frames");
        count = 0;
    }
    first->frame_count = (uint32_t)count;
}

static void wire_first(Wire *wire, FirstDivergence *first)
{
    WireObject object = wire_open(wire, "first");
    first->kind = (DivergenceKind)wire_choice(wire, "kind", (int)first->kind, DIVERGE_MISSING + 1);
    first->target = wire_str(wire, "target", first->target);
    first->golden = wire_str(wire, "golden", first->golden);
    first->missing_in_target = wire_bool(wire, "missing_in_target", first->missing_in_target);
    first->replaced = wire_bool(wire, "replaced", first->replaced);
    first->module = wire_str(wire, "module", first->module);
    first->slot = wire_str(wire, "slot", first->slot);
    first->metric = (Metric)wire_choice(wire, "metric", (int)first->metric, METRIC_ELEMENTS + 1);
    first->reason =
        (Reason)wire_choice(wire, "reason", (int)first->reason, REASON_UNCOMPARABLE + 1);
    first->value = wire_number(wire, "value", first->value);
    first->worst_input = wire_number(wire, "worst_input", first->worst_input);
    first->noise = wire_number(wire, "noise", first->noise);
    first->target_value = wire_str(wire, "target_value", first->target_value);
    first->golden_value = wire_str(wire, "golden_value", first->golden_value);
    first->position = wire_uint32(wire, "position", first->position);
    first->later = wire_uint32(wire, "later", first->later);
    wire_frames(wire, first);
    wire_close(wire, &object);
}

static void wire_side(Wire *wire, const char *key, PairFacts *facts, int side)
{
    ReadFact *read = &facts->reads[side];
    WireObject object = wire_open(wire, key);
    read->file = wire_str(wire, "file", read->file);
    read->bytes = wire_uint(wire, "bytes", read->bytes);
    read->ops = wire_uint32(wire, "ops", read->ops);
    read->partial_at = wire_int(wire, "partial_at", read->partial_at);
    facts->framework[side] = (Framework)wire_choice(wire, "framework", (int)facts->framework[side],
                                                    FRAMEWORK_MINDTORCH + 1);
    facts->level[side] = wire_str(wire, "level", facts->level[side]);
    facts->task[side] = wire_str(wire, "task", facts->task[side]);
    wire_close(wire, &object);
}

void wire_facts(Wire *wire, PairFacts *facts)
{
    facts->step = wire_int(wire, "step", facts->step);
    facts->rank = wire_int(wire, "rank", facts->rank);
    facts->golden_missing = wire_bool(wire, "golden_missing", facts->golden_missing);
    facts->target_missing = wire_bool(wire, "target_missing", facts->target_missing);
    facts->failed = wire_bool(wire, "failed", facts->failed);
    facts->status = (Status)wire_choice(wire, "status", (int)facts->status, STATUS_COUNT);
    facts->mode = (CompareMode)wire_choice(wire, "mode", (int)facts->mode, MODE_STRUCTURE + 1);
    facts->ops_golden = wire_uint(wire, "ops_golden", facts->ops_golden);
    facts->ops_target = wire_uint(wire, "ops_target", facts->ops_target);
    facts->slots = wire_uint(wire, "slots", facts->slots);
    facts->compared = wire_uint(wire, "compared", facts->compared);
    wire_counts(wire, "slot_counts", facts->slot_counts, STATUS_COUNT);
    wire_counts(wire, "op_counts", facts->op_counts, STATUS_COUNT);
    facts->unmatched_golden = wire_uint(wire, "unmatched_golden", facts->unmatched_golden);
    facts->unmatched_target = wire_uint(wire, "unmatched_target", facts->unmatched_target);
    facts->matched_ops = wire_uint(wire, "matched_ops", facts->matched_ops);
    facts->largest_error = wire_number(wire, "largest_error", facts->largest_error);
    facts->noise_known = wire_bool(wire, "noise_known", facts->noise_known);
    facts->largest_noise = wire_number(wire, "largest_noise", facts->largest_noise);
    facts->would_pass_at = wire_number(wire, "would_pass_at", facts->would_pass_at);
    wire_first(wire, &facts->first);
    wire_worst(wire, facts);
    wire_side(wire, "golden", facts, 0);
    wire_side(wire, "target", facts, 1);
    facts->criteria_fit = wire_str(wire, "criteria_fit", facts->criteria_fit);
}

// One notice of the list; its texts were made fit for the report when it was first noted.
static void wire_notice(Wire *wire, Notice *notice)
{
    notice->level = (NoticeLevel)wire_choice(wire, "level", (int)notice->level, NOTICE_ERROR + 1);
    notice->file = wire_str(wire, "file", notice->file);
    notice->line = wire_uint(wire, "line", notice->line);
    notice->byte = wire_int(wire, "byte", notice->byte);
    notice->text = wire_str(wire, "text", notice->text);
    notice->count = wire_uint(wire, "count", notice->count);
    notice->partial = wire_bool(wire, "partial", notice->partial);
}

void wire_notices(Wire *wire, const char *key, Notices *notices)
{
    WireList list = wire_list(wire, key, notices->count);
    for (size_t i = 0; i < list.count; i++) {
        Notice *notice =
            wire_reads(wire) ? ARRAY_PUSH(notices->arena, notices) : &notices->items[i];
        wire_item(wire, &list);
        wire_notice(wire, notice);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void wire_case_counts(Wire *wire, JunitCase *item)
{
    uint64_t counts[STATUS_COUNT];
    for (int i = 0; i < STATUS_COUNT; i++)
        counts[i] = item->counts[i];
    wire_counts(wire, "counts", counts, STATUS_COUNT);
    for (int i = 0; i < STATUS_COUNT; i++)
        item->counts[i] = counts[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)counts[i];
}

void wire_cases(Wire *wire, JunitCases *cases)
{
    WireList list = wire_list(wire, "cases", cases->count);
    for (size_t i = 0; i < list.count; i++) {
        JunitCase *item = wire_reads(wire) ? ARRAY_PUSH(wire->arena, cases) : &cases->items[i];
        wire_item(wire, &list);
        item->name = wire_str(wire, "name", item->name);
        item->class_name = wire_str(wire, "class", item->class_name);
        wire_case_counts(wire, item);
        item->op = wire_str(wire, "op", item->op);
        item->status = (Status)wire_choice(wire, "status", (int)item->status, STATUS_COUNT);
        item->inherited = wire_bool(wire, "inherited", item->inherited);
        item->error_in = wire_number(wire, "error_in", item->error_in);
        item->error_out = wire_number(wire, "error_out", item->error_out);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

void wire_layers(Wire *wire, LayerFacts *layers)
{
    WireList list = wire_list(wire, "layers", layers->count);
    for (size_t i = 0; i < list.count; i++) {
        LayerFact *layer = wire_reads(wire) ? ARRAY_PUSH(wire->arena, layers) : &layers->items[i];
        wire_item(wire, &list);
        layer->name = wire_str(wire, "name", layer->name);
        layer->status = (Status)wire_choice(wire, "status", (int)layer->status, STATUS_COUNT);
        layer->starts = wire_bool(wire, "starts", layer->starts);
        layer->forward = wire_number(wire, "forward", layer->forward);
        layer->backward = wire_number(wire, "backward", layer->backward);
        layer->parameters = wire_number(wire, "parameters", layer->parameters);
        layer->position = wire_uint32(wire, "position", layer->position);
        layer->op = wire_str(wire, "op", layer->op);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

void wire_pair_files(Wire *wire, PairFiles *files)
{
    WireList list = wire_list(wire, "files", files->count);
    for (size_t i = 0; i < list.count; i++) {
        PairFile *file = wire_reads(wire) ? ARRAY_PUSH(wire->arena, files) : &files->items[i];
        wire_item(wire, &list);
        Str format = wire_str(wire, "format", str_of(file->format));
        if (wire_reads(wire))
            file->format = str_cstr(wire->arena, format);
        file->file = wire_str(wire, "file", file->file);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void wire_limit(Wire *wire, CriteriaLimit *limit, CriteriaMetric metric)
{
    WireObject object = wire_open(wire, criteria_metric_text(metric));
    limit->set = wire_bool(wire, "set", limit->set);
    limit->pass = wire_number(wire, "pass", limit->pass);
    limit->warning = wire_number(wire, "warning", limit->warning);
    wire_close(wire, &object);
}

void wire_criteria(Wire *wire, Criteria *criteria)
{
    criteria->path = wire_str(wire, "path", criteria->path);
    WireList list = wire_list(wire, "rules", criteria->count);
    for (size_t i = 0; i < list.count; i++) {
        CriteriaRule *rule =
            wire_reads(wire) ? ARRAY_PUSH(wire->arena, criteria) : &criteria->items[i];
        wire_item(wire, &list);
        rule->ops = wire_str(wire, "ops", rule->ops);
        rule->slots = wire_str(wire, "slots", rule->slots);
        rule->dtypes = wire_str(wire, "dtypes", rule->dtypes);
        rule->sets_ignore = wire_bool(wire, "sets_ignore", rule->sets_ignore);
        rule->ignore = wire_bool(wire, "ignore", rule->ignore);
        for (int metric = 0; metric < CRITERIA_METRICS; metric++)
            wire_limit(wire, &rule->limits[metric], (CriteriaMetric)metric);
        rule->reason = wire_str(wire, "reason", rule->reason);
        rule->line = wire_uint(wire, "line", rule->line);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}
