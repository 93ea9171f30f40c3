// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_SPLICE_H
#define VERNIER_RENDERERS_XLSX_SPLICE_H

#include <stdint.h>
#include <stdio.h>

#include "base/sink.h"

// What a part of the book is still to hold, as text in a file of its own: the rows of a sheet that
// was written without any, the texts that cells share.
typedef struct SheetRows {
    Str member;  // the part's name in the container: "xl/worksheets/sheet1.xml"
    Str end;     // they are put before this: "</sheetData>"
    FILE *file;
    uint64_t size;
    struct SheetRows *next;
} SheetRows;

// Writes `book`, a workbook as libxlsxwriter makes it, with these rows in their parts. All else
// stays as it is: members, their order and dates. Grows to ZIP64 where sizes need it. False if
// `book` is none of these; write errors are the sink's.
bool xlsx_splice(Str book, const SheetRows *rows, Sink *out);

#endif
