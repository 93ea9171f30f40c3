// SPDX-License-Identifier: Apache-2.0
#include "verdict/locate_verdict.h"

#include <math.h>

#include "base/words.h"
#include "read/dump/place_name.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"
#include "verdict/verdict_text.h"

// "inputs finite (max 8.9e+04)"
static Str inputs_text(const Sighting *sighting, Arena *arena)
{
    if (sighting->inputs_untold && sighting->slot.size && isnan(sighting->largest))
        return str_of(tr("its inputs are not recorded"));
    if (isnan(sighting->largest))
        return str_of(sighting->slot.size ? tr("no tensor goes in") : tr("earlier ops are finite"));
    Str largest = verdict_number(sighting->largest, arena);
    if (sighting->masked)
        return str_printf(arena, tr("inputs finite but for a mask (max " STR_FMT ")"),
                          STR_ARG(largest));
    return str_printf(arena, tr("inputs finite (max " STR_FMT ")"), STR_ARG(largest));
}

static Str slot_text(const Sighting *sighting)
{
    return sighting->slot.size ? sighting->slot : str_of(tr("result"));
}

Str locate_reason(const Origin *origin, Arena *arena)
{
    const Sighting *sighting = origin->sighting;
    Str slot = slot_text(sighting);
    const char *kind = locate_kind_word(sighting->found);
    switch (origin->kind) {
    case BIRTH_PARAMETER:
        return str_printf(arena, tr("the weight " STR_FMT " already holds %s"), STR_ARG(slot),
                          kind);
    case BIRTH_INPUT:
        return str_printf(arena,
                          tr(STR_FMT " already holds %s, and no earlier op produced it (the batch, "
                                     "or code that was not dumped)"),
                          STR_ARG(slot), kind);
    case BIRTH_COMMUNICATION:
        return str_printf(arena, tr("every rank passed finite values, " STR_FMT " is %s"),
                          STR_ARG(slot), kind);
    case BIRTH_ELSEWHERE:
        return str_printf(arena, tr(STR_FMT " %s came from a rank whose dump is missing"),
                          STR_ARG(slot), kind);
    default: {
        Str inputs = inputs_text(sighting, arena);
        return str_printf(arena, tr(STR_FMT ", " STR_FMT " %s"), STR_ARG(inputs), STR_ARG(slot),
                          kind);
    }
    }
}

// All first hops through one op, or the first of several.
static Str way_text(const Locate *result, size_t origin, Arena *arena)
{
    const Spread *first = NULL;
    bool several = false;
    for (size_t i = 0; i < result->spread_count; i++) {
        const Spread *spread = &result->spreads[i];
        if (spread->origin != origin)
            continue;
        several = several || first;
        first = first ? first : spread;
    }
    if (!first)
        return STR("");
    return str_printf(arena, several ? tr("first through " STR_FMT) : tr("through " STR_FMT),
                      STR_ARG(first->through));
}

// "reached 63 ranks through Distributed.all_reduce.5", or empty.
static Str reach_text(const Locate *result, size_t origin, Arena *arena)
{
    size_t reached = result->origins[origin].reached;
    if (reached == 0)
        return (Str){"", 0};
    Str way = way_text(result, origin, arena);
    if (reached == 1)
        return str_printf(arena, tr("reached 1 rank " STR_FMT), STR_ARG(way));
    return str_printf(arena,
                      tr_count(reached, "reached %zu rank " STR_FMT, "reached %zu ranks " STR_FMT),
                      reached, STR_ARG(way));
}

// What became of the other ranks, of later NaN, of other origins.
static Str context_text(const LocateView *view, Arena *arena)
{
    const Locate *result = view->result;
    const Origin *main = &result->origins[0];
    StrBuf text = strbuf_new(arena);
    Str reach = reach_text(result, 0, arena);
    if (reach.size)
        strbuf_add(&text, reach);
    else if (result->no_communication)
        strbuf_add(&text, str_of(tr("the dump records no communication")));
    else if (result->rank_count > 1 && result->origin_count == 1)
        strbuf_add(&text, str_of(tr("no other rank was reached")));
    const Trail *trail = NULL;
    for (size_t i = 0; i < result->rank_count; i++)
        if (result->ranks[i].trail->rank == main->rank)
            trail = result->ranks[i].trail;
    if (trail && !(main->sighting->found & NONFINITE_NAN) && trail->nan_position)
        strbuf_printf(&text, tr("%sNaN from " STR_FMT " on"), text.size ? tr("; ") : "",
                      STR_ARG(trail->nan_op));
    if (result->origin_count == 2)
        strbuf_printf(&text, tr("%s1 more rank on its own"), text.size ? tr("; ") : "");
    else if (result->origin_count > 2)
        strbuf_printf(&text,
                      tr_count(result->origin_count - 1, "%s%zu more rank on its own",
                               "%s%zu more ranks on their own"),
                      text.size ? tr("; ") : "", result->origin_count - 1);
    return strbuf_str(&text);
}

