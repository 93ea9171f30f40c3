// SPDX-License-Identifier: Apache-2.0
// One walk over the slots finds equal values, a second one, op by op, who gave them:
//
//     same      0 1 2 0 2 …     by a hash of the statistics
//     producer  - - - 0 2 …     the last result of that value so far.
//
// Source and upstream follow from the producer's, or from the place of the slot in its op.
#include "compare/flow.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

typedef struct Place {
    uint32_t slot;   // + 1; 0: empty
    uint32_t check;  // of the hash: tells most others apart without a look at the slot
} Place;

enum { SLOTS_AHEAD = 24, AXES_MOST = 8 };

// By which sums of the same numbers in another order may differ in float32, and the bits of a norm
// that this leaves open.
#define ORDER_ROUNDS 1e-6
enum { NORM_BITS_OFF = 40 };

// The axes of a shape, without those of 1.
typedef struct Axes {
    uint64_t sizes[AXES_MOST];
    uint32_t count;
} Axes;

// The range of all float32 results of one shape whose upstream is unknown.
typedef struct ShapeRange {
    NameId shape;
    Axes axes;
    double largest, smallest;
} ShapeRange;

typedef struct Finder {
    Flow *flow;
    const Dump *dump;
    bool *is_parameter;  // by first slot of a value: a slot of group parameters holds it
    uint32_t *last;      // by first slot of a value: the last result so far, + 1
    bool half;           // some tensor is of a 16-bit or an 8-bit type
    uint32_t *range_of;  // by NameId of a shape: its range, + 1
    ShapeRange *ranges;
    size_t range_count, range_capacity;
    Arena *scratch;
} Finder;

static bool has_statistics(const Slot *slot)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (slot->tag[i] > TAG_NULL)
            return true;
    return false;
}

static uint64_t mixed(uint64_t hash, uint64_t bits)
{
    hash = (hash ^ bits) * 0xFF51AFD7ED558CCDu;
    return hash ^ hash >> 32;
}

// Norm and Mean are sums, which round by the order of the elements: of a Norm its first bits.
static uint64_t hash_of(const Slot *slot, bool statistics)
{
    uint64_t norm = slot->stat[STAT_NORM].natural;
    norm = slot->tag[STAT_NORM] == TAG_REAL ? norm >> NORM_BITS_OFF : norm;
    uint64_t hash = mixed(0x9E3779B97F4A7C15u, slot->stat[STAT_MAX].natural);
    hash = mixed(hash, slot->stat[STAT_MIN].natural);
    hash = mixed(hash, statistics ? norm : norm ^ slot->checksum);
    return hash;
}

// The same numbers in another order, as of a transposed tensor. Gradients are sums, of which equal
// ends say less.
static bool is_reordered(const Dump *dump, uint32_t a, uint32_t b)
{
    double largest[2], smallest[2], mean[2], norm[2];
    const Slot *slots[2] = {&dump->slots[a], &dump->slots[b]};
    for (int i = 0; i < 2; i++)
        if (!slot_stat(slots[i], STAT_MAX, &largest[i]) ||
            !slot_stat(slots[i], STAT_MIN, &smallest[i]) ||
            !slot_stat(slots[i], STAT_MEAN, &mean[i]) || !slot_stat(slots[i], STAT_NORM, &norm[i]))
            return false;
    double reach = ORDER_ROUNDS * fmax(fabs(largest[0]), fabs(smallest[0]));
    return largest[0] == largest[1] && smallest[0] == smallest[1] && largest[0] != smallest[0] &&
           fabs(norm[0] - norm[1]) <= ORDER_ROUNDS * norm[0] && fabs(mean[0] - mean[1]) <= reach &&
           dump_op_with(dump, a)->direction == DIR_FORWARD &&
           dump_op_with(dump, b)->direction == DIR_FORWARD;
}

static bool same_value(const Slot *a, const Slot *b, bool statistics)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (a->tag[i] != b->tag[i] || a->stat[i].natural != b->stat[i].natural)
            return false;
    return statistics || a->checksum == b->checksum;
}

