// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/heatmap.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "picture/kit/chip.h"
#include "picture/kit/label_set.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

#define LABEL_RIGHT 236.0
#define PANEL_GAP   22.0
#define GUTTER      11.0  // from a panel to the middle of its discs
#define GROUP_GAP   9.0
#define CELL_MOST   96.0   // width of a cell
#define PANEL_LEAST 340.0  // that cells as wide do not go below
#define GROUP_LEFT  106.0  // bracket

static double row_pitch(size_t rows)
{
    if (rows <= 48)
        return 17;
    double pitch = floor(816.0 / (double)rows);
    return pitch < 6 ? 6 : pitch;
}

static bool starts_group(const HeatMap *map, size_t row)
{
    return row == 0 || !str_equal(map->rows[row].group, map->rows[row - 1].group) ||
           !str_equal(map->rows[row].group_note, map->rows[row - 1].group_note);
}

static size_t group_end(const HeatMap *map, size_t row)
{
    size_t end = row + 1;
    while (end < map->row_count && !starts_group(map, end))
        end++;
    return end;
}

static bool row_has_note(const HeatMap *map, size_t row)
{
    for (size_t i = 0; i < map->note_count; i++)
        if (map->notes[i].row == row)
            return true;
    return false;
}

static void place(const HeatMap *map, double top, Arena *arena, HeatGrid *grid)
{
    double pitch = row_pitch(map->row_count), y = top;
    bool groups = map->row_count <= 80;
    *grid = (HeatGrid){.top = top, .row_height = pitch - (pitch > 9 ? 1 : 0)};
    grid->row_y = ARENA_ARRAY(arena, double, map->row_count + 1);
    for (size_t r = 0; r < map->row_count; r++) {
        if (r > 0 && starts_group(map, r) && groups)
            y += GROUP_GAP;
        grid->row_y[r] = y;
        y += pitch;
    }
    grid->row_y[map->row_count] = y;
    double left = LABEL_RIGHT + 10, right = PAGE_WIDTH - PAGE_MARGIN - (map->note_count ? 10 : 0);
    double count = (double)map->panel_count;
    grid->panel_width = fmin((right - left - (count - 1) * PANEL_GAP) / count,
                             fmax(PANEL_LEAST, CELL_MOST * (double)map->column_count));
    for (size_t p = 0; p < map->panel_count; p++)
        grid->left[p] = left + (double)p * (grid->panel_width + PANEL_GAP);
    heat_choose_bins(map, grid);
}

// ---- left side

// Its words, of the first panel alone; none where rows are too low.
static GridRow row_of(const HeatMap *map, Grid *at, size_t panel, size_t row, LabelSet *labels,
                      Arena *arena)
{
    bool noted = row_has_note(map, row);
    GridRow out = {.weight = noted ? 700 : 400, .role = noted ? ROLE_INK : ROLE_INK2};
    if (panel || (at->height < 11 && !noted))
        return out;
    double left = map->rows[row].group.size ? GROUP_LEFT + 12 : PAGE_MARGIN;
    at->label_room = LABEL_RIGHT - left;
    out.label =
        label_fit(labels, map->rows[row].label, at->label_size, out.weight, at->label_room, arena);
    out.title = map->rows[row].title;
    return out;
}

static void draw_rows(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid)
{
    Arena *scratch = arena_new();
    GridCell *cells = ARENA_ARRAY(scratch, GridCell, grid->bins);
    LabelSet labels = {0};
    Grid at = {.anchor = ANCHOR_END,
               .label_x = LABEL_RIGHT,
               .label_size = grid->row_height < 13 ? SIZE_TINY : SIZE_TEXT,
               .left = grid->left[panel],
               .pitch = heat_bin_width(grid),
               .height = grid->row_height};
    for (size_t r = 0; r < map->row_count; r++) {
        GridRow row = row_of(map, &at, panel, r, &labels, scene->arena);
        row.cells = cells;
        row.count = heat_row_cells(map, panel, r, grid, scene->arena, cells);
        grid_row(scene, &at, &row, grid->row_y[r]);
    }
    grid_end(scene, &at);
    arena_release(scratch);
}

