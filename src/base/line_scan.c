// SPDX-License-Identifier: Apache-2.0
#include "base/line_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/number.h"
#include "base/word_figure.h"

bool scan_word(Scan *scan, const char *word)
{
    size_t at = scan->at;
    for (; *word; word++, at++)
        if (at >= scan->text.size || scan->text.data[at] != *word)
            return false;
    scan->at = at;
    return true;
}

bool scan_uint(Scan *scan, int64_t *out)
{
    size_t at = scan->at, safe = at + 18;
    int64_t value = 0;
    safe = safe < scan->text.size ? safe : scan->text.size;
    for (; at < safe && is_digit(scan->text.data[at]); at++)
        value = value * 10 + (scan->text.data[at] - '0');
    for (; at < scan->text.size && is_digit(scan->text.data[at]); at++) {
        int digit = scan->text.data[at] - '0';
        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == scan->at)
        return false;
    scan->at = at;
    *out = value;
    return true;
}

bool scan_int(Scan *scan, int64_t *out)
{
    Scan from = *scan;
    bool negative = scan_char(scan, '-');
    if (!scan_uint(scan, out)) {
        *scan = from;
        return false;
    }
    *out = negative ? -*out : *out;
    return true;
}

static bool is_word_byte(char c)
{
    return is_digit(c) || is_letter(c) || c == '_';
}

// "nan(ind)", "nan(0x8000000000000)": what C says of a NaN after it.
static size_t payload_size(Str rest)
{
    size_t at = 1;
    if (rest.size < 3 || rest.data[0] != '(' ||
        !(is_letter(rest.data[1]) || str_starts(rest, STR("(0x"))))
        return 0;
    while (at < rest.size && is_word_byte(rest.data[at]))
        at++;
    return at < rest.size && rest.data[at] == ')' ? at + 1 : 0;
}

static size_t special_value(Str text, double *out)
{
    size_t sign = text.size && (text.data[0] == '-' || text.data[0] == '+');
    Str word = str_slice(text, sign, text.size);
    static const struct {
        const char *word;
        double value;
    } words[] = {
        {"infinity", INFINITY},
        {"inf", INFINITY},
        {"nan", NAN},
        {"∞", INFINITY},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        Str want = str_of(words[i].word);
        if (str_equal_nocase(str_slice(word, 0, want.size), want)) {
            *out = sign && text.data[0] == '-' ? -words[i].value : words[i].value;
            size_t size = sign + want.size;
            return size + (isnan(*out) ? payload_size(str_slice(text, size, text.size)) : 0);
        }
    }
    return 0;
}

// "-1.#IND", "1.#QNAN", "1.#INF00": what older programs of Windows print for no finite number.
static size_t windows_value(Str rest, Figure *out)
{
    size_t sign = rest.size && rest.data[0] == '-', at = sign + 3;
    Str word = str_slice(rest, sign, rest.size);
    if (!str_starts(word, STR("1.#")) || word.size < 4 || !is_letter(word.data[3]))
        return 0;
    double infinite = sign ? -INFINITY : INFINITY;
    *out = (Figure){.value = str_starts(word, STR("1.#INF")) ? infinite : NAN, .text = rest.data};
    while (at < rest.size && is_word_byte(rest.data[at]))
        at++;
    return at;
}

static void count_decimals(Str digits, Figure *out)
{
    size_t exponent = str_find_char(digits, 'e', 0);
    if (exponent == SIZE_MAX)
        exponent = str_find_char(digits, 'E', 0);
    out->exponent = exponent != SIZE_MAX;
    size_t stop = out->exponent ? exponent : digits.size;
    size_t point = str_find_char(digits, '.', 0);
    out->decimals = point == SIZE_MAX || point > stop ? 0 : (int)(stop - point - 1);
}

// Bytes that hold more than so many digits say so within the first few.
enum { EXACT_DIGITS = 15, EXACT_POWER = 22, SHORT_BYTES = 24 };

static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline const char *take_digits(const char *at, const char *stop, uint64_t *digits)
{
    for (; at < stop && is_digit(*at); at++)
        *digits = *digits * 10 + (uint64_t)(*at - '0');
    return at;
}

