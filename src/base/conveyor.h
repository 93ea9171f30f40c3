// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_CONVEYOR_H
#define VERNIER_BASE_CONVEYOR_H

#include <stddef.h>

#include "base/arena.h"

// A row of pieces that the caller fills one after the other, several threads work on, and the
// caller gets back in the order in which they were sent: what is made of them does not depend on
// the number of threads. Nothing but the work runs beside the caller, who works too where all
// places are taken.
typedef struct Conveyor Conveyor;

typedef struct ConveyorWork {
    void *(*make)(Arena *arena);               // a piece, made once for each place
    void (*work)(void *piece);                 // of one piece, in any thread
    void (*take)(void *context, void *piece);  // in order, in the caller's thread
    void *context;
} ConveyorWork;

// `jobs` threads, the caller among them; with 1 there is one piece and no thread. Threads start
// when there is something for them.
Conveyor *conveyor_new(const ConveyorWork *work, int jobs, Arena *arena);

// The piece to be filled next, as it was left when it was taken last.
void *conveyor_piece(Conveyor *conveyor);
void conveyor_send(Conveyor *conveyor);

// Waits until all is taken and the threads are gone. To be called once.
void conveyor_end(Conveyor *conveyor);

#endif
