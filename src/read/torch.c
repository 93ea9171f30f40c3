// SPDX-License-Identifier: Apache-2.0
#include "read/torch.h"

#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/words.h"
#include "read/little_endian.h"
#include "read/pickle.h"
#include "read/torch_zip.h"

// What a name on the list stands for; `detail` of the symbol beside it.
typedef enum Meaning {
    MEANS_STORAGE,      // DType of its elements
    MEANS_RAW_STORAGE,  // counts bytes; the dtype comes with the tensor, else this one
    MEANS_ODD_STORAGE,  // quantised: reported only
    MEANS_DTYPE,        // DType
    MEANS_REBUILD,      // arguments at least: storage, offset, size, stride …
    MEANS_REBUILD_V3,   // the same, with a dtype as seventh
    MEANS_WRAPPED,      // the first argument is the tensor
    MEANS_FROM_TYPE,    // arguments: function, class, arguments of the function, state
    MEANS_UNSUPPORTED,  // a kind of tensor that is recognised, but not read
    MEANS_SIZE,         // one argument: a tuple
    MEANS_OTHER         // never looked into
} Meaning;

// Every name that may stand in the pickle of a tensor.
static const PickleSymbol symbols[] = {
    {"torch",                   "DoubleStorage",                          false, false, MEANS_STORAGE,     DTYPE_F64      },
    {"torch.cuda",              "DoubleStorage",                          false, false, MEANS_STORAGE,     DTYPE_F64      },
    {"torch",                   "FloatStorage",                           false, false, MEANS_STORAGE,     DTYPE_F32      },
    {"torch.cuda",              "FloatStorage",                           false, false, MEANS_STORAGE,     DTYPE_F32      },
    {"torch",                   "HalfStorage",                            false, false, MEANS_STORAGE,     DTYPE_F16      },
    {"torch.cuda",              "HalfStorage",                            false, false, MEANS_STORAGE,     DTYPE_F16      },
    {"torch",                   "BFloat16Storage",                        false, false, MEANS_STORAGE,     DTYPE_BF16     },
    {"torch.cuda",              "BFloat16Storage",                        false, false, MEANS_STORAGE,     DTYPE_BF16     },
    {"torch",                   "LongStorage",                            false, false, MEANS_STORAGE,     DTYPE_I64      },
    {"torch.cuda",              "LongStorage",                            false, false, MEANS_STORAGE,     DTYPE_I64      },
    {"torch",                   "IntStorage",                             false, false, MEANS_STORAGE,     DTYPE_I32      },
    {"torch.cuda",              "IntStorage",                             false, false, MEANS_STORAGE,     DTYPE_I32      },
    {"torch",                   "ShortStorage",                           false, false, MEANS_STORAGE,     DTYPE_I16      },
    {"torch.cuda",              "ShortStorage",                           false, false, MEANS_STORAGE,     DTYPE_I16      },
    {"torch",                   "CharStorage",                            false, false, MEANS_STORAGE,     DTYPE_I8       },
    {"torch.cuda",              "CharStorage",                            false, false, MEANS_STORAGE,     DTYPE_I8       },
    {"torch",                   "ByteStorage",                            false, false, MEANS_STORAGE,     DTYPE_U8       },
    {"torch.cuda",              "ByteStorage",                            false, false, MEANS_STORAGE,     DTYPE_U8       },
    {"torch",                   "BoolStorage",                            false, false, MEANS_STORAGE,     DTYPE_BOOL     },
    {"torch.cuda",              "BoolStorage",                            false, false, MEANS_STORAGE,     DTYPE_BOOL     },
    {"torch",                   "ComplexDoubleStorage",                   false, false, MEANS_STORAGE,     DTYPE_C128     },
    {"torch.cuda",              "ComplexDoubleStorage",                   false, false, MEANS_STORAGE,     DTYPE_C128     },
    {"torch",                   "ComplexFloatStorage",                    false, false, MEANS_STORAGE,     DTYPE_C64      },
    {"torch.cuda",              "ComplexFloatStorage",                    false, false, MEANS_STORAGE,     DTYPE_C64      },
    {"torch",                   "QInt8Storage",                           false, false, MEANS_ODD_STORAGE, 0              },
    {"torch",                   "QUInt8Storage",                          false, false, MEANS_ODD_STORAGE, 0              },
    {"torch",                   "QInt32Storage",                          false, false, MEANS_ODD_STORAGE, 0              },
    {"torch",                   "QUInt4x2Storage",                        false, false, MEANS_ODD_STORAGE, 0              },
    {"torch",                   "QUInt2x4Storage",                        false, false, MEANS_ODD_STORAGE, 0              },
    {"torch.storage",           "UntypedStorage",                         false, false, MEANS_RAW_STORAGE, DTYPE_U8       },
    {"torch.storage",           "_UntypedStorage",                        false, false, MEANS_RAW_STORAGE, DTYPE_U8       },
    {"torch",                   "UntypedStorage",                         false, false, MEANS_RAW_STORAGE, DTYPE_U8       },
    {"torch",                   "float64",                                false, false, MEANS_DTYPE,       DTYPE_F64      },
    {"torch",                   "float32",                                false, false, MEANS_DTYPE,       DTYPE_F32      },
    {"torch",                   "float16",                                false, false, MEANS_DTYPE,       DTYPE_F16      },
    {"torch",                   "bfloat16",                               false, false, MEANS_DTYPE,       DTYPE_BF16     },
    {"torch",                   "float8_e4m3fn",                          false, false, MEANS_DTYPE,       DTYPE_F8_E4M3FN},
    {"torch",                   "float8_e5m2",                            false, false, MEANS_DTYPE,       DTYPE_F8_E5M2  },
    {"torch",                   "float8_e8m0fnu",                         false, false, MEANS_DTYPE,       DTYPE_F8_E8M0  },
    {"torch",                   "int64",                                  false, false, MEANS_DTYPE,       DTYPE_I64      },
    {"torch",                   "int32",                                  false, false, MEANS_DTYPE,       DTYPE_I32      },
    {"torch",                   "int16",                                  false, false, MEANS_DTYPE,       DTYPE_I16      },
    {"torch",                   "int8",                                   false, false, MEANS_DTYPE,       DTYPE_I8       },
    {"torch",                   "uint64",                                 false, false, MEANS_DTYPE,       DTYPE_U64      },
    {"torch",                   "uint32",                                 false, false, MEANS_DTYPE,       DTYPE_U32      },
    {"torch",                   "uint16",                                 false, false, MEANS_DTYPE,       DTYPE_U16      },
    {"torch",                   "uint8",                                  false, false, MEANS_DTYPE,       DTYPE_U8       },
    {"torch",                   "bool",                                   false, false, MEANS_DTYPE,       DTYPE_BOOL     },
    {"torch",                   "complex64",                              false, false, MEANS_DTYPE,       DTYPE_C64      },
    {"torch",                   "complex128",                             false, false, MEANS_DTYPE,       DTYPE_C128     },
    {"torch._utils",            "_rebuild_tensor",                        true,  false, MEANS_REBUILD,     4              },
    {"torch._utils",            "_rebuild_tensor_v2",                     true,  false, MEANS_REBUILD,     6              },
    {"torch._utils",            "_rebuild_tensor_v3",                     true,  false, MEANS_REBUILD_V3,  7              },
    {"torch_npu.utils.storage", "_rebuild_npu_tensor",                    true,  false, MEANS_REBUILD,     7              },
    {"torch._utils",            "_rebuild_parameter",                     true,  false, MEANS_WRAPPED,     3              },
    {"torch._utils",            "_rebuild_parameter_with_state",          true,  false, MEANS_WRAPPED,     4              },
    {"torch._utils",            "_rebuild_device_tensor_from_cpu_tensor", true,  false, MEANS_WRAPPED,     4              },
    {"torch.nn.parameter",      "Parameter",                              true,  true,  MEANS_WRAPPED,     1              },
    {"torch._tensor",           "_rebuild_from_type_v2",                  true,  false, MEANS_FROM_TYPE,   4              },
    {"torch._utils",            "_rebuild_qtensor",                       true,  false, MEANS_UNSUPPORTED, 0              },
    {"torch._utils",            "_rebuild_sparse_tensor",                 true,  false, MEANS_UNSUPPORTED, 0              },
    {"torch._utils",            "_rebuild_meta_tensor_no_storage",        true,  false, MEANS_UNSUPPORTED, 0              },
    {"torch._utils",            "_rebuild_wrapper_subclass",              true,  false, MEANS_UNSUPPORTED, 0              },
    {"torch._utils",            "_rebuild_device_tensor_from_numpy",      true,  false, MEANS_UNSUPPORTED, 0              },
    {"collections",             "OrderedDict",                            true,  false, MEANS_OTHER,       0              },
    {"torch",                   "Size",                                   true,  false, MEANS_SIZE,        1              },
    {"torch",                   "device",                                 true,  false, MEANS_OTHER,       0              },
    {"torch",                   "Tensor",                                 false, false, MEANS_OTHER,       0              },
    {"torch.nn.parameter",      "Buffer",                                 false, false, MEANS_OTHER,       0              },
    {"torch_npu.npu._format",   "Format",                                 true,  false, MEANS_OTHER,       1              },
};

