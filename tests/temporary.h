// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_TEMPORARY_H
#define VERNIER_TESTS_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>

// A file in the test's working folder, so that a test can read from a path. The same name is
// overwritten.
static const char *temporary_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", name);
        exit(2);
    }
    return name;
}

#endif
