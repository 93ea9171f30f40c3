// SPDX-License-Identifier: Apache-2.0
#include "picture/curves/curves_constants.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"

enum { NAMED_RUNS = 3 };

// Absent points stand for gaps. NaN: no point.
static bool is_constant(const Series *series, double *value)
{
    *value = NAN;
    for (size_t i = 0; i < series->count; i++) {
        double at = series->points.value[i];
        if (point_is_absent(at))
            continue;
        if (!isfinite(at) || (!isnan(*value) && at != *value))
            return false;
        *value = at;
    }
    return true;
}

bool curves_is_constant(const CurvesView *view, Str series)
{
    bool any = false;
    double first = NAN, value;
    for (size_t i = 0; i < view->report->runs->count; i++) {
        const Run *run = &view->report->runs->items[i];
        for (size_t k = 0; k < run->series_count; k++) {
            if (!str_equal(run->series[k].name, series))
                continue;
            if (!is_constant(&run->series[k], &value))
                return false;
            if (view->report->runs->count > NAMED_RUNS && any && !isnan(value) && value != first)
                return false;
            first = any ? first : value;
            any = any || !isnan(value);
        }
    }
    return any;
}

static Str value_text(double value, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_json(value, text);
    return str_printf(arena, "%s", text);
}

// What the runs have: how many have it, and what.
typedef struct Constants {
    size_t runs;
    bool alike;  // all of these the same
    Str value;   // of the first
    Str named;   // "1400 target · 1250 golden"
} Constants;

static Constants find_constants(const CurvesView *view, Str series, Arena *arena)
{
    Constants out = {.alike = true};
    StrBuf named = strbuf_new(arena);
    for (size_t i = 0; i < view->report->runs->count; i++) {
        const Run *run = &view->report->runs->items[i];
        const Series *own = run_series(run, str_cstr(arena, series));
        double value;
        if (!own || !is_constant(own, &value) || isnan(value))
            continue;
        Str text = value_text(value, arena);
        out.value = out.runs ? out.value : text;
        out.alike = out.alike && str_equal(text, out.value);
        strbuf_add(&named, out.runs++ ? STR(" · ") : STR(""));
        strbuf_add(&named, text);
        strbuf_add(&named, STR(" "));
        strbuf_add(&named, curves_run_name(view, run, CURVES_NAME_ROOM, arena));
    }
    out.named = strbuf_str(&named);
    return out;
}

static Str constant_text(const CurvesView *view, Str series, Arena *arena)
{
    size_t all = view->report->runs->count;
    Constants found = find_constants(view, series, arena);
    if (found.runs == all && found.alike)
        return str_printf(arena, tr("constant " STR_FMT), STR_ARG(found.value));
    if (all <= NAMED_RUNS)
        return str_printf(arena, tr("constant: " STR_FMT), STR_ARG(found.named));
    return str_printf(arena, tr("constant " STR_FMT " in %zu of %zu runs"), STR_ARG(found.value),
                      found.runs, all);
}

double curves_constant_row(const CurvesView *view, Str series, Scene *scene, double y)
{
    Arena *arena = scene->arena;
    double room = PAGE_WIDTH - 2 * PAGE_MARGIN;
    Str name = text_fit(curves_heading(series), SIZE_TEXT, 600, room / 3, arena);
    Str text = text_fit(constant_text(view, series, arena), SIZE_TEXT, 400,
                        room - text_width(name, SIZE_TEXT, 600) - 8, arena);
    Span spans[2] = {{.text = name, .weight = 600},
                     {.text = text, .weight = 400, .role = ROLE_INK2, .dx = 8}};
    scene_spans(scene, PAGE_MARGIN, y + 14, SIZE_TEXT, ANCHOR_START, ROLE_INK, spans, 2);
    return y + 20;
}
