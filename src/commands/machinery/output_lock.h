// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OUTPUT_LOCK_H
#define VERNIER_COMMANDS_MACHINERY_OUTPUT_LOCK_H

#include "commands/machinery/options.h"

// One run at a time writes into a folder: a lock of the kernel on ".vernier-lock" in it, which ends
// with its process. Parts of one run (--shard) share it. Where the file system has no locks the
// folder is written without.
typedef struct OutputLock OutputLock;

OutputLock *output_lock_new(Arena *arena);

// Takes the lock of the folder, which is there, and removes the temporary files that killed runs
// left in it. True at once where it is held already; safe to call from several threads. False, with
// *err set (output), where another run holds it.
bool output_lock_take(OutputLock *lock, const char *folder, const Options *options, Error *err);

// Gives it back and removes the file.
void output_lock_end(OutputLock *lock);

#endif
