// SPDX-License-Identifier: Apache-2.0
#include "model/graph/graph_builder.h"

// Backward parents are unreliable: modules that work in place never report their end, so later
// nodes nest ever deeper. The forward twin knows better (docs/spec/graph.md §2.5).

static bool is_count(Str text)
{
    uint64_t value;
    return str_to_uint64(text, &value);
}

// The last segment and what stands before it.
static Str cut_last(Str name, Str *rest)
{
    size_t dot = str_rfind_char(name, '.');
    *rest = str_slice(name, 0, dot == SIZE_MAX ? 0 : dot);
    return str_slice(name, dot == SIZE_MAX ? 0 : dot + 1, name.size);
}

static Str without_last(Str name, int segments)
{
    for (int i = 0; i < segments; i++)
        cut_last(name, &name);
    return name;
}

static int count_segments(Str name)
{
    int count = 1;
    for (size_t i = 0; i < name.size; i++)
        count += name.data[i] == '.';
    return count;
}

// "X.<from>.7" → "X.<to>.7"; the empty text if the name has another form.
static Str swap_module_direction(Str name, Str from, Str to, Arena *arena)
{
    Str rest, stem;
    Str count = cut_last(name, &rest);
    Str direction = cut_last(rest, &stem);
    if (!is_count(count) || stem.size == 0 || !str_equal(direction, from))
        return (Str){"", 0};
    Str head = str_slice(name, 0, stem.size + 1), tail = str_slice(name, rest.size, name.size);
    return str_concat(arena, head, str_concat(arena, to, tail));
}

static Str swap_direction(Str name, Str from, Str to, Arena *arena)
{
    Str swapped = swap_module_direction(name, from, to, arena);
    Str rest;
    if (swapped.size == 0 && str_equal(cut_last(name, &rest), from))
        swapped = str_replace(arena, name, from, to);
    return swapped;
}

NameId twin_name(const Builder *builder, NameId name)
{
    const Names *names = builder->graph->dump->names;
    Str text = names_text(names, name);
    Str twin = swap_direction(text, STR("backward"), STR("forward"), builder->scratch);
    if (twin.size == 0)
        twin = swap_direction(text, STR("forward"), STR("backward"), builder->scratch);
    return twin.size ? names_find(names, twin) : NAME_NONE;
}

static bool is_key(const Builder *builder, NameId name)
{
    return name != NAME_NONE && builder_entry(builder, name) != NULL;
}

// The parent of the forward twin, turned into its backward form; NAME_NONE if that is no key.
static NameId backward_of_parent(const Builder *builder, const ConstructEntry *forward, bool module)
{
    const Names *names = builder->graph->dump->names;
    Str parent = names_text(names, forward->parent);
    Str backward =
        module ? swap_module_direction(parent, STR("forward"), STR("backward"), builder->scratch)
               : str_replace(builder->scratch, parent, STR("forward"), STR("backward"));
    NameId name = backward.size ? names_find(names, backward) : NAME_NONE;
    return is_key(builder, name) ? name : NAME_NONE;
}

// A recorded parent that does not fit: its own path is not that of the child less one level.
static bool parent_fits(Str child, Str parent)
{
    if (count_segments(child) < 5 || count_segments(parent) < 4)
        return true;
    return str_equal(without_last(child, 4), without_last(parent, 3));
}

NameId parent_repair(const Builder *builder, const ConstructEntry *entry)
{
    const Names *names = builder->graph->dump->names;
    Str child = names_text(names, entry->child);
    bool module =
        swap_module_direction(child, STR("backward"), STR("forward"), builder->scratch).size > 0;
    bool api = !module && str_ends(child, STR(".backward"));
    if (!module && !api)
        return entry->parent;
    if (entry->parent != NAME_NONE && (api || parent_fits(child, names_text(names, entry->parent))))
        return entry->parent;
    NameId twin = twin_name(builder, entry->child);
    const ConstructEntry *forward = twin == NAME_NONE ? NULL : builder_entry(builder, twin);
    if (!forward)
        return entry->parent;
    if (forward->parent == NAME_NONE)
        return NAME_NONE;
    NameId repaired = backward_of_parent(builder, forward, module);
    return repaired != NAME_NONE ? repaired : entry->parent;
}
