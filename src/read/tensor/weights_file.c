// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/weights_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/names.h"
#include "base/words.h"
#include "read/tensor/npy.h"
#include "read/tensor/raw_floats.h"

// Of a weight that is a file by itself.
#define PART_NONE UINT32_MAX

typedef enum Holds {
    HOLDS_OTHER,
    HOLDS_TENSOR,
    HOLDS_SAFETENSORS,
    HOLDS_TORCH,
    HOLDS_MINDSPORE,
    HOLDS_NPZ
} Holds;

static bool is_shard(Str name)
{
    return str_ends(name, STR(".safetensors"));
}

uint64_t weights_described(const Weights *weights)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < weights->part_count; i++)
        if (weights->parts[i].kind == WEIGHTS_TORCH)
            sum += weights->parts[i].file.torch.described;
    return sum;
}

bool weights_file_named(Str name)
{
    if (str_ends(name, STR(".gz")))
        name = str_slice(name, 0, name.size - 3);
    Str ending = path_suffix(name);
    return STR_ANY(ending, str_equal_nocase, ".safetensors", ".npz", ".npy", ".pt", ".pth", ".bin",
                   ".ckpt", ".h5", ".gguf", ".msgpack", ".onnx", ".pdparams");
}

// What cannot be opened is what it is called: whoever opens it for its weights says what is wrong.
static Holds look(const char *path)
{
    File file;
    Error err;
    Holds holds = HOLDS_OTHER;
    if (!file_open(path, &file, &err))
        return weights_file_named(str_of(path)) ? HOLDS_SAFETENSORS : HOLDS_OTHER;
    if (safetensors_is(file.text))
        holds = HOLDS_SAFETENSORS;
    else if (npy_is(file.text))
        holds = HOLDS_TENSOR;
    else if (npz_is(file.text))
        holds = HOLDS_NPZ;
    else if (torch_is(file.text))
        holds = torch_state_is(path, file.text) ? HOLDS_TORCH : HOLDS_TENSOR;
    else if (mindspore_is(file.text))
        holds = HOLDS_MINDSPORE;
    else if (raw_floats_is(path, file.text))
        holds = HOLDS_TENSOR;
    file_close(&file);
    return holds;
}

static bool is_tensor_file(Str name)
{
    return str_ends(name, STR(".npy")) || str_ends(name, STR(".pt"));
}

bool weights_has_name(Str name)
{
    return STR_IN(str_behind(str_behind(name, '.'), '/'), "weight", "bias", "gamma", "beta",
                  "embedding_table", "moving_mean", "inv_freq", "running_mean", "running_var",
                  "scale", "kernel", "embedding", "qweight", "kernel:0", "bias:0");
}

// Optimizers and arguments of a Hugging Face checkpoint, which are next to the weights.
static bool is_of_trainer(Str name)
{
    return STR_ANY(name, str_starts, "optimizer.", "training_args.", "scheduler.", "rng_state");
}

static bool is_state_name(Str name)
{
    bool named = STR_ANY(name, str_ends, ".pt", ".pth", ".bin", ".ckpt");
    return named && !is_of_trainer(name);
}

static bool is_state_file(const char *folder, Str name, Arena *arena)
{
    const char *path = path_join(arena, folder, name);
    return is_state_name(name) && file_kind(path) == FILE_REGULAR && look(path) >= HOLDS_TORCH;
}

static void add_weight(Weights *out, Str name, const Tensor *tensor, size_t part, size_t index,
                       Arena *arena)
{
    uint64_t *shape = ARENA_ARRAY(arena, uint64_t, tensor->rank);
    memcpy(shape, tensor->shape, tensor->rank * sizeof *shape);
    *ARRAY_PUSH(arena, out) = (Weight){.name = name,
                                       .shape = shape,
                                       .count = tensor->count,
                                       .rank = tensor->rank,
                                       .part = (uint32_t)part,
                                       .index = (uint32_t)index,
                                       .dtype = tensor->dtype};
    out->bytes += tensor->count * dtype_size(tensor->dtype);
}

static bool part_open(const char *path, Holds holds, Arena *arena, WeightsPart *out,
                      Notices *notices, Error *err)
{
    switch (holds) {
    case HOLDS_TORCH:
        out->kind = WEIGHTS_TORCH;
        return torch_state_open(path, arena, &out->file.torch, notices, err);
    case HOLDS_MINDSPORE:
        out->kind = WEIGHTS_MINDSPORE;
        return mindspore_open(path, arena, &out->file.mindspore, notices, err);
    case HOLDS_NPZ:
        out->kind = WEIGHTS_NPZ;
        return npz_open(path, arena, &out->file.npz, notices, err);
    default:
        out->kind = WEIGHTS_SAFETENSORS;
        return safetensors_open(path, arena, &out->file.safetensors, notices, err);
    }
}

