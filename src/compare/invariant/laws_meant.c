// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/laws_meant.h"

#include <math.h>

#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/weight_change.h"
#include "compare/invariant/witness.h"
#include "read/settings/criteria_file.h"

// The one of this kind that a configuration tells, from `from` on; SIZE_MAX: none.
static size_t next_meant(const Evidence *of, ExpectKind kind, size_t from)
{
    for (size_t i = from; i < of->expects->all->count; i++)
        if (of->expects->all->items[i].kind == kind && of->expects->all->items[i].source.size)
            return i;
    return SIZE_MAX;
}

static void broken(const Evidence *of, LawResult *out, size_t rank, const Expect *it, Str what,
                   Str text)
{
    law_note_broken(
        of, out, rank, SIZE_MAX, what,
        str_printf(of->arena, tr(STR_FMT " (" STR_FMT ")"), STR_ARG(text), STR_ARG(it->source)));
}

static const ExpectTally *tally_of(const Evidence *of, size_t rank, size_t at)
{
    return of->ranks[rank].tally ? &of->ranks[rank].tally[at] : NULL;
}

// ---- dtype of products

enum { PRODUCTS_MIN = 3 };

// Products of the dumps with a backward. A few run otherwise in right runs; not all of them.
void law_meant_compute(const Evidence *of, LawResult *out)
{
    size_t at = next_meant(of, EXPECT_COMPUTE, 0), first = SIZE_MAX;
    uint64_t fits = 0, off = 0;
    for (size_t i = 0; i < of->count && at != SIZE_MAX; i++) {
        const ExpectTally *it = tally_of(of, i, at);
        if (!it || !of->ranks[i].has_backward)
            continue;
        fits += it->fits;
        off += it->off;
        first = it->off && first == SIZE_MAX ? i : first;
        if (it->fits)
            law_note_held(out, i, SIZE_MAX);
    }
    if (fits == 0 && off && off < PRODUCTS_MIN)
        law_note_why(out, str_of(tr("too few products are seen")));
    if (fits == 0 && off >= PRODUCTS_MIN)
        broken(of, out, first, &of->expects->all->items[at], tally_of(of, first, at)->op,
               tally_of(of, first, at)->text);
}

// ---- sizes

typedef struct Rows {
    uint64_t fits, unclear, dumps;
    size_t first;
    int64_t least, most;
} Rows;

static void add_rows(const Evidence *of, size_t rank, size_t at, Rows *out)
{
    const ExpectTally *it = tally_of(of, rank, at);
    if (!it || !of->ranks[rank].has_backward)
        return;
    out->fits += it->fits;
    out->unclear += it->unclear;
    if (it->off == 0)
        return;
    if (out->dumps++ == 0) {
        out->first = rank;
        out->least = it->least;
    }
    out->least = out->least < it->least ? out->least : it->least;
    out->most = out->most > it->most ? out->most : it->most;
}

// The last batch of an epoch is smaller, and trainers that count otherwise have another one in each
// step: broken where a rank has one and the same other number in two dumps or more, and no other.
void law_meant_batch(const Evidence *of, LawResult *out)
{
    size_t at = next_meant(of, EXPECT_BATCH, 0);
    for (size_t i = 0; i < of->count && at != SIZE_MAX; i++) {
        Rows rows = {0};
        if (law_earlier_dump(of, i) != SIZE_MAX)
            continue;
        for (size_t k = i; k != SIZE_MAX; k = of->next[k])
            add_rows(of, k, at, &rows);
        if (rows.fits)
            law_note_held(out, i, SIZE_MAX);
        else if (rows.unclear)
            law_note_why(out, str_of(tr("samples may be packed, paired or split")));
        else if (rows.dumps > 1 && rows.least == rows.most)
            broken(of, out, rows.first, &of->expects->all->items[at],
                   tally_of(of, rows.first, at)->op, tally_of(of, rows.first, at)->text);
        else if (rows.dumps)
            law_note_why(out, str_of(tr("one step, or steps of several sizes, do not tell: the "
                                        "last batch is smaller")));
    }
}

