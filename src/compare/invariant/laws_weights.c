// SPDX-License-Identifier: Apache-2.0
// Weights: equal where they are copies, changed where they are trained.
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness.h"
#include "model/ops/op_traits.h"

static const ParameterSeen *seen_in(const Evidence *of, size_t dump, Str name)
{
    const ParameterSeen *it = dump == SIZE_MAX ? NULL : witness_parameter(&of->ranks[dump], name);
    return it && it->seen ? it : NULL;
}

// Copies that part and are equal again are brought together from time to time.
static bool joins_again(const Evidence *of, int64_t rank, int64_t other, Str name)
{
    bool parted = false;
    for (size_t from = 0; from < of->count; from = of->step_end[from]) {
        size_t one = law_dump_at(of, from, rank), two = law_dump_at(of, from, other);
        const ParameterSeen *a = seen_in(of, one, name), *b = seen_in(of, two, name);
        if (!a || !b)
            continue;
        SeenMatch match = tensor_seen_match(&a->value, &b->value, of->tolerance);
        if (match == SEEN_EQUAL && parted && tensor_seen_rich(&a->value))
            return true;
        parted = parted || match == SEEN_DIFFERENT;
    }
    return false;
}

// ---- equal over a set

// What a law compares of a weight; NULL: it is not about it.
typedef const TensorSeen *Value(const ParameterSeen *it);

typedef enum SetRule {
    ALL_EQUAL,
    MAY_PART,     // most may go ways of their own, and are brought together later
    MOSTLY_EQUAL  // else each may have a part of its own, and nothing is said
} SetRule;

// The tensors of one rank and of another one, by name.
typedef struct SetPair {
    const ParameterSeen *mine, *its;
    size_t count, other_count;
} SetPair;

static SetPair pair_of(const Evidence *of, size_t rank, size_t other, bool states)
{
    const RankWitness *a = &of->ranks[rank], *b = &of->ranks[other];
    return states ? (SetPair){a->states, b->states, a->state_count, b->state_count}
                  : (SetPair){a->parameters, b->parameters, a->parameter_count, b->parameter_count};
}

static const TensorSeen *value_of_other(const SetPair *pair, size_t index, Value *value)
{
    const ParameterSeen *it = &pair->mine[index], *its;
    if (!value(it) || !(its = parameter_find(pair->its, pair->other_count, it->name)) ||
        its->places != it->places)
        return NULL;
    return value(its);
}

static void compare_set(const Evidence *of, LawResult *out, size_t rank, size_t other,
                        const SetPair *pair, Value *value, SetRule rule)
{
    size_t counts[SEEN_UNKNOWN + 1] = {0};
    for (size_t i = 0; rule != ALL_EQUAL && i < pair->count; i++) {
        const TensorSeen *its = value_of_other(pair, i, value);
        if (its)
            counts[tensor_seen_match(its, value(&pair->mine[i]), of->tolerance)]++;
    }
    size_t equal = counts[SEEN_EQUAL], parted = counts[SEEN_DIFFERENT];
    bool part = rule == MAY_PART && parted > equal + counts[SEEN_UNKNOWN];
    for (size_t i = 0; (rule != MOSTLY_EQUAL || equal > parted) && i < pair->count; i++) {
        const ParameterSeen *it = &pair->mine[i];
        const TensorSeen *its = value_of_other(pair, i, value);
        if (!its)
            continue;
        if (part && tensor_seen_match(its, value(it), of->tolerance) == SEEN_DIFFERENT &&
            joins_again(of, of->ranks[rank].rank, of->ranks[other].rank, it->name))
            law_note_open(
                out, rank,
                str_of(tr("weights of replicas diverge and are equal again in a later step")));
        else
            law_note_match(of, out, other, rank, parameter_label(it), its, value(it));
    }
}

static const TensorSeen *replicated_value(const ParameterSeen *it)
{
    return it->seen && !parameter_is_local(it) ? &it->value : NULL;
}

