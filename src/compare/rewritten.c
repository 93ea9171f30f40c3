// SPDX-License-Identifier: Apache-2.0
#include "compare/rewritten.h"

#include <math.h>

#include "base/array.h"
#include "compare/judge/carried.h"

// Results that no op takes, of each side: more are not looked through.
enum { ENDS_MOST = 64 };

// What becomes of a value of one side, a bit each.
enum {
    GIVEN = 1,      // a candidate gives it
    TAKEN = 2,      // a forward op takes it
    MET = 4,        // it agrees with a value that the other side has from a candidate too
    PART = 8,       // an op of the rewriting takes it
    ELSEWHERE = 16  // an op takes it that differs and is no part of the rewriting
};

typedef struct Errors {
    double stats[STAT_COUNT];
} Errors;

typedef struct Search {
    const Comparison *comparison;
    const Dump *dumps[2];
    uint8_t *values[2];    // by first slot of a value: the bits above
    uint32_t *giver[2];    // by first slot of a value: the op pair of the rewriting that gives it
    Errors *error;         // by first slot of golden's value: what passes there is off
    bool *candidate, *in;  // by op pair
    uint32_t *root;  // by op pair: one of those that it is connected with, in the end the first
    bool wide;       // floors are those of 16 bits, or measured
    Arena *scratch;
} Search;

typedef struct Connected {
    bool alone[2], paired;  // ops that this side alone has, pairs
    bool other;             // something there is no rewriting
    Errors given;           // what goes in is off
} Connected;

static void widen(Errors *errors, const Errors *by)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        errors->stats[stat] = fmax(errors->stats[stat], by->stats[stat]);
}

static double largest_of(const Errors *errors)
{
    double largest = 0;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        largest = fmax(largest, errors->stats[stat]);
    return largest;
}

static bool is_open_alone(const OpPair *pair)
{
    return pair->status == STATUS_UNMATCHED || (!op_has_both(pair) && pair->absence == ABSENCE_API);
}

static bool is_zero(const Slot *slot)
{
    double largest, smallest;
    return slot_stat(slot, STAT_MAX, &largest) && slot_stat(slot, STAT_MIN, &smallest) &&
           largest == 0 && smallest == 0;
}

// The value of a tensor's slot; SLOT_NONE: not known, or zero, which many ops give.
static uint32_t value_at(const Search *search, int side, uint32_t slot)
{
    if (slot == SLOT_NONE || search->dumps[side]->slots[slot].kind != SLOT_TENSOR ||
        is_zero(&search->dumps[side]->slots[slot]))
        return SLOT_NONE;
    return search->comparison->flows[side]->same[slot];
}

static bool is_result(const Search *search, int side, uint32_t slot)
{
    return slot_is_result(&search->dumps[side]->slots[slot]);
}

static void mark(const Search *search, int side, uint32_t slot, uint8_t bits)
{
    uint32_t value = value_at(search, side, slot);
    if (value != SLOT_NONE)
        search->values[side][value] |= bits;
}

static unsigned marks_of(const Search *search, int side, uint32_t slot)
{
    uint32_t value = value_at(search, side, slot);
    return value == SLOT_NONE ? 0 : search->values[side][value];
}

static const Op *op_at(const Search *search, const OpPair *pair, int side)
{
    uint32_t op = op_on_side(pair, side);
    return op == OP_NONE ? NULL : &search->dumps[side]->ops[op];
}

static bool agrees(const SlotPair *pair)
{
    return pair->golden != SLOT_NONE && pair->target != SLOT_NONE &&
           (pair->status == STATUS_SAME || pair->status == STATUS_PASS);
}

// Roundings of many elements average out in the norm; a constant that was rounded does not.
static double one_rounding(Stat stat, uint64_t elements)
{
    enum { MANY = 256 };
    if (stat == STAT_MAX || stat == STAT_MIN)
        return elements >= MANY ? 2 : 1;
    return stat == STAT_NORM && elements >= MANY ? 0.25 : 0.5;
}

bool rewritten_keeps(const Comparison *comparison, const SlotPair *pair,
                     const double given[STAT_COUNT])
{
    const Slot *golden = &comparison->golden->dump->slots[pair->golden];
    const Slot *target = &comparison->target->dump->slots[pair->target];
    Precision own = flow_precision(comparison->flows[0], golden);
    uint64_t elements = shape_elements(names_text(comparison->golden->dump->names, golden->shape));
    double errors[STAT_COUNT];
    if (pair->status == STATUS_SAME || !precision_is_half(own))
        return true;
    if (!carried_errors(comparison->golden->dump, golden, target, errors))
        return false;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (errors[stat] >
            (given ? given[stat] : 0) + one_rounding((Stat)stat, elements) * epsilon_of(own))
            return false;
    return true;
}

