// SPDX-License-Identifier: Apache-2.0
// How much of two dumps was compared with each other, and what one of them does not have recorded.
#include "compare/coverage.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "compare/nonfinite/nonfinite_alone.h"
#include "read/dump/op_name.h"

static Str class_of(const Dump *dump, const Op *op)
{
    OpName name = op_name_of(dump->names, op->name);
    if (name.kind != OP_MODULE && name.kind != OP_GRADS)
        return name.stem;
    return name.type_name;
}

static Str direction_name(const Op *op)
{
    return op->direction == DIR_BACKWARD ? STR("backward") : STR("forward");
}

static Str name_of(const Dump *dump, const Op *op, Absence absence, Arena *arena)
{
    switch (absence) {
    case ABSENCE_APIS:
    case ABSENCE_INSIDE:
        return STR("API");
    case ABSENCE_MODULES:
        return STR("module");
    case ABSENCE_GRADIENTS:
        return STR("parameters_grad");
    case ABSENCE_DIRECTION:
        return direction_name(op);
    case ABSENCE_API:
        return class_of(dump, op);
    case ABSENCE_CALLS:
        return str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(class_of(dump, op)),
                          STR_ARG(direction_name(op)));
    case ABSENCE_LAYER:
        return STR("layers");
    default:
        return (Str){"", 0};
    }
}

typedef struct List {
    LeftOut *items;
    size_t count, capacity;
} List;

static bool is_same(const LeftOut *a, const LeftOut *b)
{
    return a->side == b->side && a->absence == b->absence && a->rule == b->rule &&
           str_equal(a->name, b->name);
}

static int compare_items(const void *one, const void *other)
{
    const LeftOut *a = one, *b = other;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->absence != b->absence)
        return a->absence < b->absence ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return str_compare(a->name, b->name);
}

// Equal items become one.
static void add_up(List *list)
{
    size_t kept = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_items);
    for (size_t i = 0; i < list->count; i++) {
        if (kept && is_same(&list->items[kept - 1], &list->items[i]))
            list->items[kept - 1].count += list->items[i].count;
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

static void add(List *list, Arena *arena, LeftOut item)
{
    // Classes repeat by the thousands: the list stays short.
    for (size_t i = list->count; i-- > 0 && list->count - i < 8;)
        if (is_same(&list->items[i], &item)) {
            list->items[i].count += item.count;
            return;
        }
    *ARRAY_PUSH(arena, list) = item;
}

static void list_ops(const Comparison *comparison, Arena *arena, List *list)
{
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        if (pair->absence == ABSENCE_NONE)
            continue;
        bool golden = pair->target == OP_NONE;
        const Dump *dump = golden ? comparison->golden->dump : comparison->target->dump;
        const Op *op = &dump->ops[golden ? pair->golden : pair->target];
        add(list, arena,
            (LeftOut){golden ? SIDE_TARGET : SIDE_GOLDEN, (Absence)pair->absence,
                      name_of(dump, op, (Absence)pair->absence, arena), 1, (Rule)pair->rule});
    }
}

static LeftOut left_out_slot(const Recorded *lacking, Side side, const Slot *slot)
{
    static const Str names[] = {[SLOT_INPUTS] = {"inputs", 6},
                                [SLOT_PARAMETERS] = {"parameters", 10},
                                [SLOT_OUTPUTS] = {"outputs", 7},
                                [SLOT_ROLES] = {"values", 6}};
    if (slot->group == GROUP_KWARGS && lacking->slots[DIR_FORWARD][SLOT_INPUTS])
        return (LeftOut){side, ABSENCE_KEYWORDS, STR("keywords"), 1, REASON_NONE};
    return (LeftOut){side, ABSENCE_ROLE, names[recorded_role(slot)], 1, REASON_NONE};
}

static void list_slots(const Comparison *comparison, Arena *arena, List *list,
                       uint8_t stated_used[2])
{
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (pair->reason != REASON_NOT_RECORDED)
            continue;
        bool golden = pair->target == SLOT_NONE;
        const Slot *slot = golden ? &comparison->golden->dump->slots[pair->golden]
                                  : &comparison->target->dump->slots[pair->target];
        Side side = golden ? SIDE_TARGET : SIDE_GOLDEN;
        const Stated *stated = comparison->stated[side];
        SlotRole role = recorded_role(slot);
        if (stated && stated_has(stated, STATED_DATA_MODE) &&
            (role == SLOT_INPUTS || role == SLOT_OUTPUTS))
            stated_used[side] |= (uint8_t)(1U << STATED_DATA_MODE);
        add(list, arena, left_out_slot(&comparison->recorded[side], side, slot));
    }
}

