// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_NAME_MAP_H
#define VERNIER_READ_SETTINGS_NAME_MAP_H

#include "base/notice.h"

// Which weight of the target is which of the golden run: a CSV "target,benchmark", in the order of
// the lists that the trainers print.
typedef struct NameMap {
    Str *targets, *goldens;
    size_t count;
} NameMap;

// The column of the golden run may be called "benchmark" or "golden". Texts are copied to `arena`.
// ERR_INPUT where the file cannot be read or holds no row.
bool name_map_read(const char *path, Arena *arena, NameMap *out, Notices *notices, Error *err);

#endif
