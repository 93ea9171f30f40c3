// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_TORCH_BYTES_H
#define VERNIER_TESTS_TORCH_BYTES_H

#include <string.h>

#include "base/str.h"

// Files of torch.save built in memory: pickles from their parts, and the ZIP container around them.

static inline void put16(StrBuf *out, unsigned value)
{
    strbuf_add_char(out, (char)value);
    strbuf_add_char(out, (char)(value >> 8));
}

static inline void put32(StrBuf *out, uint32_t value)
{
    put16(out, value & 0xffff);
    put16(out, value >> 16);
}

static inline void put_name(StrBuf *out, const char *module, const char *name)
{
    strbuf_printf(out, "c%s\n%s\n", module, name);
}

static inline void put_text(StrBuf *out, const char *text)
{
    strbuf_add_char(out, 'X');
    put32(out, (uint32_t)strlen(text));
    strbuf_add(out, str_of(text));
}

static inline void put_integer(StrBuf *out, int32_t value)
{
    strbuf_add_char(out, 'J');
    put32(out, (uint32_t)value);
}

static inline void put_integers(StrBuf *out, const int32_t *values, int count)
{
    strbuf_add_char(out, '(');
    for (int i = 0; i < count; i++)
        put_integer(out, values[i]);
    strbuf_add_char(out, 't');
}

// What a file is to hold; `before` and `after` are put around the rebuild call as they are.
typedef struct TorchFile {
    const char *module, *function;  // NULL: torch._utils _rebuild_tensor_v2
    const char *storage;            // "FloatStorage"
    const char *storage_module;     // NULL: torch
    int32_t elements, offset;
    int32_t size[4], stride[4];
    int rank;
    Str before, tail, after;  // tail: what follows requires_grad and hooks in the arguments
    Str data;
    const char *byteorder;
} TorchFile;

static inline void put_pickle(StrBuf *out, const TorchFile *file, bool legacy)
{
    strbuf_add(out, STR("\x80\x02"));
    strbuf_add(out, file->before);
    put_name(out, file->module ? file->module : "torch._utils",
             file->function ? file->function : "_rebuild_tensor_v2");
    strbuf_add(out, STR("(("));
    put_text(out, "storage");
    put_name(out, file->storage_module ? file->storage_module : "torch", file->storage);
    put_text(out, "0");
    put_text(out, "cpu");
    put_integer(out, file->elements);
    strbuf_add(out, legacy ? STR("NtQ") : STR("tQ"));
    put_integer(out, file->offset);
    put_integers(out, file->size, file->rank);
    put_integers(out, file->stride, file->rank);
    strbuf_add(out, STR("\x89"
                        "ccollections\nOrderedDict\n)R"));
    strbuf_add(out, file->tail);
    strbuf_add(out, STR("tR"));
    strbuf_add(out, file->after);
    strbuf_add_char(out, '.');
}

typedef struct TorchMember {
    const char *name;
    Str data;
    size_t start;
} TorchMember;

static inline void put_member(StrBuf *out, TorchMember *member)
{
    member->start = out->size;
    strbuf_add(out, STR("PK\x03\x04\0\0\x08\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    put16(out, (unsigned)strlen(member->name));
    put16(out, 4);  // an extra field, as torch pads with
    strbuf_add(out, str_of(member->name));
    strbuf_add(out, STR("FB\0\0"));
    strbuf_add(out, member->data);
}

static inline void put_entry(StrBuf *out, const TorchMember *member)
{
    strbuf_add(out, STR("PK\x01\x02\0\0\0\0\x08\x08\0\0\0\0\0\0\0\0\0\0"));
    put32(out, (uint32_t)member->data.size);
    put32(out, (uint32_t)member->data.size);
    put16(out, (unsigned)strlen(member->name));
    strbuf_add(out, STR("\0\0\0\0\0\0\0\0\0\0\0\0"));
    put32(out, (uint32_t)member->start);
    strbuf_add(out, str_of(member->name));
}

static inline Str torch_zip_file(Arena *arena, const TorchFile *file)
{
    StrBuf pickle, out;
    pickle = strbuf_new(arena);
    out = strbuf_new(arena);
    put_pickle(&pickle, file, false);
    TorchMember members[] = {
        {"x/data.pkl", strbuf_str(&pickle), 0},
        {"x/data/0", file->data, 0},
        {"x/byteorder", str_of(file->byteorder ? file->byteorder : "little"), 0},
    };
    for (int i = 0; i < 3; i++)
        put_member(&out, &members[i]);
    size_t directory = out.size;
    for (int i = 0; i < 3; i++)
        put_entry(&out, &members[i]);
    size_t size = out.size - directory;
    strbuf_add(&out, STR("PK\x05\x06\0\0\0\0\x03\0\x03\0"));
    put32(&out, (uint32_t)size);
    put32(&out, (uint32_t)directory);
    put16(&out, 0);
    return strbuf_str(&out);
}

static inline Str torch_legacy_file(Arena *arena, const TorchFile *file)
{
    StrBuf out;
    out = strbuf_new(arena);
    strbuf_add(&out, STR("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e"));
    strbuf_add(&out, STR("\x80\x02M\xe9\x03."));
    strbuf_add(&out, STR("\x80\x02}q\0("));
    put_text(&out, "protocol_version");
    strbuf_add(&out, STR("M\xe9\x03"));
    put_text(&out, "little_endian");
    strbuf_add(&out, STR("\x88u."));
    put_pickle(&out, file, true);
    strbuf_add(&out, STR("\x80\x02]"));
    put_text(&out, "0");
    strbuf_add(&out, STR("a."));
    put32(&out, (uint32_t)file->elements);
    put32(&out, 0);
    strbuf_add(&out, file->data);
    return strbuf_str(&out);
}

#endif
