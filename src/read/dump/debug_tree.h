// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DEBUG_TREE_H
#define VERNIER_READ_DUMP_DEBUG_TREE_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// The debug tree of Hugging Face transformers (model_addition_debugger_context): one JSON object a
// module, its children in the order of their calls. As the records of a dump:
//     "LlamaForCausalLM.model.norm"   module "model.norm", forward; its second call ends in "#1"
//     inputs args and kwargs          "input.0", "input.hidden_states"
//     outputs                         "output.0"
// The hierarchy is that of the file. Dump.left_out names the layers that pruning took from a list,
// of which it keeps the first and the last.

bool debug_tree_is(const char *path, Str text);  // by the first key

// Fails if the text breaks off: its brackets close at the very end.
bool debug_tree_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                     Notices *notices, Error *err);

#endif
