// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/card_slots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/words.h"
#include "compare/evidence.h"
#include "compare/judge/judge.h"
#include "compare/match/argument_names.h"
#include "picture/compare/node_name.h"
#include "picture/kit/chip.h"
#include "picture/kit/error_axis.h"
#include "picture/kit/page.h"
#include "read/dump/op_name.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"
#include "verdict/verdict_text.h"

// px from the left margin at a width of 844 between the margins.
enum {
    SHAPE_X = 150,
    GOLDEN_END = 430,
    TARGET_END = 562,
    ERROR_END = 690,
    CELL_WIDTH = 112,  // at most
    STATUS_X = 710,
    AXIS_X = 724,
    AXIS_END = 828,
    SLOT_HEIGHT = 26,
    STAT_HEIGHT = 24,
    MAX_SLOTS = 12,
};

typedef struct SlotView {
    Scene *scene;
    const Comparison *comparison;
    uint32_t index;  // in comparison->slots
    const SlotPair *pair;
    const Slot *golden, *target;  // NULL: that side has none
    bool deciding;
    Str api;
    double left;
} SlotView;

static const Slot *slot_at(const Dump *dump, uint32_t slot)
{
    return slot == SLOT_NONE ? NULL : &dump->slots[slot];
}

static Str name_text(const Dump *dump, NameId name, Arena *arena)
{
    return utf8_display(names_text(dump->names, name), arena);
}

static SlotView view_slot(Scene *scene, const Comparison *comparison, uint32_t index)
{
    const SlotPair *pair = &comparison->slots[index];
    return (SlotView){.scene = scene,
                      .comparison = comparison,
                      .index = index,
                      .pair = pair,
                      .golden = slot_at(comparison->golden->dump, pair->golden),
                      .target = slot_at(comparison->target->dump, pair->target),
                      .deciding = index == comparison->first.slot};
}

static Str short_dtype(Str dtype)
{
    if (str_starts(dtype, STR("torch.")))
        return str_slice(dtype, 6, dtype.size);
    if (str_starts(dtype, STR("<class '")) && dtype.size > 10)
        return str_slice(dtype, 8, dtype.size - 2);
    return dtype;
}

static Str shape_and_type(const Dump *dump, const Slot *slot, Arena *arena)
{
    if (!slot)
        return (Str){0};
    if (slot->kind == SLOT_NULL)
        return STR("None");
    Str type = short_dtype(name_text(dump, slot->dtype, arena));
    if (slot->kind != SLOT_TENSOR)
        return type;
    return str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(name_text(dump, slot->shape, arena)),
                      STR_ARG(type));
}

// One text where both sides agree, else "golden → target".
static Str both_shapes(const SlotView *view)
{
    Arena *arena = view->scene->arena;
    Str golden = shape_and_type(view->comparison->golden->dump, view->golden, arena);
    Str target = shape_and_type(view->comparison->target->dump, view->target, arena);
    bool differs = view->pair->reason == REASON_DTYPE || view->pair->reason == REASON_SHAPE;
    if (!golden.size || (target.size && !differs))
        return target;
    if (!target.size)
        return golden;
    const Dump *dump = view->comparison->target->dump;
    if (view->target && view->pair->reason == REASON_DTYPE)  // one shape is enough
        target = short_dtype(name_text(dump, view->target->dtype, arena));
    return str_printf(arena, STR_FMT " → " STR_FMT, STR_ARG(golden), STR_ARG(target));
}

// What the cell of a side holds: the norm of a tensor (its checksum where those decide), the value
// of everything else.
static Str side_value(const Comparison *comparison, const Dump *dump, const Slot *slot,
                      Arena *arena)
{
    char buffer[40];
    double norm;
    if (!slot)
        return STR("—");
    if (slot->kind == SLOT_NULL)
        return STR("None");
    if (slot->kind == SLOT_TENSOR) {
        if (comparison->mode == MODE_CHECKSUM && slot->checksum != NAME_NONE)
            return name_text(dump, slot->checksum, arena);
        if (slot_stat(slot, STAT_NORM, &norm))
            return figure_number(norm, 6, arena);
        if (slot->checksum != NAME_NONE)
            return name_text(dump, slot->checksum, arena);
        Str text = slot_stat_text(dump->names, slot, STAT_MAX, buffer);
        return str_equal(text, STR("None")) ? STR("—") : str_copy(arena, text);
    }
    if (slot->value != NAME_NONE)
        return name_text(dump, slot->value, arena);
    return utf8_display(str_copy(arena, slot_stat_text(dump->names, slot, STAT_MAX, buffer)),
                        arena);
}

