// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_STUDY_FIND_H
#define VERNIER_READ_SETTINGS_STUDY_FIND_H

#include "base/error.h"
#include "base/notice.h"

// What folders hold that a study can use, recognised by content. Bounded: 6 folders deep, 5,000
// names, files up to 512 MB; links to folders above are ended by the depth.

typedef enum FoundKind {
    FOUND_CONFIG,
    FOUND_TOKENS,
    FOUND_WEIGHTS,
    FOUND_LOG,        // prints a loss
    FOUND_RATE_ZERO,  // a log whose learning rate is 0 throughout
    FOUND_NORMS,      // a log with local norms
    FOUND_NAMES,      // a table target,benchmark of the names of weights
    FOUND_DUMPS,
    FOUND_MONITOR,
    FOUND_HEALTH,
    FOUND_SCORES,  // of an evaluation
    FOUND_KIND_COUNT
} FoundKind;

typedef struct FoundItem {
    FoundKind kind;
    Str path;
    int side;         // 0 golden, 1 target: guessed
    bool by_name;     // the guess comes from the name, else from the order of the folders
    bool again;       // the name speaks of a repeated run
    bool before;      // the name speaks of the state before a fix
    size_t points;    // of the loss
    size_t age;       // of weights: step in the name, 0 for a start or none, SIZE_MAX for an end
    bool from_start;  // the first step is 0 or 1
} FoundItem;

typedef struct FoundItems {
    FoundItem *items;  // in the order of the folders, names in natural order
    size_t count, capacity;
} FoundItems;

// Fails if a folder cannot be listed.
bool study_find(const Str *folders, size_t count, Arena *arena, FoundItems *out, Notices *notices,
                Error *err);

#endif
