// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_QUANT_LOG_H
#define VERNIER_READ_DUMP_QUANT_LOG_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// The CSV of torchao's quant_logger: tag, counter_val, fqn, op, max_abs, avg, std, extra. A row is
// what the module `fqn` gave to or by `op`, in the order of counter_val. Its largest magnitude
// stands as Max, its average as Mean.

bool quant_log_is(const char *path, Str text);
bool quant_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err);

#endif
