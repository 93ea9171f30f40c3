// SPDX-License-Identifier: Apache-2.0
#include "renderers/plain.h"

#include <string.h>

#include "base/text_columns.h"
#include "base/utf8.h"
#include "renderers/ticket.h"

enum { GAP = 2, INDENT = 2, VERDICT_INDENT = 10 };

static void put_blanks(TicketPage *page, size_t count)
{
    while (count--)
        strbuf_add_char(&page->text, ' ');
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

// Signs that stand at no beginning of a line.
static bool is_closing(uint32_t c)
{
    static const uint32_t signs[] = {0x3001, 0x3002, 0xFF0C, 0xFF1B, 0xFF1A,
                                     0xFF09, 0x300D, 0x300B, 0xFF1F, 0xFF01};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i] == c)
            return true;
    return false;
}

// The end of the piece that stays on one line: a word, or a full-width character with the signs
// after it.
static size_t piece_end(Str text, size_t at)
{
    size_t next = at;
    bool wide = utf8_columns(utf8_next(text, &next)) == 2;
    for (size_t end = next; end < text.size && !is_blank(text.data[end]); next = end) {
        uint32_t c = utf8_next(text, &end);
        if (is_closing(c))
            continue;
        if (wide || utf8_columns(c) == 2)
            return next;
    }
    return next;
}

// Broken at blanks and between full-width characters; `used` columns of the line are taken.
static void put_wrapped(TicketPage *page, Str text, size_t used, size_t indent)
{
    bool blank = false, begun = false;
    for (size_t at = 0; at < text.size;) {
        if (is_blank(text.data[at])) {
            blank = true;
            at++;
            continue;
        }
        size_t end = piece_end(text, at);
        Str piece = str_slice(text, at, end);
        size_t width = columns_of(piece), gap = blank && begun;
        if (begun && used + gap + width > PLAIN_COLUMNS) {
            strbuf_add_char(&page->text, '\n');
            put_blanks(page, indent);
            used = indent;
            gap = 0;
        }
        put_blanks(page, gap);
        ticket_put(page, piece);
        used += gap + width;
        begun = true;
        blank = false;
        at = end;
    }
    strbuf_add_char(&page->text, '\n');
}

static void put_paragraph(TicketPage *page, Str text)
{
    put_wrapped(page, text, 0, 0);
    ticket_put(page, STR("\n"));
}

static void put_verdict(TicketPage *page, const Verdict *verdict)
{
    Str sentence = verdict->sentence;
    size_t word = columns_head(sentence, VERDICT_INDENT);
    bool padded = word && is_blank(sentence.data[word - 1]);
    ticket_put(page, str_slice(sentence, 0, padded ? word : 0));
    put_wrapped(page, str_slice(sentence, padded ? word : 0, sentence.size),
                padded ? VERDICT_INDENT : 0, padded ? VERDICT_INDENT : 0);
    ticket_put(page, STR("\n"));
}

static void put_heading(TicketPage *page, int level, Str text)
{
    put_wrapped(page, text, 0, 0);
    size_t width = columns_of(text);
    width = width > PLAIN_COLUMNS ? PLAIN_COLUMNS : width;
    for (size_t i = 0; i < width; i++)
        strbuf_add_char(&page->text, level > 2 ? '-' : '=');
    ticket_put(page, STR("\n"));
}

static void put_code(TicketPage *page, Str text)
{
    if (str_ends(text, STR("\n")))
        text.size--;
    for (Str line; str_split(&text, '\n', &line);) {
        put_blanks(page, line.size ? INDENT : 0);
        ticket_put(page, line);
        ticket_put(page, STR("\n"));
    }
    ticket_put(page, STR("\n"));
}

static Str spans_text(const RichSpans *spans, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    for (size_t i = 0; i < spans->count; i++) {
        const RichSpan *span = &spans->items[i];
        strbuf_add(&buf, span->text);
        if (span->link.size && span->link.data[0] != '#')
            strbuf_printf(&buf, " (" STR_FMT ")", STR_ARG(span->link));
    }
    return strbuf_str(&buf);
}

static void put_rich(TicketPage *page, const RichSpans *spans)
{
    put_paragraph(page, spans_text(spans, page->arena));
}

static void put_item(TicketPage *page, const Block *block, const RichSpans *spans)
{
    Str mark = block->ordered ? str_printf(page->arena, "%zu. ", page->items) : str_of("- ");
    size_t before = block->level > 1 ? INDENT : 0;
    put_blanks(page, before);
    ticket_put(page, mark);
    put_wrapped(page, spans_text(spans, page->arena), before + mark.size, before + mark.size);
}

static void end_lines(TicketPage *page)
{
    ticket_put(page, STR("\n"));
}