void law_replicas(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    SetPair pair = pair_of(of, rank, first, false);
    compare_set(of, out, rank, first, &pair, replicated_value, MAY_PART);
}

// Norms over the whole hidden size and routers are held whole by every rank. Gated norms of state
// space models are not.
static const TensorSeen *tensor_copy_value(const ParameterSeen *it)
{
    bool named = STR_ANY(it->class_name, str_ends, "LayerNorm", "RMSNorm", "RmsNorm", "Router",
                         "TopKRouter");
    return named && !it->of_heads ? replicated_value(it) : NULL;
}

void law_tensor_copies(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    SetPair pair = pair_of(of, rank, first, false);
    compare_set(of, out, rank, first, &pair, tensor_copy_value, ALL_EQUAL);
}

static const TensorSeen *reduced_value(const ParameterSeen *it)
{
    return it->reduced ? &it->gradient : NULL;
}

// Distributed optimizers leave each copy its own part of what was reduced.
void law_gradient_copies(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    SetPair pair = pair_of(of, rank, first, false);
    compare_set(of, out, rank, first, &pair, reduced_value, MOSTLY_EQUAL);
}

static const TensorSeen *state_value(const ParameterSeen *it)
{
    return &it->value;
}

// ZeRO gives each copy a part of its own.
void law_optimizer_copies(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    SetPair pair = pair_of(of, rank, first, true);
    compare_set(of, out, rank, first, &pair, state_value, MOSTLY_EQUAL);
}

// ---- tied embeddings

// By its place in the model: what takes rows of a weight, and what multiplies with one.
static bool is_end(const ParameterSeen *it, bool head)
{
    unsigned traits = op_traits(it->class_name);
    Str part = head ? STR("inear") : STR("mbedding");
    return it->seen && tensor_seen_rich(&it->value) &&
           (traits & (head ? OP_MATMUL : OP_EMBEDS) ||
            str_find(it->class_name, part, 0) != SIZE_MAX);
}

static const ParameterSeen *seen_later(const Evidence *of, size_t dump, const ParameterSeen *it)
{
    const ParameterSeen *its = dump == SIZE_MAX ? NULL : witness_partner(&of->ranks[dump], it);
    return its && its->seen ? its : NULL;
}

// A pair that was equal in one step must be so in those that follow, and have one gradient.
static void follow_tied(const Evidence *of, LawResult *out, size_t one, size_t other,
                        const ParameterSeen *tail, const ParameterSeen *head)
{
    if (one == other && tail->gradient_parts == 1 && head->gradient_parts == 1 &&
        tail->places == 0 && head->places == 0)
        law_note_match(of, out, one, SIZE_MAX, parameter_label(head), &tail->gradient,
                       &head->gradient);
    for (size_t i = of->next[one], k = of->next[other]; i != SIZE_MAX && k != SIZE_MAX;
         i = of->next[i], k = of->next[k]) {
        const ParameterSeen *a = seen_later(of, i, tail), *b = seen_later(of, k, head);
        if (a && b && of->ranks[i].step == of->ranks[k].step)
            law_note_match(of, out, i, i == k ? SIZE_MAX : k, parameter_label(head), &a->value,
                           &b->value);
    }
}

static bool is_tied(const Evidence *of, const ParameterSeen *tail, const ParameterSeen *head)
{
    return str_equal(head->value.shape, tail->value.shape) &&
           tensor_seen_match(&tail->value, &head->value, of->tolerance) == SEEN_EQUAL;
}

// What is equal to the last bit in copies; `rank`: on that one, SIZE_MAX: on any.
static Str value_key(const TensorSeen *value, size_t rank, Arena *arena)
{
    bool ends = value->known & 1U << STAT_MAX;
    const double key[] = {(double)rank, ends ? value->stat[STAT_MAX] + 0.0 : 0};
    return str_concat(arena, (Str){(const char *)key, sizeof key},
                      ends ? value->shape : value->checksum);
}

typedef struct Head {
    size_t rank;
    const ParameterSeen *seen;
} Head;

