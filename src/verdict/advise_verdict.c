// SPDX-License-Identifier: Apache-2.0
#include "verdict/advise_verdict.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

static Str number_text(double value, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_json(value, text);
    return str_printf(arena, "%s", text);
}

static Str percent_text(double share, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_significant(100 * share, 2, text);
    return str_printf(arena, "%s %%", text);
}

// ---- Data skip

static Str caught_text(const SkipView *view, Arena *arena)
{
    size_t spikes = view->advice.spikes.count, caught = view->result.caught;
    if (spikes == 0)
        return str_of(view->advice.too_short ? tr("no norm spike was found")
                                             : tr("the norm has no spike"));
    if (caught == spikes && spikes == 1)
        return str_of(tr("the only norm spike caught"));
    if (caught == spikes)
        return str_printf(arena, tr("all %zu norm spikes caught"), spikes);
    return str_printf(
        arena, tr_count(spikes, "%zu of %zu norm spike caught", "%zu of %zu norm spikes caught"),
        caught, spikes);
}

// "; NaN at 2 steps, which no threshold skips: first 17": it is neither above nor below one.
static Str nan_text(const Series *norm, Arena *arena)
{
    size_t count = 0;
    int64_t first = 0;
    for (size_t i = 0; i < norm->count; i++)
        if (isnan(norm->points.value[i]) && count++ == 0)
            first = norm->points.x[i];
    return count == 0
               ? STR("")
               : str_printf(arena,
                            tr_count(count, "; NaN at %zu step, which no threshold skips: %lld",
                                     "; NaN at %zu steps, which no threshold skips: first "
                                     "%lld"),
                            count, (long long)first);
}

static Str skip_reason(const SkipView *view, Arena *arena)
{
    const SkipResult *result = &view->result;
    const Series *norm = run_series(view->run, "grad_norm");
    Str caught = caught_text(view, arena), steps = figure_count(norm->count, arena);
    Str skipped = figure_count(result->skipped_count, arena);
    if (result->aborts)
        return str_printf(arena,
                          tr_count(result->longest_row,
                                   "the run ends at step %lld, after %zu hit in a row",
                                   "the run ends at step %lld, after %zu hits in a row"),
                          (long long)result->abort_at, result->longest_row);
    Str share = percent_text((double)result->skipped_count / (double)norm->count, arena);
    Str text =
        str_printf(arena, tr(STR_FMT " of " STR_FMT " steps (" STR_FMT ") skipped, " STR_FMT),
                   STR_ARG(skipped), STR_ARG(steps), STR_ARG(share), STR_ARG(caught));
    return str_concat(arena, text, nan_text(norm, arena));
}

// "; the run's own threshold 3.0 skipped 2 steps (40, 77) and ended it at step 78": what the log
// prints of itself is next to the suggestion.
static Str own_text(const SkipView *view, Arena *arena)
{
    enum { SHOWN = 4 };
    const Run *run = view->run;
    if (isnan(run->skip_threshold))
        return STR("");
    Str threshold = number_text(run->skip_threshold, arena);
    StrBuf text = strbuf_new(arena);
    strbuf_printf(&text,
                  tr_count(view->recorded_count,
                           "; the run's own threshold " STR_FMT "%s skipped %zu step",
                           "; the run's own threshold " STR_FMT "%s skipped %zu steps"),
                  STR_ARG(threshold), str_find_char(threshold, '.', 0) == SIZE_MAX ? ".0" : "",
                  view->recorded_count);
    for (size_t i = 0; i < view->recorded_count && i < SHOWN; i++)
        strbuf_printf(&text, "%s%lld", i ? ", " : " (", (long long)view->recorded[i]);
    if (view->recorded_count)
        strbuf_printf(&text, "%s)", view->recorded_count > SHOWN ? ", …" : "");
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.items[i].kind == EVENT_ABORT) {
            strbuf_printf(&text, tr(" and ended it at step " STR_FMT),
                          STR_ARG(figure_step(run->events.items[i].step, arena)));
            break;
        }
    return strbuf_str(&text);
}

void skip_verdict(const SkipView *view, bool partial, Arena *arena, Verdict *out)
{
    const SkipResult *result = &view->result;
    *out = (Verdict){.partial = partial};
    out->style = result->aborts ? STYLE_ERROR : STYLE_PASS;
    out->word = str_of(view->given ? tr("SIMULATED") : tr("SUGGESTED"));
    Str threshold = figure_number(result->threshold, 4, arena);
    out->joint = STR(" ");
    out->place = str_printf(arena, tr("threshold " STR_FMT ", count %llu"), STR_ARG(threshold),
                            (unsigned long long)result->count);
    out->reason = str_concat(arena, skip_reason(view, arena), own_text(view, arena));
    bool in_warmup = result->aborts && result->abort_at <= view->advice.warmup_end;
    out->context =
        in_warmup ? str_printf(arena, tr("that is within the warm-up, which ends at step %lld"),
                               (long long)view->advice.warmup_end)
        : view->advice.too_short
            ? str_of(tr("the log is too short to know the tail of the norms"))
            : str_printf(arena, tr("judged after the warm-up, from step %lld on"),
                         (long long)view->advice.warmup_end + 1);
    Str rest = str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(out->place), STR_ARG(out->reason));
    if (view->advice.too_short && !view->given && !in_warmup)
        rest = str_printf(arena, tr(STR_FMT "; " STR_FMT), STR_ARG(rest), STR_ARG(out->context));
    out->sentence = verdict_sentence(out, rest, arena);
}

