// SPDX-License-Identifier: Apache-2.0
#include "renderers/markdown.h"

#include <string.h>

#include "base/utf8.h"
#include "base/words.h"
#include "renderers/cell_text.h"
#include "scene/rich_text.h"

enum { CELL_CHARS = 200, TEXT_CHARS = 2000, CODE_CHARS = 10000, END_BYTES = 500 };

static bool in_set(char c, const char *set)
{
    return c && strchr(set, c);
}

static size_t count_of(Str text, char wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == wanted;
    return count;
}

// Letters that Markdown or GitHub may give a meaning anywhere in a line: emphasis, code, links,
// HTML, entities, formulas, mentions, issues, emoji.
static bool has_meaning(Str word)
{
    for (size_t i = 0; i < word.size; i++)
        if (in_set(word.data[i], "`*_[]<>|\\&~$@#"))
            return true;
    return count_of(word, ':') > 1 || str_find(word, STR("://"), 0) != SIZE_MAX ||
           str_find(word, STR("www."), 0) != SIZE_MAX ||
           str_find(word, STR("WWW."), 0) != SIZE_MAX ||
           str_find(word, STR("mailto:"), 0) != SIZE_MAX ||
           str_find(word, STR("GH-"), 0) != SIZE_MAX;
}

// Words that start a list, a rule or a heading at the start of a line.
static bool starts_block(Str word)
{
    size_t digits = 0;
    while (digits < word.size && word.data[digits] >= '0' && word.data[digits] <= '9')
        digits++;
    bool list = digits > 0 && digits + 1 == word.size && in_set(word.data[digits], ".)");
    return list || in_set(word.data[0], "-+=");
}

