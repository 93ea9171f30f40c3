// SPDX-License-Identifier: Apache-2.0
#include "renderers/markdown.h"

#include <string.h>

#include "base/utf8.h"
#include "renderers/cell_text.h"
#include "renderers/ticket.h"

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

static bool is_word_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

// "Functional.linear.8.forward": the name of an op or a module, of three parts at least.
static bool is_dotted_name(Str word)
{
    size_t dots = 0;
    for (size_t i = 0; i < word.size; i++) {
        dots += word.data[i] == '.';
        if (!is_word_letter(word.data[i]) && !in_set(word.data[i], "._"))
            return false;
    }
    return dots >= 2 && str_find(word, STR(".."), 0) == SIZE_MAX && word.data[0] > '9' &&
           is_word_letter(word.data[word.size - 1]);
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
    size_t from = word.size > 1 && word.data[0] == '(', end = word_end(word);
    Str inner = str_slice(word, from, end);
    if (end > from && (has_meaning(word) || is_dotted_name(inner))) {
        strbuf_add(buf, str_slice(word, 0, from));
        add_code(buf, inner, in_table);
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

// The next word; what is in brackets, like a shape, is one word.
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

// A name or a value, no sentence: it is code as a whole where any of it must be.
static bool is_short(Str text)
{
    enum { WORDS = 3 };
    int words = 0;
    for (Str word; words <= WORDS && next_word(&text, &word);)
        words++;
    return words <= WORDS;
}

Str markdown_inline(Str text, bool in_table, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    Str rest = cell_clean(text, arena);
    rest = str_replace(arena, rest, STR("\n"), STR(" "));
    rest = str_replace(arena, rest, STR("\t"), STR(" "));
    rest = str_trim(rest);
    if (in_table && has_meaning(rest) && is_short(rest)) {
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

static void put_text(TicketPage *page, Str text)
{
    ticket_put(page, markdown_inline(text, false, page->arena));
}

static void put_paragraph(TicketPage *page, Str text)
{
    put_text(page, text);
    ticket_put(page, STR("\n\n"));
}

// The sentence with its word in bold.
static void put_verdict(TicketPage *page, const Verdict *verdict)
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
        ticket_put(page, STR(" "));
    }
    ticket_put(page, STR("**"));
    put_text(page, verdict->word);
    ticket_put(page, STR("**"));
    if (str_trim(after).size) {
        ticket_put(page, STR(" "));
        put_text(page, after);
    }
    ticket_put(page, STR("\n\n"));
}

static void put_heading(TicketPage *page, int level, Str text)
{
    ticket_put(page, level > 2 ? STR("### ") : STR("## "));
    put_paragraph(page, text);
}

static void put_code(TicketPage *page, Str text)
{
    size_t run = longest_run(text, '`');
    StrBuf fence = strbuf_new(page->arena);
    add_times(&fence, '`', run < 3 ? 3 : run + 1);
    Str line = strbuf_str(&fence);
    ticket_put(page, line);
    ticket_put(page, STR("\n"));
    ticket_put(page, text);
    if (!str_ends(text, STR("\n")))
        ticket_put(page, STR("\n"));
    ticket_put(page, line);
    ticket_put(page, STR("\n\n"));
}

// A base name as a link: everything but the safest letters is escaped.
static void put_link(TicketPage *page, Str file)
{
    for (size_t i = 0; i < file.size; i++) {
        unsigned char c = (unsigned char)file.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.' || c == '_';
        ticket_put(page, plain ? str_slice(file, i, i + 1)
                               : str_printf(page->arena, "%%%02X", (unsigned)c));
    }
}

// Brackets inside code end no link text, so the title needs no more than the usual care.
static void put_figure(TicketPage *page, const Block *block)
{
    ticket_put(page, STR("!["));
    put_text(page, block->note.size ? block->note : block->text);
    ticket_put(page, STR("]("));
    put_link(page, block->file);
    ticket_put(page, str_of(page->options->image_suffix));
    ticket_put(page, STR(")\n\n"));
}

static Str code_span(Str text, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    text = str_replace(arena, text, STR("\n"), STR(" "));
    add_code(&buf, text, true);
    return strbuf_str(&buf);
}

static void put_row(TicketPage *page, const Table *table, const Cell *cells)
{
    ticket_put(page, STR("|"));
    for (size_t i = 0; i < table->column_count; i++) {
        const Cell *cell = &cells[i];
        Str text = ticket_cell(page, cell);
        if (cell->style == STYLE_CODE && text.size)
            text = code_span(text, page->arena);
        else
            text = markdown_inline(text, true, page->arena);
        bool strong = (cell->style == STYLE_STRONG || cell->style == STYLE_ERROR) && text.size;
        ticket_put(page, strong ? STR(" **") : STR(" "));
        ticket_put(page, text);
        ticket_put(page, strong ? STR("** |") : STR(" |"));
    }
    ticket_put(page, STR("\n"));
}

static void put_table_head(TicketPage *page, Table *table)
{
    ticket_put(page, STR("|"));
    for (size_t i = 0; i < table->column_count; i++) {
        ticket_put(page, STR(" "));
        ticket_put(page, markdown_inline(table->columns[i].title, true, page->arena));
        ticket_put(page, STR(" |"));
    }
    ticket_put(page, STR("\n|"));
    for (size_t i = 0; i < table->column_count; i++)
        ticket_put(page, table->columns[i].number ? STR(" ---: |") : STR(" --- |"));
    ticket_put(page, STR("\n"));
}

static void put_line_end(TicketPage *page)
{
    ticket_put(page, STR("\n"));
}

static void put_fold(TicketPage *page, Str summary)
{
    ticket_put(page, STR("<details><summary>"));
    // Markdown is not read between the tags: a line of its own is.
    ticket_put(page, STR("\n\n"));
    put_text(page, summary);
    ticket_put(page, STR("\n\n</summary>\n\n"));
}

static void put_unfold(TicketPage *page)
{
    ticket_put(page, STR("</details>\n\n"));
}

// Text between an author's marks: what Markdown would read as a mark or as HTML is escaped.
static Str rich_plain(Str text, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (in_set(c, "\\`*_[]<>|~$&") || (i == 0 && in_set(c, "+-=#")))
            strbuf_add_char(&buf, '\\');
        strbuf_add_char(&buf, c);
    }
    return strbuf_str(&buf);
}

// An author's marks again, with what stands between them made harmless.
static void put_spans(TicketPage *page, const RichSpans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        const RichSpan *span = &spans->items[i];
        Str mark = span->bold && span->italic ? STR("***")
                   : span->bold               ? STR("**")
                   : span->italic             ? STR("*")
                                              : STR("");
        ticket_put(page, span->link.size ? STR("[") : STR(""));
        ticket_put(page, mark);
        ticket_put(page, span->code ? code_span(span->text, page->arena)
                                    : rich_plain(span->text, page->arena));
        ticket_put(page, mark);
        if (span->link.size) {
            ticket_put(page, STR("]("));
            ticket_put(page, span->link);
            ticket_put(page, STR(")"));
        }
    }
}

static void put_rich(TicketPage *page, const RichSpans *spans)
{
    put_spans(page, spans);
    ticket_put(page, STR("\n\n"));
}

static void put_item(TicketPage *page, const Block *block, const RichSpans *spans)
{
    ticket_put(page, block->level > 1 ? STR("  ") : STR(""));
    ticket_put(page, block->ordered ? STR("1. ") : STR("- "));
    put_spans(page, spans);
    ticket_put(page, STR("\n"));
}

static const TicketForm form = {
    .verdict = put_verdict,
    .heading = put_heading,
    .paragraph = put_paragraph,
    .rich = put_rich,
    .item = put_item,
    .end_list = put_line_end,
    .code = put_code,
    .figure = put_figure,
    .table = put_table_head,
    .row = put_row,
    .end_table = put_line_end,
    .fold = put_fold,
    .unfold = put_unfold,
};

static bool write_report(const Report *report, const RenderOptions *options, Sink *out, Error *err)
{
    (void)err;
    ticket_write(&form, report, options, out);
    return true;
}

const Renderer markdown_renderer = {
    .name = "md",
    .suffix = ".md",
    .ticket = true,
    .write_report = write_report,
};
