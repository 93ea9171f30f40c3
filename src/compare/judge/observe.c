// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/observe.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "compare/judge/floor.h"
#include "compare/judge/judge.h"
#include "compare/judge/merged_layout.h"
#include "compare/match/argument_names.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// Two runs multiplied by one factor agree in it to a few float32 steps.
#define FACTOR_TOLERANCE 2e-5
// A factor this near to 1 is none: a coarse type rounds a tensor by as much.
#define FACTOR_LEAST 1e-3

typedef struct Stats {
    double value[STAT_COUNT];
    bool known[STAT_COUNT];
} Stats;

// The slot under the eye, both sides read.
typedef struct Subject {
    const Comparison *comparison;
    const OpPair *op;
    uint32_t slot;
    const Slot *golden, *target;
    Stats golden_stats, target_stats;
    const char *path;
    Arena *arena;
} Subject;

static Stats read_stats(const Slot *slot)
{
    Stats out = {0};
    for (int stat = 0; stat < STAT_COUNT; stat++)
        out.known[stat] = slot_stat(slot, (Stat)stat, &out.value[stat]);
    return out;
}

static bool has_bits(double value, int bits)
{
    int exponent;
    double scaled = ldexp(frexp(value, &exponent), bits);
    return scaled == floor(scaled);
}

bool is_bfloat16(double value)
{
    return isfinite(value) && value != 0 && has_bits(value, 8);
}

bool is_float16(double value)
{
    return isfinite(value) && value != 0 && fabs(value) <= 65504 &&
           fabs(value) >= 6.103515625e-05 && has_bits(value, 11);
}

static const Slot *side_slot(const Comparison *comparison, uint32_t slot, bool golden)
{
    const SlotPair *pair = &comparison->slots[slot];
    uint32_t index = golden ? pair->golden : pair->target;
    const Dump *dump = golden ? comparison->golden->dump : comparison->target->dump;
    return index == SLOT_NONE ? NULL : &dump->slots[index];
}

static bool is_result(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS;
}

// The deciding slot, or the worst output where an argument decides; SLOT_NONE if there is none with
// numbers on both sides.
static uint32_t subject_slot(const Comparison *comparison, const OpPair *op)
{
    const Divergence *first = &comparison->first;
    if (first->kind != DIVERGE_ARGUMENT && first->slot != SLOT_NONE)
        return first->slot;
    uint32_t worst = SLOT_NONE;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = side_slot(comparison, i, false);
        if (!slot || !is_result(slot) || slot->kind != SLOT_TENSOR)
            continue;
        if (worst == SLOT_NONE || comparison->slots[i].status > comparison->slots[worst].status)
            worst = i;
    }
    return worst;
}

static bool init_subject(const Comparison *comparison, Arena *arena, Subject *out)
{
    const OpPair *op = &comparison->ops[comparison->first.op];
    *out = (Subject){.comparison = comparison, .op = op, .arena = arena};
    out->slot = subject_slot(comparison, op);
    if (out->slot == SLOT_NONE)
        return false;
    out->golden = side_slot(comparison, out->slot, true);
    out->target = side_slot(comparison, out->slot, false);
    if (!out->golden || !out->target || out->golden->kind != SLOT_TENSOR ||
        out->target->kind != SLOT_TENSOR)
        return false;
    out->golden_stats = read_stats(out->golden);
    out->target_stats = read_stats(out->target);
    out->path = str_cstr(arena, names_text(comparison->target->dump->names, out->target->path));
    return true;
}

static const char *number(const Subject *subject, double value)
{
    char text[NUMBER_BYTES];
    number_significant(value, 3, text);
    return str_cstr(subject->arena, str_of(text));
}

static bool all_finite(const Stats *stats)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (stats->known[stat] && !isfinite(stats->value[stat]))
            return false;
    return true;
}

static bool any_nan(const Stats *stats)
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (stats->known[stat] && isnan(stats->value[stat]))
            return true;
    return false;
}

