// SPDX-License-Identifier: Apache-2.0
#include "compare/match/tokens.h"

#include <string.h>

#include "base/words.h"
#include "read/tensor/tensor_file.h"

enum { BLOCK = 4096 };

// Whole numbers of any width as int64; ids beyond that do not exist.
static bool widen(const Tensor *tensor, uint64_t first, size_t count, int64_t *out)
{
    double buffer[BLOCK];
    const unsigned char *raw = tensor_elements(tensor, first, count, buffer);
    for (size_t i = 0; i < count; i++) {
        union {
            int64_t i64;
            int32_t i32;
            int16_t i16;
            int8_t i8;
            uint64_t u64;
            uint32_t u32;
            uint16_t u16;
            uint8_t u8;
        } value;
        uint32_t size = dtype_size(tensor->dtype);
        memcpy(&value, raw + i * size, size);
        switch (tensor->dtype) {
        case DTYPE_I64:
        case DTYPE_U64:
            out[i] = value.i64;
            break;
        case DTYPE_I32:
            out[i] = value.i32;
            break;
        case DTYPE_I16:
            out[i] = value.i16;
            break;
        case DTYPE_I8:
            // NOLINTNEXTLINE(bugprone-signed-char-misuse,cert-str34-c): a number, no character
            out[i] = value.i8;
            break;
        case DTYPE_U32:
            out[i] = value.u32;
            break;
        case DTYPE_U16:
            out[i] = value.u16;
            break;
        case DTYPE_U8:
        case DTYPE_BOOL:
            out[i] = value.u8;
            break;
        default:
            return false;
        }
    }
    return true;
}

static bool same_shape(const Tensor *golden, const Tensor *target)
{
    Tensor a = tensor_squeeze(golden), b = tensor_squeeze(target);
    return tensor_same_shape(&a, &b);
}

static void note_range(TokensFact *out, int64_t id)
{
    out->largest = id > out->largest ? id : out->largest;
    out->smallest = id < out->smallest ? id : out->smallest;
}

static void compare_elements(const Tensor *golden, const Tensor *target, Str file, TokensFact *out)
{
    int64_t a[BLOCK], b[BLOCK];
    for (uint64_t at = 0; at < golden->count; at += BLOCK) {
        size_t count = golden->count - at < BLOCK ? (size_t)(golden->count - at) : BLOCK;
        if (!widen(golden, at, count, a) || !widen(target, at, count, b))
            return;
        for (size_t i = 0; i < count; i++) {
            note_range(out, a[i]);
            note_range(out, b[i]);
            if (a[i] == b[i])
                continue;
            if (out->different++ == 0) {
                out->first_file = file;
                out->first_at = at + i;
                out->golden = a[i];
                out->target = b[i];
            }
        }
    }
}

static bool check_whole(const Tensor *tensor, const char *path, Error *err)
{
    return dtype_is_whole(tensor->dtype) ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), tr("expected token ids, found %s"),
                     dtype_text(tensor->dtype));
}

// The end of a path, with `above` of its folders.
static Str end_of_path(const char *path, int above)
{
    Str text = str_of(path);
    size_t at = text.size;
    while (at > 0 && (text.data[at - 1] != '/' || above-- > 0))
        at--;
    return str_slice(text, at, text.size);
}

// `above`: how many of its folders tell the file from others of its name.
static bool compare_files(const char *golden, const char *target, int above, Arena *arena,
                          TokensFact *out, Notices *notices, Error *err)
{
    TensorFile a, b;
    if (!tensor_open(golden, &a, notices, err))
        return false;
    if (!tensor_open(target, &b, notices, err)) {
        tensor_close(&a);
        return false;
    }
    bool good = check_whole(&a.tensor, golden, err) && check_whole(&b.tensor, target, err);
    if (good) {
        out->files++;
        out->elements += a.tensor.count;
        if (same_shape(&a.tensor, &b.tensor))
            compare_elements(&a.tensor, &b.tensor, str_copy(arena, end_of_path(target, above)),
                             out);
        else
            out->shape_differs++;
    }
    tensor_close(&a);
    tensor_close(&b);
    return good;
}

static bool is_array(Str name)
{
    return str_ends(name, STR(".npy")) || str_ends(name, STR(".pt"));
}

static bool has_name(const FolderList *list, Str name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal(list->items[i], name))
            return true;
    return false;
}

static uint64_t count_only(const FolderList *list, const FolderList *other)
{
    uint64_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += is_array(list->items[i]) && !has_name(other, list->items[i]);
    return count;
}

enum { STEPS_AND_RANKS = 2 };

// Arrays of both folders, and of folders of one name in them: step_0/rank_0/tokens.npy.
static bool compare_folders(const char *golden, const char *target, int depth, Arena *arena,
                            TokensFact *out, Notices *notices, Error *err)
{
    FolderList a = {0}, b = {0};
    if (!folder_list(golden, arena, &a, err) || !folder_list(target, arena, &b, err))
        return false;
    out->only[0] += count_only(&a, &b);
    out->only[1] += count_only(&b, &a);
    bool good = true;
    for (size_t i = 0; i < a.count && good; i++) {
        const char *one = path_join(arena, golden, a.items[i]);
        const char *two = path_join(arena, target, a.items[i]);
        bool folders = file_kind(one) == FILE_FOLDER && file_kind(two) == FILE_FOLDER;
        if (folders && depth > 0)
            good = compare_folders(one, two, depth - 1, arena, out, notices, err);
        else if (!folders && is_array(a.items[i]) && has_name(&b, a.items[i]))
            good = compare_files(one, two, STEPS_AND_RANKS - depth, arena, out, notices, err);
    }
    return good;
}

bool tokens_compare(const char *golden, const char *target, Arena *arena, TokensFact *out,
                    Notices *notices, Error *err)
{
    *out = (TokensFact){.largest = INT64_MIN, .smallest = INT64_MAX};
    if (file_kind(golden) == FILE_FOLDER && file_kind(target) == FILE_FOLDER)
        return compare_folders(golden, target, STEPS_AND_RANKS, arena, out, notices, err) &&
               (out->files > 0 ||
                error_set(err, ERR_INPUT, WHERE_FILE(golden), "%s",
                          tr("no array of token ids has the same name on both sides")));
    return compare_files(golden, target, 0, arena, out, notices, err);
}
