// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_LINE_DUMP_H
#define VERNIER_READ_DUMP_LINE_DUMP_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// vernier.dump/1, the dump that anybody can write: JSON Lines, a tensor a line in the order of
// execution, behind a header (docs/dump-format.md). As the records of a dump:
//     op "model.norm", module "model.norm"     module, forward; its second call ends in "#1"
//     op "Functional.linear.0.forward"         a name as msProbe spells it says the rest itself
//     io input, output, param, grad, debug     "input.0", "output.0", "parameters.weight"
//     io tensor                                a tensor of no op: the slot is its name

bool line_dump_is(const char *path, Str text);  // by the first key

// A line that is no record costs itself, and makes the dump partial. Fails on a header of another
// version, and without a record.
bool line_dump_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err);

#endif
