// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_folder.h"

#include "read/known_rows.h"

bool log_folder_may_hold(Str name)
{
    Str endings = known_group("folder.endings");
    while (endings.size) {
        Str ending = known_word(&endings);
        if (name.size > ending.size &&
            str_equal_nocase(str_slice(name, name.size - ending.size, name.size), ending))
            return false;
    }
    return !known_group_has("folder.names", name) && !str_starts(name, STR("tokenizer"));
}

bool log_folder_is_report(const char *path, Arena *arena)
{
    char *summary = path_join(arena, path, STR("summary.json"));
    File file;
    Error err = {0};
    if (file_kind(summary) != FILE_REGULAR || !file_open(summary, &file, &err))
        return false;
    Str head = str_slice(file.text, 0, 4096);
    bool own = str_find(head, STR("\"vernier."), 0) != SIZE_MAX &&
               str_find(head, STR("\"schema\""), 0) != SIZE_MAX;
    file_close(&file);
    return own;
}
