// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_STATISTIC_CSV_H
#define VERNIER_READ_DUMP_STATISTIC_CSV_H

#include "base/error.h"
#include "base/notice.h"
#include "read/dump/dump.h"

// MindSpore's statistic.csv, of every generation of its header, as the records of a dump: one op
// for each execution of a kernel, "<Op Name>.<occurrence>.forward" ("backward" for names below
// Gradients), its tensors as "input.<slot>" and "output.<slot>". Rows are taken in the order of
// their time stamps; the n-th row of one tensor belongs to the n-th occurrence. Types get the
// spelling of MindSpore's dump.json ("Float32").

bool statistic_csv_is(const char *path, Str text);  // by the header

// Rows that are too short are left out, with a notice. The counts of NaN and infinities stand as
// extras of the slot where they are not 0.
bool statistic_csv_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                        Notices *notices, Error *err);

#endif
