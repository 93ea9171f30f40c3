// SPDX-License-Identifier: Apache-2.0
#include "read/dump/kernel_name.h"

#include "base/array.h"

static const struct {
    const char *written, *shown;
} dtypes[] = {
    {"float", "Float32"},     {"float32", "Float32"},     {"float16", "Float16"},
    {"float64", "Float64"},   {"double", "Float64"},      {"bf16", "BFloat16"},
    {"bfloat16", "BFloat16"}, {"bool", "Bool"},           {"int8", "Int8"},
    {"int16", "Int16"},       {"int32", "Int32"},         {"int64", "Int64"},
    {"uint8", "UInt8"},       {"uint16", "UInt16"},       {"uint32", "UInt32"},
    {"uint64", "UInt64"},     {"complex64", "Complex64"}, {"complex128", "Complex128"},
};

Str kernel_dtype(Str written)
{
    Str name = str_starts(written, STR("DT_")) ? str_slice(written, 3, written.size) : written;
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (str_equal_nocase(name, str_of(dtypes[i].written)))
            return str_of(dtypes[i].shown);
    return written;
}

// The last part of *text, which loses it; empty: there is no dot left.
static Str cut_part(Str *text)
{
    size_t dot = str_rfind_char(*text, '.');
    if (dot == SIZE_MAX)
        return (Str){0};
    Str part = str_slice(*text, dot + 1, text->size);
    *text = str_slice(*text, 0, dot);
    return part;
}

static bool is_number(Str text)
{
    uint64_t ignored;
    return str_to_uint64(text, &ignored);
}

bool kernel_file_parse(Str file, KernelFile *out)
{
    Str rest = str_behind(file, '/');
    *out = (KernelFile){.time = 0};
    if (!str_equal(cut_part(&rest), STR("npy")))
        return false;
    Str last = cut_part(&rest), slot = cut_part(&rest);
    if (!is_number(slot)) {  // it was the format, and `last` the dtype
        out->dtype = last;
        slot = cut_part(&rest);
    }
    out->slot = slot;
    out->io = cut_part(&rest);
    Str time = cut_part(&rest);
    out->stream = cut_part(&rest);
    out->task = cut_part(&rest);
    size_t dot = str_find_char(rest, '.', 0);
    out->type = str_slice(rest, 0, dot);
    out->op = dot == SIZE_MAX ? STR("") : str_slice(rest, dot + 1, rest.size);
    return out->op.size && is_number(slot) && STR_IN(out->io, "input", "output") &&
           str_to_uint64(time, &out->time) && is_number(out->stream) && is_number(out->task);
}

KernelCalls kernel_calls_new(Arena *arena)
{
    return (KernelCalls){.arena = arena, .keys = names_new(arena)};
}

static uint32_t *count_of(KernelCalls *calls, Str key)
{
    NameId id = names_add(calls->keys, key);
    return &ARRAY_REACH(calls->arena, calls->seen, calls->count, id)[id];
}

Str kernel_calls_op(KernelCalls *calls, Str op, Str task, Str io, Str slot)
{
    Arena *arena = calls->arena;
    Str of_task = str_printf(arena, STR_FMT "|" STR_FMT, STR_ARG(op), STR_ARG(task));
    uint32_t again = (*count_of(calls, str_printf(arena, STR_FMT "|" STR_FMT "|" STR_FMT,
                                                  STR_ARG(of_task), STR_ARG(io), STR_ARG(slot))))++;
    // Number of the call, plus one; 0: its first tensor.
    uint32_t call = *count_of(calls, str_printf(arena, STR_FMT "|%u", STR_ARG(of_task), again));
    if (call == 0) {
        call = ++*count_of(calls, op);
        *count_of(calls, str_printf(arena, STR_FMT "|%u", STR_ARG(of_task), again)) = call;
    }
    bool gradient = str_starts(op, STR("Gradients"));
    return str_printf(arena, STR_FMT ".%u.%s", STR_ARG(op), call - 1,
                      gradient ? "backward" : "forward");
}
