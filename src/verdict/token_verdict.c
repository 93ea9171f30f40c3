// SPDX-License-Identifier: Apache-2.0
#include "verdict/token_verdict.h"

#include <math.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/token/token_compare.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

const char *token_cause_word(TokenCause cause)
{
    static const char *const words[] = {[TOKEN_CAUSE_NONE] = "none",
                                        [TOKEN_CAUSE_SHIFT] = "shift",
                                        [TOKEN_CAUSE_TEMPERATURE] = "temperature",
                                        [TOKEN_CAUSE_FIRST] = "first token",
                                        [TOKEN_CAUSE_END] = "last token",
                                        [TOKEN_CAUSE_TURN] = "turn",
                                        [TOKEN_CAUSE_GROWTH] = "growth",
                                        [TOKEN_CAUSE_ROUTING] = "routing",
                                        [TOKEN_CAUSE_DTYPE] = "dtype"};
    return words[cause];
}

static Str digits(double value, int count, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_significant(value, count, text);
    return str_copy(arena, str_of(text));
}

static Str edge_text(const TokenExplanation *why, Arena *arena)
{
    bool first = why->cause == TOKEN_CAUSE_FIRST;
    if (isinf(why->figure))
        return str_of(
            first ? tr("only the first token of the samples differs: a shift at the prompt")
                  : tr("only the last token of the samples differs: the end of the sequence"));
    return str_printf(arena,
                      first ? tr("the first token of the samples is off " STR_FMT
                                 " times as far as the others: a shift at the prompt")
                            : tr("the last token of the samples is off " STR_FMT
                                 " times as far as the others: the end of the sequence"),
                      STR_ARG(digits(why->figure, 2, arena)));
}

static Str turn_text(const TokenExplanation *why, Arena *arena)
{
    Str place = why->from == UINT32_MAX
                    ? STR("")
                    : str_printf(arena, tr(" (tokens %u to %u)"), why->from, why->to);
    if (!why->turn)
        return str_printf(arena,
                          tr("a stretch of the samples" STR_FMT " is off by " STR_FMT
                             ", the others agree to " STR_FMT),
                          STR_ARG(place), STR_ARG(digits(why->figure, 2, arena)),
                          STR_ARG(digits(why->others, 2, arena)));
    return str_printf(arena,
                      tr("turn %u of the samples" STR_FMT " is off by " STR_FMT
                         ", the others agree to " STR_FMT ": look at what comes before it"),
                      why->turn, STR_ARG(place), STR_ARG(digits(why->figure, 2, arena)),
                      STR_ARG(digits(why->others, 2, arena)));
}

// Of distributions: "over the most probable tokens: mean KL 1.6e-04, …"
static Str spread_text(const TokenSpreads *of, Arena *arena)
{
    if (!of->positions)
        return (Str){0};
    return str_printf(arena,
                      tr("of the most probable tokens: KL mean " STR_FMT ", max " STR_FMT
                         ", top 10 shared %.0f %%, largest |Δ| " STR_FMT),
                      STR_ARG(digits(of->kl, 2, arena)), STR_ARG(digits(of->kl_max, 2, arena)),
                      of->overlap * 100, STR_ARG(digits(of->worst, 2, arena)));
}

// Enough digits to tell the factor from 1.
static int factor_digits(double factor)
{
    enum { LEAST = 4, MOST = 8 };
    int count = LEAST;
    for (double off = fabs(factor - 1); count < MOST && off < 1e-2; off *= 10)
        count++;
    return count;
}

