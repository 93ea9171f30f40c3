// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/checklist_picture.h"

#include <string.h>

#include "base/words.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

// Three parts below each other: a chip for every setting that a side names, by group; then the
// settings that must agree and do not, then the values advised against, a row each.

enum { ROWS_MAX = 16, FIELDS = 4, LINES_MAX = 2 };

static const double chips_x = 150;
static const double chip_size = 15, row_height = 26;

// One field of a row: the cell it shows and where.
typedef struct Field {
    size_t cell;
    double x, width, size;
    int weight;
    Role role;
} Field;

static const Field differ_fields[FIELDS] = {{2, 60, 210, SIZE_STRONG, 600, ROLE_INK},
                                            {3, 280, 220, SIZE_STRONG, 400, ROLE_INK},
                                            {4, 510, 220, SIZE_STRONG, 400, ROLE_INK},
                                            {5, 740, 428, SIZE_NOTE, 400, ROLE_INK2}};
static const Field advice_fields[FIELDS] = {{1, 60, 210, SIZE_STRONG, 600, ROLE_INK},
                                            {2, 280, 220, SIZE_STRONG, 400, ROLE_INK},
                                            {3, 510, 220, SIZE_STRONG, 400, ROLE_INK},
                                            {4, 740, 428, SIZE_NOTE, 400, ROLE_INK2}};

static Status status_of(const CheckResult *row)
{
    if (row->status == CHECK_ONE_SIDE || row->status == CHECK_UNKNOWN)
        return STATUS_UNMATCHED;
    if (row->status == CHECK_EQUAL)
        return STATUS_SAME;
    return row->row->rule == CHECK_SAME ? STATUS_ERROR : STATUS_PASS;
}

static bool is_shown(const CheckResult *row)
{
    return row->status != CHECK_NEITHER && row->row->rule != CHECK_HAND;
}

// A chip and its name, on the next line where it has no room.
static void draw_setting(Scene *scene, const CheckResult *row, double *x, double *y)
{
    Status status = status_of(row);
    int weight = status == STATUS_ERROR ? 700 : 400;
    Str name = str_of(row->row->key);
    double width = chip_size + 6 + text_width(name, SIZE_TEXT, weight);
    if (*x + width > PAGE_WIDTH - PAGE_MARGIN) {
        *x = chips_x;
        *y += 22;
    }
    chip_draw(scene, *x, *y, chip_size, status, false);
    scene_text(scene, *x + chip_size + 6, *y + 12, SIZE_TEXT, weight, ANCHOR_START,
               status == STATUS_ERROR ? ROLE_INK : ROLE_INK2, name);
    *x += width + 18;
}

// The table of settings is sorted by group; a group that no side names is left out.
static double draw_groups(Scene *scene, const Checklist *list, double y, uint32_t *shown)
{
    for (size_t i = 0, end; i < list->row_count; i = end) {
        const char *group = list->rows[i].row->group;
        double x = chips_x, top = y;
        for (end = i; end < list->row_count && strcmp(list->rows[end].row->group, group) == 0;
             end++) {
            if (!is_shown(&list->rows[end]))
                continue;
            draw_setting(scene, &list->rows[end], &x, &y);
            *shown |= 1U << status_of(&list->rows[end]);
        }
        if (x == chips_x && y == top)
            continue;
        fitted_text(scene, PAGE_MARGIN, top + 12, SIZE_STRONG, 600, ROLE_INK,
                    chips_x - PAGE_MARGIN - 8, str_of(tr(group)));
        y += 28;
    }
    return y;
}

enum { FOOT = 24 };  // px below the last line

// What the legend calls the chips.
static const ChipWord words[] = {{STATUS_SAME, TR("equal")},
                                 {STATUS_ERROR, TR("differs")},
                                 {STATUS_PASS, TR("differs, may do so")},
                                 {STATUS_UNMATCHED, TR("one side only")}};

// The reason, on up to two lines; returns the base line of the last.
static double draw_reason(Scene *scene, const Field *field, const Cell *cell, double y)
{
    WrapRule rule = {.size = field->size,
                     .weight = field->weight,
                     .width = field->width,
                     .after = " ",
                     .lines = LINES_MAX,
                     .even = true};
    return page_text(scene, field->x, y, 14, &rule, field->role, cell->text);
}

static double draw_rows(Scene *scene, Table *table, const Field *fields, double y)
{
    Cell *cells = ARENA_ARRAY(scene->arena, Cell, table->column_count);
    uint64_t drawn = 0;
    table->rewind(table->state);
    for (; drawn < ROWS_MAX && table->next(table->state, cells); drawn++) {
        y += row_height;
        if (cells[0].style == STYLE_GOLDEN || cells[0].style == STYLE_TARGET)
            side_draw(scene, PAGE_MARGIN + 8, y - 4, cells[0].style == STYLE_GOLDEN);
        else
            chip_draw_style(scene, PAGE_MARGIN, y - 12, chip_size, cells[0].style);
        for (size_t i = 0; i + 1 < FIELDS; i++)
            fitted_text(scene, fields[i].x, y, (float)fields[i].size, fields[i].weight,
                        fields[i].role, fields[i].width, cells[fields[i].cell].text);
        const Field *reason = &fields[FIELDS - 1];
        y = draw_reason(scene, reason, &cells[reason->cell], y);
    }
    if (table->row_count > drawn) {
        y += row_height;
        note_text(
            scene, fields[0].x, y, ANCHOR_START,
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
    section_heading(scene, PAGE_MARGIN, y, SIZE_HEADING, table->name, str_of(tr(note)));
    y += 22;
    for (size_t i = 0; i < FIELDS; i++)
        note_text(scene, fields[i].x, y, ANCHOR_START, table->columns[fields[i].cell].title);
    section_rule(scene, y + 6);
    return draw_rows(scene, table, fields, y + 2);
}

void checklist_picture(const Checklist *list, Arena *arena, Scene *out)
{
    uint32_t shown = 0;
    scene_init(out, arena, "settings", PAGE_WIDTH);
    double y = 26;
    section_heading(out, PAGE_MARGIN, y, SIZE_HEADING, str_of(tr("Settings by group")),
                    str_of(tr("each setting of the checklist that a side names")));
    y = draw_groups(out, list, y + 16, &shown) + 16;
    if (!shown)
        row_text(out, PAGE_MARGIN, y + 4, ANCHOR_START, str_of(tr("none is in both sides")));
    chip_words(out, chips_x, y, words, sizeof words / sizeof *words, shown);
    out->height = y + FOOT;
    out->description = str_of(tr("the settings of both sides, compared with the checklist"));
}

void checklist_picture_rows(const Scene *groups, Table *differs, Table *advice, Arena *arena,
                            Scene *out)
{
    scene_init(out, arena, "settings", PAGE_WIDTH);
    scene_append(out, groups, 0, 0);
    double y = groups->height - FOOT;
    y = draw_part(out, differs, differ_fields, TR("settings that must agree and do not"), y);
    y = draw_part(out, advice, advice_fields,
                  TR("values that the accuracy checklist advises against"), y);
    out->height = y + FOOT;
    out->description = groups->description;
}
