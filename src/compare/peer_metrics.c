// SPDX-License-Identifier: Apache-2.0
#include "compare/peer_metrics.h"

#include <math.h>

#include "base/threads.h"
#include "base/words.h"
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

// ---- reading

enum { BLOCK_ROWS = 64 };

// Rows are read in blocks, each with memory and notices of its own.
typedef struct Reading {
    PeerComparison *peer;
    const char *golden_folder, *target_folder;
    Arena **arenas;  // one per block
    Notices *notices;
} Reading;

static bool open_tensor(const char *folder, const Dump *dump, const Slot *slot, Arena *arena,
                        TensorFile *out, Notices *notices)
{
    Error err;
    char *path = path_inside(arena, folder, names_text(dump->names, slot->data_name), &err);
    if (path && tensor_open(path, out, notices, &err))
        return true;
    notices_add_error(notices, &err);
    return false;
}

static void compare_files(const Reading *reading, const PeerRow *row, Arena *arena,
                          Notices *notices, TensorMetrics *out)
{
    const Dump *golden = reading->peer->golden->dump, *target = reading->peer->target->dump;
    const Slot *n = &target->slots[row->target];
    const Slot *b = row->golden == SLOT_NONE ? NULL : &golden->slots[row->golden];
    if (!b || n->data_name == NAME_NONE || b->data_name == NAME_NONE) {
        tensor_metrics_missing(ELEMENTS_NO_FILE, out);
        return;
    }
    TensorFile golden_file, target_file;
    if (!open_tensor(reading->target_folder, target, n, arena, &target_file, notices)) {
        tensor_metrics_missing(ELEMENTS_UNREADABLE, out);
        return;
    }
    if (open_tensor(reading->golden_folder, golden, b, arena, &golden_file, notices)) {
        tensor_metrics(&golden_file.tensor, &target_file.tensor, reading->peer->rules, 1, out);
        tensor_close(&golden_file);
    } else {
        tensor_metrics_missing(ELEMENTS_UNREADABLE, out);
    }
    tensor_close(&target_file);
}

static void read_block(void *context, size_t index)
{
    const Reading *reading = context;
    const PeerRows *rows = &reading->peer->rows;
    size_t end = (index + 1) * BLOCK_ROWS < rows->count ? (index + 1) * BLOCK_ROWS : rows->count;
    for (size_t i = index * BLOCK_ROWS; i < end; i++) {
        TensorMetrics metrics;
        compare_files(reading, &rows->items[i], reading->arenas[index], &reading->notices[index],
                      &metrics);
        peer_metrics_of(&metrics, &reading->peer->metrics[i]);
    }
}

void peer_read_metrics(PeerComparison *peer, const char *golden_folder, const char *target_folder,
                       int jobs, Notices *notices)
{
    Arena *scratch = arena_new();
    size_t blocks = (peer->rows.count + BLOCK_ROWS - 1) / BLOCK_ROWS;
    Reading reading = {.peer = peer,
                       .golden_folder = path_join(scratch, golden_folder, STR("dump_tensor_data")),
                       .target_folder = path_join(scratch, target_folder, STR("dump_tensor_data")),
                       .arenas = ARENA_ARRAY(scratch, Arena *, blocks),
                       .notices = ARENA_ARRAY(scratch, Notices, blocks)};
    for (size_t i = 0; i < blocks; i++) {
        reading.arenas[i] = arena_new();
        notices_init(&reading.notices[i], reading.arenas[i]);
    }
    threads_run(blocks, jobs, read_block, &reading);
    for (size_t i = 0; i < blocks; i++) {
        notices_join(notices, &reading.notices[i]);
        arena_release(reading.arenas[i]);
    }
    arena_release(scratch);
}
