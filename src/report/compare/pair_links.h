// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_PAIR_LINKS_H
#define VERNIER_REPORT_COMPARE_PAIR_LINKS_H

#include "scene/table.h"
#include "verdict/compare_view.h"

// From a page to the files of its pairs, which lie in the same folder. Names of files are vernier's
// own, never from a dump; where no folder was written there are none.

// What a browser shows of it: its page, else a picture (SVG, PNG, PDF); or empty.
Str pair_shown(const PairFiles *files);
// The same, or that of the pair that stands for it.
Str pair_page_link(const CompareSummary *summary, size_t pair);
Str pair_book(const PairFiles *files);  // or empty

// Every file of the pair with a link. NULL: there is none.
Table *table_of_files(const PairFiles *files, Arena *arena);

#endif
