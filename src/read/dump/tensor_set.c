// SPDX-License-Identifier: Apache-2.0
#include "read/dump/tensor_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/threads.h"
#include "base/words.h"
#include "read/dump/array_files.h"
#include "read/dump/dump_rows.h"
#include "read/dump/kernel_name.h"
#include "read/dump/name_order.h"
#include "read/dump/op_name.h"
#include "read/dump/shard_join.h"
#include "read/dump/tensor_place.h"
#include "read/dump/torch_files.h"
#include "read/tensor/tensor_statistics.h"
#include "read/tensor/weights_file.h"

// PART: so many tensors are summed up by one thread, with memory and notices of their own.
enum { DEPTH_MAX = 16, FILES_MAX = 1000000, PART = 16 };

struct TensorSet {
    const char *path;  // a folder, or a checkpoint
    Str only;          // the one file of the folder that counts, or empty
    bool checkpoint, arrays;
    Weights weights;      // of a checkpoint
    ArrayFiles *files;    // of a folder
    TorchFiles *several;  // the same
};

// A tensor within a file of torch.save that holds several has this name after that of the file:
// "rank0/batch.pt/labels.pt".
static const char inner_ending[] = ".pt";

// Files of arrays, of which each has the name of the file and its own after it, with this ending:
// "rank0/acts.npz/model.norm.npy".
static const char array_ending[] = ".npy";

// Data names of a checkpoint are its tensors' names with an ending, since reports cut one off.
static const char *ending_of(const TensorSet *set)
{
    return str_ends(str_of(set->path), STR(".npz")) ? array_ending : ".safetensors";
}

// Folders still to be listed, as paths below the root.
typedef struct Folders {
    Str *items;
    size_t count, capacity;
} Folders;

bool tensor_set_has_name(Str name)
{
    return str_ends(name, STR(".npy")) || str_ends(name, STR(".pt")) || array_files_has_name(name);
}

static size_t depth_of(Str path)
{
    size_t depth = 0;
    for (size_t i = 0; i < path.size; i++)
        depth += path.data[i] == '/';
    return depth;
}

// Links are not followed: the set is what lies below the folder.
static void take_entry(const char *root, Str below, Arena *arena, Folders *folders,
                       FolderList *files, Notices *notices)
{
    const char *path = path_join(arena, root, below);
    FileKind kind = file_kind_unfollowed(path);
    if (kind == FILE_FOLDER && depth_of(below) < DEPTH_MAX)
        *ARRAY_PUSH(arena, folders) = below;
    else if (kind == FILE_REGULAR && tensor_set_has_name(below) && files->count < FILES_MAX)
        *ARRAY_PUSH(arena, files) = below;
    else if (notices && (kind != FILE_REGULAR || weights_file_named(below)))
        notices_partial(notices, WHERE_FILE(path), "%s",
                        kind != FILE_REGULAR
                            ? tr("links, and folders deeper than 16, are passed over")
                            : tr("this file next to the tensors is called as none that is read: "
                                 ".npy, .npz, .pt or .safetensors"));
}

static int compare_paths(const void *a, const void *b)
{
    return str_compare_natural(*(const Str *)a, *(const Str *)b);
}

// All tensor files below `root`, or with `any` at least one; in natural order.
static bool list_files(const char *root, bool any, Arena *arena, FolderList *out, Notices *notices,
                       Error *err)
{
    Folders folders = {0};
    *out = (FolderList){0};
    *ARRAY_PUSH(arena, &folders) = (Str){"", 0};
    for (size_t i = 0; i < folders.count && !(any && out->count); i++) {
        FolderList list;
        Str folder = folders.items[i];
        if (!folder_list(path_join(arena, root, folder), arena, &list, err))
            return false;
        for (size_t j = 0; j < list.count; j++) {
            Str below = folder.size ? str_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(folder),
                                                 STR_ARG(list.items[j]))
                                    : list.items[j];
            take_entry(root, below, arena, &folders, out, notices);
        }
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, compare_paths);
    return true;
}

