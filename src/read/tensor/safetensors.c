// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "base/words.h"
#include "read/json/json_scan.h"
#include "read/tensor/little_endian.h"

enum { LENGTH_BYTES = 8, HEADER_MAX = 100 * 1000 * 1000, TENSORS_MAX = 1000 * 1000 };

static const struct {
    const char *code;
    DType dtype;
} codes[] = {
    {"F64", DTYPE_F64},
    {"F32", DTYPE_F32},
    {"F16", DTYPE_F16},
    {"BF16", DTYPE_BF16},
    {"F8_E4M3", DTYPE_F8_E4M3FN},
    {"F8_E5M2", DTYPE_F8_E5M2},
    {"F8_E8M0", DTYPE_F8_E8M0},
    {"I64", DTYPE_I64},
    {"I32", DTYPE_I32},
    {"I16", DTYPE_I16},
    {"I8", DTYPE_I8},
    {"U64", DTYPE_U64},
    {"U32", DTYPE_U32},
    {"U16", DTYPE_U16},
    {"U8", DTYPE_U8},
    {"BOOL", DTYPE_BOOL},
    {"C64", DTYPE_C64},
};

// One tensor of the header: where its bytes are to be.
typedef struct Entry {
    Str name;
    DType dtype;
    bool known;  // the dtype
    uint32_t rank;
    uint64_t shape[TENSOR_MAX_RANK];
    uint64_t from, to;
    bool has_dtype, has_shape, has_place;
} Entry;

typedef struct Places {
    NamedTensor *items;
    size_t count, capacity;
} Places;

typedef struct Reader {
    const char *path;
    Str header;  // the JSON text
    Str data;    // what follows it
    Arena *arena;
    Places places;
    SafeTensors *out;
    size_t metadata_capacity[2];
    Notices *notices;
    Error *err;
} Reader;

static bool broken(const Reader *read, size_t at, const char *why)
{
    return error_set(read->err, ERR_INPUT, WHERE_BYTE(read->path, at + LENGTH_BYTES),
                     tr("the safetensors header is broken: %s"), why);
}

static bool bad_tensor(const Reader *read, const NamedTensor *place, const char *why)
{
    Str shown = utf8_display(str_slice(place->name, 0, 200), read->arena);
    return error_set(read->err, ERR_INPUT, WHERE_BYTE(read->path, place->at),
                     tr("refused tensor '%.*s': %s"), STR_ARG(shown), why);
}

static bool read_text(const Reader *read, ScanString string, size_t at, Str *out)
{
    StrBuf text;
    if (!string.escaped) {
        *out = str_copy(read->arena, string.raw);
        return true;
    }
    text = strbuf_new(read->arena);
    if (!scan_decode(string.raw, &text))
        return broken(read, at, tr("a text with a wrong escape"));
    *out = strbuf_str(&text);
    return true;
}

static bool read_number(const Reader *read, size_t *at, uint64_t *out)
{
    size_t start = *at;
    Str digits;
    if (scan_literal(read->header, at, &digits) != SCAN_OK || !str_to_uint64(digits, out))
        return broken(read, start, tr("expected an integer that is not negative"));
    return true;
}

// At most `limit` numbers; *count tells how many.
static bool read_numbers(const Reader *read, size_t *at, uint64_t *out, uint32_t limit,
                         uint32_t *count)
{
    ScanList list;
    *count = 0;
    if (read->header.data[*at] != '[')
        return broken(read, *at, tr("expected a list of numbers"));
    scan_list_open(&list, read->header, *at);
    while (scan_list_next(&list)) {
        if (*count == limit)
            return broken(read, list.at, tr("the list is too long"));
        if (!read_number(read, &list.at, &out[(*count)++]))
            return false;
    }
    *at = list.at;
    return list.status == SCAN_OK || broken(read, list.at, tr("the list does not end"));
}

static bool read_dtype(const Reader *read, size_t *at, Entry *entry)
{
    ScanString code;
    if (read->header.data[*at] != '"' || scan_string(read->header, at, &code) != SCAN_OK)
        return broken(read, *at, tr("expected the dtype as text"));
    entry->has_dtype = true;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (str_equal(code.raw, str_of(codes[i].code))) {
            entry->dtype = codes[i].dtype;
            entry->known = true;
        }
    return true;
}

static bool read_place(const Reader *read, size_t *at, Entry *entry)
{
    uint64_t offsets[2];
    uint32_t count;
    size_t start = *at;
    if (!read_numbers(read, at, offsets, 2, &count))
        return false;
    if (count != 2 || offsets[0] > offsets[1])
        return broken(read, start, tr("expected data_offsets [begin, end]"));
    entry->from = offsets[0];
    entry->to = offsets[1];
    entry->has_place = true;
    return true;
}

