// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_JSON_SERIES_H
#define VERNIER_READ_LOG_JSON_SERIES_H

#include "base/notice.h"
#include "read/log/log_part.h"

// Series in JSON: trainer_state.json and other documents, and one object a line
// (docs/spec/curves.md §4.4 H2, H4; §4.6). Bare NaN and Infinity are taken.

// A document: an object with log_history, an object of arrays, an array of objects, of pairs
// [x, y] or of triples [wall time, step, value]; series by steps, {"1": 2.5} or {"x": [], "y": []},
// and any of these in containers of names.
bool json_document_recognise(Str text, Arena *arena);

bool json_document_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                        Error *err);

// Lines: each an object of its own. Lines that are none are counted and passed over.
bool json_lines_recognise(Str text, Arena *arena);
bool json_lines_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                     Error *err);

#endif
