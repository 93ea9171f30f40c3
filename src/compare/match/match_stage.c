// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_stage.h"

#include "base/array.h"
#include "compare/match/match_pass.h"

static void part(Matcher *matcher, uint32_t first)
{
    uint32_t second = matcher->partner[0][first];
    if (second == OP_NONE)
        return;
    matcher->partner[0][first] = matcher->partner[1][second] = OP_NONE;
}

// The calls of one API or module on both sides.
typedef struct Class {
    uint32_t count[2];
    uint32_t by_name, by_order;  // pairs that do not contradict themselves
    uint32_t rows;               // pairs by name that differ in numbers of rows at most
    uint32_t paired;             // by order, whether they contradict themselves or not
    bool contested;              // names do not settle it
    bool back_to_names;
} Class;

typedef struct Stage {
    Matcher *matcher;
    MatchStage stage;
    Class *classes;
    uint32_t *by_name;  // by op of side 0: its partner by name
    Arena *scratch;
} Stage;

static bool is_in(const Stage *stage, int side, uint32_t op)
{
    return stage->matcher->stage[side][op] == stage->stage;
}

static uint32_t op_count(const Stage *stage, int side)
{
    return stage->matcher->sides[side].dump->op_count;
}

static Class *class_of(const Stage *stage, int side, uint32_t op)
{
    return &stage->classes[stage->matcher->keys.ops[side][op].class];
}

static void pair_by_name(Stage *stage)
{
    Matcher *matcher = stage->matcher;
    const MatchKeys *keys = &matcher->keys;
    size_t text_count = names_count(keys->texts) + 1;
    uint32_t *op_of = array_of_none(stage->scratch, text_count);
    for (uint32_t i = op_count(stage, 1); i-- > 0;)
        if (is_in(stage, 1, i))
            op_of[keys->ops[1][i].whole] = i;
    for (uint32_t i = 0; i < op_count(stage, 0); i++) {
        stage->by_name[i] = OP_NONE;
        uint32_t other = is_in(stage, 0, i) ? op_of[keys->ops[0][i].whole] : OP_NONE;
        if (other == OP_NONE || matcher->partner[1][other] != OP_NONE)
            continue;
        match_pair(matcher, i, other);
        stage->by_name[i] = other;
    }
}

static bool same_signature(const Matcher *matcher, uint32_t first, uint32_t second)
{
    return matcher->keys.ops[0][first].signature == matcher->keys.ops[1][second].signature;
}

// A pair that speaks for itself: same place in the hierarchy, same shapes.
static bool agrees(const Matcher *matcher, uint32_t first, uint32_t second)
{
    return same_signature(matcher, first, second) && match_pass_same_place(matcher, first, second);
}

// "[14, 64]" and "[16, 64]": as many axes, the last of several is the same.
static bool same_but_rows(Str a, Str b)
{
    size_t end[2] = {str_rfind_char(a, ','), str_rfind_char(b, ',')}, axes[2] = {0, 0};
    for (size_t i = 0; i < a.size; i++)
        axes[0] += a.data[i] == ',';
    for (size_t i = 0; i < b.size; i++)
        axes[1] += b.data[i] == ',';
    if (axes[0] == 0 || axes[1] == 0)
        return axes[0] == axes[1] && (a.size > 2) == (b.size > 2);
    return axes[0] == axes[1] &&
           str_equal(str_slice(a, end[0], a.size), str_slice(b, end[1], b.size));
}

// What a router gives to an expert differs in its rows from run to run, and in nothing else.
static bool differ_in_rows(const Matcher *matcher, uint32_t first, uint32_t second)
{
    const Dump *dumps[2] = {matcher->sides[0].dump, matcher->sides[1].dump};
    const Op *one = &dumps[0]->ops[first], *two = &dumps[1]->ops[second];
    if (one->slot_count != two->slot_count || !match_pass_same_place(matcher, first, second))
        return false;
    for (uint32_t i = 0; i < one->slot_count; i++) {
        const Slot *a = &dumps[0]->slots[one->first_slot + i];
        const Slot *b = &dumps[1]->slots[two->first_slot + i];
        if (a->kind != b->kind || a->group != b->group ||
            (a->kind == SLOT_TENSOR && !same_but_rows(names_text(dumps[0]->names, a->shape),
                                                      names_text(dumps[1]->names, b->shape))))
            return false;
    }
    return true;
}

static void count_classes(Stage *stage)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < op_count(stage, side); i++)
            if (is_in(stage, side, i))
                class_of(stage, side, i)->count[side]++;
    for (uint32_t i = 0; i < op_count(stage, 0); i++) {
        if (!is_in(stage, 0, i))
            continue;
        Class *class = class_of(stage, 0, i);
        uint32_t other = stage->by_name[i];
        bool agree = other != OP_NONE && agrees(stage->matcher, i, other);
        class->by_name += agree;
        bool doubtful = class->count[0] != class->count[1] || !agree || stage->matcher->fuzzy;
        class->contested = class->contested || doubtful;
    }
}

