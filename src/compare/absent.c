// SPDX-License-Identifier: Apache-2.0
// Ops on one side only: what a level, direction, risk level, list or scope of the collection left
// out, and what changes nothing.
#include "compare/absent.h"

#include <stdlib.h>

#include "compare/coverage.h"
#include "compare/judge/fold.h"
#include "compare/judge/unrecorded.h"
#include "compare/listed_names.h"
#include "compare/op_effect.h"
#include "compare/opaque_modules.h"
#include "compare/risk_level.h"
#include "compare/stated_ops.h"
#include "read/dump/op_name.h"

// So many ops at the ends are a scope; fewer may be missing ops.
enum { CALLS_MIN = 3 };
// Of a few APIs that a list seems to leave out it is not known whether they were computed.
enum { CLASSES_MIN = 3 };
// Ops that lie on one end only are a range from so many, and from this share of all: a few at an
// end are missing ops.
enum { RANGE_MIN = 8, RANGE_SHARE = 10 };

// The calls of one API or class of module that a side alone makes.
typedef struct Class {
    bool missing[2];        // one is a missing op
    uint32_t rewritten[2];  // forward calls that the other side does in others
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
    uint8_t *effects;           // by op pair: OpEffect
    bool *replaced;             // by op pair: the other side has ops of its own at its place
    Names *construct_calls[2];  // API calls that a construct.json names, with their direction
    bool construct_unrecorded[2][DIRECTION_COUNT];  // it names such that are not recorded
    Names *texts;                                   // of the classes
    Class *classes;                                 // by NameId of `texts`; NULL: not asked for
    Stems stems[2];
    Names *rewritten[2];  // modules whose calls the other side does in others
} Absent;

static bool is_open(const OpPair *op)
{
    return op->status == STATUS_UNMATCHED;
}

static const Op *op_of(const Absent *absent, const OpPair *op)
{
    return shown_op(absent->out, op);
}

static bool settle(const Absent *absent, OpPair *op, Rule rule, Absence absence)
{
    return fold_settle(absent->out, op, rule, absence);
}

static const Stated *stated_of(const Absent *absent, int side)
{
    static const Stated none = {0};
    return absent->out->stated[side] ? absent->out->stated[side] : &none;
}

static void use_stated(const Absent *absent, int side, StatedKey key)
{
    absent->out->stated_used[side] |= (uint8_t)(1U << key);
}

// ---- what an inferred setting may explain

static Str directed_stem(const Names *names, NameId name, Arena *arena)
{
    OpName parts = op_name_call(names, name);
    return str_printf(arena, STR_FMT "#%d", STR_ARG(parts.stem), (int)parts.direction);
}

// The API calls that construct.json names and the dump does not hold; NULL: it names no such call.
static void find_construct_calls(Absent *absent, Arena *scratch)
{
    for (int side = 0; side < 2; side++) {
        const Graph *graph = comparison_graph(absent->out, side);
        const Names *names = absent->dumps[side]->names;
        Names *calls = names_new(scratch);
        bool any = false;
        for (NodeId id = 1; id < graph->count && !graph->flat; id++) {
            const Node *node = &graph->nodes[id];
            if (node->type != NODE_API)
                continue;
            any = true;
            if (node->op != OP_NONE)
                continue;
            names_add(calls, directed_stem(names, node->name, scratch));
            absent->construct_unrecorded[side][op_name_call(names, node->name).direction] = true;
        }
        absent->construct_calls[side] = any ? calls : NULL;
    }
}

// Whether the side `lacking` may have made the call and not recorded it, as far as its
// construct.json tells, which names what is not recorded too.
static bool may_be_left_out(const Absent *absent, const OpPair *op, int lacking)
{
    if (!is_open(op) || shown_side(op) == lacking || op_of(absent, op)->kind == OP_DEBUG)
        return false;
    const Names *calls = absent->construct_calls[lacking];
    if (!calls || op_of(absent, op)->kind != OP_API)
        return true;
    Str stem =
        directed_stem(absent->dumps[1 - lacking]->names, op_of(absent, op)->name, absent->arena);
    return names_find(calls, stem) != NAME_NONE;
}