Str skip_yaml(const SkipResult *result, Arena *arena)
{
    Str threshold = number_text(result->threshold, arena);
    return str_printf(arena,
                      "use_skip_data_by_global_norm: True\n"
                      "monitor_config:\n"
                      "  monitor_on: True\n"
                      "  check_for_global_norm: False\n"
                      "  global_norm_spike_threshold: " STR_FMT "%s\n"
                      "  global_norm_spike_count_threshold: %llu\n",
                      STR_ARG(threshold), str_find_char(threshold, '.', 0) == SIZE_MAX ? ".0" : "",
                      (unsigned long long)result->count);
}

// ---- Checkpoint health

static Str steps_text(const HealthFindings *report, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    size_t shown = 0;
    for (size_t i = 0; i < report->count; i++) {
        if (report->marks[i].checkpoint->healthy || !report->marks[i].has_step)
            continue;
        if (shown++ == 6) {
            strbuf_printf(&text, ", …");
            break;
        }
        strbuf_printf(&text, "%s%lld", shown > 1 ? ", " : "", (long long)report->marks[i].step);
    }
    return strbuf_str(&text);
}

// ", step 500": names count the steps of their epoch alone.
static Str newest_step(const HealthFindings *report, Arena *arena)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->marks[i].checkpoint == report->newest_healthy && report->marks[i].has_step)
            return str_printf(arena, tr(", step %lld"), (long long)report->marks[i].step);
    return STR("");
}

// A log alone: what a threshold would be, and what it would call unhealthy.
static void suggestion(const HealthFindings *report, Arena *arena, Verdict *out)
{
    enum { SHOWN = 6 };
    bool given = !isnan(report->threshold);
    double threshold = given ? report->threshold : report->suggested;
    size_t above = 0;
    StrBuf steps = strbuf_new(arena);
    for (size_t i = 0; i < report->embedding_count; i++)
        for (size_t k = 0; k < report->embeddings[i]->count; k++) {
            Point point = point_at(report->embeddings[i]->points, k);
            if (point.value < threshold || point_is_absent(point.value))
                continue;
            if (above++ < SHOWN)
                strbuf_printf(&steps, "%s%lld", above > 1 ? ", " : "", (long long)point.x);
        }
    if (above > SHOWN)
        strbuf_printf(&steps, ", …");
    out->word = str_of(given ? tr("SIMULATED") : tr("SUGGESTED"));
    out->style = STYLE_PASS;
    out->joint = STR(" ");
    out->place = str_printf(arena, tr("threshold of the embedding norm " STR_FMT),
                            STR_ARG(figure_number(threshold, 4, arena)));
    out->reason = above ? str_printf(arena,
                                     tr_count(above, "%zu value at or above it: step " STR_FMT,
                                              "%zu values at or above it: steps " STR_FMT),
                                     above, STR_ARG(strbuf_str(&steps)))
                        : str_of(tr("no value at or above it"));
    out->context = str_of(tr("no record of checkpoints was given: none is judged"));
    Str rest = str_printf(arena, tr(STR_FMT ": " STR_FMT "; " STR_FMT), STR_ARG(out->place),
                          STR_ARG(out->reason), STR_ARG(out->context));
    out->sentence = verdict_sentence(out, rest, arena);
}

void health_verdict(const HealthFindings *report, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial};
    bool unhealthy = report->unhealthy_count > 0;
    if (report->count == 0) {
        suggestion(report, arena, out);
        return;
    }
    out->style = unhealthy ? STYLE_ERROR : STYLE_PASS;
    out->word = str_of(unhealthy ? tr("UNHEALTHY") : tr("HEALTHY"));
    Str steps = steps_text(report, arena);
    out->joint = STR(" ");
    out->place = str_printf(
        arena, tr_count(report->count, "%zu of %zu checkpoint", "%zu of %zu checkpoints"),
        unhealthy ? report->unhealthy_count : report->count, report->count);
    if (unhealthy && steps.size)
        out->place = str_printf(arena, tr(STR_FMT " (step " STR_FMT ")"), STR_ARG(out->place),
                                STR_ARG(steps));
    out->reason =
        report->newest_healthy
            ? str_printf(arena, tr("the newest healthy one is " STR_FMT STR_FMT),
                         STR_ARG(report->newest_healthy->name), STR_ARG(newest_step(report, arena)))
            : str_of(tr("none of them is healthy"));
    out->context =
        report->embedding_count
            ? str_printf(arena, tr("ranks with embedding norms: %zu"), report->embedding_count)
            : str_of(tr("no log with embedding norms was given"));
    Str rest = str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(out->place), STR_ARG(out->reason));
    out->sentence = verdict_sentence(out, rest, arena);
}

Str health_yaml(double threshold, Arena *arena)
{
    Str text = number_text(threshold, arena);
    return str_printf(arena,
                      "use_checkpoint_health_monitor: True\n"
                      "monitor_config:\n"
                      "  monitor_on: True\n"
                      "callbacks:\n"
                      "  - type: CheckpointMonitor\n"
                      "    embedding_local_norm_threshold: " STR_FMT "%s\n",
                      STR_ARG(text), str_find_char(text, '.', 0) == SIZE_MAX ? ".0" : "");
}
