// SPDX-License-Identifier: Apache-2.0
#include "compare/noise_gradient.h"

#include <math.h>
#include <string.h>

#include "compare/flow.h"
#include "compare/judge/carried.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"
#include "read/dump/op_name.h"

// The sum of gradients that cancel is as large as their rounding errors: eps times their norm. Of
// recorded runs that differ in the order of sums it is 0.5 to 1.5 times that, of gradients that do
// not cancel about 1 / eps times. A sum of n float32 numbers one after the other, as of all places
// of a picture, errs by 0.14 √n (each partial sum is rounded); recorded: up to 0.4 √n.
#define NOISE_ROUNDINGS 4
// Each element moves one step of the optimizer up or down; the largest, the smallest, the mean and
// the norm tell the size of that step, unless all of them were nearly still by luck.
#define NOISE_MOVES 16
// Of a bias with such a part the rest moves by its gradient: once up or down on each side, and
// twice as far.
#define PART_MOVES 4
// Queries, keys and values of one product are taken within so many ops.
enum { PARTS_WITHIN = 16 };

static bool is_vector(Str shape)
{
    return shape.size > 2 && !memchr(shape.data, ',', shape.size);
}

bool noise_gradient_asked(const Comparison *comparison, const SlotPair *pair,
                          const uint8_t *sources)
{
    if (comparison->rules != RULES_VERNIER || comparison->tolerances || pair->exact ||
        !rule_on(comparison->without, REASON_NOISE_GRADIENT) || pair->not_updated ||
        pair->golden == SLOT_NONE || pair->target == SLOT_NONE ||
        sources[pair->golden] != SOURCE_PARAMETER)
        return false;
    if (!status_differs((Status)pair->status) || pair->reason != REASON_STATISTIC)
        return false;
    const Dump *golden = comparison->golden->dump;
    return is_vector(names_text(golden->names, golden->slots[pair->golden].shape));
}

static const Slot *first_input(const Dump *dump, const Op *op)
{
    for (uint32_t i = op ? op->first_slot : 0; op && i < op->first_slot + op->slot_count; i++)
        if (dump->slots[i].group == GROUP_INPUT && dump->slots[i].kind == SLOT_TENSOR)
            return &dump->slots[i];
    return NULL;
}

static double norm_of(const Slot *slot)
{
    double norm;
    return slot && slot_stat(slot, STAT_NORM, &norm) && isfinite(norm) ? fabs(norm) : (double)NAN;
}

// A weight of a forward op, and that op a step before.
typedef struct Bias {
    SlotsBefore *before;
    const Op *old;
    OpName op;
    Str path, shape;
} Bias;

static Bias bias_of(SlotsBefore *before, const Dump *dump, uint32_t op, const Slot *slot)
{
    Str name = names_text(dump->names, dump->ops[op].name);
    return (Bias){before, slot_before_op(before->graph, name),
                  op_name_of(dump->names, dump->ops[op].name), names_text(dump->names, slot->path),
                  names_text(dump->names, slot->shape)};
}

// The gradients of the weights of the module that an op runs in; NULL: it runs in none.
static const Op *module_grads(const Graph *graph, const Op *op, Arena *scratch)
{
    NodeId node = op ? graph_find(graph, op->name) : NODE_NONE;
    NodeId parent = node == NODE_NONE ? NODE_NONE : graph->nodes[node].parent;
    if (parent == NODE_NONE || graph->nodes[parent].op == OP_NONE)
        return NULL;
    const Dump *dump = graph->dump;
    OpName name = op_name_of(dump->names, dump->ops[graph->nodes[parent].op].name);
    return slot_before_op(graph, str_printf(scratch, "%.*s.parameters_grad.0", STR_ARG(name.stem)));
}

// The only gradient of that shape; NULL: there is none, or there are several.
static const Slot *of_shape(const Dump *dump, const Op *grads, Str shape)
{
    const Slot *found = NULL;
    for (uint32_t i = grads ? grads->first_slot : 0;
         grads && i < grads->first_slot + grads->slot_count; i++) {
        if (!str_equal(names_text(dump->names, dump->slots[i].shape), shape))
            continue;
        if (found)
            return NULL;
        found = &dump->slots[i];
    }
    return found;
}

// The gradient that the bias got, and that of the result which it is the sum of.
typedef struct Sum {
    const Dump *dump;
    const Slot *gradient, *summed;  // NULL: not recorded
} Sum;

