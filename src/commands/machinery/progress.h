// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_PROGRESS_H
#define VERNIER_COMMANDS_MACHINERY_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

// One line on a terminal that says what is being written: it is overwritten in place and gone at
// the end. Where standard error is no terminal, nothing is printed; with VERNIER_PROGRESS=lines in
// the environment a line each, "progress DONE PAIRS FILE", for programs.
typedef struct Progress Progress;

// NULL where there is nothing to show: `quiet`, no terminal, or one that cannot move its cursor.
// Everything below takes NULL and is safe to call from several threads.
Progress *progress_start(bool quiet);
void progress_end(Progress *progress);  // the line is cleared

void progress_pairs(Progress *progress, size_t count);  // how many pairs there will be
void progress_pair_done(Progress *progress);
void progress_writes(Progress *progress, const char *file);  // by its name in the folder

#endif
