// SPDX-License-Identifier: Apache-2.0
#include "report/compare/ticket_frames.h"

#include "base/file.h"

// Frames inside the framework and the dump tool say nothing about the model.
static bool is_users(Str file)
{
    return !STR_ANY(file, str_has, "/site-packages/", "/dist-packages/", "/msprobe/", "/torch/nn/",
                    "/mindspore/nn/");
}

static bool read_users(Str text, Frame *out)
{
    return frame_parse(text, out) && is_users(out->file);
}

bool ticket_frame_first(const Str *frames, size_t count, Frame *out)
{
    for (size_t i = 0; i < count; i++)
        if (read_users(frames[i], out))
            return true;
    return false;
}

Str ticket_frames(const Str *frames, size_t count, Arena *arena)
{
    enum { TICKET_FRAMES = 5 };
    StrBuf buf;
    int shown = 0;
    buf = strbuf_new(arena);
    for (size_t i = 0; i < count && shown < TICKET_FRAMES; i++) {
        Frame frame;
        if (!read_users(frames[i], &frame))
            continue;
        strbuf_printf(&buf, STR_FMT ":%lld  " STR_FMT "  " STR_FMT "\n",
                      STR_ARG(path_base(frame.file)), (long long)frame.line,
                      STR_ARG(frame.function), STR_ARG(frame.source));
        shown++;
    }
    return strbuf_str(&buf);
}
