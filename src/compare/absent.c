// SPDX-License-Identifier: Apache-2.0
// Ops on one side only: what a level, direction, risk level, list or scope of the collection left
// out, and what changes nothing.
#include "compare/absent.h"

#include <stdlib.h>

#include "compare/aside_ops.h"
#include "compare/judge/fold.h"
#include "compare/opaque_modules.h"
#include "compare/repeated_calls.h"
#include "compare/rewritten.h"
#include "compare/risk_level.h"
#include "compare/slot_values.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// So many calls of an API, or so many APIs, are missing by a setting; fewer may be missing ops.
enum { CALLS_MIN = 3, CLASSES_MIN = 3 };
// Calls of an API that the other side leaves out stand beside its own ops once in so many at most.
enum { REPLACED_SHARE = 8 };
// Ops that lie on one end only are a range from so many, and from this share of all: a few at an
// end are missing ops.
enum { RANGE_MIN = 8, RANGE_SHARE = 10 };

// Calls on both sides.
typedef struct Calls {
    uint32_t all[2];
    uint32_t alone[2];     // of these, not settled yet
    uint32_t replaced[2];  // of these, at whose place the other side has ops of its own
} Calls;

// The calls of one API or class of module.
typedef struct Class {
    Calls calls, directed[DIR_BACKWARD + 1];  // whatever their direction, and by it
    bool missing[2];                          // a call of it is, whatever else
    uint32_t rewritten[2];                    // forward calls that the other side does in others
} Class;

// The names of a side's ops without their calls, sorted.
typedef struct Stems {
    Str *items;  // NULL: not asked for yet
    size_t count;
} Stems;

typedef struct Absent {
    Arena *arena;
    Comparison *out;
    const Dump *dumps[2];
    Names *texts;         // of the classes
    NameId *class_of[2];  // by side and op
    Class *classes;       // by NameId of `texts`
    Stems stems[2];
    Names *rewritten[2];  // modules whose calls the other side does in others
} Absent;

static int side_of(const OpPair *op)
{
    return op->target == OP_NONE ? 0 : 1;
}

static bool is_open(const OpPair *op)
{
    return op->status == STATUS_UNMATCHED;
}

static const Op *op_of(const Absent *absent, const OpPair *op)
{
    int side = side_of(op);
    return &absent->dumps[side]->ops[side == 0 ? op->golden : op->target];
}

static Class *class_of(const Absent *absent, const OpPair *op)
{
    int side = side_of(op);
    return &absent->classes[absent->class_of[side][side == 0 ? op->golden : op->target]];
}

static bool settle(const Absent *absent, OpPair *op, Rule rule, Absence absence)
{
    return fold_settle(absent->out, op, rule, absence);
}

// ---- whole kinds and directions

static Absence kind_or_direction(const Recorded *other, const Op *op)
{
    const uint32_t *calls = other->ops[op->kind];
    if (op->kind == OP_GRADS)
        return calls[DIR_NONE] ? ABSENCE_NONE : ABSENCE_GRADIENTS;
    if (op->kind != OP_API && op->kind != OP_MODULE)
        return ABSENCE_NONE;
    if (calls[DIR_FORWARD] + calls[DIR_BACKWARD] == 0)
        return op->kind == OP_API ? ABSENCE_APIS : ABSENCE_MODULES;
    return calls[op->direction] ? ABSENCE_NONE : ABSENCE_DIRECTION;
}

static void settle_kinds(const Absent *absent)
{
    Comparison *out = absent->out;
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (!is_open(op))
            continue;
        Absence absence = kind_or_direction(&out->recorded[1 - side_of(op)], op_of(absent, op));
        if (absence != ABSENCE_NONE)
            settle(absent, op, RULE_KINDS, absence);
    }
}

// ---- risk levels

static Str name_of(const Absent *absent, const OpPair *op)
{
    return names_text(absent->dumps[side_of(op)]->names, op_of(absent, op)->name);
}

