// SPDX-License-Identifier: Apache-2.0
// Weights: equal where they are copies, changed where they are trained.
#include <math.h>

#include "base/sort.h"
#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness_take.h"

static void compare_parameters(const Evidence *of, LawResult *out, size_t rank, size_t other,
                               bool (*wanted)(const ParameterSeen *it))
{
    const RankWitness *mine = &of->ranks[rank];
    for (size_t i = 0; i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i];
        if (!it->seen || !wanted(it))
            continue;
        const ParameterSeen *its = witness_parameter(&of->ranks[other], it->name);
        if (its && its->seen)
            law_note_match(of, out, other, rank, it->name, &its->value, &it->value);
    }
}

static bool is_replicated(const ParameterSeen *it)
{
    return !witness_is_expert(it->name) && !weight_is_statistic(it->name);
}

void law_replicas(const Evidence *of, LawResult *out)
{
    if (of->layout->count > 1 && !of->layout->copies_known)
        law_note_why(out, str_of(tr("it is not known which ranks hold the same weights")));
    for (size_t i = 0; i < of->count; i++) {
        size_t first = law_first_of_set(of, i, true);
        if (first != SIZE_MAX)
            compare_parameters(of, out, i, first, is_replicated);
    }
}

// Norms over the whole hidden size and routers are held whole by every rank. Gated norms of state
// space models are not.
static bool is_tensor_copy(const ParameterSeen *it)
{
    static const char *const classes[] = {"LayerNorm", "RMSNorm", "RmsNorm", "Router",
                                          "TopKRouter"};
    bool named = false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        named = named || str_ends(it->class_name, str_of(classes[i]));
    return named && !it->of_heads && !witness_is_expert(it->name);
}

void law_tensor_copies(const Evidence *of, LawResult *out)
{
    if (of->layout->count > 1 && !of->layout->shares_known)
        law_note_why(out, str_of(tr("it is not known which ranks share the weights")));
    for (size_t i = 0; i < of->count; i++) {
        size_t first = law_first_of_set(of, i, false);
        if (first != SIZE_MAX)
            compare_parameters(of, out, i, first, is_tensor_copy);
    }
}

// ---- tied embeddings

static bool ends_with_any(Str name, const char *const *ends)
{
    for (; *ends; ends++)
        if (str_ends(name, str_of(*ends)))
            return true;
    return false;
}

static const ParameterSeen *find_end(const RankWitness *rank, bool head)
{
    static const char *const heads[] = {"lm_head.weight", "output_layer.weight", "embed_out.weight",
                                        "embeddings_for_head.weight", NULL};
    static const char *const tails[] = {"embed_tokens.weight", "word_embeddings.weight",
                                        "wte.weight",          "tok_embeddings.weight",
                                        "embed_in.weight",     NULL};
    for (size_t i = 0; i < rank->parameter_count; i++) {
        const ParameterSeen *it = &rank->parameters[i];
        if (it->seen && tensor_seen_rich(&it->value) &&
            ends_with_any(it->name, head ? heads : tails))
            return it;
    }
    return NULL;
}

static size_t find_at(const Evidence *of, size_t step_of, int64_t rank)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->ranks[i].step == of->ranks[step_of].step && of->ranks[i].rank == rank)
            return i;
    return SIZE_MAX;
}

// A pair that was equal in one step must be so in those that follow.
static void follow_tied(const Evidence *of, LawResult *out, size_t one, size_t other)
{
    for (size_t i = of->step_end[one]; i < of->count; i++) {
        if (of->ranks[i].rank != of->ranks[one].rank)
            continue;
        size_t k = find_at(of, i, of->ranks[other].rank);
        const ParameterSeen *tail = find_end(&of->ranks[i], false);
        const ParameterSeen *head = k == SIZE_MAX ? NULL : find_end(&of->ranks[k], true);
        if (tail && head)
            law_note_match(of, out, i, k, tail->name, &tail->value, &head->value);
    }
}

void law_tied_embeddings(const Evidence *of, LawResult *out)
{
    size_t end = of->count ? of->step_end[0] : 0;
    const ParameterSeen **heads = ARENA_ARRAY(of->arena, const ParameterSeen *, end);
    for (size_t i = 0; i < end; i++)
        heads[i] = find_end(&of->ranks[i], true);
    for (size_t i = 0; i < end; i++) {
        const ParameterSeen *tail = find_end(&of->ranks[i], false);
        // A rank that has both is held against itself.
        for (size_t k = 0; tail && k < end; k++)
            if (heads[k] && (k == i || !heads[i]) &&
                tensor_seen_match(&tail->value, &heads[k]->value, of->tolerance) == SEEN_EQUAL)
                follow_tied(of, out, i, k);
    }
}

