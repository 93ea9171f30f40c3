// SPDX-License-Identifier: Apache-2.0
#include "read/settings/name_map.h"

#include "base/file.h"
#include "base/words.h"
#include "read/table/csv_file.h"

static void take_rows(Csv *csv, Str text, Arena *arena, NameMap *out)
{
    int target = csv_column(csv, "target"), golden = csv_column(csv, "benchmark");
    golden = golden < 0 ? csv_column(csv, "golden") : golden;
    size_t capacity = 1;
    for (size_t i = 0; i < text.size; i++)
        capacity += text.data[i] == '\n';
    out->targets = ARENA_ARRAY(arena, Str, capacity);
    out->goldens = ARENA_ARRAY(arena, Str, capacity);
    while (target >= 0 && golden >= 0 && csv_next(csv) && out->count < capacity) {
        out->targets[out->count] = str_copy(arena, csv_cell(csv, target));
        out->goldens[out->count++] = str_copy(arena, csv_cell(csv, golden));
    }
}

bool name_map_read(const char *path, Arena *arena, NameMap *out, Notices *notices, Error *err)
{
    File file;
    Csv csv;
    *out = (NameMap){0};
    if (!file_open(path, &file, err))
        return false;
    csv_open(&csv, path, file.text, ',', arena);
    if (csv_next(&csv))
        csv_take_header(&csv);
    take_rows(&csv, file.text, arena, out);
    csv_report(&csv, notices);
    file_close(&file);
    if (out->count == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("expected rows under the header 'target,benchmark'"));
    return true;
}
