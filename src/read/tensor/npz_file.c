// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/npz_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "read/archive/gzip.h"
#include "read/tensor/little_endian.h"
#include "read/tensor/npy.h"
#include "read/tensor/torch_zip.h"

static const char ending[] = ".npy";

// The local header of the first member tells its method at byte 8 and its name at byte 30.
bool npz_is(Str bytes)
{
    enum { NAME_SIZE_AT = 26, NAME_AT = 30 };
    if (!torch_zip_is(bytes) || bytes.size < NAME_AT)
        return false;
    size_t size = le16((const unsigned char *)bytes.data + NAME_SIZE_AT);
    return str_ends(str_slice(bytes, NAME_AT, NAME_AT + size), STR(".npy"));
}

static int by_start(const void *a, const void *b)
{
    const ZipMember *one = a, *two = b;
    return (one->start > two->start) - (one->start < two->start);
}

static Str name_of(const ZipMember *member, Arena *arena)
{
    return str_copy(arena, str_slice(member->name, 0, member->name.size - strlen(ending)));
}

static bool add_member(const char *path, const ZipMember *member, Arena *arena, NpzFile *out,
                       Notices *notices)
{
    Tensor tensor;
    Error err;
    const char *shown =
        str_cstr(arena, str_printf(arena, "%s/" STR_FMT, path, STR_ARG(member->name)));
    if (!str_ends(member->name, str_of(ending)) || !npy_is(member->bytes)) {
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("members that are no .npy file are left out"));
        return false;
    }
    if (!npy_read(shown, member->bytes, &tensor, notices, &err)) {
        notices_add_error(notices, &err);
        return false;
    }
    tensor.has_crc = member->crc != 0;
    tensor.stored = member->bytes;
    tensor.stored_crc = member->crc;
    *ARRAY_PUSH(arena, out) = (NpzArray){name_of(member, arena), tensor};
    return true;
}

// What a deflated member holds takes the place of its bytes; `room` is what may still be unpacked.
static bool unpack(const char *path, ZipMember *member, Arena *arena, uint64_t *room,
                   Notices *notices)
{
    const char *shown =
        str_cstr(arena, str_printf(arena, "%s/" STR_FMT, path, STR_ARG(member->name)));
    if (!member->deflated)
        return true;
    if (member->size > *room) {
        notices_partial(notices, WHERE_FILE(shown), "%s",
                        tr("the arrays unpack to more than is read in memory: save them with "
                           "numpy.savez; this one is left out"));
        return false;
    }
    *room -= member->size;
    if (deflate_unpack(member->bytes, member->size, arena, &member->bytes)) {
        Tensor whole = {.stored = member->bytes, .stored_crc = member->crc, .has_crc = true};
        member->crc = 0;  // it need not be asked again
        if (tensor_crc_fits(&whole, NULL))
            return true;
    }
    notices_partial(notices, WHERE_FILE(shown), "%s",
                    tr("its packed data are damaged; the array is left out"));
    return false;
}

bool npz_read(const char *path, Str bytes, Arena *arena, NpzFile *out, Notices *notices, Error *err)
{
    ZipMembers members;
    *out = (NpzFile){0};
    uint64_t room = gzip_limit(bytes.size);
    if (!torch_zip_read_packed(path, bytes, arena, &members, err))
        return false;
    if (members.count > 1)
        qsort(members.items, members.count, sizeof *members.items, by_start);
    for (size_t i = 0; i < members.count; i++) {
        ZipMember *member = &members.items[i];
        bool good = unpack(path, member, arena, &room, notices) &&
                    add_member(path, member, arena, out, notices);
        if (!good && str_ends(member->name, str_of(ending)))
            *ARRAY_PUSH(arena, &out->unread) = name_of(member, arena);
    }
    return true;
}

bool npz_open(const char *path, Arena *arena, NpzFile *out, Notices *notices, Error *err)
{
    File file;
    *out = (NpzFile){0};
    if (!file_open(path, &file, err))
        return false;
    if (!npz_read(path, file.text, arena, out, notices, err)) {
        file_close(&file);
        return false;
    }
    out->file = file;
    return true;
}

void npz_close(NpzFile *npz)
{
    file_close(&npz->file);
}
