// SPDX-License-Identifier: Apache-2.0
#include "commands/study/stage_facts.h"

#include <math.h>

#include "base/words.h"
#include "export/summary/advise_summary.h"
#include "export/summary/curves_summary.h"
#include "export/summary/locate_summary.h"
#include "export/summary/monitor_summary.h"
#include "export/summary/weights_summary.h"
#include "verdict/check_verdict.h"
#include "verdict/checklist_verdict.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

// What the ladder shows is read from the facts that summary.json is written from, so that a study
// says the same as the command alone.

static void number_from_verdict(StageWork *work)
{
    const Verdict *verdict = &work->out->verdict;
    work->out->number = str_printf(work->arena, STR_FMT " " STR_FMT, STR_ARG(verdict->word),
                                   STR_ARG(str_trim(verdict->rest)));
}

// ---- checklist

enum { KEYS_MAX = 8 };

static Str list_mismatches(const Checklist *list, Arena *arena)
{
    StrBuf names = strbuf_new(arena);
    size_t count = 0;
    for (size_t i = 0; i < list->row_count; i++) {
        if (!checklist_mismatch(&list->rows[i]))
            continue;
        if (count == KEYS_MAX) {
            strbuf_add(&names, STR(", …"));
            break;
        }
        strbuf_printf(&names, "%s%s", count++ ? ", " : "", list->rows[i].row->key);
    }
    return strbuf_str(&names);
}

void study_read_checklist(StageWork *work, const Product *product)
{
    const ChecklistView *found = product->facts;
    const Checklist *list = found->list;
    int differ = 0, advice = 0;
    for (size_t i = 0; i < list->row_count; i++) {
        differ += checklist_mismatch(&list->rows[i]);
        advice += list->rows[i].advice_golden || list->rows[i].advice_target;
    }
    Str keys = list_mismatches(list, work->arena);
    if (differ) {
        work->facts->settings = keys;
        work->out->number = str_printf(work->arena,
                                       tr_count((uint64_t)differ, "%d setting differs: " STR_FMT,
                                                "%d settings differ: " STR_FMT),
                                       differ, STR_ARG(keys));
    } else {
        work->out->number = str_printf(
            work->arena, tr_count(list->equal, "%lld setting agrees", "%lld settings agree"),
            (long long)list->equal);
    }
    if (advice)
        work->out->number = str_printf(work->arena, tr(STR_FMT "; %d advised otherwise"),
                                       STR_ARG(work->out->number), advice);
}

void study_read_weights(StageWork *work, const Product *product)
{
    (void)product;
    number_from_verdict(work);
}

void study_read_decay(StageWork *work, const Product *product)
{
    const WeightsView *weights = product->facts;
    if (product->write_facts != weights_summary_write)
        return;
    work->facts->decay = weights_decay_text(weights->comparison, work->arena);
    if (work->facts->decay.size)
        work->out->number = str_printf(work->arena, tr(STR_FMT "; weights at the end: " STR_FMT),
                                       STR_ARG(work->out->number), STR_ARG(work->facts->decay));
}

// ---- curves

static const char *finding_words(const CurveComparison *loss)
{
    switch (loss->finding) {
    case FINDING_WITHIN:
        return loss->has_band ? tr("within the noise of golden") : tr("equal as far as printed");
    case FINDING_BORDERLINE:
        return tr("at the border of the noise");
    case FINDING_OFFSET:
        return tr("a stable offset");
    case FINDING_DIVERGING:
        return tr("the difference grows");
    case FINDING_OUTSIDE:
        return tr("beyond tolerance");
    case FINDING_CANNOT_TELL:
        break;
    }
    return loss->beyond ? tr("beyond tolerance") : tr("no lasting difference");
}

static const CurveComparison *loss_of(const CurveFindings *report, Str target)
{
    for (size_t i = 0; i < report->count; i++)
        if (str_equal(report->items[i].series, STR("loss")) &&
            str_equal(report->items[i].target->name, target))
            return &report->items[i];
    return NULL;
}

// Mean difference of the last fifth.
static double late_mean(const CurveComparison *loss)
{
    return loss->phases[PHASE_COUNT - 1].signed_mean;
}

static int64_t max_at(const DifferenceStats *stats)
{
    return stats->points && stats->max_at >= 0 ? stats->max_at : -1;
}

