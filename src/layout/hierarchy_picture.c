// SPDX-License-Identifier: Apache-2.0
#include "layout/hierarchy_picture.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"
#include "layout/figure_text.h"
#include "layout/node_name.h"
#include "layout/strip_columns.h"
#include "layout/verdict_head.h"
#include "scene/text_width.h"

enum {
    LABEL_WIDTH = 126,
    CELL_PITCH = 17,
    CELL_HEIGHT = 15,
    MAX_TIERS = 8,
    MICRO_STEPS = 2,  // bands of so many are drawn
    NARROWEST = 4,    // px: narrower cells share bins
    BIN_PX = 2,
    ROW_HEIGHT = 20,
    INDENT = 20,
    ROWS = 64,
};

// Right ends of the number columns.
static const double ops_end = 640, level_ends[LEVEL_COUNT] = {0, 830, 770, 710};
static const double largest_end = 980, norm_end = 1168;

typedef struct LevelLook {
    Role fill, edge, ink;
    const char *letter;
} LevelLook;

static const LevelLook level_looks[LEVEL_COUNT] = {
    [OVERFLOW_NONE] = {ROLE_SAME_FILL,  ROLE_SAME_EDGE, ROLE_SAME_INK,  NULL},
    [OVERFLOW_MEDIUM] = {ROLE_OVERFLOW_M, ROLE_PASS_EDGE, ROLE_INK,       "M" },
    [OVERFLOW_HIGH] = {ROLE_OVERFLOW_H, ROLE_PASS_EDGE, ROLE_INK,       "H" },
    [OVERFLOW_CRITICAL] = {ROLE_OVERFLOW_C, ROLE_PASS_INK,  ROLE_ERROR_INK, "C" },
};

static const char *const level_words[LEVEL_COUNT] = {
    [OVERFLOW_NONE] = TR("no overflow"),
    [OVERFLOW_MEDIUM] = TR("medium: it comes in and does not go out"),
    [OVERFLOW_HIGH] = TR("high: in and out, or a norm 100x as large"),
    [OVERFLOW_CRITICAL] = TR("critical: it starts here")};

typedef struct Picture {
    Scene *scene;
    const Hierarchy *hierarchy;
    double left, right, y;
} Picture;

static void draw_level(Scene *scene, double x, double y, double size, Overflow level)
{
    const LevelLook *look = &level_looks[level];
    scene_box(scene, x + 0.5, y + 0.5, size - 1, size - 1, look->fill, look->edge);
    if (look->letter)
        scene_text(scene, x + size / 2, y + size * 0.77, (float)(size * 0.74), 700, ANCHOR_MIDDLE,
                   look->ink, str_of(look->letter));
}

// ---- the strip

typedef struct Band {
    const Picture *picture;
    const StripColumns *columns;
    int side;
    double y;
} Band;

static void draw_cell(const Band *band, const StripColumn *column)
{
    const Hierarchy *hierarchy = band->picture->hierarchy;
    Scene *scene = band->picture->scene;
    uint32_t row = column->row[band->side];
    const LevelLook *look = &level_looks[hierarchy_level(hierarchy, row)];
    double y = band->y + CELL_PITCH * column->tier, width = column->width - 2;
    NodeName name = node_name(&hierarchy->comparison, row, scene->arena);
    Item *box = scene_box(scene, column->x + 0.5, y + 0.5, width - 1, CELL_HEIGHT - 1, look->fill,
                          look->edge);
    box->title = name.full;
    if (text_width(name.local, 10, 400) <= column->width - 8)
        scene_text(scene, column->x + width / 2, y + 11, 10, 400, ANCHOR_MIDDLE, look->ink,
                   name.local);
    else if (look->letter && width >= 8)
        scene_text(scene, column->x + width / 2, y + 11, 9, 700, ANCHOR_MIDDLE, look->ink,
                   str_of(look->letter));
}

