// SPDX-License-Identifier: Apache-2.0
#include "picture/curves/norms_picture.h"

#include <math.h>

#include "base/words.h"
#include "picture/kit/axis.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"
#include "verdict/norms_verdict.h"

enum { NAME_RIGHT = 470, AXIS_LEFT = 500, AXIS_RIGHT = 960, ROW = 20 };
enum { ROWS_MAX = 60 };

// The error at which a weight is still shown when there are more than fit.
static double least_shown(const NormTable *norms, Arena *arena)
{
    if (norms->count <= ROWS_MAX)
        return 0;
    double *errors = ARENA_ARRAY(arena, double, norms->count);
    size_t count = 0;
    for (size_t i = 0; i < norms->count; i++) {
        double error = localnorm_distance(&norms->items[i]);
        size_t at = count < ROWS_MAX ? count++ : ROWS_MAX - 1;
        if (at == ROWS_MAX - 1 && error < errors[at] && count == ROWS_MAX && i >= ROWS_MAX)
            continue;
        for (; at > 0 && errors[at - 1] < error; at--)
            errors[at] = errors[at - 1];
        errors[at] = error;
    }
    return errors[ROWS_MAX - 1];
}

static Axis error_scale(const NormTable *norms, Arena *arena)
{
    double least = fmin(0.01, norms->look), most = fmax(0.1, LOCALNORM_PROBLEM * norms->look);
    if (!(least > 0))
        least = 0.01;
    for (size_t i = 0; i < norms->count; i++) {
        double error = localnorm_distance(&norms->items[i]);
        if (!(error > 0) || isinf(error))
            continue;
        least = error < least ? error : least;
        most = error > most ? error : most;
    }
    least = least < 1e-7 ? 1e-7 : least;
    return axis_log(pow(10, floor(log10(least))), pow(10, ceil(log10(most))), AXIS_LEFT, AXIS_RIGHT,
                    70, arena);
}

static void draw_scale(Scene *scene, const Axis *axis, double look, double top, double bottom)
{
    for (size_t i = 0; i < axis->count; i++) {
        const AxisTick *tick = &axis->ticks[i];
        double x = axis_at(axis, tick->value);
        if (!tick->decade && tick->label.size == 0)
            continue;
        scene_line(scene, x, top, x, bottom, ROLE_HAIR);
        if (tick->decade)
            figure_decade(scene, x, bottom + 16, SIZE_NOTE, ANCHOR_MIDDLE, ROLE_INK3,
                          tick->exponent);
        else
            scene_text(scene, x, bottom + 16, SIZE_NOTE, 400, ANCHOR_MIDDLE, ROLE_INK3,
                       tick->label);
    }
    for (int i = 0; i < 2 && look > 0; i++) {
        double limit = i ? LOCALNORM_PROBLEM * look : look, x = axis_at(axis, limit);
        Item *line = scene_line(scene, x, top, x, bottom, ROLE_INK3);
        line->paint.dash = 5;
        line->paint.gap = 4;
        scene_text(scene, x, top - 6, SIZE_NOTE, 400, ANCHOR_MIDDLE, ROLE_INK3,
                   str_printf(scene->arena, "%g %%", 100 * limit));
    }
}

static void draw_row(Scene *scene, const Axis *axis, const NormPair *pair, double y)
{
    Status status = pair->problem ? STATUS_ERROR : pair->flagged ? STATUS_WARNING : STATUS_PASS;
    Arena *arena = scene->arena;
    Str name = text_fit(pair->target, SIZE_STRONG, 400, NAME_RIGHT - PAGE_MARGIN - 24, arena);
    chip_draw(scene, PAGE_MARGIN, y + 3, 13, status, false);
    Item *item = scene_text(scene, PAGE_MARGIN + 22, y + 14, SIZE_STRONG, pair->flagged ? 700 : 400,
                            ANCHOR_START, ROLE_INK, name);
    scene_title(scene, item, STR_FMT " / " STR_FMT, STR_ARG(pair->target), STR_ARG(pair->golden));
    double error = localnorm_distance(pair), x = AXIS_LEFT;
    if (error > 0)
        x = axis_at(axis, error > axis->high ? axis->high : error < axis->low ? axis->low : error);
    // A dot: on a log axis the length of a bar would mean nothing.
    if (x > AXIS_LEFT)
        scene_line(scene, AXIS_LEFT, y + ROW / 2.0, x, y + ROW / 2.0, ROLE_HAIR);
    mark_draw(scene, x, y + ROW / 2.0, 4.5, error == 0 ? STATUS_SAME : status, false);
    scene_text(scene, AXIS_RIGHT + 84, y + 14, SIZE_TEXT, pair->flagged ? 700 : 400, ANCHOR_END,
               ROLE_INK, norms_percent(pair->relative_error, arena));
    Str share = figure_number(100 * pair->share, 2, arena);
    note_text(scene, PAGE_WIDTH - PAGE_MARGIN, y + 14, ANCHOR_END,
              str_printf(arena, STR_FMT " %%", STR_ARG(share)));
}

void norms_picture(const NormTable *norms, Arena *arena, Scene *out)
{
    scene_init(out, arena, "local-norms", PAGE_WIDTH);
    section_heading(out, PAGE_MARGIN, 26, SIZE_HEADING, str_of(tr("Gradient norm of each weight")),
                    str_of(tr("relative error, target against golden, log scale")));
    scene_text(out, PAGE_WIDTH - PAGE_MARGIN, 26, SIZE_NOTE, 400, ANCHOR_END, ROLE_INK3,
               str_of(tr("share of all")));
    double least = least_shown(norms, arena), top = 52, y = top;
    Axis axis = error_scale(norms, arena);
    size_t rows = 0;
    for (size_t i = 0; i < norms->count && rows < ROWS_MAX; i++)
        rows += localnorm_distance(&norms->items[i]) >= least;
    draw_scale(out, &axis, norms->look, top, top + (double)rows * ROW);
    size_t drawn = 0;
    for (size_t i = 0; i < norms->count && drawn < rows; i++) {
        if (localnorm_distance(&norms->items[i]) < least)
            continue;
        draw_row(out, &axis, &norms->items[i], y);
        y += ROW;
        drawn++;
    }
    y += 40;
    if (drawn < norms->count) {
        scene_text(
            out, PAGE_MARGIN, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3,
            str_printf(arena, tr("the %zu largest errors of %zu weights"), drawn, norms->count));
        y += 16;
    }
    out->height = y + 4;
}
