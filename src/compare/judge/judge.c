// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/judge.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "compare/flow.h"
#include "compare/judge/argument_text.h"
#include "compare/judge/fold.h"
#include "compare/judge/merged_layout.h"
#include "compare/judge/scalar_noise.h"
#include "compare/judge/stat_difference.h"
#include "read/dump/slot_content.h"

static const Metric metric_of_stat[STAT_COUNT] = {[STAT_MAX] = METRIC_MAX,
                                                  [STAT_MIN] = METRIC_MIN,
                                                  [STAT_MEAN] = METRIC_MEAN,
                                                  [STAT_NORM] = METRIC_NORM};

// For what the sums themselves round.
#define BLUR_MARGIN (1 + 1e-6)

static Str golden_text(const JudgeContext *context, NameId id)
{
    return names_text(context->golden->names, id);
}

static Str target_text(const JudgeContext *context, NameId id)
{
    return names_text(context->target->names, id);
}

static bool same_text(const JudgeContext *context, NameId golden, NameId target)
{
    return str_equal(golden_text(context, golden), target_text(context, target));
}

// Absent and null both mean that the dump does not tell.
static bool is_untold(uint8_t tag)
{
    return tag == TAG_ABSENT || tag == TAG_NULL;
}

static double step_of(const Recorded *side, const Slot *slot, Stat stat, double value)
{
    return slot->tag[stat] == TAG_REAL ? told_digits_step(side->rounding, value) : 0;
}

// How far two equal values may be apart because the writers rounded them. Of values that nothing
// computed, only where one writer rounds otherwise than the other.
static double blur_of(const JudgeContext *context, const Slot *golden, const Slot *target,
                      Stat stat, bool exact)
{
    double b, n;
    const Recorded *sides = context->recorded;
    if ((!told_digits_rounded(sides[0].rounding) && !told_digits_rounded(sides[1].rounding)) ||
        !rule_on(context->without, RULE_DIGITS))
        return 0;
    if (!slot_stat(golden, stat, &b) || !slot_stat(target, stat, &n))
        return 0;
    double golden_step = step_of(&sides[0], golden, stat, b);
    double target_step = step_of(&sides[1], target, stat, b);
    if (exact && golden_step == target_step)
        return 0;
    target_step = step_of(&sides[1], target, stat, n);
    return 0.5 * (golden_step + target_step) * BLUR_MARGIN;
}

static bool same_stat(const JudgeContext *context, const Slot *golden, const Slot *target,
                      Stat stat)
{
    double b, n;
    if (is_untold(golden->tag[stat]) || is_untold(target->tag[stat]))
        return true;
    if (golden->tag[stat] == target->tag[stat] && golden->tag[stat] != TAG_REAL) {
        bool text = golden->tag[stat] == TAG_TEXT || golden->tag[stat] == TAG_BIGINT;
        return text ? same_text(context, golden->stat[stat].text, target->stat[stat].text)
                    : golden->stat[stat].natural == target->stat[stat].natural;
    }
    if (!slot_stat(golden, stat, &b) || !slot_stat(target, stat, &n))
        return false;
    return b == n || (isnan(b) && isnan(n));
}

bool judge_agree_as_told(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double b, n, blur = blur_of(context, golden, target, (Stat)stat, true);
        if (same_stat(context, golden, target, (Stat)stat))
            continue;
        if (blur == 0 || !slot_stat(golden, (Stat)stat, &b) || !slot_stat(target, (Stat)stat, &n) ||
            !(fabs(b - n) <= blur))
            return false;
    }
    return true;
}

// Whether two tensors or scalars are equal to the bit, as far as both dumps tell.
static bool agree(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (!same_stat(context, golden, target, (Stat)stat))
            return false;
    return true;
}

// The type of an argument that is a dtype itself: "torch.dtype", "mindspore.dtype".
static bool is_dtype(Str type)
{
    return str_ends(type, STR("dtype"));
}

