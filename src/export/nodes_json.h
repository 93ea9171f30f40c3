// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_NODES_JSON_H
#define VERNIER_EXPORT_NODES_JSON_H

#include "base/sink.h"
#include "compare/judge/comparison.h"
#include "compare/msprobe/msprobe_nodes.h"

// The file nodes-stepN-rankN.json (docs/spec/output.md §3): every node of both sides, children
// before their parents, as it is written.

// With `msprobe` the partners, indices and micro steps are those of msProbe's graph comparison,
// else those of the comparison: 0 same or pass, 0.5 warning, 1 error, null without data or partner.
// `overflow` false: no levels were marked, all are null.
void nodes_json_write(const Comparison *comparison, const MsprobeNodes *msprobe, bool overflow,
                      Sink *out);

#endif