static Str error_text(const SlotView *view)
{
    Arena *arena = view->scene->arena;
    const SlotPair *pair = view->pair;
    if (pair->status == STATUS_UNMATCHED || pair->status == STATUS_NO_DATA)
        return STR("—");
    if (pair->status == STATUS_SAME)
        return STR("=");
    if (pair->reason == REASON_NONFINITE)
        return STR("NaN");
    if (!status_differs((Status)pair->status))
        return figure_error(pair->norm_error, arena);
    if (pair->reason == REASON_CHECKSUM && isfinite(pair->norm_error) && pair->norm_error > 0)
        return figure_error(pair->norm_error, arena);
    if (!isfinite(pair->error) || pair->reason == REASON_ARGUMENT)
        return STR("≠");
    return str_printf(arena, "%s" STR_FMT, metric_prefix((Metric)pair->metric),
                      STR_ARG(figure_error(pair->error, arena)));
}

static void draw_slot_name(const SlotView *view, double base)
{
    Arena *arena = view->scene->arena;
    const Dump *dump =
        view->target ? view->comparison->target->dump : view->comparison->golden->dump;
    const Slot *slot = view->target ? view->target : view->golden;
    Str path = slot ? name_text(dump, slot->path, arena) : STR("");
    Str note = argument_name(view->api, path);
    double room = SHAPE_X - 10;
    if (str_equal(note, STR("input")))
        note = (Str){0};
    int weight = view->deciding ? 700 : 400;
    if (text_width(path, SIZE_STRONG, weight) + 8 + text_width(note, SIZE_TEXT, 400) > room)
        note = (Str){0};
    Span spans[2] = {{.text = text_fit(path, SIZE_STRONG, weight, room, arena), .weight = weight},
                     {.text = note, .size = SIZE_TEXT, .role = ROLE_INK3, .dx = 8, .weight = 400}};
    Item *item = scene_spans(view->scene, view->left, base, SIZE_STRONG, ANCHOR_START, ROLE_INK,
                             spans, note.size ? 2 : 1);
    item->title = path;
}

// A number with more digits than fit is rounded: cut in the middle it would show another one.
static Str fit_cell(Str text, int weight, Arena *arena)
{
    char *end;
    const char *digits = str_cstr(arena, text);
    double value = strtod(digits, &end);
    if (text_width(text, SIZE_STRONG, weight) > CELL_WIDTH && strchr(digits, '.') && !*end)
        return figure_number(value, 8, arena);
    return text_fit(text, SIZE_STRONG, weight, CELL_WIDTH, arena);
}

static void draw_cell(const SlotView *view, double end, double base, Str text, bool strong)
{
    Scene *scene = view->scene;
    Str shown = fit_cell(text, strong ? 700 : 400, scene->arena);
    Item *item = scene_text(scene, view->left + end, base, SIZE_STRONG, strong ? 700 : 400,
                            ANCHOR_END, ROLE_INK, shown);
    if (shown.size < text.size)
        item->title = text;
}

// The cell whose contents decided; `shape_width` is that of the text in the shape cell.
static void outline_cell(const SlotView *view, double y, double shape_width)
{
    double end = view->left + ERROR_END + 10, width = 84;
    Reason reason = (Reason)view->pair->reason;
    if (reason == REASON_DTYPE || reason == REASON_SHAPE) {
        width = shape_width + 16;
        end = view->left + SHAPE_X - 8 + width;
    } else if (reason == REASON_ARGUMENT || reason == REASON_CHECKSUM ||
               reason == REASON_NONFINITE) {
        end = view->left + TARGET_END + 10;
        width = CELL_WIDTH + 20;
    } else {
        width = fmax(84, text_width(error_text(view), SIZE_STRONG, 700) + 20);
    }
    Item *box = scene_box(view->scene, end - width, y + 1, width, SLOT_HEIGHT - 2, ROLE_NONE,
                          ROLE_ERROR_FILL);
    box->paint.width = 2;
    box->as.box.radius = 3;
}

