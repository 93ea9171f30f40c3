// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/precheck_picture.h"

#include "base/array.h"
#include "base/words.h"
#include "compare/precheck_ops.h"
#include "picture/kit/chip.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum { ROWS_MAX = 24, CHIPS_A_LINE = 44, CHIPS_MAX = 3 * CHIPS_A_LINE };

static const double chips_x = 288, chip_size = 15, row_height = 24;

// The APIs of one standard, the worst first, as they are in the list.
typedef struct Group {
    const char *standard;  // TR
    size_t count, shown;
    GridCell cells[CHIPS_MAX];
} Group;

typedef struct Groups {
    Group *items;
    size_t count, capacity;
} Groups;

static const char *standard_of(const PrecheckFinding *finding)
{
    if (finding->standard)
        return finding->standard;
    if (finding->status >= PRECHECK_WARNING)
        return TR("no reason in the files");
    return finding->status == PRECHECK_PASS ? TR("passed") : TR("not checked");
}

static Group *group_of(Groups *groups, const char *standard, Arena *arena)
{
    for (size_t i = 0; i < groups->count; i++)
        if (str_equal(str_of(groups->items[i].standard), str_of(standard)))
            return &groups->items[i];
    Group *added = ARRAY_PUSH(arena, groups);
    *added = (Group){.standard = standard};
    return added;
}

static Groups find_groups(const Precheck *of, uint32_t *shown, Arena *arena)
{
    Groups groups = {0};
    for (size_t i = 0; i < of->count; i++) {
        const PrecheckFinding *finding = &of->items[i];
        Group *group = group_of(&groups, standard_of(finding), arena);
        Status status = precheck_status(finding->status);
        group->count++;
        if (group->shown == CHIPS_MAX)
            continue;
        GridCell *cell = &group->cells[group->shown++];
        *cell = grid_chip(status, false);
        cell->title = precheck_name(finding, arena);
        *shown |= 1U << status;
    }
    return groups;
}

static double draw_group(Scene *scene, const Grid *grid, const Group *group, double y)
{
    Str label = str_of(tr(group->standard)), total = figure_count(group->count, scene->arena);
    for (size_t from = 0; from < group->shown; from += CHIPS_A_LINE) {
        size_t left = group->shown - from;
        GridRow row = {.label = from ? STR("") : label,
                       .weight = 400,
                       .role = ROLE_INK,
                       .cells = &group->cells[from],
                       .count = left < CHIPS_A_LINE ? left : CHIPS_A_LINE,
                       .total = from ? STR("") : total};
        y = grid_row(scene, grid, &row, y);
    }
    return y;
}

static double draw_groups(Scene *scene, const Groups *groups, double y)
{
    const Grid grid = {.label_x = PAGE_MARGIN,
                       .label_room = chips_x - PAGE_MARGIN - 12,
                       .label_size = SIZE_STRONG,
                       .left = chips_x,
                       .pitch = 19,
                       .gap = 19 - chip_size,
                       .height = chip_size,
                       .row = 24,
                       .total_x = PAGE_WIDTH - PAGE_MARGIN};
    for (size_t i = 0; i < groups->count; i++)
        y = draw_group(scene, &grid, &groups->items[i], y);
    return y;
}

// What the legend calls the chips.
static const ChipWord words[] = {{STATUS_ERROR, TR("failed")},
                                 {STATUS_WARNING, TR("warned")},
                                 {STATUS_PASS, TR("passed")},
                                 {STATUS_NO_DATA, TR("not checked")}};

static void draw_text(Scene *scene, double x, double width, double y, int weight, Role role,
                      Str text)
{
    Str fit = text_fit(text, SIZE_STRONG, weight, width, scene->arena);
    Item *item = scene_text(scene, x, y, SIZE_STRONG, weight, ANCHOR_START, role, fit);
    if (fit.size != text.size)
        item->title = text;
}

static double draw_findings(Scene *scene, const Precheck *of, double y)
{
    size_t bad = of->counts[PRECHECK_ERROR] + of->counts[PRECHECK_WARNING];
    if (bad == 0)
        return y;
    y += 40;
    section_heading(scene, PAGE_MARGIN, y, SIZE_HEADING, str_of(tr("Worst first")),
                    str_of(tr("the figure that decides, as the file has it")));
    section_rule(scene, y + 10);
    y += 12;
    for (size_t i = 0; i < bad && i < ROWS_MAX; i++) {
        const PrecheckFinding *finding = &of->items[i];
        y += row_height;
        chip_draw(scene, PAGE_MARGIN, y - 12, chip_size, precheck_status(finding->status), false);
        draw_text(scene, 60, 470, y, 600, ROLE_INK, precheck_name(finding, scene->arena));
        draw_text(scene, 548, 470, y, 400, ROLE_INK, precheck_reason(finding, scene->arena));
        draw_text(scene, 1036, 132, y, 400, ROLE_INK2, finding->dtype);
    }
    if (bad > ROWS_MAX) {
        y += row_height;
        scene_text(scene, 60, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2,
                   str_printf(scene->arena, tr("… and %zu more"), bad - ROWS_MAX));
    }
    return y;
}

void precheck_picture(const Precheck *of, Arena *arena, Scene *out)
{
    uint32_t shown = 0;
    Groups groups = find_groups(of, &shown, arena);
    scene_init(out, arena, "precheck", PAGE_WIDTH);
    double y = 26;
    section_heading(out, PAGE_MARGIN, y, SIZE_HEADING, str_of(tr("APIs by standard")),
                    str_of(tr("a chip for each API and direction; what failed stands first")));
    y = draw_groups(out, &groups, y + 16) + 16;
    chip_words(out, chips_x, y, words, sizeof words / sizeof *words, shown);
    out->height = draw_findings(out, of, y) + 24;
    out->description = str_of(tr("what the accuracy pre-check says of each API"));
}
