// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_COMPARE_PAGE_H
#define VERNIER_REPORT_COMPARE_COMPARE_PAGE_H

#include "report/kit/sections.h"
#include "verdict/compare_view.h"

// The report of `vernier compare` as a page and as the text of a ticket.

// The pair that the pictures show.
typedef struct MainPair {
    const Comparison *comparison;
    const PairFacts *facts;
    bool several;  // there are other pairs
    bool book;     // a workbook of it is written
    PageFigure graph, card, profile;
} MainPair;

// What the reports show of that pair; nothing of it needs its graphs, so that it can be kept.
typedef struct PageParts {
    Report blocks;       // of the page
    size_t graph;        // which of them is the comparison picture
    size_t graph_pages;  // it and those that follow
    Table *first_slots;  // of the ticket, or NULL
    Table *tree;         // of the ticket and the terminal (tree_table.h), or NULL
} PageParts;

typedef struct ComparePage {
    const CompareSummary *summary;
    size_t main;             // the pair that the pictures show; SIZE_MAX: none was compared
    const PageParts *parts;  // of that pair, NULL: none
    PageFigure field;        // of the ranks; without a scene: none
    Str field_data;          // of it, for the script of the page
    PageFigure matrix;
    Str title;    // --title, or empty
    Str up;       // of a page of one of several pairs: the page of all; or empty
    Str command;  // the command line that repeats the report
} ComparePage;

// Lives in `arena`.
void compare_page_parts(const MainPair *pair, Arena *arena, PageParts *out);

// Verdict, tables, pictures, all ops. Texts live in `arena`.
void compare_page_build(const ComparePage *page, Arena *arena, Report *out);

// Verdict, the slots that matter, versions, the command: at most a few dozen lines.
void compare_ticket_build(const ComparePage *page, Arena *arena, Report *out);

#endif
