// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/digits.h"
#include "base/number.h"
#include "read/monitor/monitor_columns.h"

// A row ends in a line end, and MONITOR_PADDING bytes after the text can be read; so numbers are
// taken without asking where the text ends.

static const char *take_integer(const char *at, const char *end, int64_t *out)
{
    bool negative = at < end && *at == '-';
    at += negative;
    const char *from = at;
    int64_t value = 0;
    while (at < end && *at >= '0' && *at <= '9' && at - from < 18)
        value = value * 10 + (*at++ - '0');
    *out = negative ? -value : value;
    return at > from ? at : NULL;
}

// The usual number, "-0.034567" with up to 16 decimals: digits and power of ten are exact doubles,
// so one division rounds once. NULL for others, and where more digits than a double holds were
// written.
static inline const char *take_fixed(const char *at, double *out)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = *at == '-';
    const char *start = at + negative;
    unsigned whole = (unsigned)*start - '0';
    if (whole > 9)
        return NULL;
    at = start + 1;
    int count = 0;
    uint64_t digits = whole;
    if (*at == '.') {
        uint64_t first = digits_load(++at), second = digits_load(at + 8);
        count = digits_leading(first);
        if (count == 8) {
            int more = digits_leading(second);
            digits = digits_append(digits * 100000000 + digits_value(first), second, more);
            count += more;
        } else {
            digits = digits_append(digits, first, count);
        }
        at += count;
        if (count == 0 || count == 16 || digits >> 53)
            return NULL;
    }
    if (*at > ',')  // more digits, an exponent
        return NULL;
    double value = (double)(int64_t)digits / powers[count];
    *out = negative ? -value : value;
    return at;
}

static const char *take_decimal(const char *at, const char *end, double *out)
{
    const char *behind = decimal_read(at, out);
    if (behind)
        return behind;
    size_t size = number_parse((Str){at, (size_t)(end - at)}, out);
    if (size)
        return at + size;
    if (end - at >= 3 && at[0] == 'n' && at[1] == 'a' && at[2] == 'n') {
        *out = (double)NAN;
        return at + 3;
    }
    return NULL;
}

// Past a cell that is not looked at. A quoted one may hold commas, but no line end.
static const char *skip_cell(const char *at, const char *end)
{
    if (at < end && *at == '"') {
        for (at++; at < end && *at != '"'; at++)
            if (*at == '\n' || *at == '\r')
                return NULL;
        return at < end ? at + 1 : NULL;
    }
    while (at < end && *at != ',' && *at != '\n' && *at != '\r' && *at != '"')
        at++;
    return at;
}

static const char *take_name(const char *at, const char *end, Str *out)
{
    const char *stop = at;
    while (stop < end && *stop != ',' && *stop != '\n' && *stop != '\r' && *stop != '"')
        stop++;
    *out = (Str){at, (size_t)(stop - at)};
    bool blanks = stop > at && (*at == ' ' || *at == '\t' || stop[-1] == ' ' || stop[-1] == '\t');
    return blanks ? NULL : stop;
}

static const char *take_cell(MonitorRows *rows, const MonitorColumn *column, const char *at,
                             const char *end, MonitorRow *row)
{
    switch (column->kind) {
    case COLUMN_STAGE:
        return take_integer(at, end, &row->stage);
    case COLUMN_STEP:
        return take_integer(at, end, &row->step);
    case COLUMN_MICRO:
        return take_integer(at, end, &row->micro);
    case COLUMN_NAME:
        return take_name(at, end, &row->name);
    case COLUMN_SCOPE:
        return take_name(at, end, &row->scope);
    case COLUMN_OP:
        return take_decimal(at, end, &rows->values[column->op]);
    case COLUMN_SKIP:
        break;
    }
    return skip_cell(at, end);
}

static bool take_guessed(const char **at, const char *end, Str text)
{
    if (text.size == 0 || (size_t)(end - *at) < text.size || memcmp(*at, text.data, text.size) != 0)
        return false;
    *at += text.size;
    return true;
}

// The guess for this row: the one after that of the last row, else the first one again.
static const MonitorGuess *guess_head(MonitorRows *rows, const char **at, const char *end)
{
    size_t places[2] = {rows->guess_at, 0};
    for (size_t i = 0; i < 2; i++) {
        const char *behind = *at;
        if (places[i] < rows->guess_count &&
            take_guessed(&behind, end, rows->guesses[places[i]].head) && *behind == ',') {
            rows->guess_at = places[i] + 1;
            *at = behind;
            return &rows->guesses[places[i]];
        }
    }
    return NULL;
}

static void learn(MonitorRows *rows, const MonitorRow *row, Str head, Str tail)
{
    if (rows->guess_count == MONITOR_GUESSES_MAX || head.size + tail.size > 512)
        return;
    if (!rows->guesses)
        rows->guesses = ARENA_ARRAY(rows->arena, MonitorGuess, MONITOR_GUESSES_MAX);
    head = str_copy(rows->arena, head);
    rows->guesses[rows->guess_count++] = (MonitorGuess){
        .name = str_slice(head, head.size - row->name.size, head.size),
        .head = head,
        .tail = str_copy(rows->arena, tail),
        .stage = row->stage,
    };
    rows->guess_at = rows->guess_count;
}

static const char *take_line_end(const char *at, const char *end)
{
    if (at < end && *at == '\r')
        at++;
    return at < end && *at == '\n' ? at + 1 : NULL;
}

static void take_guess(const MonitorRows *rows, const MonitorGuess *guess, MonitorRow *row)
{
    row->name = guess->name;
    row->known = (uint32_t)(guess - rows->guesses) + 1;
    if (rows->head_has_stage)
        row->stage = guess->stage;
}

bool monitor_direct_row(MonitorRows *rows, MonitorRow *row)
{
    Csv *csv = &rows->csv;
    const char *at = csv->text.data + csv->at, *end = csv->text.data + csv->text.size;
    const char *head = at, *head_end = at;
    const MonitorGuess *guess = NULL;
    for (size_t i = 0; i < rows->tail_column; i++) {
        const MonitorColumn *column = &rows->columns[i];
        if (i > 0 && *at++ != ',')
            return false;
        if (i == rows->head_column) {
            head = at;
            guess = guess_head(rows, &at, end);
            if (guess) {
                take_guess(rows, guess, row);
                i = rows->name_column;
                continue;
            }
        }
        const char *behind =
            column->kind == COLUMN_OP ? take_fixed(at, &rows->values[column->op]) : NULL;
        at = behind ? behind : take_cell(rows, column, at, end, row);
        if (!at)
            return false;
        if (i == rows->name_column)
            head_end = at;
    }
    const char *tail = at;
    if (!guess || !take_guessed(&at, end, guess->tail)) {
        for (size_t i = rows->tail_column; i < rows->column_count && at; i++)
            at = *at == ',' ? skip_cell(at + 1, end) : NULL;
        at = at ? take_line_end(at, end) : NULL;
    }
    if (!at)
        return false;
    if (!guess)
        learn(rows, row, (Str){head, (size_t)(head_end - head)}, (Str){tail, (size_t)(at - tail)});
    csv->at = (size_t)(at - csv->text.data);
    row->line = csv->next_line++;
    return true;
}