// Only calls that both sides have can be paired otherwise.
static bool is_contested(const Stage *stage, uint32_t first)
{
    const Class *class = class_of(stage, 0, first);
    return class->contested && class->count[0] && class->count[1];
}

static void release_contested(Stage *stage)
{
    for (uint32_t i = 0; i < op_count(stage, 0); i++)
        if (stage->by_name[i] != OP_NONE && is_contested(stage, i))
            part(stage->matcher, i);
}

static void count_pairs(Stage *stage)
{
    Matcher *matcher = stage->matcher;
    for (uint32_t i = 0; i < op_count(stage, 0); i++) {
        if (!is_in(stage, 0, i))
            continue;
        Class *class = class_of(stage, 0, i);
        uint32_t other = matcher->partner[0][i], named = stage->by_name[i];
        class->paired += other != OP_NONE;
        class->by_order += other != OP_NONE && agrees(matcher, i, other);
        class->rows += class->contested && named != OP_NONE && differ_in_rows(matcher, i, named);
    }
}

// A pairing by order must be better than that by name; where one side has more calls, as good is
// enough, as then the numbers are known to be shifted somewhere. It is not better where it leaves
// calls without a partner that differ in nothing but rows from those of their names.
static bool names_are_better(const Class *class)
{
    if (class->count[0] != class->count[1])
        return class->by_order < class->by_name;
    return class->by_order <= class->by_name ||
           (class->rows == class->count[0] && class->paired < class->count[0]);
}

static void choose(Stage *stage)
{
    Matcher *matcher = stage->matcher;
    count_pairs(stage);
    for (uint32_t i = 0; i < matcher->keys.class_count; i++) {
        Class *class = &stage->classes[i];
        class->back_to_names = class->contested && !matcher->fuzzy && names_are_better(class);
    }
    for (uint32_t i = 0; i < op_count(stage, 0); i++)
        if (is_in(stage, 0, i) && class_of(stage, 0, i)->back_to_names)
            part(matcher, i);
    for (uint32_t i = 0; i < op_count(stage, 0); i++)
        if (stage->by_name[i] != OP_NONE && class_of(stage, 0, i)->back_to_names)
            match_pair(matcher, i, stage->by_name[i]);
}

static const MatchPass module_passes[] = {
    BY_CLASS | BY_VALUES | BY_SIGNATURE,
    BY_CLASS | BY_SIGNATURE,
    BY_CLASS,
};
static const MatchPass api_passes[] = {
    BY_CLASS | BY_SCOPE | BY_VALUES | BY_SIGNATURE,
    BY_CLASS | BY_SCOPE | BY_SIZES | BY_SIGNATURE,
    BY_CLASS | BY_SCOPE | BY_SIGNATURE,
    BY_CLASS | BY_SCOPE,
    BY_CLASS | BY_NEAR | BY_SIGNATURE,
};
// Of ops whose class the other side does not have: a module of another path or, in the same place,
// of another class; a function of another module.
static const MatchPass renamed_modules[] = {
    BY_LEAF | BY_SIGNATURE,
    BY_LEAF,
    BY_TYPE | BY_SIGNATURE,
    BY_PATH | BY_SIGNATURE,
};
static const MatchPass renamed_apis[] = {
    BY_LEAF | BY_NEAR | BY_SIGNATURE,
};

static const MatchPass renamed_gradients[] = {
    BY_LEAF | BY_SIGNATURE,
};

static void run_passes(Matcher *matcher, const PassOps *ops, const MatchPass *passes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        match_pass_run(matcher, ops, passes[i]);
}

#define PASS_COUNT(passes) (sizeof(passes) / sizeof *(passes))

void match_stage_run(Matcher *matcher, MatchStage which)
{
    bool modules = which == STAGE_MODULE;
    PassOps ops = {.stage = which};
    Stage stage = {.matcher = matcher, .stage = which, .scratch = arena_new()};
    stage.classes = ARENA_ARRAY(stage.scratch, Class, matcher->keys.class_count);
    stage.by_name = ARENA_ARRAY(stage.scratch, uint32_t, (size_t)op_count(&stage, 0) + 1);
    pair_by_name(&stage);
    count_classes(&stage);
    release_contested(&stage);
    if (modules)
        run_passes(matcher, &ops, module_passes, PASS_COUNT(module_passes));
    else
        run_passes(matcher, &ops, api_passes, PASS_COUNT(api_passes));
    match_pass_moved(matcher, &ops, BY_CLASS | BY_SCOPE);
    choose(&stage);
    if (modules)
        run_passes(matcher, &ops, renamed_modules, PASS_COUNT(renamed_modules));
    else
        run_passes(matcher, &ops, renamed_apis, PASS_COUNT(renamed_apis));
    arena_release(stage.scratch);
}

static bool has_twin(const Matcher *matcher, int side, uint32_t op)
{
    return matcher->keys.ops[side][op].twin != OP_NONE;
}

