// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/npy.h"

#include <string.h>

#include "base/words.h"
#include "read/tensor/little_endian.h"

enum { HEADER_LIMIT = 1 << 20 };  // a structured dtype of a thousand fields needs 64 KiB

bool npy_is(Str bytes)
{
    return str_starts(bytes, STR("\x93NUMPY"));
}

// The header text while it is read.
typedef struct Header {
    const char *path;
    Str text;
    size_t at;
    size_t start;  // byte of the text in the file
    Error *err;
} Header;

typedef struct Fields {
    Str descr;
    bool fortran;
    uint32_t rank;
    uint64_t shape[TENSOR_MAX_RANK];
    bool has_descr, has_fortran, has_shape;
} Fields;

static bool bad(const Header *header, const char *text)
{
    return error_set(header->err, ERR_INPUT, WHERE_BYTE(header->path, header->start + header->at),
                     tr("the .npy header is broken: %s"), text);
}

static char peek(Header *header)
{
    while (header->at < header->text.size && memchr(" \t\r\n", header->text.data[header->at], 4))
        header->at++;
    return header->at < header->text.size ? header->text.data[header->at] : '\0';
}

static bool take(Header *header, char c)
{
    if (peek(header) != c)
        return false;
    header->at++;
    return true;
}

static bool read_text(Header *header, Str *out)
{
    char quote = peek(header);
    if (quote != '\'' && quote != '"')
        return bad(header, tr("expected a quoted text"));
    size_t end = str_find_char(header->text, quote, header->at + 1);
    if (end == SIZE_MAX)
        return bad(header, tr("a quoted text does not end"));
    *out = str_slice(header->text, header->at + 1, end);
    header->at = end + 1;
    return true;
}

static bool read_bool(Header *header, bool *out)
{
    peek(header);
    Str rest = str_slice(header->text, header->at, header->text.size);
    *out = str_starts(rest, STR("True"));
    if (!*out && !str_starts(rest, STR("False")))
        return bad(header, tr("expected True or False"));
    header->at += *out ? 4 : 5;
    return true;
}

static bool read_size(Header *header, uint64_t *out)
{
    size_t end = header->at;
    while (end < header->text.size && header->text.data[end] >= '0' &&
           header->text.data[end] <= '9')
        end++;
    if (!str_to_uint64(str_slice(header->text, header->at, end), out))
        return bad(header, tr("expected a size of the shape"));
    header->at = end;
    if (header->at < header->text.size && header->text.data[header->at] == 'L')
        header->at++;  // Python 2 wrote long integers so
    return true;
}

static bool read_shape(Header *header, Fields *out)
{
    if (!take(header, '('))
        return bad(header, tr("expected the shape in parentheses"));
    while (peek(header) != ')') {
        if (out->rank == TENSOR_MAX_RANK)
            return bad(header, tr("more than 64 axes"));
        if (!read_size(header, &out->shape[out->rank++]))
            return false;
        if (!take(header, ',') && peek(header) != ')')
            return bad(header, tr("expected a comma in the shape"));
    }
    header->at++;
    out->has_shape = true;
    return true;
}

static bool read_descr(Header *header, Fields *out)
{
    if (peek(header) == '[')
        return error_set(header->err, ERR_INPUT, WHERE_FILE(header->path), "%s",
                         tr("a structured array (several fields an element) is not a tensor"));
    out->has_descr = true;
    return read_text(header, &out->descr);
}

static bool read_field(Header *header, Fields *out)
{
    Str key;
    if (!read_text(header, &key))
        return false;
    if (!take(header, ':'))
        return bad(header, tr("expected a colon after a key"));
    if (str_equal(key, STR("descr")))
        return read_descr(header, out);
    if (str_equal(key, STR("fortran_order"))) {
        out->has_fortran = true;
        return read_bool(header, &out->fortran);
    }
    if (str_equal(key, STR("shape"))) {
        out->rank = 0;
        return read_shape(header, out);
    }
    return bad(header, tr("expected the keys descr, fortran_order and shape only"));
}

static bool read_fields(Header *header, Fields *out)
{
    if (!take(header, '{'))
        return bad(header, tr("expected a dict"));
    while (peek(header) != '}') {
        if (!read_field(header, out))
            return false;
        if (!take(header, ',') && peek(header) != '}')
            return bad(header, tr("expected a comma after a value"));
    }
    header->at++;
    if (peek(header) != '\0' || header->at != header->text.size)
        return bad(header, tr("text after the dict"));
    if (!out->has_descr || !out->has_fortran || !out->has_shape)
        return bad(header, tr("one of descr, fortran_order and shape is missing"));
    return true;
}