typedef struct Heads {
    Names *keys;
    Head *items;  // by key: the first one
    size_t count;
} Heads;

static void add_heads(const Evidence *of, size_t rank, Heads *out, Arena *arena)
{
    for (size_t k = 0; k < of->ranks[rank].parameter_count; k++) {
        const ParameterSeen *it = &of->ranks[rank].parameters[k];
        const size_t places[] = {rank, SIZE_MAX};
        for (size_t i = 0; i < sizeof places / sizeof *places && is_end(it, true); i++) {
            NameId id = names_add(out->keys, value_key(&it->value, places[i], arena));
            Head *head = &ARRAY_REACH(arena, out->items, out->count, id)[id];
            *head = head->seen ? *head : (Head){rank, it};
        }
    }
}

// The last stage of a pipeline may hold the head of the first one's embedding. A rank that has one
// itself is compared with itself.
void law_tied_embeddings(const Evidence *of, LawResult *out)
{
    size_t end = of->count ? of->step_end[0] : 0;
    Arena *scratch = arena_new();
    Heads heads = {.keys = names_new(scratch)};
    for (size_t i = 0; i < end; i++)
        add_heads(of, i, &heads, scratch);
    for (size_t i = 0; i < end; i++)
        for (size_t t = 0; t < of->ranks[i].parameter_count; t++) {
            const ParameterSeen *tail = &of->ranks[i].parameters[t];
            if (!is_end(tail, false))
                continue;
            NameId id = names_find(heads.keys, value_key(&tail->value, i, scratch));
            if (!id && of->layout->pipeline > 1)
                id = names_find(heads.keys, value_key(&tail->value, SIZE_MAX, scratch));
            if (id && is_tied(of, tail, heads.items[id].seen))
                follow_tied(of, out, i, heads.items[id].rank, tail, heads.items[id].seen);
        }
    arena_release(scratch);
}

// ---- what the optimizer changed

// Where several weights that get gradients stay, and move between other steps, another optimizer
// than theirs had its turn.
static bool moves_in_turn(const Evidence *of, size_t rank, Str name)
{
    for (size_t at = 0; at < of->count; at++) {
        size_t next = of->ranks[at].rank == of->ranks[rank].rank ? law_next_step(of, at) : SIZE_MAX;
        const ParameterSeen *it = next == SIZE_MAX ? NULL : witness_parameter(&of->ranks[at], name);
        WeightChange change;
        if (it && weight_change(it, &of->ranks[next], &change) && change.changed)
            return true;
    }
    return false;
}

// How many of the weights whose names differ in their numbers alone, as those of layers, moved
// between two dumps and how many did not.
typedef struct Kin {
    size_t moved, kept;
} Kin;

typedef struct Kinship {
    NameId *of;  // by weight
    Kin *items;  // by NameId
    size_t count;
    Arena *scratch;
} Kinship;

static Kinship find_kin(const RankWitness *mine, const RankWitness *later)
{
    Kinship out = {.scratch = arena_new()};
    Names *names = names_new(out.scratch);
    out.of = ARENA_ARRAY(out.scratch, NameId, mine->parameter_count + 1);
    for (size_t i = 0; i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i];
        WeightChange change;
        NameId id = out.of[i] = names_add(names, witness_without_digits(it->name, out.scratch));
        Kin *kin = &ARRAY_REACH(out.scratch, out.items, out.count, id)[id];
        if (weight_change(it, later, &change))
            change.changed ? kin->moved++ : kin->kept++;
    }
    return out;
}

// Whether all of several siblings of a weight that stays move and it alone does not: layers that
// are frozen are hardly one among others.
static bool lags_behind(const Kinship *all, size_t weight)
{
    enum { SIBLINGS = 2 };
    const Kin *kin = &all->items[all->of[weight]];
    return kin->kept == 1 && kin->moved >= SIBLINGS;
}

