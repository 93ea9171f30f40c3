// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/card.h"

#include "base/utf8.h"
#include "base/words.h"
#include "compare/judge/observe.h"
#include "picture/compare/card_neighbours.h"
#include "picture/compare/card_slots.h"
#include "picture/compare/graph_picture.h"
#include "picture/compare/node_name.h"
#include "picture/compare/outline.h"
#include "picture/compare/tree.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum { MAX_CRUMBS = 12, USER_FRAMES = 3 };

typedef struct Card {
    Scene *scene;
    const Comparison *comparison;
    const CardOptions *options;
    uint32_t op;
    double y;
} Card;

static uint32_t find_row(const Comparison *comparison, uint32_t op)
{
    for (uint32_t row = 0; row < comparison->tree_count; row++)
        if (comparison->tree[row].pair == op)
            return row;
    return PAIR_NONE;
}

// The rows from the top down to the op, root and groups left out; the nearest ones if there are
// many.
static size_t collect_crumbs(const Comparison *comparison, uint32_t row, uint32_t *out)
{
    size_t count = 0;
    for (uint32_t at = row; at != PAIR_NONE && count < MAX_CRUMBS;
         at = comparison->tree[at].parent) {
        const TreeNode *node = &comparison->tree[at];
        const Graph *graph = node->target != NODE_NONE ? comparison->target : comparison->golden;
        NodeId id = node->target != NODE_NONE ? node->target : node->golden;
        if (node->parent != PAIR_NONE && graph->nodes[id].type != NODE_GROUP)
            out[count++] = at;
    }
    return count;
}

static double crumb_width(const NodeName *name, bool last)
{
    return text_width(name->local, SIZE_STRONG, last ? 700 : 400) + 6 +
           text_width(name->class_name, SIZE_TEXT, 400) + 26;
}

static void draw_breadcrumb(Card *card, double room)
{
    Scene *scene = card->scene;
    Arena *arena = scene->arena;
    uint32_t rows[MAX_CRUMBS], row = find_row(card->comparison, card->op);
    NodeName names[MAX_CRUMBS];
    size_t count = row == PAIR_NONE ? 0 : collect_crumbs(card->comparison, row, rows), shown = 0;
    double used = 20, widest = room * (count > 1 ? 0.38 : 0.7);  // its parent has room, too
    for (; shown < count; shown++) {
        names[shown] = node_name(card->comparison, rows[shown], arena);
        names[shown].local =
            text_fit(names[shown].local, SIZE_STRONG, shown ? 400 : 700, widest, arena);
        used += crumb_width(&names[shown], shown == 0);
        if (used > room && shown > 0)
            break;
    }
    Span spans[MAX_CRUMBS * 3 + 1];
    size_t at = 0;
    if (shown < count)
        spans[at++] = (Span){.text = STR("…"), .role = ROLE_INK3};
    for (size_t i = shown; i-- > 0;) {
        if (at)
            spans[at++] =
                (Span){.text = STR("›"), .size = SIZE_HEADING, .role = ROLE_INK3, .dx = 9};
        spans[at] = (Span){.text = names[i].local, .weight = i ? 400 : 700, .dx = at ? 9 : 0};
        at++;
        if (names[i].class_name.size)
            spans[at++] =
                (Span){.text = text_fit(names[i].class_name, SIZE_TEXT, 400, room * 0.3, arena),
                       .size = SIZE_TEXT,
                       .role = ROLE_INK3,
                       .dx = 6};
    }
    if (at)
        scene_spans(scene, CARD_MARGIN, card->y + 24, SIZE_STRONG, ANCHOR_START, ROLE_INK, spans,
                    at)
            ->title = op_full_name(card->comparison, card->op, arena);
}

static const char *direction_word(const Comparison *comparison, uint32_t op)
{
    const Op *record = shown_op(comparison, &comparison->ops[op]);
    switch ((Direction)record->direction) {
    case DIR_FORWARD:
        return tr("forward");
    case DIR_BACKWARD:
        return tr("backward");
    default:
        return record->kind == OP_GRADS ? tr("gradients") : "";
    }
}

static void draw_place(Card *card)
{
    Arena *arena = card->scene->arena;
    const char *direction = direction_word(card->comparison, card->op);
    Str place =
        str_printf(arena, tr("op %s of %s"), str_cstr(arena, figure_count(card->op + 1, arena)),
                   str_cstr(arena, figure_count(card->comparison->op_count, arena)));
    if (*direction)
        place = str_printf(arena, STR_FMT " · %s", STR_ARG(place), direction);
    double width = text_width(place, SIZE_TEXT, 400);
    row_text(card->scene, CARD_WIDTH - CARD_MARGIN, card->y + 24, ANCHOR_END, place);
    draw_breadcrumb(card, CARD_WIDTH - 2 * CARD_MARGIN - width - 24);
    card->y += 44;
}

static void draw_observation(Card *card)
{
    Scene *scene = card->scene;
    Observation observation =
        observe_first(card->comparison, card->options->world_size, scene->arena);
    if (observation.kind == OBSERVE_NONE)
        return;
    WrapRule rule = {
        .size = SIZE_TEXT, .weight = 400, .width = 824, .after = " ", .even = true, .lines = 4};
    Str lines[4];
    size_t count = figure_wrap(observation.text, &rule, scene->arena, lines);
    double top = card->y + 14, height = 26 + 16 * ((double)count - 1);
    Item *panel = scene_box(scene, CARD_MARGIN, top, CARD_WIDTH - 2 * CARD_MARGIN, height,
                            ROLE_PANEL, ROLE_NONE);
    panel->as.box.radius = 3;
    for (size_t i = 0; i < count; i++)
        scene_text(scene, CARD_MARGIN + 10, top + 17.5 + 16 * (double)i, SIZE_TEXT, 400,
                   ANCHOR_START, ROLE_INK, lines[i]);
    card->y = top + height;
}