#define EXPANDED_MAX (UINT64_C(1) << 33)

enum { SYMBOL_COUNT = sizeof symbols / sizeof symbols[0], WRAPPING_MAX = 16 };

// Where the bytes of a storage lie, by its key.
typedef struct Store {
    Str key, bytes;
    uint32_t crc;  // 0: none
} Store;

typedef struct Stores {
    Store *items;
    size_t count, capacity;
    bool big_endian;
} Stores;

// A pickle's result on the way to a tensor.
typedef struct Rebuild {
    const char *path;
    Arena *arena;
    Error *err;
} Rebuild;

bool torch_is(Str bytes)
{
    return torch_zip_is(bytes) || str_starts(bytes, STR("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20"
                                                        "\x6a\xa8\x50\x19\x2e"));
}

static bool wrong(const Rebuild *with, const PickleValue *value, const char *why)
{
    return error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, value->at),
                     tr("the pickle describes no readable tensor: %s"), why);
}

static const PickleSymbol *symbol_of(const PickleValue *value)
{
    bool named = value->kind == PICKLE_SYMBOL || value->kind == PICKLE_CALL;
    return named ? &symbols[value->symbol] : NULL;
}

static bool not_one_tensor(const Rebuild *with, const PickleValue *value)
{
    const PickleSymbol *symbol = symbol_of(value);
    bool dict = value->kind == PICKLE_DICT || (symbol && strcmp(symbol->name, "OrderedDict") == 0);
    const char *found = dict                          ? TR("a dict (a checkpoint?)")
                        : value->kind == PICKLE_LIST  ? TR("a list")
                        : value->kind == PICKLE_TUPLE ? TR("a tuple")
                                                      : TR("another value");
    error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, value->at),
              tr("expected one tensor, found %s"), tr(found));
    return error_hint(with->err, "%s",
                      tr("save the tensor itself, or the checkpoint as safetensors"));
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
            if (function->kind != PICKLE_SYMBOL || !symbols[function->symbol].callable ||
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
static void read_metadata(const PickleValue *call, size_t from, Tensor *out)
{
    for (size_t i = from; i < call->count; i++) {
        const PickleValue *dict = call->items[i];
        for (size_t j = 0; dict->kind == PICKLE_DICT && j + 1 < dict->count; j += 2) {
            const PickleValue *key = dict->items[j], *flag = dict->items[j + 1];
            bool set = flag->kind == PICKLE_BOOL && flag->integer;
            if (key->kind == PICKLE_TEXT && str_equal(key->text, STR("conj")))
                out->conj = set;
            if (key->kind == PICKLE_TEXT && str_equal(key->text, STR("neg")))
                out->neg = set;
        }
    }
}

static bool place(const Rebuild *with, const PickleValue *call, const StorageId *id, Str bytes,
                  uint64_t offset, Tensor *out)
{
    uint64_t size = dtype_size(out->dtype), end;
    if (id->count > bytes.size / dtype_size(id->dtype))
        return wrong(with, call, tr("the storage is shorter than it says (cut short?)"));
    if (!extent(out, offset, &end) || end > id->count * dtype_size(id->dtype) / size)
        return wrong(with, call, tr("sizes and strides reach past the storage"));
    // Elements may share bytes, so the file does not bound their number; the time to compare must be.
    if (out->count > id->count && out->count > EXPANDED_MAX)
        return wrong(with, call, tr("expanded to more than 8,589,934,592 elements"));
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

static const Store *find_store(const Stores *stores, Str key)
{
    for (size_t i = 0; i < stores->count; i++)
        if (str_equal(stores->items[i].key, key))
            return &stores->items[i];
    return NULL;
}

static bool rebuild(const Rebuild *with, const PickleValue *call, const Stores *stores, Tensor *out)
{
    StorageId id;
    bool v3 = symbol_of(call)->meaning == MEANS_REBUILD_V3;
    const PickleValue *offset = call->items[1];
    if (!read_storage_id(with, call->items[0], &id))
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
    const Store *store = find_store(stores, id.key);
    if (!store)
        return wrong(with, call->items[0], tr("the bytes of its storage are missing"));
    // torch writes 0 where it is told not to compute checksums.
    out->stored = store->bytes;
    out->stored_crc = store->crc;
    out->has_crc = store->crc != 0;
    out->big_endian = stores->big_endian;
    read_metadata(call, v3 ? 7 : 6, out);
    return place(with, call, &id, store->bytes, (uint64_t)offset->integer, out);
}

static Str member_name(Arena *arena, Str folder, const char *rest)
{
    return str_printf(arena, STR_FMT "%s", STR_ARG(folder), rest);
}

// The one member that ends in "/data.pkl"; it tells the folder that all others are in.
static bool find_pickle(const Rebuild *with, const ZipMembers *members, const ZipMember **out)
{
    *out = NULL;
    for (size_t i = 0; i < members->count; i++) {
        if (!str_ends(members->items[i].name, STR("/data.pkl")))
            continue;
        if (*out)
            return error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, members->items[i].start),
                             "%s", tr("two members are called data.pkl; only one can be meant"));
        *out = &members->items[i];
    }
    return *out ? true
                : error_set(with->err, ERR_INPUT, WHERE_FILE(with->path), "%s",
                            tr("a ZIP file without data.pkl is no file of torch.save"));
}