// ---- ops that may be part of a rewriting

// A module of which no input is recorded: its place in the flow is not known, and that others give
// its value is no evidence.
static bool is_unplaced(const Search *search, const OpPair *pair)
{
    int side = shown_side(pair);
    const Op *op = op_at(search, pair, side);
    bool takes = op->kind != OP_MODULE;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count && !takes; k++)
        takes = !is_result(search, side, k);
    return !takes;
}

// Whether the side alone gives a tensor to a pair, as a bias to a product.
static bool takes_more(const Search *search, const OpPair *pair, int side)
{
    for (uint32_t k = pair->first_slot; k < pair->first_slot + pair->slot_count; k++) {
        const SlotPair *slot = &search->comparison->slots[k];
        const Slot *record = shown_slot(search->comparison, slot);
        if ((side == 0 ? slot->target : slot->golden) == SLOT_NONE && record->kind == SLOT_TENSOR &&
            !slot_is_result(record))
            return true;
    }
    return false;
}

// A pair whose inputs differ; outputs alone are its own doing. Where floors are wide, as of 16
// bits, one whose outputs agree may have let a difference fade.
static bool is_candidate(const Search *search, const OpPair *pair)
{
    const Comparison *comparison = search->comparison;
    if (shown_op(comparison, pair)->direction != DIR_FORWARD)
        return false;
    if (!op_has_both(pair))
        return is_open_alone(pair) && !is_unplaced(search, pair);
    return status_differs((Status)pair->input_status) &&
           (!search->wide || takes_more(search, pair, 0) || takes_more(search, pair, 1) ||
            !(pair->output_status == STATUS_SAME || pair->output_status == STATUS_PASS));
}

static void take_errors(const Search *search, const SlotPair *pair, Errors *out)
{
    Errors errors;
    if (carried_errors(search->dumps[0], &search->dumps[0]->slots[pair->golden],
                       &search->dumps[1]->slots[pair->target], errors.stats))
        widen(out, &errors);
}

static void look_at(Search *search, uint32_t index)
{
    const OpPair *pair = &search->comparison->ops[index];
    search->candidate[index] = is_candidate(search, pair);
    for (int side = 0; side < 2; side++) {
        const Op *op = op_at(search, pair, side);
        if (!op || op->direction != DIR_FORWARD)
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            if (!is_result(search, side, k))
                mark(search, side, k, TAKEN);
            else if (search->candidate[index])
                mark(search, side, k, GIVEN);
        }
    }
    for (uint32_t k = pair->first_slot; k < pair->first_slot + pair->slot_count; k++) {
        const SlotPair *slot = &search->comparison->slots[k];
        uint32_t value = value_at(search, 0, slot->golden);
        if (value != SLOT_NONE && slot->status == STATUS_PASS && agrees(slot))
            take_errors(search, slot, &search->error[value]);
    }
}

// ---- what a run ends with: no op takes it

typedef struct Ends {
    uint32_t slots[ENDS_MOST];
    uint32_t count;
} Ends;

static void collect_ends(const Search *search, int side, Ends *out)
{
    const Comparison *comparison = search->comparison;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        bool alone = search->candidate[i] && !op_has_both(pair);
        const Op *op = alone ? op_at(search, pair, side) : NULL;
        for (uint32_t k = op ? op->first_slot : 0; op && k < op->first_slot + op->slot_count; k++)
            if (is_result(search, side, k) && out->count < ENDS_MOST &&
                (marks_of(search, side, k) & (GIVEN | TAKEN)) == GIVEN)
                out->slots[out->count++] = k;
    }
}

static bool ends_alike(const Search *search, uint32_t golden, uint32_t target, double given)
{
    const Slot *b = &search->dumps[0]->slots[golden], *n = &search->dumps[1]->slots[target];
    Precision own = flow_precision(search->comparison->flows[0], b);
    double errors[STAT_COUNT];
    if (own == PRECISION_EXACT || own != flow_precision(search->comparison->flows[1], n) ||
        shape_elements(names_text(search->dumps[0]->names, b->shape)) !=
            shape_elements(names_text(search->dumps[1]->names, n->shape)) ||
        !carried_errors(search->dumps[0], b, n, errors))
        return false;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (errors[stat] > given + floor_default((Stat)stat, own, own))
            return false;
    return true;
}

