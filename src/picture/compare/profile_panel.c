// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/profile_panel.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/words.h"
#include "compare/evidence.h"
#include "compare/judge/judge.h"
#include "picture/compare/node_name.h"
#include "picture/compare/strip.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    LABEL_HEIGHT = 34,
    LABEL_STEP = 10,
    LABEL_RINGS = 40,
    CLEAR = 9,      // px next to a label: its plate and half a mark
    LINE_COST = 20  // of a label across the line of the first divergence: as so many marks
};

static void collect_row(const Outline *outline, uint32_t row, Arena *arena, ProfileOps *out)
{
    const Comparison *comparison = outline->comparison;
    uint32_t op = comparison->tree[row].pair;
    if (op == PAIR_NONE)
        return;
    ProfileOp *item = ARRAY_PUSH(arena, out);
    *item = (ProfileOp){.op = op, .row = row};
    item->in = error_of_op(comparison, op, OP_INPUTS, arena);
    item->out = error_of_op(comparison, op, OP_OUTPUTS, arena);
}

static int compare_ops(const void *a, const void *b)
{
    uint32_t x = ((const ProfileOp *)a)->op, y = ((const ProfileOp *)b)->op;
    return x < y ? -1 : x > y;
}

void profile_collect(const Outline *outline, const Section *section, Arena *arena, ProfileOps *out)
{
    for (uint32_t i = 0; i < section->count; i++) {
        uint32_t top = outline->tops[section->first + i];
        for (uint32_t row = top; row < outline->comparison->tree[top].end; row++)
            collect_row(outline, row, arena, out);
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_ops);
}

bool profile_is_joined(const ProfilePanel *panel)
{
    return panel->width < panel->column * (double)panel->ops.count;
}

static double op_x(const ProfilePanel *panel, size_t index)
{
    return panel->x + panel->width * ((double)index + 0.5) / (double)panel->ops.count;
}

// A stretch of ops that belong together: a layer, or a run of calls of one kind.
typedef struct Stretch {
    size_t from, end;
    uint32_t row;    // its first row
    uint32_t count;  // of rows
} Stretch;

typedef struct Stretches {
    Stretch *items;
    size_t count, capacity;
} Stretches;

typedef struct RowList {
    uint32_t *items;
    size_t count, capacity;
} RowList;

// The top rows of the section; where one of them holds everything, what is in it.
static void top_rows(const ProfilePanel *panel, Arena *arena, RowList *out)
{
    const Outline *outline = panel->outline;
    for (uint32_t i = 0; i < panel->section->count; i++)
        *ARRAY_PUSH(arena, out) = outline->tops[panel->section->first + i];
    for (int level = 0; level < 8 && out->count == 1; level++) {
        uint32_t child = outline_first(outline, out->items[0]);
        if (child == PAIR_NONE)
            return;
        out->count = 0;
        for (; child != PAIR_NONE; child = outline_next(outline, child))
            *ARRAY_PUSH(arena, out) = child;
    }
}

// Gradients of weights are written when they are ready, at any place in the order.
static bool is_gradient(const Comparison *comparison, uint32_t op)
{
    return shown_op(comparison, &comparison->ops[op])->kind == OP_GRADS;
}

static void find_stretches(const ProfilePanel *panel, Arena *arena, Stretches *out)
{
    const Comparison *comparison = panel->outline->comparison;
    RowList rows = {0};
    top_rows(panel, arena, &rows);
    size_t *index_of = ARENA_ARRAY(arena, size_t, comparison->op_count);
    for (size_t i = 0; i < panel->ops.count; i++)
        index_of[panel->ops.items[i].op] = i;
    for (size_t i = 0; i < rows.count; i++) {
        uint32_t row = rows.items[i];
        size_t first = SIZE_MAX, last = 0;
        for (uint32_t at = row; at < comparison->tree[row].end; at++) {
            uint32_t op = comparison->tree[at].pair;
            if (op == PAIR_NONE || is_gradient(comparison, op))
                continue;
            size_t index = index_of[op];
            first = index < first ? index : first;
            last = index > last ? index : last;
        }
        if (first == SIZE_MAX)
            continue;
        Stretch *before = out->count ? &out->items[out->count - 1] : NULL;
        bool leaf = outline_first(panel->outline, row) == PAIR_NONE;
        if (before && leaf && before->end == first && node_alike(comparison, before->row, row) &&
            outline_first(panel->outline, before->row) == PAIR_NONE) {
            before->end = last + 1;
            before->count++;
            continue;
        }
        *ARRAY_PUSH(arena, out) = (Stretch){first, last + 1, row, 1};
    }
}

