// SPDX-License-Identifier: Apache-2.0
#include "base/line_scan.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/word_figure.h"
#include "check.h"

static bool same_bits(double a, double b)
{
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return bits[0] == bits[1];
}

// A figure is what the general parser reads, whatever way it was read.
static void check_text(const char *text)
{
    Scan scan = scan_of(str_of(text));
    Figure figure;
    double want;
    size_t size = number_parse(scan.text, &want);
    bool good =
        size > 0 && scan_figure(&scan, &figure) && scan.at == size && same_bits(figure.value, want);
    if (!good)
        fprintf(stderr, "%s is read as another number\n", text);
    CHECK(good);
}

static void figures_are_the_numbers_of_the_general_parser(void)
{
    static const char *const texts[] = {
        "0",     "-0",      "-0.0",      "+1",        "1.",         "1.e5",
        ".5",    "-.5",     "1e",        "1e+",       "1e-",        "1e5x",
        "1e05",  "1e-005",  "1e400",     "1e-400",    "1E22",       "1e23",
        "1e-22", "1e-23",   "12.5e-21",  "1.2.3",     "1,5",        "007",
        "0.1",   "2.5e-08", "6.000E-05", "1.05E+01|", "1e99999999", "1.0000000000000000001",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i]);
}

static void the_longest_short_figure_is_exact(void)
{
    static const char *const texts[] = {
        "999999999999999",    "9999999999999999",    "99999999999999999",  "9007199254740993",
        "99999999999999.9",   "999999999999999.9",   "9999999999999999.9", "0.99999999999999",
        "0.999999999999999",  "0.9999999999999999",  "9007199254740993.0", "900719925474099.3",
        "000000000000000001", "-123456789012345.67", "123456789012345e22", "123456789012345e-22",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i]);
}

static void printed_numbers_read_as_they_are(void)
{
    uint64_t state = 88172645463325252u;
    char text[400];
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = ldexp((double)(int64_t)state, (int)(state >> 58) - 90);
        snprintf(text, sizeof text, "%.*e", i % 18, value);
        check_text(text);
        snprintf(text, sizeof text, "%.*f", i % 18, value);
        check_text(text);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// Up to eight digits with a point anywhere, an exponent and something behind them, as a line of a
// log goes on: what one word of bytes gives is what strtod gives, bit by bit.
static void a_number_in_the_middle_of_a_line_is_the_one_strtod_reads(void)
{
    static const char *const tails[] = {",1e-05\n", " |", "it/s, loss", "|",
                                        "\n0",      "e",  "e-5",        ")"};
    uint64_t state = 362436069u;
    char text[96];
    for (int i = 0; i < 60000; i++) {
        int size = 0, digits = (int)(next_random(&state) % 9),
            point = (int)(next_random(&state) % 10);
        size += snprintf(text + size, 2, "%s", next_random(&state) % 4 ? "" : "-");
        text[size++] = (char)('0' + next_random(&state) % 10);
        for (int k = 0; k < digits; k++) {
            if (k == point)
                text[size++] = '.';
            text[size++] = (char)('0' + next_random(&state) % 10);
        }
        if (next_random(&state) % 3 == 0)
            size += snprintf(text + size, 8, "%c%+03d", next_random(&state) % 2 ? 'e' : 'E',
                             (int)(next_random(&state) % 50) - 25);
        snprintf(text + size, sizeof text - (size_t)size, "%s                        ",
                 tails[next_random(&state) % (sizeof tails / sizeof *tails)]);
        char *end;
        Figure figure;
        double want = strtod(text, &end);
        Str rest = {text, strlen(text)};
        size_t taken = figure_at(rest, rest.size, &figure);
        CHECK(taken == (size_t)(end - text) && same_bits(figure.value, want));
        CHECK(figure_at((Str){text, taken}, rest.size, &figure) == taken &&
              same_bits(figure.value, want));
    }
}

// Timestamps, losses as Python prints them, and what is longer: value, decimals and size are those
// that are read where nothing behind the number may be looked at.
static void a_long_number_in_the_middle_of_a_line_is_read_as_at_its_end(void)
{
    uint64_t state = 521288629u;
    char text[160];
    int quick = 0;
    for (int i = 0; i < 60000; i++) {
        int size = 0, whole = 1 + (int)(next_random(&state) % 17),
            decimals = (int)(next_random(&state) % 26), zeros = (int)(next_random(&state) % 30);
        bool small = next_random(&state) % 2;
        size += snprintf(text + size, 2, "%s", next_random(&state) % 4 ? "" : "-");
        for (int k = 0; k < (small ? 1 : whole); k++)
            text[size++] = small ? '0' : (char)('0' + next_random(&state) % 10);
        if (decimals)
            text[size++] = '.';
        for (int k = 0; k < decimals; k++)
            text[size++] = k < zeros - 24 ? '0' : (char)('0' + next_random(&state) % 10);
        if (next_random(&state) % 3 == 0)
            size += snprintf(text + size, 8, "e%+03d", (int)(next_random(&state) % 60) - 30);
        snprintf(text + size, sizeof text - (size_t)size, ",%*s", 70, "1");
        Figure fast = {0}, slow = {0};
        Str own = {text, (size_t)size};
        CHECK(figure_at(own, own.size, &slow) == own.size);
        quick += figure_long(text, strlen(text), &fast) > 0;
        CHECK(figure_at(own, strlen(text), &fast) == own.size);
        CHECK(same_bits(fast.value, slow.value) && fast.decimals == slow.decimals &&
              fast.exponent == slow.exponent);
        char *end;
        CHECK(same_bits(fast.value, strtod(text, &end)) && end == text + size);
    }
    CHECK(quick > 20000);
}

static void decimals_are_counted_as_printed(void)
{
    Figure figure;
    CHECK(figure_of_text(STR("1.250"), &figure) && figure.decimals == 3 && !figure.exponent);
    CHECK(figure_of_text(STR("1.25e-03"), &figure) && figure.decimals == 2 && figure.exponent);
    CHECK(figure_of_text(STR("5E4"), &figure) && figure.decimals == 0 && figure.exponent);
    CHECK(figure_of_text(STR(" 7 "), &figure) && figure.value == 7 && figure.decimals == 0);
    CHECK(figure_of_text(STR("0.12345678901234567890"), &figure) && figure.decimals == 20);
}

static void words_move_only_when_they_stand_there_whole(void)
{
    Scan scan = scan_of(STR("steps"));
    CHECK(!scan_word(&scan, "steps:") && scan.at == 0);
    CHECK(scan_word(&scan, "step") && scan.at == 4);
    CHECK(!scan_word(&scan, "st") && scan.at == 4);
}

int main(void)
{
    CHECK_RUN(figures_are_the_numbers_of_the_general_parser);
    CHECK_RUN(the_longest_short_figure_is_exact);
    CHECK_RUN(a_number_in_the_middle_of_a_line_is_the_one_strtod_reads);
    CHECK_RUN(a_long_number_in_the_middle_of_a_line_is_read_as_at_its_end);
    CHECK_RUN(printed_numbers_read_as_they_are);
    CHECK_RUN(decimals_are_counted_as_printed);
    CHECK_RUN(words_move_only_when_they_stand_there_whole);
    return CHECK_RESULT;
}
