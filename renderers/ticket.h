// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_TICKET_H
#define VERNIER_RENDERERS_TICKET_H

#include "renderers/renderer.h"
#include "scene/rich_text.h"

// The walk that every form of a ticket's text shares (md, jira, txt, fragment): at most
// TICKET_BYTES, of a table its first rows and how many were left out, texts cleaned and cut. A
// form only sets what it is given.

enum { TICKET_BYTES = 60000, TICKET_TABLE_ROWS = 50 };

struct TicketForm;

typedef struct TicketPage {
    StrBuf text;  // kept until the end, so that what is too long can be taken back
    const struct TicketForm *form;
    const RenderOptions *options;
    Arena *arena;
    BlockKind open[16];  // columns and details that are not closed
    size_t depth;
    size_t folded;     // of a form that cannot fold: how deep inside what it leaves out
    size_t items;      // of the list that is open
    bool in_order;     // it is numbered
    size_t widths[8];  // of the columns of the present table: for the form
    bool as_lists;     // the present table is set as lists: for the form
} TicketPage;

// All texts are cleaned; lines and tabs may be in them.
typedef struct TicketForm {
    void (*verdict)(TicketPage *page, const Verdict *verdict);
    void (*heading)(TicketPage *page, int level, Str text);
    void (*paragraph)(TicketPage *page, Str text);
    void (*rich)(TicketPage *page, const RichSpans *spans);  // a paragraph
    void (*item)(TicketPage *page, const Block *block, const RichSpans *spans);
    void (*end_list)(TicketPage *page);
    void (*code)(TicketPage *page, Str text);
    void (*figure)(TicketPage *page, const Block *block);  // NULL: a form without pictures
    void (*table)(TicketPage *page, Table *table);         // its head
    void (*row)(TicketPage *page, const Table *table, const Cell *cells);
    void (*end_table)(TicketPage *page);
    // NULL: it cannot fold, and leaves out what is folded.
    void (*fold)(TicketPage *page, Str summary);
    void (*unfold)(TicketPage *page);
} TicketForm;

void ticket_put(TicketPage *page, Str text);

// What the cell shows, cleaned, on one line, cut in the middle past TICKET_CELL_CHARS.
enum { TICKET_CELL_CHARS = 200 };
Str ticket_cell(TicketPage *page, const Cell *cell);

// Writes the report; cannot fail.
void ticket_write(const TicketForm *form, const Report *report, const RenderOptions *options,
                  Sink *out);

#endif