static bool is_script(const ZipMembers *members, Str folder, Arena *arena)
{
    Str code = member_name(arena, folder, "code/");
    for (size_t i = 0; i < members->count; i++)
        if (str_starts(members->items[i].name, code))
            return true;
    return torch_zip_find(members, member_name(arena, folder, "constants.pkl")) != NULL;
}

static void list_stores(const ZipMembers *members, Str folder, Arena *arena, Stores *out)
{
    Str data = member_name(arena, folder, "data/");
    for (size_t i = 0; i < members->count; i++) {
        Str name = members->items[i].name;
        if (str_starts(name, data))
            *ARRAY_PUSH(arena, out) = (Store){.key = str_slice(name, data.size, name.size),
                                              .bytes = members->items[i].bytes,
                                              .crc = members->items[i].crc};
    }
    const ZipMember *order = torch_zip_find(members, member_name(arena, folder, "byteorder"));
    out->big_endian = order && str_equal(str_trim(order->bytes), STR("big"));
}

static void check_crc(const char *path, const ZipMember *member, Notices *notices)
{
    uLong crc = crc32(0, (const Bytef *)member->bytes.data, (uInt)member->bytes.size);
    if (crc != member->crc)
        notices_add(notices, NOTICE_WARNING, WHERE_BYTE(path, member->start), "%s",
                    tr("the checksum of the ZIP container does not fit its bytes"));
}

