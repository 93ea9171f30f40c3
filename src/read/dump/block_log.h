// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_BLOCK_LOG_H
#define VERNIER_READ_DUMP_BLOCK_LOG_H

#include "base/notice.h"
#include "read/dump/dump.h"

// Logs in which a block of lines tells the statistics of one op, between other lines:
//     torchtitan       rank_N_activations.log: "[layers.1.attention.wo/op_0_mm]", Shape, L2 norm
//     ONNX Runtime     node dumps with statistics: "Add node: NAME", "Min=…,Max=…" below it
//     transformers     DebugUnderflowOverflow: frames of modules, smallest and largest magnitude

bool block_log_is(const char *path, Str text);
bool block_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err);

#endif
