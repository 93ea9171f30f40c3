// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/mindspore_file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/utf8.h"
#include "base/words.h"
#include "read/tensor/little_endian.h"

enum { CHECK_WORD = 7, CHECK_DIGITS = 10, CHECK_BYTES = CHECK_WORD + CHECK_DIGITS };
enum { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };
enum { VALUE_TAG = 1, VALUE_TENSOR = 2, VALUE_MAP = 3 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_CONTENT = 3 };

// One field of a message: its number or its bytes.
typedef struct Field {
    uint64_t number, value;
    Str bytes;
    unsigned wire;
} Field;

// One value of the file: a tensor, or a part of one.
typedef struct Part {
    Str name, type, content;
    uint64_t shape[TENSOR_MAX_RANK];
    uint32_t rank;
    bool has_tensor, has_map;
} Part;

// What is known of a part until parts of one name are joined.
typedef struct Kept {
    Str name, type, content;
    const uint64_t *shape;
    uint32_t rank;
    size_t at;  // byte in the file, which is also its order
} Kept;

typedef struct Reader {
    const char *path;
    Str bytes;
    Arena *arena;
    struct {
        Kept *items;
        size_t count, capacity;
    } parts;
    MindsporeFile *out;
    Notices *notices;
    Error *err;
} Reader;