static void draw_bracket(Scene *scene, double top, double bottom)
{
    PathStep steps[4] = {
        {.verb = PATH_MOVE, .x = GROUP_LEFT + 4, .y = top},
        {.verb = PATH_LINE, .x = GROUP_LEFT, .y = top},
        {.verb = PATH_LINE, .x = GROUP_LEFT, .y = bottom},
        {.verb = PATH_LINE, .x = GROUP_LEFT + 4, .y = bottom},
    };
    scene_path(scene, steps, 4, ROLE_NONE, ROLE_RULE);
}

// Names of groups that would touch the one before are left out.
static void draw_groups(Scene *scene, const HeatMap *map, const HeatGrid *grid)
{
    double free_from = 0;
    for (size_t from = 0, end; from < map->row_count; from = end) {
        end = group_end(map, from);
        double top = grid->row_y[from], bottom = grid->row_y[end - 1] + grid->row_height;
        double middle = (top + bottom) / 2;
        const HeatRow *row = &map->rows[from];
        if (row->group.size == 0)
            continue;
        if (end - from > 1)
            draw_bracket(scene, top + 2, bottom - 2);
        bool note = row->group_note.size && bottom - top >= 30;
        if (middle - 7 < free_from)
            continue;
        Str group =
            text_fit(row->group, SIZE_TEXT, 600, GROUP_LEFT - PAGE_MARGIN - 6, scene->arena);
        scene_text(scene, PAGE_MARGIN, note ? middle - 2 : middle + 4, SIZE_TEXT, 600, ANCHOR_START,
                   ROLE_INK, group);
        if (note)
            fitted_text(scene, PAGE_MARGIN, middle + 13, SIZE_NOTE, 400, ROLE_INK2,
                        GROUP_LEFT - PAGE_MARGIN - 6, row->group_note);
        free_from = middle + (note ? 18 : 9);
    }
}

// ---- panels

static void draw_backgrounds(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid)
{
    for (size_t r = 0; r < map->row_count; r++) {
        scene_box(scene, grid->left[panel], grid->row_y[r], grid->panel_width, grid->row_height,
                  ROLE_BAND, ROLE_NONE);
        if (!heat_row_is_told(map, panel, r, grid))
            continue;
        Str text = text_fit(heat_absent_row(map, panel), SIZE_TINY, 400, grid->panel_width - 8,
                            scene->arena);
        scene_text(scene, grid->left[panel] + grid->panel_width / 2,
                   grid->row_y[r] + grid->row_height / 2 + 4, SIZE_TINY, 400, ANCHOR_MIDDLE,
                   ROLE_INK3, text);
    }
}

static void draw_panel_title(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid)
{
    const HeatPanel *at = &map->panels[panel];
    Str title = text_fit(at->title, SIZE_STRONG, 600, grid->panel_width, scene->arena);
    // Right of the last panel the page is empty.
    double width = panel + 1 == map->panel_count ? PAGE_WIDTH - PAGE_MARGIN - grid->left[panel]
                                                 : grid->panel_width;
    double room = width - text_width(title, SIZE_STRONG, 600) - 9;
    Span spans[2] = {
        {.text = title, .weight = 600},
        {.text = room > 30 ? text_fit(at->note, SIZE_NOTE, 400, room, scene->arena) : STR(""),
         .role = ROLE_INK2,
         .size = SIZE_NOTE,
         .weight = 400,
         .dx = 9},
    };
    Item *item = scene_spans(scene, grid->left[panel], grid->top - 10, SIZE_STRONG, ANCHOR_START,
                             ROLE_INK, spans, spans[1].text.size ? 2 : 1);
    scene_title(scene, item, STR_FMT "%s" STR_FMT, STR_ARG(at->title), at->note.size ? " " : "",
                STR_ARG(at->note));
}