// The largest magnitude that goes into the op on the target side; infinite if something is.
static double largest_input(const Subject *subject)
{
    double largest = 0;
    for (uint32_t i = 0; i < subject->op->slot_count; i++) {
        const Slot *slot = side_slot(subject->comparison, subject->op->first_slot + i, false);
        if (!slot || is_result(slot) || slot->kind != SLOT_TENSOR)
            continue;
        Stats stats = read_stats(slot);
        if (!all_finite(&stats))
            return (double)INFINITY;
        for (int stat = STAT_MAX; stat <= STAT_MIN; stat++)
            if (stats.known[stat])
                largest = fmax(largest, fabs(stats.value[stat]));
    }
    return largest;
}

static bool inputs_equal(const Subject *subject)
{
    for (uint32_t i = 0; i < subject->op->slot_count; i++) {
        uint32_t at = subject->op->first_slot + i;
        const Slot *slot = side_slot(subject->comparison, at, false);
        Status status = (Status)subject->comparison->slots[at].status;
        if (slot && !is_result(slot) && status != STATUS_SAME && status != STATUS_NO_DATA)
            return false;
    }
    return true;
}

static bool takes_nan(const Subject *subject)
{
    for (uint32_t i = 0; i < subject->op->slot_count; i++) {
        const Slot *slot = side_slot(subject->comparison, subject->op->first_slot + i, false);
        if (!slot || is_result(slot) || slot->kind != SLOT_TENSOR)
            continue;
        Stats stats = read_stats(slot);
        if (any_nan(&stats))
            return true;
    }
    return false;
}

// Where what goes in is not finite on either side. Of an Inf an op may make a NaN, but NaN and Inf
// that go in may also come through.
static Str passed_or_born(const Subject *subject, const char *what)
{
    if (!inputs_equal(subject))
        return str_printf(subject->arena,
                          tr("%s holds %s in target only; an input holds NaN or Inf as well."),
                          subject->path, what);
    if (str_equal(str_of(what), STR("NaN")) && !takes_nan(subject))
        return str_printf(subject->arena,
                          tr("Nothing recorded of the inputs differs, %s holds %s in target only: "
                             "it starts in this op."),
                          subject->path, what);
    return str_printf(subject->arena,
                      tr("Nothing recorded of the inputs differs, one of them holds NaN or Inf on "
                         "both sides; %s holds %s in target only."),
                      subject->path, what);
}

static bool observe_nonfinite(const Subject *subject, Observation *out)
{
    if (all_finite(&subject->target_stats) == all_finite(&subject->golden_stats))
        return false;
    bool in_target = all_finite(&subject->golden_stats);
    const char *what =
        any_nan(in_target ? &subject->target_stats : &subject->golden_stats) ? "NaN" : "Inf";
    out->kind = OBSERVE_NONFINITE;
    if (!in_target) {
        out->text = str_printf(subject->arena, tr("Golden holds %s in %s, target does not."), what,
                               subject->path);
        return true;
    }
    double largest = largest_input(subject);
    if (!is_result(subject->target))
        out->text =
            str_printf(subject->arena, tr("%s holds %s before this op runs."), subject->path, what);
    else if (isfinite(largest))
        out->text = str_printf(
            subject->arena,
            tr("All inputs are finite (largest magnitude %s), %s holds %s: it starts in this op."),
            number(subject, largest), subject->path, what);
    else
        out->text = passed_or_born(subject, what);
    return true;
}

static bool is_zero(const Stats *stats)
{
    return stats->known[STAT_MAX] && stats->known[STAT_MIN] && stats->value[STAT_MAX] == 0 &&
           stats->value[STAT_MIN] == 0;
}

static bool is_constant(const Stats *stats)
{
    return stats->known[STAT_MAX] && stats->known[STAT_MIN] &&
           stats->value[STAT_MAX] == stats->value[STAT_MIN];
}

static bool observe_zero(const Subject *subject, Observation *out)
{
    bool target = is_zero(&subject->target_stats), golden = is_zero(&subject->golden_stats);
    if (target == golden)
        return false;
    const Stats *other = target ? &subject->golden_stats : &subject->target_stats;
    const char *norm = number(subject, other->value[STAT_NORM]);
    out->kind = OBSERVE_ZERO;
    if (target)
        out->text = str_printf(subject->arena, tr("%s is all zeros in target; golden has norm %s."),
                               subject->path, norm);
    else
        out->text = str_printf(subject->arena, tr("%s is all zeros in golden; target has norm %s."),
                               subject->path, norm);
    return true;
}

