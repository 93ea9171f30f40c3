// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_JSON_H
#define VERNIER_READ_DUMP_DUMP_JSON_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// dump.json and debug.json of msProbe. The direct reader takes entries of the known shapes; every
// other entry goes through a tree. A file that breaks off gives its complete entries, partial_at,
// and a partial notice; bad entries cost themselves and give a notice. Fails on a text that is
// empty or holds no `data` object.
bool dump_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err);

// The same, all entries through trees: the oracle of the tests.
bool dump_json_read_as_trees(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                             Notices *notices, Error *err);

#endif
