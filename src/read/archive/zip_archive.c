// SPDX-License-Identifier: Apache-2.0
#include "read/archive/zip_archive.h"

#include <zip.h>

#include "base/words.h"
#include "read/archive/gzip.h"

// Types of files as zip keeps them of Unix.
enum { TYPE_MASK = 0170000, TYPE_LINK = 0120000, TYPE_FILE = 0100000, TYPE_FOLDER = 0040000 };

typedef struct Zip {
    zip_t *file;
    uint64_t left;   // bytes that may still be unpacked
    bool backslash;  // it stands between folders, as some tools of Windows write it
    Archive *archive;
    Notices *notices;
} Zip;

// What Unix says of the member: its type, or 0.
static unsigned unix_type(zip_t *file, zip_uint64_t index)
{
    zip_uint8_t system;
    zip_uint32_t attributes;
    if (zip_file_get_external_attributes(file, index, 0, &system, &attributes) != 0 ||
        system != ZIP_OPSYS_UNIX)
        return 0;
    return (attributes >> 16) & TYPE_MASK;
}

// All of a member; false if it is damaged. The read after the end is what compares its checksum.
static bool unpack(const Zip *zip, zip_uint64_t index, char *room, uint64_t size)
{
    char more;
    zip_file_t *member = zip_fopen_index(zip->file, index, 0);
    if (!member)
        return false;
    uint64_t at = 0;
    zip_int64_t got = 1;
    while (at < size && (got = zip_fread(member, room + at, size - at)) > 0)
        at += (uint64_t)got;
    bool good = at == size && zip_fread(member, &more, 1) == 0;
    zip_fclose(member);
    return good;
}

static bool has_backslashes(zip_t *file, zip_int64_t count)
{
    bool any = false;
    for (zip_int64_t i = 0; i < count; i++) {
        const char *text = zip_get_name(file, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        Str name = text ? str_of(text) : STR("");
        if (str_find_char(name, '/', 0) != SIZE_MAX)
            return false;
        any = any || str_find_char(name, '\\', 0) != SIZE_MAX;
    }
    return any;
}

// The name as Unix writes it. A drive ("C:") leads out of the archive.
static Str name_of(const Zip *zip, const char *text)
{
    char *name = str_cstr(zip->archive->arena, str_of(text));
    if (!zip->backslash)
        return str_of(name);
    for (size_t i = 0; name[i]; i++)
        if (name[i] == '\\')
            name[i] = '/';
    Str whole = str_of(name);
    bool drive = whole.size > 1 && name[1] == ':';
    return drive ? str_printf(zip->archive->arena, "/" STR_FMT, STR_ARG(whole)) : whole;
}

static bool take(Zip *zip, zip_uint64_t index, Error *err)
{
    Archive *archive = zip->archive;
    zip_stat_t about;
    zip_stat_init(&about);
    if (zip_stat_index(zip->file, index, ZIP_FL_ENC_RAW, &about) != 0 ||
        !(about.valid & ZIP_STAT_NAME) || !(about.valid & ZIP_STAT_SIZE)) {
        archive_refuse(archive, ARCHIVE_FORM, STR("?"));
        return true;
    }
    Str name = name_of(zip, about.name);
    unsigned type = unix_type(zip->file, index);
    bool folder = str_ends(name, STR("/"));
    if (type == TYPE_LINK)
        archive_refuse(archive, ARCHIVE_LINK, name);
    else if (type && type != TYPE_FILE && type != TYPE_FOLDER)
        archive_refuse(archive, ARCHIVE_DEVICE, name);
    else if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) && about.encryption_method != ZIP_EM_NONE)
        archive_refuse(archive, ARCHIVE_FORM, name);
    else if (folder)
        archive_add(archive, name, true, STR(""));
    else if (about.size > zip->left)
        return error_set(err, ERR_INPUT, WHERE_FILE(archive->path), "%s", tr(ARCHIVE_TOO_LARGE));
    else {
        char *room = arena_alloc(archive->arena, about.size);
        zip->left -= about.size;
        if (unpack(zip, index, room, about.size))
            archive_add(archive, name, false, (Str){room, about.size});
        else
            notices_partial(zip->notices, WHERE_FILE(archive->path),
                            tr("'" STR_FMT "' in the archive is damaged and left out"),
                            STR_ARG(name));
    }
    return true;
}

bool zip_archive_read(Str bytes, uint64_t limit, Archive *archive, Notices *notices, Error *err)
{
    zip_error_t why;
    zip_error_init(&why);
    zip_source_t *source = zip_source_buffer_create(bytes.data, bytes.size, 0, &why);
    Zip zip = {.left = limit, .archive = archive, .notices = notices};
    zip.file = source ? zip_open_from_source(source, ZIP_RDONLY, &why) : NULL;
    if (!zip.file) {
        error_set(err, ERR_INPUT, WHERE_FILE(archive->path),
                  tr("the zip archive is not readable: %s"), zip_error_strerror(&why));
        zip_source_free(source);
    }
    zip_error_fini(&why);
    bool good = zip.file != NULL;
    zip_int64_t count = good ? zip_get_num_entries(zip.file, 0) : 0;
    zip.backslash = good && has_backslashes(zip.file, count);
    for (zip_int64_t i = 0; i < count && good; i++)
        good = take(&zip, (zip_uint64_t)i, err);
    if (zip.file)
        zip_discard(zip.file);
    return good;
}
