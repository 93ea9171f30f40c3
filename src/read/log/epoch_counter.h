// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_EPOCH_COUNTER_H
#define VERNIER_READ_LOG_EPOCH_COUNTER_H

#include "base/arena.h"
#include "base/line_scan.h"
#include "base/names.h"

// One counter that never begins anew, from what a line says: an epoch, a step, the steps of an
// epoch. Where the step begins anew with each epoch it is (E-1)*M+S if the first epoch is 1, E*M+S
// if it is 0, or 2 and more where the writer is known to count from 0; where M is unknown, the
// epochs follow each other at the usual distance. So do steps that are rounded, which would else
// come several times: "800", "1K", "1K", "1K".

typedef struct EpochCounter {
    bool started;
    int64_t first_epoch, epoch, step, x, distance;
    int64_t highest;   // step since the epoch last fell
    bool rises;        // the step goes on over the epochs
    bool anew;         // it begins anew
    bool numbered;     // several records an epoch without a step
    Names *starts;     // epochs where M is unknown, by the bytes of their number
    int64_t *offsets;  // by id
    size_t offset_count;
    // The last step where no epoch is, and the distance of two that were not rounded; 0: unknown.
    int64_t plain, plain_distance;
    bool plain_rounded;
} EpochCounter;

typedef struct LogPlace {
    bool has_epoch, has_step;
    bool from_zero;              // the writer is known to count epochs from 0
    bool within;                 // and steps within the epoch
    int64_t epoch, step, total;  // total 0: unknown
    int64_t unit;                // the step is rounded to multiples of it, "12K"; 0: it is not
    const char *epoch_text, *step_text, *total_text;  // their digits in the line; NULL: elsewhere
} LogPlace;

// True if the place has an epoch or a step.
bool epoch_counter_next(EpochCounter *counter, const LogPlace *place, Arena *arena, int64_t *out);

// Where something of an epoch stands that is no record of its own, such as an evaluation.
int64_t epoch_counter_peek(const EpochCounter *counter, const LogPlace *place);

#endif
