// SPDX-License-Identifier: Apache-2.0
#include "report/history/history_tables.h"

#include <math.h>

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"

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
    return cell_int(view->history->items[night].number, arena);
}

static Cell change_cell(ThingChange change, Str word)
{
    return cell_styled(change == THING_NEW ? STYLE_STRONG : STYLE_PLAIN, word);
}

static Cell night_name(const HistoryView *view, size_t night, Arena *arena)
{
    return cell_text(history_night_name(&view->history->items[night], arena));
}

static Str note_of(const HistoryThing *thing, size_t night, Arena *arena)
{
    return history_note(history_telling_fact(thing, night), arena);
}

// A thing as it is in one night; `told`: the night that tells about it, for a recovery that of
// the trouble that ended.
typedef struct ThingItem {
    const HistoryThing *thing;
    size_t night, since, told;
    ThingChange change;
} ThingItem;

static ThingItem thing_item(const HistoryThing *thing, size_t night)
{
    ThingItem out = {.thing = thing, .night = night};
    out.change = history_change(thing, night, &out.since);
    out.told = out.change == THING_RECOVERED ? out.since : night;
    return out;
}

static void news_columns(Row *row)
{
    const ThingItem *it = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("change"), 12, change_cell(it->change, history_change_shown(it->change)));
    TEXT(row, TR("what"), 32, state_cell(it->thing, it->night, arena));
    TEXT(row, TR("figure"), 24, cell_text(history_figure(it->thing, it->told, arena)));
    TEXT(row, TR("began"), 24,
         it->change == THING_RECOVERED || it->since < it->night
             ? night_name(row->view, it->since, arena)
             : cell_word(TR("this night")));
    TEXT(row, TR("where it is seen"), 48, cell_code(note_of(it->thing, it->told, row->arena)));
}

Table *history_table_of_news(const HistoryView *view, size_t limit, Arena *arena)
{
    static const ThingChange order[] = {THING_NEW, THING_RECOVERED, THING_LASTING};
    Table *table = columns_table(TR("Since the nightly run before"), news_columns, view, arena);
    size_t total = 0;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        total += view->news.counts[order[k]];
        for (size_t i = 0; i < view->things.count && table->row_count < limit; i++) {
            ThingItem item = thing_item(&view->things.items[i], view->night);
            if (item.change == order[k])
                columns_add(table, &item);
        }
    }
    note_left_out(table, total, arena);
    return total ? table : NULL;
}

static Cell figure_cell(const HistoryFact *fact, Arena *arena)
{
    return cell_figure(fact ? fact->value : (double)NAN, arena);
}

static Str trend_change(const ThingItem *it)
{
    bool inherited = it->change == THING_CALM && it->thing->states[it->night] == FACT_INHERITED;
    return inherited ? history_state_shown(FACT_INHERITED) : history_change_shown(it->change);
}

static void trend_columns(Row *row)
{
    const HistoryTrack *track = row->of;
    const ThingItem *it = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("what"), 36, state_cell(it->thing, it->night, arena));
    TEXT(row, TR("metric"), 16, cell_text(history_metric(track->metric)));
    TEXT(row, TR("trend"), 34, cell_text(history_sparkline(track, it->night, SPARK_NIGHTS, arena)));
    NUMBER(row, TR("the run before"), 12,
           figure_cell(it->night ? track->nights[it->night - 1] : NULL, arena));
    NUMBER(row, TR("this night"), 12, figure_cell(track->nights[it->night], arena));
    TEXT(row, TR("change"), 12, cell_text(trend_change(it)));
    TEXT(row, TR("began"), 24,
         it->change == THING_CALM || it->change == THING_UNKNOWN
             ? cell_dash()
             : night_name(row->view, it->since, arena));
}