static void mark_ends(const Search *search, const Ends ends[2])
{
    Precision run = precision_coarsest(search->dumps[0]);
    for (uint32_t b = 0; b < ends[0].count; b++)
        for (uint32_t n = 0; n < ends[1].count; n++)
            if (ends_alike(search, ends[0].slots[b], ends[1].slots[n],
                           floor_default(STAT_NORM, PRECISION_F32, run))) {
                mark(search, 0, ends[0].slots[b], MET);
                mark(search, 1, ends[1].slots[n], MET);
            }
}

static uint32_t find_root(const Search *search, uint32_t pair)
{
    while (search->root[pair] != pair)
        pair = search->root[pair] = search->root[search->root[pair]];
    return pair;
}

static void connect(const Search *search, uint32_t a, uint32_t b)
{
    if (a == PAIR_NONE || b == PAIR_NONE)
        return;
    a = find_root(search, a);
    b = find_root(search, b);
    search->root[a < b ? b : a] = a < b ? a : b;
}

// ---- from the last op to the first

// What a module gives is what an op in it gave.
static bool is_met(const Search *search, const Op *op, const SlotPair *pair)
{
    return agrees(pair) &&
           (op->kind == OP_MODULE || !slot_is_result(shown_slot(search->comparison, pair))) &&
           (marks_of(search, 0, pair->golden) & marks_of(search, 1, pair->target) & GIVEN);
}

static void note_pair(const Search *search, uint32_t index)
{
    const OpPair *pair = &search->comparison->ops[index];
    const Op *op = shown_op(search->comparison, pair);
    for (uint32_t k = pair->first_slot; k < pair->first_slot + pair->slot_count; k++) {
        const SlotPair *slot = &search->comparison->slots[k];
        bool met = is_met(search, op, slot);
        for (int side = 0; side < 2; side++) {
            uint32_t at = side == 0 ? slot->golden : slot->target;
            if (at == SLOT_NONE || (!met && is_result(search, side, at)))
                continue;
            if (met)
                mark(search, side, at, MET);
            else if (search->in[index])
                mark(search, side, at, PART);
            else if (!agrees(slot))
                mark(search, side, at, ELSEWHERE);
        }
    }
}

static void note_alone(const Search *search, uint32_t index)
{
    const OpPair *pair = &search->comparison->ops[index];
    int side = shown_side(pair);
    const Op *op = op_at(search, pair, side);
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
        if (!is_result(search, side, k))
            mark(search, side, k, search->in[index] ? PART : ELSEWHERE);
}

// Results that are all zero begin or end a loop: they go with the op next to them.
static bool gives_zeros(const Search *search, const OpPair *pair)
{
    int side = shown_side(pair);
    const Op *op = op_at(search, pair, side);
    bool any = false;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        if (!slot_is_output_tensor(&search->dumps[side]->slots[k]))
            continue;
        if (!is_zero(&search->dumps[side]->slots[k]))
            return false;
        any = true;
    }
    return any;
}

static bool gives_what_agrees(const Search *search, const OpPair *pair)
{
    bool any = false;
    for (int side = 0; side < 2; side++) {
        const Op *op = op_at(search, pair, side);
        for (uint32_t k = op ? op->first_slot : 0; op && k < op->first_slot + op->slot_count; k++) {
            unsigned marks = is_result(search, side, k) ? marks_of(search, side, k) : 0;
            any = any || (marks & (MET | PART)) != 0;
            if (op_has_both(pair) && (marks & ELSEWHERE))
                return false;
        }
    }
    return any;
}

// Whether more ops turned out to be part of the rewriting.
static bool walk_back(Search *search)
{
    const Comparison *comparison = search->comparison;
    bool more = false;
    for (uint32_t i = comparison->op_count; i-- > 0;) {
        const OpPair *pair = &comparison->ops[i];
        if (shown_op(comparison, pair)->direction != DIR_FORWARD)
            continue;
        bool in = search->candidate[i] && (gives_what_agrees(search, pair) ||
                                           (!op_has_both(pair) && gives_zeros(search, pair)));
        more = more || in != search->in[i];
        search->in[i] = in;
        if (op_has_both(pair))
            note_pair(search, i);
        else
            note_alone(search, i);
    }
    return more;
}