static Str stretch_label(const ProfilePanel *panel, const Stretch *stretch)
{
    Arena *arena = panel->scene->arena;
    const Comparison *comparison = panel->outline->comparison;
    if (stretch->count == 1)
        return node_name(comparison, stretch->row, arena).local;
    return str_printf(arena, STR_FMT " ×%u",
                      STR_ARG(node_kind_name(comparison, stretch->row, arena)), stretch->count);
}

// Where no stretch has room for its name, some names all the same, at the start of theirs: which
// layers lie where is worth more than all names.
static void draw_sparse_labels(const ProfilePanel *panel, const Stretches *stretches)
{
    Scene *scene = panel->scene;
    double pitch = panel->width / (double)panel->ops.count, right = panel->x + panel->width;
    double next = panel->x;
    for (size_t i = 0; i < stretches->count; i++) {
        const Stretch *at = &stretches->items[i];
        double x = panel->x + pitch * (double)at->from;
        if (x < next || outline_first(panel->outline, at->row) == PAIR_NONE)
            continue;
        Str label = stretch_label(panel, at);
        double width = text_width(label, SIZE_NOTE, 400);
        if (width > 90 || x + 5 + width > right)
            continue;
        scene_line(scene, x, panel->y - 14, x, panel->y - 1, ROLE_RULE);
        note_text(scene, x + 4, panel->y - 7, ANCHOR_START, label);
        next = x + width + 30;
    }
}

static void draw_stretches(const ProfilePanel *panel)
{
    Arena *scratch = arena_new();
    Scene *scene = panel->scene;
    Stretches stretches = {0};
    find_stretches(panel, scratch, &stretches);
    double pitch = panel->width / (double)panel->ops.count;
    double label_end = panel->x;
    size_t shown = 0;
    for (size_t i = 0; i < stretches.count; i++) {
        const Stretch *at = &stretches.items[i];
        double from = panel->x + pitch * (double)at->from;
        double width = pitch * (double)(at->end - at->from);
        Str label = stretch_label(panel, at);
        double label_width = text_width(label, SIZE_NOTE, 400);
        double label_x = from + width / 2 - label_width / 2;
        if (label_width + 10 > width || label_x < label_end)
            continue;
        if (shown++ % 2 == 0)
            scene_box(scene, from, panel->y, width, panel->height, ROLE_PANEL, ROLE_NONE);
        note_text(scene, from + width / 2, panel->y - 7, ANCHOR_MIDDLE, label);
        label_end = label_x + label_width + 8;
    }
    if (!shown)
        draw_sparse_labels(panel, &stretches);
    arena_release(scratch);
}

// Worse first: the worse status, what starts here, a higher mark.
static bool is_worse(const Comparison *comparison, const ProfileOp *a, const ProfileOp *b)
{
    Status x = (Status)comparison->ops[a->op].status, y = (Status)comparison->ops[b->op].status;
    if (x != y)
        return status_worst(x, y) == x;
    bool a_starts = !comparison->ops[a->op].inherited, b_starts = !comparison->ops[b->op].inherited;
    if (status_differs(x) && a_starts != b_starts)
        return a_starts;
    return a->out.kind > b->out.kind || (a->out.kind == b->out.kind && a->out.value > b->out.value);
}

// What is drawn side by side: every op or, where these are too many, the worst op of each column.
typedef struct Drawn {
    const ProfileOp *op;
    double x;
} Drawn;

static size_t drawn_count(const ProfilePanel *panel)
{
    return profile_is_joined(panel) ? (size_t)(panel->width / panel->column) : panel->ops.count;
}

