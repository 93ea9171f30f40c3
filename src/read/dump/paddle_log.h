// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_PADDLE_LOG_H
#define VERNIER_READ_DUMP_PADDLE_LOG_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// Lines that Paddle's tensor checker writes (FLAGS_check_nan_inf_level=3), between other lines:
//
//     [PRECISION] in [device=gpu:0, op=relu, tensor=, dtype=fp32], numel=3, num_nan=0, num_inf=0,
//     num_zero=1, max=2.8e-01, min=0.0e+00, mean=1.1e-01
//
// An op is a line; its calls are counted. It has one output with Max, Min and Mean.

bool paddle_log_is(const char *path, Str text);
bool paddle_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                     Notices *notices, Error *err);

#endif
