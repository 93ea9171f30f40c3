// SPDX-License-Identifier: Apache-2.0
// What the parts of the picture of curves ask: which series are shown, where they begin and end,
// which comparison they tell of, and how a run looks.
#include "picture/curves/curves_view.h"

#include "base/words.h"
#include "picture/kit/axis.h"
#include "verdict/curves_verdict.h"

bool curves_shown(const CurvesView *view, Str series)
{
    Str rest = view->series, name;
    if (rest.size == 0)
        return true;
    while (str_split(&rest, ',', &name))
        if (str_equal(str_trim(name), series))
            return true;
    return false;
}

Str curves_x_label(const CurvesView *view, int64_t x, Arena *arena)
{
    return view->over_time ? axis_time_label(x, arena) : axis_step_label(x, arena);
}

void curves_extent(const CurvesView *view, int64_t *first, int64_t *last)
{
    bool any = false;
    *first = 0;
    *last = 0;
    for (size_t i = 0; i < view->report->runs->count; i++) {
        const Run *run = &view->report->runs->items[i];
        for (size_t k = 0; k < run->series_count; k++) {
            const Series *series = &run->series[k];
            if (series->count == 0 || !curves_shown(view, series->name))
                continue;
            int64_t low = series->points[0].x, high = series->points[series->count - 1].x;
            *first = !any || low < *first ? low : *first;
            *last = !any || high > *last ? high : *last;
            any = true;
        }
    }
}

const CurveComparison *curves_loss(const CurvesView *view)
{
    const CurveComparison *deciding = curves_deciding(view->report);
    if (deciding && str_equal(deciding->series, STR("loss")))
        return deciding;
    for (size_t i = 0; i < view->report->count; i++)
        if (str_equal(view->report->items[i].series, STR("loss")))
            return &view->report->items[i];
    return NULL;
}

enum { PALETTE = 6 };

RunLook run_look(const Runs *runs, const Run *run)
{
    static const RunLook others[PALETTE] = {
        {ROLE_TARGET, 1.3F, 0}, {ROLE_NOISE, 1.6F, 0}, {ROLE_GOLDEN, 1.6F, 0},
        {ROLE_ACCENT, 1.3F, 6}, {ROLE_NAN, 1.3F, 3},   {ROLE_WARNING_EDGE, 1.3F, 8},
    };
    size_t place = 0;
    for (const Run *at = runs->items; at != run; at++)
        place += at->role == run->role;
    switch (run->role) {
    case ROLE_GOLDEN_RUN:
        return (RunLook){ROLE_GOLDEN, 3, 0};
    case ROLE_NOISE_RUN:
        return (RunLook){ROLE_NOISE, 1.6F, (float)(place % 3) * 4};
    case ROLE_TARGET_RUN:
        return place == 0 ? others[0] : others[2 + (place + 1) % (PALETTE - 2)];
    case ROLE_SINGLE:
        break;
    }
    return others[place % PALETTE];
}

Str curves_heading(Str series)
{
    static const char *const names[][2] = {
        {"loss", TR("Loss")},
        {"grad_norm", TR("Gradient norm")},
        {"lr", TR("Learning rate")},
        {"loss_scale", TR("Loss scale")},
        {"throughput", TR("Throughput")},
        {"step_time_ms", TR("Time of a step, ms")},
        {"eval_loss", TR("Validation loss")},
        {"params_norm", TR("Norm of all weights")},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal(series, str_of(names[i][0])))
            return str_of(tr(names[i][1]));
    return series;
}