// The size of "e-05" at `at` with one or two digits; 0: none, and SIZE_MAX for a longer one.
static inline size_t short_exponent(const char *at, const char *stop, int *out)
{
    if (at == stop || (*at | 0x20) != 'e')
        return 0;
    const char *from = at++;
    bool negative = at < stop && *at == '-';
    at += at < stop && (*at == '-' || *at == '+');
    const char *first = at;
    int value = 0;
    for (; at < stop && at - first < 3 && is_digit(*at); at++)
        value = value * 10 + (*at - '0');
    *out = negative ? -value : value;
    return at == first ? 0 : at > first + 2 ? SIZE_MAX : (size_t)(at - from);
}

// A number of few digits, as nearly all are, or 0. Whole numbers below 2^53 and powers of ten up to
// 10^22 are doubles, so one product or quotient of them is the nearest double (W. Clinger, 1990).
static size_t short_figure(const char *text, const char *stop, Figure *out)
{
    bool negative = text < stop && *text == '-';
    const char *from = text + (text < stop && (*text == '-' || *text == '+'));
    const char *end = stop - from > SHORT_BYTES ? from + SHORT_BYTES : stop;
    uint64_t digits = 0;
    const char *at = take_digits(from, end, &digits);
    int64_t count = at - from;
    int decimals = 0, exponent = 0;
    if (count == 0)
        return 0;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = take_digits(fraction, end, &digits);
        decimals = (int)(at - fraction);
    }
    if (count + decimals > EXACT_DIGITS)
        return 0;
    size_t more = short_exponent(at, stop, &exponent);
    int power = exponent - decimals;
    if (more == SIZE_MAX || power < -EXACT_POWER || power > EXACT_POWER)
        return 0;
    double value = (double)(int64_t)digits;
    value = power < 0 ? value / powers[-power] : value * powers[power];
    *out = (Figure){negative ? -value : value, decimals, more > 0, text};
    return (size_t)(at - text) + more;
}

enum { DIGITS_MOST = 19 };  // of 64 bits

// Up to 24 digits after a point as one number, which the first of them bring beyond 64 bits where
// more than DIGITS_MOST count.
static inline const char *take_fraction(const char *at, uint64_t *digits, int *zeros)
{
    int count = 8;
    *zeros = 0;
    for (int words = 0; words < 3 && count == 8; words++) {
        uint64_t word = digits_load(at);
        count = digits_leading(word);
        if (*digits == 0)
            *zeros += word ? (int)(__builtin_ctzll(word) >> 3) : 8;
        *digits = digits_append(*digits, word, count);
        at += count;
    }
    return count == 8 ? NULL : at;
}

// The nearest double to a number of many digits, as timestamps and losses of Python are.
static bool round_long(uint64_t digits, int power, bool negative, double *out)
{
    if (digits >> 53 || power < -EXACT_POWER || power > EXACT_POWER)
        return decimal_round(
            &(Decimal){.digits = digits, .exponent = power, .negative = negative, .real = true},
            out);
    double value = (double)(int64_t)digits;
    value = power < 0 ? value / powers[-power] : value * powers[power];
    *out = negative ? -value : value;
    return true;
}

size_t figure_long(const char *text, size_t readable, Figure *out)
{
    if (readable < FIGURE_LONG_BYTES)
        return 0;
    bool negative = *text == '-';
    const char *at = text + negative;
    uint64_t word = digits_load(at), digits = 0;
    int whole = digits_leading(word), decimals = 0, zeros = 0, exponent = 0;
    digits = digits_append(0, word, whole);
    at += whole;
    if (whole == 8) {
        int more = digits_leading(word = digits_load(at));
        digits = digits_append(digits, word, more);
        at += more;
        whole += more;
    }
    if (whole == 0 || whole == 16)
        return 0;
    if (*at == '.') {
        const char *end = take_fraction(at + 1, &digits, &zeros);
        if (!end)
            return 0;
        decimals = (int)(end - at) - 1;
        at = end;
    }
    size_t more = short_exponent(at, text + readable, &exponent);
    bool fits = (zeros && whole == 1 ? decimals - zeros : whole + decimals) <= DIGITS_MOST;
    double value;
    if (!fits || more == SIZE_MAX || !round_long(digits, exponent - decimals, negative, &value))
        return 0;
    *out = (Figure){value, decimals, more > 0, text};
    return (size_t)(at - text) + more;
}

