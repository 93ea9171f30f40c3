// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SHARD_SHARD_H
#define VERNIER_EXPORT_SHARD_SHARD_H

#include "base/sink.h"
#include "compare/layer_facts.h"
#include "export/ci/junit.h"
#include "read/settings/criteria_file.h"
#include "read/settings/mapping_file.h"
#include "report/compare/compare_page.h"

// The file that `vernier compare --shard I/N` leaves for `vernier merge`: what the run is, what was
// found of each pair of this part, and what the page shows of the part's main pair. The file names
// no dump that merge would have to open. Its form belongs to one version of the program
// (docs/merge.md).

// A (step, stage, rank) of the whole run. `bytes` decides to which part it goes.
typedef struct ShardPlace {
    int64_t step, rank;
    Str stage;
    uint64_t bytes;
    uint32_t content;  // a checksum of the dumps
} ShardPlace;

// The part of each of `count` places, from 0: the largest first, each to the part that has least so
// far. Depends on nothing else, so all parts agree on it.
void shard_plan(const ShardPlace *places, size_t count, uint32_t parts, uint32_t *part_of);

// An option that decides what is compared or how it looks, as given.
typedef struct ShardOption {
    Str name, value;
} ShardOption;

// A file of the pair next to the shard's own, as it was written.
typedef struct ShardFile {
    Str name;
    uint64_t bytes;
    uint32_t crc32c;
} ShardFile;

typedef struct ShardPair {
    size_t place;  // index in Shard.places
    PairFacts facts;
    Notices notices;
    JunitCases cases;
    LayerFacts layers;
    NameMapping mapping;  // what was inferred, where it is to be written
    LayerMapping layer_mapping;
    PairFiles files;  // as they are in summary.json
    ShardFile *written;
    size_t written_count;
} ShardPair;

typedef struct Shard {
    Str version, lang;
    uint32_t part, parts;  // this is part `part` of `parts`, from 1
    Str golden, target;    // as shown
    Rules rules;
    Criteria *criteria;  // or NULL
    Str judged_by;       // as in CompareSummary
    Str *noise_paths;
    size_t noise_count;
    ShardOption *options;
    size_t option_count;
    ShardPlace *places;  // of the whole run, by step, stage and rank
    size_t place_count;
    Notices notices;  // before the first pair was read
    // How the run was started, without --shard and -o, which stood before argument `output_at`.
    Str *arguments;
    size_t argument_count, output_at;
    ShardPair *pairs;  // of this part, by place
    size_t pair_count;
    bool has_main;  // the rest is there
    PageParts parts_of_page;
    PageFigure picture;  // the main pair's picture with its verdict
} Shard;

void shard_write(const Shard *shard, Sink *out);

// Checks all that is read: that it is of this `version`, that the pairs are those of the plan, that
// nothing is named outside the folder. Lives in `arena`.
bool shard_read(const char *path, const char *version, Arena *arena, Shard *out, Error *err);

// What has to agree between the parts of one run, as one text.
Str shard_run(const Shard *shard, Arena *arena);

// "shard-3-of-8.json"
Str shard_file_name(uint32_t part, uint32_t parts, Arena *arena);
bool shard_is_file_name(Str name);

#endif
