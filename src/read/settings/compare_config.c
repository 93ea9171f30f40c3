// SPDX-License-Identifier: Apache-2.0
#include "read/settings/compare_config.h"

#include "base/file.h"
#include "base/path.h"
#include "read/json/json_tree.h"

enum { BYTES_MAX = 1 << 20 };

// The first of the keys that names a path.
static const char *find_path(const JsonNode *root, const char *const *keys, const char *folder,
                             Arena *arena)
{
    Str text = STR("");
    for (; *keys && !text.size; keys++)
        text = tree_member_text(root, *keys);
    if (!text.size)
        return NULL;
    const char *here = str_cstr(arena, text);
    const char *beside = path_join(arena, folder, text);
    bool moved = text.data[0] != '/' && file_kind(here) == FILE_NONE;
    return moved && file_kind(beside) != FILE_NONE ? beside : here;
}

bool compare_config_read(const char *path, Arena *arena, CompareConfig *out)
{
    static const char *const golden[] = {"bench_path",      "golden_path",    "bench_json_path",
                                         "bench_dump_path", "bench_pkl_path", NULL};
    static const char *const target[] = {"npu_path",      "target_path",  "npu_json_path",
                                         "npu_dump_path", "npu_pkl_path", NULL};
    static const char *const stack[] = {"stack_path", "stack_json_path", NULL};
    File file;
    Error ignored;
    JsonTree tree;
    *out = (CompareConfig){0};
    if (file_kind(path) != FILE_REGULAR || file_size(path) > BYTES_MAX ||
        !file_open(path, &file, &ignored))
        return false;
    Str text = str_trim(str_copy(arena, file.text));
    file_close(&file);
    if (!str_starts(text, STR("{")) || !tree_parse(text, arena, &tree))
        return false;
    const char *folder = str_cstr(arena, path_folder(str_of(path)));
    out->golden = find_path(tree.root, golden, folder, arena);
    out->target = find_path(tree.root, target, folder, arena);
    out->stack = find_path(tree.root, stack, folder, arena);
    return out->golden || out->target;
}