// ---- what the optimizer changed

static void judge_updates(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    const RankWitness *mine = &of->ranks[rank];
    WeightMoves moves;
    WeightChange change;
    weight_moves(of, rank, later, &moves);
    if (isnan(moves.push)) {
        law_note_why(out, str_of(tr("no weight changed between the steps: a warm-up from 0, a "
                                    "skipped step, or an optimizer that has other weights")));
        return;
    }
    for (size_t i = 0; i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i];
        if (!weight_sure(it, &moves) || !weight_change(it, &of->ranks[later], &change))
            continue;
        if (change.changed)
            law_note_held(out, later, SIZE_MAX);
        else
            law_note_broken(of, out, later, SIZE_MAX, it->name,
                            str_printf(of->arena,
                                       tr("unchanged (" STR_FMT "), its gradient has Norm %.3g"),
                                       STR_ARG(tensor_seen_text(&it->value, of->arena)),
                                       it->gradient.stat[STAT_NORM]));
    }
}

// How many steps in a row no weight moved although gradients came.
static size_t still_steps(const Evidence *of, size_t rank)
{
    size_t still = 0;
    for (size_t at = rank, next; (next = law_next_step(of, at)) != SIZE_MAX; at = next) {
        size_t pushed = 0, moved = 0;
        for (size_t i = 0; i < of->ranks[at].parameter_count; i++) {
            WeightChange change;
            const ParameterSeen *it = &of->ranks[at].parameters[i];
            if (!weight_change(it, &of->ranks[next], &change))
                continue;
            pushed += weight_push(it) > 0;
            moved += change.changed;
        }
        if (moved || !pushed)
            return 0;
        still++;
    }
    return still;
}

// Of checkpoints, which tell no gradients: a weight that moved before and now stays, while three
// quarters move; or none moves.
static void judge_kept(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    const RankWitness *mine = &of->ranks[rank];
    size_t earlier = law_earlier_dump(of, rank), moved = 0, told = 0;
    WeightChange change, before;
    WeightMoves moves;
    weight_moves(of, rank, later, &moves);
    for (size_t i = 0; i < mine->parameter_count; i++)
        if (weight_change(&mine->parameters[i], &of->ranks[later], &change)) {
            told++;
            moved += change.changed;
        }
    if (told && !moved)
        law_note_broken(
            of, out, later, SIZE_MAX, STR(""),
            str_printf(of->arena, tr("no weight changed since step %lld"), (long long)mine->step));
    for (size_t i = 0; moved && i < mine->parameter_count; i++) {
        const ParameterSeen *it = &mine->parameters[i], *old;
        if (!weight_change(it, &of->ranks[later], &change))
            continue;
        old = earlier == SIZE_MAX ? NULL : witness_parameter(&of->ranks[earlier], it->name);
        if (change.changed)
            law_note_held(out, later, SIZE_MAX);
        else if (old && weight_change(old, mine, &before) && before.changed &&
                 weight_shows(it, &moves) && 4 * (told - moved) <= told)
            law_note_broken(of, out, later, SIZE_MAX, it->name,
                            str_printf(of->arena,
                                       tr("unchanged since step %lld, before which it moved"),
                                       (long long)mine->step));
    }
}

void law_updates(const Evidence *of, LawResult *out)
{
    enum { STILL_STEPS = 2 };  // a first step may have the learning rate 0
    for (size_t i = 0; i < of->count; i++) {
        size_t later = law_next_step(of, i);
        if (later == SIZE_MAX)
            continue;
        if (of->ranks[i].sparse) {
            judge_kept(of, out, i, later);
            continue;
        }
        judge_updates(of, out, i, later);
        if (of->ranks[i].step == of->ranks[0].step && still_steps(of, i) >= STILL_STEPS)
            law_note_broken(of, out, later, SIZE_MAX, STR(""),
                            str_of(tr("no weight changed in any step, though gradients came")));
    }
}

// ---- what is not trained

// Weights [from, end) of a rank, by name: a part of its model.
typedef struct Part {
    size_t from, end;
} Part;

enum { TRAINED_KEPT = 64 };  // parts: so that names which part early cost no square

// The frozen weights of one rank in two steps, as far as they tell.
typedef struct Frozen {
    const Evidence *of;
    size_t rank, later;
    size_t moved, still;
    size_t part;  // where the names of all weights part
    Part trained[TRAINED_KEPT];
    size_t trained_count;
} Frozen;

static bool frozen_change(const Frozen *of, size_t index, WeightChange *out)
{
    const ParameterSeen *it = &of->of->ranks[of->rank].parameters[index];
    return it->requires_grad == TRI_FALSE && weight_change(it, &of->of->ranks[of->later], out);
}

