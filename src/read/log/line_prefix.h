// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_PREFIX_H
#define VERNIER_READ_LOG_LINE_PREFIX_H

#include "base/arena.h"
#include "base/str.h"

// What a runtime puts in front of every line: the time and stream of a container, the name of a
// pod, a service or a unit, the number of a task.

typedef enum LinePrefix {
    PREFIX_NONE,
    PREFIX_CONTAINER,  // "2026-04-10T10:00:00.000007919Z stdout F ", or without the stream
    PREFIX_TASK,       // "0: " of srun, where the number does not count
    PREFIX_SERVICE,    // "trainer-1  | " of compose
    PREFIX_POD,        // "[pod/trainer-0/main] " of kubectl
    PREFIX_UNIT,       // "Mar 05 10:00:00 host python[17]: " of the journal, or the time alone
    PREFIX_ACTOR,      // "(Trainer pid=17, ip=10.0.0.1) " of Ray
    PREFIX_RANK,       // "[rank0]: ", "[default0]:", "[1,0]<stdout>:" where one rank prints
    PREFIX_LOGGER,     // "2026-08-01 10:00:00,123 - INFO - "
    PREFIX_COUNT
} LinePrefix;

// The prefix that nearly every line of the text has.
LinePrefix line_prefix_find(Str text);

// How many bytes of the line it takes; 0: the line has none.
size_t line_prefix_size(LinePrefix prefix, Str line);

// The text without it; escape sequences in front of it are dropped, too.
Str line_prefix_drop(LinePrefix prefix, Str text, Arena *arena);

#endif
