// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/terminal_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text_columns.h"
#include "base/utf8.h"

enum { COLUMNS_LEAST = 20 };  // of text; a narrower terminal breaks lines by itself

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

// Where a line of that width ends: before a blank, or beside a character of full width.
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

void terminal_print(size_t taken, size_t indent, const char *text)
{
    Str rest = str_of(text);
    size_t columns = isatty(STDOUT_FILENO) == 1 ? terminal_columns(STDOUT_FILENO) : SIZE_MAX;
    for (bool first = true; first || rest.size; first = false) {
        size_t before = first ? taken : indent;
        size_t room = columns > before + COLUMNS_LEAST ? columns - before : COLUMNS_LEAST;
        Str line = str_slice(rest, 0, line_end(rest, room));
        printf("%*s" STR_FMT "\n", first ? 0 : (int)indent, "", STR_ARG(line));
        rest = str_slice(rest, line.size, rest.size);
        rest = str_starts(rest, STR(" ")) ? str_slice(rest, 1, rest.size) : rest;
    }
}
