// SPDX-License-Identifier: Apache-2.0
#include "verdict/verdict_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/words.h"
#include "compare/judge/judge.h"
#include "compare/origin.h"
#include "read/dump/place_name.h"
#include "verdict/coverage_text.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

Str verdict_number(double value, Arena *arena)
{
    char text[NUMBER_BYTES];
    int size = number_error(value, 2, text);
    return str_copy(arena, (Str){text, (size_t)size});
}

const char *metric_prefix(Metric metric)
{
    switch (metric) {
    case METRIC_MAX:
        return "Max ";
    case METRIC_MIN:
        return "Min ";
    case METRIC_MEAN:
        return "Mean ";
    default:
        return "";
    }
}

// "3.1", "15", "5,243", "1.2e+09".
static Str times_text(double times, Arena *arena)
{
    if (times < 9.95)
        return str_printf(arena, "%.1f", times);
    return times < 1e6 ? figure_count((uint64_t)(times + 0.5), arena)
                       : verdict_number(times, arena);
}

// ", 15x its tolerance (noise not measured)", ", 775x the noise of 4.0e-05" or, of what shows at a
// later op alone, ", within the noise of 3.0e-02".
static Str limit_text(const FirstDivergence *first, Arena *arena)
{
    bool measured = !isnan(first->noise);
    double limit = measured ? first->noise : first->tolerance, times = first->value / limit;
    if (measured && limit == 0)
        return str_of(tr(" (noise 0)"));
    if (measured && times < 1)
        return str_printf(arena, tr(", within the noise of " STR_FMT),
                          STR_ARG(verdict_number(limit, arena)));
    if (measured)
        return str_printf(arena, tr(", " STR_FMT "x the noise of " STR_FMT),
                          STR_ARG(times_text(times, arena)), STR_ARG(verdict_number(limit, arena)));
    if (limit > 0 && times >= 1 && isfinite(times))
        return str_printf(arena, tr(", " STR_FMT "x its tolerance (noise not measured)"),
                          STR_ARG(times_text(times, arena)));
    return str_of(tr(" (noise not measured)"));
}

// "differs by 2.9e-05", "differs by 2.2e-02 in its Min", "has Min 0 in golden".
static Str value_difference(const FirstDivergence *first, Arena *arena)
{
    const char *metric = metric_prefix(first->metric);
    if (isinf(first->value))
        return *metric ? str_printf(arena, tr("has %s0 in golden"), metric)
                       : str_of(tr("is 0 in golden"));
    Str value = verdict_number(first->value, arena);
    return *metric ? str_printf(arena, tr("differs by " STR_FMT " in its " STR_FMT), STR_ARG(value),
                                STR_ARG(str_trim(str_of(metric))))
                   : str_printf(arena, tr("differs by " STR_FMT), STR_ARG(value));
}

static bool is_text_reason(Reason reason)
{
    return reason == REASON_DTYPE || reason == REASON_SHAPE;
}

static Str differing_text(const FirstDivergence *first, Arena *arena)
{
    const char *what = first->reason == REASON_DTYPE ? tr("dtype") : tr("shape");
    return str_printf(arena, tr("%s is " STR_FMT ", golden has " STR_FMT), what,
                      STR_ARG(first->target_value), STR_ARG(first->golden_value));
}

// What differs about an output: "differs by 3.1e-02, 775x the noise of 4.0e-05".
static Str output_difference(const FirstDivergence *first, Arena *arena)
{
    if (is_text_reason(first->reason))
        return differing_text(first, arena);
    if (first->reason == REASON_CHECKSUM)
        return str_of(tr("differs (checksums)"));
    if (first->reason == REASON_NONFINITE)
        return str_of(tr("is NaN or Inf on one side"));
    Str value = value_difference(first, arena);
    return isinf(first->value) ? value : str_concat(arena, value, limit_text(first, arena));
}