static OpName parts_of(const Absent *absent, const OpPair *op)
{
    return op_name_of(absent->dumps[side_of(op)]->names, op_of(absent, op)->name);
}

// What every API call of a side has in common.
typedef struct RiskLevel {
    bool no_low, core_only;
} RiskLevel;

static RiskLevel risk_level_of(const Dump *dump)
{
    RiskLevel level = {true, true};
    for (uint32_t i = 0; i < dump->op_count && (level.no_low || level.core_only); i++) {
        if (dump->ops[i].kind != OP_API)
            continue;
        Str name = op_name_of(dump->names, dump->ops[i].name).stem;
        level.no_low = level.no_low && !risk_level_low(name);
        level.core_only = level.core_only && risk_level_core(name);
    }
    return level;
}

static void settle_risk_levels(const Absent *absent)
{
    Comparison *out = absent->out;
    RiskLevel levels[2] = {risk_level_of(absent->dumps[0]), risk_level_of(absent->dumps[1])};
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (!is_open(op) || op_of(absent, op)->kind != OP_API)
            continue;
        RiskLevel other = levels[1 - side_of(op)];
        Str stem = parts_of(absent, op).stem;
        bool left_out =
            (other.no_low && risk_level_low(stem)) || (other.core_only && !risk_level_core(stem));
        if (left_out)
            settle(absent, op, RULE_RISK_LEVEL, ABSENCE_API);
    }
}

// ---- APIs and classes that a list leaves out

static NameId class_name(Names *texts, OpName parts)
{
    bool module = parts.kind == OP_MODULE || parts.kind == OP_GRADS;
    return names_add(texts, module ? parts.type_name : parts.stem);
}

static void count_classes(Absent *absent, Arena *arena)
{
    for (int side = 0; side < 2; side++) {
        const Dump *dump = absent->dumps[side];
        absent->class_of[side] = ARENA_ARRAY(arena, NameId, (size_t)dump->op_count + 1);
        for (uint32_t i = 0; i < dump->op_count; i++)
            absent->class_of[side][i] =
                class_name(absent->texts, op_name_of(dump->names, dump->ops[i].name));
    }
    absent->classes = ARENA_ARRAY(arena, Class, names_count(absent->texts) + 1);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < absent->dumps[side]->op_count; i++) {
            Class *class = &absent->classes[absent->class_of[side][i]];
            class->calls.all[side]++;
            class->directed[absent->dumps[side]->ops[i].direction].all[side]++;
        }
}

static void count_alone(Calls *calls, int side, bool replaced)
{
    calls->alone[side]++;
    calls->replaced[side] += replaced;
}

// Ops of the one side that stand where the other side has ops of its own took their place.
static void mark_replaced(const Absent *absent, uint32_t from, uint32_t to)
{
    Comparison *out = absent->out;
    bool alone[2] = {false, false};
    for (uint32_t i = from; i < to; i++)
        if (is_open(&out->ops[i]))
            alone[side_of(&out->ops[i])] = true;
    for (uint32_t i = from; i < to; i++) {
        const OpPair *op = &out->ops[i];
        if (!is_open(op))
            continue;
        Class *class = class_of(absent, op);
        int side = side_of(op);
        count_alone(&class->calls, side, alone[1 - side]);
        count_alone(&class->directed[op_of(absent, op)->direction], side, alone[1 - side]);
    }
}

// Of classes whose calls alone were not counted before.
static void look_at_gaps(const Absent *absent)
{
    const Comparison *out = absent->out;
    for (uint32_t i = 0; i < out->op_count;) {
        uint32_t end = i;
        while (end < out->op_count && !op_has_both(&out->ops[end]))
            end++;
        mark_replaced(absent, i, end);
        i = end + 1;
    }
}

// Of a few calls none may stand where the other side has ops of its own; of many that one API makes
// some do by chance.
static bool are_absent(const Calls *calls, int side)
{
    return calls->alone[side] && calls->all[1 - side] == 0 &&
           calls->replaced[side] * REPLACED_SHARE < calls->alone[side];
}