// Names that do not describe an order get that of their modules.
static void order_files(const char *path, FolderList *files, Notices *notices)
{
    bool known = files->count < 2;
    for (size_t i = 0; i < files->count && !known; i++)
        known = name_order_known(files->items[i]);
    if (known)
        return;
    qsort(files->items, files->count, sizeof *files->items, name_order);
    notices_add(notices, NOTICE_TOLD, WHERE_FILE(path), "%s",
                tr("the order of the files is not known: they are taken by the names of modules "
                   "(embedding, layers, norm, head; parts before the whole)"));
}

bool tensor_set_is(const char *path)
{
    int64_t pass;
    FileKind kind = file_kind(path);
    if (kind == FILE_REGULAR)
        return torch_state_is_pass(str_of(path), &pass) || weights_readable(path);
    if (kind != FILE_FOLDER)
        return false;
    Arena *arena = arena_new();
    FolderList files;
    Error err;
    bool is = list_files(path, true, arena, &files, NULL, &err) && files.count > 0;
    arena_release(arena);
    return is;
}

TensorSet *tensor_set_open(const char *path, Arena *arena, Notices *notices, Error *err)
{
    TensorSet *set = ARENA_NEW(arena, TensorSet);
    set->path = str_cstr(arena, str_of(path));
    int64_t number;
    bool file = file_kind(path) == FILE_REGULAR;
    bool pass = file && torch_state_is_pass(str_of(path), &number);
    set->checkpoint = file && !pass;
    set->arrays = weights_are_arrays(path);
    if (pass) {
        set->path = str_cstr(arena, path_folder(str_of(path)));
        set->only = str_copy(arena, path_base(str_of(path)));
    }
    set->files = array_files_new(set->path);
    set->several = torch_files_new(set->path);
    if (!set->checkpoint || weights_open(path, arena, &set->weights, notices, err))
        return set;
    tensor_set_close(set);
    return NULL;
}

void tensor_set_close(TensorSet *set)
{
    if (!set)
        return;
    weights_close(&set->weights);
    array_files_free(set->files);
    torch_files_free(set->several);
}

// Every part of the path is a name: it cannot lead out of the folder.
static bool stays_inside(Str path)
{
    Str rest = path, part;
    while (str_split(&rest, '/', &part))
        if (part.size == 0 || str_equal(part, STR(".")) || str_equal(part, STR("..")))
            return false;
    return path.size > 0 && str_find_char(path, '\0', 0) == SIZE_MAX;
}

// Where the name of the file ends in the name of a tensor within it; 0: it is a file of its own.
static size_t file_part(const char *folder, Str data_name, Arena *arena)
{
    for (size_t i = 0; i < data_name.size; i++) {
        Str file = str_slice(data_name, 0, i);
        if (data_name.data[i] == '/' && tensor_set_has_name(file) &&
            file_kind_unfollowed(path_join(arena, folder, file)) == FILE_REGULAR)
            return i;
    }
    return 0;
}

static bool open_array(TensorSet *set, Str file, Str name, TensorFile *out, Notices *notices,
                       Error *err)
{
    const Weights *arrays = array_files_open(set->files, file, NULL, err);
    size_t index = arrays ? weights_find(arrays, name) : SIZE_MAX;
    if (arrays && index == SIZE_MAX)
        return error_set(err, ERR_INPUT, WHERE_FILE(set->path), "%s",
                         tr("the checkpoint has no such tensor"));
    return arrays && weights_tensor(arrays, index, out, notices, err);
}

// "step0/a.pt/b.pt/joined", a tensor that was joined of parts: after the first file the names of
// the others in its folder.
static bool open_joined(TensorSet *set, Str first, Str others, Arena *arena, TensorFile *out,
                        Error *err)
{
    Str folder = str_slice(first, 0, first.size - str_behind(first, '/').size), rest = others, part;
    const char **paths = ARENA_ARRAY(arena, const char *, others.size + 1);
    size_t count = 0;
    paths[count++] = path_join(arena, set->path, first);
    while (str_split(&rest, '/', &part))
        if (rest.size != SIZE_MAX)  // after the last one stands no file
            paths[count++] = path_join(arena, set->path, str_concat(arena, folder, part));
    ShardJoin done = shard_join(paths, count, out, err);
    return done == SHARDS_JOINED ||
           (done == SHARDS_NONE && error_set(err, ERR_INPUT, WHERE_FILE(paths[0]), "%s",
                                             tr("the checkpoint has no such tensor")));
}

