// SPDX-License-Identifier: Apache-2.0
#include "export/summary/curves_summary.h"
#include "export/summary/history_json.h"
#include "export/summary/summary.h"
#include "model/run/judged_loss.h"

#include <math.h>

static void write_spike(JsonWriter *json, const Spike *spike)
{
    json_object_flat(json);
    summary_int(json, "start", spike->start);
    summary_int(json, "peak", spike->peak);
    summary_int(json, "end", spike->end);
    json_key(json, "returned_after");
    if (isinf(spike->returned_after))
        json_null(json);  // not within 200 steps; "NaN" where the series ends before that
    else
        json_number(json, spike->returned_after);
    json_number(json_key(json, "value"), spike->value);
    json_number(json_key(json, "ratio"), spike->ratio);
    json_bool(json_key(json, "level_shift"), spike->level_shift);
    json_object_end(json);
}

static void write_spikes(JsonWriter *json, const Spikes *spikes)
{
    json_array(json_key(json, "spikes"));
    for (size_t i = 0; spikes && i < spikes->count; i++)
        write_spike(json, &spikes->items[i]);
    json_array_end(json);
}

static void write_series(JsonWriter *json, const CurveFindings *report, const Run *run,
                         const Series *series, Arena *scratch)
{
    json_object(json_key(json, str_cstr(scratch, series->name)));
    summary_str(json, "file", str_of(series->file));
    summary_int(json, "points", (int64_t)series->count);
    summary_int(json, "first", series->count ? series->points.x[0] : INT64_MIN);
    summary_int(json, "last", series->count ? series->points.x[series->count - 1] : INT64_MIN);
    summary_int(json, "decimals", series->decimals);
    json_array_flat(json_key(json, "nonfinite"));
    const double *value = series->points.value;
    for (size_t i = 0, count = series->count; i < count; i++)
        if (!isfinite(value[i]))
            json_int(json, series->points.x[i]);
    json_array_end(json);
    summary_ints(json, "absent", series->absent, series->absent_count);
    write_spikes(json, curves_spikes(report, run, series));
    json_object_end(json);
}

static void write_event(JsonWriter *json, const Event *event)
{
    json_object_flat(json);
    summary_int(json, "step", event->step);
    summary_str(json, "kind", str_of(event_kind_text(event->kind)));
    summary_int(json, "rank", event->rank < 0 ? INT64_MIN : event->rank);
    summary_int(json, "count", (int64_t)event->count);
    summary_str(json, "text", event->text);
    summary_str(json, "file", str_of(event->file));
    summary_int(json, "line", event->line ? (int64_t)event->line : INT64_MIN);
    json_object_end(json);
}

static void write_overlap(JsonWriter *json, const Run *run)
{
    json_key(json, "overlap");
    if (!run->has_overlap) {
        json_null(json);
        return;
    }
    json_array_flat(json);
    json_int(json, run->overlap_first);
    json_int(json, run->overlap_last);
    json_array_end(json);
    summary_number(json, "overlap_difference", run->overlap_difference);
}

static void write_run(JsonWriter *json, const CurveFindings *report, const Run *run, Arena *scratch)
{
    json_object(json);
    summary_str(json, "name", run->name);
    summary_str(json, "role", str_of(run_role_text(run->role)));
    summary_str(json, "format", str_of(run->format));
    summary_str(json, "x", str_of(run->x_unit));
    json_array_flat(json_key(json, "files"));
    for (size_t i = 0; i < run->file_count; i++)
        json_text(json, run->files[i]);
    json_array_end(json);
    write_overlap(json, run);
    summary_str(json, "judged", judged_loss_names(run, scratch));
    summary_str(json, "loss_name", run->loss_name);
    json_object(json_key(json, "series"));
    for (size_t i = 0; i < run->series_count; i++)
        if (run->series[i].count || run->series[i].absent_count)
            write_series(json, report, run, &run->series[i], scratch);
    json_object_end(json);
    json_array(json_key(json, "events"));
    for (size_t i = 0; i < run->events.count; i++)
        write_event(json, &run->events.items[i]);
    json_array_end(json);
    json_object_end(json);
}

static void write_stats(JsonWriter *json, const DifferenceStats *stats)
{
    summary_int(json, "points", (int64_t)stats->points);
    summary_number(json, "mae", stats->mae);
    summary_number(json, "mse", stats->mse);
    summary_number(json, "max_abs", stats->max_abs);
    summary_int(json, "max_at", stats->points ? stats->max_at : INT64_MIN);
    summary_number(json, "mean_relative", stats->mean_relative);
    summary_number(json, "signed_mean", stats->signed_mean);
    summary_number(json, "positive_share", stats->positive_share);
    summary_number(json, "median_abs", stats->median_abs);
    summary_number(json, "p95_abs", stats->p95_abs);
    summary_number(json, "p99_abs", stats->p99_abs);
    summary_int(json, "sign_changes", (int64_t)stats->sign_changes);
    summary_number(json, "autocorrelation", stats->autocorrelation);
    summary_int(json, "one_sided_nonfinite", (int64_t)stats->one_sided);
}

static void write_phases(JsonWriter *json, const CurveComparison *comparison)
{
    static const char *const names[PHASE_COUNT] = {"first_10_percent", "middle", "last_20_percent"};
    json_object(json_key(json, "phases"));
    for (int i = 0; i < PHASE_COUNT; i++) {
        json_object_flat(json_key(json, names[i]));
        write_stats(json, &comparison->phases[i]);
        json_object_end(json);
    }
    json_object_end(json);
}