static Sum sum_of(const Bias *bias, Arena *scratch)
{
    const Dump *dump = bias->before->graph->dump;
    OpName op = bias->op;
    bool module = str_starts(bias->path, STR("parameters."));
    Str call = str_printf(scratch, "%.*s.%d", STR_ARG(op.stem), op.call);
    Str backward = module ? str_printf(scratch, "%.*s.backward.%d", STR_ARG(op.stem), op.call)
                          : str_concat(scratch, call, STR(".backward"));
    const Op *back = slot_before_op(bias->before->graph, backward), *grads = back;
    Str path = str_replace(scratch, bias->path, STR("input."), STR("output."));
    if (module) {
        grads = slot_before_op(bias->before->graph,
                               str_printf(scratch, "%.*s.parameters_grad.0", STR_ARG(op.stem)));
        path = str_slice(bias->path, STR("parameters.").size, bias->path.size);
    }
    const Slot *gradient = slot_before_find(bias->before, grads, path, bias->shape);
    // Backward calls of APIs need not tell the gradients of weights.
    if (!gradient && !module)
        gradient =
            of_shape(dump, module_grads(bias->before->graph, bias->old, scratch), bias->shape);
    return (Sum){dump, gradient, first_input(dump, back)};
}

static uint64_t elements_of(const Dump *dump, const Slot *slot)
{
    return shape_elements(names_text(dump->names, slot->shape));
}

// Whether the gradient was no larger than the rounding of what it sums up. The two sides sum up the
// same, but for rounding: where a module is recomputed, one of them alone may show it.
static bool is_noise(const Sum *of, const Sum *other)
{
    const Sum *shown = of->summed ? of : other;
    if (!shown->summed || !of->gradient)
        return false;
    Precision precision = precision_of_slot(shown->dump->names, shown->summed);
    double roundings = NOISE_ROUNDINGS;
    if (precision == PRECISION_F32)
        roundings = fmax(roundings, sqrt((double)elements_of(shown->dump, shown->summed) /
                                         (double)elements_of(of->dump, of->gradient)));
    return precision >= PRECISION_F32 &&
           norm_of(of->gradient) <= roundings * epsilon_of(precision) * norm_of(shown->summed);
}

// The gradient of what a later op took, a part of `whole` that no recorded op gave (views are not
// recorded): its elements come to nothing in sum but for rounding, as those of keys do, which shift
// every score of a row by the same.
static bool part_cancels(SlotsBefore *before, const Op *op, const Slot *part, const Slot *whole,
                         Arena *scratch)
{
    const Dump *dump = before->graph->dump;
    double most, least, top, bottom, mean;
    uint64_t elements = elements_of(dump, part);
    if (part->kind != SLOT_TENSOR || part->group != GROUP_INPUT || elements == 0 ||
        elements >= elements_of(dump, whole) || !slot_stat(part, STAT_MAX, &top) ||
        !slot_stat(part, STAT_MIN, &bottom) || !slot_stat(whole, STAT_MAX, &most) ||
        !slot_stat(whole, STAT_MIN, &least) || !(top <= most && bottom >= least))
        return false;
    Str name =
        str_replace(scratch, names_text(dump->names, op->name), STR(".forward"), STR(".backward"));
    Str path =
        str_replace(scratch, names_text(dump->names, part->path), STR("input."), STR("output."));
    const Op *back = slot_before_op(before->graph, name);
    const Slot *gradient = NULL;
    for (uint32_t i = 0; back && i < back->slot_count; i++)
        if (str_equal(names_text(dump->names, dump->slots[back->first_slot + i].path), path))
            gradient = &dump->slots[back->first_slot + i];
    double roundings = NOISE_ROUNDINGS * norm_of(gradient);
    if (!gradient || elements_of(dump, gradient) != elements ||
        !slot_stat(gradient, STAT_MEAN, &mean))
        return false;
    return fabs(mean) * (double)elements <=
           roundings * epsilon_of(precision_of_slot(dump->names, gradient));
}

static const Slot *result_of(const Dump *dump, const Op *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (slot_is_output_tensor(&dump->slots[i]))
            return &dump->slots[i];
    return NULL;
}

