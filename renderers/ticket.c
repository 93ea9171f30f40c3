// SPDX-License-Identifier: Apache-2.0
#include "renderers/ticket.h"

#include <string.h>

#include "base/utf8.h"
#include "base/words.h"
#include "renderers/cell_text.h"

enum { TEXT_CHARS = 2000, CODE_CHARS = 10000, END_BYTES = 500 };

void ticket_put(TicketPage *page, Str text)
{
    strbuf_add(&page->text, text);
}

// A runner of GitHub or Azure that prints the text takes a line that begins so for a command.
static bool is_command(Str line)
{
    Str text = str_trim(line);
    return str_starts(text, STR("::")) || str_starts(text, STR("##["));
}

static void put_lines(Str text, Sink *out)
{
    for (size_t at = 0; at < text.size;) {
        size_t feed = str_find_char(text, '\n', at);
        size_t end = feed == SIZE_MAX ? text.size : feed + 1;
        Str line = str_slice(text, at, end);
        if (is_command(line))
            sink_str(out, STR("\\"));
        sink_str(out, line);
        at = end;
    }
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

static Str clean(TicketPage *page, Str text, size_t limit)
{
    return cut(cell_clean(text, page->arena), limit, page->arena);
}

Str ticket_cell(TicketPage *page, const Cell *cell)
{
    char buffer[NUMBER_BYTES];
    Str text = str_copy(page->arena, clean(page, cell_shown(cell, buffer), TICKET_CELL_CHARS));
    text = str_replace(page->arena, text, STR("\n"), STR(" "));
    return str_trim(str_replace(page->arena, text, STR("\t"), STR(" ")));
}

static void put_paragraph(TicketPage *page, Str text)
{
    if (text.size)
        page->form->paragraph(page, clean(page, text, TEXT_CHARS));
}

static void put_verdict(TicketPage *page, const Verdict *verdict)
{
    Verdict clear = *verdict;
    clear.sentence = clean(page, verdict->sentence, TEXT_CHARS);
    page->form->verdict(page, &clear);
}

static bool is_full(const TicketPage *page)
{
    return page->text.size + END_BYTES > TICKET_BYTES;
}

static void put_left_out(TicketPage *page, uint64_t rows)
{
    char count[NUMBER_BYTES];
    number_count(rows, count);
    put_paragraph(page, str_printf(page->arena, tr("… and %s more rows, left out here"), count));
}

// False if there is no room for the row.
static bool put_row(TicketPage *page, const Table *table, const Cell *cells)
{
    size_t before = page->text.size;
    page->form->row(page, table, cells);
    if (!is_full(page))
        return true;
    page->text.size = before;
    return false;
}

static void put_table(TicketPage *page, Table *table)
{
    uint64_t shown = 0, left_out = 0;
    Cell *cells = ARENA_ARRAY(page->arena, Cell, table->column_count);
    page->form->table(page, table);
    table->rewind(table->state);
    while (table->next(table->state, cells)) {
        if (shown < TICKET_TABLE_ROWS && !left_out && put_row(page, table, cells))
            shown++;
        else
            left_out++;
        memset(cells, 0, table->column_count * sizeof *cells);
    }
    page->form->end_table(page);
    if (left_out)
        put_left_out(page, left_out);
    put_paragraph(page, table->note);
}

static void open_block(TicketPage *page, const Block *block)
{
    if (page->depth < sizeof page->open / sizeof *page->open)
        page->open[page->depth++] = block->kind;
    if (block->kind != BLOCK_DETAILS || page->folded)
        return;
    Str summary = clean(page, block->text, TEXT_CHARS);
    if (page->form->fold) {
        page->form->fold(page, summary);
        return;
    }
    put_paragraph(page, str_printf(page->arena, tr(STR_FMT ": in the report"), STR_ARG(summary)));
    page->folded = page->depth;
}

static void close_block(TicketPage *page)
{
    bool details = page->depth && page->open[--page->depth] == BLOCK_DETAILS;
    if (details && page->form->unfold)
        page->form->unfold(page);
    if (page->depth < page->folded)
        page->folded = 0;
}

static void put_heading(TicketPage *page, const Block *block)
{
    page->form->heading(page, block->level, clean(page, block->text, TEXT_CHARS));
    put_paragraph(page, block->note);
}

static void put_rich(TicketPage *page, const Block *block)
{
    RichSpans spans;
    rich_text_read(block->text, page->arena, &spans);
    for (size_t i = 0; i < spans.count; i++)
        spans.items[i].text = cell_clean(spans.items[i].text, page->arena);
    if (block->kind == BLOCK_ITEM)
        page->form->item(page, block, &spans);
    else
        page->form->rich(page, &spans);
}

static void put_item(TicketPage *page, const Block *block)
{
    if (page->items && page->in_order != block->ordered) {
        page->form->end_list(page);
        page->items = 0;
    }
    page->items++;
    page->in_order = block->ordered;
    put_rich(page, block);
}

static void put_figure(TicketPage *page, const Block *block)
{
    if (page->form->figure && page->options->image_suffix && block->file.size)
        page->form->figure(page, block);
    put_paragraph(page, block->note);
}

static void put_content(TicketPage *page, const Block *block)
{
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
            put_rich(page, block);
        else
            put_paragraph(page, block->text);
        break;
    case BLOCK_ITEM:
        put_item(page, block);
        break;
    case BLOCK_CODE:
        page->form->code(page, clean(page, block->text, CODE_CHARS));
        break;
    case BLOCK_FIGURE:
        put_figure(page, block);
        break;
    case BLOCK_TABLE:
        put_table(page, block->table);
        break;
    default:
        break;
    }
}

static void put_block(TicketPage *page, const Block *block)
{
    if (page->items && block->kind != BLOCK_ITEM) {
        page->form->end_list(page);
        page->items = 0;
    }
    if (block->kind == BLOCK_COLUMNS || block->kind == BLOCK_DETAILS)
        open_block(page, block);
    else if (block->kind == BLOCK_END)
        close_block(page);
    else if (!page->folded)
        put_content(page, block);
}

// False if there is no room for the block; it is taken back.
static bool put_fitting(TicketPage *page, const Block *block)
{
    TicketPage before = *page;
    put_block(page, block);
    if (!is_full(page))
        return true;
    StrBuf text = page->text;  // it may have moved
    *page = before;
    text.size = before.text.size;
    page->text = text;
    return false;
}

void ticket_write(const TicketForm *form, const Report *report, const RenderOptions *options,
                  Sink *out)
{
    TicketPage page = {.form = form, .options = options, .arena = arena_new()};
    page.text = strbuf_new(page.arena);
    size_t at = 0;
    while (at < report->count && put_fitting(&page, &report->items[at]))
        at++;
    if (page.items)
        form->end_list(&page);
    while (page.depth)
        close_block(&page);
    if (at < report->count)
        put_paragraph(&page, str_of(tr("The rest is too long for a ticket: see the page.")));
    put_lines(strbuf_str(&page.text), out);
    arena_release(page.arena);
}
