// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_guess.h"

#include <string.h>

#include "base/words.h"
#include "read/log/line_pattern.h"

static bool ends_nocase(Str word, const char *end)
{
    Str wanted = str_of(end);
    return word.size >= wanted.size &&
           str_equal_nocase(str_slice(word, word.size - wanted.size, word.size), wanted);
}

// Whether the word in front of a number, or the mark after it, says that it is a time, a rate, a
// norm or a share.
static bool is_called_other(Str line, const CensusNumber *number)
{
    static const char *const ends[] = {"time",   "data",    "eta",  "lr",   "acc", "speed", "mem",
                                       "memory", "elapsed", "took", "tick", "nm",  "norm"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_nocase(number->word, ends[i]))
            return true;
    size_t stop = (size_t)(number->text.data - line.data) + number->text.size;
    char behind = stop < line.size ? line.data[stop] : ' ';
    return behind == '%' || is_letter(behind);
}

// The number whose word has a loss in it, or that precedes it, "8.9 loss"; else the first
// that has a point and is called nothing else.
static const CensusNumber *find_loss(Str line, const CensusNumbers *numbers)
{
    const CensusNumber *found = NULL;
    for (size_t i = 0; i < numbers->count; i++) {
        const CensusNumber *number = &numbers->items[i];
        size_t stop = (size_t)(number->text.data - line.data) + number->text.size;
        if (ends_nocase(number->word, "loss") ||
            str_starts(str_slice(line, stop, line.size), STR(" loss,")))
            return number;
        if (!found && !number->whole && !is_called_other(line, number))
            found = number;
    }
    return found;
}

// Where the text that leads to a number begins: its own word, else the one before.
static size_t lead_begin(Str line, size_t at)
{
    while (at > 0 && is_space(line.data[at - 1]))
        at--;
    while (at > 0 && !is_space(line.data[at - 1]))
        at--;
    return at;
}

static void add_text(StrBuf *out, Str text)
{
    for (size_t i = 0; i < text.size; i++) {
        strbuf_add_char(out, text.data[i] == '\t' ? ' ' : text.data[i]);
        if (text.data[i] == '{')
            strbuf_add_char(out, '{');
    }
}

static bool has_any(Str text, const char *bytes)
{
    for (size_t i = 0; i < text.size; i++)
        if (strchr(bytes, text.data[i]))
            return true;
    return false;
}

// What the pattern calls a number in front of the loss; `others` have no name.
static void add_name(StrBuf *out, const CensusNumbers *numbers, const CensusNumber *at, int *others)
{
    const CensusNumber *step = numbers->counter, *epoch = numbers->epoch;
    if (at == step)
        strbuf_add(out, epoch ? STR("{iter}") : STR("{step}"));
    else if (at == epoch)
        strbuf_add(out, STR("{epoch}"));
    else if (at->divides)
        strbuf_add(out, epoch && at == step + 1 ? STR("{total}") : STR("{max}"));
    else
        strbuf_printf(out, "{x%d}", ++*others);
}

// The pattern of the line from its counters, or its loss, to its loss; empty: it has none. Times
// between them are other ones on each line: the loss alone is left then.
static Str pattern_of(Str line, const CensusNumbers *numbers, Arena *arena)
{
    const CensusNumber *loss = find_loss(line, numbers), *step = numbers->counter;
    StrBuf out = strbuf_new(arena);
    int others = 0;
    size_t from = SIZE_MAX;
    const CensusNumber *first = step && loss && step < loss ? step : loss;
    first = first == step && numbers->epoch ? numbers->epoch : first;
    for (const CensusNumber *at = first; at && at <= loss; at++) {
        size_t here = (size_t)(at->text.data - line.data);
        Str before = str_slice(line, from == SIZE_MAX ? lead_begin(line, here) : from, here);
        if (at > first && first < loss && has_any(before, "0123456789")) {
            at = first = loss;
            here = (size_t)(at->text.data - line.data);
            before = str_slice(line, lead_begin(line, here), here);
            out = strbuf_new(arena);
        }
        add_text(&out, before);
        from = here + at->text.size;
        if (at == loss)
            strbuf_add(&out, STR("{loss}"));
        else
            add_name(&out, numbers, at, &others);
    }
    Str pattern = strbuf_str(&out);
    return pattern_is_whole(pattern) && !has_any(pattern, "'") ? pattern : STR("");
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

bool line_guess_refuse(const char *path, Str text, Arena *arena, Error *err)
{
    enum { SHOWN_BYTES = 160 };
    Lines lines;
    CensusNumbers numbers;
    lines_open(&lines, text, arena);
    Str line = str_trim(census_closest(census_take(&lines, arena), &numbers));
    for (size_t i = 0; i < numbers.count && !numbers.counter; i++)
        if (numbers.items[i].whole && !is_called_other(line, &numbers.items[i]))
            numbers.counter = &numbers.items[i];
    if (numbers.line == 0)
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no training record in this file"));
    else
        error_set(err, ERR_INPUT, WHERE_LINE(path, numbers.line),
                  tr("no training record; this line comes closest: " STR_FMT),
                  STR_ARG(str_slice(line, 0, SHOWN_BYTES)));
    Str pattern = pattern_of(line, &numbers, arena);
    unsigned long long fits = pattern.size ? lines_that_fit(pattern, text, arena) : 0;
    if (fits)
        return error_hint(err,
                          tr_count(fits,
                                   "--pattern '" STR_FMT "' reads %llu record of this file; a "
                                   "table is read with --columns step=1,loss=2",
                                   "--pattern '" STR_FMT "' reads %llu records of this file; a "
                                   "table is read with --columns step=1,loss=2"),
                          STR_ARG(pattern), fits);
    return error_hint(err, "%s",
                      tr("if this file is a log, name the numbers of one of its lines: --pattern "
                         "'step {step} loss {loss}'; of a table: --columns step=1,loss=2"));
}
