// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/torch_tensor.h"

#include <string.h>

#include "base/words.h"
#include "read/tensor/torch_symbols.h"

enum { WRAPPING_MAX = 16 };

// A pickle's result on the way to a tensor.
typedef struct Rebuild {
    const char *path;
    Error *err;
} Rebuild;

static bool wrong(const Rebuild *with, const PickleValue *value, const char *why)
{
    return error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, value->at),
                     tr("the pickle describes no readable tensor: %s"), why);
}

static const PickleSymbol *symbol_of(const PickleValue *value)
{
    bool named = value->kind == PICKLE_SYMBOL || value->kind == PICKLE_CALL;
    return named ? &torch_symbols[value->symbol] : NULL;
}

static bool not_one_tensor(const Rebuild *with, const PickleValue *value)
{
    const char *found = value->kind == PICKLE_DICT    ? TR("a dict (a checkpoint?)")
                        : value->kind == PICKLE_LIST  ? TR("a list")
                        : value->kind == PICKLE_TUPLE ? TR("a tuple")
                                                      : TR("another value");
    return error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, value->at),
                     tr("expected one tensor, found %s"), tr(found));
}

bool torch_is_tensor(const PickleValue *value)
{
    static const bool tensors[] = {
        [MEANS_REBUILD] = true,   [MEANS_REBUILD_V3] = true,  [MEANS_WRAPPED] = true,
        [MEANS_FROM_TYPE] = true, [MEANS_UNSUPPORTED] = true, [MEANS_OTHER] = false};
    return value->kind == PICKLE_CALL && tensors[torch_symbols[value->symbol].meaning];
}

// Takes off parameters and subclasses until a rebuild call is left.
static bool unwrap(const Rebuild *with, const PickleValue *value, PickleValue *out)
{
    *out = *value;
    for (int depth = 0; depth < WRAPPING_MAX; depth++) {
        const PickleSymbol *symbol = symbol_of(out);
        if (out->kind != PICKLE_CALL)
            return not_one_tensor(with, out);
        if (symbol->meaning == MEANS_UNSUPPORTED)
            return error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, out->at),
                             tr("unsupported tensor kind: %s"), symbol->name);
        if (out->count < symbol->detail)
            return wrong(with, out, tr("too few arguments"));
        if (symbol->meaning == MEANS_REBUILD || symbol->meaning == MEANS_REBUILD_V3)
            return true;
        if (symbol->meaning == MEANS_WRAPPED) {
            *out = *out->items[0];
        } else if (symbol->meaning == MEANS_FROM_TYPE) {
            const PickleValue *function = out->items[0], *arguments = out->items[2];
            if (function->kind != PICKLE_SYMBOL ||
                !(torch_symbols[function->symbol].use & PICKLE_CALLABLE) ||
                arguments->kind != PICKLE_TUPLE)
                return wrong(with, out, tr("expected a function and its arguments"));
            *out = *arguments;
            out->kind = PICKLE_CALL;
            out->symbol = function->symbol;
        } else {
            return not_one_tensor(with, out);
        }
    }
    return wrong(with, out, tr("nested too deep"));
}

// A tuple or torch.Size of integers that are not negative.
static bool read_sizes(const Rebuild *with, const PickleValue *value, uint32_t *rank,
                       uint64_t out[TENSOR_MAX_RANK])
{
    const PickleSymbol *symbol = symbol_of(value);
    if (value->kind == PICKLE_CALL && symbol->meaning == MEANS_SIZE && value->count == 1)
        value = value->items[0];
    if (value->kind != PICKLE_TUPLE && value->kind != PICKLE_LIST)
        return wrong(with, value, tr("expected the sizes in a tuple"));
    if (value->count > TENSOR_MAX_RANK)
        return wrong(with, value, tr("more than 64 axes"));
    for (size_t i = 0; i < value->count; i++) {
        if (value->items[i]->kind != PICKLE_INT)
            return wrong(with, value->items[i], tr("expected an integer"));
        if (value->items[i]->integer < 0)
            return wrong(with, value->items[i], tr("a negative size, stride or offset"));
        out[i] = (uint64_t)value->items[i]->integer;
    }
    *rank = (uint32_t)value->count;
    return true;
}

// One more than the largest offset that an element has from the first; false on overflow.
static bool extent(const Tensor *tensor, uint64_t offset, uint64_t *out)
{
    *out = offset;
    if (tensor->count == 0)
        return true;
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        uint64_t steps = tensor->shape[axis] - 1, stride = tensor->stride[axis];
        if (stride != 0 && steps > (UINT64_MAX - *out) / stride)
            return false;
        *out += steps * stride;
    }
    return *out < UINT64_MAX ? (++*out, true) : false;
}

typedef struct StorageId {
    Str key;
    DType dtype;
    bool raw;
    uint64_t count;  // elements, of raw ones bytes
} StorageId;

