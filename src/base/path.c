// SPDX-License-Identifier: Apache-2.0
#include "base/path.h"

#include <string.h>
#include <sys/stat.h>

#include "base/words.h"

char *path_join(Arena *arena, const char *folder, Str name)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    const char *slash = length == 1 && folder[0] == '/' ? "" : "/";
    return str_cstr(arena,
                    str_printf(arena, "%.*s%s" STR_FMT, (int)length, folder, slash, STR_ARG(name)));
}

Str path_trim(Str path)
{
    while (path.size > 1 && path.data[path.size - 1] == '/')
        path.size--;
    return path;
}

Str path_base(Str path)
{
    path = path_trim(path);
    size_t at = str_rfind_char(path, '/');
    return at == SIZE_MAX || path.size == 1 ? path : str_slice(path, at + 1, path.size);
}

Str path_folder(Str path)
{
    path = path_trim(path);
    size_t at = str_rfind_char(path, '/');
    if (at == SIZE_MAX)
        return STR(".");
    return at == 0 ? STR("/") : path_trim(str_slice(path, 0, at));
}

Str path_suffix(Str path)
{
    Str base = path_base(path);
    size_t at = str_rfind_char(base, '.');
    return at == SIZE_MAX || at == 0 ? (Str){"", 0} : str_slice(base, at, base.size);
}

Str path_safe(Arena *arena, Str name, size_t size)
{
    char *text = str_cstr(arena, str_slice(name, 0, size));
    for (char *c = text; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '-' || *c == '_'))
            *c = '-';
    return str_of(text);
}

char *path_inside(Arena *arena, const char *folder, Str name, Error *err)
{
    bool bad = name.size == 0 || str_equal(name, STR(".")) || str_equal(name, STR("..")) ||
               str_find_char(name, '/', 0) != SIZE_MAX ||
               str_find_char(name, '\\', 0) != SIZE_MAX || str_find_char(name, '\0', 0) != SIZE_MAX;
    if (bad) {
        error_set(err, ERR_INPUT, WHERE_FILE(folder),
                  tr("the file name '" STR_FMT "' leads out of the folder"), STR_ARG(name));
        return NULL;
    }
    char *path = path_join(arena, folder, name);
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("a symbolic link in a dump is not followed"));
        return NULL;
    }
    return path;
}
