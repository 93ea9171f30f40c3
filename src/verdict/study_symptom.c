// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/words.h"
#include "verdict/figure_text.h"
#include "verdict/study_view.h"

// The kinds are tried in the order of the list below: the earliest evidence wins, because what
// comes later may follow from it.

void study_facts_init(StudyFacts *facts)
{
    *facts = (StudyFacts){.step_one = NAN,
                          .step_two = NAN,
                          .worst_weight_error = NAN,
                          .onset = -1,
                          .late_mean = NAN,
                          .nonfinite_step = -1,
                          .overflow_step = -1,
                          .spike_peak = -1,
                          .nan_step = -1,
                          .alarm_step = -1};
}

static bool failed(const StageResult *stages, StudyStage stage)
{
    return stages[stage].status == STAGE_FAILED;
}

// What the checklist and the invariants found goes next to every other guess, as a lead, not as a
// cause.
static Str with_settings(const StudyFacts *facts, Str place, Arena *arena)
{
    if (facts->decay.size)
        place = str_printf(arena, tr(STR_FMT "; and in the long run: " STR_FMT), STR_ARG(place),
                           STR_ARG(facts->decay));
    if (facts->broken.size)
        place = str_printf(arena, tr(STR_FMT "; in the target alone: " STR_FMT), STR_ARG(place),
                           STR_ARG(facts->broken));
    if (facts->settings.size == 0)
        return place;
    return str_printf(arena, tr(STR_FMT "; first make these settings equal: " STR_FMT),
                      STR_ARG(place), STR_ARG(facts->settings));
}

// Log steps count from 1, dump steps from 0.
static void dump_at(Symptom *out, int64_t log_step, const char *what, Arena *arena)
{
    out->dump_step = log_step > 1 ? log_step - 1 : 0;
    out->dump = str_printf(arena, tr("dump step %lld (log step %lld): %s"),
                           (long long)out->dump_step, (long long)out->dump_step + 1, what);
}

static bool is_overflow(const StageResult *stages, const StudyFacts *facts, Arena *arena,
                        Symptom *out)
{
    (void)stages;
    int64_t log_step = facts->nonfinite_step >= 0 ? facts->nonfinite_step : facts->overflow_step;
    if (facts->nan_origin.size) {
        out->evidence = facts->nan_origin;
        out->place = facts->nan_place;
        out->dump_step = facts->nan_step;
        out->dump =
            str_printf(arena, tr("dump step %lld with tensors: the inputs of that operator"),
                       (long long)facts->nan_step);
        out->certainty = str_of(tr("certain as far as the dump reaches: it was seen there"));
    } else if (log_step >= 0) {
        out->evidence =
            facts->nonfinite_step >= 0
                ? str_printf(arena,
                             tr("the target's loss or norm is no number at log step %lld, "
                                "golden's is"),
                             (long long)log_step)
                : str_printf(
                      arena,
                      tr("the target's log reports an overflow at step %lld, golden's does not"),
                      (long long)log_step);
        dump_at(out, log_step, tr("statistics, level mix, all ranks; then vernier locate"), arena);
        out->place = str_of(tr("the operator that vernier locate names in that dump"));
        out->certainty = str_of(tr("seen in the log; the place is not known yet"));
    } else if (facts->alarm_is_nan) {
        out->evidence = facts->alarm;
        out->dump_step = facts->alarm_step;
        out->dump = str_printf(arena, tr("dump step %lld: statistics, level mix, all ranks"),
                               (long long)facts->alarm_step);
        out->place = str_of(tr("the layer of the alarm, and what runs before it"));
        out->certainty = str_of(tr("seen by the monitor, which watches weights and modules only"));
    } else {
        return false;
    }
    out->name = str_of(tr("overflow or NaN"));
    return true;
}

static Str step_evidence(int step, double difference, Arena *arena)
{
    Str number = figure_number(difference, 3, arena);
    return str_printf(arena, tr("the losses of step %d differ by " STR_FMT), step, STR_ARG(number));
}