static bool open_below(TensorSet *set, Str data_name, Arena *arena, TensorFile *out,
                       Notices *notices, Error *err)
{
    size_t end = file_part(set->path, data_name, arena);
    if (end == 0)
        return tensor_open(path_join(arena, set->path, data_name), out, notices, err);
    Str file = str_slice(data_name, 0, end), name = str_slice(data_name, end + 1, data_name.size);
    name = str_slice(name, 0, str_rfind_char(name, '.'));
    if (str_ends(name, STR("/joined")))
        return open_joined(set, file, name, arena, out, err);
    return array_files_has_name(file) ? open_array(set, file, name, out, notices, err)
                                      : torch_files_tensor(set->several, file, name, out, err);
}

bool tensor_set_tensor(TensorSet *set, Str data_name, TensorFile *out, Notices *notices, Error *err)
{
    *out = (TensorFile){0};
    if (set->checkpoint) {
        Str ending = str_of(ending_of(set));
        Str name = str_slice(data_name, 0, data_name.size - ending.size);
        size_t index = str_ends(data_name, ending) ? weights_find(&set->weights, name) : SIZE_MAX;
        if (index == SIZE_MAX)
            return error_set(err, ERR_INPUT, WHERE_FILE(set->path), "%s",
                             tr("the checkpoint has no such tensor"));
        return weights_tensor(&set->weights, index, out, notices, err);
    }
    if (!stays_inside(data_name) || !tensor_set_has_name(data_name))
        return error_set(err, ERR_INPUT, WHERE_FILE(set->path), "%s",
                         tr("the folder has no such file"));
    Arena *arena = arena_new();
    bool good = open_below(set, data_name, arena, out, notices, err);
    arena_release(arena);
    return good;
}

// The statistics of all tensors, on all processors.
typedef struct Summed {
    TensorStatistics statistics;
    DType dtype;
    Str shape;  // "[2, 3]"; empty: the tensor cannot be read
    uint64_t count;
    bool several;  // the file holds a dict or list of them
} Summed;

typedef struct Summing {
    TensorSet *set;
    const Str *names;
    const size_t *order;  // of a checkpoint: which weight it is; NULL: by name
    size_t count;
    Summed *tensors;
    Arena **arenas;  // by part
    Notices *notices;
    bool *lacking;  // by file: parts of its tensor on other ranks are missing
    bool kernels;   // all files are of MindSpore's Dump
} Summing;

static void sum_tensor(const Tensor *tensor, Arena *arena, Summed *out)
{
    char shape[TENSOR_MAX_RANK * 24];
    tensor_statistics(tensor, &out->statistics);
    tensor_shape_text(tensor, shape, sizeof shape);
    out->shape = str_copy(arena, str_of(shape));
    out->dtype = tensor->dtype;
    out->count = tensor->count;
}

static bool holds_several(const Summing *work, size_t index)
{
    File file;
    Error ignored;
    Arena *arena = arena_new();
    const char *path = path_join(arena, work->set->path, work->names[index]);
    bool is = !work->set->checkpoint && file_open(path, &file, &ignored);
    if (is) {
        is = torch_state_is(path, file.text);
        file_close(&file);
    }
    arena_release(arena);
    return is;
}

static void sum_up(const Summing *work, size_t index)
{
    TensorFile file;
    Error err;
    Summed *out = &work->tensors[index];
    Notices *notices = &work->notices[index / PART];
    out->several = !work->set->checkpoint && array_files_has_name(work->names[index]);
    if (out->several)
        return;
    if (tensor_set_tensor(work->set, work->names[index], &file, notices, &err)) {
        sum_tensor(&file.tensor, work->arenas[index / PART], out);
        tensor_close(&file);
        return;
    }
    out->several = holds_several(work, index);
    if (!out->several)
        notices_add_error(notices, &err);
}

// Notices of a part in order, whatever thread made them.
static void sum_up_part(void *context, size_t part)
{
    const Summing *work = context;
    work->arenas[part] = arena_new();
    notices_init(&work->notices[part], work->arenas[part]);
    size_t end = (part + 1) * PART < work->count ? (part + 1) * PART : work->count;
    for (size_t i = part * PART; i < end; i++)
        sum_up(work, i);
}

