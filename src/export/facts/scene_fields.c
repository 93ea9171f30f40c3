// SPDX-License-Identifier: Apache-2.0
#include "export/facts/scene_fields.h"

// ---- scenes

static const Field box[] = {
    FIELD(BoxShape, x, COORDINATE),      FIELD(BoxShape, y, COORDINATE),
    FIELD(BoxShape, width, COORDINATE),  FIELD(BoxShape, height, COORDINATE),
    FIELD(BoxShape, radius, COORDINATE), FIELD(BoxShape, hatch, 0),
};
static const Fields box_fields = FIELDS(BoxShape, box);

static const Field line[] = {
    FIELD(LineShape, x1, COORDINATE),
    FIELD(LineShape, y1, COORDINATE),
    FIELD(LineShape, x2, COORDINATE),
    FIELD(LineShape, y2, COORDINATE),
};
static const Fields line_fields = FIELDS(LineShape, line);

static const Field path_step[] = {
    CHOICE("verb", PathStep, verb, NULL, PATH_VERB_COUNT, 0),
    FIELD(PathStep, x, COORDINATE),
    FIELD(PathStep, y, COORDINATE),
    FIELD(PathStep, x1, COORDINATE),
    FIELD(PathStep, y1, COORDINATE),
    FIELD(PathStep, x2, COORDINATE),
    FIELD(PathStep, y2, COORDINATE),
};
static const Fields step_fields = FIELDS(PathStep, path_step);

static const Field path[] = {LIST("steps", PathShape, steps, count, &step_fields, 0)};
static const Fields path_fields = FIELDS(PathShape, path);

enum { WEIGHTS = 1000 };

static const Field span[] = {
    FIELD(Span, text, 0),          CHOICE("role", Span, role, NULL, ROLE_COUNT, 0),
    FIELD(Span, size, COORDINATE), SMALL(Span, weight, WEIGHTS),
    FIELD(Span, dx, COORDINATE),   FIELD(Span, raise, COORDINATE),
    FIELD(Span, mono, 0),
};
static const Fields span_fields = FIELDS(Span, span);

static const Field text[] = {
    FIELD(TextShape, x, COORDINATE),
    FIELD(TextShape, y, COORDINATE),
    FIELD(TextShape, size, COORDINATE),
    SMALL(TextShape, weight, WEIGHTS),
    CHOICE("anchor", TextShape, anchor, NULL, ANCHOR_COUNT, 0),
    FIELD(TextShape, mono, 0),
    FIELD(TextShape, vertical, 0),
    LIST("spans", TextShape, spans, count, &span_fields, 0),
};
static const Fields text_fields = FIELDS(TextShape, text);

static const Field group[] = {FIELD(GroupShape, id, 0), FIELD(GroupShape, link, 0)};
static const Fields group_fields = FIELDS(GroupShape, group);

static void walk_shape(Wire *wire, const char *key, void *member)
{
    Item *item = member;
    static const Fields *const shapes[ITEM_KIND_COUNT] = {[ITEM_BOX] = &box_fields,
                                                          [ITEM_LINE] = &line_fields,
                                                          [ITEM_PATH] = &path_fields,
                                                          [ITEM_TEXT] = &text_fields,
                                                          [ITEM_GROUP] = &group_fields};
    (void)key;
    if (shapes[item->kind])
        fields_walk(shapes[item->kind], &item->as, wire);
}

static const Field item[] = {
    CHOICE("kind", Item, kind, NULL, ITEM_KIND_COUNT, 0),
    CHOICE("fill", Item, paint.fill, NULL, ROLE_COUNT, 0),
    CHOICE("stroke", Item, paint.stroke, NULL, ROLE_COUNT, 0),
    FIELD_AS("line", Item, paint.width, COORDINATE),
    FIELD_AS("dash", Item, paint.dash, COORDINATE),
    FIELD_AS("gap", Item, paint.gap, COORDINATE),
    FIELD_AS("opacity", Item, paint.opacity, COORDINATE),
    FIELD_AS("round", Item, paint.round, 0),
    FIELD(Item, title, 0),
    WALKED("shape", Item, kind, walk_shape),
};
static const Fields item_fields = FIELDS(Item, item);

static const Field scene_list[] = {
    FIELD(Scene, id, 0),
    FIELD(Scene, title, 0),
    FIELD(Scene, description, 0),
    FIELD(Scene, caption, 0),
    FIELD(Scene, width, COORDINATE),
    FIELD(Scene, height, COORDINATE),
    LIST("items", Scene, items, count, &item_fields, 0),
};
static const Fields scene_fields = FIELDS(Scene, scene_list);

