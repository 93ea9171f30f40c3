// SPDX-License-Identifier: Apache-2.0
#include "renderers/pdf.h"

#include <cairo-pdf.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "base/words.h"
#include "renderers/canvas.h"
#include "renderers/canvas_text.h"

// The longest page of PDF is 14,400 pt.
static const double points_per_px = 0.75, max_points = 14400;
static const time_t fixed_date = 315532800;  // 1980-01-01, as in workbooks

static const char file_end[] = "%%EOF\n";

// The last bytes are kept: where cairo runs out of memory in its last step the file just ends, and
// no status tells.
typedef struct PdfOut {
    Sink *sink;
    char tail[sizeof file_end - 1];
} PdfOut;

static cairo_status_t write_bytes(void *context, const unsigned char *bytes, unsigned int size)
{
    PdfOut *out = context;
    sink_write(out->sink, bytes, size);
    size_t more = size < sizeof out->tail ? size : sizeof out->tail;
    memmove(out->tail, out->tail + more, sizeof out->tail - more);
    memcpy(out->tail + sizeof out->tail - more, bytes + size - more, more);
    return CAIRO_STATUS_SUCCESS;
}

static bool is_whole(const PdfOut *out)
{
    return memcmp(out->tail, file_end, sizeof out->tail) == 0;
}

// Without a date of ours cairo would take that of the clock.
static void set_metadata(cairo_surface_t *surface, const Scene *scene, const RenderOptions *options,
                         Arena *arena)
{
    time_t when = options->created > 0 ? (time_t)options->created : fixed_date;
    struct tm parts;
    char date[32] = "1980-01-01T00:00:00Z";
    if (gmtime_r(&when, &parts))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE,
                                   str_cstr(arena, utf8_display(scene->title, arena)));
}

static double scale_of(const Scene *scene)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a picture has at least one page
    return fmin(points_per_px, fmin(max_points / scene->width, max_points / scene->height));
}

static void paint_page(cairo_surface_t *surface, cairo_t *cairo, const Scene *scene,
                       const RenderOptions *options)
{
    Arena *arena = arena_new();
    double scale = scale_of(scene);
    cairo_pdf_surface_set_size(surface, scene->width * scale, scene->height * scale);
    cairo_save(cairo);
    cairo_scale(cairo, scale, scale);
    Pen *pen = pen_new(options->theme);
    Canvas canvas;
    canvas_init(&canvas, cairo, pen, options);
    canvas_paint(&canvas, scene, canvas_bounds(scene, arena), (Band){0, scene->height});
    canvas_report_fonts(&canvas, options->fonts);
    cairo_show_page(cairo);
    cairo_restore(cairo);
    pen_release(pen);
    arena_release(arena);
}

static bool write_pages(cairo_surface_t *surface, const Scene *scene, const RenderOptions *options,
                        Error *err)
{
    Arena *arena = arena_new();
    set_metadata(surface, scene, options, arena);
    arena_release(arena);
    cairo_t *cairo = cairo_create(surface);
    for (; scene; scene = scene->next)
        paint_page(surface, cairo, scene, options);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    return canvas_check(status, err);
}

static bool write_scene(const Scene *scene, const RenderOptions *options, Sink *out, Error *err)
{
    for (const Scene *at = scene; at; at = at->next)
        if (!(at->width > 0 && at->height > 0 && at->width < 1e9 && at->height < 1e9))
            return error_set(err, ERR_OUTPUT, NOWHERE,
                             tr("a picture of %.0f x %.0f px cannot be a PDF file"), at->width,
                             at->height);
    double scale = scale_of(scene);
    PdfOut pdf = {.sink = out};
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
        write_bytes, &pdf, scene->width * scale, scene->height * scale);
    bool good = canvas_check(cairo_surface_status(surface), err) &&
                write_pages(surface, scene, options, err);
    cairo_surface_destroy(surface);
    return good && (is_whole(&pdf) || canvas_check(CAIRO_STATUS_NO_MEMORY, err));
}

const Renderer pdf_renderer = {
    .name = "pdf",
    .suffix = ".pdf",
    .write_scene = write_scene,
    .all_pages = true,
};
