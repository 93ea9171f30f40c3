// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/recorded.h"

#include <string.h>

#include "compare/judge/floor.h"
#include "read/dump/op_name.h"

// So many calls or tensors without something are a setting; fewer may have lost it.
enum { EVIDENCE_MIN = 3, CHECKSUM_SIZES = 129 };

// One change of the code takes the keywords of one API away, not of two.
enum { KEYWORD_APIS = 2 };

SlotRole recorded_role(const Slot *slot)
{
    switch (slot->group) {
    case GROUP_INPUT:
    case GROUP_KWARGS:
        return SLOT_INPUTS;
    case GROUP_PARAMETERS:
        return SLOT_PARAMETERS;
    case GROUP_OUTPUT:
        return SLOT_OUTPUTS;
    default:
        return SLOT_ROLES;
    }
}

static bool tells_stat(const Slot *slot, int stat)
{
    double value;
    return slot->tag[stat] == TAG_REAL || slot->tag[stat] == TAG_BIGINT ||
           slot_stat(slot, (Stat)stat, &value);
}

bool recorded_told(const Slot *slot)
{
    if (slot->kind != SLOT_TENSOR)
        return slot->kind != SLOT_NULL;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (tells_stat(slot, stat))
            return true;
    return slot->checksum != NAME_NONE || slot->data_name != NAME_NONE;
}

static DtypeSort sort_of(Str dtype)
{
    switch (precision_of(dtype)) {
    case PRECISION_EXACT:
        return str_find(dtype, STR("int"), 0) == SIZE_MAX &&
                       str_find(dtype, STR("Int"), 0) == SIZE_MAX
                   ? SORT_OTHER
                   : SORT_INTEGER;
    case PRECISION_F16:
    case PRECISION_BF16:
        return SORT_HALF;
    default:
        return str_find(dtype, STR("loat8"), 0) == SIZE_MAX ? SORT_FLOAT : SORT_OTHER;
    }
}

bool recorded_empty(const Dump *dump, const Slot *slot)
{
    Str shape = names_text(dump->names, slot->shape);
    return shape.size > 2 && shape_elements(shape) == 0;
}

static void see_digits(const Slot *slot, ToldDigits *digits)
{
    for (int stat = 0; stat < STAT_COUNT && !told_digits_whole(digits); stat++)
        if (slot->tag[stat] == TAG_REAL)
            told_digits_see(digits, slot->stat[stat].real);
}

// The texts of shapes are many times fewer than the tensors.
static bool is_empty(const Recorded *side, const Dump *dump, const Slot *slot)
{
    return side->elements[slot->shape] == 0 && recorded_empty(dump, slot);
}

static void see_tensor(const Dump *dump, const Slot *slot, uint32_t *sizes, ToldDigits *digits,
                       Recorded *out)
{
    if (is_empty(out, dump, slot))
        return;
    DtypeSort sort = (DtypeSort)out->sorts[slot->dtype];
    out->tensors[sort]++;
    out->shapes += slot->shape != NAME_NONE;
    out->dtypes += slot->dtype != NAME_NONE;
    if (sort == SORT_FLOAT)
        see_digits(slot, digits);
    for (int stat = 0; stat < STAT_COUNT; stat++)
        out->stats[sort][stat] += tells_stat(slot, stat);
    if (slot->checksum == NAME_NONE)
        return;
    size_t size = names_text(dump->names, slot->checksum).size;
    out->checksums++;
    sizes[size < CHECKSUM_SIZES ? size : 0]++;
}

// Counts the APIs and modules whose calls have arguments by keyword, as far as it matters.
static void see_keyword(const Dump *dump, const Op *op, Str *first, Recorded *out)
{
    if (out->keyword_apis == KEYWORD_APIS)
        return;
    Str stem = op_name_call(dump->names, op->name).stem;
    if (out->keyword_apis == 0)
        *first = stem;
    else if (str_equal(*first, stem))
        return;
    out->keyword_apis++;
}

