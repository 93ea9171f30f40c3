// SPDX-License-Identifier: Apache-2.0
// What goes in, in which order, in which dtype.
#include <math.h>

#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness_take.h"

// What a call that trains gets is found by its place among such calls: a rank may evaluate first.
static const DataSeen *find_data(const RankWitness *rank, const DataSeen *like)
{
    for (size_t i = 0; i < rank->data_count; i++) {
        const DataSeen *it = &rank->data[i];
        if (it->number == like->number && str_equal(it->slot, like->slot) &&
            (it->number ? str_equal(it->stem, like->stem) : str_equal(it->op, like->op)))
            return it;
    }
    return NULL;
}

typedef struct DataMatch {
    size_t equal, different, unknown;
    size_t rich;            // equal ones that could hardly be equal by chance
    const DataSeen *first;  // of the rich ones, else of those that are equal as far as is known
} DataMatch;

enum { DATA_COMPARED = 64 };

// `training`: of the calls that train alone.
static DataMatch match_data(const RankWitness *a, const RankWitness *b, bool training)
{
    DataMatch out = {0};
    for (size_t i = 0, compared = 0; i < a->data_count && compared < DATA_COMPARED; i++) {
        const DataSeen *one = &a->data[i];
        const DataSeen *two = training && !one->number ? NULL : find_data(b, one);
        compared += !training || one->number;
        if (!two)
            continue;
        SeenMatch match = tensor_seen_match(&one->value, &two->value, 0);
        out.different += match == SEEN_DIFFERENT;
        out.equal += match == SEEN_EQUAL;
        out.unknown += match == SEEN_UNKNOWN;
        if (match != SEEN_DIFFERENT && !out.first)
            out.first = one;
        if (match == SEEN_EQUAL && tensor_seen_rich(&one->value)) {
            out.first = out.rich++ ? out.first : one;
        }
    }
    return out;
}

// Whether all that both make of their inputs up to the first communication is equal.
static bool makes_the_same(const RankWitness *a, const RankWitness *b)
{
    enum { VALUES = 2 };
    return !a->blind && !b->blind && a->forward_values >= VALUES &&
           a->forward_values == b->forward_values && a->forward_hash == b->forward_hash;
}

// Many measured numbers, no mask, no positions and no levels of noise.
static bool is_measured(const TensorSeen *seen)
{
    enum { MANY = 8 };
    double most = seen->stat[STAT_MAX], least = seen->stat[STAT_MIN];
    return tensor_seen_rich(seen) && tensor_seen_is_float(seen) && seen->elements >= MANY &&
           tensor_seen_has_ends(seen) && most != trunc(most) && least != trunc(least);
}

static bool same_place(const DataSeen *a, const DataSeen *b)
{
    return str_equal(a->stem, b->stem) && str_equal(a->slot, b->slot);
}

static SeenMatch match_at(const RankWitness *a, const RankWitness *b, size_t index)
{
    const DataSeen *its = find_data(b, &a->data[index]);
    return its ? tensor_seen_match(&a->data[index].value, &its->value, 0) : SEEN_UNKNOWN;
}

// What both ranks get in one micro batch, up to the next one, where other micro batches differ;
// NULL: there is none. Tables of angles are equal as well, what goes in with them is not.
static const DataSeen *find_same_batch(const RankWitness *a, const RankWitness *b)
{
    size_t count = a->data_count < DATA_COMPARED ? a->data_count : DATA_COMPARED;
    for (size_t i = 0; i < count; i++) {
        const DataSeen *it = &a->data[i];
        bool others = false, next = false;
        bool same = it->number && is_measured(&it->value) && match_at(a, b, i) == SEEN_EQUAL;
        for (size_t k = 0; same && k < count; k++) {
            bool again = k != i && same_place(it, &a->data[k]);
            next = next || (k > i && again);
            bool differs = match_at(a, b, k) == SEEN_DIFFERENT;
            others = others || (again && differs);
            same = !differs || next || k < i;
        }
        if (same && others)
            return it;
    }
    return NULL;
}

// The first copy of its step that makes the same of equal inputs; SIZE_MAX: there is none.
static size_t find_same_data(const Evidence *of, size_t rank, size_t first, DataMatch *match,
                             const DataSeen **batch)
{
    *batch = NULL;
    for (size_t i = first; i < rank; i++) {
        bool copy = i == first || of->first_copy[i] == first;
        if (!copy)
            continue;
        *match = match_data(&of->ranks[i], &of->ranks[rank], true);
        if (match->equal + match->unknown && !match->different &&
            makes_the_same(&of->ranks[i], &of->ranks[rank]))
            return i;
        if (match->different && (*batch = find_same_batch(&of->ranks[i], &of->ranks[rank])))
            return i;
    }
    return SIZE_MAX;
}

