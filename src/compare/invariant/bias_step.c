// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/bias_step.h"

#include <math.h>

#include "compare/invariant/law_note.h"

bool bias_is_off(const BiasSeen *it)
{
    return fabs(it->found - it->due) > it->slack;
}

const BiasSeen *bias_of_step_before(const Evidence *of, size_t rank, Str op)
{
    size_t earlier = law_earlier_dump(of, rank);
    const RankWitness *its = earlier == SIZE_MAX ? NULL : &of->ranks[earlier];
    for (size_t i = 0; its && law_next_step(of, earlier) == rank && i < its->bias_count; i++)
        if (str_equal(its->biases[i].op, op))
            return &its->biases[i];
    return NULL;
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