static bool next_varint(Str bytes, size_t *at, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *at < bytes.size; shift += 7) {
        uint64_t byte = (unsigned char)bytes.data[(*at)++];
        *out |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take(Str bytes, size_t *at, uint64_t size, Str *out)
{
    if (size > bytes.size - *at)
        return false;
    *out = str_slice(bytes, *at, *at + (size_t)size);
    *at += (size_t)size;
    return true;
}

// The field at *at, which moves after it; false if it is broken or reaches past the end. No field
// has the number 0: zeros are what a file is filled with whose bytes were never written.
static bool next_field(Str bytes, size_t *at, Field *out)
{
    uint64_t key, size;
    if (!next_varint(bytes, at, &key))
        return false;
    *out = (Field){.number = key >> 3, .wire = key & 7};
    if (out->number == 0)
        return false;
    switch (out->wire) {
    case WIRE_VARINT:
        return next_varint(bytes, at, &out->value);
    case WIRE_64:
        return take(bytes, at, 8, &out->bytes);
    case WIRE_BYTES:
        return next_varint(bytes, at, &size) && take(bytes, at, size, &out->bytes);
    case WIRE_32:
        return take(bytes, at, 4, &out->bytes);
    default:
        return false;
    }
}

static bool add_size(Part *part, uint64_t size)
{
    if (part->rank == TENSOR_MAX_RANK || size > INT64_MAX)
        return false;
    part->shape[part->rank++] = size;
    return true;
}

static bool read_dims(const Field *field, Part *part)
{
    size_t at = 0;
    uint64_t size;
    if (field->wire == WIRE_VARINT)
        return add_size(part, field->value);
    while (at < field->bytes.size)
        if (!next_varint(field->bytes, &at, &size) || !add_size(part, size))
            return false;
    return true;
}

static bool read_tensor(Str bytes, Part *part)
{
    Field field;
    for (size_t at = 0; at < bytes.size;) {
        if (!next_field(bytes, &at, &field))
            return false;
        if (field.number == TENSOR_DIMS && !read_dims(&field, part))
            return false;
        if (field.number == TENSOR_TYPE && field.wire == WIRE_BYTES)
            part->type = field.bytes;
        if (field.number == TENSOR_CONTENT && field.wire == WIRE_BYTES)
            part->content = field.bytes;
    }
    part->has_tensor = true;
    return true;
}

static bool read_value(Str bytes, Part *part)
{
    Field field;
    for (size_t at = 0; at < bytes.size;) {
        if (!next_field(bytes, &at, &field))
            return false;
        bool holds = field.wire == WIRE_BYTES;
        if (field.number == VALUE_TAG && holds)
            part->name = field.bytes;
        if (field.number == VALUE_TENSOR && holds && !read_tensor(field.bytes, part))
            return false;
        part->has_map = part->has_map || (field.number == VALUE_MAP && holds);
    }
    return true;
}

static void keep_part(Reader *read, const Part *part, size_t at)
{
    uint64_t *shape = ARENA_ARRAY(read->arena, uint64_t, part->rank);
    memcpy(shape, part->shape, part->rank * sizeof *shape);
    *ARRAY_PUSH(read->arena, &read->parts) =
        (Kept){part->name, part->type, part->content, shape, part->rank, at};
}

static bool read_values(Reader *read)
{
    Field field;
    size_t at = 0, start = 0;
    while (at < read->bytes.size) {
        Part part = {0};
        start = at;
        if (!next_field(read->bytes, &at, &field) ||
            (field.number == 1 && (field.wire != WIRE_BYTES || !read_value(field.bytes, &part)))) {
            notices_partial(
                read->notices, WHERE_BYTE(read->path, start), "%s",
                tr("the checkpoint breaks off or is damaged here; what comes before is used"));
            return true;
        }
        if (part.has_map)
            return error_set(read->err, ERR_INPUT, WHERE_BYTE(read->path, start), "%s",
                             tr("a MapTensor is not read"));
        if (part.has_tensor)
            keep_part(read, &part, start);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const Kept *one = a, *two = b;
    int order = str_compare_natural(one->name, two->name);
    order = order ? order : str_compare(one->name, two->name);
    return order ? order : (one->at > two->at) - (one->at < two->at);
}

// "Float32", "BFloat16", and with "mindspore." in front.
static bool find_type(Str type, DType *out)
{
    char text[32];
    if (str_starts(type, STR("mindspore.")))
        type = str_slice(type, strlen("mindspore."), type.size);
    if (type.size > sizeof text)
        return false;
    for (size_t i = 0; i < type.size; i++) {
        char c = type.data[i];
        text[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return dtype_find((Str){text, type.size}, out);
}

static void leave_out(Reader *read, const Kept *part, const char *why)
{
    Str name = utf8_display(str_slice(part->name, 0, 200), read->arena);
    Str type = utf8_display(str_slice(part->type, 0, 60), read->arena);
    *ARRAY_PUSH(read->arena, &read->out->unread) = str_copy(read->arena, part->name);
    notices_partial(read->notices, WHERE_BYTE(read->path, part->at),
                    tr("'%.*s' of type '%.*s' is left out: %s"), STR_ARG(name), STR_ARG(type), why);
}

static Str join_contents(const Kept *parts, size_t count, Arena *arena)
{
    size_t size = 0, done = 0;
    if (count == 1)
        return parts->content;
    for (size_t i = 0; i < count; i++)
        size += parts[i].content.size;
    char *all = ARENA_ARRAY(arena, char, size);
    for (size_t i = 0; i < count; done += parts[i++].content.size)
        if (parts[i].content.size)
            memcpy(all + done, parts[i].content.data, parts[i].content.size);
    return (Str){all, size};
}

// A scalar has the size 0, and bytes all the same.
static bool fits(const Kept *part, DType dtype, size_t size, Tensor *out)
{
    bool scalar = part->rank == 1 && part->shape[0] == 0 && size == dtype_size(dtype);
    return tensor_set_shape(out, dtype, scalar ? 0 : part->rank, part->shape) &&
           out->count * dtype_size(dtype) == size;
}

// Parts of one tensor repeat its type and shape.
static bool are_alike(const Kept *parts, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!str_equal(parts[i].type, parts->type) || parts[i].rank != parts->rank ||
            (parts->rank &&
             memcmp(parts[i].shape, parts->shape, parts->rank * sizeof *parts->shape) != 0))
            return false;
    return true;
}

static void add_tensor(Reader *read, const Kept *parts, size_t count)
{
    Tensor tensor = {0};
    DType dtype;
    size_t size = 0;
    bool alike = are_alike(parts, count);
    if (alike && str_equal(parts->type, STR("str")))
        return;
    for (size_t i = 0; i < count; i++)
        size += parts[i].content.size;
    if (!alike)
        leave_out(read, parts, tr("its parts are of several types or shapes"));
    else if (!find_type(parts->type, &dtype))
        leave_out(read, parts, tr("its type is not known"));
    else if (!fits(parts, dtype, size, &tensor))
        leave_out(read, parts, tr("its bytes do not fit its shape"));
    else
        *ARRAY_PUSH(read->arena, read->out) =
            (MindsporeTensor){.name = str_copy(read->arena, parts->name),
                              .content = join_contents(parts, count, read->arena),
                              .shape = parts->shape,
                              .rank = tensor.rank,
                              .dtype = dtype};
}

static void join_parts(Reader *read)
{
    size_t count = read->parts.count, end;
    const Kept *parts = read->parts.items;
    if (count > 1)
        qsort(read->parts.items, count, sizeof *parts, by_name);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && str_equal(parts[i].name, parts[end].name);)
            end++;
        add_tensor(read, &parts[i], end - i);
    }
}

// Whether a checksum ends the file: *content is what stands before it.
static bool checksum_fits(Str bytes, Str *content)
{
    *content = bytes;
    if (bytes.size < CHECK_BYTES)
        return true;
    Str end = str_slice(bytes, bytes.size - CHECK_BYTES, bytes.size);
    if (!str_starts(end, STR("crc_num")))
        return true;
    *content = str_slice(bytes, 0, bytes.size - CHECK_BYTES);
    uint64_t wanted = 0;
    for (size_t i = CHECK_WORD; i < CHECK_BYTES; i++)
        wanted = wanted << 8 | (unsigned char)end.data[i];
    uLong found = crc32(0, NULL, 0);
    for (size_t at = 0; at < content->size;) {
        size_t rest = content->size - at;
        uInt step = rest > 1u << 30 ? 1u << 30 : (uInt)rest;
        found = crc32(found, (const Bytef *)content->data + at, step);
        at += step;
    }
    return found == wanted;
}

// 0x7F3A5ED8 (AES-GCM), …D9 (AES-CBC), …DA (SM4) in the byte order of the writer.
static bool is_encrypted(Str bytes)
{
    if (bytes.size < 4)
        return false;
    uint32_t magic = le32((const unsigned char *)bytes.data);
    return magic >= 0x7F3A5ED8u && magic <= 0x7F3A5EDAu;
}

bool mindspore_is(Str bytes)
{
    Field value = {0}, tag = {0}, inner = {0};
    size_t at = 0, within = 0;
    uint64_t key, size;
    if (is_encrypted(bytes))
        return true;
    // The first value may be cut off: what it says of its length is not asked for.
    if (!next_varint(bytes, &at, &key) || key != (1 << 3 | WIRE_BYTES) ||
        !next_varint(bytes, &at, &size) || size == 0)
        return false;
    value.bytes = str_slice(bytes, at, size < bytes.size - at ? at + (size_t)size : bytes.size);
    if (!next_field(value.bytes, &within, &tag) || tag.number != VALUE_TAG ||
        tag.wire != WIRE_BYTES || !utf8_valid(tag.bytes) || within >= value.bytes.size)
        return false;
    if (!next_varint(value.bytes, &within, &key) ||
        !next_varint(value.bytes, &within, &inner.value))
        return false;
    bool known = key == (VALUE_TENSOR << 3 | WIRE_BYTES) || key == (VALUE_MAP << 3 | WIRE_BYTES);
    size_t head = (size_t)(value.bytes.data - bytes.data) + within - at;
    return known && tag.bytes.size > 0 && inner.value <= size && head + inner.value == size;
}

bool mindspore_read(const char *path, Str bytes, Arena *arena, MindsporeFile *out, Notices *notices,
                    Error *err)
{
    Reader read = {.path = path, .arena = arena, .out = out, .notices = notices, .err = err};
    *out = (MindsporeFile){0};
    if (is_encrypted(bytes)) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the checkpoint is encrypted"));
        return error_hint(err, "%s", tr("load it in MindSpore and save it without enc_key"));
    }
    if (!checksum_fits(bytes, &read.bytes))
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, read.bytes.size), "%s",
                         tr("the checksum at the end does not fit: the file is damaged"));
    if (!read_values(&read))
        return false;
    join_parts(&read);
    return true;
}

bool mindspore_open(const char *path, Arena *arena, MindsporeFile *out, Notices *notices,
                    Error *err)
{
    File file;
    *out = (MindsporeFile){0};
    if (!file_open(path, &file, err))
        return false;
    bool good = mindspore_read(path, file.text, arena, out, notices, err);
    if (good)
        out->file = file;
    else
        file_close(&file);
    return good;
}

void mindspore_close(MindsporeFile *file)
{
    file_close(&file->file);
}

Tensor mindspore_tensor(const MindsporeFile *file, size_t index)
{
    const MindsporeTensor *item = &file->items[index];
    Tensor out = {.data = (const unsigned char *)item->content.data};
    tensor_set_shape(&out, item->dtype, item->rank, item->shape);
    return out;
}
