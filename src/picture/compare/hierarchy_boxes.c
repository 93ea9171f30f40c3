// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/hierarchy_boxes.h"

#include <math.h>

#include "base/words.h"
#include "picture/compare/hierarchy_flow.h"
#include "picture/compare/hierarchy_look.h"
#include "picture/compare/node_name.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

// 1. The rows of the tree, opened while there is room, and which of them feeds which sibling.
// 2. Each its height and column, then its place.
// 3. Frames before what they hold, then the arrows.

enum {
    ROWS = 80,       // as many levels are opened as they hold
    MOST_ROWS = 90,  // of one level
    COLUMN_GAP = 28,
    INSET = 12,     // of what a frame holds
    ARC_ROOM = 30,  // inside of a frame, right of what it holds, for arrows that pass others by
    ARC_STEP = 4,   // an arrow goes farther out for each box that it passes by
    ARROW_X = 20,   // from the left edge, of arrows to the next box
    BOX_HEIGHT = 28,
    GAP = 12,
    SECTION_HEIGHT = 34,
    FRAME_FOOT = 10,
    DEEPEST = 64,
    LONE_MOST = 24,  // rows of a lone section that are in one column
};

#define NO_BOX SIZE_MAX

typedef struct Box {
    const HierarchyRow *row;
    size_t parent;    // NO_BOX: is in the column
    size_t before;    // the sibling above; NO_BOX: none
    bool hidden;      // all that its frame holds: that one is drawn closed instead
    bool open, arcs;  // holds boxes; and arrows that pass some of them by
    int column;
    double x, y, width, height;
    double next;  // y of what comes next inside of it
} Box;

typedef struct Arrow {
    size_t from, to;
} Arrow;

typedef struct Sketch {
    Scene *scene;
    const Hierarchy *hierarchy;
    const HierarchyRows *rows;
    Box *boxes;     // one a row
    Arrow *arrows;  // between siblings
    size_t arrow_count;
    bool arcs[2];    // some arrow of a column passes boxes by
    double foot[2];  // y below what is in a column
} Sketch;

static bool is_section(const Sketch *sketch, size_t at)
{
    return sketch->rows->items[at].section != NULL;
}

// A module that calls nothing but one op says the same as the op.
static bool holds_one_call(const Sketch *sketch, size_t at)
{
    const HierarchyRow *row = &sketch->rows->items[at], *inner = row + 1;
    bool last = at + 2 >= sketch->rows->count || inner[1].section || inner[1].depth <= row->depth;
    return last && !row->period && inner->repeats == 1 && !inner->period &&
           outline_first(&sketch->hierarchy->outline, inner->row) == PAIR_NONE;
}

static void nest(Sketch *sketch)
{
    size_t above[DEEPEST] = {0}, last[DEEPEST + 1];  // by depth: the latest box, and sibling
    for (size_t depth = 0; depth <= DEEPEST; depth++)
        last[depth] = NO_BOX;
    for (size_t at = 0; at < sketch->rows->count; at++) {
        const HierarchyRow *row = &sketch->rows->items[at];
        Box *box = &sketch->boxes[at];
        size_t depth = row->depth < DEEPEST ? row->depth : DEEPEST - 1;
        bool inner = at + 1 < sketch->rows->count && !row[1].section && row[1].depth > row->depth;
        *box = (Box){.row = row, .parent = NO_BOX, .before = NO_BOX};
        if (is_section(sketch, at)) {
            last[0] = NO_BOX;
            continue;
        }
        if (depth) {
            box->parent = above[depth - 1];
            box->hidden = !sketch->boxes[box->parent].open;
        }
        box->open = inner && !holds_one_call(sketch, at);
        box->before = last[depth];
        last[depth] = at;
        last[depth + 1] = NO_BOX;
        above[depth] = at;
    }
}

// Moves both out to boxes of one frame, as siblings in sequences may are in different ones.
static bool lift(const Sketch *sketch, Arrow *arrow)
{
    const Box *boxes = sketch->boxes;
    while (boxes[arrow->from].hidden)
        arrow->from = boxes[arrow->from].parent;
    while (boxes[arrow->to].hidden)
        arrow->to = boxes[arrow->to].parent;
    while (boxes[arrow->from].parent != boxes[arrow->to].parent) {
        size_t *deeper =
            boxes[arrow->from].row->depth > boxes[arrow->to].row->depth ? &arrow->from : &arrow->to;
        if (boxes[*deeper].parent == NO_BOX)
            return false;
        *deeper = boxes[*deeper].parent;
    }
    return arrow->from != arrow->to;
}