static int64_t tick_distance(const HeatMap *map, double width)
{
    double first = (double)map->columns[0], last = (double)map->columns[map->column_count - 1];
    double raw = (last - first) / (width / 60);
    int64_t distance = 1;
    while ((double)distance < raw) {
        int64_t lead = distance;
        while (lead >= 10)
            lead /= 10;
        distance = lead == 2 ? distance / 2 * 5 : distance * 2;
    }
    return distance > 0 ? distance : 1;
}

static Str column_label(int64_t number, Arena *arena)
{
    if (number < 10000)
        return str_printf(arena, "%lld", (long long)number);
    double scaled = (double)number / (number < 1000000 ? 1e3 : 1e6);
    return str_printf(arena, "%.10g%s", scaled, number < 1000000 ? "k" : "M");
}

// Columns from tick to tick where each has one if there is room: else every second, fourth, …,
// since ranks come in powers of two.
static size_t tick_stride(const HeatMap *map, const HeatGrid *grid, Arena *arena)
{
    double widest = 0, pitch = heat_bin_width(grid) / (double)grid->columns_a_bin;
    size_t stride = 1;
    for (size_t c = 0; map->every_column && c < map->column_count; c++)
        if (map->columns[c] != INT64_MIN)
            widest = fmax(widest, text_width(column_label(map->columns[c], arena), SIZE_NOTE, 400));
    while ((double)stride * pitch < widest + 6 && stride < map->column_count)
        stride *= 2;
    return stride;
}

static bool tick_wanted(const HeatMap *map, size_t column, int64_t distance, size_t stride)
{
    if (map->columns[column] == INT64_MIN)
        return false;
    bool regular = map->every_column ? column % stride == 0 : map->columns[column] % distance == 0;
    return column == 0 || column + 1 == map->column_count || regular;
}

// Ticks from the left as long as they keep apart from the one before and from the last one.
static void draw_ticks(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid,
                       double y)
{
    int64_t distance = tick_distance(map, grid->panel_width);
    size_t stride = tick_stride(map, grid, scene->arena);
    double half = heat_bin_width(grid) / 2, free_from = -1;
    size_t last = map->column_count - 1;
    Str last_label = column_label(map->columns[last], scene->arena);
    double last_left =
        heat_x(grid, panel, last) + half - text_width(last_label, SIZE_NOTE, 400) / 2;
    for (size_t c = 0; c <= last; c++) {
        if (!tick_wanted(map, c, distance, stride))
            continue;
        Str label = column_label(map->columns[c], scene->arena);
        double x = heat_x(grid, panel, c) + half, wide = text_width(label, SIZE_NOTE, 400) / 2;
        if (x - wide < free_from || (c < last && x + wide + 6 > last_left))
            continue;
        scene_line(scene, x, y, x, y + 4, ROLE_INK3);
        note_text(scene, x, y + 17, ANCHOR_MIDDLE, label);
        free_from = x + wide + 6;
    }
}

// Below the numbers: what neighbouring columns share, where it has the room, and a line between.
static void draw_column_groups(Scene *scene, const HeatMap *map, size_t panel, const HeatGrid *grid,
                               double y)
{
    for (size_t from = 0, end; from < map->column_count; from = end) {
        end = from + 1;
        while (end < map->column_count && str_equal(map->groups[end], map->groups[from]))
            end++;
        double left = heat_x(grid, panel, from);
        double right = heat_x(grid, panel, end - 1) + heat_bin_width(grid);
        if (from)
            scene_line(scene, left, grid->top, left, y - 34, ROLE_INK3);
        if (text_width(map->groups[from], SIZE_NOTE, 400) + 4 <= right - left)
            note_text(scene, (left + right) / 2, y, ANCHOR_MIDDLE, map->groups[from]);
    }
}

// ---- outliers

