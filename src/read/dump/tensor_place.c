// SPDX-License-Identifier: Apache-2.0
#include "read/dump/tensor_place.h"

#include <string.h>

#include "base/path.h"
#include "read/dump/kernel_name.h"
#include "read/tensor/torch_state.h"
#include "read/tensor/weights_file.h"

TensorPlace tensor_place_of_weight(Str name, Arena *arena)
{
    size_t dot = str_rfind_char(name, '.');
    Str last = dot == SIZE_MAX ? STR("value") : str_slice(name, dot + 1, name.size);
    return (TensorPlace){.op = str_slice(name, 0, dot),
                         .path = str_printf(arena, "parameters." STR_FMT, STR_ARG(last)),
                         .group = GROUP_PARAMETERS};
}

// "layers.0.mlp/outputs_1_cuda_0.pt" of vLLM's logging of intermediates: module, slot, device.
static bool place_in_intermediates(Str stem, Arena *arena, TensorPlace *out)
{
    static const struct {
        const char *start, *io;
        SlotGroup group;
    } sides[] = {{"inputs", "input", GROUP_INPUT}, {"outputs", "output", GROUP_OUTPUT}};
    static const char *const devices[] = {"_cuda", "_npu", "_cpu", "_xpu", "_hpu", "_tpu"};
    Str base = path_base(stem);
    size_t device = SIZE_MAX;
    for (size_t i = 0; i < sizeof devices / sizeof *devices && device == SIZE_MAX; i++)
        device = str_find(base, str_of(devices[i]), 0);
    for (size_t i = 0; i < 2 && device != SIZE_MAX && base.size < stem.size; i++) {
        size_t start = strlen(sides[i].start);
        if (!str_starts(base, str_of(sides[i].start)) || device < start)
            continue;
        Str slot = str_replace(arena, str_slice(base, start, device), STR("_"), STR("."));
        *out = (TensorPlace){.op = path_folder(stem),
                             .path = str_printf(arena, "%s" STR_FMT, sides[i].io,
                                                STR_ARG(slot.size ? slot : STR(".0"))),
                             .group = sides[i].group};
        return true;
    }
    return false;
}

TensorPlace tensor_place_of_file(Str file, Arena *arena)
{
    static const struct {
        const char *part, *shown;
        SlotGroup group;
    } groups[] = {
        {".input.", "input.", GROUP_INPUT},    {".kwargs.", "input.", GROUP_KWARGS},
        {".output.", "output.", GROUP_OUTPUT}, {".parameters.", "parameters.", GROUP_PARAMETERS},
        {"-input.", "input.", GROUP_INPUT},    {"-output.", "output.", GROUP_OUTPUT}};
    KernelFile kernel;
    if (kernel_file_parse(file, &kernel))
        return (TensorPlace){
            .op = kernel.op,
            .path =
                str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(kernel.io), STR_ARG(kernel.slot)),
            .group = str_equal(kernel.io, STR("output")) ? GROUP_OUTPUT : GROUP_INPUT,
            .task = kernel.task,
            .dtype = kernel.dtype};
    Str stem = str_slice(file, 0, str_rfind_char(file, '.'));
    TensorPlace intermediate;
    if (place_in_intermediates(stem, arena, &intermediate))
        return intermediate;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        size_t at = str_find(stem, str_of(groups[i].part), 0);
        if (at == SIZE_MAX)
            continue;
        Str rest = str_slice(stem, at + strlen(groups[i].part), stem.size);
        return (TensorPlace){.op = str_slice(stem, 0, at),
                             .path =
                                 str_printf(arena, "%s" STR_FMT, groups[i].shown, STR_ARG(rest)),
                             .group = groups[i].group};
    }
    return (TensorPlace){.op = stem, .path = STR("value"), .group = GROUP_INPUT};
}

TensorPlace tensor_place_of_array(Str file, Str name, Arena *arena)
{
    TensorPlace out = weights_has_name(name)
                          ? tensor_place_of_weight(name, arena)
                          : tensor_place_of_file(str_concat(arena, name, STR(".npy")), arena);
    if (out.group == GROUP_INPUT && str_equal(out.path, STR("value"))) {
        out.path = STR("output.0");
        out.group = GROUP_OUTPUT;
        out.module = true;
    }
    if (file.size)
        out.op =
            str_printf(arena, STR_FMT "/" STR_FMT,
                       STR_ARG(str_slice(file, 0, str_rfind_char(file, '.'))), STR_ARG(out.op));
    return out;
}

// "output.0" for the whole value, "output.0.1" for what lies deeper.
static Str slot_below(const char *io, Str rest, Arena *arena)
{
    return rest.size ? str_printf(arena, "%s" STR_FMT, io, STR_ARG(rest))
                     : str_printf(arena, "%s.0", io);
}