static void part_close(WeightsPart *part)
{
    switch (part->kind) {
    case WEIGHTS_TORCH:
        torch_state_close(&part->file.torch);
        break;
    case WEIGHTS_MINDSPORE:
        mindspore_close(&part->file.mindspore);
        break;
    case WEIGHTS_NPZ:
        npz_close(&part->file.npz);
        break;
    case WEIGHTS_SAFETENSORS:
        safetensors_close(&part->file.safetensors);
        break;
    }
}

static size_t part_count(const WeightsPart *part)
{
    switch (part->kind) {
    case WEIGHTS_TORCH:
        return part->file.torch.count;
    case WEIGHTS_MINDSPORE:
        return part->file.mindspore.count;
    case WEIGHTS_NPZ:
        return part->file.npz.count;
    default:
        return part->file.safetensors.count;
    }
}

static Str part_name(const WeightsPart *part, size_t index)
{
    switch (part->kind) {
    case WEIGHTS_TORCH:
        return part->file.torch.items[index].name;
    case WEIGHTS_MINDSPORE:
        return part->file.mindspore.items[index].name;
    case WEIGHTS_NPZ:
        return part->file.npz.items[index].name;
    default:
        return part->file.safetensors.items[index].name;
    }
}

static Tensor part_tensor(const WeightsPart *part, size_t index)
{
    switch (part->kind) {
    case WEIGHTS_TORCH:
        return torch_state_tensor(&part->file.torch, index);
    case WEIGHTS_MINDSPORE:
        return mindspore_tensor(&part->file.mindspore, index);
    case WEIGHTS_NPZ:
        return part->file.npz.items[index].tensor;
    default:
        return safetensors_tensor(&part->file.safetensors, index);
    }
}

static const UnreadNames *part_unread(const WeightsPart *part)
{
    switch (part->kind) {
    case WEIGHTS_TORCH:
        return &part->file.torch.unread;
    case WEIGHTS_MINDSPORE:
        return &part->file.mindspore.unread;
    case WEIGHTS_NPZ:
        return &part->file.npz.unread;
    default:
        return &part->file.safetensors.unread;
    }
}

// How many of the tensors of a file are called as weights are. False: it cannot be read.
static bool count_names(const char *path, Arena *arena, size_t *named, size_t *count)
{
    WeightsPart part;
    Notices quiet;
    Error ignored;
    notices_init(&quiet, arena);
    if (!part_open(path, look(path), arena, &part, &quiet, &ignored))
        return false;
    *named = 0;
    *count = part_count(&part);
    for (size_t i = 0; i < *count; i++)
        *named += weights_has_name(part_name(&part, i));
    part_close(&part);
    return true;
}

// Batches of data are dicts of tensors as well.
static bool names_weights(const char *path, Arena *arena)
{
    size_t named, count;
    return count_names(path, arena, &named, &count) && named > 0 && 2 * named >= count;
}

// A checkpoint that lies next to the folders of a dump does not make them one. Only so many files
// are looked into: a folder may hold very many tensors.
static bool has_state(const char *folder, const FolderList *files)
{
    enum { LOOKS = 16 };
    Arena *arena = arena_new();
    bool found = false, dump = false;
    int looks = 0;
    for (size_t i = 0; i < files->count; i++) {
        Str name = files->items[i];
        bool part = str_starts(name, STR("step")) || str_starts(name, STR("rank"));
        dump = dump || (part && file_kind(path_join(arena, folder, name)) == FILE_FOLDER);
    }
    for (size_t i = 0; i < files->count && !found && !dump && looks < LOOKS; i++) {
        looks += is_state_name(files->items[i]);
        found = is_state_file(folder, files->items[i], arena) &&
                names_weights(path_join(arena, folder, files->items[i]), arena);
    }
    arena_release(arena);
    return found;
}

static Str name_of_file(Str file)
{
    return str_slice(file, 0, str_rfind_char(file, '.'));
}

static bool are_weights(const FolderList *files)
{
    size_t named = 0, tensors = 0;
    for (size_t i = 0; i < files->count; i++) {
        Str name = name_of_file(files->items[i]);
        if (!is_tensor_file(files->items[i]))
            continue;
        if (str_find(name, STR(".forward"), 0) != SIZE_MAX ||
            str_find(name, STR(".backward"), 0) != SIZE_MAX)
            return false;
        tensors++;
        named += weights_has_name(name);
    }
    return named > 0 && 2 * named >= tensors;
}

