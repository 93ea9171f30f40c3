// SPDX-License-Identifier: Apache-2.0
#include "compare/rules.h"

#include "base/words.h"

const RuleInfo vernier_rules[] = {
    {REASON_NONFINITE,    "NONFINITE", "error",
     TR("NaN or Inf on one side only, or infinities of different sign"),
     TR("a value that is no number cannot be within noise")                                                                                  },
    {REASON_DTYPE,        "DTYPE",     "error",          TR("the dtypes differ, up to the spelling of the frameworks"),
     TR("the run computes in another precision")                                                                                             },
    {REASON_SHAPE,        "SHAPE",     "error",          TR("the shapes differ"),
     TR("another computation, or another pairing")                                                                                           },
    {REASON_ARGUMENT,     "ARGUMENT",  "error",
     TR("a scalar or configuration argument differs; devices and object addresses do not count"),
     TR("nothing computed it, so its noise is zero")                                                                                         },
    {REASON_EXACT,        "EXACT",     "error",
     TR("a weight or an index that came in from outside differs at all"),
     TR("equal to the bit in all noise runs, or in most weights of the two runs")                                                            },
    {REASON_CHECKSUM,     "CHECKSUM",  "error",
     TR("checksums differ; of different lengths they are not comparable"),
     TR("the dump compares bytes")                                                                                                           },
    {REASON_STATISTIC,    "STATISTIC", "warning, error",
     TR("Norm, Max, Min or Mean is off by more than its floor; by more than 10 floors: error"),
     TR("floors below, or measured from --noise runs (docs/noise.md)")                                                                       },
    {REASON_ELEMENTS,     "ELEMENTS",  "warning, error",
     TR("tensor dumps: the elements differ by more than the floor in the L2 norm"),
     TR("four times the floor of the norm, or measured from --noise runs (docs/noise.md)")                                                   },
    {REASON_UNMATCHED,    "UNMATCHED", "warning, error",
     TR("a value is on one side only: warning for an argument, error for a tensor"),
     TR("a missing value is no agreement")                                                                                                   },
    {REASON_IGNORED,      "IGNORED",   "no data",        TR("left out by --criteria"),                                  TR("the user's file")},
    {REASON_UNCOMPARABLE, "NODATA",    "no data",
     TR("nothing to compare: no statistics, or the dump was cut in the middle of the call"),
     TR("no data is neither a pass nor an error")                                                                                            },
};
const size_t vernier_rule_count = sizeof vernier_rules / sizeof *vernier_rules;
