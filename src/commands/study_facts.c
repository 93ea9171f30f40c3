// SPDX-License-Identifier: Apache-2.0
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "commands/study_stages.h"
#include "layout/figure_text.h"

// The summaries of the commands are their stable interface: what the ladder shows is read from them,
// so that a study says the same as the command alone.

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static Str text_of(const cJSON *object, const char *key, Arena *arena)
{
    const cJSON *value = member(object, key);
    return cJSON_IsString(value) ? str_copy(arena, str_of(value->valuestring)) : (Str){"", 0};
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *value = member(object, key);
    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

static int64_t step_of(const cJSON *object, const char *key)
{
    double number = number_of(object, key);
    return number >= 0 && number < 9e15 ? (int64_t)number : -1;
}

// The verdict without its word and what stands in front of it.
static Str verdict_words(const Verdict *verdict)
{
    size_t at = verdict->word.size ? str_find(verdict->sentence, verdict->word, 0) : SIZE_MAX;
    if (at == SIZE_MAX)
        return str_trim(verdict->sentence);
    return str_trim(str_slice(verdict->sentence, at + verdict->word.size, verdict->sentence.size));
}

static void number_from_verdict(StageWork *work)
{
    const Verdict *verdict = &work->out->verdict;
    work->out->number = str_printf(work->arena, STR_FMT " " STR_FMT, STR_ARG(verdict->word),
                                   STR_ARG(verdict_words(verdict)));
}

// ---- checklist

static Str list_keys(const cJSON *list, size_t most, Arena *arena)
{
    StrBuf names;
    strbuf_init(&names, arena);
    size_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (count == most) {
            strbuf_add(&names, STR(", …"));
            break;
        }
        Str key = text_of(item, "key", arena);
        strbuf_printf(&names, "%s" STR_FMT, count++ ? ", " : "", STR_ARG(key));
    }
    return strbuf_str(&names);
}

void study_read_checklist(StageWork *work, const Collector *collector)
{
    cJSON *root = collector_parse(collector);
    const cJSON *mismatch = member(root, "mismatch");
    int differ = cJSON_GetArraySize(mismatch);
    int advice = cJSON_GetArraySize(member(root, "advice"));
    Str keys = list_keys(mismatch, 8, work->arena);
    if (differ) {
        work->facts->settings = keys;
        work->out->number = str_printf(work->arena,
                                       tr_count((uint64_t)differ, "%d setting differs: " STR_FMT,
                                                "%d settings differ: " STR_FMT),
                                       differ, STR_ARG(keys));
    } else {
        work->out->number = str_printf(work->arena,
                                       tr_count((uint64_t)step_of(root, "equal"),
                                                "%lld setting agrees", "%lld settings agree"),
                                       (long long)step_of(root, "equal"));
    }
    if (advice)
        work->out->number = str_printf(work->arena, tr(STR_FMT "; %d advised otherwise"),
                                       STR_ARG(work->out->number), advice);
    cJSON_Delete(root);
}

void study_read_weights(StageWork *work, const Collector *collector)
{
    (void)collector;
    number_from_verdict(work);
}

// ---- curves

static Finding finding_of(Str text)
{
    for (int i = FINDING_WITHIN; i <= FINDING_CANNOT_TELL; i++)
        if (str_equal(text, str_of(finding_text((Finding)i))))
            return (Finding)i;
    return FINDING_CANNOT_TELL;
}

static const char *finding_words(const cJSON *comparison, Finding finding, bool band)
{
    bool beyond = cJSON_IsTrue(member(comparison, "beyond_tolerance"));
    switch (finding) {
    case FINDING_WITHIN:
        return band ? tr("within the noise of golden") : tr("equal as far as printed");
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
    return beyond ? tr("beyond tolerance") : tr("no lasting difference");
}

static const cJSON *loss_of(const cJSON *root, Str target)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, member(root, "comparisons")) {
        const cJSON *series = member(item, "series"), *name = member(item, "target");
        if (cJSON_IsString(series) && strcmp(series->valuestring, "loss") == 0 &&
            cJSON_IsString(name) && str_equal(str_of(name->valuestring), target))
            return item;
    }
    return NULL;
}

static const cJSON *last_fifth(const cJSON *comparison)
{
    return member(member(comparison, "phases"), "last_20_percent");
}