// Nothing is said of inputs of which not all are known, or of which there are none.
static Str output_reason(const FirstDivergence *first, Arena *arena)
{
    Str slot = first->slot.size ? first->slot : str_of(tr("value"));
    if (first->reason == REASON_UNMATCHED)
        return str_printf(arena, tr(STR_FMT " exists on one side only"), STR_ARG(first->slot));
    Str what = output_difference(first, arena);
    if (isnan(first->worst_input))
        return str_printf(arena, tr("the saved " STR_FMT " " STR_FMT), STR_ARG(slot),
                          STR_ARG(what));
    if (first->no_inputs)
        return str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(slot), STR_ARG(what));
    if (first->unsure.size)
        return str_printf(arena,
                          tr(STR_FMT " " STR_FMT "; the dumps record too little of " STR_FMT
                                     " to say whether it agrees"),
                          STR_ARG(slot), STR_ARG(what), STR_ARG(first->unsure));
    const char *agree = first->some_inputs ? tr("recorded inputs agree") : tr("inputs agree");
    if (first->worst_input == 0)
        return str_printf(arena, tr("%s, " STR_FMT " " STR_FMT), agree, STR_ARG(slot),
                          STR_ARG(what));
    return str_printf(arena, tr("%s (norm rel. diff " STR_FMT "), " STR_FMT " " STR_FMT), agree,
                      STR_ARG(verdict_number(first->worst_input, arena)), STR_ARG(slot),
                      STR_ARG(what));
}

static Str argument_reason(const FirstDivergence *first, Arena *arena)
{
    if (first->reason == REASON_UNMATCHED)
        return str_printf(arena, tr("argument " STR_FMT " exists on one side only"),
                          STR_ARG(first->slot));
    return str_printf(arena, tr("argument " STR_FMT " is " STR_FMT ", golden has " STR_FMT),
                      STR_ARG(first->slot), STR_ARG(first->target_value),
                      STR_ARG(first->golden_value));
}

static Str integer_text(double value, Arena *arena)
{
    return str_printf(arena, "%.0f", value);
}

// Whole numbers above 2^53 may be one as doubles.
static Str element_difference(const FirstDivergence *first, Arena *arena)
{
    Str target = integer_text(first->target_element, arena);
    Str golden = integer_text(first->golden_element, arena);
    if (str_equal(golden, target))
        golden = str_of(tr("other last digits"));
    return str_printf(arena,
                      tr("differs in " STR_FMT " of " STR_FMT " elements, first at " STR_FMT
                         ": " STR_FMT ", golden has " STR_FMT),
                      STR_ARG(figure_count(first->differing, arena)),
                      STR_ARG(figure_count(first->count, arena)), STR_ARG(first->element),
                      STR_ARG(target), STR_ARG(golden));
}

// "is NaN, golden has numbers"; without statistics that tell it: NaN among the elements.
static Str nonfinite_difference(const FirstDivergence *first, Arena *arena)
{
    if (!first->target_value.size && !first->golden_value.size)
        return str_of(tr("is NaN or Inf on one side"));
    Str numbers = str_of(tr("numbers"));
    Str target = first->target_value.size ? first->target_value : numbers;
    Str golden = first->golden_value.size ? first->golden_value : numbers;
    return str_printf(arena, tr("is " STR_FMT ", golden has " STR_FMT), STR_ARG(target),
                      STR_ARG(golden));
}

static Str tensor_difference(const FirstDivergence *first, Arena *arena)
{
    if (is_text_reason(first->reason))
        return differing_text(first, arena);
    if (first->reason == REASON_UNMATCHED)
        return str_of(tr("exists on one side only"));
    if (first->reason == REASON_CHECKSUM)
        return str_of(tr("differs (checksums)"));
    if (first->reason == REASON_NONFINITE)
        return nonfinite_difference(first, arena);
    if (first->differing)
        return element_difference(first, arena);
    return value_difference(first, arena);
}

static Str missing_reason(const FirstDivergence *first, Arena *arena)
{
    if (first->replaced)
        return str_printf(arena, tr("golden has " STR_FMT " here"), STR_ARG(first->golden));
    if (!first->missing_in_target)
        return str_of(tr("the golden run has no such op"));
    if (first->left_out.size)
        return str_printf(arena, tr("the target run leaves out " STR_FMT),
                          STR_ARG(first->left_out));
    if (first->target.size && !str_equal(first->target, first->golden))
        return str_printf(arena, tr("the target run has no such op, first felt at " STR_FMT),
                          STR_ARG(first->target));
    return str_of(tr("the target run has no such op"));
}