static const CriteriaMetric criteria_of_stat[STAT_COUNT] = {[STAT_MAX] = CRITERIA_MAX,
                                                            [STAT_MIN] = CRITERIA_MIN,
                                                            [STAT_MEAN] = CRITERIA_MEAN,
                                                            [STAT_NORM] = CRITERIA_NORM};

// The user's limit for a metric of this slot, or NULL: the floors apply.
static const CriteriaLimit *user_limit(const JudgeContext *context, const Slot *golden,
                                       CriteriaMetric metric)
{
    if (!context->criteria)
        return NULL;
    const CriteriaRule *rule =
        criteria_limit(context->criteria, metric, context->op, golden_text(context, golden->path),
                       golden_text(context, golden->dtype));
    return rule ? &rule->limits[metric] : NULL;
}

// `apart`: the difference itself.
static Status status_of_limit(double error, double apart, const CriteriaLimit *limit)
{
    if (error <= limit->pass || apart <= limit->absolute)
        return STATUS_PASS;
    return error <= limit->warning ? STATUS_WARNING : STATUS_ERROR;
}

static Status status_of_ratio(double ratio)
{
    if (ratio <= 1)
        return STATUS_PASS;
    return ratio <= JUDGE_WARNING_RATIO ? STATUS_WARNING : STATUS_ERROR;
}

// How far off the number at a place of an argument or a shape may be that varies between the noise
// runs; < 0: it does not.
static double noise_reach(const JudgeContext *context, const Slot *golden, int place)
{
    size_t slot = (size_t)(golden - context->golden->slots);
    if (!context->noise || !context->noise->reach[slot] ||
        !(context->noise->axes[slot] >> place & 1))
        return -1;
    return (double)context->noise->reach[slot][place];
}

static bool numbers_are_noise(const JudgeContext *context, const Slot *golden,
                              const double apart[TEXT_PLACES])
{
    for (int i = 0; i < TEXT_PLACES; i++)
        if (apart[i] != 0 && !(fabs(apart[i]) <= noise_reach(context, golden, i)))
            return false;
    return true;
}

// An integer that differs between noise runs too; false of any other.
static bool judge_varying(const JudgeContext *context, const Slot *golden, double difference,
                          SlotPair *out)
{
    double reach = noise_reach(context, golden, 0);
    if (reach < 0 || golden->tag[STAT_MAX] == TAG_REAL)
        return false;
    bool pass = difference <= reach;
    out->exact = false;
    out->floor = (float)(out->error * reach / difference);
    fold_judged(out, pass ? STATUS_PASS : STATUS_ERROR, pass ? REASON_NONE : REASON_ARGUMENT,
                METRIC_VALUE);
    return true;
}

static const NoiseTexts *noise_texts(const JudgeContext *context, const Slot *golden)
{
    return context->noise ? context->noise->texts[golden - context->golden->slots] : NULL;
}

// What differs in more than numbers between the runs may be what one of them has. Where each has
// its own, nothing is known of another. False of any other.
static bool judge_seen(const JudgeContext *context, const Slot *golden, const Slot *target,
                       SlotPair *out)
{
    char buffer[40];
    const NoiseTexts *texts = noise_texts(context, golden);
    bool seen = noise_texts_have(texts, argument_text(context->target, target, buffer));
    if (!seen && !(texts && texts->apart))
        return false;
    out->exact = false;
    fold_judged(out, seen ? STATUS_PASS : STATUS_NO_DATA, seen ? REASON_NONE : REASON_UNCOMPARABLE,
                METRIC_VALUE);
    return true;
}

// The same of the numbers of two texts, each held to its own place.
static bool judge_varying_text(const JudgeContext *context, const Slot *golden, Str golden_text,
                               Str target_text, SlotPair *out)
{
    double apart[TEXT_PLACES];
    if (!context->noise || !context->noise->reach[golden - context->golden->slots])
        return false;
    bool pass = text_numbers_apart(golden_text, target_text, apart) &&
                numbers_are_noise(context, golden, apart);
    out->exact = false;
    out->floor = (float)NAN;
    fold_judged(out, pass ? STATUS_PASS : STATUS_ERROR, pass ? REASON_NONE : REASON_ARGUMENT,
                METRIC_VALUE);
    return true;
}

