// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/torch_content.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/words.h"
#include "read/tensor/little_endian.h"
#include "read/tensor/tensor.h"
#include "read/tensor/torch_symbols.h"
#include "read/tensor/torch_zip.h"

typedef struct Reading {
    const char *path;
    Arena *arena;
    PickleReader *pickle;
    Error *err;
} Reading;

bool torch_is(Str bytes)
{
    return torch_zip_is(bytes) || str_starts(bytes, STR("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20"
                                                        "\x6a\xa8\x50\x19\x2e"));
}

static bool odd(const Reading *with, const PickleValue *value, const char *why)
{
    return error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, value->at),
                     tr("the pickle describes no readable tensor: %s"), why);
}

static Str member_name(Arena *arena, Str folder, const char *rest)
{
    return str_printf(arena, STR_FMT "%s", STR_ARG(folder), rest);
}

// The one member that ends in "/data.pkl"; it tells the folder that all others are in.
static bool find_pickle(const Reading *with, const ZipMembers *members, const ZipMember **out)
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

static void list_stores(const ZipMembers *members, Str folder, Arena *arena, TorchStores *out)
{
    Str data = member_name(arena, folder, "data/");
    for (size_t i = 0; i < members->count; i++) {
        Str name = members->items[i].name;
        if (str_starts(name, data))
            *ARRAY_PUSH(arena, out) = (TorchStore){.key = str_slice(name, data.size, name.size),
                                                   .bytes = members->items[i].bytes,
                                                   .crc = members->items[i].crc,
                                                   .mark = ARENA_NEW(arena, CrcMark)};
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

static bool read_value(const Reading *with, Str bytes, size_t *at, PickleValue **out)
{
    with->pickle->bytes = bytes;
    return pickle_read(with->pickle, at, out);
}

static int by_key(const void *a, const void *b)
{
    return str_compare(((const TorchStore *)a)->key, ((const TorchStore *)b)->key);
}

static void sort_stores(TorchStores *stores)
{
    if (stores->count > 1)
        qsort(stores->items, stores->count, sizeof *stores->items, by_key);
}

static bool too_long(const Reading *with, const ZipMember *pickle)
{
    size_t most = with->pickle->bounds->bytes / 1024;
    error_set(with->err, ERR_INPUT, WHERE_BYTE(with->path, pickle->start),
              tr("the pickle is longer than %zu KiB"), most);
    return error_hint(with->err, "%s", tr("one tensor needs a few hundred bytes"));
}

static bool read_zip(const Reading *with, Str bytes, TorchContent *out, Notices *notices)
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
    if (pickle->bytes.size > with->pickle->bounds->bytes)
        return too_long(with, pickle);
    check_crc(with->path, pickle, notices);
    size_t at = (size_t)(pickle->bytes.data - bytes.data);
    if (!read_value(with, str_slice(bytes, 0, at + pickle->bytes.size), &at, &out->value))
        return false;
    list_stores(&members, folder, with->arena, &out->stores);
    sort_stores(&out->stores);
    return true;
}

static bool check_system(const Reading *with, const PickleValue *protocol,
                         const PickleValue *system)
{
    if (protocol->kind != PICKLE_INT || protocol->integer != 1001)
        return odd(with, protocol, tr("expected stream protocol 1001"));
    if (system->kind != PICKLE_DICT)
        return odd(with, system, tr("expected a dict about the machine"));
    for (size_t i = 0; i + 1 < system->count; i += 2) {
        const PickleValue *key = system->items[i], *flag = system->items[i + 1];
        if (key->kind == PICKLE_TEXT && str_equal(key->text, STR("little_endian")) &&
            !(flag->kind == PICKLE_BOOL && flag->integer))
            return odd(with, flag, tr("written on a big-endian machine"));
    }
    return true;
}

// The type of the elements of the storage with this key, as an id in the object tells it. Ids are
// sorted by key.
static const PickleValue *find_id(const PickleValues *ids, Str key)
{
    size_t low = 0, high = ids->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = str_compare(ids->items[middle]->items[2]->text, key);
        if (order == 0)
            return ids->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int by_id(const void *a, const void *b)
{
    const PickleValue *left = *(PickleValue *const *)a, *right = *(PickleValue *const *)b;
    return str_compare(left->items[2]->text, right->items[2]->text);
}

// Ids that name a type of storage and a key.
static void sort_ids(PickleValues *ids)
{
    size_t kept = 0;
    for (size_t i = 0; i < ids->count; i++) {
        const PickleValue *id = ids->items[i];
        if (id->count >= 3 && id->items[1]->kind == PICKLE_SYMBOL &&
            id->items[2]->kind == PICKLE_TEXT)
            ids->items[kept++] = ids->items[i];
    }
    ids->count = kept;
    if (kept > 1)
        qsort(ids->items, kept, sizeof *ids->items, by_id);
}

static bool element_size(const Reading *with, const PickleValue *key, uint64_t *out)
{
    const PickleValue *id =
        key->kind == PICKLE_TEXT ? find_id(&with->pickle->storages, key->text) : NULL;
    const PickleSymbol *type = id ? &torch_symbols[id->items[1]->symbol] : NULL;
    if (!type || (type->meaning != MEANS_STORAGE && type->meaning != MEANS_RAW_STORAGE &&
                  type->meaning != MEANS_ODD_STORAGE))
        return odd(with, key, tr("expected the key of a storage"));
    *out = dtype_size((DType)type->detail);
    return true;
}

// The storages follow each other in the order of the keys, each after its number of elements.
static bool read_stores(const Reading *with, Str bytes, size_t at, const PickleValue *keys,
                        TorchStores *out)
{
    if (keys->kind != PICKLE_LIST)
        return odd(with, keys, tr("expected the keys of the storages"));
    for (size_t i = 0; i < keys->count; i++) {
        uint64_t size = 1, count;
        if (!element_size(with, keys->items[i], &size))
            return false;
        if (bytes.size - at < 8)
            return odd(with, keys, tr("the storage is shorter than it says (cut short?)"));
        count = le64((const unsigned char *)bytes.data + at);
        at += 8;
        if (count > (bytes.size - at) / size)
            return odd(with, keys, tr("the storage is shorter than it says (cut short?)"));
        *ARRAY_PUSH(with->arena, out) = (TorchStore){
            .key = keys->items[i]->text, .bytes = str_slice(bytes, at, at + count * size)};
        at += count * size;
    }
    sort_stores(out);
    for (size_t i = 1; i < out->count; i++)
        if (str_equal(out->items[i - 1].key, out->items[i].key))
            return odd(with, keys, tr("a storage is there twice"));
    return true;
}

static bool read_legacy(const Reading *with, Str bytes, TorchContent *out)
{
    size_t at = 15;  // after the magic
    PickleValue *protocol, *system, *keys;
    if (!read_value(with, bytes, &at, &protocol) || !read_value(with, bytes, &at, &system) ||
        !check_system(with, protocol, system) || !read_value(with, bytes, &at, &out->value) ||
        !read_value(with, bytes, &at, &keys))
        return false;
    sort_ids(&with->pickle->storages);
    return read_stores(with, bytes, at, keys, &out->stores);
}

// A mask expanded over 1,024 heads of one byte an element, or one number for a large gradient.
static uint64_t elements_max(Str bytes)
{
    return (UINT64_C(1) << 27) + 1024 * (uint64_t)bytes.size;
}

bool torch_content_read(const char *path, Str bytes, const PickleBounds *bounds, Arena *arena,
                        TorchContent *out, Notices *notices, Error *err)
{
    PickleReader pickle = {.path = path,
                           .symbols = torch_symbols,
                           .symbol_count = torch_symbol_count,
                           .bounds = bounds,
                           .arena = arena,
                           .err = err};
    Reading with = {path, arena, &pickle, err};
    *out = (TorchContent){.stores.elements_max = elements_max(bytes)};
    return torch_zip_is(bytes) ? read_zip(&with, bytes, out, notices)
                               : read_legacy(&with, bytes, out);
}

const TorchStore *torch_store_find(const TorchStores *stores, Str key)
{
    TorchStore wanted = {.key = key};
    return stores->count
               ? bsearch(&wanted, stores->items, stores->count, sizeof *stores->items, by_key)
               : NULL;
}
