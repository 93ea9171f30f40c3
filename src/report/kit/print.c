// SPDX-License-Identifier: Apache-2.0
#include "report/kit/print.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/words.h"
#include "picture/kit/chip.h"
#include "scene/rich_text.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

// 96 px are one inch: a page of 210 x 297 mm.
static const double page_width = 794, page_height = 1123, margin = 57, text_width_px = 680;

enum { LINES_MAX = 400, TABLE_ROWS_MAX = 400, CELL_LINES_MAX = 12, COLUMNS_MAX = 64 };

typedef struct Printer {
    Arena *arena;
    const Report *report;
    Scene *first, *page;
    size_t pages;
    size_t item;  // number of the last item of a numbered list; 0 outside of one
    double y;
} Printer;

static void new_page(Printer *printer)
{
    Scene *page = ARENA_NEW(printer->arena, Scene);
    scene_init(page, printer->arena, "print", page_width);
    page->height = page_height;
    page->title = printer->report->title;
    if (printer->page)
        printer->page->next = page;
    else
        printer->first = page;
    printer->page = page;
    printer->pages++;
    printer->y = margin;
    scene_text(page, page_width - margin, page_height - 28, 9, 400, ANCHOR_END, ROLE_INK3,
               str_printf(printer->arena, "%zu", printer->pages));
    scene_text(page, margin, page_height - 28, 9, 400, ANCHOR_START, ROLE_INK3,
               text_fit(printer->report->title, 9, 400, text_width_px - 60, printer->arena));
}

static double room(const Printer *printer)
{
    return page_height - margin - printer->y;
}

// A new page unless so much fits on this one.
static void need(Printer *printer, double height)
{
    if (room(printer) < height && printer->y > margin)
        new_page(printer);
}

typedef struct TextStyle {
    double size, leading, indent;
    int weight;
    Role role;
    bool mono;
} TextStyle;

static void print_lines(Printer *printer, Str text, const TextStyle *style)
{
    Str *lines = ARENA_ARRAY(printer->arena, Str, LINES_MAX);
    WrapRule rule = {.size = style->mono ? style->size * 1.05 : style->size,
                     .weight = style->weight,
                     .width = text_width_px - style->indent,
                     .after = style->mono ? " /,=" : " /",
                     .lines = LINES_MAX};
    size_t count = figure_wrap(text, &rule, printer->arena, lines);
    for (size_t i = 0; i < count; i++) {
        need(printer, style->leading);
        printer->y += style->leading;
        Item *item =
            scene_text(printer->page, margin + style->indent, printer->y - style->leading * 0.25,
                       (float)style->size, style->weight, ANCHOR_START, style->role, lines[i]);
        item->as.text.mono = style->mono;
    }
}

static void print_verdict(Printer *printer, const Verdict *verdict)
{
    static const TextStyle place = {17, 22, 26, 700, ROLE_INK, false},
                           reason = {13, 17, 26, 400, ROLE_INK, false},
                           context = {10.5, 14, 26, 400, ROLE_INK2, false};
    TextStyle head = place;
    if (verdict->style == STYLE_ERROR)
        head.role = ROLE_ERROR_TEXT;
    chip_draw_style(printer->page, margin, printer->y + 3, 17, verdict->style);
    if (verdict->word.size == 0) {
        print_lines(printer, verdict->sentence, &head);
        return;
    }
    Str joint = verdict->joint.size ? str_trim(verdict->joint) : str_of(tr("at"));
    joint = verdict->place.size ? joint : (Str){"", 0};
    print_lines(printer,
                str_printf(printer->arena, "%s%s" STR_FMT " " STR_FMT "%s" STR_FMT,
                           verdict->partial ? tr("PARTIAL") : "", verdict->partial ? " " : "",
                           STR_ARG(verdict->word), STR_ARG(joint), joint.size ? " " : "",
                           STR_ARG(verdict->place)),
                &head);
    print_lines(printer, verdict->reason, &reason);
    printer->y += 4;
    print_lines(printer, verdict->context, &context);
    printer->y += 10;
}

static double figure_scale(const Scene *scene)
{
    return fmin(fmin(1, text_width_px / scene->width),
                (page_height - 2 * margin - 30) / scene->height);
}

// What a heading needs with the beginning of what it is about; of a picture that is all of it,
// where both fit on a page.
static double heading_room(const Printer *printer, const Block *block)
{
    const Block *next = block + 1, *end = printer->report->items + printer->report->count;
    if (next == end || next->kind != BLOCK_FIGURE || !(next->scene->height > 0))
        return 110;
    double room = 40 + next->scene->height * figure_scale(next->scene);
    return room < page_height - 2 * margin ? fmax(room, 110) : 110;
}

static void print_heading(Printer *printer, const Block *block)
{
    static const TextStyle large = {14, 19, 0, 700, ROLE_INK, false},
                           small = {11.5, 16, 0, 700, ROLE_INK, false},
                           note = {10, 13.5, 0, 400, ROLE_INK2, false};
    bool top = block->level <= 2;
    printer->y += top ? 16 : 10;
    need(printer, heading_room(printer, block));
    print_lines(printer, block->text, top ? &large : &small);
    print_lines(printer, block->note, &note);
    printer->y += 4;
}

