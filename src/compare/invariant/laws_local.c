// SPDX-License-Identifier: Apache-2.0
// What one dump alone decides; it was decided when the dump was read.
#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/weight_change.h"

static void take_rank(const Evidence *of, LawResult *out, size_t rank, const LocalSeen *seen)
{
    for (uint64_t k = 0; k < seen->broken && k < LOCAL_KEPT; k++)
        law_note_broken(of, out, rank, SIZE_MAX, seen->first[k].op, seen->first[k].text);
    if (seen->broken > LOCAL_KEPT) {
        out->checked += seen->broken - LOCAL_KEPT;
        out->broken += seen->broken - LOCAL_KEPT;
    }
    if (seen->checked <= seen->broken)
        return;
    law_note_held(out, rank, SIZE_MAX);
    out->checked += seen->checked - seen->broken - 1;
}

void law_take_local(const Evidence *of, LawResult *out, LocalLaw law)
{
    for (size_t i = 0; i < of->count; i++)
        take_rank(of, out, i, &of->ranks[i].local[law]);
}

static bool finite_later(const Evidence *of, size_t rank)
{
    for (size_t i = of->later[rank]; i != SIZE_MAX; i = of->next[i])
        if (of->ranks[i].local[LOCAL_FINITE].checked &&
            of->ranks[i].local[LOCAL_FINITE].broken == 0)
            return true;
    return false;
}

// A loss that is scaled as far as float16 goes overflows in its backward now and then: the step is
// left out, as the weights tell, and later ones are finite again. Nothing is said of its dump.
static bool was_left_out(const Evidence *of, size_t rank)
{
    const RankWitness *mine = &of->ranks[rank];
    size_t later = law_next_step(of, rank), told = 0;
    if (!mine->scaled || !mine->overflowed || later == SIZE_MAX || !finite_later(of, rank))
        return false;
    for (size_t i = 0; i < mine->parameter_count; i++) {
        WeightChange change;
        if (!weight_change(&mine->parameters[i], &of->ranks[later], &change))
            continue;
        if (change.changed)
            return false;
        told++;
    }
    return told > 0;
}

static void judge_finite(const Evidence *of, LawResult *out, size_t rank)
{
    const LocalSeen *seen = &of->ranks[rank].local[LOCAL_FINITE];
    if (seen->broken && was_left_out(of, rank))
        law_note_open(out, rank, str_of(tr("NaN or Inf of a step that a scaler left out")));
    else
        take_rank(of, out, rank, seen);
}

// Ranks on which it is born come before those of their step that it reaches.
void law_finite(const Evidence *of, LawResult *out)
{
    for (size_t from = 0; from < of->count; from = of->step_end[from])
        for (int arrived = 0; arrived < 2; arrived++)
            for (size_t i = from; i < of->step_end[from]; i++)
                if (of->ranks[i].arrived == arrived)
                    judge_finite(of, out, i);
}
