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

// How wide the cells of a tier are, and how much of that cannot hold its name.
typedef struct Crowd {
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
        Str name = column_name(comparison, column, side, scratch);
        out.width += column->width;
        if (text_width(name, SIZE_TINY, 400) > column->width - 8)
            out.nameless += column->width;
    }
    arena_release(scratch);
    return out;
}

// The first tier with names that are worth a repeat; `tiers` if there is none.
static uint32_t find_tier(const StripColumns *columns, int side)
{
    Arena *scratch = arena_new();
    uint32_t tiers = columns->tiers[side], tier = 0;
    uint32_t *cells = ARENA_ARRAY(scratch, uint32_t, (size_t)tiers + 1);
    for (uint32_t i = 0; i + 1 < columns->count; i++) {
        const StripColumn *column = &columns->items[columns->order[i]];
        if (column->row[side] != PAIR_NONE && column->tier < tiers)
            cells[column->tier]++;
    }
    while (tier < tiers && cells[tier] < REPEATS)
        tier++;
    arena_release(scratch);
    return tier;
}

void strip_axis_draw(Scene *scene, const Comparison *comparison, const StripColumns *columns,
                     int side, double y)
{
    uint32_t tier = find_tier(columns, side);
    if (tier == columns->tiers[side])
        return;
    Crowd crowd = crowd_of(comparison, columns, side, tier);
    if (crowd.nameless * 2 < crowd.width)
        return;
    double right = columns->items[columns->root].x + columns->items[columns->root].width;
    double least = (right - columns->items[columns->root].x) / LABELS, free_from = -1e9;
    for (uint32_t i = 0; i + 1 < columns->count; i++) {
        const StripColumn *column = &columns->items[columns->order[i]];
        if (column->tier != tier || column->row[side] == PAIR_NONE || column->x < free_from)
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
