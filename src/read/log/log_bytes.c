// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_bytes.h"

#include "base/words.h"
#include "read/archive/gzip.h"

static bool too_long(const char *path, Error *err)
{
    return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                     tr("more than 1 GiB of text; give a part of it"));
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
    if (!file_load(path, &out->file, err))
        return false;
    out->text = out->file.text;
    if (!gzip_is(out->text) || unpack(path, &out->text, arena, notices, err))
        return true;
    log_bytes_close(out);
    return false;
}

void log_bytes_close(LogBytes *bytes)
{
    file_close(&bytes->file);
}
