// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_spelling.h"

#include "compare/mapping/mapping_api.h"
#include "compare/mapping/mapping_cell.h"
#include "compare/mapping/mapping_layer.h"
#include "compare/match/match_wrapper.h"
#include "read/dump/kernel_name.h"

static bool is_mindspore(const Dump *dump)
{
    if (dump->framework == FRAMEWORK_MINDSPORE)
        return true;
    for (uint32_t i = 0; dump->framework == FRAMEWORK_UNKNOWN && i < dump->op_count; i++) {
        Str name = names_text(dump->names, dump->ops[i].name);
        if (str_starts(name, STR("Cell.")) || str_starts(name, STR("Mint")))
            return true;
    }
    return false;
}

// Modules whose writer tells no class, but their path.
static bool is_classless(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].kind == OP_MODULE)
            return op_name_of(dump->names, dump->ops[i].name).type_name.size == 0;
    return false;
}

// How the names of ops are made of the paths of their modules.
typedef enum Naming {
    NAMING_PREFIX,  // "Module.model.norm.RMSNorm"
    NAMING_PATH,    // "model.norm", "Llama.model.norm"
    NAMING_OWN      // "result_norm"
} Naming;

static Naming naming_of(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->op_count; i++) {
        OpName name = op_name_of(dump->names, dump->ops[i].name);
        if (dump->ops[i].kind != OP_MODULE || name.path.size == 0)
            continue;
        if (name.prefix.size && str_starts(name.stem, name.prefix))
            return NAMING_PREFIX;
        return str_ends(name.stem, name.path) ? NAMING_PATH : NAMING_OWN;
    }
    return NAMING_PREFIX;
}

static Names *stems_of_apis(const Dump *dump, Arena *arena)
{
    Names *stems = names_new(arena);
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].kind == OP_API)
            names_add(stems, op_name_of(dump->names, dump->ops[i].name).stem);
    return stems;
}

// Whether most of the ops are kernels of MindSpore, with their scope or without.
static bool are_kernels(const Dump *dump, bool scoped)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        Str stem = op_name_of(dump->names, dump->ops[i].name).stem;
        Str kernel = kernel_without_scope(stem);
        count += kernel.size && (kernel.size < stem.size) == scoped;
    }
    return count > dump->op_count / 2;
}

void spelling_choose(const MatchSide sides[2], const MatchOptions *options, Arena *arena,
                     Spelling out[2])
{
    bool mindspore[2] = {is_mindspore(sides[0].dump), is_mindspore(sides[1].dump)};
    bool cross = mindspore[0] != mindspore[1];
    bool classes = is_classless(sides[0].dump) == is_classless(sides[1].dump);
    bool alike = naming_of(sides[0].dump) == naming_of(sides[1].dump);
    bool merged = sides[0].dump->merged || sides[1].dump->merged;
    bool common = !cross && classes && !options->by_layers && !merged;
    const Names *wrapper[2] = {NULL, NULL};
    if (common && !options->cells)  // else the user names modules as they stand
        wrapper_parts(sides, arena, wrapper);
    for (int side = 0; side < 2; side++) {
        Spelling *spelling = &out[side];
        *spelling = (Spelling){.options = options,
                               .target = side == 1,
                               .to_pytorch = cross && mindspore[side],
                               .without_class = cross || !classes || !alike || options->by_layers,
                               .unscoped = are_kernels(sides[side].dump, true) &&
                                           are_kernels(sides[1 - side].dump, false),
                               .merged = merged,
                               .arena = arena};
        bool mapped = side == 1 && (options->cells || options->apis);
        spelling->wrapper = wrapper[side];
        spelling->plain = common && alike && !mapped && !spelling->wrapper && !spelling->unscoped;
        if (spelling->to_pytorch)
            spelling->other_stems = stems_of_apis(sides[1 - side].dump, arena);
        if (options->by_layers)
            spelling->paths = layer_paths_new(sides[side].dump, sides[side].graph,
                                              side == 1 ? options->layers : NULL, arena);
    }
}

static Str module_stem(const Spelling *spelling, const OpName *name)
{
    Str path = name->path, class = name->type_name;
    if (spelling->target && spelling->options->cells) {
        Str cell = path.size ? str_printf(spelling->arena, STR_FMT "." STR_FMT, STR_ARG(path),
                                          STR_ARG(class))
                             : class;
        cell = mapping_cell_path(spelling->options->cells, cell, spelling->arena);
        size_t dot = str_rfind_char(cell, '.');
        class = str_slice(cell, dot == SIZE_MAX ? 0 : dot + 1, cell.size);
        path = str_slice(cell, 0, dot == SIZE_MAX ? 0 : dot);
    }
    if (spelling->wrapper)
        path = wrapper_strip(spelling->wrapper, path, spelling->arena);
    if (spelling->paths)
        path = layer_path(spelling->paths, path);
    Str prefix = spelling->without_class ? STR("Module") : name->prefix;
    if (path.size == 0)
        return str_printf(spelling->arena, STR_FMT "." STR_FMT, STR_ARG(prefix), STR_ARG(class));
    if (spelling->without_class)
        return str_printf(spelling->arena, STR_FMT "." STR_FMT, STR_ARG(prefix), STR_ARG(path));
    return str_printf(spelling->arena, STR_FMT "." STR_FMT "." STR_FMT, STR_ARG(prefix),
                      STR_ARG(path), STR_ARG(class));
}

Str spelling_without_rank(Arena *arena, Str stem)
{
    size_t mark = str_find(stem, STR("_rank"), 0), end = mark;
    if (mark == SIZE_MAX)
        return stem;
    while (str_starts(str_slice(stem, end, stem.size), STR("_rank")) && end + 5 < stem.size &&
           is_digit(stem.data[end + 5]))
        for (end += 5; end < stem.size && is_digit(stem.data[end]);)
            end++;
    return end == mark
               ? stem
               : str_concat(arena, str_slice(stem, 0, mark), str_slice(stem, end, stem.size));
}

Str spelling_stem(const Spelling *spelling, const OpName *name)
{
    if (spelling->plain)
        return name->stem;
    if (spelling->unscoped) {
        Str kernel = kernel_without_scope(name->stem);
        return kernel.size ? kernel : name->stem;
    }
    if (spelling->merged && name->kind == OP_API) {
        OpName plain = *name;
        Spelling others = *spelling;
        others.merged = false;
        plain.stem = spelling_without_rank(spelling->arena, name->stem);
        return spelling_stem(&others, &plain);
    }
    if (name->kind == OP_MODULE || name->kind == OP_GRADS)
        return module_stem(spelling, name);
    if (name->kind != OP_API)
        return name->stem;
    const ApiRule *rule = spelling->target && spelling->options->apis
                              ? mapping_find_api(spelling->options->apis, name->stem)
                              : NULL;
    if (rule)
        return rule->golden_api;
    return spelling->to_pytorch
               ? mapping_api_among(name->stem, spelling->other_stems, spelling->arena)
               : name->stem;
}
