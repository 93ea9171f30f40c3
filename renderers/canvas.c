// SPDX-License-Identifier: Apache-2.0
#include "renderers/canvas.h"

#include <math.h>

#include "base/words.h"
#include "renderers/canvas_text.h"

// Lines of the hatch, in user units: as the pattern that svg.c writes.
static const double hatch_period = 5, hatch_width = 1.8;

// cairo's fixed-point numbers end at 2^15 on images. Nothing can be seen beyond a picture of that
// width or a strip, so places are kept within.
static const double far = 30000;

void canvas_init(Canvas *canvas, cairo_t *cairo, struct Pen *pen, const RenderOptions *options)
{
    *canvas = (Canvas){
        .cairo = cairo, .theme = options->theme, .dark = options->mode == THEME_DARK, .pen = pen};
    cairo_set_miter_limit(cairo, 4);  // as SVG
    pen_follow(pen, cairo);
}

bool canvas_check(cairo_status_t status, Error *err)
{
    return status == CAIRO_STATUS_SUCCESS ||
           error_set(err, ERR_OUTPUT, NOWHERE, tr("the picture could not be drawn: %s"),
                     cairo_status_to_string(status));
}

static void fill(const Canvas *canvas, const Paint *paint)
{
    if (!paint->fill)
        return;
    canvas_set_role(canvas, paint->fill, paint->opacity);
    cairo_fill_preserve(canvas->cairo);
}

static void stroke(const Canvas *canvas, const Paint *paint)
{
    if (paint->stroke) {
        double dash[2] = {(double)paint->dash, (double)(paint->gap > 0 ? paint->gap : paint->dash)};
        canvas_set_role(canvas, paint->stroke, paint->opacity);
        cairo_set_line_width(canvas->cairo, paint->width > 0 ? (double)paint->width : 1);
        cairo_set_dash(canvas->cairo, dash, paint->dash > 0 ? 2 : 0, 0);
        cairo_set_line_cap(canvas->cairo,
                           paint->round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
        cairo_stroke(canvas->cairo);
    } else {
        cairo_new_path(canvas->cairo);
    }
}

static void round_corners(cairo_t *cairo, const BoxShape *box)
{
    double quarter = acos(0);
    double radius = fmin(box->radius, fmin(box->width, box->height) / 2);
    double left = box->x + radius, right = box->x + box->width - radius;
    double top = box->y + radius, bottom = box->y + box->height - radius;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, right, top, radius, -quarter, 0);
    cairo_arc(cairo, right, bottom, radius, 0, quarter);
    cairo_arc(cairo, left, bottom, radius, quarter, 2 * quarter);
    cairo_arc(cairo, left, top, radius, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo);
}

static void trace_box(cairo_t *cairo, const BoxShape *box)
{
    if (box->radius > 0)
        round_corners(cairo, box);
    else
        cairo_rectangle(cairo, box->x, box->y, box->width, box->height);
}

