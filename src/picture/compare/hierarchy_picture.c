// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/hierarchy_picture.h"

#include <math.h>

#include "base/words.h"
#include "picture/compare/node_name.h"
#include "picture/compare/strip_columns.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    LABEL_WIDTH = 126,
    CELL_PITCH = 17,
    CELL_HEIGHT = 15,
    MAX_TIERS = 8,
    MICRO_STEPS = 2,  // bands of so many are drawn
    MAX_CELLS = 300,  // of a pair of bands, drawn one by one
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
    [OVERFLOW_NONE] = {ROLE_SAME_FILL, ROLE_SAME_EDGE, ROLE_SAME_INK, NULL},
    [OVERFLOW_MEDIUM] = {ROLE_OVERFLOW_M, ROLE_PASS_EDGE, ROLE_INK, "M"},
    [OVERFLOW_HIGH] = {ROLE_OVERFLOW_H, ROLE_PASS_EDGE, ROLE_INK, "H"},
    [OVERFLOW_CRITICAL] = {ROLE_OVERFLOW_C, ROLE_PASS_INK, ROLE_ERROR_INK, "C"},
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
    uint32_t tiers;
    double least_cell;  // px: narrower cells share bins
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
    if (text_width(name.local, SIZE_TINY, 400) <= column->width - 8)
        scene_text(scene, column->x + width / 2, y + 11, SIZE_TINY, 400, ANCHOR_MIDDLE, look->ink,
                   name.local);
    else if (look->letter && width >= 8)
        scene_text(scene, column->x + width / 2, y + 11, SIZE_TINY, 700, ANCHOR_MIDDLE, look->ink,
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
            column->tier != tier || column->width >= band->least_cell)
            continue;
        size_t bin = (size_t)((column->x - picture->left) / BIN_PX);
        uint8_t level = (uint8_t)(hierarchy_level(picture->hierarchy, column->row[band->side]) + 1);
        if (bin < bins && level > worst[bin])
            worst[bin] = level;
    }
    for (int level = 0; level < LEVEL_COUNT; level++) {
        PathSteps steps = {0};
        double y = band->y + CELL_PITCH * tier + CELL_HEIGHT / 2.0;
        for (size_t bin = 0, from; bin < bins; bin++) {
            for (from = bin; bin < bins && worst[bin] == level + 1;)
                bin++;
            if (bin == from)
                continue;
            steps_line(&steps, scratch, picture->left + (double)from * BIN_PX, y,
                       picture->left + (double)bin * BIN_PX, y);
        }
        if (steps.count)
            scene_path(picture->scene, steps.items, steps.count, ROLE_NONE,
                       level == OVERFLOW_NONE ? ROLE_SAME_EDGE : level_looks[level].fill)
                ->paint.width = CELL_HEIGHT;
    }
    arena_release(scratch);
}

static void draw_band(Picture *picture, const Band *band, const Section *section)
{
    Scene *scene = picture->scene;
    Str ops = str_printf(scene->arena, tr("%s ops"),
                         str_cstr(scene->arena, figure_count(section->ops, scene->arena)));
    scene_text(scene, PAGE_MARGIN, picture->y + 12, SIZE_TEXT, 600, ANCHOR_START, ROLE_INK,
               text_fit(section_name(&picture->hierarchy->outline, section, scene->arena),
                        SIZE_TEXT, 600, LABEL_WIDTH - 6, scene->arena));
    scene_text(scene, PAGE_MARGIN, picture->y + 27, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2, ops);
    for (uint32_t tier = 0; tier < band->tiers; tier++)
        draw_bins(band, tier);
    for (uint32_t i = 0; i < band->columns->count; i++) {
        const StripColumn *column = &band->columns->items[i];
        if (i != band->columns->root && column->row[band->side] != PAIR_NONE &&
            column->tier < band->tiers && column->width >= band->least_cell)
            draw_cell(band, column);
    }
    picture->y += fmax(CELL_PITCH * band->tiers, 30) + 16;
}

// The bands of a micro step, or of what runs after the last; either section may be NULL.
static void draw_bands(Picture *picture, const Section *forward, const Section *backward)
{
    const Section *sections[2] = {forward, backward};
    Arena *scratch = arena_new();
    StripColumns columns;
    uint32_t tiers[2];
    columns_build(&picture->hierarchy->outline, forward, backward, scratch, &columns);
    columns_place(&columns, picture->left, picture->right - picture->left);
    for (int side = 0; side < 2; side++)
        tiers[side] = columns.tiers[side] < MAX_TIERS ? columns.tiers[side] : MAX_TIERS;
    Band band = {.picture = picture,
                 .columns = &columns,
                 .least_cell = columns_least_width(&columns, tiers, MAX_CELLS)};
    for (int side = 0; side < 2; side++) {
        if (!sections[side] || !sections[side]->count)
            continue;
        band.side = side;
        band.y = picture->y;
        band.tiers = tiers[side];
        draw_band(picture, &band, sections[side]);
    }
    arena_release(scratch);
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
        if (section->kind == SECTION_BACKWARD)
            draw_bands(picture, NULL, section);
        else
            draw_bands(picture, section, backward);
    }
    if (left_out)
        scene_text(picture->scene, picture->left, picture->y, SIZE_NOTE, 400, ANCHOR_START,
                   ROLE_INK2,
                   str_printf(picture->scene->arena,
                              tr_count(left_out, "%u more micro step is in the tree",
                                       "%u more micro steps are in the tree"),
                              left_out));
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
        scene_text(scene, x + 18, picture->y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2, word);
        x += 18 + text_width(word, SIZE_NOTE, 400) + 22;
    }
    picture->y += 18;
}

// ---- the tree