// construct.json of the side `lacking` names calls of that direction that are not recorded, and not
// this API's: the side did not make it. One that names recorded calls alone, as msProbe's at a risk
// level, does not describe others.
static bool was_never_made(const Absent *absent, const OpPair *op, int lacking)
{
    return absent->construct_unrecorded[lacking][op_of(absent, op)->direction] &&
           !may_be_left_out(absent, op, lacking);
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
        Absence absence = kind_or_direction(&out->recorded[1 - shown_side(op)], op_of(absent, op));
        if (absence == ABSENCE_NONE || was_never_made(absent, op, 1 - shown_side(op)))
            continue;
        const Op *record = op_of(absent, op);
        int lacking = 1 - shown_side(op);
        const Stated *stated = stated_of(absent, lacking);
        bool direction = absence == ABSENCE_DIRECTION;
        StatedAnswer answer = direction
                                  ? stated_data_mode(stated, (Direction)record->direction, NULL)
                                  : stated_level(stated, (OpKind)record->kind);
        if (answer != STATED_KEEPS && settle(absent, op, RULE_KINDS, absence) && answer)
            use_stated(absent, lacking, direction ? STATED_DATA_MODE : STATED_LEVEL);
    }
}

// ---- risk levels

static Str name_of(const Absent *absent, const OpPair *op)
{
    return names_text(absent->dumps[shown_side(op)]->names, op_of(absent, op)->name);
}

static OpName parts_of(const Absent *absent, const OpPair *op)
{
    return op_name_of(absent->dumps[shown_side(op)]->names, op_of(absent, op)->name);
}

// What every API call of a side has in common.
typedef struct RiskLevel {
    bool no_low, core_only;
} RiskLevel;

static RiskLevel risk_level_of(const Dump *dump, const RiskNames *names)
{
    RiskLevel level = {true, true};
    for (uint32_t i = 0; i < dump->op_count && (level.no_low || level.core_only); i++) {
        if (dump->ops[i].kind != OP_API)
            continue;
        Str name = op_name_of(dump->names, dump->ops[i].name).stem;
        level.no_low = level.no_low && !risk_level_low(names, name);
        level.core_only = level.core_only && risk_level_core(names, name);
    }
    return level;
}

// A risk level that is stated is not inferred; a list or scope turns it off.
static RiskLevel risk_level_in(const Absent *absent, int side, const RiskNames *names)
{
    const Stated *stated = stated_of(absent, side);
    RiskLevel level = risk_level_of(absent->dumps[side], names);
    bool core = str_equal_nocase(stated->values[STATED_RISK_LEVEL], STR("CORE"));
    bool off = stated_has(stated, STATED_LIST) || stated_has(stated, STATED_SCOPE);
    if (off || stated_has(stated, STATED_RISK_LEVEL)) {
        bool focus = core || str_equal_nocase(stated->values[STATED_RISK_LEVEL], STR("FOCUS"));
        level.no_low = level.no_low && focus && !off;
        level.core_only = level.core_only && core && !off;
    }
    return level;
}

static void settle_risk_levels(const Absent *absent)
{
    Comparison *out = absent->out;
    RiskNames names;
    risk_names_read(absent->arena, &names);
    RiskLevel levels[2] = {risk_level_in(absent, 0, &names), risk_level_in(absent, 1, &names)};
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (!is_open(op) || op_of(absent, op)->kind != OP_API)
            continue;
        RiskLevel other = levels[1 - shown_side(op)];
        Str stem = parts_of(absent, op).stem;
        bool left_out = (other.no_low && risk_level_low(&names, stem)) ||
                        (other.core_only && !risk_level_core(&names, stem));
        int lacking = 1 - shown_side(op);
        if (left_out && !was_never_made(absent, op, lacking) &&
            settle(absent, op, RULE_RISK_LEVEL, ABSENCE_API) &&
            stated_has(stated_of(absent, lacking), STATED_RISK_LEVEL))
            use_stated(absent, lacking, STATED_RISK_LEVEL);
    }
}