static Str loss_number(const CurveComparison *loss, Arena *arena)
{
    const DifferenceStats *stats = &loss->stats;
    if (stats->points == 0)
        return str_printf(arena, tr("%s: no step has a number on both sides"), finding_words(loss));
    Str mean = figure_number(stats->mae, 2, arena);
    Str percent = figure_number(100 * stats->mean_relative, 2, arena);
    Str largest = figure_number(stats->max_abs, 2, arena);
    Str end = figure_number(late_mean(loss), 2, arena);
    Str points = figure_count(stats->points, arena);
    Str text =
        str_printf(arena,
                   tr("%s: loss %s" STR_FMT " in the last 20 %%; mean difference " STR_FMT
                      " (" STR_FMT " %%), largest " STR_FMT " at step %lld, " STR_FMT " points"),
                   finding_words(loss), late_mean(loss) > 0 ? "+" : "", STR_ARG(end), STR_ARG(mean),
                   STR_ARG(percent), STR_ARG(largest), (long long)max_at(stats), STR_ARG(points));
    if (!loss->has_band)
        return text;
    Str inside = figure_number(100 * loss->band.inside_3_sigma_share, 3, arena);
    Str ratio = figure_number(loss->band.rms_ratio, 2, arena);
    return str_printf(arena,
                      tr(STR_FMT "; " STR_FMT " %% within 3 sigma, " STR_FMT " times the noise"),
                      STR_ARG(text), STR_ARG(inside), STR_ARG(ratio));
}

// The step of the first value that is no number; -1: none.
static int64_t first_nonfinite(const Run *run, const char *name)
{
    const Series *series = run_series(run, name);
    for (size_t i = 0; series && i < series->count; i++)
        if (!isfinite(series->points.value[i]))
            return series->points.x[i];
    return -1;
}

// A value that is no number counts where golden has none at all.
static void note_nonfinite(StudyFacts *facts, const CurveComparison *loss)
{
    static const char *const names[] = {"loss", "grad_norm"};
    for (size_t i = 0; i < sizeof names / sizeof *names && facts->nonfinite_step < 0; i++)
        if (first_nonfinite(loss->golden, names[i]) < 0)
            facts->nonfinite_step = first_nonfinite(loss->target, names[i]);
}

static int64_t first_event(const Run *run, EventKind kind)
{
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.items[i].kind == kind)
            return run->events.items[i].step;
    return -1;
}

static void note_overflow(StudyFacts *facts, const CurveComparison *loss)
{
    static const EventKind kinds[] = {EVENT_NAN, EVENT_OVERFLOW};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && facts->overflow_step < 0; i++)
        if (first_event(loss->golden, kinds[i]) < 0)
            facts->overflow_step = first_event(loss->target, kinds[i]);
}

static bool near_spike(const Spikes *spikes, int64_t step)
{
    for (size_t i = 0; spikes && i < spikes->count; i++)
        if (spikes->items[i].start <= step && spikes->items[i].start + 5 >= step)
            return true;
    return false;
}

static const Spikes *spikes_of(const CurveFindings *report, const Run *run, const char *name)
{
    static const Spikes none = {0};
    const Series *series = run_series(run, name);
    const Spikes *spikes = series ? curves_spikes(report, run, series) : NULL;
    return spikes ? spikes : &none;
}

static void note_spikes(StudyFacts *facts, const CurveFindings *report, const CurveComparison *loss)
{
    const Spikes *mine = spikes_of(report, loss->target, "loss");
    if (facts->spikes)
        return;
    facts->golden_spikes = spikes_of(report, loss->golden, "loss")->count;
    facts->spikes = mine->count;
    facts->spike_peak = mine->count ? mine->items[0].peak : -1;
    facts->spike_of_norm =
        near_spike(spikes_of(report, loss->target, "grad_norm"), facts->spike_peak);
}

static void note_drift(StageWork *work, const CurveComparison *loss)
{
    const Excursion *lasting = loss->band.count ? band_lasting(&loss->band) : NULL;
    if (work->facts->has_finding && work->out->status != STAGE_FAILED)
        return;
    work->facts->has_finding = true;
    work->facts->finding = loss->finding;
    work->facts->late_mean = late_mean(loss);
    work->facts->onset = lasting ? band_onset(&loss->band) : -1;
}

// The state before a fix, where that log was given: for the sentence only.
static void add_before(StageWork *work, const CurveFindings *report)
{
    const CurveComparison *loss = loss_of(report, str_of(tr("before the fix")));
    if (!loss)
        return;
    Str text = figure_number(late_mean(loss), 2, work->arena);
    work->out->number =
        str_printf(work->arena, tr(STR_FMT "; before the fix %s" STR_FMT " at the end"),
                   STR_ARG(work->out->number), late_mean(loss) > 0 ? "+" : "", STR_ARG(text));
}

