// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_MONITOR_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_MONITOR_H

#include "compare/invariant/witness.h"
#include "read/dump/dump_folder.h"
#include "read/monitor/monitor_files.h"

// What the files of a training monitor tell of gradients: by step and rank, before and after they
// were reduced. Rows of several micro steps are left out: whether they add up is not told.

typedef struct MonitorWitness {
    RankWitness *items;  // by step, then rank
    size_t count, capacity;
} MonitorWitness;

// `steps`, `ranks`: which to take. Files that cannot be read give notices; so do rows beyond the
// first four million, which are not looked at.
void witness_monitor(const MonitorTree *tree, const NumberList *steps, const NumberList *ranks,
                     Arena *arena, MonitorWitness *out, Notices *notices);

#endif
