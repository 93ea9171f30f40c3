// SPDX-License-Identifier: Apache-2.0
#include "layout/history_tables.h"

#include <math.h>

#include "base/words.h"
#include "layout/head_table.h"

enum { SPARK_NIGHTS = 30, TRENDS_MAX = 20000, EVENTS_MAX = 2000 };

static void note_left_out(Table *table, size_t total, Arena *arena)
{
    if (total > table->row_count)
        table->note =
            str_printf(arena,
                       tr_count(total - (size_t)table->row_count, "%zu more row is left out here",
                                "%zu more rows are left out here"),
                       total - (size_t)table->row_count);
}

static Cell state_cell(const HistoryThing *thing, size_t night, Arena *arena)
{
    return cell_styled(history_style((FactState)thing->states[night]),
                       history_thing_name(thing, arena));
}

static Cell night_cell(const HistoryView *view, size_t night, Arena *arena)
{
    int64_t number = view->history->items[night].number;
    return cell_number_as((double)number, str_printf(arena, "%lld", (long long)number));
}

static Str note_of(const HistoryThing *thing, size_t night)
{
    const HistoryFact *fact = history_telling_fact(thing, night);
    return fact ? fact->note : (Str){"", 0};
}

// What tells about a recovery is the trouble that ended.
static size_t told_night(ThingChange change, size_t night, size_t since)
{
    return change == THING_RECOVERED ? since : night;
}

static void add_news(Table *table, const HistoryView *view, const HistoryThing *thing, Arena *arena)
{
    size_t since;
    ThingChange change = history_change(thing, view->night, &since);
    Cell *row = table_add_row(table);
    size_t told = told_night(change, view->night, since);
    row[0] =
        cell_styled(change == THING_NEW ? STYLE_STRONG : STYLE_PLAIN, history_change_shown(change));
    row[1] = state_cell(thing, view->night, arena);
    row[2] = cell_text(history_figure(thing, told, arena));
    row[3] = cell_text(change == THING_RECOVERED || since < view->night
                           ? history_night_name(&view->history->items[since], arena)
                           : str_of(tr("this night")));
    row[4] = cell_styled(STYLE_CODE, note_of(thing, told));
}

Table *history_table_of_news(const HistoryView *view, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("change"),           12, false},
        {TR("what"),             32, false},
        {TR("figure"),           24, false},
        {TR("began"),            24, false},
        {TR("where it is seen"), 48, false},
    };
    static const ThingChange order[] = {THING_NEW, THING_RECOVERED, THING_LASTING};
    Table *table = HEAD_TABLE(TR("Since last night"), heads, arena);
    size_t total = 0;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        total += view->news.counts[order[k]];
        for (size_t i = 0; i < view->things.count && table->row_count < limit; i++) {
            size_t since;
            if (history_change(&view->things.items[i], view->night, &since) == order[k])
                add_news(table, view, &view->things.items[i], arena);
        }
    }
    note_left_out(table, total, arena);
    return total ? table : NULL;
}

static void add_trend(Table *table, const HistoryView *view, const HistoryThing *thing,
                      const HistoryTrack *track, Arena *arena)
{
    size_t since, night = view->night;
    ThingChange change = history_change(thing, night, &since);
    const HistoryFact *now = track->nights[night];
    const HistoryFact *before = night ? track->nights[night - 1] : NULL;
    Cell *row = table_add_row(table);
    row[0] = state_cell(thing, night, arena);
    row[1] = cell_text(history_metric(track->metric));
    row[2] = cell_text(history_sparkline(track, night, SPARK_NIGHTS, arena));
    row[3] = number_cell(before ? before->value : (double)NAN, arena);
    row[4] = number_cell(now ? now->value : (double)NAN, arena);
    bool inherited = change == THING_CALM && thing->states[night] == FACT_INHERITED;
    row[5] =
        cell_text(inherited ? history_state_shown(FACT_INHERITED) : history_change_shown(change));
    row[6] = change == THING_CALM || change == THING_UNKNOWN
                 ? cell_text(STR("—"))
                 : cell_text(history_night_name(&view->history->items[since], arena));
}

// With a limit the things that tell something come first.
static void add_trends(Table *table, const HistoryView *view, bool telling, size_t limit,
                       Arena *arena)
{
    for (size_t i = 0; i < view->things.count; i++) {
        const HistoryThing *thing = &view->things.items[i];
        size_t since;
        ThingChange change = history_change(thing, view->night, &since);
        bool tells = change == THING_NEW || change == THING_LASTING || change == THING_RECOVERED;
        for (size_t k = 0; k < thing->track_count && table->row_count < limit; k++)
            if (tells == telling && !str_equal(thing->kind, STR("pair")))
                add_trend(table, view, thing, &thing->tracks[k], arena);
    }
}

static size_t count_trends(const HistoryView *view)
{
    size_t count = 0;
    for (size_t i = 0; i < view->things.count; i++)
        if (!str_equal(view->things.items[i].kind, STR("pair")))
            count += view->things.items[i].track_count;
    return count;
}

