// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_BLOCK_LOG_H
#define VERNIER_READ_DUMP_BLOCK_LOG_H

#include "base/notice.h"
#include "read/dump/dump.h"

// Logs in which a block of lines tells the statistics of one op, between other lines:
//     torchtitan       rank_N_activations.log: "[layers.1.attention.wo/op_0_mm]", Shape, L2 norm
//     ONNX Runtime     node dumps with statistics: "Add node: NAME", "Min=…,Max=…" below it
//     transformers     DebugUnderflowOverflow: frames of modules, smallest and largest magnitude
//     PyTorch          anomaly mode: "Function 'SqrtBackward0' returned nan values in its 0th …"
//     norms            lines with a parameter and its gradient norm, as trainers print them; in the
//                      order of the backward pass

bool block_log_is(const char *path, Str text);
bool block_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err);

// A probe of one's own: JSON Lines without a header, a tensor a line with a name (stage, module,
// layer, op, name, …), shape or dtype, and statistics (min, max, mean, norm, max_abs, nan_count).
// Its order is that of execution.

bool probe_lines_is(const char *path, Str text);
bool probe_lines_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                      Notices *notices, Error *err);

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
