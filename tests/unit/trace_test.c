// SPDX-License-Identifier: Apache-2.0
#include "renderers/trace.h"

#include "check.h"
#include "demo.h"

static Str render(const Scene *scene, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    CHECK(trace_renderer.write_scene(scene, &(RenderOptions){.theme = demo_theme()}, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static void every_item_is_one_line(void)
{
    Arena *arena = arena_new();
    Scene scene = demo_scene(arena);
    Str text = render(&scene, arena);
    static const char *const lines[] = {
        "scene \"demo\" 420 200 'DIVERGES  at Functional.linear.8.forward'\n",
        "box 20.5 60.5 20 20 fill=error.fill stroke=error.edge width=2\n",
        " fill=unmatched.fill stroke=unmatched.edge hatch 'unmatched: <layer> & \"friends\"'\n",
        "line 280 60 280 80 stroke=error.text width=1.3\n",
        "path M 340 65 C 345 55 355 55 360 65 L 350 80 Z fill=nan stroke=nan.ink\n",
        "text 20 40 start 22 ink \"DIVERGES\"[error.text weight=700] \"  at \"[ weight=400] ",
        "group \"row 1\" \"#op-62\" 'a row'\n  text 20 160 start 12 accent \"a link\"\nend\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK(str_find(text, str_of(lines[i]), 0) != SIZE_MAX);
    size_t count = 0;
    for (size_t at = 0; at < text.size; at++)
        count += text.data[at] == '\n';
    CHECK(count == scene.count + 1);
    arena_release(arena);
}

static void hostile_names_stay_on_their_line(void)
{
    Arena *arena = arena_new();
    Scene scene = hostile_scene(arena);
    Str text = render(&scene, arena);
    size_t count = 0;
    for (size_t at = 0; at < text.size; at++)
        count += text.data[at] == '\n';
    CHECK(count == scene.count + 1);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(every_item_is_one_line);
    CHECK_RUN(hostile_names_stay_on_their_line);
    return CHECK_RESULT;
}
