// SPDX-License-Identifier: Apache-2.0
// The verdict of many row tables: a rank stands out, or all are equal.
#include "verdict/rank_metrics_verdict.h"

#include <math.h>

#include "base/words.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

static Str extent_text(const RankMetrics *metrics, Arena *arena)
{
    size_t numbers = 0;
    for (size_t i = 0; i < metrics->metric_count; i++)
        numbers += rank_metrics_is_number(metrics, i);
    Str count = figure_count(metrics->name_count, arena);
    Str rows = str_printf(arena, tr_count(metrics->name_count, STR_FMT " row", STR_FMT " rows"),
                          STR_ARG(count));
    Str reports = str_printf(arena, tr_count(metrics->rank_count, "%zu report", "%zu reports"),
                             metrics->rank_count);
    Str columns = str_printf(arena, tr_count(numbers, "%zu metric", "%zu metrics"), numbers);
    return str_printf(arena, tr(STR_FMT ", " STR_FMT ", " STR_FMT), STR_ARG(reports), STR_ARG(rows),
                      STR_ARG(columns));
}

Str rank_metrics_largest_text(const RankMetrics *metrics, size_t metric, const RankLargest *largest,
                              Arena *arena)
{
    return isfinite(largest->value)
               ? figure_number(largest->value, 3, arena)
               : rank_metrics_cell(metrics, largest->rank, largest->name, metric);
}

// "STANDS OUT  rank 2: largest …, the median rank has 0.15"
static void say_outlier(const RankMetrics *metrics, const RankOutlier *outlier, Str extent,
                        Arena *arena, Verdict *out)
{
    const RankLargest *largest = &outlier->largest;
    Str value = rank_metrics_largest_text(metrics, outlier->metric, largest, arena);
    Str median = figure_number(outlier->median, 3, arena);
    out->word = str_of(tr("STANDS OUT"));
    out->style = STYLE_WARNING;
    out->place = metrics->places[largest->rank];
    if (outlier->count > 1)
        out->place =
            str_printf(arena, tr(STR_FMT " and %zu more"), STR_ARG(out->place), outlier->count - 1);
    Str name = metrics->names[largest->name];
    if (isnan(outlier->median))
        out->reason = str_printf(arena, tr("%s " STR_FMT " at " STR_FMT ", no rank is finite."),
                                 metrics->metrics[outlier->metric], STR_ARG(value), STR_ARG(name));
    else
        out->reason = str_printf(
            arena, tr("%s " STR_FMT " at " STR_FMT ", the median rank has at most " STR_FMT "."),
            metrics->metrics[outlier->metric], STR_ARG(value), STR_ARG(name), STR_ARG(median));
    out->context = extent;
    Str rest = str_printf(arena, tr(STR_FMT ": " STR_FMT " " STR_FMT "."), STR_ARG(out->place),
                          STR_ARG(out->reason), STR_ARG(extent));
    out->sentence = verdict_sentence(out, rest, arena);
}

void rank_metrics_verdict(const RankMetrics *metrics, bool partial, Arena *arena, Verdict *out)
{
    Str extent = extent_text(metrics, arena);
    RankOutlier outlier = rank_metrics_outlier(metrics, arena);
    const RankLargest *worst = &outlier.largest;
    *out = (Verdict){.partial = partial, .style = STYLE_PLAIN, .joint = STR(" ")};
    if (outlier.count) {
        say_outlier(metrics, &outlier, extent, arena, out);
        return;
    }
    size_t first;
    if (rank_metrics_silent(metrics, &first) == metrics->rank_count && metrics->rank_count) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason =
            str_printf(arena, tr("no table holds a number. " STR_FMT "."), STR_ARG(extent));
        out->sentence = verdict_sentence(out, out->reason, arena);
        return;
    }
    bool several = metrics->rank_count > 1 && worst->any;
    out->word = str_of(several ? tr("ALIKE") : tr("MERGED"));
    out->reason = str_printf(arena, tr(STR_FMT "."), STR_ARG(extent));
    if (worst->any) {
        Str value = figure_number(worst->value, 3, arena);
        out->reason =
            str_printf(arena, tr(STR_FMT "; largest %s " STR_FMT " in " STR_FMT " at " STR_FMT "."),
                       STR_ARG(extent), metrics->metrics[outlier.metric], STR_ARG(value),
                       STR_ARG(metrics->places[worst->rank]), STR_ARG(metrics->names[worst->name]));
    }
    out->sentence = verdict_sentence(out, out->reason, arena);
}
