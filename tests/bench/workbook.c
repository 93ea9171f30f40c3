// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>

#include "base/file.h"
#include "bench.h"
#include "demo.h"
#include "renderers/xlsx.h"

// A workbook of many rows beside deflating the same bytes. Arguments: rows (default 100,000),
// columns (default 20), rounds (default 3).

enum { COLUMNS_MAX = 64 };

typedef struct Rows {
    uint64_t count, at;
    size_t columns;
    uint64_t state;
    char texts[COLUMNS_MAX][80];
} Rows;

static bool next_row(void *state, Cell *cells)
{
    Rows *rows = state;
    if (rows->at == rows->count)
        return false;
    for (size_t i = 0; i < rows->columns; i++) {
        rows->state = rows->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        // Names, shapes and words in a third of the columns, as in the rows of a comparison.
        if (i % 3 == 0) {
            snprintf(rows->texts[i], sizeof rows->texts[i],
                     "Functional.linear.%llu.forward.input.%zu", (unsigned long long)rows->at, i);
            cells[i] =
                cell_styled(rows->at % 50 ? STYLE_PLAIN : STYLE_ERROR, str_of(rows->texts[i]));
        } else {
            cells[i] = cell_number((double)(rows->state >> 20) * 1e-9);
        }
    }
    rows->at++;
    return true;
}

static void rewind_rows(void *state)
{
    Rows *rows = state;
    rows->at = 0;
    rows->state = 1;
}

typedef struct Work {
    Rows rows;
    Column columns[COLUMNS_MAX];
    const char *path;
    unsigned char *bytes;  // the parts of the workbook, unpacked
    size_t size;
} Work;

static double write_book(void *context)
{
    Work *work = context;
    Error err;
    Table table = {.name = STR("Compare"),
                   .columns = work->columns,
                   .column_count = work->rows.columns,
                   .row_count = work->rows.count,
                   .freeze = true,
                   .next = next_row,
                   .rewind = rewind_rows,
                   .state = &work->rows};
    Table *tables[] = {&table};
    RenderOptions options = {.theme = demo_theme()};
    rewind_rows(&work->rows);
    double start = bench_now();
    Sink *sink = sink_file(work->path, &err);
    if (!sink || !xlsx_renderer.write_tables(tables, 1, &options, sink, &err) ||
        !sink_commit(sink, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    return bench_now() - start;
}

static void unpack(Work *work)
{
    zip_t *zip = zip_open(work->path, ZIP_RDONLY, NULL);
    zip_stat_t about;
    for (zip_int64_t i = 0; zip && i < zip_get_num_entries(zip, 0); i++) {
        zip_stat_index(zip, (zip_uint64_t)i, 0, &about);
        work->bytes = realloc(work->bytes, work->size + about.size + 1);
        zip_file_t *file = zip_fopen_index(zip, (zip_uint64_t)i, 0);
        if (!work->bytes || !file)
            exit(2);
        zip_fread(file, work->bytes + work->size, about.size);
        zip_fclose(file);
        work->size += about.size;
    }
    if (zip)
        zip_discard(zip);
}

static double deflate_bytes(void *context)
{
    Work *work = context;
    uLongf size = compressBound((uLong)work->size);
    unsigned char *out = malloc(size);
    double start = bench_now();
    if (!out ||
        compress2(out, &size, work->bytes, (uLong)work->size, Z_DEFAULT_COMPRESSION) != Z_OK)
        exit(2);
    double seconds = bench_now() - start;
    free(out);
    return seconds;
}

int main(int argc, char **argv)
{
    static Work work;
    char path[64];
    snprintf(path, sizeof path, "/tmp/vernier-bench-%ld.xlsx", (long)getpid());
    work.path = path;
    work.rows.count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    work.rows.columns = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    int rounds = argc > 3 ? atoi(argv[3]) : 3;
    double medians[2];
    if (work.rows.columns < 1 || work.rows.columns > COLUMNS_MAX)
        return 2;
    for (size_t i = 0; i < work.rows.columns; i++)
        work.columns[i] = (Column){.title = STR("column"), .width = 12};
    write_book(&work);
    double peak = bench_peak_megabytes();
    unpack(&work);
    bench_by_turns(write_book, deflate_bytes, &work, rounds, medians);
    printf("xlsx ours=%.9f limit=%.9f peak_mb=%.1f bytes=%zu\n", medians[0], medians[1], peak,
           work.size);
    unlink(path);
    free(work.bytes);
    return 0;
}