// Who gave an input that differs, on the side or the sides where an op did.
static Str input_reason(const FirstDivergence *first, Arena *arena)
{
    Str what = tensor_difference(first, arena);
    bool both = first->target_giver.size && first->golden_giver.size;
    if (both && !str_equal(first->target_giver, first->golden_giver))
        return str_printf(
            arena, tr(STR_FMT " " STR_FMT "; it comes from " STR_FMT ", in golden from " STR_FMT),
            STR_ARG(first->slot), STR_ARG(what), STR_ARG(first->target_giver),
            STR_ARG(first->golden_giver));
    if (first->target_giver.size)
        return str_printf(arena, tr(STR_FMT " " STR_FMT "; it comes from " STR_FMT),
                          STR_ARG(first->slot), STR_ARG(what), STR_ARG(first->target_giver));
    if (first->golden_giver.size)
        return str_printf(arena, tr(STR_FMT " " STR_FMT "; in golden it comes from " STR_FMT),
                          STR_ARG(first->slot), STR_ARG(what), STR_ARG(first->golden_giver));
    return str_printf(arena, tr(STR_FMT " " STR_FMT ", and no earlier op produced it"),
                      STR_ARG(first->slot), STR_ARG(what));
}

static Str reason_of(const FirstDivergence *first, Arena *arena)
{
    switch (first->kind) {
    case DIVERGE_OUTPUT:
        return output_reason(first, arena);
    case DIVERGE_ARGUMENT:
        return argument_reason(first, arena);
    case DIVERGE_PARAMETER:
        return str_printf(arena, tr("weight " STR_FMT " " STR_FMT), STR_ARG(first->slot),
                          STR_ARG(tensor_difference(first, arena)));
    case DIVERGE_INPUT:
        return input_reason(first, arena);
    case DIVERGE_MISSING:
        return missing_reason(first, arena);
    case DIVERGE_NONE:
        break;
    }
    return (Str){"", 0};
}

// The noise is in the reason where an output differs, else after it.
static bool says_noise(const FirstDivergence *first)
{
    return first->kind == DIVERGE_OUTPUT && !is_text_reason(first->reason) &&
           first->reason != REASON_UNMATCHED && first->reason != REASON_CHECKSUM;
}

static Str later_text(const FirstDivergence *first, Arena *arena)
{
    if (first->later == 0)
        return str_of(tr("No later op is affected"));
    if (first->later == 1)
        return str_of(tr("1 later op is affected"));
    return str_printf(arena, tr(STR_FMT " later ops are affected"),
                      STR_ARG(figure_count(first->later, arena)));
}

// The path of the target without the folders that golden's begins with too, where these are long.
static Str path_beside(Str golden, Str target, Arena *arena)
{
    enum { LONG_START = 12 };
    size_t start = 0;
    for (size_t i = 0; i < golden.size && i < target.size && golden.data[i] == target.data[i]; i++)
        if (golden.data[i] == '/')
            start = i;
    return start < LONG_START
               ? target
               : str_printf(arena, "…" STR_FMT, STR_ARG(str_slice(target, start, target.size)));
}

Str verdict_of_sides(Str golden, Str target, Arena *arena)
{
    if (str_equal(golden, STR("golden")) && str_equal(target, STR("target")))
        return (Str){"", 0};
    return str_printf(arena, tr("golden " STR_FMT " · target " STR_FMT), STR_ARG(golden),
                      STR_ARG(path_beside(golden, target, arena)));
}

// Whether the op of the divergence is off by itself too.
static Str alone_text(const FirstDivergence *first, Arena *arena)
{
    if (first->precheck.size == 0)
        return (Str){"", 0};
    if (str_equal(first->precheck, str_of(status_word(STATUS_PASS))))
        return str_of(tr("; alone it passes its pre-check"));
    bool fails = str_equal(first->precheck, str_of(status_word(STATUS_ERROR)));
    Str text = str_of(fails ? tr("; alone it fails its pre-check too")
                            : tr("; alone it warns in its pre-check"));
    return first->precheck_reason.size ? str_printf(arena, tr(STR_FMT " (" STR_FMT ")"),
                                                    STR_ARG(text), STR_ARG(first->precheck_reason))
                                       : text;
}