// Where the dumps tell too little of a tensor, what is equal is that little.
static Str status_text(const SlotView *view, Status status, bool tint)
{
    bool tensor = view->golden && view->golden->kind == SLOT_TENSOR;
    if (status != STATUS_SAME || !tensor)
        return status_label(status, tint);
    if (view->comparison->mode == MODE_TENSOR ||
        (view->golden->checksum != NAME_NONE && view->target->checksum != NAME_NONE))
        return str_of(tr("same, bit for bit"));
    return str_of(evidence_tells_all(view->comparison, view->pair) ? tr("same statistics")
                                                                   : tr("recorded: equal"));
}

static void draw_status(const SlotView *view, double y, bool inherited)
{
    Status status = (Status)view->pair->status;
    bool tint = inherited && !view->deciding;
    double x = view->left + STATUS_X;
    chip_draw(view->scene, x, y + 6, 14, status, tint);
    Role role = ROLE_INK2;
    if (status == STATUS_ERROR)
        role = view->deciding ? ROLE_ERROR_TEXT : ROLE_ERROR_TINK;
    fitted_text(view->scene, x + 20, y + 17, SIZE_TEXT, view->deciding ? 700 : 400, role, 114,
                status_text(view, status, tint));
}

static void draw_slot(const SlotView *view, double y)
{
    Scene *scene = view->scene;
    Arena *arena = scene->arena;
    double base = y + 17;
    const Slot *slot = view->target ? view->target : view->golden;
    draw_slot_name(view, base);
    Str shape = both_shapes(view);
    Str golden = side_value(view->comparison, view->comparison->golden->dump, view->golden, arena);
    double room =
        GOLDEN_END - SHAPE_X - 20 - fmin(CELL_WIDTH, text_width(golden, SIZE_STRONG, 400));
    Str shown = text_fit(shape, SIZE_TEXT, 400, room, arena);
    Item *item = row_text(scene, view->left + SHAPE_X, base, ANCHOR_START, shown);
    if (shown.size < shape.size)
        item->title = shape;
    draw_cell(view, GOLDEN_END, base, golden, false);
    draw_cell(view, TARGET_END, base,
              side_value(view->comparison, view->comparison->target->dump, view->target, arena),
              view->deciding && view->pair->reason == REASON_ARGUMENT);
    draw_cell(view, ERROR_END, base, error_text(view), view->deciding);
    draw_status(view, y, view->comparison->first.kind != DIVERGE_OUTPUT && slot_is_result(slot));
    if (view->deciding && view->pair->status != STATUS_UNMATCHED)
        outline_cell(view, y, text_width(shown, SIZE_TEXT, 400));
    scene_line(scene, view->left, y + SLOT_HEIGHT, view->left + 844, y + SLOT_HEIGHT, ROLE_HAIR);
}