bool weights_are_arrays(const char *path)
{
    size_t named = 0, count = 0;
    Holds holds = file_kind(path) == FILE_REGULAR ? look(path) : HOLDS_OTHER;
    if (holds != HOLDS_SAFETENSORS && holds != HOLDS_NPZ)
        return false;
    Arena *arena = arena_new();
    bool are = count_names(path, arena, &named, &count) && named == 0 && count > 0;
    arena_release(arena);
    return are;
}

// Of a folder the first shard tells whether they are weights.
static bool has_weight_shard(const char *folder, const FolderList *files)
{
    Arena *arena = arena_new();
    size_t first = 0;
    while (first < files->count && !is_shard(files->items[first]))
        first++;
    bool has =
        first < files->count && !weights_are_arrays(path_join(arena, folder, files->items[first]));
    arena_release(arena);
    return has;
}

bool weights_is(const char *path)
{
    FileKind kind = file_kind(path);
    int64_t pass;
    if (torch_state_is_pass(str_of(path), &pass))
        return false;
    if (kind != FILE_FOLDER)
        return (kind == FILE_REGULAR || kind == FILE_UNKNOWN) && look(path) >= HOLDS_SAFETENSORS;
    Arena *arena = arena_new();
    FolderList files;
    Error err;
    FileKind dump = file_kind(path_join(arena, path, STR("dump.json")));
    bool is = (dump == FILE_NONE || dump == FILE_UNKNOWN) &&
              (!folder_list(path, arena, &files, &err) || has_weight_shard(path, &files) ||
               are_weights(&files) || has_state(path, &files));
    arena_release(arena);
    return is;
}

bool weights_readable(const char *path)
{
    return weights_is(path) || (file_kind(path) == FILE_REGULAR && look(path) == HOLDS_TENSOR);
}

static bool add_part(Weights *out, const char *path, Holds holds, Arena *arena, Notices *notices,
                     Error *err)
{
    WeightsPart *part = &out->parts[out->part_count];
    if (!part_open(path, holds, arena, part, notices, err))
        return false;
    part->name = str_copy(arena, path_base(str_of(path)));
    size_t count = part_count(part);
    for (size_t i = 0; i < count; i++) {
        Tensor tensor = part_tensor(part, i);
        add_weight(out, part_name(part, i), &tensor, out->part_count, i, arena);
    }
    const UnreadNames *unread = part_unread(part);
    for (size_t i = 0; i < unread->count; i++)
        *ARRAY_PUSH(arena, &out->unread) = unread->items[i];
    out->part_count++;
    return true;
}

// Of "model-00001-of-00003.safetensors" 3, and the name without its own number. 0: it is not called
// so.
static uint64_t shards_of(Str name, Arena *arena, Str *set)
{
    size_t of = str_find(name, STR("-of-"), 0), from = of == SIZE_MAX ? 0 : of, end = of + 4;
    uint64_t count = 0;
    while (from > 0 && name.data[from - 1] >= '0' && name.data[from - 1] <= '9')
        from--;
    while (of != SIZE_MAX && end < name.size && name.data[end] >= '0' && name.data[end] <= '9')
        end++;
    if (from == of || of == SIZE_MAX || !str_to_uint64(str_slice(name, of + 4, end), &count))
        return 0;
    *set = str_concat(arena, str_slice(name, 0, from), str_slice(name, of, name.size));
    return count;
}

// Tells sets of which fewer shards are there than their names say.
static void tell_missing_shards(Weights *out, const FolderList *files, Arena *arena,
                                Notices *notices)
{
    Names *sets = names_new(arena);
    uint64_t *left = ARENA_ARRAY(arena, uint64_t, files->count + 1);
    uint64_t *all = ARENA_ARRAY(arena, uint64_t, files->count + 1);
    for (size_t i = 0; i < files->count; i++) {
        Str set, name = files->items[i];
        uint64_t count = is_shard(name) || is_state_name(name) ? shards_of(name, arena, &set) : 0;
        if (!count)
            continue;
        NameId id = names_add(sets, set) - 1;
        left[id] = all[id] ? left[id] : count;
        all[id] = count;
        left[id] -= left[id] > 0;
    }
    for (size_t i = 0; i < names_count(sets); i++) {
        if (!left[i])
            continue;
        out->incomplete = true;
        notices_partial(notices, WHERE_FILE(out->path),
                        tr("of %llu shards of the checkpoint %llu are there; what the others hold "
                           "is not known"),
                        (unsigned long long)all[i], (unsigned long long)(all[i] - left[i]));
    }
}

