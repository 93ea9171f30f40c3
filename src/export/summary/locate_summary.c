// SPDX-License-Identifier: Apache-2.0
// summary.json of `vernier locate`.
#include "export/summary/locate_summary.h"

#include "export/summary/summary.h"

static void write_sighting(JsonWriter *json, const Sighting *sighting)
{
    summary_str(json, "op", sighting->op);
    summary_name(json, "slot", sighting->slot);
    summary_str(json, "kind", str_of(locate_kind_word(sighting->found)));
    json_bool(json_key(json, "inputs_finite"), sighting->inputs_finite);
    json_text(json_key(json, "level"), overflow_word(sighting->level));
    json_bool(json_key(json, "masked_inputs"), sighting->masked);
    summary_number(json, "largest_input", sighting->largest);
    summary_int(json, "position", sighting->position);
    summary_name(json, "module", sighting->module);
}

static void write_origin(JsonWriter *json, const Origin *origin, Str stage)
{
    json_object(json);
    summary_int(json, "step", origin->step);
    if (stage.size)
        summary_str(json, "stage", stage);
    summary_int(json, "rank", origin->rank);
    write_sighting(json, origin->sighting);
    summary_str(json, "birth", str_of(birth_word(origin->kind)));
    summary_int(json, "reached", (int64_t)origin->reached);
    json_array(json_key(json, "stack"));
    for (uint32_t i = 0; i < origin->sighting->frame_count; i++)
        json_str(json, origin->sighting->frames[i]);
    json_array_end(json);
    json_object_end(json);
}

static void write_spread(JsonWriter *json, const Spread *spread)
{
    json_object_flat(json);
    summary_str(json, "through", spread->through);
    summary_int(json, "from_rank", spread->from_rank);
    summary_ints(json, "to_ranks", spread->to_ranks, spread->to_count);
    summary_str(json, "arrived", spread->arrived);
    summary_int(json, "hop", spread->hop);
    json_object_end(json);
}

// What every rank shows, and further births on ranks that were bad already.
static void write_rank(JsonWriter *json, const RankFate *fate)
{
    const Trail *trail = fate->trail;
    json_object(json);
    summary_int(json, "rank", trail->rank);
    summary_int(json, "ops", trail->op_count);
    summary_int(json, "bad_ops", (int64_t)trail->bad_ops);
    summary_int(json, "first_position", fate->position ? fate->position : INT64_MIN);
    summary_name(json, "first_nan", trail->nan_position ? trail->nan_op : STR(""));
    json_array(json_key(json, "later_births"));
    for (uint32_t i = 0; i < trail->later_count; i++) {
        json_object_flat(json);
        write_sighting(json, &trail->later[i]);
        json_object_end(json);
    }
    json_array_end(json);
    summary_str(json, "file", trail->read.file);
    summary_int(json, "partial_at_byte",
                trail->read.partial_at >= 0 ? trail->read.partial_at : INT64_MIN);
    json_object_end(json);
}

void locate_summary_write(const void *facts, Sink *out)
{
    const LocateView *view = facts;
    JsonWriter json;
    const Locate *result = view->result;
    bool found = result && result->origin_count;
    SummaryHead head = {.schema = "vernier.locate/1",
                        .version = view->version,
                        .status = found           ? "error"
                                  : view->tensors ? "pass"
                                                  : "no data",
                        .verdict = view->verdict};
    summary_begin(&json, &head, out);
    summary_str(&json, "dump", view->path);
    summary_int(&json, "steps_read", (int64_t)view->steps);
    summary_int(&json, "steps_left", (int64_t)view->steps_left);
    json_uint(json_key(&json, "tensors"), view->tensors);
    json_uint(json_key(&json, "untold"), view->untold);
    json_uint(json_key(&json, "healthy_ops"), view->healthy);
    json_array(json_key(&json, "origins"));
    for (size_t i = 0; found && i < result->origin_count; i++)
        write_origin(&json, &result->origins[i], result->stage);
    json_array_end(&json);
    json_array(json_key(&json, "spread"));
    for (size_t i = 0; found && i < result->spread_count; i++)
        write_spread(&json, &result->spreads[i]);
    json_array_end(&json);
    json_array(json_key(&json, "ranks"));
    for (size_t i = 0; result && i < result->rank_count; i++)
        write_rank(&json, &result->ranks[i]);
    json_array_end(&json);
    summary_end(&json, view->notices);
}
