// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_ACCOUNT_H
#define VERNIER_BASE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

// What became of every value that a command saw in the files it was given. The law of every
// command: seen = compared + set aside + not understood. Readers count what they see where they
// see it; whoever takes a value out says why; base/notice.h counts what was not understood, which
// makes the verdict PARTIAL. It travels with the notices of the input and is `coverage` of
// summary.json (export/summary/summary.c asserts the law).

// Why a value that was understood takes no part in the verdict.
typedef enum Aside {
    ASIDE_DESCRIPTION,   // describes a value: a layout, a time, an index
    ASIDE_TEXT,          // a line that is no record, event or evaluation
    ASIDE_REPEATED,      // a later value of the same name counts
    ASIDE_JOINED,        // part of a value that several ranks, files or modules hold together
    ASIDE_NOISE,         // measures the noise
    ASIDE_NOT_ASKED,     // an option leaves it out
    ASIDE_IGNORED,       // a rule of the criteria leaves it out
    ASIDE_NOT_RECORDED,  // a setting of the other side's collection leaves it out
    ASIDE_NO_EFFECT,     // on one side only, and nothing depends on it
    ASIDE_NO_VALUE,      // None, empty, or nothing but its shape is recorded on either side
    ASIDE_NONFINITE,     // NaN on both sides
    ASIDE_LOST,          // the other side lost it: PARTIAL
    ASIDE_COUNT
} Aside;

typedef struct Account {
    uint64_t seen, compared, set_aside[ASIDE_COUNT], not_understood;
} Account;

static inline void account_see(Account *account, uint64_t values)
{
    account->seen += values;
}

static inline void account_compare(Account *account, uint64_t values)
{
    account->compared += values;
}

static inline void account_set_aside(Account *account, Aside why, uint64_t values)
{
    account->set_aside[why] += values;
}

// Values that were seen and that nothing is said of yet.
static inline uint64_t account_open(const Account *account)
{
    uint64_t known = account->compared + account->not_understood;
    for (int i = 0; i < ASIDE_COUNT; i++)
        known += account->set_aside[i];
    return account->seen - known;
}

// For commands that look at every value that a reader keeps.
static inline void account_compare_rest(Account *account)
{
    account->compared += account_open(account);
}

static inline void account_join(Account *sum, const Account *other)
{
    sum->seen += other->seen;
    sum->compared += other->compared;
    sum->not_understood += other->not_understood;
    for (int i = 0; i < ASIDE_COUNT; i++)
        sum->set_aside[i] += other->set_aside[i];
}

#endif
