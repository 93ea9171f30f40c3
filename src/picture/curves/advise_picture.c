// SPDX-License-Identifier: Apache-2.0
#include "picture/curves/advise_picture.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/words.h"
#include "picture/kit/chart.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "trend/curves/step_align.h"
#include "verdict/figure_text.h"

enum { LEFT = 98, RIGHT = 996, ROW = 22 };

// ---- Data skip

static void norm_range(const SkipView *view, const Series *norm, ChartPanel *panel)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < norm->count; i++) {
        double value = norm->points.value[i];
        if (!isfinite(value) || value <= 0)
            continue;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    double threshold = view->result.threshold;
    low = threshold > 0 && threshold < low ? threshold : low;
    high = threshold > high ? threshold : high;
    panel->log = low > 0 && low <= high;
    panel->low = low / 1.15;
    panel->high = high * 1.5;
}

static void draw_skipped(Scene *scene, const ChartFrame *frame, const SkipView *view, double top,
                         double bottom)
{
    double last = -1e9;
    for (size_t i = 0; i < view->result.skipped_count; i++) {
        double x = chart_x(frame, view->result.skipped[i]);
        if (x - last < 2)
            continue;
        last = x;
        const double triangle[] = {x - 4, top - 7, x + 4, top - 7, x, top};
        scene_polygon(scene, triangle, 3, ROLE_PAPER, ROLE_INK2)->paint.width = 1.3F;
    }
    if (view->result.aborts) {
        double x = chart_x(frame, view->result.abort_at);
        Item *line = scene_line(scene, x, top, x, bottom, ROLE_ERROR_FILL);
        line->paint.width = 1.6F;
    }
    double x = chart_x(frame, view->advice.warmup_end);
    Item *line = scene_line(scene, x, top, x, bottom, ROLE_INK3);
    line->paint.dash = 2;
    line->paint.gap = 3;
}

static double draw_norm(Scene *scene, const SkipView *view, double y)
{
    const Series *norm = run_series(view->run, "grad_norm");
    Arena *arena = scene->arena;
    ChartFrame frame = {.left = LEFT,
                        .right = RIGHT,
                        .first = norm->points.x[0],
                        .last = norm->points.x[norm->count - 1]};
    ChartPanel panel = {.heading = str_of(tr("Gradient norm")), .height = 220};
    panel.note =
        str_of(tr("log scale; dashed: the threshold; dotted: the end of the warm-up; triangles: "
                  "skipped steps"));
    norm_range(view, norm, &panel);
    chart_add_line(&panel, (ChartLine){.points = norm->points,
                                       .count = norm->count,
                                       .gap = 3 * series_spacing(norm, arena),
                                       .role = ROLE_TARGET,
                                       .width = 1.1F,
                                       .raw = true,
                                       .title = view->run->name});
    chart_add_level(&panel, (ChartLevel){view->result.threshold, false});
    char text[NUMBER_BYTES];
    number_significant(view->result.threshold, 4, text);
    chart_add_end(&panel, (ChartEnd){.name = str_copy(arena, str_of(text)),
                                     .value = str_of(tr("threshold")),
                                     .named_below = true,
                                     .at = view->result.threshold,
                                     .role = ROLE_INK});
    panel.x_title = tr("step");
    ChartCounts counts = {0};
    double end = chart_panel(scene, &frame, &panel, y, &counts);
    draw_skipped(scene, &frame, view, y + 28, y + 28 + panel.height);
    return end + 16;
}

static Str candidate_text(const SkipView *view, const SkipResult *result, Arena *arena)
{
    if (result->aborts)
        return str_printf(arena, tr("the run ends at step %lld"), (long long)result->abort_at);
    return str_printf(
        arena,
        tr_count(view->advice.spikes.count, "%zu skipped · longest row %zu · %zu of %zu spike",
                 "%zu skipped · longest row %zu · %zu of %zu spikes"),
        result->skipped_count, result->longest_row, result->caught, view->advice.spikes.count);
}

// The threshold that is simulated stands among those it is compared with.
static size_t with_chosen(double *thresholds, size_t count, double chosen)
{
    size_t at = count;
    while (at > 0 && thresholds[at - 1] >= chosen)
        at--;
    if (at < count && thresholds[at] == chosen)
        return count;
    memmove(thresholds + at + 1, thresholds + at, (count - at) * sizeof *thresholds);
    thresholds[at] = chosen;
    return count + 1;
}

