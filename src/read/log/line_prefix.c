// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_prefix.h"

#include <string.h>

#include "base/line_scan.h"

enum { PROBE_BYTES = 64 << 10, PROBE_LINES = 400, LEAST_LINES = 2, TASKS_MAX = 4096 };

static bool scan_digits(Scan *scan, int least, int most)
{
    int count = 0;
    while (count < most && scan->at < scan->text.size && is_digit(scan->text.data[scan->at])) {
        scan->at++;
        count++;
    }
    return count >= least;
}

static bool scan_clock(Scan *scan)
{
    if (!scan_digits(scan, 2, 2) || !scan_char(scan, ':') || !scan_digits(scan, 2, 2) ||
        !scan_char(scan, ':') || !scan_digits(scan, 2, 2))
        return false;
    return !scan_char(scan, '.') || scan_digits(scan, 1, 9);
}

// Bytes that are neither blanks nor one of `stops`.
static bool scan_token(Scan *scan, const char *stops)
{
    size_t from = scan->at;
    while (scan->at < scan->text.size && scan->text.data[scan->at] > ' ' &&
           !strchr(stops, scan->text.data[scan->at]))
        scan->at++;
    return scan->at > from;
}

static bool scan_date(Scan *scan)
{
    return scan_digits(scan, 4, 4) && scan_char(scan, '-') && scan_digits(scan, 2, 2) &&
           scan_char(scan, '-') && scan_digits(scan, 2, 2);
}

// "2026-08-01 10:00:00,123 - INFO - ": what Python's logging puts in front. A column of a table has
// no level.
static bool scan_logger(Scan *scan)
{
    static const char *const levels[] = {"INFO", "DEBUG", "WARNING", "ERROR"};
    if (!scan_date(scan) || !scan_char(scan, ' ') || !scan_clock(scan))
        return false;
    if (scan_char(scan, ',') && !scan_digits(scan, 3, 6))
        return false;
    scan_char(scan, ' ');
    scan_word(scan, "- ");
    bool listed = scan_char(scan, '[');
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (scan_word(scan, levels[i])) {
            bool closed = !listed || scan_char(scan, ']');
            scan_char(scan, ':');
            bool ends = scan_word(scan, " - ") || scan_char(scan, ' ') || scan_done(scan);
            return closed && ends;
        }
    return false;
}

static bool scan_container(Scan *scan)
{
    static const char *const streams[] = {"stdout F", "stderr F", "stdout P", "stderr P"};
    if (!scan_date(scan) || !scan_char(scan, 'T') || !scan_clock(scan))
        return false;
    bool zone = scan_char(scan, '+') || scan_char(scan, '-');
    if (zone ? !(scan_digits(scan, 2, 2) && scan_char(scan, ':') && scan_digits(scan, 2, 2))
             : !scan_char(scan, 'Z'))
        return false;
    if (scan_done(scan))
        return true;
    if (!scan_char(scan, ' '))
        return false;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (scan_word(scan, streams[i]))
            return scan_done(scan) || scan_char(scan, ' ');
    return true;
}

static bool scan_unit(Scan *scan)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    Str month = str_slice(scan->text, scan->at, scan->at + 3);
    size_t at = str_find(str_of(months), month, 0);
    if (month.size < 3 || at == SIZE_MAX || at % 3)
        return false;
    scan->at += 3;
    scan_blanks(scan);
    if (!scan_digits(scan, 1, 2) || !scan_char(scan, ' ') || !scan_clock(scan) ||
        !(scan_done(scan) || scan_char(scan, ' ')))
        return false;
    Scan unit = *scan;
    if (scan_token(&unit, "[]:") && scan_char(&unit, ' ') && scan_token(&unit, "[]:") &&
        scan_char(&unit, '[') && scan_digits(&unit, 1, 9) && scan_char(&unit, ']') &&
        scan_char(&unit, ':') && (scan_done(&unit) || scan_char(&unit, ' ')))
        *scan = unit;
    return true;
}

static bool scan_service(Scan *scan)
{
    size_t from = scan->at;
    if (!scan_token(scan, "|=:,") || scan->at < from + 3 ||
        !is_digit(scan->text.data[scan->at - 1]))
        return false;
    size_t at = scan->at;
    while (at > from && is_digit(scan->text.data[at - 1]))
        at--;
    bool named = at > from + 1 &&
                 (scan->text.data[at - 1] == '-' || scan->text.data[at - 1] == '_') &&
                 is_letter(scan->text.data[from]);
    scan_blanks(scan);
    return named && scan_char(scan, '|') && (scan_done(scan) || scan_char(scan, ' '));
}

// Colours around what Ray writes.
static void skip_colours(Scan *scan)
{
    while (scan->at < scan->text.size && scan->text.data[scan->at] == '\x1B') {
        size_t stop = str_find_char(scan->text, 'm', scan->at);
        scan->at = stop == SIZE_MAX ? scan->text.size : stop + 1;
    }
}

static bool scan_actor(Scan *scan)
{
    if (!scan_char(scan, '('))
        return false;
    size_t stop = str_find_char(scan->text, ')', scan->at);
    Str inside = str_slice(scan->text, scan->at, stop);
    if (stop == SIZE_MAX || str_find(inside, STR("pid="), 0) == SIZE_MAX)
        return false;
    scan->at = stop + 1;
    skip_colours(scan);
    return scan_done(scan) || scan_char(scan, ' ');
}

static bool scan_rank(Scan *scan)
{
    static const char *const openings[] = {"[default", "[rank", "[1,", "[Rank "};
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        Scan at = *scan;
        if (!scan_word(&at, openings[i]) || !scan_digits(&at, 1, 6) || !scan_char(&at, ']'))
            continue;
        bool stream = scan_word(&at, "<stdout>") || scan_word(&at, "<stderr>");
        if (!scan_char(&at, ':') && !stream)
            return false;
        scan_char(&at, ' ');
        *scan = at;
        return true;
    }
    return false;
}

static bool scan_pod(Scan *scan)
{
    return scan_word(scan, "[pod/") && scan_token(scan, "]") && scan_char(scan, ']') &&
           (scan_done(scan) || scan_char(scan, ' '));
}

static bool scan_task(Scan *scan)
{
    scan_blanks(scan);
    return scan_digits(scan, 1, 4) && scan_char(scan, ':') &&
           (scan_done(scan) || scan_char(scan, ' '));
}

size_t line_prefix_size(LinePrefix prefix, Str line)
{
    static bool (*const kinds[PREFIX_COUNT])(Scan *) = {
        [PREFIX_CONTAINER] = scan_container, [PREFIX_TASK] = scan_task,
        [PREFIX_SERVICE] = scan_service,     [PREFIX_POD] = scan_pod,
        [PREFIX_UNIT] = scan_unit,           [PREFIX_ACTOR] = scan_actor,
        [PREFIX_RANK] = scan_rank,           [PREFIX_LOGGER] = scan_logger,
    };
    Scan scan = scan_of(line);
    skip_colours(&scan);
    return prefix && kinds[prefix](&scan) ? scan.at : 0;
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
