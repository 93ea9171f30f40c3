// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_PAIR_COST_H
#define VERNIER_COMMANDS_COMPARE_PAIR_COST_H

#include "base/notice.h"
#include "read/dump/dump_folder.h"

// What comparing a pair costs, before anything of it is read: the bytes of both dumps, with the
// tensors that they name. 0 where one side is missing. Depends on names and sizes of files alone,
// so that the parts of a run agree on it. Of a folder of tensors 64 files are looked at, spread
// over its names. Fails where the system does not say how large a file is.
bool pair_cost(const PlacePair *pair, uint64_t *out, Error *err);

// What tells the dumps of the pair from those of another run at the same paths: a checksum of
// both dump.json, whole, and of each array the size, the first and the last bytes. The parts of a
// run agree on it. A file that cannot be read counts as 0 and makes the part partial.
uint32_t pair_content(const PlacePair *pair, Notices *notices);

// The pairs in the order in which they are best begun: the largest first, so that no thread is left
// with a large one at the end.
size_t *pair_cost_order(const PlacePairs *pairs, Arena *arena);

#endif
