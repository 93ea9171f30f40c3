// SPDX-License-Identifier: Apache-2.0
// A run against what the user or its configuration meant: --expect. A configuration tells of a run
// as a whole, and right runs keep exceptions: evaluations, heads in another dtype, packed samples,
// scaled or special starts. So what it means is broken only where the run as a whole is otherwise.
#include <float.h>
#include <math.h>

#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness.h"
#include "read/settings/criteria_file.h"

#define TRAINING (EXPECT_BIT(EXPECT_FROZEN) | EXPECT_BIT(EXPECT_TRAINED))

// The place of the one that decides on a weight; SIZE_MAX: none of this kind does.
static size_t find(const Evidence *of, unsigned kinds, ExpectKind kind, const ParameterSeen *weight)
{
    const Expect *it = expect_find(of->expects, kinds, weight->name, false);
    return it && it->kind == kind && it->source.size == 0 ? (size_t)(it - of->expects->all->items)
                                                          : SIZE_MAX;
}

// The one of this kind that a configuration tells, from `from` on; SIZE_MAX: none.
static size_t next_meant(const Evidence *of, ExpectKind kind, size_t from)
{
    for (size_t i = from; i < of->expects->all->count; i++)
        if (of->expects->all->items[i].kind == kind && of->expects->all->items[i].source.size)
            return i;
    return SIZE_MAX;
}

// What one from a configuration says names its setting.
static void broken(const Evidence *of, LawResult *out, size_t rank, const Expect *it, Str what,
                   Str text)
{
    if (it->source.size)
        text =
            str_printf(of->arena, tr(STR_FMT " (" STR_FMT ")"), STR_ARG(text), STR_ARG(it->source));
    law_note_broken(of, out, rank, SIZE_MAX, what, text);
}

// What is added to a part that is frozen is trained in its place.
static bool is_of(const Evidence *of, size_t at, const ParameterSeen *weight)
{
    if (STR_ANY(weight->name, str_has, "lora", "adapter", "prompt", "prefix"))
        return false;
    return !weight_is_statistic(weight->name) &&
           pattern_fits(of->expects->all->items[at].pattern, weight->name);
}

// ---- frozen

// What is left out of an optimizer may require gradients and get them: of a configuration it does
// not move.
static void judge_frozen(const Evidence *of, LawResult *out, size_t rank, const ParameterSeen *it,
                         size_t at)
{
    const Expect *meant = &of->expects->all->items[at];
    size_t later = of->later[rank];
    uint64_t before = out->checked;
    bool own = meant->source.size == 0;
    const ParameterSeen *after = later == SIZE_MAX ? NULL : witness_partner(&of->ranks[later], it);
    bool both = it->seen && after && after->seen;
    SeenMatch match = both ? tensor_seen_match(&it->value, &after->value, 0) : SEEN_UNKNOWN;
    if (own && it->requires_grad == TRI_TRUE)
        broken(of, out, rank, meant, parameter_label(it), str_of(tr("it requires a gradient")));
    else if (own && it->gradient_nonzero)
        broken(of, out, rank, meant, parameter_label(it),
               str_printf(of->arena, tr("a gradient came (" STR_FMT ")"),
                          STR_ARG(tensor_seen_text(&it->gradient, of->arena))));
    else if (match == SEEN_DIFFERENT)
        broken(of, out, later, meant, parameter_label(it),
               tensor_seen_difference(&it->value, &after->value, of->arena));
    else if (match == SEEN_EQUAL || it->requires_grad == TRI_FALSE)
        law_note_held(out, rank, SIZE_MAX);
    of->expects->tally[at].checked += out->checked - before;
}

