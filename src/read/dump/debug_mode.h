// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DEBUG_MODE_H
#define VERNIER_READ_DUMP_DEBUG_MODE_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// What debug_string() of torch.utils._debug_mode.DebugMode gives, a call a line, two blanks a
// level:
//
//     [nn.Mod] Net.fc
//       aten::mm(t$0: f32[8, 8])  ->  t$2: f32[8, 8]  # {'input_hash': …, 'hash': …}
//
// A call is an op of its module, "Net.fc.aten::mm", its tensors input.0, input.1 and output.0. A
// hash with a point is the sum of the magnitudes and stands as Norm; a whole one is a checksum.

bool debug_mode_is(const char *path, Str text);
bool debug_mode_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                     Notices *notices, Error *err);

// What DebugMode.save_logs writes: the same calls as JSON, read as their text.
bool debug_mode_json_is(const char *path, Str text);
bool debug_mode_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                          Notices *notices, Error *err);

#endif
