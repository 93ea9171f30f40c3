// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "read/monitor_columns.h"

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

// Eight bytes as one word, the first in the lowest place on every machine.
static uint64_t eight_bytes(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

static bool are_digits(uint64_t word)
{
    const uint64_t high = UINT64_C(0xF0F0F0F0F0F0F0F0);
    return ((word & high) | ((word + UINT64_C(0x0606060606060606)) & high) >> 4) ==
           UINT64_C(0x3333333333333333);
}

// The number that eight digits make: pairs, then fours, then all, side by side in one word.
static uint64_t eight_digits(uint64_t word)
{
    const uint64_t mask = UINT64_C(0x000000FF000000FF);
    word -= UINT64_C(0x3030303030303030);
    word = word * 10 + (word >> 8);
    return ((word & mask) * UINT64_C(0x000F424000000064) +
            (word >> 16 & mask) * UINT64_C(0x0000271000000001)) >>
           32;
}

// Four digits; false if there are fewer.
static inline bool take_four(const char *text, uint64_t *digits)
{
    const unsigned char *at = (const unsigned char *)text;
    const uint32_t high = UINT32_C(0xF0F0F0F0), threes = UINT32_C(0x30303030);
    uint32_t word =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    if ((word & high) != threes || ((word + UINT32_C(0x06060606)) & high) != threes)
        return false;
    word -= threes;
    word = word * 10 + (word >> 8);
    *digits = *digits * 10000 + (word & 0xFF) * 100 + (word >> 16 & 0xFF);
    return true;
}

static inline const char *take_digits(const char *at, const char *end, uint64_t *digits)
{
    while (end - at >= 8 && *digits < UINT64_C(1000000000)) {
        uint64_t word = eight_bytes(at);
        if (!are_digits(word))
            break;
        *digits = *digits * UINT64_C(100000000) + eight_digits(word);
        at += 8;
    }
    if (end - at >= 4 && *digits < UINT64_C(1000000000000) && take_four(at, digits))
        at += 4;
    for (; at < end && (unsigned)*at - '0' < 10 && *digits < UINT64_C(10000000000000000); at++)
        *digits = *digits * 10 + ((unsigned)*at - '0');
    return at;
}

// Numbers of up to 15 digits without an exponent: digits and power of ten are exact doubles, so one
// division rounds once. Others go to number_parse.
static inline const char *take_short_decimal(const char *at, const char *end, double *out)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = at < end && *at == '-';
    at += negative;
    const char *from = at;
    uint64_t digits = 0;
    // Most numbers have one digit before the point.
    if (end - at >= 2 && (unsigned)*at - '0' < 10 && at[1] == '.')
        digits = (unsigned)*at++ - '0';
    else
        at = take_digits(at, end, &digits);
    size_t whole = (size_t)(at - from), decimals = 0;
    if (at < end && *at == '.') {
        const char *point = ++at;
        at = take_digits(at, end, &digits);
        decimals = (size_t)(at - point);
    }
    if (whole == 0 || whole + decimals > 15 || at == end ||
        (*at != ',' && *at != '\n' && *at != '\r'))
        return NULL;
    double value = (double)digits / powers[decimals];
    *out = negative ? -value : value;
    return at;
}

static const char *take_decimal(const char *at, const char *end, double *out)
{
    const char *behind = take_short_decimal(at, end, out);
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
static MonitorGuess *guess_name(MonitorRows *rows, const char *at, const char *end)
{
    size_t places[2] = {rows->guess_at, 0};
    for (size_t i = 0; i < 2; i++) {
        const char *behind = at;
        if (places[i] < rows->guess_count &&
            take_guessed(&behind, end, rows->guesses[places[i]].name) && behind < end &&
            *behind == ',') {
            rows->guess_at = places[i] + 1;
            return &rows->guesses[places[i]];
        }
    }
    return NULL;
}

static void learn(MonitorRows *rows, Str name, Str tail)
{
    if (rows->guess_count == MONITOR_GUESSES_MAX || name.size + tail.size > 512)
        return;
    if (!rows->guesses)
        rows->guesses = ARENA_ARRAY(rows->arena, MonitorGuess, MONITOR_GUESSES_MAX);
    rows->guesses[rows->guess_count++] =
        (MonitorGuess){str_copy(rows->arena, name), str_copy(rows->arena, tail)};
    rows->guess_at = rows->guess_count;
}

static const char *take_line_end(const char *at, const char *end)
{
    if (at < end && *at == '\r')
        at++;
    return at < end && *at == '\n' ? at + 1 : NULL;
}

bool monitor_direct_row(MonitorRows *rows, MonitorRow *row)
{
    Csv *csv = &rows->csv;
    const char *at = csv->text.data + csv->at, *end = csv->text.data + csv->text.size;
    const char *tail = NULL;
    MonitorGuess *guess = NULL;
    bool done = false;
    for (size_t i = 0; i < rows->column_count && !done; i++) {
        if (i == rows->tail_column) {
            tail = at;
            done = guess && take_guessed(&at, end, guess->tail);
            if (done)
                break;
        }
        if (i > 0) {
            if (at == end || *at != ',')
                return false;
            at++;
        }
        if (rows->columns[i].kind == COLUMN_NAME)
            guess = guess_name(rows, at, end);
        if (rows->columns[i].kind == COLUMN_NAME && guess) {
            row->name = guess->name;
            at += guess->name.size;
        } else {
            at = take_cell(rows, &rows->columns[i], at, end, row);
        }
        if (!at)
            return false;
    }
    tail = tail ? tail : at;
    at = done ? at : take_line_end(at, end);
    if (!at)
        return false;
    if (!guess)
        learn(rows, row->name, (Str){tail, (size_t)(at - tail)});
    csv->at = (size_t)(at - csv->text.data);
    row->line = csv->next_line++;
    return true;
}