void law_expect_frozen(const Evidence *of, LawResult *out)
{
    const size_t meant = next_meant(of, EXPECT_FROZEN, 0);
    for (size_t i = 0; i < of->count; i++)
        for (size_t k = 0; k < of->ranks[i].parameter_count; k++) {
            const ParameterSeen *it = &of->ranks[i].parameters[k];
            size_t at = find(of, TRAINING, EXPECT_FROZEN, it);
            if (at != SIZE_MAX)
                judge_frozen(of, out, i, it, at);
            for (at = meant; (at = next_meant(of, EXPECT_FROZEN, at)) != SIZE_MAX; at++)
                if (is_of(of, at, it)) {
                    of->expects->tally[at].named++;
                    judge_frozen(of, out, i, it, at);
                }
        }
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

static bool is_matrix(const ParameterSeen *it)
{
    return str_find_char(it->value.shape, ',', 0) != SIZE_MAX && it->value.elements > 1;
}

// Which of a dump's weights require gradients, as far as it tells.
typedef struct Training {
    size_t matrices, frozen, trained;  // of those that are named; of all that are not
    const ParameterSeen *first;
} Training;

// All weights: a part may be frozen by a trainer of its own accord, not each weight matrix.
static void hold_trained(const Evidence *of, LawResult *out)
{
    size_t at = next_meant(of, EXPECT_TRAINED, 0);
    for (size_t i = 0; i < of->count && at != SIZE_MAX; i++) {
        Training all = {0};
        if (!of->ranks[i].has_backward)
            continue;
        for (size_t k = 0; k < of->ranks[i].parameter_count; k++) {
            const ParameterSeen *it = &of->ranks[i].parameters[k];
            if (it->requires_grad == TRI_ABSENT || !is_of(of, at, it))
                continue;
            all.trained += it->requires_grad == TRI_TRUE;
            all.matrices += is_matrix(it);
            all.frozen += is_matrix(it) && it->requires_grad == TRI_FALSE;
            all.first = all.first ? all.first : is_matrix(it) ? it : NULL;
        }
        of->expects->tally[at].named += all.matrices;
        if (all.trained == 0 || !all.first)
            continue;
        of->expects->tally[at].checked += all.matrices;
        if (all.frozen == all.matrices)
            broken(of, out, i, &of->expects->all->items[at], all.first->name,
                   str_printf(of->arena, tr("not one of %zu weight matrices requires a gradient"),
                              all.matrices));
        else
            law_note_held(out, i, SIZE_MAX);
    }
}

void law_expect_trained(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count && of->expects->all->count; i++)
        if (of->earlier[i] == SIZE_MAX)
            judge_rank(of, out, i);
    hold_trained(of, out);
}

// ---- how weights are set up

// The standard deviation of n draws is that of their distribution within 1 / sqrt(2 (n - 1)) of it,
// their mean within its n-th root (Cramer, Mathematical Methods of Statistics, 27.4 and 27.1, of
// the normal one; uniform and truncated ones spread less): five times that is not chance.
#define SIGMAS   5
#define ROUNDING (16 * (double)FLT_EPSILON)  // of sums of squares in float32
#define ROUNDED  (1.0 / 256)  // of weights that were set up in bfloat16: half of its step

static void spread_of(const TensorSeen *seen, double *std, double *mean)
{
    double rms = tensor_seen_rms(seen);
    *mean = seen->stat[STAT_MEAN];
    *std = sqrt(fmax(rms * rms - *mean * *mean, 0));
}

static bool has_spread(const TensorSeen *seen, double due, double due_mean)
{
    double n = (double)seen->elements, rms = tensor_seen_rms(seen), std, mean;
    double blur = tensor_seen_blur(seen, STAT_MEAN) + tensor_seen_blur(seen, STAT_NORM) / sqrt(n);
    // A variance is the difference of two squares, each of which is rounded.
    double slack = sqrt(ROUNDING * rms * rms + 2 * blur * rms) + ROUNDED * due;
    double wide = n > 1 ? SIGMAS * due / sqrt(2 * (n - 1)) : INFINITY;
    double off = SIGMAS * due / sqrt(n) + blur + ROUNDED * fabs(due_mean);
    spread_of(seen, &std, &mean);
    return fabs(std - due) <= wide + slack && fabs(mean - due_mean) <= off;
}

static void judge_init(const Evidence *of, LawResult *out, size_t rank, const ParameterSeen *it,
                       const Expect *meant)
{
    double std, mean;
    spread_of(&it->value, &std, &mean);
    if (has_spread(&it->value, meant->std, meant->mean))
        law_note_held(out, rank, SIZE_MAX);
    else
        law_note_broken(of, out, rank, SIZE_MAX, parameter_label(it),
                        str_printf(of->arena,
                                   tr("standard deviation %.4g and mean %.4g of %llu elements, "
                                      "not %.4g and %.4g"),
                                   std, mean, (unsigned long long)it->value.elements, meant->std,
                                   meant->mean));
}