static void find_arrows(Sketch *sketch)
{
    Arena *arena = sketch->scene->arena;
    Feeds feeds;
    hierarchy_feeds(sketch->hierarchy, sketch->rows, arena, &feeds);
    sketch->arrows = ARENA_ARRAY(arena, Arrow, feeds.count + 1);
    for (size_t i = 0; i < feeds.count; i++) {
        Arrow arrow = {feeds.items[i].from, feeds.items[i].to};
        if (!lift(sketch, &arrow))
            continue;
        sketch->arrows[sketch->arrow_count++] = arrow;
        const Box *to = &sketch->boxes[arrow.to];
        if (to->before != arrow.from && to->parent != NO_BOX)
            sketch->boxes[to->parent].arcs = true;
    }
}

// From the last to the first, so that what a frame holds is known before it.
static void measure(Sketch *sketch)
{
    for (size_t at = sketch->rows->count; at-- > 0;) {
        Box *box = &sketch->boxes[at];
        if (is_section(sketch, at) || box->hidden)
            continue;
        box->height += box->open ? BOX_HEIGHT - GAP + FRAME_FOOT : BOX_HEIGHT;
        if (box->parent != NO_BOX)
            sketch->boxes[box->parent].height += box->height + GAP;
    }
}

// A section goes where less stands; a lone one goes on in the other column past its middle.
static void choose_columns(Sketch *sketch)
{
    double filled[2] = {0, 0}, all = 0;
    size_t sections = 0;
    int column = 0;
    for (size_t at = 0; at < sketch->rows->count; at++) {
        sections += is_section(sketch, at);
        all += sketch->boxes[at].parent == NO_BOX ? sketch->boxes[at].height + GAP : 0;
    }
    for (size_t at = 0; at < sketch->rows->count; at++) {
        Box *box = &sketch->boxes[at];
        if (is_section(sketch, at) && sections > 1)
            column = filled[1] < filled[0];
        else if (sections == 1 && box->parent == NO_BOX && filled[0] >= all / 2 &&
                 sketch->rows->count > LONE_MOST)
            column = 1;
        box->column = column;
        if (box->parent == NO_BOX)
            filled[column] += is_section(sketch, at) ? SECTION_HEIGHT : box->height + GAP;
    }
    for (size_t i = 0; i < sketch->arrow_count; i++) {
        const Box *from = &sketch->boxes[sketch->arrows[i].from];
        const Box *to = &sketch->boxes[sketch->arrows[i].to];
        if (to->parent == NO_BOX && to->before != sketch->arrows[i].from &&
            from->column == to->column)
            sketch->arcs[to->column] = true;
    }
}

static void place(Sketch *sketch)
{
    bool two = false;
    for (size_t at = 0; at < sketch->rows->count; at++)
        two = two || sketch->boxes[at].column;
    double all = CARD_WIDTH - 2 * CARD_MARGIN, wide = two ? (all - COLUMN_GAP) / 2 : all;
    for (size_t at = 0; at < sketch->rows->count; at++) {
        Box *box = &sketch->boxes[at];
        Box *frame = box->parent == NO_BOX ? NULL : &sketch->boxes[box->parent];
        double *foot = &sketch->foot[box->column];
        if (box->hidden)
            continue;
        double *next = frame ? &frame->next : foot;
        box->y = *next;
        box->next = box->y + BOX_HEIGHT;
        box->x = frame ? frame->x + INSET : CARD_MARGIN + box->column * (wide + COLUMN_GAP);
        box->width = frame ? frame->width - INSET - (frame->arcs ? ARC_ROOM : INSET)
                           : wide - (sketch->arcs[box->column] ? ARC_ROOM : 0);
        *next += is_section(sketch, at) ? SECTION_HEIGHT : box->height + GAP;
    }
}

static Str ops_text(uint64_t ops, Arena *arena)
{
    const char *count = str_cstr(arena, figure_count(ops, arena));
    return str_printf(arena, tr_count(ops, "%s op", "%s ops"), count);
}

static void draw_section(const Sketch *sketch, const Box *box)
{
    Scene *scene = sketch->scene;
    const HierarchyRow *row = box->row;
    Str name = section_name(&sketch->hierarchy->outline, row->section, scene->arena);
    if (row->repeats > 1)
        name = str_printf(scene->arena, STR_FMT " ×%u", STR_ARG(name), row->repeats);
    section_heading(scene, box->x, box->y + 20, SIZE_HEADING, name,
                    ops_text((uint64_t)row->section->ops * row->repeats, scene->arena));
}

