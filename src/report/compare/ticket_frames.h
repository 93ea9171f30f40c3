// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_TICKET_FRAMES_H
#define VERNIER_REPORT_COMPARE_TICKET_FRAMES_H

#include "read/dump/stack.h"

// A call stack for a ticket: "train.py:41  forward  q = self.qkv(x)", the user's own frames,
// innermost first, at most five. `frames` are those of stack.json. Empty if none is the user's.
Str ticket_frames(const Str *frames, size_t count, Arena *arena);

// The innermost of the user's own frames. False: there is none. Texts are those of `frames`.
bool ticket_frame_first(const Str *frames, size_t count, Frame *out);

#endif
