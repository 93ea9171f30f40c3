// SPDX-License-Identifier: Apache-2.0
#include "renderers/html_blocks.h"

#include "renderers/svg.h"
#include "scene/rich_text.h"

// What is open: <details>, or the columns with one of their columns.
typedef enum OpenKind { OPEN_DETAILS, OPEN_COLUMNS, OPEN_COLUMN } OpenKind;

typedef struct Page {
    Markup *out;
    const Report *report;
    const RenderOptions *options;
    size_t at;  // the block that is written
    OpenKind open[32];
    size_t depth;
    bool sections;  // a heading of level 2 was written
} Page;

static void element(Page *page, const char *open, Str text, const char *close)
{
    markup_raw(page->out, open);
    markup_shown(page->out, text);
    markup_raw(page->out, close);
}

void html_write_id(Markup *out, Str id)
{
    for (size_t i = 0; i < id.size; i++) {
        char c = id.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        markup_char(out, plain ? c : '-');
    }
}

static const char *verdict_class(CellStyle style)
{
    switch (style) {
    case STYLE_ERROR:
    case STYLE_ERROR_TINT:
        return "error";
    case STYLE_WARNING:
    case STYLE_WARNING_TINT:
        return "warning";
    case STYLE_SAME:
    case STYLE_PASS:
        return "pass";
    default:
        return "plain";
    }
}

// Where `part` is in the sentence at or after `from`, or SIZE_MAX.
static size_t part_of(Str sentence, Str part, size_t from)
{
    return part.size && from != SIZE_MAX ? str_find(sentence, part, from) : SIZE_MAX;
}

// A name breaks after its dots where it has to, not within its words.
static void write_place(Page *page, Str place)
{
    markup_raw(page->out, "<b>");
    for (size_t from = 0; from < place.size;) {
        size_t dot = str_find_char(place, '.', from);
        Str part = str_slice(place, from, dot == SIZE_MAX ? place.size : dot + 1);
        markup_shown(page->out, part);
        from += part.size;
        if (from < place.size)
            markup_raw(page->out, "<wbr/>");
    }
    markup_raw(page->out, "</b>");
}

// The sentence up to its place, in its own words: what stands before the word ("PARTIAL"), the
// word, what joins it to the place ("at"), the place. The whole sentence if it is made otherwise.
static void write_headline(Page *page, const Verdict *verdict)
{
    Str sentence = verdict->sentence;
    size_t word = part_of(sentence, verdict->word, 0);
    if (word == SIZE_MAX) {
        markup_shown(page->out, sentence);
        return;
    }
    Str before = str_trim(str_slice(sentence, 0, word));
    if (before.size)
        element(page, "<b class=\"partial\">", before, "</b> ");
    element(page, "<b class=\"word\">", verdict->word, "</b>");
    size_t after = word + verdict->word.size;
    size_t place = part_of(sentence, verdict->place, after);
    if (place != SIZE_MAX) {
        element(page, " ", str_trim(str_slice(sentence, after, place)), " ");
        write_place(page, verdict->place);
    } else if (verdict->place.size) {
        markup_char(page->out, ' ');
        write_place(page, verdict->place);
    } else if (!verdict->reason.size) {
        element(page, " ", str_trim(str_slice(sentence, after, sentence.size)), "");
    }
}

static void write_verdict(Page *page, const Verdict *verdict)
{
    markup_raw(page->out, "<header id=\"verdict\"><h1 class=\"v ");
    markup_raw(page->out, verdict_class(verdict->style));
    markup_raw(page->out, "\">");
    html_write_chip(page->out, verdict->style);
    write_headline(page, verdict);
    markup_raw(page->out, "</h1>\n");
    if (verdict->reason.size)
        element(page, "<p class=\"why\">", verdict->reason, "</p>\n");
    if (verdict->context.size)
        element(page, "<p class=\"sub\">", verdict->context, "</p>\n");
    markup_raw(page->out, "</header>\n");
}

static bool in_columns(const Page *page)
{
    return page->depth && page->open[page->depth - 1] != OPEN_DETAILS;
}