// Statistics that one side tells of tensors of a sort, and the other of none.
static void list_statistics(const Comparison *comparison, Arena *arena, List *list)
{
    static const Str names[STAT_COUNT] = {[STAT_MAX] = {"Max", 3},
                                          [STAT_MIN] = {"Min", 3},
                                          [STAT_MEAN] = {"Mean", 4},
                                          [STAT_NORM] = {"Norm", 4}};
    for (int side = 0; side < 2; side++)
        for (int stat = 0; stat < STAT_COUNT; stat++)
            for (int sort = 0; sort < SORT_COUNT; sort++) {
                const Recorded *own = &comparison->recorded[side];
                uint32_t told = comparison->recorded[1 - side].stats[sort][stat];
                if (told && own->tensors[sort] &&
                    recorded_lacks_stat(own, (DtypeSort)sort, (Stat)stat))
                    add(list, arena,
                        (LeftOut){side == 0 ? SIDE_GOLDEN : SIDE_TARGET, ABSENCE_STATISTIC,
                                  names[stat], told, REASON_NONE});
            }
}

static uint64_t count_files(const Dump *dump)
{
    uint64_t files = 0;
    for (uint32_t i = 0; i < dump->slot_count; i++)
        files += dump->slots[i].data_name != NAME_NONE;
    return files;
}

// What tells more of tensors than their statistics, and is on one side only.
static void list_finer(const Comparison *comparison, Arena *arena, List *list)
{
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    for (int side = 0; side < 2 && comparison->compared_tensors; side++) {
        Side lacking = side == 0 ? SIDE_GOLDEN : SIDE_TARGET;
        uint32_t sums = comparison->recorded[1 - side].checksums;
        if (sums && !comparison->recorded[side].checksums)
            add(list, arena,
                (LeftOut){lacking, ABSENCE_STATISTIC, STR("checksums"), sums, REASON_NONE});
        if (dumps[1 - side]->has_data_name && !dumps[side]->has_data_name)
            add(list, arena,
                (LeftOut){lacking, ABSENCE_STATISTIC, STR("files"), count_files(dumps[1 - side]),
                          REASON_NONE});
    }
}

// A side whose statistics are rounded where the other's are not.
static void list_digits(const Comparison *comparison, Arena *arena, List *list)
{
    ToldRounding golden = comparison->recorded[0].rounding;
    ToldRounding target = comparison->recorded[1].rounding;
    bool coarser = told_digits_coarser(golden, target);
    if ((!coarser && !told_digits_coarser(target, golden)) || !comparison->compared_tensors)
        return;
    add(list, arena,
        (LeftOut){coarser ? SIDE_GOLDEN : SIDE_TARGET, ABSENCE_DIGITS,
                  told_digits_format(coarser ? golden : target, arena),
                  comparison->compared_tensors, REASON_NONE});
}

static SideContent content_of(const Recorded *side)
{
    for (int sort = 0; sort < SORT_COUNT; sort++)
        for (int stat = 0; stat < STAT_COUNT; stat++)
            if (side->stats[sort][stat])
                return CONTENT_STATISTICS;
    if (side->checksums)
        return CONTENT_CHECKSUMS;
    return side->told_tensors ? CONTENT_FILES : CONTENT_STRUCTURE;
}

bool coverage_are_structures(const Comparison *comparison)
{
    return content_of(&comparison->recorded[0]) == CONTENT_STRUCTURE &&
           content_of(&comparison->recorded[1]) == CONTENT_STRUCTURE;
}

static bool is_unrecorded(const Dump *dump, uint32_t index)
{
    const Slot *slot = &dump->slots[index];
    return slot->kind == SLOT_TENSOR && !recorded_told(slot) && !recorded_empty(dump, slot);
}

static bool is_nan(const Slot *slot)
{
    double value;
    bool told = false;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        if (!slot_stat(slot, (Stat)stat, &value))
            continue;
        if (!isnan(value))
            return false;
        told = true;
    }
    return told && slot->kind == SLOT_TENSOR;
}

// Neither checksums nor elements say more of them.
static uint64_t count_nan(const Comparison *comparison)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        count += pair->golden != SLOT_NONE && pair->target != SLOT_NONE &&
                 pair->metric != METRIC_CHECKSUM && pair->metric != METRIC_ELEMENTS &&
                 is_nan(&comparison->golden->dump->slots[pair->golden]) &&
                 is_nan(&comparison->target->dump->slots[pair->target]);
    }
    return count;
}