static bool is_rounded(const Coverage *coverage)
{
    return coverage->rounded[SIDE_GOLDEN] || coverage->rounded[SIDE_TARGET];
}

// "; equal bit for bit before linear.3": where the first difference at all is not where the runs
// diverge. A few equal ops may be chance.
static Str equal_text(const PairFacts *facts, Str place, Arena *arena)
{
    enum { EQUAL_LEAST = 4 };
    if (facts->equal_before < EQUAL_LEAST || !facts->first_unequal.size ||
        str_equal(facts->first_unequal, place))
        return (Str){"", 0};
    return str_printf(arena,
                      is_rounded(&facts->coverage)
                          ? tr("; equal in all written digits before " STR_FMT)
                          : tr("; equal bit for bit before " STR_FMT),
                      STR_ARG(facts->first_unequal));
}

// "; would pass at norm 2.9e-05": where the user judges by tolerances of their own.
static Str passing_text(const PairFacts *facts, Arena *arena)
{
    static const char *const names[STAT_COUNT] = {
        [STAT_MAX] = "max", [STAT_MIN] = "min", [STAT_MEAN] = "mean", [STAT_NORM] = "norm"};
    StrBuf text = strbuf_new(arena);
    for (int stat = 0; stat < STAT_COUNT && facts->criteria_fit.size; stat++)
        if (isfinite(facts->would_pass_at[stat]))
            strbuf_printf(&text, "%s%s " STR_FMT, text.size ? ", " : tr("; would pass at "),
                          names[stat], STR_ARG(verdict_number(facts->would_pass_at[stat], arena)));
    return strbuf_str(&text);
}

// "step 0, rank 0 against rank 2".
static Str place_of(const PairFacts *facts, Arena *arena)
{
    Str place = place_text(facts->step, facts->stage, facts->rank, arena);
    return facts->against.size ? str_printf(arena, tr(STR_FMT " against " STR_FMT), STR_ARG(place),
                                            STR_ARG(facts->against))
                               : place;
}

// "blocks.2.attn.qkv" of "Module.blocks.2.attn.qkv.Linear.forward.0"; empty: the op is the module,
// or in none.
static Str module_path(const FirstDivergence *first, Str op)
{
    enum { ENDS = 3 };  // class, direction, number
    Str path = first->module;
    size_t start = str_find_char(path, '.', 0), end = path.size;
    for (int i = 0; i < ENDS && end != SIZE_MAX && end; i++)
        end = str_rfind_char(str_slice(path, 0, end), '.');
    if (str_equal(path, op) || start == SIZE_MAX || end == SIZE_MAX || end <= start + 1)
        return (Str){"", 0};
    return str_slice(path, start + 1, end);
}

static void diverges(const PairFacts *facts, const VerdictSides *sides, Str ranks, Arena *arena,
                     Verdict *out)
{
    const FirstDivergence *first = &facts->first;
    Str reason = reason_of(first, arena);
    Str later = later_text(first, arena);
    Str place = place_of(facts, arena);
    Str share = coverage_share(&facts->coverage, facts->compared, arena);
    if (share.size)
        share = str_printf(arena, tr("; " STR_FMT), STR_ARG(share));
    share = str_concat(arena, alone_text(first, arena), share);
    share = str_concat(arena, passing_text(facts, arena), share);
    share = str_concat(arena, equal_text(facts, pair_facts_op(first), arena), share);
    const char *noise = says_noise(first) || !isnan(first->noise) || facts->noise_known ||
                                facts->mode == MODE_STRUCTURE
                            ? ""
                            : tr("; noise not measured");
    out->style = facts->status == STATUS_WARNING ? STYLE_WARNING : STYLE_ERROR;
    out->word = str_of(tr("DIVERGES"));
    out->place = pair_facts_op(first);
    out->reason = str_printf(arena, tr(STR_FMT "."), STR_ARG(reason));
    Str module = module_path(first, out->place);
    out->context = str_printf(arena, STR_FMT "%s" STR_FMT " · " STR_FMT STR_FMT "%s" STR_FMT,
                              STR_ARG(module), module.size ? " · " : "", STR_ARG(place),
                              STR_ARG(later), STR_ARG(ranks), noise, STR_ARG(share));
    Str paths = verdict_of_sides(sides->golden, sides->target, arena);
    if (paths.size)
        out->context =
            str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(out->context), STR_ARG(paths));
    Str op = module.size
                 ? str_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(out->place), STR_ARG(module))
                 : out->place;
    Str rest = str_printf(
        arena, tr("at " STR_FMT ", " STR_FMT ": " STR_FMT ". " STR_FMT STR_FMT "%s" STR_FMT "."),
        STR_ARG(op), STR_ARG(place), STR_ARG(reason), STR_ARG(later), STR_ARG(ranks), noise,
        STR_ARG(share));
    out->sentence = verdict_sentence(out, rest, arena);
}