static void check_groups(Wire *wire, const Scene *scene)
{
    int64_t open = 0;
    for (size_t i = 0; i < scene->count && open >= 0; i++)
        open += (scene->items[i].kind == ITEM_GROUP) - (scene->items[i].kind == ITEM_GROUP_END);
    if (open != 0)
        wire_bad(wire, "items");
}

// Ids and the base names of files are letters, digits, '-', and of stages '_' and '~'.
static void check_id(Wire *wire, Str id)
{
    for (size_t i = 0; i < id.size; i++) {
        char c = id.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_' || c == '~'))
            wire_bad(wire, "id");
    }
}

void wire_scene(Wire *wire, Scene *scene)
{
    fields_walk(&scene_fields, scene, wire);
    if (!wire_reads(wire))
        return;
    scene->arena = wire->arena;
    scene->capacity = scene->count;
    check_groups(wire, scene);
    check_id(wire, scene->id);
}

// ---- tables

static const Field cell[] = {
    CHOICE("kind", Cell, kind, NULL, CELL_KIND_COUNT, 0),
    CHOICE("style", Cell, style, NULL, STYLE_COUNT, 0),
    FIELD(Cell, number, 0),
    FIELD(Cell, text, 0),
    FIELD(Cell, title, 0),
    FIELD(Cell, link, 0),
};
static const Fields cell_fields = FIELDS(Cell, cell);

static const Field column[] = {
    FIELD(Column, title, 0),
    FIELD(Column, width, COORDINATE),
    FIELD(Column, number, 0),
};
static const Fields column_fields = FIELDS(Column, column);

static const Field table_head[] = {
    FIELD(Table, name, 0),
    FIELD(Table, note, 0),
    FIELD(Table, freeze, 0),
    LIST("columns", Table, columns, column_count, &column_fields, 0),
};
static const Fields table_fields = FIELDS(Table, table_head);

static void walk_cell(Wire *wire, WireList *list, Cell *at)
{
    wire_item(wire, list);
    fields_walk(&cell_fields, at, wire);
    wire_item_end(wire, list);
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
            walk_cell(wire, &list, &cells[i]);
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
        for (size_t i = 0; i < columns; i++, at++)
            walk_cell(wire, &list, &cells[i]);
    }
    wire_list_end(wire, &list);
}

void wire_table(Wire *wire, Table *table)
{
    if (!wire_reads(wire)) {
        fields_walk(&table_fields, table, wire);
        write_cells(wire, table);
        return;
    }
    Table head = {.freeze = false};
    fields_walk(&table_fields, &head, wire);
    table_init_rows(table, ARENA_NEW(wire->arena, TableRows), str_cstr(wire->arena, head.name),
                    head.columns, head.column_count, wire->arena);
    table->note = head.note;
    table->freeze = head.freeze;
    read_cells(wire, table);
}

// ---- blocks

// What a block shows, where its kind shows something.
static void walk_shown(Wire *wire, const char *key, void *member)
{
    Block *block = member;
    (void)key;
    if (wire_reads(wire))
        check_id(wire, block->file);
    if (block->kind == BLOCK_FIGURE) {
        WireObject object = wire_open(wire, "scene");
        Scene scene = {.width = 0};
        if (!wire_reads(wire))
            scene = *block->scene;
        wire_scene(wire, &scene);
        if (wire_reads(wire)) {
            Scene *kept = ARENA_NEW(wire->arena, Scene);
            *kept = scene;
            block->scene = kept;
        }
        wire_close(wire, &object);
    }
    if (block->kind == BLOCK_TABLE) {
        WireObject object = wire_open(wire, "table");
        if (wire_reads(wire))
            block->table = ARENA_NEW(wire->arena, Table);
        wire_table(wire, block->table);
        wire_close(wire, &object);
    }
}

static const Field block_list[] = {
    CHOICE("kind", Block, kind, NULL, BLOCK_KIND_COUNT, 0),
    SMALL(Block, level, 4),
    FIELD(Block, ordered, 0),
    FIELD(Block, rich, 0),
    FIELD(Block, id, 0),
    FIELD(Block, text, 0),
    FIELD(Block, note, 0),
    FIELD(Block, file, 0),
    WALKED("shown", Block, kind, walk_shown),
};
static const Fields block_fields = FIELDS(Block, block_list);

static const Field report_list[] = {LIST("blocks", Report, items, count, &block_fields, 0)};
static const Fields report_fields = FIELDS(Report, report_list);

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

void wire_blocks(Wire *wire, Report *report)
{
    if (wire_reads(wire))
        report_init(report, wire->arena);
    fields_walk(&report_fields, report, wire);
    if (!wire_reads(wire))
        return;
    report->capacity = report->count;
    check_blocks(wire, report);
}
