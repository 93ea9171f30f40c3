// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_CHECKLIST_CHECKLIST_H
#define VERNIER_COMPARE_CHECKLIST_CHECKLIST_H

#include "read/settings/config_file.h"

// Two training configurations compared with the accuracy checklist: which settings differ, which
// are equal though spelled differently, and which values the checklist advises against. The
// settings, their spellings and their advice are one table (templates/checklist.table;
// docs/checklist.md).

typedef enum CheckRule {
    CHECK_SAME,  // must agree
    CHECK_INFO,  // may differ; both are shown
    CHECK_HAND   // cannot be read from files: an open question
} CheckRule;

// How values become comparable.
typedef enum CheckValue {
    VALUE_PLAIN,       // numbers by value, booleans, text without case
    VALUE_DTYPE,       // bf16 = bfloat16 = torch.bfloat16
    VALUE_OPTIMIZER,   // adam = AdamW
    VALUE_SCHEDULE,    // CosineWithWarmUpLR = cosine
    VALUE_ACTIVATION,  // silu with a gate = swiglu
    VALUE_NORM,        // RMSNorm = rms_norm
    VALUE_POSITION,    // rope = rotary
    VALUE_SWITCH       // on and off
} CheckValue;

// What the checklist advises.
typedef enum CheckAdvice {
    ADVICE_NONE,
    ADVICE_EQUAL,     // to `bound`, by the rule of the row's values
    ADVICE_BELOW,     // the number `bound`
    ADVICE_MULTIPLE,  // of the whole number `bound`, and not odd
    ADVICE_ON,
    ADVICE_OFF,
    ADVICE_CAPACITY,  // of experts: below 0, or at least 1 and at most experts / top k
    ADVICE_APART      // not together with another setting (checklist_section.h)
} CheckAdvice;

// One setting. `spellings` are keys as config_find takes them, the more specific first, separated
// by blanks: "key" a value, "!key" a switch with the opposite sense, "key=word" a flag that stands
// for that value, "$NAME" a variable of the environment. Where a flag that stands for a value is
// written as off and nothing else is known, the value is `off`; where one of two scripts with
// Megatron's options has none of the keys, it is `unsaid`.
typedef struct CheckRow {
    const char *group, *key, *spellings, *off, *unsaid;
    CheckRule rule;
    CheckValue value;
    CheckAdvice advice;
    const char *bound;
    const char *text;  // TR: why it matters, what to do
} CheckRow;

// Words that say something of packages, variables or settings, and why it matters.
enum { CHECK_FACT_WORDS = 5 };
typedef struct CheckFact {
    const char *words[CHECK_FACT_WORDS];
    const char *text;  // or empty
} CheckFact;

typedef struct CheckFacts {
    CheckFact *items;
    size_t count, capacity;
} CheckFacts;

// The rows of templates/checklist.table, whose head says what each line means.
typedef struct CheckTable {
    CheckRow *items;
    size_t count, capacity;
    CheckFacts unset, conflicts, versions;
    Str packages, deciding, places;  // words with blanks between them
} CheckTable;

void checklist_table_read(Arena *arena, CheckTable *out);

// One side of a row; its texts are empty if the side does not have it.
typedef struct CheckSide {
    bool known;
    Str name;      // as written: "adam-beta2", "betas[1]", or how it was derived
    Str text;      // as written: "true" of a flag, or derived
    Str value;     // what that means for the row: "bf16"
    bool flag;     // a flag without a value: `text` is "true"
    bool derived;  // computed from other settings, or a known default
    const char *file;
    uint64_t line;
} CheckSide;

typedef enum CheckStatus {
    CHECK_EQUAL,
    CHECK_DIFFERS,
    CHECK_UNKNOWN,   // a variable of the environment, or what a command prints, that no file tells
    CHECK_ONE_SIDE,  // the other side says nothing and its default is not known
    CHECK_NEITHER
} CheckStatus;

typedef struct CheckResult {
    const CheckRow *row;
    CheckSide golden, target;
    CheckStatus status;
    bool advice_golden, advice_target;  // the value is one the checklist advises against
} CheckResult;

// A key that the table does not know and both sides have.
typedef struct CheckOther {
    Str golden_name, golden, target_name, target;
    bool equal;
} CheckOther;

typedef struct CheckOthers {
    CheckOther *items;
    size_t count, capacity;
} CheckOthers;

typedef struct Checklist {
    CheckTable table;
    CheckResult *rows;  // one for each of the table, then those of checklist_section.h
    size_t row_count;
    CheckOthers others;
    size_t equal, differs, unknown, one_side, advice;  // over rows
    size_t others_differ, others_alone;                // the latter on one side only
    bool single;                                       // one configuration, which both sides are
} Checklist;

// A row is counted in equal, differs, …
void checklist_count(Checklist *out, const CheckResult *result);

void checklist_compare(const Config *golden, const Config *target, Arena *arena, Checklist *out);

// The value brought to a form that equals that of every other spelling: "1e-08", "bfloat16",
// "true".
Str check_normal(CheckValue kind, Str value, Arena *arena);

#endif