// What was compared, and what only one side records.
typedef struct Width {
    Str what, rest;
    const Coverage *coverage;
    bool rounded;  // the numbers of either side were, when they were written
    bool single;   // of one pair
} Width;

// "; nearest to its tolerance: 0.4 of it, at Functional.linear.0.forward output.0 (noise not
// measured)".
static Str nearest_text(const PairFacts *facts, double largest, bool single, Arena *arena)
{
    const char *noise = facts->noise_known ? tr("noise measured") : tr("noise not measured");
    Str place = single ? STR("") : str_printf(arena, ", " STR_FMT, STR_ARG(place_of(facts, arena)));
    if (facts->nearest > 0)
        return str_printf(arena,
                          tr("; nearest to its tolerance: " STR_FMT " of it, at " STR_FMT
                             " " STR_FMT STR_FMT " (%s)"),
                          STR_ARG(figure_number(facts->nearest, 2, arena)),
                          STR_ARG(facts->nearest_op), STR_ARG(facts->nearest_slot), STR_ARG(place),
                          noise);
    return largest > 0 ? str_printf(arena, tr("; largest norm rel. diff " STR_FMT),
                                    STR_ARG(verdict_number(largest, arena)))
                       : STR("");
}

// What --strict takes for a difference.
static Str strict_text(const Coverage *coverage, Arena *arena)
{
    uint64_t alone = coverage_ops_alone(coverage), values = coverage_by_rule(coverage);
    StrBuf out = strbuf_new(arena);
    strbuf_add(&out, str_of(tr("--strict, exit 1: ")));
    if (coverage->replaced_count)
        strbuf_printf(&out,
                      tr_count(coverage->replaced_count, "%u API replaced", "%u APIs replaced"),
                      coverage->replaced_count);
    if (alone)
        strbuf_printf(&out,
                      tr_count(alone, "%s" STR_FMT " op on one side only",
                               "%s" STR_FMT " ops on one side only"),
                      coverage->replaced_count ? ", " : "", STR_ARG(figure_count(alone, arena)));
    if (values)
        strbuf_printf(&out,
                      tr_count(values, "%s" STR_FMT " value passes by a rule",
                               "%s" STR_FMT " values pass by a rule"),
                      coverage->replaced_count || alone ? ", " : "",
                      STR_ARG(figure_count(values, arena)));
    strbuf_add_char(&out, '.');
    return strbuf_str(&out);
}

static void calm(Status status, const Width *width, double largest, const PairFacts *facts,
                 const VerdictSides *sides, Arena *arena, Verdict *out)
{
    Str what = width->what;
    bool same = status == STATUS_SAME;
    out->style = same ? STYLE_SAME : STYLE_PASS;
    out->word = str_of(same ? tr("SAME") : tr("AGREES"));
    Str rest;
    if (same) {
        rest = str_printf(arena,
                          width->rounded ? tr("in all digits that are written: " STR_FMT)
                                         : tr("bit for bit: " STR_FMT),
                          STR_ARG(what));
    } else {
        rest = str_concat(arena, what, nearest_text(facts, largest, width->single, arena));
        if (width->single)
            rest = str_concat(arena, rest, equal_text(facts, (Str){"", 0}, arena));
    }
    out->reason = str_printf(arena, tr(STR_FMT "."), STR_ARG(rest));
    if (width->rest.size)
        out->reason =
            str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(out->reason), STR_ARG(width->rest));
    if (sides->strict && coverage_strict_differs(width->coverage))
        out->reason = str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(out->reason),
                                 STR_ARG(strict_text(width->coverage, arena)));
    out->context = verdict_of_sides(sides->golden, sides->target, arena);
    out->sentence = verdict_sentence(out, out->reason, arena);
}

