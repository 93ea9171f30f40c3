// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_LLAMA_TRACE_H
#define VERNIER_READ_DUMP_LLAMA_TRACE_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// What llama.cpp's eval callback prints (llama-eval-callback, llama-debug --verbose), one block a
// node of the graph in the order in which they ran, between other lines of a log:
//
//     common_debug_cb_eval:   attn_norm-0 = (f32)   MUL(norm-0{64, 5, 1, 1}, …}) = {64, 5, 1, 1}
//         [ … first and last 3 of each dimension, 4 digits after the point … ]
//         sum = -3.141593
//
// A node is an op with one output of the shape turned round ([5, 64]) and the mean that its sum
// gives. Nodes that are what a module of the Hugging Face model gives (attn_norm-0:
// model.layers.0.input_layernorm) are modules with that path, so that they pair with a dump of it.

bool llama_trace_is(const char *path, Str text);
bool llama_trace_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                      Notices *notices, Error *err);

#endif
