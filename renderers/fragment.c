// SPDX-License-Identifier: Apache-2.0
#include "renderers/fragment.h"

#include "renderers/ticket.h"

// Cleaned already: what XML gives a meaning is escaped.
static void put_text(TicketPage *page, Str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        ticket_put(page, c == '&'   ? STR("&amp;")
                         : c == '<' ? STR("&lt;")
                         : c == '>' ? STR("&gt;")
                         : c == '"' ? STR("&quot;")
                                    : str_slice(text, i, i + 1));
    }
}

static void put_element(TicketPage *page, const char *name, Str text)
{
    ticket_put(page, str_printf(page->arena, "<%s>", name));
    put_text(page, text);
    ticket_put(page, str_printf(page->arena, "</%s>", name));
}

static void put_line(TicketPage *page, const char *name, Str text)
{
    put_element(page, name, text);
    ticket_put(page, STR("\n"));
}

static void put_paragraph(TicketPage *page, Str text)
{
    put_line(page, "p", text);
}

static void put_verdict(TicketPage *page, const Verdict *verdict)
{
    Str sentence = verdict->sentence, word = verdict->word;
    size_t at = word.size ? str_find(sentence, word, 0) : SIZE_MAX;
    ticket_put(page, STR("<p>"));
    if (at != SIZE_MAX) {
        put_text(page, str_slice(sentence, 0, at));
        put_element(page, "strong", word);
        sentence = str_slice(sentence, at + word.size, sentence.size);
    }
    put_text(page, sentence);
    ticket_put(page, STR("</p>\n"));
}

static void put_heading(TicketPage *page, int level, Str text)
{
    put_line(page, level > 2 ? "h3" : "h2", text);
}

static void put_code(TicketPage *page, Str text)
{
    put_line(page, "pre", text);
}

static void put_spans(TicketPage *page, const RichSpans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        const RichSpan *span = &spans->items[i];
        if (span->link.size) {
            ticket_put(page, STR("<a href=\""));
            put_text(page, span->link);
            ticket_put(page, STR("\">"));
        }
        ticket_put(page, span->bold ? STR("<strong>") : STR(""));
        ticket_put(page, span->italic ? STR("<em>") : STR(""));
        if (span->code)
            put_element(page, "code", span->text);
        else
            put_text(page, span->text);
        ticket_put(page, span->italic ? STR("</em>") : STR(""));
        ticket_put(page, span->bold ? STR("</strong>") : STR(""));
        ticket_put(page, span->link.size ? STR("</a>") : STR(""));
    }
}

static void put_rich(TicketPage *page, const RichSpans *spans)
{
    ticket_put(page, STR("<p>"));
    put_spans(page, spans);
    ticket_put(page, STR("</p>\n"));
}

static void put_item(TicketPage *page, const Block *block, const RichSpans *spans)
{
    if (page->items == 1)
        ticket_put(page, block->ordered ? STR("<ol>\n") : STR("<ul>\n"));
    ticket_put(page, STR("<li>"));
    put_spans(page, spans);
    ticket_put(page, STR("</li>\n"));
}

static void end_list(TicketPage *page)
{
    ticket_put(page, page->in_order ? STR("</ol>\n") : STR("</ul>\n"));
}

static void put_table(TicketPage *page, Table *table)
{
    ticket_put(page, STR("<table><tbody>\n<tr>"));
    for (size_t i = 0; i < table->column_count; i++)
        put_element(page, "th", table->columns[i].title);
    ticket_put(page, STR("</tr>\n"));
}

static void put_row(TicketPage *page, const Table *table, const Cell *cells)
{
    ticket_put(page, STR("<tr>"));
    for (size_t i = 0; i < table->column_count; i++) {
        Str text = ticket_cell(page, &cells[i]);
        CellStyle style = cells[i].style;
        const char *inner = style == STYLE_CODE                             ? "code"
                            : style == STYLE_STRONG || style == STYLE_ERROR ? "strong"
                                                                            : NULL;
        ticket_put(page, STR("<td>"));
        if (inner && text.size)
            put_element(page, inner, text);
        else
            put_text(page, text);
        ticket_put(page, STR("</td>"));
    }
    ticket_put(page, STR("</tr>\n"));
}

static void end_table(TicketPage *page)
{
    ticket_put(page, STR("</tbody></table>\n"));
}

static const TicketForm form = {
    .verdict = put_verdict,
    .heading = put_heading,
    .paragraph = put_paragraph,
    .rich = put_rich,
    .item = put_item,
    .end_list = end_list,
    .code = put_code,
    .table = put_table,
    .row = put_row,
    .end_table = end_table,
};

static bool write_report(const Report *report, const RenderOptions *options, Sink *out, Error *err)
{
    (void)err;
    sink_str(out, STR("<div>\n"));
    ticket_write(&form, report, options, out);
    sink_str(out, STR("</div>\n"));
    return true;
}

const Renderer fragment_renderer = {
    .name = "fragment",
    .suffix = ".html",
    .ticket = true,
    .write_report = write_report,
};
