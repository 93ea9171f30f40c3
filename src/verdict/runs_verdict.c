// SPDX-License-Identifier: Apache-2.0
// What many runs of one configuration say.
#include "verdict/runs_verdict.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge/judge.h"
#include "verdict/figure_text.h"
#include "verdict/runs_born.h"
#include "verdict/sentence.h"
#include "verdict/verdict_text.h"

enum { VERDICT_PLACES = 3 };

RunsTally runs_tally(const RunsView *report)
{
    RunsTally out = {.status = STATUS_SAME, .largest = (double)NAN};
    for (size_t i = 0; i < report->count; i++) {
        const RunFacts *run = &report->runs[i];
        if (run->failed)
            continue;
        out.read++;
        out.identical += !run->first.leaves;
        out.parting += run->first.leaves;
        out.status = status_worst(out.status, run->status);
        for (size_t k = 0; run->layers && k < report->layer_count; k++)
            if (run->layers[k].error >= 0 && !(run->layers[k].error <= out.largest))
                out.largest = run->layers[k].error;
    }
    return out;
}

Status runs_status(const RunsView *report)
{
    RunsTally tally = runs_tally(report);
    return tally.read < 2 || report->ops == 0 ? STATUS_NO_DATA : tally.status;
}

// "always first in blocks.2.attn", "first in blocks.2.attn (4), head (2)"
// `alone`: these are all that part.
static Str places_text(const BornPlaces *born, bool alone, Arena *arena)
{
    if (born->count == 1 && (born->items[0].runs > 1 || alone))
        return str_printf(arena, tr("always first in " STR_FMT), STR_ARG(born->items[0].name));
    StrBuf text = strbuf_new(arena);
    strbuf_printf(&text, "%s", tr("first in "));
    for (size_t i = 0; i < born->count && i < VERDICT_PLACES; i++) {
        strbuf_printf(&text, "%s" STR_FMT, i ? ", " : "", STR_ARG(born->items[i].name));
        if (born->count > 1)
            strbuf_printf(&text, " (%zu)", born->items[i].runs);
    }
    if (born->count > VERDICT_PLACES)
        strbuf_printf(
            &text,
            tr_count(born->count - VERDICT_PLACES, " and %zu more place", " and %zu more places"),
            born->count - VERDICT_PLACES);
    return strbuf_str(&text);
}

// "always first in blocks.0.attn; beyond tolerance: 1, first in blocks.2.attn"
static Str born_text(const RunsView *report, Arena *arena)
{
    BornPlaces born, beyond;
    size_t runs = 0;
    runs_born(report, arena, &born);
    runs_beyond(report, arena, &beyond);
    for (size_t i = 0; i < beyond.count; i++)
        runs += beyond.items[i].runs;
    Str text = places_text(&born, true, arena);
    if (runs == 0)
        return text;
    return str_printf(arena, tr(STR_FMT "; beyond tolerance: %zu, " STR_FMT), STR_ARG(text), runs,
                      STR_ARG(places_text(&beyond, false, arena)));
}

static void set_calm(const RunsView *report, const RunsTally *tally, Arena *arena, Verdict *out)
{
    Str ops = figure_count(report->ops, arena);
    bool narrow = false;
    for (size_t i = 0; i < report->count; i++)
        narrow = narrow || (report->runs[i].narrow && !report->runs[i].failed);
    out->style = STYLE_SAME;
    out->word = str_of(tr("SAME"));
    out->reason =
        narrow ? str_printf(arena, tr("%zu runs, bit for bit in what they share."), tally->read)
               : str_printf(arena, tr("%zu runs, bit for bit: " STR_FMT " ops each."), tally->read,
                            STR_ARG(ops));
}

static void set_varies(const RunsView *report, const RunsTally *tally, Arena *arena, Verdict *out)
{
    bool beyond = status_differs(tally->status);
    out->style = beyond ? STYLE_ERROR : STYLE_PASS;
    out->word = str_of(beyond ? tr("VARIES") : tr("AGREES"));
    Str born = born_text(report, arena), largest = verdict_number(tally->largest, arena);
    Str head =
        tally->identical > 1
            ? str_printf(arena, tr("%zu runs: %zu identical, %zu diverge, " STR_FMT), tally->read,
                         tally->identical, tally->parting, STR_ARG(born))
            : str_printf(arena,
                         tr("%zu runs, none like another: %zu part from " STR_FMT ", " STR_FMT),
                         tally->read, tally->parting, STR_ARG(report->runs[report->common].label),
                         STR_ARG(born));
    out->reason = isnan(tally->largest)
                      ? str_printf(arena, tr(STR_FMT "."), STR_ARG(head))
                      : str_printf(arena, tr(STR_FMT "; largest rel. diff " STR_FMT "."),
                                   STR_ARG(head), STR_ARG(largest));
}

void runs_verdict(const RunsView *report, bool partial, Arena *arena, Verdict *out)
{
    RunsTally tally = runs_tally(report);
    *out = (Verdict){.partial = partial, .joint = STR(" ")};
    if (tally.read < 2) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason = str_of(tr("fewer than two runs could be compared."));
    } else if (report->ops == 0) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason = str_of(tr("the dumps hold no op."));
    } else if (tally.parting == 0) {
        set_calm(report, &tally, arena, out);
    } else {
        set_varies(report, &tally, arena, out);
    }
    out->context = report->dumps == 1 ? str_of(tr("1 dump a run"))
                                      : str_printf(arena, tr("%zu dumps a run"), report->dumps);
    out->sentence = verdict_sentence(out, out->reason, arena);
}
