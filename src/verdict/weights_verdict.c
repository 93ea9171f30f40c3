// SPDX-License-Identifier: Apache-2.0
#include "verdict/weights_verdict.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "compare/weights/weight_decay.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"
#include "verdict/verdict_text.h"

static const struct {
    uint32_t form;
    const char *text;
} forms_known[] = {
    {WEIGHT_RENAMED, TR("renamed")},           {WEIGHT_NEAREST, TR("nearest of its shape")},
    {WEIGHT_FUSED, TR("fused in the target")}, {WEIGHT_SPLIT, TR("split in the target")},
    {WEIGHT_TRANSPOSED, TR("transposed")},     {WEIGHT_PADDED, TR("padded")},
    {WEIGHT_RESHAPED, TR("another shape")}};
enum { FORMS = sizeof forms_known / sizeof *forms_known };

Str weights_forms_text(uint32_t forms, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < FORMS; i++)
        if (forms & forms_known[i].form)
            strbuf_printf(&text, "%s%s", text.size ? ", " : "", tr(forms_known[i].text));
    return strbuf_str(&text);
}

Str weights_part_text(const Weight *weight, const WeightSpan *span, Arena *arena)
{
    uint64_t rows = weight->rank ? weight->shape[span->transposed ? weight->rank - 1 : 0] : 1;
    if (span->rows * span->groups == rows)
        return weight->name;
    Str groups =
        span->groups > 1 ? str_printf(arena, "%llu x ", (unsigned long long)span->groups) : STR("");
    return str_printf(arena, STR_FMT "[" STR_FMT "%llu:%llu]", STR_ARG(weight->name),
                      STR_ARG(groups), (unsigned long long)span->first,
                      (unsigned long long)span->first + span->rows);
}

Str weights_place_text(const WeightComparison *comparison, const WeightResult *result,
                       uint64_t element, Arena *arena)
{
    const Weight *weight = &comparison->golden->items[result->pair.golden];
    const WeightSpan *span = &result->pair.golden_span;
    uint64_t index[TENSOR_MAX_RANK], shape[TENSOR_MAX_RANK];
    if (element == ELEMENT_NONE)
        return STR("");
    for (uint32_t axis = 0; axis < weight->rank; axis++)
        shape[axis] = weight->shape[axis];
    if (weight->rank)
        shape[0] = span->rows * span->groups;
    StrBuf text = strbuf_new(arena);
    for (uint32_t axis = weight->rank; axis-- > 0;) {
        index[axis] = shape[axis] ? element % shape[axis] : 0;
        element = shape[axis] ? element / shape[axis] : 0;
    }
    strbuf_add_char(&text, '[');
    for (uint32_t axis = 0; axis < weight->rank; axis++)
        strbuf_printf(&text, "%s%llu", axis ? ", " : "", (unsigned long long)index[axis]);
    strbuf_add_char(&text, ']');
    return strbuf_str(&text);
}

// ---- The verdict

static Str name_of(const WeightComparison *comparison, const WeightPair *pair)
{
    return pair->target == WEIGHT_NONE ? comparison->golden->items[pair->golden].name
                                       : comparison->target->items[pair->target].name;
}

static Str cosine_text(const TensorMetrics *metrics, Arena *arena)
{
    if (metrics->kind[ELEMENT_COSINE] != ELEMENT_NUMBER)
        return STR("NaN");
    // Rounding must not make a 1 of what is none.
    double cosine = metrics->value[ELEMENT_COSINE];
    double shown = cosine < 1 && cosine > 0.99999 ? floor(cosine * 1e9) / 1e9 : cosine;
    int digits = shown < 1 && shown > 0.99999 ? 9 : 5;
    char number[NUMBER_BYTES];
    number_fixed(shown, digits, number);
    return str_printf(arena, "%s", number);
}

static Str difference_text(const WeightResult *result, Arena *arena)
{
    const TensorMetrics *metrics = &result->metrics;
    if (metrics->state == ELEMENTS_SHAPE || metrics->state == ELEMENTS_EMPTY)
        return str_of(tr("another shape"));
    if (metrics->nonfinite_mismatch)
        return str_printf(arena,
                          tr_count(metrics->nonfinite_mismatch,
                                   "%llu element is NaN or Inf on one side",
                                   "%llu elements are NaN or Inf on one side"),
                          (unsigned long long)metrics->nonfinite_mismatch);
    Str cosine = cosine_text(metrics, arena);
    Str norm = verdict_number(result->norm_relative, arena);
    Str error = verdict_number(metrics->norm_error, arena);
    return str_printf(arena, tr("cosine " STR_FMT ", rel. norm " STR_FMT ", rel. L2 " STR_FMT),
                      STR_ARG(cosine), STR_ARG(norm), STR_ARG(error));
}

size_t weights_count_form(const WeightComparison *comparison, uint32_t form)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        count += (comparison->items[i].pair.forms & form) != 0;
    return count;
}

static Str forms_counted(const WeightComparison *comparison, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < FORMS; i++) {
        size_t count = weights_count_form(comparison, forms_known[i].form);
        if (count)
            strbuf_printf(&text, "%s%zu %s", text.size ? ", " : "", count, tr(forms_known[i].text));
    }
    return strbuf_str(&text);
}

static Str equal_text(const WeightComparison *comparison, Arena *arena)
{
    size_t same = comparison->status_counts[STATUS_SAME];
    Str equal = figure_count(same, arena), all = figure_count(comparison->compared, arena);
    if (same == comparison->compared)
        return str_printf(arena,
                          tr_count(same, STR_FMT " weight equal bit for bit",
                                   "all " STR_FMT " weights equal bit for bit"),
                          STR_ARG(all));
    return str_printf(arena, tr(STR_FMT " of " STR_FMT " weights equal bit for bit"),
                      STR_ARG(equal), STR_ARG(all));
}

