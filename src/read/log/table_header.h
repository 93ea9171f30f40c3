// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_TABLE_HEADER_H
#define VERNIER_READ_LOG_TABLE_HEADER_H

#include "read/table/csv_file.h"

// Whether the row that was read holds texts, as a header does.
bool table_header_is(const Csv *csv, bool decimal_comma);

// "# step,loss,lr" among the comments directly above the first row, as numpy.savetxt and DeePMD
// write it, becomes the header. False: there is none.
bool table_header_commented(Csv *csv);

// The column that a user means, by number from 1 or by name; -1: none.
int table_header_column(const Csv *csv, Str text);

// Whose values a column holds, "GPU loss"; empty: nobody says so.
typedef struct ColumnSide {
    Str side, measure;
} ColumnSide;

// Of each column, where columns of one measure have the names of both sides, or of golden alone and
// none. NULL: there are no such; what lies between two columns of sides is none of either.
const ColumnSide *table_header_sides(const Csv *csv);

#endif