// Discs of one panel stand below each other with room between them. Returns the lowest.
static double place_discs(const HeatMap *map, const HeatGrid *grid, double *y)
{
    double pitch = 17, lowest = 0;
    for (size_t p = 0; p < map->panel_count; p++) {
        double free_from = 0;
        for (size_t row = 0; row < map->row_count; row++)
            for (size_t i = 0; i < map->note_count; i++) {
                if (map->notes[i].panel != p || map->notes[i].row != row)
                    continue;
                double middle = grid->row_y[row] + grid->row_height / 2;
                y[i] = middle > free_from ? middle : free_from;
                free_from = y[i] + pitch;
                lowest = fmax(lowest, y[i]);
            }
    }
    return lowest;
}

// Returns the y of the lowest disc, 0 without one.
static double draw_outliers(Scene *scene, const HeatMap *map, const HeatGrid *grid)
{
    double disc_y[HEAT_NOTES_MAX];
    double lowest = place_discs(map, grid, disc_y);
    for (size_t i = 0; i < map->note_count; i++) {
        const HeatNote *note = &map->notes[i];
        double width = heat_bin_width(grid), x = heat_x(grid, note->panel, note->column);
        double y = grid->row_y[note->row];
        double box = width < 6 ? 6 : width;
        Item *frame = scene_box(scene, x + width / 2 - box / 2 - 2, y - 2, box + 4,
                                grid->row_height + 4, ROLE_NONE, ROLE_INK);
        frame->paint.width = 2;
        frame->as.box.radius = 3;
        double right = grid->left[note->panel] + grid->panel_width;
        double from = fmin(x + width / 2 + box / 2 + 3, right + 2), disc = right + GUTTER;
        PathStep steps[3] = {
            {.verb = PATH_MOVE, .x = from, .y = y + grid->row_height / 2},
            {.verb = PATH_LINE, .x = fmax(from, right - 2), .y = y + grid->row_height / 2},
            {.verb = PATH_LINE, .x = disc - 6, .y = disc_y[i]},
        };
        scene_path(scene, steps, 3, ROLE_NONE, ROLE_INK);
        disc_draw(scene, disc, disc_y[i], (int)i + 1);
    }
    return lowest;
}

static double draw_notes(Scene *scene, const HeatMap *map, double y)
{
    double column = (PAGE_WIDTH - 2 * PAGE_MARGIN) / 2;
    for (size_t i = 0; i < map->note_count; i++) {
        double x = PAGE_MARGIN + (double)(i % 2) * column, top = y + (double)(i / 2) * 42;
        double room = column - 40;
        disc_draw(scene, x + 8, top, (int)i + 1);
        Item *head =
            fitted_text(scene, x + 24, top + 4, SIZE_TEXT, 700, ROLE_INK, room, map->notes[i].head);
        scene_title(scene, head, STR_FMT, STR_ARG(map->notes[i].head));
        fitted_text(scene, x + 24, top + 20, SIZE_NOTE, 400, ROLE_INK2, room, map->notes[i].text);
    }
    return y + (double)((map->note_count + 1) / 2) * 42;
}

// ---- legend

static void draw_scale(Scene *scene, const HeatMap *map, double y)
{
    static const char *const ratios[] = {"≤ ÷4", "÷2", "×1", "×2", "≥ ×4"};
    const char *const *labels = map->scale_labels ? map->scale_labels : ratios;
    double left = LABEL_RIGHT + 10, width = 260;
    note_text(scene, LABEL_RIGHT, y + 10, ANCHOR_END,
              text_fit(map->scale_title, SIZE_NOTE, 400, LABEL_RIGHT - PAGE_MARGIN, scene->arena));
    for (int step = 0; step < HEAT_STEPS; step++)
        scene_box(scene, left + step * width / HEAT_STEPS, y, width / HEAT_STEPS + 0.3, 12,
                  (Role)(ROLE_HEAT + step), ROLE_NONE);
    double inset = width / HEAT_STEPS / 2;
    for (int i = 0; i < 5; i++) {
        double x = left + inset + i * (width - 2 * inset) / 4;
        scene_line(scene, x, y + 12, x, y + 16, ROLE_INK3);
        note_text(scene, x, y + 28, ANCHOR_MIDDLE, str_of(labels[i]));
    }
}

