// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

// printf and strtod follow the locale of the process; vernier never calls setlocale, so both speak
// the C locale.

typedef struct Digits {
    char text[24];  // significant digits without point
    int count;
    int exponent;  // value = 0.d1d2d3… x 10^exponent
    bool negative;
} Digits;

static void write_digits(uint64_t digits, int count, Digits *out)
{
    out->count = count;
    for (int i = count; i-- > 0; digits /= 10)
        out->text[i] = (char)('0' + digits % 10);
}

// Most values; the same digits as printf.
static bool split_fast(double value, int precision, Digits *out)
{
    uint64_t digits;
    int exponent;
    if (!decimal_digits(fabs(value), precision, &digits, &exponent))
        return false;
    out->negative = value < 0;
    out->exponent = exponent + precision;
    write_digits(digits, precision, out);
    return true;
}

static void split_digits(double value, int precision, Digits *out)
{
    char text[40];
    if (split_fast(value, precision, out))
        return;
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
    const char *at = text;
    out->negative = *at == '-';
    at += out->negative;
    out->count = 0;
    for (; *at && *at != 'e'; at++)
        if (*at != '.')
            out->text[out->count++] = *at;
    out->exponent = (int)strtol(at + 1, NULL, 10) + 1;
}

static double digits_value(const Digits *digits)
{
    Decimal decimal = {.exponent = digits->exponent - digits->count, .negative = digits->negative};
    double value;
    for (int i = 0; i < digits->count; i++)
        decimal.digits = decimal.digits * 10 + (uint64_t)(digits->text[i] - '0');
    if (decimal_round(&decimal, &value))
        return value;
    char text[48];
    snprintf(text, sizeof text, "%s%.*se%d", digits->negative ? "-" : "", digits->count,
             digits->text, digits->exponent - digits->count);
    return strtod(text, NULL);
}

// One more in the last place.
static void step_up(Digits *digits)
{
    int at = digits->count - 1;
    while (at >= 0 && digits->text[at] == '9')
        digits->text[at--] = '0';
    if (at >= 0) {
        digits->text[at]++;
    } else {
        digits->text[0] = '1';
        digits->exponent++;
    }
}

// Whether the digits read as `value`; *known becomes false where that cannot be told.
static bool reads_as(uint64_t digits, int exponent, double value, bool *known)
{
    Decimal decimal = {.digits = digits, .exponent = exponent};
    double got = 0;
    *known = decimal_round(&decimal, &got);
    return *known && got == value;
}

// shortest_digits of most values, in whole numbers.
static bool shortest_fast(double value, Digits *out)
{
    uint64_t digits = 0;
    int exponent = 0, precision = 15;
    double size = fabs(value);
    for (bool found = false, known; !found; precision++) {
        if (precision > 17 || !decimal_digits(size, precision, &digits, &exponent))
            return false;
        found = reads_as(digits, exponent, size, &known);
        if (!found && known && reads_as(digits + 1, exponent, size, &known)) {
            digits++;
            found = true;
        }
        if (!known)
            return false;
    }
    int count = 0;
    for (; digits % 10 == 0; digits /= 10)
        exponent++;
    for (uint64_t rest = digits; rest; rest /= 10)
        count++;
    out->negative = value < 0;
    out->exponent = exponent + count;
    write_digits(digits, count, out);
    return true;
}

// The shortest digits that read back. At a power of two the gap below is half of that above, so the
// nearest digits may miss while the next ones up hit. Every normal double keeps 15 digits; below,
// even one may do.
static void shortest_digits(double value, Digits *out)
{
    if (shortest_fast(value, out))
        return;
    for (int precision = fabs(value) < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        split_digits(value, precision, out);
        if (digits_value(out) == value)
            break;
        step_up(out);
        if (digits_value(out) == value)
            break;
    }
}

static int write_plain(const Digits *digits, bool point_zero, char *out)
{
    char *at = out;
    if (digits->negative)
        *at++ = '-';
    if (digits->exponent <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = digits->exponent; i < 0; i++)
            *at++ = '0';
        for (int i = 0; i < digits->count; i++)
            *at++ = digits->text[i];
    } else {
        for (int i = 0; i < digits->exponent; i++)
            *at++ = i < digits->count ? digits->text[i] : '0';
        if (digits->count > digits->exponent) {
            *at++ = '.';
            for (int i = digits->exponent; i < digits->count; i++)
                *at++ = digits->text[i];
        } else if (point_zero) {
            *at++ = '.';
            *at++ = '0';
        }
    }
    *at = '\0';
    return (int)(at - out);
}

static int write_exponent(const Digits *digits, char *out)
{
    char *at = out;
    if (digits->negative)
        *at++ = '-';
    *at++ = digits->text[0];
    if (digits->count > 1) {
        *at++ = '.';
        for (int i = 1; i < digits->count; i++)
            *at++ = digits->text[i];
    }
    int exponent = digits->exponent - 1, size = abs(exponent);
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (size > 99)
        *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    *at = '\0';
    return (int)(at - out);
}