static TensorPlace place_in_pass(Str name, size_t key_size, int64_t pass, Arena *arena)
{
    Str key = str_slice(name, 0, key_size);
    return (TensorPlace){.op = key,
                         .path = slot_below("output", str_slice(name, key_size, name.size), arena),
                         .group = GROUP_OUTPUT,
                         .module = true,
                         .call = pass,
                         .leads_off = str_find(key, STR(".forward_batch_info."), 0) != SIZE_MAX};
}

// "non_intrusive__model.layers.0.mlp.inputs.0": the module, and the slot.
static bool place_in_module(Str name, Str rest, Arena *arena, TensorPlace *out)
{
    static const struct {
        const char *part, *io;
        SlotGroup group;
    } sides[] = {{".inputs", "input", GROUP_INPUT}, {".output", "output", GROUP_OUTPUT}};
    static const char prefix[] = "non_intrusive__";
    if (!str_starts(name, str_of(prefix)))
        return false;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        // The last one, after which stands no module.
        size_t at = SIZE_MAX, next = 0;
        while ((next = str_find(name, str_of(sides[i].part), next)) != SIZE_MAX)
            at = next++;
        if (at == SIZE_MAX)
            continue;
        Str below = str_slice(name, at + strlen(sides[i].part), name.size);
        if (below.size && below.data[0] != '.')
            continue;
        out->op = str_slice(name, strlen(prefix), at);
        out->path = slot_below(sides[i].io, str_concat(arena, below, rest), arena);
        out->group = sides[i].group;
        return out->op.size > 0;
    }
    return false;
}

// What is distinguished by tags ("layer_id=3"), those aside that number the run.
static Str tags_of(Str stem, Str *name, int64_t *rank, Arena *arena)
{
    StrBuf tags = strbuf_new(arena);
    Str rest = stem;
    while (rest.size) {
        size_t end = str_find(rest, STR("___"), 0);
        Str tag = str_slice(rest, 0, end);
        rest = end == SIZE_MAX ? STR("") : str_slice(rest, end + 3, rest.size);
        size_t equals = str_find_char(tag, '=', 0);
        Str key = str_slice(tag, 0, equals);
        Str value = equals == SIZE_MAX ? STR("") : str_slice(tag, equals + 1, tag.size);
        if (str_equal(key, STR("name")))
            *name = value;
        else if (str_equal(key, STR("rank")))
            str_to_int64(value, rank);
        else if (!STR_IN(key, "step", "dump_index") && !str_ends(key, STR("_rank")) &&
                 !str_equal(value, STR("disabled")))
            strbuf_printf(&tags, "." STR_FMT, STR_ARG(tag));
    }
    return strbuf_str(&tags);
}

// Ops of ranks from `first_named` on bear the rank.
static TensorPlace place_in_dumper(Str file, Str part, int64_t first_named, Arena *arena)
{
    Str stem = str_slice(str_behind(file, '/'), 0, str_behind(file, '/').size - strlen(".pt"));
    Str name = {0}, rest = str_slice(part, strlen("value"), part.size);
    int64_t rank = 0;
    TensorPlace out = {.path = STR("value"), .group = GROUP_INPUT, .module = true, .call = -1};
    Str tags = tags_of(stem, &name, &rank, arena);
    if (!str_starts(part, STR("value")) || (rest.size && rest.data[0] != '.'))
        return (TensorPlace){0};
    if (!place_in_module(name, rest, arena, &out)) {
        out.op = name;
        out.path = slot_below("output", rest, arena);
        out.group = GROUP_OUTPUT;
    }
    out.op = str_concat(arena, out.op, tags);
    out.module = first_named > 0;
    if (rank >= first_named)
        out.op = str_printf(arena, "rank%lld/" STR_FMT, (long long)rank, STR_ARG(out.op));
    return out;
}

TensorPlace tensor_place_of_part(Str file, Str name, size_t key_size, bool lacking, Arena *arena)
{
    int64_t pass;
    Str base = str_behind(file, '/');
    if (torch_state_is_pass(file, &pass))
        return place_in_pass(name, key_size, pass, arena);
    if (str_find(base, STR("___name="), 0) != SIZE_MAX || str_starts(base, STR("name=")))
        return place_in_dumper(file, name, lacking ? 0 : 1, arena);
    return (TensorPlace){
        .op = str_slice(file, 0, str_rfind_char(file, '.')), .path = name, .group = GROUP_INPUT};
}

TensorPlace tensor_place_of_shards(Str file, Arena *arena)
{
    return place_in_dumper(file, STR("value"), INT64_MAX, arena);
}
