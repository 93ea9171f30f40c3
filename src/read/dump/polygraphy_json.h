// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_POLYGRAPHY_JSON_H
#define VERNIER_READ_DUMP_POLYGRAPHY_JSON_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// What polygraphy run --save-outputs (or --save-results) writes: nested lists and objects in which
// an array is {"array": BASE64 of a .npy file}. An op is the name of an output, in the order of the
// file; the outputs of a later iteration are its next calls. Statistics are computed from the
// elements.

bool polygraphy_json_is(const char *path, Str text);
bool polygraphy_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                          Notices *notices, Error *err);

#endif
