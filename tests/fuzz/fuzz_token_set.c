// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare/token/token_compare.h"
#include "fuzz_input.h"
#include "read/token/token_file.h"

// Any bytes as log-probabilities: every sample lies within the arrays, and the set compared with
// itself has no token that differs.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_set(const TokenSet *set, bool both, Arena *arena)
{
    TokenComparison comparison;
    size_t next = 0;
    for (size_t i = 0; i < set->sample_count; i++) {
        const TokenSample *sample = &set->samples[i];
        if (sample->first < next || sample->first + sample->count > set->count)
            abort();
        next = sample->first + sample->count;
    }
    token_compare(set, 0, set, 0, 1.05, arena, &comparison);
    if (comparison.mean > 0 || comparison.other_ids || comparison.other_masks)
        abort();
    if (both && set->values[1])
        token_compare(set, 0, set, 1, 1.05, arena, &comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int both = 0; both < 2; both++) {
        Arena *arena = arena_new();
        TokenAsk ask = {.both = both};
        Notices notices;
        Error err;
        TokenSet set;
        notices_init(&notices, arena);
        Str text = fuzz_copy(data, size);
        if (token_set_read_text("file", text, &ask, arena, &set, &notices, &err))
            check_set(&set, both, arena);
        free((void *)text.data);
        arena_release(arena);
    }
    return 0;
}