// The order of the ops of golden may be another: what they give is then taken before them.
static void walk_all(Search *search)
{
    enum { WALKS = 4 };
    for (int walk = 0; walk < WALKS && walk_back(search); walk++)
        for (int side = 0; side < 2; side++)
            for (uint32_t k = 0; k < search->dumps[side]->slot_count; k++)
                search->values[side][k] &= (uint8_t)~ELSEWHERE;
}

// ---- what is connected

static uint32_t giver_of(const Search *search, int side, uint32_t slot)
{
    uint32_t value = value_at(search, side, slot);
    return value == SLOT_NONE || !search->giver[side][value] ? PAIR_NONE
                                                             : search->giver[side][value] - 1;
}

static void note_givers(const Search *search, uint32_t index)
{
    for (int side = 0; side < 2; side++) {
        const Op *op = op_at(search, &search->comparison->ops[index], side);
        for (uint32_t k = op ? op->first_slot : 0; op && k < op->first_slot + op->slot_count; k++) {
            uint32_t value = is_result(search, side, k) ? value_at(search, side, k) : SLOT_NONE;
            if (value == SLOT_NONE)
                continue;
            connect(search, giver_of(search, side, k), index);
            search->giver[side][value] = index + 1;
        }
    }
}

static void connect_inputs(const Search *search, uint32_t index)
{
    const OpPair *pair = &search->comparison->ops[index];
    for (int side = 0; search->in[index] && side < 2; side++) {
        const Op *op = op_at(search, pair, side);
        for (uint32_t k = op ? op->first_slot : 0; op && k < op->first_slot + op->slot_count; k++)
            if (!is_result(search, side, k))
                connect(search, giver_of(search, side, k), index);
    }
    const Op *op = shown_op(search->comparison, pair);
    for (uint32_t k = pair->first_slot; k < pair->first_slot + pair->slot_count; k++) {
        const SlotPair *slot = &search->comparison->slots[k];
        if (op->direction == DIR_FORWARD && is_met(search, op, slot))
            connect(search, giver_of(search, 0, slot->golden), giver_of(search, 1, slot->target));
    }
}

// What each side ends with is the same but for what goes in. A loss does not describe pairs that
// differ before it.
static void connect_ends(const Search *search, const Ends ends[2], Connected *parts)
{
    for (uint32_t b = 0; b < ends[0].count; b++)
        for (uint32_t n = 0; n < ends[1].count; n++) {
            uint32_t golden = giver_of(search, 0, ends[0].slots[b]);
            uint32_t target = giver_of(search, 1, ends[1].slots[n]);
            if (golden == PAIR_NONE || target == PAIR_NONE)
                continue;
            golden = find_root(search, golden);
            target = find_root(search, target);
            const Connected a = parts[golden], c = parts[target];
            Errors given = a.given;
            widen(&given, &c.given);
            if (!ends_alike(search, ends[0].slots[b], ends[1].slots[n], largest_of(&given)))
                continue;
            connect(search, golden, target);
            parts[find_root(search, golden)] =
                (Connected){{a.alone[0] || c.alone[0], a.alone[1] || c.alone[1]},
                            a.paired || c.paired,
                            a.other || c.other || a.paired || c.paired,
                            given};
        }
}

// Whether an op that the other side alone has, near the pair, takes the weight of that slot.
static bool is_taken_near(const Search *search, uint32_t index, const SlotPair *slot)
{
    enum { NEAR = 32 };
    const Comparison *comparison = search->comparison;
    int side = slot->golden == SLOT_NONE ? 0 : 1;
    for (uint32_t i = index > NEAR ? index - NEAR : 0;
         i < comparison->op_count && i <= index + NEAR; i++) {
        const Op *op = op_has_both(&comparison->ops[i]) || !search->in[i]
                           ? NULL
                           : op_at(search, &comparison->ops[i], side);
        for (uint32_t k = op ? op->first_slot : 0; op && k < op->first_slot + op->slot_count; k++)
            if (flow_equal(&search->dumps[side]->slots[k], shown_slot(comparison, slot)))
                return true;
    }
    return false;
}

// A pair takes other values than its partner only from the rewriting; a weight that is another one
// is none.
static bool is_explained(const Search *search, uint32_t index, const SlotPair *slot)
{
    const Slot *record = shown_slot(search->comparison, slot);
    if (!status_differs((Status)slot->status) || slot_is_result(record) ||
        record->kind != SLOT_TENSOR || slot->reason == REASON_SHAPE)
        return true;
    if (slot->golden == SLOT_NONE || slot->target == SLOT_NONE)
        return giver_of(search, slot->golden == SLOT_NONE ? 1 : 0,
                        slot->golden == SLOT_NONE ? slot->target : slot->golden) != PAIR_NONE ||
               is_taken_near(search, index, slot);
    return giver_of(search, 0, slot->golden) != PAIR_NONE ||
           giver_of(search, 1, slot->target) != PAIR_NONE;
}

