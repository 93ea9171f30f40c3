// SPDX-License-Identifier: Apache-2.0
#include <cairo-svg.h>
#include <cairo.h>

#include "bench.h"
#include "demo.h"
#include "renderers/png.h"
#include "renderers/svg.h"

// PNG and SVG of many labelled boxes beside what cairo's own writers take for the same drawing.
// Arguments: boxes (default 10,000), rounds (default 5).

enum { COLUMNS = 20, BOX_WIDTH = 56, BOX_HEIGHT = 18, STEP_X = 60, STEP_Y = 22, SCALE = 2 };

typedef struct Work {
    Scene scene;
    int boxes;
    size_t bytes[2];
} Work;

static double box_x(int i)
{
    return 4 + (i % COLUMNS) * STEP_X;
}

static double box_y(int i)
{
    return 4 + (double)(i / COLUMNS) * STEP_Y;
}

static void build(Work *work, Arena *arena)
{
    scene_init(&work->scene, arena, "bench", COLUMNS * STEP_X + 8);
    work->scene.height = box_y(work->boxes - 1) + STEP_Y;
    for (int i = 0; i < work->boxes; i++) {
        scene_box(&work->scene, box_x(i), box_y(i), BOX_WIDTH, BOX_HEIGHT,
                  i % 7 ? ROLE_SAME_FILL : ROLE_ERROR_FILL, ROLE_SAME_EDGE);
        scene_text(&work->scene, box_x(i) + 4, box_y(i) + 13, 10, 400, ANCHOR_START, ROLE_INK,
                   str_printf(arena, "op %d", i));
    }
}

static double render(const Renderer *renderer, Work *work)
{
    Arena *arena = arena_new();
    Error err;
    RenderOptions options = {.theme = demo_theme(), .scale = SCALE};
    double start = bench_now();
    Sink *sink = sink_memory(arena);
    bool good = renderer->write_scene(&work->scene, &options, sink, &err);
    double seconds = bench_now() - start;
    work->bytes[0] = sink_bytes(sink).size;
    sink_discard(sink);
    arena_release(arena);
    if (!good)
        exit(2);
    return seconds;
}

static double write_png(void *context)
{
    return render(&png_renderer, context);
}

static double write_svg(void *context)
{
    return render(&svg_renderer, context);
}

static void draw(cairo_t *cairo, const Work *work)
{
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, 10);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    for (int i = 0; i < work->boxes; i++) {
        char text[32];
        snprintf(text, sizeof text, "op %d", i);
        cairo_rectangle(cairo, box_x(i), box_y(i), BOX_WIDTH, BOX_HEIGHT);
        cairo_set_source_rgb(cairo, 0.9, i % 7 ? 0.95 : 0.5, 0.9);
        cairo_fill_preserve(cairo);
        cairo_set_source_rgb(cairo, 0.3, 0.4, 0.5);
        cairo_set_line_width(cairo, 1);
        cairo_stroke(cairo);
        cairo_move_to(cairo, box_x(i) + 4, box_y(i) + 13);
        cairo_set_source_rgb(cairo, 0.1, 0.1, 0.1);
        cairo_show_text(cairo, text);
    }
}

static cairo_status_t count_bytes(void *context, const unsigned char *bytes, unsigned size)
{
    (void)bytes;
    *(size_t *)context += size;
    return CAIRO_STATUS_SUCCESS;
}

static double cairo_png(void *context)
{
    Work *work = context;
    work->bytes[1] = 0;
    double start = bench_now();
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)work->scene.width * SCALE, (int)work->scene.height * SCALE);
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, SCALE, SCALE);
    draw(cairo, work);
    cairo_surface_write_to_png_stream(surface, count_bytes, &work->bytes[1]);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return bench_now() - start;
}

static double cairo_svg(void *context)
{
    Work *work = context;
    work->bytes[1] = 0;
    double start = bench_now();
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(
        count_bytes, &work->bytes[1], work->scene.width, work->scene.height);
    cairo_t *cairo = cairo_create(surface);
    draw(cairo, work);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return bench_now() - start;
}

int main(int argc, char **argv)
{
    Arena *arena = arena_new();
    Work work = {.boxes = argc > 1 ? atoi(argv[1]) : 10000};
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    double medians[2];
    if (work.boxes < 1)
        return 2;
    build(&work, arena);
    // The memory of our own writer is read before cairo's surface is made.
    write_svg(&work);
    write_png(&work);
    double peak = bench_peak_megabytes();
    bench_by_turns(write_png, cairo_png, &work, rounds, medians);
    printf("png ours=%.9f limit=%.9f peak_mb=%.1f bytes=%zu cairo_bytes=%zu\n", medians[0],
           medians[1], peak, work.bytes[0], work.bytes[1]);
    bench_by_turns(write_svg, cairo_svg, &work, rounds, medians);
    printf("svg ours=%.9f limit=%.9f bytes=%zu cairo_bytes=%zu\n", medians[0], medians[1],
           work.bytes[0], work.bytes[1]);
    arena_release(arena);
    return 0;
}