static bool observe_constant(const Subject *subject, Observation *out)
{
    Str shape = names_text(subject->comparison->target->dump->names, subject->target->shape);
    if (shape_elements(shape) < 2 || !is_constant(&subject->target_stats) ||
        is_constant(&subject->golden_stats))
        return false;
    out->kind = OBSERVE_CONSTANT;
    out->text =
        str_printf(subject->arena, tr("%s has one value everywhere in target (%s), not in golden."),
                   subject->path, number(subject, subject->target_stats.value[STAT_MAX]));
    return true;
}

// target / golden of one statistic; NaN where it is no evidence.
static double ratio_of(const Subject *subject, Stat target_stat, Stat golden_stat)
{
    if (!subject->target_stats.known[target_stat] || !subject->golden_stats.known[golden_stat])
        return (double)NAN;
    double b = subject->golden_stats.value[golden_stat];
    double n = subject->target_stats.value[target_stat];
    return b == 0 || n == 0 ? (double)NAN : n / b;
}

static bool close_to(double ratio, double want)
{
    return fabs(ratio / want - 1) <= FACTOR_TOLERANCE;
}

static bool observe_sign(const Subject *subject, Observation *out)
{
    double high = ratio_of(subject, STAT_MAX, STAT_MIN);
    double low = ratio_of(subject, STAT_MIN, STAT_MAX);
    double norm = ratio_of(subject, STAT_NORM, STAT_NORM);
    double mean = ratio_of(subject, STAT_MEAN, STAT_MEAN);
    if (!close_to(high, -1) || !close_to(low, -1) || !close_to(norm, 1) || !(mean < 0))
        return false;
    out->kind = OBSERVE_SIGN;
    out->text = str_printf(
        subject->arena,
        tr("Max, Min and Mean of %s are golden's with the opposite sign: the sign looks flipped."),
        subject->path);
    return true;
}

static Str factor_meaning(const Subject *subject, double factor, uint32_t world_size)
{
    Arena *arena = subject->arena;
    const Dump *golden = subject->comparison->golden->dump;
    const Dump *target = subject->comparison->target->dump;
    double batches = merged_batches_ratio(golden, target);
    int exponent;
    if (batches != 1 && close_to(factor, batches) &&
        target->ops[subject->op->target].direction == DIR_BACKWARD)
        return str_of(
            tr(" (the ratio of the ranks with other tokens: where the loss of each is the "
               "mean of its own, --parallel-merge takes loss=mean)"));
    if (world_size > 1 && close_to(factor, world_size))
        return str_printf(arena, tr(", the number of ranks"));
    if (world_size > 1 && close_to(factor, 1.0 / world_size))
        return str_printf(arena, tr(", one over the number of ranks"));
    double mantissa = frexp(factor, &exponent);
    bool power = close_to(mantissa, 0.5) || close_to(mantissa, 1);
    return power ? str_of(tr(", a power of two")) : (Str){0};
}

static bool observe_factor(const Subject *subject, uint32_t world_size, Observation *out)
{
    double norm = ratio_of(subject, STAT_NORM, STAT_NORM);
    double high = ratio_of(subject, STAT_MAX, STAT_MAX);
    double low = ratio_of(subject, STAT_MIN, STAT_MIN);
    if (isnan(norm) || fabs(norm - 1) < FACTOR_LEAST || (isnan(high) && isnan(low)))
        return false;
    if ((!isnan(high) && !close_to(high, norm)) || (!isnan(low) && !close_to(low, norm)))
        return false;
    char text[NUMBER_BYTES];
    number_significant(norm, 5, text);
    out->kind = OBSERVE_FACTOR;
    out->factor = norm;
    Str meaning = factor_meaning(subject, norm, world_size);
    out->text =
        str_printf(subject->arena,
                   tr("Norm, Max and Min of %s are all %s times golden's%s: it looks scaled "
                      "as a whole."),
                   subject->path, text, str_cstr(subject->arena, meaning));
    return true;
}

