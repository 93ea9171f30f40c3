// SPDX-License-Identifier: Apache-2.0
#include "commands/history_log.h"

#include "base/words.h"
#include "layout/history_picture.h"
#include "trend/history_store.h"

bool history_wanted(const Options *options)
{
    return options_text(options, "history", "").size > 0;
}

static void warn(const Error *err, Notices *notices)
{
    Where where = WHERE_FILE(err->file[0] ? err->file : NULL);
    notices_add(notices, NOTICE_WARNING, where, tr("%s; this night is not kept (%s)"), err->text,
                err->hint[0] ? err->hint : tr("the report is complete without it"));
}

const HistoryView *history_log_keep(const Outputs *outputs, const Options *options,
                                    HistoryNight *tonight, Str path, Notices *notices,
                                    HistoryLog *out)
{
    Error err = {0};
    *out = (HistoryLog){0};
    if (!history_wanted(options))
        return NULL;
    Arena *arena = outputs->arena;
    Str title = options_text(options, "title", "");
    if (tonight->command.size == 0)
        tonight->command = str_of(options->command->name);
    tonight->label = title.size ? title : history_label(path);
    tonight->made = outputs->render.created;
    const char *file = str_cstr(arena, options_text(options, "history", ""));
    out->failed = !history_keep(file, tonight, arena, &out->history, &err);
    if (out->failed)
        warn(&err, notices);
    history_view(&out->history, arena, &out->view);
    out->kept = true;
    return &out->view;
}

void history_log_draw(const HistoryView *view, const Verdict *verdict, Outputs *outputs)
{
    if (!view)
        return;
    Scene *scene = ARENA_NEW(outputs->arena, Scene);
    if (history_picture(view, verdict, outputs->arena, scene))
        outputs_scene(outputs, "history", false, scene);
}
