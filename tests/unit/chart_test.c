// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/chart.h"

#include "check.h"
#include "layout_fixture.h"

enum { COUNT = 100 };

typedef struct Fixture {
    Arena *arena;
    Scene scene;
    int64_t x[COUNT];
    double low[COUNT], high[COUNT];
    bool apart[COUNT];
    ChartPanel panel;
} Fixture;

// A band from -1 to 1 at steps 0 to 990, ten apart, on a plot of 1000 px.
static void begin(Fixture *fixture)
{
    *fixture = (Fixture){.arena = arena_new()};
    scene_init(&fixture->scene, fixture->arena, "chart", 1200);
    for (int i = 0; i < COUNT; i++) {
        fixture->x[i] = 10 * i;
        fixture->low[i] = -1;
        fixture->high[i] = 1;
    }
    fixture->panel = (ChartPanel){.heading = STR("Loss"), .height = 100, .low = -2, .high = 2};
    fixture->panel.band = (ChartBand){.x = fixture->x,
                                      .low = fixture->low,
                                      .high = fixture->high,
                                      .count = COUNT,
                                      .gap = 30,
                                      .title = STR("tolerance")};
}

typedef struct Stretches {
    size_t count;
    double from[COUNT], to[COUNT];
} Stretches;

static Stretches draw(Fixture *fixture, int64_t last)
{
    ChartFrame frame = {.left = 100, .right = 1100, .first = 0, .last = last};
    ChartCounts counts = {0};
    Stretches out = {0};
    chart_panel(&fixture->scene, &frame, &fixture->panel, 0, &counts);
    for (size_t i = 0; i < fixture->scene.count; i++) {
        const Item *item = &fixture->scene.items[i];
        if (item->kind != ITEM_PATH || item->paint.fill != ROLE_NOISEBAND || out.count == COUNT)
            continue;
        const PathShape *path = &item->as.path;
        out.from[out.count] = path->steps[0].x;
        out.to[out.count++] = path->steps[(path->count - 1) / 2 - 1].x;
    }
    return out;
}

static void a_band_is_one_piece_where_no_step_is_missing(void)
{
    Fixture f;
    begin(&f);
    Stretches got = draw(&f, 1000);
    CHECK(got.count == 1 && got.from[0] == 100 && got.to[0] == 1090);
    arena_release(f.arena);
}

static void a_band_breaks_at_a_gap_as_the_lines_do(void)
{
    Fixture f;
    begin(&f);
    for (int i = 50; i < COUNT; i++)
        f.x[i] += 100;
    Stretches got = draw(&f, 2000);
    CHECK(got.count == 2);
    CHECK(got.from[0] == 100 && got.to[0] == 100 + 490 * 0.5);
    CHECK(got.from[1] == 100 + 600 * 0.5 && got.to[1] == 100 + 1090 * 0.5);
    arena_release(f.arena);
}

static void over_time_a_band_breaks_where_it_is_told(void)
{
    Fixture f;
    begin(&f);
    f.apart[0] = f.apart[20] = f.apart[80] = f.apart[81] = true;
    f.panel.band.apart = f.apart;
    f.panel.band.gap = 1;
    Stretches got = draw(&f, 1000);
    CHECK(got.count == 4);
    CHECK(got.to[0] == 290 && got.from[1] == 300 && got.to[1] == 890);
    CHECK(got.from[2] == 899.5 && got.to[2] == 900.5);  // a lonely point can be seen
    CHECK(got.from[3] == 910 && got.to[3] == 1090);
    arena_release(f.arena);
}

static void gaps_within_a_pixel_are_not_told_apart(void)
{
    Fixture f;
    begin(&f);
    f.panel.band.gap = 5;
    Stretches got = draw(&f, 1000000);
    CHECK(got.count == 1 && got.from[0] == 99.5 && got.to[0] == 100.5);
    arena_release(f.arena);
}

