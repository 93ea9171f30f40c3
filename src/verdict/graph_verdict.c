// SPDX-License-Identifier: Apache-2.0
// What the hierarchies of one or many dumps say.
#include "verdict/graph_verdict.h"

#include "base/words.h"
#include "compare/nonfinite/locate.h"
#include "read/dump/place_name.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

Str overflow_shown(Overflow level)
{
    static const char *const words[] = {TR("none"), TR("medium"), TR("high"), TR("critical")};
    return str_of(tr(words[level]));
}

// "2 critical, 3 high, 1 medium"
static Str levels_text(const uint32_t levels[OVERFLOW_COUNT], Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (int level = OVERFLOW_COUNT - 1; level > OVERFLOW_NONE; level--)
        if (levels[level])
            strbuf_printf(&text, "%s%u " STR_FMT, text.size ? ", " : "", levels[level],
                          STR_ARG(overflow_shown((Overflow)level)));
    return strbuf_str(&text);
}

// None found, of those that can be judged.
static void calm_verdict(uint64_t ops, uint64_t unjudged, Arena *arena, Verdict *out)
{
    Str all = figure_count(ops, arena), judged = figure_count(ops - unjudged, arena);
    out->joint = STR(" ");
    out->word = str_of(tr("FINITE"));
    out->place = str_printf(arena, tr_count(ops, STR_FMT " op", STR_FMT " ops"), STR_ARG(all));
    out->reason = str_of(tr("no overflow level."));
    if (unjudged == ops) {
        out->word = str_of(tr("NOT JUDGED"));
        out->reason =
            str_of(tr("no op records statistics of its results, so overflow cannot be judged."));
    } else if (unjudged) {
        out->place =
            str_printf(arena, tr(STR_FMT " of " STR_FMT " ops"), STR_ARG(judged), STR_ARG(all));
        out->reason = str_printf(arena,
                                 tr("no overflow level; " STR_FMT " of " STR_FMT
                                    " ops have tensors without statistics and cannot be judged."),
                                 STR_ARG(figure_count(unjudged, arena)), STR_ARG(all));
    }
}

// Where the worst level is first: what was found there is the word.
static void overflow_verdict(const GraphFacts *first, const uint32_t levels[OVERFLOW_COUNT],
                             Arena *arena, Verdict *out)
{
    out->style = first->first_found ? STYLE_ERROR : STYLE_WARNING;
    out->word = str_of(first->first_found ? locate_kind_word(first->first_found) : tr("GROWS"));
    out->place = first->first_overflow;
    Str level = overflow_shown(first->first_level), sums = levels_text(levels, arena);
    out->reason = str_printf(
        arena,
        first->first_found ? tr("the first " STR_FMT "; overflow levels: " STR_FMT ".")
                           : tr("the first " STR_FMT ": an output norm over 100 times that of the "
                                "inputs, all finite; overflow levels: " STR_FMT "."),
        STR_ARG(level), STR_ARG(sums));
    out->context = place_text(first->step, first->stage, first->rank, arena);
}

// "1 dump, 421 ops, 126 modules; repeats: blocks.0 … blocks.3 ×4"
static Str extent_text(const GraphFacts *facts, size_t count, Arena *arena)
{
    uint64_t ops = 0, modules = 0, read = 0;
    Str repeat = {0};
    for (size_t i = 0; i < count; i++) {
        bool alike = !read || str_equal(repeat, facts[i].repeat);
        read += !facts[i].failed;
        ops += facts[i].read.ops;
        modules += facts[i].modules;
        if (!facts[i].failed)
            repeat = alike ? facts[i].repeat : (Str){0};
    }
    Str dumps = read == 1 ? str_of(tr("1 dump"))
                          : str_printf(arena, tr("%llu dumps"), (unsigned long long)read);
    Str op_count = str_printf(arena, tr_count(ops, STR_FMT " op", STR_FMT " ops"),
                              STR_ARG(figure_count(ops, arena)));
    Str module_count = str_printf(arena, tr_count(modules, STR_FMT " module", STR_FMT " modules"),
                                  STR_ARG(figure_count(modules, arena)));
    Str extent = str_printf(arena, tr(STR_FMT ", " STR_FMT ", " STR_FMT), STR_ARG(dumps),
                            STR_ARG(op_count), STR_ARG(module_count));
    return repeat.size ? str_printf(arena, tr(STR_FMT "; most repeats: " STR_FMT), STR_ARG(extent),
                                    STR_ARG(repeat))
                       : extent;
}

void graph_verdict(const GraphFacts *facts, size_t count, bool partial, Arena *arena, Verdict *out)
{
    uint64_t ops = 0, read = 0, unjudged = 0, slots = 0;
    uint32_t levels[OVERFLOW_COUNT] = {0};
    const GraphFacts *first = NULL;
    *out = (Verdict){.partial = partial};
    for (size_t i = 0; i < count; i++) {
        read += !facts[i].failed;
        ops += facts[i].read.ops;
        unjudged += facts[i].unjudged;
        slots += facts[i].slots;
        for (int level = 0; level < OVERFLOW_COUNT; level++)
            levels[level] += facts[i].levels[level];
        if (facts[i].first_overflow.size && (!first || facts[i].first_level > first->first_level))
            first = &facts[i];
    }
    if (ops == 0 || slots == 0) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NO DATA"));
        out->reason = str_of(ops    ? tr("no op holds a value.")
                             : read ? tr("no dump holds an op.")
                                    : tr("no dump could be read."));
        out->sentence = verdict_sentence(out, out->reason, arena);
        return;
    }
    Str extent = extent_text(facts, count, arena);
    out->style = STYLE_PLAIN;
    if (!first) {
        calm_verdict(ops, unjudged, arena, out);
        out->context = extent;
        Str rest = str_printf(arena, tr(STR_FMT ": " STR_FMT " " STR_FMT "."), STR_ARG(out->place),
                              STR_ARG(out->reason), STR_ARG(extent));
        out->sentence = verdict_sentence(out, rest, arena);
        return;
    }
    overflow_verdict(first, levels, arena, out);
    Str rest = str_printf(arena, tr("at " STR_FMT ", " STR_FMT ": " STR_FMT " " STR_FMT "."),
                          STR_ARG(out->place), STR_ARG(out->context), STR_ARG(out->reason),
                          STR_ARG(extent));
    out->context = str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(out->context), STR_ARG(extent));
    out->sentence = verdict_sentence(out, rest, arena);
}
