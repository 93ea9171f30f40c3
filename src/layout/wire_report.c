// SPDX-License-Identifier: Apache-2.0
#include "layout/wire_report.h"

#include <math.h>

static double coordinate(Wire *wire, const char *key, double value)
{
    double read = wire_number(wire, key, value);
    if (wire_reads(wire) && !(fabs(read) < 1e9)) {
        wire_bad(wire, key);
        return 0;
    }
    return read;
}

static Role role(Wire *wire, const char *key, Role value)
{
    return (Role)wire_choice(wire, key, (int)value, ROLE_COUNT);
}

static void wire_box(Wire *wire, BoxShape *box)
{
    box->x = coordinate(wire, "x", box->x);
    box->y = coordinate(wire, "y", box->y);
    box->width = coordinate(wire, "w", box->width);
    box->height = coordinate(wire, "h", box->height);
    box->radius = coordinate(wire, "radius", box->radius);
    box->hatch = wire_bool(wire, "hatch", box->hatch);
}

static void wire_line(Wire *wire, LineShape *line)
{
    line->x1 = coordinate(wire, "x1", line->x1);
    line->y1 = coordinate(wire, "y1", line->y1);
    line->x2 = coordinate(wire, "x2", line->x2);
    line->y2 = coordinate(wire, "y2", line->y2);
}

static void wire_path(Wire *wire, PathShape *path)
{
    WireList list = wire_list(wire, "steps", path->count);
    PathStep *read = wire_reads(wire) ? ARENA_ARRAY(wire->arena, PathStep, list.count) : NULL;
    for (size_t i = 0; i < list.count; i++) {
        PathStep step = read ? (PathStep){PATH_MOVE, 0, 0, 0, 0, 0, 0} : path->steps[i];
        wire_item(wire, &list);
        step.verb = (PathVerb)wire_choice(wire, "verb", (int)step.verb, PATH_CLOSE + 1);
        step.x = coordinate(wire, "x", step.x);
        step.y = coordinate(wire, "y", step.y);
        step.x1 = coordinate(wire, "x1", step.x1);
        step.y1 = coordinate(wire, "y1", step.y1);
        step.x2 = coordinate(wire, "x2", step.x2);
        step.y2 = coordinate(wire, "y2", step.y2);
        wire_item_end(wire, &list);
        if (read)
            read[i] = step;
    }
    wire_list_end(wire, &list);
    if (read)
        *path = (PathShape){read, list.count};
}

static void wire_span(Wire *wire, Span *span)
{
    span->text = wire_str(wire, "text", span->text);
    span->role = role(wire, "role", span->role);
    span->size = (float)coordinate(wire, "size", (double)span->size);
    span->weight = wire_choice(wire, "weight", span->weight, 1000);
    span->dx = (float)coordinate(wire, "dx", (double)span->dx);
    span->raise = (float)coordinate(wire, "raise", (double)span->raise);
    span->mono = wire_bool(wire, "mono", span->mono);
}

static void wire_text(Wire *wire, TextShape *text)
{
    text->x = coordinate(wire, "x", text->x);
    text->y = coordinate(wire, "y", text->y);
    text->size = (float)coordinate(wire, "size", (double)text->size);
    text->weight = wire_choice(wire, "weight", text->weight, 1000);
    text->anchor = (Anchor)wire_choice(wire, "anchor", (int)text->anchor, ANCHOR_END + 1);
    text->mono = wire_bool(wire, "mono", text->mono);
    text->vertical = wire_bool(wire, "vertical", text->vertical);
    WireList list = wire_list(wire, "spans", text->count);
    Span *read = wire_reads(wire) ? ARENA_ARRAY(wire->arena, Span, list.count) : NULL;
    for (size_t i = 0; i < list.count; i++) {
        Span span = !read ? text->spans[i] : (Span){.size = 0};
        wire_item(wire, &list);
        wire_span(wire, &span);
        wire_item_end(wire, &list);
        if (read)
            read[i] = span;
    }
    wire_list_end(wire, &list);
    if (read) {
        text->spans = read;
        text->count = list.count;
    }
}

