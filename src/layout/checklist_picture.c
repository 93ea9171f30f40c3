// SPDX-License-Identifier: Apache-2.0
#include "layout/checklist_picture.h"

#include <string.h>

#include "base/words.h"
#include "layout/chip.h"
#include "layout/figure_text.h"
#include "layout/verdict_head.h"
#include "scene/text_width.h"

// Three parts below each other: a chip for every setting that a side names, by group; then the
// settings that must agree and do not, then the values advised against, a row each.

enum { ROWS_MAX = 16, FIELDS = 4, LINES_MAX = 2 };

static const double width = 1200, margin = 32, group_x = 32, chips_x = 150;
static const double chip_size = 15, chip_step = 20, group_height = 24, row_height = 26;

// One field of a row: the cell it shows and where.
typedef struct Field {
    size_t cell;
    double x, width, size;
    int weight;
    Role role;
} Field;

static const Field differ_fields[FIELDS] = {
    {2, 60,  210, 13, 600, ROLE_INK },
    {3, 280, 220, 13, 400, ROLE_INK },
    {4, 510, 220, 13, 400, ROLE_INK },
    {5, 740, 428, 11, 400, ROLE_INK2}
};
static const Field advice_fields[FIELDS] = {
    {1, 60,  210, 13, 600, ROLE_INK },
    {2, 280, 220, 13, 400, ROLE_INK },
    {3, 510, 220, 13, 400, ROLE_INK },
    {4, 740, 428, 11, 400, ROLE_INK2}
};

static CellStyle style_of(const CheckResult *row)
{
    if (row->status == CHECK_ONE_SIDE)
        return STYLE_UNMATCHED;
    if (row->status == CHECK_EQUAL)
        return STYLE_SAME;
    return row->row->rule == CHECK_SAME ? STYLE_ERROR : STYLE_PASS;
}

static void draw_setting(Scene *scene, const CheckResult *row, double x, double y)
{
    scene_group(scene, STR(""), str_of(row->row->key), STR(""));
    chip_draw_style(scene, x, y, chip_size, style_of(row));
    scene_group_end(scene);
}

// The table of settings is sorted by group; a group that no side names is left out.
static double draw_groups(Scene *scene, const Checklist *list, double y, uint32_t *shown)
{
    const char *group = "";
    double x = chips_x;
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (row->status == CHECK_NEITHER || row->row->rule == CHECK_HAND)
            continue;
        if (strcmp(group, row->row->group) != 0) {
            group = row->row->group;
            y += group_height;
            x = chips_x;
            scene_text(scene, group_x, y, 13, 400, ANCHOR_START, ROLE_INK, str_of(tr(group)));
        }
        draw_setting(scene, row, x, y - 12);
        *shown |= (uint32_t)1 << style_of(row);
        x += chip_step;
    }
    return y;
}

// Only what is drawn above: `shown` has a bit for each style.
static double draw_legend(Scene *scene, uint32_t shown, double y)
{
    static const struct {
        CellStyle style;
        const char *text;
    } entries[] = {
        {STYLE_SAME,      TR("equal")             },
        {STYLE_ERROR,     TR("differs")           },
        {STYLE_PASS,      TR("differs, may do so")},
        {STYLE_UNMATCHED, TR("one side only")     }
    };
    double x = chips_x;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        Str text = str_of(tr(entries[i].text));
        if (!(shown >> entries[i].style & 1))
            continue;
        chip_draw_style(scene, x, y - 11, 13, entries[i].style);
        scene_text(scene, x + 18, y, 11, 400, ANCHOR_START, ROLE_INK2, text);
        x += 18 + text_width(text, 11, 400) + 24;
    }
    return y;
}

static void draw_field(Scene *scene, const Field *field, const Cell *cell, double y)
{
    Str shown = text_fit(cell->text, field->size, field->weight, field->width, scene->arena);
    Item *item = scene_text(scene, field->x, y, (float)field->size, field->weight, ANCHOR_START,
                            field->role, shown);
    if (shown.size != cell->text.size)
        item->title = cell->text;
}

// The reason, on up to two lines; returns the base line of the last.
static double draw_reason(Scene *scene, const Field *field, const Cell *cell, double y)
{
    WrapRule rule = {.size = field->size,
                     .weight = field->weight,
                     .width = field->width,
                     .after = " ",
                     .lines = LINES_MAX,
                     .even = true};
    Str lines[LINES_MAX];
    size_t count = figure_wrap(cell->text, &rule, scene->arena, lines);
    for (size_t i = 0; i < count; i++)
        scene_text(scene, field->x, y + 14 * (double)i, (float)field->size, field->weight,
                   ANCHOR_START, field->role, lines[i]);
    return count > 1 ? y + 14 * (double)(count - 1) : y;
}

static double draw_rows(Scene *scene, Table *table, const Field *fields, double y)
{
    Cell *cells = ARENA_ARRAY(scene->arena, Cell, table->column_count);
    uint64_t drawn = 0;
    table->rewind(table->state);
    for (; drawn < ROWS_MAX && table->next(table->state, cells); drawn++) {
        y += row_height;
        if (cells[0].style == STYLE_GOLDEN || cells[0].style == STYLE_TARGET)
            side_draw(scene, margin + 8, y - 4, cells[0].style == STYLE_GOLDEN);
        else
            chip_draw_style(scene, margin, y - 12, chip_size, cells[0].style);
        for (size_t i = 0; i + 1 < FIELDS; i++)
            draw_field(scene, &fields[i], &cells[fields[i].cell], y);
        const Field *reason = &fields[FIELDS - 1];
        y = draw_reason(scene, reason, &cells[reason->cell], y);
    }
    if (table->row_count > drawn) {
        y += row_height;
        scene_text(
            scene, fields[0].x, y, 11, 400, ANCHOR_START, ROLE_INK2,
            str_printf(scene->arena, tr("… and %zu more"), (size_t)(table->row_count - drawn)));
    }
    return y;
}

// A heading with its explanation, the heads of the columns, the rows; nothing without rows.
static double draw_part(Scene *scene, Table *table, const Field *fields, const char *note, double y)
{
    if (table->row_count == 0)
        return y;
    y += 44;
    section_heading(scene, margin, y, 15, table->name, str_of(tr(note)));
    y += 22;
    for (size_t i = 0; i < FIELDS; i++)
        scene_text(scene, fields[i].x, y, 11, 400, ANCHOR_START, ROLE_INK2,
                   table->columns[fields[i].cell].title);
    section_rule(scene, margin, y + 6);
    return draw_rows(scene, table, fields, y + 2);
}

void checklist_picture(const Checklist *list, ChecklistTables *tables, const Verdict *verdict,
                       Arena *arena, Scene *out)
{
    uint32_t shown = 0;
    scene_init(out, arena, "settings", width);
    double y = verdict_head(out, verdict, margin);
    section_rule(out, margin, y);
    y += 26;
    section_heading(out, margin, y, 15, str_of(tr("Settings by group")),
                    str_of(tr("a chip for each setting of the checklist that a side names")));
    y = draw_groups(out, list, y + 4, &shown);
    y = draw_legend(out, shown, y + 28);
    if (tables) {
        y = draw_part(out, &tables->differs, differ_fields,
                      TR("settings that must agree and do not"), y);
        y = draw_part(out, &tables->advice, advice_fields,
                      TR("values that the accuracy checklist advises against"), y);
    }
    out->height = y + 24;
    out->description = str_of(tr("the settings of both sides, held against the checklist"));
}