// Two numbers that differ; out->error is how much.
static void judge_number(const JudgeContext *context, const Slot *golden, const Slot *target,
                         SlotPair *out)
{
    double b = 0, n = 0;
    slot_stat(golden, STAT_MAX, &b);
    slot_stat(target, STAT_MAX, &n);
    const CriteriaLimit *limit = user_limit(context, golden, CRITERIA_VALUE);
    double apart = stat_apart(golden, target, STAT_MAX);
    if (!limit && apart <= blur_of(context, golden, target, STAT_MAX, true)) {
        fold_judged(out, STATUS_PASS, REASON_NONE, METRIC_VALUE);
        return;
    }
    if (!limit &&
        (judge_seen(context, golden, target, out) || judge_varying(context, golden, apart, out)))
        return;
    bool real = golden->tag[STAT_MAX] == TAG_REAL && isfinite(out->error);
    bool computed = real && !limit && rule_on(context->without, RULE_COMPUTED_NUMBER);
    double floor = computed ? scalar_floor(b, n, context->run) : 0;
    floor *= fmax((double)context->factors[0][golden - context->golden->slots],
                  (double)context->factors[1][target - context->target->slots]);
    if (floor > 0)
        floor = fmax(floor, noise_reach(context, golden, 0) / fabs(b));
    Status status = limit       ? status_of_limit(out->error, apart, limit)
                    : floor > 0 ? status_of_ratio(out->error / floor)
                                : STATUS_ERROR;
    out->exact = floor == 0;
    out->floor = (float)floor;
    fold_judged(out, status, status_differs(status) ? REASON_ARGUMENT : REASON_NONE, METRIC_VALUE);
}

static void judge_argument(const JudgeContext *context, const Slot *golden, const Slot *target,
                           SlotPair *out)
{
    char golden_buffer[40], target_buffer[40];
    double b, n;
    out->exact = true;
    fold_judged(out, STATUS_SAME, REASON_NONE, METRIC_VALUE);
    out->error = 0;
    if (slot_stat(golden, STAT_MAX, &b) && slot_stat(target, STAT_MAX, &n)) {
        double apart = stat_apart(golden, target, STAT_MAX);
        if (apart == 0 || (isnan(b) && isnan(n)))
            return;
        if (merged_same_whole(context->golden, context->target, b, n)) {
            fold_judged(out, STATUS_PASS, REASON_NONE, METRIC_VALUE);
            return;
        }
        out->error = b != 0 ? fabs(apart / b) : (double)INFINITY;
        judge_number(context, golden, target, out);
        return;
    }
    Str golden_value = argument_text(context->golden, golden, golden_buffer);
    Str target_value = argument_text(context->target, target, target_buffer);
    if (argument_same(golden_value, target_value))
        return;
    if (is_dtype(golden_text(context, golden->type)) &&
        is_dtype(target_text(context, target->type)) && dtype_equal(golden_value, target_value))
        return;
    out->error = (double)NAN;
    if (judge_seen(context, golden, target, out) ||
        judge_varying_text(context, golden, golden_value, target_value, out))
        return;
    if (merged_shares_differ(context->golden, context->target) &&
        str_ends(golden_text(context, golden->type), STR("Size"))) {
        fold_judged(out, STATUS_NO_DATA, REASON_UNCOMPARABLE, METRIC_VALUE);
        return;
    }
    fold_judged(out, STATUS_ERROR, REASON_ARGUMENT, METRIC_VALUE);
}