// Stripes of x + y = constant, counted from the origin of the picture.
static void hatch(const Canvas *canvas, const BoxShape *box)
{
    cairo_t *cairo = canvas->cairo;
    cairo_save(cairo);
    trace_box(cairo, box);
    cairo_clip(cairo);
    double step = hatch_period * sqrt(2);
    double shift = hatch_width / 2 * sqrt(2);
    double bottom = box->y + box->height;
    double first = floor((box->x + box->y) / step);
    int count = (int)ceil((box->x + box->width + bottom) / step - first) + 1;
    for (int i = 0; i < count; i++) {
        double sum = (first + i) * step;
        cairo_move_to(cairo, sum + shift - box->y + step, box->y - step);
        cairo_line_to(cairo, sum + shift - bottom - step, bottom + step);
    }
    canvas_set_role(canvas, ROLE_HATCHLINE, 0);
    cairo_set_line_width(cairo, hatch_width);
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

static BoxShape within(const BoxShape *box, Band band)
{
    BoxShape near = *box;
    double left = fmax(box->x, -far), right = fmin(box->x + box->width, far * 2);
    double top = fmax(box->y, band.top - far),
           bottom = fmin(box->y + box->height, band.bottom + far);
    near.x = left;
    near.y = top;
    near.width = fmax(right - left, 0);
    near.height = fmax(bottom - top, 0);
    return near;
}

static void paint_box(const Canvas *canvas, const Item *item, Band band)
{
    BoxShape box = within(&item->as.box, band);
    if (item->paint.fill || item->paint.stroke) {
        trace_box(canvas->cairo, &box);
        fill(canvas, &item->paint);
        if (!item->as.box.hatch)
            stroke(canvas, &item->paint);
        cairo_new_path(canvas->cairo);
    }
    if (!item->as.box.hatch)
        return;
    hatch(canvas, &box);
    trace_box(canvas->cairo, &box);
    stroke(canvas, &item->paint);
}

static void paint_line(const Canvas *canvas, const Item *item)
{
    const LineShape *line = &item->as.line;
    cairo_move_to(canvas->cairo, line->x1, line->y1);
    cairo_line_to(canvas->cairo, line->x2, line->y2);
    stroke(canvas, &item->paint);
}

static void paint_path(const Canvas *canvas, const Item *item)
{
    for (size_t i = 0; i < item->as.path.count; i++) {
        const PathStep *step = &item->as.path.steps[i];
        switch (step->verb) {
        case PATH_MOVE:
            cairo_move_to(canvas->cairo, step->x, step->y);
            break;
        case PATH_LINE:
            cairo_line_to(canvas->cairo, step->x, step->y);
            break;
        case PATH_CURVE:
            cairo_curve_to(canvas->cairo, step->x1, step->y1, step->x2, step->y2, step->x, step->y);
            break;
        case PATH_CLOSE:
            cairo_close_path(canvas->cairo);
            break;
        }
    }
    fill(canvas, &item->paint);
    stroke(canvas, &item->paint);
}

static Band path_bounds(const PathShape *path)
{
    Band band = {INFINITY, -INFINITY};
    for (size_t i = 0; i < path->count; i++) {
        const PathStep *step = &path->steps[i];
        if (step->verb == PATH_CLOSE)
            continue;
        bool curve = step->verb == PATH_CURVE;
        band.top = fmin(band.top, curve ? fmin(step->y, fmin(step->y1, step->y2)) : step->y);
        band.bottom = fmax(band.bottom, curve ? fmax(step->y, fmax(step->y1, step->y2)) : step->y);
    }
    return band;
}

static Band text_bounds(const TextShape *text)
{
    double above = (double)text->size * 2;
    double below = (double)text->size;
    for (size_t i = 0; i < text->count; i++)
        above = fmax(above, (double)(text->spans[i].size * 2));
    if (text->vertical)
        return (Band){-INFINITY, INFINITY};  // rare: not worth measuring
    return (Band){text->y - above, text->y + fmax(below, above / 2)};
}

static Band item_bounds(const Item *item)
{
    Band band = {INFINITY, -INFINITY};  // groups paint nothing
    double line = item->paint.width > 0 ? (double)item->paint.width * 2 : 2;
    switch (item->kind) {
    case ITEM_BOX:
        band = (Band){item->as.box.y - line, item->as.box.y + item->as.box.height + line};
        break;
    case ITEM_LINE:
        band = (Band){fmin(item->as.line.y1, item->as.line.y2) - line,
                      fmax(item->as.line.y1, item->as.line.y2) + line};
        break;
    case ITEM_PATH:
        band = path_bounds(&item->as.path);
        band.top -= 2 * line;
        band.bottom += 2 * line;
        break;
    case ITEM_TEXT:
        band = text_bounds(&item->as.text);
        break;
    case ITEM_GROUP:
    case ITEM_GROUP_END:
        break;
    }
    return band;
}

Band *canvas_bounds(const Scene *scene, Arena *arena)
{
    Band *bounds = ARENA_ARRAY(arena, Band, scene->count);
    for (size_t i = 0; i < scene->count; i++)
        bounds[i] = item_bounds(&scene->items[i]);
    return bounds;
}

static bool all_finite(const Item *item)
{
    const BoxShape *box = &item->as.box;
    const LineShape *line = &item->as.line;
    switch (item->kind) {
    case ITEM_BOX:
        return isfinite(box->x + box->y + box->width + box->height + box->radius);
    case ITEM_LINE:
        return isfinite(line->x1 + line->y1 + line->x2 + line->y2);
    case ITEM_PATH:
        for (size_t i = 0; i < item->as.path.count; i++)
            if (!isfinite(item->as.path.steps[i].x + item->as.path.steps[i].y))
                return false;
        return true;
    case ITEM_TEXT:
        return isfinite(item->as.text.x + item->as.text.y) && item->as.text.size > 0;
    case ITEM_GROUP:
    case ITEM_GROUP_END:
        break;
    }
    return false;
}

static void paint_item(Canvas *canvas, const Item *item, Band band)
{
    if (!all_finite(item))
        return;
    switch (item->kind) {
    case ITEM_BOX:
        paint_box(canvas, item, band);
        break;
    case ITEM_LINE:
        paint_line(canvas, item);
        break;
    case ITEM_PATH:
        paint_path(canvas, item);
        break;
    case ITEM_TEXT:
        canvas_text(canvas, item);
        break;
    case ITEM_GROUP:
    case ITEM_GROUP_END:
        break;
    }
}

void canvas_paint(Canvas *canvas, const Scene *scene, const Band *bounds, Band band)
{
    canvas_set_role(canvas, ROLE_PAPER, 0);
    cairo_paint(canvas->cairo);
    for (size_t i = 0; i < scene->count; i++)
        if (bounds[i].bottom >= band.top && bounds[i].top <= band.bottom)
            paint_item(canvas, &scene->items[i], band);
}
