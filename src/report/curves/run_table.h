// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_RUN_TABLE_H
#define VERNIER_REPORT_CURVES_RUN_TABLE_H

#include "model/run/series.h"
#include "scene/table.h"

// All values of one run, a step a row, made row by row: the step, then the series by their names,
// so that reading the table gives the run again.
Table *run_table(const Run *run, Arena *arena);

#endif
