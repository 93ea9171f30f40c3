// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_STATED_OPS_H
#define VERNIER_COMPARE_STATED_OPS_H

#include "compare/judge/comparison.h"

// Settles the ops that a list or scope of the other side's configuration leaves out. One that the
// dump does not fit, as it holds other ops, excuses nothing.
void stated_settle(Comparison *comparison);

#endif
