// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_KEY_H
#define VERNIER_COMPARE_MATCH_MATCH_KEY_H

#include "compare/match/match_pairs.h"

// What ops are distinguished by when they are matched, in one spelling for both sides. Only for the
// files match*.c.

typedef struct OpKey {
    NameId whole;        // the name
    NameId stem;         // without call and direction: "Functional.linear"
    NameId leaf;         // "linear"; of a module its last part and its class, "fc.Linear"
    NameId path;         // of a module the stem without its class
    NameId type;         // class of a module
    uint32_t class;      // stem and direction: the calls of one API or module, from 0
    uint32_t twin;       // backward op: its forward op; forward op: its backward op; OP_NONE
    NodeId scope;        // the module around it, NODE_NONE at the root
    uint64_t signature;  // kinds, shapes and sorts of dtypes of its slots
    uint64_t values;     // statistics of its inputs; 0: it has none
    uint64_t sizes;      // norms of its inputs, to about a hundredth
} OpKey;

typedef struct MatchKeys {
    Names *texts;  // of both sides
    uint32_t class_count;
    bool plain;            // the names are as they are in the dumps
    bool unwrapped;        // or without what a wrapper added
    bool merged;           // a side is several ranks in one: shapes and call numbers differ
    OpKey *ops[2];         // by side and op
    NameId *node_name[2];  // by side and node: its name among `texts`
    bool *node_known[2];   // by side and text: a module of that name is in its graph
    bool *node_bare[2];    // likewise, and the dump holds no call of it
} MatchKeys;

// Linear in ops and slots.
void match_keys_build(const MatchSide sides[2], const MatchOptions *options, Arena *arena,
                      MatchKeys *out);

// A good mix of a number into a hash.
uint64_t match_mix(uint64_t hash, uint64_t value);

// A hash that goes on with the norm of a tensor, or NULL, to about a hundredth: near enough for one
// computation on two platforms, far from most others.
uint64_t match_mix_size(uint64_t hash, const Slot *slot);

#endif