static void not_compared(Str why, const VerdictSides *sides, Arena *arena, Verdict *out)
{
    out->style = STYLE_UNMATCHED;
    out->word = str_of(tr("NOT COMPARED"));
    out->reason = str_printf(arena, tr(STR_FMT "."), STR_ARG(why));
    out->context = verdict_of_sides(sides->golden, sides->target, arena);
    out->sentence = verdict_sentence(out, out->reason, arena);
}

static Str why_not_compared(const PairFacts *facts, Arena *arena)
{
    if (facts->golden_missing)
        return str_of(tr("the golden run has no dump of this step and rank"));
    if (facts->target_missing)
        return str_of(tr("the target run has no dump of this step and rank"));
    if (facts->failed)
        return str_of(tr("a dump could not be read"));
    if (facts->matched_ops == 0)
        return str_of(tr("no op of the golden run has a partner in the target run"));
    if (coverage_no_tensor(&facts->coverage))
        return coverage_none(&facts->coverage, facts->compared, arena);
    return str_of(tr("the ops that match hold nothing to compare"));
}

// "step 0, rank 0 and 3 more": the dumps that golden, or the target, has alone.
static Str places_of(const PairFacts *pairs, size_t count, bool of_golden, Arena *arena)
{
    Str first = {"", 0};
    size_t more = 0;
    for (size_t i = 0; i < count; i++) {
        if (of_golden ? !pairs[i].target_missing : !pairs[i].golden_missing)
            continue;
        if (first.size)
            more++;
        else
            first = place_text(pairs[i].step, pairs[i].stage, pairs[i].rank, arena);
    }
    return more ? str_printf(arena, tr(STR_FMT " and %zu more"), STR_ARG(first), more) : first;
}

static Str why_none_compared(const PairFacts *pairs, size_t count, Arena *arena)
{
    if (count == 0)
        return str_of(tr("the two runs share no step and rank"));
    Str golden = places_of(pairs, count, true, arena);
    Str target = places_of(pairs, count, false, arena);
    for (size_t i = 0; i < count; i++)
        if (!pairs[i].golden_missing && !pairs[i].target_missing)
            return why_not_compared(&pairs[i], arena);
    if (!golden.size || !target.size)
        return why_not_compared(&pairs[0], arena);
    return str_printf(
        arena,
        tr("the two runs share no step and rank: golden has " STR_FMT ", the target " STR_FMT),
        STR_ARG(golden), STR_ARG(target));
}

void verdict_of_pair(const PairFacts *facts, const VerdictSides *sides, bool partial, Arena *arena,
                     Verdict *out)
{
    *out = (Verdict){.partial = partial};
    if (!pair_facts_compared(facts)) {
        not_compared(why_not_compared(facts, arena), sides, arena, out);
        return;
    }
    const Coverage *coverage = &facts->coverage;
    Width width = {coverage_slots(coverage, facts->compared, arena),
                   coverage_sentence(coverage, facts->slot_counts[STATUS_PASS] == 0, arena),
                   coverage, is_rounded(coverage), true};
    if (facts->first.kind != DIVERGE_NONE)
        diverges(facts, sides, (Str){"", 0}, arena, out);
    else
        calm(facts->status, &width, facts->largest_error, facts, sides, arena, out);
    verdict_judged_by(out, sides->judged_by, arena);
}

Status verdict_status(const PairFacts *pairs, size_t count)
{
    Status worst = STATUS_NO_DATA;
    for (size_t i = 0; i < count; i++)
        if (pair_facts_compared(&pairs[i]))
            worst = status_worst(worst, pairs[i].status);
    return worst;
}

typedef struct Extent {
    size_t steps, stages, ranks, compared, diverging;
    uint64_t slots, passing;
    Coverage coverage;
    double largest;
} Extent;

typedef enum Axis { AXIS_STEP, AXIS_STAGE, AXIS_RANK } Axis;

static bool is_like(const PairFacts *a, const PairFacts *b, Axis axis)
{
    return axis == AXIS_STEP    ? a->step == b->step
           : axis == AXIS_STAGE ? str_equal(a->stage, b->stage)
                                : a->rank == b->rank;
}

