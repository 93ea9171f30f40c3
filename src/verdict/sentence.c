// SPDX-License-Identifier: Apache-2.0
// The one-line form of a verdict.
#include "verdict/sentence.h"

#include "base/utf8.h"
#include "base/words.h"

enum { WORD_COLUMNS = 8 };

Str verdict_sentence(Verdict *verdict, Str rest, Arena *arena)
{
    verdict->rest = rest;
    int columns = 0;
    for (size_t at = 0; at < verdict->word.size;)
        columns += utf8_columns(utf8_next(verdict->word, &at));
    int pad = columns < WORD_COLUMNS ? WORD_COLUMNS - columns : 0;
    return str_printf(arena, "%s%s" STR_FMT "%*s  " STR_FMT, verdict->partial ? tr("PARTIAL") : "",
                      verdict->partial ? " " : "", STR_ARG(verdict->word), pad, "", STR_ARG(rest));
}

Str sentence_open(Str text)
{
    static const char *const stops[] = {".", "。"};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (str_ends(text, str_of(stops[i])))
            return str_slice(text, 0, text.size - str_of(stops[i]).size);
    return text;
}

void verdict_judged_by(Verdict *verdict, Str settings, Arena *arena)
{
    if (!settings.size || verdict->style == STYLE_NO_DATA)
        return;
    bool ended = sentence_open(verdict->rest).size < verdict->rest.size;
    Str told = str_printf(arena, tr("judged by settings: " STR_FMT), STR_ARG(settings));
    Str rest = str_printf(arena,
                          ended ? tr(STR_FMT " Judged by settings: " STR_FMT ".")
                                : tr(STR_FMT ". Judged by settings: " STR_FMT "."),
                          STR_ARG(verdict->rest), STR_ARG(settings));
    verdict->context = verdict->context.size ? str_printf(arena, STR_FMT " · " STR_FMT,
                                                          STR_ARG(told), STR_ARG(verdict->context))
                                             : told;
    verdict->sentence = verdict_sentence(verdict, rest, arena);
}
