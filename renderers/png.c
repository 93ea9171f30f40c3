// SPDX-License-Identifier: Apache-2.0
#include "renderers/png.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pages.h"
#include "base/words.h"
#include "renderers/canvas.h"
#include "renderers/canvas_text.h"
#include "renderers/deflate_text.h"
#include "renderers/png_palette.h"

// The picture is drawn in strips, so that what cairo needs does not grow with its height. A picture
// of up to INDEXED_MOST pixels whose colours fit a palette is kept as places in it, and deflated at
// once. The rows of others go straight to libpng: level 3 without filters is several times faster
// than cairo's own writer and hardly larger on flat colours.

enum {
    MAX_SIDE = 32767,
    MAX_ROWS = 1000000,
    STRIP_BYTES = 4 << 20,
    COMPRESSION = 3,
    INDEXED_MOST = 24 << 20
};
static const double pixel_budget = 64e6;

bool png_size(double width, double height, double scale, double *scale_used, int *columns,
              int *rows)
{
    if (!(width > 0 && height > 0 && width < 1e9 && height < 1e9))
        return false;
    double used = scale > 0 ? scale : 2;
    if (used > 1 && width * used * height * used > pixel_budget)
        used = 1;
    if (ceil(width * used) > MAX_SIDE)
        used = MAX_SIDE / width;
    *scale_used = used;
    if (ceil(height * used) > MAX_ROWS)
        return false;
    *columns = (int)fmin(ceil(width * used - 1e-6), MAX_SIDE);
    *rows = (int)ceil(height * used - 1e-6);
    *columns = *columns > 0 ? *columns : 1;
    *rows = *rows > 0 ? *rows : 1;
    return true;
}

typedef struct Raster {
    const Scene *scene;
    const Band *bounds;
    const RenderOptions *options;
    Pen *pen;
    double scale;
    int columns, rows, strip_rows;
    cairo_surface_t *surface;
    cairo_status_t status;
    png_bytep row;  // one row of RGB, and a byte
    Palette *palette;
} Raster;

static void write_bytes(png_structp png, png_bytep bytes, png_size_t size)
{
    sink_write(png_get_io_ptr(png), bytes, size);
}

static void flush_bytes(png_structp png)
{
    (void)png;  // the sink decides
}

static void keep_error(png_structp png, png_const_charp text)
{
    Error *err = png_get_error_ptr(png);
    error_set(err, ERR_OUTPUT, NOWHERE, tr("the picture could not be written: %s"), text);
    png_longjmp(png, 1);
}

static void drop_warning(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

static void draw_strip(Raster *raster, int from, int to)
{
    cairo_t *cairo = cairo_create(raster->surface);
    cairo_translate(cairo, 0, -from);
    cairo_scale(cairo, raster->scale, raster->scale);
    Canvas canvas;
    canvas_init(&canvas, cairo, raster->pen, raster->options);
    Band band = {from / raster->scale, to / raster->scale};
    canvas_paint(&canvas, raster->scene, raster->bounds, band);
    canvas_report_fonts(&canvas, raster->options->fonts);
    raster->status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(raster->surface);
}

static const uint32_t *pixels_of(const Raster *raster, int at)
{
    const unsigned char *data = cairo_image_surface_get_data(raster->surface);
    return (const void *)(data + (ptrdiff_t)at * cairo_image_surface_get_stride(raster->surface));
}

static void write_row(png_structp png, const Raster *raster, int at)
{
    const uint32_t *pixels = pixels_of(raster, at);
    unsigned char *to = raster->row;
    for (int x = 0; x < raster->columns; x++) {
        // BGRX as RGB and a byte that the next pixel writes over.
        uint32_t pixel = __builtin_bswap32(pixels[x]) >> 8;
        memcpy(to + 3 * (size_t)x, &pixel, sizeof pixel);
    }
    png_write_row(png, raster->row);
}

static void write_header(png_structp png, png_infop info, const Raster *raster, int type)
{
    png_set_user_limits(png, MAX_SIDE, MAX_ROWS);
    png_set_IHDR(png, info, (png_uint_32)raster->columns, (png_uint_32)raster->rows, 8, type,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_color colours[PALETTE_MOST];
        for (int i = 0; i < raster->palette->count; i++) {
            uint32_t rgb = raster->palette->colours[i];
            colours[i] = (png_color){(png_byte)(rgb >> 16), (png_byte)(rgb >> 8 & 255),
                                     (png_byte)(rgb & 255)};
        }
        png_set_PLTE(png, info, colours, raster->palette->count);
    }
    png_write_info(png, info);
}

// Fills `packed`, the deflated rows of places in the palette, if the colours fit one.
static bool fill_indexed(Raster *raster, Arena *arena, Str *packed)
{
    size_t row = (size_t)raster->columns + 1, bytes = row * (size_t)raster->rows;
    unsigned char *places = bytes <= INDEXED_MOST ? pages_map(bytes) : NULL;  // with filter bytes
    bool fits = places != NULL;
    raster->palette = ARENA_NEW(arena, Palette);
    palette_start(raster->palette, raster->options->theme, raster->options->mode == THEME_DARK);
    for (int from = 0; from < raster->rows && fits; from += raster->strip_rows) {
        int left = raster->rows - from;
        int count = left < raster->strip_rows ? left : raster->strip_rows;
        draw_strip(raster, from, from + count);
        fits = raster->status == CAIRO_STATUS_SUCCESS;
        for (int at = 0; at < count && fits; at++)
            fits = palette_places(raster->palette, pixels_of(raster, at), raster->columns,
                                  places + row * (size_t)(from + at) + 1);
    }
    if (fits)
        *packed = deflate_zlib((Str){(const char *)places, bytes}, arena);
    if (places)
        pages_unmap(places, bytes);
    return fits;
}

static bool write_indexed(png_structp png, png_infop info, const Raster *raster, Str packed)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    write_header(png, info, raster, PNG_COLOR_TYPE_PALETTE);
    png_write_chunk(png, (png_const_bytep) "IDAT", (png_const_bytep)packed.data, packed.size);
    png_write_chunk(png, (png_const_bytep) "IEND", NULL, 0);
    return true;
}