// One side has None. A gradient or result that one run does not have is a difference; so is an
// argument. Collectives list buffers that newer dumpers blank out: nothing to compare.
static void judge_null(const JudgeContext *context, const Slot *golden, const Slot *target,
                       SlotPair *out)
{
    bool both = golden->kind == SLOT_NULL && target->kind == SLOT_NULL;
    bool input = golden->group == GROUP_INPUT || golden->group == GROUP_KWARGS;
    if (both || (context->communication && input)) {
        fold_judged(out, STATUS_NO_DATA, REASON_NONE, METRIC_NONE);
        return;
    }
    fold_judged(out, STATUS_ERROR, input ? REASON_ARGUMENT : REASON_UNMATCHED, METRIC_NONE);
    out->error = (double)NAN;
}

typedef struct StatFinding {
    Status status;
    Reason reason;
    Stat stat, judged;  // of a norm that is lost Max is judged
    double error;       // relative to the scale
    double ratio;       // to the floor
    double floor;
} StatFinding;

// See FLOOR_LATER.
static double later_room(const JudgeContext *context, Precision own)
{
    if (!context->later || context->first_change || !rule_on(context->without, RULE_LATER))
        return 1;
    return fmax(epsilon_of(own), epsilon_of(context->run)) < epsilon_of(PRECISION_F16)
               ? FLOOR_LATER
               : FLOOR_LATER_HALF;
}

// Whether an input that no recorded op gave holds float32 numbers in golden, and in the target such
// as a 16-bit type has: it was rounded there.
static bool is_rounded(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    size_t b = (size_t)(golden - context->golden->slots);
    size_t n = (size_t)(target - context->target->slots);
    return context->flows[0]->producer[b] == SLOT_NONE &&
           context->flows[1]->producer[n] == SLOT_NONE && flow_ends_are_half(target) &&
           !flow_ends_are_half(golden) &&
           dump_op_with(context->golden, (uint32_t)b)->direction == DIR_FORWARD;
}

// The coarsest type that noise of a value may come from: what both flows, or the one that shows it,
// tell of its origin, else whatever the runs have computed in before.
static Precision upstream_of(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    uint8_t b = context->flows[0]->upstream[golden - context->golden->slots];
    uint8_t n = context->flows[1]->upstream[target - context->target->slots];
    bool taken = !slot_is_result(golden) && golden->kind == SLOT_TENSOR;
    if ((context->first_change && !taken) || context->trained ||
        !rule_on(context->without, RULE_OUTSIDE))
        return context->run;
    if (b == UPSTREAM_UNKNOWN)
        b = n;
    if (b == UPSTREAM_UNKNOWN && taken && is_rounded(context, golden, target))
        return flow_precision(context->flows[0], golden);
    if (b == UPSTREAM_UNKNOWN)
        return taken && !context->first_change ? context->earlier : context->run;
    return n != UPSTREAM_UNKNOWN && epsilon_of((Precision)n) > epsilon_of((Precision)b)
               ? (Precision)n
               : (Precision)b;
}

// The coarser type and the larger cancellation of both sides, so that swapping them changes
// nothing. What cancelled is measured on each side by its own size: a value that vanished on one
// side alone was no cancellation.
static double default_floor(const JudgeContext *context, const Slot *golden, const Slot *target,
                            Stat stat, const Scales *scales)
{
    Precision own = flow_precision(context->flows[0], golden);
    Precision other = flow_precision(context->flows[1], target);
    if (other != own && epsilon_of(other) > epsilon_of(own))
        own = other;
    double golden_factor = (double)context->factors[0][golden - context->golden->slots];
    double target_factor = (double)context->factors[1][target - context->target->slots];
    if (context->first_change) {
        golden_factor = context->golden_own;
        target_factor = context->target_own;
    }
    double cancelled = larger_of(golden_factor * scales->golden, target_factor * scales->target);
    double amplification = scales->larger > 0 ? cancelled / scales->larger : 1;
    // Of equal inputs to the bit the errors of a result average out: its norm keeps to what whole
    // runs were measured to reach.
    bool halved = context->rounds_alike ||
                  (context->first_change && stat == STAT_NORM && own >= PRECISION_F16);
    double steps = (halved ? FLOOR_MEASURED : 1) * later_room(context, own);
    if (!context->first_change && own >= PRECISION_F16 && rule_on(context->without, RULE_FEW))
        steps *= fmax(floor_of_few(golden, stat, own), floor_of_few(target, stat, own));
    Precision run = upstream_of(context, golden, target);
    return floor_default(stat, own, run) * steps * amplification;
}