static Drawn drawn_at(const ProfilePanel *panel, size_t at)
{
    if (!profile_is_joined(panel))
        return (Drawn){&panel->ops.items[at], op_x(panel, at)};
    size_t drawn = drawn_count(panel), columns = drawn ? drawn : 1;
    size_t from = at * panel->ops.count / columns;
    size_t end = (at + 1) * panel->ops.count / columns;
    Drawn out = {&panel->ops.items[from], panel->x + panel->column * ((double)at + 0.5)};
    for (size_t i = from + 1; i < end; i++)
        if (is_worse(panel->outline->comparison, &panel->ops.items[i], out.op))
            out.op = &panel->ops.items[i];
    return out;
}

// The floor of each drawn op as one band of steps; nothing where it is not known.
static void draw_floors(const ProfilePanel *panel)
{
    Arena *scratch = arena_new();
    PathSteps steps = {0};
    size_t count = drawn_count(panel);
    double pitch = panel->width / (double)count, low = panel->axis.low;
    for (size_t i = 0; i < count;) {
        double floor = drawn_at(panel, i).op->out.floor;
        size_t end = i + 1;
        while (end < count && drawn_at(panel, end).op->out.floor == floor)
            end++;
        double top = error_axis_number(&panel->axis, floor > 0 ? floor : 1e-300);
        if (floor > 0 && top < low)
            steps_box(&steps, scratch, panel->x + pitch * (double)i, top, pitch * (double)(end - i),
                      low - top);
        i = end;
    }
    if (steps.count)
        scene_path(panel->scene, steps.items, steps.count, ROLE_NOISEBAND, ROLE_NONE)
            ->paint.opacity = 0.75F;
    arena_release(scratch);
}

static void draw_axis(const ProfilePanel *panel)
{
    Scene *scene = panel->scene;
    const ErrorAxis *axis = &panel->axis;
    const Comparison *comparison = panel->outline->comparison;
    double right = panel->x + panel->width, bottom = panel->y + panel->height;
    if (axis->has_numbers && error_floor_counts(comparison))
        draw_floors(panel);
    for (int e = axis->low_exponent; axis->has_numbers && e <= axis->high_exponent;
         e += axis->step) {
        double y = error_axis_number(axis, pow(10, e));
        scene_line(scene, panel->x, y, right, y, e == axis->low_exponent ? ROLE_RULE : ROLE_HAIR);
        figure_decade(scene, panel->x - 8, y + 4, SIZE_NOTE, ANCHOR_END, ROLE_INK2, e);
    }
    note_text(scene, panel->x - 8, axis->zero + 4, ANCHOR_END,
              axis->has_numbers ? STR("0") : STR("="));
    if (axis->has_differs)
        note_text(scene, panel->x - 8, axis->differs + 4, ANCHOR_END, STR("≠"));
    if (axis->has_nonfinite)
        scene_text(scene, panel->x - 8, axis->nonfinite + 4, SIZE_NOTE, 400, ANCHOR_END, ROLE_NAN,
                   STR("NaN"));
    scene_line(scene, panel->x, bottom, right, bottom, ROLE_RULE);
}

static bool input_alone(const OpPair *pair)
{
    return status_differs((Status)pair->input_status) && pair->status != STATUS_UNMATCHED &&
           !status_differs((Status)pair->output_status);
}

static bool at_rim(ErrorMark mark)
{
    return mark.kind == ERROR_SAME || mark.kind == ERROR_ZERO;
}

static double mark_radius(const ProfilePanel *panel)
{
    double pitch = fmax(panel->column, panel->width / (double)panel->ops.count);
    return fmin(3.2, fmax(1.8, pitch * 0.36));
}

static void draw_output(const ProfilePanel *panel, const ProfileOp *op, double x)
{
    Scene *scene = panel->scene;
    const OpPair *pair = &panel->outline->comparison->ops[op->op];
    double y = error_axis_at(&panel->axis, op->out), radius = mark_radius(panel);
    Status status = (Status)pair->output_status;
    Item *item;
    if (pair->status == STATUS_UNMATCHED)
        item = mark_draw(scene, x, panel->axis.zero, radius, STATUS_UNMATCHED, false);
    else if (op->out.kind == ERROR_ABSENT)
        return;
    else if (op->out.kind == ERROR_NONFINITE)
        item = cross_draw(scene, x, y, radius);
    else if (error_axis_below(&panel->axis, op->out))
        item = beyond_draw(scene, x, y, true);
    else if (op->out.kind == ERROR_ZERO && !status_differs(status))
        item = scene_circle(scene, x, y, 2, ROLE_PASS_EDGE, ROLE_NONE);
    else
        item = mark_draw(scene, x, y, radius, status, pair->inherited);
    item->title = row_title(panel->outline, op->row, scene->arena);
}

