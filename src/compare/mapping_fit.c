// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping_fit.h"

#include "base/words.h"
#include "compare/mapping/mapping_cell.h"
#include "compare/mapping/mapping_layer.h"
#include "read/dump/op_name.h"

// What the names of modules are replaced by; both sides of a question live in `arena`.
typedef struct Renaming {
    const MatchOptions *match;
    const LayerPaths *plain, *renamed;
    Arena *arena;
} Renaming;

static bool renames_cell(const Renaming *renaming, const OpName *name)
{
    Str cell = name->path.size ? str_printf(renaming->arena, STR_FMT "." STR_FMT,
                                            STR_ARG(name->path), STR_ARG(name->type_name))
                               : name->type_name;
    return !str_equal(cell, mapping_cell_path(renaming->match->cells, cell, renaming->arena));
}

static unsigned fit_of_name(const Renaming *renaming, const OpName *name, unsigned open)
{
    unsigned fit = 0;
    bool module = name->kind == OP_MODULE || name->kind == OP_GRADS;
    if ((open & 1U << MAPPING_APIS) && name->kind == OP_API &&
        mapping_find_api(renaming->match->apis, name->stem))
        fit |= 1U << MAPPING_APIS;
    if ((open & 1U << MAPPING_CELLS) && module && renames_cell(renaming, name))
        fit |= 1U << MAPPING_CELLS;
    if ((open & 1U << MAPPING_LAYERS) && module &&
        !str_equal(layer_path(renaming->plain, name->path),
                   layer_path(renaming->renamed, name->path)))
        fit |= 1U << MAPPING_LAYERS;
    return fit;
}

void mapping_fit(const Comparison *comparison, const MatchOptions *match, PairFacts *out)
{
    const Dump *target = comparison->target->dump;
    Renaming renaming = {.match = match, .arena = arena_new()};
    unsigned open = (match->cells ? 1U << MAPPING_CELLS : 0) |
                    (match->apis ? 1U << MAPPING_APIS : 0) |
                    (match->layers ? 1U << MAPPING_LAYERS : 0);
    unsigned fit = comparison->matched.mapped ? 1U << MAPPING_DATA : 0;
    if (match->layers) {
        renaming.plain = layer_paths_new(target, comparison->target, NULL, renaming.arena);
        renaming.renamed =
            layer_paths_new(target, comparison->target, match->layers, renaming.arena);
    }
    for (uint32_t i = 0; i < target->op_count && (open & ~fit); i++) {
        OpName name = op_name_of(target->names, target->ops[i].name);
        fit |= fit_of_name(&renaming, &name, open & ~fit);
    }
    arena_release(renaming.arena);
    out->mapping_given = open | (match->data ? 1U << MAPPING_DATA : 0);
    out->mapping_fit = fit;
}

void mapping_note_unused(const PairFacts *pairs, size_t count, Notices *notices)
{
    static const char *const options[] = {[MAPPING_DATA] = "data",
                                          [MAPPING_CELLS] = "cell",
                                          [MAPPING_APIS] = "api",
                                          [MAPPING_LAYERS] = "layer"};
    uint32_t given = 0, fit = 0;
    for (size_t i = 0; i < count; i++) {
        given |= pairs[i].mapping_given;
        fit |= pairs[i].mapping_given ? pairs[i].mapping_fit : ~0U;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (given & ~fit & 1U << i)
            notices_add(notices, NOTICE_UNMET, NOWHERE,
                        tr("--%s-mapping: no row names anything of the target and nothing is "
                           "renamed; the first name of a row is the target's, the second golden's"),
                        options[i]);
}
