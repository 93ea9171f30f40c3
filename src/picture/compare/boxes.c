// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/boxes.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"
#include "compare/judge/judge.h"
#include "picture/compare/graph_picture.h"
#include "picture/compare/node_name.h"
#include "picture/compare/outline.h"
#include "picture/compare/strip.h"
#include "picture/kit/chip.h"
#include "picture/kit/error_axis.h"
#include "picture/kit/label_set.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

// 1. Choose the rows to start from and open what matters below them while there is room.
// 2. Give every shown row its place, frames closed when their last child has passed.
// 3. Draw frames before what they hold.

enum {
    SIDE_WIDTH = 462,
    INSET_LEFT = 18,
    INSET_RIGHT = 6,
    BOX_HEIGHT = 26,
    PITCH = 32,
    HEAD_HEIGHT = 30,
    FRAME_FOOT = 8,
    DEFAULT_BOXES = 60,
    MOST_BOXES = 220,
    DEEPEST = 8,
    LONG_LIST = 24,  // children; longer lists are folded
    AROUND = 5,      // children kept on each side of one that matters
    LIST_HEAD = 10,  // children kept where none matters
};

// A row in its place, or a run of siblings that share one.
typedef struct Placed {
    uint32_t row, indent;
    double y, height;
    bool open;
    uint32_t last, siblings;  // of a run: its last row, how many; siblings 0: a row of its own
} Placed;

typedef struct PlacedRows {
    Placed *items;
    size_t count, capacity;
} PlacedRows;

typedef struct Boxes {
    Scene *scene;
    const Comparison *comparison;
    Outline outline;
    Flags flags;
    uint32_t budget;
    uint32_t from, end;  // rows of the tree that are looked at
    bool *open;          // by tree row
    bool *on_path;       // by tree row: above a flag
    bool *folded;        // by tree row: shares a place with its neighbours
    PlacedRows rows;
    uint32_t rows_cut;
    double y;
    LabelSet *labels;
} Boxes;

static uint32_t shown_children(const Boxes *boxes, uint32_t row)
{
    uint32_t count = 0;
    for (uint32_t child = outline_first(&boxes->outline, row); child != PAIR_NONE;
         child = outline_next(&boxes->outline, child))
        count++;
    return count;
}

// The block that is shown: the topmost ancestor of the divergence that is no more than DEEPEST - 2
// levels above it; without a divergence everything.
static uint32_t choose_focus(const Boxes *boxes, const BoxesOptions *options)
{
    const TreeNode *tree = boxes->comparison->tree;
    if (options->focus && options->focus < boxes->comparison->tree_count)
        return options->focus;
    if (!boxes->flags.count)
        return 0;
    uint32_t row = boxes->flags.items[0].row;
    for (int level = 0; level < DEEPEST - 2; level++) {
        uint32_t parent = tree[row].parent;
        if (parent == PAIR_NONE || boxes->outline.section_of[parent] == PAIR_NONE)
            break;
        row = parent;
    }
    return row;
}

static void open_row(Boxes *boxes, uint32_t row, uint32_t *used)
{
    if (!boxes->open[row]) {
        boxes->open[row] = true;
        *used += shown_children(boxes, row);
    }
}

// Opens the path to the divergence, then, level by level, what differs.
static void open_rows(Boxes *boxes, const BoxesOptions *options)
{
    const TreeNode *tree = boxes->comparison->tree;
    uint32_t used = 1;
    uint32_t base = tree[boxes->from].depth;
    if (boxes->from == 0)
        open_row(boxes, 0, &used);
    if (boxes->flags.count) {
        uint32_t row = tree[boxes->flags.items[0].row].parent;
        for (; row != PAIR_NONE && row >= boxes->from && row < boxes->end; row = tree[row].parent) {
            boxes->on_path[row] = true;
            open_row(boxes, row, &used);
        }
    }
    for (uint32_t depth = base; depth < base + DEEPEST; depth++)
        for (uint32_t row = boxes->from; row < boxes->end; row++) {
            bool reached = row == boxes->from || boxes->open[tree[row].parent];
            bool asked = options->depth && depth - base < options->depth;
            if (tree[row].depth != depth || !reached || boxes->open[row])
                continue;
            if (!asked && (!status_differs((Status)tree[row].rollup) || row == 0))
                continue;
            if (used + shown_children(boxes, row) <= boxes->budget)
                open_row(boxes, row, &used);
        }
}