static double stat_floor(const JudgeContext *context, const Slot *golden, const Slot *target,
                         Stat stat, bool exact, const Scales *scales)
{
    if (exact)
        return merged_any(context->golden, context->target) ? MERGED_ROUNDING : 0;
    size_t slot = (size_t)(golden - context->golden->slots);
    if (context->noise) {
        double measured = (double)context->noise->floor[slot * STAT_COUNT + (size_t)stat];
        if (measured >= 0)
            return measured;
    }
    return default_floor(context, golden, target, stat, scales);
}

static bool both_half(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    return flow_precision(context->flows[0], golden) == PRECISION_F16 &&
           flow_precision(context->flows[1], target) == PRECISION_F16;
}

static StatFinding judge_stat(const JudgeContext *context, const Slot *golden, const Slot *target,
                              Stat stat, bool exact)
{
    if (judge_stat_equal(golden, target, (int)stat))
        return (StatFinding){.status = STATUS_SAME, .stat = stat, .judged = stat};
    StatDifference found =
        stat_difference(context->without, golden, target, stat, both_half(context, golden, target),
                        context->recorded[0].elements[golden->shape]);
    StatFinding out = {.status = STATUS_SAME, .stat = stat, .judged = found.stat};
    // Beyond 64 bits a number is its digits; beyond 2^53 whole numbers may differ though their
    // doubles do not.
    bool digits = golden->tag[stat] == TAG_BIGINT && target->tag[stat] == TAG_BIGINT;
    if (digits || (found.told && found.golden == found.target && found.apart != 0)) {
        double size = fabs(found.golden);
        if (!same_stat(context, golden, target, stat))
            out = (StatFinding){.status = STATUS_ERROR,
                                .reason = REASON_EXACT,
                                .stat = stat,
                                .judged = stat,
                                .error = size > 0 ? found.apart / size : (double)INFINITY,
                                .ratio = (double)INFINITY};
        return out;
    }
    double b = found.golden, n = found.target;
    if (!found.told) {
        out.status = STATUS_NO_DATA;
        return out;
    }
    if (found.apart == 0 || (isnan(b) && isnan(n))) {
        out.status = found.stat == stat ? STATUS_SAME : STATUS_PASS;
        return out;
    }
    if (!isfinite(b) || !isfinite(n)) {
        out.status = STATUS_ERROR;
        out.reason = REASON_NONFINITE;
        out.error = out.ratio = (double)INFINITY;
        return out;
    }
    out.error = found.error;
    Scales scales = found.scales;
    bool half = found.half;
    stat = found.stat;
    const CriteriaLimit *limit = user_limit(context, golden, criteria_of_stat[stat]);
    if (limit) {
        out.floor = limit->pass;
        out.ratio = limit->pass > 0 ? out.error / limit->pass : (double)INFINITY;
        out.status = status_of_limit(out.error, found.apart, limit);
        out.reason = REASON_STATISTIC;
        return out;
    }
    out.floor = stat_floor(context, golden, target, stat, exact, &scales);
    if (half && !exact && scales.larger > 0)
        out.floor += HALF_STEPS * FLOAT16_SMALLEST / scales.larger;
    if (scales.larger > 0)
        out.floor += blur_of(context, golden, target, stat, exact) / scales.larger;
    out.ratio = out.floor > 0 ? found.apart / scales.larger / out.floor : (double)INFINITY;
    out.status = status_of_ratio(out.ratio);
    out.reason = exact ? REASON_EXACT : REASON_STATISTIC;
    return out;
}