static Str class_of_name(OpName parts)
{
    bool module = parts.kind == OP_MODULE || parts.kind == OP_GRADS;
    return module ? parts.type_name : parts.stem;
}

static Str class_name(const Absent *absent, const OpPair *op)
{
    return class_of_name(parts_of(absent, op));
}

// ---- ops at whose place the other side has others

static void look_at_gap(const Absent *absent, uint32_t from, uint32_t to)
{
    const Comparison *out = absent->out;
    bool alone[2] = {false, false};
    for (uint32_t i = from; i < to; i++)
        if (is_open(&out->ops[i]))
            alone[shown_side(&out->ops[i])] = true;
    for (uint32_t i = from; i < to; i++)
        absent->replaced[i] = is_open(&out->ops[i]) && alone[1 - shown_side(&out->ops[i])];
}

static void find_replaced(Absent *absent, Arena *scratch)
{
    const Comparison *out = absent->out;
    absent->replaced = ARENA_ARRAY(scratch, bool, (size_t)out->op_count + 1);
    for (uint32_t i = 0, end; i < out->op_count; i = end + 1) {
        for (end = i; end < out->op_count && !op_has_both(&out->ops[end]);)
            end++;
        look_at_gap(absent, i, end);
    }
}

// ---- calls that construct.json names

// Calls that construct.json names and of which the dump holds none were made and not recorded.
static void settle_named(const Absent *absent, Arena *scratch)
{
    Names *held[2];
    for (int side = 0; side < 2; side++) {
        const Dump *dump = absent->dumps[side];
        held[side] = names_new(scratch);
        for (uint32_t i = 0; i < dump->op_count && absent->construct_calls[side]; i++) {
            names_add(held[side], op_name_call(dump->names, dump->ops[i].name).stem);
            names_add(held[side], directed_stem(dump->names, dump->ops[i].name, scratch));
        }
    }
    for (uint32_t i = 0; i < absent->out->op_count; i++) {
        OpPair *op = &absent->out->ops[i];
        int lacking = 1 - shown_side(op);
        if (!absent->construct_calls[lacking] || op_of(absent, op)->kind != OP_API ||
            absent->replaced[i] || !may_be_left_out(absent, op, lacking))
            continue;
        Str stem =
            directed_stem(absent->dumps[1 - lacking]->names, op_of(absent, op)->name, scratch);
        if (names_find(held[lacking], stem) == NAME_NONE)
            settle(absent, op, RULE_NAMED,
                   names_find(held[lacking], parts_of(absent, op).stem) == NAME_NONE
                       ? ABSENCE_API
                       : ABSENCE_CALLS);
    }
}

// ---- what a list leaves out

// Settles what a list of the side `lacking` leaves out, if there may be one.
static void settle_list(const Absent *absent, int lacking, Arena *scratch)
{
    Comparison *out = absent->out;
    const Dump *dump = absent->dumps[lacking];
    ListNames names = {.count = 0};
    ListSearch search = {.best = 0};
    if (stated_of(absent, lacking)->file.size || !list_names_find(dump, scratch, &names))
        return;
    search.kept = ARENA_ARRAY(scratch, uint64_t, (size_t)dump->op_count + 1);
    search.missing = ARENA_ARRAY(scratch, uint64_t, (size_t)out->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++)
        list_search_keep(&search, list_names_in(&names, dump, &dump->ops[i], scratch));
    bool computes = false;
    for (uint32_t i = 0; i < out->op_count; i++) {
        const OpPair *op = &out->ops[i];
        if (!may_be_left_out(absent, op, lacking))
            continue;
        search.missing[search.missing_count++] =
            list_names_in(&names, absent->dumps[1 - lacking], op_of(absent, op), scratch);
        computes =
            computes || (absent->effects[i] != EFFECT_WRITES && absent->effects[i] != EFFECT_FEEDS);
    }
    if (!computes)
        return;
    list_search(&search);
    Names *classes = names_new(scratch);
    uint32_t left_out = 0, pairs = 0;
    for (uint32_t i = 0, at = 0; i < out->op_count && search.best; i++) {
        OpPair *op = &out->ops[i];
        if (may_be_left_out(absent, op, lacking) && !(search.missing[at++] & search.best) &&
            !absent->replaced[i] && settle(absent, op, RULE_LIST, ABSENCE_API)) {
            names_add(classes, class_name(absent, op));
            left_out++;
        }
        pairs += op_has_both(op);
    }
    out->listed[lacking] = names_count(classes) >= CLASSES_MIN && left_out >= pairs;
}

