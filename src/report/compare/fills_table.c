// SPDX-License-Identifier: Apache-2.0
#include "report/compare/fills_table.h"

#include <string.h>

#include "base/number.h"

static const Column columns[] = {
    {.title = {"row", 3}, .number = true},
    {.title = {"column", 6}, .number = true},
    {.title = {"name", 4}},
    {.title = {"rgb", 3}},
};

typedef struct FillsState {
    Table *rows;
    const Theme *theme;
    Cell *cells;    // of the row at work
    uint64_t row;   // its number, 1 for the header
    size_t column;  // the next to look at
    char rgb[6];
    char row_text[NUMBER_BYTES], column_text[NUMBER_BYTES];
} FillsState;

// Roles of the styles that paint the cell; ROLE_NONE for those that do not.
static const uint8_t fill_roles[STYLE_COUNT] = {
    [STYLE_WARNING] = ROLE_WARNING_FILL,  [STYLE_ERROR] = ROLE_ERROR_FILL,
    [STYLE_ERROR_TINT] = ROLE_ERROR_TINT, [STYLE_WARNING_TINT] = ROLE_WARNING_TINT,
    [STYLE_UNMATCHED] = ROLE_BAND,        [STYLE_SAME] = ROLE_SAME_FILL,
    [STYLE_PASS] = ROLE_PASS_FILL,
};

// The fill of a cell style in workbooks; false for styles without one.
static bool fill_of_style(CellStyle style, const Theme *theme, uint32_t *rgb)
{
    if (style == STYLE_MSPROBE_RED || style == STYLE_MSPROBE_YELLOW) {
        *rgb = style == STYLE_MSPROBE_RED ? 0xFF0000 : 0xFFFF00;
        return true;
    }
    if (fill_roles[style] == ROLE_NONE)
        return false;
    *rgb = theme_rgb(theme, (Role)fill_roles[style], false);
    return true;
}

// A count of rows or columns.
static Cell cell_count(uint64_t value, char text[NUMBER_BYTES])
{
    int size = number_fixed((double)value, 0, text);
    return cell_number_as((double)value, (Str){text, (size_t)size});
}

static Str rgb_text(uint32_t rgb, char text[6])
{
    for (int i = 0; i < 6; i++)
        text[i] = "0123456789ABCDEF"[rgb >> (20 - 4 * i) & 0xF];
    return (Str){text, 6};
}

static bool next_styles(const Table *rows, Cell *cells)
{
    return (rows->next_styles ? rows->next_styles : rows->next)(rows->state, cells);
}

static bool next_fill(void *data, Cell *cells)
{
    FillsState *state = data;
    for (;;) {
        for (; state->column < state->rows->column_count; state->column++) {
            uint32_t rgb;
            if (!fill_of_style(state->cells[state->column].style, state->theme, &rgb))
                continue;
            cells[0] = cell_count(state->row, state->row_text);
            cells[1] = cell_count(state->column + 1, state->column_text);
            cells[2] = cell_text(state->rows->columns[state->column].title);
            cells[3] = cell_text(rgb_text(rgb, state->rgb));
            state->column++;
            return true;
        }
        memset(state->cells, 0, state->rows->column_count * sizeof *state->cells);
        if (!next_styles(state->rows, state->cells))
            return false;
        state->row++;
        state->column = 0;
    }
}

static void rewind_fills(void *data)
{
    FillsState *state = data;
    state->rows->rewind(state->rows->state);
    state->row = 1;
    state->column = state->rows->column_count;
}

void fills_table_init(Table *table, Table *rows, const Theme *theme, Arena *arena)
{
    FillsState *state = ARENA_NEW(arena, FillsState);
    *state = (FillsState){
        .rows = rows, .theme = theme, .cells = ARENA_ARRAY(arena, Cell, rows->column_count)};
    rewind_fills(state);
    *table = (Table){.name = STR("fills"),
                     .columns = columns,
                     .column_count = sizeof columns / sizeof *columns,
                     .row_count = UINT64_MAX,
                     .next = next_fill,
                     .rewind = rewind_fills,
                     .state = state};
}
