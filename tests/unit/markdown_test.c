// SPDX-License-Identifier: Apache-2.0
#include "renderers/markdown.h"
#include "renderers/ticket.h"

#include "base/utf8.h"
#include "check.h"
#include "demo_report.h"

static Str render(const Report *report, const char *image_suffix, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme(), .image_suffix = image_suffix};
    CHECK(markdown_renderer.write_report(report, &options, sink, &err));
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
    Str text = render(&demo.report, ".png", arena);
    CHECK(str_starts(text,
                     STR("**DIVERGES** at `Functional.linear.8.forward`, step 0, rank 0: inputs "
                         "agree (norm rel. diff 0), output.0 does not (2.9e-05; noise not "
                         "measured).\n\n### Runs\n\n| side | dump | ops |\n| --- | --- | ---: "
                         "|\n| golden | `gpt4-mix-stats/bench` | 421 |\n")));
    CHECK(has(text, "![The hierarchy of step 0, rank 0](graph-step0-rank0.png)"));
    CHECK(has(text, "\n\n`-` a paragraph that starts like a list\n\n"));
    CHECK(has(text, "````\ntrain.py:41  q, k, v = self.qkv(x)\n  ``` fence\n````\n"));
    CHECK(has(text, "| **`blocks.2.ln_1 grad`** | 9.74e-05 |"));
    CHECK(has(text, "… and 70 more rows, left out here\n\nevery row is in compare.xlsx\n"));
    CHECK(has(text, "</details>"));
    CHECK(!has(render(&demo.report, NULL, arena), "!["));
    arena_release(arena);
}

// Takes code spans away, the way CommonMark reads them: a run of backticks up to the next run of
// the same length.
static Str without_code(Str text, Arena *arena)
{
    StrBuf buf;
    buf = strbuf_new(arena);
    for (size_t at = 0; at < text.size;) {
        size_t run = 0;
        while (at + run < text.size && text.data[at + run] == '`')
            run++;
        if (!run) {
            strbuf_add_char(&buf, text.data[at++]);
            continue;
        }
        size_t end = at + run, close = 0;
        for (; end < text.size && close != run; end++)
            for (close = 0; end < text.size && text.data[end] == '`'; end++)
                close++;
        CHECK(close == run);
        at = close == run ? end - 1 : text.size;
        strbuf_add(&buf, STR("CODE"));
    }
    return strbuf_str(&buf);
}

static void check_inert(Str line, Arena *arena)
{
    Str bare = without_code(line, arena);
    for (size_t i = 0; i < bare.size; i++)
        CHECK(!strchr("<>[]\\&~$@_`", bare.data[i]));
    CHECK(!has(bare, "://") && !has(bare, "www.") && !has(bare, "GH-") && !has(bare, "#1"));
}

static void words_with_a_meaning_become_code(void)
{
    static const char *const pairs[][2] = {
        {"layer_norm does not.", "`layer_norm` does not."},
        {"(2.9e-05; noise not measured).", "(2.9e-05; noise not measured)."},
        {"at Functional.linear.8.forward: 2.9e-05 (see layer_norm)",
         "at `Functional.linear.8.forward`: 2.9e-05 (see `layer_norm`)"},
        {"night 1 (npu_dump) of 1.2.2.", "night 1 (`npu_dump`) of 1.2.2."},
        {"a `b` c", "a `` `b` `` c"},
        {"@team, #1", "`@team`, `#1`"},
        {"1. first", "`1.` first"},
        {"a  b\nc\td", "a b c d"},
        {":smile: x:y", "`:smile`: x:y"},
        {"\x1B[2J", "`\\x1B[2J`"},
        {"908：loss_a（a_b）相差 x_1。", "908：`loss_a`（`a_b`）相差 `x_1`。"}};
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_TEXT(markdown_inline(str_of(pairs[i][0]), false, arena), pairs[i][1]);
    CHECK_TEXT(markdown_inline(STR("a|b"), true, arena), "`a\\|b`");
    CHECK_TEXT(markdown_inline(STR("what an all_reduce brings is equal"), true, arena),
               "what an `all_reduce` brings is equal");
    CHECK_TEXT(markdown_inline(STR("[2, 16] torch.bf16"), true, arena), "`[2, 16] torch.bf16`");
    arena_release(arena);
}

static void hostile_names_are_inert(void)
{
    Arena *arena = arena_new();
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        Str line = markdown_inline(str_of(hostile_names[i]), false, arena);
        check_inert(line, arena);
        CHECK(str_find_char(line, '\n', 0) == SIZE_MAX && utf8_valid(line));
        CHECK(!strchr("-+=# >", line.data[0]));
    }
    arena_release(arena);
}

static size_t cells_of(Str line)
{
    size_t pipes = 0;
    for (size_t i = 0; i < line.size; i++)
        pipes += line.data[i] == '|' && (i == 0 || line.data[i - 1] != '\\');
    return pipes - 1;
}

static void hostile_names_break_no_table(void)
{
    Arena *arena = arena_new();
    DemoReport demo;
    demo_report(&demo, true, arena);
    Str text = render(&demo.report, ".png", arena);
    CHECK(utf8_valid(text) && !has(without_code(text, arena), "<script>"));
    size_t rows = 0;
    Str details = str_slice(text, str_find(text, STR("<details>"), 0), text.size);
    for (Str line; str_split(&details, '\n', &line);) {
        if (!str_starts(line, STR("| ")) || str_starts(line, STR("| op ")) ||
            str_starts(line, STR("| ---")))
            continue;
        CHECK(cells_of(line) == 3);
        rows++;
    }
    CHECK(rows == HOSTILE_COUNT);
    arena_release(arena);
}

static void the_budget_is_kept_whatever_comes(void)
{
    Arena *arena = arena_new();
    DemoReport demo;
    demo_report(&demo, false, arena);
    char *long_text = arena_alloc(arena, 200001);
    for (size_t i = 0; i < 200000; i++)
        long_text[i] = "|`x"[i % 3];
    for (int i = 0; i < 40; i++) {
        report_text(&demo.report, str_of(long_text));
        report_code(&demo.report, str_of(long_text));
        report_details(&demo.report, str_of(long_text));
        table_add_row(&demo.tables[3])[0] = cell_text(str_of(long_text));
        report_table(&demo.report, &demo.tables[3]);
    }
    Str text = render(&demo.report, NULL, arena);
    CHECK(text.size <= TICKET_BYTES);
    CHECK(str_ends(text, STR("The rest is too long for a ticket: see the page.\n\n")));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(a_report_is_readable_as_it_stands);
    CHECK_RUN(words_with_a_meaning_become_code);
    CHECK_RUN(hostile_names_are_inert);
    CHECK_RUN(hostile_names_break_no_table);
    CHECK_RUN(the_budget_is_kept_whatever_comes);
    return CHECK_RESULT;
}