// A long list keeps what is open and what stands around it.
static void fold_list(Boxes *boxes, uint32_t parent)
{
    uint32_t count = shown_children(boxes, parent), at = 0, matters = 0;
    if (count <= LONG_LIST)
        return;
    Arena *scratch = arena_new();
    uint32_t *children = ARENA_ARRAY(scratch, uint32_t, count);
    for (uint32_t child = outline_first(&boxes->outline, parent); child != PAIR_NONE;
         child = outline_next(&boxes->outline, child)) {
        boxes->folded[child] = true;
        children[at++] = child;
    }
    for (uint32_t i = 0; i < count && matters < LONG_LIST; i++) {
        bool flagged = flags_at(&boxes->flags, children[i]) != NULL;
        if (!flagged && !boxes->on_path[children[i]])
            continue;
        matters++;
        for (uint32_t k = i < AROUND ? 0 : i - AROUND; k < count && k <= i + AROUND; k++)
            boxes->folded[children[k]] = false;
    }
    for (uint32_t i = 0; !matters && i < LIST_HEAD; i++)
        boxes->folded[children[i]] = false;
    arena_release(scratch);
}

static void fold_lists(Boxes *boxes)
{
    for (uint32_t row = boxes->from; row < boxes->end; row++)
        if (boxes->open[row])
            fold_list(boxes, row);
}

static double close_frames(Boxes *boxes, size_t *stack, size_t *depth, uint32_t row, double y)
{
    while (*depth > 0) {
        Placed *frame = &boxes->rows.items[stack[*depth - 1]];
        if (row < boxes->comparison->tree[frame->row].end)
            break;
        frame->height = y - (PITCH - BOX_HEIGHT) + FRAME_FOOT - frame->y;
        y = frame->y + frame->height + (PITCH - BOX_HEIGHT);
        (*depth)--;
    }
    return y;
}

static bool is_drawn(const Boxes *boxes, uint32_t row)
{
    const TreeNode *at = &boxes->comparison->tree[row];
    return row != 0 && (row_ops(at) > 0 || boxes->comparison->mode == MODE_STRUCTURE);
}

// The folded siblings from `row` on as one place; gives the row after them.
static uint32_t place_run(Boxes *boxes, uint32_t row, uint32_t indent, double y)
{
    Placed *placed = ARRAY_PUSH(boxes->scene->arena, &boxes->rows);
    *placed = (Placed){row, indent, y, BOX_HEIGHT, false, row, 0};
    for (uint32_t at = row; at != PAIR_NONE && boxes->folded[at];
         at = outline_next(&boxes->outline, at)) {
        placed->last = at;
        placed->siblings++;
    }
    return boxes->comparison->tree[placed->last].end;
}

static void place_rows(Boxes *boxes)
{
    const TreeNode *tree = boxes->comparison->tree;
    size_t stack[DEEPEST + 4], depth = 0;
    double y = boxes->y;
    for (uint32_t row = boxes->from; row < boxes->end;) {
        y = close_frames(boxes, stack, &depth, row, y);
        if (row == 0) {
            row++;
            continue;
        }
        if (!is_drawn(boxes, row) || boxes->rows.count >= MOST_BOXES) {
            boxes->rows_cut += is_drawn(boxes, row);
            row = tree[row].end;
            continue;
        }
        if (boxes->folded[row]) {
            row = place_run(boxes, row, (uint32_t)depth, y);
            y += PITCH;
            continue;
        }
        bool open = boxes->open[row] && shown_children(boxes, row) && depth < DEEPEST;
        Placed *placed = ARRAY_PUSH(boxes->scene->arena, &boxes->rows);
        *placed = (Placed){row, (uint32_t)depth, y, BOX_HEIGHT, open, row, 0};
        if (open)
            stack[depth++] = boxes->rows.count - 1;
        y += open ? HEAD_HEIGHT : PITCH;
        row = open ? row + 1 : tree[row].end;
    }
    boxes->y = close_frames(boxes, stack, &depth, UINT32_MAX, y);
}

typedef struct Side {
    bool golden;
    double x, width;
} Side;

static Side side_of(const Placed *placed, bool golden)
{
    double inset = INSET_LEFT * (double)placed->indent;
    double left = golden ? PAGE_MARGIN : BOXES_WIDTH - PAGE_MARGIN - SIDE_WIDTH;
    return (Side){golden, left + inset, SIDE_WIDTH - inset - INSET_RIGHT * (double)placed->indent};
}

// Of an op that one side alone recorded the other may hold the node: construct.json lists it.
static bool has_side(const Boxes *boxes, const TreeNode *row, bool golden)
{
    const OpPair *op = row->pair == PAIR_NONE ? NULL : &boxes->comparison->ops[row->pair];
    if (op && op->status == STATUS_UNMATCHED)
        return (golden ? op->golden : op->target) != OP_NONE;
    return (golden ? row->golden : row->target) != NODE_NONE;
}

