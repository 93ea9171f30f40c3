// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_FUZZ_INPUT_H
#define VERNIER_FUZZ_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

// What the fuzz targets share: stopping at what must not be, the input as a block of exactly its
// size (so that reading behind its end is seen), and as a file for readers that take a path.

static inline void demand(bool holds)
{
    if (!holds)
        abort();
}

// Ended by free(out.data).
static inline Str fuzz_copy(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    demand(copy);
    if (size)
        memcpy(copy, data, size);
    return (Str){copy, size};
}

// The part of the input up to the next byte 0xFF, which no text that is UTF-8 holds.
static inline Str fuzz_part(Str *rest)
{
    Str part = {"", 0};
    str_split(rest, '\xFF', &part);
    return part;
}

// A file in the working folder. Removed by the caller.
static inline void fuzz_file(const char *name, const uint8_t *data, size_t size, char path[64])
{
    snprintf(path, 64, "fuzz-%ld-%s", (long)getpid(), name);
    FILE *out = fopen(path, "wb");
    demand(out);
    demand(!size || fwrite(data, 1, size, out) == size);
    demand(fclose(out) == 0);
}

#endif