enum { WIDTHS = sizeof((TicketPage *)NULL)->widths / sizeof(size_t) };

static void measure(TicketPage *page, Table *table)
{
    Cell cells[WIDTHS];
    for (size_t i = 0; i < table->column_count; i++)
        page->widths[i] = columns_of(table->columns[i].title);
    table->rewind(table->state);
    memset(cells, 0, sizeof cells);
    for (int row = 0; row < TICKET_TABLE_ROWS && table->next(table->state, cells); row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            size_t width = columns_of(ticket_cell(page, &cells[i]));
            page->widths[i] = width > page->widths[i] ? width : page->widths[i];
        }
        memset(cells, 0, sizeof cells);
    }
}

static void put_column(TicketPage *page, const Table *table, size_t i, Str text)
{
    bool last = i + 1 == table->column_count, right = table->columns[i].number;
    size_t blanks = page->widths[i] - columns_of(text);
    put_blanks(page, (i ? GAP : 0) + (right ? blanks : 0));
    ticket_put(page, text);
    put_blanks(page, last || right ? 0 : blanks);
}

static void put_line_end(TicketPage *page)
{
    while (page->text.size && page->text.data[page->text.size - 1] == ' ')
        page->text.size--;
    ticket_put(page, STR("\n"));
}

static void put_table(TicketPage *page, Table *table)
{
    size_t total = 0;
    page->as_lists = table->column_count > WIDTHS;
    if (!page->as_lists)
        measure(page, table);
    for (size_t i = 0; i < table->column_count && !page->as_lists; i++)
        total += page->widths[i] + (i ? GAP : 0);
    page->as_lists = page->as_lists || total > PLAIN_COLUMNS;
    if (page->as_lists)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        put_column(page, table, i, table->columns[i].title);
    put_line_end(page);
    for (size_t i = 0; i < table->column_count; i++) {
        put_blanks(page, i ? GAP : 0);
        for (size_t k = 0; k < page->widths[i]; k++)
            strbuf_add_char(&page->text, '-');
    }
    put_line_end(page);
}

// "status: error", kept on one line where that is possible.
static void put_pair(TicketPage *page, Str title, Str value, size_t *used)
{
    Str pair = str_printf(page->arena, STR_FMT ": " STR_FMT, STR_ARG(title), STR_ARG(value));
    size_t width = columns_of(pair);
    if (*used && *used + GAP + width <= PLAIN_COLUMNS) {
        strbuf_add_char(&page->text, ';');
        put_blanks(page, 1);
        ticket_put(page, pair);
        *used += GAP + width;
        return;
    }
    if (*used)
        ticket_put(page, STR(";\n"));
    put_blanks(page, INDENT);
    put_wrapped(page, pair, INDENT, INDENT);
    page->text.size--;  // the end of the line
    *used = INDENT + width;
}

// "- output.0\n  status: error; shape: …"
static void put_as_list(TicketPage *page, const Table *table, const Cell *cells)
{
    size_t used = 0;
    ticket_put(page, STR("- "));
    Str name = table->column_count ? ticket_cell(page, &cells[0]) : STR("");
    if (table->column_count == 2) {
        Str value = ticket_cell(page, &cells[1]);
        name = str_printf(page->arena, STR_FMT ": " STR_FMT, STR_ARG(name), STR_ARG(value));
        put_wrapped(page, name, INDENT, INDENT);
        return;
    }
    put_wrapped(page, name, INDENT, INDENT);
    for (size_t i = 1; i < table->column_count; i++) {
        Str text = ticket_cell(page, &cells[i]);
        if (text.size)
            put_pair(page, table->columns[i].title, text, &used);
    }
    if (used)
        ticket_put(page, STR("\n"));
}

static void put_row(TicketPage *page, const Table *table, const Cell *cells)
{
    if (page->as_lists) {
        put_as_list(page, table, cells);
        return;
    }
    for (size_t i = 0; i < table->column_count; i++)
        put_column(page, table, i, ticket_cell(page, &cells[i]));
    put_line_end(page);
}

static const TicketForm form = {
    .verdict = put_verdict,
    .heading = put_heading,
    .paragraph = put_paragraph,
    .rich = put_rich,
    .item = put_item,
    .end_list = end_lines,
    .code = put_code,
    .table = put_table,
    .row = put_row,
    .end_table = end_lines,
};

static bool write_report(const Report *report, const RenderOptions *options, Sink *out, Error *err)
{
    (void)err;
    ticket_write(&form, report, options, out);
    return true;
}

const Renderer plain_renderer = {
    .name = "txt",
    .suffix = ".txt",
    .ticket = true,
    .write_report = write_report,
};
