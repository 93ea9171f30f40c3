// SPDX-License-Identifier: Apache-2.0
#include "verdict/history_text.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

enum { NAMED = 3 };

void history_view(const History *history, Arena *arena, HistoryView *out)
{
    *out = (HistoryView){.history = history, .night = history->count - 1};
    history_things(history, arena, &out->things);
    history_news(&out->things, out->night, &out->news);
}

Str history_night_verdict(const HistoryNight *night)
{
    Str rest = night->verdict, line = {0};
    for (int i = 0; i <= (int)words_lang() && rest.size; i++)
        str_split(&rest, '\n', &line);
    return line;
}

Str history_night_name(const HistoryNight *night, Arena *arena)
{
    return str_printf(arena, tr("night %lld (" STR_FMT ")"), (long long)night->number,
                      STR_ARG(night->label));
}

// "step 0, rank 1" of "step0/rank1".
static Str pair_name(Str place, Arena *arena)
{
    int64_t step, rank;
    size_t slash = str_find_char(place, '/', 0);
    if (slash == SIZE_MAX || !str_to_int64(str_slice(place, 4, slash), &step) ||
        !str_to_int64(str_slice(place, slash + 5, place.size), &rank))
        return place;
    return str_printf(arena, tr("step %lld, rank %lld"), (long long)step, (long long)rank);
}

Str history_thing_name(const HistoryThing *thing, Arena *arena)
{
    if (str_equal(thing->kind, STR("pair")))
        return pair_name(thing->place, arena);
    if (thing->place.size == 0)
        return thing->name;
    return str_printf(arena, tr(STR_FMT " of " STR_FMT), STR_ARG(thing->name),
                      STR_ARG(thing->place));
}

Str history_note(const HistoryFact *fact, Arena *arena)
{
    return fact ? str_of(tr(str_cstr(arena, fact->note))) : STR("");
}

Str history_metric(Str metric)
{
    static const struct {
        const char *metric, *shown;
    } words[] = {
        {"forward", TR("forward")},
        {"backward", TR("backward")},
        {"parameters", TR("parameters")},
        {"largest_error", TR("largest error")},
        {"mean_relative", TR("mean rel. difference")},
        {"relative_error", TR("relative error")},
        {"signed_mean", TR("mean difference")},
        {"max_abs", TR("largest difference")},
        {"median", TR("median")},
        {"ratio", TR("times its median")},
        {"difference", TR("difference")},
        {"status", TR("status")},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal(metric, str_of(words[i].metric)))
            return str_of(tr(words[i].shown));
    return metric;
}

Str history_figure(const HistoryThing *thing, size_t night, Arena *arena)
{
    const HistoryFact *fact = history_telling_fact(thing, night);
    if (!fact || isnan(fact->value))
        return (Str){"", 0};
    Str value = figure_number(fact->value, 3, arena), metric = history_metric(fact->metric);
    return str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(metric), STR_ARG(value));
}

CellStyle history_style(FactState state)
{
    static const CellStyle styles[] = {STYLE_NO_DATA, STYLE_PASS, STYLE_ERROR_TINT, STYLE_WARNING,
                                       STYLE_ERROR};
    return styles[state];
}

Str history_state_shown(FactState state)
{
    static const char *const words[] = {TR("no data"), TR("within tolerance"), TR("inherited"),
                                        TR("warning"), TR("beyond tolerance")};
    return str_of(tr(words[state]));
}

Str history_change_shown(ThingChange change)
{
    static const char *const words[] = {TR("no data"), TR("calm"), TR("new"), TR("lasting"),
                                        TR("recovered")};
    return str_of(tr(words[change]));
}

// "blocks.2 (forward 2.9e-05), step 0, rank 0 and 3 more" of the things with that change.
static Str list_changed(const HistoryView *view, ThingChange change, Arena *arena)
{
    StrBuf text;
    size_t named = 0;
    text = strbuf_new(arena);
    for (size_t i = 0; i < view->things.count && named < NAMED; i++) {
        const HistoryThing *thing = &view->things.items[i];
        size_t since;
        if (history_change(thing, view->night, &since) != change)
            continue;
        Str name = history_thing_name(thing, arena);
        Str figure = history_figure(thing, view->night, arena);
        strbuf_printf(&text, named++ ? tr("; " STR_FMT) : STR_FMT, STR_ARG(name));
        if (change != THING_RECOVERED && figure.size)
            strbuf_printf(&text, tr(" (" STR_FMT ")"), STR_ARG(figure));
        if (since < view->night && change != THING_NEW)
            strbuf_printf(&text, tr(" since night %lld"),
                          (long long)view->history->items[since].number);
    }
    if (view->news.counts[change] > named)
        strbuf_printf(&text, tr("; %zu more"), view->news.counts[change] - named);
    return strbuf_str(&text);
}

// "*" in `sentence` stands for the list.
static void add_part(StrBuf *text, const HistoryView *view, ThingChange change,
                     const char *sentence)
{
    if (view->news.counts[change] == 0)
        return;
    Str list = list_changed(view, change, text->arena);
    strbuf_add(text, str_replace(text->arena, str_of(sentence), STR("*"), list));
}

