// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_CUT_H
#define VERNIER_READ_DUMP_DUMP_CUT_H

#include "base/notice.h"
#include "read/dump/dump.h"

// A dump.json that breaks off, next to which dump_tensor_data holds tensors of more ops: *dump
// becomes the dump of these tensors, which is said; not where ops have other arguments, too. Its
// ops stand as in the file, then as in stack.json, then by name.
void dump_cut_take_tensors(Dump *dump, Arena *arena, Notices *notices);

// Files of dump_tensor_data that no entry of a whole dump names are reported, as they are not
// compared.
void dump_files_tell(const Dump *dump, Arena *arena, Notices *notices);

// What msProbe says in dump_error_info.log of ops that it could not save: told, and these ops
// count as unread, so that the other side's are no difference.
void dump_errors_tell(Dump *dump, Arena *arena, Notices *notices);

#endif
