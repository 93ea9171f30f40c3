// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_PART_FILE_H
#define VERNIER_COMMANDS_MERGE_PART_FILE_H

#include "base/arena.h"
#include "base/str.h"

// Files of a part are written by anybody; a report takes only those that a part of this program can
// have left: under a name of their pair, with nothing in them that a browser or a spreadsheet runs.

// The format of a file that the pair of this step, stage and rank has, by its whole name; `single`:
// it is the only pair of the run. NULL: no file of this pair is called so.
const char *part_file_format(Str name, int64_t step, Str stage, int64_t rank, bool single,
                             Arena *arena);

// NULL if the file holds only what that format needs; else why it is not taken, translated, static.
// Linear in the size of the file, of a workbook in that of its parts unpacked.
const char *part_file_refusal(const char *format, Str bytes);

#endif
