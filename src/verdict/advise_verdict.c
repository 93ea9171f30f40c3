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

void skip_verdict(const SkipView *view, bool partial, Arena *arena, Verdict *out)
{
    const SkipResult *result = &view->result;
    *out = (Verdict){.partial = partial};
    out->style = result->aborts ? STYLE_ERROR : STYLE_PASS;
    out->word = str_of(view->given ? tr("SIMULATED") : tr("SUGGESTED"));
    Str threshold = number_text(result->threshold, arena);
    out->joint = STR(" ");
    out->place = str_printf(arena, tr("threshold " STR_FMT ", count %llu"), STR_ARG(threshold),
                            (unsigned long long)result->count);
    out->reason = skip_reason(view, arena);
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

void health_verdict(const HealthFindings *report, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial};
    bool unhealthy = report->unhealthy_count > 0;
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