static void draw_heads(Scene *scene, double base, CompareMode mode)
{
    bool sums = mode == MODE_CHECKSUM;
    const struct {
        double x;
        Anchor anchor;
        const char *text;
    } heads[] = {{0, ANCHOR_START, tr("slot")},
                 {SHAPE_X, ANCHOR_START, tr("shape, type")},
                 {GOLDEN_END, ANCHOR_END, sums ? tr("golden checksum") : tr("golden norm")},
                 {TARGET_END, ANCHOR_END, sums ? tr("target checksum") : tr("target norm")},
                 {ERROR_END, ANCHOR_END, tr("relative error")},
                 {STATUS_X, ANCHOR_START, tr("status")}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        note_text(scene, CARD_MARGIN + heads[i].x, base, heads[i].anchor, str_of(heads[i].text));
    side_draw(scene, CARD_MARGIN + GOLDEN_END + 10, base - 4, true);
    side_draw(scene, CARD_MARGIN + TARGET_END + 10, base - 4, false);
    scene_line(scene, CARD_MARGIN, base + 8, CARD_MARGIN + 844, base + 8, ROLE_RULE);
}

// How much a slot deserves a row: the deciding one, then the worst.
static int slot_weight(const Comparison *comparison, uint32_t slot)
{
    if (slot == comparison->first.slot)
        return 100;
    return status_differs((Status)comparison->slots[slot].status) ? 10 : 0;
}

// Marks at most MAX_SLOTS slots of the op; returns how many are left out.
static uint32_t choose_slots(const Comparison *comparison, const OpPair *op, bool *shown)
{
    static const int weights[] = {100, 10, 0};
    uint32_t taken = 0;
    for (size_t w = 0; w < 3; w++)
        for (uint32_t i = 0; i < op->slot_count && taken < MAX_SLOTS; i++) {
            if (shown[i] || slot_weight(comparison, op->first_slot + i) != weights[w])
                continue;
            shown[i] = true;
            taken++;
        }
    return op->slot_count - taken;
}

static const Op *pair_record(const Comparison *comparison, uint32_t op, const Dump **dump)
{
    const OpPair *pair = &comparison->ops[op];
    bool target = pair->target != OP_NONE;
    *dump = target ? comparison->target->dump : comparison->golden->dump;
    return &(*dump)->ops[target ? pair->target : pair->golden];
}

static Str op_api(const Comparison *comparison, uint32_t op)
{
    const Dump *dump;
    const Op *record = pair_record(comparison, op, &dump);
    return op_name_of(dump->names, record->name).type_name;
}

static double draw_paired_slots(Scene *scene, const Comparison *comparison, uint32_t op, double y)
{
    const OpPair *pair = &comparison->ops[op];
    bool *shown = ARENA_ARRAY(scene->arena, bool, pair->slot_count);
    uint32_t left_out = choose_slots(comparison, pair, shown);
    for (uint32_t i = 0; i < pair->slot_count; i++) {
        if (!shown[i])
            continue;
        SlotView view = view_slot(scene, comparison, pair->first_slot + i);
        view.left = CARD_MARGIN;
        view.api = op_api(comparison, op);
        draw_slot(&view, y);
        y += SLOT_HEIGHT;
    }
    if (!left_out)
        return y;
    row_text(scene, CARD_MARGIN, y + 17, ANCHOR_START,
             str_printf(scene->arena,
                        tr_count(left_out, "… and %u more slot", "… and %u more slots"), left_out));
    return y + SLOT_HEIGHT;
}

static uint32_t slot_with_path(const Dump *dump, const Op *record, Str path)
{
    for (uint32_t i = record->first_slot; i < record->first_slot + record->slot_count; i++)
        if (str_equal(names_text(dump->names, dump->slots[i].path), path))
            return i;
    return SLOT_NONE;
}

// The op that the other side runs in place of one without partner; PAIR_NONE: none.
static uint32_t lone_partner(const Comparison *comparison, uint32_t op)
{
    uint32_t next = comparison->first.op == op ? comparison->first.beside : comparison->first.op;
    if (comparison->ops[op].slot_count || next == PAIR_NONE ||
        comparison->ops[next].status != STATUS_UNMATCHED)
        return PAIR_NONE;
    bool golden = comparison->ops[op].target == OP_NONE;
    return golden == (comparison->ops[next].target == OP_NONE) ? PAIR_NONE : next;
}

// An op without partner has no pairs of slots: its own are shown, next to those that the other
// side's op at this place has under the same names.
static double draw_lone_slots(Scene *scene, const Comparison *comparison, uint32_t op, double y)
{
    const Dump *dump, *other = NULL;
    uint32_t next = lone_partner(comparison, op);
    const Op *record = pair_record(comparison, op, &dump);
    const Op *beside = next == PAIR_NONE ? NULL : pair_record(comparison, next, &other);
    bool golden = dump == comparison->golden->dump;
    for (uint32_t i = 0; i < record->slot_count && i < MAX_SLOTS; i++) {
        uint32_t slot = record->first_slot + i;
        Str path = names_text(dump->names, dump->slots[slot].path);
        uint32_t partner = beside ? slot_with_path(other, beside, path) : SLOT_NONE;
        SlotPair pair = {.golden = golden ? slot : partner,
                         .target = golden ? partner : slot,
                         .status = STATUS_UNMATCHED,
                         .reason = REASON_UNMATCHED};
        SlotView view = {
            .scene = scene, .comparison = comparison, .index = SLOT_NONE, .pair = &pair};
        view.golden = slot_at(comparison->golden->dump, pair.golden);
        view.target = slot_at(comparison->target->dump, pair.target);
        view.api = op_api(comparison, op);
        view.left = CARD_MARGIN;
        draw_slot(&view, y);
        y += SLOT_HEIGHT;
    }
    return y;
}

// Above the heads whose values they are, where the two sides' ops have different names.
static double draw_names(Scene *scene, const Comparison *comparison, uint32_t op, double y)
{
    const OpPair *pair = &comparison->ops[op];
    uint32_t golden = pair->golden, target = pair->target;
    uint32_t next = lone_partner(comparison, op);
    if (next != PAIR_NONE && golden == OP_NONE)
        golden = comparison->ops[next].golden;
    else if (next != PAIR_NONE)
        target = comparison->ops[next].target;
    if (golden == OP_NONE || target == OP_NONE)
        return y;
    const Dump *dumps[] = {comparison->golden->dump, comparison->target->dump};
    const NameId ids[] = {dumps[0]->ops[golden].name, dumps[1]->ops[target].name};
    const double ends[] = {GOLDEN_END, TARGET_END};
    Str names[2];
    for (int side = 0; side < 2; side++)
        names[side] = name_loose(names_text(dumps[side]->names, ids[side]), scene->arena).local;
    if (str_equal(names[0], names[1]))
        return y;
    for (int side = 0; side < 2; side++)
        scene_text(scene, CARD_MARGIN + ends[side], y + 10, SIZE_NOTE, 600, ANCHOR_END, ROLE_INK,
                   text_fit(names[side], SIZE_NOTE, 600, 124, scene->arena))
            ->title = utf8_display(names_text(dumps[side]->names, ids[side]), scene->arena);
    return y + 16;
}

double card_slots(Scene *scene, const Comparison *comparison, uint32_t op, double y)
{
    y = draw_names(scene, comparison, op, y);
    draw_heads(scene, y + 12, comparison->mode);
    if (comparison->ops[op].slot_count)
        return draw_paired_slots(scene, comparison, op, y + 28);
    return draw_lone_slots(scene, comparison, op, y + 28);
}

static bool has_numbers(const SlotView *view)
{
    double value;
    return view->golden && view->target && view->golden->kind == SLOT_TENSOR &&
           view->target->kind == SLOT_TENSOR &&
           (slot_stat(view->golden, STAT_NORM, &value) ||
            slot_stat(view->golden, STAT_MAX, &value));
}

uint32_t card_full_choice(const Comparison *comparison, uint32_t op)
{
    const OpPair *pair = &comparison->ops[op];
    uint32_t best = SLOT_NONE;
    if (comparison->first.op == op && comparison->first.slot != SLOT_NONE) {
        SlotView view = view_slot(NULL, comparison, comparison->first.slot);
        if (has_numbers(&view))
            return comparison->first.slot;
    }
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        SlotView view = view_slot(NULL, comparison, i);
        if (!has_numbers(&view) || !slot_is_result(view.target))
            continue;
        if (best == SLOT_NONE || comparison->slots[i].status > comparison->slots[best].status)
            best = i;
    }
    return best;
}