// Cells too narrow to see, by pixel columns: each shows the worst level in it. One path a level.
static void draw_bins(const Band *band, uint32_t tier)
{
    const Picture *picture = band->picture;
    size_t bins = (size_t)((picture->right - picture->left) / BIN_PX) + 1;
    Arena *scratch = arena_new();
    uint8_t *worst = ARENA_ARRAY(scratch, uint8_t, bins);  // level + 1
    for (uint32_t i = 0; i < band->columns->count; i++) {
        const StripColumn *column = &band->columns->items[i];
        if (i == band->columns->root || column->row[band->side] == PAIR_NONE ||
            column->tier != tier || column->width >= NARROWEST)
            continue;
        size_t bin = (size_t)((column->x - picture->left) / BIN_PX);
        uint8_t level = (uint8_t)(hierarchy_level(picture->hierarchy, column->row[band->side]) + 1);
        if (bin < bins && level > worst[bin])
            worst[bin] = level;
    }
    for (int level = 0; level < LEVEL_COUNT; level++) {
        struct {
            PathStep *items;
            size_t count, capacity;
        } steps = {0};
        double y = band->y + CELL_PITCH * tier;
        for (size_t bin = 0; bin < bins; bin++) {
            if (worst[bin] != level + 1)
                continue;
            double x = picture->left + (double)bin * BIN_PX;
            *ARRAY_PUSH(scratch, &steps) = (PathStep){.verb = PATH_MOVE, .x = x, .y = y};
            *ARRAY_PUSH(scratch, &steps) =
                (PathStep){.verb = PATH_LINE, .x = x, .y = y + CELL_HEIGHT};
        }
        if (steps.count)
            scene_path(picture->scene, steps.items, steps.count, ROLE_NONE,
                       level == OVERFLOW_NONE ? ROLE_SAME_EDGE : level_looks[level].fill)
                ->paint.width = BIN_PX;
    }
    arena_release(scratch);
}

static void draw_band(Picture *picture, const StripColumns *columns, int side,
                      const Section *section)
{
    Scene *scene = picture->scene;
    Band band = {picture, columns, side, picture->y};
    uint32_t tiers = columns->tiers[side] < MAX_TIERS ? columns->tiers[side] : MAX_TIERS;
    Str ops = str_printf(scene->arena, tr("%s ops"),
                         str_cstr(scene->arena, figure_count(section->ops, scene->arena)));
    scene_text(scene, HIERARCHY_MARGIN, picture->y + 12, 12, 600, ANCHOR_START, ROLE_INK,
               text_fit(section_name(&picture->hierarchy->outline, section, scene->arena), 12, 600,
                        LABEL_WIDTH - 6, scene->arena));
    scene_text(scene, HIERARCHY_MARGIN, picture->y + 27, 11, 400, ANCHOR_START, ROLE_INK2, ops);
    for (uint32_t tier = 0; tier < tiers; tier++)
        draw_bins(&band, tier);
    for (uint32_t i = 0; i < columns->count; i++) {
        const StripColumn *column = &columns->items[i];
        if (i != columns->root && column->row[side] != PAIR_NONE && column->tier < MAX_TIERS &&
            column->width >= NARROWEST)
            draw_cell(&band, column);
    }
    picture->y += fmax(CELL_PITCH * tiers, 30) + 16;
}

static void draw_strip(Picture *picture)
{
    const Outline *outline = &picture->hierarchy->outline;
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < outline->section_count; i++) {
        const Section *section = &outline->sections[i], *backward = NULL;
        if (i + 1 < outline->section_count && section->kind == SECTION_FORWARD &&
            section[1].kind == SECTION_BACKWARD && section[1].micro_step == section->micro_step)
            backward = &outline->sections[++i];
        if (section->kind != SECTION_AFTER && section->micro_step >= MICRO_STEPS) {
            left_out++;
            continue;
        }
        Arena *scratch = arena_new();
        StripColumns columns;
        bool only_backward = section->kind == SECTION_BACKWARD;
        columns_build(outline, only_backward ? NULL : section, only_backward ? section : backward,
                      scratch, &columns);
        columns_place(&columns, picture->left, picture->right - picture->left);
        if (!only_backward && section->count)
            draw_band(picture, &columns, SIDE_FORWARD, section);
        const Section *other = only_backward ? section : backward;
        if (other && other->count)
            draw_band(picture, &columns, SIDE_BACKWARD, other);
        arena_release(scratch);
    }
    if (left_out)
        scene_text(
            picture->scene, picture->left, picture->y, 11, 400, ANCHOR_START, ROLE_INK2,
            str_printf(picture->scene->arena, tr("%u more micro steps are in the tree"), left_out));
    picture->y += left_out ? 18 : 0;
}

