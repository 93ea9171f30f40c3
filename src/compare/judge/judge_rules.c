// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/judge_rules.h"

#include "base/words.h"

const RuleInfo vernier_rules[] = {
    {REASON_NONFINITE, "NONFINITE", "error",
     TR("NaN or Inf on one side only, or infinities of different sign"),
     TR("a value that is no number cannot be within noise")},
    {REASON_DTYPE, "DTYPE", "error", TR("the dtypes differ, up to the spelling of the frameworks"),
     TR("the run computes in another precision")},
    {REASON_SHAPE, "SHAPE", "error", TR("the shapes differ"),
     TR("another computation, or another pairing")},
    {REASON_ARGUMENT, "ARGUMENT", "error",
     TR("a scalar or configuration argument differs; devices and object addresses do not count. A "
        "float of more than 9 digits on both sides was computed and has the floor of a norm"),
     TR("nothing computes what a person wrote, so its noise is zero")},
    {REASON_EXACT, "EXACT", "error",
     TR("a weight or an index that came in from outside differs at all"),
     TR("equal to the bit in all noise runs, or in most weights of the two runs")},
    {REASON_CHECKSUM, "CHECKSUM", "error",
     TR("checksums differ; of different lengths they are not comparable"),
     TR("the dump compares bytes")},
    {REASON_STATISTIC, "STATISTIC", "warning, error",
     TR("Norm, Max, Min or Mean is off by more than its floor; by more than 10 floors: error"),
     TR("floors below, or measured from --noise runs (docs/noise.md)")},
    {REASON_ELEMENTS, "ELEMENTS", "warning, error",
     TR("tensor dumps: the elements differ by more than the floor in the L2 norm"),
     TR("four times the floor of the norm, or measured from --noise runs (docs/noise.md)")},
    {REASON_UNMATCHED, "UNMATCHED", "warning, error",
     TR("a value is on one side only: warning for an argument, error for a tensor"),
     TR("a missing value is no agreement")},
    {REASON_IGNORED, "IGNORED", "no data", TR("left out by --criteria"), TR("the user's file")},
    {REASON_UNCOMPARABLE, "NODATA", "no data",
     TR("nothing to compare: no statistics, or the dump was cut in the middle of the call"),
     TR("no data is neither a pass nor an error")},
    {REASON_OVERWRITTEN, "OVERWRITTEN", "pass",
     TR("the input of a communication is only a place for what it brings (recv, scatter, "
        "all_gather, broadcast but at its source), or a call fills it in place (zero_, copy_)"),
     TR("what stood there before the call does not matter")},
    {REASON_CARRIED, "CARRIED", "pass",
     TR("a result is off by no more than an input that passes; a value that no recorded op gave, "
        "by no more than a result before it of the same shape"),
     TR("a difference is born where it grows")},
    {REASON_NOT_RECORDED, "NOTRECORDED", "no data",
     TR("a role that one whole side lacks: its collection was not set to record it"),
     TR("a setting of the collection is no difference")},
    {REASON_LOST, "LOST", "no data, same, pass",
     TR("one side tells a value that the other lost: the verdict is PARTIAL"),
     TR("missing information is no agreement")},
};
const size_t vernier_rule_count = sizeof vernier_rules / sizeof *vernier_rules;
