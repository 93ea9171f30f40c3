// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/history_log.h"

#include "base/words.h"
#include "picture/overview/history_picture.h"
#include "trend/history/history_store.h"

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

static Str tell_in_each(NightTeller *tell, const void *of, Arena *arena)
{
    Lang lang = words_lang();
    words_speak(LANG_EN);
    Str english = tell(of, arena);
    words_speak(LANG_ZH);
    Str chinese = tell(of, arena);
    words_speak(lang);
    return str_printf(arena, STR_FMT "\n" STR_FMT, STR_ARG(english), STR_ARG(chinese));
}

const HistoryView *history_log_keep(const Options *options, HistoryNight *tonight, Str path,
                                    NightTeller *tell, const void *of, Product *product)
{
    Error err = {0};
    Arena *arena = product->arena;
    if (!history_wanted(options))
        return NULL;
    History *history = ARENA_NEW(arena, History);
    HistoryView *view = ARENA_NEW(arena, HistoryView);
    Str title = options_text(options, "title", "");
    if (tonight->command.size == 0)
        tonight->command = str_of(options->command->name);
    tonight->label = title.size ? title : history_label(path);
    tonight->verdict = tell_in_each(tell, of, arena);
    tonight->made = product->outputs->render.created;
    const char *file = str_cstr(arena, options_text(options, "history", ""));
    product->night_lost = !history_keep(file, tonight, arena, history, &err);
    if (product->night_lost)
        warn(&err, product->notices);
    history_view(history, arena, view);
    return view;
}

void history_log_draw(const HistoryView *view, const Verdict *verdict, Product *product)
{
    if (!view)
        return;
    Scene *scene = ARENA_NEW(product->arena, Scene);
    if (history_picture(view, product->arena, scene))
        product_figure(product, STR("history"), false, scene, verdict);
}
