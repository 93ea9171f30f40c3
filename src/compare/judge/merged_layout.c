// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/merged_layout.h"

static uint32_t shares_of(const Dump *dump)
{
    return dump->merged ? dump->shares : 1;
}

static uint32_t ranks_of(const Dump *dump)
{
    return dump->merged ? dump->merged_ranks : 1;
}

bool merged_any(const Dump *golden, const Dump *target)
{
    return golden->merged || target->merged;
}

// A merged dump that was read from a file does not tell its shares.
bool merged_shares_differ(const Dump *golden, const Dump *target)
{
    return shares_of(golden) != shares_of(target) || shares_of(golden) == 0;
}

bool merged_same_whole(const Dump *golden, const Dump *target, double golden_size,
                       double target_size)
{
    return merged_shares_differ(golden, target) &&
           golden_size * shares_of(golden) == target_size * shares_of(target);
}

bool merged_layouts_differ(const Dump *golden, const Dump *target)
{
    return merged_shares_differ(golden, target) || ranks_of(golden) != ranks_of(target);
}