// Any number that is in no word of eight bytes, or that ends where nothing else may be read.
static size_t other_figure(Str rest, size_t readable, Figure *out)
{
    size_t taken = figure_long(rest.data, readable, out);
    if (taken && taken <= rest.size)
        return taken;
    taken = rest.size ? short_figure(rest.data, rest.data + rest.size, out) : 0;
    if (taken)
        return taken;
    *out = (Figure){.text = rest.data};
    size_t size = number_parse(rest, &out->value);
    if (size)
        count_decimals(str_slice(rest, 0, size), out);
    else
        size = special_value(rest, &out->value);
    return size;
}

size_t figure_at(Str rest, size_t readable, Figure *out)
{
    size_t taken = readable >= FIGURE_WORD_BYTES ? word_figure(rest.data, out) : 0;
    return taken && taken <= rest.size ? taken : other_figure(rest, readable, out);
}

bool scan_figure(Scan *scan, Figure *out)
{
    Str rest = scan_rest(scan);
    size_t taken = figure_at(rest, rest.size, out);
    if (taken > 1 && taken < rest.size && rest.data[taken] == '#') {
        size_t size = windows_value(rest, out);
        taken = size ? size : taken;
    }
    scan->at += taken;
    return taken > 0;
}

static bool is_digit_at(Str text, size_t at)
{
    return at < text.size && is_digit(text.data[at]);
}

enum { GROUPED_BYTES_MAX = 32 };

// The size of "1,048,576.5" at `at`, or 0: groups of exactly three digits after one to three, no
// more than a number has.
static size_t grouped_size(Str text, size_t at)
{
    size_t from = at;
    at += at < text.size && (text.data[at] == '-' || text.data[at] == '+');
    size_t first = at;
    while (is_digit_at(text, at))
        at++;
    if (at == first || at > first + 3 || text.data[first] == '0')
        return 0;
    size_t groups = 0;
    while (at < text.size && text.data[at] == ',' && is_digit_at(text, at + 1) &&
           is_digit_at(text, at + 2) && is_digit_at(text, at + 3) && !is_digit_at(text, at + 4)) {
        at += 4;
        groups++;
        if (at - from > GROUPED_BYTES_MAX)
            return 0;
    }
    if (groups && at < text.size && text.data[at] == '.')
        for (at++; is_digit_at(text, at);)
            at++;
    return groups ? at - from : 0;
}

// The value of few digits without a fraction, commas aside, or false.
static bool grouped_count(const char *at, size_t size, Figure *out)
{
    uint64_t digits = 0;
    if (size > EXACT_DIGITS)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (at[i] != ',' && !is_digit(at[i]))
            return false;
        digits = at[i] == ',' ? digits : digits * 10 + (uint64_t)(at[i] - '0');
    }
    *out = (Figure){.value = (double)(int64_t)digits};
    return true;
}

bool scan_grouped(Scan *scan, Figure *out)
{
    char room[GROUPED_BYTES_MAX];
    size_t size = grouped_size(scan->text, scan->at), kept = 0;
    if (size == 0 || size > sizeof room)
        return scan_figure(scan, out);
    const char *text = scan->text.data + scan->at;
    if (!grouped_count(text, size, out)) {
        for (size_t i = 0; i < size; i++)
            if (text[i] != ',')
                room[kept++] = text[i];
        if (!figure_of_text((Str){room, kept}, out))
            return false;
    }
    out->text = text;
    scan->at += size;
    return true;
}

bool scan_find(Scan *scan, const char *word)
{
    size_t at = str_find(scan->text, str_of(word), scan->at);
    if (at == SIZE_MAX)
        return false;
    scan->at = at + strlen(word);
    return true;
}

bool scan_done(const Scan *scan)
{
    Scan rest = *scan;
    scan_blanks(&rest);
    return rest.at >= rest.text.size;
}

bool figure_of_text(Str text, Figure *out)
{
    Scan scan = scan_of(str_trim(text));
    return scan_figure(&scan, out) && scan.at == scan.text.size;
}

double figure_resolution(Figure figure)
{
    double unit = pow(10, -figure.decimals);
    if (figure.exponent && figure.value != 0 && isfinite(figure.value))
        unit *= pow(10, floor(log10(fabs(figure.value))));
    return 0.5 * unit;
}
