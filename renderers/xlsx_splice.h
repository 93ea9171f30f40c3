// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_SPLICE_H
#define VERNIER_RENDERERS_XLSX_SPLICE_H

#include <stdint.h>
#include <stdio.h>

#include "base/sink.h"

// The rows of a sheet that was written without any, as text in a file of their own.
typedef struct SheetRows {
    Str member;  // its name in the container: "xl/worksheets/sheet1.xml"
    FILE *file;
    uint64_t size;
    struct SheetRows *next;
} SheetRows;

// Writes `book`, a workbook as libxlsxwriter makes it, with these rows in their sheets. All else
// stays as it is: members, their order and dates. Grows to ZIP64 where sizes need it. False if
// `book` is none of these; write errors are the sink's.
bool xlsx_splice(Str book, const SheetRows *rows, Sink *out);

#endif
