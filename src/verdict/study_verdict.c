// SPDX-License-Identifier: Apache-2.0
// What a whole study says.
#include "base/words.h"
#include "verdict/sentence.h"
#include "verdict/study_view.h"

size_t study_count(const StudyView *view, StageStatus status)
{
    size_t count = 0;
    for (int i = 0; i < STAGE_COUNT; i++)
        count += view->stages[i].status == status;
    return count;
}

static bool any_partial(const StudyView *view)
{
    bool partial = notices_any_partial(view->notices);
    for (int i = 0; i < STAGE_COUNT; i++)
        partial = partial || view->stages[i].unreadable || view->stages[i].partial;
    return partial;
}

static const StageResult *first_of(const StudyView *view, StageStatus status)
{
    for (int i = 0; i < STAGE_COUNT; i++)
        if (view->stages[i].status == status)
            return &view->stages[i];
    return NULL;
}

static Str count_text(const StudyView *view, Arena *arena)
{
    size_t failed = study_count(view, STAGE_FAILED), passed = study_count(view, STAGE_PASSED);
    return str_printf(arena, tr("%zu failed, %zu passed, %zu not done"), failed, passed,
                      study_count(view, STAGE_NOT_DONE));
}

static void set_sentence(Verdict *out, Arena *arena)
{
    Str rest = out->place;
    if (out->place.size && out->reason.size)
        rest =
            str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(out->place), STR_ARG(out->reason));
    rest = str_printf(arena, tr(STR_FMT " (" STR_FMT ")"), STR_ARG(rest), STR_ARG(out->context));
    out->sentence = verdict_sentence(out, rest, arena);
}

void study_verdict(const StudyView *view, Arena *arena, Verdict *out)
{
    const StageResult *first = first_of(view, STAGE_FAILED);
    *out = (Verdict){.partial = any_partial(view), .joint = STR(" ")};
    if (first) {
        out->style = STYLE_ERROR;
        out->word = str_of(tr("FAILED"));
        out->place = str_printf(arena, "%s", tr(first->info.title));
        out->reason = sentence_open(first->number);
    } else if (first_of(view, STAGE_PASSED)) {
        out->style = STYLE_PASS;
        out->word = str_of(tr("PASSED"));
        out->place =
            str_printf(arena, tr("%zu of %d stages"), study_count(view, STAGE_PASSED), STAGE_COUNT);
        out->reason = str_of(tr("nothing beyond tolerance in what was done"));
    } else {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT DONE"));
        out->place = str_of(tr("no stage"));
        out->reason = str_of(tr("none of them has readable data"));
    }
    Str counts = count_text(view, arena);
    out->context = str_printf(arena, tr(STR_FMT "; symptom: " STR_FMT), STR_ARG(counts),
                              STR_ARG(view->symptom.name));
    set_sentence(out, arena);
    if (view->plan->title.size)
        out->context = str_printf(arena, STR_FMT " \u00B7 " STR_FMT, STR_ARG(view->plan->title),
                                  STR_ARG(out->context));
}