static double input_radius(const ProfilePanel *panel)
{
    return fmin(3, mark_radius(panel));
}

typedef enum InputSign { SIGN_CROSS, SIGN_STATUS, SIGN_BELOW, SIGN_ALONE, SIGN_PLAIN } InputSign;

// An op that differs by its inputs alone wears its status there.
static InputSign input_sign(const ProfilePanel *panel, const ProfileOp *op)
{
    const OpPair *pair = &panel->outline->comparison->ops[op->op];
    if (op->in.kind == ERROR_NONFINITE)
        return SIGN_CROSS;
    if (input_alone(pair))
        return SIGN_STATUS;
    if (error_axis_below(&panel->axis, op->in))
        return SIGN_BELOW;
    bool marked = op->out.kind != ERROR_ABSENT || pair->status == STATUS_UNMATCHED;
    return marked ? SIGN_PLAIN : SIGN_ALONE;
}

static void draw_input(const ProfilePanel *panel, const ProfileOp *op, double x, double y)
{
    Scene *scene = panel->scene;
    const OpPair *pair = &panel->outline->comparison->ops[op->op];
    double radius = input_radius(panel);
    Item *item = NULL;
    switch (input_sign(panel, op)) {
    case SIGN_CROSS:
        item = cross_draw(scene, x, y, radius);
        break;
    case SIGN_STATUS:
        item = mark_draw(scene, x, y, radius, (Status)pair->input_status, pair->inherited);
        break;
    case SIGN_BELOW:
        item = beyond_draw(scene, x, y, true);
        break;
    case SIGN_ALONE:
        item = scene_circle(scene, x, y, radius, ROLE_PAPER, ROLE_INK2);
        break;
    case SIGN_PLAIN:
        return;
    }
    item->title = row_title(panel->outline, op->row, scene->arena);
}

// From the input to the output of each op, all of them one path.
static void draw_stems(const ProfilePanel *panel)
{
    Arena *scratch = arena_new();
    PathSteps steps = {0};
    for (size_t i = 0; i < drawn_count(panel); i++) {
        Drawn at = drawn_at(panel, i);
        double from = error_axis_at(&panel->axis, at.op->in);
        double to = error_axis_at(&panel->axis, at.op->out);
        if (at.op->in.kind != ERROR_ABSENT && at.op->out.kind != ERROR_ABSENT &&
            fabs(from - to) > 2)
            steps_line(&steps, scratch, at.x, from, at.x, to);
    }
    if (steps.count)
        scene_path(panel->scene, steps.items, steps.count, ROLE_NONE, ROLE_INK3)->paint.opacity =
            0.55F;
    arena_release(scratch);
}

// A dash on the rim, not a mark.
static bool is_calm(const ProfileOp *op)
{
    return op->out.kind == ERROR_SAME && (op->in.kind == ERROR_SAME || op->in.kind == ERROR_ABSENT);
}

// Whether what the op was given has a mark: both on the rim are one dash or one mark.
static bool has_input(const ProfilePanel *panel, const ProfileOp *op)
{
    bool alone = input_alone(&panel->outline->comparison->ops[op->op]);
    bool both_bad = op->in.kind == ERROR_NONFINITE && op->out.kind == ERROR_NONFINITE;
    return op->in.kind != ERROR_ABSENT && !both_bad &&
           (alone || !(at_rim(op->in) && at_rim(op->out)));
}

