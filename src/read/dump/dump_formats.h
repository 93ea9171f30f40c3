// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_FORMATS_H
#define VERNIER_READ_DUMP_DUMP_FORMATS_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// The readers of single files in the table of dump_source.c, each described in the file of its
// name. A reader knows its files by the path or the beginning of the text. A bad line, row or entry
// costs itself, with a partial notice; without any tensor a reader fails.

typedef bool DumpRecogniser(const char *path, Str text);
typedef bool DumpReader(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                        Notices *notices, Error *err);

DumpRecogniser line_dump_is, statistic_csv_is, pkl_text_is, debug_tree_is, debug_mode_is,
    debug_mode_json_is, llama_trace_is, block_log_is, probe_lines_is, paddle_log_is, quant_log_is,
    polygraphy_json_is, module_struct_is;
DumpReader line_dump_read, statistic_csv_read, pkl_text_read, debug_tree_read, debug_mode_read,
    debug_mode_json_read, llama_trace_read, block_log_read, probe_lines_read, paddle_log_read,
    quant_log_read, polygraphy_json_read, module_struct_read;

#endif
