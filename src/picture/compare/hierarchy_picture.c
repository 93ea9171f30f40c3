// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/hierarchy_picture.h"

#include <math.h>

#include "base/words.h"
#include "picture/compare/hierarchy_flow.h"
#include "picture/compare/hierarchy_look.h"
#include "picture/compare/node_name.h"
#include "picture/compare/strip.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    ROW_HEIGHT = 20,
    INDENT = 20,
    NAME_ROOM = 180,  // px that a name has at least
    ROWS = 64,
    SHAPE_ROOM = 150,
    FLOW_ROOM = 84,   // px between names and counts, for the lines of the flow
    FEEDS_MOST = 600  // lines on a page
};

// Right ends of the columns; the room of those that a dump has no use for goes to the names.
static const double share_width = 64, norm_end = 1168;
typedef struct Columns {
    double ops_end, level_ends[LEVEL_COUNT];
    double shape_x, weights_end, largest_end;  // NaN: not drawn
    uint64_t ops;                              // of the largest section
} Columns;

typedef struct Picture {
    Scene *scene;
    const Hierarchy *hierarchy;
    const uint64_t *weights;  // by tree row: elements of the weights in it; NULL: none has any
    Columns columns;
    const Feeds *feeds;  // between the rows of the tree
    double left, y;
    double indent;   // px a level
    uint32_t depth;  // levels of the dump
    uint32_t first;  // tree row of the first overflow; PAIR_NONE: none
} Picture;

// ---- the strip: a look a level

static int rank_of_level(const void *of, uint32_t row)
{
    return (int)hierarchy_level(of, row) + 1;
}

static int rank_below(const void *of, uint32_t row)
{
    const Hierarchy *hierarchy = of;
    for (int level = LEVEL_COUNT - 1; level > (int)hierarchy_level(hierarchy, row); level--)
        if (hierarchy->levels[row][level])
            return level + 1;
    return 0;
}

static Role foot_of(const void *of, uint32_t row)
{
    int below = rank_below(of, row);
    return below ? level_look((Overflow)(below - 1))->fill : ROLE_NONE;
}

static StatusLook look_of_rank(int rank)
{
    if (rank > LEVEL_COUNT)
        return (StatusLook){0};
    const LevelLook *look = level_look((Overflow)(rank - 1));
    return (StatusLook){look->fill, look->edge, look->ink, 1, look->letter};
}

static Str title_of(const void *of, uint32_t row, Arena *arena)
{
    return node_name(&((const Hierarchy *)of)->comparison, row, arena).full;
}

static void draw_strip(Picture *picture)
{
    const Hierarchy *hierarchy = picture->hierarchy;
    StripLooks looks = {.of = hierarchy,
                        .calm = OVERFLOW_NONE + 1,
                        .loud = OVERFLOW_CRITICAL + 1,
                        .rank = rank_of_level,
                        .below = rank_below,
                        .foot = foot_of,
                        .look = look_of_rank,
                        .title = title_of};
    Flags flags = {.items = {{.number = 1, .row = picture->first}},
                   .count = picture->first != PAIR_NONE};
    picture->y = strip_draw(picture->scene, &hierarchy->outline, &flags, &looks, picture->y);
}

// ---- the tree

static void draw_number(const Picture *picture, double end, Role role, Str text)
{
    scene_text(picture->scene, end, picture->y + 14, SIZE_NOTE, 400, ANCHOR_END, role, text);
}

static void draw_counts(const Picture *picture, const uint32_t levels[LEVEL_COUNT], uint64_t ops)
{
    Scene *scene = picture->scene;
    const Columns *columns = &picture->columns;
    double share = columns->ops ? (double)ops / (double)columns->ops * share_width : 0;
    draw_number(picture, columns->ops_end, ROLE_INK, figure_count_or_dot(ops, scene->arena));
    scene_box(scene, columns->ops_end + 8, picture->y + 7, fmax(share, 1), 7, ROLE_SAME_EDGE,
              ROLE_NONE);
    for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++)
        if (!isnan(columns->level_ends[level]))
            draw_number(picture, columns->level_ends[level], levels[level] ? ROLE_INK : ROLE_INK3,
                        figure_count_or_dot(levels[level], scene->arena));
}

static void draw_range(const Picture *picture, double end, const double range[2])
{
    Arena *arena = picture->scene->arena;
    if (isnan(range[0]))
        return;
    Str least = figure_number(range[0], 3, arena), most = figure_number(range[1], 3, arena);
    draw_number(picture, end, ROLE_INK2,
                str_equal(least, most)
                    ? least
                    : str_printf(arena, STR_FMT "–" STR_FMT, STR_ARG(least), STR_ARG(most)));
}

