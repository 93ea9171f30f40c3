// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_TABLE_EPOCHS_H
#define VERNIER_READ_LOG_TABLE_EPOCHS_H

#include "read/log/line_shape.h"

// The steps of a table that begin anew with each epoch, as one counter. Most tables have none, so
// that nothing is asked before a step falls.
typedef struct TableEpochs {
    int column;      // of the epoch, -1: none
    int64_t offset;  // from the printed steps of this epoch on
    struct EpochOffset {
        double epoch;
        int64_t offset;
    } * items;
    size_t count, capacity;
} TableEpochs;

// True where the row is of the epoch of the one before and its step rises, so that its offset is
// known.
bool table_epochs_go_on(const TableEpochs *epochs, const LineReading *row);

// The step over all epochs of a row with that printed step, where `epoch` is its cell and `part`
// holds the rows before with their epochs: a step that falls as the epoch rises goes on at the
// distance of the two steps before; where the epoch falls too, the run was started again.
int64_t table_epochs_step(TableEpochs *epochs, const Part *part, Str epoch, int64_t step);

#endif
