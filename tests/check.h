// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_CHECK_H
#define VERNIER_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"

// A test program: functions whose names say what must hold, run with CHECK_RUN from main, which
// ends with `return CHECK_RESULT`: 1 where something does not hold, 77 ("skipped") where something
// could not run.

static int check_failures;
static int check_skips __attribute__((unused));
#define CHECK_RESULT (check_failures ? 1 : check_skips ? 77 : 0)

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition); \
            check_failures++;                                                                     \
        }                                                                                         \
    } while (0)

#define CHECK_TEXT(got, want)                                                               \
    do {                                                                                    \
        Str check_got = (got);                                                              \
        Str check_want = str_of(want);                                                      \
        if (!str_equal(check_got, check_want)) {                                            \
            fprintf(stderr, "%s:%d: %s: want '" STR_FMT "', got '" STR_FMT "'\n", __FILE__, \
                    __LINE__, __func__, STR_ARG(check_want), STR_ARG(check_got));           \
            check_failures++;                                                               \
        }                                                                                   \
    } while (0)

// Ends the test: what it needs, such as the sample set beside the tree, is not here.
#define CHECK_SKIP(what)                                                  \
    do {                                                                  \
        fprintf(stderr, "%s: skipped: %s is not here\n", __func__, what); \
        check_skips++;                                                    \
        return;                                                           \
    } while (0)

#define CHECK_RUN(test) test()

#endif
