// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/command_line.h"

#include "base/file.h"
#include "base/shell_word.h"
#include "base/words.h"

// "--name=PATH", "NAME=PATH", "-oPATH" or a path.
Str command_argument(const Redaction *redaction, Str argument, Arena *arena)
{
    size_t equals = str_find_char(argument, '=', 0), from = 0;
    if (equals != SIZE_MAX && str_find_char(argument, '/', 0) > equals)
        from = equals + 1;
    else if (str_starts(argument, STR("-o")))
        from = 2;
    Str value = str_slice(argument, from, argument.size);
    return str_concat(arena, str_slice(argument, 0, from), redact_path(redaction, value, arena));
}

Str command_join(const Str *words, size_t count, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    strbuf_add(&buf, STR("vernier"));
    for (size_t i = 0; i < count; i++) {
        strbuf_add_char(&buf, ' ');
        strbuf_add(&buf, shell_word(words[i], arena));
    }
    return strbuf_str(&buf);
}

Str command_quote(const Options *options, const Redaction *redaction, Arena *arena)
{
    Str *words = ARENA_ARRAY(arena, Str, options->word_count);
    for (size_t i = 0; i < options->word_count; i++)
        words[i] = command_argument(redaction, options->words[i], arena);
    return command_join(words, options->word_count, arena);
}

void command_note_one_side(const char *golden, const char *target, Notices *notices)
{
    if (file_same(golden, target))
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(target), "%s",
                    tr("golden and target are the same: nothing else was compared"));
}