static size_t longest_run(Str text, char wanted)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.size; i++) {
        run = text.data[i] == wanted ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_times(StrBuf *buf, char c, size_t times)
{
    for (size_t i = 0; i < times; i++)
        strbuf_add_char(buf, c);
}

// A code span: fenced by more backticks than it holds.
static void add_code(StrBuf *buf, Str text, bool in_table)
{
    size_t fence = longest_run(text, '`') + 1;
    bool padded = text.data[0] == '`' || text.data[text.size - 1] == '`';
    add_times(buf, '`', fence);
    add_times(buf, ' ', padded);
    for (size_t i = 0; i < text.size; i++) {
        if (in_table && text.data[i] == '|')
            strbuf_add_char(buf, '\\');
        strbuf_add_char(buf, text.data[i]);
    }
    add_times(buf, ' ', padded);
    add_times(buf, '`', fence);
}

// Punctuation that ends a sentence stays outside of the code.
static size_t word_end(Str word)
{
    size_t end = word.size;
    while (end > 1 && in_set(word.data[end - 1], ",.;:)"))
        end--;
    return end;
}

static void add_word(StrBuf *buf, Str word, bool in_table, bool first)
{
    if (has_meaning(word)) {
        size_t end = word_end(word);
        add_code(buf, str_slice(word, 0, end), in_table);
        strbuf_add(buf, str_slice(word, end, word.size));
    } else if (first && !in_table && starts_block(word)) {
        add_code(buf, word, in_table);
    } else {
        strbuf_add(buf, word);
    }
}

// The signs of East Asian texts, which stand between words without a blank.
static bool is_wide_sign(uint32_t c)
{
    return (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFF65);
}

// Names in a Chinese sentence touch its signs: each piece between them is a word of its own.
static void add_pieces(StrBuf *buf, Str word, bool in_table, bool first)
{
    size_t from = 0;
    for (size_t at = 0; at < word.size;) {
        size_t before = at;
        if (!is_wide_sign(utf8_next(word, &at)))
            continue;
        if (before > from)
            add_word(buf, str_slice(word, from, before), in_table, first && from == 0);
        strbuf_add(buf, str_slice(word, before, at));
        from = at;
    }
    if (from < word.size)
        add_word(buf, str_slice(word, from, word.size), in_table, first && from == 0);
}

// Open brackets of the text that are not closed.
static size_t open_brackets(Str text)
{
    size_t opened = count_of(text, '['), closed = count_of(text, ']');
    return opened > closed ? opened - closed : 0;
}

// The next word; what stands in brackets, like a shape, is one word.
static bool next_word(Str *rest, Str *word)
{
    enum { WORDS_IN_BRACKETS = 8 };
    Str left = str_trim(*rest);
    size_t end = 0;
    for (int words = 0; end < left.size && words < WORDS_IN_BRACKETS; words++) {
        end = str_find_char(left, ' ', end + 1);
        end = end == SIZE_MAX ? left.size : end;
        if (!open_brackets(str_slice(left, 0, end)))
            break;
    }
    *word = str_slice(left, 0, end);
    *rest = str_slice(left, end, left.size);
    return end > 0;
}

Str markdown_inline(Str text, bool in_table, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    Str rest = cell_clean(text, arena);
    rest = str_replace(arena, rest, STR("\n"), STR(" "));
    rest = str_replace(arena, rest, STR("\t"), STR(" "));
    rest = str_trim(rest);
    if (in_table && has_meaning(rest)) {
        add_code(&buf, rest, true);
        return strbuf_str(&buf);
    }
    bool first = true;
    for (Str word; next_word(&rest, &word);) {
        if (!first)
            strbuf_add_char(&buf, ' ');
        add_pieces(&buf, word, in_table, first);
        first = false;
    }
    return strbuf_str(&buf);
}

// At most `limit` characters, cut in the middle.
static Str cut(Str text, size_t limit, Arena *arena)
{
    size_t chars = 0, head = 0, tail = 0;
    if (text.size <= limit)
        return text;
    for (size_t at = 0; at < text.size; chars++) {
        head = chars < limit / 2 ? at : head;
        utf8_next(text, &at);
    }
    if (chars <= limit)
        return text;
    for (size_t at = 0, skipped = 0; skipped + limit / 2 < chars; skipped++) {
        utf8_next(text, &at);
        tail = at;
    }
    return str_concat(arena, str_concat(arena, str_slice(text, 0, head), STR("…")),
                      str_slice(text, tail, text.size));
}

typedef struct Page {
    StrBuf text;  // kept until the end, so that what is too long can be taken back
    const RenderOptions *options;
    Arena *arena;
    BlockKind open[16];  // columns and details that are not closed
    size_t depth;
    bool after_item;  // a list is open
} Page;

static void put(Page *page, Str text)
{
    strbuf_add(&page->text, text);
}

static void put_text(Page *page, Str text)
{
    Str shown = cut(cell_clean(text, page->arena), TEXT_CHARS, page->arena);
    put(page, markdown_inline(shown, false, page->arena));
}

static void put_paragraph(Page *page, Str text)
{
    if (!text.size)
        return;
    put_text(page, text);
    put(page, STR("\n\n"));
}

// The sentence with its word in bold.
static void put_verdict(Page *page, const Verdict *verdict)
{
    size_t at = verdict->word.size ? str_find(verdict->sentence, verdict->word, 0) : SIZE_MAX;
    if (at == SIZE_MAX) {
        put_paragraph(page, verdict->sentence);
        return;
    }
    Str before = str_slice(verdict->sentence, 0, at);
    Str after = str_slice(verdict->sentence, at + verdict->word.size, verdict->sentence.size);
    if (str_trim(before).size) {
        put_text(page, before);
        put(page, STR(" "));
    }
    put(page, STR("**"));
    put_text(page, verdict->word);
    put(page, STR("**"));
    if (str_trim(after).size) {
        put(page, STR(" "));
        put_text(page, after);
    }
    put(page, STR("\n\n"));
}

static void put_heading(Page *page, const Block *block)
{
    put(page, block->level > 2 ? STR("### ") : STR("## "));
    put_text(page, block->text);
    put(page, STR("\n\n"));
    put_paragraph(page, block->note);
}

static void put_code(Page *page, Str text)
{
    Str clean = cut(cell_clean(text, page->arena), CODE_CHARS, page->arena);
    size_t run = longest_run(clean, '`');
    StrBuf fence = strbuf_new(page->arena);
    add_times(&fence, '`', run < 3 ? 3 : run + 1);
    Str line = strbuf_str(&fence);
    put(page, line);
    put(page, STR("\n"));
    put(page, clean);
    if (!str_ends(clean, STR("\n")))
        put(page, STR("\n"));
    put(page, line);
    put(page, STR("\n\n"));
}

// A base name as a link: everything but the safest letters is escaped.
static void put_link(Page *page, Str file)
{
    for (size_t i = 0; i < file.size; i++) {
        unsigned char c = (unsigned char)file.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.' || c == '_';
        put(page,
            plain ? str_slice(file, i, i + 1) : str_printf(page->arena, "%%%02X", (unsigned)c));
    }
}

// Brackets inside code end no link text, so the title needs no more than the usual care.
static void put_figure(Page *page, const Block *block)
{
    if (page->options->image_suffix && block->file.size) {
        put(page, STR("!["));
        put_text(page, block->note.size ? block->note : block->text);
        put(page, STR("]("));
        put_link(page, block->file);
        put(page, str_of(page->options->image_suffix));
        put(page, STR(")\n\n"));
    }
    put_paragraph(page, block->note);
}

static Str code_span(Str text, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    text = str_replace(arena, text, STR("\n"), STR(" "));
    add_code(&buf, text, true);
    return strbuf_str(&buf);
}

static void put_cell(Page *page, const Cell *cell)
{
    char buffer[NUMBER_BYTES];
    Str clean = cell_clean(cell_shown(cell, buffer), page->arena);
    clean = cut(clean, CELL_CHARS, page->arena);
    Str text = cell->style == STYLE_CODE && clean.size ? code_span(clean, page->arena)
                                                       : markdown_inline(clean, true, page->arena);
    bool strong = (cell->style == STYLE_STRONG || cell->style == STYLE_ERROR) && text.size;
    put(page, strong ? STR(" **") : STR(" "));
    put(page, text);
    put(page, strong ? STR("** |") : STR(" |"));
}

static void put_table_head(Page *page, const Table *table)
{
    put(page, STR("|"));
    for (size_t i = 0; i < table->column_count; i++) {
        put(page, STR(" "));
        put(page, markdown_inline(table->columns[i].title, true, page->arena));
        put(page, STR(" |"));
    }
    put(page, STR("\n|"));
    for (size_t i = 0; i < table->column_count; i++)
        put(page, table->columns[i].number ? STR(" ---: |") : STR(" --- |"));
    put(page, STR("\n"));
}

static bool is_full(const Page *page)
{
    return page->text.size + END_BYTES > MARKDOWN_BYTES;
}

// False if there is no room for the row.
static bool put_row(Page *page, const Table *table, const Cell *cells)
{
    size_t before = page->text.size;
    put(page, STR("|"));
    for (size_t i = 0; i < table->column_count; i++)
        put_cell(page, &cells[i]);
    put(page, STR("\n"));
    if (!is_full(page))
        return true;
    page->text.size = before;
    return false;
}

static void put_left_out(Page *page, uint64_t rows)
{
    char count[NUMBER_BYTES];
    number_count(rows, count);
    put(page, str_printf(page->arena, tr("… and %s more rows, left out here"), count));
    put(page, STR("\n\n"));
}

static void put_table(Page *page, Table *table)
{
    uint64_t shown = 0, left_out = 0;
    Cell *cells = ARENA_ARRAY(page->arena, Cell, table->column_count);
    put_table_head(page, table);
    table->rewind(table->state);
    while (table->next(table->state, cells)) {
        if (shown < MARKDOWN_TABLE_ROWS && !left_out && put_row(page, table, cells))
            shown++;
        else
            left_out++;
        memset(cells, 0, table->column_count * sizeof *cells);
    }
    put(page, STR("\n"));
    if (left_out)
        put_left_out(page, left_out);
    put_paragraph(page, table->note);
}

static void open_block(Page *page, const Block *block)
{
    if (page->depth < sizeof page->open / sizeof *page->open)
        page->open[page->depth++] = block->kind;
    if (block->kind == BLOCK_DETAILS) {
        put(page, STR("<details><summary>"));
        // Markdown is not read between the tags: a line of its own is.
        put(page, STR("\n\n"));
        put_text(page, block->text);
        put(page, STR("\n\n</summary>\n\n"));
    }
}

static void close_block(Page *page)
{
    if (page->depth && page->open[--page->depth] == BLOCK_DETAILS)
        put(page, STR("</details>\n\n"));
}

// Text between an author's marks: what Markdown would read as a mark or as HTML is escaped.
static Str rich_plain(Str text, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    text = cell_clean(text, arena);
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (in_set(c, "\\`*_[]<>|~$&") || (i == 0 && in_set(c, "+-=#")))
            strbuf_add_char(&buf, '\\');
        strbuf_add_char(&buf, c);
    }
    return strbuf_str(&buf);
}

