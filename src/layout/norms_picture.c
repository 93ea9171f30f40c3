// SPDX-License-Identifier: Apache-2.0
#include "layout/norms_picture.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "layout/axis.h"
#include "layout/chip.h"
#include "layout/figure_text.h"
#include "layout/summary.h"
#include "layout/verdict_head.h"
#include "scene/text_width.h"

enum { WIDTH = 1200, MARGIN = 32, NAME_RIGHT = 470, BAR_LEFT = 500, BAR_RIGHT = 960, ROW = 20 };
enum { ROWS_MAX = 60 };

static Str percent_text(double share, Arena *arena)
{
    Str text = figure_number(100 * share, 2, arena);
    return str_printf(arena, "%s" STR_FMT " %%", share > 0 ? "+" : "", STR_ARG(text));
}

static size_t count_flagged(const NormTable *norms)
{
    size_t count = 0;
    for (size_t i = 0; i < norms->count; i++)
        count += norms->items[i].flagged;
    return count;
}

void norms_verdict(const NormTable *norms, bool partial, Arena *arena, Verdict *out)
{
    const NormPair *worst = localnorm_worst(norms);
    size_t flagged = count_flagged(norms);
    *out = (Verdict){.partial = partial, .style = STYLE_PASS};
    Str error = worst ? percent_text(worst->relative_error, arena) : STR("—");
    out->word = str_of(flagged ? tr("DIFFERS") : tr("AGREES"));
    if (flagged) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where one is flagged, one is the worst
        out->style = worst->problem ? STYLE_ERROR : STYLE_WARNING;
        out->place = worst->target;
        out->reason = isnan(worst->relative_error)
                          ? str_printf(arena, tr("its gradient norm is no number on one side; %s"),
                                       localnorm_reading(norms))
                          : str_printf(arena, tr("its gradient norm is off by " STR_FMT "; %s"),
                                       STR_ARG(error), localnorm_reading(norms));
    } else {
        out->reason = str_printf(arena, tr("all gradient norms of weights, at most " STR_FMT),
                                 STR_ARG(error));
    }
    Str median = percent_text(norms->median_error, arena);
    out->context = str_printf(
        arena,
        tr_count(norms->count, "%zu weight paired, %zu off · median " STR_FMT " · step %lld",
                 "%zu weights paired, %zu off · median " STR_FMT " · step %lld"),
        norms->count, flagged, STR_ARG(median), (long long)norms->target.step);
    Str rest = flagged ? str_printf(arena, "%s " STR_FMT ": " STR_FMT, tr("at"),
                                    STR_ARG(out->place), STR_ARG(out->reason))
                       : out->reason;
    out->sentence = summary_sentence(out, rest, arena);
}

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
    return axis_log(pow(10, floor(log10(least))), pow(10, ceil(log10(most))), BAR_LEFT, BAR_RIGHT,
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
            figure_decade(scene, x, bottom + 16, 11, ANCHOR_MIDDLE, ROLE_INK3, tick->exponent);
        else
            scene_text(scene, x, bottom + 16, 11, 400, ANCHOR_MIDDLE, ROLE_INK3, tick->label);
    }
    for (int i = 0; i < 2 && look > 0; i++) {
        double limit = i ? LOCALNORM_PROBLEM * look : look, x = axis_at(axis, limit);
        Item *line = scene_line(scene, x, top, x, bottom, ROLE_INK3);
        line->paint.dash = 5;
        line->paint.gap = 4;
        scene_text(scene, x, top - 6, 11, 400, ANCHOR_MIDDLE, ROLE_INK3,
                   str_printf(scene->arena, "%g %%", 100 * limit));
    }
}

static void draw_row(Scene *scene, const Axis *axis, const NormPair *pair, double y)
{
    Status status = pair->problem ? STATUS_ERROR : pair->flagged ? STATUS_WARNING : STATUS_PASS;
    StatusLook look = status_look(status, false);
    Arena *arena = scene->arena;
    Str name = text_fit(pair->target, 12.5, 400, NAME_RIGHT - MARGIN - 24, arena);
    chip_draw(scene, MARGIN, y + 3, 13, status, false);
    Item *item = scene_text(scene, MARGIN + 22, y + 14, 12.5F, pair->flagged ? 700 : 400,
                            ANCHOR_START, ROLE_INK, name);
    scene_title(scene, item, STR_FMT " / " STR_FMT, STR_ARG(pair->target), STR_ARG(pair->golden));
    double error = localnorm_distance(pair), x = BAR_LEFT;
    if (error > 0)
        x = axis_at(axis, error > axis->high ? axis->high : error < axis->low ? axis->low : error);
    scene_box(scene, BAR_LEFT, y + 4, x - BAR_LEFT < 2 ? 2 : x - BAR_LEFT, ROW - 8, look.fill,
              look.edge);
    scene_text(scene, BAR_RIGHT + 84, y + 14, 12, pair->flagged ? 700 : 400, ANCHOR_END, ROLE_INK,
               percent_text(pair->relative_error, arena));
    Str share = figure_number(100 * pair->share, 2, arena);
    scene_text(scene, WIDTH - MARGIN, y + 14, 11, 400, ANCHOR_END, ROLE_INK2,
               str_printf(arena, STR_FMT " %%", STR_ARG(share)));
}

void norms_picture(const NormTable *norms, const Verdict *verdict, bool bare, Arena *arena,
                   Scene *out)
{
    scene_init(out, arena, "local-norms", WIDTH);
    out->title = verdict->sentence;
    double y = bare ? 8 : verdict_head(out, verdict, MARGIN) + 8;
    section_heading(out, MARGIN, y + 14, 15, str_of(tr("Gradient norm of each weight")),
                    str_of(tr("relative error, target against golden, log scale")));
    scene_text(out, WIDTH - MARGIN, y + 14, 11, 400, ANCHOR_END, ROLE_INK3,
               str_of(tr("share of all")));
    double least = least_shown(norms, arena), top = y + 40;
    Axis axis = error_scale(norms, arena);
    size_t rows = 0;
    for (size_t i = 0; i < norms->count && rows < ROWS_MAX; i++)
        rows += localnorm_distance(&norms->items[i]) >= least;
    draw_scale(out, &axis, norms->look, top, top + (double)rows * ROW);
    y = top;
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
            out, MARGIN, y, 11, 400, ANCHOR_START, ROLE_INK3,
            str_printf(arena, tr("the %zu largest errors of %zu weights"), drawn, norms->count));
        y += 16;
    }
    out->height = y + 4;
}