static bool read_zip(const Rebuild *with, Str bytes, Tensor *out, Notices *notices)
{
    ZipMembers members;
    if (!torch_zip_read(with->path, bytes, with->arena, &members, with->err))
        return false;
    const ZipMember *pickle;
    if (!find_pickle(with, &members, &pickle))
        return false;
    Str folder = str_slice(pickle->name, 0, pickle->name.size - strlen("data.pkl"));
    if (is_script(&members, folder, with->arena))
        return error_set(with->err, ERR_INPUT, WHERE_FILE(with->path), "%s",
                         tr("a TorchScript archive holds code and is not read"));
    if (pickle->bytes.size > PICKLE_BYTES_MAX)
        return error_set(
            with->err, ERR_INPUT, WHERE_BYTE(with->path, pickle->start), "%s",
            tr("the pickle is longer than 64 KiB; one tensor needs a few hundred bytes"));
    check_crc(with->path, pickle, notices);
    size_t at = (size_t)(pickle->bytes.data - bytes.data);
    PickleValue *value, call;
    if (!pickle_read(with->path, str_slice(bytes, 0, at + pickle->bytes.size), &at, symbols,
                     SYMBOL_COUNT, with->arena, &value, with->err) ||
        !unwrap(with, value, &call))
        return false;
    Stores stores = {0};
    list_stores(&members, folder, with->arena, &stores);
    return rebuild(with, &call, &stores, out);
}

