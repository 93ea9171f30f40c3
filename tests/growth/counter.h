// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_GROWTH_COUNTER_H
#define VERNIER_GROWTH_COUNTER_H

#include <stdint.h>

// The work of the program so far, the same whatever the machine does beside it: a unit for each
// basic block that runs, and one for each 16 bytes that the C library copies, compares or searches.
// What other libraries do by themselves (zlib, expat, libyaml, cJSON, SQLite) does not count.
// Only for one thread.
uint64_t growth_work(void);

#endif
