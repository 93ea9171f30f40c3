// SPDX-License-Identifier: Apache-2.0
// Recomputed calls: activation checkpointing runs a part of the forward again within the backward.
#include "base/array.h"
#include "base/words.h"
#include "compare/invariant/witness_look.h"
#include "model/graph/graph.h"

enum { FIRST_CALLS_TRIED = 256 };

// What the same kernels leave between two passes over the same input (atomic sums): in float32 many
// roundings, of 16 bits one step. Another dropout or input is off by far more.
static double slack_of(const TensorSeen *seen)
{
    bool wide = str_ends(seen->dtype, STR("32")) || str_ends(seen->dtype, STR("64"));
    return wide ? 1e-5 : 1e-2;
}

// Of the tensors of both groups: different where one is; unknown where none tells enough.
static SeenMatch slots_match(const Looking *of, const Op *a, const Op *b, SlotGroup group,
                             SlotGroup other, bool *any)
{
    SeenMatch out = SEEN_UNKNOWN;
    *any = false;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        const Slot *slot = &of->dump->slots[a->first_slot + i];
        TensorSeen one, two;
        if ((slot->group != group && slot->group != other) || slot->kind != SLOT_TENSOR)
            continue;
        *any = true;
        Str path = names_text(of->dump->names, slot->path);
        if (!look_tensor(of, b, str_cstr(of->scratch, path), &two))
            return SEEN_DIFFERENT;
        look_read(of, slot, &one);
        SeenMatch match = tensor_seen_match(&one, &two, slack_of(&one));
        if (match == SEEN_DIFFERENT)
            return match;
        if (match == SEEN_EQUAL)
            out = match;
    }
    return out;
}

typedef enum Again { AGAIN_UNKNOWN, AGAIN_SAME, OTHER_INPUTS, OTHER_OUTPUTS } Again;

// The calls of one module, or of one function with one weight.
typedef struct Work {
    uint32_t last, first;  // of its first calls, from 1, the later ones chained by Rerun.next
    size_t forwards, backwards;
    bool trained;  // it has a backward call
} Work;

typedef struct Rerun {
    Looking *look;
    Names *keys;
    Work *works;  // by key
    size_t count;
    uint32_t *next;           // by op: the first call of its work before it, from 1
    NameId *key_of;           // by op; NAME_NONE: it is none of those looked at
    uint8_t *verdict;         // by op that is recomputed: Again
    size_t held, off, moved;  // as the first call; not; not, and no dropout
    bool modules, flagged;    // the dump has some; it says of calls whether they are recomputed
} Rerun;

// Where there are modules they tell all that functions do.
static NameId key_of(Rerun *of, uint32_t index)
{
    const Looking *look = of->look;
    const Op *op = &look->dump->ops[index];
    NameId stem = names_add(of->keys, look->names[index].stem);
    if (op->kind == OP_MODULE)
        return stem;
    if (of->modules || op->kind != OP_API)
        return NAME_NONE;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        const Slot *slot = &look->dump->slots[k];
        if (slot->kind != SLOT_TENSOR || look->flow->same[k] == SLOT_NONE ||
            !op_weight_place(look->traits[index], names_text(look->dump->names, slot->path)))
            continue;
        uint32_t key[2] = {stem, look->flow->same[k]};
        return names_add(of->keys, (Str){(const char *)key, sizeof key});
    }
    return NAME_NONE;
}

static Again judge_again(const Rerun *of, const Op *op, uint32_t first)
{
    bool outputs = false, unknown = first == 0, any;
    uint32_t at = first, tried = 0;
    for (; at && tried < FIRST_CALLS_TRIED; at = of->next[at - 1], tried++) {
        const Op *earlier = &of->look->dump->ops[at - 1];
        SeenMatch given = slots_match(of->look, op, earlier, GROUP_INPUT, GROUP_KWARGS, &any);
        if (given == SEEN_DIFFERENT)
            continue;
        bool same = given == SEEN_EQUAL || !any;
        SeenMatch made = slots_match(of->look, op, earlier, GROUP_OUTPUT, GROUP_OUTPUT, &any);
        if (same && made == SEEN_EQUAL)
            return AGAIN_SAME;
        outputs = true;
        unknown = unknown || !same || made == SEEN_UNKNOWN;
    }
    if (at || unknown)  // not all were tried, or one may be it
        return AGAIN_UNKNOWN;
    return outputs ? OTHER_OUTPUTS : OTHER_INPUTS;
}

