// SPDX-License-Identifier: Apache-2.0
#include "verdict/monitor_verdict.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "verdict/sentence.h"

// "4.0x", "0.31x", "1.2e+04x": two digits tell how far, more would say how exactly.
static Str ratio_text(double ratio, Arena *arena)
{
    char text[NUMBER_BYTES];
    if (isinf(ratio))
        return str_of(tr("without bound"));
    if (ratio >= 0.95 && ratio < 100) {
        number_fixed(ratio, 1, text);
        return str_printf(arena, "%s%sx", text,
                          str_find_char(str_of(text), '.', 0) == SIZE_MAX ? ".0" : "");
    }
    number_significant(ratio, 2, text);
    return str_printf(arena, "%sx", text);
}

static Str object_text(const Alarm *alarm, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    strbuf_add(&text, alarm->type);
    strbuf_add_char(&text, ' ');
    strbuf_add(&text, alarm->name);
    if (alarm->stage != MONITOR_NONE && alarm->stage > 0)
        strbuf_printf(&text, tr(" (stage %lld)"), (long long)alarm->stage);
    return strbuf_str(&text);
}

static Str what_text(const Alarm *alarm, Arena *arena)
{
    Str object = object_text(alarm, arena);
    Str op = alarm->op_count ? alarm->ops[0] : STR("");
    char number[NUMBER_BYTES], before[NUMBER_BYTES];
    if (alarm->rule == ALARM_SIMILARITY) {
        number_significant(alarm->value, 3, number);
        number_significant(alarm->history, 3, before);
        if (isnan(alarm->history))
            return str_printf(arena, tr("gradient direction of " STR_FMT " agrees by %s only"),
                              STR_ARG(alarm->name), number);
        return str_printf(
            arena, tr("agreement of the gradient direction of " STR_FMT " falls from %s to %s"),
            STR_ARG(alarm->name), before, number);
    }
    if (isnan(alarm->value))
        return str_printf(arena, tr("NaN in " STR_FMT), STR_ARG(object));
    if (isinf(alarm->value))
        return str_printf(arena, tr("infinity in " STR_FMT " of " STR_FMT), STR_ARG(op),
                          STR_ARG(object));
    if (str_equal(op, STR("nans")))
        return str_printf(arena, tr("NaN counted in " STR_FMT), STR_ARG(object));
    if (alarm->told.size)
        return str_printf(arena,
                          tr(STR_FMT " of " STR_FMT ", reported by the run itself (" STR_FMT ")"),
                          STR_ARG(op), STR_ARG(object), STR_ARG(alarm->told));
    Str ratio = ratio_text(alarm->ratio, arena);
    return str_printf(arena, tr(STR_FMT " of " STR_FMT " " STR_FMT " its history"), STR_ARG(op),
                      STR_ARG(object), STR_ARG(ratio));
}

// "norm of grad_reduced layers.1.mlp.w 4.0x its history, step 17, rank 2"
static Str alarm_sentence(const Alarm *alarm, Arena *arena)
{
    Str what = what_text(alarm, arena);
    return str_printf(arena, tr(STR_FMT ", step %lld, rank %lld"), STR_ARG(what),
                      (long long)alarm->step, (long long)alarm->rank);
}

Str monitor_extent(size_t ranks, size_t steps, size_t names, Arena *arena)
{
    Str rank_text = str_printf(arena, tr_count(ranks, "%zu rank", "%zu ranks"), ranks);
    Str step_text = str_printf(arena, tr_count(steps, "%zu step", "%zu steps"), steps);
    Str name_text = str_printf(arena, tr_count(names, "%zu name", "%zu names"), names);
    return str_printf(arena, tr(STR_FMT " x " STR_FMT ", " STR_FMT), STR_ARG(rank_text),
                      STR_ARG(step_text), STR_ARG(name_text));
}

static Str extent_text(const MonitorViews *views, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < views->count; i++) {
        const MonitorRun *run = &views->items[i].run;
        if (views->count > 1)
            strbuf_printf(&text, "%s" STR_FMT "%s", i ? tr("; ") : "", STR_ARG(run->name),
                          tr(": "));
        strbuf_add(&text,
                   monitor_extent(run->rank_count, run->step_count, run->object_count, arena));
    }
    return strbuf_str(&text);
}

static void quiet_verdict(const MonitorViews *views, Arena *arena, Verdict *out)
{
    size_t weak = 0;
    for (size_t i = 0; i < views->count; i++)
        weak += views->items[i].alarms.count + (size_t)views->items[i].alarms.left_out;
    char count[NUMBER_BYTES];
    number_count(weak, count);
    out->style = weak ? STYLE_WARNING : STYLE_PASS;
    out->word = str_of(tr("QUIET"));
    out->place = STR("");
    out->reason =
        weak ? str_printf(arena,
                          tr_count(weak,
                                   "%s alarm of the monitor's own rule on another statistic than "
                                   "the norm; no other rule confirms it",
                                   "%s alarms of the monitor's own rule on other statistics "
                                   "than the norm; no other rule confirms one"),
                          count)
             : str_of(tr("no alarm"));
    const MonitorApart *apart = &views->apart;
    if (apart->objects && apart->norms)
        out->reason = str_printf(
            arena,
            tr_count(apart->objects, STR_FMT "; the norm is " STR_FMT " golden's (%zu name)",
                     STR_FMT "; the norms are " STR_FMT " golden's (median of %zu names)"),
            STR_ARG(out->reason), STR_ARG(ratio_text(apart->middle, arena)), apart->objects);
    out->context = extent_text(views, arena);
    Str rest =
        str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(out->context), STR_ARG(out->reason));
    out->sentence = verdict_sentence(out, rest, arena);
}

