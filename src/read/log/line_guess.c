// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_guess.h"

#include "base/words.h"
#include "read/log/line_pattern.h"
#include "read/log/lines.h"

// A number of a line: [from, to).
typedef struct Place {
    size_t from, to;
    bool found;
} Place;

static bool is_word(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char char_at(Str line, size_t at)
{
    return at < line.size ? line.data[at] : ' ';
}

// The end of the digits, points and exponent that begin at `at`.
static size_t number_end(Str line, size_t at)
{
    while (at < line.size) {
        char c = line.data[at];
        bool sign =
            (c == '-' || c == '+') && (line.data[at - 1] == 'e' || line.data[at - 1] == 'E');
        bool exponent = (c == 'e' || c == 'E') &&
                        (is_digit(char_at(line, at + 1)) || char_at(line, at + 1) == '-' ||
                         char_at(line, at + 1) == '+');
        if (!is_digit(c) && c != '.' && !sign && !exponent)
            break;
        at++;
    }
    return at;
}

// Part of a time, a date or a share: "09:13:00", "2026-08-01", "1/5".
static bool is_clock(Str line, size_t from, size_t to)
{
    char before = char_at(line, from - 1), after = char_at(line, to);
    bool left = from > 1 && (before == ':' || before == '-' || before == '/' || before == ',') &&
                is_digit(char_at(line, from - 2));
    bool right = (after == ':' || after == '-' || after == '/' || after == ',') &&
                 is_digit(char_at(line, to + 1));
    return left || right;
}

// Whether the word before says that a number counts steps.
static bool is_called_step(Str line, size_t at)
{
    static const char *const words[] = {"step", "Step", "iter", "Iter", "update", "batch"};
    Str before = str_slice(line, at > 14 ? at - 14 : 0, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_find(before, str_of(words[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

static Str word_before(Str line, size_t at)
{
    size_t stop = at;
    while (stop > 0 && !is_word(line.data[stop - 1]))
        stop--;
    size_t from = stop;
    while (from > 0 && (is_word(line.data[from - 1]) || line.data[from - 1] == '/'))
        from--;
    return str_slice(line, from, stop);
}

// "tlr", "min_lr", "tnm", "gnorm".
static bool ends_as_other(Str word)
{
    static const char *const ends[] = {"lr", "nm", "norm"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        Str end = str_of(ends[i]);
        if (word.size > end.size &&
            str_equal_nocase(str_slice(word, word.size - end.size, word.size), end))
            return true;
    }
    return false;
}

// Whether the word before says that a number is a time, a rate, a norm or a share.
static bool is_called_other(Str line, size_t at)
{
    static const char *const words[] = {"time",  "data", "eta",    "lr",      "acc",
                                        "speed", "mem",  "memory", "elapsed", "took"};
    Str word = word_before(line, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal_nocase(word, str_of(words[i])))
            return true;
    return ends_as_other(word) || char_at(line, number_end(line, at)) == '%';
}

// "8.9 loss, 1e-05 LR": the number is in front of its word.
static bool is_before_loss(Str line, size_t at)
{
    Str behind = str_slice(line, number_end(line, at), line.size);
    return str_starts(behind, STR(" loss,")) || str_equal(str_trim(behind), STR("loss"));
}

// Where the number begins whose word has a loss in it, or SIZE_MAX.
static size_t find_called_loss(Str line)
{
    for (size_t at = 1; at < line.size; at++) {
        bool begins = is_digit(line.data[at]) && !is_word(line.data[at - 1]) &&
                      !is_digit(line.data[at - 1]) && line.data[at - 1] != '.';
        Str word = begins ? word_before(line, at) : STR("");
        if (begins && is_before_loss(line, at))
            return at;
        if (str_find(word, STR("loss"), 0) != SIZE_MAX ||
            str_find(word, STR("Loss"), 0) != SIZE_MAX)
            return at;
    }
    return SIZE_MAX;
}

static void find_fields(Str line, Place *step, Place *loss, size_t *clock_end)
{
    size_t called = find_called_loss(line);
    for (size_t at = 0; at < line.size && !loss->found; at++) {
        if (!is_digit(line.data[at]) || (at > 0 && is_word(line.data[at - 1])))
            continue;
        size_t stop = number_end(line, at);
        bool whole = str_find_char(str_slice(line, at, stop), '.', 0) == SIZE_MAX;
        bool signed_number = at > 0 && line.data[at - 1] == '-' && !whole;
        if (at > 0 && is_clock(line, at, stop)) {
            *clock_end = stop;
            *step = (Place){0};
        } else if (at == 0 && is_clock(line, 1, stop)) {
            *clock_end = stop;
        } else if (whole && called != at &&
                   ((!step->found && !is_word(char_at(line, stop))) || is_called_step(line, at))) {
            *step = (Place){at, stop, true};
        } else if (called == at || (called == SIZE_MAX && !whole && !is_word(char_at(line, stop)) &&
                                    !is_called_other(line, at))) {
            *loss = (Place){signed_number ? at - 1 : at, stop, true};
        }
        at = stop;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Where the text that leads to a field begins: its own word, else the one before.
static size_t lead_begin(Str line, size_t field, size_t least)
{
    size_t at = field;
    while (at > least && is_blank(line.data[at - 1]))
        at--;
    while (at > least && !is_blank(line.data[at - 1]))
        at--;
    return at;
}

static void add_char(char c, StrBuf *out)
{
    strbuf_add_char(out, c == '\t' ? ' ' : c);
}

// The text in [from, to) with each number in it as a field of its own.
static void add_between(Str line, size_t from, size_t to, StrBuf *out)
{
    unsigned others = 0;
    for (size_t at = from; at < to;) {
        bool number = is_digit(line.data[at]) && (at == 0 || !is_word(line.data[at - 1]));
        if (number) {
            strbuf_printf(out, "{x%u}", ++others);
            at = number_end(line, at);
        } else {
            add_char(line.data[at++], out);
        }
    }
}

static Str line_guess(Str line, Arena *arena)
{
    Place step = {0}, loss = {0};
    size_t clock_end = 0;
    if (str_find_char(line, '{', 0) != SIZE_MAX || str_find_char(line, '}', 0) != SIZE_MAX ||
        str_find_char(line, '\'', 0) != SIZE_MAX)
        return STR("");
    find_fields(line, &step, &loss, &clock_end);
    if (!loss.found)
        return STR("");
    StrBuf out = strbuf_new(arena);
    size_t from = lead_begin(line, step.found ? step.from : loss.from, clock_end);
    for (size_t at = from; at < (step.found ? step.from : loss.from); at++)
        add_char(line.data[at], &out);
    if (step.found) {
        strbuf_add(&out, STR("{step}"));
        add_between(line, step.to, loss.from, &out);
    }
    strbuf_add(&out, STR("{loss}"));
    return strbuf_str(&out);
}

// How many lines of the text the pattern fits, of so many that are tried.
static uint64_t lines_that_fit(Str pattern, Str text, Arena *arena)
{
    enum { TRIED_LINES = 20000 };
    Lines lines;
    Str line;
    PatternMatch match;
    uint64_t count = 0;
    lines_open(&lines, text, arena);
    while (lines.line < TRIED_LINES && lines_next(&lines, &line))
        count += pattern_match(pattern, line, &match);
    return count;
}

bool line_guess_hint(Str line, Str text, Arena *arena, Error *err)
{
    Str guess = line_guess(line, arena);
    unsigned long long fits = guess.size ? lines_that_fit(guess, text, arena) : 0;
    if (fits)
        return error_hint(err,
                          tr_count(fits,
                                   "say what stands in such a line, such as --pattern '" STR_FMT
                                   "', which fits %llu line; of a table: --columns step=1,loss=2",
                                   "say what stands in such a line, such as --pattern '" STR_FMT
                                   "', which fits %llu lines; of a table: --columns step=1,loss=2"),
                          STR_ARG(guess), fits);
    return error_hint(err, "%s",
                      tr("say what stands in such a line: --pattern 'step {step} loss {loss}'; of "
                         "a table: --columns step=1,loss=2"));
}