static double draw_candidates(Scene *scene, const SkipView *view, double y)
{
    double thresholds[13] = {0};
    size_t count =
        with_chosen(thresholds, skip_candidates(&view->advice, thresholds), view->result.threshold);
    const Series *norm = run_series(view->run, "grad_norm");
    Arena *arena = scene->arena;
    section_heading(scene, PAGE_MARGIN, y + 14, SIZE_HEADING,
                    str_of(tr("What other thresholds would skip")),
                    str_printf(arena, tr("count %llu; length = steps skipped"),
                               (unsigned long long)view->result.count));
    SkipResult results[13];
    size_t most = 1;
    for (size_t i = 0; i < count; i++) {
        skip_simulate(norm, thresholds[i], view->result.count, &view->advice.spikes, arena,
                      &results[i]);
        most = results[i].skipped_count > most ? results[i].skipped_count : most;
    }
    y += 32;
    for (size_t i = 0; i < count; i++, y += ROW) {
        SkipResult result = results[i];
        bool chosen = thresholds[i] == view->result.threshold;
        char text[NUMBER_BYTES];
        number_significant(thresholds[i], 4, text);
        double share = (double)result.skipped_count / (double)most;
        scene_text(scene, LEFT + 40, y + 14, SIZE_STRONG, chosen ? 700 : 400, ANCHOR_END, ROLE_INK,
                   str_of(text));
        scene_box(scene, LEFT + 56, y + 4, 2 + share * 420, ROW - 8,
                  result.aborts ? ROLE_ERROR_TINT
                  : chosen      ? ROLE_PASS_EDGE
                                : ROLE_PASS_FILL,
                  result.aborts ? ROLE_ERROR_TEDGE : ROLE_PASS_EDGE);
        scene_text(scene, LEFT + 70 + share * 420, y + 14, SIZE_TEXT, chosen ? 700 : 400,
                   ANCHOR_START, result.aborts ? ROLE_ERROR_TINK : ROLE_INK2,
                   candidate_text(view, &result, arena));
    }
    return y + 8;
}

void skip_picture(const SkipView *view, Arena *arena, Scene *out)
{
    scene_init(out, arena, "skip", PAGE_WIDTH);
    double y = draw_norm(out, view, 16);
    y = draw_candidates(out, view, y);
    out->height = y + 16;
}

// ---- Checkpoint health

// Of several epochs without their length nobody knows the steps: then all checkpoints are in
// their order.
static bool stands_by_step(const HealthFindings *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (!report->marks[i].has_step)
            return false;
    return true;
}

static int64_t mark_place(const HealthFindings *report, bool by_step, size_t i)
{
    return by_step ? report->marks[i].step : (int64_t)i;
}

// "150", or as the file is called, "2_100".
static Str mark_label(const HealthFindings *report, bool by_step, size_t i, Arena *arena)
{
    const Checkpoint *checkpoint = report->marks[i].checkpoint;
    if (!by_step && checkpoint->placed)
        return str_printf(arena, "%lld_%lld", (long long)checkpoint->epoch,
                          (long long)checkpoint->step);
    return str_printf(arena, "%lld", (long long)mark_place(report, by_step, i));
}

static void marks_extent(const HealthFindings *report, bool by_step, ChartFrame *frame)
{
    for (size_t i = 0; i < report->count; i++) {
        int64_t place = mark_place(report, by_step, i);
        frame->first = place < frame->first ? place : frame->first;
        frame->last = place > frame->last ? place : frame->last;
    }
}

static void embeddings_extent(const HealthFindings *report, ChartFrame *frame)
{
    for (size_t i = 0; i < report->embedding_count; i++) {
        const Series *series = report->embeddings[i];
        if (series->count == 0)
            continue;
        int64_t first = series->points.x[0], last = series->points.x[series->count - 1];
        frame->first = first < frame->first ? first : frame->first;
        frame->last = last > frame->last ? last : frame->last;
    }
}

