// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_EXPECT_H
#define VERNIER_COMPARE_INVARIANT_EXPECT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "read/settings/pattern_index.h"

// What the user meant of a run and no dump tells: --expect NAME[=PATTERN]=VALUE. The invariants
// "expect-NAME" hold a run against it.

typedef enum ExpectKind {
    EXPECT_FROZEN,     // frozen=PATTERN
    EXPECT_TRAINED,    // trained=PATTERN
    EXPECT_INIT,       // init=PATTERN=STD[,MEAN]
    EXPECT_COMPUTE,    // compute=[PATTERN=]DTYPE
    EXPECT_BATCH,      // batch=[PATTERN=]N
    EXPECT_LENGTH,     // length=[PATTERN=]N
    EXPECT_GENERATED,  // generated=[PATTERN=]N
    EXPECT_KINDS
} ExpectKind;

typedef struct Expect {
    ExpectKind kind;
    Str text;     // as it was given
    Str pattern;  // of weights or ops, as pattern_fits reads it; empty: not given
    Str dtype;    // of EXPECT_COMPUTE: "bfloat16"
    double std, mean;
    int64_t size;  // of EXPECT_BATCH, EXPECT_LENGTH, EXPECT_GENERATED
    Str source;    // the setting of a configuration that it is from; empty: the user's own words
} Expect;

// Ids of tokens, as a configuration or the user names them.
typedef struct TokenId {
    bool known;
    int64_t value;
} TokenId;
typedef struct TokenIds {
    TokenId vocabulary;  // its size
    TokenId bos, eos, pad;
    TokenId ignore;  // the label that does not count
} TokenIds;

typedef struct Expects {
    const Expect *items;  // in the order given
    size_t count;
    const PatternIndex *patterns;  // of the items
    unsigned kinds;                // EXPECT_BIT of each that there is
    const TokenIds *tokens;        // NULL: none is recorded
} Expects;

// How much of a run each of them is about. Of one from a configuration, which tells of a run as a
// whole, also how what was checked stands to it.
typedef struct ExpectTally {
    uint64_t named, checked;
    uint64_t fits, unclear, off;
    int64_t least, most;  // the sizes that are off
    Str op, text;         // the first that is off
} ExpectTally;

extern const char *const expect_words[EXPECT_KINDS];  // "frozen"

bool expect_read(Str text, Expect *out, Error *err);  // ERR_USAGE; texts are those of `text`

#define EXPECT_BIT(kind) (1U << (kind))

// Items of which nothing changes any more.
Expects expects_of(const Expect *items, size_t count, Arena *arena);

// What one thread asks of them.
typedef struct ExpectSearch {
    const Expects *all;
    ExpectTally *tally;  // by item
    Arena *arena;        // of the memory below
    PatternHits hits;
} ExpectSearch;

// The last one of these kinds that is about `name`, so that a later one is an exception of an
// earlier; NULL: none. One without a pattern is about what is `usual`. Each of them is counted in
// tally[i].named.
const Expect *expect_find(ExpectSearch *of, unsigned kinds, Str name, bool usual);

#endif
