// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_CHILD_RUNS_H
#define VERNIER_READ_DUMP_CHILD_RUNS_H

#include "base/error.h"
#include "base/str.h"

// What may be the runs right below a folder: folders with a dump in or below them whose names are
// neither steps nor ranks, and no stage that is known. Stages of one run may have any other name,
// too: for what is offered to the user, not for what is done.
enum { CHILD_RUNS_MAX = 8 };
typedef struct ChildRuns {
    Str names[CHILD_RUNS_MAX];
    size_t count;                 // 0 where there are fewer than two
    const char *golden, *target;  // paths of two of them; golden's name first where names tell it
} ChildRuns;

// Lives in `arena`.
ChildRuns child_runs_find(const char *folder, Arena *arena);

// "a, b, c"
Str child_runs_list(const ChildRuns *runs, Arena *arena);

#endif
