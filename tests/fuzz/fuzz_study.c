// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "read/settings/study_file.h"
#include "renderers/html_blocks.h"
#include "renderers/markdown.h"
#include "report/kit/print.h"
#include "report/kit/prose.h"
#include "templates/templates.h"

// Any bytes as study.yaml and as an author's Markdown: the page made from the latter has no tag but
// those that the renderer writes itself.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool no_figure(void *context, Str name, Report *report)
{
    (void)context;
    (void)report;
    return name.size == 0;
}

static bool is_own_tag(Str rest)
{
    static const char *const tags[] = {"p",    "h2",     "h3", "ul",  "ol",    "li",    "pre",
                                       "code", "strong", "em", "a",   "table", "thead", "tbody",
                                       "tr",   "th",     "td", "div", "span",  "i"};
    if (str_starts(rest, STR("/")))
        rest = str_slice(rest, 1, rest.size);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        Str tag = str_of(tags[i]);
        if (str_starts(rest, tag) && rest.size > tag.size &&
            (rest.data[tag.size] == '>' || rest.data[tag.size] == ' '))
            return true;
    }
    return false;
}

static void check_page(Str page)
{
    for (size_t at = str_find_char(page, '<', 0); at != SIZE_MAX;
         at = str_find_char(page, '<', at + 1))
        demand(is_own_tag(str_slice(page, at + 1, page.size)));
}

static void check_prose(Str text, Arena *arena)
{
    Report report;
    Notices notices;
    Error err;
    Markup markup;
    RenderOptions options = {0};
    notices_init(&notices, arena);
    report_init(&report, arena);
    prose_add(text, "study.yaml", no_figure, NULL, &report, &notices);
    Sink *page = sink_memory(arena), *ticket = sink_memory(arena);
    markup_init(&markup, page);
    html_write_blocks(&markup, &report, &options);
    markup_flush(&markup);
    check_page(sink_bytes(page));
    demand(sink_commit(page, &err));
    demand(markdown_renderer.write_report(&report, &options, ticket, &err));
    demand(sink_commit(ticket, &err));
    demand(print_report(&report, arena)->height > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    StudyPlan plan;
    notices_init(&notices, arena);
    Str copy = fuzz_copy(data, size);
    char path[64];
    fuzz_file("study.yaml", data, size, path);
    if (study_read(path, arena, &plan, &notices, &err))
        check_prose(plan.text, arena);
    check_prose(copy, arena);
    remove(path);
    free((void *)(uintptr_t)copy.data);
    arena_release(arena);
    return 0;
}