// "; first alarm: norm of …" where another one is reported; empty where it is that one.
static Str first_text(const Alarm *told, const Alarm *first, Arena *arena)
{
    if (told->step == first->step && told->rank == first->rank &&
        str_equal(told->name, first->name))
        return STR("");
    return str_printf(arena, tr("; first alarm: " STR_FMT), STR_ARG(alarm_sentence(first, arena)));
}

// "ALARM NaN at layers.1.w, rank 1, step 23".
static void name_alarm(const Alarm *alarm, Str first, Arena *arena, Verdict *out)
{
    out->style = STYLE_ERROR;
    out->word = str_of(tr("ALARM"));
    out->joint = STR("");
    if (alarm_is_broken(alarm))
        out->joint = str_of(isinf(alarm->value) ? tr("infinity at") : tr("NaN at"));
    out->place = str_printf(arena, tr(STR_FMT ", rank %lld, step %lld"), STR_ARG(alarm->name),
                            (long long)alarm->rank, (long long)alarm->step);
    out->reason = str_concat(arena, what_text(alarm, arena), first);
}

void monitor_alarm_verdict(const Alarm *told, const Alarm *first, Arena *arena, Verdict *out)
{
    Str rest = first_text(told, first, arena);
    name_alarm(told, rest, arena, out);
    rest = str_concat(arena, alarm_sentence(told, arena), rest);
    out->sentence = verdict_sentence(out, rest, arena);
}

void monitor_no_alarm_verdict(const MonitorViews *views, const MonitorView *of, Str type,
                              Arena *arena, Verdict *out)
{
    Str elsewhere = out->place, found = out->reason;
    const MonitorView *told = &views->items[monitor_first_view(views)];
    out->style = STYLE_PASS;
    out->word = str_of(tr("QUIET"));
    out->place = STR("");
    out->joint = STR("");
    if (monitor_status(views) != MONITOR_ALARM)
        out->reason = str_printf(arena, tr("no alarm in " STR_FMT "; " STR_FMT), STR_ARG(type),
                                 STR_ARG(found));
    else if (told == of)
        out->reason = str_printf(arena, tr("no alarm in " STR_FMT "; the run alarms at " STR_FMT),
                                 STR_ARG(type), STR_ARG(elsewhere));
    else
        out->reason =
            str_printf(arena, tr("no alarm in " STR_FMT "; " STR_FMT " alarms at " STR_FMT),
                       STR_ARG(type), STR_ARG(told->run.name), STR_ARG(elsewhere));
    out->sentence = verdict_sentence(out, out->reason, arena);
}

// "norm of grad_reduced layers.0.w is 2.0x golden's from step 0 on, 27 of 27 names lie apart"
static Str apart_text(const MonitorApart *apart, Arena *arena)
{
    Str ratio = ratio_text(apart->ratio, arena);
    Alarm object = {.type = apart->type, .name = apart->name, .stage = apart->stage};
    return str_printf(arena,
                      tr(STR_FMT " of " STR_FMT " is " STR_FMT
                                 " golden's from step %lld on; %zu of %zu names differ"),
                      STR_ARG(apart->op), STR_ARG(object_text(&object, arena)), STR_ARG(ratio),
                      (long long)apart->step, apart->apart, apart->objects);
}

static void apart_verdict(const MonitorViews *views, Arena *arena, Verdict *out)
{
    out->style = STYLE_ERROR;
    out->word = str_of(tr("DIFFERS"));
    out->joint = STR("");
    out->place = views->apart.name;
    out->reason = apart_text(&views->apart, arena);
    out->context = extent_text(views, arena);
    out->sentence = verdict_sentence(out, out->reason, arena);
}

void monitor_verdict(const MonitorViews *views, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial};
    if (monitor_status(views) == MONITOR_APART) {
        apart_verdict(views, arena, out);
        return;
    }
    if (monitor_status(views) != MONITOR_ALARM) {
        quiet_verdict(views, arena, out);
        return;
    }
    size_t places = 0, index = monitor_first_view(views);
    for (size_t i = 0; i < views->count; i++)
        places += alarms_places(&views->items[i].alarms);
    const MonitorView *view = &views->items[index];
    const Alarm *told = alarms_gravest(&view->alarms);
    char count[NUMBER_BYTES];
    number_count(places, count);
    Str sentence = alarm_sentence(told, arena);
    Str first = first_text(told, alarms_first(&view->alarms), arena);
    name_alarm(told, first, arena, out);
    Str extent = extent_text(views, arena);
    Str run =
        views->count > 1 ? str_printf(arena, tr(" of " STR_FMT), STR_ARG(view->run.name)) : STR("");
    out->context =
        str_printf(arena, places == 1 ? tr("%s alarm · " STR_FMT) : tr("%s alarms · " STR_FMT),
                   count, STR_ARG(extent));
    Str apart = views->apart.apart ? str_printf(arena, tr("; %zu of %zu names differ from golden"),
                                                views->apart.apart, views->apart.objects)
                                   : STR("");
    Str rest = first.size ? str_printf(arena, tr(STR_FMT STR_FMT STR_FMT "; %s alarms"),
                                       STR_ARG(sentence), STR_ARG(run), STR_ARG(first), count)
                          : str_printf(arena,
                                       places == 1 ? tr("%s alarm: " STR_FMT STR_FMT)
                                                   : tr("%s alarms; first: " STR_FMT STR_FMT),
                                       count, STR_ARG(sentence), STR_ARG(run));
    out->context = str_concat(arena, out->context, apart);
    out->sentence = verdict_sentence(out, str_concat(arena, rest, apart), arena);
}