static void draw_number(const Picture *picture, double end, Role role, Str text)
{
    scene_text(picture->scene, end, picture->y + 14, SIZE_NOTE, 400, ANCHOR_END, role, text);
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
    double x = PAGE_MARGIN + INDENT * (double)row->depth;
    double room = ops_end - 60 - x - 20;
    Overflow level = hierarchy_level(hierarchy, row->row);
    bool module = hierarchy->graph->nodes[hierarchy_node(hierarchy, row->row)].type == NODE_MODULE;
    draw_level(scene, x, picture->y + 4, 13, level);
    Span spans[2] = {{.text = text_fit(repeats_text(picture, row, name.local), SIZE_TEXT, 600, room,
                                       scene->arena),
                      .weight = module ? 600 : 400},
                     {.text = name.class_name, .size = SIZE_NOTE, .role = ROLE_INK2, .dx = 8}};
    double used = text_width(spans[0].text, SIZE_TEXT, 600) + 8;
    spans[1].text = text_fit(name.class_name, SIZE_NOTE, 400, room - used, scene->arena);
    Item *item = scene_spans(scene, x + 20, picture->y + 14.5, SIZE_TEXT, ANCHOR_START, ROLE_INK,
                             spans, spans[1].text.size ? 2 : 1);
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
    scene_line(scene, PAGE_MARGIN, picture->y, PAGE_WIDTH - PAGE_MARGIN, picture->y, ROLE_RULE);
    scene_text(scene, PAGE_MARGIN, picture->y + 14.5, SIZE_STRONG, 700, ANCHOR_START, ROLE_INK,
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
    scene_text(scene, PAGE_MARGIN, picture->y + 14, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2,
               str_of(tr("node")));
    picture->y += ROW_HEIGHT;
}

// The rows from `from` up to `end` under their heading.
static void draw_tree(Picture *picture, const HierarchyRows *rows, size_t from, size_t end)
{
    Scene *scene = picture->scene;
    const Outline *outline = &picture->hierarchy->outline;
    Str note = str_printf(scene->arena,
                          tr_count(rows->depth, "%u level deep; repeats are folded",
                                   "%u levels deep; repeats are folded"),
                          rows->depth);
    if (from) {
        const HierarchyRow *row = &rows->items[from];
        const Section *section =
            row->section ? row->section : &outline->sections[outline->section_of[row->row]];
        note =
            outline_continued(outline, section, row->section ? PAIR_NONE : row->row, scene->arena);
    }
    section_rule(scene, picture->y);
    section_heading(scene, PAGE_MARGIN, picture->y + 26, SIZE_HEADING, str_of(tr("Hierarchy")),
                    text_fit(note, SIZE_TEXT, 400, PAGE_WIDTH - 300, scene->arena));
    picture->y += 38;
    draw_heads(picture);
    for (size_t i = from; i < end; i++) {
        if (rows->items[i].section)
            draw_section(picture, &rows->items[i]);
        else
            draw_node(picture, &rows->items[i]);
        picture->y += ROW_HEIGHT;
    }
    scene_line(scene, PAGE_MARGIN, picture->y, PAGE_WIDTH - PAGE_MARGIN, picture->y, ROLE_RULE);
}

static Str cut_text(size_t cut, Str all_nodes, Arena *arena)
{
    const char *count = str_cstr(arena, figure_count(cut, arena));
    if (!all_nodes.size)
        return str_printf(arena, tr("… and %s more rows"), count);
    return str_printf(arena, tr("… and %s more rows; every node is in %s"), count,
                      str_cstr(arena, all_nodes));
}

// The parts that stand on the first page only.
static void draw_overview(Picture *picture)
{
    section_rule(picture->scene, picture->y);
    section_heading(picture->scene, PAGE_MARGIN, picture->y + 26, SIZE_HEADING,
                    str_of(tr("Overview")),
                    str_of(tr("one cell a node: depth down, execution order across")));
    picture->y += 44;
    draw_strip(picture);
    draw_legend(picture);
}

static HierarchyLimits limits_of(const HierarchyOptions *options, size_t page_rows)
{
    return (HierarchyLimits){
        .rows = ROWS, .most = page_rows * GRAPH_PAGES, .depth = options->depth};
}

void hierarchy_picture(const Hierarchy *hierarchy, const HierarchyOptions *options, Arena *arena,
                       Scene *out)
{
    HierarchyRows rows;
    size_t page_rows = options->page_rows ? options->page_rows : GRAPH_PAGE_ROWS;
    HierarchyLimits limits = limits_of(options, page_rows);
    hierarchy_rows(hierarchy, &limits, arena, &rows);
    size_t pages = rows.count ? (rows.count + page_rows - 1) / page_rows : 1;
    Scene *scene = out;
    for (size_t page = 0; page < pages; page++) {
        if (page)
            scene = scene->next = ARENA_NEW(arena, Scene);
        scene_init(scene, arena,
                   page ? str_printf(arena, "hierarchy-%zu", page + 1).data : "hierarchy",
                   PAGE_WIDTH);
        scene->description = str_printf(arena, tr("dump: %s"), str_cstr(arena, options->path));
        Picture picture = {.scene = scene,
                           .hierarchy = hierarchy,
                           .left = PAGE_MARGIN + LABEL_WIDTH,
                           .right = PAGE_WIDTH - PAGE_MARGIN};
        page_number_draw(scene, page, pages);
        if (page == 0)
            draw_overview(&picture);
        size_t from = page * page_rows;
        draw_tree(&picture, &rows, from,
                  from + page_rows < rows.count ? from + page_rows : rows.count);
        if (page + 1 == pages && rows.cut)
            scene_text(scene, PAGE_MARGIN, picture.y + 18, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2,
                       cut_text(rows.cut, options->all_nodes, arena));
        scene->height = picture.y + 36;
    }
}
