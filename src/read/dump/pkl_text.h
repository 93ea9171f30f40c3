// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_PKL_TEXT_H
#define VERNIER_READ_DUMP_PKL_TEXT_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// The *.pkl of the first generation of the dump tool: text, one JSON array a line. Its names get
// today's form, so that such a dump compares with a dump.json:
//     Functional_conv2d_0_forward_input.0        Functional.conv2d.0.forward, input.0
//     layer1.0.conv1_Conv2d_0_backward_output.1  Module.layer1.0.conv1.Conv2d.backward.0, output.1
// An output without a number is output.0. Lines of call stacks are passed over.

// By the first line, an array that begins with a text, or by the name for a real (binary) pickle,
// which is refused when read.
bool pkl_text_is(const char *path, Str text);

// Bad lines are left out and counted; a last line that breaks off makes the dump partial.
bool pkl_text_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                   Notices *notices, Error *err);

#endif
