// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_TOKEN_REPORT_H
#define VERNIER_REPORT_TOKEN_REPORT_H

#include "verdict/token_verdict.h"

// The tables of `vernier tokens` (figures, samples) and its page.

typedef struct TokenTables {
    Table *figures, *samples;
    Table *steps;  // NULL: one file a side
} TokenTables;

void token_tables(const TokenView *view, Arena *arena, TokenTables *out);
void token_report(const TokenView *view, TokenTables *tables, const Scene *picture, Arena *arena,
                  Report *out);

#endif