// A few calls of one API may be missing ops; so may the calls of one direction of however many.
static Absence absence_of(const Class *class, int side, Direction direction, bool many)
{
    const Calls *directed = &class->directed[direction];
    if (are_absent(&class->calls, side))
        return many || class->calls.alone[side] >= CALLS_MIN ? ABSENCE_API : ABSENCE_NONE;
    return are_absent(directed, side) && directed->alone[side] >= CALLS_MIN ? ABSENCE_CALLS
                                                                            : ABSENCE_NONE;
}

static void settle_classes(const Absent *absent)
{
    Comparison *out = absent->out;
    uint32_t absent_classes[2] = {0, 0}, left_out[2] = {0, 0}, pairs = 0;
    look_at_gaps(absent);
    for (size_t i = 1; i <= names_count(absent->texts); i++)
        for (int side = 0; side < 2; side++)
            absent_classes[side] += are_absent(&absent->classes[i].calls, side);
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        pairs += op_has_both(op);
        if (!is_open(op) || op_of(absent, op)->kind == OP_DEBUG)
            continue;
        int side = side_of(op);
        Absence absence =
            absence_of(class_of(absent, op), side, (Direction)op_of(absent, op)->direction,
                       absent_classes[side] >= CLASSES_MIN);
        if (absence != ABSENCE_NONE)
            left_out[side] += settle(absent, op, RULE_LIST, absence);
    }
    for (int side = 0; side < 2; side++)
        out->listed[1 - side] = absent_classes[side] >= CLASSES_MIN && left_out[side] >= pairs;
}

// ---- scopes

// The ops of one side that are open, by where the ops with a partner begin and end.
typedef struct Range {
    uint32_t before, inside, after;
    uint32_t outside;  // all ops of that side at both ends, those that are settled already too
    bool hidden_before, hidden_after;  // the other side holds ops there of a sort that this lacks
} Range;

static bool is_hidden(const OpPair *op)
{
    return op->absence >= ABSENCE_APIS && op->absence <= ABSENCE_DIRECTION;
}

static Range open_range(const Absent *absent, int side)
{
    const Comparison *out = absent->out;
    Range range = {0};
    uint32_t last = 0;
    bool begun = false;
    for (uint32_t i = 0; i < out->op_count; i++) {
        const OpPair *op = &out->ops[i];
        if (op_has_both(op)) {
            range.outside += begun ? 0 : last;
            begun = true;
            range.inside += range.after;
            range.after = last = 0;
            range.hidden_after = false;
            continue;
        }
        last += side_of(op) == side;
        if (is_hidden(op) && side_of(op) != side) {
            range.hidden_before |= !begun;
            range.hidden_after |= begun;
        } else if (is_open(op) && side_of(op) == side) {
            range.before += !begun;
            range.after += begun;
        }
    }
    range.outside += last;
    return range;
}

// A scope leaves out both ends, whatever is missing between them. Of an end where the side that
// has none may lack ops, as of a forward pass beside both, nothing is known.
static bool is_scope(Range range)
{
    if ((range.before && range.hidden_after) || (range.after && range.hidden_before))
        return range.inside == 0 && range.before + range.after >= CALLS_MIN;
    bool clear = range.before >= CALLS_MIN && range.after >= CALLS_MIN;
    return range.before && range.after && range.before + range.after >= CALLS_MIN &&
           (clear || range.inside == 0);
}

// One end alone may also be the end of a run that died.
static bool is_end(Range range, uint32_t ops)
{
    return range.inside == 0 && range.before + range.after && range.outside >= RANGE_MIN &&
           range.outside >= ops / RANGE_SHARE;
}

static void settle_outside(const Absent *absent, int side, Rule rule, uint32_t before,
                           uint32_t after)
{
    Comparison *out = absent->out;
    for (uint32_t i = 0; i < out->op_count && before; i++)
        if (is_open(&out->ops[i]) && side_of(&out->ops[i]) == side) {
            settle(absent, &out->ops[i], rule, ABSENCE_RANGE);
            before--;
        }
    for (uint32_t i = out->op_count; i-- > 0 && after;)
        if (is_open(&out->ops[i]) && side_of(&out->ops[i]) == side) {
            settle(absent, &out->ops[i], rule, ABSENCE_RANGE);
            after--;
        }
}

