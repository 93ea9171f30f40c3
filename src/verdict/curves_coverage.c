// SPDX-License-Identifier: Apache-2.0
#include "verdict/curves_coverage.h"

#include "base/words.h"
#include "trend/curves/curve_coverage.h"
#include "verdict/curves_verdict.h"

// A sentence that needs no figure, or none but the name of the series.
static const char *plain_text(CoverageRule rule)
{
    static const char *const texts[COVERAGE_RULE_COUNT] = {
        [COVERAGE_TARGET_WITHOUT_LOSS] = TR("golden has a loss, this run has none"),
        [COVERAGE_GOLDEN_WITHOUT_LOSS] = TR("golden has no loss to compare with"),
        [COVERAGE_NO_COMMON_LOSS] = TR("no step at which both have a loss"),
        [COVERAGE_NOISE_NOT_FINITE] =
            TR("most losses of this noise run are NaN or Inf: it is left out"),
    };
    return texts[rule];
}

// Of steps that were not compared.
static Str steps_text(const CoverageNote *note, const char *name, Arena *arena)
{
    switch (note->rule) {
    case COVERAGE_BOTH_NAN:
        return str_printf(arena,
                          tr_count(note->count,
                                   "%s is NaN on both sides at %zu step, step %lld: nothing is "
                                   "compared there",
                                   "%s is NaN on both sides at %zu steps, first at step %lld: "
                                   "nothing is compared there"),
                          name, note->count, (long long)note->step);
    case COVERAGE_ALL_NAN:
        return str_printf(arena, tr("%s is NaN at each of its %zu steps"), name, note->count);
    case COVERAGE_HOLES:
        return str_printf(arena,
                          tr("%s is compared at %zu of %zu steps: one run does not have the "
                             "others, first after step %lld"),
                          name, note->count, note->of, (long long)note->step);
    case COVERAGE_ENDS_EARLY:
        return str_printf(arena,
                          tr("%s is compared at %zu of %zu steps, up to step %lld: one run ends "
                             "early or prints no value"),
                          name, note->count, note->of, (long long)note->step);
    case COVERAGE_OTHER_STEPS:
        return str_printf(arena,
                          tr("%s is compared at %zu of %zu steps: the runs print it at others"),
                          name, note->count, note->of);
    case COVERAGE_ENDS_BEFORE:
        return str_printf(arena, tr("%s ends at step %lld in one run, at step %lld in the other"),
                          name, (long long)note->step, (long long)note->other);
    case COVERAGE_STARTS_LATE:
        return str_printf(arena,
                          tr("%s begins at step %lld, the other run's at step %lld: nothing is "
                             "compared before"),
                          name, (long long)note->step, (long long)note->other);
    default:
        return str_printf(arena,
                          tr_count(note->count, "%s is missing at %zu step, step %lld",
                                   "%s is missing at %zu steps, first at step %lld"),
                          name, note->count, (long long)note->step);
    }
}

// Of what differs next to what decides.
static Str beside_text(const CoverageNote *note, const char *name, Arena *arena)
{
    switch (note->rule) {
    case COVERAGE_NO_LOSS:
        return str_printf(arena, tr("no loss is compared; the verdict is that of %s alone"), name);
    case COVERAGE_NO_KNOWN_LOSS:
        return str_printf(arena,
                          tr("no loss is compared; the verdict is that of %s alone; if that is the "
                             "loss, --loss %s says so"),
                          name, name);
    case COVERAGE_NOISE_UNSURE:
        return str_printf(arena,
                          tr("%s ends beyond the tolerance, and the noise runs do not show whether "
                             "that is noise: give more of them"),
                          name);
    case COVERAGE_END_DIFFERS:
        return str_printf(arena,
                          tr_count(note->count,
                                   STR_FMT " differs by %.3g (%.3g %%) on average over the "
                                           "last %zu common step; the verdict is that of the loss",
                                   STR_FMT " differs by %.3g (%.3g %%) on average over the "
                                           "last %zu common steps; the verdict is that of the "
                                           "loss"),
                          STR_ARG(note->series), note->first, 100 * note->second, note->count);
    case COVERAGE_DIFFERS:
        return str_printf(arena,
                          tr("%s differs by %.3g on average, at most by %.3g at step %lld; the "
                             "verdict is that of the loss"),
                          name, note->first, note->second, (long long)note->step);
    case COVERAGE_ONE_RUN_ONLY:
        return str_printf(arena, tr("%s is in one run only and not compared"), name);
    default:
        return str_printf(arena,
                          tr_count(note->count, "the log says %s at %zu step, golden's at %zu",
                                   "the log says %s at %zu steps, golden's at %zu"),
                          curves_event_word(note->event), note->count, note->of);
    }
}

// Of noise runs that judge nothing, or not all.
static Str noise_text(const CoverageNote *note, Arena *arena)
{
    switch (note->rule) {
    case COVERAGE_NOISE_OTHER:
        return str_printf(arena,
                          tr("this noise run ends %.3g %% off golden: it is a run of another "
                             "configuration and left out"),
                          100 * note->first);
    case COVERAGE_NOISE_SHORTER:
        return str_printf(arena,
                          tr("this noise run has %zu of the %zu steps that are compared, others "
                             "have more: it is left out"),
                          note->count, note->of);
    case COVERAGE_NOISE_FEW_STEPS:
        return str_printf(arena,
                          tr("this noise run has too few of the %zu steps at which golden and "
                             "the target have a loss: it is left out"),
                          note->of);
    default:
        return str_printf(arena,
                          tr_count(note->count,
                                   "the noise runs do not have %zu of the steps that are compared: "
                                   "the tolerance judges it",
                                   "the noise runs do not have %zu of the steps that are compared: "
                                   "the tolerance judges these"),
                          note->count);
    }
}

static Str text_of(const CoverageNote *note, Arena *arena)
{
    const char *name = str_cstr(arena, note->series), *plain = plain_text(note->rule);
    if (plain)
        return str_of(tr(plain));
    if (note->rule >= COVERAGE_NOISE_OTHER && note->rule <= COVERAGE_NOISE_UNCOVERED)
        return noise_text(note, arena);
    if (note->rule >= COVERAGE_BOTH_NAN && note->rule <= COVERAGE_MISSING)
        return steps_text(note, name, arena);
    return beside_text(note, name, arena);
}

void curves_coverage_tell(const CurveFindings *report, bool loss_chosen, Arena *arena,
                          Notices *notices)
{
    CoverageNotes found;
    curve_coverage_find(report, loss_chosen, arena, &found);
    for (size_t i = 0; i < found.count; i++) {
        const CoverageNote *note = &found.items[i];
        Str text = text_of(note, arena);
        NoticeLevel level = note->grade == COVERAGE_UNMET ? NOTICE_UNMET : NOTICE_WARNING;
        if (note->grade == COVERAGE_PARTIAL)
            notices_partial(notices, WHERE_FILE(note->file), STR_FMT, STR_ARG(text));
        else
            notices_add(notices, level, WHERE_FILE(note->file), STR_FMT, STR_ARG(text));
    }
}
