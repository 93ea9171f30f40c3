// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/bias_step.h"

#include <math.h>

#include "base/sort.h"
#include "compare/invariant/law_note.h"

bool bias_is_off(const BiasSeen *it)
{
    return fabs(it->found - it->due) > it->slack;
}

const BiasSeen *bias_of_step_before(const Evidence *of, size_t rank, Str op)
{
    size_t earlier = law_earlier_dump(of, rank);
    if (earlier == SIZE_MAX || law_next_step(of, earlier) != rank)
        return NULL;
    const RankWitness *its = &of->ranks[earlier];
    size_t at;
    FIND_FIRST(at, its->bias_count, str_compare(its->biases_by_op[at]->op, op) < 0);
    bool found = at < its->bias_count && str_equal(its->biases_by_op[at]->op, op);
    return found ? its->biases_by_op[at] : NULL;
}

bool bias_grads_anew(const Evidence *of, size_t rank)
{
    for (size_t at = rank, next;
         of->ranks[rank].adds_grads && (next = law_next_step(of, at)) != SIZE_MAX; at = next)
        for (size_t i = 0; i < of->ranks[next].bias_count; i++) {
            const BiasSeen *it = &of->ranks[next].biases[i];
            const BiasSeen *before = bias_of_step_before(of, next, it->op);
            if (before && !bias_is_off(it) && fabs(before->left) > it->slack + before->slack)
                return true;
        }
    return false;
}
