// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

#include "dump_check.h"
#include "read/dump/dump_formats.h"

// Any bytes as what other tools print, each reader whether it recognises them or not: every slot
// belongs to one op, every id is a name.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Reader {
    bool (*is)(const char *path, Str text);
    bool (*read)(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                 Notices *notices, Error *err);
} Reader;

static void read_with(const Reader *reader, Str text)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Dump dump;
    notices_init(&notices, arena);
    reader->is("printed", text);
    if (reader->read("printed", text, names_new(arena), arena, &dump, &notices, &err))
        check_dump(&dump);
    arena_release(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Reader readers[] = {
        {llama_trace_is, llama_trace_read},         {debug_mode_is, debug_mode_read},
        {paddle_log_is, paddle_log_read},           {quant_log_is, quant_log_read},
        {polygraphy_json_is, polygraphy_json_read}, {block_log_is, block_log_read},
        {probe_lines_is, probe_lines_read},         {debug_mode_json_is, debug_mode_json_read}};
    Str text = fuzz_copy(data, size);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        read_with(&readers[i], text);
    free((void *)text.data);
    return 0;
}