static void wire_shape(Wire *wire, Item *item)
{
    switch (item->kind) {
    case ITEM_BOX:
        wire_box(wire, &item->as.box);
        break;
    case ITEM_LINE:
        wire_line(wire, &item->as.line);
        break;
    case ITEM_PATH:
        wire_path(wire, &item->as.path);
        break;
    case ITEM_TEXT:
        wire_text(wire, &item->as.text);
        break;
    case ITEM_GROUP:
        item->as.group.id = wire_str(wire, "id", item->as.group.id);
        item->as.group.link = wire_str(wire, "link", item->as.group.link);
        break;
    case ITEM_GROUP_END:
        break;
    }
}

static void wire_scene_item(Wire *wire, Item *item)
{
    Paint *paint = &item->paint;
    item->kind = (ItemKind)wire_choice(wire, "kind", (int)item->kind, ITEM_GROUP_END + 1);
    paint->fill = role(wire, "fill", paint->fill);
    paint->stroke = role(wire, "stroke", paint->stroke);
    paint->width = (float)coordinate(wire, "width", (double)paint->width);
    paint->dash = (float)coordinate(wire, "dash", (double)paint->dash);
    paint->gap = (float)coordinate(wire, "gap", (double)paint->gap);
    paint->opacity = (float)coordinate(wire, "opacity", (double)paint->opacity);
    item->title = wire_str(wire, "title", item->title);
    wire_shape(wire, item);
}

static void check_groups(Wire *wire, const Scene *scene)
{
    int64_t open = 0;
    for (size_t i = 0; i < scene->count && open >= 0; i++)
        open += (scene->items[i].kind == ITEM_GROUP) - (scene->items[i].kind == ITEM_GROUP_END);
    if (open != 0)
        wire_bad(wire, "items");
}

// Ids and the base names of files are letters, digits and '-'.
static void check_id(Wire *wire, Str id)
{
    for (size_t i = 0; i < id.size; i++) {
        char c = id.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-'))
            wire_bad(wire, "id");
    }
}