// The tables of a large dump do not fit the cache: places are asked for before they are needed.
static void find_same(Flow *flow, Arena *scratch)
{
    const Dump *dump = flow->dump;
    size_t size = 64;
    while (size < (size_t)dump->slot_count + dump->slot_count / 2)
        size *= 2;
    Place *places = ARENA_ARRAY(scratch, Place, size);
    uint32_t *last = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->slot_count + 1);
    uint64_t ahead[SLOTS_AHEAD] = {0};
    for (uint32_t i = 0; i < dump->slot_count + SLOTS_AHEAD; i++) {
        uint64_t hash = ahead[i % SLOTS_AHEAD];
        if (i < dump->slot_count && dump->slots[i].kind == SLOT_TENSOR) {
            ahead[i % SLOTS_AHEAD] = hash_of(&dump->slots[i], has_statistics(&dump->slots[i])) | 1;
            __builtin_prefetch(&places[ahead[i % SLOTS_AHEAD] & (size - 1)]);
        } else {
            ahead[i % SLOTS_AHEAD] = 0;
        }
        if (i < SLOTS_AHEAD)
            continue;
        uint32_t at = i - SLOTS_AHEAD;
        const Slot *slot = &dump->slots[at];
        flow->same[at] = flow->before[at] = SLOT_NONE;
        bool statistics = hash != 0 && has_statistics(slot);
        if (hash == 0 || (!statistics && slot->checksum == NAME_NONE))
            continue;
        size_t place = hash & (size - 1);
        for (; places[place].slot; place = (place + 1) & (size - 1))
            if (places[place].check == (uint32_t)(hash >> 32) &&
                (same_value(&dump->slots[places[place].slot - 1], slot, statistics) ||
                 is_reordered(dump, places[place].slot - 1, at)))
                break;
        if (!places[place].slot)
            places[place] = (Place){at + 1, (uint32_t)(hash >> 32)};
        uint32_t first = flow->same[at] = places[place].slot - 1;
        if (last[first])
            flow->before[at] = last[first] - 1;
        last[first] = at + 1;
    }
}

bool flow_equal(const Slot *a, const Slot *b)
{
    bool statistics = has_statistics(a);
    return (statistics || a->checksum != NAME_NONE) && same_value(a, b, statistics);
}

static Axes axes_of(Str shape)
{
    Axes axes = {.count = 0};
    uint64_t size = 0;
    bool digits = false;
    for (size_t i = 0; i < shape.size; i++) {
        char c = shape.data[i];
        if (c >= '0' && c <= '9') {
            size = size * 10 + (uint64_t)(c - '0');
            digits = true;
        } else if (digits) {
            if (size != 1 && axes.count < AXES_MOST)
                axes.sizes[axes.count++] = size;
            size = 0;
            digits = false;
        }
    }
    return axes;
}

// Whether `a` has the axes of `b` at its end, and more before them.
static bool ends_with(const Axes *a, const Axes *b)
{
    return a->count > b->count &&
           memcmp(a->sizes + (a->count - b->count), b->sizes, b->count * sizeof *b->sizes) == 0;
}

// Whether `part` may be cut out of `whole`: of one axis a part, or one of its places.
static bool may_be_part(const Axes *whole, const Axes *part)
{
    uint32_t more = whole->count - part->count, at = 0;
    if (whole->count < part->count || more > 1)
        return false;
    while (at < part->count && whole->sizes[at] == part->sizes[at])
        at++;
    if (!more && (at == part->count || whole->sizes[at] <= part->sizes[at]))
        return false;
    return memcmp(whole->sizes + at + 1, part->sizes + at + (more ? 0 : 1),
                  (whole->count - at - 1) * sizeof *part->sizes) == 0;
}

// Whether the whole is a result that has the axes which the part does not have next to `result`:
// one of a batch, and the part would be one of its samples.
static bool is_of_batch(const Axes *whole, const Axes *part, const Axes *result)
{
    uint64_t lacking = 1;
    if (!ends_with(whole, part))
        return false;
    for (uint32_t i = 0; i < result->count - part->count; i++) {
        lacking *= result->sizes[i];
        if (result->sizes[i] == whole->sizes[0])
            return true;
    }
    return lacking == whole->sizes[0];
}

static bool ends_of(const Slot *slot, double *largest, double *smallest)
{
    return slot_stat(slot, STAT_MAX, largest) && slot_stat(slot, STAT_MIN, smallest);
}

static bool is_half(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return (double)single == value && ((bits & 0xffff) == 0 || (bits & 0x1fff) == 0);
}

