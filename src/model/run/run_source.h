// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RUN_RUN_SOURCE_H
#define VERNIER_MODEL_RUN_RUN_SOURCE_H

#include "base/notice.h"
#include "model/run/series.h"
#include "read/log/series_source.h"

// From what a user typed to runs: "[NAME=]PATH[,PATH…]", each path a file or a folder.

// Reads the files and adds the runs they hold: one, or several for an export of several runs and
// for folders of event files. Files of a folder that hold no training record are passed over.
// Fails if a file that was named cannot be read, or if nothing was found.
bool run_source_read(Str argument, RunRole role, Arena *arena, Runs *out, Notices *notices,
                     Error *err);

// Tells which steps a later start wrote again, so that the earlier values of them are gone: a
// warning unless the loss is the same there.
void run_tell_overlap(const Run *run, Notices *notices);

// Puts the means of steps (Series.means) in the place of the first values, in series of which all
// runs that have them have means, and tells it.
void runs_take_means(Runs *runs, Arena *arena, Notices *notices);

// Gives runs of one name different names, by their folders or by a number.
void runs_name_apart(Runs *runs, Arena *arena);

// Adds the files that an argument of this form names, as far as they are there.
void run_source_files(Str argument, Arena *arena, SourceFiles *out);

#endif