// Lengths of what is trained on; tokens that are generated, where nothing is trained.
void law_meant_sizes(const Evidence *of, LawResult *out, ExpectKind kind)
{
    size_t at = next_meant(of, kind, 0);
    for (size_t i = 0; i < of->count && at != SIZE_MAX; i++) {
        const ExpectTally *it = tally_of(of, i, at);
        if (!it || (kind == EXPECT_LENGTH && !of->ranks[i].has_backward))
            continue;
        if (it->off)
            broken(of, out, i, &of->expects->all->items[at], it->op, it->text);
        else if (it->fits)
            law_note_held(out, i, SIZE_MAX);
        else if (it->unclear)
            law_note_why(out, str_of(tr("samples may be packed, or hold a few tokens more")));
    }
}

// ---- which weights move

// What is added to a part that is frozen is trained in its place.
static bool is_of(const Evidence *of, size_t at, const ParameterSeen *weight)
{
    static const char *const added[] = {"lora", "adapter", "prompt", "prefix"};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (str_find(weight->name, str_of(added[i]), 0) != SIZE_MAX)
            return false;
    return !weight_is_statistic(weight->name) &&
           pattern_fits(of->expects->all->items[at].pattern, weight->name);
}

// What is left out of an optimizer may require gradients and get them: it does not move.
static void hold_frozen(const Evidence *of, LawResult *out, size_t rank, size_t at)
{
    size_t later = of->later[rank];
    for (size_t k = 0; k < of->ranks[rank].parameter_count; k++) {
        const ParameterSeen *it = &of->ranks[rank].parameters[k];
        if (!is_of(of, at, it))
            continue;
        of->expects->tally[at].named++;
        const ParameterSeen *after =
            later == SIZE_MAX ? NULL : witness_partner(&of->ranks[later], it);
        bool both = it->seen && after && after->seen;
        SeenMatch match = both ? tensor_seen_match(&it->value, &after->value, 0) : SEEN_UNKNOWN;
        if (match == SEEN_DIFFERENT)
            broken(of, out, later, &of->expects->all->items[at], parameter_label(it),
                   tensor_seen_difference(&it->value, &after->value, of->arena));
        else if (match == SEEN_EQUAL || it->requires_grad == TRI_FALSE)
            law_note_held(out, rank, SIZE_MAX);
        else
            continue;
        of->expects->tally[at].checked++;
    }
}

void law_meant_frozen(const Evidence *of, LawResult *out)
{
    for (size_t at = 0; (at = next_meant(of, EXPECT_FROZEN, at)) != SIZE_MAX; at++)
        for (size_t i = 0; i < of->count; i++)
            hold_frozen(of, out, i, at);
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
void law_meant_trained(const Evidence *of, LawResult *out)
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

// ---- how weights are set up

// Five times what chance allows, as in laws_expect.c, and 1/256 for the rounding of bfloat16.
static bool has_spread(const TensorSeen *seen, double std)
{
    double n = (double)seen->elements, mean = seen->stat[STAT_MEAN], rms = tensor_seen_rms(seen);
    double found = sqrt(fmax(rms * rms - mean * mean, 0));
    return fabs(found - std) <= 5 * std / sqrt(2 * (n - 1)) + std / 256 &&
           fabs(mean) <= 5 * std / sqrt(n);
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
        return has_spread(seen, 1);
    if (!str_to_int64(str_trim(last), &inputs) || inputs < 1)
        return false;
    double bound = 1 / sqrt((double)inputs) * (1 + 1e-6);
    return has_spread(seen, 1 / sqrt(3 * (double)inputs)) && seen->stat[STAT_MAX] <= bound &&
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
        bool good = has_spread(&it->value, meant->std);
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

void law_meant_init(const Evidence *of, LawResult *out)
{
    size_t at = next_meant(of, EXPECT_INIT, 0);
    for (size_t i = 0; i < of->count && i < of->step_end[0] && at != SIZE_MAX; i++)
        if (is_fresh(&of->ranks[i]))
            hold_init(of, out, i, at);
        else
            law_note_why(out, str_of(tr("the run does not begin here: norms have moved, or none "
                                        "is seen")));
}