// Equal inputs alone may be masks and positions; that all that is made of them is equal too, up to
// the first communication, tells it.
void law_dp_inputs(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    DataMatch match;
    const DataSeen *batch;
    size_t same = find_same_data(of, rank, first, &match, &batch);
    if (batch)
        law_note_broken(of, out, same, rank, batch->op,
                        str_of(tr("both ranks get this input in one micro batch, in others "
                                  "each its own")));
    else if (same != SIZE_MAX)
        law_note_broken(of, out, same, rank, match.first ? match.first->op : STR(""),
                        str_of(tr("all inputs and all that is made of them are equal: both "
                                  "ranks work on the same data")));
    else if (match_data(&of->ranks[first], &of->ranks[rank], true).different)
        law_note_held(out, first, rank);
}

// Of modules alone: what a share makes of the tokens is its own.
void law_tp_inputs(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    const RankWitness *mine = &of->ranks[rank];
    for (size_t k = 0; k < mine->data_count && k < DATA_COMPARED; k++) {
        const DataSeen *it = &mine->data[k], *its = find_data(&of->ranks[first], it);
        if (it->module && it->tokens && its && !tensor_seen_is_float(&it->value) &&
            it->value.elements > 1)
            law_note_match(of, out, first, rank, it->op, &its->value, &it->value);
    }
}

// Sequence parallelism gives each rank another part of the sequence.
static bool scatters(const RankWitness *rank)
{
    for (size_t i = 0; i < rank->comm_count; i++)
        if (rank->comms[i].before_backward &&
            (str_starts(rank->comms[i].api, STR("reducescatter")) ||
             str_starts(rank->comms[i].api, STR("scatter"))))
            return true;
    return false;
}

// Or it gathers what a norm gave, which is as large as what went in.
static bool gathers(const RankWitness *rank, uint64_t elements)
{
    for (size_t i = 0; i < rank->comm_count; i++)
        if (rank->comms[i].before_backward && rank->comms[i].gave_count &&
            str_starts(rank->comms[i].api, STR("allgather")) &&
            rank->comms[i].gave[rank->comms[i].gave_count - 1].elements == elements)
            return true;
    return false;
}

void law_tp_norms(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    const RankWitness *a = &of->ranks[first], *b = &of->ranks[rank];
    if (scatters(a) || scatters(b))
        return;
    for (size_t i = 0; i < a->dtype_count && i < b->dtype_count; i++) {
        const TensorSeen *mine = a->dtypes[i].norm, *its = b->dtypes[i].norm;
        if (!str_equal(a->dtypes[i].op, b->dtypes[i].op))
            return;
        if (mine && its && !gathers(a, mine->elements) && tensor_seen_finite(mine) &&
            tensor_seen_finite(its))
            law_note_match(of, out, first, rank, a->dtypes[i].op, mine, its);
    }
}

static bool is_training(const RankWitness *rank)
{
    return rank->has_backward || rank->trains;
}

// What is trained may be evaluated on one batch again and again.
static bool both_train(const RankWitness *a, const RankWitness *b)
{
    return is_training(a) && is_training(b) &&
           (a->has_backward || b->has_backward || weight_any_moved(a, b));
}

// It is trained more than once on what it gave itself before.
static bool always_repeats(const Evidence *of, size_t rank)
{
    const RankWitness *a = &of->ranks[rank];
    for (size_t i = 0; i < of->count; i++) {
        size_t next = a->rank == of->ranks[i].rank ? law_next_step(of, i) : SIZE_MAX;
        if (next != SIZE_MAX && match_data(&of->ranks[i], &of->ranks[next], false).different)
            return false;
    }
    return true;
}

// Ends of tokens may be equal by chance; all that is made of them is not.
static bool tells_same(const RankWitness *a, const RankWitness *b, const DataMatch *match)
{
    return (match->rich && !match->unknown) || makes_the_same(a, b);
}

// Masks, positions and tables of angles are the same in every step: a dump that begins inside of
// the model shows nothing, and what is not trained may be run on the same data again.
void law_step_inputs(const Evidence *of, LawResult *out, size_t rank, size_t later)
{
    const RankWitness *mine = &of->ranks[rank];
    DataMatch match = match_data(mine, &of->ranks[later], false);
    if (match.different)
        law_note_held(out, later, SIZE_MAX);
    else if (!match.first || !tells_same(mine, &of->ranks[later], &match) ||
             !mine->begins_with_data || !both_train(mine, &of->ranks[later]))
        return;
    else if (of->ranks[later].weighs_ratio || !always_repeats(of, rank))
        law_note_open(out, later,
                      str_of(tr("a step has the batch of the step before: several steps on one "
                                "batch, or a loader that repeats it")));
    else
        law_note_broken(of, out, later, SIZE_MAX, match.first->op,
                        str_of(tr("all inputs are those of the step before")));
}