void wire_scene(Wire *wire, Scene *scene)
{
    scene->id = wire_str(wire, "id", scene->id);
    scene->title = wire_str(wire, "title", scene->title);
    scene->description = wire_str(wire, "description", scene->description);
    scene->width = coordinate(wire, "width", scene->width);
    scene->height = coordinate(wire, "height", scene->height);
    WireList list = wire_list(wire, "items", scene->count);
    if (wire_reads(wire)) {
        scene->arena = wire->arena;
        scene->items = ARENA_ARRAY(wire->arena, Item, list.count);
        scene->count = scene->capacity = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        wire_item(wire, &list);
        wire_scene_item(wire, &scene->items[i]);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
    if (wire_reads(wire)) {
        check_groups(wire, scene);
        check_id(wire, scene->id);
    }
}

// ---- tables

static void wire_cell(Wire *wire, Cell *cell)
{
    cell->kind = (CellKind)wire_choice(wire, "kind", (int)cell->kind, CELL_BOOL + 1);
    cell->style = (CellStyle)wire_choice(wire, "style", (int)cell->style, STYLE_COUNT);
    cell->number = wire_number(wire, "number", cell->number);
    cell->text = wire_str(wire, "text", cell->text);
    cell->title = wire_str(wire, "title", cell->title);
    cell->link = wire_str(wire, "link", cell->link);
}

static void wire_columns(Wire *wire, Table *table)
{
    WireList list = wire_list(wire, "columns", table->column_count);
    Column *read = wire_reads(wire) ? ARENA_ARRAY(wire->arena, Column, list.count) : NULL;
    for (size_t i = 0; i < list.count; i++) {
        Column column = !read ? table->columns[i] : (Column){.width = 0};
        wire_item(wire, &list);
        column.title = wire_str(wire, "title", column.title);
        column.width = coordinate(wire, "width", column.width);
        column.number = wire_bool(wire, "number", column.number);
        wire_item_end(wire, &list);
        if (read)
            read[i] = column;
    }
    wire_list_end(wire, &list);
    if (read) {
        table->columns = read;
        table->column_count = list.count;
    }
}

// Cells of all rows in one list, row by row.
static void write_cells(Wire *wire, Table *table)
{
    Arena *scratch = arena_new();
    Cell *cells = ARENA_ARRAY(scratch, Cell, table->column_count);
    WireList list = wire_list(wire, "cells", 0);
    table->rewind(table->state);
    while (table->next(table->state, cells)) {
        for (size_t i = 0; i < table->column_count; i++) {
            wire_item(wire, &list);
            wire_cell(wire, &cells[i]);
            wire_item_end(wire, &list);
            cells[i] = (Cell){.kind = CELL_EMPTY};
        }
    }
    wire_list_end(wire, &list);
    table->rewind(table->state);
    arena_release(scratch);
}

static void read_cells(Wire *wire, Table *table)
{
    WireList list = wire_list(wire, "cells", 0);
    size_t columns = table->column_count;
    if (columns == 0 || list.count % columns != 0) {
        wire_bad(wire, "cells");
        list.count = 0;
    }
    for (size_t at = 0; at < list.count;) {
        Cell *cells = table_add_row(table);
        for (size_t i = 0; i < columns; i++, at++) {
            wire_item(wire, &list);
            wire_cell(wire, &cells[i]);
            wire_item_end(wire, &list);
        }
    }
    wire_list_end(wire, &list);
}

void wire_table(Wire *wire, Table *table)
{
    Str name = wire_str(wire, "name", table->name);
    Str note = wire_str(wire, "note", table->note);
    bool freeze = wire_bool(wire, "freeze", table->freeze);
    wire_columns(wire, table);
    if (!wire_reads(wire)) {
        write_cells(wire, table);
        return;
    }
    TableRows *rows = ARENA_NEW(wire->arena, TableRows);
    table_init_rows(table, rows, str_cstr(wire->arena, name), table->columns, table->column_count,
                    wire->arena);
    table->note = note;
    table->freeze = freeze;
    read_cells(wire, table);
}

// ---- blocks

static void wire_figure(Wire *wire, Block *block)
{
    WireObject object = wire_open(wire, "scene");
    if (wire_reads(wire)) {
        Scene *scene = ARENA_NEW(wire->arena, Scene);
        wire_scene(wire, scene);
        block->scene = scene;
    } else {
        Scene copy = *block->scene;
        wire_scene(wire, &copy);
    }
    wire_close(wire, &object);
}

static void wire_block(Wire *wire, Block *block)
{
    block->kind = (BlockKind)wire_choice(wire, "kind", (int)block->kind, BLOCK_FOOTER + 1);
    block->level = wire_choice(wire, "level", block->level, 4);
    block->id = wire_str(wire, "id", block->id);
    block->text = wire_str(wire, "text", block->text);
    block->note = wire_str(wire, "note", block->note);
    block->file = wire_str(wire, "file", block->file);
    if (wire_reads(wire))
        check_id(wire, block->file);
    if (block->kind == BLOCK_FIGURE)
        wire_figure(wire, block);
    if (block->kind == BLOCK_TABLE) {
        WireObject object = wire_open(wire, "table");
        if (wire_reads(wire))
            block->table = ARENA_NEW(wire->arena, Table);
        wire_table(wire, block->table);
        wire_close(wire, &object);
    }
}

static void check_blocks(Wire *wire, const Report *report)
{
    int64_t open = 0;
    for (size_t i = 0; i < report->count && open >= 0; i++) {
        BlockKind kind = report->items[i].kind;
        open += (kind == BLOCK_COLUMNS || kind == BLOCK_DETAILS) - (kind == BLOCK_END);
        if (kind == BLOCK_VERDICT)
            wire_bad(wire, "kind");
    }
    if (open != 0)
        wire_bad(wire, "blocks");
}

void wire_blocks(Wire *wire, const char *key, Report *report)
{
    WireList list = wire_list(wire, key, report->count);
    if (wire_reads(wire)) {
        report_init(report, wire->arena);
        report->items = ARENA_ARRAY(wire->arena, Block, list.count);
        report->count = report->capacity = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        wire_item(wire, &list);
        wire_block(wire, &report->items[i]);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
    if (wire_reads(wire))
        check_blocks(wire, report);
}