// The relative difference of one statistic against golden's value of it.
static ErrorMark stat_error(const SlotView *view, Stat stat)
{
    Arena *arena = view->scene->arena;
    double b, n;
    ErrorMark out = {.kind = ERROR_ABSENT, .text = STR("—")};
    if (!view->golden || !view->target || !slot_stat(view->golden, stat, &b) ||
        !slot_stat(view->target, stat, &n))
        return out;
    if (b == n || (isnan(b) && isnan(n)))
        return (ErrorMark){.kind = ERROR_SAME, .text = STR("=")};
    if (!isfinite(b) || !isfinite(n))
        return (ErrorMark){.kind = ERROR_NONFINITE,
                           .text = isnan(b) || isnan(n) ? STR("NaN") : STR("Inf")};
    out.value = fabs((n - b) / b);
    out.kind = isfinite(out.value) ? ERROR_NUMBER : ERROR_NONFINITE;
    out.text = figure_error(out.value, arena);
    return out;
}

static Str stat_text(const Dump *dump, const Slot *slot, Stat stat, Arena *arena)
{
    char buffer[40];
    double value;
    if (slot->tag[stat] == TAG_ABSENT || slot->tag[stat] == TAG_NULL)
        return STR("—");
    if (slot->tag[stat] != TAG_BOOL && slot_stat(slot, stat, &value))
        return figure_number(value, 8, arena);
    return str_copy(arena, slot_stat_text(dump->names, slot, stat, buffer));
}

