// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "check.h"

// DECIMAL_CASES in the environment asks for more random cases than the default run has.
static uint64_t case_count(void)
{
    const char *wish = getenv("DECIMAL_CASES");
    return wish ? strtoull(wish, NULL, 10) : 100000;
}

static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// Reads `text` all three ways; they must agree to the bit.
static void check_text(const char *text)
{
    char padded[256] = {0};
    Decimal decimal;
    double want = strtod(text, NULL), got = 0;
    memcpy(padded, text, strlen(text));
    const char *end = decimal_scan(padded, &decimal);
    CHECK(end == padded + strlen(text));
    if (decimal_round(&decimal, &got) && !same_bits(got, want)) {
        fprintf(stderr, "%s: want %a, got %a\n", text, want, got);
        check_failures++;
    }
    CHECK(number_parse(str_of(text), &got) == strlen(text) && same_bits(got, want));
}

static void random_doubles_read_back_at_every_precision(void)
{
    uint64_t state = 88172645463325252u;
    char text[64];
    for (uint64_t i = 0; i < case_count() / 4; i++) {
        uint64_t bits = random_bits(&state);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)(bits % 20), value);
        check_text(text);
    }
}

static void random_statistics_read_back(void)
{
    uint64_t state = 1234567;
    char text[64];
    for (uint64_t i = 0; i < case_count() / 4; i++) {
        uint64_t bits = random_bits(&state);
        float value = (float)((double)(int64_t)bits / 9e18 * pow(10, (int)(bits % 30) - 20));
        number_python((double)value, text);
        check_text(text);
        double back = 0;
        CHECK(number_parse(str_of(text), &back) && same_bits(back, (double)value));
    }
}

static void random_digits_and_exponents_are_rounded_once(void)
{
    uint64_t state = 42;
    char text[64];
    for (uint64_t i = 0; i < case_count() / 4; i++) {
        uint64_t digits = random_bits(&state) >> random_bits(&state) % 64;
        int exponent = (int)(random_bits(&state) % 130) - 70;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
        check_text(text);
    }
}

// Half way between two doubles, and one unit beside it.
static void ties_go_to_even(void)
{
    uint64_t state = 7;
    char text[64];
    for (uint64_t i = 0; i < case_count() / 4; i++) {
        uint64_t odd = (random_bits(&state) >> 10 | UINT64_C(1) << 53) | 1;
        for (uint64_t digits = odd - 1; digits <= odd + 1; digits++) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
            check_text(text);
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits / 1000 * 1000,
                     -(int)(i % 25));
            check_text(text);
        }
    }
}

static void hard_cases_are_exact(void)
{
    static const char *const cases[] = {
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "-1",
        "0e5",
        "0.1",
        "0.3",
        "1e22",
        "1e23",
        "8.5e22",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "5e-324",
        "2e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e999",
        "-1e999",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "7.2057594037927933e16",
        "6.9294956446009195e15",
        "3.7455744005952583e15",
        "4.656612873077392578125e-10",
        "5.960464477539063e-08",
        "5.684341886080802e-14",
        "0.000000000000000000000000000000000000000000000000000000000000000123456789",
        "123456789012345678901234567890",
        "1e0000000000000000000001",
        "1e-0",
        "0.00006776686495868489123",
        "16000.007898885782",
        "8.98846567431158e307",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_text(cases[i]);
}

static void what_is_no_number_is_refused(void)
{
    static const char *const cases[] = {"",   "-",   ".5", "01",  "-01", "1.", "1.e5",
                                        "1e", "1e+", "+1", "NaN", "--1", "e5", "- 1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char padded[64] = {0};
        Decimal decimal;
        memcpy(padded, cases[i], strlen(cases[i]));
        CHECK(decimal_scan(padded, &decimal) == NULL);
    }
}

static void exact_integers_keep_their_digits(void)
{
    Decimal decimal;
    CHECK(decimal_scan("18446744073709551615}              ", &decimal) && decimal.dropped);
    CHECK(decimal_scan("9223372036854775807}               ", &decimal) && !decimal.dropped);
    CHECK(decimal.digits == INT64_MAX && !decimal.real);
    CHECK(decimal_scan("-12e3}                 ", &decimal) && decimal.real && decimal.negative);
}

static void shortest_digits_are_found_at_powers_of_two(void)
{
    char text[NUMBER_BYTES];
    number_python(0x1p-24, text);
    CHECK_TEXT(str_of(text), "5.960464477539063e-08");
    number_python(0x1p-44, text);
    CHECK_TEXT(str_of(text), "5.684341886080802e-14");
    number_python(5e-324, text);
    CHECK_TEXT(str_of(text), "5e-324");
    number_python(1e-320, text);
    CHECK_TEXT(str_of(text), "1e-320");
    number_python(9007199254740993.0, text);
    CHECK_TEXT(str_of(text), "9007199254740992.0");
    for (int e = -1074; e < 1024; e++) {
        double value = ldexp(1, e), back = 0;
        number_python(value, text);
        CHECK(number_parse(str_of(text), &back) && same_bits(back, value));
    }
}

// Where digits are given they are those of printf, and where values are usual they are given.
static void check_digits(double value, uint64_t *given)
{
    char want[64], got[64];
    for (int precision = 1; precision <= 17; precision++) {
        uint64_t digits;
        int exponent;
        if (!decimal_digits(value, precision, &digits, &exponent))
            continue;
        ++*given;
        snprintf(want, sizeof want, "%.*e", precision - 1, value);
        snprintf(got, sizeof got, "%llue%d", (unsigned long long)digits, exponent + precision - 1);
        char *point = strchr(want, '.');
        if (point)
            memmove(point, point + 1, strlen(point));
        uint64_t want_digits = strtoull(want, NULL, 10);
        int want_exponent = (int)strtol(strchr(want, 'e') + 1, NULL, 10);
        if (digits != want_digits || exponent + precision - 1 != want_exponent) {
            fprintf(stderr, "%a at %d digits: want %s, got %s\n", value, precision, want, got);
            check_failures++;
        }
    }
}

static void digits_are_those_of_printf(void)
{
    static const double edges[] = {
        1,     9.5,  0.5,    2.5,  9.999999999999999e22, 1e23, 1e15, 1e16,
        99.95, 0.15, 0.0625, 1e-5, 9007199254740993.0,   125,  1e22, 5e-324};
    uint64_t state = 1234567, usual = 0, given = 0;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_digits(edges[i], &given);
    for (uint64_t i = 0; i < case_count() / 10; i++) {
        uint64_t bits = random_bits(&state);
        double value, plain = (double)(float)((double)(bits >> 11) / 9007199254740992.0 *
                                              ((bits & 1) ? 1e-6 : 1e3));
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && value > 0)
            check_digits(value, &given);
        if (plain > 0)
            check_digits(plain, &usual);
    }
    CHECK(usual > case_count() / 10 * 17 * 9 / 10);
}