Table *history_table_of_trends(const HistoryView *view, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("what"),       36, false},
        {TR("metric"),     16, false},
        {TR("trend"),      34, false},
        {TR("last night"), 12, true },
        {TR("this night"), 12, true },
        {TR("change"),     12, false},
        {TR("began"),      24, false},
    };
    Table *table = HEAD_TABLE(TR("Night history"), heads, arena);
    limit = limit ? limit : TRENDS_MAX;
    add_trends(table, view, true, limit, arena);
    add_trends(table, view, false, limit, arena);
    size_t total = count_trends(view);
    note_left_out(table, total, arena);
    return table;
}

Table *history_table_of_nights(const HistoryView *view, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("night"),     8,  true },
        {TR("label"),     20, false},
        {TR("new"),       8,  true },
        {TR("recovered"), 10, true },
        {TR("lasting"),   10, true },
        {TR("verdict"),   90, false},
    };
    static const ThingChange shown[] = {THING_NEW, THING_RECOVERED, THING_LASTING};
    Table *table = HEAD_TABLE(TR("Nights"), heads, arena);
    limit = limit ? limit : SIZE_MAX;
    for (size_t i = view->night + 1; i-- > 0 && table->row_count < limit;) {
        const HistoryNight *night = &view->history->items[i];
        HistoryNews news;
        history_news(&view->things, i, &news);
        Cell *row = table_add_row(table);
        row[0] = night_cell(view, i, arena);
        row[1] = cell_styled(history_style(night->state), night->label);
        for (size_t k = 0; k < 3; k++)
            row[2 + k] = step_cell((int64_t)news.counts[shown[k]], arena);
        row[5] = cell_text(night->verdict);
    }
    note_left_out(table, view->night + 1, arena);
    return table;
}

static bool is_event(const HistoryThing *thing, size_t night)
{
    size_t since;
    ThingChange change = history_change(thing, night, &since);
    return !str_equal(thing->kind, STR("pair")) &&
           (change == THING_NEW || change == THING_RECOVERED);
}

static void add_event(Table *table, const HistoryView *view, const HistoryThing *thing,
                      size_t night, Arena *arena)
{
    size_t since;
    ThingChange change = history_change(thing, night, &since);
    size_t told = told_night(change, night, since);
    Cell *row = table_add_row(table);
    row[0] = night_cell(view, night, arena);
    row[1] = cell_text(view->history->items[night].label);
    row[2] = cell_styled(change == THING_NEW ? STYLE_STRONG : STYLE_PLAIN,
                         str_of(change == THING_NEW ? tr("regression") : tr("recovery")));
    row[3] = state_cell(thing, night, arena);
    row[4] = cell_text(history_figure(thing, told, arena));
    row[5] = change == THING_NEW
                 ? cell_text(STR("—"))
                 : cell_text(history_night_name(&view->history->items[since], arena));
    row[6] = cell_styled(STYLE_CODE, note_of(thing, told));
}

Table *history_table_of_events(const HistoryView *view, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("night"),            8,  true },
        {TR("label"),            20, false},
        {TR("change"),           12, false},
        {TR("what"),             32, false},
        {TR("figure"),           24, false},
        {TR("began"),            24, false},
        {TR("where it is seen"), 48, false},
    };
    Table *table = HEAD_TABLE(TR("Regressions and recoveries"), heads, arena);
    size_t total = 0;
    limit = limit ? limit : EVENTS_MAX;
    for (size_t night = view->night + 1; night-- > 1;)
        for (size_t i = 0; i < view->things.count; i++) {
            if (!is_event(&view->things.items[i], night))
                continue;
            if (total++ < limit)
                add_event(table, view, &view->things.items[i], night, arena);
        }
    note_left_out(table, total, arena);
    return table->row_count ? table : NULL;
}

static void add_fact(Table *table, const HistoryNight *night, const HistoryFact *fact, Arena *arena)
{
    Cell *row = table_add_row(table);
    row[0] = cell_text(night->command);
    row[1] =
        cell_number_as((double)night->number, str_printf(arena, "%lld", (long long)night->number));
    row[2] = cell_text(night->label);
    row[3] = cell_text(fact->kind);
    row[4] = cell_text(fact->place);
    row[5] = cell_text(fact->name);
    row[6] = cell_text(fact->metric);
    row[7] = cell_text(str_of(fact_state_word(fact->state)));
    if (isfinite(fact->value))
        row[8] = cell_number(fact->value);
    else if (!isnan(fact->value))
        row[8] = cell_text(fact->value > 0 ? STR("inf") : STR("-inf"));
    row[9] = cell_text(fact->note);
}

Table *history_table_of_facts(const HistoryView *views, size_t count, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("command"), 12, false},
        {TR("night"),   8,  true },
        {TR("label"),   20, false},
        {TR("kind"),    10, false},
        {TR("place"),   16, false},
        {TR("name"),    32, false},
        {TR("metric"),  16, false},
        {TR("status"),  10, false},
        {TR("value"),   14, true },
        {TR("note"),    48, false},
    };
    Table *table = HEAD_TABLE(TR("Facts"), heads, arena);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < views[i].history->count; k++) {
            const HistoryNight *night = &views[i].history->items[k];
            for (size_t f = 0; f < night->count; f++)
                add_fact(table, night, &night->items[f], arena);
        }
    return table;
}
