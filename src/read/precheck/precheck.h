// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PRECHECK_PRECHECK_H
#define VERNIER_READ_PRECHECK_PRECHECK_H

#include "base/names.h"

// What msProbe's accuracy pre-check (acc_check, multi_acc_check, api_precision_compare) and its
// free benchmark say of single APIs, from their CSV files, and what other comparators write
// (read/precheck/comparison_result.h).
// Columns are found by name.

typedef enum PrecheckStatus {
    PRECHECK_UNTOLD,  // the cell is empty or "SPACE", or holds an unknown word (which is reported)
    PRECHECK_SKIPPED,
    PRECHECK_PASS,
    PRECHECK_WARNING,
    PRECHECK_ERROR,
    PRECHECK_STATUSES
} PrecheckStatus;

typedef enum PrecheckKind {
    PRECHECK_RESULT,      // a row an API: forward, backward
    PRECHECK_DETAILS,     // a row an output
    PRECHECK_RATIOS,      // a row an output, device against GPU
    PRECHECK_FREE,        // free benchmark: a row a finding
    PRECHECK_COMPARATOR,  // SGLang's comparator: a line a tensor
    PRECHECK_COMPARED,    // another comparator: a row a tensor, a line a name
    PRECHECK_SCORES,      // an evaluation: two files are one comparison
    PRECHECK_CHECKSUMS,   // of weights: each file is compared with the one before it
    PRECHECK_KINDS
} PrecheckKind;

// What the files say of one direction of one API, or of one perturbation of it; of several outputs
// the worst.
typedef struct PrecheckFinding {
    Str api;  // "Functional.linear.8"
    bool backward;
    bool plain;  // no API with a direction: a weight, a module, a score
    PrecheckStatus status;
    Str output;            // "output.0" of the row that decides, or empty
    const char *standard;  // TR: what it failed, or by which algorithm; NULL: not told
    const char *figure;    // TR: of the cell that failed, or NULL
    Str value;             // of that cell, as written
    double size;           // free benchmark: how far the perturbation went, NaN if it is no number
    Str dtype, shape, message;
    size_t rows;                 // of all files
    uint32_t file;               // the last one that names it, from 1; 0: none
    PrecheckStatus file_status;  // the worst of that one
    uint8_t told;                // 1 << that of the files before
    uint32_t place;              // in the order of the files
} PrecheckFinding;

typedef struct Precheck {
    PrecheckFinding *items;  // after precheck_sort: the worst first
    size_t count, capacity;
    size_t counts[PRECHECK_STATUSES];  // findings
    size_t files[PRECHECK_KINDS], file_count, rows;
    const char *last[PRECHECK_KINDS];      // the last file of a kind, or NULL
    const struct JsonNode *scores;         // of the first file of an evaluation, until the second
    const struct ChecksumList *checksums;  // of the last file of checksums, or NULL
    size_t lists;                          // of checksums
    uint64_t bytes;
    Names *names;
    uint32_t *of_name;  // place of a finding + 1, by the id of its name; 0: none
    size_t of_name_count;
} Precheck;

#endif
