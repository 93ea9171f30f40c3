// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_MERGE_FILES_H
#define VERNIER_COMMANDS_MERGE_MERGE_FILES_H

#include "commands/machinery/outputs.h"
#include "commands/merge/merge_shards.h"

// Brings the files of the pairs from the folders of the shards to where the report is written. A
// file that is missing, is not what the shard wrote, has a name that its pair never has or holds
// what this program never writes (commands/merge/part_file.h) is named and left out, also of
// `files`, by place: what summary.json says of each pair.
typedef struct CopyChoice {
    const bool *shown;  // by place: the pair has pictures, a page, a workbook in the report
    bool books;         // all pairs have workbooks
} CopyChoice;
void merge_copy_files(const ShardSet *set, const CopyChoice *choice, Outputs *outputs,
                      PairFiles *files, Notices *notices);

#endif
