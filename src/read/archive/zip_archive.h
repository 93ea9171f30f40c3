// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_ARCHIVE_ZIP_ARCHIVE_H
#define VERNIER_READ_ARCHIVE_ZIP_ARCHIVE_H

#include "base/archive.h"

// Adds the members of a zip file, unpacked into the arena of the archive: at most `limit` bytes,
// else it fails. A member that is damaged is reported and left out.
bool zip_archive_read(Str bytes, uint64_t limit, Archive *archive, Notices *notices, Error *err);

#endif
