// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/heatmap_cells.h"

#include <math.h>
#include <string.h>

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

GridCell heat_look(HeatKind kind)
{
    static const GridCell looks[] = {
        [HEAT_NOTHING] = {.edge = ROLE_INK3, .line = true, .edge_width = 1},
        [HEAT_IS_NAN] = {.fill = ROLE_NAN, .mark = GRID_NAN},
        [HEAT_IS_INFINITY] = {.fill = ROLE_INK, .mark = GRID_INFINITY}};
    return looks[kind];
}

// The value of each cell is written where all cells of the panel have the room.
static Str number_of(const HeatMap *map, size_t panel, size_t row, size_t column,
                     const HeatGrid *grid, Arena *arena)
{
    const double *numbers = map->panels[panel].numbers;
    bool room =
        grid->columns_a_bin == 1 && heat_bin_width(grid) >= NUMBER_WIDTH && grid->row_height >= 12;
    double number = numbers && room ? numbers[row * map->column_count + column] : (double)NAN;
    return isnan(number) ? STR("") : figure_number(number, 3, arena);
}

size_t heat_row_cells(const HeatMap *map, size_t panel, size_t row, const HeatGrid *grid,
                      Arena *arena, GridCell *out)
{
    size_t count = 0;
    double last = heat_nan();
    if (heat_row_is_told(map, panel, row, grid))
        return 0;
    for (size_t bin = 0; bin < grid->bins; bin++) {
        double cell = bin_cell(map, panel, row, bin, grid);
        if (bin && same_piece(last, cell) && !out[count - 1].number.size) {
            out[count - 1].columns++;
            continue;
        }
        last = cell;
        HeatKind kind = heat_kind(cell);
        if (kind == HEAT_VALUE) {
            Role fill = (Role)(ROLE_HEAT + heat_step(cell));
            Str number = number_of(map, panel, row, bin, grid, arena);
            out[count] = (GridCell){.fill = fill, .number = number};
        } else {
            out[count] = heat_look(kind);
        }
        out[count++].columns = 1;
    }
    return count;
}