static void draw_ghost(const Boxes *boxes, const Placed *placed, const Side *side)
{
    Scene *scene = boxes->scene;
    Item *box = scene_box(scene, side->x + 0.5, placed->y + 0.5, side->width - 1,
                          placed->height - 1, ROLE_NONE, ROLE_NODATA_EDGE);
    box->paint.dash = box->paint.gap = 3;
    box->as.box.radius = 3;
    row_text(scene, side->x + 12, placed->y + 17, ANCHOR_START,
             str_of(side->golden ? tr("no partner in golden") : tr("no partner in target")));
}

static void draw_frame(const Boxes *boxes, const Placed *placed, const Side *side)
{
    const TreeNode *node = &boxes->comparison->tree[placed->row];
    bool lone = node->pair != PAIR_NONE && node->status == STATUS_UNMATCHED;
    StatusLook look = status_look((Status)node->status, node->inherited);
    Role fill = look.fill;
    double width = look.edge_width;
    if (placed->open)
        fill = placed->indent % 2 ? ROLE_PAPER : ROLE_PANEL;
    else if (lone)
        fill = ROLE_BAND;
    if (lone)
        width = 2;
    double half = width / 2;
    Item *box = scene_box(boxes->scene, side->x + half, placed->y + half, side->width - width,
                          placed->height - width, fill, look.edge);
    box->paint.width = (float)width;
    box->as.box.radius = placed->open ? 4 : 3;
    if (node->status == STATUS_NO_DATA)
        box->paint.dash = box->paint.gap = 2;
    box->title = row_title(&boxes->outline, placed->row, boxes->scene->arena);
}

// What stands at the right end of a box: how many ops it holds, or that it has no partner.
static Str right_text(const Boxes *boxes, const Placed *placed)
{
    Arena *arena = boxes->scene->arena;
    const TreeNode *node = &boxes->comparison->tree[placed->row];
    if (node->pair != PAIR_NONE && node->status == STATUS_UNMATCHED)
        return str_of(tr("only here"));
    uint32_t ops = row_ops(node);
    if (node->first_child == PAIR_NONE || ops < 2)
        return (Str){0};
    return str_printf(arena, tr("%s ops"), str_cstr(arena, figure_count(ops, arena)));
}

static void draw_name(const Boxes *boxes, const Placed *placed, const Side *side, Role ink)
{
    Scene *scene = boxes->scene;
    Arena *arena = scene->arena;
    const Flag *flag = flags_at(&boxes->flags, placed->row);
    bool first = flag && flag->kind == FLAG_FIRST;
    NodeName name = node_name(boxes->comparison, placed->row, arena);
    Str note = first ? str_of(tr(flag_word(FLAG_FIRST))) : (Str){0};
    Str right = {0};
    if (!flag)
        right = right_text(boxes, placed);
    double room = side->width - 30 - 12 - (flag ? 22 : text_width(right, SIZE_NOTE, 400) + 8);
    int weight = first || placed->open ? 700 : 400;
    double class_width = name.class_name.size ? 8 + text_width(name.class_name, SIZE_TEXT, 400) : 0;
    double note_width = first ? 14 + text_width(note, SIZE_TEXT, 700) : 0;
    if (text_width(name.local, SIZE_STRONG, weight) + class_width + note_width > room)
        class_width = 0;
    if (room - note_width < 60)
        note_width = 0;
    Span spans[3] = {{.text = label_fit(boxes->labels, name.local, SIZE_STRONG, weight,
                                        room - class_width - note_width, arena),
                      .weight = weight}};
    size_t count = 1;
    if (class_width > 0)
        spans[count++] = (Span){.text = name.class_name,
                                .size = SIZE_TEXT,
                                .role = placed->open ? ROLE_INK2 : ink,
                                .dx = 8,
                                .weight = 400};
    if (note_width > 0)
        spans[count++] = (Span){.text = note,
                                .size = SIZE_TEXT,
                                .role = ink == ROLE_ERROR_INK ? ink : ROLE_ERROR_TEXT,
                                .dx = 14,
                                .weight = 700};
    Item *item = scene_spans(scene, side->x + 30, placed->y + 17.5, SIZE_STRONG, ANCHOR_START, ink,
                             spans, count);
    item->title = name.full;
    double disc = side->x + side->width - 16;
    if (flag && ink == ROLE_ERROR_INK)
        disc_draw_on_error(scene, disc, placed->y + 13, flag->number);
    else if (flag)
        disc_draw(scene, disc, placed->y + 13, flag->number);
    else if (right.size)
        scene_text(scene, side->x + side->width - 10, placed->y + 17, SIZE_NOTE, 400, ANCHOR_END,
                   placed->open ? ROLE_INK2 : ink, right);
}

