// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_STAGE_H
#define VERNIER_COMPARE_MATCH_MATCH_STAGE_H

#include "compare/match/match_state.h"

// Pairs the ops of one kind: by name, and where the names contradict what the ops are, by their
// order (docs/reference/matching.md). Only for the files match*.c.

// Pairs the modules or APIs. Names count first; the calls of one API or module are paired anew
// where one side has more of them, or where calls of one number lie in different modules or have
// different shapes: then by order, between the ops around them that are paired already. A new
// pairing stays only where it contradicts itself less.
void match_stage_run(Matcher *matcher, MatchStage stage);

// Backward calls follow their forward calls; what is left pairs by order, modules without a forward
// call also under another name.
void match_stage_backward(Matcher *matcher);

// Gradients of modules of which neither side holds a call pair by the ends of their names.
void match_stage_gradients(Matcher *matcher);

#endif