// The cause in words, as part of a sentence; empty without one.
static Str cause_text(const TokenExplanation *why, Arena *arena)
{
    bool factor = why->cause == TOKEN_CAUSE_TEMPERATURE;
    Str figure = digits(why->figure, factor ? factor_digits(why->figure) : 2, arena);
    switch (why->cause) {
    case TOKEN_CAUSE_SHIFT:
        return str_printf(arena,
                          tr("a shift by one token explains it (%+d: then mean " STR_FMT ")"),
                          why->shift, STR_ARG(figure));
    case TOKEN_CAUSE_TEMPERATURE:
        return str_printf(arena, tr("a constant factor " STR_FMT " explains it: temperature"),
                          STR_ARG(figure));
    case TOKEN_CAUSE_FIRST:
    case TOKEN_CAUSE_END:
        return edge_text(why, arena);
    case TOKEN_CAUSE_TURN:
        return turn_text(why, arena);
    case TOKEN_CAUSE_GROWTH:
        return str_printf(
            arena, tr("it grows " STR_FMT "-fold with the position: cache, rope or attention"),
            STR_ARG(figure));
    case TOKEN_CAUSE_ROUTING:
        return str_printf(arena,
                          tr("two groups of tokens, %.0f %% of them " STR_FMT
                             "-fold further off: routing of experts"),
                          why->share * 100, STR_ARG(figure));
    case TOKEN_CAUSE_DTYPE:
        return str_printf(arena, tr("one rounding step of %s everywhere explains it: dtype"),
                          why->dtype);
    case TOKEN_CAUSE_NONE:
        break;
    }
    return STR("");
}

static void add_part(StrBuf *out, Str part)
{
    if (out->size && part.size)
        strbuf_add(out, str_of(tr("; ")));
    strbuf_add(out, part);
}

// "7 samples have other tokens; 3 tokens are finite on one side only"
static void add_troubles(StrBuf *out, const TokenComparison *of, Arena *arena)
{
    if (of->other_ids)
        add_part(out, str_printf(arena,
                                 tr_count(of->other_ids, "%zu sample has other tokens",
                                          "%zu samples have other tokens"),
                                 of->other_ids));
    if (of->nonfinite)
        add_part(out, str_printf(arena,
                                 tr_count(of->nonfinite, "%zu token is finite on one side only",
                                          "%zu tokens are finite on one side only"),
                                 (size_t)of->nonfinite));
}

// Nothing where no token has a difference.
static Str figures(const TokenComparison *of, Arena *arena)
{
    if (isnan(of->max))
        return STR("");
    return str_printf(
        arena,
        tr("mean |Δ| " STR_FMT ", max " STR_FMT ", mean factor " STR_FMT " (limit " STR_FMT ")"),
        STR_ARG(digits(of->mean, 2, arena)), STR_ARG(digits(of->max, 2, arena)),
        STR_ARG(digits(of->factor, 4, arena)), STR_ARG(digits(of->limit, 4, arena)));
}

const TokenPair *token_far_sample(const TokenComparison *of, double *times)
{
    Arena *scratch = arena_new();
    double *means = ARENA_ARRAY(scratch, double, of->pair_count + 1), worst = 0;
    const TokenPair *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < of->pair_count; i++) {
        if (!of->pairs[i].counted)
            continue;
        double mean = of->pairs[i].sum / (double)of->pairs[i].counted;
        means[count++] = mean;
        if (mean > worst) {
            worst = mean;
            found = &of->pairs[i];
        }
    }
    double median = count ? median_of(means, count) : 0;
    arena_release(scratch);
    *times = worst / median;
    return count >= TOKEN_FAR_SAMPLES && median > 0 && *times >= TOKEN_FAR ? found : NULL;
}

// "sample 123 is 206 times as far off as the median sample"
static Str far_text(const TokenComparison *of, Arena *arena)
{
    double times;
    const TokenPair *pair = token_far_sample(of, &times);
    if (!pair)
        return STR("");
    return str_printf(arena, tr("sample %u is %s times as far off as the median sample"),
                      pair->sample, str_cstr(arena, figure_count((uint64_t)times, arena)));
}

static Str reason(const TokenComparison *of, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    add_troubles(&out, of, arena);
    add_part(&out, figures(of, arena));
    add_part(&out, spread_text(&of->spreads, arena));
    add_part(&out, cause_text(&of->explanation, arena));
    add_part(&out, far_text(of, arena));
    return strbuf_str(&out);
}

static const TokenPair *first_parting(const TokenComparison *of)
{
    for (size_t i = 0; i < of->pair_count; i++)
        if (of->pairs[i].parts_at != UINT32_MAX || of->pairs[i].other_at != UINT32_MAX)
            return &of->pairs[i];
    return NULL;
}

