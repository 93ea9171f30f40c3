// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "trend/history/history_store.h"
#include "verdict/history_text.h"

static HistoryFact layer(const char *name, FactState state, double value)
{
    return (HistoryFact){.kind = STR("layer"),
                         .name = str_of(name),
                         .metric = STR("forward"),
                         .state = state,
                         .value = value};
}

// A night with one layer.
static HistoryNight night_of(FactState state, double value, const char *label, Arena *arena)
{
    HistoryNight night = {.command = STR("compare"),
                          .label = str_of(label),
                          .verdict = STR("a verdict"),
                          .state = state};
    history_add(&night, arena, layer("blocks.2", state, value));
    return night;
}

static History nights_of(const FactState *states, size_t count, Arena *arena)
{
    History history = {.command = STR("compare"),
                       .items = ARENA_ARRAY(arena, HistoryNight, count),
                       .count = count,
                       .capacity = count};
    for (size_t i = 0; i < count; i++) {
        history.items[i] = night_of(states[i], 0.5, "x", arena);
        history.items[i].number = (int64_t)i + 1;
    }
    return history;
}

static void trouble_is_new_then_lasts_then_is_over(void)
{
    static const FactState states[] = {FACT_CALM,      FACT_WARNING, FACT_WARNING, FACT_BEYOND,
                                       FACT_INHERITED, FACT_CALM,    FACT_BEYOND};
    static const ThingChange want[] = {THING_CALM,      THING_NEW,  THING_LASTING, THING_NEW,
                                       THING_RECOVERED, THING_CALM, THING_NEW};
    static const size_t began[] = {0, 1, 1, 1, 1, 5, 6};
    Arena *arena = arena_new();
    HistoryThings things;
    History history = nights_of(states, 7, arena);
    history_things(&history, arena, &things);
    CHECK(things.count == 1);
    for (size_t i = 0; i < 7; i++) {
        size_t since;
        CHECK(history_change(&things.items[0], i, &since) == want[i]);
        CHECK(since == began[i]);
    }
    arena_release(arena);
}

static void nights_without_data_are_passed_over(void)
{
    static const FactState states[] = {FACT_BEYOND, FACT_NONE, FACT_BEYOND, FACT_NONE, FACT_CALM};
    static const ThingChange want[] = {THING_LASTING, THING_UNKNOWN, THING_LASTING, THING_UNKNOWN,
                                       THING_RECOVERED};
    Arena *arena = arena_new();
    HistoryThings things;
    History history = nights_of(states, 5, arena);
    history_things(&history, arena, &things);
    for (size_t i = 0; i < 5; i++) {
        size_t since;
        CHECK(history_change(&things.items[0], i, &since) == want[i]);
        CHECK(i % 2 == 1 || since == 0);
    }
    arena_release(arena);
}

static void of_several_facts_about_one_thing_the_worst_stays(void)
{
    Arena *arena = arena_new();
    HistoryNight night = night_of(FACT_CALM, 3, "x", arena);
    history_add(&night, arena, layer("blocks.2", FACT_BEYOND, 1));
    history_add(&night, arena, layer("blocks.2", FACT_BEYOND, 2));
    history_add(&night, arena, layer("blocks.1", FACT_CALM, (double)NAN));
    history_sort(&night);
    CHECK(night.count == 2);
    CHECK_TEXT(night.items[0].name, "blocks.1");
    CHECK(night.items[1].state == FACT_BEYOND && night.items[1].value == 2);
    arena_release(arena);
}

static int64_t kept(const char *path, FactState state, double value, const char *label)
{
    Arena *arena = arena_new();
    Error err;
    History history;
    HistoryNight night = night_of(state, value, label, arena);
    CHECK(history_keep(path, &night, arena, &history, &err));
    CHECK(history.items[history.count - 1].number == night.number);
    arena_release(arena);
    return night.number;
}

static void the_same_night_is_kept_once_and_an_old_state_that_returns_is_a_new_night(void)
{
    const char *path = "nights.db";
    unlink(path);
    CHECK(kept(path, FACT_CALM, 1, "tonight") == 1);
    CHECK(kept(path, FACT_CALM, 1, "tonight") == 1);
    CHECK(kept(path, FACT_BEYOND, 2, "tonight") == 2);
    CHECK(kept(path, FACT_CALM, 1, "tonight") == 3);  // recovered, to the bit
    CHECK(kept(path, FACT_CALM, 1, "friday") == 4);
    CHECK(kept(path, FACT_CALM, 1, "saturday") == 5);
    CHECK(kept(path, FACT_CALM, 1, "friday") == 4);  // a label of its own: run again
}