Str history_news_sentence(const HistoryView *view, Arena *arena)
{
    const HistoryNight *nights = view->history->items;
    const size_t *counts = view->news.counts;
    const HistoryNight *now = &nights[view->night];
    StrBuf text = strbuf_new(arena);
    if (view->night == 0) {
        strbuf_printf(&text, tr("Night %lld (" STR_FMT ") is the first one that is kept."),
                      (long long)now->number, STR_ARG(now->label));
        add_part(&text, view, THING_LASTING, tr(" Beyond tolerance: *."));
        return strbuf_str(&text);
    }
    const HistoryNight *before = &nights[view->night - 1];
    strbuf_printf(&text, tr("Night %lld (" STR_FMT ") against night %lld (" STR_FMT ")."),
                  (long long)now->number, STR_ARG(now->label), (long long)before->number,
                  STR_ARG(before->label));
    if (counts[THING_NEW] + counts[THING_RECOVERED] == 0)
        strbuf_add(&text, str_of(tr(" Nothing new.")));
    add_part(&text, view, THING_NEW, tr(" New: *."));
    add_part(&text, view, THING_RECOVERED, tr(" Recovered: *."));
    add_part(&text, view, THING_LASTING, tr(" Lasting: *."));
    return strbuf_str(&text);
}

HistoryScale history_scale(const HistoryTrack *const *tracks, size_t count, size_t from, size_t to)
{
    double low = INFINITY, high = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < count * (to - from + 1); i++) {
        const HistoryFact *fact = tracks[i % count]->nights[from + i / count];
        double value = fact ? fact->value : (double)NAN;
        if (!isfinite(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
        if (value > 0)
            least = fmin(least, value);
    }
    HistoryScale scale = {.low = low, .high = high, .least = low, .most = high};
    if (low >= 0 && isfinite(least) && (low == 0 || high / least > 100)) {
        scale.log = true;
        scale.high = log10(high);
        scale.low = fmin(log10(least), scale.high - 1);
        if (low == 0)
            scale.low -= 0.5;  // 0 lies below every number
    }
    return scale;
}

double history_height(const HistoryScale *scale, const HistoryFact *fact)
{
    if (!fact || isnan(fact->value))
        return (double)NAN;
    if (!isfinite(fact->value))
        return INFINITY;
    if (scale->high <= scale->low)
        return 0;
    double value = !scale->log ? fact->value : fact->value > 0 ? log10(fact->value) : scale->low;
    return fmin(1, fmax(0, (value - scale->low) / (scale->high - scale->low)));
}

Str history_sparkline(const HistoryTrack *track, size_t night, size_t nights, Arena *arena)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t from = night + 1 > nights ? night + 1 - nights : 0;
    HistoryScale scale = history_scale(&track, 1, from, night);
    StrBuf text = strbuf_new(arena);
    for (size_t i = from; i <= night; i++) {
        double height = history_height(&scale, track->nights[i]);
        const char *bar = isnan(height)       ? "·"
                          : !isfinite(height) ? "!"
                                              : bars[(int)(height * 7 + 0.5)];
        strbuf_add(&text, str_of(bar));
    }
    return strbuf_str(&text);
}

// ---- the verdict of `vernier history`

// Of the commands whose newest night is worse the first, else of those that recovered, else the
// first.
static size_t deciding_view(const HistoryView *views, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (views[i].news.worse)
            return i;
    for (size_t i = 0; i < count; i++)
        if (views[i].news.counts[THING_RECOVERED])
            return i;
    return 0;
}

// The nightly run before the newest one in which something was new or recovered: "last change in
// night 9 (mon)".
static Str last_change(const HistoryView *view, Arena *arena)
{
    for (size_t night = view->night; night > 0; night--) {
        HistoryNews news;
        history_news(&view->things, night, &news);
        if (news.counts[THING_NEW] + news.counts[THING_RECOVERED])
            return str_printf(arena, tr("last change in " STR_FMT),
                              STR_ARG(history_night_name(&view->history->items[night], arena)));
    }
    return str_of(tr("no change in any night"));
}

static Str counted(const HistoryView *views, size_t count, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&text,
                      tr_count(views[i].history->count, "%s%zu night of " STR_FMT,
                               "%s%zu nights of " STR_FMT),
                      i ? ", " : "", views[i].history->count, STR_ARG(views[i].history->command));
    return strbuf_str(&text);
}

void history_verdict(const HistoryView *views, size_t count, Arena *arena, Verdict *out)
{
    *out = (Verdict){.style = STYLE_NO_DATA, .word = str_of(tr("EMPTY")), .joint = STR(" ")};
    out->reason = str_of(tr("the history holds no night yet"));
    if (count) {
        const HistoryView *view = &views[deciding_view(views, count)];
        bool better = !view->news.worse && view->news.counts[THING_RECOVERED];
        FactState state = view->history->items[view->night].state;
        out->style = view->news.worse ? STYLE_ERROR : better ? STYLE_PASS : history_style(state);
        out->word = str_of(view->news.worse ? tr("WORSE") : better ? tr("BETTER") : tr("STEADY"));
        out->reason = history_news_sentence(view, arena);
        out->context = counted(views, count, arena);
        if (!view->news.worse && !better)
            out->context = str_printf(arena, STR_FMT " · " STR_FMT, STR_ARG(out->context),
                                      STR_ARG(last_change(view, arena)));
    }
    Str rest = out->context.size ? str_printf(arena, tr(STR_FMT " (" STR_FMT ")"),
                                              STR_ARG(out->reason), STR_ARG(out->context))
                                 : out->reason;
    out->sentence = verdict_sentence(out, rest, arena);
}
