// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TOKEN_TOKEN_FILE_H
#define VERNIER_READ_TOKEN_TOKEN_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "read/token/token_set.h"

// Files of log-probabilities, of whichever format; the content tells it.

// A sample whose lists do not fit each other is left out, with a notice. Fails if the file holds no
// column of log-probabilities. Linear in the bytes.
bool token_set_read(const char *path, const TokenAsk *ask, Arena *arena, TokenSet *out,
                    Notices *notices, Error *err);

// From bytes in memory, for tests and fuzzing; `path` is only named in messages.
bool token_set_read_text(const char *path, Str text, const TokenAsk *ask, Arena *arena,
                         TokenSet *out, Notices *notices, Error *err);

#endif