static void print_text(Printer *printer, const Block *block)
{
    static const TextStyle plain = {10.5, 14.5, 0, 400, ROLE_INK, false};
    Str text = block->rich ? rich_text_plain(block->text, printer->arena) : block->text;
    print_lines(printer, text, &plain);
    printer->y += 6;
}

static void print_item(Printer *printer, const Block *block)
{
    TextStyle style = {10.5, 14.5, block->level > 1 ? 36 : 18, 400, ROLE_INK, false};
    need(printer, style.leading);
    printer->item = block->ordered ? printer->item + 1 : 0;
    Str mark = block->ordered ? str_printf(printer->arena, "%zu.", printer->item) : STR("\u2022");
    scene_text(printer->page, margin + style.indent - 6, printer->y + style.leading * 0.75, 10.5,
               400, ANCHOR_END, ROLE_INK2, mark);
    print_lines(printer, rich_text_plain(block->text, printer->arena), &style);
    printer->y += 2;
}

static void print_code(Printer *printer, Str text)
{
    static const TextStyle code = {8.5, 12, 8, 400, ROLE_INK2, true};
    for (Str line; str_split(&text, '\n', &line);)
        print_lines(printer, line, &code);
    printer->y += 8;
}

// A tall figure shrinks to what a page holds; a wide one to the text.
static void print_figure(Printer *printer, const Block *block)
{
    static const TextStyle caption = {9, 12, 0, 400, ROLE_INK2, false};
    const Scene *scene = block->scene;
    if (!(scene->width > 0 && scene->height > 0))
        return;
    double scale = figure_scale(scene);
    need(printer, scene->height * scale + 6);
    scene_append_scaled(printer->page, scene, margin, printer->y, scale);
    printer->y += scene->height * scale + 6;
    print_lines(printer, block->note, &caption);
    printer->y += 6;
}

// ---- tables

typedef struct Grid {
    double x[COLUMNS_MAX], width[COLUMNS_MAX];
    size_t count;
    double size;
} Grid;

static Str shown(const Cell *cell, Arena *arena)
{
    char buffer[NUMBER_BYTES];
    if (cell->kind == CELL_EMPTY)
        return (Str){"", 0};
    if (cell->kind == CELL_TEXT || cell->text.size)
        return cell->text;
    if (cell->kind == CELL_BOOL)
        return str_of(cell->number != 0 ? "True" : "False");
    int size = number_python(cell->number, buffer);
    if (cell->kind == CELL_PERCENT)
        buffer[size++] = '%';
    return str_copy(arena, (Str){buffer, (size_t)size});
}

static void widen(Grid *grid, size_t column, Str text)
{
    double width = text_width(text, grid->size, 400) + 10;
    grid->width[column] = fmax(grid->width[column], fmin(width, text_width_px));
}

// Narrow columns get what they need; wide ones share the rest.
static void share_width(Grid *grid)
{
    double total = 0, fixed = 0, wide = 0, fair = text_width_px / (double)grid->count;
    for (size_t i = 0; i < grid->count; i++) {
        total += grid->width[i];
        if (grid->width[i] <= fair)
            fixed += grid->width[i];
        else
            wide += grid->width[i];
    }
    double x = margin;
    for (size_t i = 0; i < grid->count; i++) {
        if (total > text_width_px && grid->width[i] > fair)
            grid->width[i] *= (text_width_px - fixed) / wide;
        grid->x[i] = x;
        x += grid->width[i];
    }
}

static void measure_table(Table *table, Arena *arena, Grid *grid)
{
    Cell *cells = ARENA_ARRAY(arena, Cell, table->column_count);
    *grid = (Grid){.count = table->column_count < COLUMNS_MAX ? table->column_count : COLUMNS_MAX,
                   .size = table->column_count > 8 ? 7 : 8.5};
    for (size_t i = 0; i < grid->count; i++)
        widen(grid, i, table->columns[i].title);
    table->rewind(table->state);
    for (size_t row = 0; row < TABLE_ROWS_MAX && table->next(table->state, cells); row++) {
        for (size_t i = 0; i < grid->count; i++)
            widen(grid, i, shown(&cells[i], arena));
        memset(cells, 0, table->column_count * sizeof *cells);
    }
    table->rewind(table->state);
    share_width(grid);
}

static Role cell_role(CellStyle style)
{
    switch (style) {
    case STYLE_ERROR:
    case STYLE_ERROR_TINT:
        return ROLE_ERROR_TEXT;
    case STYLE_MUTED:
    case STYLE_NO_DATA:
        return ROLE_INK2;
    default:
        return ROLE_INK;
    }
}

typedef struct GridCell {
    Str lines[CELL_LINES_MAX];
    size_t count;
    Role role;
    int weight;
    bool right;
} GridCell;

