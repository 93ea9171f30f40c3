// SPDX-License-Identifier: Apache-2.0
#include "read/settings/config_file.h"

// TOML of trainers, a setting a line: "[table]" and "key = value" with lists on one line. What is
// written otherwise is passed over, since a setting that is not known is no evidence.

static Str without_comment(Str line)
{
    char quote = 0;
    for (size_t i = 0; i < line.size; i++) {
        char c = line.data[i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '#')
            return str_trim(str_slice(line, 0, i));
    }
    return str_trim(line);
}

static Str without_quotes(Str text)
{
    bool quoted = text.size > 1 && (text.data[0] == '"' || text.data[0] == '\'') &&
                  text.data[text.size - 1] == text.data[0];
    return quoted ? str_slice(text, 1, text.size - 1) : text;
}

void config_read_toml(const char *path, Str text, Arena *arena, Config *out)
{
    Str rest = text, line, table = STR("");
    bool entered = true;
    for (uint64_t number = 1; rest.size && str_split(&rest, '\n', &line); number++) {
        line = without_comment(line);
        size_t equal = str_find_char(line, '=', 0);
        if (line.size > 2 && line.data[0] == '[' && line.data[line.size - 1] == ']') {
            table = str_slice(line, 1, line.size - 1);
            entered = config_enters(out, table, 1);
            continue;
        }
        Str key = without_quotes(str_trim(str_slice(line, 0, equal)));
        Str value = equal == SIZE_MAX ? STR("") : str_trim(str_slice(line, equal + 1, line.size));
        if (!entered || key.size == 0 || value.size == 0)
            continue;
        Str whole =
            table.size ? str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(table), STR_ARG(key)) : key;
        config_add(
            out, arena,
            (ConfigItem){
                .path = whole, .value = without_quotes(value), .file = path, .line = number});
    }
}