static bool read_storage_id(const Rebuild *with, const PickleValue *value, StorageId *out)
{
    if (value->kind != PICKLE_STORAGE || value->count < 5 || value->count > 6)
        return wrong(with, value, tr("expected a storage"));
    PickleValue **items = value->items;
    if (items[0]->kind != PICKLE_TEXT || !str_equal(items[0]->text, STR("storage")) ||
        items[1]->kind != PICKLE_SYMBOL || items[2]->kind != PICKLE_TEXT ||
        items[4]->kind != PICKLE_INT || items[4]->integer < 0)
        return wrong(with, value, tr("expected type, key and length of the storage"));
    const PickleSymbol *type = symbol_of(items[1]);
    if (type->meaning == MEANS_ODD_STORAGE)
        return error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, items[1]->at),
                         tr("unsupported tensor kind: %s"), type->name);
    if (type->meaning != MEANS_STORAGE && type->meaning != MEANS_RAW_STORAGE)
        return wrong(with, items[1], tr("expected the type of a storage"));
    *out = (StorageId){.key = items[2]->text,
                       .dtype = (DType)type->detail,
                       .raw = type->meaning == MEANS_RAW_STORAGE,
                       .count = (uint64_t)items[4]->integer};
    return true;
}

// The metadata dict that may follow: conj and neg.
// torch writes a dict of few flags after the hooks. A pickle can say one dict for many tensors.
enum { METADATA_MAX = 64 };

static bool read_metadata(const Rebuild *with, const PickleValue *call, size_t from, Tensor *out)
{
    for (size_t i = from; i < call->count; i++) {
        const PickleValue *dict = call->items[i];
        if (i - from > METADATA_MAX || (dict->kind == PICKLE_DICT && dict->count > METADATA_MAX))
            return wrong(with, call, tr("more arguments or flags than a tensor has"));
        for (size_t j = 0; dict->kind == PICKLE_DICT && j + 1 < dict->count; j += 2) {
            const PickleValue *key = dict->items[j], *flag = dict->items[j + 1];
            bool set = flag->kind == PICKLE_BOOL && flag->integer;
            if (key->kind == PICKLE_TEXT && str_equal(key->text, STR("conj")))
                out->conj = set;
            if (key->kind == PICKLE_TEXT && str_equal(key->text, STR("neg")))
                out->neg = set;
        }
    }
    return true;
}

static bool place(const Rebuild *with, const PickleValue *call, const StorageId *id, Str bytes,
                  uint64_t offset, uint64_t most, Tensor *out)
{
    uint64_t size = dtype_size(out->dtype), end;
    if (id->count > bytes.size / dtype_size(id->dtype))
        return wrong(with, call, tr("the storage is shorter than it says (cut short?)"));
    if (!extent(out, offset, &end) || end > id->count * dtype_size(id->dtype) / size)
        return wrong(with, call, tr("sizes and strides reach past the storage"));
    if (out->count > most)
        return wrong(with, call,
                     tr("expanded to more than 134,217,728 elements and 1,024 a byte of its file"));
    out->data = (const unsigned char *)bytes.data + offset * size;
    tensor_check_contiguous(out);
    return true;
}

static bool read_shape(const Rebuild *with, const PickleValue *call, DType dtype, Tensor *out)
{
    uint32_t rank, strides;
    uint64_t shape[TENSOR_MAX_RANK], stride[TENSOR_MAX_RANK];
    if (!read_sizes(with, call->items[2], &rank, shape) ||
        !read_sizes(with, call->items[3], &strides, stride))
        return false;
    if (rank != strides)
        return wrong(with, call, tr("as many strides as sizes are needed"));
    if (!tensor_set_shape(out, dtype, rank, shape))
        return wrong(with, call, tr("the product of the sizes overflows"));
    memcpy(out->stride, stride, rank * sizeof stride[0]);
    return true;
}

// A storage that is part of another one (the sixth element of its id).
static bool check_no_view(const Rebuild *with, const PickleValue *storage)
{
    if (storage->kind == PICKLE_STORAGE && storage->count == 6 &&
        storage->items[5]->kind != PICKLE_NONE)
        return wrong(with, storage, tr("a view of another storage"));
    return true;
}

static bool rebuild(const Rebuild *with, const PickleValue *call, const TorchStores *stores,
                    Tensor *out)
{
    StorageId id = {0};
    bool v3 = symbol_of(call)->meaning == MEANS_REBUILD_V3;
    const PickleValue *offset = call->items[1];
    if (!check_no_view(with, call->items[0]) || !read_storage_id(with, call->items[0], &id))
        return false;
    DType dtype = id.dtype;
    if (v3) {
        const PickleSymbol *type = symbol_of(call->items[6]);
        if (!type || call->items[6]->kind != PICKLE_SYMBOL || type->meaning != MEANS_DTYPE)
            return wrong(with, call->items[6], tr("expected a dtype"));
        dtype = (DType)type->detail;
    }
    if (offset->kind != PICKLE_INT || offset->integer < 0)
        return wrong(with, offset, tr("a negative size, stride or offset"));
    if (!read_shape(with, call, dtype, out))
        return false;
    const TorchStore *store = torch_store_find(stores, id.key);
    if (!store)
        return wrong(with, call->items[0], tr("the bytes of its storage are missing"));
    // torch writes 0 where it is reported not to compute checksums.
    out->stored = store->bytes;
    out->stored_crc = store->crc;
    out->has_crc = store->crc != 0;
    out->storage = (size_t)(store - stores->items);
    out->big_endian = stores->big_endian;
    return read_metadata(with, call, v3 ? 7 : 6, out) &&
           place(with, call, &id, store->bytes, (uint64_t)offset->integer, stores->elements_max,
                 out);
}

bool torch_tensor(const char *path, const PickleValue *value, const TorchStores *stores,
                  Tensor *out, Error *err)
{
    Rebuild with = {path, err};
    PickleValue call;
    *out = (Tensor){0};
    return unwrap(&with, value, &call) && rebuild(&with, &call, stores, out);
}