static void set_stat(Slot *slot, Stat stat, double value, bool integer)
{
    bool exact = integer && value > -9e18 && value < 9e18;
    slot->tag[stat] = exact ? TAG_INT : TAG_REAL;
    if (exact)
        slot->stat[stat].integer = (int64_t)value;
    else
        slot->stat[stat].real = value;
}

static void fill_slot(DumpRows *rows, const Summed *tensor, const TensorPlace *place, Slot *slot)
{
    Names *names = rows->dump->names;
    const TensorStatistics *statistics = &tensor->statistics;
    slot->path = names_add(names, place->path);
    bool kernel = place->task.size > 0;
    slot->type = names_add(names, kernel ? STR("mindspore.Tensor") : STR("torch.Tensor"));
    Str dtype = str_of(dtype_text(tensor->dtype));
    slot->dtype =
        names_add(names, kernel ? kernel_dtype(place->dtype.size ? place->dtype : dtype)
                                : str_printf(rows->scratch, "torch." STR_FMT, STR_ARG(dtype)));
    slot->shape = names_add(names, tensor->shape);
    slot->kind = SLOT_TENSOR;
    slot->group = (uint8_t)place->group;
    if (tensor->count == 0)
        return;
    bool integer =
        dtype_class(tensor->dtype) == CLASS_SIGNED || dtype_class(tensor->dtype) == CLASS_UNSIGNED;
    set_stat(slot, STAT_MAX, statistics->max, integer);
    set_stat(slot, STAT_MIN, statistics->min, integer);
    set_stat(slot, STAT_MEAN, statistics->mean, false);
    set_stat(slot, STAT_NORM, statistics->norm, false);
}

static const Weight *weight_at(const Summing *work, size_t index)
{
    return &work->set->weights.items[work->order ? work->order[index] : index];
}

typedef struct KernelTurn {
    Str name;
    uint64_t time;
    size_t at;
} KernelTurn;

static int by_time(const void *a, const void *b)
{
    const KernelTurn *one = a, *two = b;
    if (one->time != two->time)
        return one->time < two->time ? -1 : 1;
    return (one->at > two->at) - (one->at < two->at);
}

// Kernels in the order in which they ran, if all files are of kernels.
static bool order_kernels(const char *folder, const FolderList *files, Arena *arena,
                          Notices *notices)
{
    KernelFile kernel;
    KernelTurn *turns = ARENA_ARRAY(arena, KernelTurn, files->count + 1);
    KernelTensor *tensors = ARENA_ARRAY(arena, KernelTensor, files->count + 1);
    for (size_t i = 0; i < files->count; i++) {
        if (!kernel_file_parse(files->items[i], &kernel))
            return false;
        tensors[i] = (KernelTensor){.op = kernel.op,
                                    .task = kernel.task,
                                    .stream = kernel.stream,
                                    .time = kernel.time,
                                    .output = str_equal(kernel.io, STR("output"))};
    }
    kernel_overflows_tell(folder, tensors, files->count, notices);
    kernel_order_read(folder, tensors, files->count);
    for (size_t i = 0; i < files->count; i++)
        turns[i] = (KernelTurn){files->items[i], tensors[i].time, i};
    qsort(turns, files->count, sizeof *turns, by_time);
    for (size_t i = 0; i < files->count; i++)
        files->items[i] = turns[i].name;
    return files->count > 0;
}

static bool list_names(Summing *out, Arena *arena, Notices *notices, Error *err)
{
    FolderList files;
    const TensorSet *set = out->set;
    if (set->only.size) {
        out->names = &set->only;
        out->count = 1;
        return true;
    }
    if (!set->checkpoint) {
        if (!list_files(set->path, false, arena, &files, notices, err))
            return false;
        out->kernels = order_kernels(set->path, &files, arena, notices);
        if (!out->kernels && !name_order_listed(set->path, files.items, files.count, arena))
            order_files(set->path, &files, notices);
        out->names = files.items;
        out->count = files.count;
        return true;
    }
    out->count = set->weights.count;
    out->order = set->arrays ? array_files_order(&set->weights, arena, notices) : NULL;
    Str *names = ARENA_ARRAY(arena, Str, out->count);
    for (size_t i = 0; i < out->count; i++)
        names[i] =
            str_printf(arena, STR_FMT "%s", STR_ARG(weight_at(out, i)->name), ending_of(set));
    out->names = names;
    return true;
}

