// SPDX-License-Identifier: Apache-2.0
// summary.json of `vernier checklist`.
#include "export/summary/checklist_summary.h"

#include "base/words.h"
#include "export/summary/summary.h"

static void write_side(JsonWriter *json, const char *key, const CheckSide *side, Arena *scratch)
{
    json_key(json, key);
    if (!side->known)
        json_null(json);
    else
        json_str(json, str_printf(scratch, STR_FMT "=" STR_FMT, STR_ARG(side->name),
                                  STR_ARG(side->text)));
}

static void write_differences(JsonWriter *json, const Checklist *list)
{
    json_array(json_key(json, "mismatch"));
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (!checklist_mismatch(row))
            continue;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        summary_str(json, "golden", row->golden.value);
        summary_str(json, "target", row->target.value);
        summary_str(json, "group", str_of(row->row->group));
        summary_str(json, "golden_name", row->golden.name);
        summary_str(json, "target_name", row->target.name);
        summary_str(json, "text", str_of(row->row->text ? tr(row->row->text) : ""));
        json_object_end(json);
    }
    json_array_end(json);
}

static const char *advice_side(const CheckResult *row)
{
    if (row->advice_golden && row->advice_target)
        return "both";
    return row->advice_golden ? "golden" : "target";
}

static Str advice_value(const CheckResult *row)
{
    return row->advice_target ? row->target.text : row->golden.text;
}

static void write_advice(JsonWriter *json, const Checklist *list, Arena *scratch)
{
    json_array(json_key(json, "advice"));
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (!row->advice_golden && !row->advice_target)
            continue;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        summary_str(json, "side", str_of(advice_side(row)));
        summary_str(json, "value", advice_value(row));
        summary_str(json, "advised", checklist_advised(row->row, scratch));
        summary_str(json, "text", str_of(row->row->text ? tr(row->row->text) : ""));
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_pairs(JsonWriter *json, const Checklist *list, Arena *scratch)
{
    size_t equal = 0;
    json_array(json_key(json, "equal_pairs"));
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (row->status != CHECK_EQUAL)
            continue;
        equal++;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        write_side(json, "golden", &row->golden, scratch);
        write_side(json, "target", &row->target, scratch);
        json_object_end(json);
    }
    json_array_end(json);
    summary_int(json, "equal", (int64_t)equal);
}

static void write_unjudged(JsonWriter *json, const char *key, CheckStatus status,
                           const Checklist *list, Arena *scratch)
{
    json_array(json_key(json, key));
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (row->status != status || row->row->rule == CHECK_HAND)
            continue;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        write_side(json, "golden", &row->golden, scratch);
        write_side(json, "target", &row->target, scratch);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_one_side(JsonWriter *json, const Checklist *list, Arena *scratch)
{
    write_unjudged(json, "not_known", CHECK_UNKNOWN, list, scratch);
    write_unjudged(json, "one_side", CHECK_ONE_SIDE, list, scratch);
    json_array(json_key(json, "open"));
    for (size_t i = 0; i < list->row_count; i++)
        if (list->rows[i].row->rule == CHECK_HAND) {
            json_object_flat(json);
            summary_str(json, "key", str_of(list->rows[i].row->key));
            summary_str(json, "text", str_of(tr(list->rows[i].row->text)));
            json_object_end(json);
        }
    json_array_end(json);
    json_array(json_key(json, "other_differences"));
    for (size_t i = 0; i < list->others.count; i++) {
        const CheckOther *other = &list->others.items[i];
        if (other->equal)
            continue;
        json_object_flat(json);
        summary_str(json, "key", other->golden_name);
        summary_str(json, "golden", other->golden);
        summary_str(json, "target", other->target);
        json_object_end(json);
    }
    json_array_end(json);
}

void checklist_summary_write(const void *facts, Sink *out)
{
    const ChecklistView *view = facts;
    Arena *scratch = arena_new();
    JsonWriter json;
    const char *status = view->list->differs  ? "error"
                         : !view->list->equal ? "no data"
                         : view->list->advice ? "warning"
                                              : "pass";
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.checklist/1",
                                 .version = view->version,
                                 .status = status,
                                 .verdict = &view->verdict},
                  out);
    summary_str(&json, "golden", view->golden_path);
    summary_str(&json, "target", view->target_path);
    write_differences(&json, view->list);
    write_advice(&json, view->list, scratch);
    write_pairs(&json, view->list, scratch);
    write_one_side(&json, view->list, scratch);
    summary_end(&json, view->notices);
    arena_release(scratch);
}