static void write_band(JsonWriter *json, const CurveComparison *comparison)
{
    const Band *band = &comparison->band;
    if (comparison->has_band) {
        summary_number(json, "inside_3_sigma_share", band->inside_3_sigma_share);
        summary_number(json, "inside_min_max_share", band->inside_min_max_share);
        summary_number(json, "expected_min_max_share", band->expected_min_max_share);
        summary_number(json, "rms_ratio", band->rms_ratio);
        summary_int(json, "golden_runs", (int64_t)band->runs);
    }
    summary_int(json, "last_inside_step", band->last_inside_step);
    json_array_flat(json_key(json, "excursion_starts"));
    // Only where the target leaves the limit: one that is outside from its first step has not left.
    for (size_t i = 0; i < band->excursions.count; i++)
        if (band->excursions.items[i].from > 0)
            json_int(json, band->x[band->excursions.items[i].from]);
    json_array_end(json);
    const Excursion *lasting = band_lasting(band);
    int64_t crossing = INT64_MIN;
    bool leaves = band_crossing(band, &crossing);
    summary_int(json, "onset_estimate", lasting ? band_onset(band) : INT64_MIN);
    const int64_t range[] = {band->x[band->onset_low], band->x[band->onset_high]};
    summary_ints(json, "onset_range", range, leaves ? 2 : 0);
    summary_int(json, "leaves_at", crossing);
    summary_int(json, "returns_at", leaves && !lasting ? band->x[band->bump.to] : INT64_MIN);
    summary_number(json, "late_mean", band->late_mean);
    summary_number(json, "late_relative", band->late_relative);
    summary_number(json, "late_slope_times_window", band->late_slope_times_window);
}

static void write_comparison(JsonWriter *json, const CurveComparison *comparison)
{
    json_object(json);
    summary_str(json, "series", comparison->series);
    summary_str(json, "target", comparison->target->name);
    summary_str(json, "golden", comparison->golden->name);
    summary_int(json, "step_shift", comparison->step_shift);
    write_stats(json, &comparison->stats);
    summary_number(json, "resolution", comparison->resolution);
    size_t first = comparison->first_difference;
    summary_int(json, "first_difference",
                first < comparison->pair.count ? comparison->pair.x[first] : INT64_MIN);
    summary_number(json, "step_one_difference", comparison->step_one);
    summary_number(json, "step_two_difference", comparison->step_two);
    write_phases(json, comparison);
    json_object(json_key(json, comparison->has_band ? "band" : "tolerance"));
    if (comparison->band.count)
        write_band(json, comparison);
    json_object_end(json);
    if (comparison->lr0) {
        summary_ints(json, "outliers", comparison->outliers, comparison->outlier_count);
    }
    if (str_equal(comparison->series, STR("lr"))) {
        json_bool(json_key(json, "by_applied_updates"), comparison->by_updates);
    }
    summary_str(json, "finding", str_of(finding_text(comparison->finding)));
    json_bool(json_key(json, "beyond_tolerance"), comparison->beyond);
    json_object_end(json);
}

static void write_noise(JsonWriter *json, const CurveFindings *report)
{
    json_array(json_key(json, "noise_floor"));
    for (size_t i = 0; i < report->noise_count; i++) {
        const CurveComparison *comparison = &report->noise[i];
        json_object(json);
        summary_str(json, "series", comparison->series);
        summary_str(json, "noise", comparison->target->name);
        summary_str(json, "golden", comparison->golden->name);
        write_stats(json, &comparison->stats);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_norms(JsonWriter *json, const CurveFindings *report)
{
    json_array(json_key(json, "local_norms"));
    for (size_t i = 0; i < report->norms.count; i++) {
        const NormPair *pair = &report->norms.items[i];
        json_object_flat(json);
        summary_str(json, "target", pair->target);
        summary_str(json, "golden", pair->golden);
        json_number(json_key(json, "relative_error"), pair->relative_error);
        summary_number(json, "target_norm", pair->target_norm);
        summary_number(json, "golden_norm", pair->golden_norm);
        summary_number(json, "share", pair->share);
        json_bool(json_key(json, "flagged"), pair->flagged);
        json_object_end(json);
    }
    json_array_end(json);
}

static const char *status_word(const Verdict *verdict)
{
    switch (verdict->style) {
    case STYLE_ERROR:
        return "error";
    case STYLE_WARNING:
        return "warning";
    case STYLE_NO_DATA:
        return "no data";
    default:
        return "pass";
    }
}

void curves_summary_write(const void *facts, Sink *out)
{
    const CurvesSummary *summary = facts;
    const CurveFindings *report = summary->report;
    Arena *scratch = arena_new();
    JsonWriter json;
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.curves/1",
                                 .version = summary->version,
                                 .status = status_word(summary->verdict),
                                 .verdict = summary->verdict},
                  out);
    json_array(json_key(&json, "runs"));
    for (size_t i = 0; i < report->runs->count; i++)
        write_run(&json, report, &report->runs->items[i], scratch);
    json_array_end(&json);
    json_array(json_key(&json, "comparisons"));
    for (size_t i = 0; i < report->count; i++)
        write_comparison(&json, &report->items[i]);
    json_array_end(&json);
    write_noise(&json, report);
    write_norms(&json, report);
    if (summary->history)
        history_json(&json, summary->history);
    summary_end(&json, summary->notices);
    arena_release(scratch);
}
