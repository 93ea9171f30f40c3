// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_NPY_FILE_H
#define VERNIER_TESTS_NPY_FILE_H

#include "base/sink.h"
#include "check.h"

// Writes an .npy file: npy_file("a.npy", "<i4", "(2, 3)", bytes, 24). Returns its path.
static const char *npy_file(const char *path, const char *descr, const char *shape,
                            const void *bytes, size_t size)
{
    Error err;
    char header[118];
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[sizeof header - 1] = '\n';
    Sink *sink = sink_file(path, &err);
    CHECK(sink != NULL);
    sink_write(sink, "\x93NUMPY\1\0\x76\0", 10);
    sink_write(sink, header, sizeof header);
    sink_write(sink, bytes, size);
    CHECK(sink_commit(sink, &err));
    return path;
}

#endif