static void follow_forward(Matcher *matcher)
{
    const MatchKeys *keys = &matcher->keys;
    for (uint32_t i = 0; i < matcher->sides[0].dump->op_count; i++) {
        if (matcher->stage[0][i] != STAGE_BACKWARD || !has_twin(matcher, 0, i))
            continue;
        uint32_t forward = matcher->partner[0][keys->ops[0][i].twin];
        uint32_t other = forward == OP_NONE ? OP_NONE : keys->ops[1][forward].twin;
        if (other != OP_NONE && matcher->stage[1][other] == STAGE_BACKWARD &&
            matcher->partner[1][other] == OP_NONE)
            match_pair(matcher, i, other);
    }
}

// Which backward calls of a side may pair up: those whose forward call has a partner, or those
// whose forward call has none; those without a forward call in either case. So a call that only one
// side makes, forward and backward, never pairs with another such.
static bool *select_backward(const Matcher *matcher, int side, bool forward_paired, Arena *scratch)
{
    uint32_t count = matcher->sides[side].dump->op_count;
    bool *selected = ARENA_ARRAY(scratch, bool, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t forward = matcher->keys.ops[side][i].twin;
        bool paired = forward != OP_NONE && matcher->partner[side][forward] != OP_NONE;
        selected[i] = matcher->stage[side][i] == STAGE_BACKWARD &&
                      (forward == OP_NONE || paired == forward_paired);
    }
    return selected;
}

static bool *only_modules(const Matcher *matcher, int side, const bool *selected, Arena *scratch)
{
    uint32_t count = matcher->sides[side].dump->op_count;
    bool *modules = ARENA_ARRAY(scratch, bool, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        modules[i] = selected[i] && matcher->sides[side].dump->ops[i].kind == OP_MODULE;
    return modules;
}

// A module without a forward call is known by the same as one with it.
static bool *only_unpaired(const Matcher *matcher, int side, const bool *modules, Arena *scratch)
{
    uint32_t count = matcher->sides[side].dump->op_count;
    bool *unpaired = ARENA_ARRAY(scratch, bool, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t forward = matcher->keys.ops[side][i].twin;
        unpaired[i] =
            modules[i] && (forward == OP_NONE || matcher->partner[side][forward] == OP_NONE);
    }
    return unpaired;
}

static const MatchPass backward_passes[] = {
    BY_NAME,
    BY_CLASS | BY_SCOPE | BY_SIGNATURE,
};
static const MatchPass backward_passes_of_rest[] = {
    BY_CLASS | BY_SCOPE | BY_SIGNATURE,
    BY_CLASS | BY_NEAR,
};

// Calls that are made again for their gradients have numbers of their own; a run that does not do
// so has the same backward calls under the numbers of the first ones. A module is known without its
// place: the dump lists at the root what is made again.
void match_stage_backward(Matcher *matcher)
{
    follow_forward(matcher);
    for (int paired = 0; paired < 2; paired++) {
        Arena *scratch = arena_new();
        PassOps ops = {.stage = STAGE_BACKWARD}, modules = ops, unpaired = ops;
        for (int side = 0; side < 2; side++) {
            ops.only[side] = select_backward(matcher, side, side == paired, scratch);
            modules.only[side] = only_modules(matcher, side, ops.only[side], scratch);
            unpaired.only[side] = only_unpaired(matcher, side, modules.only[side], scratch);
        }
        run_passes(matcher, &ops, backward_passes, PASS_COUNT(backward_passes));
        run_passes(matcher, &unpaired, renamed_modules, PASS_COUNT(renamed_modules));
        match_pass_moved(matcher, &modules, BY_CLASS);
        run_passes(matcher, &ops, backward_passes_of_rest, PASS_COUNT(backward_passes_of_rest));
        match_pass_moved(matcher, &ops, BY_CLASS | BY_SCOPE);
        arena_release(scratch);
    }
}

// Entries of a module that has a call follow it.
static bool *select_gradients(const Matcher *matcher, int side, Arena *scratch)
{
    const OpKey *keys = matcher->keys.ops[side];
    const Dump *dump = matcher->sides[side].dump;
    bool *called = ARENA_ARRAY(scratch, bool, names_count(matcher->keys.texts) + 1);
    bool *selected = ARENA_ARRAY(scratch, bool, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].kind == OP_MODULE)
            called[keys[i].stem] = true;
    for (uint32_t i = 0; i < dump->op_count; i++)
        selected[i] = !called[keys[i].stem];
    return selected;
}

void match_stage_gradients(Matcher *matcher)
{
    Arena *scratch = arena_new();
    PassOps ops = {.stage = STAGE_GRADS};
    for (int side = 0; side < 2; side++)
        ops.only[side] = select_gradients(matcher, side, scratch);
    run_passes(matcher, &ops, renamed_gradients, PASS_COUNT(renamed_gradients));
    arena_release(scratch);
}
