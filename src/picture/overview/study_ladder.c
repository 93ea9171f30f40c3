// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/study_ladder.h"

#include "base/words.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

// The ladder: a rail with one rung a stage. Each says how it went by chip and word, then the number
// that decided in bold, and the rule in small print; a stage that was not done says what it needs.

static const double rail_x = 51, title_x = 80, text_x = 320;
static const double line_height = 17, chip_size = 15;
enum { LINES_MAX = 3 };

typedef struct Rung {
    Str number[LINES_MAX], rule[LINES_MAX];
    size_t number_lines, rule_lines;
    double height;
} Rung;

static Str small_print(const StageResult *result, Arena *arena)
{
    if (result->status == STAGE_NOT_DONE)
        return str_printf(arena, tr("collect: %s"), result->info.collect);
    return str_printf(arena, tr("rule: %s (%s)"), str_cstr(arena, result->rule),
                      str_cstr(arena, result->source));
}

static Str main_text(const StageResult *result, Arena *arena)
{
    if (result->status != STAGE_NOT_DONE)
        return result->number;
    const char *needs = tr(result->info.needs);
    if (result->reason.size)
        return str_printf(arena, tr(STR_FMT "; needs %s"), STR_ARG(result->reason), needs);
    return str_printf(arena, tr("needs %s"), needs);
}

static void measure(const StageResult *result, Arena *arena, Rung *out)
{
    double room = PAGE_WIDTH - PAGE_MARGIN - 16 - text_x;
    bool done = result->status != STAGE_NOT_DONE;
    WrapRule number = {.size = SIZE_STRONG,
                       .weight = done ? 600 : 400,
                       .width = room,
                       .after = " ",
                       .lines = LINES_MAX,
                       .even = true};
    WrapRule rule = {.size = SIZE_NOTE, .weight = 400, .width = room, .after = " ", .lines = 2};
    out->number_lines = figure_wrap(main_text(result, arena), &number, arena, out->number);
    out->rule_lines = figure_wrap(small_print(result, arena), &rule, arena, out->rule);
    out->height = 12 + line_height * (double)out->number_lines + 15 * (double)out->rule_lines + 8;
}

static CellStyle chip_style(const StageResult *result)
{
    static const CellStyle styles[] = {STYLE_NO_DATA, STYLE_PASS, STYLE_ERROR};
    return result->unreadable ? STYLE_UNMATCHED : styles[result->status];
}

static Role word_role(StageStatus status)
{
    return status == STAGE_FAILED ? ROLE_ERROR_TEXT : status == STAGE_PASSED ? ROLE_INK : ROLE_INK3;
}

static void draw_rung(Scene *scene, const StageResult *result, const Rung *rung, double y)
{
    bool done = result->status != STAGE_NOT_DONE;
    Role ink = done ? ROLE_INK : ROLE_INK2;
    double base = y + 22;
    if (result->status == STAGE_FAILED)
        scene_box(scene, PAGE_MARGIN, y + 3, PAGE_WIDTH - 2 * PAGE_MARGIN, rung->height - 6,
                  ROLE_PANEL, ROLE_ERROR_EDGE)
            ->as.box.radius = 4;
    scene_box(scene, rail_x - chip_size / 2 - 3, base - 5 - chip_size / 2 - 3, chip_size + 6,
              chip_size + 6, ROLE_PAPER, ROLE_NONE);
    chip_draw_style(scene, rail_x - chip_size / 2, base - 5 - chip_size / 2, chip_size,
                    chip_style(result));
    fitted_text(scene, title_x, base, SIZE_STRONG, 600, ink, text_x - title_x - 8,
                str_of(tr(result->info.title)));
    const char *word =
        result->unreadable ? tr("not readable") : tr(stage_status_text(result->status));
    scene_text(scene, title_x, base + line_height, SIZE_NOTE, 400, ANCHOR_START,
               word_role(result->status), str_of(word));
    for (size_t i = 0; i < rung->number_lines; i++)
        scene_text(scene, text_x, base + line_height * (double)i, SIZE_STRONG, done ? 600 : 400,
                   ANCHOR_START, ink, rung->number[i]);
    double rule_y = base + line_height * (double)rung->number_lines - 1;
    for (size_t i = 0; i < rung->rule_lines; i++)
        scene_text(scene, text_x, rule_y + 15 * (double)i, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3,
                   rung->rule[i]);
}

void study_ladder(const StudyView *view, Arena *arena, Scene *out)
{
    Rung rungs[STAGE_COUNT];
    scene_init(out, arena, "ladder", PAGE_WIDTH);
    double y = 8, first = 0, last = 0, at = y;
    for (int i = 0; i < STAGE_COUNT; i++) {
        measure(&view->stages[i], arena, &rungs[i]);
        if (i == 0)
            first = at + 17;
        last = at + 17;
        at += rungs[i].height;
    }
    scene_line(out, rail_x, first, rail_x, last, ROLE_RULE);
    for (int i = 0; i < STAGE_COUNT; i++) {
        draw_rung(out, &view->stages[i], &rungs[i], y);
        y += rungs[i].height;
    }
    out->height = y + 12;
    out->description = str_of(tr("the stages of the study, in the order of the guide"));
}