static void draw_run(const Boxes *boxes, const Placed *placed, bool golden)
{
    Scene *scene = boxes->scene;
    Arena *arena = scene->arena;
    const TreeNode *tree = boxes->comparison->tree;
    Side side = side_of(placed, golden);
    Status worst = STATUS_NO_DATA;
    uint32_t ops = 0;
    for (uint32_t row = placed->row; row != PAIR_NONE && row <= placed->last;
         row = outline_next(&boxes->outline, row)) {
        worst = status_worst(worst, (Status)tree[row].rollup);
        ops += row_ops(&tree[row]);
    }
    Str first = node_name(boxes->comparison, placed->row, arena).local;
    Str last = node_name(boxes->comparison, placed->last, arena).local;
    Str names = str_printf(arena, "… " STR_FMT " … " STR_FMT, STR_ARG(first), STR_ARG(last));
    Str right = str_printf(arena, tr("%s ops"), str_cstr(arena, figure_count(ops, arena)));
    chip_draw(scene, side.x + 10, placed->y + 6.5, 13, worst, status_differs(worst));
    double room = side.width - 50 - text_width(right, SIZE_NOTE, 400);
    fitted_text(scene, side.x + 30, placed->y + 17.5, SIZE_TEXT, 400, ROLE_INK2, room, names);
    note_text(scene, side.x + side.width - 10, placed->y + 17, ANCHOR_END, right);
}

static void draw_side(const Boxes *boxes, const Placed *placed, bool golden)
{
    const TreeNode *node = &boxes->comparison->tree[placed->row];
    Side side = side_of(placed, golden);
    if (placed->siblings) {
        draw_run(boxes, placed, golden);
        return;
    }
    if (!has_side(boxes, node, golden)) {
        draw_ghost(boxes, placed, &side);
        return;
    }
    draw_frame(boxes, placed, &side);
    bool lone = node->status == STATUS_UNMATCHED;
    Role ink =
        placed->open || lone ? ROLE_INK : status_look((Status)node->status, node->inherited).ink;
    if (node->pair != PAIR_NONE)
        chip_draw(boxes->scene, side.x + 10, placed->y + 6.5, 13, (Status)node->status,
                  node->inherited);
    draw_name(boxes, placed, &side, ink);
}

// The output error between the two boxes, tied to both.
static void draw_middle(const Boxes *boxes, const Placed *placed)
{
    Scene *scene = boxes->scene;
    const TreeNode *node = &boxes->comparison->tree[placed->row];
    if (placed->siblings)
        return;
    Side golden = side_of(placed, true), target = side_of(placed, false);
    ErrorMark error = {.kind = ERROR_ABSENT, .text = STR("—")};
    if (node->pair != PAIR_NONE)
        error = error_of_op(boxes->comparison, node->pair, OP_OUTPUTS, scene->arena);
    double center = BOXES_WIDTH / 2.0, y = placed->y + 12.5;
    bool bad = node->pair != PAIR_NONE && status_differs((Status)node->status) &&
               error.kind >= ERROR_NUMBER;
    int weight = bad ? 700 : 400;
    double half = text_width(error.text, SIZE_TEXT, weight) / 2 + 8;
    Role line = node->status == STATUS_UNMATCHED ? ROLE_UNMATCHED_EDGE : ROLE_RULE;
    const double ends[2][2] = {{golden.x + golden.width + 1, center - half},
                               {center + half, target.x - 1}};
    for (int side = 0; side < 2; side++) {
        if (!has_side(boxes, node, side == 0) || ends[side][0] >= ends[side][1])
            continue;
        Item *item = scene_line(scene, ends[side][0], y, ends[side][1], y, line);
        if (node->status == STATUS_UNMATCHED)
            item->paint.dash = item->paint.gap = 3;
    }
    scene_text(scene, center, y + 4.3, SIZE_TEXT, weight, ANCHOR_MIDDLE,
               bad ? ROLE_ERROR_TEXT : ROLE_INK2, error.text);
}

