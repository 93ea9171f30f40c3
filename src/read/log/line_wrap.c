// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_wrap.h"

#include <string.h>

#include "base/names.h"
#include "base/text_columns.h"
#include "base/utf8.h"
#include "read/log/lines.h"

enum {
    LEAST_COLUMNS = 40,
    MOST_COLUMNS = 512,
    WINDOW_BYTES = 32 << 10,
    WINDOWS = 3,
    HEAD_BYTES = 8,
    LEAST_LINES = 8,
    LEAST_ENDS = 3,
    BLANKS_LOST = 3  // that a line may have had at its end, and that the copy left out
};

typedef struct Wrap {
    Str windows[WINDOWS];
    size_t window_count, columns;
    Names *starts;  // how lines begin that follow a short one
    bool keeps_blanks;
} Wrap;

// Of lines that reach the last column and do not end with it.
typedef struct Seams {
    size_t all;                             // with another line below
    size_t open;                            // which begins as no line does
    size_t chained;                         // of these: it reaches the last column, too
    size_t ended;                           // it does not
    size_t torn;                            // neither a blank nor a ruler stands on either side
    size_t braces;                          // an object goes on
    size_t numbers;                         // a number does
    size_t points;                          // from its point on
    uint64_t digits_before, digits_behind;  // how long its parts are, a bit each
    uint64_t digits_whole;                  // and both
} Seams;

static bool next_line(Str *rest, Str *line)
{
    if (!str_split(rest, '\n', line))
        return false;
    line->size -= str_ends(*line, STR("\r"));
    return true;
}

static size_t width_of(Str line)
{
    unsigned char bits = 0;
    if (line.size > (size_t)4 * MOST_COLUMNS)
        return MOST_COLUMNS + 1;
    for (size_t i = 0; i < line.size; i++)
        bits |= (unsigned char)line.data[i];
    size_t width = bits < 0x80 ? line.size : columns_of(line);
    return width > MOST_COLUMNS ? MOST_COLUMNS + 1 : width;
}

// How the line begins, whatever its numbers are.
static Str head_of(Str line, char room[HEAD_BYTES])
{
    size_t size = 0;
    for (size_t i = 0; i < line.size && size < HEAD_BYTES; i++) {
        bool number = is_digit(line.data[i]) || memchr("+-", line.data[i], 2);
        if (!number)
            room[size++] = line.data[i];
        else if (size == 0 || room[size - 1] != '0')
            room[size++] = '0';
    }
    return (Str){room, size};
}

static bool begins_alike(Str a, Str b)
{
    char of_a[HEAD_BYTES], of_b[HEAD_BYTES];
    return str_equal(head_of(a, of_a), head_of(b, of_b));
}

static bool is_start(const Wrap *wrap, Str line)
{
    char room[HEAD_BYTES];
    return names_find(wrap->starts, head_of(line, room)) != NAME_NONE;
}

static bool is_edge(char c)
{
    return is_space(c) || memchr("|+-=#*~,", c, 8);
}

static bool is_numeral(char c)
{
    return is_digit(c) || memchr(".eE+-", c, 5);
}

// The number at the end of one line goes on in the next one, which begins with no date or bar.
static void note_number(Seams *seams, Str line, Str next)
{
    size_t before = 0, behind = 0;
    bool digit = false;
    while (before < line.size && is_numeral(line.data[line.size - 1 - before]))
        before++;
    for (; behind < next.size && is_numeral(next.data[behind]); behind++)
        digit = digit || is_digit(next.data[behind]);
    Str rest = str_slice(next, behind, next.size);
    if (!before || !is_digit(line.data[line.size - before]) || !digit ||
        str_starts(rest, STR("it")) || (rest.size && memchr(":/%", rest.data[0], 3)))
        return;
    seams->numbers++;
    seams->points += line.data[line.size - 1] == '.';
    seams->digits_before |= UINT64_C(1) << (before & 63);
    seams->digits_behind |= UINT64_C(1) << (behind & 63);
    seams->digits_whole |= UINT64_C(1) << ((before + behind) & 63);
}

static int open_braces(Str line)
{
    int open = 0;
    for (size_t i = 0; i < line.size; i++)
        open += (line.data[i] == '{') - (line.data[i] == '}');
    return open;
}

// Whole lines of the beginning, the middle and the end, without escape sequences.
static void take_windows(Wrap *wrap, Str text, Arena *arena)
{
    bool whole = text.size <= (size_t)WINDOWS * WINDOW_BYTES;
    wrap->window_count = whole ? 1 : WINDOWS;
    for (size_t i = 0; i < wrap->window_count; i++) {
        size_t from = i * ((text.size - WINDOW_BYTES) / (WINDOWS - 1));
        Str window = whole ? text : str_slice(text, from, from + WINDOW_BYTES);
        size_t feed = str_find_char(window, '\n', 0);
        if (!whole)
            window = str_slice(window, 0, str_rfind_char(window, '\n'));
        if (i > 0)
            window = feed < window.size ? str_slice(window, feed + 1, window.size) : STR("");
        bool escapes = window.size && memchr(window.data, '\x1B', window.size);
        wrap->windows[i] = escapes ? text_without_escapes(window, arena) : window;
    }
}

