// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_pattern.h"

static bool is_brace(Str pattern, size_t at)
{
    return at + 1 < pattern.size && pattern.data[at] == '{' && pattern.data[at + 1] == '{';
}

bool pattern_is_whole(Str pattern)
{
    size_t fields = 0;
    for (size_t at = 0; at < pattern.size; at++) {
        if (pattern.data[at] == '}')
            return false;
        if (pattern.data[at] != '{')
            continue;
        if (is_brace(pattern, at)) {
            at++;
            continue;
        }
        size_t stop = str_find_char(pattern, '}', at);
        if (stop == SIZE_MAX || stop == at + 1 ||
            str_find_char(str_slice(pattern, at + 1, stop), '{', 0) != SIZE_MAX)
            return false;
        at = stop;
        fields++;
    }
    return fields > 0 && fields <= PATTERN_FIELDS_MAX;
}

bool pattern_names(Str pattern, const char *name)
{
    size_t at = 0;
    Str wanted = str_of(name);
    while ((at = str_find_char(pattern, '{', at)) != SIZE_MAX) {
        size_t stop = str_find_char(pattern, '}', at);
        if (stop == SIZE_MAX)
            return false;
        if (str_equal(str_slice(pattern, at + 1, stop), wanted))
            return true;
        at = stop;
    }
    return false;
}

static bool match_field(Str pattern, size_t *at, Scan *line, PatternMatch *out)
{
    size_t stop = str_find_char(pattern, '}', *at);
    if (stop == SIZE_MAX || out->count == PATTERN_FIELDS_MAX ||
        !scan_grouped(line, &out->figures[out->count]))
        return false;
    out->names[out->count++] = str_slice(pattern, *at + 1, stop);
    *at = stop + 1;
    return true;
}

// As many texts as a pattern may leave open: each is looked for at every place after the last.
enum { GAPS_MAX = 3 };

// What a gap takes at most: lines of trainers are shorter, and a longer line costs what it holds.
enum { GAP_BYTES = 512 };

static bool match_at(Str pattern, Str text, size_t from, int gaps, PatternMatch *out);

// The literal at the start of a pattern, up to its first field or blank.
static Str opening_of(Str pattern)
{
    size_t stop = 0;
    while (stop < pattern.size && pattern.data[stop] != '{' && pattern.data[stop] != ' ')
        stop++;
    return str_slice(pattern, 0, stop);
}

// The text after a gap is tried only where its literal occurs.
static bool match_gap(Str rest, Str text, size_t from, int gaps, PatternMatch *out)
{
    rest = str_trim(rest);  // the gap takes the blanks
    Str opening = opening_of(rest);
    size_t count = out->count, most = from + GAP_BYTES;
    most = most < text.size ? most : text.size;
    Str within =
        str_slice(text, 0, most + opening.size < text.size ? most + opening.size : text.size);
    for (size_t stop = from; gaps < GAPS_MAX && stop <= most; stop++) {
        if (opening.size && (stop = str_find(within, opening, stop)) == SIZE_MAX)
            return false;
        out->count = count;
        if (match_at(rest, text, stop, gaps + 1, out))
            return true;
    }
    return false;
}

static bool match_at(Str pattern, Str text, size_t from, int gaps, PatternMatch *out)
{
    Scan line = {text, from};
    for (size_t at = 0; at < pattern.size;) {
        char c = pattern.data[at];
        if (str_starts(str_slice(pattern, at, pattern.size), STR("{*}")))
            return match_gap(str_slice(pattern, at + 3, pattern.size), text, line.at, gaps, out);
        if (is_brace(pattern, at)) {
            if (!scan_char(&line, '{'))
                return false;
            at += 2;
        } else if (c == '{') {
            if (!match_field(pattern, &at, &line, out))
                return false;
        } else if (c == ' ') {
            scan_blanks(&line);
            at++;
        } else if (!scan_char(&line, pattern.data[at++])) {
            return false;
        }
    }
    out->stop = line.at;
    return true;
}

static bool may_begin_number(char c)  // nan, inf, 2.5
{
    return is_digit(c) || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'n' ||
           (c | 0x20) == 'i';
}

static bool is_part_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == '/';
}

// The literal after a field that begins the pattern, up to the next field or blank: a line without
// it need not be tried at each of its places.
static Str behind_field(Str pattern)
{
    size_t from = str_find_char(pattern, '}', 0);
    from = from == SIZE_MAX ? pattern.size : from + 1;
    while (from < pattern.size && pattern.data[from] == ' ')
        from++;
    return opening_of(str_slice(pattern, from, pattern.size));
}

bool pattern_match(Str pattern, Str line, PatternMatch *out)
{
    Str opening = opening_of(pattern);
    size_t at = 0;
    bool field = pattern.size && pattern.data[0] == '{' && !is_brace(pattern, 0);
    field = field && !str_starts(pattern, STR("{*}"));
    if (field && str_find(line, behind_field(pattern), 0) == SIZE_MAX)
        return false;
    for (; at < line.size; at++) {
        if (opening.size && (at = str_find(line, opening, at)) == SIZE_MAX)
            return false;
        if (field && !may_begin_number(line.data[at]))
            continue;
        // A field in front takes whole numbers, not the tail of one.
        bool inside = opening.size == 0 && at > 0 && is_part_of_number(line.data[at - 1]);
        out->count = 0;
        if (!inside && match_at(pattern, line, at, 0, out))
            return true;
    }
    return false;
}
