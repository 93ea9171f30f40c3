// SPDX-License-Identifier: Apache-2.0
#include "read/log/table_epochs.h"

#include <math.h>

#include "base/array.h"

// Steps beyond it are none (so say the readers), and offsets do not add up beyond 64 bits.
#define STEPS_MOST INT64_C(9000000000000000)

// The offset that the last epoch up to this one has; those after it are run again.
static int64_t back_to(TableEpochs *epochs, double epoch)
{
    while (epochs->count && epochs->items[epochs->count - 1].epoch > epoch)
        epochs->count--;
    return epochs->count ? epochs->items[epochs->count - 1].offset : 0;
}

// The last epoch of a row, or NaN.
static double last_epoch(const Part *part)
{
    const PartSeries *epochs = part_find(part, "epoch");
    size_t count = epochs ? epochs->points.count : 0;
    return count ? epochs->points.items.value[count - 1] : NAN;
}

bool table_epochs_go_on(const TableEpochs *epochs, const LineReading *row)
{
    if (epochs->column < 0 || !row->place.has_step)
        return true;
    if (row->place.step + epochs->offset < row->part->last_step)
        return false;
    if (epochs->count == 0)
        return true;
    for (size_t i = 0; i < row->field_count; i++)
        if (str_equal_nocase(row->fields[i].printed, STR("epoch")))
            return row->fields[i].figure.value == last_epoch(row->part);
    return false;
}

int64_t table_epochs_step(TableEpochs *epochs, const Part *part, Str epoch, int64_t step)
{
    Figure own;
    double before = epochs->column < 0 ? NAN : last_epoch(part);
    bool falls = step + epochs->offset < part->last_step;
    if (isnan(before) || (!falls && epochs->count == 0) || !figure_of_text(epoch, &own) ||
        own.value != floor(own.value))
        return step + epochs->offset;
    if (own.value <= before || !falls) {
        epochs->offset = own.value < before ? back_to(epochs, own.value) : epochs->offset;
        return step + epochs->offset;
    }
    const Points *points = &part_find(part, "epoch")->points;
    const int64_t *last = points->items.x + points->count - 1;
    int64_t gap = points->count > 1 && last[0] > last[-1] ? last[0] - last[-1] : 1;
    if (last[0] > STEPS_MOST - gap)
        return step + epochs->offset;
    epochs->offset = last[0] + gap - step;
    *ARRAY_ADD(part->arena, epochs->items, epochs->count, epochs->capacity) =
        (struct EpochOffset){own.value, epochs->offset};
    return last[0] + gap;
}
