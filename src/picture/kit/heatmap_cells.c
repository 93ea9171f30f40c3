// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/heatmap_cells.h"

#include <math.h>
#include <string.h>

#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum { PIECES_MAX = 6000, BIN_PX_MIN = 2, NUMBER_WIDTH = 64 };

static double special(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Not-a-numbers distinguished by their bits; arithmetic is never done with them.
double heat_absent(void)
{
    return special(UINT64_C(0x7FF8AB5E00000001));
}

double heat_nan(void)
{
    return special(UINT64_C(0x7FF8AB5E00000002));
}

double heat_infinity(void)
{
    return special(UINT64_C(0x7FF8AB5E00000003));
}

HeatKind heat_kind(double cell)
{
    if (!isnan(cell))
        return HEAT_VALUE;
    uint64_t bits;
    memcpy(&bits, &cell, sizeof bits);
    if (bits == UINT64_C(0x7FF8AB5E00000001))
        return HEAT_NOTHING;
    return bits == UINT64_C(0x7FF8AB5E00000003) ? HEAT_IS_INFINITY : HEAT_IS_NAN;
}

int heat_step(double log_ratio)
{
    double share = log_ratio / log10(4);  // -1 … 1
    share = share < -1 ? -1 : share > 1 ? 1 : share;
    return (int)lround((share + 1) / 2 * (HEAT_STEPS - 1));
}

int heat_weight(HeatKind kind)
{
    static const int weights[] = {
        [HEAT_NOTHING] = 0, [HEAT_VALUE] = 1, [HEAT_IS_INFINITY] = 2, [HEAT_IS_NAN] = 3};
    return weights[kind];
}

// The cell that stands for a bin: marks first, then what departs most from the usual.
static double bin_cell(const HeatMap *map, size_t panel, size_t row, size_t bin,
                       const HeatGrid *grid)
{
    const double *cells = map->panels[panel].cells + row * map->column_count;
    size_t from = bin * grid->columns_a_bin, to = from + grid->columns_a_bin;
    to = to < map->column_count ? to : map->column_count;
    double best = cells[from];
    for (size_t i = from + 1; i < to; i++) {
        int heavier = heat_weight(heat_kind(cells[i])) - heat_weight(heat_kind(best));
        bool further = heavier == 0 && fabs(cells[i]) > fabs(best);
        if (heavier > 0 || further)
            best = cells[i];
    }
    return best;
}

static bool row_is_empty(const HeatMap *map, size_t panel, size_t row)
{
    const double *cells = map->panels[panel].cells + row * map->column_count;
    for (size_t c = 0; c < map->column_count; c++)
        if (heat_kind(cells[c]) != HEAT_NOTHING)
            return false;
    return true;
}

Str heat_absent_row(const HeatMap *map, size_t panel)
{
    Str own = map->panels[panel].absent_row;
    return own.size ? own : map->absent_row;
}

bool heat_row_is_told(const HeatMap *map, size_t panel, size_t row, const HeatGrid *grid)
{
    return grid->row_height >= 13 && heat_absent_row(map, panel).size &&
           row_is_empty(map, panel, row);
}

static bool same_piece(double a, double b)
{
    if (heat_kind(a) == HEAT_NOTHING || heat_kind(b) == HEAT_NOTHING)
        return heat_kind(a) == heat_kind(b);
    return heat_kind(a) == HEAT_VALUE && heat_kind(b) == HEAT_VALUE && heat_step(a) == heat_step(b);
}

static size_t count_pieces(const HeatMap *map, const HeatGrid *grid)
{
    size_t pieces = 0;
    for (size_t p = 0; p < map->panel_count; p++)
        for (size_t r = 0; r < map->row_count; r++) {
            double last = heat_absent();
            for (size_t b = 0; b < grid->bins; b++) {
                double cell = bin_cell(map, p, r, b, grid);
                pieces += b == 0 || !same_piece(cell, last);
                last = cell;
            }
        }
    return pieces;
}

static void set_bins(const HeatMap *map, HeatGrid *grid, size_t columns_a_bin)
{
    grid->columns_a_bin = columns_a_bin;
    grid->bins = (map->column_count + columns_a_bin - 1) / columns_a_bin;
}

void heat_choose_bins(const HeatMap *map, HeatGrid *grid)
{
    size_t most = (size_t)(grid->panel_width / BIN_PX_MIN);
    size_t columns_a_bin = 1;
    while ((map->column_count + columns_a_bin - 1) / columns_a_bin > most)
        columns_a_bin++;
    set_bins(map, grid, columns_a_bin);
    while (grid->bins > 20 && count_pieces(map, grid) > PIECES_MAX)
        set_bins(map, grid, grid->columns_a_bin + (grid->columns_a_bin + 1) / 2);
}

double heat_bin_width(const HeatGrid *grid)
{
    return grid->bins ? grid->panel_width / (double)grid->bins : grid->panel_width;
}

double heat_x(const HeatGrid *grid, size_t panel, size_t column)
{
    return grid->left[panel] + (double)(column / grid->columns_a_bin) * heat_bin_width(grid);
}

void heat_mark(Scene *scene, double x, double y, double width, double height, HeatKind kind)
{
    bool is_nan = kind == HEAT_IS_NAN;
    scene_box(scene, x, y, width, height, is_nan ? ROLE_NAN : ROLE_INK, ROLE_NONE);
    double radius = (width < height ? width : height) * 0.28;
    double cx = x + width / 2, cy = y + height / 2;
    if (radius < 1.2)
        return;
    if (!is_nan) {
        Item *ring = scene_circle(scene, cx, cy, radius, ROLE_NONE, ROLE_PAPER);
        ring->paint.width = 1.2F;
        return;
    }
    PathStep steps[4] = {
        {.verb = PATH_MOVE, .x = cx - radius, .y = cy - radius},
        {.verb = PATH_LINE, .x = cx + radius, .y = cy + radius},
        {.verb = PATH_MOVE, .x = cx + radius, .y = cy - radius},
        {.verb = PATH_LINE, .x = cx - radius, .y = cy + radius},
    };
    Item *cross = scene_path(scene, steps, 4, ROLE_NONE, ROLE_NAN_INK);
    cross->paint.width = 1.4F;
}

// The pieces of one colour, gathered before they are drawn as one path.
// Where there is no value a line runs along the row: its ground is close to the middle of the
// scale.
static void add_nothing(Arena *arena, PathSteps *steps, double x, double y, double width)
{
    steps_line(steps, arena, x + 1, y, x + width - 1, y);
}

enum { PIECES_NOTHING = HEAT_STEPS, PIECE_KINDS };  // after the colours

static void gather_row(Arena *arena, const HeatMap *map, size_t panel, size_t row,
                       const HeatGrid *grid, PathSteps pieces[PIECE_KINDS])
{
    double width = heat_bin_width(grid), left = grid->left[panel];
    bool told = heat_row_is_told(map, panel, row, grid);
    for (size_t from = 0, to; from < grid->bins; from = to) {
        double cell = bin_cell(map, panel, row, from, grid);
        to = from + 1;
        while (to < grid->bins && same_piece(cell, bin_cell(map, panel, row, to, grid)))
            to++;
        double x = left + (double)from * width, wide = (double)(to - from) * width;
        if (heat_kind(cell) == HEAT_VALUE)
            steps_box(&pieces[heat_step(cell)], arena, x, grid->row_y[row], wide, grid->row_height);
        else if (heat_kind(cell) == HEAT_NOTHING && !told)
            add_nothing(arena, &pieces[PIECES_NOTHING], x, grid->row_y[row] + grid->row_height / 2,
                        wide);
    }
}

static void paint_marks(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid)
{
    double width = heat_bin_width(grid);
    for (size_t r = 0; r < map->row_count; r++)
        for (size_t b = 0; b < grid->bins; b++) {
            HeatKind kind = heat_kind(bin_cell(map, panel, r, b, grid));
            if (kind == HEAT_IS_NAN || kind == HEAT_IS_INFINITY)
                heat_mark(scene, grid->left[panel] + (double)b * width, grid->row_y[r], width,
                          grid->row_height, kind);
        }
}

// The value of each cell, where all cells of the panel have the room.
static void write_numbers(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid)
{
    double width = heat_bin_width(grid);
    const double *numbers = map->panels[panel].numbers;
    if (!numbers || grid->columns_a_bin > 1 || width < NUMBER_WIDTH || grid->row_height < 12)
        return;
    for (size_t i = 0; i < map->row_count * map->column_count; i++) {
        double cell = map->panels[panel].cells[i];
        if (heat_kind(cell) != HEAT_VALUE || isnan(numbers[i]))
            continue;
        Str text = figure_number(numbers[i], 3, scene->arena);
        double x = grid->left[panel] + ((double)(i % map->column_count) + 0.5) * width;
        double y = grid->row_y[i / map->column_count] + grid->row_height / 2;
        double plate = text_width(text, SIZE_NOTE, 400) + 6;
        // On a plate: not every colour of the scale is far enough from both paper and ink.
        scene_box(scene, x - plate / 2, y - 6, plate, 12, ROLE_PAPER, ROLE_NONE);
        scene_text(scene, x, y + 4, SIZE_NOTE, 400, ANCHOR_MIDDLE, ROLE_INK, text);
    }
}

void heat_paint(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid)
{
    Arena *scratch = arena_new();
    PathSteps pieces[PIECE_KINDS] = {{0}};
    for (size_t r = 0; r < map->row_count; r++)
        gather_row(scratch, map, panel, r, grid, pieces);
    for (int step = 0; step < HEAT_STEPS; step++)
        if (pieces[step].count)
            scene_path(scene, pieces[step].items, pieces[step].count, (Role)(ROLE_HEAT + step),
                       ROLE_NONE);
    const PathSteps *nothing = &pieces[PIECES_NOTHING];
    if (nothing->count)
        scene_path(scene, nothing->items, nothing->count, ROLE_NONE, ROLE_INK3);
    paint_marks(scene, map, panel, grid);
    write_numbers(scene, map, panel, grid);
    arena_release(scratch);
}
