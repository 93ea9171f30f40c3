// SPDX-License-Identifier: Apache-2.0
// Weights against what the user meant: --expect frozen, trained, init.
#include <float.h>
#include <math.h>

#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/laws_meant.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness.h"

#define TRAINING (EXPECT_BIT(EXPECT_FROZEN) | EXPECT_BIT(EXPECT_TRAINED))

// The place of the one that decides on a weight; SIZE_MAX: none of this kind does.
static size_t find(const Evidence *of, unsigned kinds, ExpectKind kind, const ParameterSeen *weight)
{
    const Expect *it = expect_find(of->expects, kinds, weight->name, false);
    return it && it->kind == kind && it->source.size == 0 ? (size_t)(it - of->expects->all->items)
                                                          : SIZE_MAX;
}

// ---- frozen

static void judge_frozen(const Evidence *of, LawResult *out, size_t rank, const ParameterSeen *it)
{
    size_t later = of->later[rank];
    const ParameterSeen *after = later == SIZE_MAX ? NULL : witness_partner(&of->ranks[later], it);
    bool both = it->seen && after && after->seen;
    SeenMatch match = both ? tensor_seen_match(&it->value, &after->value, 0) : SEEN_UNKNOWN;
    if (it->requires_grad == TRI_TRUE)
        law_note_broken(of, out, rank, SIZE_MAX, parameter_label(it),
                        str_of(tr("it requires a gradient")));
    else if (it->gradient_nonzero)
        law_note_broken(of, out, rank, SIZE_MAX, parameter_label(it),
                        str_printf(of->arena, tr("a gradient came (" STR_FMT ")"),
                                   STR_ARG(tensor_seen_text(&it->gradient, of->arena))));
    else if (match == SEEN_DIFFERENT)
        law_note_broken(of, out, later, SIZE_MAX, parameter_label(it),
                        tensor_seen_difference(&it->value, &after->value, of->arena));
    else if (match == SEEN_EQUAL || it->requires_grad == TRI_FALSE)
        law_note_held(out, rank, SIZE_MAX);
}

void law_expect_frozen(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count; i++)
        for (size_t k = 0; k < of->ranks[i].parameter_count; k++) {
            const ParameterSeen *it = &of->ranks[i].parameters[k];
            size_t at = find(of, TRAINING, EXPECT_FROZEN, it);
            uint64_t before = out->checked;
            if (at == SIZE_MAX)
                continue;
            judge_frozen(of, out, i, it);
            of->expects->tally[at].checked += out->checked - before;
        }
    law_meant_frozen(of, out);
}

// ---- trained

// What moves for sure between two dumps: a weight with a push as large as that of others; where no
// gradient came, one that is no larger than others that moved, so that no step is rounded away.
typedef struct Pair {
    size_t rank, later;
    double reach;
    WeightMoves moves;
} Pair;

static void begin_pair(const Evidence *of, size_t rank, size_t later, Pair *out)
{
    const RankWitness *mine = &of->ranks[rank];
    *out = (Pair){.rank = rank, .later = later};
    weight_moves(of, rank, later, &out->moves);
    for (size_t i = 0; i < mine->parameter_count; i++) {
        WeightChange change;
        if (weight_change(&mine->parameters[i], &of->ranks[later], &change) && change.changed)
            out->reach = fmax(out->reach, tensor_seen_rms(&mine->parameters[i].value));
    }
}

// What became of a weight over the dumps of a rank.
typedef struct Course {
    bool moved;
    size_t moved_at, dumps;
    uint32_t
        still;  // as if in so many steps; where no gradient is recorded, it may have been 0 in one
} Course;

enum { STILL_FROM = 2 };

static void follow(const Evidence *of, const Pair *pair, Str name, Course *out)
{
    const ParameterSeen *it = witness_parameter(&of->ranks[pair->rank], name);
    const ParameterSeen *after = witness_parameter(&of->ranks[pair->later], name);
    WeightChange change;
    if (out->moved || !it || !it->seen || !after || !after->seen)
        return;
    out->dumps += out->dumps ? 1 : 2;
    if (tensor_seen_match(&it->value, &after->value, 0) == SEEN_DIFFERENT) {
        out->moved = true;
        out->moved_at = pair->later;
    } else if (weight_change(it, &of->ranks[pair->later], &change)) {
        bool told = it->gradient_told || it->gradient_came;
        bool sure = of->ranks[pair->later].sparse || weight_push(it) >= pair->moves.push;
        if (pair->reach == 0) {  // none moved: a rate of 0, or a step that was skipped
            out->still += weight_push(it) > 0;
            return;
        }
        if (!weight_shows(it, &pair->moves))
            return;
        out->still += sure ? STILL_FROM : !told && tensor_seen_rms(&it->value) <= pair->reach;
    }
}