// The norm speaks for a slot that differs, where it does as badly as anything else; for one that
// passes, the statistic nearest to its tolerance.
static bool speaks_before(const StatFinding *a, const StatFinding *b)
{
    if (a->status != b->status)
        return a->status > b->status;
    if ((status_differs(a->status) || a->ratio == b->ratio) &&
        (a->stat == STAT_NORM) != (b->stat == STAT_NORM))
        return a->stat == STAT_NORM;
    return a->ratio > b->ratio;
}

// What is no number on one side alone, where the other side records numbers. Infinities that no
// writer counts show in Max and Min, and where one side does not have these nothing says that it
// has none.
static bool nonfinite_differs(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    Nonfinite b = nonfinite_of(context->golden, golden);
    Nonfinite n = nonfinite_of(context->target, target);
    bool counted = golden->counted || target->counted;
    if (((b ^ n) & NONFINITE_NAN) || (b != n && counted))
        return true;
    return counted &&
           nonfinite_counts_differ(context->golden, (uint32_t)(golden - context->golden->slots),
                                   context->target, (uint32_t)(target - context->target->slots));
}

static bool is_all_nan(const Slot *slot)
{
    double value;
    bool any = false;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        if (slot->tag[stat] > TAG_NULL && !(slot_stat(slot, (Stat)stat, &value) && isnan(value)))
            return false;
        any = any || slot->tag[stat] > TAG_NULL;
    }
    return any;
}

// Both sides record the same four numbers, as of most tensors.
static bool is_equal(const Slot *golden, const Slot *target)
{
    bool equal = !golden->counted && !target->counted;
    for (int stat = 0; equal && stat < STAT_COUNT; stat++)
        equal = judge_stat_equal(golden, target, stat);
    return equal;
}

static void judge_tensor(const JudgeContext *context, const Slot *golden, const Slot *target,
                         bool exact, SlotPair *out)
{
    if (is_equal(golden, target)) {
        out->norm_error = 0;
        out->beyond = 0;
        out->floor = 0;
        fold_judged(out, STATUS_SAME, REASON_NONE, METRIC_NORM);
        return;
    }
    StatFinding worst = {.status = STATUS_NO_DATA, .stat = STAT_NORM};
    bool some_told = false;
    unsigned beyond = 0;
    double most = 0;  // of the room up to the floor
    for (int stat = STAT_COUNT; stat-- > 0;) {
        StatFinding found = judge_stat(context, golden, target, (Stat)stat, exact);
        some_told = some_told || found.status != STATUS_NO_DATA;
        if (status_differs(found.status))
            beyond |= 1U << found.judged;
        context->furthest[found.judged] = larger_of(context->furthest[found.judged], found.error);
        if (stat == STAT_NORM && found.status != STATUS_NO_DATA)
            out->norm_error = found.error;
        if (speaks_before(&found, &worst))
            worst = found;
        most = larger_of(most, found.ratio);
    }
    out->beyond = beyond & 0xF;
    out->widened = context->weights_untold && !exact && !context->noise && !context->criteria &&
                   most <= 1 &&
                   most * later_room(context, flow_precision(context->flows[0], golden)) > 1;
    if (!some_told) {
        // Empty tensors have no statistics; equal shapes are all there is to say.
        fold_judged(out, STATUS_NO_DATA, REASON_NONE, METRIC_NONE);
        return;
    }
    if (worst.status == STATUS_SAME || worst.status == STATUS_NO_DATA)
        worst.status = agree(context, golden, target) ? STATUS_SAME : STATUS_PASS;
    out->error = worst.error;
    out->floor = (float)worst.floor;
    fold_judged(out, worst.status, worst.reason, metric_of_stat[worst.stat]);
    if (nonfinite_differs(context, golden, target)) {
        out->error = (double)INFINITY;
        fold_judged(out, STATUS_ERROR, REASON_NONFINITE, metric_of_stat[worst.stat]);
    } else if (is_all_nan(golden) && is_all_nan(target)) {
        fold_judged(out, STATUS_NO_DATA, REASON_UNCOMPARABLE, METRIC_NONE);
    }
}

