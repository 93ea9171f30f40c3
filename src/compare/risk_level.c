// SPDX-License-Identifier: Apache-2.0
#include "compare/risk_level.h"

#include "read/known_rows.h"

void risk_names_read(Arena *arena, RiskNames *out)
{
    KnownRows rows = known_rows("risk_level.table");
    Str key, text;
    *out = (RiskNames){names_new(arena), names_new(arena)};
    while (known_rows_next(&rows, &key, &text))
        while (text.size)
            names_add(str_equal(key, STR("low")) ? out->low : out->core, known_word(&text));
}

// "linalg.matmul" of "Torch.linalg.matmul".
static bool holds(const Names *names, Str stem)
{
    size_t dot = str_find_char(stem, '.', 0);
    return names_find(names, str_slice(stem, dot == SIZE_MAX ? 0 : dot + 1, stem.size)) !=
           NAME_NONE;
}

bool risk_level_low(const RiskNames *names, Str stem)
{
    return holds(names->low, stem);
}

bool risk_level_core(const RiskNames *names, Str stem)
{
    if (STR_ANY(stem, str_starts, "Distributed.", "NPU.", "MindSpeed"))
        return true;
    return holds(names->core, stem);
}
