// SPDX-License-Identifier: Apache-2.0
// What the hierarchies of one or many dumps say.
#include "verdict/graph_verdict.h"

#include "base/words.h"
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
static Str calm_text(uint64_t ops, uint64_t unjudged, Arena *arena)
{
    if (unjudged == 0)
        return str_of(tr("no overflow level."));
    if (unjudged == ops)
        return str_of(tr("no tensor has statistics, so overflow cannot be judged."));
    return str_printf(arena,
                      tr("no overflow level; " STR_FMT " of " STR_FMT
                         " ops have tensors without statistics and cannot be judged."),
                      STR_ARG(figure_count(unjudged, arena)), STR_ARG(figure_count(ops, arena)));
}

void graph_verdict(const GraphFacts *facts, size_t count, bool partial, Arena *arena, Verdict *out)
{
    uint64_t ops = 0, modules = 0, read = 0, unjudged = 0;
    uint32_t levels[OVERFLOW_COUNT] = {0};
    const GraphFacts *first = NULL;
    *out = (Verdict){.partial = partial, .word = str_of(tr("GRAPH"))};
    for (size_t i = 0; i < count; i++) {
        read += !facts[i].failed;
        ops += facts[i].read.ops;
        modules += facts[i].modules;
        unjudged += facts[i].unjudged;
        for (int level = 0; level < OVERFLOW_COUNT; level++)
            levels[level] += facts[i].levels[level];
        if (facts[i].first_overflow.size && (!first || facts[i].first_level > first->first_level))
            first = &facts[i];
    }
    if (read == 0) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NO DATA"));
        out->reason = str_of(tr("no dump could be read."));
        out->sentence = verdict_sentence(out, out->reason, arena);
        return;
    }
    Str op_count = str_printf(arena, tr_count(ops, STR_FMT " op", STR_FMT " ops"),
                              STR_ARG(figure_count(ops, arena)));
    Str module_count = str_printf(arena, tr_count(modules, STR_FMT " module", STR_FMT " modules"),
                                  STR_ARG(figure_count(modules, arena)));
    Str dumps = read == 1 ? str_of(tr("1 dump"))
                          : str_printf(arena, tr("%llu dumps"), (unsigned long long)read);
    Str extent = str_printf(arena, tr(STR_FMT ", " STR_FMT ", " STR_FMT), STR_ARG(dumps),
                            STR_ARG(op_count), STR_ARG(module_count));
    out->style = STYLE_PLAIN;
    out->context = extent;
    out->reason = calm_text(ops, unjudged, arena);
    if (first) {
        Str sums = levels_text(levels, arena);
        out->reason = str_printf(
            arena,
            tr("overflow levels: " STR_FMT "; the first " STR_FMT " at " STR_FMT ", " STR_FMT "."),
            STR_ARG(sums), STR_ARG(overflow_shown(first->first_level)),
            STR_ARG(first->first_overflow),
            STR_ARG(place_text(first->step, first->stage, first->rank, arena)));
    }
    Str rest = str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(extent), STR_ARG(out->reason));
    out->sentence = verdict_sentence(out, rest, arena);
}
