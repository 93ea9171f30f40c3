// SPDX-License-Identifier: Apache-2.0
// summary.json of merged row tables.
#include "export/summary/rank_metrics_summary.h"

#include "export/summary/summary.h"

void rank_metrics_summary(const void *facts, Sink *out)
{
    const RankMetricsView *view = facts;
    const RankMetrics *metrics = view->metrics;
    JsonWriter json;
    SummaryHead head = {.schema = "vernier.merge/1",
                        .version = view->version,
                        .status = view->verdict.style == STYLE_NO_DATA   ? "no data"
                                  : view->verdict.style == STYLE_WARNING ? "warning"
                                                                         : "pass",
                        .verdict = &view->verdict};
    summary_begin(&json, &head, out);
    summary_int(&json, "rows", (int64_t)metrics->name_count);
    summary_strs(&json, "ranks", metrics->ranks, metrics->rank_count);
    json_array(json_key(&json, "metrics"));
    for (size_t metric = 0; metric < metrics->metric_count; metric++) {
        json_object(&json);
        summary_str(&json, "name", str_of(metrics->metrics[metric]));
        json_array(json_key(&json, "largest"));
        for (size_t rank = 0; rank < metrics->rank_count && rank_metrics_is_number(metrics, metric);
             rank++) {
            RankLargest largest = rank_metrics_largest(metrics, metric, rank);
            json_object_flat(&json);
            summary_str(&json, "rank", metrics->ranks[rank]);
            json_key(&json, "value");
            if (largest.any) {
                json_number(&json, largest.value);
                summary_str(&json, "row", metrics->names[largest.name]);
            } else {
                json_null(&json);
            }
            json_object_end(&json);
        }
        json_array_end(&json);
        json_object_end(&json);
    }
    json_array_end(&json);
    summary_end(&json, view->notices);
}