bool flow_ends_are_half(const Slot *slot)
{
    double largest, smallest;
    return ends_of(slot, &largest, &smallest) && is_half(largest) && is_half(smallest);
}

static void note_range(Finder *finder, const Slot *slot)
{
    double largest, smallest;
    uint32_t *at = &finder->range_of[slot->shape];
    if (!ends_of(slot, &largest, &smallest))
        return;
    if (!*at) {
        *ARRAY_ADD(finder->scratch, finder->ranges, finder->range_count, finder->range_capacity) =
            (ShapeRange){slot->shape, axes_of(names_text(finder->dump->names, slot->shape)),
                         largest, smallest};
        *at = (uint32_t)finder->range_count;
        return;
    }
    ShapeRange *range = &finder->ranges[*at - 1];
    range->largest = fmax(range->largest, largest);
    range->smallest = fmin(range->smallest, smallest);
}

// A float32 tensor that no recorded op gave comes from outside where it does not have the leading
// axes of the result, as a weight or a buffer does. It must be no part of a float32 result with
// 16-bit types upstream: views are not recorded.
static bool is_from_outside(const Finder *finder, const Op *op, const Slot *slot)
{
    double largest, smallest;
    const Slot *result = NULL;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count && !result; k++)
        result = slot_is_output_tensor(&finder->dump->slots[k]) ? &finder->dump->slots[k] : NULL;
    if (!result || op->kind != OP_API || flow_ends_are_half(slot) ||
        !ends_of(slot, &largest, &smallest))
        return false;
    Axes own = axes_of(names_text(finder->dump->names, slot->shape));
    Axes whole = axes_of(names_text(finder->dump->names, result->shape));
    if (own.count && !ends_with(&whole, &own))
        return false;
    for (size_t i = 0; i < finder->range_count; i++) {
        const ShapeRange *range = &finder->ranges[i];
        if (range->largest >= largest && range->smallest <= smallest &&
            may_be_part(&range->axes, &own) && !is_of_batch(&range->axes, &own, &whole))
            return false;
    }
    return true;
}

static SourceKind source_of(const Finder *finder, const Op *op, uint32_t index, unsigned traits)
{
    const Flow *flow = finder->flow;
    const Slot *slot = &finder->dump->slots[index];
    if (slot->kind == SLOT_SCALAR || slot->kind == SLOT_OTHER)
        return slot->group == GROUP_OUTPUT ? SOURCE_COMPUTED : SOURCE_ARGUMENT;
    if (slot->kind != SLOT_TENSOR || slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS ||
        slot->group == GROUP_DEBUG || op->direction == DIR_BACKWARD)
        return SOURCE_COMPUTED;
    if (slot->group == GROUP_PARAMETERS)
        return SOURCE_PARAMETER;
    if (flow->producer[index] != SLOT_NONE)
        return SOURCE_COMPUTED;
    if (flow_precision(flow, slot) == PRECISION_EXACT)
        return SOURCE_INDEX;
    bool parameter = flow->same[index] != SLOT_NONE && finder->is_parameter[flow->same[index]];
    if (op->kind == OP_API &&
        (parameter || op_weight_place(traits, names_text(finder->dump->names, slot->path))))
        return SOURCE_PARAMETER;
    return SOURCE_COMPUTED;
}

static uint8_t coarser(uint8_t a, uint8_t b)
{
    if (a == UPSTREAM_UNKNOWN || b == UPSTREAM_UNKNOWN)
        return UPSTREAM_UNKNOWN;
    return epsilon_of((Precision)a) >= epsilon_of((Precision)b) ? a : b;
}

