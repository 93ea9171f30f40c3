// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_MODULE_STRUCT_H
#define VERNIER_READ_DUMP_MODULE_STRUCT_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// module_struct.json of msProbe's monitor: the modules of a rank in the
// order of the file, with shapes and dtypes and without values:
//     {"0:embedding": {"input": {"config": "tuple[1]", "0": "size=(512, 4), dtype=torch.int64"}}}

bool module_struct_is(const char *path, Str text);

bool module_struct_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                        Notices *notices, Error *err);

#endif