static Str norm_evidence(const StudyFacts *facts, Arena *arena)
{
    Str percent = figure_number(100 * facts->worst_weight_error, 2, arena);
    return str_printf(arena, tr("the gradient norm of " STR_FMT " is off by " STR_FMT " %%"),
                      STR_ARG(facts->worst_weight), STR_ARG(percent));
}

// The decision table of the guide: what is off first says where to look.
static bool is_first_step(const StageResult *stages, const StudyFacts *facts, Arena *arena,
                          Symptom *out)
{
    bool norms = failed(stages, STAGE_LOCAL_NORMS);
    if (failed(stages, STAGE_STEP_ONE)) {
        out->evidence = step_evidence(1, facts->step_one, arena);
        dump_at(out, 1, tr("forward, statistics, level mix"), arena);
        out->place = str_of(tr("the forward computation: structure, precision, operators"));
    } else if (norms) {
        out->evidence = norm_evidence(facts, arena);
        dump_at(out, 1, tr("backward, statistics, level mix"), arena);
        out->place = facts->norms_reading.size ? facts->norms_reading : facts->worst_weight;
    } else if (failed(stages, STAGE_STEP_TWO)) {
        out->evidence = step_evidence(2, facts->step_two, arena);
        dump_at(out, 1, tr("gradients and weights after the update"), arena);
        out->place =
            stages[STAGE_LOCAL_NORMS].status == STAGE_PASSED
                ? str_of(tr("the optimizer or the learning rate: forward and backward of "
                            "step 1 agree"))
                : str_of(tr("the backward pass or the optimizer: local norms would show which"));
    } else if (failed(stages, STAGE_DUMPS) && facts->divergence.size) {
        out->evidence = facts->divergence;
        out->place = facts->divergence_place;
    } else {
        return false;
    }
    if (facts->divergence_place.size) {
        out->place = facts->divergence_place;
        out->certainty = str_of(tr("the dumps show where the runs diverge first"));
        out->dump_step = -1;
        out->dump = str_of(tr("no further dump: see the stage layer by layer"));
    } else {
        out->certainty = str_of(tr("likely: no dump of that step has been compared yet"));
    }
    out->place = with_settings(facts, out->place, arena);
    out->name = str_of(tr("first-step difference"));
    return true;
}

// Single spikes come by chance, to golden too (chosen): fewer name a symptom that golden shares.
enum { SPIKES_LEAST = 3, SPIKES_TIMES = 2 };

static bool is_spiky(const StageResult *stages, const StudyFacts *facts, Arena *arena, Symptom *out)
{
    (void)stages;
    if (facts->spikes < SPIKES_LEAST || facts->spikes <= SPIKES_TIMES * facts->golden_spikes)
        return false;
    out->name = str_of(tr("spikes"));
    out->evidence = str_printf(arena,
                               tr_count(facts->spikes, "%zu spike in the target, %zu in golden",
                                        "%zu spikes in the target, %zu in golden"),
                               facts->spikes, facts->golden_spikes);
    dump_at(out, facts->spike_peak,
            facts->spike_of_norm
                ? tr("backward, statistics: the norm jumps first")
                : tr("forward, statistics, and the backward pass of the step before"),
            arena);
    out->place = with_settings(facts,
                               str_of(facts->spike_of_norm
                                          ? tr("the gradients or the update of that step")
                                          : tr("activations, data or weights of that step")),
                               arena);
    out->certainty = str_of(tr("possible: inferred from the curves only"));
    return true;
}