static void draw_heads(Boxes *boxes)
{
    Scene *scene = boxes->scene;
    double base = boxes->y + 27;
    for (int side = 0; side < 2; side++) {
        double x = side ? BOXES_WIDTH - PAGE_MARGIN - SIDE_WIDTH : PAGE_MARGIN;
        side_draw(scene, x + 5, base - 5, side == 0);
        scene_text(scene, x + 18, base, SIZE_HEADING, 600, ANCHOR_START, ROLE_INK,
                   str_of(side ? tr("target") : tr("golden")));
    }
    note_text(scene, BOXES_WIDTH / 2.0, base, ANCHOR_MIDDLE, str_of(tr("output error")));
    boxes->y = base + 16;
}

// The chips of the rows that are drawn, for chip_legend, and whether one of them has a ghost.
static uint32_t chips_drawn(const Boxes *boxes, bool *ghosts)
{
    uint32_t shown = same_chip(boxes->comparison);
    *ghosts = false;
    for (size_t i = 0; i < boxes->rows.count; i++) {
        const TreeNode *node = &boxes->comparison->tree[boxes->rows.items[i].row];
        if (boxes->rows.items[i].siblings)
            continue;
        *ghosts = *ghosts || !has_side(boxes, node, true) || !has_side(boxes, node, false);
        if (node->pair == PAIR_NONE)
            continue;
        shown |= op_chip(boxes->comparison, &boxes->comparison->ops[node->pair]);
    }
    return shown;
}

static Str foot_text(const Boxes *boxes, bool ghosts)
{
    Arena *arena = boxes->scene->arena;
    const Comparison *comparison = boxes->comparison;
    uint32_t inside = row_ops(&comparison->tree[boxes->from]);
    StrBuf text = strbuf_new(arena);
    strbuf_add(&text, str_of(ghosts ? tr("Rows are aligned by execution order; a dashed ghost "
                                         "keeps the place of an op that the other side has.")
                                    : tr("Rows are aligned by execution order.")));
    if (inside < comparison->op_count) {
        const char *outside = str_cstr(arena, figure_count(comparison->op_count - inside, arena));
        strbuf_add(&text, STR(" "));
        strbuf_printf(&text, tr("%s ops outside this block are left out here."), outside);
    }
    if (boxes->rows_cut) {
        strbuf_add(&text, STR(" "));
        strbuf_printf(&text, tr("%s boxes more had no room."),
                      str_cstr(arena, figure_count(boxes->rows_cut, arena)));
    }
    return strbuf_str(&text);
}

static void draw_foot(Boxes *boxes)
{
    Scene *scene = boxes->scene;
    bool ghosts;
    chip_legend(scene, PAGE_MARGIN, boxes->y + 22, chips_drawn(boxes, &ghosts));
    WrapRule rule = {.size = SIZE_NOTE,
                     .weight = 400,
                     .width = BOXES_WIDTH - 2 * PAGE_MARGIN,
                     .after = " ",
                     .even = true,
                     .lines = 3};
    Str text = foot_text(boxes, ghosts);
    boxes->y = page_text(scene, PAGE_MARGIN, boxes->y + 44, 16, &rule, ROLE_INK2, text) + 24;
}

void boxes_picture(const Comparison *comparison, const BoxesOptions *options, Arena *arena,
                   Scene *out)
{
    scene_init(out, arena, "boxes", BOXES_WIDTH);
    out->description = picture_description(comparison, options->golden, options->target, arena);
    LabelSet labels = {0};
    Boxes boxes = {.scene = out, .comparison = comparison, .labels = &labels};
    boxes.budget = options->boxes ? options->boxes : DEFAULT_BOXES;
    if (boxes.budget > MOST_BOXES)
        boxes.budget = MOST_BOXES;
    outline_build(comparison, arena, &boxes.outline);
    flags_find(&boxes.outline, &boxes.flags);
    draw_heads(&boxes);
    if (comparison->tree_count) {
        boxes.from = choose_focus(&boxes, options);
        boxes.end = comparison->tree[boxes.from].end;
        boxes.open = ARENA_ARRAY(arena, bool, comparison->tree_count);
        boxes.on_path = ARENA_ARRAY(arena, bool, comparison->tree_count);
        boxes.folded = ARENA_ARRAY(arena, bool, comparison->tree_count);
        open_rows(&boxes, options);
        fold_lists(&boxes);
        place_rows(&boxes);
    }
    for (size_t i = 0; i < boxes.rows.count; i++) {
        draw_side(&boxes, &boxes.rows.items[i], true);
        draw_side(&boxes, &boxes.rows.items[i], false);
        draw_middle(&boxes, &boxes.rows.items[i]);
    }
    draw_foot(&boxes);
    out->height = boxes.y;
}
