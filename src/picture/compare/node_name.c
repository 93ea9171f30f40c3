// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/node_name.h"

#include "base/utf8.h"
#include "compare/judge/tree_row.h"
#include "read/dump/op_name.h"

static Str row_name_text(const Comparison *comparison, uint32_t row)
{
    return tree_row_name(comparison, &comparison->tree[row]);
}

static OpName row_name_parts(const Comparison *comparison, uint32_t row)
{
    return tree_row_op_name(comparison, &comparison->tree[row]);
}

// "blocks.2.attn.qkv" below "blocks.2.attn" is "qkv".
static Str below(Str path, Str parent)
{
    if (parent.size && path.size > parent.size + 1 && str_starts(path, parent) &&
        path.data[parent.size] == '.')
        return str_slice(path, parent.size + 1, path.size);
    return path;
}

static Str last_parts(Str path, int parts)
{
    size_t from = path.size;
    while (parts-- > 0) {
        size_t dot = str_rfind_char(str_slice(path, 0, from), '.');
        if (dot == SIZE_MAX)
            return path;
        from = dot;
    }
    return str_slice(path, from + 1, path.size);
}

static Str with_call(Str name, int32_t call, int32_t usual, Arena *arena)
{
    if (call < 0 || call == usual)
        return name;
    return str_printf(arena, STR_FMT " #%d", STR_ARG(name), (int)call);
}

// The first call of a module in each micro step is the usual one and is not numbered.
static NodeName name_parts(Str full, OpName parts, Str parent_path, int32_t usual_call,
                           Arena *arena)
{
    NodeName out = {.full = utf8_display(full, arena)};
    switch (parts.kind) {
    case OP_MODULE:
        out.local = parts.path.size ? below(parts.path, parent_path) : parts.type_name;
        out.class_name = parts.path.size ? parts.type_name : (Str){0};
        if (str_find(full, parts.path, 0) == SIZE_MAX)  // the verdict has its own name: ffn_up-2
            out.class_name = full;
        out.local = with_call(out.local, parts.call, usual_call, arena);
        break;
    case OP_API:
        out.local = parts.type_name;
        if (parts.call >= 0)
            out.local = str_printf(arena, STR_FMT ".%d", STR_ARG(parts.type_name), (int)parts.call);
        out.class_name = parts.prefix;
        break;
    case OP_GRADS:
        out.local = with_call(STR("parameters_grad"), parts.call, 0, arena);
        if (str_equal(parts.path, parent_path))
            break;
        out.class_name = parts.path;
        break;
    default:
        out.local = full;
    }
    if (!out.local.size)
        out.local = out.full;
    out.local = utf8_display(out.local, arena);
    out.class_name = utf8_display(out.class_name, arena);
    return out;
}

static int32_t usual_call(const Comparison *comparison, uint32_t row)
{
    const TreeNode *at = &comparison->tree[row];
    const Graph *graph = at->target != NODE_NONE ? comparison->target : comparison->golden;
    NodeId node = at->target != NODE_NONE ? at->target : at->golden;
    return node == NODE_NONE ? 0 : (int32_t)graph->nodes[node].micro_step;
}

NodeName node_name(const Comparison *comparison, uint32_t row, Arena *arena)
{
    uint32_t parent = comparison->tree[row].parent;
    Str parent_path = {0};
    if (parent != PAIR_NONE)
        parent_path = row_name_parts(comparison, parent).path;
    return name_parts(row_name_text(comparison, row), row_name_parts(comparison, row), parent_path,
                      usual_call(comparison, row), arena);
}

static NodeName loose(Str full, OpName parts, Arena *arena)
{
    NodeName out = name_parts(full, parts, (Str){0}, 0, arena);
    if (parts.kind == OP_MODULE)
        out.local = last_parts(out.local, 2);
    return out;
}

NodeName name_loose(Str full, Arena *arena)
{
    return loose(full, op_name_parse(full), arena);
}

static NameId op_name_id(const Comparison *comparison, uint32_t op, const Names **names)
{
    const OpPair *pair = &comparison->ops[op];
    bool target = pair->target != OP_NONE;
    const Dump *dump = (target ? comparison->target : comparison->golden)->dump;
    uint32_t index = target ? pair->target : pair->golden;
    *names = dump->names;
    return index == OP_NONE ? NAME_NONE : dump->ops[index].name;
}

Str op_full_name(const Comparison *comparison, uint32_t op, Arena *arena)
{
    const Names *names;
    NameId id = op_name_id(comparison, op, &names);
    return utf8_display(names_text(names, id), arena);
}

NodeName op_name_loose(const Comparison *comparison, uint32_t op, Arena *arena)
{
    const Names *names;
    NameId id = op_name_id(comparison, op, &names);
    return loose(names_text(names, id), op_name_of(names, id), arena);
}

Str node_module_path(const Comparison *comparison, uint32_t row, Arena *arena)
{
    for (uint32_t at = row; at != PAIR_NONE; at = comparison->tree[at].parent) {
        OpName parts = row_name_parts(comparison, at);
        if (parts.kind == OP_MODULE && at != row)
            return utf8_display(parts.path.size ? parts.path : parts.type_name, arena);
    }
    return (Str){0};
}

// The last part of a module's path tells repeats apart from strangers: "0", "1" of a list, but not
// "ln_1" from "ln_2".
static Str pattern_part(const OpName *parts)
{
    Str last = last_parts(parts->path, 1);
    int64_t number;
    return !str_to_int64(last, &number) ? last : (Str){0};
}

bool node_alike(const Comparison *comparison, uint32_t a, uint32_t b)
{
    OpName x = row_name_parts(comparison, a);
    OpName y = row_name_parts(comparison, b);
    return x.kind == y.kind && x.direction == y.direction && str_equal(x.prefix, y.prefix) &&
           str_equal(x.type_name, y.type_name) && str_equal(pattern_part(&x), pattern_part(&y));
}

static uint64_t add_text(uint64_t hash, Str text)
{
    for (size_t i = 0; i <= text.size; i++)  // with an end, so that parts do not run together
        hash = (hash ^ (i < text.size ? (uint8_t)text.data[i] : 0)) * 0x100000001B3U;
    return hash;
}

uint64_t node_alike_key(const Comparison *comparison, uint32_t row)
{
    OpName name = row_name_parts(comparison, row);
    uint64_t hash = 0xCBF29CE484222325U ^ (uint64_t)name.kind << 8 ^ (uint64_t)name.direction;
    return add_text(add_text(add_text(hash, name.prefix), name.type_name), pattern_part(&name));
}

Str node_kind_name(const Comparison *comparison, uint32_t row, Arena *arena)
{
    OpName parts = row_name_parts(comparison, row);
    Str name = parts.type_name;
    if (parts.kind == OP_API)
        name =
            str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(parts.prefix), STR_ARG(parts.type_name));
    else if (parts.kind == OP_GRADS)
        name = STR("parameters_grad");
    return utf8_display(name.size ? name : parts.stem, arena);
}
