// SPDX-License-Identifier: Apache-2.0
#include "base/archive.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/words.h"

enum { NAME_BYTES_MAX = 4096, FOLDERS_DEEP_MAX = 64 };

static const char *const refusal_texts[ARCHIVE_REFUSALS] = {
    [ARCHIVE_OUTSIDE] = TR("names that lead out of the archive are left out"),
    [ARCHIVE_LINK] = TR("links in an archive are not followed"),
    [ARCHIVE_DEVICE] = TR("devices and pipes in an archive are left out"),
    [ARCHIVE_NAME] = TR("names that no file can have are left out"),
    [ARCHIVE_FORM] = TR("members in a form that is not read (sparse, encrypted) are left out"),
    [ARCHIVE_TWICE] = TR("files that come twice with different content; the last one is used"),
};

Str archive_stem(Str name, bool *readable)
{
    // The longer ones first.
    static const char *const endings[] = {".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst",
                                          ".tgz",    ".tar",    ".zip",     ".gz",
                                          ".xz",     ".bz2",    ".zst",     ".7z"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        Str ending = str_of(endings[i]);
        size_t at = name.size > ending.size ? name.size - ending.size : 0;
        if (at == 0 || !str_equal_nocase(str_slice(name, at, name.size), ending))
            continue;
        *readable = STR_IN(ending, ".tar.gz", ".tgz", ".tar", ".zip", ".gz");
        return str_slice(name, 0, at);
    }
    *readable = false;
    return STR("");
}

void archive_refuse(Archive *archive, ArchiveRefusal why, Str name)
{
    enum { SHOWN_BYTES = 200 };
    if (archive->refused[why]++ == 0)
        archive->first_refused[why] = str_copy(archive->arena, str_slice(name, 0, SHOWN_BYTES));
}

// "./a//b/" as "a/b". False with *why where it is refused.
static bool normal_name(Str name, Arena *arena, Str *out, ArchiveRefusal *why)
{
    *why = ARCHIVE_NAME;
    if (name.size > NAME_BYTES_MAX || str_find_char(name, '\0', 0) != SIZE_MAX ||
        str_find_char(name, '\\', 0) != SIZE_MAX)
        return false;
    *why = ARCHIVE_OUTSIDE;
    if (str_starts(name, STR("/")))
        return false;
    StrBuf text = strbuf_new(arena);
    size_t deep = 0;
    Str part;
    while (str_split(&name, '/', &part)) {
        if (part.size == 0 || str_equal(part, STR(".")))
            continue;
        if (str_equal(part, STR("..")))
            return false;
        if (deep++)
            strbuf_add_char(&text, '/');
        strbuf_add(&text, part);
    }
    *out = strbuf_str(&text);
    *why = ARCHIVE_NAME;
    return deep <= FOLDERS_DEEP_MAX;
}

// What macOS writes next to every file.
static bool is_shadow(Str name)
{
    return str_starts(str_behind(name, '/'), STR("._")) || str_starts(name, STR("__MACOSX/")) ||
           str_equal(name, STR("__MACOSX"));
}

void archive_add(Archive *archive, Str name, bool folder, Str bytes)
{
    Str normal;
    ArchiveRefusal why;
    if (!normal_name(name, archive->arena, &normal, &why)) {
        archive_refuse(archive, why, name);
        return;
    }
    if (normal.size && !is_shadow(normal))
        *ARRAY_PUSH(archive->arena, archive) =
            (ArchiveMember){normal, folder, bytes, archive->count};
}

static bool lies_in(Str name, Str folder)
{
    return folder.size == 0 ||
           (str_starts(name, folder) && name.size > folder.size && name.data[folder.size] == '/');
}

// '/' before all else, so that what lies in a folder follows it.
static int compare_names(Str a, Str b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    for (size_t i = 0; i < size; i++) {
        unsigned char x = (unsigned char)a.data[i], y = (unsigned char)b.data[i];
        if (x != y)
            return (x == '/' ? 0 : x + 1) - (y == '/' ? 0 : y + 1);
    }
    return (a.size > b.size) - (a.size < b.size);
}