// Frames of the frameworks and of the dump tool are no evidence about the user's code.
static bool is_user_frame(const Frame *frame)
{
    if (STR_ANY(frame->file, str_has, "site-packages/", "dist-packages/", "torch/nn/modules/",
                "torch/nn/functional", "torch/autograd/", "torch/utils/", "torch/_", "mindspore/",
                "msprobe/", "importlib", "/runpy.py", "torch/distributed/"))
        return false;
    return frame->file.size > 0;
}

static const StackFrames *find_stack(const Comparison *comparison, uint32_t op)
{
    const OpPair *pair = &comparison->ops[op];
    const StackFrames *stack = NULL;
    if (pair->target != OP_NONE)
        stack = graph_op_stack(comparison->target, pair->target);
    if (!stack && pair->golden != OP_NONE)
        stack = graph_op_stack(comparison->golden, pair->golden);
    return stack;
}

static size_t collect_frames(const StackFrames *stack, bool user_only, Frame *out)
{
    size_t count = 0;
    for (uint32_t i = 0; stack && i < stack->count && count < USER_FRAMES; i++)
        if (frame_parse(stack->frames[i], &out[count]) &&
            (!user_only || is_user_frame(&out[count])))
            count++;
    return count;
}

static Str file_name(Str path)
{
    size_t slash = str_rfind_char(path, '/');
    return slash == SIZE_MAX ? path : str_slice(path, slash + 1, path.size);
}

static void draw_frame(Card *card, const Frame *frame, const double *x)
{
    Scene *scene = card->scene;
    Arena *arena = scene->arena;
    double base = card->y + 25;
    Str place =
        str_printf(arena, STR_FMT ":%lld", STR_ARG(file_name(frame->file)), (long long)frame->line);
    Item *item = fitted_text(scene, x[0], base, SIZE_TEXT, 400, ROLE_INK, x[1] - x[0] - 8,
                             utf8_display(place, arena));
    item->title = str_printf(arena, STR_FMT ":%lld", STR_ARG(utf8_display(frame->file, arena)),
                             (long long)frame->line);
    fitted_text(scene, x[1], base, SIZE_TEXT, 400, ROLE_INK3, x[2] - x[1] - 8,
                utf8_display(frame->function, arena));
    Str source = utf8_display(str_trim(frame->source), arena);
    double room = CARD_WIDTH - CARD_MARGIN - x[2];
    size_t cells = (size_t)(room / text_width_mono(STR("m"), SIZE_NOTE));
    while (text_width_mono(source, SIZE_NOTE) > room && cells > 4) {
        source = str_printf(arena, STR_FMT "…", STR_ARG(str_slice(source, 0, cells)));
        cells -= 2;
    }
    Span span = {.text = source, .mono = true};
    scene_spans(scene, x[2], base, SIZE_NOTE, ANCHOR_START, ROLE_INK2, &span, 1)->as.text.mono =
        true;
    card->y += 21;
}

static void draw_stack(Card *card)
{
    Frame frames[USER_FRAMES];
    const StackFrames *stack = find_stack(card->comparison, card->op);
    size_t count = collect_frames(stack, true, frames);
    if (!count)
        count = collect_frames(stack, false, frames);
    if (!count)
        return;
    Scene *scene = card->scene;
    double place = 60, function = 40;
    for (size_t i = 0; i < count; i++) {
        Str name = file_name(frames[i].file);
        double width = text_width(name, SIZE_TEXT, 400) + 48,
               other = text_width(frames[i].function, SIZE_TEXT, 400) + 14;
        place = width > place ? width : place;
        function = other > function ? other : function;
    }
    place = place > 220 ? 220 : place;
    function = function > 180 ? 180 : function;
    const double x[3] = {CARD_MARGIN, CARD_MARGIN + place, CARD_MARGIN + place + function};
    scene_text(scene, CARD_MARGIN, card->y + 34, SIZE_STRONG, 600, ANCHOR_START, ROLE_INK,
               str_of(tr("Called from")));
    card->y += 34;
    for (size_t i = 0; i < count; i++)
        draw_frame(card, &frames[i], x);
}

static void draw_footer(Card *card)
{
    Scene *scene = card->scene;
    Arena *arena = scene->arena;
    card->y += 16;
    section_rule(scene, card->y);
    Str text = str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(mode_word(card->comparison->mode)),
                          STR_ARG(rule_text(card->comparison, arena)));
    WrapRule rule = {.size = SIZE_TINY,
                     .weight = 400,
                     .width = CARD_WIDTH - 2 * CARD_MARGIN,
                     .after = " ",
                     .even = true,
                     .lines = 4};
    card->y = page_text(scene, CARD_MARGIN, card->y + 18, 15, &rule, ROLE_INK2, text) + 21;
}

bool card_picture(const Comparison *comparison, const CardOptions *options, Arena *arena,
                  Scene *out)
{
    if (comparison->first.kind == DIVERGE_NONE || comparison->first.op >= comparison->op_count)
        return false;
    scene_init(out, arena, "card", CARD_WIDTH);
    out->description = picture_description(comparison, options->golden, options->target, arena);
    Card card = {.scene = out,
                 .comparison = comparison,
                 .options = options,
                 .op = divergence_op(comparison)};
    draw_place(&card);
    card.y = card_slots(out, comparison, card.op, card.y);
    card.y = card_full_slot(out, comparison, card_full_choice(comparison, card.op), card.y);
    draw_observation(&card);
    card.y = card_neighbours(out, comparison, card.op, card.y);
    draw_stack(&card);
    draw_footer(&card);
    out->height = card.y;
    return true;
}
