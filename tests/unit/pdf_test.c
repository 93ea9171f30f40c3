// SPDX-License-Identifier: Apache-2.0
#include "renderers/pdf.h"

#include "check.h"
#include "demo.h"

static Str render(const Scene *scene, int64_t created, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme(), .created = created};
    CHECK(pdf_renderer.write_scene(scene, &options, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static bool has(Str text, const char *part)
{
    return str_find(text, str_of(part), 0) != SIZE_MAX;
}

static void a_picture_is_one_page_and_the_same_each_time(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Str pdf = render(&scene, 0, arena);
    CHECK(str_starts(pdf, STR("%PDF-")) && str_ends(str_trim(pdf), STR("%%EOF")));
    CHECK(has(pdf, "/Count 1") && has(pdf, "/MediaBox [ 0 0 315 150 ]"));
    CHECK(has(pdf, "(19800101000000Z)"));
    CHECK(str_equal(pdf, render(&scene, 0, arena)));
    CHECK(has(render(&scene, 1700000000, arena), "(20231114221320Z)"));
    arena_release(arena);
}

static void hostile_and_odd_pictures_become_whole_files(void)
{
    Arena *arena = arena_new();
    Scene scene = hostile_scene(arena);
    scene.height = 50000;
    Str pdf = render(&scene, 0, arena);
    CHECK(str_ends(str_trim(pdf), STR("%%EOF")));
    scene.width = 0;
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme()};
    CHECK(!pdf_renderer.write_scene(&scene, &options, sink, &err));
    CHECK_TEXT(str_of(err.text), "a picture of 0 x 50000 px cannot be a PDF file");
    sink_discard(sink);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(a_picture_is_one_page_and_the_same_each_time);
    CHECK_RUN(hostile_and_odd_pictures_become_whole_files);
    return CHECK_RESULT;
}
