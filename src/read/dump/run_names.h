// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_RUN_NAMES_H
#define VERNIER_READ_DUMP_RUN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/notice.h"
#include "base/str.h"

// Whether folders next to each other are runs ("golden" next to "target", "gpu_run1" next to "npu")
// or stages of one run, which may have any other name. Of both the steps and ranks are the same, so
// their names decide: every word of a run's name is one that people call a side of a comparison by,
// or says nothing ("dump", "fp32", numbers). One such name makes all of them runs, unless verl or
// MindSpore calls one of them a stage.
//
// pair: positions of two runs, golden's first where the names tell it. False: stages, or too few.
bool run_names_pair(const Str *names, size_t count, size_t pair[2]);

// Whether two paths are named against their order: the last folders that name different sides call
// golden a target ("npu", "待测") and the target golden ("gpu", "标杆").
bool run_names_swapped(Str golden, Str target);

// A warning where they are, with the line of the command that names golden first.
void run_names_note_swapped(const char *command, const Str paths[2], Notices *notices);

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
