// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_HISTORY_HISTORY_STORE_H
#define VERNIER_TREND_HISTORY_HISTORY_STORE_H

#include "base/error.h"
#include "trend/history/history_state.h"

// The file of --history: an SQLite database with the facts of many nights. A file that is locked,
// damaged, no history, or written by a newer version is refused with the reason and left as it is.
// A night is written in one transaction, whole or not at all.

enum {
    HISTORY_VERSION = 1,               // PRAGMA user_version
    HISTORY_APPLICATION = 0x76726e68,  // PRAGMA application_id: "vrnh"
    HISTORY_NIGHTS_MAX = 1000,         // of one command that are read, the newest
    HISTORY_FACTS_MAX = 4000000,       // of one command that are read, those of the newest nights
    HISTORY_WAIT_MS = 2000             // for another process that holds the file
};

// Adds `tonight` (sorted) after the nights of its command and sets its number. `out` holds the
// nights up to and with it. A night that is there already (history_same_night) is kept and not
// added again: the newest one, or an older one whose label no other night has. The file is made if
// there is none. On failure nothing was written; `out` holds tonight after what could be read.
bool history_keep(const char *path, HistoryNight *tonight, Arena *arena, History *out, Error *err);

// All nights of all commands; of each command the newest whose facts are at most `facts_max`
// (History.left_out says how many are older), the newest one in any case. Writes nothing.
bool history_read(const char *path, size_t facts_max, Arena *arena, Histories *out, Error *err);

#endif