// Whether a text of the picture, or a span of one, is `text`; with `begins`, starts with it.
static bool is_told(const Scene *scene, const char *text, bool begins)
{
    for (size_t i = 0; i < scene->count; i++) {
        const TextShape *shape = &scene->items[i].as.text;
        for (size_t k = 0; scene->items[i].kind == ITEM_TEXT && k < shape->count; k++) {
            Str span = shape->spans[k].text;
            if (begins ? str_starts(span, str_of(text)) : str_equal(span, str_of(text)))
                return true;
        }
    }
    return false;
}

static const char *const long_name =
    "a-run-of-an-experiment-with-a-name-of-seventy-characters-or-a-few-more";

// `count` ends with a long name and a number, the name below or not.
static void draw_ends_of(size_t count, bool named_below)
{
    Fixture f;
    begin(&f);
    f.panel.height = 150;
    f.panel.low = 0;
    f.panel.high = 9;
    ChartEnd end = {.named_below = named_below, .role = ROLE_INK, .width = named_below ? 0 : 2};
    *(named_below ? &end.name : &end.value) = STR("0.3209 at 199");
    *(named_below ? &end.value : &end.name) = str_of(long_name);
    for (size_t i = 0; i < count; i++) {
        end.at = (double)i;
        chart_add_end(&f.panel, end);
    }
    ChartFrame frame = {.left = 98, .right = 996, .first = 0, .last = 990};
    ChartCounts counts = {0};
    chart_panel(&f.scene, &frame, &f.panel, 0, &counts);
    f.scene.height = 300;
    CHECK(is_told(&f.scene, "0.3209 at 199", false));
    CHECK(is_told(&f.scene, "a-r", true) && !is_told(&f.scene, long_name, false));
    CHECK(scene_overlaps(&f.scene) == 0);
    CHECK(scene_outside(&f.scene) == 0);
    arena_release(f.arena);
}

static void at_the_end_of_a_line_the_name_is_shortened_and_never_the_number(void)
{
    for (size_t count = 1; count < 9; count++) {
        draw_ends_of(count, false);
        draw_ends_of(count, true);
    }
}

static void names_of_two_ends_that_are_cut_still_differ(void)
{
    static const char *const names[] = {
        "attempt-of-spring-07_with_a_rather_long_name_of_a_configuration",
        "attempt-of-spring-09_with_a_rather_long_name_of_a_configuration"};
    Fixture f;
    begin(&f);
    f.panel.height = 150;
    f.panel.low = 0;
    f.panel.high = 9;
    for (size_t i = 0; i < 2; i++)
        chart_add_end(&f.panel, (ChartEnd){.role = ROLE_INK,
                                           .width = 2,
                                           .at = (double)i,
                                           .name = str_of(names[i]),
                                           .value = STR("1")});
    ChartFrame frame = {.left = 98, .right = 996, .first = 0, .last = 990};
    ChartCounts counts = {0};
    chart_panel(&f.scene, &frame, &f.panel, 0, &counts);
    Str cuts[2] = {{0}};
    size_t count = 0;
    for (size_t i = 0; i < f.scene.count; i++) {
        const Item *item = &f.scene.items[i];
        for (size_t k = 0; item->kind == ITEM_TEXT && k < item->as.text.count; k++)
            if (str_starts(item->as.text.spans[k].text, STR("att")) && count < 2)
                cuts[count++] = item->as.text.spans[k].text;
    }
    CHECK(count == 2 && !str_equal(cuts[0], cuts[1]));
    arena_release(f.arena);
}

int main(void)
{
    CHECK_RUN(a_band_is_one_piece_where_no_step_is_missing);
    CHECK_RUN(a_band_breaks_at_a_gap_as_the_lines_do);
    CHECK_RUN(over_time_a_band_breaks_where_it_is_told);
    CHECK_RUN(gaps_within_a_pixel_are_not_told_apart);
    CHECK_RUN(at_the_end_of_a_line_the_name_is_shortened_and_never_the_number);
    CHECK_RUN(names_of_two_ends_that_are_cut_still_differ);
    return CHECK_RESULT;
}
