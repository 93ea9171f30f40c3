// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_metrics.h"

#include <math.h>

#include "compare/msprobe/msprobe_colour.h"

static double rounded(double value, int digits)
{
    char text[NUMBER_BYTES];
    double out = value;
    if (fabs(value) < 1e15) {
        int size = number_fixed(value, digits, text);
        number_parse((Str){text, (size_t)size}, &out);
    }
    return out;
}

static MsprobeCell cell_of(const TensorMetrics *metrics, ElementMetric metric)
{
    static const uint8_t kinds[] = {[ELEMENT_NUMBER] = MSPROBE_REAL,
                                    [ELEMENT_NAN] = MSPROBE_NAN,
                                    [ELEMENT_UNSUPPORTED] = MSPROBE_UNSUPPORTED,
                                    [ELEMENT_SHAPE_DIFFERS] = MSPROBE_SHAPES,
                                    [ELEMENT_NA] = MSPROBE_NA};
    MsprobeCell cell = {.kind = (MsprobeKind)kinds[metrics->kind[metric]]};
    if (cell.kind != MSPROBE_REAL)
        return cell;
    cell.number = metrics->value[metric];
    if (isnan(cell.number))
        return (MsprobeCell){.kind = MSPROBE_NAN};
    if (metric == ELEMENT_EUCLIDEAN)
        return cell;
    if (metric == ELEMENT_COSINE && cell.number > 0.9999)
        cell.number = rounded(cell.number, 6);
    cell.number = rounded(cell.number, 12);
    return cell;
}

static uint8_t note_of(const TensorMetrics *metrics)
{
    static const uint8_t notes[] = {
        [ELEMENTS_COMPUTED] = UINT8_MAX,
        [ELEMENTS_SCALAR] = NOTE_NO_EXTENT,
        [ELEMENTS_NO_FILE] = NOTE_NO_FILE,
        [ELEMENTS_UNREADABLE] = NOTE_BAD_FILE,
        [ELEMENTS_EMPTY] = NOTE_EMPTY,
        [ELEMENTS_SHAPE] = NOTE_SHAPES,
        [ELEMENTS_NONFINITE] = NOTE_NONFINITE_PLACES,
    };
    if (metrics->state == ELEMENTS_COMPUTED && metrics->dtype_differs)
        return NOTE_DTYPES;
    return notes[metrics->state];
}

void msprobe_metrics_of(const TensorMetrics *metrics, MsprobeMetrics *out)
{
    for (int metric = 0; metric < ELEMENT_METRICS; metric++)
        out->cells[metric] = cell_of(metrics, (ElementMetric)metric);
    out->note = note_of(metrics);
}

void msprobe_read_metrics(MsprobeComparison *msprobe, const char *golden_folder,
                          const char *target_folder, int jobs, Notices *notices)
{
    Arena *scratch = arena_new();
    size_t count = msprobe->rows.count;
    ElementReading reading = {.golden = msprobe->golden->dump,
                              .target = msprobe->target->dump,
                              .golden_folder = golden_folder,
                              .target_folder = target_folder,
                              .rules = msprobe->rules,
                              .jobs = jobs};
    ElementPair *pairs = ARENA_ARRAY(scratch, ElementPair, count);
    TensorMetrics *metrics = ARENA_ARRAY(scratch, TensorMetrics, count);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (ElementPair){msprobe->rows.items[i].golden, msprobe->rows.items[i].target};
    elements_read(&reading, pairs, count, metrics, notices);
    for (size_t i = 0; i < count; i++)
        msprobe_metrics_of(&metrics[i], &msprobe->metrics[i]);
    arena_release(scratch);
}