// The inputs that are a hollow disc, all of them two paths; their titles stand at their outputs.
static void draw_plain_inputs(const ProfilePanel *panel)
{
    Arena *scratch = arena_new();
    PathSteps steps = {0};
    for (size_t i = 0; i < drawn_count(panel); i++) {
        Drawn at = drawn_at(panel, i);
        double y = error_axis_at(&panel->axis, at.op->in);
        if (has_input(panel, at.op) && input_sign(panel, at.op) == SIGN_PLAIN)
            steps_line(&steps, scratch, at.x, y, at.x, y);
    }
    for (int paper = 0; paper < 2 && steps.count; paper++) {
        Paint *paint = &scene_path(panel->scene, steps.items, steps.count, ROLE_NONE,
                                   paper ? ROLE_PAPER : ROLE_INK2)
                            ->paint;
        paint->width = (float)(2 * input_radius(panel)) + (paper ? -1 : 1);
        paint->round = true;
    }
    arena_release(scratch);
}

static void draw_op(const ProfilePanel *panel, const ProfileOp *op, double x)
{
    if (is_calm(op) && !input_alone(&panel->outline->comparison->ops[op->op]) &&
        panel->outline->comparison->ops[op->op].status != STATUS_UNMATCHED)
        return;  // a dash on the rim, drawn with the others
    if (has_input(panel, op))
        draw_input(panel, op, x, error_axis_at(&panel->axis, op->in));
    draw_output(panel, op, x);
}

// What agrees to the bit: one dash an op on the rim, all of them one path.
static void draw_dashes(const ProfilePanel *panel)
{
    Arena *scratch = arena_new();
    PathSteps steps = {0};
    double pitch = panel->width / (double)panel->ops.count, half = fmax(pitch * 0.35, 0.8);
    double last = -1e9;
    for (size_t i = 0; i < panel->ops.count; i++) {
        const ProfileOp *op = &panel->ops.items[i];
        double x = op_x(panel, i);
        if (!is_calm(op) || x - half < last)
            continue;
        steps_line(&steps, scratch, x - half, panel->axis.zero, x + half, panel->axis.zero);
        last = x + half + (pitch < 2 ? 1 : 0);
    }
    if (steps.count)
        scene_path(panel->scene, steps.items, steps.count, ROLE_NONE, ROLE_SAME_INK)->paint.width =
            1.6F;
    arena_release(scratch);
}

// What a flag says in two lines.
static void flag_lines(const ProfilePanel *panel, const Flag *flag, const ProfileOp *op, Str *lines)
{
    Arena *arena = panel->scene->arena;
    const Comparison *comparison = panel->outline->comparison;
    Str name = node_name(comparison, flag->row, arena).local;
    Str module = node_module_path(comparison, flag->row, arena);
    lines[0] = name;
    if (module.size)
        lines[0] =
            str_printf(arena, tr("%s in %s"), str_cstr(arena, name), str_cstr(arena, module));
    lines[0] = text_fit(lines[0], SIZE_STRONG, 700, panel->width * 0.45, arena);
    const char *in = str_cstr(arena, op->in.text), *out = str_cstr(arena, op->out.text);
    if (comparison->ops[op->op].status == STATUS_UNMATCHED)
        lines[1] = str_of(comparison->ops[op->op].target == OP_NONE ? tr("only in golden")
                                                                    : tr("only in target"));
    else if (op->in.kind == ERROR_SAME)
        lines[1] =
            str_printf(arena,
                       input_evidence(comparison, &comparison->ops[op->op]).unsure == SLOT_NONE
                           ? tr("inputs equal, output %s")
                           : tr("inputs equal where recorded, output %s"),
                       out);
    else
        lines[1] = str_printf(arena, tr("in %s, out %s"), in, out);
    if (flag->kind != FLAG_FIRST)
        lines[1] = str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(flag_text(flag, arena)),
                              STR_ARG(lines[1]));
}

typedef struct Box {
    double x, y, width, height;
} Box;

// What labels must keep clear of: discs, labels placed before, and, where there is room elsewhere,
// the line of the first divergence.
typedef struct Taken {
    Box items[2 * FLAG_MAX];
    size_t count;
    double line_x;  // NaN: none in this panel
} Taken;

typedef struct FlagSpot {
    const Flag *flag;
    const ProfileOp *op;
    double x, y;  // of the mark
} FlagSpot;

