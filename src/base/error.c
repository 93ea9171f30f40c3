// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#undef error_set
#undef error_hint

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void keep_end(char *to, size_t size, const char *path)
{
    size_t length = path ? strlen(path) : 0;
    if (length < size) {
        memcpy(to, path ? path : "", length + 1);
        return;
    }
    memset(to, '.', 3);
    memcpy(to + 3, path + length - (size - 4), size - 3);
}

bool error_set(Error *err, ErrorKind kind, Where where, const char *format, ...)
{
    *err = (Error){.kind = kind, .line = where.line, .byte = where.byte};
    keep_end(err->file, sizeof err->file, where.file);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

bool error_hint(Error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->hint, sizeof err->hint, format, args);
    va_end(args);
    return false;
}