static void draw_legend(Picture *picture)
{
    Scene *scene = picture->scene;
    double x = picture->left;
    picture->y += 8;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        Str word = str_of(tr(level_words[level]));
        draw_level(scene, x, picture->y - 10, 13, (Overflow)level);
        scene_text(scene, x + 18, picture->y, 11, 400, ANCHOR_START, ROLE_INK2, word);
        x += 18 + text_width(word, 11, 400) + 22;
    }
    picture->y += 18;
}

// ---- the tree

static void draw_number(const Picture *picture, double end, Role role, Str text)
{
    scene_text(picture->scene, end, picture->y + 14, 11, 400, ANCHOR_END, role, text);
}

static void draw_counts(const Picture *picture, const uint32_t levels[LEVEL_COUNT], uint64_t ops)
{
    Arena *arena = picture->scene->arena;
    draw_number(picture, ops_end, ROLE_INK, figure_count_or_dot(ops, arena));
    for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++)
        draw_number(picture, level_ends[level], levels[level] ? ROLE_INK : ROLE_INK3,
                    figure_count_or_dot(levels[level], arena));
}

// The largest magnitude and the largest norm among the outputs of a node's own op.
static void draw_outputs(const Picture *picture, uint32_t row)
{
    const Graph *graph = picture->hierarchy->graph;
    uint32_t op = graph->nodes[hierarchy_node(picture->hierarchy, row)].op;
    double largest = (double)NAN, norm = (double)NAN;
    for (uint32_t i = 0; op != OP_NONE && i < graph->dump->ops[op].slot_count; i++) {
        const Slot *slot = &graph->dump->slots[graph->dump->ops[op].first_slot + i];
        double value;
        if (slot->group != GROUP_OUTPUT || slot->kind != SLOT_TENSOR)
            continue;
        for (int stat = STAT_MAX; stat <= STAT_MIN; stat++)
            if (slot_stat(slot, (Stat)stat, &value))
                largest = isnan(value) ? value : fmax(largest, fabs(value));
        if (slot_stat(slot, STAT_NORM, &value))
            norm = isnan(value) ? value : fmax(norm, value);
    }
    Arena *arena = picture->scene->arena;
    if (!isnan(largest))
        draw_number(picture, largest_end, ROLE_INK2, figure_number(largest, 3, arena));
    if (!isnan(norm))
        draw_number(picture, norm_end, ROLE_INK2, figure_number(norm, 3, arena));
}

static Str repeats_text(const Picture *picture, const HierarchyRow *row, Str local)
{
    Arena *arena = picture->scene->arena;
    if (row->repeats == 1)
        return local;
    Str last = node_name(&picture->hierarchy->comparison, row->last, arena).local;
    return str_printf(arena, STR_FMT " … " STR_FMT " ×%u", STR_ARG(local), STR_ARG(last),
                      row->repeats);
}

static void draw_node(const Picture *picture, const HierarchyRow *row)
{
    const Hierarchy *hierarchy = picture->hierarchy;
    Scene *scene = picture->scene;
    NodeName name = node_name(&hierarchy->comparison, row->row, scene->arena);
    double x = HIERARCHY_MARGIN + INDENT * (double)row->depth;
    double room = ops_end - 60 - x - 20;
    Overflow level = hierarchy_level(hierarchy, row->row);
    bool module = hierarchy->graph->nodes[hierarchy_node(hierarchy, row->row)].type == NODE_MODULE;
    draw_level(scene, x, picture->y + 4, 13, level);
    Span spans[2] = {
        {.text = text_fit(repeats_text(picture, row, name.local), 12, 600, room, scene->arena),
         .weight = module ? 600 : 400},
        {.text = name.class_name,                                 .size = 11,                       .role = ROLE_INK2,                            .dx = 8                             }
    };
    double used = text_width(spans[0].text, 12, 600) + 8;
    spans[1].text = text_fit(name.class_name, 11, 400, room - used, scene->arena);
    Item *item = scene_spans(scene, x + 20, picture->y + 14.5, 12, ANCHOR_START, ROLE_INK, spans,
                             spans[1].text.size ? 2 : 1);
    item->title = name.full;
    uint32_t sums[LEVEL_COUNT];
    for (int i = 0; i < LEVEL_COUNT; i++)
        sums[i] = hierarchy->levels[row->row][i] * row->repeats;
    draw_counts(picture, sums,
                (uint64_t)row_ops(&hierarchy->comparison.tree[row->row]) * row->repeats);
    if (row->repeats == 1)
        draw_outputs(picture, row->row);
}

