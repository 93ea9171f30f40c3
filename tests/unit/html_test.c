// SPDX-License-Identifier: Apache-2.0
#include "renderers/html.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "demo_report.h"
#include "markup_check.h"
#include "renderers/template.h"

static Str render(const Report *report, RenderOptions options, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    options.theme = demo_theme();
    CHECK(html_renderer.write_report(report, &options, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static bool has(Str text, const char *part)
{
    return str_find(text, str_of(part), 0) != SIZE_MAX;
}

static void the_page_says_the_verdict_first(void)
{
    Arena *arena = arena_new();
    DemoReport demo;
    demo_report(&demo, false, arena);
    Str page = render(&demo.report, (RenderOptions){.mode = THEME_AUTO}, arena);
    CHECK(str_starts(page, STR("<!doctype html>\n<html lang=\"en\">\n")));
    CHECK(has(page, "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                    "script-src 'sha256-"));
    CHECK(has(page, "<header id=\"verdict\"><h1 class=\"v error\"><span class=\"k E\" "
                    "aria-hidden=\"true\">E</span><b class=\"word\">DIVERGES</b> at "
                    "<b>Functional.<wbr/>linear.<wbr/>8.<wbr/>forward</b></h1>\n"
                    "<p class=\"why\">inputs agree (norm rel. diff 0)"));
    CHECK(has(page, "<a class=\"skip\" href=\"#where\">Where the runs diverge</a>"));
    CHECK(has(page, "<div class=\"cols\">\n<div><h2 class=\"s\">Runs</h2>\n<div class=\"t\">\n"
                    "<table aria-label=\"Runs\">\n<thead><tr><th scope=\"col\">side</th>"));
    CHECK(has(page, "<td><span class=\"gl\">golden</span></td>"));
    CHECK(has(page, "<td class=\"d\"><span class=\"k S\" aria-hidden=\"true\">=</span>same</td>"));
    CHECK(has(page, "<a href=\"#op-3\"><span class=\"k E\""));
    CHECK(has(page, "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"420\""));
    CHECK(has(page, "<details><summary>All 120 ops</summary>"));
    CHECK(has(page, "--error-fill:#A50F15;") && has(page, "--error-fill:#C8262C;"));
    CHECK(has(page, "svg [fill=\"#A50F15\"]{fill:#C8262C}"));
    CHECK(!has(page, "{{"));
    Str linked = render(&demo.report, (RenderOptions){.page_linked = true}, arena);
    CHECK(!has(linked, "<script") && !has(linked, "id=\"tools\""));
    arena_release(arena);
}

static Str without(Str text, Str open, Str close, Arena *arena)
{
    size_t from = str_find(text, open, 0), to = str_find(text, close, 0);
    if (from == SIZE_MAX)
        return text;
    return str_concat(arena, str_slice(text, 0, from), str_slice(text, to + close.size, text.size));
}

// The page without what XML does not know: the document type, void elements, the style sheet, and
// the page's own script, of which there is one.
static Str as_xml(Str page, Arena *arena)
{
    Str text = str_slice(page, str_find_char(page, '\n', 0) + 1, page.size);
    text = without(text, STR("<style>\n"), STR("</style>"), arena);
    text = without(text, STR("<script>// SPDX"), STR("</script>"), arena);
    StrBuf buf;
    buf = strbuf_new(arena);
    bool is_void = false;
    for (size_t i = 0; i < text.size; i++) {
        Str rest = str_slice(text, i, text.size);
        is_void |= str_starts(rest, STR("<meta ")) || str_starts(rest, STR("<link ")) ||
                   str_starts(rest, STR("<img ")) || str_starts(rest, STR("<input "));
        if (is_void && text.data[i] == '>') {
            strbuf_add_char(&buf, '/');
            is_void = false;
        }
        strbuf_add_char(&buf, text.data[i]);
    }
    return strbuf_str(&buf);
}

typedef struct Found {
    Arena *arena;
    size_t names;
} Found;

static void refuse_active(void *state, Str element, Str attribute, Str value)
{
    static const char *const allowed[] = {
        "html",   "head",   "meta",       "title",  "link",    "body",    "a",       "main",
        "header", "h1",     "h2",         "h3",     "p",       "b",       "i",       "span",
        "div",    "table",  "thead",      "tbody",  "tr",      "th",      "td",      "code",
        "pre",    "figure", "figcaption", "svg",    "g",       "rect",    "circle",  "line",
        "path",   "text",   "tspan",      "desc",   "defs",    "pattern", "details", "summary",
        "footer", "img",    "ol",         "li",     "section", "label",   "input",   "select",
        "option", "button", "output",     "canvas", "wbr"};
    bool known = false;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        known |= str_equal(element, str_of(allowed[i]));
    CHECK(known);
    if (str_equal(element, STR("link")) || str_equal(element, STR("img")))
        return;
    markup_refuse_active(state, element, attribute, value);
}

static void count_names(void *state, Str element, Str text)
{
    Found *found = state;
    if (!str_equal(element, STR("td")) && !str_equal(element, STR("b")) &&
        !str_equal(element, STR("span")) && !str_equal(element, STR("code")))
        return;
    for (size_t i = 0; i < HOSTILE_COUNT; i++)
        if (str_equal(text, utf8_display(str_of(hostile_names[i]), found->arena)))
            found->names++;
}

static void hostile_names_stay_text(void)
{
    Arena *arena = arena_new();
    DemoReport demo;
    demo_report(&demo, true, arena);
    Str page = render(&demo.report, (RenderOptions){.mode = THEME_AUTO}, arena);
    Found found = {.arena = arena};
    MarkupVisitor visitor = {refuse_active, count_names, &found};
    CHECK(markup_well_formed(as_xml(page, arena), arena, &visitor));
    CHECK(found.names >= HOSTILE_COUNT);
    CHECK(!has(page, "javascript:alert(1)\">") || !has(page, "href=\"javascript"));
    Str linked = render(&demo.report, (RenderOptions){.page_linked = true}, arena);
    CHECK(markup_well_formed(as_xml(linked, arena), arena, &visitor));
    CHECK(has(linked, "<img src=\"___") && has(linked, "style-src 'self'"));
    arena_release(arena);
}

static void unbalanced_blocks_give_whole_pages(void)
{
    Arena *arena = arena_new();
    Report report;
    report_init(&report, arena);
    report_end(&report);
    for (int i = 0; i < 40; i++)
        report_columns(&report);
    report_heading(&report, 3, "", STR("a"), (Str){"", 0});
    report_details(&report, STR("b"));
    Str page = render(&report, (RenderOptions){0}, arena);
    CHECK(has(page, "</main>"));
    Report small;
    report_init(&small, arena);
    report_columns(&small);
    report_heading(&small, 3, "", STR("a"), (Str){"", 0});
    report_details(&small, STR("b"));
    Found found = {.arena = arena};
    MarkupVisitor visitor = {refuse_active, count_names, &found};
    page = render(&small, (RenderOptions){0}, arena);
    CHECK(markup_well_formed(as_xml(page, arena), arena, &visitor));
    arena_release(arena);
}

static void the_theme_mode_decides_what_the_page_can_show(void)
{
    Arena *arena = arena_new();
    DemoReport demo;
    demo_report(&demo, false, arena);
    Str light = render(&demo.report, (RenderOptions){.mode = THEME_LIGHT}, arena);
    CHECK(has(light, "color-scheme:light;") && !has(light, "prefers-color-scheme"));
    Str dark = render(&demo.report, (RenderOptions){.mode = THEME_DARK}, arena);
    CHECK(has(dark, "color-scheme:dark;--paper:#14171A;") && !has(dark, "fill=\"#A50F15\""));
    Str linked = render(&demo.report, (RenderOptions){.page_linked = true}, arena);
    CHECK(has(linked, "<link rel=\"stylesheet\" href=\"page.css\">"));
    CHECK(has(linked, "<img src=\"graph-step0-rank0.svg\" width=\"420\" height=\"200\" alt=\""));
    CHECK(!has(linked, "<style"));
    arena_release(arena);
}

static void write_file(const char *path, const char *text)
{
    Error err;
    Sink *sink = sink_file(path, &err);
    sink_text(sink, text);
    CHECK(sink_commit(sink, &err));
}

static void templates_of_the_user_replace_ours_by_name(void)
{
    Arena *arena = arena_new();
    char folder[] = "html-test.XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    char *path = path_join(arena, folder, STR("page.html"));
    Report report;
    report_init(&report, arena);
    report.title = STR("a < b");
    RenderOptions options = {.theme = demo_theme(), .templates = folder};
    write_file(path, "{{title}}|{{lang}}");
    CHECK_TEXT(render(&report, options, arena), "a &lt; b|en");
    static const char *const bad[][2] = {
        {"a\n{{nothing}}", "the template names a value that is not known"},
        {"a\n{{#nothing}}{{/nothing}}", "the template names a list that is not known"},
        {"a\n{{#sections}}", "a list of the template does not end, or is nested too deep"},
        {"a\n{{/sections}}", "a list of the template ends that was not begun"},
        {"a\n{{title", "expected '}}' in the template"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Error err;
        Sink *sink = sink_memory(arena);
        write_file(path, bad[i][0]);
        CHECK(!html_renderer.write_report(&report, &options, sink, &err));
        CHECK(err.line == 2 && str_equal(str_of(err.file), STR("page.html")));
        CHECK_TEXT(str_of(err.text), bad[i][1]);
        sink_discard(sink);
    }
    unlink(path);
    rmdir(folder);
    Str text;
    Error err;
    CHECK(!template_find(NULL, "none.html", arena, &text, &err));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(the_page_says_the_verdict_first);
    CHECK_RUN(hostile_names_stay_text);
    CHECK_RUN(unbalanced_blocks_give_whole_pages);
    CHECK_RUN(the_theme_mode_decides_what_the_page_can_show);
    CHECK_RUN(templates_of_the_user_replace_ours_by_name);
    return CHECK_RESULT;
}