// The calls of what has no number of its own, by op and slot.
typedef struct Calls {
    Names *names;
    uint32_t *items;
    size_t count;
    KernelCalls kernels;
} Calls;

// Name of the op, whose parts are noted: "model.norm", "model.norm#1".
static Str op_of(const TensorPlace *place, Calls *calls, DumpRows *rows)
{
    Names *names = rows->dump->names;
    int64_t call = place->call;
    if (place->task.size) {
        Str path = place->path;
        size_t dot = str_find_char(path, '.', 0);
        return kernel_calls_op(&calls->kernels, place->op, place->task, str_slice(path, 0, dot),
                               str_slice(path, dot + 1, path.size));
    }
    if (call < 0) {
        NameId key = names_add(calls->names, str_printf(rows->scratch, STR_FMT "|" STR_FMT,
                                                        STR_ARG(place->op), STR_ARG(place->path)));
        call = ARRAY_REACH(rows->scratch, calls->items, calls->count, key)[key]++;
    }
    Str name = call
                   ? str_printf(rows->scratch, STR_FMT "#%lld", STR_ARG(place->op), (long long)call)
                   : place->op;
    if (!place->module)
        return name;
    NameId id = names_add(names, name);
    Str stem = str_slice(names_text(names, id), 0, place->op.size);
    if (!names_note(names, id))
        op_name_set(names, id,
                    (OpName){.kind = OP_MODULE,
                             .direction = DIR_FORWARD,
                             .call = (int32_t)call,
                             .path = stem,
                             .stem = stem});
    return names_text(names, id);
}

static void add_slot(DumpRows *rows, Str op, const Summed *tensor, const TensorPlace *place,
                     Str data_name)
{
    Slot *slot = dump_rows_add(rows, op, 0);
    fill_slot(rows, tensor, place, slot);
    slot->data_name = names_add(rows->dump->names, data_name);
    rows->dump->bytes += tensor->count * dtype_size(tensor->dtype);
}

// What a tool wrote about the tensors ("meta": dates, ranks) is no value of the model.
static bool is_about(const StatePart *part)
{
    return str_equal(str_slice(part->name, 0, part->key_size), STR("meta"));
}

static void add_plain(DumpRows *rows, Str op, const TensorPlace *place, Str text)
{
    Slot *slot = dump_rows_add(rows, op, 0);
    slot->path = names_add(rows->dump->names, place->path.size ? place->path : STR("value"));
    slot->group = (uint8_t)place->group;
    dump_rows_plain(rows, slot, text);
}

static void add_part(const Summing *work, size_t index, const TorchState *state, size_t part,
                     Calls *calls, DumpRows *rows, Notices *notices)
{
    Arena *arena = rows->scratch;
    const StatePart *item = &state->items[part];
    Str file = work->names[index], name = item->name, text;
    TensorPlace place =
        tensor_place_of_part(file, name, item->key_size, work->lacking[index], arena);
    Summed summed = {.count = 0};
    if (place.op.size == 0) {
        if (!is_about(item))
            notices_partial(notices, WHERE_FILE(path_join(arena, work->set->path, file)), "%s",
                            tr("what has no name, or is next to value and meta, is not read"));
        return;
    }
    if (torch_state_text(item->value, arena, &text)) {
        if (!is_about(item))
            add_plain(rows, op_of(&place, calls, rows), &place, text);
        return;
    }
    Tensor tensor = torch_state_tensor(state, part);
    sum_tensor(&tensor, arena, &summed);
    add_slot(
        rows, op_of(&place, calls, rows), &summed, &place,
        str_printf(arena, STR_FMT "/" STR_FMT "%s", STR_ARG(file), STR_ARG(name), inner_ending));
}

// A part of a file, with what decides its turn.
typedef struct Turn {
    bool leads_off;
    size_t at, part;
} Turn;

