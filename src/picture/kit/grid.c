// SPDX-License-Identifier: Apache-2.0
// Rows of cells: labels, boxes, chips, letters and totals, each drawn in one way.
#include "picture/kit/grid.h"

#include <math.h>

#include "base/array.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"

enum { LETTER_FROM = 12, DISC_FROM = 14 };  // px of width

GridCell grid_box(Status status, bool inherited)
{
    StatusLook look = status_look(status, inherited);
    return (GridCell){.fill = look.fill,
                      .edge = look.edge,
                      .edge_width = look.edge_width,
                      .hatch = status == STATUS_UNMATCHED,
                      .letter = look.letter,
                      .ink = look.ink,
                      .status = status,
                      .inherited = inherited};
}

GridCell grid_chip(Status status, bool inherited)
{
    GridCell cell = grid_box(status, inherited);
    cell.chip = true;
    return cell;
}

double grid_base(const Grid *grid, double y)
{
    return y + grid->height / 2 + 4;
}

static bool is_empty(const GridCell *cell)
{
    return cell->fill == ROLE_NONE && cell->edge == ROLE_NONE;
}

static void draw_chip(Scene *scene, const GridCell *cell, double x, double y, double width,
                      double height)
{
    double size = width < height ? width : height;
    scene_group(scene, STR(""), cell->title, cell->link);
    chip_draw(scene, x + (width - size) / 2, y + (height - size) / 2, size, cell->status,
              cell->inherited);
    scene_group_end(scene);
}

// On a plate: not every colour of a scale is far enough from both paper and ink.
static void draw_number(Scene *scene, Str number, double x, double y, double width)
{
    double plate = text_width(number, SIZE_NOTE, 400) + 6;
    if (plate + 2 > width)
        return;
    scene_box(scene, x - plate / 2, y - 6, plate, 12, ROLE_PAPER, ROLE_NONE);
    scene_text(scene, x, y + 4, SIZE_NOTE, 400, ANCHOR_MIDDLE, ROLE_INK, number);
}

static void draw_cross(Scene *scene, double x, double y, double radius)
{
    PathStep steps[4] = {
        {.verb = PATH_MOVE, .x = x - radius, .y = y - radius},
        {.verb = PATH_LINE, .x = x + radius, .y = y + radius},
        {.verb = PATH_MOVE, .x = x + radius, .y = y - radius},
        {.verb = PATH_LINE, .x = x - radius, .y = y + radius},
    };
    scene_path(scene, steps, 4, ROLE_NONE, ROLE_NAN_INK)->paint.width = 1.4F;
}

static void draw_mark(Scene *scene, const GridCell *cell, double x, double y, double width,
                      double height)
{
    double radius = fmin(width, height) * 0.28;
    if (cell->mark && radius < 1.2)
        return;
    if (cell->mark == GRID_NAN)
        draw_cross(scene, x, y, radius);
    else if (cell->mark)
        scene_circle(scene, x, y, radius, ROLE_NONE, ROLE_PAPER)->paint.width = 1.2F;
    else if (cell->disc && width >= DISC_FROM)
        disc_draw(scene, x, y, cell->disc);
    else if (cell->disc)
        scene_circle(scene, x, y, width / 3, ROLE_INK, ROLE_NONE);
    else if (cell->letter && width >= LETTER_FROM)
        scene_text(scene, x, y + 4, SIZE_TINY, 700, ANCHOR_MIDDLE, cell->ink, str_of(cell->letter));
    else if (cell->number.size)
        draw_number(scene, cell->number, x, y, width);
}

void grid_cell(Scene *scene, const GridCell *cell, double x, double y, double width, double height,
               double radius)
{
    double half = cell->edge_width / 2.0;
    if (cell->chip) {
        draw_chip(scene, cell, x, y, width, height);
        return;
    }
    if (cell->link.size)
        scene_group(scene, STR(""), STR(""), cell->link);
    Item *box = scene_box(scene, x + half, y + half, width - 2 * half, height - 2 * half,
                          cell->fill, cell->edge);
    box->paint.width = cell->edge_width;
    box->as.box.radius = radius;
    box->as.box.hatch = cell->hatch;
    box->title = cell->title;
    draw_mark(scene, cell, x + width / 2, y + height / 2, width, height);
    if (cell->link.size)
        scene_group_end(scene);
}

static bool is_plain(const GridCell *cell)
{
    return !cell->title.size && !cell->letter && !cell->number.size && !cell->disc && !cell->chip &&
           !cell->hatch && !cell->mark;
}