static Str loss_number(const cJSON *loss, Arena *arena)
{
    const cJSON *band = member(loss, "band");
    Finding finding = finding_of(text_of(loss, "finding", arena));
    double late = number_of(last_fifth(loss), "signed_mean");
    Str mean = figure_number(number_of(loss, "mae"), 2, arena);
    Str percent = figure_number(100 * number_of(loss, "mean_relative"), 2, arena);
    Str largest = figure_number(number_of(loss, "max_abs"), 2, arena);
    Str end = figure_number(late, 2, arena);
    Str points =
        figure_count((uint64_t)(step_of(loss, "points") + (step_of(loss, "points") < 0)), arena);
    Str text =
        str_printf(arena,
                   tr("%s: loss %s" STR_FMT " in the last 20 %%; mean difference " STR_FMT
                      " (" STR_FMT " %%), largest " STR_FMT " at step %lld, " STR_FMT " points"),
                   finding_words(loss, finding, band != NULL), late > 0 ? "+" : "", STR_ARG(end),
                   STR_ARG(mean), STR_ARG(percent), STR_ARG(largest),
                   (long long)step_of(loss, "max_at"), STR_ARG(points));
    if (!band)
        return text;
    Str inside = figure_number(100 * number_of(band, "inside_3_sigma_share"), 3, arena);
    Str ratio = figure_number(number_of(band, "rms_ratio"), 2, arena);
    return str_printf(arena,
                      tr(STR_FMT "; " STR_FMT " %% within 3 sigma, " STR_FMT " times the noise"),
                      STR_ARG(text), STR_ARG(inside), STR_ARG(ratio));
}

static const cJSON *run_with_role(const cJSON *root, const char *role, Str name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, member(root, "runs")) {
        const cJSON *value = member(item, "role"), *called = member(item, "name");
        if (cJSON_IsString(value) && strcmp(value->valuestring, role) == 0 &&
            (name.size == 0 ||
             (cJSON_IsString(called) && str_equal(str_of(called->valuestring), name))))
            return item;
    }
    return NULL;
}

static const cJSON *series_of(const cJSON *run, const char *name)
{
    return member(member(run, "series"), name);
}

static int64_t first_of_list(const cJSON *list)
{
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    return cJSON_IsNumber(first) ? (int64_t)first->valuedouble : -1;
}

// A value that is no number counts where golden has none at all.
static void note_nonfinite(StageWork *work, const cJSON *golden, const cJSON *target)
{
    static const char *const names[] = {"loss", "grad_norm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cJSON *mine = member(series_of(target, names[i]), "nonfinite");
        const cJSON *other = member(series_of(golden, names[i]), "nonfinite");
        if (cJSON_GetArraySize(mine) > 0 && cJSON_GetArraySize(other) == 0 &&
            work->facts->nonfinite_step < 0)
            work->facts->nonfinite_step = first_of_list(mine);
    }
}

static int64_t first_event(const cJSON *run, const char *kind)
{
    const cJSON *event;
    cJSON_ArrayForEach(event, member(run, "events")) {
        const cJSON *value = member(event, "kind");
        if (cJSON_IsString(value) && strcmp(value->valuestring, kind) == 0)
            return step_of(event, "step");
    }
    return -1;
}

static void note_overflow(StageWork *work, const cJSON *golden, const cJSON *target)
{
    static const char *const kinds[] = {"nan", "overflow"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int64_t step = first_event(target, kinds[i]);
        if (step >= 0 && first_event(golden, kinds[i]) < 0 && work->facts->overflow_step < 0)
            work->facts->overflow_step = step;
    }
}

static bool near_spike(const cJSON *spikes, int64_t step)
{
    const cJSON *spike;
    cJSON_ArrayForEach(spike, spikes) {
        int64_t start = step_of(spike, "start");
        if (start <= step && start + 5 >= step)
            return true;
    }
    return false;
}

static void note_spikes(StageWork *work, const cJSON *golden, const cJSON *target)
{
    const cJSON *mine = member(series_of(target, "loss"), "spikes"), *spike;
    int64_t peak = -1;
    if (work->facts->spikes)
        return;
    work->facts->golden_spikes =
        (size_t)cJSON_GetArraySize(member(series_of(golden, "loss"), "spikes"));
    cJSON_ArrayForEach(spike, mine) {
        work->facts->spikes++;
        if (peak < 0)
            peak = step_of(spike, "peak");
    }
    work->facts->spike_peak = peak;
    work->facts->spike_of_norm = near_spike(member(series_of(target, "grad_norm"), "spikes"), peak);
}

static void note_drift(StageWork *work, const cJSON *loss)
{
    const cJSON *band = member(loss, "band");
    if (work->facts->has_finding && work->out->status != STAGE_FAILED)
        return;
    work->facts->has_finding = true;
    work->facts->finding = finding_of(text_of(loss, "finding", work->arena));
    work->facts->late_mean = number_of(last_fifth(loss), "signed_mean");
    work->facts->onset = step_of(band ? band : member(loss, "tolerance"), "onset_estimate");
}

// The state before a fix, where that log was given: for the sentence only.
static void add_before(StageWork *work, const cJSON *root)
{
    const cJSON *loss = loss_of(root, str_of(tr("before the fix")));
    if (!loss)
        return;
    double late = number_of(last_fifth(loss), "signed_mean");
    Str text = figure_number(late, 2, work->arena);
    work->out->number =
        str_printf(work->arena, tr(STR_FMT "; before the fix %s" STR_FMT " at the end"),
                   STR_ARG(work->out->number), late > 0 ? "+" : "", STR_ARG(text));
}

