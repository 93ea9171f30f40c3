// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_COMPARE_PAGE_H
#define VERNIER_LAYOUT_COMPARE_PAGE_H

#include "layout/compare_summary.h"
#include "scene/report.h"

// The report of `vernier compare` as a page and as the text of a ticket.

// A picture and the base name of its files; scene NULL: there is none.
typedef struct PageFigure {
    const Scene *scene;
    Str file;
} PageFigure;

typedef struct ComparePage {
    const CompareSummary *summary;
    size_t main;                   // the pair that the pictures show; SIZE_MAX: none was compared
    const Comparison *comparison;  // of the main pair, NULL: none
    PageFigure matrix, graph, card, profile;
    Str title;    // --title, or empty
    Str command;  // the command line that repeats the report
} ComparePage;

// Verdict, tables, pictures, all ops. Texts live in `arena`.
void compare_page_build(const ComparePage *page, Arena *arena, Report *out);

// Verdict, the slots that matter, versions, the command: at most a few dozen lines.
void compare_ticket_build(const ComparePage *page, Arena *arena, Report *out);

#endif