// ---- scopes

// The ops of one side that are open, by where the ops with a partner begin and end.
typedef struct Range {
    uint32_t before, inside, after;
    uint32_t outside;  // all ops of that side at both ends, those that are settled already too
    bool hidden_before, hidden_after;  // the other side holds ops there of a sort that this has not
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
        last += shown_side(op) == side;
        if (is_hidden(op) && shown_side(op) != side) {
            range.hidden_before |= !begun;
            range.hidden_after |= begun;
        } else if (is_open(op) && shown_side(op) == side) {
            range.before += !begun;
            range.after += begun;
        }
    }
    range.outside += last;
    return range;
}

// A scope leaves out both ends, whatever is missing between them. Of an end where the side that
// has none may lack ops, as of a forward pass next to both, nothing is known.
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

// Whether the op goes on with the calls of one API that both sides make before it: the dump of the
// other ends in the middle of them.
static bool goes_on(const Absent *absent, uint32_t index)
{
    const OpPair *ops = absent->out->ops;
    return index && op_has_both(&ops[index - 1]) &&
           op_of(absent, &ops[index - 1])->direction == op_of(absent, &ops[index])->direction &&
           str_equal(parts_of(absent, &ops[index - 1]).stem, parts_of(absent, &ops[index]).stem);
}

// Whether one of the ops at the ends computes, or goes on: a setting never leaves out those alone
// that write in place, or whose results go nowhere.
static bool ends_compute(const Absent *absent, int side, Range range)
{
    const Comparison *out = absent->out;
    uint32_t seen = 0, all = range.before + range.inside + range.after;
    for (uint32_t i = 0; i < out->op_count; i++) {
        if (!is_open(&out->ops[i]) || shown_side(&out->ops[i]) != side)
            continue;
        bool outside = seen < range.before || seen >= all - range.after;
        if (outside && (absent->effects[i] == EFFECT_COMPUTES || goes_on(absent, i)) &&
            may_be_left_out(absent, &out->ops[i], 1 - side))
            return true;
        seen++;
    }
    return false;
}

static void settle_outside(const Absent *absent, int side, Rule rule, uint32_t before,
                           uint32_t after)
{
    Comparison *out = absent->out;
    bool one_end = out->ends_early[1 - side];
    for (uint32_t i = 0; i < out->op_count && before; i++)
        if (is_open(&out->ops[i]) && shown_side(&out->ops[i]) == side) {
            settle(absent, &out->ops[i], rule, one_end ? ABSENCE_HEAD : ABSENCE_RANGE);
            before--;
        }
    for (uint32_t i = out->op_count; i-- > 0 && after;)
        if (is_open(&out->ops[i]) && shown_side(&out->ops[i]) == side) {
            settle(absent, &out->ops[i], rule, one_end ? ABSENCE_TAIL : ABSENCE_RANGE);
            after--;
        }
}

static void settle_ranges(const Absent *absent, bool scope)
{
    for (int side = 0; side < 2; side++) {
        Range range = open_range(absent, side);
        bool both = range.before && range.after;
        if (both && stated_of(absent, 1 - side)->file.size)
            continue;
        if ((scope ? !is_scope(range) : !is_end(range, absent->dumps[side]->op_count)) ||
            !ends_compute(absent, side, range))
            continue;
        // A scope leaves out both ends; one alone may be what is left of a file.
        absent->out->ends_early[1 - side] = range.before == 0 || (!scope && range.after == 0);
        settle_outside(absent, side, scope ? RULE_SCOPE : RULE_END, range.before, range.after);
    }
}

// ---- dumps that name their calls otherwise

