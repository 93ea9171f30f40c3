// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_COMPARE_CONFIG_H
#define VERNIER_READ_SETTINGS_COMPARE_CONFIG_H

#include <stdbool.h>

#include "base/arena.h"

// compare.json of msProbe: {"npu_path": …, "bench_path": …, "stack_path": …}, which names the
// target, golden and the target's stacks.

typedef struct CompareConfig {
    const char *golden, *target, *stack;  // NULL: not named
} CompareConfig;

// Reads a regular file of at most 1 MiB; false: it names neither side. A relative path counts from
// the working folder, as msProbe reads it, else from the folder of the file where it is there
// alone. Lives in `arena`.
bool compare_config_read(const char *path, Arena *arena, CompareConfig *out);

#endif