static void draw_section(const Picture *picture, const HierarchyRow *row)
{
    const Hierarchy *hierarchy = picture->hierarchy;
    Scene *scene = picture->scene;
    uint32_t sums[LEVEL_COUNT] = {0};
    for (uint32_t i = 0; i < row->section->count; i++)
        for (int level = 0; level < LEVEL_COUNT; level++)
            sums[level] +=
                hierarchy->levels[hierarchy->outline.tops[row->section->first + i]][level];
    scene_line(scene, HIERARCHY_MARGIN, picture->y, HIERARCHY_WIDTH - HIERARCHY_MARGIN, picture->y,
               ROLE_RULE);
    scene_text(scene, HIERARCHY_MARGIN, picture->y + 14.5, 12.5F, 700, ANCHOR_START, ROLE_INK,
               section_name(&hierarchy->outline, row->section, scene->arena));
    draw_counts(picture, sums, row->section->ops);
}

static void draw_heads(Picture *picture)
{
    Scene *scene = picture->scene;
    draw_number(picture, ops_end, ROLE_INK2, str_of(tr("ops")));
    for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++)
        draw_level(scene, level_ends[level] - 12, picture->y + 3, 13, (Overflow)level);
    draw_number(picture, largest_end, ROLE_INK2, str_of(tr("largest output")));
    draw_number(picture, norm_end, ROLE_INK2, str_of(tr("output norm")));
    scene_text(scene, HIERARCHY_MARGIN, picture->y + 14, 11, 400, ANCHOR_START, ROLE_INK2,
               str_of(tr("node")));
    picture->y += ROW_HEIGHT;
}

static void draw_tree(Picture *picture, const HierarchyOptions *options)
{
    Arena *scratch = arena_new();
    HierarchyRows rows;
    Scene *scene = picture->scene;
    hierarchy_rows(picture->hierarchy, options->rows ? options->rows : ROWS, options->depth,
                   scratch, &rows);
    section_rule(scene, HIERARCHY_MARGIN, picture->y);
    section_heading(scene, HIERARCHY_MARGIN, picture->y + 26, 15, str_of(tr("Hierarchy")),
                    str_printf(scene->arena, tr("%u levels deep; repeats are folded"), rows.depth));
    picture->y += 38;
    draw_heads(picture);
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.items[i].section)
            draw_section(picture, &rows.items[i]);
        else
            draw_node(picture, &rows.items[i]);
        picture->y += ROW_HEIGHT;
    }
    scene_line(scene, HIERARCHY_MARGIN, picture->y, HIERARCHY_WIDTH - HIERARCHY_MARGIN, picture->y,
               ROLE_RULE);
    if (rows.cut)
        scene_text(scene, HIERARCHY_MARGIN, picture->y + 18, 11, 400, ANCHOR_START, ROLE_INK2,
                   str_printf(scene->arena, tr("… and %zu more rows; --depth opens fewer levels"),
                              rows.cut));
    picture->y += 36;
    arena_release(scratch);
}

void layout_hierarchy(const Hierarchy *hierarchy, const Verdict *verdict,
                      const HierarchyOptions *options, Arena *arena, Scene *out)
{
    scene_init(out, arena, "hierarchy", HIERARCHY_WIDTH);
    out->description = str_printf(arena, tr("dump: %s"), str_cstr(arena, options->path));
    Picture picture = {.scene = out,
                       .hierarchy = hierarchy,
                       .left = HIERARCHY_MARGIN + LABEL_WIDTH,
                       .right = HIERARCHY_WIDTH - HIERARCHY_MARGIN};
    picture.y = verdict_head(out, verdict, HIERARCHY_MARGIN);
    section_rule(out, HIERARCHY_MARGIN, picture.y);
    section_heading(out, HIERARCHY_MARGIN, picture.y + 26, 15, str_of(tr("Overview")),
                    str_of(tr("one cell a node: depth down, execution order across")));
    picture.y += 44;
    draw_strip(&picture);
    draw_legend(&picture);
    draw_tree(&picture, options);
    out->height = picture.y;
}