static void born_verdict(const LocateView *view, Arena *arena, Verdict *out)
{
    const Origin *origin = &view->result->origins[0];
    Str reason = locate_reason(origin, arena), context = context_text(view, arena);
    out->style = STYLE_ERROR;
    out->word = str_of(locate_kind_word(origin->sighting->found));
    out->place = origin->sighting->op;
    out->reason = str_printf(arena, tr(STR_FMT "."), STR_ARG(reason));
    Str where = str_printf(arena, tr("rank %lld, " STR_FMT), (long long)origin->rank,
                           STR_ARG(place_step_text(origin->step, view->result->stage, arena)));
    out->context = context.size
                       ? str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(where), STR_ARG(context))
                       : where;
    Str rest = str_printf(arena, tr("born on " STR_FMT ", " STR_FMT ": " STR_FMT "%s" STR_FMT "."),
                          STR_ARG(where), STR_ARG(out->place), STR_ARG(reason),
                          context.size ? tr("; ") : "", STR_ARG(context));
    out->sentence = verdict_sentence(out, rest, arena);
}

// Told from one tensor in so many on: fewer are odd ones of a type that the tool does not sum up,
// and are counted in summary.json alone.
enum { UNTOLD_SHARE = 100 };

// " No values of 12 tensors are recorded.", or empty.
static Str untold_text(const LocateView *view, Arena *arena)
{
    if (view->untold == 0 || view->untold * UNTOLD_SHARE < view->tensors + view->untold)
        return STR("");
    return str_printf(arena,
                      tr_count(view->untold, " No values of " STR_FMT " tensor are recorded.",
                               " No values of " STR_FMT " tensors are recorded."),
                      STR_ARG(figure_count(view->untold, arena)));
}

// " The -Inf of 2 ops is not judged: inputs are not recorded.", or empty.
static Str unsure_text(const LocateView *view, Arena *arena)
{
    if (view->unsure == 0)
        return STR("");
    return str_printf(
        arena,
        tr_count(view->unsure,
                 " The -Inf of " STR_FMT " op is not judged: inputs are not recorded.",
                 " The -Inf of " STR_FMT " ops is not judged: inputs are not recorded."),
        STR_ARG(figure_count(view->unsure, arena)));
}

static void calm_verdict(const LocateView *view, Arena *arena, Verdict *out)
{
    Str healthy = figure_count(view->healthy, arena);
    Str tensors = str_printf(arena, tr_count(view->tensors, STR_FMT " tensor", STR_FMT " tensors"),
                             STR_ARG(figure_count(view->tensors, arena)));
    if (view->tensors == 0) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NO DATA"));
        out->reason = str_of(tr("no tensor of the dump has statistics that show NaN or Inf."));
        out->sentence = verdict_sentence(out, out->reason, arena);
        return;
    }
    out->style = STYLE_PASS;
    out->word = str_of(tr("FINITE"));
    Str dumps = str_printf(arena, tr_count(view->dumps, "%zu dump", "%zu dumps"), view->dumps);
    Str steps = str_printf(arena, tr_count(view->steps, "%zu step", "%zu steps"), view->steps);
    Str extent = str_printf(arena, tr(STR_FMT ", " STR_FMT ", " STR_FMT), STR_ARG(dumps),
                            STR_ARG(steps), STR_ARG(tensors));
    Str masks = view->healthy
                    ? str_printf(arena,
                                 tr_count(view->healthy,
                                          "no NaN and no Inf but those of masks and unset memory "
                                          "in " STR_FMT " op.",
                                          "no NaN and no Inf but those of masks and unset memory "
                                          "in " STR_FMT " ops."),
                                 STR_ARG(healthy))
                    : str_of(tr("no NaN and no Inf."));
    masks = str_concat(arena, masks, untold_text(view, arena));
    masks = str_concat(arena, masks, unsure_text(view, arena));
    out->reason = masks;
    out->context = extent;
    Str rest = str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(extent), STR_ARG(masks));
    out->sentence = verdict_sentence(out, rest, arena);
}

void locate_verdict(const LocateView *view, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial};
    if (view->result && view->result->origin_count)
        born_verdict(view, arena, out);
    else
        calm_verdict(view, arena, out);
}