static void judge_trained(const Evidence *of, LawResult *out, size_t rank, const ParameterSeen *it,
                          const Course *course)
{
    if (it->requires_grad == TRI_FALSE)
        law_note_broken(of, out, rank, SIZE_MAX, parameter_label(it),
                        str_of(tr("it requires no gradient")));
    else if (course->moved)
        law_note_held(out, course->moved_at, SIZE_MAX);
    else if (course->still >= STILL_FROM)
        law_note_broken(of, out, rank, SIZE_MAX, parameter_label(it),
                        str_printf(of->arena, tr("unchanged (" STR_FMT ") in all %zu dumps"),
                                   STR_ARG(tensor_seen_text(&it->value, of->arena)),
                                   course->dumps));
}

static void judge_rank(const Evidence *of, LawResult *out, size_t first)
{
    const RankWitness *mine = &of->ranks[first];
    Arena *scratch = arena_new();
    Course *courses = ARENA_ARRAY(scratch, Course, mine->parameter_count);
    for (size_t at = first, next; (next = of->later[at]) != SIZE_MAX; at = next) {
        Pair pair;
        begin_pair(of, at, next, &pair);
        for (size_t k = 0; k < mine->parameter_count; k++)
            follow(of, &pair, mine->parameters[k].name, &courses[k]);
    }
    for (size_t k = 0; k < mine->parameter_count; k++) {
        const ParameterSeen *it = &mine->parameters[k];
        size_t at = find(of, TRAINING, EXPECT_TRAINED, it);
        uint64_t before = out->checked;
        if (at == SIZE_MAX || !it->seen)
            continue;
        judge_trained(of, out, first, it, &courses[k]);
        of->expects->tally[at].checked += out->checked - before;
    }
    arena_release(scratch);
}

void law_expect_trained(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count && of->expects->all->count; i++)
        if (law_earlier_dump(of, i) == SIZE_MAX)
            judge_rank(of, out, i);
    law_meant_trained(of, out);
}

// ---- how weights are set up

// The standard deviation of n draws is that of their distribution within 1 / sqrt(2 (n - 1)) of it,
// their mean within its n-th root (Cramer, Mathematical Methods of Statistics, 27.4 and 27.1, of
// the normal one; uniform and truncated ones spread less): five times that is not chance.
#define SIGMAS   5
#define ROUNDING (16 * (double)FLT_EPSILON)  // of sums of squares in float32
#define ROUNDED  (1.0 / 256)  // of weights that were set up in bfloat16: half of its step

static void judge_init(const Evidence *of, LawResult *out, size_t rank, const ParameterSeen *it,
                       const Expect *meant)
{
    const TensorSeen *seen = &it->value;
    double n = (double)seen->elements, mean = seen->stat[STAT_MEAN], rms = tensor_seen_rms(seen);
    double std = sqrt(fmax(rms * rms - mean * mean, 0));
    double blur = tensor_seen_blur(seen, STAT_MEAN) + tensor_seen_blur(seen, STAT_NORM) / sqrt(n);
    // A variance is the difference of two squares, each of which is rounded.
    double slack = sqrt(ROUNDING * rms * rms + 2 * blur * rms) + ROUNDED * meant->std;
    double wide = n > 1 ? SIGMAS * meant->std / sqrt(2 * (n - 1)) : INFINITY;
    double off = SIGMAS * meant->std / sqrt(n) + blur + ROUNDED * fabs(meant->mean);
    if (fabs(std - meant->std) <= wide + slack && fabs(mean - meant->mean) <= off)
        law_note_held(out, rank, SIZE_MAX);
    else
        law_note_broken(of, out, rank, SIZE_MAX, parameter_label(it),
                        str_printf(of->arena,
                                   tr("standard deviation %.4g and mean %.4g of %llu elements, "
                                      "not %.4g and %.4g"),
                                   std, mean, (unsigned long long)seen->elements, meant->std,
                                   meant->mean));
}

void law_expect_init(const Evidence *of, LawResult *out)
{
    uint8_t sums = 1U << STAT_MEAN | 1U << STAT_NORM;
    for (size_t i = 0; i < of->count && i < of->step_end[0]; i++)
        for (size_t k = 0; k < of->ranks[i].parameter_count; k++) {
            const ParameterSeen *it = &of->ranks[i].parameters[k];
            size_t at = find(of, EXPECT_BIT(EXPECT_INIT), EXPECT_INIT, it);
            if (at == SIZE_MAX || !it->seen || (it->value.known & sums) != sums ||
                it->value.elements == 0 || !tensor_seen_finite(&it->value))
                continue;
            judge_init(of, out, i, it, &of->expects->all->items[at]);
            of->expects->tally[at].checked++;
        }
    law_meant_init(of, out);
}