static bool is_new(const PairFacts *pairs, size_t index, Axis axis)
{
    for (size_t i = 0; i < index; i++)
        if (pair_facts_compared(&pairs[i]) && is_like(&pairs[i], &pairs[index], axis))
            return false;
    return true;
}

// `of`: a pair of the step whose ranks are counted, or NULL.
static Extent measure(const PairFacts *pairs, size_t count, const PairFacts *of, Arena *arena)
{
    Extent out = {0};
    for (size_t i = 0; i < count; i++) {
        if (!pair_facts_compared(&pairs[i]))
            continue;
        out.steps += is_new(pairs, i, AXIS_STEP);
        out.stages += is_new(pairs, i, AXIS_STAGE);
        out.ranks += is_new(pairs, i, AXIS_RANK);
        out.slots += pairs[i].compared;
        out.passing += pairs[i].slot_counts[STATUS_PASS];
        coverage_join(&out.coverage, &pairs[i].coverage, arena);
        out.largest = fmax(out.largest, pairs[i].largest_error);
        if (of && pair_facts_same_step(&pairs[i], of)) {
            out.compared++;
            out.diverging += pairs[i].first.kind != DIVERGE_NONE;
        }
    }
    return out;
}

static Str extent_text(const Extent *extent, Arena *arena)
{
    Str slots = coverage_slots(&extent->coverage, extent->slots, arena);
    if (extent->steps == 1 && extent->stages == 1 && extent->ranks == 1)
        return slots;
    const char *steps = extent->steps == 1 ? tr("step") : tr("steps");
    const char *ranks = extent->ranks == 1 ? tr("rank") : tr("ranks");
    if (extent->stages > 1)
        return str_printf(arena, "%zu %s x %zu %s x %zu %s, " STR_FMT, extent->steps, steps,
                          extent->stages, tr("stages"), extent->ranks, ranks, STR_ARG(slots));
    return str_printf(arena, "%zu %s x %zu %s, " STR_FMT, extent->steps, steps, extent->ranks,
                      ranks, STR_ARG(slots));
}

// The pair with the slot nearest to its tolerance.
static const PairFacts *nearest_pair(const PairFacts *pairs, size_t count)
{
    const PairFacts *found = &pairs[0];
    for (size_t i = 1; i < count; i++)
        if (pair_facts_compared(&pairs[i]) &&
            (!pair_facts_compared(found) || pairs[i].nearest > found->nearest))
            found = &pairs[i];
    return found;
}

void verdict_of_report(const PairFacts *pairs, size_t count, const VerdictSides *sides,
                       bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial};
    size_t origin = origin_find(pairs, count);
    if (origin != SIZE_MAX) {
        Extent extent = measure(pairs, count, &pairs[origin], arena);
        Str ranks = {"", 0};
        if (extent.compared > 1)
            ranks = str_printf(arena,
                               tr_count(extent.compared, "; %zu of %zu rank", "; %zu of %zu ranks"),
                               extent.diverging, extent.compared);
        diverges(&pairs[origin], sides, ranks, arena, out);
        if (verdict_status(pairs, count) != STATUS_WARNING)
            out->style = STYLE_ERROR;
        verdict_judged_by(out, sides->judged_by, arena);
        return;
    }
    Status status = verdict_status(pairs, count);
    if (status == STATUS_NO_DATA) {
        not_compared(why_none_compared(pairs, count, arena), sides, arena, out);
        return;
    }
    Extent extent = measure(pairs, count, NULL, arena);
    Str empty = coverage_empty_pairs(pairs, count, arena);
    out->partial = partial || empty.size;
    Str rest = coverage_sentence(&extent.coverage, extent.passing == 0, arena);
    Width width = {extent_text(&extent, arena),
                   empty.size && rest.size
                       ? str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(empty), STR_ARG(rest))
                   : empty.size ? empty
                                : rest,
                   &extent.coverage, is_rounded(&extent.coverage), count == 1};
    calm(status, &width, extent.largest, nearest_pair(pairs, count), sides, arena, out);
    verdict_judged_by(out, sides->judged_by, arena);
}
