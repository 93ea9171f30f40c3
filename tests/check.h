// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_CHECK_H
#define VERNIER_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"

// A test program: functions whose names say what must hold, run with CHECK_RUN from main, which
// ends with `return check_failures != 0`.

static int check_failures;

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

#define CHECK_RUN(test) test()

#endif