static bool write_rows(png_structp png, png_infop info, Raster *raster)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_compression_level(png, COMPRESSION);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    write_header(png, info, raster, PNG_COLOR_TYPE_RGB);
    for (int from = 0; from < raster->rows; from += raster->strip_rows) {
        int left = raster->rows - from;
        int count = left < raster->strip_rows ? left : raster->strip_rows;
        draw_strip(raster, from, from + count);
        if (raster->status != CAIRO_STATUS_SUCCESS)
            return true;  // the caller reports it
        for (int at = 0; at < count; at++)
            write_row(png, raster, at);
    }
    png_write_end(png, info);
    return true;
}

static bool write_png(Raster *raster, Sink *out, Error *err)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, err, keep_error, drop_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = info != NULL;
    if (good) {
        Arena *arena = arena_new();
        Str packed;
        png_set_write_fn(png, out, write_bytes, flush_bytes);
        good = (fill_indexed(raster, arena, &packed) ? write_indexed(png, info, raster, packed)
                                                     : write_rows(png, info, raster)) &&
               canvas_check(raster->status, err);
        arena_release(arena);
    } else {
        error_set(err, ERR_OUTPUT, NOWHERE, "%s", tr("libpng could not be started"));
    }
    png_destroy_write_struct(&png, &info);
    return good;
}

static bool write_strips(Raster *raster, Sink *out, Error *err)
{
    int fitting = STRIP_BYTES / (4 * raster->columns);
    raster->strip_rows = fitting < 16 ? 16 : fitting > raster->rows ? raster->rows : fitting;
    // In large pages: getting 2 MB as pages of 4 kB costs more than drawing into them.
    int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, raster->columns);
    size_t bytes = (size_t)stride * (size_t)raster->strip_rows;
    unsigned char *pixels = pages_map(bytes);
    if (!pixels)
        out_of_memory();
    raster->surface = cairo_image_surface_create_for_data(
        pixels, CAIRO_FORMAT_RGB24, raster->columns, raster->strip_rows, stride);
    bool good = canvas_check(cairo_surface_status(raster->surface), err);
    if (good) {
        raster->pen = pen_new(raster->options->theme);
        good = write_png(raster, out, err);
        pen_release(raster->pen);
    }
    cairo_surface_destroy(raster->surface);
    pages_unmap(pixels, bytes);
    return good;
}

static bool write_scene(const Scene *scene, const RenderOptions *options, Sink *out, Error *err)
{
    Raster raster = {.scene = scene, .options = options};
    if (!png_size(scene->width, scene->height, options->scale, &raster.scale, &raster.columns,
                  &raster.rows)) {
        error_set(err, ERR_OUTPUT, NOWHERE, tr("a picture of %.0f x %.0f px cannot be a PNG file"),
                  scene->width, scene->height);
        return error_hint(err, "%s", tr("write SVG instead, or show less of it with --depth"));
    }
    Arena *arena = arena_new();
    raster.bounds = canvas_bounds(scene, arena);
    raster.row = arena_array(arena, (size_t)raster.columns + 1, 3);
    bool good = write_strips(&raster, out, err);
    arena_release(arena);
    return good;
}

const Renderer png_renderer = {
    .name = "png",
    .suffix = ".png",
    .write_scene = write_scene,
};