static double draw_strip(Scene *scene, const HealthFindings *report, const ChartFrame *frame,
                         double y)
{
    double last_label = -1e9;
    bool by_step = stands_by_step(report);
    section_heading(scene, PAGE_MARGIN, y + 14, SIZE_HEADING, str_of(tr("Checkpoints")),
                    str_of(by_step ? tr("filled: unhealthy; ring: the newest healthy one")
                                   : tr("by epoch and step, in their order; filled: unhealthy; "
                                        "ring: the newest healthy one")));
    y += 56;
    scene_line(scene, frame->left, y, frame->right, y, ROLE_RULE);
    for (size_t i = 0; i < report->count; i++) {
        const HealthMark *mark = &report->marks[i];
        double x = chart_x(frame, mark_place(report, by_step, i));
        const double diamond[] = {x, y - 7, x + 7, y, x, y + 7, x - 7, y};
        bool healthy = mark->checkpoint->healthy;
        scene_polygon(scene, diamond, 4, healthy ? ROLE_PASS_FILL : ROLE_ERROR_FILL,
                      healthy ? ROLE_PASS_EDGE : ROLE_ERROR_EDGE)
            ->paint.width = 1.3F;
        if (mark->checkpoint == report->newest_healthy)
            scene_circle(scene, x, y, 11, ROLE_NONE, ROLE_PASS_INK);
        Str label = mark_label(report, by_step, i, scene->arena);
        double half = text_width(label, SIZE_NOTE, 400) / 2;
        if (!healthy || x - half > last_label + 6) {
            scene_text(scene, x, healthy ? y + 26 : y - 14, SIZE_NOTE, healthy ? 400 : 700,
                       ANCHOR_MIDDLE, healthy ? ROLE_INK3 : ROLE_ERROR_TEXT, label);
            last_label = healthy ? x + half : last_label;
        }
    }
    return y + 40;
}

static void add_embedding(ChartPanel *panel, const Series *series, size_t index, Arena *arena)
{
    // Ranks are neither golden nor target nor noise.
    static const Role roles[] = {ROLE_INK, ROLE_INK3, ROLE_INK2};
    Role role = roles[index % (sizeof roles / sizeof *roles)];
    if (series->count == 0)
        return;
    chart_add_line(panel, (ChartLine){.points = series->points,
                                      .count = series->count,
                                      .gap = 3 * series_spacing(series, arena),
                                      .role = role,
                                      .width = 1,
                                      .raw = true,
                                      .title = series->name});
    Str name = str_printf(arena, tr("rank %lld"), (long long)series->rank);
    for (size_t i = 0; i < series->count; i++) {
        double value = series->points.value[i];
        if (!isfinite(value))
            continue;
        panel->low = value < panel->low ? value : panel->low;
        panel->high = value > panel->high ? value : panel->high;
    }
    chart_add_end(panel, (ChartEnd){.name = name,
                                    .at = series->points.value[series->count - 1],
                                    .role = role,
                                    .width = 1.3F});
}

static double draw_embeddings(Scene *scene, const HealthFindings *report, const ChartFrame *frame,
                              double y)
{
    ChartPanel panel = {.heading = str_of(tr("Embedding norm")),
                        .note = str_of(tr("of each first-stage rank; dashed: the threshold")),
                        .height = 200,
                        .low = INFINITY,
                        .high = -INFINITY};
    for (size_t i = 0; i < report->embedding_count; i++)
        if (report->embeddings[i]->count)
            add_embedding(&panel, report->embeddings[i], i, scene->arena);
    bool suggests = report->count == 0 && isnan(report->threshold);
    double threshold = suggests ? report->suggested : report->threshold;
    if (isfinite(threshold)) {
        Str value = figure_number(threshold, 4, scene->arena);
        chart_add_end(&panel,
                      (ChartEnd){.name = str_of(suggests ? tr("suggested") : tr("threshold")),
                                 .value = value,
                                 .at = threshold,
                                 .role = ROLE_INK3});
        panel.low = threshold < panel.low ? threshold : panel.low;
        panel.high = threshold > panel.high ? threshold : panel.high;
        chart_add_level(&panel, (ChartLevel){threshold, false});
    }
    double room = 0.05 * (panel.high - panel.low);
    panel.low -= room;
    panel.high += room;
    panel.x_title = tr("step");
    ChartCounts counts = {0};
    return chart_panel(scene, frame, &panel, y, &counts) + 8;
}

void health_picture(const HealthFindings *report, Arena *arena, Scene *out)
{
    scene_init(out, arena, "health", PAGE_WIDTH);
    ChartFrame strip = {.left = LEFT, .right = RIGHT, .first = INT64_MAX, .last = INT64_MIN};
    ChartFrame frame = strip;
    bool by_step = stands_by_step(report);
    marks_extent(report, by_step, &strip);
    embeddings_extent(report, by_step ? &strip : &frame);
    double y = report->count ? draw_strip(out, report, &strip, 16) : 16;
    if (report->embedding_count)
        y = draw_embeddings(out, report, by_step ? &strip : &frame, y);
    out->height = y + 16;
}
