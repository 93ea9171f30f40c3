// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TABLE_XLSX_PART_H
#define VERNIER_READ_TABLE_XLSX_PART_H

#include <expat.h>
#include <stdbool.h>
#include <stdint.h>
#include <zip.h>

#include "base/error.h"
#include "base/str.h"

// One XML part of a workbook, unpacked and parsed piece by piece: memory does not grow with it.
// Refused: document types (and with them entities), elements nested deeper than 64, tags longer
// than 1 MiB, parts beyond a limit.

typedef struct XlsxPart XlsxPart;

// What is recorded of the part. Names are without prefix and namespace; attributes are name, value,
// name, value …, then NULL. All of it is valid during the call only.
typedef struct XlsxHandlers {
    void (*start)(XlsxPart *part, Str name, const char **attributes);
    void (*end)(XlsxPart *part, Str name);
    void (*text)(XlsxPart *part, Str text);
} XlsxHandlers;

struct XlsxPart {
    void *context;  // the caller's own
    const XlsxHandlers *handlers;
    const char *path;  // of the workbook
    const char *name;
    zip_file_t *file;
    XML_Parser parser;
    Error *err;
    uint64_t fed, limit;  // bytes unpacked, and how many may be
    int depth;
    bool paused, last, failed;
};

// The limit is 4 GiB; the caller may lower it. `name`, `handlers` and `err` must outlive the part.
// Failed: nothing is to be closed.
bool xlsx_part_open(zip_t *archive, const char *path, const char *name,
                    const XlsxHandlers *handlers, void *context, XlsxPart *out, Error *err);
void xlsx_part_close(XlsxPart *part);

// Parses until a handler pauses (true), or to the end (false; `failed` tells whether it is one).
bool xlsx_part_read(XlsxPart *part);

// For handlers: xlsx_part_read is to return after this call; or it is to fail with these words.
void xlsx_part_pause(XlsxPart *part);
void xlsx_part_refuse(XlsxPart *part, const char *why);

// The value of an attribute, whatever its prefix; NULL if it is not there.
const char *xlsx_attribute(const char **attributes, const char *name);

#endif