static void open_kind(Page *page, OpenKind kind)
{
    if (page->depth < sizeof page->open / sizeof *page->open)
        page->open[page->depth++] = kind;
}

// A column with a figure gets most of the width.
static bool column_has_figure(const Page *page)
{
    for (size_t i = page->at + 1; i < page->report->count; i++) {
        BlockKind kind = page->report->items[i].kind;
        if (kind == BLOCK_FIGURE)
            return true;
        if (kind == BLOCK_HEADING || kind == BLOCK_END)
            return false;
    }
    return false;
}

static void start_column(Page *page)
{
    if (page->open[page->depth - 1] == OPEN_COLUMN)
        markup_raw(page->out, "</div>\n");
    else
        open_kind(page, OPEN_COLUMN);
    markup_raw(page->out, column_has_figure(page) ? "<div class=\"wide\">" : "<div>");
}

// Small ones that no section holds are of level 2 to a screen reader: levels are not skipped.
static void write_heading(Page *page, const Block *block)
{
    if (in_columns(page))
        start_column(page);
    bool small = block->level > 2, third = small && page->sections;
    page->sections = page->sections || !small;
    markup_raw(page->out, third ? "<h3" : small ? "<h2 class=\"s\"" : "<h2");
    if (block->id.size) {
        markup_raw(page->out, " id=\"");
        html_write_id(page->out, block->id);
        markup_char(page->out, '"');
    }
    element(page, ">", block->text, third ? "</h3>\n" : "</h2>\n");
    if (block->note.size)
        element(page, "<p class=\"c\">", block->note, "</p>\n");
}

static void write_code(Page *page, Str text)
{
    markup_raw(page->out, "<pre><code>");
    bool first = true;
    for (Str line; str_split(&text, '\n', &line); first = false) {
        if (!first)
            markup_char(page->out, '\n');
        markup_text(page->out, line);
    }
    markup_raw(page->out, "</code></pre>\n");
}

// Ids inside inline pictures must differ, also when two pictures were given the same one.
static Scene with_own_id(const Page *page, const Scene *scene, Arena *arena)
{
    Scene own = *scene;
    own.id = str_printf(arena, STR_FMT "-%zu", STR_ARG(scene->id), page->at);
    return own;
}

static void write_linked_figure(Page *page, const Block *block)
{
    markup_raw(page->out, "<img src=\"");
    for (size_t i = 0; i < block->file.size; i++) {
        char c = block->file.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_' || (c == '.' && i > 0);
        markup_char(page->out, plain ? c : '_');
    }
    markup_raw(page->out, ".svg\"");
    markup_attribute_number(page->out, "width", block->scene->width, 0);
    markup_attribute_number(page->out, "height", block->scene->height, 0);
    markup_attribute(page->out, "alt", block->scene->title);
    markup_raw(page->out, ">\n");
}

static void write_figure(Page *page, const Block *block)
{
    markup_raw(page->out, "<figure>");
    if (page->options->page_linked && block->file.size) {
        write_linked_figure(page, block);
    } else {
        Arena *arena = arena_new();
        Scene scene = with_own_id(page, block->scene, arena);
        svg_write_inline(page->out, &scene, page->options);
        arena_release(arena);
    }
    Str caption = block->note.size ? block->note : block->scene->caption;
    if (caption.size)
        element(page, "<figcaption>", caption, "</figcaption>");
    markup_raw(page->out, "</figure>\n");
}

// An author's marks; everything between them is escaped.
static void write_rich(Page *page, Str text)
{
    Arena *arena = arena_new();
    RichSpans spans;
    rich_text_read(text, arena, &spans);
    for (size_t i = 0; i < spans.count; i++) {
        const RichSpan *span = &spans.items[i];
        if (span->link.size) {
            markup_raw(page->out, "<a");
            markup_attribute(page->out, "href", span->link);
            markup_raw(page->out, ">");
        }
        markup_raw(page->out, span->bold ? "<strong>" : "");
        markup_raw(page->out, span->italic ? "<em>" : "");
        markup_raw(page->out, span->code ? "<code>" : "");
        markup_text(page->out, span->text);
        markup_raw(page->out, span->code ? "</code>" : "");
        markup_raw(page->out, span->italic ? "</em>" : "");
        markup_raw(page->out, span->bold ? "</strong>" : "");
        markup_raw(page->out, span->link.size ? "</a>" : "");
    }
    arena_release(arena);
}

