// SPDX-License-Identifier: Apache-2.0
#include "model/series.h"

const char *run_role_text(RunRole role)
{
    static const char *const texts[] = {"single", "golden", "target", "noise"};
    return texts[role];
}

const Series *run_series(const Run *run, const char *name)
{
    for (size_t i = 0; i < run->series_count; i++)
        if (str_equal(run->series[i].name, str_of(name)))
            return &run->series[i];
    return NULL;
}

double series_at(const Series *series, int64_t x)
{
    size_t low = 0, high = series->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (series->points[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < series->count && series->points[low].x == x ? series->points[low].value
                                                             : point_absent();
}

double series_resolution(const Series *series, double value)
{
    return figure_resolution((Figure){value, series->decimals, series->relative});
}
