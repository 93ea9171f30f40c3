// SPDX-License-Identifier: Apache-2.0
#include "export/run_write.h"

#include "base/json_writer.h"
#include "model/run/run_rows.h"

void run_write_lines(const Run *run, Sink *out)
{
    Arena *scratch = arena_new();
    RunRows rows;
    run_rows_init(&rows, run, scratch);
    while (run_rows_next(&rows)) {
        JsonWriter json;
        json_writer_init(&json, out);
        json_object_flat(&json);
        json_int(json_key(&json, run->x_unit), rows.step);
        for (size_t i = 0; i < run->series_count; i++)
            if (!point_is_absent(rows.values[i]))
                json_number(json_key_str(&json, run->series[i].name), rows.values[i]);
        json_object_end(&json);
        json_end(&json);
    }
    arena_release(scratch);
}
