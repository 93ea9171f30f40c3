// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_prefix.h"

#include <string.h>

#include "base/line_scan.h"

enum { PROBE_BYTES = 64 << 10, PROBE_LINES = 400, LEAST_LINES = 2, TASKS_MAX = 4096 };

// Prefixes of lines, by kind: the first form that fits. A letter after '%' is
//
//     D 2026-01-31   C 10:00:00 with a fraction   Z its zone   M a month   d digits   b blanks
//
//     w a word up to the text of the form after it   a any text up to it   n "trainer-1"
//
//     L a level   e a blank or the end   c colours   o with the byte after it: maybe that byte
static const struct {
    LinePrefix prefix;
    const char *form;
} forms[] = {
    {PREFIX_CONTAINER, "%DT%C%Z stdout F%e"},
    {PREFIX_CONTAINER, "%DT%C%Z stderr F%e"},
    {PREFIX_CONTAINER, "%DT%C%Z stdout P%e"},
    {PREFIX_CONTAINER, "%DT%C%Z stderr P%e"},
    {PREFIX_CONTAINER, "%DT%C%Z%e"},
    {PREFIX_TASK, "%b%d:%e"},
    {PREFIX_SERVICE, "%n%b|%e"},
    {PREFIX_POD, "[pod/%w]%e"},
    {PREFIX_UNIT, "%M%b%d %C %w %w[%d]:%e"},
    {PREFIX_UNIT, "%M%b%d %C%e"},
    {PREFIX_ACTOR, "(%apid=%a)%c%e"},
    {PREFIX_RANK, "[default%d]:%o "},
    {PREFIX_RANK, "[rank%d]:%o "},
    {PREFIX_RANK, "[Rank %d]:%o "},
    {PREFIX_RANK, "[1,%d]<stdout>%o:%o "},
    {PREFIX_RANK, "[1,%d]<stderr>%o:%o "},
    // What Python's logging writes. A column of a table has no level.
    {PREFIX_LOGGER, "%D %C,%d%o %o-%o %o[%L%o]%o:%e%o-%o "},
    {PREFIX_LOGGER, "%D %C%o %o-%o %o[%L%o]%o:%e%o-%o "},
};

static bool scan_digits(Scan *scan, int least, int most)
{
    int count = 0;
    while (count < most && scan->at < scan->text.size && is_digit(scan->text.data[scan->at])) {
        scan->at++;
        count++;
    }
    return count >= least;
}

// Digits with a mark between them: "2026-01-31".
static bool scan_threes(Scan *scan, int first, char mark)
{
    return scan_digits(scan, first, first) && scan_char(scan, mark) && scan_digits(scan, 2, 2) &&
           scan_char(scan, mark) && scan_digits(scan, 2, 2);
}

static bool scan_zone(Scan *scan)
{
    bool zone = scan_char(scan, '+') || scan_char(scan, '-');
    return zone ? scan_digits(scan, 2, 2) && scan_char(scan, ':') && scan_digits(scan, 2, 2)
                : scan_char(scan, 'Z');
}

static bool scan_one_of(Scan *scan, const char *words)
{
    Str rest = str_of(words), word;
    while (rest.size && str_split(&rest, ' ', &word))
        if (str_starts(scan_rest(scan), word)) {
            scan->at += word.size;
            return true;
        }
    return false;
}

static bool scan_name(Scan *scan)
{
    size_t from = scan->at;
    while (scan->at < scan->text.size && scan->text.data[scan->at] > ' ' &&
           !strchr("|=:,", scan->text.data[scan->at]))
        scan->at++;
    size_t at = scan->at;
    while (at > from && is_digit(scan->text.data[at - 1]))
        at--;
    return at < scan->at && at > from + 1 && strchr("-_", scan->text.data[at - 1]) &&
           is_letter(scan->text.data[from]);
}

// Text up to what the form goes on with; a word has no blanks and is not empty.
static bool scan_up_to(Scan *scan, const char *next, bool word)
{
    Str stop = {next, strcspn(next, "%")};
    size_t from = scan->at, at = str_find(scan->text, stop, from);
    for (size_t i = from; word && i < at && at != SIZE_MAX; i++)
        if (scan->text.data[i] <= ' ')
            return false;
    scan->at = at;
    return at != SIZE_MAX && (at > from || !word);
}