// Of repeats the range over all of them: what differs between them.
static void draw_outputs(const Picture *picture, const HierarchyRow *row)
{
    Scene *scene = picture->scene;
    const Columns *columns = &picture->columns;
    RowOutputs found = hierarchy_outputs(picture->hierarchy, row, scene->arena);
    Str shape = found.shapes_differ ? str_of(tr("shapes differ")) : found.shape;
    Item *item = fitted_text(scene, columns->shape_x, picture->y + 14, SIZE_NOTE, 400, ROLE_INK2,
                             SHAPE_ROOM, shape);
    item->title = found.shape;
    if (picture->weights) {
        uint64_t weights = 0;
        for (uint32_t i = 0; i < row->repeats; i++)
            weights += picture->weights[row->members[i]];
        if (weights)
            draw_number(picture, columns->weights_end, ROLE_INK2,
                        figure_count(weights, scene->arena));
    }
    if (found.nan) {
        draw_number(picture, norm_end, ROLE_NAN, STR("NaN"));
        return;
    }
    draw_range(picture, columns->largest_end, found.largest);
    draw_range(picture, norm_end, found.norm);
}

// Where names end and the lines of the flow begin.
static double flow_left(const Picture *picture)
{
    return picture->columns.ops_end - 50 - (picture->feeds->count ? FLOW_ROOM : 0);
}

// As wide as leaves the deepest row room for its name.
static double indent_of(const Picture *picture, const HierarchyRows *rows)
{
    double room = flow_left(picture) - 20 - PAGE_MARGIN - NAME_ROOM;
    return fmin(INDENT, room / (rows->depth > 1 ? rows->depth - 1 : 1));
}

static void draw_node(const Picture *picture, const HierarchyRow *row)
{
    const Hierarchy *hierarchy = picture->hierarchy;
    Scene *scene = picture->scene;
    NodeName name = node_name(&hierarchy->comparison, row->row, scene->arena);
    double x = PAGE_MARGIN + picture->indent * (double)row->depth;
    double room = flow_left(picture) - x - 20;
    bool module = hierarchy->graph->nodes[hierarchy_node(hierarchy, row->row)].type == NODE_MODULE;
    bool strong = module || row->period;
    bool chip = !row->period && hierarchy_overflows(hierarchy);
    if (chip)
        level_draw(scene, x, picture->y + 4, 13, hierarchy_level(hierarchy, row->row));
    Str note =
        row->period ? str_printf(scene->arena, tr("%u calls each"), row->period) : name.class_name;
    if (!row->period && hierarchy->masked[row->row])
        note = str_printf(scene->arena, STR_FMT " · %s", STR_ARG(note), tr("mask"));
    Span spans[2] = {{.text = text_fit(hierarchy_label(hierarchy, row, scene->arena), SIZE_TEXT,
                                       600, room, scene->arena),
                      .weight = strong ? 600 : 400},
                     {.text = note, .size = SIZE_NOTE, .role = ROLE_INK2, .dx = 8}};
    double used = text_width(spans[0].text, SIZE_TEXT, 600) + 8;
    spans[1].text = text_fit(note, SIZE_NOTE, 400, room - used, scene->arena);
    if (row->row == picture->first && !row->period)
        disc_draw(scene, flow_left(picture) - 10, picture->y + 10.5, 1);
    Item *item = scene_spans(scene, x + (chip ? 20 : 0), picture->y + 14.5, SIZE_TEXT, ANCHOR_START,
                             ROLE_INK, spans, spans[1].text.size ? 2 : 1);
    item->title = name.full;
    uint32_t sums[LEVEL_COUNT] = {0};
    uint64_t ops = hierarchy_sums(hierarchy, row, sums);
    draw_counts(picture, sums, ops);
    if (!row->period)
        draw_outputs(picture, row);
}

// "Forward, micro step 0 ×27": as many micro steps have a section in the same way.
static Str section_label(const Picture *picture, const HierarchyRow *row)
{
    Arena *arena = picture->scene->arena;
    Str name = section_name(&picture->hierarchy->outline, row->section, arena);
    return row->repeats < 2 ? name : str_printf(arena, STR_FMT " ×%u", STR_ARG(name), row->repeats);
}

