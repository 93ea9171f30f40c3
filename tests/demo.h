// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_DEMO_H
#define VERNIER_TESTS_DEMO_H

#include <stdlib.h>
#include <string.h>

#include "renderers/renderer.h"
#include "templates/templates.h"

// What the renderer tests share: the built-in theme, names that try to break out of a format, and a
// picture with every primitive.

static inline const Theme *demo_theme(void)
{
    static Theme theme;
    Error err;
    for (const Template *at = templates; at->name && !theme.sans.size; at++)
        if (strcmp(at->name, "vernier.theme") == 0 &&
            !theme_read((Str){at->data, at->size}, at->name, &theme, &err))
            abort();
    return &theme;
}

static const char *const hostile_names[] = {
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "]]>",
    "--><b>",
    "<!--",
    "&amp;",
    "&#60;script&#62;",
    "javascript:alert(1)",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "=HYPERLINK(\"http://x\",\"y\")",
    "http://evil.example/x",
    "mailto:a@b.c",
    "internal:Sheet1!A1",
    "\tTAB",
    "CR\rCR",
    "two\nlines",
    "\342\200\256gnp.exe",
    "line\xE2\x80\xA8separator",
    "\x1B[2J",
    "\x1B]8;;http://x\x07link",
    "%s%n%s%n",
    "${jndi:ldap://x}",
    "{{title}}{{#rows}}",
    "`code`",
    "```\nfence",
    "a|b",
    "[x](http://y)",
    "![x](y)",
    "@team #1 GH-1",
    "e\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81",
    "\xF0\x9F\x9A\x80",
    "\xED\xA0\x80",
    "\xC0\xAF",
    "\xFF\xFE",
    "\xEF\xBF\xBE\xEF\xBF\xBF",
    "_x000D_",
    "'=1+1",
    "a,b;\"c\"",
};
enum { HOSTILE_COUNT = sizeof hostile_names / sizeof *hostile_names };

static inline void demo_glyphs(Scene *scene)
{
    scene_box(scene, 20.5, 60.5, 20, 20, ROLE_ERROR_FILL, ROLE_ERROR_EDGE)->paint.width = 2;
    scene_text(scene, 30.5, 75, 13, 700, ANCHOR_MIDDLE, ROLE_ERROR_INK, STR("E"));
    Item *box = scene_box(scene, 60.5, 60.5, 20, 20, ROLE_UNMATCHED_FILL, ROLE_UNMATCHED_EDGE);
    box->as.box.hatch = true;
    scene_title(scene, box, "unmatched: %s", "<layer> & \"friends\"");
    box = scene_box(scene, 100.5, 60.5, 60, 20, ROLE_NONE, ROLE_NODATA_EDGE);
    box->paint.dash = 3;
    box->paint.gap = 2;
    box->as.box.radius = 3;
    scene_circle(scene, 190, 70, 9, ROLE_INK, ROLE_NONE);
    scene_text(scene, 190, 74, 11, 700, ANCHOR_MIDDLE, ROLE_PAPER, STR("2"));
    scene_box(scene, 220, 60, 40, 20, ROLE_TARGET, ROLE_NONE)->paint.opacity = 0.3f;
    scene_line(scene, 280, 60, 280, 80, ROLE_ERROR_TEXT)->paint.width = 1.3f;
}

static inline void demo_paths(Scene *scene)
{
    static const PathStep tick[] = {{.verb = PATH_MOVE, .x = 300, .y = 70},
                                    {.verb = PATH_LINE, .x = 305, .y = 75},
                                    {.verb = PATH_LINE, .x = 315, .y = 62}};
    static const PathStep heart[] = {
        {.verb = PATH_MOVE, .x = 340, .y = 65},
        {.verb = PATH_CURVE, .x = 360, .y = 65, .x1 = 345, .y1 = 55, .x2 = 355, .y2 = 55},
        {.verb = PATH_LINE, .x = 350, .y = 80},
        {.verb = PATH_CLOSE}};
    scene_path(scene, tick, 3, ROLE_NONE, ROLE_PASS_INK)->paint.width = 2;
    scene_path(scene, heart, 4, ROLE_NAN, ROLE_NAN_INK);
}

static inline void demo_texts(Scene *scene)
{
    Span verdict[] = {{.text = STR("DIVERGES"), .role = ROLE_ERROR_TEXT, .weight = 700},
                      {.text = STR("  at "), .weight = 400},
                      {.text = STR("Functional.linear.8.forward"), .weight = 700}};
    scene_spans(scene, 20, 40, 22, ANCHOR_START, ROLE_INK, verdict, 3);
    Span power[] = {{.text = STR("10")},
                    {.text = STR("−8"), .size = 7.6f, .raise = 0.36f},
                    {.text = STR("rel."), .dx = 6}};
    scene_spans(scene, 200, 110, 10, ANCHOR_END, ROLE_INK3, power, 3);
    scene_text(scene, 20, 110, 13, 600, ANCHOR_START, ROLE_INK, STR("中文 层归一化 fwd"));
    Item *item = scene_text(scene, 300, 140, 11, 400, ANCHOR_MIDDLE, ROLE_INK2, STR("vertical"));
    item->as.text.vertical = true;
    item = scene_text(scene, 20, 135, 12, 400, ANCHOR_START, ROLE_INK, STR("q = self.qkv(x)"));
    item->as.text.mono = true;
    scene_group(scene, STR("row 1"), STR("a row"), STR("#op-62"));
    scene_text(scene, 20, 160, 12, 400, ANCHOR_START, ROLE_ACCENT, STR("a link"));
    scene_group_end(scene);
    for (int i = 0; i < HEAT_STEPS; i++)
        scene_box(scene, 20 + 18 * i, 170, 18, 18, (Role)(ROLE_HEAT + i), ROLE_NONE);
}

static inline Scene demo_scene(Arena *arena)
{
    Scene scene;
    scene_init(&scene, arena, "demo", 420);
    scene.height = 200;
    scene.title = STR("DIVERGES  at Functional.linear.8.forward");
    scene.description = STR("golden: a · target: b");
    demo_glyphs(&scene);
    demo_paths(&scene);
    demo_texts(&scene);
    return scene;
}

static inline Scene hostile_scene(Arena *arena)
{
    Scene scene;
    scene_init(&scene, arena, "a\"><script>", 600);
    scene.height = 20 * HOSTILE_COUNT + 20;
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        Str name = str_of(hostile_names[i]);
        scene_group(&scene, name, name, name);
        Item *item =
            scene_text(&scene, 10, 20 * (double)i + 20, 12, 400, ANCHOR_START, ROLE_INK, name);
        item->title = name;
        scene_box(&scene, 400, 20 * (double)i + 5, 50, 18, ROLE_NONE, ROLE_NONE)->title = name;
        scene_group_end(&scene);
    }
    scene.title = str_of(hostile_names[0]);
    scene.description = str_of(hostile_names[1]);
    return scene;
}

#endif
