// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_NAME_ORDER_H
#define VERNIER_READ_DUMP_NAME_ORDER_H

#include "base/str.h"

// Files of one tensor a module, whose names give no order of calls: "model.layers.2.mlp.npy". The
// order of an alphabet is none; names of modules give one that holds in every transformer:
// embeddings first, layers by number, within one attention before the feed-forward part, parts
// before the module around them, the last norm and the head at the end.

// Whether a name gives the order itself: it begins with a number, has tags ("dump_index=3") or the
// call of an op (".0.forward").
bool name_order_known(Str file);

// As qsort asks, of two Str: paths below the root.
int name_order(const void *a, const void *b);

// Puts the files of modules in the order in which module_calls.txt next to their folders says that
// they ended: a module after those within it. vLLM's logging of intermediates writes it. False, and
// nothing changed: there is none.
bool name_order_listed(const char *root, Str *files, size_t count, Arena *arena);

#endif
