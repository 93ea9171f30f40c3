// SPDX-License-Identifier: Apache-2.0
#include "compare/origin.h"

#include "compare/nonfinite/comm_ties.h"
#include "read/dump/place_name.h"

static bool diverges(const PairFacts *pair)
{
    return pair->first.kind != DIVERGE_NONE;
}

// Steps run one after the other, and so do the stages of a step.
static bool runs_before(const PairFacts *a, const PairFacts *b)
{
    return a->step != b->step ? a->step < b->step : stage_compare(a->stage, b->stage) < 0;
}

static size_t earliest_step(const PairFacts *pairs, size_t count)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (diverges(&pairs[i]) && (best == SIZE_MAX || runs_before(&pairs[i], &pairs[best])))
            best = i;
    return best;
}

// Smaller is nearer to the origin: what came from outside before what was computed.
static int kind_order(DivergenceKind kind)
{
    return kind == DIVERGE_OUTPUT;
}

typedef struct Candidate {
    size_t pair;
    uint64_t time;
} Candidate;

static bool comes_before(const PairFacts *pairs, const Candidate *a, const Candidate *b)
{
    const FirstDivergence *x = &pairs[a->pair].first, *y = &pairs[b->pair].first;
    if (a->time != b->time)
        return a->time < b->time;
    if (kind_order(x->kind) != kind_order(y->kind))
        return kind_order(x->kind) < kind_order(y->kind);
    return x->position < y->position;
}

static Trail trail_of(const PairFacts *pair)
{
    return (Trail){.rank = pair->rank,
                   .op_count = (uint32_t)pair->ops_target,
                   .calls = pair->calls,
                   .call_count = pair->call_count};
}

// `first` is one that diverges at the step in question.
static size_t first_by_clock(const PairFacts *pairs, size_t count, size_t first, Arena *scratch)
{
    Trail *trails = ARENA_ARRAY(scratch, Trail, count);
    size_t *pair_of = ARENA_ARRAY(scratch, size_t, count), ranks = 0;
    for (size_t i = 0; i < count; i++) {
        if (!pair_facts_same_step(&pairs[i], &pairs[first]) || !pair_facts_compared(&pairs[i]))
            continue;
        trails[ranks] = trail_of(&pairs[i]);
        pair_of[ranks++] = i;
    }
    CommTies ties;
    CommClock clock;
    comm_ties_build(trails, ranks, scratch, &ties);
    comm_clock_run(&ties, scratch, &clock);
    Candidate best = {.pair = SIZE_MAX};
    for (size_t rank = 0; rank < ranks; rank++) {
        const PairFacts *pair = &pairs[pair_of[rank]];
        if (!diverges(pair))
            continue;
        Candidate here = {pair_of[rank],
                          comm_clock_at(&clock, &trails[rank], rank, pair->first.target_position)};
        if (best.pair == SIZE_MAX || comes_before(pairs, &here, &best))
            best = here;
    }
    return best.pair;
}

size_t origin_find(const PairFacts *pairs, size_t count)
{
    size_t first = earliest_step(pairs, count);
    if (first == SIZE_MAX)
        return SIZE_MAX;
    Arena *scratch = arena_new();
    size_t out = first_by_clock(pairs, count, first, scratch);
    arena_release(scratch);
    return out;
}
