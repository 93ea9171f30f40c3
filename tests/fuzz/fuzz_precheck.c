// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/precheck/precheck_file.h"

// Any bytes as the CSV of a pre-check: every row is counted in one finding, and the worst stand
// first.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const Precheck *of)
{
    size_t rows = 0, counted = 0;
    for (size_t i = 0; i < of->count; i++) {
        rows += of->items[i].rows;
        if (i > 0 && of->items[i].status > of->items[i - 1].status)
            abort();
    }
    for (size_t i = 0; i < PRECHECK_STATUSES; i++)
        counted += of->counts[i];
    // A row of a result says something of two directions, or of none.
    if (counted != of->count || (!of->files[PRECHECK_RESULT] && rows != of->rows))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Precheck precheck;
    notices_init(&notices, arena);
    precheck_init(arena, &precheck);
    Str text = fuzz_copy(data, size);
    bool good = precheck_read_text("file", text, arena, &precheck, &notices, &err);
    free((void *)text.data);
    if (good) {
        precheck_sort(&precheck);
        check(&precheck);
    }
    arena_release(arena);
    return 0;
}