static bool is_taken(const Taken *taken, const Box *box)
{
    for (size_t i = 0; i < taken->count; i++) {
        const Box *at = &taken->items[i];
        if (at->x < box->x + box->width && box->x < at->x + at->width &&
            at->y < box->y + box->height && box->y < at->y + at->height)
            return true;
    }
    return false;
}

static void take(Taken *taken, Box box)
{
    if (taken->count < sizeof taken->items / sizeof *taken->items)
        taken->items[taken->count++] = box;
}

// How many marks a box would cover.
static size_t covered(const ProfilePanel *panel, const Box *box)
{
    size_t count = 0;
    double pitch = panel->width / (double)panel->ops.count;
    double first = floor((box->x - panel->x) / pitch) - 1;
    for (size_t i = first > 0 ? (size_t)first : 0; i < panel->ops.count; i++) {
        const ProfileOp *op = &panel->ops.items[i];
        double x = op_x(panel, i);
        if (x > box->x + box->width + CLEAR)
            break;
        if (x < box->x - CLEAR || is_calm(op))
            continue;
        double a = error_axis_at(&panel->axis, op->in), b = error_axis_at(&panel->axis, op->out);
        a = op->in.kind == ERROR_ABSENT ? b : a;
        b = op->out.kind == ERROR_ABSENT ? a : b;
        if (fmin(a, b) - 4 < box->y + box->height && fmax(a, b) + 4 > box->y)
            count++;
    }
    return count;
}

// A place for a label and what it would cost: 0 covers nothing.
typedef struct Place {
    Box box;
    size_t cost;
} Place;

static void try_place(const ProfilePanel *panel, const FlagSpot *spot, const Taken *taken, Box box,
                      Place *best)
{
    double x = spot->x, y = spot->y, right = panel->x + panel->width;
    box.x = fmin(fmax(box.x, panel->x + 4), right - box.width - 4);
    box.y = fmin(fmax(box.y, panel->y + 2), panel->y + panel->height - 36);
    bool over_mark = x > box.x - 16 && x < box.x + box.width + 16 && y > box.y - 28 &&
                     y < box.y + box.height + 28;
    size_t cost = covered(panel, &box) + (over_mark || is_taken(taken, &box) ? 1000000 : 0);
    if (taken->line_x > box.x - 8 && taken->line_x < box.x + box.width + 8)
        cost += LINE_COST;
    if (cost < best->cost)
        *best = (Place){box, cost};
}