static char *file_path(const Weights *weights, size_t index, Arena *arena, Error *err)
{
    return path_inside(arena, weights->path, weights->files[index], err);
}

// A file of one tensor.
static void add_file(Weights *out, size_t index, Arena *arena, Notices *notices)
{
    TensorFile file;
    Error err;
    Str name = name_of_file(out->files[index]);
    char *path = file_path(out, index, arena, &err);
    if (!path || !tensor_open(path, &file, notices, &err)) {
        notices_add_error(notices, &err);
        *ARRAY_PUSH(arena, &out->unread) = name;
        return;
    }
    add_weight(out, name, &file.tensor, PART_NONE, index, arena);
    tensor_close(&file);
}

// A folder, a device, or what trainers keep next to the weights is named, not read.
static bool is_passed_over(const char *path, Str name, Notices *notices)
{
    FileKind kind = file_kind(path);
    if (kind == FILE_FOLDER ? weights_is(path) : kind != FILE_REGULAR && weights_file_named(name))
        notices_partial(notices, WHERE_FILE(path), "%s",
                        kind == FILE_FOLDER ? tr("the weights of this folder within the folder are "
                                                 "not compared: name it by itself")
                                            : tr("this is no file that can be read"));
    else if (kind == FILE_REGULAR && is_of_trainer(name))
        notices_add(notices, NOTICE_INFO, WHERE_FILE(path), "%s",
                    tr("the state of a trainer next to the weights is not compared"));
    return kind != FILE_REGULAR || is_of_trainer(name);
}

// Every file of the folder is read or named. A part that is broken costs its own weights.
static void add_all(Weights *out, const FolderList *files, Arena *arena, Notices *notices)
{
    out->files = files->items;
    out->parts = ARENA_ARRAY(arena, WeightsPart, files->count);
    for (size_t i = 0; i < files->count; i++) {
        Error err;
        const char *path = path_join(arena, out->path, files->items[i]);
        if (is_passed_over(path, files->items[i], notices))
            continue;
        Holds holds = look(path);
        if (holds == HOLDS_TENSOR) {
            add_file(out, i, arena, notices);
        } else if (holds == HOLDS_OTHER && weights_file_named(files->items[i])) {
            notices_partial(
                notices, WHERE_FILE(path), "%s",
                tr("this file next to the weights holds tensors in a form that is not read"));
            out->incomplete = true;
        } else if (holds != HOLDS_OTHER && !add_part(out, path, holds, arena, notices, &err)) {
            notices_add_error(notices, &err);
            out->incomplete = true;
        }
    }
    tell_missing_shards(out, files, arena, notices);
}

static int by_name(const void *a, const void *b)
{
    const Weight *one = a, *two = b;
    int order = str_compare_natural(one->name, two->name);
    if (order == 0)
        order = str_compare(one->name, two->name);
    if (order == 0)
        order = (one->part > two->part) - (one->part < two->part);
    return order ? order : (one->index < two->index) - (one->index > two->index);
}

bool weights_has_unread(const Weights *weights, Str name)
{
    const UnreadNames *unread = &weights->unread;
    return unread->count &&
           bsearch(&name, unread->items, unread->count, sizeof *unread->items, str_order);
}

static Str file_of(const Weights *weights, const Weight *weight)
{
    return weight->part == PART_NONE ? weights->files[weight->index]
                                     : weights->parts[weight->part].name;
}

static void tell_repeated(const Weights *weights, const Weight *kept, const Weight *left,
                          Notices *notices)
{
    Str from = file_of(weights, left), other = file_of(weights, kept);
    if (kept->part == left->part && kept->part != PART_NONE)
        notices_partial(notices, WHERE_FILE(weights->path), "%s",
                        tr("a weight is there twice; the last one counts"));
    else
        notices_partial(notices, WHERE_FILE(weights->path),
                        tr("a weight of '" STR_FMT "' is in '" STR_FMT "' too, which counts"),
                        STR_ARG(from), STR_ARG(other));
}

// Of a name that a file has twice its own library takes the last; of shards the first one counts.
static void drop_repeated(Weights *out, Notices *notices)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (!kept || !str_equal(out->items[kept - 1].name, out->items[i].name))
            out->items[kept++] = out->items[i];
        else if (!weights_equal(out, kept - 1, i))
            tell_repeated(out, &out->items[kept - 1], &out->items[i], notices);
    }
    out->count = kept;
}