static double cell_width(const Grid *grid, const GridCell *cell)
{
    return grid->pitch * (double)(cell->columns ? cell->columns : 1) - grid->gap;
}

// ---- plain cells

typedef struct GridLook {
    GridCell cell;
    PathSteps steps;
} GridLook;

struct GridLooks {
    Arena *arena;
    GridLook *items;
    size_t count, capacity;
};

static PathSteps *steps_of(Grid *grid, const GridCell *cell)
{
    if (!grid->looks) {
        Arena *arena = arena_new();
        grid->looks = ARENA_NEW(arena, struct GridLooks);
        grid->looks->arena = arena;
    }
    struct GridLooks *looks = grid->looks;
    for (size_t i = 0; i < looks->count; i++) {
        const GridCell *known = &looks->items[i].cell;
        if (known->fill == cell->fill && known->edge == cell->edge && known->line == cell->line)
            return &looks->items[i].steps;
    }
    GridLook *added = ARRAY_PUSH(looks->arena, looks);
    added->cell = *cell;
    return &added->steps;
}

static void add_plain(Grid *grid, const GridCell *cell, double x, double y)
{
    PathSteps *steps = steps_of(grid, cell);
    Arena *arena = grid->looks->arena;
    double width = cell_width(grid, cell), middle = y + grid->height / 2;
    double half = cell->edge_width / 2.0;
    if (cell->line)
        steps_line(steps, arena, x + 1, middle, x + width - 1, middle);
    else
        steps_box(steps, arena, x + half, y + half, width - 2 * half, grid->height - 2 * half);
}

void grid_end(Scene *scene, Grid *grid)
{
    struct GridLooks *looks = grid->looks;
    for (size_t i = 0; looks && i < looks->count; i++) {
        const GridCell *cell = &looks->items[i].cell;
        const PathSteps *steps = &looks->items[i].steps;
        scene_path(scene, steps->items, steps->count, cell->fill, cell->edge)->paint.width =
            cell->edge_width;
    }
    if (looks)
        arena_release(looks->arena);
    grid->looks = NULL;
}

static void draw_cells(Scene *scene, Grid *grid, const GridRow *row, double y)
{
    double x = grid->left;
    for (size_t i = 0; i < row->count; i++) {
        const GridCell *cell = &row->cells[i];
        double width = cell_width(grid, cell);
        if (!is_plain(cell))
            grid_cell(scene, cell, x, y, width, grid->height, grid->radius);
        else if (!is_empty(cell))
            add_plain(grid, cell, x, y);
        x += width + grid->gap;
    }
}

Role grid_heat(double value, int low, int high)
{
    double share = (log10(value) - low) / (high - low);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return (Role)(ROLE_HEAT + HEAT_STEPS / 2 + 1 + (int)(share * (HEAT_STEPS / 2 - 1) + 0.5));
}

double grid_heat_key(Scene *scene, double x, double y, int low, int high)
{
    enum { PITCH = 30 };
    for (int i = low; i <= high; i++, x += PITCH) {
        scene_box(scene, x, y - 11, PITCH - 1, 15, grid_heat(pow(10, i), low, high), ROLE_NONE);
        if ((i - low) % 2 == 0 || i == high)
            figure_decade(scene, x + PITCH / 2.0, y + 18, SIZE_NOTE, ANCHOR_MIDDLE, ROLE_INK2, i);
    }
    return x + 24;
}

void grid_ticks(Scene *scene, double left, double pitch, size_t columns, double y, GridLabel label,
                const void *of)
{
    enum { APART = 40 };
    size_t every = 1;
    while ((double)every * pitch < APART)
        every *= every == 2 || every == 20 || every == 200 ? 5 : 2;
    for (size_t i = 0; i < columns; i += every)
        note_text(scene, left + pitch * ((double)i + 0.5), y, ANCHOR_MIDDLE,
                  label(of, i, scene->arena));
}

double grid_row(Scene *scene, Grid *grid, const GridRow *row, double y)
{
    Str label = text_fit(row->label, grid->label_size, row->weight, grid->label_room, scene->arena);
    if (label.size)
        scene_text(scene, grid->label_x, grid_base(grid, y), grid->label_size, row->weight,
                   grid->anchor, row->role, label)
            ->title = row->title;
    draw_cells(scene, grid, row, y);
    if (row->total.size)
        scene_text(scene, grid->total_x, grid_base(grid, y), SIZE_TEXT, row->weight, ANCHOR_END,
                   row->role, row->total);
    return y + grid->row;
}