// Writers of two formats each record ops of their own: what the one never writes was not lacking.
static void settle_of_writer(const Absent *absent, Arena *scratch)
{
    Comparison *out = absent->out;
    Names *called[2] = {names_new(scratch), names_new(scratch)};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < absent->dumps[side]->op_count; i++)
            names_add(called[side], class_of_name(op_name_of(absent->dumps[side]->names,
                                                             absent->dumps[side]->ops[i].name)));
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (is_open(op) &&
            names_find(called[1 - shown_side(op)], class_name(absent, op)) == NAME_NONE)
            settle(absent, op, RULE_CALLED_OTHERWISE, ABSENCE_API);
    }
}

// Where most ops of either side have no partner, which of them the other does not have is not
// known; the comparison is partial then (coverage_most_alone).
static void settle_foreign(const Absent *absent)
{
    Comparison *out = absent->out;
    const Dump *golden = absent->dumps[0], *target = absent->dumps[1];
    uint32_t paired = 0;
    for (uint32_t i = 0; i < out->op_count; i++)
        paired += op_has_both(&out->ops[i]);
    if (golden->format != target->format || golden->framework != target->framework ||
        2 * paired >= golden->op_count || 2 * paired >= target->op_count)
        return;
    for (uint32_t i = 0; i < out->op_count; i++)
        if (is_open(&out->ops[i]))
            settle(absent, &out->ops[i], RULE_CALLED_OTHERWISE, ABSENCE_API);
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
            if (!is_open(op) || shown_side(op) != side)
                continue;
            if (is_below(layers, name_of(absent, op)) ||
                is_below(layers, parts_of(absent, op).path))
                settle(absent, op, RULE_LAYERS, ABSENCE_LAYER);
        }
    }
}

static void settle_inside(const Absent *absent, Arena *scratch)
{
    bool *found = ARENA_ARRAY(scratch, bool, (size_t)absent->out->op_count + 1);
    opaque_modules_find(absent->out, scratch, found);
    for (uint32_t i = 0; i < absent->out->op_count; i++)
        if (found[i])
            settle(absent, &absent->out->ops[i], RULE_INSIDE_MODULE, ABSENCE_INSIDE);
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
    return (Absent){.arena = scratch,
                    .out = comparison,
                    .dumps = {comparison->golden->dump, comparison->target->dump}};
}