static void write_text(Page *page, const Block *block)
{
    if (markup_is_local(block->link)) {
        markup_raw(page->out, "<p><a");
        markup_attribute(page->out, "href", block->link);
        element(page, ">", block->text, "</a></p>\n");
        return;
    }
    if (!block->rich) {
        element(page, "<p>", block->text, "</p>\n");
        return;
    }
    markup_raw(page->out, "<p class=\"prose\">");
    write_rich(page, block->text);
    markup_raw(page->out, "</p>\n");
}

static const Block *neighbour_item(const Page *page, bool before)
{
    if (before ? page->at == 0 : page->at + 1 >= page->report->count)
        return NULL;
    const Block *block = &page->report->items[before ? page->at - 1 : page->at + 1];
    return block->kind == BLOCK_ITEM ? block : NULL;
}

// Items that follow each other are one list; those of level 2 are set in by their class.
static void write_item(Page *page, const Block *block)
{
    const Block *before = neighbour_item(page, true), *after = neighbour_item(page, false);
    if (!before || before->ordered != block->ordered)
        markup_raw(page->out, block->ordered ? "<ol class=\"prose\">" : "<ul class=\"prose\">");
    markup_raw(page->out, block->level > 1 ? "<li class=\"deep\">" : "<li>");
    write_rich(page, block->text);
    markup_raw(page->out, "</li>\n");
    if (!after || after->ordered != block->ordered)
        markup_raw(page->out, block->ordered ? "</ol>\n" : "</ul>\n");
}

// A linked page has no script that would read it.
static void write_index(Page *page, Str id, Str lines)
{
    if (page->options->page_linked)
        return;
    markup_raw(page->out, "<pre id=\"");
    markup_text(page->out, id);
    markup_raw(page->out, "\" hidden=\"hidden\">");
    for (Str line; str_split(&lines, '\n', &line);) {
        markup_text(page->out, line);
        markup_char(page->out, '\n');
    }
    markup_raw(page->out, "</pre>\n");
}

static void close_block(Page *page)
{
    if (!page->depth)
        return;
    OpenKind kind = page->open[--page->depth];
    markup_raw(page->out, kind == OPEN_DETAILS ? "</details>\n" : "</div>\n");
    if (kind == OPEN_COLUMN && page->depth) {  // the columns end with their last column
        page->depth--;
        markup_raw(page->out, "</div>\n");
    }
}

static void write_block(Page *page, const Block *block)
{
    switch (block->kind) {
    case BLOCK_VERDICT:
        write_verdict(page, block->verdict);
        break;
    case BLOCK_HEADING:
        write_heading(page, block);
        break;
    case BLOCK_TEXT:
        write_text(page, block);
        break;
    case BLOCK_ITEM:
        write_item(page, block);
        break;
    case BLOCK_CODE:
        write_code(page, block->text);
        break;
    case BLOCK_FIGURE:
        write_figure(page, block);
        break;
    case BLOCK_TABLE:
        html_write_table(page->out, block->table);
        break;
    case BLOCK_COLUMNS:
        markup_raw(page->out, "<div class=\"cols\">\n");
        open_kind(page, OPEN_COLUMNS);
        break;
    case BLOCK_DETAILS:
        element(page, "<details><summary>", block->text, "</summary>\n");
        open_kind(page, OPEN_DETAILS);
        break;
    case BLOCK_END:
        close_block(page);
        break;
    case BLOCK_FOOTER:
        element(page, "<footer><p>", block->text, "</p></footer>\n");
        break;
    case BLOCK_INDEX:
        write_index(page, block->id, block->text);
        break;
    }
}

void html_write_blocks(Markup *out, const Report *report, const RenderOptions *options)
{
    Page page = {.out = out, .report = report, .options = options};
    for (page.at = 0; page.at < report->count; page.at++)
        write_block(&page, &report->items[page.at]);
    while (page.depth)
        close_block(&page);
}