static void values_come_back_exactly(void)
{
    static const double values[] = {0.1, 1e-320, 1e300, -0.0, 1.0 / 3};
    const char *path = "exact.db";
    for (size_t i = 0; i < 5; i++) {
        Arena *arena = arena_new();
        Error err;
        History history;
        Histories all;
        unlink(path);
        HistoryNight night = night_of(FACT_CALM, values[i], "a\"b'c\n\xff", arena);
        history_add(&night, arena, layer("inf", FACT_BEYOND, (double)INFINITY));
        history_add(&night, arena, layer("nan", FACT_NONE, (double)NAN));
        history_sort(&night);
        CHECK(history_keep(path, &night, arena, &history, &err));
        CHECK(history_read(path, HISTORY_FACTS_MAX, arena, &all, &err));
        CHECK(all.count == 1 && all.items[0].count == 1);
        CHECK(history_same_night(&all.items[0].items[0], &night));
        arena_release(arena);
    }
}

static void two_commands_count_their_nights_apart(void)
{
    const char *path = "two.db";
    Arena *arena = arena_new();
    Error err;
    History history;
    Histories all;
    unlink(path);
    CHECK(kept(path, FACT_CALM, 1, "a") == 1);
    HistoryNight night = night_of(FACT_CALM, 1, "a", arena);
    night.command = STR("curves");
    CHECK(history_keep(path, &night, arena, &history, &err));
    CHECK(night.number == 1 && history.count == 1);
    CHECK(history_read(path, HISTORY_FACTS_MAX, arena, &all, &err));
    CHECK(all.count == 2);
    CHECK_TEXT(all.items[1].command, "curves");
    arena_release(arena);
}

static void a_label_is_the_last_part_of_a_path_that_says_something(void)
{
    CHECK_TEXT(history_label(STR("runs/2026-11-09/step0/rank3/dump.json")), "2026-11-09");
    CHECK_TEXT(history_label(STR("tonight/")), "tonight");
    CHECK_TEXT(history_label(STR("a/rank/")), "a");
    CHECK_TEXT(history_label(STR("step10")), "step10");
    CHECK_TEXT(history_label(STR("/")), "/");
    CHECK_TEXT(history_label(STR("stepper/step1")), "stepper");
}

static void a_sparkline_has_one_character_a_night(void)
{
    static const double values[] = {0, 1e-8, 1e-4, 1e-2};
    HistoryFact facts[6];
    const HistoryFact *nights[6] = {0};
    for (size_t i = 0; i < 4; i++) {
        facts[i] = layer("x", FACT_CALM, values[i]);
        nights[i] = &facts[i];
    }
    facts[4] = layer("x", FACT_BEYOND, (double)INFINITY);
    nights[4] = &facts[4];
    HistoryTrack track = {.metric = STR("forward"), .nights = nights};
    Arena *arena = arena_new();
    CHECK_TEXT(history_sparkline(&track, 5, 30, arena), "▁▂▆█!·");
    CHECK_TEXT(history_sparkline(&track, 3, 2, arena), "▁█");
    arena_release(arena);
}

static void things_are_listed_by_kind_position_and_natural_name(void)
{
    static const char *const kinds[] = {"pair", "layer", "layer", "layer", "other", "curve"};
    static const char *const names[] = {"p", "blocks.10", "blocks.9", "embedding", "x", "loss"};
    static const int64_t positions[] = {0, 5, 5, 1, 0, 0};
    static const char *const want[] = {"embedding", "blocks.9", "blocks.10", "loss", "p", "x"};
    Arena *arena = arena_new();
    HistoryNight night = {.command = STR("compare"), .label = STR("a"), .state = FACT_CALM};
    for (size_t i = 0; i < 6; i++) {
        HistoryFact fact = layer(names[i], FACT_BEYOND, 1);
        fact.kind = str_of(kinds[i]);
        fact.position = positions[i];
        history_add(&night, arena, fact);
    }
    history_sort(&night);
    History history = {.command = STR("compare"), .items = &night, .count = 1, .capacity = 1};
    HistoryThings things;
    history_things(&history, arena, &things);
    CHECK(things.count == 6);
    for (size_t i = 0; i < things.count && i < 6; i++)
        CHECK_TEXT(things.items[i].name, want[i]);
    arena_release(arena);
}

static void of_equal_facts_the_first_place_stays(void)
{
    Arena *arena = arena_new();
    HistoryNight night = {.command = STR("compare"), .label = STR("a")};
    for (int i = 0; i < 3; i++) {
        HistoryFact fact = layer("blocks.1", FACT_WARNING, 2);
        fact.position = 3 - i;
        history_add(&night, arena, fact);
    }
    history_sort(&night);
    CHECK(night.count == 1 && night.items[0].position == 1);
    arena_release(arena);
}