static bool open_folder(const char *path, Arena *arena, Weights *out, Notices *notices, Error *err)
{
    FolderList files;
    if (!folder_list(path, arena, &files, err))
        return false;
    add_all(out, &files, arena, notices);
    return true;
}

static bool add_tensor(Weights *out, Arena *arena, Notices *notices, Error *err)
{
    TensorFile file;
    if (!tensor_open(out->path, &file, notices, err))
        return false;
    add_weight(out, STR("value"), &file.tensor, PART_NONE, 0, arena);
    tensor_close(&file);
    return true;
}

static bool open_file(const char *path, Arena *arena, Weights *out, Notices *notices, Error *err)
{
    Holds holds = look(path);
    if (holds == HOLDS_TENSOR)
        return add_tensor(out, arena, notices, err);
    out->parts = ARENA_NEW(arena, WeightsPart);
    return add_part(out, path, holds, arena, notices, err);
}

bool weights_open(const char *path, Arena *arena, Weights *out, Notices *notices, Error *err)
{
    *out = (Weights){.path = str_cstr(arena, str_of(path))};
    bool folder = file_kind(path) == FILE_FOLDER;
    bool good = folder ? open_folder(path, arena, out, notices, err)
                       : open_file(path, arena, out, notices, err);
    if (good && out->count == 0)
        good = error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no weight could be read"));
    if (!good) {
        weights_close(out);
        return false;
    }
    qsort(out->items, out->count, sizeof *out->items, by_name);
    drop_repeated(out, notices);
    if (out->unread.count > 1)
        qsort(out->unread.items, out->unread.count, sizeof *out->unread.items, str_order);
    return true;
}

void weights_close(Weights *weights)
{
    for (size_t i = 0; i < weights->part_count; i++)
        part_close(&weights->parts[i]);
    weights->part_count = 0;
}

size_t weights_find(const Weights *weights, Str name)
{
    size_t low = 0, high = weights->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        Str found = weights->items[middle].name;
        int order = str_compare_natural(found, name);
        order = order ? order : str_compare(found, name);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

uint64_t weights_place(const Weights *weights, size_t index)
{
    const Weight *weight = &weights->items[index];
    if (weight->part < weights->part_count &&
        weights->parts[weight->part].kind == WEIGHTS_SAFETENSORS)
        return weights->parts[weight->part].file.safetensors.items[weight->index].from;
    return weight->index;
}

bool weights_tensor(const Weights *weights, size_t index, TensorFile *out, Notices *notices,
                    Error *err)
{
    const Weight *weight = &weights->items[index];
    *out = (TensorFile){0};
    if (weight->part < weights->part_count) {
        out->tensor = part_tensor(&weights->parts[weight->part], weight->index);
        return true;
    }
    if (!weights->files)
        return tensor_open(weights->path, out, notices, err);
    Arena *arena = arena_new();
    char *path = file_path(weights, weight->index, arena, err);
    bool good = path && tensor_open(path, out, notices, err);
    arena_release(arena);
    return good;
}

bool weights_equal(const Weights *weights, size_t one, size_t other)
{
    TensorFile files[2] = {0};
    Arena *arena = arena_new();
    Notices quiet;
    Error ignored;
    notices_init(&quiet, arena);
    bool equal = weights_tensor(weights, one, &files[0], &quiet, &ignored) &&
                 weights_tensor(weights, other, &files[1], &quiet, &ignored);
    const Tensor *a = &files[0].tensor, *b = &files[1].tensor;
    equal = equal && a->dtype == b->dtype && tensor_same_shape(a, b) && a->contiguous &&
            b->contiguous && a->big_endian == b->big_endian && a->conj == b->conj &&
            a->neg == b->neg && memcmp(a->data, b->data, a->count * dtype_size(a->dtype)) == 0;
    tensor_close(&files[0]);
    tensor_close(&files[1]);
    arena_release(arena);
    return equal;
}

void weights_check_bytes(const Weights *weights, size_t index, const Tensor *tensor,
                         Notices *notices)
{
    size_t at = weights->items[index].part;
    const WeightsPart *part = at < weights->part_count ? &weights->parts[at] : NULL;
    bool shared = part && part->kind == WEIGHTS_TORCH;
    if (!tensor_crc_fits(tensor, shared ? torch_state_mark(&part->file.torch, tensor) : NULL))
        notices_partial(
            notices, WHERE_FILE(weights->path),
            tr("'" STR_FMT "' is damaged: its bytes do not fit the checksum of the file"),
            STR_ARG(weights->items[index].name));
}