// Of one name the last one first.
static int compare_members(const void *a, const void *b)
{
    const ArchiveMember *x = a, *y = b;
    int order = compare_names(x->name, y->name);
    return order ? order : (x->number < y->number) - (x->number > y->number);
}

// The folders that `name` lies in and that are not there yet.
static void add_folders(Archive *archive, Str name)
{
    for (size_t i = 0; i < name.size; i++) {
        Str folder = str_slice(name, 0, i), last = archive->items[archive->count - 1].name;
        if (name.data[i] == '/' && !str_equal(last, folder) && !lies_in(last, folder))
            *ARRAY_PUSH(archive->arena, archive) = (ArchiveMember){.name = folder, .folder = true};
    }
}

// From members in order, each name once. A file is no folder of others.
static void add_in_order(Archive *archive, const ArchiveMember *members, size_t count)
{
    Str file = STR("");
    const ArchiveMember *before = NULL;
    *ARRAY_PUSH(archive->arena, archive) = (ArchiveMember){.name = STR(""), .folder = true};
    for (size_t i = 0; i < count; i++) {
        const ArchiveMember *member = &members[i];
        if (before && str_equal(member->name, before->name)) {
            if (member->folder != before->folder || !str_equal(member->bytes, before->bytes))
                archive_refuse(archive, ARCHIVE_TWICE, member->name);
            continue;
        }
        before = member;
        if (file.size && lies_in(member->name, file)) {
            archive_refuse(archive, ARCHIVE_NAME, member->name);
            continue;
        }
        add_folders(archive, member->name);
        *ARRAY_PUSH(archive->arena, archive) = *member;
        if (!member->folder)
            file = member->name;
    }
}

static void find_top(Archive *archive, bool (*means_nothing)(Str name))
{
    for (;;) {
        size_t at = 0;
        Str name, other;
        const ArchiveMember *top = archive_find(archive, STR(""));
        if (!archive_next_below(archive, top, &at, &name) || !means_nothing(name) ||
            archive_next_below(archive, top, &at, &other) || !archive_find(archive, name)->folder)
            return;
        archive->top = archive_find(archive, name)->name;
    }
}

void archive_finish(Archive *archive, bool (*means_nothing)(Str name), Notices *notices)
{
    ArchiveMember *members = archive->items;
    size_t count = archive->count;
    if (count > 1)
        qsort(members, count, sizeof *members, compare_members);
    archive->items = NULL;
    archive->count = archive->capacity = 0;
    add_in_order(archive, members, count);
    find_top(archive, means_nothing);
    for (int why = 0; why < ARCHIVE_REFUSALS; why++)
        if (archive->refused[why])
            notices_partial(notices, WHERE_FILE(archive->path),
                            tr("%s: %zu, the first is '" STR_FMT "'"), tr(refusal_texts[why]),
                            archive->refused[why], STR_ARG(archive->first_refused[why]));
}

static const ArchiveMember *find(const Archive *archive, Str name)
{
    size_t low = 0, high = archive->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(archive->items[middle].name, name);
        if (order == 0)
            return &archive->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const ArchiveMember *archive_find(const Archive *archive, Str path)
{
    char text[2 * NAME_BYTES_MAX + 2];
    if (path.size > NAME_BYTES_MAX || archive->top.size == 0)
        return find(archive, path);
    int size = snprintf(text, sizeof text, STR_FMT "%s" STR_FMT, STR_ARG(archive->top),
                        path.size ? "/" : "", STR_ARG(path));
    const ArchiveMember *member = find(archive, (Str){text, (size_t)size});
    return member ? member : find(archive, path);
}

bool archive_next_below(const Archive *archive, const ArchiveMember *member, size_t *at, Str *name)
{
    if (*at == 0)
        *at = (size_t)(member - archive->items) + 1;
    size_t start = member->name.size ? member->name.size + 1 : 0;
    for (; *at < archive->count; ++*at) {
        Str all = archive->items[*at].name;
        if (!lies_in(all, member->name))
            return false;
        *name = str_slice(all, start, all.size);
        if (str_find_char(*name, '/', 0) == SIZE_MAX) {
            ++*at;
            return true;
        }
    }
    return false;
}