// An author's marks again, with what stands between them made harmless.
static void put_rich(Page *page, Str text, const char *end)
{
    RichSpans spans;
    rich_text_read(text, page->arena, &spans);
    for (size_t i = 0; i < spans.count; i++) {
        const RichSpan *span = &spans.items[i];
        Str mark = span->bold && span->italic ? STR("***")
                   : span->bold               ? STR("**")
                   : span->italic             ? STR("*")
                                              : STR("");
        put(page, span->link.size ? STR("[") : STR(""));
        put(page, mark);
        put(page,
            span->code ? code_span(span->text, page->arena) : rich_plain(span->text, page->arena));
        put(page, mark);
        if (span->link.size) {
            put(page, STR("]("));
            put(page, span->link);
            put(page, STR(")"));
        }
    }
    put(page, str_of(end));
}

static void put_block(Page *page, const Block *block)
{
    if (page->after_item && block->kind != BLOCK_ITEM)
        put(page, STR("\n"));
    page->after_item = false;
    switch (block->kind) {
    case BLOCK_VERDICT:
        put_verdict(page, block->verdict);
        break;
    case BLOCK_HEADING:
        put_heading(page, block);
        break;
    case BLOCK_TEXT:
    case BLOCK_FOOTER:
        if (block->rich)
            put_rich(page, block->text, "\n\n");
        else
            put_paragraph(page, block->text);
        break;
    case BLOCK_ITEM:
        put(page, block->level > 1 ? STR("  ") : STR(""));
        put(page, block->ordered ? STR("1. ") : STR("- "));
        put_rich(page, block->text, "\n");
        page->after_item = true;
        return;
    case BLOCK_CODE:
        put_code(page, block->text);
        break;
    case BLOCK_FIGURE:
        put_figure(page, block);
        break;
    case BLOCK_TABLE:
        put_table(page, block->table);
        break;
    case BLOCK_COLUMNS:
    case BLOCK_DETAILS:
        open_block(page, block);
        break;
    case BLOCK_END:
        close_block(page);
        break;
    case BLOCK_KIND_COUNT:
        break;
    }
}

// False if there is no room for the block; it is taken back.
static bool put_fitting(Page *page, const Block *block)
{
    Page before = *page;
    put_block(page, block);
    if (!is_full(page))
        return true;
    page->text.size = before.text.size;
    page->depth = before.depth;
    return false;
}

static bool write_report(const Report *report, const RenderOptions *options, Sink *out, Error *err)
{
    (void)err;
    Page page = {.options = options, .arena = arena_new()};
    page.text = strbuf_new(page.arena);
    size_t at = 0;
    while (at < report->count && put_fitting(&page, &report->items[at]))
        at++;
    while (page.depth)
        close_block(&page);
    if (at < report->count)
        put_paragraph(&page, str_of(tr("The rest is too long for a ticket: see the page.")));
    sink_str(out, strbuf_str(&page.text));
    arena_release(page.arena);
    return true;
}

const Renderer markdown_renderer = {
    .name = "md",
    .suffix = ".md",
    .help = TR("text for a ticket, as GitHub Markdown"),
    .write_report = write_report,
};