// A matrix that a gradient reaches which is not told: its own is no rounding, as that of a bias may
// be.
static bool is_pushed(const ParameterSeen *it)
{
    bool told = it->gradient_told || it->requires_grad != TRI_TRUE;
    return !told && it->pushed && str_find_char(it->value.shape, ',', 0) != SIZE_MAX;
}

static void judge_updates(const Evidence *of, LawResult *out, size_t rank, size_t later,
                          const Kinship *kin)
{
    const RankWitness *mine = &of->ranks[rank];
    enum { TURN_FROM = 2 };
    WeightMoves moves;
    WeightChange change;
    size_t still = 0, kept = 0, told = 0;
    weight_moves(of, rank, later, &moves);
    for (size_t i = 0; i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i];
        if (!weight_change(it, &of->ranks[later], &change))
            continue;
        told++;
        kept += !change.changed;
        still += !change.changed && !isnan(weight_push(it));
    }
    if (isnan(moves.push)) {
        if (still && !weight_any_moved(mine, &of->ranks[later]))
            law_note_open(
                out, later,
                str_printf(of->arena,
                           tr("no weight moved from step %lld to step %lld: a warm-up from 0, a "
                              "skipped step, micro batches of one step, or an optimizer that has "
                              "other weights"),
                           (long long)mine->step, (long long)of->ranks[later].step));
        return;
    }
    for (size_t i = 0; i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i];
        bool sure = weight_sure(it, &moves);
        if (!weight_change(it, &of->ranks[later], &change) ||
            (isnan(weight_push(it)) && !is_pushed(it)))
            continue;
        if (change.changed)
            law_note_held(out, later, SIZE_MAX);
        else if (!sure && !(is_pushed(it) && weight_shows(it, &moves) && lags_behind(kin, i)))
            continue;
        else if (still < TURN_FROM || !moves_in_turn(of, rank, it->name))
            law_note_broken(
                of, out, later, SIZE_MAX, parameter_label(it),
                sure ? str_printf(of->arena,
                                  tr("unchanged (" STR_FMT "), its gradient has Norm %.3g"),
                                  STR_ARG(tensor_seen_text(&it->value, of->arena)),
                                  it->gradient.stat[STAT_NORM])
                     : str_printf(
                           of->arena, tr("unchanged (" STR_FMT "), and %zu of %zu weights moved"),
                           STR_ARG(tensor_seen_text(&it->value, of->arena)), told - kept, told));
    }
}

// Whether it moved before the dump at `rank` and stays after it.
static bool has_stopped(const Evidence *of, size_t rank, size_t later, const ParameterSeen *it)
{
    size_t earlier = of->earlier[rank];
    WeightChange before, after;
    const ParameterSeen *old =
        earlier == SIZE_MAX ? NULL : witness_partner(&of->ranks[earlier], it);
    return old && weight_change(it, &of->ranks[later], &after) && !after.changed &&
           weight_change(old, &of->ranks[rank], &before) && before.changed;
}

// Of checkpoints, which tell no gradients: a weight that moved before and now stays, alone or while
// all of its siblings move; or none moves. What is frozen later is a part of a model, and one that
// never moved may be frozen.
static void judge_kept(const Evidence *of, LawResult *out, size_t rank, size_t later,
                       const Kinship *kin)
{
    const RankWitness *mine = &of->ranks[rank];
    size_t moved = 0, told = 0, stopped = 0;
    WeightChange change;
    WeightMoves moves;
    weight_moves(of, rank, later, &moves);
    for (size_t i = 0; i < mine->parameter_count; i++)
        if (weight_change(&mine->parameters[i], &of->ranks[later], &change)) {
            told++;
            moved += change.changed;
            stopped += has_stopped(of, rank, later, &mine->parameters[i]);
        }
    if (told && !moved)
        law_note_broken(
            of, out, later, SIZE_MAX, STR(""),
            str_printf(of->arena, tr("no weight changed since step %lld"), (long long)mine->step));
    for (size_t i = 0; moved && i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i];
        if (!weight_change(it, &of->ranks[later], &change))
            continue;
        bool stops = !change.changed && has_stopped(of, rank, later, it);
        if (change.changed)
            law_note_held(out, later, SIZE_MAX);
        else if (!weight_shows(it, &moves) || ((!stops || stopped > 1) && !lags_behind(kin, i)))
            continue;
        else if (stops)
            law_note_broken(of, out, later, SIZE_MAX, parameter_label(it),
                            str_printf(of->arena,
                                       tr("unchanged since step %lld, before which it moved"),
                                       (long long)mine->step));
        else if (!expect_find(of->expects, EXPECT_BIT(EXPECT_FROZEN), it->name, false))
            law_note_open(out, later,
                          str_printf(of->arena,
                                     tr(STR_FMT " alone of its siblings did not move since step "
                                                "%lld: frozen, or not in the optimizer"),
                                     STR_ARG(it->name), (long long)mine->step));
    }
}

