// SPDX-License-Identifier: Apache-2.0
#include "renderers/fonts.h"
#include "renderers/png.h"
#include "renderers/png_palette.h"

#include <stdlib.h>

#include "base/file.h"
#include "check.h"
#include "demo.h"
#include "png_pixels.h"

// Run again without fonts and without fontconfig (tests/CMakeLists.txt): every test holds there
// too.

static Str render(const Scene *scene, RenderOptions options, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    options.theme = demo_theme();
    CHECK(png_renderer.write_scene(scene, &options, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static void pixels_have_the_colours_of_the_roles(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Pixels pixels = pixels_read(render(&scene, (RenderOptions){0}, arena), arena);
    CHECK(pixels.width == 840 && pixels.height == 400);
    CHECK(pixels_at(&pixels, 0, 0) == 0xFFFFFF);
    CHECK(pixels_at(&pixels, 46, 126) == 0xA50F15);
    CHECK(pixels_at(&pixels, 40, 140) == 0x6B0408);
    CHECK(pixels_at(&pixels, 368, 132) == 0x1B1E22);
    CHECK(pixels_at(&pixels, 480, 140) == 0xECCAB3 || pixels_at(&pixels, 480, 140) == 0xECC9B2);
    CHECK(pixels_at(&pixels, 50, 350) == 0x2166AC);
    CHECK(pixels_at(&pixels, 700, 132) == 0xB0009E);
    Pixels dark = pixels_read(render(&scene, (RenderOptions){.mode = THEME_DARK}, arena), arena);
    CHECK(pixels_at(&dark, 0, 0) == 0x14171A);
    CHECK(pixels_at(&dark, 46, 126) == 0xC8262C);
    arena_release(arena);
}

// 8 bits a pixel, and every colour of the theme as it is.
static void a_picture_of_few_colours_is_a_palette(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Str bytes = render(&scene, (RenderOptions){0}, arena);
    CHECK(bytes.size > 33 && bytes.data[25] == 3);
    arena_release(arena);
}

static void a_palette_keeps_theme_colours_and_joins_shades(void)
{
    enum { MANY = 4096 };
    Palette *palette = calloc(1, sizeof *palette);
    uint32_t ink = theme_rgb(demo_theme(), ROLE_INK, false),
             shades[4] = {ink, ink + 1, ink, ink + 3};
    uint32_t apart[MANY];
    uint8_t places[MANY];
    CHECK(palette != NULL);
    if (!palette)
        return;
    palette_start(palette, demo_theme(), false);
    CHECK(palette_places(palette, shades + 1, 1, places) && palette->count == 1);
    CHECK(palette_places(palette, shades, 4, places) && palette->count == 2);
    CHECK(palette->colours[places[0]] == ink && places[2] == places[0]);
    for (uint32_t i = 0; i < MANY; i++)
        apart[i] = i % 16 * 16 | (i / 16 % 16 * 16) << 8 | (i / 256 * 16) << 16;
    CHECK(!palette_places(palette, apart, MANY, places));
    free(palette);
}

static void texts_are_painted_where_they_belong(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Pixels pixels = pixels_read(render(&scene, (RenderOptions){.scale = 1}, arena), arena);
    static const uint32_t verdict[] = {20, 20, 110, 22}, chinese[] = {20, 98, 26, 14},
                          vertical[] = {290, 120, 12, 40}, end[] = {160, 98, 40, 14},
                          beyond_end[] = {203, 98, 20, 14};
    CHECK(pixels_other(&pixels, 0xFFFFFF, verdict) > 300);
    CHECK(pixels_other(&pixels, 0xFFFFFF, chinese) > 60 || getenv("FONTCONFIG_FILE"));
    CHECK(pixels_other(&pixels, 0xFFFFFF, vertical) > 60);
    CHECK(pixels_other(&pixels, 0xFFFFFF, end) > 40);
    CHECK(pixels_other(&pixels, 0xFFFFFF, beyond_end) == 0);
    arena_release(arena);
}

static void the_hatch_covers_a_third_of_its_box(void)
{
    Arena *arena = arena_new();
    Scene scene;
    scene_init(&scene, arena, "hatch", 200);
    scene.height = 200;
    scene_box(&scene, 0, 0, 200, 200, ROLE_UNMATCHED_FILL, ROLE_NONE)->as.box.hatch = true;
    Pixels pixels = pixels_read(render(&scene, (RenderOptions){.scale = 1}, arena), arena);
    double sum = 0;
    for (uint32_t y = 0; y < 200; y++)
        for (uint32_t x = 0; x < 200; x++)
            sum += (pixels_at(&pixels, x, y) & 0xFF) - 0x8C;
    double share = sum / 40000 / (0xFD - 0x8C);
    CHECK(share > 0.34 && share < 0.38);
    arena_release(arena);
}

static void strips_join_without_a_seam(void)
{
    Arena *arena = arena_new();
    Scene scene;
    scene_init(&scene, arena, "tall", 50);
    scene.height = 50000;
    scene_box(&scene, 10, -100, 10, 60000, ROLE_INK, ROLE_NONE);
    scene_box(&scene, 30, 40000, 10, 5000, ROLE_TARGET, ROLE_NONE);
    Pixels pixels = pixels_read(render(&scene, (RenderOptions){0}, arena), arena);
    CHECK(pixels.width == 100 && pixels.height == 100000);
    size_t wrong = 0;
    for (uint32_t y = 0; y < pixels.height; y++) {
        wrong += pixels_at(&pixels, 30, y) != 0x1B1E22;
        bool inside = y >= 80000 && y < 90000;
        wrong += pixels_at(&pixels, 70, y) != (inside ? 0xBF4D00 : 0xFFFFFF);
    }
    CHECK(wrong == 0);
    arena_release(arena);
}

static void the_scale_falls_with_the_pixel_budget(void)
{
    double scale;
    int columns, rows;
    CHECK(png_size(1200, 8000, 0, &scale, &columns, &rows));
    CHECK(columns == 2400 && rows == 16000);
    CHECK(png_size(1600, 12000, 0, &scale, &columns, &rows));
    CHECK(columns == 1600 && rows == 12000);
    CHECK(png_size(100.2, 10.1, 1, &scale, &columns, &rows) && columns == 101 && rows == 11);
    CHECK(png_size(50000, 100, 0, &scale, &columns, &rows));
    CHECK(columns == 32767 && scale < 1);
    CHECK(!png_size(0, 100, 0, &scale, &columns, &rows));
    CHECK(!png_size(100, 2e6, 0, &scale, &columns, &rows));
    CHECK(!png_size(0.0 / scale * 0, -1, 0, &scale, &columns, &rows));
}

static void a_picture_too_tall_is_refused_in_words(void)
{
    Arena *arena = arena_new();
    Scene scene;
    scene_init(&scene, arena, "tall", 10);
    scene.height = 1.5e6;
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme()};
    CHECK(!png_renderer.write_scene(&scene, &options, sink, &err));
    CHECK(err.kind == ERR_OUTPUT);
    CHECK_TEXT(str_of(err.text), "a picture of 10 x 1500000 px cannot be a PNG file");
    sink_discard(sink);
    arena_release(arena);
}

static void odd_scenes_are_drawn_as_far_as_they_go(void)
{
    Arena *arena = arena_new();
    Scene scene = hostile_scene(arena);
    double huge = 1e300;
    scene_box(&scene, huge, -huge, huge, huge, ROLE_INK, ROLE_INK);
    scene_box(&scene, 0, 0, -5, huge * huge, ROLE_INK, ROLE_INK);
    scene_box(&scene, 590, 0, 1e8, 10, ROLE_NAN, ROLE_NONE);
    scene_text(&scene, 5, 5, 0, 400, ANCHOR_END, ROLE_INK, STR("x"));
    scene_path(&scene, NULL, 0, ROLE_INK, ROLE_INK);
    scene_spans(&scene, 5, 5, 10, ANCHOR_END, ROLE_INK, NULL, 0);
    Pixels pixels = pixels_read(render(&scene, (RenderOptions){.scale = 1}, arena), arena);
    CHECK(pixels.rgb && pixels_at(&pixels, 595, 5) == 0xB0009E);
    arena_release(arena);
}

static void missing_glyphs_are_counted(void)
{
    Arena *arena = arena_new();
    Scene scene;
    scene_init(&scene, arena, "glyphs", 100);
    scene.height = 40;
    bool usual = !getenv("FONTCONFIG_FILE");
    FontReport fonts = {0};
    scene_text(&scene, 10, 20, 12, 400, ANCHOR_START, ROLE_INK, STR("abc \xEE\x80\x80"));
    render(&scene, (RenderOptions){.fonts = &fonts}, arena);
    CHECK(fonts.missing >= 1);
    CHECK(!usual || (fonts.missing == 1 && !fonts.no_fonts));
    fonts = (FontReport){0};
    Scene demo = demo_scene(arena);
    render(&demo, (RenderOptions){.fonts = &fonts}, arena);
    CHECK(!usual || (fonts.missing == 0 && !fonts.no_fonts));
    CHECK(!usual || fonts_have(demo_theme(), "abc 中文 ≤ …"));
    CHECK(!fonts_have(demo_theme(), "\xEE\x80\x80"));
    arena_release(arena);
}

static void same_scene_same_bytes(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Str first = render(&scene, (RenderOptions){0}, arena);
    CHECK(str_equal(first, render(&scene, (RenderOptions){0}, arena)));
    arena_release(arena);
}

// Each span is a run of its own, so that what follows Hebrew in the second scene is right of it.
static void a_number_after_a_hebrew_name_is_at_its_right(void)
{
    const char *name = "Functional.\xD7\x90\xD7\x91\xD7\x92";
    const Span spans[] = {{.text = str_of(name)}, {.text = STR(".2.forward")}};
    Arena *arena = arena_new();
    Scene whole, parts;
    scene_init(&whole, arena, "whole", 300);
    scene_init(&parts, arena, "parts", 300);
    whole.height = parts.height = 40;
    scene_text(&whole, 10, 20, 12, 400, ANCHOR_START, ROLE_INK,
               str_printf(arena, "%s.2.forward", name));
    scene_spans(&parts, 10, 20, 12, ANCHOR_START, ROLE_INK, spans, 2);
    CHECK(str_equal(render(&whole, (RenderOptions){0}, arena),
                    render(&parts, (RenderOptions){0}, arena)));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(pixels_have_the_colours_of_the_roles);
    CHECK_RUN(a_picture_of_few_colours_is_a_palette);
    CHECK_RUN(a_palette_keeps_theme_colours_and_joins_shades);
    CHECK_RUN(texts_are_painted_where_they_belong);
    CHECK_RUN(the_hatch_covers_a_third_of_its_box);
    CHECK_RUN(strips_join_without_a_seam);
    CHECK_RUN(the_scale_falls_with_the_pixel_budget);
    CHECK_RUN(a_picture_too_tall_is_refused_in_words);
    CHECK_RUN(odd_scenes_are_drawn_as_far_as_they_go);
    CHECK_RUN(missing_glyphs_are_counted);
    CHECK_RUN(same_scene_same_bytes);
    CHECK_RUN(a_number_after_a_hebrew_name_is_at_its_right);
    return CHECK_RESULT;
}
