// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/other_words.h"

#include "base/utf8.h"
#include "read/known_rows.h"

static char plain(char letter)
{
    bool upper = letter >= 'A' && letter <= 'Z';
    return letter == '_' ? '-' : upper ? (char)(letter | 32) : letter;
}

static bool same(Str known, Str typed)
{
    for (size_t i = 0; i < known.size && known.size == typed.size; i++)
        if (known.data[i] != plain(typed.data[i]))
            return false;
    return known.size == typed.size;
}

Str other_word(OtherWords of, Str typed, size_t index)
{
    static const char *const kinds[] = {"command",  "same_command", "option", "synonym",
                                        "needless", "format",       "value"};
    KnownRows rows = known_rows("other.words");
    Str kind, row, word;
    while (known_rows_next(&rows, &kind, &row)) {
        size_t mark = str_find_char(row, '|', 0);
        Str words = str_trim(str_slice(row, mark + 1, row.size));
        while (str_equal(kind, str_of(kinds[of])) && str_split(&words, ' ', &word))
            if (same(word, typed) && index-- == 0)
                return str_trim(str_slice(row, 0, mark));
    }
    return STR("");
}

static bool is_other_dash(uint32_t character)
{
    return (character >= 0x2010 && character <= 0x2015) || character == 0x2212 ||
           character == 0xFE63 || character == 0xFF0D;
}

size_t other_dash(Str word)
{
    size_t end = 0;
    for (size_t next = 0; end < word.size; end = next)
        if (!is_other_dash(utf8_next(word, &next)))
            break;
    return end;
}

bool other_dash_hint(Str word, Error *err)
{
    size_t dash = other_dash(word);
    Str rest = str_slice(word, dash, word.size);
    if (rest.size == 0 || !dash)
        return false;
    error_hint(err, tr("an option is typed with '-': %s" STR_FMT), rest.size == 1 ? "-" : "--",
               STR_ARG(rest));
    return true;
}

Str other_comma(Str list)
{
    size_t at = str_find(list, STR("\xEF\xBC\x8C"), 0);
    return at == SIZE_MAX ? STR("") : str_slice(list, at, list.size);
}