void study_read_curves(StageWork *work, const Collector *collector)
{
    cJSON *root = collector_parse(collector);
    const cJSON *loss = loss_of(root, work->plan->names[1]);
    const cJSON *golden = run_with_role(root, "golden", STR(""));
    const cJSON *target = run_with_role(root, "target", work->plan->names[1]);
    if (loss) {
        bool beyond = cJSON_IsTrue(member(loss, "beyond_tolerance"));
        work->out->status = beyond ? STAGE_FAILED : STAGE_PASSED;
        work->out->number = loss_number(loss, work->arena);
        note_drift(work, loss);
        note_nonfinite(work, golden, target);
        note_overflow(work, golden, target);
        note_spikes(work, golden, target);
        add_before(work, root);
    } else {
        stage_give_up(work, true, str_of(tr("the logs have no loss on common steps")));
    }
    cJSON_Delete(root);
}

void study_read_rate_zero(StageWork *work, const Collector *collector)
{
    cJSON *root = collector_parse(collector);
    Arena *arena = work->arena;
    const cJSON *item, *loss = loss_of(root, work->plan->names[1]);
    double norm = NAN;
    cJSON_ArrayForEach(item, member(root, "comparisons")) {
        if (str_equal(text_of(item, "series", arena), STR("grad_norm")))
            norm = number_of(item, "mae");
    }
    if (!loss) {
        stage_give_up(work, true, str_of(tr("the logs have no loss on common steps")));
        cJSON_Delete(root);
        return;
    }
    Str mean = figure_number(number_of(loss, "mae"), 2, arena);
    int outliers = cJSON_GetArraySize(member(loss, "outliers"));
    StrBuf text;
    strbuf_init(&text, arena);
    strbuf_printf(&text, tr("mean loss difference " STR_FMT), STR_ARG(mean));
    if (!isnan(norm)) {
        Str norm_text = figure_number(norm, 2, arena);
        strbuf_printf(&text, tr(", of the norm " STR_FMT), STR_ARG(norm_text));
    }
    if (outliers)
        strbuf_printf(&text, tr("; steps that stand out: %d, first %lld (look at that batch)"),
                      outliers, (long long)first_of_list(member(loss, "outliers")));
    work->out->number = strbuf_str(&text);
    cJSON_Delete(root);
}

// ---- dumps

void study_read_compare(StageWork *work, const Collector *collector)
{
    number_from_verdict(work);
    if (work->out->status == STAGE_FAILED) {
        work->facts->divergence = collector->verdict.sentence;
        work->facts->divergence_place = collector->verdict.place;
    }
}

void study_read_locate(StageWork *work, const Collector *target, const Collector *golden)
{
    cJSON *root = collector_parse(target);
    const cJSON *origin = cJSON_GetArrayItem(member(root, "origins"), 0);
    if (target->code == 1 && golden->code != 1 && origin) {
        work->facts->nan_origin = target->verdict.sentence;
        work->facts->nan_place = text_of(origin, "op", work->arena);
        work->facts->nan_step = step_of(origin, "step");
        work->out->number =
            str_printf(work->arena, STR_FMT "; " STR_FMT, STR_ARG(work->out->number),
                       STR_ARG(target->verdict.sentence));
    }
    cJSON_Delete(root);
}

// ---- monitor, skip, health

void study_read_monitor(StageWork *work, const Collector *collector)
{
    cJSON *root = collector_parse(collector);
    Arena *arena = work->arena;
    const cJSON *alarm, *first = NULL;
    size_t count = 0, others = 0;
    cJSON_ArrayForEach(alarm, member(root, "alarms")) {
        if (!str_equal(text_of(alarm, "run", arena), work->plan->names[1])) {
            others++;
            continue;
        }
        count++;
        first = first ? first : alarm;
    }
    number_from_verdict(work);
    if (work->out->status == STAGE_FAILED && count == 0 && others)
        work->out->status = STAGE_PASSED;  // only golden has alarms
    if (first && work->out->status == STAGE_FAILED) {
        work->facts->alarm = work->out->number;
        work->facts->alarm_step = step_of(first, "step");
        work->facts->alarm_is_nan = str_equal(text_of(first, "rule", arena), STR("AnomalyNan"));
    }
    cJSON_Delete(root);
}

void study_read_skip(StageWork *work, const Collector *collector)
{
    cJSON *root = collector_parse(collector);
    const cJSON *skip = member(root, "skip");
    number_from_verdict(work);
    work->out->status = step_of(skip, "abort_at") >= 0 ? STAGE_FAILED : STAGE_PASSED;
    cJSON_Delete(root);
}

void study_read_health(StageWork *work, const Collector *collector)
{
    (void)collector;
    number_from_verdict(work);
}
