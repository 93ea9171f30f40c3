// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_PROGRESS_H
#define VERNIER_COMMANDS_MACHINERY_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

// One line on a terminal that says what is being done, from half a second on: it is overwritten in
// place and gone at the end. Where standard error is no terminal, nothing is printed; with
// VERNIER_PROGRESS=lines in the environment a line each, "progress DONE PAIRS FILE", for programs.
typedef struct Progress Progress;

// NULL where there is nothing to show: `quiet`, no terminal, or one that cannot move its cursor.
// Everything below takes NULL and is safe to call from several threads.
Progress *progress_start(bool quiet);
void progress_end(Progress *progress);  // the line is cleared

void progress_pairs(Progress *progress, size_t count);  // how many pairs there will be
void progress_pair_done(Progress *progress);
void progress_writes(Progress *progress, const char *file);  // by its name in the folder

// What the line says `seconds` after the start, `pairs_at` seconds after which pairs were compared:
// "2 of 4 pairs done, about 12 s left; writing index.html". `file` may be empty.
Str progress_line(size_t done, size_t pairs, double seconds, double pairs_at, Str file,
                  Arena *arena);

#endif
