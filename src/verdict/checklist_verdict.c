// SPDX-License-Identifier: Apache-2.0
// What two training configurations say against each other and the checklist.
#include "verdict/checklist_verdict.h"

#include "base/number.h"
#include "base/words.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

enum { VERDICT_NAMES = 4 };

bool checklist_mismatch(const CheckResult *row)
{
    return row->row->rule == CHECK_SAME && row->status == CHECK_DIFFERS;
}

// "beta2 0.95 / 0.999, weight_decay 0.1 / 0.0 and 2 more"
static Str differing_names(const Checklist *list, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    size_t shown = 0;
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (!checklist_mismatch(row) || ++shown > VERDICT_NAMES)
            continue;
        strbuf_printf(&text, "%s%s " STR_FMT " / " STR_FMT, shown > 1 ? ", " : "", row->row->key,
                      STR_ARG(row->golden.value), STR_ARG(row->target.value));
    }
    if (shown > VERDICT_NAMES)
        strbuf_printf(&text, tr(" and %zu more"), shown - VERDICT_NAMES);
    return strbuf_str(&text);
}

// "beta2, seed"
static Str unknown_names(const Checklist *list, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    size_t shown = 0;
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (row->status == CHECK_UNKNOWN && row->row->rule != CHECK_HAND &&
            ++shown <= VERDICT_NAMES)
            strbuf_printf(&text, "%s%s", shown > 1 ? ", " : "", row->row->key);
    }
    if (shown > VERDICT_NAMES)
        strbuf_printf(&text, tr(" and %zu more"), shown - VERDICT_NAMES);
    return strbuf_str(&text);
}

// The reason and what else there is: what no row judged, too.
static Str all_counts(const Checklist *list, Str reason, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    Str equal = figure_count(list->equal, arena), advice = figure_count(list->advice, arena);
    strbuf_printf(&text, tr(STR_FMT "; " STR_FMT " equal"), STR_ARG(reason), STR_ARG(equal));
    if (list->unknown)
        strbuf_printf(&text, tr("; not known, as no file sets a variable: " STR_FMT),
                      STR_ARG(unknown_names(list, arena)));
    if (list->one_side)
        strbuf_printf(&text, tr("; on one side only: %zu"), list->one_side);
    if (list->others_differ)
        strbuf_printf(&text,
                      tr_count(list->others_differ, "; outside of the checklist %zu differs",
                               "; outside of the checklist %zu differ"),
                      list->others_differ);
    if (list->others_alone)
        strbuf_printf(&text, tr("; outside of the checklist %zu on one side only"),
                      list->others_alone);
    strbuf_printf(&text, tr("; values that the checklist advises against: " STR_FMT),
                  STR_ARG(advice));
    return strbuf_str(&text);
}

void checklist_verdict(const Checklist *list, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial, .place = STR("")};
    Str equal = figure_count(list->equal, arena), advice = figure_count(list->advice, arena);
    out->context = str_printf(arena,
                              tr("settings equal: " STR_FMT
                                 " · values that the checklist advises against: " STR_FMT
                                 " · on one side only: %zu"),
                              STR_ARG(equal), STR_ARG(advice), list->one_side);
    if (list->single) {
        out->style = list->advice ? STYLE_WARNING : STYLE_PASS;
        out->word = str_of(tr("SHOWN"));
        out->reason = str_printf(
            arena,
            tr(STR_FMT " settings of the checklist; it advises against the values of " STR_FMT),
            STR_ARG(equal), STR_ARG(advice));
        out->sentence = verdict_sentence(out, out->reason, arena);
        return;
    }
    if (list->differs) {
        out->style = STYLE_ERROR;
        out->word = str_of(tr("DIFFERS"));
        out->reason = str_printf(arena,
                                 list->differs == 1 ? tr("%zu setting differs: " STR_FMT)
                                                    : tr("%zu settings differ: " STR_FMT),
                                 list->differs, STR_ARG(differing_names(list, arena)));
    } else if (list->equal) {
        out->style = list->advice ? STYLE_WARNING : STYLE_PASS;
        out->word = str_of(tr("AGREES"));
        out->reason = str_of(tr("no setting of the checklist differs"));
    } else {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason = str_of(tr("the two sides have no setting of the checklist in common"));
    }
    out->sentence = verdict_sentence(out, all_counts(list, out->reason, arena), arena);
}

Str checklist_advised(const CheckRow *row, Arena *arena)
{
    switch (row->advice) {
    case ADVICE_EQUAL:
        return str_of(row->bound);
    case ADVICE_BELOW:
        return str_printf(arena, tr("below %s"), row->bound);
    case ADVICE_MULTIPLE:
        return str_printf(arena, tr("a multiple of %s"), row->bound);
    case ADVICE_ON:
        return str_of(tr("on"));
    case ADVICE_OFF:
        return str_of(tr("off"));
    case ADVICE_CAPACITY:
        return str_of(tr("below 0, or from 1 to experts / top k"));
    case ADVICE_APART:
        return str_of(tr("not both"));
    case ADVICE_NONE:
        break;
    }
    return STR("");
}