static void take(const Finder *finder, const Op *op)
{
    Flow *flow = finder->flow;
    const Dump *dump = finder->dump;
    unsigned traits = 0;
    if (op->kind == OP_API && op->direction != DIR_BACKWARD)
        traits = op_traits(op_name_of(dump->names, op->name).type_name);
    flow->traits[op - dump->ops] = traits;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        const Slot *slot = &dump->slots[k];
        uint32_t producer = flow->same[k] == SLOT_NONE ? 0 : finder->last[flow->same[k]];
        flow->producer[k] = producer - 1;  // 0 - 1: SLOT_NONE
        flow->source[k] = (uint8_t)source_of(finder, op, k, traits);
        uint8_t own = (uint8_t)flow_precision(flow, slot);
        flow->upstream[k] = UPSTREAM_UNKNOWN;
        if (slot->kind != SLOT_TENSOR || slot_is_result(slot) || op->direction == DIR_BACKWARD)
            continue;
        bool outside = flow->source[k] != SOURCE_COMPUTED;
        if (producer)
            flow->upstream[k] = coarser(own, flow->upstream[producer - 1]);
        else if (outside ||
                 (finder->half && own == PRECISION_F32 && is_from_outside(finder, op, slot)))
            flow->upstream[k] = own;
    }
}

// What a module gives, a call in it gave, or nobody knows how it was computed.
static void give(Finder *finder, const Op *op)
{
    Flow *flow = finder->flow;
    const Dump *dump = finder->dump;
    uint8_t upstream =
        op->kind == OP_API && op->direction == DIR_FORWARD ? PRECISION_EXACT : UPSTREAM_UNKNOWN;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
        if (dump->slots[k].kind == SLOT_TENSOR && !slot_is_result(&dump->slots[k]))
            upstream = coarser(upstream, flow->upstream[k]);
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        const Slot *slot = &dump->slots[k];
        if (slot->kind != SLOT_TENSOR ||
            (slot->group != GROUP_OUTPUT && slot->group != GROUP_GRADS))
            continue;
        uint8_t own = (uint8_t)flow_precision(flow, slot);
        uint32_t within = flow->producer[k];
        flow->upstream[k] = op->kind == OP_MODULE && within != SLOT_NONE
                                ? coarser(own, flow->upstream[within])
                                : coarser(own, upstream);
        if (flow->same[k] != SLOT_NONE)
            finder->last[flow->same[k]] = k + 1;
        if (finder->half && own == PRECISION_F32 && op->direction != DIR_BACKWARD &&
            (flow->upstream[k] == UPSTREAM_UNKNOWN || flow->upstream[k] != PRECISION_F32))
            note_range(finder, slot);
    }
}

const Flow *flow_find(const Dump *dump, Arena *arena)
{
    size_t count = (size_t)dump->slot_count + 1;
    Flow *flow = ARENA_NEW(arena, Flow);
    Arena *scratch = arena_new();
    *flow = (Flow){.dump = dump,
                   .same = ARENA_ARRAY(arena, uint32_t, count),
                   .before = ARENA_ARRAY(arena, uint32_t, count),
                   .producer = ARENA_ARRAY(arena, uint32_t, count),
                   .source = ARENA_ARRAY(arena, uint8_t, count),
                   .upstream = ARENA_ARRAY(arena, uint8_t, count),
                   .precisions = precisions_of(dump, arena),
                   .traits = ARENA_ARRAY(arena, unsigned, (size_t)dump->op_count + 1)};
    Finder finder = {.flow = flow,
                     .dump = dump,
                     .is_parameter = ARENA_ARRAY(scratch, bool, count),
                     .last = ARENA_ARRAY(scratch, uint32_t, count),
                     .range_of =
                         ARENA_ARRAY(scratch, uint32_t, (size_t)names_count(dump->names) + 1),
                     .scratch = scratch};
    find_same(flow, scratch);
    for (NameId i = 0; i <= names_count(dump->names); i++)
        finder.half = finder.half || (flow->precisions[i] >= PRECISION_F16 &&
                                      flow->precisions[i] < PRECISION_COUNT);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (dump->slots[i].group == GROUP_PARAMETERS && flow->same[i] != SLOT_NONE)
            finder.is_parameter[flow->same[i]] = true;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        take(&finder, &dump->ops[i]);
        give(&finder, &dump->ops[i]);
    }
    arena_release(scratch);
    return flow;
}

uint32_t flow_producer_op(const Flow *flow, uint32_t slot)
{
    const Slot *record = &flow->dump->slots[slot];
    bool zero = record->checksum == NAME_NONE;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        zero = zero && !(record->tag[stat] > TAG_NULL && record->stat[stat].natural != 0);
    if (zero || flow->producer[slot] == SLOT_NONE)
        return OP_NONE;
    return (uint32_t)(dump_op_with(flow->dump, flow->producer[slot]) - flow->dump->ops);
}
