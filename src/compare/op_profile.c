// SPDX-License-Identifier: Apache-2.0
#include "compare/op_profile.h"

#include <math.h>
#include <string.h>

#include "compare/judge/op_error.h"

// Half a unit of the third digit: 0.009999 prints as 1.00e-02 and counts as such.
static const double PRINTED = 1.0005;

static char letter_of(const Comparison *comparison, const OpPair *op)
{
    if (op->status == STATUS_NO_DATA)
        return PROFILE_NOTHING;
    if (!status_differs((Status)op->status))
        return PROFILE_CALM;
    bool out = status_differs((Status)op->output_status);
    double error = out ? op->error_out : op->error_in;
    ErrorWord word = op_error_word(comparison, op, out ? OP_OUTPUTS : OP_INPUTS);
    if (word != ERROR_WORD_NONE || !isfinite(error) || error <= 0)
        return PROFILE_WORST;
    double decade = floor(log10(error * PRINTED)) + 8;
    return (char)('0' + (decade < 0 ? 0 : decade > 8 ? 8 : (int)decade));
}

// Letters by how bad they are.
static int weight(char letter)
{
    return letter == PROFILE_NOTHING ? 0 : letter == PROFILE_CALM ? 1 : letter - '0' + 2;
}

Str op_profile(const Comparison *comparison, Arena *arena)
{
    uint64_t ops = comparison->target->dump->op_count;
    size_t bins = ops < PROFILE_BINS ? (size_t)ops : PROFILE_BINS;
    char *letters = ARENA_ARRAY(arena, char, bins + 1);
    memset(letters, PROFILE_NOTHING, bins);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->target == OP_NONE)
            continue;
        char *at = &letters[op_profile_bin(op->target, ops, bins)];
        char letter = letter_of(comparison, op);
        *at = weight(letter) > weight(*at) ? letter : *at;
    }
    return (Str){letters, bins};
}
