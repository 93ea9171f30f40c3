// SPDX-License-Identifier: Apache-2.0
#include "export/summary/precheck_summary.h"

#include "export/summary/summary.h"

enum { LISTED_MAX = 1000 };

static const char *const words[PRECHECK_STATUSES] = {[PRECHECK_UNTOLD] = "untold",
                                                     [PRECHECK_SKIPPED] = "skipped",
                                                     [PRECHECK_PASS] = "pass",
                                                     [PRECHECK_WARNING] = "warning",
                                                     [PRECHECK_ERROR] = "error"};

static void write_finding(JsonWriter *json, const PrecheckFinding *finding)
{
    json_object_flat(json);
    summary_str(json, "api", finding->api);
    summary_name(json, "direction",
                 str_of(finding->plain      ? NULL
                        : finding->backward ? "backward"
                                            : "forward"));
    summary_str(json, "status", str_of(words[finding->status]));
    summary_name(json, "output", finding->output);
    summary_name(json, "standard", str_of(finding->standard));
    summary_name(json, "figure", str_of(finding->figure));
    summary_name(json, "value", finding->value);
    summary_name(json, "dtype", finding->dtype);
    summary_name(json, "message", finding->message);
    json_object_end(json);
}

static const char *status_of(const Precheck *of)
{
    if (of->counts[PRECHECK_ERROR])
        return "error";
    if (of->counts[PRECHECK_WARNING])
        return "warning";
    return of->counts[PRECHECK_PASS] ? "pass" : "no data";
}

void precheck_summary_write(const void *facts, Sink *out)
{
    const PrecheckView *view = facts;
    const Precheck *of = view->precheck;
    JsonWriter json;
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.precheck/1",
                                 .version = view->version,
                                 .status = status_of(of),
                                 .verdict = &view->verdict},
                  out);
    summary_str(&json, "files", view->files);
    json_object(json_key(&json, "counts"));
    for (int i = PRECHECK_STATUSES - 1; i >= 0; i--)
        summary_int(&json, words[i], (int64_t)of->counts[i]);
    summary_int(&json, "rows", (int64_t)of->rows);
    json_object_end(&json);
    json_array(json_key(&json, "findings"));
    for (size_t i = 0; i < of->count && i < LISTED_MAX; i++)
        if (of->items[i].status >= PRECHECK_WARNING)
            write_finding(&json, &of->items[i]);
    json_array_end(&json);
    summary_end(&json, view->notices);
}