void law_updates(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    const RankWitness *mine = &of->ranks[rank];
    Kinship kin = find_kin(mine, &of->ranks[later]);
    (mine->sparse ? judge_kept : judge_updates)(of, out, rank, later, &kin);
    arena_release(kin.scratch);
    size_t still =
        mine->sparse || mine->step != of->ranks[0].step ? 0 : weight_still_steps(of, rank);
    if (still >= WEIGHT_STILL_STEPS && bias_grads_anew(of, rank))
        law_note_broken(
            of, out, later, SIZE_MAX, STR(""),
            str_printf(of->arena,
                       tr("no weight moved from step %lld to step %lld, though gradients came "
                          "and began anew; where micro batches of one step keep theirs "
                          "elsewhere, --skip updates=WHY"),
                       (long long)mine->step, (long long)mine->step + (long long)still));
}

// ---- what is not trained

// The frozen weights of one rank in two steps, as far as they tell.
typedef struct Frozen {
    const Evidence *of;
    size_t rank, later;
    size_t moved, still;
    bool *average;               // by weight: it is one of an average
    const ParameterSeen **twin;  // of these: the trained weight that it averages; or NULL
    Arena *scratch;
} Frozen;

static const ParameterSeen *weight_at(const Frozen *of, size_t index)
{
    return &of->of->ranks[of->rank].parameters[index];
}

static bool frozen_change(const Frozen *of, size_t index, WeightChange *out)
{
    const ParameterSeen *it = weight_at(of, index);
    return it->requires_grad == TRI_FALSE && weight_change(it, &of->of->ranks[of->later], out);
}

static Str name_behind(const Frozen *of, size_t index, size_t prefix)
{
    Str name = weight_at(of, index)->name;
    return str_slice(name, prefix, name.size);
}

static const ParameterSeen *twin_of(const Frozen *of, size_t index, size_t prefix, Str twin)
{
    Str rest = name_behind(of, index, prefix);
    return witness_parameter(&of->of->ranks[of->rank], str_printf(of->scratch, STR_FMT STR_FMT,
                                                                  STR_ARG(twin), STR_ARG(rest)));
}

// Whether the weights of `twin` are trained and have the names and shapes of [from, end), whose
// names are compared after `prefix`.
static bool is_twin(const Frozen *of, size_t from, size_t end, size_t prefix, Str twin)
{
    for (; from < end; from++) {
        const ParameterSeen *it = weight_at(of, from);
        if (!it->seen || weight_is_statistic(it->name))
            continue;
        const ParameterSeen *its = twin_of(of, from, prefix, twin);
        if (!its || its->requires_grad != TRI_TRUE || !str_equal(its->value.shape, it->value.shape))
            return false;
    }
    return true;
}

// Whether a part is a sibling of the other, as a layer of the next, and no average of it.
static bool are_alike(const Frozen *of, Str a, Str b)
{
    return str_equal(witness_without_digits(a, of->scratch),
                     witness_without_digits(b, of->scratch));
}

