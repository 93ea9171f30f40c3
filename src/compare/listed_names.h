// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_LISTED_NAMES_H
#define VERNIER_COMPARE_LISTED_NAMES_H

#include "read/dump/dump.h"

// The `list` of a collection, inferred: the fewest names of APIs or classes such that each op that
// a dump holds contains one of them (msProbe, config.json, `list`).

// Each of so many names may be one of the list.
enum { LIST_NAMES = 64 };

// Names of APIs and classes of one side that a list may hold, and which of them a name holds.
typedef struct ListNames {
    Str items[LIST_NAMES];  // in lower case
    uint32_t count;
} ListNames;

// False: there are more.
bool list_names_find(const Dump *dump, Arena *scratch, ListNames *out);

// The names that the op's name contains, a bit each.
uint64_t list_names_in(const ListNames *names, const Dump *dump, const Op *op, Arena *scratch);

typedef struct ListSearch {
    uint64_t *kept;     // by op of the side with the list, each once: the names that it holds
    uint64_t *missing;  // by op that it does not have
    size_t kept_count, missing_count;
    uint64_t best;
    size_t best_missing;  // of the best list: ops that it keeps and that the side does not have
    uint32_t best_size;
} ListSearch;

// Adds what an op of the side with the list holds, unless another holds the same.
void list_search_keep(ListSearch *search, uint64_t names);

// Finds the list of at most four names; `best` is 0 where there is none.
void list_search(ListSearch *search);

#endif