// Where the names of all weights part: behind "module." of "module.student.…", "module.teacher.…".
static size_t names_part(const RankWitness *rank)
{
    Str first = rank->parameters[0].name, last = rank->parameters[rank->parameter_count - 1].name;
    size_t at = 0;
    while (at < first.size && at < last.size && first.data[at] == last.data[at])
        at++;
    while (at > 0 && first.data[at - 1] != '.')
        at--;
    return at;
}

// The end of the weights that begin with the same part of a name as that of `from`.
static size_t model_end(const RankWitness *rank, size_t from, size_t part)
{
    Str name = rank->parameters[from].name;
    size_t dot = str_find_char(name, '.', part), end = from + 1;
    Str prefix = str_slice(name, 0, dot == SIZE_MAX ? name.size : dot + 1);
    while (end < rank->parameter_count && str_starts(rank->parameters[end].name, prefix))
        end++;
    return end;
}

// Behind the name of its part of the model.
static Str name_in_part(const ParameterSeen *it, size_t part)
{
    size_t dot = str_find_char(it->name, '.', part);
    return str_slice(it->name, dot == SIZE_MAX ? it->name.size : dot + 1, it->name.size);
}

// Whether `twin` is trained and has the weights of [from, end), by their names in it and their
// shapes.
static bool is_twin(const Frozen *of, size_t from, size_t end, const Part *twin)
{
    const RankWitness *mine = &of->of->ranks[of->rank];
    const ParameterSeen *its = &mine->parameters[twin->from];
    size_t count = twin->end - twin->from, at;
    for (; from < end; from++) {
        const ParameterSeen *it = &mine->parameters[from];
        Str name = name_in_part(it, of->part);
        if (!it->seen || weight_is_statistic(it->name))
            continue;
        FIND_FIRST(at, count, str_compare(name_in_part(&its[at], of->part), name) < 0);
        if (at == count || !str_equal(name_in_part(&its[at], of->part), name) ||
            its[at].requires_grad != TRI_TRUE || !str_equal(its[at].value.shape, it->value.shape))
            return false;
    }
    return true;
}

static void find_trained(Frozen *of)
{
    const RankWitness *mine = &of->of->ranks[of->rank];
    Part part = {0};
    for (; part.from < mine->parameter_count && of->trained_count < TRAINED_KEPT;
         part.from = part.end) {
        part.end = model_end(mine, part.from, of->part);
        bool trained = false;
        for (size_t i = part.from; i < part.end; i++)
            trained = trained || mine->parameters[i].requires_grad == TRI_TRUE;
        if (trained)
            of->trained[of->trained_count++] = part;
    }
}

// Counts those of a model, [from, end), unless all of them move and another that is trained has the
// same names: it is an average of that.
static bool count_model(Frozen *of, size_t from, size_t end)
{
    enum { AVERAGE_FROM = 4 };
    bool twin = false;
    size_t moved = 0, still = 0;
    WeightChange change;
    for (size_t i = from; i < end; i++)
        if (frozen_change(of, i, &change))
            change.changed ? moved++ : still++;
    for (size_t i = 0; i < of->trained_count && still == 0 && moved >= AVERAGE_FROM; i++)
        twin = twin || is_twin(of, from, end, &of->trained[i]);
    if (twin)
        return false;
    of->moved += moved;
    of->still += still;
    return true;
}

static void judge_frozen(Frozen *of, LawResult *out)
{
    const RankWitness *mine = &of->of->ranks[of->rank];
    Arena *scratch = arena_new();
    bool *counted = ARENA_ARRAY(scratch, bool, mine->parameter_count);
    size_t end;
    WeightChange change;
    of->part = names_part(mine);
    find_trained(of);
    for (size_t from = 0; from < mine->parameter_count; from = end) {
        end = model_end(mine, from, of->part);
        counted[from] = count_model(of, from, end);
        for (size_t i = from + 1; i < end; i++)
            counted[i] = counted[from];
    }
    for (size_t i = 0; of->still > of->moved && i < mine->parameter_count; i++) {
        if (!counted[i] || !frozen_change(of, i, &change))
            continue;
        const ParameterSeen *it = &mine->parameters[i];
        if (change.changed)
            law_note_broken(
                of->of, out, of->later, SIZE_MAX, it->name,
                tensor_seen_difference(&it->value, &change.after->value, of->of->arena));
        else
            law_note_held(out, of->later, SIZE_MAX);
    }
    arena_release(scratch);
}

void law_frozen(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count; i++) {
        Frozen pair = {.of = of, .rank = i, .later = law_next_step(of, i)};
        if (pair.later != SIZE_MAX && of->ranks[i].parameter_count)
            judge_frozen(&pair, out);
    }
}