// Max and Min of target are numbers of the coarser type, those of golden are not. By chance a
// float32 is one of bfloat16's once in 65,536 times.
static bool fits_type(const Subject *subject, bool (*fits)(double))
{
    int target = 0;
    for (int stat = STAT_MAX; stat <= STAT_MIN; stat++) {
        if (!subject->target_stats.known[stat] || !subject->golden_stats.known[stat])
            return false;
        double value = subject->target_stats.value[stat];
        if (value == 0)
            continue;
        if (!fits(value) || fits(subject->golden_stats.value[stat]))
            return false;
        target++;
    }
    return target > 0 && !is_constant(&subject->target_stats);
}

static bool observe_rounded(const Subject *subject, Observation *out)
{
    const Comparison *comparison = subject->comparison;
    Str target = names_text(comparison->target->dump->names, subject->target->dtype);
    Str golden = names_text(comparison->golden->dump->names, subject->golden->dtype);
    if (precision_of(target) != PRECISION_F32 || precision_of(golden) != PRECISION_F32)
        return false;
    const char *type = NULL;
    if (fits_type(subject, is_bfloat16))
        type = "bfloat16";
    else if (fits_type(subject, is_float16))
        type = "float16";
    if (!type)
        return false;
    out->kind = OBSERVE_ROUNDED;
    out->text = str_printf(subject->arena,
                           tr("Target Max and Min of %s are exact %s values, golden's are not, "
                              "though both say float32: the result looks rounded to %s."),
                           subject->path, type, type);
    return true;
}

static bool observe_argument(const Comparison *comparison, Arena *arena, Observation *out)
{
    const Divergence *first = &comparison->first;
    const OpPair *op = &comparison->ops[first->op];
    if (first->kind != DIVERGE_ARGUMENT)
        return false;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = side_slot(comparison, i, false);
        bool input = slot && !is_result(slot);
        if (input && i != first->slot && status_differs((Status)comparison->slots[i].status))
            return false;
    }
    const Slot *slot = side_slot(comparison, first->slot, false);
    if (!slot)
        return false;
    out->kind = OBSERVE_ARGUMENT;
    out->slot = first->slot;
    const Names *names = comparison->target->dump->names;
    Str path = names_text(names, slot->path);
    Str api = op_name_of(names, comparison->target->dump->ops[op->target].name).type_name;
    Str name = argument_name(api, path);
    if (name.size)
        path = str_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(path), STR_ARG(name));
    out->text = str_printf(
        arena, tr("%s is the only input that differs: the call itself was made differently."),
        str_cstr(arena, path));
    return true;
}

static bool observe_not_updated(const Subject *subject, Observation *out)
{
    if (!subject->comparison->slots[subject->slot].not_updated)
        return false;
    out->kind = OBSERVE_NOT_UPDATED;
    out->text = str_of(tr("The target's weight is bit for bit that of the step before, while "
                          "golden's has moved: it was not updated."));
    return true;
}

static bool observe_random(const Subject *subject, Observation *out)
{
    const Dump *dump = subject->comparison->target->dump;
    Str api = op_name_of(dump->names, dump->ops[subject->op->target].name).type_name;
    if (subject->comparison->first.kind != DIVERGE_OUTPUT || !(op_traits(api) & OP_RANDOM))
        return false;
    out->kind = OBSERVE_RANDOM;
    out->text = str_of(tr("The op draws random numbers: equal inputs give other outputs."));
    out->look = str_of(tr("the seed, and how many random numbers each run draws before it"));
    return true;
}

// Max and Min equal, the norm but for the order of its sum: by noise alone they would not be.
static bool is_reordered(const SlotPair *pair, const Slot *golden, const Slot *target)
{
    enum { ROUNDINGS = 4 };
    double b, n;
    if (pair->status == STATUS_SAME || golden->kind != SLOT_TENSOR || target->kind != SLOT_TENSOR ||
        !judge_stat_equal(golden, target, STAT_MAX) ||
        !judge_stat_equal(golden, target, STAT_MIN) || !slot_stat(golden, STAT_NORM, &b) ||
        !slot_stat(target, STAT_NORM, &n))
        return false;
    double largest, smallest;
    return slot_stat(golden, STAT_MAX, &largest) && slot_stat(golden, STAT_MIN, &smallest) &&
           largest > smallest && fabs(n - b) <= ROUNDINGS * epsilon_of(PRECISION_F32) * fabs(b);
}