static void settle_ranges(const Absent *absent, bool scope)
{
    for (int side = 0; side < 2; side++) {
        Range range = open_range(absent, side);
        if (scope ? !is_scope(range) : !is_end(range, absent->dumps[side]->op_count))
            continue;
        // A scope leaves out both ends; one alone may be what is left of a file.
        absent->out->ends_early[1 - side] = range.before == 0 || (!scope && range.after == 0);
        settle_outside(absent, side, scope ? RULE_SCOPE : RULE_END, range.before, range.after);
    }
}

// ---- layers that a dump says it leaves out

// Whether `path`, or one of the modules around it, is among `layers`.
static bool is_below(const Names *layers, Str path)
{
    for (size_t end = 0; end <= path.size; end++) {
        bool ends = end == path.size || path.data[end] == '.' || path.data[end] == '#';
        if (ends && names_find(layers, str_slice(path, 0, end)) != NAME_NONE)
            return true;
    }
    return false;
}

static void settle_layers(const Absent *absent, Arena *scratch)
{
    for (int side = 0; side < 2; side++) {
        const Dump *other = absent->dumps[1 - side];
        Names *layers = names_new(scratch);
        for (uint32_t i = 0; i < other->left_out_count; i++)
            names_add(layers, names_text(other->names, other->left_out[i]));
        for (uint32_t i = 0; i < absent->out->op_count && other->left_out_count; i++) {
            OpPair *op = &absent->out->ops[i];
            if (!is_open(op) || side_of(op) != side)
                continue;
            if (is_below(layers, name_of(absent, op)) ||
                is_below(layers, parts_of(absent, op).path))
                settle(absent, op, RULE_LAYERS, ABSENCE_LAYER);
        }
    }
}

typedef void FindOps(const Comparison *comparison, Arena *scratch, bool *out);

static void settle_found(const Absent *absent, FindOps *find, Rule rule, Absence absence,
                         Arena *scratch)
{
    bool *found = ARENA_ARRAY(scratch, bool, (size_t)absent->out->op_count + 1);
    find(absent->out, scratch, found);
    for (uint32_t i = 0; i < absent->out->op_count; i++)
        if (found[i])
            settle(absent, &absent->out->ops[i], rule, absence);
}

static bool has_open(const Comparison *comparison)
{
    bool paired = false, open = false;
    for (uint32_t i = 0; i < comparison->op_count && !(paired && open); i++) {
        paired = paired || op_has_both(&comparison->ops[i]);
        open = open || is_open(&comparison->ops[i]);
    }
    return paired && open;
}

static Absent absent_new(Comparison *comparison, Arena *scratch)
{
    Absent absent = {.arena = scratch,
                     .out = comparison,
                     .dumps = {comparison->golden->dump, comparison->target->dump},
                     .texts = names_new(scratch)};
    count_classes(&absent, scratch);
    return absent;
}

void absent_settings(Comparison *comparison)
{
    if (!has_open(comparison))
        return;
    Arena *scratch = arena_new();
    Absent absent = absent_new(comparison, scratch);
    settle_layers(&absent, scratch);
    settle_kinds(&absent);
    settle_risk_levels(&absent);
    settle_found(&absent, opaque_modules_find, RULE_INSIDE_MODULE, ABSENCE_INSIDE, scratch);
    settle_found(&absent, repeated_calls_find, RULE_AGAIN, ABSENCE_AGAIN, scratch);
    settle_ranges(&absent, true);
    settle_classes(&absent);
    settle_ranges(&absent, false);
    arena_release(scratch);
}

// ---- what nothing feels

static bool something_differs(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (op_has_both(&comparison->ops[i]) && status_differs((Status)comparison->ops[i].status))
            return true;
    return false;
}