void study_read_curves(StageWork *work, const Product *product)
{
    const CurvesSummary *found = product->facts;
    const CurveFindings *report = found->report;
    const CurveComparison *loss = loss_of(report, work->plan->names[1]);
    if (!loss) {
        stage_give_up(work, true, str_of(tr("the logs have no loss on common steps")));
        return;
    }
    work->out->status = loss->beyond ? STAGE_FAILED : STAGE_PASSED;
    work->out->number = loss_number(loss, work->arena);
    note_drift(work, loss);
    note_nonfinite(work->facts, loss);
    note_overflow(work->facts, loss);
    note_spikes(work->facts, report, loss);
    add_before(work, report);
}

void study_read_rate_zero(StageWork *work, const Product *product)
{
    const CurvesSummary *found = product->facts;
    const CurveFindings *report = found->report;
    Arena *arena = work->arena;
    const CurveComparison *loss = loss_of(report, work->plan->names[1]);
    double norm = NAN;
    for (size_t i = 0; i < report->count; i++)
        if (str_equal(report->items[i].series, STR("grad_norm")))
            norm = report->items[i].stats.mae;
    if (!loss) {
        stage_give_up(work, true, str_of(tr("the logs have no loss on common steps")));
        return;
    }
    Str mean = figure_number(loss->stats.mae, 2, arena);
    StrBuf text = strbuf_new(arena);
    strbuf_printf(&text, tr("mean loss difference " STR_FMT), STR_ARG(mean));
    if (!isnan(norm)) {
        Str norm_text = figure_number(norm, 2, arena);
        strbuf_printf(&text, tr(", of the norm " STR_FMT), STR_ARG(norm_text));
    }
    if (loss->outlier_count)
        strbuf_printf(&text, tr("; steps that stand out: %d, first %lld (look at that batch)"),
                      (int)loss->outlier_count, (long long)loss->outliers[0]);
    work->out->number = strbuf_str(&text);
}

// ---- dumps

void study_read_compare(StageWork *work)
{
    number_from_verdict(work);
    if (work->out->status == STAGE_FAILED) {
        work->facts->divergence = work->out->verdict.sentence;
        work->facts->divergence_place = work->out->verdict.place;
    }
}

void study_read_locate(StageWork *work, const Product *target)
{
    const LocateView *found = target->facts;
    const Origin *origin = &found->result->origins[0];
    work->facts->nan_origin = str_copy(work->arena, target->verdict.sentence);
    work->facts->nan_place = str_copy(work->arena, origin->sighting->op);
    work->facts->nan_step = origin->step;
    work->out->number =
        str_printf(work->arena, tr(STR_FMT "; " STR_FMT), STR_ARG(sentence_open(work->out->number)),
                   STR_ARG(work->facts->nan_origin));
}

void study_read_check(StageWork *work, const Product *product)
{
    const CheckView *view = product->facts;
    number_from_verdict(work);
    if (view->results->states[LAW_BROKEN] == 0)
        return;
    work->facts->broken = str_copy(work->arena, sentence_open(view->verdict.reason));
}

// ---- monitor, skip, health

void study_read_monitor(StageWork *work, const Product *product)
{
    const MonitorSummary *found = product->facts;
    const MonitorViews *views = found->views;
    const Alarm *told = NULL;
    size_t others = 0;
    for (size_t i = 0; i < views->count; i++) {
        const Alarms *alarms = &views->items[i].alarms;
        if (!str_equal(views->items[i].run.name, work->plan->names[1]))
            others += alarms->count;
        else if (!told)
            told = alarms_gravest(alarms);
    }
    number_from_verdict(work);
    if (work->out->status == STAGE_FAILED && !told && others)
        work->out->status = STAGE_PASSED;  // only golden has alarms
    if (told && work->out->status == STAGE_FAILED) {
        work->facts->alarm = work->out->number;
        work->facts->alarm_step = told->step;
        work->facts->alarm_is_nan = alarm_is_broken(told);
    }
}

void study_read_skip(StageWork *work, const Product *product)
{
    const AdviseSummary *found = product->facts;
    number_from_verdict(work);
    work->out->status = found->skip->result.aborts ? STAGE_FAILED : STAGE_PASSED;
}

void study_read_health(StageWork *work, const Product *product)
{
    (void)product;
    number_from_verdict(work);
}