static void nights_with_one_other_value_are_not_the_same(void)
{
    Arena *arena = arena_new();
    HistoryNight one = night_of(FACT_CALM, 1, "a", arena), two = night_of(FACT_CALM, 2, "a", arena);
    HistoryNight again = night_of(FACT_CALM, 1, "a", arena);
    CHECK(history_same_night(&one, &again) && !history_same_night(&one, &two));
    one.items[0].value = two.items[0].value = (double)NAN;
    CHECK(history_same_night(&one, &two));
    arena_release(arena);
}

static void of_too_many_facts_those_of_the_newest_nights_are_read(void)
{
    const char *path = "many.db";
    Arena *arena = arena_new();
    Error err;
    Histories all;
    unlink(path);
    for (int number = 1; number <= 3; number++) {
        char label[2] = {(char)('a' + number), '\0'};
        CHECK(kept(path, FACT_CALM, number, label) == number);
    }
    CHECK(history_read(path, HISTORY_FACTS_MAX, arena, &all, &err));
    const History *whole = &all.items[0];
    CHECK(whole->count == 3 && whole->left_out == 0);
    size_t facts = whole->items[2].count;
    Histories some;
    CHECK(history_read(path, 2 * facts - 1, arena, &some, &err));
    const History *cut = &some.items[0];
    CHECK(cut->count == 1 && cut->left_out == 2 && cut->items[0].number == 3);
    CHECK(cut->items[0].count == facts);
    for (size_t i = 0; i < facts; i++)
        CHECK(history_fact_order(&cut->items[0].items[i], &whole->items[2].items[i]) == 0);
    CHECK(history_read(path, 0, arena, &some, &err) && some.items[0].items[0].count == facts);
    arena_release(arena);
}

static bool refused(const char *path, const char *text)
{
    Arena *arena = arena_new();
    Error err = {0};
    History history;
    Histories all;
    HistoryNight night = night_of(FACT_CALM, 1, "x", arena);
    bool kept_it = history_keep(path, &night, arena, &history, &err);
    bool same_text = str_find(str_of(err.text), str_of(text), 0) != SIZE_MAX;
    CHECK(kept_it || str_of(err.file).size);
    kept_it = history_read(path, HISTORY_FACTS_MAX, arena, &all, &err) || kept_it;
    arena_release(arena);
    return !kept_it && same_text;
}

static void a_file_that_is_no_history_is_refused_and_left_as_it_is(void)
{
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    FILE *file = fopen("notes.txt", "wb");
    CHECK(file && fputs("these are my notes, not a history", file) >= 0 && fclose(file) == 0);
    CHECK(refused("notes.txt", "the file is not a history of vernier"));
    unlink("link.db");
    CHECK(symlink("notes.txt", "link.db") == 0);
    CHECK(refused("link.db", "symbolic link"));
    CHECK(refused(".", "not a regular file"));
    CHECK(refused("no-such-folder/nights.db", ""));
    CHECK(refused(longest, ""));
    char text[64] = {0};
    file = fopen("notes.txt", "rb");
    CHECK(file && fread(text, 1, sizeof text - 1, file) == 33 && fclose(file) == 0);
}

static void a_missing_history_has_nothing_to_list(void)
{
    Arena *arena = arena_new();
    Error err;
    Histories all;
    CHECK(!history_read("never-kept.db", HISTORY_FACTS_MAX, arena, &all, &err) &&
          err.kind == ERR_INPUT);
    CHECK_TEXT(str_of(err.text), "there is no such file");
    CHECK(access("never-kept.db", F_OK) != 0);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(trouble_is_new_then_lasts_then_is_over);
    CHECK_RUN(nights_without_data_are_passed_over);
    CHECK_RUN(of_several_facts_about_one_thing_the_worst_stays);
    CHECK_RUN(the_same_night_is_kept_once_and_an_old_state_that_returns_is_a_new_night);
    CHECK_RUN(values_come_back_exactly);
    CHECK_RUN(two_commands_count_their_nights_apart);
    CHECK_RUN(a_label_is_the_last_part_of_a_path_that_says_something);
    CHECK_RUN(a_sparkline_has_one_character_a_night);
    CHECK_RUN(things_are_listed_by_kind_position_and_natural_name);
    CHECK_RUN(of_equal_facts_the_first_place_stays);
    CHECK_RUN(nights_with_one_other_value_are_not_the_same);
    CHECK_RUN(a_file_that_is_no_history_is_refused_and_left_as_it_is);
    CHECK_RUN(a_missing_history_has_nothing_to_list);
    CHECK_RUN(of_too_many_facts_those_of_the_newest_nights_are_read);
    return CHECK_RESULT;
}
