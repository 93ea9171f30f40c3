// SPDX-License-Identifier: Apache-2.0
// A run's findings as issues of GitLab's Code Quality.
#include "base/json_writer.h"
#include "export/ci/ci_report.h"

static void write_issue(JsonWriter *json, const CiFinding *finding, Arena *arena)
{
    bool placed = finding->file.size > 0;
    Str place = finding->place.size ? finding->place : STR("vernier");
    json_object(json);
    json_str(json_key(json, "description"), finding->message);
    json_str(json_key(json, "check_name"), str_printf(arena, "vernier-%s", finding->rule));
    json_str(json_key(json, "fingerprint"), finding->key);
    json_text(json_key(json, "severity"), finding->error ? "critical" : "minor");
    json_object(json_key(json, "location"));
    json_str(json_key(json, "path"), placed ? finding->file : place);
    json_object_flat(json_key(json, "lines"));
    json_int(json_key(json, "begin"), placed ? finding->line : 1);
    json_object_end(json);
    json_object_end(json);
    json_object_end(json);
}

void code_quality_write(const CiOutcome *report, Sink *out)
{
    JsonWriter json;
    Arena *scratch = arena_new();
    json_writer_init(&json, out);
    json_array(&json);
    for (size_t i = 0; i < report->findings.count; i++)
        write_issue(&json, &report->findings.items[i], scratch);
    json_array_end(&json);
    json_end(&json);
    arena_release(scratch);
}
