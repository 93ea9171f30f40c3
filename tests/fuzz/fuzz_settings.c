// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "read/settings/toml_file.h"

// Any bytes as a file of settings: every entry has a key and a line, and values of its kind.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t lines_of(Str text)
{
    size_t lines = 1;
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str text = fuzz_copy(data, size);
    size_t lines = lines_of(text);
    TomlFile toml;
    Error err;
    bool good = toml_read_text("vernier.toml", text, arena, &toml, &err);
    free((void *)(uintptr_t)text.data);
    demand(good || (err.kind == ERR_USAGE && err.line >= 1 && err.line <= lines));
    for (size_t i = 0; good && i < toml.count; i++) {
        const TomlEntry *entry = &toml.items[i];
        demand(entry->key.size && entry->line >= 1 && entry->line <= lines);
        demand(entry->kind == TOML_LIST || entry->count == 1);
        for (size_t k = 0; k < entry->count; k++)
            demand(str_find_char(entry->items[k], '\n', 0) == SIZE_MAX);
    }
    arena_release(arena);
    return 0;
}
