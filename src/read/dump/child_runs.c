// SPDX-License-Identifier: Apache-2.0
#include "read/dump/child_runs.h"

#include "base/file.h"
#include "base/path.h"
#include "read/dump/dump_source.h"
#include "read/dump/place_name.h"
#include "read/dump/run_names.h"

enum { LEVELS = 4 };  // run, stage, step, rank

static bool holds_dump(Arena *arena, const char *folder, int levels)
{
    FolderList list;
    Error ignored;
    if (levels == 0 || file_kind(folder) != FILE_FOLDER)
        return false;
    if (dump_file_in(folder, arena))
        return true;
    if (!folder_list(folder, arena, &list, &ignored))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (holds_dump(arena, path_join(arena, folder, list.items[i]), levels - 1))
            return true;
    return false;
}

static bool is_plain(Str name)
{
    return name.data[0] != '.' && folder_name_parse(name).role == FOLDER_PLAIN;
}

ChildRuns child_runs_find(const char *folder, Arena *arena)
{
    ChildRuns out = {.count = 0};
    FolderList list;
    Error ignored;
    size_t pair[2] = {0, 1};
    if (file_kind(folder) != FILE_FOLDER || !folder_list(folder, arena, &list, &ignored))
        return out;
    bool stages = false;
    for (size_t i = 0; i < list.count && out.count < CHILD_RUNS_MAX; i++)
        if (is_plain(list.items[i]) &&
            holds_dump(arena, path_join(arena, folder, list.items[i]), LEVELS)) {
            stages = stages || stage_is_known(list.items[i]);
            out.names[out.count++] = list.items[i];
        }
    if (out.count < 2 || stages)
        return (ChildRuns){.count = 0};
    run_names_pair(out.names, out.count, pair);
    out.golden = path_join(arena, folder, out.names[pair[0]]);
    out.target = path_join(arena, folder, out.names[pair[1]]);
    return out;
}

Str child_runs_list(const ChildRuns *runs, Arena *arena)
{
    StrBuf list = strbuf_new(arena);
    for (size_t i = 0; i < runs->count; i++)
        strbuf_printf(&list, "%s" STR_FMT, i ? ", " : "", STR_ARG(runs->names[i]));
    return strbuf_str(&list);
}