// Colours around what Ray writes.
static bool skip_colours(Scan *scan)
{
    while (scan->at < scan->text.size && scan->text.data[scan->at] == '\x1B') {
        size_t stop = str_find_char(scan->text, 'm', scan->at);
        scan->at = stop == SIZE_MAX ? scan->text.size : stop + 1;
    }
    return true;
}

static bool scan_part(Scan *scan, char kind, const char *next)
{
    switch (kind) {
    case 'D':
        return scan_threes(scan, 4, '-');
    case 'C':
        return scan_threes(scan, 2, ':') && (!scan_char(scan, '.') || scan_digits(scan, 1, 9));
    case 'Z':
        return scan_zone(scan);
    case 'M':
        return scan_one_of(scan, "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec");
    case 'L':
        return scan_one_of(scan, "INFO DEBUG WARNING ERROR");
    case 'd':
        return scan_digits(scan, 1, 9);
    case 'n':
        return scan_name(scan);
    case 'b':
        scan_blanks(scan);
        return true;
    case 'c':
        return skip_colours(scan);
    case 'e':
        return scan_done(scan) || scan_char(scan, ' ');
    case 'o':
        scan_char(scan, *next);
        return true;
    default:
        return scan_up_to(scan, next, kind == 'w');
    }
}

static bool scan_form(Scan *scan, const char *form)
{
    for (; *form; form++) {
        if (*form != '%') {
            if (!scan_char(scan, *form))
                return false;
            continue;
        }
        form++;
        if (!scan_part(scan, *form, form + 1))
            return false;
        form += *form == 'o';
    }
    return true;
}

size_t line_prefix_size(LinePrefix prefix, Str line)
{
    Scan start = scan_of(line);
    skip_colours(&start);
    for (size_t i = 0; prefix && i < sizeof forms / sizeof *forms; i++) {
        Scan scan = start;
        if (forms[i].prefix == prefix && scan_form(&scan, forms[i].form))
            return scan.at;
    }
    return 0;
}

// A number in front is that of a task where it stays, or falls again and again.
static bool are_tasks(Str text, LinePrefix prefix)
{
    Str line;
    int64_t last = -1, first = -1;
    size_t rises = 0, falls = 0, lines = 0;
    while (lines < PROBE_LINES && str_split(&text, '\n', &line)) {
        Scan scan = scan_of(line);
        int64_t task;
        size_t stop = line_prefix_size(prefix, line);
        while (stop > 0 && !is_digit(line.data[stop - 1]))
            stop--;
        for (scan.at = stop; scan.at > 0 && is_digit(line.data[scan.at - 1]);)
            scan.at--;
        if (stop == 0 || !scan_uint(&scan, &task))
            continue;
        first = lines++ ? first : task;
        rises += last >= 0 && task > last;
        falls += last >= 0 && task < last;
        last = task;
    }
    return prefix == PREFIX_RANK ? rises + falls == 0 : 2 * falls >= rises && first < TASKS_MAX;
}

// A document on one line is one line.
static bool is_document(LinePrefix prefix, Str text)
{
    Str rest = str_slice(text, line_prefix_size(prefix, text), text.size);
    return str_starts(rest, STR("{")) || str_starts(rest, STR("["));
}

LinePrefix line_prefix_find(Str text)
{
    text = str_slice(text, 0, PROBE_BYTES);
    for (LinePrefix prefix = PREFIX_NONE + 1; prefix < PREFIX_COUNT; prefix++) {
        Str rest = text, line;
        size_t with = 0, lines = 0;
        while (lines < PROBE_LINES && str_split(&rest, '\n', &line) &&
               20 * with + 20 >= 19 * lines) {
            bool any = str_trim(line).size > 0;
            lines += any;
            with += any && line_prefix_size(prefix, line);
        }
        bool enough = lines >= LEAST_LINES || (lines && is_document(prefix, text));
        if (enough && 20 * with >= 19 * lines &&
            ((prefix != PREFIX_TASK && prefix != PREFIX_RANK) || are_tasks(text, prefix)))
            return prefix;
    }
    return PREFIX_NONE;
}

Str line_prefix_drop(LinePrefix prefix, Str text, Arena *arena)
{
    char *room = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    Str line;
    while (str_split(&text, '\n', &line)) {
        size_t own = line_prefix_size(prefix, line);
        memcpy(room + size, line.data + own, line.size - own);
        size += line.size - own;
        if (text.size != SIZE_MAX)
            room[size++] = '\n';
    }
    return (Str){room, size};
}