static uint64_t count_ignored(const Comparison *comparison)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++)
        count += comparison->slots[i].reason == REASON_IGNORED;
    return count;
}

static uint64_t count_unrecorded(const Comparison *comparison)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        count += pair->golden != SLOT_NONE && pair->target != SLOT_NONE &&
                 is_unrecorded(comparison->golden->dump, pair->golden) &&
                 is_unrecorded(comparison->target->dump, pair->target);
    }
    return count;
}

// Not those that a rank lost, which count as lost.
static uint64_t count_unmerged(const Comparison *comparison)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        count += pair->reason == REASON_UNCOMPARABLE && pair->golden != SLOT_NONE &&
                 pair->target != SLOT_NONE &&
                 (comparison->golden->dump->slots[pair->golden].parts ||
                  comparison->target->dump->slots[pair->target].parts);
    }
    return count;
}

static bool has_place(const Comparison *comparison, const OpPair *op)
{
    return op->golden != OP_NONE && op->target != OP_NONE &&
           comparison->golden->dump->ops[op->golden].kind != OP_GRADS;
}

// Ops are in the order of the target: all but the longest rising run of golden's places moved.
// When a gradient is written is no order of calls.
static uint64_t count_moved(const Comparison *comparison, Arena *scratch)
{
    uint32_t *ends = ARENA_ARRAY(scratch, uint32_t, (size_t)comparison->op_count + 1);
    uint32_t longest = 0, pairs = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        if (!has_place(comparison, &comparison->ops[i]))
            continue;
        uint32_t place = comparison->ops[i].golden, low = 0, high = longest;
        if (longest && ends[longest - 1] < place)
            low = longest;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (ends[middle] < place)
                low = middle + 1;
            else
                high = middle;
        }
        ends[low] = place;
        longest += low == longest;
        pairs++;
    }
    return pairs - longest;
}

// ---- what rules excuse

static Excused excused_of(const Comparison *comparison, const OpPair *op, uint32_t slot)
{
    const SlotPair *pair = &comparison->slots[slot];
    const Dump *golden = comparison->golden->dump;
    bool number = pair->status == STATUS_PASS && pair->metric != METRIC_NONE;
    const Given *given = comparison->given ? &comparison->given[slot] : NULL;
    return (Excused){.rule = (Reason)pair->reason,
                     .op = names_text(golden->names, golden->ops[op->golden].name),
                     .slot = names_text(golden->names, golden->slots[pair->golden].path),
                     .error = number ? pair->error : (double)NAN,
                     .floor = number ? (double)pair->floor : (double)NAN,
                     .given = given && (given->slot || given->error > 0) ? (double)given->error
                                                                         : (double)NAN};
}

// Lists the rules that `count` slots rest on; those of `first` are copied.
static void list_excused(const Excused first[REASON_COUNT], Arena *arena, Coverage *out)
{
    out->excused_count = 0;
    out->excused = ARENA_ARRAY(arena, Excused, REASON_COUNT);
    for (int rule = 0; rule < REASON_COUNT; rule++) {
        if (!first[rule].slots)
            continue;
        Excused *item = &out->excused[out->excused_count++];
        *item = first[rule];
        item->op = str_copy(arena, item->op);
        item->slot = str_copy(arena, item->slot);
    }
}

static void collect_excused(const Comparison *comparison, Arena *arena, Coverage *out)
{
    Excused first[REASON_COUNT] = {0};
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            const SlotPair *pair = &comparison->slots[k];
            if (pair->reason == REASON_NONE || rule_table[pair->reason].scope != RULE_EXCUSES)
                continue;
            if (!first[pair->reason].slots)
                first[pair->reason] = excused_of(comparison, op, k);
            first[pair->reason].slots++;
        }
    }
    list_excused(first, arena, out);
}

static void join_excused(Coverage *sum, const Coverage *other, Arena *arena)
{
    Excused first[REASON_COUNT] = {0};
    const Coverage *both[2] = {sum, other};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < both[side]->excused_count; i++) {
            const Excused *item = &both[side]->excused[i];
            uint64_t slots = first[item->rule].slots + item->slots;
            if (!first[item->rule].slots)
                first[item->rule] = *item;
            first[item->rule].slots = slots;
        }
    list_excused(first, arena, sum);
}

