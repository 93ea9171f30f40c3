// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_PATH_H
#define VERNIER_BASE_PATH_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// Paths as text.

// "folder/name", without doubling the slash.
char *path_join(Arena *arena, const char *folder, Str name);
Str path_trim(Str path);    // without slashes at its end, but for "/"
Str path_base(Str path);    // "a/b/" and "a/b" give "b"
Str path_folder(Str path);  // "a/b" gives "a"; "b" gives "."
Str path_suffix(Str path);  // ".json", or empty

// A name of a file that keeps to letters, digits, '-' and '_'; at most `size` bytes.
Str path_safe(Arena *arena, Str name, size_t size);

// The file `name` in `folder`, for names that come from a dump: refused if the name is empty, "."
// or "..", holds '/', '\\' or NUL, or names a symbolic link. NULL with *err set.
char *path_inside(Arena *arena, const char *folder, Str name, Error *err);

#endif
