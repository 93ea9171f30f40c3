// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OUTPUT_LIST_H
#define VERNIER_COMMANDS_MACHINERY_OUTPUT_LIST_H

#include "commands/machinery/options.h"

// ".vernier-files" in a folder of outputs: the files that vernier made there, one a line, with size
// and CRC-32C. What an earlier run made and this one did not is removed at the end: no file of
// another comparison stays next to the report. A run that is interrupted leaves a list that has all
// it wrote, of which what has no size and CRC yet is never removed.
typedef struct OutputList OutputList;

// Reads the list, which may be missing. It is untrusted: anybody may have put it there.
OutputList *output_list_open(const char *folder, Arena *arena);

// To be called before `file` appears. Safe to call from several threads.
void output_list_add(OutputList *list, const char *file);

// Removes what the earlier list names and this run did not make, unless `keep_old`: only regular
// files right in the folder that nobody has changed since, of kinds that vernier writes, that the
// command line does not name, and none where the folder is an input or lies in one. After --step or
// --rank only files of a step and rank that the run took, after --stage none. Writes the list anew,
// sorted.
void output_list_end(OutputList *list, const Options *options, bool keep_old, int jobs);

// Whether the name is that of a kind of file that vernier writes into folders.
bool output_list_is_kind(Str name);

#endif