static void differs(const TokenComparison *of, Arena *arena, Verdict *out)
{
    const TokenPair *pair = first_parting(of);
    out->style = STYLE_ERROR;
    out->word = str_of(tr("DIFFERS"));
    if (pair)
        out->place = str_printf(arena, tr("sample %u, token %u"), pair->sample,
                                pair->parts_at < pair->other_at ? pair->parts_at : pair->other_at);
}

// "2,319 tokens of 12 samples; masked: 60; NaN on both sides: 12"
static Str context(const TokenComparison *of, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    Str tokens = str_printf(arena, tr_count(of->counted, STR_FMT " token", STR_FMT " tokens"),
                            STR_ARG(figure_count(of->counted, arena)));
    strbuf_printf(&out,
                  tr_count(of->pair_count, STR_FMT " of %zu sample; masked: " STR_FMT,
                           STR_FMT " of %zu samples; masked: " STR_FMT),
                  STR_ARG(tokens), of->pair_count, STR_ARG(figure_count(of->masked, arena)));
    if (of->unknown)
        strbuf_printf(&out, tr("; NaN on both sides: " STR_FMT),
                      STR_ARG(figure_count(of->unknown, arena)));
    if (of->no_chance)
        strbuf_printf(&out, tr("; infinite on both sides: " STR_FMT),
                      STR_ARG(figure_count(of->no_chance, arena)));
    return strbuf_str(&out);
}

// "over 24 steps: mean |Δ| 1.0e-03 in the first 8, 4.1e-03 from step 15 on"
static void add_course(const TokenCourse *course, int64_t step, Arena *arena, Verdict *out)
{
    const TokenStep *items = course->items;
    StrBuf text = strbuf_new(arena);
    bool drifts = course->from < course->count;
    out->place = out->place.size ? str_printf(arena, tr("step %lld, " STR_FMT), (long long)step,
                                              STR_ARG(out->place))
                                 : STR("");
    if (drifts) {
        out->style = STYLE_ERROR;
        out->word = str_of(tr("DIFFERS"));
        out->place = str_printf(arena, tr("step %lld"), (long long)items[course->from].step);
        strbuf_printf(&text,
                      tr("the sides part more and more: mean |Δ| " STR_FMT
                         " in the first %zu steps, " STR_FMT " from there on"),
                      STR_ARG(digits(course->before, 2, arena)), course->begun,
                      STR_ARG(digits(course->after, 2, arena)));
    } else {
        strbuf_printf(&text, tr("step %lld of %zu, which do not part more and more"),
                      (long long)step, course->count);
    }
    strbuf_add(&text, str_of(tr("; ")));
    strbuf_add(&text, out->reason);
    out->reason = str_copy(arena, strbuf_str(&text));
}

void token_verdict(const TokenComparison *of, const TokenCourse *course, int64_t step, bool partial,
                   Arena *arena, Verdict *out)
{
    TokenOutcome outcome = token_outcome(of);
    *out = (Verdict){.partial = partial};
    out->context = context(of, arena);
    out->reason = reason(of, arena);
    if (outcome == TOKENS_NOTHING) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason = str_of(of->no_chance ? tr("every counted token is infinite on both sides")
                                           : tr("no token is counted on both sides"));
    } else if (outcome == TOKENS_SAME) {
        out->style = STYLE_SAME;
        out->word = str_of(tr("SAME"));
        out->reason = str_printf(arena,
                                 tr_count(of->equal, "the " STR_FMT " counted token is equal",
                                          "all " STR_FMT " counted tokens are equal"),
                                 STR_ARG(figure_count(of->equal, arena)));
    } else if (outcome == TOKENS_AGREE) {
        out->style = STYLE_PASS;
        out->word = str_of(tr("AGREES"));
    } else {
        differs(of, arena, out);
    }
    if (course)
        add_course(course, step, arena, out);
    StrBuf rest = strbuf_new(arena);
    if (out->place.size) {
        strbuf_printf(&rest, tr("from " STR_FMT " on:"), STR_ARG(out->place));
        strbuf_add_char(&rest, ' ');
    }
    strbuf_printf(&rest, tr(STR_FMT ". " STR_FMT "."), STR_ARG(out->reason), STR_ARG(out->context));
    out->joint = str_of(tr("from"));
    out->sentence = verdict_sentence(out, strbuf_str(&rest), arena);
}
