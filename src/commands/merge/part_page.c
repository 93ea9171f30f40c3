// SPDX-License-Identifier: Apache-2.0
// The template is written once more around marks; a page is good if it is the same around texts
// without markup and blocks that hold nothing but known elements.
#include "commands/merge/part_page.h"

#include <expat.h>
#include <string.h>

#include "base/words.h"
#include "commands/merge/part_svg.h"
#include "renderers/html.h"
#include "renderers/markup.h"

#define MARK_TEXT "vernier-part-page-mark"
#define MARK      STR(MARK_TEXT)

// ---- the blocks

static bool is_known_element(const char *name)
{
    if (STR_IN(str_of(name), "main", "header", "h1", "h2", "h3", "p", "b", "i", "em", "strong",
               "span", "code", "pre", "div", "table", "tr", "th", "td", "ul", "thead", "ol",
               "tbody", "details", "summary", "footer", "figcaption", "wbr", "li", "figure"))
        return true;
    return strcmp(name, "style") != 0 && part_svg_element(name);
}

static bool is_known_attribute(const char *name, const char *value)
{
    if (STR_IN(str_of(name), "class", "title", "hidden", "scope", "tabindex", "aria-hidden",
               "aria-label"))
        return true;
    return strcmp(name, "href") == 0 ? markup_is_local(str_of(value))
                                     : part_svg_attribute(name, value);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    bool good = is_known_element(name);
    for (size_t i = 0; attributes[i] && good; i += 2)
        good = is_known_attribute(attributes[i], attributes[i + 1]);
    if (!good)
        XML_StopParser(user, XML_FALSE);
}

// Comments, sections of plain text, instructions.
static void XMLCALL on_text(void *user, const XML_Char *text)
{
    (void)text;
    XML_StopParser(user, XML_FALSE);
}

static void XMLCALL on_section(void *user)
{
    XML_StopParser(user, XML_FALSE);
}

static void XMLCALL on_instruction(void *user, const XML_Char *target, const XML_Char *data)
{
    (void)target;
    (void)data;
    XML_StopParser(user, XML_FALSE);
}

static bool parse(XML_Parser parser, Str text, bool last)
{
    return XML_Parse(parser, text.data, (int)text.size, last) == XML_STATUS_OK;
}

// As XML every '<' begins an element that is known, so to a browser as well.
static bool are_blocks(Str blocks)
{
    XML_Parser parser = XML_ParserCreate("UTF-8");
    if (!parser)
        return false;
    XML_UseParserAsHandlerArg(parser);
    XML_SetStartElementHandler(parser, on_start);
    XML_SetCommentHandler(parser, on_text);
    XML_SetStartCdataSectionHandler(parser, on_section);
    XML_SetProcessingInstructionHandler(parser, on_instruction);
    bool good = parse(parser, STR("<main>"), false) && parse(parser, blocks, false) &&
                parse(parser, STR("</main>"), true);
    XML_ParserFree(parser);
    return good;
}

// ---- the template

// What stands around the title, the links to the sections and the blocks.
typedef struct Shell {
    Str before_title, before_links, before_blocks, behind;
} Shell;

// `index`: with that of ops, whose page has a script of its own.
static bool write_shell(bool section, bool index, const RenderOptions *options, Arena *arena,
                        Str *out)
{
    Error err;
    Report report;
    report_init(&report, arena);
    report.title = MARK;
    report_text(&report, MARK);
    if (section)
        report_heading(&report, 2, "section", STR(""), STR(""));
    if (index)
        report_index(&report, "op-index", MARK);
    Sink *sink = sink_memory(arena);
    bool good = html_renderer.write_report(&report, options, sink, &err);
    *out = sink_bytes(sink);
    sink_discard(sink);
    return good;
}

// How far both are the same, up to the end of a tag.
static size_t common_tags(Str a, Str b)
{
    size_t same = 0;
    while (same < a.size && same < b.size && a.data[same] == b.data[same])
        same++;
    while (same && a.data[same - 1] != '>')
        same--;
    return same;
}

// The links stand where a page with a section first differs from one without.
static bool find_shell(bool index, const RenderOptions *options, Arena *arena, Shell *out)
{
    const Str end = STR("</pre>\n"), text = STR("<p>" MARK_TEXT "</p>\n");
    Str plain, section;
    if (!write_shell(false, index, options, arena, &plain) ||
        !write_shell(true, index, options, arena, &section))
        return false;
    size_t title = str_find(plain, MARK, 0), blocks = str_find(plain, text, 0);
    if (title == SIZE_MAX || blocks == SIZE_MAX || title > blocks)
        return false;
    Str head = str_slice(plain, title + MARK.size, blocks);
    size_t links = common_tags(head, str_slice(section, title + MARK.size, section.size));
    *out = (Shell){.before_title = str_slice(plain, 0, title),
                   .before_links = str_slice(head, 0, links),
                   .before_blocks = str_slice(head, links, head.size),
                   .behind = str_slice(plain, blocks + text.size, plain.size)};
    size_t behind = index ? str_find(out->behind, end, 0) : SIZE_MAX;
    if (behind != SIZE_MAX)
        out->behind = str_slice(out->behind, behind + end.size, out->behind.size);
    return true;
}

// What stands before the next `piece`, which is passed over.
static bool take(Str *page, Str piece, Str *before)
{
    size_t at = piece.size ? str_find(*page, piece, 0) : SIZE_MAX;
    if (at == SIZE_MAX)
        return false;
    *before = str_slice(*page, 0, at);
    *page = str_slice(*page, at + piece.size, page->size);
    return true;
}

static bool fits(Str page, const Shell *shell)
{
    Str none, title, links;
    if (!take(&page, shell->before_title, &none) || none.size ||
        !take(&page, shell->before_links, &title) || !take(&page, shell->before_blocks, &links) ||
        !str_ends(page, shell->behind))
        return false;
    Str blocks = str_slice(page, 0, page.size - shell->behind.size);
    return str_find_char(title, '<', 0) == SIZE_MAX && are_blocks(links) && are_blocks(blocks);
}

const char *part_page_refusal(Str bytes, const RenderOptions *options)
{
    const size_t most = 1 << 30;
    Arena *arena = arena_new();
    Shell shell;
    bool good = false;
    for (int index = 0; index < 2 && !good && bytes.size <= most; index++)
        good = find_shell(index == 1, options, arena, &shell) && fits(bytes, &shell);
    arena_release(arena);
    return good ? NULL
                : tr("this page is none that vernier writes with the options of merge; it is left "
                     "out");
}