static int by_turn(const void *a, const void *b)
{
    const Turn *one = a, *two = b;
    if (one->leads_off != two->leads_off)
        return one->leads_off ? -1 : 1;
    if (one->at != two->at)
        return one->at < two->at ? -1 : 1;
    return (one->part > two->part) - (one->part < two->part);
}

// By name, which are sorted, or of a forward pass as they were written.
static Turn *turns_of(Str file, const TorchState *state, Arena *arena)
{
    int64_t number;
    bool pass = torch_state_is_pass(file, &number);
    Turn *turns = ARENA_ARRAY(arena, Turn, state->count);
    for (size_t i = 0; i < state->count; i++) {
        const StatePart *item = &state->items[i];
        turns[i] = (Turn){
            .leads_off =
                tensor_place_of_part(file, item->name, item->key_size, false, arena).leads_off,
            .at = pass ? item->value->at : i,
            .part = i};
    }
    if (pass && state->count > 1)
        qsort(turns, state->count, sizeof *turns, by_turn);
    return turns;
}

static void add_parts(const Summing *work, size_t index, Calls *calls, DumpRows *rows,
                      Notices *notices)
{
    TorchState state;
    Error err;
    Arena *arena = arena_new();
    Str file = work->names[index];
    if (torch_state_open_all(path_join(arena, work->set->path, file), arena, &state, notices,
                             &err)) {
        const Turn *turns = turns_of(file, &state, arena);
        for (size_t i = 0; i < state.count; i++)
            add_part(work, index, &state, turns[i].part, calls, rows, notices);
        torch_state_close(&state);
    } else {
        notices_add_error(notices, &err);
    }
    arena_release(arena);
}

static void add_array(const Summing *work, size_t index, const Weights *arrays, size_t weight,
                      Calls *calls, DumpRows *rows, Notices *notices)
{
    TensorFile file;
    Error err;
    Summed summed = {.count = 0};
    Arena *arena = rows->scratch;
    Str name = work->names[index], inner = arrays->items[weight].name;
    if (!weights_tensor(arrays, weight, &file, notices, &err)) {
        notices_add_error(notices, &err);
        return;
    }
    sum_tensor(&file.tensor, arena, &summed);
    tensor_close(&file);
    TensorPlace place = tensor_place_of_array(work->count > 1 ? name : (Str){0}, inner, arena);
    Str data_name =
        str_printf(arena, STR_FMT "/" STR_FMT "%s", STR_ARG(name), STR_ARG(inner), array_ending);
    add_slot(rows, op_of(&place, calls, rows), &summed, &place, data_name);
}

static void add_arrays(const Summing *work, size_t index, Calls *calls, DumpRows *rows,
                       Notices *notices)
{
    Error err;
    const Weights *arrays = array_files_open(work->set->files, work->names[index], notices, &err);
    if (!arrays) {
        notices_add_error(notices, &err);
        return;
    }
    const size_t *order = array_files_order(arrays, rows->scratch, notices);
    for (size_t i = 0; i < arrays->count; i++)
        add_array(work, index, arrays, order[i], calls, rows, notices);
}

static TensorPlace place_of(const Summing *work, size_t index, Arena *arena)
{
    if (!work->set->checkpoint)
        return tensor_place_of_file(work->names[index], arena);
    Str name = weight_at(work, index)->name;
    return work->set->arrays ? tensor_place_of_array((Str){0}, name, arena)
                             : tensor_place_of_weight(name, arena);
}

static void add_record(const Summing *work, size_t index, Calls *calls, DumpRows *rows,
                       Notices *notices)
{
    const Summed *tensor = &work->tensors[index];
    if (tensor->several && array_files_has_name(work->names[index]))
        add_arrays(work, index, calls, rows, notices);
    else if (tensor->several)
        add_parts(work, index, calls, rows, notices);
    if (tensor->shape.size == 0)
        return;
    TensorPlace place = place_of(work, index, rows->scratch);
    add_slot(rows, op_of(&place, calls, rows), tensor, &place, work->names[index]);
}