static int write_text(const char *text, char out[NUMBER_BYTES])
{
    size_t size = strlen(text);
    memcpy(out, text, size + 1);
    return (int)size;
}

// Writes `value` as a whole number of 10^-digits, without trailing zeros. Far faster than printf,
// and pictures are made of these numbers.
static int write_scaled(bool negative, uint64_t value, int digits, char out[NUMBER_BYTES])
{
    char reversed[NUMBER_BYTES];
    int count = 0;
    for (; digits > 0 && value % 10 == 0; digits--)
        value /= 10;
    for (; digits > 0; digits--) {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
        if (digits == 1)
            reversed[count++] = '.';
    }
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    int size = 0;
    if (negative)
        out[size++] = '-';
    while (count)
        out[size++] = reversed[--count];
    out[size] = '\0';
    return size;
}

// The shortest digits that read back, or at most `most` of them; `point_zero`: with ".0" after a
// whole number.
static int write_shortest(double value, int most, bool point_zero, char out[NUMBER_BYTES])
{
    Digits digits = {.count = 0};
    if (number_can_count(value) && floor(value) == value) {
        int size = write_scaled(value < 0, (uint64_t)fabs(value), 0, out);
        return point_zero ? size + write_text(".0", out + size) : size;
    }
    if (most)
        split_digits(value, most, &digits);
    else
        shortest_digits(value, &digits);
    while (digits.count > 1 && digits.text[digits.count - 1] == '0')
        digits.count--;
    if (digits.exponent < -3 || digits.exponent > 16)
        return write_exponent(&digits, out);
    return write_plain(&digits, point_zero, out);
}

int number_python(double value, char out[NUMBER_BYTES])
{
    if (isnan(value))
        return write_text("nan", out);
    if (isinf(value))
        return write_text(value > 0 ? "inf" : "-inf", out);
    if (value == 0)
        return write_text(signbit(value) ? "-0.0" : "0.0", out);
    return write_shortest(value, 0, true, out);
}

int number_json(double value, char out[NUMBER_BYTES])
{
    if (isnan(value))
        return write_text("\"NaN\"", out);
    if (isinf(value))
        return write_text(value > 0 ? "\"Infinity\"" : "\"-Infinity\"", out);
    if (value == 0)
        return write_text(signbit(value) ? "-0.0" : "0", out);
    return write_shortest(value, 0, false, out);
}

int number_sheet(double value, char out[NUMBER_BYTES])
{
    return floor(value) < value ? write_shortest(value, 10, false, out) : number_json(value, out);
}

int number_fixed(double value, int digits, char out[NUMBER_BYTES])
{
    static const double powers[] = {1, 10, 100, 1000};
    if (!isfinite(value) || fabs(value) > 1e15)
        return write_text("0", out);
    if (digits <= 3 && fabs(value) < 1e12) {
        double scaled = nearbyint(fabs(value) * powers[digits]);
        return write_scaled(value < 0 && scaled > 0, (uint64_t)scaled, digits, out);
    }
    int size = snprintf(out, NUMBER_BYTES, "%.*f", digits, value);
    if (digits > 0) {
        while (out[size - 1] == '0')
            size--;
        if (out[size - 1] == '.')
            size--;
        out[size] = '\0';
    }
    return strcmp(out, "-0") == 0 ? write_text("0", out) : size;
}

// The value as a whole number of 10^-places, rounded as printf does; false where that has more than
// 17 digits, or none.
static bool count_places(double value, int places, uint64_t *out)
{
    int exponent;
    if (!decimal_digits(value, 1, out, &exponent))
        return false;
    // One digit may have been rounded up to ten, and then one place too many is asked for.
    for (int precision = exponent + 1 + places; precision >= 1 && precision <= 17; precision--) {
        if (!decimal_digits(value, precision, out, &exponent))
            return false;
        if (exponent == 1 - places)  // 9.9… became 10
            *out *= 10;
        if (exponent == -places || exponent == 1 - places)
            return true;
    }
    return false;
}

int number_places(double value, int digits, char out[NUMBER_PLACES_BYTES])
{
    uint64_t count = 0;
    if (digits < 1 || digits > 9 || (value != 0 && !count_places(fabs(value), digits, &count)))
        return snprintf(out, NUMBER_PLACES_BYTES, "%.*f", digits, value);
    char reversed[32];
    int size = 0, length = 0;
    for (; length <= digits || count; count /= 10) {
        if (length == digits)
            reversed[length++] = '.';
        reversed[length++] = (char)('0' + count % 10);
    }
    if (signbit(value))
        out[size++] = '-';
    while (length)
        out[size++] = reversed[--length];
    out[size] = '\0';
    return size;
}