static bool is_drift(const StageResult *stages, const StudyFacts *facts, Arena *arena, Symptom *out)
{
    if (!failed(stages, STAGE_LONG_RUN) && !failed(stages, STAGE_NOISE))
        return false;
    bool offset = facts->finding == FINDING_OFFSET, growing = facts->finding == FINDING_DIVERGING;
    Str late = figure_number(facts->late_mean, 3, arena);
    out->name = str_of(tr("long-run drift"));
    out->evidence = str_printf(
        arena,
        offset    ? tr("a stable offset; mean difference of the last 20 %%: " STR_FMT)
        : growing ? tr("a growing difference; mean of the last 20 %%: " STR_FMT)
                  : tr("a difference beyond tolerance; mean of the last 20 %%: " STR_FMT),
        STR_ARG(late));
    if (facts->onset > 0)
        dump_at(out, facts->onset, tr("statistics, level mix; the two steps before and after it"),
                arena);
    else
        out->dump = str_of(tr("none yet: repeat step 1, local norms and learning rate 0 first"));
    out->place = with_settings(
        facts,
        str_of(growing ? tr("the data of these steps, overflow near them, then the update")
                       : tr("optimizer parameters, learning rate, which weights decay, precision")),
        arena);
    out->certainty = str_of(tr("possible: inferred from the curves only"));
    return true;
}

static size_t count_of(const StageResult *stages, StageStatus status)
{
    size_t count = 0;
    for (int i = 0; i < STAGE_COUNT; i++)
        count += stages[i].status == status;
    return count;
}

// Enough to say that nothing is wrong: the curves were compared, or the dumps.
static bool has_evidence(const StageResult *stages)
{
    return stages[STAGE_STEP_ONE].status == STAGE_PASSED ||
           stages[STAGE_LONG_RUN].status == STAGE_PASSED ||
           stages[STAGE_NOISE].status == STAGE_PASSED || stages[STAGE_DUMPS].status == STAGE_PASSED;
}

static void no_symptom(const StageResult *stages, const StudyFacts *facts, Arena *arena,
                       Symptom *out)
{
    size_t wrong = count_of(stages, STAGE_FAILED);
    if (wrong) {
        out->kind = SYMPTOM_OTHER;
        out->name = str_of(tr("none in the curves"));
        out->evidence = str_printf(arena,
                                   tr_count(wrong, "%zu stage fails, but no loss or dump shows it",
                                            "%zu stages fail, but no loss or dump shows it"),
                                   wrong);
        out->place = facts->settings.size || facts->broken.size
                         ? with_settings(facts, str_of(tr("the stages that fail")), arena)
                         : str_of(tr("the stages that fail"));
        out->certainty = str_of(tr("open: what has not been done may still show one"));
    } else if (has_evidence(stages)) {
        out->kind = SYMPTOM_NONE;
        out->name = str_of(tr("none"));
        out->evidence = str_of(tr("every stage that was done passed"));
        out->certainty = str_of(tr("as far as the stages go that were done"));
    } else {
        out->kind = SYMPTOM_UNKNOWN;
        out->name = str_of(tr("not known"));
        out->evidence = str_of(tr("neither a loss nor a dump of both runs was given"));
        out->certainty = str_of(tr("nothing to judge by yet"));
    }
}

static Str add_later(Str also, const Symptom *later, Arena *arena)
{
    Str text =
        str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(later->name), STR_ARG(later->evidence));
    return also.size ? str_printf(arena, tr(STR_FMT "; " STR_FMT), STR_ARG(also), STR_ARG(text))
                     : text;
}

void study_symptom(const StageResult *stages, const StudyFacts *facts, Arena *arena, Symptom *out)
{
    static const struct {
        SymptomKind kind;
        bool (*shows)(const StageResult *stages, const StudyFacts *facts, Arena *arena,
                      Symptom *out);
    } kinds[] = {
        {SYMPTOM_OVERFLOW, is_overflow},
        {SYMPTOM_FIRST_STEP, is_first_step},
        {SYMPTOM_SPIKES, is_spiky},
        {SYMPTOM_DRIFT, is_drift},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *out = (Symptom){.kind = kinds[i].kind, .dump_step = -1};
        if (!kinds[i].shows(stages, facts, arena, out))
            continue;
        for (size_t k = i + 1; k < sizeof kinds / sizeof *kinds; k++) {
            Symptom later = {.dump_step = -1};
            if (kinds[k].shows(stages, facts, arena, &later))
                out->also = add_later(out->also, &later, arena);
        }
        return;
    }
    *out = (Symptom){.dump_step = -1};
    no_symptom(stages, facts, arena, out);
}
