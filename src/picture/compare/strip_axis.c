// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/strip_axis.h"

#include "picture/compare/node_name.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"

enum { REPEATS = 6, LABEL_GAP = 14, LABELS = 16 };

static Str column_name(const Comparison *comparison, const StripColumn *column, int side,
                       Arena *arena)
{
    return node_name(comparison, column->row[side], arena).local;
}

// How many cells a tier has, how wide they are, and how much of that cannot hold its name.
typedef struct Crowd {
    uint32_t cells;
    double width, nameless;
} Crowd;

static Crowd crowd_of(const Comparison *comparison, const StripColumns *columns, int side,
                      uint32_t tier)
{
    Arena *scratch = arena_new();
    Crowd out = {0};
    for (uint32_t i = 0; i + 1 < columns->count; i++) {
        const StripColumn *column = &columns->items[columns->order[i]];
        if (column->tier != tier || column->row[side] == PAIR_NONE)
            continue;
        out.cells++;
        Str name = column_name(comparison, column, side, scratch);
        out.width += column->width;
        if (text_width(name, SIZE_TINY, 400) > column->width - 8)
            out.nameless += column->width;
    }
    arena_release(scratch);
    return out;
}

void strip_axis_draw(Scene *scene, const Comparison *comparison, const StripColumns *columns,
                     int side, double y)
{
    uint32_t tier = 0;
    Crowd crowd = {0};
    for (; tier < columns->tiers[side] && crowd.cells < REPEATS; tier++)
        crowd = crowd_of(comparison, columns, side, tier);
    if (crowd.cells < REPEATS || crowd.nameless * 2 < crowd.width)
        return;
    double right = columns->items[columns->root].x + columns->items[columns->root].width;
    double least = (right - columns->items[columns->root].x) / LABELS, free_from = -1e9;
    for (uint32_t i = 0; i + 1 < columns->count; i++) {
        const StripColumn *column = &columns->items[columns->order[i]];
        if (column->tier + 1 != tier || column->row[side] == PAIR_NONE || column->x < free_from)
            continue;
        Str name = text_fit(column_name(comparison, column, side, scene->arena), SIZE_TINY, 400,
                            2 * least, scene->arena);
        double width = text_width(name, SIZE_TINY, 400);
        if (column->x + 4 + width > right)
            continue;
        scene_line(scene, column->x + 0.5, y, column->x + 0.5, y + 10, ROLE_RULE);
        scene_text(scene, column->x + 4, y + 9, SIZE_TINY, 400, ANCHOR_START, ROLE_INK3, name);
        double next = column->x + 4 + width + LABEL_GAP;
        free_from = next > column->x + least ? next : column->x + least;
    }
}