static void draw_section(const Picture *picture, const HierarchyRow *row)
{
    const Hierarchy *hierarchy = picture->hierarchy;
    Scene *scene = picture->scene;
    uint32_t sums[LEVEL_COUNT] = {0};
    for (uint32_t i = 0; i < row->section->count; i++)
        for (int level = 0; level < LEVEL_COUNT; level++)
            sums[level] +=
                row->repeats *
                hierarchy->levels[hierarchy->outline.tops[row->section->first + i]][level];
    scene_line(scene, PAGE_MARGIN, picture->y, PAGE_WIDTH - PAGE_MARGIN, picture->y, ROLE_RULE);
    scene_text(scene, PAGE_MARGIN, picture->y + 14.5, SIZE_STRONG, 700, ANCHOR_START, ROLE_INK,
               section_label(picture, row));
    draw_counts(picture, sums, (uint64_t)row->section->ops * row->repeats);
}

static void draw_heads(Picture *picture)
{
    Scene *scene = picture->scene;
    const Columns *columns = &picture->columns;
    if (picture->feeds->count)
        note_text(scene, flow_left(picture), picture->y + 14, ANCHOR_START, str_of(tr("feeds")));
    draw_number(picture, columns->ops_end, ROLE_INK2, str_of(tr("ops")));
    note_text(scene, columns->ops_end + 8, picture->y + 14, ANCHOR_START, str_of(tr("share")));
    for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++)
        if (!isnan(columns->level_ends[level]))
            level_draw(scene, columns->level_ends[level] - 12, picture->y + 3, 13, (Overflow)level);
    note_text(scene, columns->shape_x, picture->y + 14, ANCHOR_START, str_of(tr("first output")));
    if (picture->weights)
        draw_number(picture, columns->weights_end, ROLE_INK2, str_of(tr("weights")));
    draw_number(picture, columns->largest_end, ROLE_INK2, str_of(tr("largest output")));
    draw_number(picture, norm_end, ROLE_INK2, str_of(tr("output norm")));
    note_text(scene, PAGE_MARGIN, picture->y + 14, ANCHOR_START, str_of(tr("node")));
    picture->y += ROW_HEIGHT;
}

static uint64_t element_count(Str shape)
{
    uint64_t count = 1, axis = 0;
    bool digits = false, any = false;
    for (size_t i = 0; i < shape.size; i++) {
        bool digit = shape.data[i] >= '0' && shape.data[i] <= '9';
        if (digit && axis < UINT32_MAX)
            axis = axis * 10 + (uint64_t)(shape.data[i] - '0');
        if (digits && !digit && count < UINT32_MAX)
            count *= axis;
        any = any || digit;
        axis = digit ? axis : 0;
        digits = digit;
    }
    return any ? count : 0;
}

// By tree row, what lies below included; NULL where no op has weights.
static const uint64_t *sum_weights(const Hierarchy *hierarchy, Arena *arena)
{
    const Comparison *comparison = &hierarchy->comparison;
    const Dump *dump = hierarchy->graph->dump;
    uint64_t *sums = ARENA_ARRAY(arena, uint64_t, comparison->tree_count + 1);
    for (uint32_t row = comparison->tree_count; row-- > 0;) {
        uint32_t op = hierarchy->graph->nodes[hierarchy_node(hierarchy, row)].op;
        for (uint32_t i = 0; op != OP_NONE && i < dump->ops[op].slot_count; i++) {
            const Slot *slot = &dump->slots[dump->ops[op].first_slot + i];
            if (slot->group == GROUP_PARAMETERS && slot->shape != NAME_NONE)
                sums[row] += element_count(names_text(dump->names, slot->shape));
        }
        if (comparison->tree[row].parent != PAIR_NONE)
            sums[comparison->tree[row].parent] += sums[row];
    }
    return comparison->tree_count && sums[0] ? sums : NULL;
}

static Columns place_columns(const Hierarchy *hierarchy, bool weights)
{
    Columns out = {.ops = 1};
    for (uint32_t i = 0; i < hierarchy->outline.section_count; i++)
        if (hierarchy->outline.sections[i].ops > out.ops)
            out.ops = hierarchy->outline.sections[i].ops;
    out.largest_end = norm_end - 130;
    out.weights_end = out.largest_end - 130;
    out.shape_x = out.weights_end - (weights ? 90 : 0) - SHAPE_ROOM - 8;
    double end = out.shape_x - 24;
    for (int level = OVERFLOW_MEDIUM; level < LEVEL_COUNT; level++) {
        out.level_ends[level] = hierarchy->levels[0][level] ? end : (double)NAN;
        end -= hierarchy->levels[0][level] ? 44 : 0;
    }
    out.ops_end = end - share_width - 20;
    return out;
}

