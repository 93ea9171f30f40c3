// SPDX-License-Identifier: Apache-2.0
#include "commands/command_line.h"

// "--name=PATH", "NAME=PATH", "-oPATH" or a path.
static Str redact_argument(const Redaction *redaction, Str argument, Arena *arena)
{
    size_t equals = str_find_char(argument, '=', 0), from = 0;
    if (equals != SIZE_MAX && str_find_char(argument, '/', 0) > equals)
        from = equals + 1;
    else if (str_starts(argument, STR("-o")))
        from = 2;
    Str value = str_slice(argument, from, argument.size);
    return str_concat(arena, str_slice(argument, 0, from), redact_path(redaction, value, arena));
}

static bool is_plain(Str text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=,:+@%";
    for (size_t i = 0; i < text.size; i++)
        if (str_find_char(str_of(plain), text.data[i], 0) == SIZE_MAX)
            return false;
    return text.size > 0;
}

Str command_quote(int argc, char **argv, const Redaction *redaction, Arena *arena)
{
    StrBuf buf;
    strbuf_init(&buf, arena);
    strbuf_add(&buf, STR("vernier"));
    for (int i = 0; i < argc; i++) {
        Str text = redact_argument(redaction, str_of(argv[i]), arena);
        if (is_plain(text)) {
            strbuf_add_char(&buf, ' ');
            strbuf_add(&buf, text);
            continue;
        }
        strbuf_add(&buf, STR(" '"));
        strbuf_add(&buf, str_replace(arena, text, STR("'"), STR("'\\''")));
        strbuf_add_char(&buf, '\'');
    }
    return strbuf_str(&buf);
}
