// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/card_neighbours.h"

#include "base/words.h"
#include "compare/judge/judge.h"
#include "picture/compare/node_name.h"
#include "picture/kit/chip.h"
#include "picture/kit/error_axis.h"
#include "picture/kit/label_set.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"

enum { AROUND = 3, SHOWN = 2 * AROUND + 1, GAP = 6, HEIGHT = 66 };

// PAIR_NONE: no op at this place; PLACE_GAP: the other side's op has no partner here.
#define PLACE_GAP (PAIR_NONE - 1)

typedef struct Neighbours {
    Scene *scene;
    const Comparison *comparison;
    uint32_t center;  // the op in question
    uint32_t pairs[SHOWN];
    uint32_t position[SHOWN];  // from 1
    double left, y;
    LabelSet *labels;
} Neighbours;

static double box_width(void)
{
    return (CARD_WIDTH - 2.0 * CARD_MARGIN - GAP * (SHOWN - 1)) / SHOWN;
}

static void draw_arrow(Scene *scene, double x, double y)
{
    PathStep steps[3] = {{.verb = PATH_MOVE, .x = x - 1.5, .y = y - 3},
                         {.verb = PATH_LINE, .x = x + 1.5, .y = y},
                         {.verb = PATH_LINE, .x = x - 1.5, .y = y + 3}};
    scene_path(scene, steps, 3, ROLE_NONE, ROLE_INK3)->paint.width = 1.2F;
}

static void draw_gap(const Neighbours *row, double x, double width)
{
    Item *box = scene_box(row->scene, x, row->y, width, HEIGHT, ROLE_NONE, ROLE_NODATA_EDGE);
    box->paint.dash = box->paint.gap = 3;
    box->as.box.radius = 3;
    Str text = str_of(tr("no partner"));
    row_text(row->scene, x + width / 2, row->y + 37, ANCHOR_MIDDLE,
             text_fit(text, SIZE_TEXT, 400, width - 8, row->scene->arena));
}

static void draw_op(const Neighbours *row, size_t i, double x, double width)
{
    Scene *scene = row->scene;
    Arena *arena = scene->arena;
    const OpPair *pair = &row->comparison->ops[row->pairs[i]];
    bool center = row->pairs[i] == row->center;
    int weight = center ? 700 : 400;
    Item *box = scene_box(scene, x, row->y, width, HEIGHT, center ? ROLE_ERROR_TINT : ROLE_PANEL,
                          center ? ROLE_ERROR_FILL : ROLE_HAIR);
    box->paint.width = center ? 2 : 1;
    box->as.box.radius = 3;
    chip_draw(scene, x + 8, row->y + 8, 13, (Status)pair->status, pair->inherited);
    scene_text(scene, x + width - 8, row->y + 19, SIZE_TINY, 400, ANCHOR_END, ROLE_INK2,
               str_printf(arena, "#%u", row->position[i]));
    Str name = op_name_loose(row->comparison, row->pairs[i], arena).local;
    Item *item = scene_text(scene, x + 8, row->y + 38, SIZE_TEXT, weight, ANCHOR_START, ROLE_INK,
                            label_fit(row->labels, name, SIZE_TEXT, weight, width - 14, arena));
    item->title = op_full_name(row->comparison, row->pairs[i], arena);
    ErrorMark error = error_of_op(row->comparison, row->pairs[i], OP_OUTPUTS, arena);
    scene_text(scene, x + 8, row->y + 56, SIZE_TEXT, weight, ANCHOR_START,
               center ? ROLE_INK : ROLE_INK2, error.text);
}

static void draw_row(const Neighbours *row)
{
    double width = box_width();
    for (size_t i = 0; i < SHOWN; i++) {
        double x = row->left + (width + GAP) * (double)i;
        if (row->pairs[i] == PLACE_GAP)
            draw_gap(row, x, width);
        else if (row->pairs[i] != PAIR_NONE)
            draw_op(row, i, x, width);
        else
            continue;
        if (i + 1 < SHOWN && row->pairs[i + 1] != PAIR_NONE)
            draw_arrow(row->scene, x + width + GAP / 2.0, row->y + HEIGHT / 2.0);
    }
}

