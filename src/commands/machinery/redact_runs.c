// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/redact_runs.h"

static void redact_file(const char **file, const Redaction *redaction, Arena *arena)
{
    if (*file)
        *file = str_cstr(arena, redact_path(redaction, str_of(*file), arena));
}

static void redact_run(Run *run, const Redaction *redaction, Arena *arena)
{
    for (size_t i = 0; i < run->file_count; i++)
        redact_file(&run->files[i], redaction, arena);
    for (size_t i = 0; i < run->series_count; i++)
        redact_file(&run->series[i].file, redaction, arena);
    for (size_t i = 0; i < run->events.count; i++) {
        Event *event = &run->events.items[i];
        redact_file(&event->file, redaction, arena);
        event->text = STR("");
    }
}

void redact_runs(Runs *runs, const Redaction *redaction, Arena *arena)
{
    for (size_t i = 0; redaction && i < runs->count; i++)
        redact_run(&runs->items[i], redaction, arena);
}
