// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_ERROR_H
#define VERNIER_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

// Why a call failed. What can fail returns bool, puts its result in `out` and its reason in the
// caller's Error. The kind decides the exit code (design: 2 usage, 3 input, 5 output).
typedef enum ErrorKind { ERR_USAGE, ERR_INPUT, ERR_OUTPUT } ErrorKind;

// Where: a file, with a line (from 1) or a byte (from 0) where that is known.
typedef struct Where {
    const char *file;  // NULL: no file
    uint64_t line;     // 0: unknown
    int64_t byte;      // -1: unknown
} Where;

#define WHERE_FILE(path)         ((Where){.file = (path), .line = 0, .byte = -1})
#define WHERE_LINE(path, number) ((Where){.file = (path), .line = (number), .byte = -1})
#define WHERE_BYTE(path, offset) ((Where){.file = (path), .line = 0, .byte = (int64_t)(offset)})
#define NOWHERE                  ((Where){.file = NULL, .line = 0, .byte = -1})

typedef struct Error {
    ErrorKind kind;
    char file[512];  // "" without a file; long paths keep their end
    uint64_t line;
    int64_t byte;
    char text[768];   // lower case, no full stop: expected before found
    char hint[2048];  // what to do, or ""; a line to type with two long paths is whole
} Error;

// Both return false, so that failing takes one line. The text is translated by the caller:
// error_set(err, ERR_INPUT, where, tr("expected a number, found %s"), kind).
bool error_set(Error *err, ErrorKind kind, Where where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool error_hint(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Clang's analyser sees one file at a time; it has to know that these return false.
#ifdef __clang_analyzer__
#define error_set(...)  (error_set(__VA_ARGS__), 0)
#define error_hint(...) (error_hint(__VA_ARGS__), 0)
#endif

#endif
