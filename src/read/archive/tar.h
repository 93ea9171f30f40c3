// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_ARCHIVE_TAR_H
#define VERNIER_READ_ARCHIVE_TAR_H

#include "base/archive.h"

// tar in memory: ustar and pax (POSIX.1), GNU's long names and large sizes, and what is older.

enum { TAR_BLOCK = 512 };

// Whether the bytes begin with a header whose checksum is right.
bool tar_is(Str bytes);

// Adds the members, whose bytes are slices of `bytes`. What breaks off or is damaged is reported,
// and what stands before counts.
void tar_read(Str bytes, Archive *archive, Notices *notices);

#endif
