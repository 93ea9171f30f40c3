// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/rows_join.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "commands/compare/compare_rows.h"
#include "renderers/csv.h"
#include "report/kit/cell.h"

struct RowsJoin {
    FILE *file;  // without a name
    atomic_uint_least64_t end;
};

static bool is_sheet(const OutputTarget *target)
{
    return !target->folder && str_equal(target->format, str_of(csv_renderer.name));
}

static bool fail(Error *err)
{
    return error_set(err, ERR_OUTPUT, NOWHERE, tr("the temporary file of the rows: %s"),
                     strerror(errno));
}

bool rows_join_open(const Outputs *outputs, Arena *arena, RowsJoin **out, Error *err)
{
    bool wanted = false;
    *out = NULL;
    for (size_t i = 0; i < outputs->count; i++)
        wanted = wanted || is_sheet(&outputs->targets[i]);
    if (!wanted)
        return true;
    FILE *file = tmpfile();
    if (!file)
        return fail(err);
    *out = ARENA_NEW(arena, RowsJoin);
    (*out)->file = file;
    atomic_init(&(*out)->end, 0);
    return true;
}

void rows_join_close(RowsJoin *join)
{
    if (join)
        fclose(join->file);
}

// ---- rows with their place

typedef struct PlacedRows {
    Table *rows;
    Cell place[3];  // step, stage where there is one, rank
    size_t count;
} PlacedRows;

static bool next_row(void *state, Cell *cells)
{
    const PlacedRows *placed = state;
    if (!placed->rows->next(placed->rows->state, cells + placed->count))
        return false;
    memcpy(cells, placed->place, placed->count * sizeof *cells);
    return true;
}

static void rewind_rows(void *state)
{
    const PlacedRows *placed = state;
    placed->rows->rewind(placed->rows->state);
}

static Table *with_place(Table *rows, const PlacePair *place, Arena *arena)
{
    Table *out = ARENA_NEW(arena, Table);
    PlacedRows *placed = ARENA_NEW(arena, PlacedRows);
    Column *columns =
        ARENA_ARRAY(arena, Column, rows->column_count + sizeof placed->place / sizeof(Cell));
    placed->rows = rows;
    columns[placed->count] = (Column){.title = STR("Step"), .number = true};
    placed->place[placed->count++] = cell_int(place->step, arena);
    if (place->stage.size) {
        columns[placed->count] = (Column){.title = STR("Stage")};
        placed->place[placed->count++] = cell_text(place->stage);
    }
    columns[placed->count] = (Column){.title = STR("Rank"), .number = true};
    placed->place[placed->count++] = cell_int(place->rank, arena);
    for (size_t i = 0; i < rows->column_count; i++)
        columns[placed->count + i] = rows->columns[i];
    *out = *rows;
    out->columns = columns;
    out->column_count += placed->count;
    out->next = next_row;
    out->rewind = rewind_rows;
    out->state = placed;
    return out;
}

// ---- the temporary file

static bool put(RowsJoin *join, Str bytes, RowsSpan *out, Error *err)
{
    size_t line = str_find_char(bytes, '\n', 0);
    *out = (RowsSpan){.at = atomic_fetch_add(&join->end, bytes.size), .bytes = bytes.size};
    out->header = line == SIZE_MAX ? bytes.size : line + 1;
    for (size_t done = 0; done < bytes.size;) {
        ssize_t more = pwrite(fileno(join->file), bytes.data + done, bytes.size - done,
                              (off_t)(out->at + done));
        if (more <= 0)
            return fail(err);
        done += (size_t)more;
    }
    return true;
}

bool rows_join_add(RowsJoin *join, const PairGraphs *pair, const PlacePair *place, RowsSpan *out,
                   Error *err)
{
    Arena *arena = arena_new();
    Sink *sink = sink_memory(arena);
    Table *table = with_place(compare_rows_table(pair, true, arena), place, arena);
    bool good = csv_renderer.write_tables(&table, 1, NULL, sink, err) &&
                put(join, sink_bytes(sink), out, err);
    sink_discard(sink);
    arena_release(arena);
    return good;
}

static bool get(const RowsJoin *join, uint64_t at, char *bytes, size_t size, Error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t more = pread(fileno(join->file), bytes + done, size - done, (off_t)(at + done));
        if (more <= 0)
            return fail(err);
        done += (size_t)more;
    }
    return true;
}

// ---- all pairs

typedef struct Joined {
    const RowsJoin *join;
    const PairResult *results;
    size_t count;
} Joined;

static bool copy_rows(const RowsJoin *join, const RowsSpan *span, Sink *out, Error *err)
{
    enum { PIECE = 1 << 16 };
    char piece[PIECE];
    for (uint64_t at = span->header; at < span->bytes;) {
        size_t size = span->bytes - at < PIECE ? (size_t)(span->bytes - at) : PIECE;
        if (!get(join, span->at + at, piece, size, err))
            return false;
        sink_write(out, piece, size);
        at += size;
    }
    return true;
}

static bool write_joined(void *context, Sink *out, Error *err)
{
    const Joined *joined = context;
    Arena *scratch = arena_new();
    Str last = {"", 0};
    bool good = true;
    for (size_t i = 0; i < joined->count && good; i++) {
        const RowsSpan *span = &joined->results[i].rows;
        char *header = arena_alloc(scratch, span->header + 1);
        good = get(joined->join, span->at, header, span->header, err);
        Str here = {header, span->header};
        if (good && here.size && !str_equal(here, last))
            sink_str(out, last = here);
        good = good && copy_rows(joined->join, span, out, err);
    }
    arena_release(scratch);
    return good;
}

void rows_join_write(const RowsJoin *join, const PairResult *results, size_t count,
                     Outputs *outputs)
{
    Outputs single = *outputs;
    Joined joined = {join, results, count};
    single.targets = ARENA_ARRAY(outputs->arena, OutputTarget, outputs->count);
    single.count = 0;
    for (size_t i = 0; i < outputs->count; i++)
        if (is_sheet(&outputs->targets[i]))
            single.targets[single.count++] = outputs->targets[i];
    outputs_custom(&single, csv_renderer.name, "rows.csv", true, write_joined, &joined);
    outputs->failed = single.failed;
}
