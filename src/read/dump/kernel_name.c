// SPDX-License-Identifier: Apache-2.0
#include "read/dump/kernel_name.h"

#include "base/array.h"
#include "base/file.h"
#include "base/names.h"
#include "base/words.h"
#include "read/json/json_tree.h"

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

Str kernel_without_scope(Str op)
{
    size_t end = op.size;
    while (end > 0 && is_digit(op.data[end - 1]))
        end--;
    size_t mark = end < 3 ? 0 : end - 3, from = mark;
    if (end == op.size || !mark || !str_equal(str_slice(op, mark, end), STR("-op")))
        return STR("");
    while (from > 0 && (is_letter(op.data[from - 1]) || is_digit(op.data[from - 1])))
        from--;
    return from == mark ? STR("") : str_slice(op, from, op.size);
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

// A full name as names of files can hold it: "Default/fc-Dense/MatMul-op7" and
// "Default--fc-Dense--MatMul-op7" as "Default_fc-Dense_MatMul-op7".
static Str flat(Str name, Arena *arena)
{
    return str_replace(arena, str_replace(arena, name, STR("/"), STR("_")), STR("--"), STR("_"));
}

// By name: the line, plus one; 0: unknown or of several.
typedef struct Order {
    Names *names;
    size_t *line;
    size_t count;
} Order;

static void add_name(Order *order, Str name, size_t line, Arena *arena)
{
    bool known = names_find(order->names, name) != NAME_NONE;
    NameId id = names_add(order->names, name);
    ARRAY_REACH(arena, order->line, order->count, id)[id] = known ? 0 : line;
}

static bool read_order(const char *path, Arena *arena, Order *out)
{
    File file;
    Error ignored;
    Str line;
    *out = (Order){.names = names_new(arena)};
    if (file_kind(path) != FILE_REGULAR || !file_open(path, &file, &ignored))
        return false;
    Str rest = file.text;
    for (size_t number = 1; str_split(&rest, '\n', &line); number++) {
        line = str_trim(line);
        if (number == 1 || line.size == 0)
            continue;
        add_name(out, flat(line, arena), number, arena);
        if (str_find_char(line, '/', 0) != SIZE_MAX)
            add_name(out, str_behind(line, '/'), number, arena);
    }
    file_close(&file);
    return true;
}

// One kernel, called once, has one task.
static bool place_of(const Order *order, Names *tasks, const KernelTensor *tensor, Arena *arena,
                     uint64_t *out)
{
    NameId id = names_find(order->names, flat(tensor->op, arena));
    if (id == NAME_NONE || !order->line || order->line[id] == 0)
        return false;
    Str own = str_printf(arena, "%zu", order->line[id]);
    Str task = str_printf(arena, "%zu " STR_FMT, order->line[id], STR_ARG(tensor->task));
    bool again = names_find(tasks, own) != NAME_NONE && names_find(tasks, task) == NAME_NONE;
    names_add(tasks, own);
    names_add(tasks, task);
    *out = order->line[id] * 2 + tensor->output;
    return !again;
}

void kernel_order_read(const char *folder, KernelTensor *tensors, size_t count)
{
    Arena *arena = arena_new();
    Str graph = path_folder(str_of(folder));
    Order order;
    const char *path =
        path_join(arena, str_cstr(arena, path_folder(path_folder(graph))),
                  str_printf(arena, "execution_order/ms_execution_order_graph_" STR_FMT ".csv",
                             STR_ARG(path_base(graph))));
    Names *tasks = names_new(arena);
    uint64_t *places = ARENA_ARRAY(arena, uint64_t, count + 1);
    bool known = read_order(path, arena, &order);
    for (size_t i = 0; i < count && known; i++)
        known = place_of(&order, tasks, &tensors[i], arena, &places[i]);
    for (size_t i = 0; i < count && known; i++)
        tensors[i].time = places[i];
    arena_release(arena);
}

static const KernelTensor *find_kernel(const KernelTensor *tensors, size_t count, Str task,
                                       Str stream)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(tensors[i].task, task) && str_equal(tensors[i].stream, stream))
            return &tensors[i];
    return NULL;
}

static void tell_overflow(const char *path, Str text, const KernelTensor *tensors, size_t count,
                          Arena *arena, Notices *notices)
{
    JsonTree tree;
    if (!tree_parse(text, arena, &tree)) {
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("expected the overflow flags as one JSON object"));
        return;
    }
    for (const JsonNode *part = tree.root->child; part; part = part->next) {
        const JsonNode *status = tree_member(part, STR("status"));
        const JsonNode *task = tree_member(part, STR("task_id"));
        const JsonNode *stream = tree_member(part, STR("stream_id"));
        if (!status || !task || !stream || str_equal(status->text, STR("0")))
            continue;
        const KernelTensor *kernel = find_kernel(tensors, count, task->text, stream->text);
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(path),
                    tr("overflow flag of " STR_FMT ", status " STR_FMT ": task " STR_FMT
                       " on stream " STR_FMT " is " STR_FMT),
                    STR_ARG(part->key), STR_ARG(status->text), STR_ARG(task->text),
                    STR_ARG(stream->text),
                    STR_ARG(kernel ? kernel->op : str_of(tr("none of the kernels here"))));
    }
}

void kernel_overflows_tell(const char *folder, const KernelTensor *tensors, size_t count,
                           Notices *notices)
{
    FolderList list;
    Error err;
    Arena *arena = arena_new();
    if (folder_list(folder, arena, &list, &err))
        for (size_t i = 0; i < list.count; i++) {
            File file;
            const char *path = path_join(arena, folder, list.items[i]);
            if (!str_starts(list.items[i], STR("Opdebug.")) ||
                !str_ends(list.items[i], STR(".json")))
                continue;
            if (!file_open(path, &file, &err)) {
                notices_add_error(notices, &err);
                continue;
            }
            tell_overflow(path, file.text, tensors, count, arena, notices);
            file_close(&file);
        }
    arena_release(arena);
}
