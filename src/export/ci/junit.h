// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_CI_JUNIT_H
#define VERNIER_EXPORT_CI_JUNIT_H

#include "base/sink.h"
#include "verdict/compare_view.h"

// A comparison as JUnit XML for CI systems: a suite a pair, a case a module. The case in which
// the runs diverge stands first; one whose difference came from another is skipped, not failed.

// One module of a pair with the ops that belong to it and to no module inside it.
typedef struct JunitCase {
    Str name;                       // "Module.blocks.2.attn.qkv.Linear" without direction and call
    Str class_name;                 // "Linear"
    uint32_t counts[STATUS_COUNT];  // of its ops
    Str op;                         // the first op that differs, or empty
    Status status;                  // of that op, else the worst
    bool inherited;                 // no op of it differs that had good inputs
    double error_in, error_out;     // of that op, as in OpPair
} JunitCase;

typedef struct JunitCases {
    JunitCase *items;  // in the order in which the modules first end
    size_t count, capacity;
} JunitCases;

// Texts are copied into `arena`. Linear in the rows of the tree.
void junit_collect(const Comparison *comparison, Arena *arena, JunitCases *out);

// `cases` has one item for each pair of the summary. Well-formed XML 1.0 whatever the names hold.
void junit_write(const CompareSummary *summary, const JunitCases *cases, Sink *out);

#endif