static bool tells_spread(const ParameterSeen *it)
{
    uint8_t sums = 1U << STAT_MEAN | 1U << STAT_NORM;
    bool of_rule =
        str_equal(it->class_name, STR("Linear")) || str_equal(it->class_name, STR("Embedding"));
    return of_rule && is_matrix(it) && it->seen && (it->value.known & sums) == sums &&
           tensor_seen_has_ends(&it->value) && tensor_seen_finite(&it->value) &&
           !tensor_seen_rounded(&it->value);
}

// A run from its beginning: every norm that is seen still has one value throughout.
static bool is_fresh(const RankWitness *rank)
{
    size_t norms = 0;
    for (size_t i = 0; i < rank->parameter_count; i++) {
        const ParameterSeen *it = &rank->parameters[i];
        if (!it->seen || str_find(it->class_name, STR("Norm"), 0) == SIZE_MAX ||
            !str_ends(it->name, STR("weight")) || it->value.elements < SEEN_ELEMENTS)
            continue;
        if (!tensor_seen_constant(&it->value))
            return false;
        norms++;
    }
    return norms > 0;
}

// As a module of PyTorch sets itself up where no rule of a model does it again: the elements of a
// Linear module are uniform up to 1 / sqrt(n) of its n inputs, those of an embedding normal.
static bool is_default(const ParameterSeen *it)
{
    const TensorSeen *seen = &it->value;
    int64_t inputs = 0;
    Str last = str_slice(seen->shape, str_rfind_char(seen->shape, ',') + 1, seen->shape.size - 1);
    if (str_equal(it->class_name, STR("Embedding")))
        return has_spread(seen, 1, 0);
    if (!str_to_int64(str_trim(last), &inputs) || inputs < 1)
        return false;
    double bound = 1 / sqrt((double)inputs) * (1 + 1e-6);
    return has_spread(seen, 1 / sqrt(3 * (double)inputs), 0) && seen->stat[STAT_MAX] <= bound &&
           seen->stat[STAT_MIN] >= -bound;
}

static void hold_init(const Evidence *of, LawResult *out, size_t rank, size_t at)
{
    const Expect *meant = &of->expects->all->items[at];
    const ParameterSeen *first = NULL;
    size_t fits = 0, left = 0;
    for (size_t k = 0; k < of->ranks[rank].parameter_count; k++) {
        const ParameterSeen *it = &of->ranks[rank].parameters[k];
        if (!tells_spread(it))
            continue;
        bool good = has_spread(&it->value, meant->std, 0);
        bool untouched = !good && is_default(it);
        fits += good;
        left += untouched;
        first = untouched && !first ? it : first;
    }
    of->expects->tally[at].named += fits + left;
    if (fits < 2 || fits <= left)
        return;
    of->expects->tally[at].checked += fits + left;
    if (first)
        broken(of, out, rank, meant, first->name,
               str_printf(of->arena,
                          tr("spread of a module that no rule set up, where %zu weights have %.4g"),
                          fits, meant->std));
    else
        law_note_held(out, rank, SIZE_MAX);
}

static void hold_inits(const Evidence *of, LawResult *out)
{
    size_t at = next_meant(of, EXPECT_INIT, 0);
    for (size_t i = 0; i < of->count && i < of->step_end[0] && at != SIZE_MAX; i++)
        if (is_fresh(&of->ranks[i]))
            hold_init(of, out, i, at);
        else
            law_note_why(out, str_of(tr("the run does not begin here: norms have moved, or none "
                                        "is seen")));
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
    hold_inits(of, out);
}

// ---- what a configuration means of products and sizes

// What some dumps tell of one expectation.
typedef struct Told {
    uint64_t fits, unclear, off, dumps;  // dumps: in which some are off
    const ExpectTally *first;            // of these
    size_t at;
    int64_t least, most;
} Told;

static void add_told(const Evidence *of, size_t rank, size_t at, Told *out)
{
    const ExpectTally *it = of->ranks[rank].tally ? &of->ranks[rank].tally[at] : NULL;
    if (!it)
        return;
    out->fits += it->fits;
    out->unclear += it->unclear;
    out->off += it->off;
    if (it->off == 0)
        return;
    bool first = out->dumps++ == 0;
    out->first = first ? it : out->first;
    out->at = first ? rank : out->at;
    out->least = first || it->least < out->least ? it->least : out->least;
    out->most = first || it->most > out->most ? it->most : out->most;
}

