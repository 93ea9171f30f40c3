// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/terminal_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text_columns.h"
#include "base/utf8.h"

// Of text; where a column further right leaves less, the text stands below it.
enum { COLUMNS_LEAST = 20, INDENT_NARROW = 4 };

size_t terminal_columns(int handle)
{
    struct winsize size = {0};
    uint64_t columns;
    const char *said = getenv("COLUMNS");
    if (said && str_to_uint64(str_of(said), &columns) && columns > 0)
        return (size_t)columns;
    return ioctl(handle, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

// Marks that no line of Chinese begins with.
static bool closes(uint32_t character)
{
    static const uint32_t marks[] = {0x3001, 0x3002, 0xFF09, 0xFF0C, 0xFF1A, 0xFF1B, 0x201D};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i] == character)
            return true;
    return false;
}

// Where a line of that width ends: before a blank, or next to a character of full width.
static size_t line_end(Str text, size_t width)
{
    size_t end = columns_head(text, width), best = 0;
    bool wide = false, opened = false;
    if (end == text.size)
        return end;
    for (size_t at = 0, next = 0; at <= end; at = next) {
        uint32_t character = utf8_next(text, &next);
        bool now_wide = utf8_columns(character) == 2;
        if (character == ' ' || ((wide || now_wide) && !opened && !closes(character)))
            best = at;
        wide = now_wide;
        opened = character == 0xFF08;  // a bracket stays with what it opens
    }
    return best ? best : end;
}

void terminal_print(FILE *out, size_t taken, size_t indent, const char *text)
{
    Str rest = str_of(text);
    size_t columns = isatty(fileno(out)) == 1 ? terminal_columns(fileno(out)) : SIZE_MAX;
    indent = columns < indent + COLUMNS_LEAST && indent > INDENT_NARROW ? INDENT_NARROW : indent;
    size_t room = columns > indent + COLUMNS_LEAST ? columns - indent : COLUMNS_LEAST;
    if (taken > indent)
        fputc('\n', out);
    size_t before = taken > indent ? 0 : taken;
    for (bool first = true; first || rest.size; first = false, before = 0) {
        Str line = str_slice(rest, 0, line_end(rest, room));
        fprintf(out, "%*s" STR_FMT "\n", (int)(indent - before), "", STR_ARG(line));
        rest = str_slice(rest, line.size, rest.size);
        rest = str_starts(rest, STR(" ")) ? str_slice(rest, 1, rest.size) : rest;
    }
}
