// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_REPORT_H
#define VERNIER_SCENE_REPORT_H

#include "base/array.h"
#include "scene/scene.h"
#include "scene/table.h"

// A list of blocks that a page, a ticket text or a workbook is made from.

// The verdict, taken apart so that every format can set it: the sentence is `sentence`; word,
// place, reason and context are its words in its order.
typedef struct Verdict {
    CellStyle style;  // STYLE_SAME, STYLE_PASS, STYLE_WARNING, STYLE_ERROR, STYLE_UNMATCHED, …
    bool partial;     // PARTIAL is in front
    Str sentence;     // the whole, by the grammar of docs/spec/output.md §1
    Str word;         // "DIVERGES"
    Str rest;         // of the sentence, after the word
    Str joint;        // between word and place in pictures; empty: "at", " ": nothing
    Str place;        // "Functional.linear.8.forward", or empty
    // "inputs agree, output.0 differs by 2.9e-05, 15x its tolerance (noise not measured)."
    Str reason;
    Str context;  // "step 0, rank 0 · 357 later ops are affected · …"
} Verdict;

typedef enum BlockKind {
    BLOCK_VERDICT,
    BLOCK_HEADING,  // level 2 or 3, with an optional explanation
    BLOCK_TEXT,     // a paragraph
    BLOCK_ITEM,     // of a list, `level` 1 or 2; items that follow each other are one list
    BLOCK_CODE,     // preformatted lines
    BLOCK_FIGURE,
    BLOCK_TABLE,
    BLOCK_COLUMNS,  // the blocks up to BLOCK_END stand side by side where there is room; each
                    // heading starts a column
    BLOCK_DETAILS,  // folded; `text` is the summary line
    BLOCK_END,      // closes BLOCK_COLUMNS or BLOCK_DETAILS
    BLOCK_FOOTER,
    BLOCK_INDEX,  // lines for the script of a page, which are not shown; only pages have it
} BlockKind;
enum { BLOCK_KIND_COUNT = BLOCK_INDEX + 1 };

typedef struct Block {
    BlockKind kind;
    int level;     // heading: 2 or 3; item: 1 or 2
    bool ordered;  // item: of a numbered list
    bool rich;     // the text has marks of an author (scene/rich_text.h)
    Str id;        // anchor, or empty
    Str text;      // heading, paragraph, code, summary line, footer
    Str note;      // explanation next to a heading, caption of a figure
    const Verdict *verdict;
    const Scene *scene;
    Str file;  // base name of the figure's own files: "graph-step0-rank0"
    Str link;  // text: the file next to the page that it leads to, or empty; only pages have it
    Table *table;
} Block;

// A picture and the base name of its files; scene NULL: there is none.
typedef struct PageFigure {
    const Scene *scene;
    Str file;
} PageFigure;

typedef struct Report {
    Arena *arena;
    Str title;  // the verdict sentence
    Block *items;
    size_t count, capacity;
} Report;

// Each adds a block at the end. The block may be filled further until the next one is added; texts,
// scenes and tables are borrowed and have to live as long as the report.
void report_init(Report *report, Arena *arena);
Block *report_verdict(Report *report, const Verdict *verdict);
Block *report_heading(Report *report, int level, const char *id, Str text, Str note);
Block *report_text(Report *report, Str text);
Block *report_item(Report *report, Str text, bool ordered);  // rich
Block *report_code(Report *report, Str text);
Block *report_figure(Report *report, const Scene *scene, Str file, Str caption);
Block *report_table(Report *report, Table *table);
void report_columns(Report *report);               // up to report_end
void report_details(Report *report, Str summary);  // the same
void report_end(Report *report);
Block *report_footer(Report *report, Str text);
Block *report_index(Report *report, const char *id, Str lines);

#endif