void absent_settings(Comparison *comparison)
{
    if (!has_open(comparison))
        return;
    Arena *scratch = arena_new();
    Absent absent = absent_new(comparison, scratch);
    find_construct_calls(&absent, scratch);
    settle_layers(&absent, scratch);
    settle_kinds(&absent);
    stated_settle(comparison);
    settle_risk_levels(&absent);
    settle_inside(&absent, scratch);
    if (has_open(comparison)) {
        absent.effects = op_effects_find(comparison, scratch);
        settle_ranges(&absent, true);
        find_replaced(&absent, scratch);
        settle_named(&absent, scratch);
        for (int side = 0; side < 2; side++)
            settle_list(&absent, side, scratch);
        settle_ranges(&absent, false);
        if (absent.dumps[0]->format != absent.dumps[1]->format)
            settle_of_writer(&absent, scratch);
        settle_foreign(&absent);
    }
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

// Names of ops that tell no class, as inference engines write them.
static bool has_class(const Absent *absent, const OpPair *op)
{
    const Op *record = op_of(absent, op);
    if (record->kind == OP_OTHER)
        return false;
    return record->kind != OP_MODULE ||
           op_name_of(absent->dumps[shown_side(op)]->names, record->name).type_name.size > 0;
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
    int side = shown_side(op);
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
    int side = shown_side(op);
    const Graph *graph = comparison_graph(out, side);
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

// Whether the op has results, and tells what they hold.
static bool tells_results(const Absent *absent, const OpPair *op)
{
    const Op *record = op_of(absent, op);
    const Dump *dump = absent->dumps[shown_side(op)];
    for (uint32_t k = record->first_slot; k < record->first_slot + record->slot_count; k++)
        if (slot_is_output_tensor(&dump->slots[k]) && recorded_told(&dump->slots[k]))
            return true;
    return false;
}

// An op without results, as the backward call of a module may be, is no evidence by itself; what a
// module did was done by the ops in it.
static bool has_no_effect(Absent *absent, const OpPair *op, OpEffect effect, bool differs)
{
    const Op *record = op_of(absent, op);
    if (record->kind == OP_MODULE && !differs && holds_pairs_only(absent, op))
        return true;
    if (record->kind == OP_MODULE && !tells_results(absent, op))
        return record->direction == DIR_BACKWARD;
    if (!has_class(absent, op))
        return effect == EFFECT_NONE && wraps_others(absent, op);
    return effect == EFFECT_NONE || effect == EFFECT_UNUSED;
}

// A forward call that the other side does in others, or the backward call of such a one.
static bool is_rewritten(Class *class, int side, bool forward, bool marked)
{
    if (forward) {
        class->rewritten[side] += marked;
        return marked;
    }
    bool found = class->rewritten[side] > 0;
    class->rewritten[side] -= found && !marked;
    return found || marked;
}

// The gradients of the weights of a module whose calls the other side does in others.
static bool is_of_rewritten(Absent *absent, const OpPair *op, bool rewritten)
{
    const Op *record = op_of(absent, op);
    int side = shown_side(op);
    const Names *names = absent->dumps[side]->names;
    Str module = op_name_of(names, record->name).stem;
    if (rewritten && record->kind == OP_MODULE)
        names_add(absent->rewritten[side], module);
    return record->kind == OP_GRADS && names_find(absent->rewritten[side], module) != NAME_NONE;
}

static Class *class_of(Absent *absent, const OpPair *op)
{
    return &absent->classes[names_find(absent->texts, class_name(absent, op))];
}

// Calls of one direction; a backward call may hand on what it gets, and still belong to a forward
// call that is missing.
static void settle_no_effect(Absent *absent, const bool *rewritten, bool backward)
{
    Comparison *out = absent->out;
    bool differs = something_differs(out);
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if ((!is_open(op) && !(rewritten[i] && op->absence == ABSENCE_API)) ||
            (op_of(absent, op)->direction == DIR_BACKWARD) != backward)
            continue;
        int side = shown_side(op);
        Class *class = class_of(absent, op);
        bool missing = backward && class->missing[side];
        bool other = is_of_rewritten(absent, op, rewritten[i]) ||
                     is_rewritten(class, side, !backward, rewritten[i]);
        OpEffect effect = (OpEffect)absent->effects[i];
        if (!(other && settle(absent, op, RULE_REWRITTEN, ABSENCE_NO_EFFECT)) &&
            (missing || !has_no_effect(absent, op, effect, differs) ||
             !settle(absent, op, effect == EFFECT_UNUSED ? RULE_LOGGING : RULE_NO_EFFECT,
                     ABSENCE_NO_EFFECT)))
            class->missing[side] = true;
    }
}

// Of two structures nothing tells what an op does to later values.
void absent_no_effect(Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].absence == ABSENCE_NO_EFFECT)
            fold_alone(&comparison->ops[i], true);
    if (!has_open(comparison) || coverage_are_structures(comparison))
        return;
    Arena *scratch = arena_new();
    Absent absent = absent_new(comparison, scratch);
    bool *unrecorded = ARENA_ARRAY(scratch, bool, (size_t)comparison->op_count + 1);
    unrecorded_find(comparison, scratch, unrecorded);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (unrecorded[i])
            settle(&absent, &comparison->ops[i], RULE_LIST, ABSENCE_API);
    absent.effects = op_effects_find(comparison, scratch);
    absent.texts = names_new(scratch);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (is_open(&comparison->ops[i]))
            names_add(absent.texts, class_name(&absent, &comparison->ops[i]));
    absent.classes = ARENA_ARRAY(scratch, Class, names_count(absent.texts) + 1);
    for (int side = 0; side < 2; side++)
        absent.rewritten[side] = names_new(scratch);
    const bool *rewritten = comparison->regrouped;
    if (!rewritten)
        rewritten = ARENA_ARRAY(scratch, bool, (size_t)comparison->op_count + 1);
    settle_no_effect(&absent, rewritten, false);
    settle_no_effect(&absent, rewritten, true);
    arena_release(scratch);
}
