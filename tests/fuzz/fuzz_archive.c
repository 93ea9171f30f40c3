// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "read/archive/gzip.h"
#include "read/archive/tar.h"
#include "read/archive/zip_archive.h"

// Any bytes as a tar archive, packed or not, and as a zip archive: every member lies inside, is
// found under its name, and its bytes can be read.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool means_nothing(Str name)
{
    return name.size % 2;
}

static void check_name(Str name)
{
    Str part;
    while (str_split(&name, '/', &part)) {
        demand(part.size && !str_equal(part, STR(".")) && !str_equal(part, STR("..")));
        demand(str_find_char(part, '\0', 0) == SIZE_MAX);
    }
}

static unsigned walk(const Archive *archive, const ArchiveMember *folder, size_t *seen)
{
    unsigned sum = 0;
    size_t at = 0;
    Str name;
    while (archive_next_below(archive, folder, &at, &name)) {
        const ArchiveMember *member = &archive->items[at - 1];
        check_name(member->name);
        demand(str_ends(member->name, name));
        ++*seen;
        for (size_t i = 0; i < member->bytes.size; i++)
            sum += (unsigned char)member->bytes.data[i];
        if (member->folder)
            sum += walk(archive, member, seen);
    }
    return sum;
}

static void check_archive(Archive *archive, Notices *notices)
{
    size_t seen = 0;
    archive_finish(archive, means_nothing, notices);
    walk(archive, &archive->items[0], &seen);
    demand(seen + 1 == archive->count);
    demand(archive_find(archive, STR("")) && archive_find(archive, STR(""))->folder);
    for (size_t i = 0; i < archive->count; i++)
        demand(archive_find(archive, archive->items[i].name) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LIMIT = 1 << 20 };
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    notices_init(&notices, arena);
    Str copy = fuzz_copy(data, size), bytes = copy;
    Archive tar = {.path = "a.tar", .arena = arena}, zip = {.path = "a.zip", .arena = arena};
    bool fits = !gzip_is(bytes) || gzip_unpack(bytes, LIMIT, arena, &bytes) != GZIP_TOO_LARGE;
    if (fits && tar_is(bytes)) {
        tar_read(bytes, &tar, &notices);
        check_archive(&tar, &notices);
    }
    if (zip_archive_read(copy, LIMIT, &zip, &notices, &err))
        check_archive(&zip, &notices);
    free((void *)(uintptr_t)copy.data);
    arena_release(arena);
    return 0;
}