// Each value reads back from its text, and from no text with fewer digits.
static void check_shortest(double value)
{
    char text[NUMBER_BYTES], fewer[64];
    int count = 0, zeros = 0;
    number_json(value, text);
    for (const char *at = text; *at && *at != 'e'; at++) {
        bool digit = *at >= '0' && *at <= '9';
        count += digit && (count > 0 || *at != '0');
        zeros = *at == '0' ? zeros + 1 : digit ? 0 : zeros;
    }
    count -= zeros;  // at the end
    bool shorter = false;
    for (int digits = count > 3 ? count - 2 : 1; digits < count && !shorter; digits++) {
        snprintf(fewer, sizeof fewer, "%.*e", digits - 1, value);
        shorter = same_bits(strtod(fewer, NULL), value);
    }
    if (shorter || !same_bits(strtod(text, NULL), value)) {
        fprintf(stderr, "%a: %s, but %s\n", value, text, fewer);
        check_failures++;
    }
}

static void texts_are_the_shortest_that_read_back(void)
{
    uint64_t state = 99991;
    for (uint64_t i = 0; i < case_count() / 10; i++) {
        uint64_t bits = random_bits(&state);
        double value;
        // Around where the powers of the fast way end, and anywhere.
        if (i & 1)
            value = ldexp((double)(bits >> 11), (int)(i % 64) + (i & 2 ? 150 : -260));
        else
            memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && fabs(value) > 1e-300)
            check_shortest(value);
    }
}

// Ties, carries into a further digit, values below the last place and beyond 17 digits.
static void places_are_those_of_printf(void)
{
    static const double hard[] = {0,
                                  -0.0,
                                  0.0000005,
                                  0.00000049,
                                  9.9999999,
                                  0.9999996,
                                  9.5,
                                  -99.6,
                                  999999.5,
                                  1e10,
                                  12345678901.5,
                                  1e11,
                                  1e17,
                                  1e300,
                                  0.5e-6,
                                  0.1234565,
                                  2.5e-7,
                                  1.0000005,
                                  99999999999.9999999,
                                  5e-324};
    char want[NUMBER_PLACES_BYTES], got[NUMBER_PLACES_BYTES];
    uint64_t state = 88172645463325252u;
    size_t count = sizeof hard / sizeof *hard;
    for (uint64_t i = 0; i < count + case_count() / 4; i++) {
        double value = i < count ? hard[i] : 0;
        if (i >= count) {  // of any size a table has, some of them with few digits
            uint64_t bits = random_bits(&state);
            value = (double)(int64_t)bits / pow(10, (double)(bits >> 8 & 31));
            if (bits & 1)
                value = nearbyint(value * 64) / 64;
        }
        for (int places = 1; places <= 9; places += i < count ? 1 : 5) {
            int size = snprintf(want, sizeof want, "%.*f", places, value);
            CHECK(number_places(value, places, got) == size);
            CHECK(strcmp(got, want) == 0);
        }
    }
}

int main(void)
{
    CHECK_RUN(places_are_those_of_printf);
    CHECK_RUN(digits_are_those_of_printf);
    CHECK_RUN(texts_are_the_shortest_that_read_back);
    CHECK_RUN(random_doubles_read_back_at_every_precision);
    CHECK_RUN(random_statistics_read_back);
    CHECK_RUN(random_digits_and_exponents_are_rounded_once);
    CHECK_RUN(ties_go_to_even);
    CHECK_RUN(hard_cases_are_exact);
    CHECK_RUN(what_is_no_number_is_refused);
    CHECK_RUN(exact_integers_keep_their_digits);
    CHECK_RUN(shortest_digits_are_found_at_powers_of_two);
    return CHECK_RESULT;
}