// Notes the twins of [from, end).
static bool find_twins(const Frozen *of, size_t from, size_t end, size_t prefix)
{
    Str mine = str_slice(weight_at(of, from)->name, 0, prefix);
    Str rest = name_behind(of, from, prefix);
    for (size_t i = 0; i < of->of->ranks[of->rank].parameter_count; i++) {
        const ParameterSeen *it = weight_at(of, i);
        if (it->requires_grad != TRI_TRUE || !str_ends(it->name, rest))
            continue;
        Str twin = str_slice(it->name, 0, it->name.size - rest.size);
        if ((twin.size == 0 || twin.data[twin.size - 1] == '.') && !are_alike(of, mine, twin) &&
            is_twin(of, from, end, prefix, twin)) {
            for (size_t k = from; k < end; k++)
                of->twin[k] = twin_of(of, k, prefix, twin);
            return true;
        }
    }
    return false;
}

// Whether [from, end), a part of the model, is an average: all of it is frozen and moves, and
// another that is trained has the same names and shapes.
enum { AVERAGE_FROM = 4 };

static bool is_average(const Frozen *of, size_t from, size_t end, size_t prefix)
{
    static const double near = 1e-5;  // of what it follows: a step towards it is rounded away
    size_t moved = 0;
    WeightChange change;
    for (size_t i = from; i < end; i++) {
        if (weight_at(of, i)->requires_grad == TRI_TRUE)
            return false;
        moved += frozen_change(of, i, &change) && change.changed;
    }
    if (moved < AVERAGE_FROM || !find_twins(of, from, end, prefix))
        return false;
    for (size_t i = from; i < end; i++)
        if (frozen_change(of, i, &change) && !change.changed &&
            (!of->twin[i] ||
             tensor_seen_match(&of->twin[i]->value, &change.after->value, near) != SEEN_EQUAL))
            return false;
    return true;
}

// Parts of [from, end), whose names agree up to `prefix`, from the largest to the smallest. A layer
// of a list is no model of its own.
static void find_averages(const Frozen *of, size_t from, size_t end, size_t prefix)
{
    for (size_t next; from < end; from = next) {
        Str name = weight_at(of, from)->name;
        size_t dot = str_find_char(name, '.', prefix);
        next = from + 1;
        if (dot == SIZE_MAX)
            continue;
        Str part = str_slice(name, 0, dot + 1);
        while (next < end && str_starts(weight_at(of, next)->name, part))
            next++;
        if (prefix && is_digit(name.data[prefix]))
            continue;
        if (!is_average(of, from, next, dot + 1))
            find_averages(of, from, next, dot + 1);
        else
            memset(&of->average[from], true, next - from);
    }
}

// Weights of calls have no names by which an average of others shows: of these one or two alone.
static bool tells_frozen(const Frozen *of, bool named)
{
    enum { FEW = 2, MANY = 4 };
    return named ? of->still > of->moved : of->moved <= FEW && of->still >= MANY * of->moved;
}

static void judge_frozen(Frozen *of, LawResult *out)
{
    const RankWitness *mine = &of->of->ranks[of->rank];
    WeightChange change;
    bool named = true;
    for (size_t i = 0; i < mine->parameter_count; i++)
        if (!of->average[i] && frozen_change(of, i, &change)) {
            change.changed ? of->moved++ : of->still++;
            named = named && mine->parameters[i].places == 0;
        }
    for (size_t i = 0; tells_frozen(of, named) && i < mine->parameter_count; i++) {
        if (of->average[i] || !frozen_change(of, i, &change))
            continue;
        const ParameterSeen *it = &mine->parameters[i];
        if (change.changed)
            law_note_broken(
                of->of, out, of->later, SIZE_MAX, parameter_label(it),
                tensor_seen_difference(&it->value, &change.after->value, of->of->arena));
        else
            law_note_held(out, of->later, SIZE_MAX);
    }
}