// Those of another length are of another kind; a value of no axes stands for its own xor checksum,
// "0x3" or 0.25.
static bool checksums_are_alike(Str golden, Str target)
{
    double b, n;
    if (golden.size == target.size)
        return true;
    bool hex = str_starts(golden, STR("0x")), other = str_starts(target, STR("0x"));
    return hex == other && (hex || (number_parse(golden, &b) == golden.size &&
                                    number_parse(target, &n) == target.size));
}

static void judge_checksum(const JudgeContext *context, const Slot *golden, const Slot *target,
                           SlotPair *out)
{
    Str b = golden_text(context, recorded_checksum(&context->recorded[0], context->golden, golden));
    Str n = target_text(context, recorded_checksum(&context->recorded[1], context->target, target));
    if (b.size == 0 || n.size == 0 || !checksums_are_alike(b, n)) {
        if (out->status == STATUS_NO_DATA)
            fold_judged(out, STATUS_NO_DATA, REASON_UNCOMPARABLE, METRIC_CHECKSUM);
        return;
    }
    bool equal = str_equal_nocase(b, n);
    if (equal && out->reason == REASON_NONFINITE)
        return;
    fold_judged(out, equal ? STATUS_SAME : STATUS_ERROR, equal ? REASON_NONE : REASON_CHECKSUM,
                METRIC_CHECKSUM);
    out->error = equal ? 0 : (double)NAN;
}

static bool both_tensors(const Slot *golden, const Slot *target)
{
    return golden->kind == SLOT_TENSOR && target->kind == SLOT_TENSOR;
}

static bool is_exact(const JudgeContext *context, const Slot *golden, int source)
{
    if (source == SOURCE_PARAMETER && !context->weights_exact)
        return false;
    if (context->noise && source != SOURCE_ARGUMENT)
        return context->noise->exact[golden - context->golden->slots];
    if (source == SOURCE_PARAMETER)
        return true;
    return source == SOURCE_ARGUMENT || source == SOURCE_INDEX;
}

// Without leading axes of 1: what comes after "[" or after the last "1, ".
static Str own_axes(Str shape)
{
    shape = str_slice(shape, 1, shape.size);
    while (str_starts(shape, STR("1, ")))
        shape = str_slice(shape, 3, shape.size);
    return shape;
}

// Two writers may count the batch of one or not.
static bool is_shape_of_writer(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    return context->golden->format != context->target->format &&
           str_equal(own_axes(golden_text(context, golden->shape)),
                     own_axes(target_text(context, target->shape)));
}

// [18, 11] and [2, 9, 11].
static bool has_leading_in_one(Str fewer, Str more)
{
    size_t first = str_find_char(fewer, ',', 0);
    return first != SIZE_MAX && str_ends(more, str_slice(fewer, first, fewer.size));
}

// A gradient may come with its leading axes in one, as a product takes them.
static bool is_other_grouping(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    Str shapes[2] = {golden_text(context, golden->shape), target_text(context, target->shape)};
    uint64_t elements = context->recorded[0].elements[golden->shape];
    return str_ends(context->op, STR(".backward")) && elements &&
           elements == context->recorded[1].elements[target->shape] &&
           (has_leading_in_one(shapes[0], shapes[1]) || has_leading_in_one(shapes[1], shapes[0]));
}

// Only those axes that vary between the noise runs, and those as far as they do.
static bool shape_is_noise(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    double apart[TEXT_PLACES];
    if (noise_texts_have(noise_texts(context, golden), target_text(context, target->shape)))
        return true;
    return text_numbers_apart(golden_text(context, golden->shape),
                              target_text(context, target->shape), apart) &&
           numbers_are_noise(context, golden, apart);
}

static void judge_shape(const JudgeContext *context, const Slot *golden, const Slot *target,
                        SlotPair *out)
{
    bool passes =
        rule_on(context->without, REASON_AXES) &&
        (is_shape_of_writer(context, golden, target) || is_other_grouping(context, golden, target));
    if (!passes)
        fold_judged(out, STATUS_ERROR, REASON_SHAPE, (Metric)out->metric);
    else if (out->status == STATUS_SAME || out->status == STATUS_PASS)
        fold_judged(out, STATUS_PASS, REASON_AXES, (Metric)out->metric);
}

