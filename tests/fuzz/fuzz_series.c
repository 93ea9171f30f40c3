// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export/summary/curves_summary.h"
#include "fuzz_input.h"
#include "model/run/run_join.h"
#include "parts_same.h"
#include "picture/curves/curves_picture.h"
#include "picture/kit/verdict_head.h"
#include "read/log/series_source.h"
#include "trend/curves/judge_curves.h"
#include "verdict/curves_verdict.h"

// Any bytes as a training log, table, JSON or event file: no crash, steps rise after joining, and a
// run compared with itself never differs, and every place in its picture is finite; lines taken for
// ones like those before give what they give by themselves.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rising(const Run *run)
{
    for (size_t i = 0; i < run->series_count; i++)
        for (size_t k = 1; k < run->series[i].count; k++)
            if (run->series[i].points.x[k] <= run->series[i].points.x[k - 1])
                abort();
}

static void check_finite(const Scene *scene)
{
    for (size_t i = 0; i < scene->count; i++) {
        const Item *item = &scene->items[i];
        if (item->kind == ITEM_TEXT && !(isfinite(item->as.text.x) && isfinite(item->as.text.y)))
            abort();
        for (size_t k = 0; item->kind == ITEM_PATH && k < item->as.path.count; k++)
            if (!isfinite(item->as.path.steps[k].x) || !isfinite(item->as.path.steps[k].y))
                abort();
    }
}

static void check_same(const Run *run, Arena *arena)
{
    Runs runs = {0};
    CurveFindings report;
    *ARRAY_PUSH(arena, &runs) = *run;
    *ARRAY_PUSH(arena, &runs) = *run;
    runs.items[0].role = ROLE_GOLDEN_RUN;
    runs.items[1].role = ROLE_TARGET_RUN;
    curves_judge(&runs, CRITERION_LONG, NULL, NULL, arena, &report);
    for (size_t i = 0; i < report.count; i++)
        if (report.items[i].beyond)
            abort();
    Verdict verdict;
    Scene scene;
    curves_verdict(&report, false, arena, &verdict);
    CurvesView view = {.report = &report, .smooth = 21, .x_unit = "step"};
    curves_picture(&view, "curves", arena, &scene);
    check_finite(picture_with_verdict(&scene, &verdict, arena));
}

static void check_alike(const Parts *parts, Str text, Arena *arena)
{
    Parts parsed = {.parses_all = true};
    Notices notices;
    Error err;
    notices_init(&notices, arena);
    series_source_read_text("worker_1.log", text, arena, &parsed, &notices, &err);
    if (!parts_same(parts, &parsed))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Parts parts = {0};
    Notices notices;
    Error err;
    Run run;
    notices_init(&notices, arena);
    Str text = fuzz_copy(data, size);
    bool good = series_source_read_text("worker_1.log", text, arena, &parts, &notices, &err);
    if (good)
        check_alike(&parts, text, arena);
    free((void *)text.data);  // nothing may point into the file any more
    if (good && parts.count) {
        join_run(parts.items, parts.count, arena, &run, &notices);
        check_rising(&run);
        check_same(&run, arena);
    }
    arena_release(arena);
    return 0;
}