// The values that the ops of one side with a partner took and gave.
static void know_values(const Comparison *comparison, int side, Arena *arena, SlotValues *out)
{
    const Dump *dump = side == 0 ? comparison->golden->dump : comparison->target->dump;
    slot_values_init(out, dump, GROUP_OUTPUT, arena);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        if (!op_has_both(pair))
            continue;
        const Op *op = &dump->ops[side == 0 ? pair->golden : pair->target];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (slot_is_output_tensor(&dump->slots[k]))
                slot_values_add(out, k);
    }
}

// The tensors that an op takes.
static SlotValues taken_by(const Dump *dump, const Op *op, Arena *scratch)
{
    SlotValues out;
    slot_values_reserve(&out, dump, op->slot_count, scratch);
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
        if (dump->slots[k].kind == SLOT_TENSOR && !slot_is_output_tensor(&dump->slots[k]))
            slot_values_add(&out, k);
    return out;
}

// Dumps of older dumpers hold what an op in place left as what it took: "add_", not "__add__".
static bool is_in_place(const Dump *dump, const Op *op)
{
    Str stem = op_name_of(dump->names, op->name).stem;
    return op->kind == OP_API && op_is_in_place(stem);
}

// What the results of an op tell.
typedef struct Results {
    bool told;      // one at least has values
    bool repeated;  // each is a tensor that the op took, or of a module one that another op gives
} Results;

// The call inside a module gives what the module gives, and is missing all the same.
static Results results_of(const Dump *dump, const Op *op, const SlotValues *known)
{
    Results out = {.repeated = !is_in_place(dump, op) && op->kind != OP_GRADS};
    Arena *scratch = arena_new();
    SlotValues taken = taken_by(dump, op, scratch);
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        const Slot *slot = &dump->slots[k];
        bool elsewhere =
            (op->kind == OP_MODULE || op->kind == OP_OTHER) && slot_values_has(known, slot);
        if (!slot_is_output_tensor(slot))
            continue;
        out.told = out.told || recorded_told(slot);
        out.repeated = out.repeated && (elsewhere || slot_values_has(&taken, slot));
    }
    arena_release(scratch);
    return out;
}

// Names of ops that tell no class, as inference engines write them.
static bool has_class(const Absent *absent, const OpPair *op)
{
    const Op *record = op_of(absent, op);
    if (record->kind == OP_OTHER)
        return false;
    return record->kind != OP_MODULE ||
           op_name_of(absent->dumps[side_of(op)]->names, record->name).type_name.size > 0;
}

static void sort_stems(const Dump *dump, Arena *arena, Stems *out)
{
    out->items = ARENA_ARRAY(arena, Str, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++)
        out->items[i] = op_name_of(dump->names, dump->ops[i].name).stem;
    out->count = dump->op_count;
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, str_order);
}

// Whether the side holds ops within the module: "layers.3" before "layers.3.mlp", or as
// TensorRT-LLM joins names "2.layers-3.3" before "2.layers-3.3-4.mlp".
static bool has_parts(const Stems *stems, Str stem, const char *joint, Arena *arena)
{
    Str prefix = str_printf(arena, STR_FMT "%s", STR_ARG(stem), joint);
    size_t low = 0, high = stems->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(stems->items[middle], prefix) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stems->count && str_starts(stems->items[low], prefix);
}

// An op without a class is a wrapper only if it stands around others: no call underneath shows
// otherwise what it did.
static bool wraps_others(Absent *absent, const OpPair *op)
{
    int side = side_of(op);
    const Dump *dump = absent->dumps[side];
    Stems *stems = &absent->stems[side];
    if (!stems->items)
        sort_stems(dump, absent->arena, stems);
    Str stem = op_name_of(dump->names, op_of(absent, op)->name).stem;
    return has_parts(stems, stem, ".", absent->arena) || has_parts(stems, stem, "-", absent->arena);
}