void law_module_order(const Evidence *of, LawResult *out, size_t rank, size_t first)
{
    const RankWitness *mine = &of->ranks[rank], *other = &of->ranks[first];
    size_t k = 0;
    if (mine->module_count == 0 || other->module_count == 0 || mine->read.partial_at >= 0 ||
        other->read.partial_at >= 0)
        return;
    while (k < mine->module_count && k < other->module_count &&
           str_equal(mine->modules[k], other->modules[k]))
        k++;
    if (k == mine->module_count && k == other->module_count) {
        law_note_held(out, first, rank);
        return;
    }
    Str one = k < other->module_count ? other->modules[k] : str_of(tr("none"));
    Str two = k < mine->module_count ? mine->modules[k] : str_of(tr("none"));
    law_note_broken(
        of, out, first, rank, k < other->module_count ? one : two,
        str_printf(of->arena, tr(STR_FMT " against " STR_FMT), STR_ARG(one), STR_ARG(two)));
}

void law_dtypes(const Evidence *of, LawResult *out, size_t rank, size_t other)
{
    bool earlier = of->ranks[other].step == of->ranks[rank].step;
    size_t one = earlier ? other : rank, two = earlier ? rank : other, k = 0;
    const RankWitness *a = &of->ranks[one], *b = &of->ranks[two];
    for (size_t i = 0; i < a->dtype_count && k < b->dtype_count; i++) {
        // Calls come in the same order on both; one that the other does not have is passed over.
        size_t at = k;
        while (at < b->dtype_count && at < k + DATA_COMPARED &&
               !str_equal(a->dtypes[i].op, b->dtypes[at].op))
            at++;
        if (at == b->dtype_count || at == k + DATA_COMPARED)
            continue;
        k = at + 1;
        if (a->dtypes[i].dtype.size == 0 || b->dtypes[at].dtype.size == 0)
            continue;
        if (str_equal(a->dtypes[i].dtype, b->dtypes[at].dtype))
            law_note_held(out, one, two);
        else
            law_note_broken(of, out, one, two, a->dtypes[i].op,
                            str_printf(of->arena, tr(STR_FMT " against " STR_FMT),
                                       STR_ARG(a->dtypes[i].dtype), STR_ARG(b->dtypes[at].dtype)));
    }
}

static bool same_batch(const Evidence *of, size_t a, size_t b)
{
    return of->ranks[a].batch_hash && of->ranks[a].batch_hash == of->ranks[b].batch_hash;
}

// Ranks that have one batch in every step may share the weights, unless the layout that was stated
// has them as copies.
static bool always_share(const Evidence *of, int64_t a, int64_t b)
{
    size_t steps = 0, same = 0;
    const RankPlace *one = rank_layout_place(of->layout, a),
                    *two = rank_layout_place(of->layout, b);
    if (of->layout->given && of->layout->whole && one && two && one->copies != GROUP_UNKNOWN &&
        one->copies == two->copies)
        return false;
    for (size_t from = 0; from < of->count; from = of->step_end[from]) {
        size_t mine = law_dump_at(of, from, a), its = law_dump_at(of, from, b);
        if (mine == SIZE_MAX || its == SIZE_MAX)
            continue;
        steps++;
        same += same_batch(of, mine, its);
    }
    return steps > 1 && same == steps;
}

void law_batches(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count; i++) {
        size_t twin = SIZE_MAX;
        for (size_t k = 0; k < i && twin == SIZE_MAX && of->ranks[i].batch_hash; k++)
            twin = same_batch(of, k, i) ? k : SIZE_MAX;
        if (!of->ranks[i].batch_hash)
            continue;
        const RankWitness *mine = &of->ranks[i], *its = twin == SIZE_MAX ? mine : &of->ranks[twin];
        if (twin == SIZE_MAX)
            law_note_held(out, i, SIZE_MAX);
        else if (mine->step == its->step && always_share(of, mine->rank, its->rank))
            law_note_open(out, i,
                          str_of(tr("ranks that have one batch in every step may share weights")));
        else if (mine->step == its->step)
            law_note_broken(of, out, twin, i, STR("tokens"),
                            str_printf(of->arena, tr("rank %lld has the same tokens as rank %lld"),
                                       (long long)mine->rank, (long long)its->rank));
        else
            law_note_broken(of, out, i, SIZE_MAX, STR("tokens"),
                            str_printf(of->arena, tr("the same tokens as in step %lld, rank %lld"),
                                       (long long)its->step, (long long)its->rank));
    }
}