static bool is_ignored(const JudgeContext *context, const Slot *golden)
{
    return context->criteria &&
           criteria_ignore(context->criteria, context->op, golden_text(context, golden->path),
                           golden_text(context, golden->dtype));
}

// What one side lost of the tensor may have differed.
static void note_lost(const JudgeContext *context, const Slot *golden, const Slot *target,
                      SlotPair *out)
{
    const Dump *dumps[2] = {context->golden, context->target};
    if (!status_differs((Status)out->status) &&
        recorded_lost(&context->recorded[0], golden, &context->recorded[1], target, dumps))
        fold_accuse(out, (Status)out->status, REASON_LOST);
}

// What merged ranks hold of a tensor on both sides is not the same part of it: a share and a whole,
// the tokens of one rank and of all.
static bool is_apart(const JudgeContext *context, const Slot *golden, const Slot *target)
{
    const Dump *a = context->golden, *b = context->target;
    bool tensors = both_tensors(golden, target);
    if (context->one_rank && tensors && merged_shares_differ(a, b) &&
        !same_text(context, golden->shape, target->shape))
        return true;
    return merged_any(a, b) && ((context->one_rank && merged_batches_differ(a, b)) ||
                                merged_apart(a, golden, b, target));
}

void judge_slots(const JudgeContext *context, const Slot *golden, const Slot *target, int source,
                 SlotPair *out)
{
    out->norm_error = (double)NAN;
    out->error = 0;
    out->exact = is_exact(context, golden, source);
    out->decided = context->noise && context->noise->decided[golden - context->golden->slots];
    if (is_ignored(context, golden)) {
        fold_judged(out, STATUS_NO_DATA, REASON_IGNORED, METRIC_NONE);
        return;
    }
    if (context->communication && merged_layouts_differ(context->golden, context->target)) {
        fold_judged(out, STATUS_NO_DATA, REASON_UNCOMPARABLE,
                    METRIC_NONE);  // of one rank, among others
        return;
    }
    if (context->unsure || merged_lacking(golden, target)) {
        fold_judged(out, STATUS_NO_DATA, REASON_LOST, METRIC_NONE);
        return;
    }
    if (is_apart(context, golden, target)) {
        fold_judged(out, STATUS_NO_DATA, REASON_UNCOMPARABLE, METRIC_NONE);
        return;
    }
    if (golden->kind == SLOT_NULL || target->kind == SLOT_NULL) {
        judge_null(context, golden, target, out);
        return;
    }
    if (!both_tensors(golden, target)) {
        judge_argument(context, golden, target, out);
        return;
    }
    bool same_shape = same_text(context, golden->shape, target->shape);
    judge_tensor(context, golden, target, out->exact, out);
    if (context->mode == MODE_CHECKSUM && golden->checksum && target->checksum)
        judge_checksum(context, golden, target, out);
    const Recorded *recorded = context->recorded;
    if (!dtype_equal(golden_text(context, golden->dtype), target_text(context, target->dtype)) &&
        !recorded_lacks_dtypes(&recorded[0]) && !recorded_lacks_dtypes(&recorded[1]))
        fold_judged(out, STATUS_ERROR, REASON_DTYPE, (Metric)out->metric);
    else if (!merged_any(context->golden, context->target) && !same_shape &&
             !recorded_lacks_shapes(&recorded[0]) && !recorded_lacks_shapes(&recorded[1]) &&
             !shape_is_noise(context, golden, target))
        judge_shape(context, golden, target, out);
    note_lost(context, golden, target, out);
}

double status_precision_index(Status status)
{
    switch (status) {
    case STATUS_SAME:
    case STATUS_PASS:
        return 0;
    case STATUS_WARNING:
        return 0.5;
    case STATUS_ERROR:
        return 1;
    default:
        return (double)NAN;
    }
}