static const struct {
    const char *code;
    DType dtype;
} codes[] = {
    {"f2", DTYPE_F16}, {"f4", DTYPE_F32}, {"f8", DTYPE_F64},   {"i1", DTYPE_I8},
    {"i2", DTYPE_I16}, {"i4", DTYPE_I32}, {"i8", DTYPE_I64},   {"u1", DTYPE_U8},
    {"u2", DTYPE_U16}, {"u4", DTYPE_U32}, {"u8", DTYPE_U64},   {"b1", DTYPE_BOOL},
    {"?", DTYPE_BOOL}, {"c8", DTYPE_C64}, {"c16", DTYPE_C128}, {"V2", DTYPE_BF16},
};

// Kinds of array that hold no numbers, by the letter after the byte order.
static const char *kind_refused(char letter)
{
    switch (letter) {
    case 'O':
        return TR("an array of Python objects (pickled) is not read");
    case 'U':
    case 'S':
    case 'a':
        return TR("an array of strings has no numbers to compare");
    case 'V':
        return TR("an array of raw bytes has no known meaning");
    case 'M':
    case 'm':
        return TR("an array of dates is not a tensor");
    default:
        return TR("a number type that is not known");
    }
}

static bool read_dtype(const char *path, const Fields *fields, Tensor *out, Error *err)
{
    Str code = fields->descr;
    char order = code.size > 0 ? code.data[0] : '\0';
    if (order && memchr("<>=|", order, 4))
        code = str_slice(code, 1, code.size);
    out->big_endian = order == '>';
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (str_equal(code, str_of(codes[i].code))) {
            out->dtype = codes[i].dtype;
            return true;
        }
    Tensor about = *out;
    about.rank = fields->rank;
    memcpy(about.shape, fields->shape, sizeof about.shape);
    char shape[128];
    tensor_shape_text(&about, shape, sizeof shape);
    return error_set(err, ERR_INPUT, WHERE_FILE(path), tr("%s (descr '%.*s', shape %s)"),
                     tr(kind_refused(code.size ? code.data[0] : '\0')),
                     (int)(fields->descr.size < 40 ? fields->descr.size : 40), fields->descr.data,
                     shape);
}

// Where the header text and the data begin.
static bool find_header(const char *path, Str bytes, Header *out, size_t *data, Error *err)
{
    const unsigned char *at = (const unsigned char *)bytes.data;
    if (bytes.size < 10)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, bytes.size), "%s",
                         tr("the file ends inside the .npy header"));
    if (at[6] < 1 || at[6] > 3)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, 6),
                         tr("expected .npy version 1, 2 or 3, found %d"), at[6]);
    size_t start = at[6] == 1 ? 10 : 12;
    if (bytes.size < start)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, bytes.size), "%s",
                         tr("the file ends inside the .npy header"));
    uint64_t length = at[6] == 1 ? le16(at + 8) : le32(at + 8);
    if (length > bytes.size - start || length > HEADER_LIMIT)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, 8),
                         tr("the .npy header of %llu bytes is longer than the file or the limit"),
                         (unsigned long long)length);
    *out = (Header){.path = path, .text = {bytes.data + start, length}, .start = start, .err = err};
    *data = start + length;
    return true;
}

static void use_fortran_order(Tensor *tensor)
{
    uint64_t stride = 1;
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        tensor->stride[axis] = stride;
        stride *= tensor->shape[axis] ? tensor->shape[axis] : 1;
    }
    tensor_check_contiguous(tensor);
}

static bool use_data(const char *path, Str bytes, size_t start, Tensor *out, Notices *notices,
                     Error *err)
{
    uint64_t need = out->count * dtype_size(out->dtype);
    uint64_t have = bytes.size - start;
    if (have < need)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, bytes.size),
                         tr("the shape needs %llu bytes of data, the file holds %llu"),
                         (unsigned long long)need, (unsigned long long)have);
    if (have > need)
        notices_partial(notices, WHERE_BYTE(path, start + need), "%s",
                        tr("bytes after the last element are ignored"));
    out->data = (const unsigned char *)bytes.data + start;
    return true;
}

bool npy_read(const char *path, Str bytes, Tensor *out, Notices *notices, Error *err)
{
    Header header;
    Fields fields = {0};
    size_t data = 0;
    *out = (Tensor){0};
    if (!find_header(path, bytes, &header, &data, err) || !read_fields(&header, &fields) ||
        !read_dtype(path, &fields, out, err))
        return false;
    if (!tensor_set_shape(out, out->dtype, fields.rank, fields.shape))
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("the product of the shape is larger than any file"));
    if (fields.fortran)
        use_fortran_order(out);
    if (out->dtype == DTYPE_BF16)
        notices_add(notices, NOTICE_INFO, WHERE_FILE(path), "%s",
                    tr("2-byte raw elements (V2) are read as bfloat16"));
    return use_data(path, bytes, data, out, notices, err);
}
