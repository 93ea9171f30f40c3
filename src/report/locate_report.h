// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_LOCATE_REPORT_H
#define VERNIER_REPORT_LOCATE_REPORT_H

#include "report/kit/sections.h"
#include "verdict/locate_verdict.h"

// A search for NaN and Inf as a page, as the text of a ticket and as tables.

typedef struct LocatePage {
    const LocateView *view;
    PageFigure figure;
    Str title;    // --title, or empty
    Str command;  // the command line that repeats it
} LocatePage;

void locate_page_build(const LocatePage *report, Arena *arena, Report *out);
void locate_ticket_build(const LocatePage *report, Arena *arena, Report *out);

// One row each: where it was born, how it spread, what became of every rank.
Table *locate_table_of_origins(const LocateView *view, Arena *arena);
Table *locate_table_of_spread(const LocateView *view, Arena *arena);
Table *locate_table_of_ranks(const LocateView *view, Arena *arena);

#endif
