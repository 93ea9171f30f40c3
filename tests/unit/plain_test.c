// SPDX-License-Identifier: Apache-2.0
#include "renderers/plain.h"

#include "base/text_columns.h"
#include "check.h"
#include "demo_report.h"

static Str render(const Report *report, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme()};
    CHECK(plain_renderer.write_report(report, &options, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static bool has(Str text, const char *part)
{
    return str_find(text, str_of(part), 0) != SIZE_MAX;
}

static void a_report_is_readable_as_it_stands(void)
{
    Arena *arena = arena_new();
    DemoReport demo;
    demo_report(&demo, false, arena);
    Str text = render(&demo.report, arena);
    CHECK(str_starts(text, STR("DIVERGES  at Functional.linear.8.forward, step 0, rank 0: inputs "
                               "agree\n          (norm rel. diff 0), output.0 does not ")));
    CHECK(has(text, "\nside    dump                               ops\n"
                    "------  ---------------------------------  ---\n"
                    "golden  gpt4-mix-stats/bench               421\n"));
    arena_release(arena);
}

static void full_width_text_breaks_anywhere_but_before_its_signs(void)
{
    Arena *arena = arena_new();
    Report report;
    StrBuf buf = strbuf_new(arena);
    for (int i = 0; i < 20; i++)
        strbuf_add(&buf, STR("\u6A21\u578B\uFF0C"));
    report_init(&report, arena);
    report_text(&report, strbuf_str(&buf));
    report_text(&report,
                STR("a-name-of-an-op-that-is-longer-than-a-line-and-is-to-be-found-whole-in-"
                    "the-text and more"));
    Str text = render(&report, arena);
    for (Str line; str_split(&text, '\n', &line);) {
        CHECK(columns_of(line) <= PLAIN_COLUMNS || str_find_char(line, ' ', 0) == SIZE_MAX);
        CHECK(!str_starts(line, STR("\uFF0C")));
    }
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(a_report_is_readable_as_it_stands);
    CHECK_RUN(full_width_text_breaks_anywhere_but_before_its_signs);
    return CHECK_RESULT;
}