// A line from producer to consumer, the farther apart they are the farther out, so that what goes
// by the rows between, as a residual does, is seen next to what goes from row to row.
static void draw_feed(const Picture *picture, const HierarchyRow *giver, const HierarchyRow *taker,
                      double from_y, double to_y)
{
    Scene *scene = picture->scene;
    double x = flow_left(picture), far = fmin(8 + 0.42 * (to_y - from_y), FLOW_ROOM - 24);
    double out = x + far / 0.75;  // a cubic reaches three quarters of the way to its controls
    const PathStep line[] = {
        {.verb = PATH_MOVE, .x = x, .y = from_y},
        {.verb = PATH_CURVE, .x = x + 4, .y = to_y, .x1 = out, .y1 = from_y, .x2 = out, .y2 = to_y},
    };
    Item *item = scene_path(scene, line, 2, ROLE_NONE, ROLE_NODATA_EDGE);
    Str from = hierarchy_label(picture->hierarchy, giver, scene->arena);
    Str to = hierarchy_label(picture->hierarchy, taker, scene->arena);
    scene_title(scene, item, STR_FMT " → " STR_FMT, STR_ARG(from), STR_ARG(to));
    const double head[] = {x, to_y, x + 5, to_y - 3, x + 5, to_y + 3};
    scene_polygon(scene, head, 3, ROLE_NODATA_EDGE, ROLE_NONE);
}

// The lines between rows of this page; `top` is the y of the first of them.
static void draw_feeds(const Picture *picture, const HierarchyRows *rows, size_t from, size_t end,
                       double top)
{
    size_t drawn = 0;
    for (size_t i = 0; i < picture->feeds->count && drawn < FEEDS_MOST; i++) {
        const Feed *feed = &picture->feeds->items[i];
        if (feed->from < from || feed->to >= end)
            continue;
        double middle = top + ROW_HEIGHT / 2.0;
        draw_feed(picture, &rows->items[feed->from], &rows->items[feed->to],
                  middle + ROW_HEIGHT * (double)(feed->from - from) + 2,
                  middle + ROW_HEIGHT * (double)(feed->to - from) - 2);
        drawn++;
    }
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
    if (rows->depth < picture->depth)
        note = str_printf(
            scene->arena,
            tr_count(rows->depth, "%u level deep of the %u that the dump has; repeats are folded",
                     "%u levels deep of the %u that the dump has; repeats are folded"),
            rows->depth, picture->depth);
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
    draw_feeds(picture, rows, from, end, picture->y);
    for (size_t i = from; i < end; i++) {
        if (rows->items[i].section)
            draw_section(picture, &rows->items[i]);
        else
            draw_node(picture, &rows->items[i]);
        picture->y += ROW_HEIGHT;
    }
    scene_line(scene, PAGE_MARGIN, picture->y, PAGE_WIDTH - PAGE_MARGIN, picture->y, ROLE_RULE);
}

// The parts that stand on the first page only.
static void draw_overview(Picture *picture)
{
    section_rule(picture->scene, picture->y);
    draw_strip(picture);
    picture->y = level_legend(picture->scene, picture->left, picture->y, picture->hierarchy) + 18;
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
    Feeds feeds;
    hierarchy_feeds(hierarchy, &rows, arena, &feeds);
    const uint64_t *weights = sum_weights(hierarchy, arena);
    size_t pages = rows.count ? (rows.count + page_rows - 1) / page_rows : 1;
    uint32_t depth = outline_depth(&hierarchy->outline);
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
                           .weights = weights,
                           .depth = depth,
                           .feeds = &feeds,
                           .columns = place_columns(hierarchy, weights != NULL),
                           .first = hierarchy_first_overflow(hierarchy),
                           .left = STRIP_LEFT};
        picture.indent = indent_of(&picture, &rows);
        page_number_draw(scene, page, pages);
        if (page == 0)
            draw_overview(&picture);
        size_t from = page * page_rows;
        draw_tree(&picture, &rows, from,
                  from + page_rows < rows.count ? from + page_rows : rows.count);
        if (page + 1 == pages && rows.cut)
            note_text(scene, PAGE_MARGIN, picture.y + 18, ANCHOR_START,
                      hierarchy_cut_text(rows.cut, options->all_nodes, arena));
        scene->height = picture.y + 36;
    }
}