typedef struct Shown {
    bool nan, infinity, absent;
} Shown;

static Shown what_is_shown(const HeatMap *map)
{
    Shown shown = {0};
    for (size_t p = 0; p < map->panel_count; p++)
        for (size_t i = 0; i < map->row_count * map->column_count; i++) {
            HeatKind kind = heat_kind(map->panels[p].cells[i]);
            shown.nan = shown.nan || kind == HEAT_IS_NAN;
            shown.infinity = shown.infinity || kind == HEAT_IS_INFINITY;
            shown.absent = shown.absent || kind == HEAT_NOTHING;
        }
    return shown;
}

static void draw_legend(Scene *scene, const HeatMap *map, const HeatGrid *grid, double y)
{
    Shown shown = what_is_shown(map);
    double x = LABEL_RIGHT + 10 + 260 + 34;
    draw_scale(scene, map, y);
    for (HeatKind kind = HEAT_IS_NAN; kind <= HEAT_IS_INFINITY; kind++) {
        GridCell look = heat_look(kind);
        if (!(kind == HEAT_IS_NAN ? shown.nan : shown.infinity))
            continue;
        grid_cell(scene, &look, x, y, 13, 13, 0);
        x = key_word(scene, x + 20, y + 10, kind == HEAT_IS_NAN ? STR("NaN") : STR("Inf"));
    }
    if (map->note_count) {
        Item *frame = scene_box(scene, x + 1, y + 1, 11, 11, ROLE_NONE, ROLE_INK);
        frame->paint.width = 2;
        frame->as.box.radius = 3;
        x = key_word(scene, x + 20, y + 10, str_of(tr("outlier (alarm)")));
    }
    if (shown.absent && map->absent_text.size) {
        scene_box(scene, x, y, 13, 13, ROLE_BAND, ROLE_NONE);
        scene_line(scene, x + 1, y + 6.5, x + 12, y + 6.5, ROLE_INK3);
        key_word(scene, x + 20, y + 10, map->absent_text);
    }
    size_t many = grid->columns_a_bin * (map->steps_a_column ? map->steps_a_column : 1);
    if (many > 1)
        key_word(scene, LABEL_RIGHT + 10 + 260 + 34, y + 28,
                 str_printf(scene->arena,
                            tr("a column is %zu of them and shows the largest departure"), many));
}

void heatmap_draw(Scene *scene, const HeatMap *map)
{
    double y = 36;
    if (map->row_count == 0 || map->column_count == 0) {
        row_text(scene, PAGE_MARGIN, y, ANCHOR_START, str_of(tr("nothing to draw")));
        scene->height = y + 24;
        return;
    }
    HeatGrid grid;
    place(map, y, scene->arena, &grid);
    draw_groups(scene, map, &grid);
    double bottom = grid.row_y[map->row_count] + 2;
    for (size_t p = 0; p < map->panel_count; p++) {
        draw_panel_title(scene, map, p, &grid);
        draw_backgrounds(scene, map, p, &grid);
        draw_rows(scene, map, p, &grid);
        draw_ticks(scene, map, p, &grid, bottom);
        if (map->groups)
            draw_column_groups(scene, map, p, &grid, bottom + 34);
    }
    note_text(scene, LABEL_RIGHT, bottom + 17, ANCHOR_END, map->column_title);
    double discs = draw_outliers(scene, map, &grid);
    double below = draw_notes(scene, map, fmax(bottom + (map->groups ? 64 : 46), discs + 30));
    draw_legend(scene, map, &grid, below + (map->note_count ? 8 : 0));
    scene->height = below + 54;
}