// True: the parts of this group became one tensor, which stands at the place of the first.
static bool add_joined(const Summing *work, const ShardGroup *group, Calls *calls, DumpRows *rows,
                       Notices *notices)
{
    TensorFile file;
    Error err;
    Arena *arena = rows->scratch;
    const char **paths = ARENA_ARRAY(arena, const char *, group->count);
    StrBuf name = strbuf_new(arena);
    for (size_t i = 0; i < group->count; i++) {
        Str part = work->names[group->files[i]];
        paths[i] = path_join(arena, work->set->path, part);
        strbuf_printf(&name, STR_FMT "/", STR_ARG(i ? str_behind(part, '/') : part));
    }
    ShardJoin done = shard_join(paths, group->count, &file, &err);
    for (size_t i = 0; i < group->count && done == SHARDS_MISSING; i++)
        work->lacking[group->files[i]] = true;
    if (done == SHARDS_MISSING)
        notices_partial(notices, WHERE_FILE(work->set->path), "%s: %s",
                        tr("its parts on several ranks are not joined, and compared rank by rank"),
                        err.text);
    if (done == SHARDS_FAILED)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(work->set->path), "%s: %s",
                    tr("its parts on several ranks are not joined, and compared rank by rank"),
                    err.text);
    if (done != SHARDS_JOINED)
        return false;
    Summed summed = {.count = 0};
    sum_tensor(&file.tensor, arena, &summed);
    tensor_close(&file);
    TensorPlace place = tensor_place_of_shards(work->names[group->files[0]], arena);
    strbuf_printf(&name, "joined%s", inner_ending);
    add_slot(rows, op_of(&place, calls, rows), &summed, &place, strbuf_str(&name));
    notices_add(notices, NOTICE_TOLD, WHERE_FILE(work->set->path), "%s",
                tr("parts of tensors on several ranks are joined as their dims say"));
    return true;
}

static void add_records(const Summing *work, DumpRows *rows, Notices *notices)
{
    Calls calls = {.names = names_new(rows->scratch), .kernels = kernel_calls_new(rows->scratch)};
    ShardGroups groups = shard_groups_find(work->names, work->count, rows->scratch);
    bool *joined = ARENA_ARRAY(rows->scratch, bool, work->count + 1);
    for (size_t i = 0; i < work->count; i++) {
        const ShardGroup *group =
            groups.of[i] == SIZE_MAX || work->set->checkpoint ? NULL : &groups.items[groups.of[i]];
        if (group && group->files[0] == i)
            joined[groups.of[i]] = add_joined(work, group, &calls, rows, notices);
        if (!group || !joined[groups.of[i]])
            add_record(work, i, &calls, rows, notices);
    }
}

static bool make_records(TensorSet *set, DumpRows *rows, Notices *notices, Error *err)
{
    Summing work = {.set = set};
    if (!list_names(&work, rows->scratch, notices, err))
        return false;
    size_t parts = (work.count + PART - 1) / PART;
    work.tensors = ARENA_ARRAY(rows->scratch, Summed, work.count);
    work.arenas = ARENA_ARRAY(rows->scratch, Arena *, parts);
    work.notices = ARENA_ARRAY(rows->scratch, Notices, parts);
    work.lacking = ARENA_ARRAY(rows->scratch, bool, work.count + 1);
    threads_run(parts, threads_default_jobs(), sum_up_part, &work);
    add_records(&work, rows, notices);
    for (size_t i = 0; i < parts; i++) {
        notices_join(notices, &work.notices[i]);
        arena_release(work.arenas[i]);
    }
    dump_rows_finish(rows);
    rows->dump->has_data_name = rows->dump->slot_count > 0;
    rows->dump->framework = work.kernels ? FRAMEWORK_MINDSPORE : FRAMEWORK_PYTORCH;
    rows->dump->level = work.kernels ? STR("L2") : STR("L1");
    return true;
}

bool tensor_set_read(const char *path, Names *names, Arena *arena, Dump *out, Notices *notices,
                     Error *err)
{
    Arena *scratch = arena_new();
    DumpRows rows;
    dump_rows_init(&rows, path, 0, names, arena, scratch, out);
    TensorSet *set = tensor_set_open(path, scratch, notices, err);
    bool good = set && make_records(set, &rows, notices, err);
    tensor_set_close(set);
    arena_release(scratch);
    out->task = STR("tensor");
    if (good && out->op_count == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no tensor could be read"));
    return good;
}
