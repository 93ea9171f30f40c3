// SPDX-License-Identifier: Apache-2.0
// The history of nights as members of a summary.json.
#include "export/summary/history_json.h"

#include <math.h>

#include "export/summary/summary.h"

enum { REPORT_NIGHTS = 60 };

static const char *night_status(FactState state)
{
    static const char *const words[] = {"no data", "pass", "error", "warning", "error"};
    return words[state];
}

static void write_night(JsonWriter *json, const HistoryView *view, size_t index)
{
    const HistoryNight *night = &view->history->items[index];
    HistoryNews news;
    history_news(&view->things, index, &news);
    json_object_flat(json);
    summary_int(json, "number", night->number);
    summary_str(json, "label", night->label);
    summary_int(json, "made", night->made ? night->made : INT64_MIN);
    summary_str(json, "status", str_of(night_status(night->state)));
    json_bool(json_key(json, "partial"), night->partial);
    summary_int(json, "new", (int64_t)news.counts[THING_NEW]);
    summary_int(json, "recovered", (int64_t)news.counts[THING_RECOVERED]);
    summary_int(json, "lasting", (int64_t)news.counts[THING_LASTING]);
    summary_str(json, "verdict", night->verdict);
    json_object_end(json);
}

static void write_thing(JsonWriter *json, const HistoryThing *thing)
{
    summary_str(json, "kind", thing->kind);
    summary_str(json, "place", thing->place);
    summary_str(json, "name", thing->name);
}

// Number and label of the night with that index.
static void write_at(JsonWriter *json, const char *key, const HistoryView *view, size_t index)
{
    json_object_flat(json_key(json, key));
    summary_int(json, "number", view->history->items[index].number);
    summary_str(json, "label", view->history->items[index].label);
    json_object_end(json);
}

static void write_change(JsonWriter *json, const HistoryView *view, const HistoryThing *thing,
                         size_t night)
{
    size_t since;
    ThingChange change = history_change(thing, night, &since);
    const HistoryFact *fact =
        history_telling_fact(thing, change == THING_RECOVERED ? since : night);
    json_object_flat(json);
    summary_str(json, "change", str_of(thing_change_word(change)));
    write_thing(json, thing);
    summary_str(json, "metric", fact ? fact->metric : (Str){"", 0});
    summary_number(json, "value", fact ? fact->value : (double)NAN);
    summary_str(json, "note", fact ? fact->note : (Str){"", 0});
    write_at(json, "night", view, night);
    write_at(json, "began", view, since);
    json_object_end(json);
}

static void write_changes(JsonWriter *json, const HistoryView *view, size_t night, bool lasting)
{
    for (size_t i = 0; i < view->things.count; i++) {
        size_t since;
        ThingChange change = history_change(&view->things.items[i], night, &since);
        if (change == THING_NEW || change == THING_RECOVERED ||
            (lasting && change == THING_LASTING))
            write_change(json, view, &view->things.items[i], night);
    }
}

// `first`: index of the first night.
static void write_track(JsonWriter *json, const HistoryThing *thing, const HistoryTrack *track,
                        size_t first, size_t last)
{
    json_object_flat(json);
    write_thing(json, thing);
    summary_str(json, "metric", track->metric);
    json_array_flat(json_key(json, "values"));
    for (size_t i = first; i <= last; i++) {
        if (track->nights[i] && !isnan(track->nights[i]->value))
            json_number(json, track->nights[i]->value);
        else
            json_null(json);
    }
    json_array_end(json);
    json_array_flat(json_key(json, "states"));
    for (size_t i = first; i <= last; i++)
        json_text(json, fact_state_word(track->nights[i] ? track->nights[i]->state : FACT_NONE));
    json_array_end(json);
    json_object_end(json);
}

static void write_tracks(JsonWriter *json, const HistoryView *view, size_t first)
{
    json_array(json_key(json, "tracks"));
    for (size_t i = 0; i < view->things.count; i++)
        for (size_t k = 0; k < view->things.items[i].track_count; k++)
            write_track(json, &view->things.items[i], &view->things.items[i].tracks[k], first,
                        view->night);
    json_array_end(json);
}

// `whole`: every night and event; else the newest nights, for a report of one night.
static void write_view(JsonWriter *json, const HistoryView *view, bool whole)
{
    size_t first = !whole && view->night >= REPORT_NIGHTS ? view->night + 1 - REPORT_NIGHTS : 0;
    json_array(json_key(json, "nights"));
    for (size_t i = first; i <= view->night; i++)
        write_night(json, view, i);
    json_array_end(json);
    json_bool(json_key(json, "worse"), view->news.worse);
    json_array(json_key(json, "changes"));
    write_changes(json, view, view->night, true);
    json_array_end(json);
    if (whole) {
        json_array(json_key(json, "events"));
        for (size_t night = 1; night <= view->night; night++)
            write_changes(json, view, night, false);
        json_array_end(json);
    }
    write_tracks(json, view, first);
}

void history_json(JsonWriter *json, const HistoryView *view)
{
    json_key(json, "history");
    if (!view) {
        json_null(json);
        return;
    }
    json_object(json);
    write_at(json, "night", view, view->night);
    write_view(json, view, false);
    json_object_end(json);
}

static const char *page_status(const HistoryPage *page)
{
    FactState worst = FACT_NONE;
    for (size_t i = 0; i < page->count; i++) {
        FactState state = page->views[i].history->items[page->views[i].night].state;
        worst = state > worst ? state : worst;
    }
    return night_status(worst);
}

void history_summary_write(const void *facts, Sink *out)
{
    const HistoryPage *page = facts;
    JsonWriter json;
    SummaryHead head = {.schema = "vernier.history/1",
                        .version = page->version,
                        .status = page_status(page),
                        .verdict = page->verdict};
    summary_begin(&json, &head, out);
    json_array(json_key(&json, "commands"));
    for (size_t i = 0; i < page->count; i++) {
        json_object(&json);
        summary_str(&json, "command", page->views[i].history->command);
        write_view(&json, &page->views[i], true);
        json_object_end(&json);
    }
    json_array_end(&json);
    summary_end(&json, page->notices);
}
