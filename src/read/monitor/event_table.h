// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_MONITOR_EVENT_TABLE_H
#define VERNIER_READ_MONITOR_EVENT_TABLE_H

#include "base/arena.h"
#include "base/str.h"

struct EventStream;

// Event files of a monitor (`format: tensorboard`). Their tags hold stage, name, rank, kind and
// statistic: "0:layers.1.weight/rank3/grad_reduced_norm". Those of MaxText's metrics of layers,
// "activ_mean/layer_003", are in event files and in its metrics file of JSON Lines.

typedef struct EventGroup {
    Str kind;      // "grad_reduced"
    int64_t rank;  // -1: not in the tags
} EventGroup;
typedef struct EventGroups {
    EventGroup *items;
    size_t count, capacity;
} EventGroups;

bool event_table_name(Str name);  // "events.out.tfevents.1733261680.host.1.0"

// What the file holds, in `arena`. None: its first scalars are not those of a monitor.
EventGroups event_table_kinds(Str bytes, Arena *arena);

// The scalars of one kind as the monitor's table, in `arena`: a row a name and step. *end: where
// the records of an event file ended; *broken counts lines that are no JSON.
Str event_table(Str bytes, EventGroup kind, Arena *arena, struct EventStream *end,
                uint64_t *broken);

#endif
