// SPDX-License-Identifier: Apache-2.0
#include "verdict/check_verdict.h"

#include "base/words.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

Str check_place(const LawBreak *where, Arena *arena)
{
    if (where->other < 0)
        return str_printf(arena, tr("step %lld, rank %lld"), (long long)where->step,
                          (long long)where->rank);
    return str_printf(arena, tr("step %lld, ranks %lld and %lld"), (long long)where->step,
                      (long long)where->rank, (long long)where->other);
}

// The first that follows no other.
static const LawResult *first_broken(const LawResults *results)
{
    const LawResult *best = NULL;
    for (size_t i = 0; i < results->count; i++) {
        const LawResult *it = &results->items[i];
        if (it->state == LAW_BROKEN && !it->follows &&
            (!best || it->breaks[0].step < best->breaks[0].step))
            best = it;
    }
    return best;
}

static Str counts_text(const LawResults *results, Arena *arena)
{
    Str text = str_printf(arena, tr("%zu of %zu invariants that can be seen here hold"),
                          results->states[LAW_HOLDS], results->possible);
    size_t open = results->possible - results->states[LAW_HOLDS] - results->states[LAW_BROKEN];
    if (open)
        text = str_printf(arena, tr(STR_FMT ", %zu could not be checked"), STR_ARG(text), open);
    if (results->more.size)
        text = str_printf(arena, tr(STR_FMT "; " STR_FMT), STR_ARG(text), STR_ARG(results->more));
    if (results->states[LAW_SKIPPED])
        text = str_printf(arena, tr(STR_FMT ", %zu skipped"), STR_ARG(text),
                          results->states[LAW_SKIPPED]);
    return text;
}

static Str extent_text(const CheckView *view, Arena *arena)
{
    Str files = str_printf(arena,
                           view->of_dumps ? tr_count(view->files, "%zu dump", "%zu dumps")
                                          : tr_count(view->files, "%zu file", "%zu files"),
                           view->files);
    Str steps = str_printf(arena, tr_count(view->steps, "%zu step", "%zu steps"), view->steps);
    return str_printf(arena, tr(STR_FMT ", " STR_FMT), STR_ARG(files), STR_ARG(steps));
}

// What the configuration of the run told of it, after what is said.
static Str with_expected(const CheckView *view, Str rest, Arena *arena)
{
    const Expects *all = view->evidence->expects->all;
    StrBuf text = strbuf_new(arena);
    Str last = STR("");
    for (size_t i = 0; i < all->count; i++) {
        Str source = all->items[i].source;
        Str file = str_slice(source, 0, str_find(source, STR(": "), 0));
        if (source.size == 0 || view->evidence->expects->tally[i].checked == 0)
            continue;
        if (str_equal(file, last))
            strbuf_printf(&text, ", " STR_FMT, STR_ARG(all->items[i].text));
        else
            strbuf_printf(&text, "%s" STR_FMT ": " STR_FMT, text.size ? "; " : "", STR_ARG(file),
                          STR_ARG(all->items[i].text));
        last = file;
    }
    return text.size == 0 ? rest
                          : str_printf(arena, tr(STR_FMT " Expected by " STR_FMT "."),
                                       STR_ARG(rest), STR_ARG(strbuf_str(&text)));
}

static void broken_verdict(const CheckView *view, const LawResult *law, Arena *arena, Verdict *out)
{
    const LawBreak *first = &law->breaks[0];
    Str counts = counts_text(view->results, arena), where = check_place(first, arena);
    Str what = first->what.size ? str_printf(arena, tr(STR_FMT ", " STR_FMT), STR_ARG(first->what),
                                             STR_ARG(first->text))
                                : first->text;
    size_t broken = view->results->states[LAW_BROKEN];
    out->style = STYLE_ERROR;
    out->word = str_of(tr("BROKEN"));
    out->reason = str_printf(arena, tr("%s: " STR_FMT " (" STR_FMT ")."), tr(law->texts.broken),
                             STR_ARG(what), STR_ARG(where));
    out->context = str_printf(arena,
                              tr_count(broken, "%zu invariant is broken; " STR_FMT,
                                       "%zu invariants are broken; " STR_FMT),
                              broken, STR_ARG(counts));
    Str rest =
        str_printf(arena, tr(STR_FMT " " STR_FMT "."), STR_ARG(out->reason), STR_ARG(out->context));
    out->sentence = verdict_sentence(out, with_expected(view, rest, arena), arena);
}

void check_verdict(const CheckView *view, bool partial, Arena *arena, Verdict *out)
{
    const LawResult *broken = first_broken(view->results);
    Str counts = counts_text(view->results, arena), extent = extent_text(view, arena);
    *out = (Verdict){.partial = partial};
    if (broken) {
        broken_verdict(view, broken, arena, out);
        return;
    }
    bool any = view->results->states[LAW_HOLDS] > 0;
    out->style = any ? STYLE_PASS : STYLE_NO_DATA;
    out->word = str_of(any ? tr("HOLDS") : tr("NOT CHECKED"));
    out->reason = str_printf(arena, tr(STR_FMT "."), STR_ARG(counts));
    if (view->open.size)
        out->reason = str_printf(arena, tr(STR_FMT " " STR_FMT "."), STR_ARG(out->reason),
                                 STR_ARG(view->open));
    out->context = extent;
    Str rest = str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(extent), STR_ARG(out->reason));
    out->sentence = verdict_sentence(out, with_expected(view, rest, arena), arena);
}