void coverage_collect(const Comparison *comparison, Arena *arena, Coverage *out)
{
    Arena *scratch = arena_new();
    List list = {0};
    *out = (Coverage){.compared = comparison->compared,
                      .compared_tensors = comparison->compared_tensors,
                      .carried = comparison->carried,
                      .widened = comparison->widened,
                      .lost = comparison->lost,
                      .unrecorded = count_unrecorded(comparison),
                      .ignored = count_ignored(comparison),
                      .unmerged = count_unmerged(comparison),
                      .nan = count_nan(comparison),
                      .moved = count_moved(comparison, scratch)};
    out->sums = comparison->golden->dump->sums || comparison->target->dump->sums;
    NonfiniteAlone alone = nonfinite_alone(comparison, arena);
    out->nan_alone = alone.count;
    out->nan_first = alone.first;
    out->nan_is_inf = alone.count && !(alone.kind & NONFINITE_NAN);
    for (int side = 0; side < 2; side++) {
        const Dump *dump = comparison_graph(comparison, side)->dump;
        out->slots[side] = dump->slot_count;
        out->told[side] = comparison->recorded[side].told;
        out->content[side] = content_of(&comparison->recorded[side]);
        for (int sort = 0; sort < SORT_COUNT; sort++)
            out->tensors[side] += comparison->recorded[side].tensors[sort];
        out->ends_early[side] = comparison->ends_early[side];
        if (comparison->stated[side])
            out->stated[side] = *comparison->stated[side];
        out->stated_used[side] = comparison->stated_used[side];
        out->breaks_off[side] = dump->partial_at >= 0;
        ToldRounding rounding = comparison->recorded[side].rounding;
        out->rounded[side] = dump->printed || rounding.digits || rounding.decimals;
    }
    collect_excused(comparison, arena, out);
    ReplacedList replaced;
    out->replaced_alone = replaced_ops_find(comparison, arena, &replaced);
    out->replaced = replaced.items;
    out->replaced_count = (uint32_t)replaced.count;
    list_ops(comparison, scratch, &list);
    list_slots(comparison, scratch, &list, out->stated_used);
    bool statistics = out->content[0] == CONTENT_STATISTICS;
    if (statistics && out->content[1] == CONTENT_STATISTICS)
        list_statistics(comparison, scratch, &list);
    list_finer(comparison, scratch, &list);
    list_digits(comparison, scratch, &list);
    add_up(&list);
    out->left_count = (uint32_t)list.count;
    out->left_out = ARENA_ARRAY(arena, LeftOut, list.count);
    for (size_t i = 0; i < list.count; i++) {
        out->left_out[i] = list.items[i];
        out->left_out[i].name = str_copy(arena, list.items[i].name);
    }
    arena_release(scratch);
}

const char *coverage_word(Absence absence)
{
    static const char *const words[] = {
        [ABSENCE_NONE] = "none",           [ABSENCE_APIS] = "level",
        [ABSENCE_MODULES] = "level",       [ABSENCE_GRADIENTS] = "role",
        [ABSENCE_DIRECTION] = "direction", [ABSENCE_API] = "api",
        [ABSENCE_CALLS] = "api",           [ABSENCE_RANGE] = "range",
        [ABSENCE_HEAD] = "range",          [ABSENCE_TAIL] = "range",
        [ABSENCE_INSIDE] = "level",        [ABSENCE_LAYER] = "range",
        [ABSENCE_NO_EFFECT] = "unfelt",    [ABSENCE_ROLE] = "role",
        [ABSENCE_KEYWORDS] = "role",       [ABSENCE_STATISTIC] = "statistic",
        [ABSENCE_DIGITS] = "digits"};
    return words[absence];
}

