// SPDX-License-Identifier: Apache-2.0
#include "compare/noise_gradient.h"

#include <math.h>
#include <string.h>

#include "compare/judge/floor.h"
#include "compare/judge/fold.h"
#include "compare/judge/slot_source.h"
#include "compare/slot_values.h"
#include "read/dump/op_name.h"

// The sum of gradients that cancel is as large as their rounding errors: eps times their norm. Of
// recorded runs that differ in the order of sums it is 0.5 to 1.5 times that, of gradients that do
// not cancel about 1 / eps times. A sum of n float32 numbers one after the other, as of all places
// of a picture, errs by 0.14 √n (each partial sum is rounded); recorded: up to 0.4 √n.
#define NOISE_ROUNDINGS 4
// Each element moves one step of the optimizer up or down; the largest, the smallest, the mean and
// the norm tell the size of that step, unless all of them were nearly still by luck.
#define NOISE_MOVES 16
// Ops and results that such a bias moves outside of any module, at most, and among how many ops
// behind its own they are looked for; those farther on stay as they were judged.
#define MOVED_OPS   32
#define MOVED_REACH 512

static bool is_vector(Str shape)
{
    return shape.size > 2 && !memchr(shape.data, ',', shape.size);
}

// Floors of float32 stay below so many of its own, those of numbers that writers rounded to six
// digits too.
#define FINE_MOST 10

// A floor of 16 bits, which what such a bias moves on is below.
static bool is_coarse(const SlotPair *pair)
{
    return (double)pair->floor > FINE_MOST * floor_default(STAT_MAX, PRECISION_F32, PRECISION_F32);
}

bool noise_gradient_asked(const Comparison *comparison, const SlotPair *pair,
                          const uint8_t *sources, bool parts)
{
    if (comparison->rules != RULES_VERNIER || comparison->tolerances || pair->exact ||
        !rule_on(comparison->without, REASON_NOISE_GRADIENT) || pair->not_updated ||
        pair->golden == SLOT_NONE || pair->target == SLOT_NONE ||
        sources[pair->golden] != SOURCE_PARAMETER)
        return false;
    bool differs = status_differs((Status)pair->status) && pair->reason == REASON_STATISTIC;
    if (!differs && !(parts && pair->status == STATUS_PASS && !is_coarse(pair)))
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
static bool is_near(const Slot *const old[2], const Slot *const now[2], uint64_t elements)
{
    double step = NOISE_MOVES * fmin(moved_by(old[0], now[0]), moved_by(old[1], now[1]));
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

// Whether a tensor is a matrix with a row, or a column, for each element of the bias, and fewer of
// the others.
static bool is_wide(const Dump *dump, const Slot *slot, Str bias)
{
    Str shape = names_text(dump->names, slot->shape), size = str_slice(bias, 1, bias.size - 1);
    const char *comma = shape.size > 2 ? memchr(shape.data, ',', shape.size) : NULL;
    uint64_t elements = elements_of(dump, slot), rows = shape_elements(bias);
    if (!comma || rows == 0 || elements / rows >= rows)
        return false;
    size_t at = (size_t)(comma - shape.data);
    Str first = str_slice(shape, 1, at), second = str_slice(shape, at + 2, shape.size - 1);
    return str_equal(first, size) || str_equal(second, size);
}

// An op of more tensors is no product.
enum { PRODUCT_SLOTS = 64 };

// The bias of a product that gives more than it takes may be that of queries, keys and values in
// one: noise leads the part of the keys alone, which no statistic of the whole tells.
static bool joins_parts(const Dump *dump, const Op *op, const Slot *bias)
{
    uint32_t count = op->slot_count <= PRODUCT_SLOTS ? op->slot_count : 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + count; i++)
        if (dump->slots[i].kind == SLOT_TENSOR && !slot_is_result(&dump->slots[i]) &&
            is_wide(dump, &dump->slots[i], names_text(dump->names, bias->shape)))
            return true;
    return false;
}

static bool is_led_by_noise(const Comparison *comparison, const OpPair *op, const SlotPair *pair,
                            SlotsBefore before[2])
{
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    const uint32_t ops[2] = {op->golden, op->target};
    const Slot *now[2] = {&dumps[0]->slots[pair->golden], &dumps[1]->slots[pair->target]};
    const Slot *old[2];
    Sum sums[2];
    Arena *scratch = arena_new();
    bool noise = true;
    for (int side = 0; side < 2; side++) {
        Bias bias = bias_of(&before[side], dumps[side], ops[side], now[side]);
        old[side] = slot_before_find(&before[side], bias.old, bias.path, bias.shape);
        noise = noise && old[side];
        sums[side] = sum_of(&bias, scratch);
    }
    // What one side does not tell of the step before is as the other tells it.
    for (int side = 0; side < 2; side++)
        if (!sums[side].gradient)
            sums[side] = sums[1 - side];
    bool parts = !is_coarse(pair) && joins_parts(dumps[0], &dumps[0]->ops[ops[0]], now[0]);
    noise = noise && (parts || (is_noise(&sums[0], &sums[1]) && is_noise(&sums[1], &sums[0])));
    arena_release(scratch);
    return noise && is_near(old, now, shape_elements(names_text(dumps[0]->names, now[0]->shape)));
}

// ---- in float32, where what such a bias moves is more than rounding

static bool agrees(uint8_t status)
{
    return status == STATUS_SAME || status == STATUS_PASS;
}

static uint32_t pair_of_target(const Comparison *comparison, uint32_t target)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].target == target && comparison->ops[i].golden != OP_NONE)
            return i;
    return PAIR_NONE;
}