void recorded_collect(const Dump *dump, Arena *arena, Recorded *out)
{
    size_t names = names_count(dump->names) + 1;
    uint8_t *sorts = ARENA_ARRAY(arena, uint8_t, names);
    uint64_t *elements = ARENA_ARRAY(arena, uint64_t, names);
    bool *known = ARENA_ARRAY(arena, bool, names);
    uint32_t sizes[CHECKSUM_SIZES] = {0};
    ToldDigits digits = {0};
    Str keyword_api = {"", 0};
    *out = (Recorded){.sorts = sorts, .elements = elements};
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        out->ops[op->kind][op->direction]++;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            const Slot *slot = &dump->slots[k];
            SlotRole role = recorded_role(slot);
            if (role != SLOT_ROLES && slot->kind != SLOT_NULL)
                out->slots[op->direction][role]++;
            if (slot->group == GROUP_KWARGS && slot->kind != SLOT_NULL)
                see_keyword(dump, op, &keyword_api, out);
            bool told = recorded_told(slot);
            out->told += told;
            if (slot->kind != SLOT_TENSOR)
                continue;
            out->told_tensors += told;
            if (!known[slot->dtype]) {
                known[slot->dtype] = true;
                sorts[slot->dtype] = (uint8_t)sort_of(names_text(dump->names, slot->dtype));
            }
            if (elements[slot->shape] == 0)
                elements[slot->shape] = shape_elements(names_text(dump->names, slot->shape));
            see_tensor(dump, slot, sizes, &digits, out);
        }
    }
    out->rounding = told_digits_rounding(&digits);
    for (uint32_t size = 1; size < CHECKSUM_SIZES; size++)
        if (sizes[size] > sizes[out->checksum_size])
            out->checksum_size = size;
}

static uint32_t count_calls(const Recorded *side, Direction direction)
{
    return side->ops[OP_API][direction] + side->ops[OP_MODULE][direction];
}

bool recorded_lacks_keywords(const Recorded *side, const Recorded *other)
{
    return side->keyword_apis == 0 && other->keyword_apis == KEYWORD_APIS &&
           count_calls(side, DIR_FORWARD) >= EVIDENCE_MIN;
}

bool recorded_lacks_role(const Recorded *side, Direction direction, SlotRole role)
{
    uint32_t calls = count_calls(side, direction);
    return role != SLOT_ROLES && side->slots[direction][role] == 0 && calls >= EVIDENCE_MIN;
}

static bool has_tensors(const Recorded *side)
{
    uint32_t tensors = 0;
    for (int sort = 0; sort < SORT_COUNT; sort++)
        tensors += side->tensors[sort];
    return tensors >= EVIDENCE_MIN;
}

bool recorded_lacks_shapes(const Recorded *side)
{
    return side->shapes == 0 && has_tensors(side);
}

bool recorded_lacks_dtypes(const Recorded *side)
{
    return side->dtypes == 0 && has_tensors(side);
}

bool recorded_lacks_stat(const Recorded *side, DtypeSort sort, Stat stat)
{
    uint32_t told = 0;
    for (int other = 0; other < SORT_COUNT; other++)
        told += side->stats[other][stat];
    if (told == 0)
        return has_tensors(side);
    return side->stats[sort][stat] == 0 && side->tensors[sort] >= EVIDENCE_MIN;
}

NameId recorded_checksum(const Recorded *side, const Dump *dump, const Slot *slot)
{
    bool usual = names_text(dump->names, slot->checksum).size == side->checksum_size;
    return usual ? slot->checksum : NAME_NONE;
}

bool recorded_lost(const Recorded *golden_side, const Slot *golden, const Recorded *target_side,
                   const Slot *target, const Dump *dumps[2])
{
    const Recorded *sides[2] = {golden_side, target_side};
    const Slot *slots[2] = {golden, target};
    if (is_empty(golden_side, dumps[0], golden) || is_empty(target_side, dumps[1], target))
        return false;
    if (recorded_lacks_shapes(golden_side) != recorded_lacks_shapes(target_side) ||
        recorded_lacks_dtypes(golden_side) != recorded_lacks_dtypes(target_side))
        return true;
    bool alike = memcmp(golden->tag, target->tag, sizeof golden->tag) == 0;
    for (int stat = 0; stat < STAT_COUNT && !alike; stat++) {
        bool told = tells_stat(golden, stat);
        if (told == tells_stat(target, stat))
            continue;
        int lacking = told ? 1 : 0;
        DtypeSort sort = (DtypeSort)sides[lacking]->sorts[slots[lacking]->dtype];
        if (!recorded_lacks_stat(sides[lacking], sort, (Stat)stat))
            return true;
    }
    bool told[2];
    for (int side = 0; side < 2; side++)
        told[side] = recorded_checksum(sides[side], dumps[side], slots[side]) != NAME_NONE;
    if (told[0] != told[1] && sides[told[0] ? 1 : 0]->checksums > 0)
        return true;
    int without = golden->data_name != NAME_NONE ? 1 : 0;
    return (golden->data_name != NAME_NONE) != (target->data_name != NAME_NONE) &&
           dumps[without]->has_data_name;
}