const char *coverage_why(Absence absence)
{
    static const char *const reasons[] = {
        [ABSENCE_NONE] = "",
        [ABSENCE_APIS] = "the side holds no call of any API",
        [ABSENCE_MODULES] = "the side holds no call of any module",
        [ABSENCE_GRADIENTS] = "the side holds no gradient of a weight",
        [ABSENCE_DIRECTION] = "the side holds no call of this direction",
        [ABSENCE_API] = "the side holds no call of it: a list or risk_level",
        [ABSENCE_CALLS] = "the side holds no call of it in this direction, and others of it",
        [ABSENCE_RANGE] = "the side holds nothing before or after what both hold: a scope",
        [ABSENCE_HEAD] = "the dump lost its first ops, or its collection was set so (scope)",
        [ABSENCE_TAIL] = "the dump lost its last ops, or its collection was set so (scope)",
        [ABSENCE_INSIDE] = "the side holds the module around it and no call of an API within",
        [ABSENCE_LAYER] = "the dump itself says that it leaves these layers out",
        [ABSENCE_NO_EFFECT] = "no op that both hold differs by it: the rule says why",
        [ABSENCE_ROLE] = "no call of the side has slots of this role",
        [ABSENCE_KEYWORDS] = ("no call of the side has an argument by keyword, though calls of "
                              "several APIs of the other do"),
        [ABSENCE_STATISTIC] = "no tensor of the side, or of its sort, has the statistic",
        [ABSENCE_DIGITS] = "no statistic of the side has more digits: its writer rounds them"};
    return reasons[absence];
}

static void join_replaced(Coverage *sum, const Coverage *other, Arena *arena)
{
    ReplacedList list = {0};
    Names *known = names_new(arena);
    for (uint32_t i = 0; i < sum->replaced_count; i++)
        replaced_add(&list, known, sum->replaced[i], arena);
    for (uint32_t i = 0; i < other->replaced_count; i++)
        replaced_add(&list, known, other->replaced[i], arena);
    sum->replaced = list.items;
    sum->replaced_count = (uint32_t)list.count;
    sum->replaced_alone += other->replaced_alone;
}

void coverage_join(Coverage *sum, const Coverage *other, Arena *arena)
{
    List list = {0};
    for (int side = 0; side < 2; side++) {
        sum->slots[side] += other->slots[side];
        sum->told[side] += other->told[side];
        sum->tensors[side] += other->tensors[side];
        sum->ends_early[side] = sum->ends_early[side] || other->ends_early[side];
        sum->stated_used[side] |= other->stated_used[side];
        if (other->stated_used[side])
            sum->stated[side] = other->stated[side];
        sum->breaks_off[side] = sum->breaks_off[side] || other->breaks_off[side];
        sum->rounded[side] = sum->rounded[side] || other->rounded[side];
    }
    sum->compared += other->compared;
    sum->compared_tensors += other->compared_tensors;
    sum->carried += other->carried;
    sum->widened += other->widened;
    sum->ignored += other->ignored;
    sum->lost += other->lost;
    sum->unrecorded += other->unrecorded;
    sum->unmerged += other->unmerged;
    sum->sums = sum->sums || other->sums;
    sum->nan += other->nan;
    if (!sum->nan_alone && other->nan_alone) {
        sum->nan_first = other->nan_first;
        sum->nan_is_inf = other->nan_is_inf;
    }
    sum->nan_alone += other->nan_alone;
    sum->moved += other->moved;
    for (uint32_t i = 0; i < sum->left_count; i++)
        *ARRAY_PUSH(arena, &list) = sum->left_out[i];
    for (uint32_t i = 0; i < other->left_count; i++)
        *ARRAY_PUSH(arena, &list) = other->left_out[i];
    add_up(&list);
    join_excused(sum, other, arena);
    if (other->replaced_count)
        join_replaced(sum, other, arena);
    sum->left_out = list.items;
    sum->left_count = (uint32_t)list.count;
}

bool coverage_most_alone(const Comparison *comparison)
{
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    return golden->format == target->format && golden->framework == target->framework &&
           !comparison->kernels && comparison->compared > 0 &&
           2 * comparison->matched_ops < golden->op_count &&
           2 * comparison->matched_ops < target->op_count;
}

bool coverage_no_tensor(const Coverage *coverage)
{
    return coverage->compared_tensors == 0 && coverage->tensors[0] && coverage->tensors[1];
}

bool coverage_passes_by(Reason rule)
{
    return rule_table[rule].scope == RULE_EXCUSES && rule != REASON_REGROUPED &&
           rule != REASON_SAME_MEANING;
}

uint64_t coverage_by_rule(const Coverage *coverage)
{
    uint64_t values = 0;
    for (uint32_t i = 0; i < coverage->excused_count; i++)
        if (coverage_passes_by(coverage->excused[i].rule))
            values += coverage->excused[i].slots;
    return values;
}

uint64_t coverage_ops_alone(const Coverage *coverage)
{
    uint64_t ops = 0;
    for (uint32_t i = 0; i < coverage->left_count; i++)
        if (coverage->left_out[i].absence < ABSENCE_ROLE)
            ops += coverage->left_out[i].count;
    return ops;
}