static void add_differing(const WeightComparison *comparison, Arena *arena, StrBuf *text)
{
    size_t differ = comparison->status_counts[STATUS_ERROR];
    if (differ == 0)
        return;
    const WeightResult *worst = &comparison->items[comparison->worst];
    Str name = name_of(comparison, &worst->pair), how = difference_text(worst, arena);
    if (differ == 1)
        strbuf_printf(text, tr("; " STR_FMT " differs: " STR_FMT), STR_ARG(name), STR_ARG(how));
    else
        strbuf_printf(text, tr("; %zu differ, most " STR_FMT ": " STR_FMT), differ, STR_ARG(name),
                      STR_ARG(how));
}

static void add_unread(const WeightComparison *comparison, StrBuf *text)
{
    size_t count = comparison->status_counts[STATUS_NO_DATA];
    if (count > 1)
        strbuf_printf(text, tr("; %zu could not be read"), count);
    for (size_t i = 0; i < comparison->count && count == 1; i++)
        if (comparison->items[i].status == STATUS_NO_DATA)
            strbuf_printf(text, tr("; " STR_FMT " could not be read"),
                          STR_ARG(name_of(comparison, &comparison->items[i].pair)));
}

// 0 and -0, NaN of other bits, and an axis of one more or less have one value in one dtype.
static void add_equal_values(const WeightComparison *comparison, StrBuf *text)
{
    size_t counts[2] = {0};
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->items[i].status == STATUS_PASS)
            counts[comparison->items[i].metrics.dtype_differs]++;
    if (counts[0])
        strbuf_printf(text, tr("; %zu equal in value"), counts[0]);
    if (counts[1])
        strbuf_printf(text, tr("; %zu equal but for the rounding of another dtype"), counts[1]);
}

static void add_empty(const WeightComparison *comparison, StrBuf *text)
{
    if (comparison->empty)
        strbuf_printf(text, tr("; %zu without an element on both sides"), comparison->empty);
}

// Of checkpoints of which no weight was compared.
static Str nothing_text(const WeightComparison *comparison, Arena *arena)
{
    size_t paired = comparison->empty + comparison->status_counts[STATUS_NO_DATA];
    StrBuf text = strbuf_new(arena);
    if (paired == 0)
        return str_of(tr("no weight of golden has a partner in the target"));
    strbuf_add(&text, str_of(tr("no weight has values on both sides")));
    add_empty(comparison, &text);
    add_unread(comparison, &text);
    return strbuf_str(&text);
}

Str weights_decay_text(const WeightComparison *comparison, Arena *arena)
{
    static const char *const groups[] = {[DECAY_VECTORS] = TR("one-dimensional weights"),
                                         [DECAY_MATRICES] = TR("matrices"),
                                         [DECAY_SOME] = TR("some weights")};
    WeightDecay decay = weight_decay_find(comparison);
    if (decay.group == DECAY_NONE)
        return STR("");
    Str inside = figure_number(100 * fabs(decay.factor - 1), 2, arena);
    Str outside = figure_number(floor(1e4 * fabs(decay.others - 1)) / 100, 2, arena);
    return str_printf(arena,
                      tr("norms of %s (" STR_FMT ", …) differ by " STR_FMT " %%, others by " STR_FMT
                         " %%: weight decay in %s only?"),
                      tr(groups[decay.group]), STR_ARG(decay.first->name), STR_ARG(inside),
                      STR_ARG(outside), decay.factor > 1 ? tr("golden") : tr("the target"));
}

static Str reason_text(const WeightComparison *comparison, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    strbuf_add(&text, equal_text(comparison, arena));
    add_equal_values(comparison, &text);
    add_differing(comparison, arena, &text);
    if (comparison->alone[0])
        strbuf_printf(&text, tr("; %zu only in golden"), comparison->alone[0]);
    if (comparison->alone[1])
        strbuf_printf(&text, tr("; %zu only in the target"), comparison->alone[1]);
    add_empty(comparison, &text);
    add_unread(comparison, &text);
    Str decay = weights_decay_text(comparison, arena);
    if (decay.size)
        strbuf_printf(&text, "; " STR_FMT, STR_ARG(decay));
    return strbuf_str(&text);
}

bool weights_differ(const WeightComparison *comparison)
{
    return comparison->status_counts[STATUS_ERROR] || comparison->alone[0] || comparison->alone[1];
}

void weights_verdict(const WeightComparison *comparison, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial, .style = STYLE_SAME, .word = str_of(tr("SAME"))};
    if (comparison->status_counts[STATUS_PASS]) {
        out->style = STYLE_PASS;
        out->word = str_of(tr("AGREES"));
    }
    if (weights_differ(comparison)) {
        out->style = STYLE_ERROR;
        out->word = str_of(tr("DIFFERS"));
    }
    if (comparison->compared == 0) {
        out->style = STYLE_UNMATCHED;
        out->word = str_of(tr("NOT COMPARED"));
    }
    out->joint = STR(" ");
    out->reason =
        comparison->compared ? reason_text(comparison, arena) : nothing_text(comparison, arena);
    Str forms = forms_counted(comparison, arena);
    out->context = forms;
    Str rest = str_printf(arena, forms.size ? STR_FMT " (" STR_FMT ")" : STR_FMT STR_FMT,
                          STR_ARG(out->reason), STR_ARG(forms));
    out->sentence = verdict_sentence(out, rest, arena);
}