static bool read_field(const Reader *read, Str key, size_t *at, Entry *entry)
{
    if (str_equal(key, STR("dtype")))
        return read_dtype(read, at, entry);
    if (str_equal(key, STR("data_offsets")))
        return read_place(read, at, entry);
    if (str_equal(key, STR("shape"))) {
        entry->has_shape = true;
        return read_numbers(read, at, entry->shape, TENSOR_MAX_RANK, &entry->rank);
    }
    return scan_value(read->header, at, 2) == SCAN_OK || broken(read, *at, tr("a broken value"));
}

static bool read_entry(const Reader *read, size_t *at, Entry *entry)
{
    ScanObject object;
    ScanString key;
    size_t key_at, start = *at;
    if (read->header.data[*at] != '{')
        return broken(read, *at, tr("expected an object"));
    scan_object_open(&object, read->header, *at);
    while (scan_object_next(&object, &key, &key_at)) {
        if (!read_field(read, key.raw, &object.at, entry))
            return false;
    }
    *at = object.at;
    if (object.status != SCAN_OK)
        return broken(read, object.at, tr("an object does not end"));
    if (!entry->has_dtype || !entry->has_shape || !entry->has_place)
        return broken(read, start, tr("dtype, shape or data_offsets is missing"));
    return true;
}

static bool add_tensor(Reader *read, Str name, size_t key_at, size_t *at)
{
    Entry entry = {.name = name};
    if (!read_entry(read, at, &entry))
        return false;
    if (read->places.count == TENSORS_MAX)
        return broken(read, key_at, tr("more than a million tensors"));
    NamedTensor *place = ARRAY_PUSH(read->arena, &read->places);
    *place = (NamedTensor){.name = name,
                           .from = entry.from,
                           .to = entry.to,
                           .at = key_at + LENGTH_BYTES,
                           .rank = entry.rank,
                           .dtype = (uint8_t)entry.dtype,
                           .known = entry.known};
    if (entry.to > read->data.size)
        return bad_tensor(read, place, tr("its bytes reach past the end of the file"));
    Tensor tensor = {0};
    if (!entry.known)
        return true;
    if (!tensor_set_shape(&tensor, entry.dtype, entry.rank, entry.shape))
        return bad_tensor(read, place, tr("the product of its shape overflows"));
    if (entry.to - entry.from != tensor.count * dtype_size(entry.dtype))
        return bad_tensor(read, place, tr("its data_offsets do not fit dtype and shape"));
    uint64_t *shape = ARENA_ARRAY(read->arena, uint64_t, entry.rank);
    memcpy(shape, entry.shape, entry.rank * sizeof *shape);
    place->shape = shape;
    return true;
}

static bool add_metadata(Reader *read, size_t *at)
{
    ScanObject object;
    ScanString key, value;
    size_t key_at;
    if (read->header.data[*at] != '{')
        return broken(read, *at, tr("expected an object"));
    scan_object_open(&object, read->header, *at);
    while (scan_object_next(&object, &key, &key_at)) {
        if (scan_string(read->header, &object.at, &value) != SCAN_OK)
            return broken(read, object.at, tr("expected a text in __metadata__"));
        size_t count = read->out->metadata_count++;
        array_reserve(read->arena, (void **)&read->out->keys, count, &read->metadata_capacity[0],
                      sizeof(Str));
        array_reserve(read->arena, (void **)&read->out->values, count, &read->metadata_capacity[1],
                      sizeof(Str));
        if (!read_text(read, key, key_at, &read->out->keys[count]) ||
            !read_text(read, value, key_at, &read->out->values[count]))
            return false;
    }
    *at = object.at;
    return object.status == SCAN_OK || broken(read, object.at, tr("an object does not end"));
}

static bool read_header(Reader *read)
{
    ScanObject object;
    ScanString key;
    size_t key_at, at = scan_space(read->header, 0);
    Str name;
    if (at >= read->header.size || read->header.data[at] != '{')
        return broken(read, at, tr("expected an object"));
    scan_object_open(&object, read->header, at);
    while (scan_object_next(&object, &key, &key_at)) {
        if (!read_text(read, key, key_at, &name))
            return false;
        bool metadata = str_equal(name, STR("__metadata__"));
        if (!(metadata ? add_metadata(read, &object.at)
                       : add_tensor(read, name, key_at, &object.at)))
            return false;
    }
    if (object.status != SCAN_OK)
        return broken(read, object.at, tr("an object does not end"));
    at = scan_space(read->header, object.at);
    return at >= read->header.size || broken(read, at, tr("text after the object"));
}

static int by_place(const void *a, const void *b)
{
    const NamedTensor *one = a, *two = b;
    if (one->from != two->from)
        return one->from < two->from ? -1 : 1;
    return (one->to > two->to) - (one->to < two->to);
}

