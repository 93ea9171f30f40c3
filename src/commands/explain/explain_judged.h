// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_EXPLAIN_EXPLAIN_JUDGED_H
#define VERNIER_COMMANDS_EXPLAIN_EXPLAIN_JUDGED_H

#include "commands/explain/explain.h"

// How an op of a comparison was judged: what no summary holds of ops that agree. The two dumps that
// the summary names are read again, with its noise runs and criteria, and nothing else.

typedef enum Judged {
    JUDGED_SHOWN,
    JUDGED_NOT_FOUND,  // no dump has such an op
    JUDGED_NO_DUMPS,   // the dumps are not here, or cannot be read
    JUDGED_NEVER       // the summary is of no comparison by the rules vernier
} Judged;

// `name`: of an op of either side, or of one of its slots ("Functional.linear.0.forward.output.0").
// Each slot with its status, how much it differs, its tolerance and the rule; then the rules
// without which any of that would be otherwise.
Judged explain_judged(Explain *explain, Str name);

#endif
