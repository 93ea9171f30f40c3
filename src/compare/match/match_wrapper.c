// SPDX-License-Identifier: Apache-2.0
// Which parts of module paths a wrapper adds, told by what both sides call their modules.
#include "compare/match/match_wrapper.h"

#include "base/array.h"
#include "read/dump/op_name.h"

typedef struct Modules {
    OpName *items;  // one of each stem
    size_t count, capacity;
    Names *stems, *parts;
    Names *own;        // parts that the other side does not have
    Names *unwrapped;  // stems without those
} Modules;

// The part that begins at *at, which goes after it; false at the end of the path.
static bool next_part(Str path, size_t *at, Str *part)
{
    if (*at >= path.size)
        return false;
    size_t dot = str_find_char(path, '.', *at), end = dot == SIZE_MAX ? path.size : dot;
    *part = str_slice(path, *at, end);
    *at = end + 1;
    return true;
}

static void see_module(Modules *modules, const OpName *name, Arena *arena)
{
    Str part;
    if (name->kind != OP_MODULE || names_find(modules->stems, name->stem) != NAME_NONE)
        return;
    names_add(modules->stems, name->stem);
    *ARRAY_PUSH(arena, modules) = *name;
    for (size_t at = 0; next_part(name->path, &at, &part);)
        names_add(modules->parts, part);
}

static void see_modules(const MatchSide *side, Arena *arena, Modules *out)
{
    const Names *names = side->dump->names;
    *out = (Modules){.stems = names_new(arena),
                     .parts = names_new(arena),
                     .own = names_new(arena),
                     .unwrapped = names_new(arena)};
    for (uint32_t i = 0; i < side->dump->op_count; i++) {
        OpName name = op_name_of(names, side->dump->ops[i].name);
        see_module(out, &name, arena);
    }
    for (NodeId id = 0; side->graph && id < side->graph->count; id++)
        if (side->graph->nodes[id].type == NODE_MODULE) {
            OpName name = op_name_of(names, side->graph->nodes[id].name);
            see_module(out, &name, arena);
        }
}

static bool is_number(Str part)
{
    return part.size > 0 && is_digit(part.data[0]);
}

static void find_own_parts(Modules *modules, const Modules *other)
{
    for (size_t i = 1; i <= names_count(modules->parts); i++) {
        Str part = names_text(modules->parts, (NameId)i);
        if (!is_number(part) && names_find(other->parts, part) == NAME_NONE)
            names_add(modules->own, part);
    }
}

Str wrapper_strip(const Names *parts, Str path, Arena *arena)
{
    StrBuf rest = strbuf_new(arena);
    Str part;
    for (size_t at = 0; next_part(path, &at, &part);) {
        if (names_find(parts, part) != NAME_NONE)
            continue;
        if (rest.size)
            strbuf_add_char(&rest, '.');
        strbuf_add(&rest, part);
    }
    return rest.size == path.size ? path : strbuf_str(&rest);
}

// The stem without the parts that the other side does not have; empty: it has none of them.
static Str unwrapped_stem(const Modules *modules, const OpName *name, Arena *arena)
{
    Str path = wrapper_strip(modules->own, name->path, arena);
    if (path.size == name->path.size)
        return (Str){0};
    StrBuf stem = strbuf_new(arena);
    strbuf_add(&stem, name->prefix);
    for (int i = 0; i < 2; i++) {
        Str next = i == 0 ? path : name->type_name;
        if (next.size) {
            strbuf_add_char(&stem, '.');
            strbuf_add(&stem, next);
        }
    }
    return strbuf_str(&stem);
}

static void unwrap(Modules *modules, Arena *arena)
{
    for (size_t i = 0; i < modules->count; i++) {
        Str stem = unwrapped_stem(modules, &modules->items[i], arena);
        if (stem.size)
            names_add(modules->unwrapped, stem);
    }
}

// By NameId of `unwrapped`: how many modules of this side are called so without those parts.
static uint32_t *count_unwrapped(const Modules *modules, Arena *arena)
{
    uint32_t *count = ARENA_ARRAY(arena, uint32_t, names_count(modules->unwrapped) + 1);
    for (size_t i = 0; i < modules->count; i++)
        count[names_find(modules->unwrapped, unwrapped_stem(modules, &modules->items[i], arena))]++;
    count[NAME_NONE] = 0;
    return count;
}

// A part counts as a wrapper's where more names fit the other side's without it than fall together
// with others of their own side.
static const Names *choose_parts(const Modules *modules, const Modules *other, Arena *arena)
{
    const uint32_t *count = count_unwrapped(modules, arena);
    const uint32_t *others = count_unwrapped(other, arena);
    int64_t *gain = ARENA_ARRAY(arena, int64_t, names_count(modules->own) + 1);
    for (size_t i = 0; i < modules->count; i++) {
        const OpName *name = &modules->items[i];
        Str stem = unwrapped_stem(modules, name, arena), part;
        if (stem.size == 0)
            continue;
        bool falls = names_find(modules->stems, stem) != NAME_NONE ||
                     count[names_find(modules->unwrapped, stem)] > 1;
        bool fits = names_find(other->stems, stem) != NAME_NONE ||
                    others[names_find(other->unwrapped, stem)] == 1;
        for (size_t at = 0; next_part(name->path, &at, &part);) {
            NameId own = names_find(modules->own, part);
            if (own != NAME_NONE)
                gain[own] += falls ? -1 : fits;
        }
    }
    Names *parts = NULL;
    for (size_t i = 1; i <= names_count(modules->own); i++) {
        if (gain[i] <= 0)
            continue;
        parts = parts ? parts : names_new(arena);
        names_add(parts, names_text(modules->own, (NameId)i));
    }
    return parts;
}

void wrapper_parts(const MatchSide sides[2], Arena *arena, const Names *out[2])
{
    Modules modules[2];
    for (int side = 0; side < 2; side++)
        see_modules(&sides[side], arena, &modules[side]);
    for (int side = 0; side < 2; side++) {
        find_own_parts(&modules[side], &modules[1 - side]);
        unwrap(&modules[side], arena);
    }
    for (int side = 0; side < 2; side++)
        out[side] = choose_parts(&modules[side], &modules[1 - side], arena);
}