// `least`: the exponent of the first digit after the point from which on the form is plain.
static int write_significant(double value, int digits, int least, char out[NUMBER_BYTES])
{
    if (isnan(value))
        return write_text("NaN", out);
    if (isinf(value))
        return write_text(value > 0 ? "Inf" : "-Inf", out);
    if (value == 0)
        return write_text("0", out);
    Digits split = {.count = 0};
    split_digits(value, digits, &split);
    int plain_limit = digits > 4 ? digits : 4;
    if (split.exponent < least || split.exponent > plain_limit)
        return write_exponent(&split, out);
    if (digits >= 6)
        while (split.count > 1 && split.text[split.count - 1] == '0')
            split.count--;
    if (split.exponent > digits) {
        // More places before the point than digits asked for: show them all.
        return snprintf(out, NUMBER_BYTES, "%.0f", value);
    }
    return write_plain(&split, false, out);
}

int number_significant(double value, int digits, char out[NUMBER_BYTES])
{
    return write_significant(value, digits, -2, out);
}

int number_error(double value, int digits, char out[NUMBER_BYTES])
{
    return write_significant(value, digits, 0, out);
}

int number_short(double value, char out[NUMBER_BYTES])
{
    return number_significant(value, 3, out);
}

int number_count(uint64_t value, char out[NUMBER_BYTES])
{
    char plain[NUMBER_BYTES];
    int size = snprintf(plain, sizeof plain, "%llu", (unsigned long long)value);
    int written = 0;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            out[written++] = ',';
        out[written++] = plain[i];
    }
    out[written] = '\0';
    return written;
}

static double slow_parse(Str text)
{
    char small[128];
    if (text.size < sizeof small) {
        memcpy(small, text.data, text.size);
        small[text.size] = '\0';
        return strtod(small, NULL);
    }
    char *large = malloc(text.size + 1);
    if (!large)
        return 0;
    memcpy(large, text.data, text.size);
    large[text.size] = '\0';
    double value = strtod(large, NULL);
    free(large);
    return value;
}

static bool digit_at(Str text, size_t at)
{
    return at < text.size && text.data[at] >= '0' && text.data[at] <= '9';
}

// Collects up to 19 digits; more only move the exponent.
static size_t read_digits(Str text, size_t at, uint64_t *digits, int *kept, int64_t *dropped)
{
    for (; digit_at(text, at); at++) {
        if (*kept < 19) {
            *digits = *digits * 10 + (uint64_t)(text.data[at] - '0');
            *kept += *digits != 0;
        } else {
            (*dropped)++;
        }
    }
    return at;
}

static size_t read_exponent(Str text, size_t at, int64_t *exponent)
{
    size_t start = at;
    if (at >= text.size || (text.data[at] != 'e' && text.data[at] != 'E'))
        return start;
    at++;
    bool negative = at < text.size && text.data[at] == '-';
    if (at < text.size && (text.data[at] == '-' || text.data[at] == '+'))
        at++;
    if (!digit_at(text, at))
        return start;
    int64_t value = 0;
    for (; digit_at(text, at); at++)
        if (value < 100000)
            value = value * 10 + (text.data[at] - '0');
    *exponent += negative ? -value : value;
    return at;
}

size_t number_parse(Str text, double *out)
{
    size_t at = 0;
    bool negative = text.size && text.data[0] == '-';
    if (text.size && (text.data[0] == '-' || text.data[0] == '+'))
        at++;
    if (!digit_at(text, at) && !(at < text.size && text.data[at] == '.' && digit_at(text, at + 1)))
        return 0;
    uint64_t digits = 0;
    int kept = 0;
    int64_t dropped = 0, exponent = 0;
    at = read_digits(text, at, &digits, &kept, &dropped);
    exponent = dropped;
    if (at < text.size && text.data[at] == '.') {
        size_t start = at + 1;
        int64_t dropped_after = 0;
        at = read_digits(text, start, &digits, &kept, &dropped_after);
        exponent -= (int64_t)(at - start) - dropped_after;
        dropped += dropped_after;
    }
    at = read_exponent(text, at, &exponent);
    Decimal decimal = {digits, exponent, negative, true, dropped > 0};
    if (!decimal_round(&decimal, out))
        *out = slow_parse(str_slice(text, 0, at));
    return at;
}

bool number_of_text(Str text, double *out)
{
    double value;
    size_t size = number_parse(text, &value);
    if (size && size != text.size)
        return false;
    if (size) {
        *out = value;
        return true;
    }
    bool sign = text.size && (text.data[0] == '-' || text.data[0] == '+');
    bool negative = sign && text.data[0] == '-';
    Str word = str_slice(text, sign, text.size);
    if (str_equal_nocase(word, STR("nan")))
        *out = (double)NAN;
    else if (str_equal_nocase(word, STR("inf")) || str_equal_nocase(word, STR("infinity")))
        *out = negative ? (double)-INFINITY : (double)INFINITY;
    else
        return false;
    return true;
}
