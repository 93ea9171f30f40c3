// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_MERGE_FILES_H
#define VERNIER_COMMANDS_MERGE_MERGE_FILES_H

#include "commands/machinery/outputs.h"
#include "commands/merge/merge_shards.h"

// Brings the files of the pairs from the folders of the shards to where the report is written. A
// file that is missing or is not what the shard wrote is named and left out.
void merge_copy_files(const ShardSet *set, Outputs *outputs, Notices *notices);

#endif
