// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

static bool is_plain(Str text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=,:+@%";
    for (size_t i = 0; i < text.size; i++)
        if (str_find_char(str_of(plain), text.data[i], 0) == SIZE_MAX)
            return false;
    return text.size > 0;
}

Str shell_word(Str text, Arena *arena)
{
    if (is_plain(text))
        return text;
    Str inner = str_replace(arena, text, STR("'"), STR("'\\''"));
    return str_printf(arena, "'" STR_FMT "'", STR_ARG(inner));
}

const char *shell_word_of(const char *text, Arena *arena)
{
    return str_cstr(arena, shell_word(str_of(text), arena));
}

const char *shell_line(Arena *arena, const char *command, const char *const *words)
{
    StrBuf line = strbuf_new(arena);
    strbuf_printf(&line, "vernier%s%s", command ? " " : "", command ? command : "");
    for (; *words; words++)
        strbuf_printf(&line, " " STR_FMT, STR_ARG(shell_word(str_of(*words), arena)));
    return str_cstr(arena, strbuf_str(&line));
}