static void add_trends(Table *table, const HistoryView *view, bool telling, size_t limit)
{
    for (size_t i = 0; i < view->things.count; i++) {
        const HistoryThing *thing = &view->things.items[i];
        ThingItem item = thing_item(thing, view->night);
        bool tells = item.change == THING_NEW || item.change == THING_LASTING ||
                     item.change == THING_RECOVERED;
        for (size_t k = 0; k < thing->track_count && table->row_count < limit; k++)
            if (tells == telling && !str_equal(thing->kind, STR("pair")))
                columns_add_of(table, &thing->tracks[k], &item);
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
    Table *table = columns_table(TR("Night history"), trend_columns, view, arena);
    limit = limit ? limit : TRENDS_MAX;
    add_trends(table, view, true, limit);
    add_trends(table, view, false, limit);
    size_t total = count_trends(view);
    note_left_out(table, total, arena);
    return table;
}

static void night_columns(Row *row)
{
    const HistoryNews *news = row->of;
    const HistoryNight *night = row->item;
    Arena *arena = row->arena;
    NUMBER(row, TR("night"), 8, cell_int(night->number, arena));
    TEXT(row, TR("label"), 20, cell_styled(history_style(night->state), night->label));
    NUMBER(row, TR("new"), 8, cell_count(news->counts[THING_NEW], arena));
    NUMBER(row, TR("recovered"), 10, cell_count(news->counts[THING_RECOVERED], arena));
    NUMBER(row, TR("lasting"), 10, cell_count(news->counts[THING_LASTING], arena));
    TEXT(row, TR("verdict"), 90, cell_text(history_night_verdict(night)));
}

Table *history_table_of_nights(const HistoryView *view, size_t limit, Arena *arena)
{
    Table *table = columns_table(TR("Nights"), night_columns, view, arena);
    limit = limit ? limit : SIZE_MAX;
    for (size_t i = view->night + 1; i-- > 0 && table->row_count < limit;) {
        HistoryNews news;
        history_news(&view->things, i, &news);
        columns_add_of(table, &news, &view->history->items[i]);
    }
    note_left_out(table, view->night + 1, arena);
    return table;
}

static void event_columns(Row *row)
{
    const HistoryView *view = row->view;
    const ThingItem *it = row->item;
    Arena *arena = row->arena;
    bool new = row->cells && it->change == THING_NEW;
    NUMBER(row, TR("night"), 8, night_cell(view, it->night, arena));
    TEXT(row, TR("label"), 20, cell_text(view->history->items[it->night].label));
    TEXT(row, TR("change"), 12,
         change_cell(it->change, str_of(new ? tr("regression") : tr("recovery"))));
    TEXT(row, TR("what"), 32, state_cell(it->thing, it->night, arena));
    TEXT(row, TR("figure"), 24, cell_text(history_figure(it->thing, it->told, arena)));
    TEXT(row, TR("began"), 24, new ? cell_dash() : night_name(view, it->since, arena));
    TEXT(row, TR("where it is seen"), 48, cell_code(note_of(it->thing, it->told, row->arena)));
}

Table *history_table_of_events(const HistoryView *view, size_t limit, Arena *arena)
{
    Table *table = columns_table(TR("Regressions and recoveries"), event_columns, view, arena);
    size_t total = 0;
    limit = limit ? limit : EVENTS_MAX;
    for (size_t night = view->night + 1; night-- > 1;)
        for (size_t i = 0; i < view->things.count; i++) {
            ThingItem item = thing_item(&view->things.items[i], night);
            bool event = item.change == THING_NEW || item.change == THING_RECOVERED;
            if (event && !str_equal(item.thing->kind, STR("pair")) && total++ < limit)
                columns_add(table, &item);
        }
    note_left_out(table, total, arena);
    return table->row_count ? table : NULL;
}

// Programs read it: every digit, infinities in words, nothing for a NaN.
static Cell value_cell(double value)
{
    if (isnan(value))
        return NO_CELL;
    return isfinite(value) ? cell_number(value) : cell_text(value > 0 ? STR("inf") : STR("-inf"));
}

static void fact_columns(Row *row)
{
    const HistoryNight *night = row->of;
    const HistoryFact *fact = row->item;
    TEXT(row, TR("command"), 12, cell_text(night->command));
    NUMBER(row, TR("night"), 8, cell_int(night->number, row->arena));
    TEXT(row, TR("label"), 20, cell_text(night->label));
    TEXT(row, TR("kind"), 10, cell_text(fact->kind));
    TEXT(row, TR("place"), 16, cell_text(fact->place));
    TEXT(row, TR("name"), 32, cell_text(fact->name));
    TEXT(row, TR("metric"), 16, cell_text(fact->metric));
    TEXT(row, TR("status"), 10, cell_text(str_of(fact_state_word(fact->state))));
    NUMBER(row, TR("value"), 14, value_cell(fact->value));
    TEXT(row, TR("note"), 48, cell_text(history_note(fact, row->arena)));
}

Table *history_table_of_facts(const HistoryView *views, size_t count, Arena *arena)
{
    Table *table = columns_table(TR("Facts"), fact_columns, views, arena);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < views[i].history->count; k++) {
            const HistoryNight *night = &views[i].history->items[k];
            for (size_t f = 0; f < night->count; f++)
                columns_add_of(table, night, &night->items[f]);
        }
    return table;
}
