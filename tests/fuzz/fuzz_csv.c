// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "base/text_decode.h"
#include "fuzz_input.h"
#include "read/log/lines.h"
#include "read/table/csv_file.h"

// Any bytes as a table with each separator, and as lines: rows come in order and stay inside the
// limits.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_table(Str text, char separator, Arena *arena)
{
    Csv csv;
    Notices notices;
    notices_init(&notices, arena);
    csv_open(&csv, "table.csv", text, separator, arena);
    if (csv_next(&csv))
        csv_take_header(&csv);
    int step = csv_column(&csv, "step");
    for (uint64_t line = 0; csv_next(&csv); line = csv.line) {
        demand(csv.line > line && csv.count <= CSV_CELLS_MAX);
        csv_cell(&csv, step);
        for (size_t i = 0; i < csv.count; i++)
            demand(csv.cells[i].size <= text.size);
    }
    csv_report(&csv, &notices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separators[] = {0, ',', '\t', ';', ' '};
    Arena *arena = arena_new();
    Str text = fuzz_copy(data, size), line;
    for (size_t i = 0; i < sizeof separators; i++)
        read_table(text, separators[i], arena);
    Lines lines;
    lines_open(&lines, text_decode(text, arena), arena);
    while (lines_next(&lines, &line))
        demand(str_find_char(line, '\n', 0) == SIZE_MAX);
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
