// SPDX-License-Identifier: Apache-2.0
#include "compare/dtype_map.h"

#include "base/array.h"
#include "base/words.h"
#include "read/dump/op_name.h"

enum { NAMES_TOLD = 4 };

typedef struct Computed {
    Str path, dtype;
} Computed;

// The modules of one class on one side.
typedef struct ClassMap {
    Computed *items;
    size_t count, capacity;
} ClassMap;

typedef struct Maps {
    Arena *arena;
    Names *classes;
    ClassMap *of[2];  // by class
    size_t count[2];
} Maps;

static Str plain(Str dtype)
{
    return str_starts(dtype, STR("torch.")) ? str_slice(dtype, 6, dtype.size) : dtype;
}

static void take_side(Maps *maps, const Dump *dump, int side)
{
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        if (op->kind != OP_MODULE || op->direction != DIR_FORWARD || op->call > 0)
            continue;
        OpName name = op_name_of(dump->names, op->name);
        if (name.type_name.size == 0)
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            if (!slot_is_output_tensor(&dump->slots[k]) || dump->slots[k].dtype == NAME_NONE)
                continue;
            NameId id = names_add(maps->classes, name.type_name);
            ClassMap *map = &ARRAY_REACH(maps->arena, maps->of[side], maps->count[side], id)[id];
            *ARRAY_PUSH(maps->arena, map) =
                (Computed){name.path, plain(names_text(dump->names, dump->slots[k].dtype))};
            break;
        }
    }
}

static ClassMap class_at(const Maps *maps, int side, NameId id)
{
    return id < maps->count[side] ? maps->of[side][id] : (ClassMap){0};
}

// Whether a module that both sides hold computes in two types.
static bool differ(const ClassMap *a, const ClassMap *b)
{
    Arena *scratch = arena_new();
    Names *paths = names_new(scratch);
    const Computed **first = ARENA_ARRAY(scratch, const Computed *, b->count + 1);
    for (size_t i = 0; i < b->count; i++) {
        NameId id = names_add(paths, b->items[i].path);
        first[id] = first[id] ? first[id] : &b->items[i];
    }
    bool found = false;
    for (size_t i = 0; i < a->count && !found; i++) {
        NameId id = names_find(paths, a->items[i].path);
        found = id != NAME_NONE && !str_equal_nocase(a->items[i].dtype, first[id]->dtype);
    }
    arena_release(scratch);
    return found;
}

static Str commonest(const ClassMap *map)
{
    Arena *scratch = arena_new();
    Names *dtypes = names_new(scratch);
    size_t *counts = ARENA_ARRAY(scratch, size_t, map->count + 1);
    const Computed *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < map->count; i++) {
        NameId id = names_add(dtypes, map->items[i].dtype);
        if (++counts[id] > most) {
            most = counts[id];
            best = &map->items[i];
        }
    }
    arena_release(scratch);
    return best ? best->dtype : STR("");
}

// "40 of 41 (not lm_head)"
static Str share(const ClassMap *map, Str dtype, Arena *arena)
{
    size_t off = 0;
    StrBuf names = strbuf_new(arena);
    for (size_t i = 0; i < map->count; i++)
        if (!str_equal_nocase(map->items[i].dtype, dtype) && off++ < NAMES_TOLD)
            strbuf_printf(&names, "%s" STR_FMT, off > 1 ? ", " : "", STR_ARG(map->items[i].path));
    if (off > NAMES_TOLD)
        strbuf_printf(&names, ", ...");
    return off ? str_printf(arena, tr("%zu of %zu (not " STR_FMT ")"), map->count - off, map->count,
                            STR_ARG(strbuf_str(&names)))
               : str_printf(arena, tr("%zu of %zu"), map->count, map->count);
}

static bool is_mixed(const ClassMap *map)
{
    for (size_t i = 1; i < map->count; i++)
        if (!str_equal_nocase(map->items[i].dtype, map->items[0].dtype))
            return true;
    return false;
}

size_t dtype_map_tell(const Dump *golden, const Dump *target, Notices *notices)
{
    size_t common = 0;
    Arena *arena = arena_new();
    Maps maps = {.arena = arena, .classes = names_new(arena)};
    take_side(&maps, golden, 0);
    if (target)
        take_side(&maps, target, 1);
    for (NameId id = 1; id <= names_count(maps.classes); id++) {
        ClassMap a = class_at(&maps, 0, id), b = class_at(&maps, 1, id);
        Str dtype = commonest(&a), name = names_text(maps.classes, id);
        common += a.count && b.count;
        if (!target && is_mixed(&a))
            notices_add(notices, NOTICE_TOLD, NOWHERE,
                        tr("modules of class " STR_FMT " that compute in " STR_FMT ": " STR_FMT),
                        STR_ARG(name), STR_ARG(dtype), STR_ARG(share(&a, dtype, arena)));
        else if (target && differ(&a, &b))
            notices_add(notices, NOTICE_TOLD, NOWHERE,
                        tr("modules of class " STR_FMT " that compute in " STR_FMT
                           ": golden " STR_FMT ", target " STR_FMT),
                        STR_ARG(name), STR_ARG(dtype), STR_ARG(share(&a, dtype, arena)),
                        STR_ARG(share(&b, dtype, arena)));
    }
    arena_release(arena);
    return common;
}
