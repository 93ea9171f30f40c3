// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TORCH_ZIP_H
#define VERNIER_READ_TENSOR_TORCH_ZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// The members of a ZIP archive whose members are all stored, as torch writes it: their bytes are
// used in place (docs/decisions/tensor-zip.md). Refused: encryption, compression, several discs,
// equal names, members that overlap or leave the file, headers that contradict each other. What
// numpy.savez_compressed writes may have deflated members besides.

typedef struct ZipMember {
    Str name;   // borrowed from the file
    Str bytes;  // borrowed from the file
    uint32_t crc;
    uint64_t start;  // byte of the local header
    bool deflated;   // `bytes` are packed
    uint64_t size;   // of what they hold, as the directory tells it
} ZipMember;

typedef struct ZipMembers {
    ZipMember *items;  // by name
    size_t count;
} ZipMembers;

bool torch_zip_is(Str bytes);

bool torch_zip_read(const char *path, Str bytes, Arena *arena, ZipMembers *out, Error *err);
// The same where members may be deflated.
bool torch_zip_read_packed(const char *path, Str bytes, Arena *arena, ZipMembers *out, Error *err);

// NULL if there is none.
const ZipMember *torch_zip_find(const ZipMembers *members, Str name);

#endif