// At the right end: how many ops a part holds, what an op gives.
static Str right_text(const Sketch *sketch, const Box *box)
{
    Arena *arena = sketch->scene->arena;
    const HierarchyRow *row = box->row;
    uint32_t levels[LEVEL_COUNT] = {0};
    uint64_t ops = hierarchy_sums(sketch->hierarchy, row, levels);
    if (row->period || outline_first(&sketch->hierarchy->outline, row->row) != PAIR_NONE)
        return ops_text(ops, arena);
    RowOutputs gives = hierarchy_outputs(sketch->hierarchy, row, arena);
    return gives.shapes_differ ? str_of(tr("shapes differ")) : gives.shape;
}

// Of a sequence the worst in it.
static Overflow box_level(const Sketch *sketch, const Box *box)
{
    uint32_t levels[LEVEL_COUNT] = {0};
    int level = LEVEL_COUNT - 1;
    if (!box->row->period)
        return hierarchy_level(sketch->hierarchy, box->row->row);
    hierarchy_sums(sketch->hierarchy, box->row, levels);
    while (level > 0 && !levels[level])
        level--;
    return (Overflow)level;
}

static void draw_words(const Sketch *sketch, const Box *box, Role ink)
{
    Scene *scene = sketch->scene;
    Arena *arena = scene->arena;
    const Hierarchy *hierarchy = sketch->hierarchy;
    const HierarchyRow *row = box->row;
    NodeName name = node_name(&hierarchy->comparison, row->row, arena);
    NodeType type = hierarchy->graph->nodes[hierarchy_node(hierarchy, row->row)].type;
    bool chip = hierarchy_overflows(hierarchy);
    double x = box->x + (chip ? 30 : 11), room = box->width - (chip ? 30 : 11) - 10;
    bool plain = box->open || box_level(sketch, box) == OVERFLOW_NONE;
    Role quiet = plain ? ROLE_INK2 : ink;  // on a fill of its own
    int weight = row->period || type == NODE_MODULE ? 600 : 400;
    Str label = hierarchy_label(hierarchy, row, arena), right = right_text(sketch, box);
    Str note = row->period ? STR("") : name.class_name;
    double wide = text_width(label, SIZE_STRONG, weight);
    double beside = text_width(right, SIZE_NOTE, 400) + 12;
    if (wide + beside > room)
        right = (Str){0};
    room -= right.size ? beside : 0;
    if (wide + 8 + text_width(note, SIZE_NOTE, 400) > room)
        note = (Str){0};
    Span spans[2] = {{.text = text_fit(label, SIZE_STRONG, weight, room, arena), .weight = weight},
                     {.text = note, .size = SIZE_NOTE, .role = quiet, .dx = 8}};
    if (chip)
        level_draw(scene, box->x + 10, box->y + 7.5, 13, box_level(sketch, box));
    scene_spans(scene, x, box->y + 18.5, SIZE_STRONG, ANCHOR_START, ink, spans, note.size ? 2 : 1)
        ->title = name.full;
    if (right.size)
        scene_text(scene, box->x + box->width - 10, box->y + 18.5, SIZE_NOTE, 400, ANCHOR_END, ink,
                   right);
}

static void draw_box(const Sketch *sketch, const Box *box)
{
    const LevelLook *look = level_look(box_level(sketch, box));
    Role frame = box->row->depth % 2 ? ROLE_PAPER : ROLE_PANEL;
    Item *item = scene_box(sketch->scene, box->x + 0.5, box->y + 0.5, box->width - 1,
                           box->height - 1, box->open ? frame : look->fill, look->edge);
    item->as.box.radius = box->open ? 4 : 3;
    draw_words(sketch, box, box->open ? ROLE_INK : look->ink);
}

static Str arrow_title(const Sketch *sketch, const Box *from, const Box *to)
{
    Arena *arena = sketch->scene->arena;
    return str_printf(arena, STR_FMT " → " STR_FMT,
                      STR_ARG(hierarchy_label(sketch->hierarchy, from->row, arena)),
                      STR_ARG(hierarchy_label(sketch->hierarchy, to->row, arena)));
}