static void break_told(const Evidence *of, LawResult *out, size_t at, const Told *told)
{
    broken(of, out, told->at, &of->expects->all->items[at], told->first->op, told->first->text);
}

// Products of the dumps with a backward. A few run otherwise in right runs; not all of them.
static void hold_compute(const Evidence *of, LawResult *out, size_t at)
{
    enum { PRODUCTS_MIN = 3 };
    Told all = {0};
    for (size_t i = 0; i < of->count; i++) {
        Told own = {0};
        if (!of->ranks[i].has_backward)
            continue;
        add_told(of, i, at, &own);
        add_told(of, i, at, &all);
        if (own.fits)
            law_note_held(out, i, SIZE_MAX);
    }
    if (all.fits == 0 && all.off >= PRODUCTS_MIN)
        break_told(of, out, at, &all);
    else if (all.fits == 0 && all.off)
        law_note_why(out, str_of(tr("too few products are seen")));
}

// The last batch of an epoch is smaller, and trainers that count otherwise have another one in each
// step: broken where a rank has one and the same other number in two dumps or more, and no other.
static void hold_batch(const Evidence *of, LawResult *out, size_t at)
{
    for (size_t i = 0; i < of->count; i++) {
        Told rows = {0};
        for (size_t k = of->earlier[i] == SIZE_MAX ? i : SIZE_MAX; k != SIZE_MAX; k = of->next[k])
            if (of->ranks[k].has_backward)
                add_told(of, k, at, &rows);
        if (rows.fits)
            law_note_held(out, i, SIZE_MAX);
        else if (rows.unclear)
            law_note_why(out, str_of(tr("samples may be packed, paired or split")));
        else if (rows.dumps > 1 && rows.least == rows.most)
            break_told(of, out, at, &rows);
        else if (rows.dumps)
            law_note_why(out, str_of(tr("one step, or steps of several sizes, do not tell: the "
                                        "last batch is smaller")));
    }
}

// Lengths of what is trained on; tokens that are generated, where nothing is trained.
static void hold_sizes(const Evidence *of, LawResult *out, size_t at)
{
    bool trained = of->expects->all->items[at].kind == EXPECT_LENGTH;
    for (size_t i = 0; i < of->count; i++) {
        Told rows = {0};
        if (!trained || of->ranks[i].has_backward)
            add_told(of, i, at, &rows);
        if (rows.off)
            break_told(of, out, at, &rows);
        else if (rows.fits)
            law_note_held(out, i, SIZE_MAX);
        else if (rows.unclear)
            law_note_why(out, str_of(tr("samples may be packed, or hold a few tokens more")));
    }
}

// What a dump decides of --expect was counted when it was read; what a configuration means is
// compared with all of them.
static void hold(const Evidence *of, LawResult *out, LocalLaw law, ExpectKind kind,
                 void test(const Evidence *of, LawResult *out, size_t at))
{
    law_take_local(of, out, law);
    for (size_t i = 0; i < of->count; i++)
        for (size_t k = 0; k < of->expects->all->count && of->ranks[i].tally; k++) {
            bool mine = of->expects->all->items[k].kind == kind;
            of->expects->tally[k].named += mine ? of->ranks[i].tally[k].named : 0;
            of->expects->tally[k].checked += mine ? of->ranks[i].tally[k].checked : 0;
        }
    size_t at = next_meant(of, kind, 0);
    if (at != SIZE_MAX)
        test(of, out, at);
}

void law_expect_compute(const Evidence *of, LawResult *out)
{
    hold(of, out, LOCAL_COMPUTE, EXPECT_COMPUTE, hold_compute);
}

void law_expect_batch(const Evidence *of, LawResult *out)
{
    hold(of, out, LOCAL_BATCH, EXPECT_BATCH, hold_batch);
}

void law_expect_length(const Evidence *of, LawResult *out)
{
    hold(of, out, LOCAL_LENGTH, EXPECT_LENGTH, hold_sizes);
}

void law_expect_generated(const Evidence *of, LawResult *out)
{
    hold(of, out, LOCAL_GENERATED, EXPECT_GENERATED, hold_sizes);
}