// A module that holds others, each of which has a partner or is such a module too: what it did was
// done by them.
static bool holds_pairs_only(const Absent *absent, const OpPair *op)
{
    const Comparison *out = absent->out;
    int side = side_of(op);
    const Graph *graph = side == 0 ? out->golden : out->target;
    const NodeId *partner_of = side == 0 ? out->target_of : out->golden_of;
    NodeId node = graph_find(graph, op_of(absent, op)->name);
    if (node == NODE_NONE || graph->nodes[node].first_child == NODE_NONE)
        return false;
    for (NodeId child = graph->nodes[node].first_child; child != NODE_NONE;
         child = graph->nodes[child].next)
        if (partner_of[child] == NODE_NONE && graph->nodes[child].first_child == NODE_NONE)
            return false;
    return true;
}

// An op without results, as the backward call of a module may be, tells nothing by itself.
static bool is_unfelt(Absent *absent, const OpPair *op, const SlotValues *known)
{
    const Op *record = op_of(absent, op);
    int side = side_of(op);
    Results results = results_of(absent->dumps[side], record, known);
    if (!results.told)
        return record->kind == OP_MODULE &&
               (record->direction == DIR_BACKWARD || holds_pairs_only(absent, op));
    if (!has_class(absent, op))
        return results.repeated && wraps_others(absent, op);
    return results.repeated || class_of(absent, op)->calls.all[1 - side] == 0;
}

// A forward call that the other side does in others, or the backward call of such a one.
static bool is_rewritten(Class *class, int side, bool forward, bool marked)
{
    if (forward) {
        class->rewritten[side] += marked;
        return marked;
    }
    bool found = class->rewritten[side] > 0;
    class->rewritten[side] -= found;
    return found;
}

// The gradients of the weights of a module whose calls the other side does in others.
static bool is_of_rewritten(Absent *absent, const OpPair *op, bool rewritten)
{
    const Op *record = op_of(absent, op);
    int side = side_of(op);
    const Names *names = absent->dumps[side]->names;
    Str module = op_name_of(names, record->name).stem;
    if (rewritten && record->kind == OP_MODULE)
        names_add(absent->rewritten[side], module);
    return record->kind == OP_GRADS && names_find(absent->rewritten[side], module) != NAME_NONE;
}

// Calls of one direction; a backward call may hand on what it gets, and still belong to a forward
// call that is missing.
static void settle_unfelt(Absent *absent, const SlotValues known[2], const bool *rewritten,
                          bool backward)
{
    Comparison *out = absent->out;
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (!is_open(op) || (op_of(absent, op)->direction == DIR_BACKWARD) != backward)
            continue;
        int side = side_of(op);
        Class *class = class_of(absent, op);
        bool missing = backward && class->missing[side];
        bool other = is_of_rewritten(absent, op, rewritten[i]) ||
                     is_rewritten(class, side, !backward, rewritten[i]);
        if (!(other && settle(absent, op, RULE_REWRITTEN, ABSENCE_UNFELT)) &&
            (missing || !is_unfelt(absent, op, &known[side]) ||
             !settle(absent, op, RULE_NO_EFFECT, ABSENCE_UNFELT)))
            class->missing[side] = true;
    }
}

void absent_unfelt(Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].absence == ABSENCE_UNFELT)
            fold_alone(&comparison->ops[i], true);
    if (!has_open(comparison) || something_differs(comparison))
        return;
    Arena *scratch = arena_new();
    Absent absent = absent_new(comparison, scratch);
    SlotValues known[2];
    for (int side = 0; side < 2; side++) {
        know_values(comparison, side, scratch, &known[side]);
        absent.rewritten[side] = names_new(scratch);
    }
    settle_found(&absent, aside_ops_find, RULE_LOGGING, ABSENCE_UNFELT, scratch);
    bool *rewritten = ARENA_ARRAY(scratch, bool, (size_t)comparison->op_count + 1);
    rewritten_find(comparison, scratch, rewritten);
    settle_unfelt(&absent, known, rewritten, false);
    settle_unfelt(&absent, known, rewritten, true);
    arena_release(scratch);
}
