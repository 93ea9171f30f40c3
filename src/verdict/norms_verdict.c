// SPDX-License-Identifier: Apache-2.0
// What the gradient norms of each weight say about two runs, in a sentence.
#include "verdict/norms_verdict.h"

#include <math.h>

#include "base/words.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

Str norms_percent(double share, Arena *arena)
{
    Str text = figure_number(100 * share, 2, arena);
    return str_printf(arena, "%s" STR_FMT " %%", share > 0 ? "+" : "", STR_ARG(text));
}

void norms_verdict(const NormTable *norms, bool partial, Arena *arena, Verdict *out)
{
    const NormPair *worst = localnorm_worst(norms);
    size_t flagged = localnorm_flagged(norms);
    *out = (Verdict){.partial = partial, .style = STYLE_PASS};
    Str error = worst ? norms_percent(worst->relative_error, arena) : STR("—");
    out->word = str_of(flagged ? tr("DIFFERS") : tr("AGREES"));
    if (flagged) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one flagged: one is the worst
        out->style = worst->problem ? STYLE_ERROR : STYLE_WARNING;
        out->place = worst->target;
        out->reason = isnan(worst->relative_error)
                          ? str_printf(arena, tr("its gradient norm is no number on one side; %s"),
                                       localnorm_reading(norms))
                          : str_printf(arena, tr("its gradient norm is off by " STR_FMT "; %s"),
                                       STR_ARG(error), localnorm_reading(norms));
    } else {
        out->reason = str_printf(arena, tr("all gradient norms of weights, at most " STR_FMT),
                                 STR_ARG(error));
    }
    Str median = norms_percent(norms->median_error, arena);
    out->context = str_printf(
        arena,
        tr_count(norms->count, "%zu weight paired, %zu off · median " STR_FMT " · step %lld",
                 "%zu weights paired, %zu off · median " STR_FMT " · step %lld"),
        norms->count, flagged, STR_ARG(median), (long long)norms->target.step);
    Str rest = flagged ? str_printf(arena, "%s " STR_FMT ": " STR_FMT, tr("at"),
                                    STR_ARG(out->place), STR_ARG(out->reason))
                       : out->reason;
    out->sentence = verdict_sentence(out, rest, arena);
}
