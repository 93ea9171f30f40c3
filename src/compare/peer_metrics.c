// SPDX-License-Identifier: Apache-2.0
#include "compare/peer_metrics.h"

#include <math.h>

#include "compare/peer_colour.h"

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

static PeerCell cell_of(const TensorMetrics *metrics, ElementMetric metric)
{
    static const uint8_t kinds[] = {[ELEMENT_NUMBER] = PEER_REAL,
                                    [ELEMENT_NAN] = PEER_NAN,
                                    [ELEMENT_UNSUPPORTED] = PEER_UNSUPPORTED,
                                    [ELEMENT_SHAPE_DIFFERS] = PEER_SHAPES,
                                    [ELEMENT_NA] = PEER_NA};
    PeerCell cell = {.kind = (PeerKind)kinds[metrics->kind[metric]]};
    if (cell.kind != PEER_REAL)
        return cell;
    cell.number = metrics->value[metric];
    if (isnan(cell.number))
        return (PeerCell){.kind = PEER_NAN};
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

void peer_metrics_of(const TensorMetrics *metrics, PeerMetrics *out)
{
    static const uint8_t elements[PEER_METRIC_COUNT] = {
        [PEER_COSINE] = ELEMENT_COSINE,
        [PEER_EUCLID] = ELEMENT_EUCLIDEAN,
        [PEER_MAX_ABS] = ELEMENT_MAX_ABS,
        [PEER_MAX_RELATIVE] = ELEMENT_MAX_RELATIVE,
        [PEER_THOUSANDTHS] = ELEMENT_THOUSANDTH,
        [PEER_FIVE_THOUSANDTHS] = ELEMENT_FIVE_THOUSANDTHS};
    for (int metric = 0; metric < PEER_METRIC_COUNT; metric++)
        out->cells[metric] = cell_of(metrics, (ElementMetric)elements[metric]);
    out->note = note_of(metrics);
}

void peer_read_metrics(PeerComparison *peer, const char *golden_folder, const char *target_folder,
                       int jobs, Notices *notices)
{
    Arena *scratch = arena_new();
    size_t count = peer->rows.count;
    ElementReading reading = {.golden = peer->golden->dump,
                              .target = peer->target->dump,
                              .golden_folder = golden_folder,
                              .target_folder = target_folder,
                              .rules = peer->rules,
                              .jobs = jobs};
    ElementPair *pairs = ARENA_ARRAY(scratch, ElementPair, count);
    TensorMetrics *metrics = ARENA_ARRAY(scratch, TensorMetrics, count);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (ElementPair){peer->rows.items[i].golden, peer->rows.items[i].target};
    elements_read(&reading, pairs, count, metrics, notices);
    for (size_t i = 0; i < count; i++)
        peer_metrics_of(&metrics[i], &peer->metrics[i]);
    arena_release(scratch);
}