// How far an average went towards its twin, by Mean, which is linear; NaN where the twin is too
// near for that. `blur`: by how much rounding may part it.
static double share_of(const Frozen *of, size_t index, double *blur)
{
    WeightChange change;
    const ParameterSeen *it = weight_at(of, index), *twin = of->twin[index];
    const ParameterSeen *now = twin ? witness_partner(&of->of->ranks[of->later], twin) : NULL;
    if (!now || !now->seen || !frozen_change(of, index, &change))
        return (double)NAN;
    const TensorSeen *old = &it->value, *new = &change.after->value, *to = &now->value;
    uint8_t sums = 1U << STAT_MEAN | 1U << STAT_NORM;
    if ((old->known & new->known & to->known &sums) != sums)
        return (double)NAN;
    double way = to->stat[STAT_MEAN] - old->stat[STAT_MEAN];
    double slack = 0;
    const TensorSeen *all[] = {old, new, to};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        slack += tensor_seen_step(all[i]) * tensor_seen_rms(all[i]) +
                 tensor_seen_blur(all[i], STAT_MEAN);
    *blur = slack / fabs(way);
    return (new->stat[STAT_MEAN] - old->stat[STAT_MEAN]) / way;
}

// What is decayed and never averaged keeps its shape.
static void judge_scaled(Frozen *of, LawResult *out, size_t index)
{
    WeightChange change;
    const TensorSeen *old = &weight_at(of, index)->value;
    if (!of->average[index] || !frozen_change(of, index, &change) || !change.changed ||
        !weight_is_scaled(old, &change.after->value))
        return;
    law_note_broken(of->of, out, of->later, SIZE_MAX, parameter_label(weight_at(of, index)),
                    str_printf(of->of->arena,
                               tr("Norm, Max and Min are %.7g of what they were: it decays"),
                               change.after->value.stat[STAT_NORM] / old->stat[STAT_NORM]));
}

// An average moves all of its weights by one share of the way to what it averages.
static void judge_averages(Frozen *of, LawResult *out)
{
    static const double sharp = 0.05;  // shares that are distinguished from others
    size_t count = of->of->ranks[of->rank].parameter_count, known = 0, near = 0;
    double *shares = ARENA_ARRAY(of->scratch, double, count), blur = 0;
    for (size_t i = 0; i < count; i++) {
        judge_scaled(of, out, i);
        double share = of->average[i] ? share_of(of, i, &blur) : (double)NAN;
        if (!isnan(share) && blur < sharp)
            shares[known++] = share;
    }
    sort_doubles(shares, known);
    double usual = known ? shares[known / 2] : 0;
    for (size_t i = 0; i < known; i++)
        near += fabs(shares[i] - usual) <= sharp;
    if (known < AVERAGE_FROM || 2 * near <= known || usual < 0 || usual > 1)
        return;
    for (size_t i = 0; i < count; i++) {
        double share = of->average[i] ? share_of(of, i, &blur) : (double)NAN;
        if (isnan(share) || !(blur < sharp))
            continue;
        if (fabs(share - usual) <= sharp + blur)
            law_note_held(out, of->later, SIZE_MAX);
        else
            law_note_broken(of->of, out, of->later, SIZE_MAX, parameter_label(weight_at(of, i)),
                            str_printf(of->of->arena,
                                       tr("its Mean went %.3g of the way to that of " STR_FMT
                                          ", those of others %.3g"),
                                       share, STR_ARG(parameter_label(of->twin[i])), usual));
    }
}

static void judge_pair(const Evidence *of, LawResult *out, size_t rank, size_t later,
                       void test(Frozen *of, LawResult *out))
{
    size_t count = of->ranks[rank].parameter_count;
    Arena *scratch = arena_new();
    Frozen pair = {.of = of,
                   .rank = rank,
                   .later = later,
                   .average = ARENA_ARRAY(scratch, bool, count + 1),
                   .twin = ARENA_ARRAY(scratch, const ParameterSeen *, count + 1),
                   .scratch = scratch};
    find_averages(&pair, 0, count, 0);
    test(&pair, out);
    arena_release(scratch);
}

void law_frozen(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    judge_pair(of, out, rank, later, judge_frozen);
}

void law_averages(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    judge_pair(of, out, rank, later, judge_averages);
}