// Of some places around the mark the one that covers least; left first for the first divergence:
// what is before it is calm. Where all of them cover marks, the nearest of the others that does
// not.
static Box place_label(const ProfilePanel *panel, const FlagSpot *spot, double width,
                       const Taken *taken)
{
    double x = spot->x, y = spot->y;
    bool left_first = spot->flag->kind == FLAG_FIRST;
    const double heights[] = {y - 18, panel->y + 4, y + 14, y - 56, panel->axis.low - 40};
    Place best = {.cost = SIZE_MAX};
    for (size_t h = 0; h < sizeof heights / sizeof *heights; h++)
        for (int turn = 0; turn < 2; turn++) {
            bool left = (turn == 0) == left_first;
            try_place(panel, spot, taken,
                      (Box){left ? x - 22 - width : x + 22, heights[h], width, LABEL_HEIGHT},
                      &best);
        }
    if (profile_is_joined(panel))
        return best.box;
    for (int ring = 0; ring < LABEL_RINGS && best.cost; ring++)
        for (int at = -ring; at <= ring; at++) {
            double up = y - LABEL_HEIGHT / 2.0 + at * LABEL_STEP, far = 22 + ring * 2 * LABEL_STEP;
            try_place(panel, spot, taken, (Box){x - far - width, up, width, LABEL_HEIGHT}, &best);
            try_place(panel, spot, taken, (Box){x + far, up, width, LABEL_HEIGHT}, &best);
        }
    return best.box;
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

// From the mark to the nearest point of a label that is not right next to it.
static void draw_leader(const ProfilePanel *panel, double x, double y, const Box *box)
{
    double to_x = clamp(x, box->x - 4, box->x + box->width + 4);
    double to_y = clamp(y, box->y, box->y + box->height);
    double length = hypot(to_x - x, to_y - y);
    if (length < 30)
        return;
    scene_line(panel->scene, x + 9 * (to_x - x) / length, y + 9 * (to_y - y) / length, to_x, to_y,
               ROLE_INK3);
}

static void draw_flag_label(const ProfilePanel *panel, const Flag *flag, const Box *box,
                            const Str *lines)
{
    Scene *scene = panel->scene;
    bool first = flag->kind == FLAG_FIRST;
    Item *plate =
        scene_box(scene, box->x - 4, box->y, box->width + 8, box->height, ROLE_PAPER, ROLE_NONE);
    plate->paint.opacity = 0.85F;
    scene_text(scene, box->x, box->y + 13, SIZE_STRONG, 700, ANCHOR_START,
               first ? ROLE_ERROR_TEXT : ROLE_INK, lines[0]);
    row_text(scene, box->x, box->y + 29, ANCHOR_START, lines[1]);
}

static void draw_flag_mark(const ProfilePanel *panel, const FlagSpot *spot, Taken *taken)
{
    Scene *scene = panel->scene;
    bool first = spot->flag->kind == FLAG_FIRST;
    Role role = first ? ROLE_ERROR_TEXT : ROLE_INK;
    double x = spot->x, top = panel->y + 10;
    if (first) {
        Item *line = scene_line(scene, x, panel->y, x, panel->y + panel->height, role);
        line->paint.width = 1.2F;
        line->paint.dash = line->paint.gap = 3;
    }
    scene_circle(scene, x, spot->y, 8, ROLE_NONE, role)->paint.width = 1.6F;
    double y = spot->y - 18 < panel->y ? spot->y + 18 : spot->y - 18;
    if (first)
        y = fabs(spot->y - top) < 18 ? spot->y + 18 : top;
    Box disc = {x - 8, y - 8, 16, 16};
    for (int move = 0; move < 4 && is_taken(taken, &disc); move++)
        disc.y += 18;
    take(taken, disc);
    disc_draw(scene, x, disc.y + 8, spot->flag->number);
}

static size_t find_spots(const ProfilePanel *panel, FlagSpot *spots)
{
    size_t count = 0;
    for (size_t f = 0; f < panel->flags->count; f++)
        for (size_t i = 0; i < panel->ops.count; i++) {
            const ProfileOp *op = &panel->ops.items[i];
            if (op->op == panel->flags->items[f].op)
                spots[count++] = (FlagSpot){&panel->flags->items[f], op, op_x(panel, i),
                                            error_axis_at(&panel->axis, op->out)};
        }
    return count;
}

static void draw_flags(const ProfilePanel *panel)
{
    FlagSpot spots[FLAG_MAX];
    Taken taken = {.line_x = NAN};
    size_t count = find_spots(panel, spots);
    for (size_t i = 0; i < count; i++)
        if (spots[i].flag->kind == FLAG_FIRST)
            taken.line_x = spots[i].x;
    for (size_t i = 0; i < count; i++)
        draw_flag_mark(panel, &spots[i], &taken);
    for (size_t i = 0; i < count; i++) {
        Str lines[2];
        flag_lines(panel, spots[i].flag, spots[i].op, lines);
        double width =
            fmax(text_width(lines[0], SIZE_STRONG, 700), text_width(lines[1], SIZE_TEXT, 400));
        Box box = place_label(panel, &spots[i], width, &taken);
        if (width > panel->width || is_taken(&taken, &box))
            continue;
        draw_leader(panel, spots[i].x, spots[i].y, &box);
        draw_flag_label(panel, spots[i].flag, &box, lines);
        take(&taken, box);
    }
}

void profile_panel_draw(const ProfilePanel *panel)
{
    draw_stretches(panel);
    draw_axis(panel);
    draw_dashes(panel);
    draw_stems(panel);
    draw_plain_inputs(panel);
    for (size_t i = 0; i < drawn_count(panel); i++) {
        Drawn drawn = drawn_at(panel, i);
        draw_op(panel, drawn.op, drawn.x);
    }
    draw_flags(panel);
}
