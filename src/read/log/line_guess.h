// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_GUESS_H
#define VERNIER_READ_LOG_LINE_GUESS_H

#include "base/error.h"
#include "read/log/census.h"

// ERR_INPUT for a text without a record that is read: the line that comes closest to one, and the
// --pattern of its shape, which was tried on the text, with how many records it gives. False.
bool line_guess_refuse(const char *path, Str text, Arena *arena, Error *err);

#endif