static bool read_value(const Rebuild *with, Str bytes, size_t *at, PickleValue **out)
{
    return pickle_read(with->path, bytes, at, symbols, SYMBOL_COUNT, with->arena, out, with->err);
}

static bool check_system(const Rebuild *with, const PickleValue *protocol,
                         const PickleValue *system)
{
    if (protocol->kind != PICKLE_INT || protocol->integer != 1001)
        return wrong(with, protocol, tr("expected stream protocol 1001"));
    if (system->kind != PICKLE_DICT)
        return wrong(with, system, tr("expected a dict about the machine"));
    for (size_t i = 0; i + 1 < system->count; i += 2) {
        const PickleValue *key = system->items[i], *flag = system->items[i + 1];
        if (key->kind == PICKLE_TEXT && str_equal(key->text, STR("little_endian")) &&
            !(flag->kind == PICKLE_BOOL && flag->integer))
            return wrong(with, flag, tr("written on a big-endian machine"));
    }
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

// One tensor has one storage; its key is the only one.
static bool read_store(const Rebuild *with, Str bytes, size_t at, const PickleValue *keys,
                       const StorageId *id, Stores *out)
{
    if (keys->kind != PICKLE_LIST || keys->count != 1 || keys->items[0]->kind != PICKLE_TEXT)
        return wrong(with, keys, tr("expected the key of one storage"));
    if (bytes.size - at < 8)
        return wrong(with, keys, tr("the storage is shorter than it says (cut short?)"));
    uint64_t count = le64((const unsigned char *)bytes.data + at);
    Str rest = str_slice(bytes, at + 8, bytes.size);
    if (count > rest.size / dtype_size(id->dtype))
        return wrong(with, keys, tr("the storage is shorter than it says (cut short?)"));
    *ARRAY_PUSH(with->arena, out) = (Store){
        .key = keys->items[0]->text, .bytes = str_slice(rest, 0, count * dtype_size(id->dtype))};
    return true;
}

static bool read_legacy(const Rebuild *with, Str bytes, Tensor *out)
{
    size_t at = 15;  // behind the magic
    PickleValue *protocol, *system, *value, *keys, call;
    StorageId id;
    Stores stores = {0};
    return read_value(with, bytes, &at, &protocol) && read_value(with, bytes, &at, &system) &&
           check_system(with, protocol, system) && read_value(with, bytes, &at, &value) &&
           unwrap(with, value, &call) && check_no_view(with, call.items[0]) &&
           read_storage_id(with, call.items[0], &id) && read_value(with, bytes, &at, &keys) &&
           read_store(with, bytes, at, keys, &id, &stores) && rebuild(with, &call, &stores, out);
}

bool torch_read(const char *path, Str bytes, Tensor *out, Notices *notices, Error *err)
{
    Arena *arena = arena_new();
    Rebuild with = {.path = path, .arena = arena, .err = err};
    *out = (Tensor){0};
    bool good =
        torch_zip_is(bytes) ? read_zip(&with, bytes, out, notices) : read_legacy(&with, bytes, out);
    arena_release(arena);
    return good;
}
