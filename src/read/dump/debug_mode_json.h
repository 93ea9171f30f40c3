// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DEBUG_MODE_JSON_H
#define VERNIER_READ_DUMP_DEBUG_MODE_JSON_H

#include "base/notice.h"
#include "read/dump/dump.h"

// What DebugMode.save_logs of PyTorch writes: the calls of debug_mode.h as JSON, read as their
// text.

bool debug_mode_json_is(const char *path, Str text);
bool debug_mode_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                          Notices *notices, Error *err);

#endif
