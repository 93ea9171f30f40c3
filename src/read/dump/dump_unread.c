// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_unread.h"

#include <string.h>

#include "base/archive.h"
#include "base/mounts.h"
#include "base/words.h"
#include "read/dump/dump_source.h"
#include "read/dump/place_name.h"
#include "read/dump/tensor_set.h"

enum { LEVELS = 5, ASKED_MAX = 1024 };

static bool has_name(const FolderList *list, Str name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal(list->items[i], name))
            return true;
    return false;
}

static bool is_chosen(const NumberList *steps, const NumberList *ranks, FolderName name)
{
    if (name.role == FOLDER_STEP)
        return number_list_has(steps, name.number);
    return name.role != FOLDER_RANK || name.number < 0 || number_list_has(ranks, name.number);
}

// Whether a packed file of a folder or file so called would be read if it were unpacked.
static bool may_be_dump(Str name, FolderRole role)
{
    return role != FOLDER_PLAIN ||
           (name.size && (stage_is_known(name) || dump_is_record_name(name)));
}

// Next to what it is called after it may be a copy of it.
static void note_packed(const char *path, bool copy, bool readable, Notices *notices)
{
    if (copy) {
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(path), "%s",
                    tr("this packed file is next to one of its name that is read, and is not "
                       "compared: give it by itself"));
        return;
    }
    const char *text = TR("this packed file may hold a dump and is not read here: unpack it");
    if (readable && !mounts_find(path, NULL))
        text = TR("this packed file may hold a dump and is not read here: unpack it, or give it by "
                  "itself");
    notices_partial(notices, WHERE_FILE(path), "%s", tr(text));
}

// What is looked at on one level, in all folders of it: a folder of very many names is looked at in
// part.
typedef struct Look {
    Arena *arena;
    size_t asked;
} Look;

static bool is_folder(Look *look, const char *path)
{
    return look->asked++ < ASKED_MAX && file_kind_unfollowed(path) == FILE_FOLDER;
}

// The folder at most `levels` below, or this one, where a file named as the records of a dump lies;
// or NULL.
static const char *dump_within(Look *look, const char *folder, int levels)
{
    FolderList list;
    Error ignored;
    const char *found = NULL;
    if (!folder_list(folder, look->arena, &list, &ignored))
        return NULL;
    for (size_t i = 0; i < list.count; i++)
        if (dump_is_record_name(list.items[i]))
            return folder;
    for (size_t i = 0; i < list.count && !found && levels > 1; i++) {
        const char *path = path_join(look->arena, folder, list.items[i]);
        if (!tensor_set_has_name(list.items[i]) && is_folder(look, path))
            found = dump_within(look, path, levels - 1);
    }
    return found;
}

// Of a dump at or below `top`, what holds its steps and ranks.
static Str run_of(const char *top, const char *dump)
{
    Str run = str_of(dump);
    while (run.size > strlen(top) && folder_name_parse(path_base(run)).role != FOLDER_PLAIN)
        run = path_folder(run);
    return run;
}

static bool was_walked(Str name, FolderRole role, unsigned walked)
{
    if (walked & WALKED_ALL)
        return true;
    if ((walked & WALKED_STEPS) && role == FOLDER_STEP)
        return true;
    if ((walked & WALKED_RANKS) && (role == FOLDER_RANK || role == FOLDER_PROCESS))
        return true;
    return (walked & WALKED_MODES) && STR_IN(name, "graph", "pynative");
}

// Links are not followed: "latest" is one of the others.
static void note_folder(Look *look, const char *path, Notices *notices)
{
    const char *dump = is_folder(look, path) ? dump_within(look, path, LEVELS) : NULL;
    if (!dump)
        return;
    Str run = run_of(path, dump);
    if (run.size > strlen(path))
        notices_partial(notices, WHERE_FILE(path),
                        tr("this folder holds a dump and is not read: the dump is too deep in it; "
                           "name " STR_FMT),
                        STR_ARG(run));
    else
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("this folder holds a dump and is not read: its name is not one of those "
                           "next to it (step1, rank1); rename it, or give it by itself"));
}

void dump_unread_note_folder(const char *path, Arena *arena, Notices *notices)
{
    Look look = {.arena = arena};
    note_folder(&look, path, notices);
}

static bool may_be_folder(Str name)
{
    return name.data[0] != '.' && !dump_is_file_name(name) && !tensor_set_has_name(name);
}

// The short form of a debug tree says what the long one does.
static bool is_another(const char *folder, Str name, Str own, Arena *arena)
{
    static const Str tree = {"_debug_tree_", 12};
    size_t end = str_find(name, tree, 0);
    if (str_equal(name, own) || (end != SIZE_MAX && str_find(own, tree, 0) == end &&
                                 str_equal(str_slice(name, 0, end), str_slice(own, 0, end))))
        return false;
    Str stem = str_slice(own, 0, str_find_char(own, '.', 0));
    bool called = str_equal_nocase(str_slice(name, 0, 4), STR("dump")) ||
                  str_equal_nocase(str_slice(name, 0, 5), STR("debug")) ||
                  str_equal_nocase(str_slice(name, 0, stem.size), stem);
    const char *path = path_join(arena, folder, name);
    return (called || dump_is_record_name(name)) && file_kind_unfollowed(path) == FILE_REGULAR &&
           (dump_is_record_name(name) || dump_is_file(path));
}

void dump_unread_note_beside(const char *file, Arena *arena, Notices *notices)
{
    FolderList list;
    Error ignored;
    Look look = {.arena = arena};
    const char *folder = str_cstr(arena, path_folder(str_of(file)));
    if (!folder_list(folder, arena, &list, &ignored))
        return;
    bool loose = false;  // those of a dump.json lie in dump_tensor_data
    for (size_t i = 0; i < list.count; i++) {
        const char *path = path_join(arena, folder, list.items[i]);
        bool readable;
        loose = loose || tensor_set_has_name(list.items[i]);
        Str stem = archive_stem(list.items[i], &readable);
        if (stem.size && dump_is_record_name(stem) && file_kind(path) == FILE_REGULAR)
            note_packed(path, true, readable, notices);
        else if (is_another(folder, list.items[i], path_base(str_of(file)), arena))
            notices_partial(notices, WHERE_FILE(path), "%s",
                            tr("this dump is next to the one that is read and is not read: give "
                               "it by itself"));
        else if (may_be_folder(list.items[i]) && !str_equal(list.items[i], STR("dump_tensor_data")))
            note_folder(&look, path, notices);
    }
    if (loose && str_equal(path_base(str_of(file)), STR("dump.json")))
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(folder), "%s",
                    tr("the tensor files next to the dump are named by no entry of it and are not "
                       "compared"));
}

void dump_unread_note(const char *folder, const FolderList *list, unsigned walked,
                      const NumberList *steps, const NumberList *ranks, Arena *arena,
                      Notices *notices)
{
    Look look = {.arena = arena};
    for (size_t i = 0; i < list->count; i++) {
        Str name = list->items[i];
        bool readable;
        Str stem = archive_stem(name, &readable);
        FolderName plain = folder_name_parse(name), packed = folder_name_parse(stem);
        const char *path = path_join(arena, folder, name);
        if (may_be_folder(name) && !was_walked(name, plain.role, walked) &&
            is_chosen(steps, ranks, plain))
            note_folder(&look, path, notices);
        if (may_be_dump(stem, packed.role) && is_chosen(steps, ranks, packed) &&
            file_kind(path) == FILE_REGULAR)
            note_packed(path, has_name(list, stem), readable, notices);
    }
}