// Straight to the next box; to one farther down on its right side, the farther out the more boxes
// are passed by.
static void draw_arrow(const Sketch *sketch, const Arrow *arrow)
{
    Scene *scene = sketch->scene;
    const Box *from = &sketch->boxes[arrow->from], *to = &sketch->boxes[arrow->to];
    Str title = arrow_title(sketch, from, to);
    if (from->column != to->column)
        return;
    if (to->before == arrow->from) {
        double x = to->x + ARROW_X, y = to->y - 1;
        scene_line(scene, x, from->y + from->height, x, y - 4, ROLE_NODATA_EDGE)->title = title;
        const double head[] = {x, y, x - 3.5, y - 5, x + 3.5, y - 5};
        scene_polygon(scene, head, 3, ROLE_NODATA_EDGE, ROLE_NONE);
        return;
    }
    size_t passed = 1;
    for (size_t at = to->before; at != NO_BOX && at != arrow->from; at = sketch->boxes[at].before)
        passed++;
    double x = from->x + from->width, y = to->y + BOX_HEIGHT / 2.0 - 3;
    double start = fmin(from->y + from->height - 6, from->y + BOX_HEIGHT / 2.0 + 3);
    double out = x + fmin(6 + ARC_STEP * (double)passed, ARC_ROOM - 6) / 0.75;
    const PathStep line[] = {
        {.verb = PATH_MOVE, .x = x, .y = start},
        {.verb = PATH_CURVE, .x = x + 5, .y = y, .x1 = out, .y1 = start, .x2 = out, .y2 = y},
    };
    scene_path(scene, line, 2, ROLE_NONE, ROLE_NODATA_EDGE)->title = title;
    const double head[] = {x + 1, y, x + 6, y - 3.5, x + 6, y + 3.5};
    scene_polygon(scene, head, 3, ROLE_NODATA_EDGE, ROLE_NONE);
}

static Str foot_text(const Sketch *sketch, Str all_nodes)
{
    Arena *arena = sketch->scene->arena;
    StrBuf text = strbuf_new(arena);
    strbuf_add(&text, str_of(tr("What comes again is one box with its count.")));
    if (sketch->arrow_count) {
        strbuf_add(&text, STR(" "));
        strbuf_add(
            &text,
            str_of(tr("Arrows lead from producer to consumer: equal statistics or checksums.")));
    }
    if (sketch->rows->cut) {
        strbuf_add(&text, STR(" "));
        strbuf_add(&text, hierarchy_cut_text(sketch->rows->cut, all_nodes, arena));
    }
    return strbuf_str(&text);
}

static void draw_foot(Sketch *sketch, Str all_nodes)
{
    Scene *scene = sketch->scene;
    double y = fmax(sketch->foot[0], sketch->foot[1]) + 14;
    const Hierarchy *hierarchy = sketch->hierarchy;
    if (hierarchy_overflows(hierarchy) || hierarchy->mask_count)
        y = level_legend(scene, CARD_MARGIN, y, hierarchy) + 20;
    WrapRule rule = {.size = SIZE_NOTE,
                     .weight = 400,
                     .width = CARD_WIDTH - 2 * CARD_MARGIN,
                     .after = " ",
                     .even = true,
                     .lines = 3};
    scene->height =
        page_text(scene, CARD_MARGIN, y, 16, &rule, ROLE_INK2, foot_text(sketch, all_nodes)) + 24;
}

void hierarchy_boxes(const Hierarchy *hierarchy, const HierarchyOptions *options, Arena *arena,
                     Scene *out)
{
    HierarchyRows rows;
    HierarchyLimits limits = {.rows = ROWS, .most = MOST_ROWS, .depth = options->depth};
    hierarchy_rows(hierarchy, &limits, arena, &rows);
    scene_init(out, arena, "nested", CARD_WIDTH);
    out->description = str_printf(arena, tr("dump: %s"), str_cstr(arena, options->path));
    Sketch sketch = {.scene = out, .hierarchy = hierarchy, .rows = &rows, .foot = {12, 12}};
    sketch.boxes = ARENA_ARRAY(arena, Box, rows.count + 1);
    nest(&sketch);
    find_arrows(&sketch);
    measure(&sketch);
    choose_columns(&sketch);
    place(&sketch);
    for (size_t at = 0; at < rows.count; at++) {
        if (is_section(&sketch, at))
            draw_section(&sketch, &sketch.boxes[at]);
        else if (!sketch.boxes[at].hidden)
            draw_box(&sketch, &sketch.boxes[at]);
    }
    for (size_t i = 0; i < sketch.arrow_count; i++)
        draw_arrow(&sketch, &sketch.arrows[i]);
    draw_foot(&sketch, options->all_nodes);
}