// The width that many lines have and hardly one exceeds; 0: there is none.
static size_t common_columns(const Wrap *wrap)
{
    uint32_t counts[MOST_COLUMNS + 2] = {0};
    size_t wider = 0;
    for (size_t i = 0; i < wrap->window_count; i++) {
        Str rest = wrap->windows[i], line;
        while (next_line(&rest, &line))
            counts[width_of(line)]++;
    }
    for (size_t columns = MOST_COLUMNS + 1; columns >= LEAST_COLUMNS; columns--) {
        bool common = columns <= MOST_COLUMNS && counts[columns] >= LEAST_LINES;
        if (common && wider * 20 <= counts[columns])
            return columns;
        wider += counts[columns];
    }
    return 0;
}

static void find_starts(Wrap *wrap)
{
    char room[HEAD_BYTES];
    for (size_t i = 0; i < wrap->window_count; i++) {
        Str rest = wrap->windows[i], line;
        bool starts = i == 0;
        while (next_line(&rest, &line)) {
            if (starts && line.size)
                names_add(wrap->starts, head_of(line, room));
            starts = width_of(line) + BLANKS_LOST < wrap->columns;
        }
    }
}

static void find_seams(Wrap *wrap, Seams *seams)
{
    for (size_t i = 0; i < wrap->window_count; i++) {
        Str rest = wrap->windows[i], line, before = STR("");
        bool was_full = false;
        for (; next_line(&rest, &line); before = line) {
            bool full = width_of(line) == wrap->columns, below = was_full && line.size;
            was_full = full;
            wrap->keeps_blanks = wrap->keeps_blanks || (full && str_ends(line, STR(" ")));
            seams->all += below;
            if (!below || is_start(wrap, line) || begins_alike(line, before))
                continue;
            seams->open++;
            seams->chained += full;
            seams->ended += !full;
            seams->torn += !is_edge(before.data[before.size - 1]) && !is_edge(line.data[0]);
            seams->braces += open_braces(before) > 0 && open_braces(line) < 0;
            note_number(seams, before, line);
        }
    }
}

static int count_bits(uint64_t bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

// Lines of one length by themselves are followed by others of their kind, or by whole ones. Broken
// ones go on over several lines, in the object that they began, or from one part of a number to the
// other: now here and now there, where the parts vary more than the number, or after its point.
static bool are_broken(const Seams *seams)
{
    bool usual = seams->open * 4 >= seams->all * 3, objects = seams->braces * 2 >= seams->open;
    bool long_ones = seams->chained * 2 >= seams->open && seams->torn * 4 >= seams->open;
    int before = count_bits(seams->digits_before), after = count_bits(seams->digits_behind);
    bool varied = before > 2 && after > 2 && count_bits(seams->digits_whole) < before + after - 2;
    bool numbers = varied ? seams->numbers * 32 >= seams->open : seams->points * 8 >= seams->open;
    return seams->open >= LEAST_LINES && seams->ended >= LEAST_ENDS &&
           (objects || (usual && (long_ones || numbers)));
}

// Whether `next` goes on where `line` reaches the last column; the whole began with `first`.
// `blank`: with one between them, which the copy left out.
static bool goes_on(const Wrap *wrap, Str first, Str line, Str next, bool *blank)
{
    size_t width = width_of(line), at = 0;
    *blank = false;
    if (width > wrap->columns || width + BLANKS_LOST < wrap->columns || next.size == 0 ||
        is_start(wrap, next) || begins_alike(next, first))
        return false;
    bool wide = width + 1 == wrap->columns && utf8_columns(utf8_next(next, &at)) == 2;
    *blank = width < wrap->columns && !wide;
    return !*blank || !wrap->keeps_blanks;
}

static Str join(const Wrap *wrap, Str text, Arena *arena)
{
    // A blank where lines are joined is one byte more than there was.
    char *room = arena_alloc(arena, text.size + text.size / (LEAST_COLUMNS - BLANKS_LOST) + 1);
    size_t size = 0, feeds = 1;
    Str line, next, first = STR("");
    for (bool more = next_line(&text, &line); more; line = next) {
        bool blank;
        first = feeds == 1 ? line : first;
        memcpy(room + size, line.data, line.size);
        size += line.size;
        more = next_line(&text, &next);
        if (!more)
            break;
        if (goes_on(wrap, first, line, next, &blank)) {
            feeds++;
            if (blank)
                room[size++] = ' ';
            continue;
        }
        memset(room + size, '\n', feeds);
        size += feeds;
        feeds = 1;
    }
    return (Str){room, size};
}

size_t text_unwrap(Str text, Arena *arena, Str *out)
{
    Arena *scratch = arena_new();
    Wrap wrap = {.starts = names_new(scratch)};
    Seams seams = {0};
    take_windows(&wrap, text, scratch);
    wrap.columns = common_columns(&wrap);
    if (wrap.columns) {
        find_starts(&wrap);
        find_seams(&wrap, &seams);
    }
    bool broken = wrap.columns && are_broken(&seams);
    if (broken && memchr(text.data, '\x1B', text.size))
        text = text_without_escapes(text, arena);
    if (broken)
        *out = join(&wrap, text, arena);
    arena_release(scratch);
    return broken ? wrap.columns : 0;
}
