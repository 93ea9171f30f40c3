// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_CHECK_H
#define VERNIER_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

// The tests of a module: functions whose names say what must hold, run with CHECK_RUN from main,
// which ends with `return CHECK_RESULT`: 1 where something does not hold, 77 ("skipped") where
// nothing could run. Those that read the sample set beside the tree are run with CHECK_RUN_SHARED:
// a test of its own (SAMPLE_SET=only in the environment), which runs no others.

static int check_failures;
static int check_runs __attribute__((unused));
static int check_skips __attribute__((unused));
static bool check_skipped __attribute__((unused));
#define CHECK_RESULT (check_failures ? 1 : check_skips && check_skips == check_runs ? 77 : 0)

static inline bool check_only_shared(void)
{
    const char *set = getenv("SAMPLE_SET");
    return set && strcmp(set, "only") == 0;
}

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
        check_skipped = true;                                             \
        return;                                                           \
    } while (0)

#define CHECK_RUN_IF(wanted, test)        \
    do {                                  \
        if (wanted) {                     \
            check_skipped = false;        \
            test();                       \
            check_runs++;                 \
            check_skips += check_skipped; \
        }                                 \
    } while (0)
#define CHECK_RUN(test)        CHECK_RUN_IF(!check_only_shared(), test)
#define CHECK_RUN_SHARED(test) CHECK_RUN_IF(check_only_shared(), test)

#endif
