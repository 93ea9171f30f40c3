// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LINE_PAIRS_H
#define VERNIER_READ_LOG_LINE_PAIRS_H

#include "base/line_scan.h"
#include "read/log/name_memo.h"

// The "key: N", "key=N" and "key N" of a line, as loops print them: quoted keys, thousands
// separators, "N/M", "[N", a mean in parentheses after the number, which is passed over.

enum { PAIRS_MAX = 256 };

typedef struct Pair {
    Str key;   // "learning rate" and "train loss" are one key
    Str word;  // the word in front of the key, or empty
    Figure figure;
    int64_t total;           // of "N/M"; 0: none
    const char *total_text;  // its digits
    NameFacts facts;         // of the key
    bool marked;             // ':' or '=' stands between key and number, not only blanks
    bool absent;             // there is text in place of the number
} Pair;

size_t line_pairs(Str line, NameMemo *names, Pair pairs[PAIRS_MAX]);

// "surrogate loss: 0.5" alone on its line: where the word in front of a loss says which of several
// it is, both are the name.
void pairs_name_part(NameMemo *names, Pair *pair);

#endif