static void wrap_cell(const Grid *grid, size_t column, Str text, Arena *arena, GridCell *out)
{
    WrapRule rule = {.size = grid->size,
                     .weight = out->weight,
                     .width = fmax(grid->width[column] - 8, grid->size * 3),
                     .after = " /._-,",
                     .lines = CELL_LINES_MAX};
    out->count = figure_wrap(text, &rule, arena, out->lines);
}

static void print_row(Printer *printer, const Grid *grid, const GridCell *cells)
{
    double leading = grid->size * 1.35;
    size_t most = 1;
    for (size_t i = 0; i < grid->count; i++)
        most = cells[i].count > most ? cells[i].count : most;
    for (size_t i = 0; i < grid->count; i++)
        for (size_t k = 0; k < cells[i].count; k++)
            scene_text(printer->page, cells[i].right ? grid->x[i] + grid->width[i] - 8 : grid->x[i],
                       printer->y + leading * (double)(k + 1) - 1, (float)grid->size,
                       cells[i].weight, cells[i].right ? ANCHOR_END : ANCHOR_START, cells[i].role,
                       cells[i].lines[k]);
    printer->y += leading * (double)most + 3;
    scene_line(printer->page, margin, printer->y, margin + text_width_px, printer->y, ROLE_HAIR);
    printer->y += 1;
}

static double row_height(const Grid *grid, const GridCell *cells)
{
    size_t most = 1;
    for (size_t i = 0; i < grid->count; i++)
        most = cells[i].count > most ? cells[i].count : most;
    return grid->size * 1.35 * (double)most + 5;
}

static void print_head(Printer *printer, const Table *table, const Grid *grid, GridCell *cells)
{
    for (size_t i = 0; i < grid->count; i++) {
        cells[i] = (GridCell){.role = ROLE_INK2, .weight = 400, .right = table->columns[i].number};
        wrap_cell(grid, i, table->columns[i].title, printer->arena, &cells[i]);
    }
    print_row(printer, grid, cells);
}

static void print_table(Printer *printer, Table *table)
{
    Grid grid;
    Arena *arena = printer->arena;
    if (table->column_count == 0)
        return;
    measure_table(table, arena, &grid);
    GridCell *cells = ARENA_ARRAY(arena, GridCell, grid.count);
    Cell *row = ARENA_ARRAY(arena, Cell, table->column_count);
    need(printer, 60);
    print_head(printer, table, &grid, cells);
    size_t rows = 0;
    for (; rows < TABLE_ROWS_MAX && table->next(table->state, row); rows++) {
        for (size_t i = 0; i < grid.count; i++) {
            cells[i] = (GridCell){.role = cell_role(row[i].style),
                                  .weight = row[i].style == STYLE_STRONG ? 700 : 400,
                                  .right = table->columns[i].number};
            wrap_cell(&grid, i, str_copy(arena, shown(&row[i], arena)), arena, &cells[i]);
        }
        if (room(printer) < row_height(&grid, cells)) {
            GridCell *head = ARENA_ARRAY(arena, GridCell, grid.count);
            new_page(printer);
            print_head(printer, table, &grid, head);
        }
        print_row(printer, &grid, cells);
        memset(row, 0, table->column_count * sizeof *row);
    }
    table->rewind(table->state);
    static const TextStyle note = {8.5, 12, 0, 400, ROLE_INK2, false};
    if (rows == TABLE_ROWS_MAX)
        print_lines(printer, str_of(tr("… the rest is in the workbook")), &note);
    print_lines(printer, table->note, &note);
    printer->y += 8;
}

static void print_block(Printer *printer, const Block *block)
{
    static const TextStyle fold = {10.5, 16, 0, 700, ROLE_INK2, false},
                           foot = {9, 13, 0, 400, ROLE_INK3, false};
    if (block->kind != BLOCK_ITEM)
        printer->item = 0;
    switch (block->kind) {
    case BLOCK_VERDICT:
        print_verdict(printer, block->verdict);
        break;
    case BLOCK_HEADING:
        print_heading(printer, block);
        break;
    case BLOCK_TEXT:
        print_text(printer, block);
        break;
    case BLOCK_ITEM:
        print_item(printer, block);
        break;
    case BLOCK_CODE:
        print_code(printer, block->text);
        break;
    case BLOCK_FIGURE:
        print_figure(printer, block);
        break;
    case BLOCK_TABLE:
        print_table(printer, block->table);
        break;
    case BLOCK_DETAILS:
        need(printer, 70);
        print_lines(printer, block->text, &fold);
        break;
    case BLOCK_FOOTER:
        printer->y += 8;
        print_lines(printer, block->text, &foot);
        break;
    case BLOCK_COLUMNS:
    case BLOCK_END:
    case BLOCK_INDEX:
        break;
    }
}

Scene *print_report(const Report *report, Arena *arena)
{
    Printer printer = {.arena = arena, .report = report};
    new_page(&printer);
    for (size_t i = 0; i < report->count; i++)
        print_block(&printer, &report->items[i]);
    return printer.first;
}