// Whether the result that the bias was added to is taken in parts, one of which got a gradient that
// cancels: as many elements of the bias move by noise. What has many slots is no sum with one bias.
static bool has_noisy_part(const Bias *bias, Arena *scratch)
{
    enum { SLOTS_MOST = 32 };
    const Dump *dump = bias->before->graph->dump;
    bool sum = bias->old && bias->old->slot_count <= SLOTS_MOST;
    const Slot *whole = sum ? result_of(dump, bias->old) : NULL;
    uint32_t first = sum ? (uint32_t)(bias->old - dump->ops) + 1 : 0;
    for (uint32_t i = first; whole && i < dump->op_count && i < first + PARTS_WITHIN; i++) {
        const Op *op = &dump->ops[i];
        for (uint32_t k = op->first_slot; op->kind == OP_API && k < op->first_slot + op->slot_count;
             k++)
            if (part_cancels(bias->before, op, &dump->slots[k], whole, scratch))
                return true;
    }
    return false;
}

// How far the step moved an element, as the statistics tell.
static double moved_by(const Slot *old, const Slot *now)
{
    double moved = 0;
    for (int stat = 0; stat <= STAT_MEAN; stat++) {
        double was, is;
        if (slot_stat(old, (Stat)stat, &was) && slot_stat(now, (Stat)stat, &is))
            moved = fmax(moved, fabs(is - was));
    }
    return moved;
}

// Whether the two part by no more than they did, and steps of that size.
static bool is_near(const Slot *const old[2], const Slot *const now[2], double step,
                    uint64_t elements)
{
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double was[2] = {0}, is[2];
        if (!slot_stat(now[0], (Stat)stat, &is[0]) || !slot_stat(now[1], (Stat)stat, &is[1]))
            continue;
        slot_stat(old[0], (Stat)stat, &was[0]);
        slot_stat(old[1], (Stat)stat, &was[1]);
        double reach = stat == STAT_NORM ? step * sqrt((double)elements) : step;
        if (!(fabs(is[1] - is[0]) <= fabs(was[1] - was[0]) + reach))
            return false;
    }
    return true;
}

// How far noise may have moved an element of such a bias; < 0: it did not. `part`: of a part of it.
static double led_by_noise(const Comparison *comparison, const OpPair *op, const SlotPair *pair,
                           SlotsBefore before[2], bool *part)
{
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    const uint32_t ops[2] = {op->golden, op->target};
    const Slot *now[2] = {&dumps[0]->slots[pair->golden], &dumps[1]->slots[pair->target]};
    const Slot *old[2];
    Sum sums[2];
    Arena *scratch = arena_new();
    bool known = true;
    *part = false;
    for (int side = 0; side < 2; side++) {
        Bias bias = bias_of(&before[side], dumps[side], ops[side], now[side]);
        old[side] = slot_before_find(&before[side], bias.old, bias.path, bias.shape);
        known = known && old[side];
        sums[side] = sum_of(&bias, scratch);
        *part = *part || has_noisy_part(&bias, scratch);
    }
    // What one side does not tell of the step before is as the other tells it.
    for (int side = 0; side < 2; side++)
        if (!sums[side].gradient)
            sums[side] = sums[1 - side];
    bool noise = *part || (is_noise(&sums[0], &sums[1]) && is_noise(&sums[1], &sums[0]));
    arena_release(scratch);
    if (!known || !noise)
        return -1;
    double step = fmin(moved_by(old[0], now[0]), moved_by(old[1], now[1]));
    double moves = *part ? PART_MOVES : NOISE_MOVES;
    return is_near(old, now, moves * step, elements_of(dumps[0], now[0])) ? NOISE_MOVES * step : -1;
}

bool noise_gradient_pass(const Comparison *comparison, const OpPair *op, SlotPair *pair,
                         SlotsBefore before[2], NoisyPart *part)
{
    bool in_part;
    double step = led_by_noise(comparison, op, pair, before, &in_part);
    if (step < 0 || !fold_excuse(comparison, pair, REASON_NOISE_GRADIENT))
        return false;
    if (in_part)
        *part = (NoisyPart){PARTS_WITHIN, step};
    return true;
}

bool noise_gradient_part(const Comparison *comparison, SlotPair *pair, const NoisyPart *part)
{
    const Dump *golden = comparison->golden->dump;
    double errors[STAT_COUNT];
    if (part->ops == 0 || !status_differs((Status)pair->status) || pair->exact ||
        pair->reason != REASON_STATISTIC ||
        dump_op_with(golden, pair->golden)->direction != DIR_FORWARD)
        return false;
    const Slot *slot = &golden->slots[pair->golden];
    if (!carried_errors(golden, slot, &comparison->target->dump->slots[pair->target], errors))
        return false;
    double scale = floor_scale(slot, STAT_MAX, elements_of(golden, slot));
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (!(errors[stat] * scale <= part->reach))
            return false;
    return fold_excuse(comparison, pair, REASON_NOISE_GRADIENT);
}