// Where no flag tells it: a call is run again within a backward if one before it waits for its own.
static bool runs_again(const Rerun *of, const Op *op, const Work *work, uint32_t backward)
{
    if (of->flagged)
        return op->recompute == TRI_TRUE;
    return work->trained && work->last && backward > work->last && work->forwards > work->backwards;
}

static void follow(Rerun *of)
{
    const Dump *dump = of->look->dump;
    uint32_t backward = 0;  // the last one, from 1
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        bool back = op->direction == DIR_BACKWARD;
        uint32_t call = back ? of->look->forward[i] : i;
        backward = back ? i + 1 : backward;
        if (call == OP_NONE || of->key_of[call] == NAME_NONE)
            continue;
        Work *work = &of->works[of->key_of[call]];
        if (back) {
            work->backwards++;
        } else if (runs_again(of, op, work, backward)) {
            of->verdict[i] = (uint8_t)judge_again(of, op, work->first);
            of->held += of->verdict[i] == AGAIN_SAME;
            of->off += of->verdict[i] > AGAIN_SAME;
            of->moved += of->verdict[i] > AGAIN_SAME &&
                         (of->verdict[i] == OTHER_INPUTS ||
                          str_find(of->look->names[i].type_name, STR("ropout"), 0) == SIZE_MAX);
        } else {
            of->next[i] = work->first;
            work->first = work->last = i + 1;
            work->forwards++;
        }
    }
}

// A forward that merely comes after a backward repeats nothing: without flags most have to. Dropout
// that draws again is the mistake itself, other results of weights may be those of an update.
void witness_again(Looking *look)
{
    const Dump *dump = look->dump;
    size_t ops = dump->op_count + (size_t)1;
    Rerun of = {.look = look,
                .keys = names_new(look->scratch),
                .next = ARENA_ARRAY(look->scratch, uint32_t, ops),
                .key_of = ARENA_ARRAY(look->scratch, NameId, ops),
                .verdict = ARENA_ARRAY(look->scratch, uint8_t, ops)};
    bool backward = false;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        of.modules = of.modules || dump->ops[i].kind == OP_MODULE;
        of.flagged = of.flagged || dump->ops[i].recompute == TRI_TRUE;
        backward = backward || dump->ops[i].direction == DIR_BACKWARD;
    }
    if (!backward && !of.flagged)
        return;
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].direction == DIR_FORWARD && (of.key_of[i] = key_of(&of, i)) != NAME_NONE)
            (void)ARRAY_REACH(look->scratch, of.works, of.count, of.key_of[i]);
    for (uint32_t i = 0; of.works && i < dump->op_count; i++)
        if (dump->ops[i].direction == DIR_BACKWARD && look->forward[i] != OP_NONE &&
            of.key_of[look->forward[i]] != NAME_NONE)
            of.works[of.key_of[look->forward[i]]].trained = true;
    if (of.works)
        follow(&of);
    if (!of.flagged && of.moved >= of.held)
        return;
    look->out->local[LOCAL_RECOMPUTE].checked = of.held + of.off;
    for (uint32_t i = 0; i < dump->op_count && of.off; i++)
        if (of.verdict[i] > AGAIN_SAME)
            look_break(look, LOCAL_RECOMPUTE, look_name(look, &dump->ops[i]), "%s",
                       of.verdict[i] == OTHER_OUTPUTS
                           ? tr("from the inputs of the first call its result is another")
                           : tr("its inputs are those of no first call"));
}
