// SPDX-License-Identifier: Apache-2.0
#include "renderers/svg.h"

#include <stdlib.h>

#include "base/file.h"
#include "demo.h"
#include "markup_check.h"

static Str render(const Scene *scene, ThemeMode mode, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme(), .mode = mode};
    CHECK(svg_renderer.write_scene(scene, &options, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static bool has(Str text, const char *part)
{
    return str_find(text, str_of(part), 0) != SIZE_MAX;
}

static void ignore_text(void *state, Str element, Str text)
{
    (void)state, (void)element, (void)text;
}

static const MarkupVisitor harmless = {markup_refuse_active, ignore_text, NULL};

static void every_primitive_has_its_element(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Str svg = render(&scene, THEME_LIGHT, arena);
    CHECK(markup_well_formed(svg, arena, &harmless));
    CHECK(str_starts(svg, STR("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"420\" "
                              "height=\"200\" viewBox=\"0 0 420 200\" font-family=\"Inter, "
                              "'Segoe UI', ")));
    CHECK(has(svg, " role=\"group\">\n<title>DIVERGES  at Functional.linear.8.forward</title>\n"
                   "<desc>golden: a · target: b</desc>"));
    CHECK(has(svg, "<rect x=\"20.5\" y=\"60.5\" width=\"20\" height=\"20\" fill=\"#A50F15\" "
                   "stroke=\"#6B0408\" stroke-width=\"2\"/>"));
    CHECK(has(svg, "fill=\"url(#demo-hatch)\"><title>unmatched: &lt;layer&gt; &amp; "
                   "&quot;friends&quot;</title></rect>"));
    CHECK(has(svg, "rx=\"3\" fill=\"none\" stroke=\"#8A9199\" stroke-dasharray=\"3 2\"/>"));
    CHECK(has(svg, "<circle cx=\"190\" cy=\"70\" r=\"9\" fill=\"#22262B\"/>") ||
          has(svg, "<circle cx=\"190\" cy=\"70\" r=\"9\" fill=\"#1B1E22\"/>"));
    CHECK(has(svg, "fill=\"#BF4D00\" fill-opacity=\"0.3\"/>"));
    CHECK(has(svg, "<path d=\"M300 70l5 5 10-13\" fill=\"none\" stroke=\"#17324D\""));
    CHECK(has(svg, "<path d=\"M340 65c5-10 15-10 20 0l-10 15z\""));
    CHECK(has(svg, "<tspan fill=\"#A50F17\" font-weight=\"700\">DIVERGES</tspan>"
                   "<tspan xml:space=\"preserve\">  at </tspan>"
                   "<tspan font-weight=\"700\">Functional.linear.8.forward</tspan></text>"));
    CHECK(has(svg, ">10<tspan dy=\"-3.6\" font-size=\"7.6\">−8</tspan>"
                   "<tspan dx=\"6\" dy=\"3.6\">rel.</tspan></text>"));
    CHECK(has(svg, "transform=\"rotate(-90 300 140)\""));
    CHECK(has(svg, "<a id=\"demo-row_201\" href=\"#op-62\"><title>a row</title>"));
    CHECK(!has(svg, "class=") && !has(svg, "<style"));
    arena_release(arena);
}

static void the_dark_is_a_style_with_the_roles_that_occur(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Str svg = render(&scene, THEME_AUTO, arena);
    CHECK(markup_well_formed(str_replace(arena, svg, STR("]{"), STR("]")), arena, &harmless));
    CHECK(has(svg, "<style>@media screen and (prefers-color-scheme:dark){[fill=\"#FFFFFF\"]{fill:"
                   "#14171A}"));
    CHECK(has(svg, "[stroke=\"#6B0408\"]{stroke:#FF9C95}"));
    CHECK(!has(svg, "[stroke=\"#FFFFFF\"]") && !has(svg, "#F0B429"));
    Str dark = render(&scene, THEME_DARK, arena);
    CHECK(has(dark, "fill=\"#14171A\"/>") && !has(dark, "#FFFFFF") && !has(dark, "<style"));
    arena_release(arena);
}

typedef struct Found {
    size_t next;  // the hostile name that is expected next as a text element
    Arena *arena;
} Found;

static void expect_name(void *state, Str element, Str text)
{
    Found *found = state;
    if (!str_equal(element, STR("text")) && !str_equal(element, STR("tspan")))
        return;
    if (found->next >= HOSTILE_COUNT || str_equal(text, STR("\n")))
        return;
    Str want = utf8_display(str_of(hostile_names[found->next]), found->arena);
    CHECK(str_equal(text, want));
    found->next++;
}

static void hostile_names_stay_text(void)
{
    Arena *arena = arena_new();
    Scene scene = hostile_scene(arena);
    Str svg = render(&scene, THEME_LIGHT, arena);
    Found found = {.arena = arena};
    MarkupVisitor visitor = {markup_refuse_active, expect_name, &found};
    CHECK(markup_well_formed(svg, arena, &visitor));
    CHECK(found.next == HOSTILE_COUNT);
    arena_release(arena);
}

static Str render_inline(const Scene *scene, Arena *arena)
{
    RenderOptions options = {.theme = demo_theme()};
    Sink *sink = sink_memory(arena);
    Markup markup;
    Error err;
    markup_init(&markup, sink);
    svg_write_inline(&markup, scene, &options);
    markup_flush(&markup);
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static void a_link_leads_to_an_anchor_or_in_a_page_to_a_file_beside_it(void)
{
    static const char *const links[] = {"#op", "graph-step0-rank1-a~2Fb.svg", "../secret.svg",
                                        "https://x", "/etc/passwd"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        Arena *arena = arena_new();
        Scene scene;
        scene_init(&scene, arena, "s", 10);
        scene_group(&scene, STR(""), STR("cell"), str_of(links[i]));
        scene_group_end(&scene);
        Str alone = render(&scene, THEME_LIGHT, arena), inside = render_inline(&scene, arena);
        CHECK(has(alone, "<a href=") == (i < 1));
        CHECK(has(alone, i < 1 ? " role=\"group\"" : " role=\"img\""));
        CHECK(has(inside, "<a href=") == (i < 2));
        CHECK(has(inside, i < 2 ? " role=\"group\"" : " role=\"img\""));
        arena_release(arena);
    }
}

static void odd_scenes_give_whole_files(void)
{
    Arena *arena = arena_new();
    Scene scene;
    scene_init(&scene, arena, "", 0.0 / (double)(arena == NULL));
    scene_box(&scene, 1e300, -1e300, -5, 0.0 / (double)(arena == NULL), ROLE_INK, ROLE_INK);
    scene_path(&scene, NULL, 0, ROLE_INK, ROLE_NONE);
    scene_spans(&scene, 0, 0, 0, ANCHOR_END, ROLE_NONE, NULL, 0);
    scene_group_end(&scene);
    scene_group(&scene, (Str){"", 0}, (Str){"", 0}, (Str){"", 0});
    Str svg = render(&scene, THEME_LIGHT, arena);
    CHECK(markup_well_formed(svg, arena, &harmless));
    CHECK(!has(svg, "nan") && !has(svg, "inf") && !has(svg, "width=\"-"));
    arena_release(arena);
}

static void boxes_that_touch_in_the_scene_touch_in_the_file(void)
{
    Arena *arena = arena_new();
    Scene scene;
    scene_init(&scene, arena, "touch", 100);
    scene_box(&scene, 10.04, 0, 5.04, 1, ROLE_INK, ROLE_NONE);
    scene_box(&scene, 15.08, 0, 5.04, 1, ROLE_INK, ROLE_NONE);
    Str svg = render(&scene, THEME_LIGHT, arena);
    CHECK(has(svg, "<rect x=\"10\" y=\"0\" width=\"5.1\"") && has(svg, "<rect x=\"15.1\" y=\"0\""));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(every_primitive_has_its_element);
    CHECK_RUN(the_dark_is_a_style_with_the_roles_that_occur);
    CHECK_RUN(hostile_names_stay_text);
    CHECK_RUN(a_link_leads_to_an_anchor_or_in_a_page_to_a_file_beside_it);
    CHECK_RUN(odd_scenes_give_whole_files);
    CHECK_RUN(boxes_that_touch_in_the_scene_touch_in_the_file);
    return CHECK_RESULT;
}