static int by_name(const void *a, const void *b)
{
    return str_compare(((const NamedTensor *)a)->name, ((const NamedTensor *)b)->name);
}

static int by_natural_name(const void *a, const void *b)
{
    int order = str_compare_natural(((const NamedTensor *)a)->name, ((const NamedTensor *)b)->name);
    return order ? order
                 : str_compare(((const NamedTensor *)a)->name, ((const NamedTensor *)b)->name);
}

// The tensors fill the data without gap or overlap.
static bool check_places(Reader *read)
{
    Places *places = &read->places;
    uint64_t end = 0;
    if (places->count > 1)
        qsort(places->items, places->count, sizeof(NamedTensor), by_place);
    for (size_t i = 0; i < places->count; i++) {
        if (places->items[i].from < end)
            return bad_tensor(read, &places->items[i], tr("its bytes overlap another tensor"));
        if (places->items[i].from > end)
            return bad_tensor(read, &places->items[i], tr("a gap is before its bytes"));
        end = places->items[i].to;
    }
    if (end != read->data.size)
        return error_set(read->err, ERR_INPUT,
                         WHERE_BYTE(read->path, LENGTH_BYTES + read->header.size + end), "%s",
                         tr("bytes follow that belong to no tensor"));
    if (places->count > 1)
        qsort(places->items, places->count, sizeof(NamedTensor), by_name);
    for (size_t i = 1; i < places->count; i++)
        if (str_equal(places->items[i - 1].name, places->items[i].name))
            return bad_tensor(read, &places->items[i], tr("two tensors have this name"));
    return true;
}

static void keep_tensors(Reader *read)
{
    SafeTensors *out = read->out;
    out->items = read->places.items;
    out->data = read->data;
    for (size_t i = 0; i < read->places.count; i++) {
        const NamedTensor *place = &read->places.items[i];
        if (place->known) {
            out->items[out->count++] = *place;
            continue;
        }
        *ARRAY_PUSH(read->arena, &out->unread) = place->name;
        notices_partial(read->notices, WHERE_BYTE(read->path, place->at), "%s",
                        tr("a tensor of an unknown dtype is left out"));
    }
    if (out->count > 1)
        // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what counts items has them
        qsort(out->items, out->count, sizeof *out->items, by_natural_name);
}

bool safetensors_is(Str bytes)
{
    if (bytes.size < LENGTH_BYTES + 2)
        return false;
    uint64_t length = le64((const unsigned char *)bytes.data);
    return bytes.data[LENGTH_BYTES] == '{' && length <= HEADER_MAX;
}

bool safetensors_read(const char *path, Str bytes, Arena *arena, SafeTensors *out, Notices *notices,
                      Error *err)
{
    *out = (SafeTensors){0};
    if (bytes.size < LENGTH_BYTES)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, bytes.size), "%s",
                         tr("the file ends inside the safetensors header"));
    uint64_t length = le64((const unsigned char *)bytes.data);
    if (length > HEADER_MAX || length > bytes.size - LENGTH_BYTES)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, 0),
                         tr("a safetensors header of %llu bytes is longer than the file or 100 MB"),
                         (unsigned long long)length);
    Reader read = {.path = path,
                   .header = {bytes.data + LENGTH_BYTES, (size_t)length},
                   .data = str_slice(bytes, LENGTH_BYTES + (size_t)length, bytes.size),
                   .arena = arena,
                   .out = out,
                   .notices = notices,
                   .err = err};
    if (!read_header(&read) || !check_places(&read))
        return false;
    keep_tensors(&read);
    return true;
}

bool safetensors_open(const char *path, Arena *arena, SafeTensors *out, Notices *notices,
                      Error *err)
{
    File file;
    *out = (SafeTensors){0};
    if (!file_open(path, &file, err))
        return false;
    bool good = safetensors_read(path, file.text, arena, out, notices, err);
    if (good)
        out->file = file;
    else
        file_close(&file);
    return good;
}

void safetensors_close(SafeTensors *file)
{
    file_close(&file->file);
}

size_t safetensors_find(const SafeTensors *file, Str name)
{
    NamedTensor wanted = {.name = name};
    const NamedTensor *found =
        file->count ? bsearch(&wanted, file->items, file->count, sizeof wanted, by_natural_name)
                    : NULL;
    return found ? (size_t)(found - file->items) : SIZE_MAX;
}

Tensor safetensors_tensor(const SafeTensors *file, size_t index)
{
    const NamedTensor *named = &file->items[index];
    Tensor out = {.data = (const unsigned char *)file->data.data + named->from};
    tensor_set_shape(&out, (DType)named->dtype, named->rank, named->shape);
    return out;
}
