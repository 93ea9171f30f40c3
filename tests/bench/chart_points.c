// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/file.h"
#include "demo.h"
#include "export/summary/curves_summary.h"
#include "model/run/run_source.h"
#include "picture/curves/curves_picture.h"
#include "renderers/png.h"
#include "renderers/svg.h"

// A chart of 1,000,000 points from a log of about 200 MB beside 10,000 points drawn raw, every
// point a vertex, as PNG of one size with the same axes and texts. Argument: a folder for the log.
// Exit 1 if a bound of the design is missed: twice the time, 200 KB of SVG.

enum { POINTS = 1000000, RAW = 10000, SPIKE_AT = 700001, ROUNDS = 9 };
static const double bound_ratio = 2, bound_kilobytes = 200;

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);  // what others do does not count
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static double next_noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (double)(1 << 24) - 0.5;
}

static const char *generate(Arena *arena, const char *folder)
{
    Error err;
    uint64_t state = 1;
    const char *path = path_join(arena, folder, STR("train.log"));
    Sink *out = folder_make(folder, &err) ? sink_file(path, &err) : NULL;
    if (!out) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    for (int step = 1; step <= POINTS; step++)
        sink_printf(out,
                    " iteration %8d/ 1000000 | consumed samples: %12d | elapsed time per iteration "
                    "(ms): 1250.0 | learning rate: 1.000000E-05 | global batch size:    64 | lm "
                    "loss: %.6E | grad norm: %.3f |\n",
                    step, step * 64,
                    2 + 8 * exp(-step / 50000.0) + 0.1 * next_noise(&state) +
                        (step == SPIKE_AT ? 5 : 0),
                    1 + 0.1 * next_noise(&state));
    if (!sink_commit(out, &err))
        exit(2);
    return path;
}

static void write_png(const Scene *scene, Arena *arena)
{
    RenderOptions options = {.theme = demo_theme()};
    Error err;
    Sink *sink = sink_memory(arena);
    if (!png_renderer.write_scene(scene, &options, sink, &err))
        exit(2);
    sink_discard(sink);
}

static size_t svg_bytes(const Scene *scene, Arena *arena)
{
    RenderOptions options = {.theme = demo_theme()};
    Error err;
    Sink *sink = sink_memory(arena);
    if (!svg_renderer.write_scene(scene, &options, sink, &err))
        exit(2);
    size_t size = sink_bytes(sink).size;
    sink_discard(sink);
    return size;
}

// Seconds from points to PNG: layout and rendering. With `raw` its points are on top, every one a
// vertex, and nothing is smoothed.
static double chart_seconds(const CurvesView *view, const Series *raw)
{
    Arena *arena = arena_new();
    Scene scene;
    double start = now();
    curves_picture(view, "curves", arena, &scene);
    if (raw) {
        PathStep *steps = ARENA_ARRAY(arena, PathStep, RAW);
        for (size_t i = 0; i < RAW; i++)
            steps[i] = (PathStep){.verb = i ? PATH_LINE : PATH_MOVE,
                                  .x = CURVES_LEFT + (CURVES_RIGHT - CURVES_LEFT) * (double)i / RAW,
                                  .y = 300 - 20 * raw->points.value[i]};
        scene_path(&scene, steps, RAW, ROLE_NONE, ROLE_TARGET);
    }
    write_png(&scene, arena);
    double seconds = now() - start;
    arena_release(arena);
    return seconds;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// The first points of the run alone.
static Runs first_points(const Runs *runs, Arena *arena)
{
    Runs out = {.items = ARENA_NEW(arena, Run), .count = 1};
    *out.items = runs->items[0];
    out.items->series = ARENA_ARRAY(arena, Series, runs->items[0].series_count);
    for (size_t i = 0; i < runs->items[0].series_count; i++) {
        out.items->series[i] = runs->items[0].series[i];
        out.items->series[i].count = RAW;
    }
    return out;
}

static CurvesView view_of(const Runs *runs, CurveFindings *report, Arena *arena)
{
    curves_judge(runs, CRITERION_LONG, NULL, NULL, arena, report);
    return (CurvesView){.report = report, .series = STR("loss"), .smooth = NAN, .x_unit = "step"};
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    Arena *arena = arena_new();
    const char *path = generate(arena, argv[1]);
    Runs runs = {0};
    Notices notices;
    Error err;
    notices_init(&notices, arena);
    double start = now();
    if (!run_source_read(str_of(path), ROLE_SINGLE, arena, &runs, &notices, &err))
        return 2;
    double reading = now() - start;
    CurveFindings reports[2];
    Runs few = first_points(&runs, arena);
    CurvesView view = view_of(&runs, &reports[0], arena);
    CurvesView small = view_of(&few, &reports[1], arena);
    small.smooth = 0;
    Scene scene;
    double raw[ROUNDS], ours[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        raw[round] = chart_seconds(&small, run_series(&few.items[0], "loss"));
        ours[round] = chart_seconds(&view, NULL);
    }
    qsort(raw, ROUNDS, sizeof *raw, compare_doubles);
    qsort(ours, ROUNDS, sizeof *ours, compare_doubles);
    double yardstick = raw[ROUNDS / 2], chart = ours[ROUNDS / 2];
    curves_picture(&view, "curves", arena, &scene);
    double kilobytes = (double)svg_bytes(&scene, arena) / 1000;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("chart ours=%.9f limit=%.9f kilobytes=%.0f\n", chart, yardstick, kilobytes);
    printf("chart of a log: %.0f MB read in %.2f s (%.0f MB/s); 1,000,000 points drawn in %.3f s, "
           "10,000 raw "
           "in %.3f s: %.2fx (bound %.0fx); %.0f KB SVG (bound %.0f KB), peak %.0f MB\n",
           (double)file_size(path) / 1e6, reading, (double)file_size(path) / 1e6 / reading, chart,
           yardstick, chart / yardstick, bound_ratio, kilobytes, bound_kilobytes,
           (double)usage.ru_maxrss / 1000);
    arena_release(arena);
    return chart > bound_ratio * yardstick || kilobytes > bound_kilobytes;
}
