// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_bytes.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/words.h"
#include "read/archive/gzip.h"

// A descriptor that the shell opened, as for <(command): its writer is there. A pipe in a folder
// may have none, and reading it would never end.
static bool is_descriptor(const char *path)
{
    Str name = str_of(path);
    return str_starts(name, STR("/dev/fd/")) || str_starts(name, STR("/proc/self/fd/")) ||
           str_equal(name, STR("/dev/stdin"));
}

bool log_bytes_is_stream(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 ||
           (is_descriptor(path) && stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

typedef struct Buffer {
    char *data;
    size_t size, capacity;
} Buffer;

static char *room_for(Buffer *buffer, size_t more, Arena *arena)
{
    if (buffer->capacity - buffer->size < more) {
        size_t capacity = 2 * buffer->capacity + more;
        buffer->data = arena_grow(arena, buffer->data, buffer->capacity, capacity);
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->size;
}

static bool too_long(const char *path, Error *err)
{
    return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                     tr("more than 1 GiB of text; give a part of it"));
}

static bool read_stream(const char *path, Arena *arena, Str *out, Error *err)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rbe");
    if (!stream)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("cannot open the pipe"));
    Buffer buffer = {0};
    size_t count;
    enum { BLOCK = 1 << 16 };
    while (buffer.size <= LOG_STREAM_BYTES_MAX &&
           (count = fread(room_for(&buffer, BLOCK, arena), 1, BLOCK, stream)) > 0)
        buffer.size += count;
    if (!standard)
        fclose(stream);
    *out = (Str){buffer.data, buffer.size};
    return buffer.size <= LOG_STREAM_BYTES_MAX || too_long(path, err);
}

static bool unpack(const char *path, Str *text, Arena *arena, Notices *notices, Error *err)
{
    GzipEnd end = gzip_unpack(*text, LOG_STREAM_BYTES_MAX, arena, text);
    if (end == GZIP_TOO_LARGE)
        return too_long(path, err);
    if (end == GZIP_BROKEN)
        notices_partial(notices, WHERE_FILE(path), "%s", tr(GZIP_BROKEN_TEXT));
    return !gzip_is(*text) ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr(GZIP_TWICE_TEXT));
}

bool log_bytes_open(const char *path, Arena *arena, LogBytes *out, Notices *notices, Error *err)
{
    *out = (LogBytes){.text = STR("")};
    if (log_bytes_is_stream(path)) {
        if (!read_stream(path, arena, &out->text, err))
            return false;
    } else {
        if (!file_load(path, &out->file, err))
            return false;
        out->text = out->file.text;
    }
    if (!gzip_is(out->text) || unpack(path, &out->text, arena, notices, err))
        return true;
    log_bytes_close(out);
    return false;
}

void log_bytes_close(LogBytes *bytes)
{
    file_close(&bytes->file);
}