static void draw_stat_axis(Scene *scene, const ErrorAxis *axis, double top, double bottom)
{
    int span = axis->high_exponent - axis->low_exponent;
    int step = span > 5 ? (span + 3) / 4 : span > 3 ? 2 : 1;
    for (int e = axis->low_exponent; axis->has_numbers && e <= axis->high_exponent; e += step) {
        double x = error_axis_number(axis, pow(10, e));
        scene_line(scene, x, top, x, bottom, ROLE_HAIR);
        figure_decade(scene, x, top - 6, SIZE_TINY, ANCHOR_MIDDLE, ROLE_INK3, e);
    }
}

// Just the decades that the numbers span: four statistics lie close together.
static ErrorAxis stat_axis(const ErrorMark *marks, double left)
{
    ErrorAxis axis = {.low = left + AXIS_X, .high = left + AXIS_END};
    double least = 0, most = 0;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        if (marks[stat].kind != ERROR_NUMBER || marks[stat].value <= 0)
            continue;
        least = least > 0 ? fmin(least, marks[stat].value) : marks[stat].value;
        most = fmax(most, marks[stat].value);
    }
    axis.zero = axis.low;
    axis.nonfinite = axis.high;
    axis.has_numbers = most > 0;
    axis.low_exponent = most > 0 ? (int)fmax(floor(log10(least) - 0.01), -20) : 0;
    axis.high_exponent = most > 0 ? (int)fmin(ceil(log10(most)), 20) : 1;
    if (axis.high_exponent <= axis.low_exponent)
        axis.high_exponent = axis.low_exponent + 1;
    return axis;
}

static void draw_stat(const SlotView *view, Stat stat, const ErrorMark *mark, const ErrorAxis *axis,
                      double base)
{
    static const char *const names[] = {"Max", "Min", "Mean", "Norm"};
    Scene *scene = view->scene;
    Arena *arena = scene->arena;
    double left = view->left;
    scene_text(scene, left + SHAPE_X, base, SIZE_STRONG, 400, ANCHOR_START, ROLE_INK,
               str_of(names[stat]));
    draw_cell(view, GOLDEN_END, base,
              stat_text(view->comparison->golden->dump, view->golden, stat, arena), false);
    draw_cell(view, TARGET_END, base,
              stat_text(view->comparison->target->dump, view->target, stat, arena), false);
    draw_cell(view, ERROR_END, base, mark->text, false);
    if (mark->kind == ERROR_NONFINITE)
        cross_draw(scene, axis->nonfinite, base - 4, 4);
    if (mark->kind != ERROR_NUMBER || mark->value <= 0)
        return;
    double x = error_axis_number(axis, mark->value);
    Status status = (Status)view->pair->status;
    StatusLook look = status_look(status, false);
    scene_circle(scene, x, base - 4, 4, look.fill, look.edge);
}

double card_full_slot(Scene *scene, const Comparison *comparison, uint32_t slot, double y)
{
    static const Stat order[] = {STAT_NORM, STAT_MAX, STAT_MIN, STAT_MEAN};
    if (slot == SLOT_NONE)
        return y;
    SlotView view = view_slot(scene, comparison, slot);
    view.left = CARD_MARGIN;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a slot in full is on both sides
    Str path = name_text(comparison->target->dump, view.target->path, scene->arena);
    Str heading = str_printf(scene->arena, tr("%s in full"), str_cstr(scene->arena, path));
    fitted_text(scene, CARD_MARGIN, y + 28, SIZE_STRONG, 600, ROLE_INK, AXIS_X - 40, heading);
    ErrorMark marks[STAT_COUNT];
    for (int stat = 0; stat < STAT_COUNT; stat++)
        marks[stat] = stat_error(&view, (Stat)stat);
    ErrorAxis axis = stat_axis(marks, CARD_MARGIN);
    draw_stat_axis(scene, &axis, y + 44, y + 44 + 4 * STAT_HEIGHT - 4);
    for (size_t i = 0; i < STAT_COUNT; i++)
        draw_stat(&view, order[i], &marks[order[i]], &axis, y + 60 + STAT_HEIGHT * (double)i);
    return y + 44 + 4 * STAT_HEIGHT;
}