static void fill_around(Neighbours *row)
{
    for (uint32_t i = 0; i < SHOWN; i++) {
        int64_t at = (int64_t)row->center + i - AROUND;
        row->pairs[i] = at < 0 || at >= row->comparison->op_count ? PAIR_NONE : (uint32_t)at;
        row->position[i] = (uint32_t)(at + 1);
    }
}

static uint32_t op_of_side(const OpPair *pair, bool golden)
{
    return golden ? pair->golden : pair->target;
}

// One side's ops around `center` (an op of its dump), or around a gap after it.
static void fill_side(Neighbours *row, bool golden, int64_t center, bool gap)
{
    const Comparison *comparison = row->comparison;
    int64_t first = center - AROUND + (gap ? 1 : 0);
    for (uint32_t i = 0; i < SHOWN; i++)
        row->pairs[i] = gap && i == AROUND ? PLACE_GAP : PAIR_NONE;
    for (uint32_t op = 0; op < comparison->op_count; op++) {
        uint32_t at = op_of_side(&comparison->ops[op], golden);
        if (at == OP_NONE || (int64_t)at < first)
            continue;
        int64_t place = (int64_t)at - first;
        place += gap && place >= AROUND ? 1 : 0;
        if (place >= SHOWN)
            continue;
        row->pairs[place] = op;
        row->position[place] = at + 1;
    }
}

static double draw_side(Neighbours *row, bool golden, double y)
{
    Scene *scene = row->scene;
    side_draw(scene, row->left + 4, y + 10, golden);
    scene_text(scene, row->left + 14, y + 14, SIZE_TEXT, 600, ANCHOR_START, ROLE_INK,
               str_of(golden ? tr("golden") : tr("target")));
    row->y = y + 22;
    draw_row(row);
    return row->y + HEIGHT + 10;
}

// The last op of the other side that stands before the missing one.
static int64_t partner_before(const Comparison *comparison, uint32_t op, bool other_golden)
{
    for (uint32_t i = op; i-- > 0;) {
        uint32_t at = op_of_side(&comparison->ops[i], other_golden);
        if (at != OP_NONE)
            return at;
    }
    return -1;
}

// What the other side runs in place of the op, or PAIR_NONE.
static uint32_t replacement(const Comparison *comparison, uint32_t op, bool other_golden)
{
    const Divergence *first = &comparison->first;
    uint32_t other = first->op == op ? first->beside : first->op;
    if (other == PAIR_NONE || comparison->ops[other].status != STATUS_UNMATCHED)
        return PAIR_NONE;
    return op_of_side(&comparison->ops[other], other_golden) == OP_NONE ? PAIR_NONE : other;
}

static double draw_missing(Neighbours *row, double y)
{
    const Comparison *comparison = row->comparison;
    const OpPair *pair = &comparison->ops[row->center];
    bool golden_has = pair->golden != OP_NONE;
    uint32_t instead = replacement(comparison, row->center, !golden_has);
    for (int side = 0; side < 2; side++) {
        bool golden = side == 0;
        if (golden == golden_has)
            fill_side(row, golden, op_of_side(pair, golden), false);
        else if (instead != PAIR_NONE)
            fill_side(row, golden, op_of_side(&comparison->ops[instead], golden), false);
        else
            fill_side(row, golden, partner_before(comparison, row->center, golden), true);
        y = draw_side(row, golden, y);
    }
    return y;
}

double card_neighbours(Scene *scene, const Comparison *comparison, uint32_t op, double y)
{
    const OpPair *pair = &comparison->ops[op];
    LabelSet labels = {0};
    Neighbours row = {.scene = scene,
                      .comparison = comparison,
                      .center = op,
                      .left = CARD_MARGIN,
                      .labels = &labels};
    section_heading(scene, CARD_MARGIN, y + 28, SIZE_STRONG,
                    str_of(tr("Neighbours in execution order")),
                    str_of(tr("worst output error of each op")));
    if (pair->golden == OP_NONE || pair->target == OP_NONE)
        return draw_missing(&row, y + 36);
    row.y = y + 42;
    fill_around(&row);
    draw_row(&row);
    return row.y + HEIGHT;
}
