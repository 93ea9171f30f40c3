// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_MERMAID_TEXT_H
#define VERNIER_REPORT_COMPARE_MERMAID_TEXT_H

#include "compare/judge/comparison.h"

// The ops around the first divergence as a Mermaid flow chart: three before and three after it on
// the side that runs it, with the error that comes in and goes out. Empty: the runs do not part.
Str mermaid_text(const Comparison *comparison, Arena *arena);

// A text as the label of a node, between quotes: what Mermaid or Markdown would read is escaped.
Str mermaid_label(Str text, Arena *arena);

#endif
