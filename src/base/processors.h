// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_PROCESSORS_H
#define VERNIER_BASE_PROCESSORS_H

#include "base/arena.h"
#include "base/str.h"

// How many processors this process may use: those that it may run on (sched_getaffinity), and no
// more than its control group has time for (cpu.max of version 2, cpu.cfs_quota_us of version 1),
// rounded up. At least 1.
int processors_usable(void);

// The bound of the control groups that `own` names, the text of /proc/self/cgroup, and of those
// above them, below the folder `root` where they are mounted; 0: there is none. Inside a container
// the own name may not be there; then that of the root counts.
int processors_of_groups(const char *root, Str own, Arena *arena);

#endif
