// SPDX-License-Identifier: Apache-2.0
#include "compare/criteria_fit.h"

#include <string.h>

#include "base/words.h"
#include "read/settings/criteria_pick.h"

typedef struct Fit {
    const Comparison *comparison;
    const CriteriaPick *picked;  // rules about the op at work
    char *marks;
    size_t open;  // rules without a slot so far
} Fit;

static Str op_name(const Comparison *comparison, const OpPair *op)
{
    bool target = op->target != OP_NONE;
    const Dump *dump = (target ? comparison->target : comparison->golden)->dump;
    return names_text(dump->names, dump->ops[target ? op->target : op->golden].name);
}

static void look_at_slot(Fit *fit, Str op, const SlotPair *pair)
{
    bool golden = pair->golden != SLOT_NONE;
    const Dump *dump = (golden ? fit->comparison->golden : fit->comparison->target)->dump;
    const Slot *slot = &dump->slots[golden ? pair->golden : pair->target];
    Str path = names_text(dump->names, slot->path), dtype = names_text(dump->names, slot->dtype);
    for (size_t i = 0; i < fit->picked->rules.count; i++) {
        char *mark = &fit->marks[fit->picked->places.items[i]];
        if (*mark == '0' && criteria_rule_fits(&fit->picked->rules.items[i], op, path, dtype)) {
            *mark = '1';
            fit->open--;
        }
    }
}

Str criteria_fit(const Comparison *comparison, const Criteria *criteria, Arena *arena)
{
    Arena *scratch = arena_new();
    const CriteriaIndex *index = criteria_index_new(criteria, scratch);
    CriteriaPick picked = {0};
    Fit fit = {.comparison = comparison,
               .picked = &picked,
               .marks = ARENA_ARRAY(arena, char, criteria->count + 1),
               .open = criteria->count};
    memset(fit.marks, '0', criteria->count);
    for (uint32_t i = 0; i < comparison->op_count && fit.open; i++) {
        const OpPair *op = &comparison->ops[i];
        Str name = op_name(comparison, op);
        criteria_pick(index, name, scratch, &picked);
        for (uint32_t k = 0; k < op->slot_count && fit.open; k++)
            look_at_slot(&fit, name, &comparison->slots[op->first_slot + k]);
    }
    arena_release(scratch);
    return (Str){fit.marks, criteria->count};
}

static bool fits_a_pair(size_t rule, const PairFacts *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rule >= pairs[i].criteria_fit.size || pairs[i].criteria_fit.data[rule] == '1')
            return true;
    return count == 0;
}

void criteria_note_unused(const Criteria *criteria, const PairFacts *pairs, size_t count,
                          Notices *notices)
{
    for (size_t i = 0; i < criteria->count; i++)
        if (!fits_a_pair(i, pairs, count))
            notices_add(
                notices, NOTICE_UNMET,
                WHERE_LINE(str_cstr(notices->arena, criteria->path), criteria->items[i].line),
                tr("the rule in line %llu fits no slot of the dumps and changes nothing: compare "
                   "its patterns "
                   "with the names in the tables"),
                (unsigned long long)criteria->items[i].line);
}
