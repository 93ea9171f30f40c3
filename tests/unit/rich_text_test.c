// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "scene/rich_text.h"

static RichSpans read_text(const char *text, Arena *arena)
{
    RichSpans spans;
    rich_text_read(str_of(text), arena, &spans);
    return spans;
}

static void marks_become_spans(void)
{
    Arena *arena = arena_new();
    RichSpans spans = read_text("a **b** *c* `d*` [e](https://f.g/h)!", arena);
    CHECK(spans.count == 9);
    CHECK(spans.items[1].bold && str_equal(spans.items[1].text, STR("b")));
    CHECK(spans.items[3].italic && str_equal(spans.items[3].text, STR("c")));
    CHECK(spans.items[5].code && str_equal(spans.items[5].text, STR("d*")));
    CHECK(str_equal(spans.items[7].link, STR("https://f.g/h")));
    CHECK(str_equal(spans.items[8].text, STR("!")));
    arena_release(arena);
}

static void what_is_no_mark_stays_text(void)
{
    static const char *const texts[] = {
        "2 * 3 * 4",           "**open", "a ` b",           "[x](javascript:alert(1))",
        "[x](http://a \"b\")", "<b>",    "snake_case_name", "[]()"};
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(str_equal(rich_text_plain(str_of(texts[i]), arena), str_of(texts[i])));
    CHECK(str_equal(rich_text_plain(STR("\\*a\\* \\`b"), arena), STR("*a* `b")));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(marks_become_spans);
    CHECK_RUN(what_is_no_mark_stays_text);
    return CHECK_RESULT;
}
