// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_UNREAD_H
#define VERNIER_READ_DUMP_DUMP_UNREAD_H

#include "base/file.h"
#include "base/number_list.h"

// What of a folder of dumps is not read though it may hold dumps: nobody who packed a rank, or
// called a step by another name, may take the verdict for one of the whole run.

// Which folders of the level were searched.
enum { WALKED_STEPS = 1, WALKED_RANKS = 2, WALKED_MODES = 4, WALKED_ALL = 8 };

// Tells, and makes the input partial: packed files called as a step, rank, stage or dump, where
// what they are packed of does not lie next to; and folders that were not searched and hold a dump
// at most five levels below. `list`: the names in `folder`. `steps`, `ranks`: others are not told,
// empty for all. Costs questions to the file system only for such names.
void dump_unread_note(const char *folder, const FolderList *list, unsigned walked,
                      const NumberList *steps, const NumberList *ranks, Arena *arena,
                      Notices *notices);

// The same of what is next to a dump that is read: others in its folder, by their content where
// their names begin as those of dumps do, and in folders below.
void dump_unread_note_beside(const char *file, Arena *arena, Notices *notices);

// The same of one folder that was searched in vain.
void dump_unread_note_folder(const char *path, Arena *arena, Notices *notices);

#endif
