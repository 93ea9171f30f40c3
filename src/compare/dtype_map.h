// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_DTYPE_MAP_H
#define VERNIER_COMPARE_DTYPE_MAP_H

#include "base/notice.h"
#include "read/dump/dump.h"

// In which dtype the modules of a class compute, by what their first forward call gives. Where the
// two sides differ in that of a module that both have, a note says so class by class: "Linear: 40
// of 41 in bfloat16 in golden (not lm_head), …". Without a target: the classes of golden that
// compute in more than one. Returns how many classes both sides have.
size_t dtype_map_tell(const Dump *golden, const Dump *target, Notices *notices);

#endif
