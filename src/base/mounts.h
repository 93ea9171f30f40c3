// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_MOUNTS_H
#define VERNIER_BASE_MOUNTS_H

#include "base/archive.h"

// The archives of this run: "g.tar.gz/step0/rank0/dump.json" is then a path like any other to
// file_open, file_kind and folder_list (base/file.h). They stay until the program ends.

// The archive has to stay as well. Before threads are started.
void mounts_add(const Archive *archive);

// Forgets and releases all of them, so that what opens them next reads all that is wrong there.
void mounts_clear(void);

// NULL: the path leads into no archive. `archive`: which one, also where it has no such member;
// NULL is allowed.
const ArchiveMember *mounts_find(const char *path, const Archive **archive);

#endif
