// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_SHARD_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_SHARD_H

#include "commands/compare/pair_work.h"
#include "export/shard/shard.h"

// `vernier compare --shard I/N`: which pairs are this part's, and the file that it leaves for
// merge.

// "3/8"; part 0 without --shard. Usage errors also for outputs that need all pairs.
bool compare_shard_parse(const Options *options, uint32_t *part, uint32_t *parts, Error *err);
bool compare_shard_check(const Options *options, const Outputs *outputs, Error *err);

// The pairs of this part, in their order, and where they stand among all.
typedef struct ShardPairs {
    ShardPlace *places;  // of all pairs
    size_t place_count;
    PlacePairs mine;
    size_t *place_of;  // index in places, one for each of mine
} ShardPairs;
// Fails where the system does not say how large a dump is: all parts have to share out the same
// sizes.
bool compare_shard_select(const PlacePairs *all, uint32_t part, uint32_t parts, Arena *arena,
                          ShardPairs *out, Notices *notices, Error *err);

// Fills what the command line says: arguments, options, language.
void compare_shard_describe(const Options *options, const Redaction *redaction, Arena *arena,
                            Shard *out);

// Fills the pairs and writes the file to every folder.
void compare_shard_write(Shard *shard, const ShardPairs *pairs, const PairResult *results,
                         Outputs *outputs);

#endif
