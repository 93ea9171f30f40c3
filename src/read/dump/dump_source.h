// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_SOURCE_H
#define VERNIER_READ_DUMP_DUMP_SOURCE_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/construct.h"
#include "read/dump/dump.h"
#include "read/dump/stack.h"

// The front door to all formats of dumps. A format is a row of the table in dump_source.c: the
// names its files have in a folder, how its content is recognised, its reader.

// Reads what is at `path`, a file or, of tensors alone, a folder. Names are added to `names`. What
// is broken costs itself, with a notice; fails if nothing can be read.
bool dump_read(const char *path, Names *names, Arena *arena, Dump *out, Notices *notices,
               Error *err);

// From bytes in memory, for tests and fuzzing; `path` is only named in messages.
bool dump_read_text(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err);

// The hierarchy and the call stacks that belong to `dump`, which lies in `folder`: those that it
// holds itself, else those of the files next to it. There need not be any.
void dump_read_hierarchy(const Dump *dump, const char *folder, Arena *arena, Construct *construct,
                         Stacks **stacks, Notices *notices);

// The file of a folder that holds its records, the best of them; NULL if there is none.
const char *dump_file_in(const char *folder, Arena *arena);

// The names of two files of such a folder without that might each be its dump, by their content.
// False: it has none, or one.
bool dump_rivals_in(const char *folder, Arena *arena, Str out[2]);

// Whether the file is a dump by its content, whatever it is called.
bool dump_is_file(const char *path);

bool dump_is_record_name(Str name);  // of a file that holds the records of a dump
bool dump_is_file_name(Str name);    // the same, or of one that is next to them

#endif
