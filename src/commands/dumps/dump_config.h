// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_DUMPS_DUMP_CONFIG_H
#define VERNIER_COMMANDS_DUMPS_DUMP_CONFIG_H

#include "base/notice.h"
#include "compare/stated.h"

// What the configurations of two dumps state, config.json of msProbe's debugger next to or above
// the dump and MindSpore's .dump_metadata/data_dump.json: which ops, slots, steps or ranks were
// left out on purpose, and where the two differ in what decides values (seed, determinism).
// `given`: files that --dump-config names, or NULL. `out`: what excuses ops on one side only.
void dump_config_tell(const char *golden, const char *target, const char *const given[2],
                      Arena *arena, Stated out[2], Notices *notices);

#endif