// The innermost module around the one that owns the weights of an op of the target whose results
// agree; NODE_NONE: there is none.
static NodeId module_that_agrees(const Comparison *comparison, const OpPair *op)
{
    const Graph *graph = comparison->target;
    NodeId node = graph_find(graph, graph->dump->ops[op->target].name);
    if (node != NODE_NONE && graph->nodes[node].type == NODE_API)
        node = graph->nodes[node].parent;
    while (node != NODE_NONE && node != 0) {
        node = graph->nodes[node].parent;
        if (node == NODE_NONE || graph->nodes[node].op == OP_NONE)
            continue;
        uint32_t pair = pair_of_target(comparison, graph->nodes[node].op);
        if (pair != PAIR_NONE && agrees(comparison->ops[pair].output_status))
            return node;
    }
    return NODE_NONE;
}

// Values that the ops of a module compute and that do not leave it.
static void pass_inside(Comparison *comparison, NodeId module, const uint8_t *sources)
{
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        bool differs = op_has_both(op) && status_differs((Status)op->status);
        if (!differs || comparison->target->dump->ops[op->target].direction != DIR_FORWARD ||
            !graph_op_is_inside(comparison->target, op->target, module))
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            SlotPair *pair = &comparison->slots[k];
            if (!status_differs((Status)pair->status) || pair->exact ||
                pair->reason != REASON_STATISTIC || pair->golden == SLOT_NONE ||
                sources[pair->golden] != SOURCE_COMPUTED)
                continue;
            fold_excuse(comparison, pair, REASON_MOVED_BY_NOISE);
        }
        fold_op(comparison, op);
    }
}

// ---- where no module is recorded around it: results that agree take what the bias moved away

// What the bias moves: the results that differ by it. A path that forks more often is not followed.
typedef struct Moved {
    const Comparison *comparison;
    const uint8_t *sources;
    uint32_t ops[MOVED_OPS], results[MOVED_OPS];  // pairs of ops; slots of the target
    bool taken[MOVED_OPS];                        // an op after takes that result
    size_t op_count, result_count;
} Moved;

static bool is_moved(const Moved *moved, const SlotPair *pair)
{
    return status_differs((Status)pair->status) && pair->reason == REASON_STATISTIC &&
           pair->golden != SLOT_NONE && moved->sources[pair->golden] == SOURCE_COMPUTED;
}

// Whether a result that the bias moved is what that slot of the target holds.
static bool finds(Moved *moved, uint32_t target, bool takes)
{
    const Dump *dump = moved->comparison->target->dump;
    bool found = false;
    for (size_t i = 0; i < moved->result_count && target != SLOT_NONE; i++) {
        if (!slot_values_equal(&dump->slots[moved->results[i]], &dump->slots[target]))
            continue;
        moved->taken[i] = moved->taken[i] || takes;
        found = true;
    }
    return found;
}

// Takes what an op gives that takes, or gives, what the bias moved; false: too much to follow.
static bool follow(Moved *moved, uint32_t index, bool first)
{
    const Comparison *comparison = moved->comparison;
    const OpPair *op = &comparison->ops[index];
    const Dump *dump = comparison->target->dump;
    bool touches = first;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        uint32_t target = comparison->slots[k].target;
        bool takes = target != SLOT_NONE && dump->slots[target].group != GROUP_OUTPUT;
        touches |= finds(moved, target, takes);
    }
    if (!touches)
        return true;
    if (moved->op_count == MOVED_OPS)
        return false;
    moved->ops[moved->op_count++] = index;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        const SlotPair *pair = &comparison->slots[k];
        if (!is_moved(moved, pair) || pair->target == SLOT_NONE ||
            dump->slots[pair->target].group != GROUP_OUTPUT || finds(moved, pair->target, false))
            continue;
        if (moved->result_count == MOVED_OPS)
            return false;
        moved->results[moved->result_count++] = pair->target;
    }
    return true;
}

// Whether all that the bias moves ends in ops whose results agree.
static bool ends(Moved *moved, const OpPair *op)
{
    const Comparison *comparison = moved->comparison;
    bool all = true;
    uint32_t first = (uint32_t)(op - comparison->ops);
    for (uint32_t i = first; i < comparison->op_count && i - first < MOVED_REACH && all; i++)
        if (op_has_both(&comparison->ops[i]) &&
            comparison->target->dump->ops[comparison->ops[i].target].direction == DIR_FORWARD)
            all = follow(moved, i, i == first);
    for (size_t i = 0; i < moved->result_count; i++)
        all = all && moved->taken[i];
    return all;
}

static bool pass_moved(Comparison *comparison, const OpPair *op, const uint8_t *sources)
{
    Moved moved = {.comparison = comparison, .sources = sources};
    if (!ends(&moved, op))
        return false;
    for (size_t i = 0; i < moved.op_count; i++) {
        OpPair *on = &comparison->ops[moved.ops[i]];
        for (uint32_t k = on->first_slot; k < on->first_slot + on->slot_count; k++) {
            SlotPair *pair = &comparison->slots[k];
            if (!is_moved(&moved, pair) || !finds(&moved, pair->target, false))
                continue;
            fold_excuse(comparison, pair, REASON_MOVED_BY_NOISE);
        }
        fold_op(comparison, on);
    }
    return true;
}

bool noise_gradient_pass(Comparison *comparison, const OpPair *op, SlotPair *pair,
                         SlotsBefore before[2], const uint8_t *sources)
{
    bool coarse = is_coarse(pair);
    if (!is_led_by_noise(comparison, op, pair, before))
        return false;
    NodeId module = coarse ? NODE_NONE : module_that_agrees(comparison, op);
    if (!coarse && module == NODE_NONE && !pass_moved(comparison, op, sources))
        return false;
    fold_excuse(comparison, pair, REASON_NOISE_GRADIENT);
    if (module != NODE_NONE)
        pass_inside(comparison, module, sources);
    return true;
}