// Of the deciding value, or where results differ of an input.
static bool observe_order(const Subject *subject, Observation *out)
{
    const Comparison *comparison = subject->comparison;
    DivergenceKind kind = comparison->first.kind;
    for (uint32_t i = subject->op->first_slot;
         i < subject->op->first_slot + subject->op->slot_count; i++) {
        const Slot *golden = side_slot(comparison, i, true);
        const Slot *target = side_slot(comparison, i, false);
        bool asked = kind == DIVERGE_OUTPUT ? target && !is_result(target) : i == subject->slot;
        if (!asked || !golden || !target || !is_reordered(&comparison->slots[i], golden, target))
            continue;
        out->kind = OBSERVE_ORDER;
        out->text = str_printf(subject->arena,
                               tr("Max, Min and Norm of " STR_FMT
                                  " are golden's, its mean or what comes of "
                                  "it is not: the same numbers may be in another order."),
                               STR_ARG(names_text(comparison->target->dump->names, target->path)));
        out->look =
            str_of(tr("the order of elements: transposition, concatenation, layout, shards"));
        return true;
    }
    return false;
}

static bool is_vector(const Dump *dump, const Slot *slot)
{
    return str_find_char(names_text(dump->names, slot->shape), ',', 0) == SIZE_MAX;
}

// At a later step: an element of a bias whose gradients cancel, as those of the keys, moves by a
// whole step of the optimizer, in the direction of rounding.
static bool observe_bias(const Subject *subject, Observation *out)
{
    const Comparison *comparison = subject->comparison;
    const Dump *golden = comparison->golden->dump;
    const uint8_t *sources = comparison->flows[0]->source;
    bool matrix = false;
    if (comparison->first.kind != DIVERGE_PARAMETER || comparison->step == 0 ||
        comparison->noise_known || !is_vector(golden, subject->golden))
        return false;
    for (uint32_t i = subject->op->first_slot;
         i < subject->op->first_slot + subject->op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (pair->golden == SLOT_NONE || sources[pair->golden] != SOURCE_PARAMETER ||
            is_vector(golden, &golden->slots[pair->golden]))
            continue;
        if (status_differs((Status)pair->status))
            return false;
        matrix = true;
    }
    if (!matrix)
        return false;
    out->kind = OBSERVE_BIAS;
    out->text = str_of(tr("The matrix of the op agrees, its bias does not: where gradients cancel, "
                          "as of the keys in attention, Adam moves elements by rounding alone."));
    out->look = str_of(tr("the noise of the weights: a second run of golden with --noise"));
    return true;
}

static bool observe_gradient(const Comparison *comparison, Observation *out)
{
    const Divergence *first = &comparison->first;
    const OpPair *op = &comparison->ops[first->op];
    if (first->slot == SLOT_NONE || comparison->slots[first->slot].reason != REASON_UNMATCHED ||
        comparison->target->dump->ops[op->target].direction != DIR_BACKWARD)
        return false;
    out->kind = OBSERVE_GRADIENT;
    out->slot = first->slot;
    out->text = str_of(tr("A gradient is on one side only: that side alone needs it."));
    out->look = str_of(tr("requires_grad, detach and no_grad of what the forward call takes"));
    return true;
}

Observation observe_first(const Comparison *comparison, uint32_t world_size, Arena *arena)
{
    Observation out = {.slot = SLOT_NONE};
    DivergenceKind kind = comparison->first.kind;
    if (kind == DIVERGE_NONE || kind == DIVERGE_MISSING || comparison->first.op == PAIR_NONE)
        return out;
    if (observe_argument(comparison, arena, &out) || observe_gradient(comparison, &out))
        return out;
    Subject subject;
    if (!init_subject(comparison, arena, &subject))
        return out;
    out.slot = subject.slot;
    bool found = observe_not_updated(&subject, &out) || observe_nonfinite(&subject, &out) ||
                 observe_zero(&subject, &out) || observe_constant(&subject, &out) ||
                 observe_sign(&subject, &out) || observe_factor(&subject, world_size, &out) ||
                 observe_rounded(&subject, &out) || observe_random(&subject, &out) ||
                 observe_order(&subject, &out) || observe_bias(&subject, &out);
    if (!found)
        out.slot = SLOT_NONE;
    return out;
}