static void look_at_part(const Search *search, uint32_t index, Connected *parts)
{
    const OpPair *pair = &search->comparison->ops[index];
    Connected *part = &parts[find_root(search, index)];
    part->paired = part->paired || op_has_both(pair);
    for (int side = 0; side < 2; side++)
        part->alone[side] |=
            op_has_both(pair) ? takes_more(search, pair, side) : shown_side(pair) == side;
    for (uint32_t k = pair->first_slot; k < pair->first_slot + pair->slot_count; k++)
        part->other = part->other || !is_explained(search, index, &search->comparison->slots[k]);
    const Op *op = op_at(search, pair, 0);
    for (uint32_t k = op ? op->first_slot : 0; op && k < op->first_slot + op->slot_count; k++) {
        uint32_t value = value_at(search, 0, k);
        if (value != SLOT_NONE && !is_result(search, 0, k) && giver_of(search, 0, k) == PAIR_NONE)
            widen(&part->given, &search->error[value]);
    }
}

static void look_at_ends(const Search *search, uint32_t index, Connected *parts)
{
    const OpPair *pair = &search->comparison->ops[index];
    const Op *op = shown_op(search->comparison, pair);
    for (uint32_t k = pair->first_slot; k < pair->first_slot + pair->slot_count; k++) {
        const SlotPair *slot = &search->comparison->slots[k];
        if (op->direction != DIR_FORWARD || !is_met(search, op, slot))
            continue;
        uint32_t giver = giver_of(search, 0, slot->golden);
        Connected *part = giver == PAIR_NONE ? NULL : &parts[find_root(search, giver)];
        if (part && !rewritten_keeps(search->comparison, slot, part->given.stats))
            part->other = true;
    }
}

static void add_zeros(const Search *search, bool *out)
{
    const Comparison *comparison = search->comparison;
    for (uint32_t i = 1; i + 1 < comparison->op_count; i++)
        if (search->candidate[i] && !op_has_both(&comparison->ops[i]) &&
            (out[i - 1] || out[i + 1]) && gives_zeros(search, &comparison->ops[i]))
            out[i] = true;
}

static void find_connected(Search *search, const Ends ends[2], bool *out)
{
    const Comparison *comparison = search->comparison;
    Connected *parts = ARENA_ARRAY(search->scratch, Connected, (size_t)comparison->op_count + 1);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (search->in[i])
            note_givers(search, i);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        connect_inputs(search, i);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (search->in[i])
            look_at_part(search, i, parts);
    connect_ends(search, ends, parts);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        look_at_ends(search, i, parts);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const Connected *part = &parts[find_root(search, i)];
        out[i] = search->in[i] && part->alone[0] && part->alone[1] && !part->other;
    }
    add_zeros(search, out);
}

void rewritten_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    size_t pairs = (size_t)comparison->op_count + 1;
    Search search = {.comparison = comparison,
                     .dumps = {comparison->golden->dump, comparison->target->dump},
                     .candidate = ARENA_ARRAY(scratch, bool, pairs),
                     .in = ARENA_ARRAY(scratch, bool, pairs),
                     .root = ARENA_ARRAY(scratch, uint32_t, pairs),
                     .wide = comparison->noise_known ||
                             precision_coarsest(comparison->golden->dump) >= PRECISION_F16,
                     .scratch = scratch};
    for (int side = 0; side < 2; side++) {
        size_t slots = (size_t)search.dumps[side]->slot_count + 1;
        search.values[side] = ARENA_ARRAY(scratch, uint8_t, slots);
        search.giver[side] = ARENA_ARRAY(scratch, uint32_t, slots);
    }
    search.error = ARENA_ARRAY(scratch, Errors, (size_t)search.dumps[0]->slot_count + 1);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        search.root[i] = i;
        look_at(&search, i);
    }
    Ends ends[2] = {{.count = 0}, {.count = 0}};
    for (int side = 0; side < 2; side++)
        collect_ends(&search, side, &ends[side]);
    mark_ends(&search, ends);
    walk_all(&search);
    find_connected(&search, ends, out);
}
