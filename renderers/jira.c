// SPDX-License-Identifier: Apache-2.0
#include "renderers/jira.h"

#include <string.h>

#include "renderers/ticket.h"

// A backslash takes the meaning of these. What comes after a letter opens no emphasis.
static bool takes_backslash(Str text, size_t at)
{
    char c = text.data[at];
    if (!c || !strchr("*_-+^~{}[]|!?", c))
        return false;
    bool inside = at > 0 && (is_letter(text.data[at - 1]) || is_digit(text.data[at - 1]));
    bool doubled = at + 1 < text.size && text.data[at + 1] == c;
    return !inside || doubled || !(c == '_' || c == '-');
}

// Of the others the number of the character does: "://" makes a link, ":)" a smiley, "(x)" an
// icon, "bq." and "h1." at the start of a line a block, two backslashes a line break.
static bool takes_number(Str text, size_t at)
{
    enum { ICON = 5 };
    char c = text.data[at];
    if (c == '\\' || c == '&' || c == '<' || c == '>' || c == '@' || c == '#')
        return true;
    if (c == '(')
        return str_find_char(str_slice(text, at, at + ICON), ')', 0) != SIZE_MAX;
    if (c == ':' || c == ';')
        return at + 1 < text.size && memchr("/()DPp-", text.data[at + 1], 7);
    bool heading = at == 2 && text.data[0] == 'h' && text.data[1] >= '1' && text.data[1] <= '6';
    return c == '.' && (heading || (at == 2 && str_starts(text, STR("bq"))));
}

Str jira_escape(Str text, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (takes_backslash(text, i))
            strbuf_printf(&buf, "\\%c", c);
        else if (takes_number(text, i))
            strbuf_printf(&buf, "&#%d;", c);
        else
            strbuf_add_char(&buf, c == '\n' || c == '\t' ? ' ' : c);
    }
    return strbuf_str(&buf);
}

static void put_text(TicketPage *page, Str text)
{
    ticket_put(page, jira_escape(str_trim(text), page->arena));
}

static void put_paragraph(TicketPage *page, Str text)
{
    put_text(page, text);
    ticket_put(page, STR("\n\n"));
}

// The sentence with its word in bold.
static void put_verdict(TicketPage *page, const Verdict *verdict)
{
    Str sentence = verdict->sentence, word = verdict->word;
    size_t at = word.size ? str_find(sentence, word, 0) : SIZE_MAX;
    if (at != SIZE_MAX) {
        Str before = str_trim(str_slice(sentence, 0, at));
        put_text(page, before);
        ticket_put(page, before.size ? STR(" *") : STR("*"));
        put_text(page, word);
        ticket_put(page, STR("* "));
        sentence = str_slice(sentence, at + word.size, sentence.size);
    }
    put_paragraph(page, sentence);
}

static void put_heading(TicketPage *page, int level, Str text)
{
    ticket_put(page, level > 2 ? STR("h3. ") : STR("h2. "));
    put_paragraph(page, text);
}

// Nothing is read in it but its end.
static void put_code(TicketPage *page, Str text)
{
    ticket_put(page, STR("{noformat}\n"));
    ticket_put(page, str_replace(page->arena, text, STR("{noformat"), STR("{ noformat")));
    ticket_put(page, str_ends(text, STR("\n")) ? STR("{noformat}\n\n") : STR("\n{noformat}\n\n"));
}

static void put_figure(TicketPage *page, const Block *block)
{
    ticket_put(page, STR("!"));
    put_text(page, block->file);
    ticket_put(page, str_of(page->options->image_suffix));
    ticket_put(page, STR("!\n\n"));
}

static void put_spans(TicketPage *page, const RichSpans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        const RichSpan *span = &spans->items[i];
        Str text = jira_escape(span->text, page->arena);
        const char *bold = span->bold ? "*" : "", *italic = span->italic ? "_" : "";
        text =
            str_printf(page->arena, "%s%s%s" STR_FMT "%s%s%s", bold, italic, span->code ? "{{" : "",
                       STR_ARG(text), span->code ? "}}" : "", italic, bold);
        if (span->link.size)
            text = str_printf(page->arena, "[" STR_FMT "|" STR_FMT "]", STR_ARG(text),
                              STR_ARG(span->link));
        ticket_put(page, text);
    }
}

static void put_rich(TicketPage *page, const RichSpans *spans)
{
    put_spans(page, spans);
    ticket_put(page, STR("\n\n"));
}

static void put_item(TicketPage *page, const Block *block, const RichSpans *spans)
{
    Str mark = block->ordered ? STR("##") : STR("**");
    ticket_put(page, str_slice(mark, 0, block->level > 1 ? 2 : 1));
    ticket_put(page, STR(" "));
    put_spans(page, spans);
    ticket_put(page, STR("\n"));
}

static void put_line_end(TicketPage *page)
{
    ticket_put(page, STR("\n"));
}

static void put_table(TicketPage *page, Table *table)
{
    ticket_put(page, STR("||"));
    for (size_t i = 0; i < table->column_count; i++) {
        put_text(page, table->columns[i].title);
        ticket_put(page, STR(" ||"));
    }
    ticket_put(page, STR("\n"));
}

// An empty cell needs its blank.
static void put_row(TicketPage *page, const Table *table, const Cell *cells)
{
    ticket_put(page, STR("|"));
    for (size_t i = 0; i < table->column_count; i++) {
        Str text = jira_escape(ticket_cell(page, &cells[i]), page->arena);
        CellStyle style = cells[i].style;
        bool strong = (style == STYLE_STRONG || style == STYLE_ERROR) && text.size;
        bool code = style == STYLE_CODE && text.size;
        ticket_put(page, str_printf(page->arena, "%s" STR_FMT "%s |",
                                    strong ? "*"
                                    : code ? "{{"
                                           : "",
                                    STR_ARG(text),
                                    strong ? "*"
                                    : code ? "}}"
                                           : ""));
    }
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
    .table = put_table,
    .row = put_row,
    .end_table = put_line_end,
};

static bool write_report(const Report *report, const RenderOptions *options, Sink *out, Error *err)
{
    (void)err;
    ticket_write(&form, report, options, out);
    return true;
}

const Renderer jira_renderer = {
    .name = "jira",
    .suffix = ".jira",
    .ticket = true,
    .write_report = write_report,
};
