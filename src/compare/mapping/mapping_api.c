// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/mapping_api.h"

#include "read/known_rows.h"

// The row "KIND NAME …" of the table; *other is the word after the name.
static bool find_row(const char *kind, Str name, Str *other)
{
    KnownRows rows = known_rows("mindspore_api.table");
    Str key, text;
    while (known_rows_next(&rows, &key, &text))
        if (str_equal(key, str_of(kind)) && str_equal(known_word(&text), name)) {
            *other = text;
            return true;
        }
    return false;
}

static Str other_name(Str name, const char *kind)
{
    Str other;
    return find_row(kind, name, &other) ? other : name;
}

typedef enum Home { HOME_TORCH, HOME_FUNCTIONAL, HOME_TENSOR, HOME_DISTRIBUTED, HOME_OTHER } Home;

static const char *const home_prefixes[] = {[HOME_TORCH] = "Torch",
                                            [HOME_FUNCTIONAL] = "Functional",
                                            [HOME_TENSOR] = "Tensor",
                                            [HOME_DISTRIBUTED] = "Distributed"};

// Where PyTorch has the function most likely, and what it is called there.
static Home split(Str api, Str *name)
{
    size_t dot = str_find_char(api, '.', 0);
    Str prefix = str_slice(api, 0, dot);
    if (dot == SIZE_MAX)
        return HOME_OTHER;
    *name = str_slice(api, dot + 1, api.size);
    if (str_equal(prefix, STR("Mint"))) {
        *name = other_name(*name, "function");
        return HOME_TORCH;
    }
    if (str_equal(prefix, STR("MintFunctional")))
        return HOME_FUNCTIONAL;
    if (str_equal(prefix, STR("MintDistributed")) || str_equal(prefix, STR("Distributed")))
        return HOME_DISTRIBUTED;
    if (str_equal(prefix, STR("Tensor"))) {
        *name = other_name(*name, "method");
        return HOME_TENSOR;
    }
    if (!str_equal(prefix, STR("Functional")))
        return HOME_OTHER;
    *name = other_name(*name, "function");
    Str nothing;
    return find_row("shared", *name, &nothing) ? HOME_FUNCTIONAL : HOME_TORCH;
}

static Str spell(Home home, Str name, Arena *arena)
{
    return str_printf(arena, "%s." STR_FMT, home_prefixes[home], STR_ARG(name));
}

Str mapping_api_name(Str api, Arena *arena)
{
    Str name = api;
    Home home = split(api, &name);
    return home == HOME_OTHER ? api : spell(home, name, arena);
}

static Str find_spelling(Home likely, Str name, const Names *known, Arena *arena)
{
    Str spelling = spell(likely, name, arena);
    if (names_find(known, spelling) != NAME_NONE || likely == HOME_DISTRIBUTED)
        return spelling;
    for (Home home = HOME_TORCH; home <= HOME_TENSOR; home++) {
        spelling = spell(home, name, arena);
        if (names_find(known, spelling) != NAME_NONE)
            return spelling;
    }
    return (Str){NULL, 0};
}

Str mapping_api_among(Str api, const Names *known, Arena *arena)
{
    Str name = api;
    Home home = split(api, &name);
    if (home == HOME_OTHER)
        return api;
    Str found = find_spelling(home, name, known, arena);
    if (found.size)
        return found;
    // PyTorch has aliases of its own: torch.concat, torch.greater.
    Str own = str_slice(api, str_find_char(api, '.', 0) + 1, api.size);
    found = find_spelling(home, own, known, arena);
    return found.size ? found : spell(home, name, arena);
}
