// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_EXPLAIN_EXPLAIN_H
#define VERNIER_COMMANDS_EXPLAIN_EXPLAIN_H

#include "base/error.h"
#include "read/json/json_tree.h"
#include "scene/report.h"

// A summary.json in plain words: why the verdict is what it is, what was compared and what was not,
// and the command to type next. Nothing else is read.

// The limits of what a kind has in templates/explain.table.
enum { LISTING_COLUMNS = 8, LISTINGS_MAX = 2, FIGURES_MAX = 8, STEPS_MAX = 5 };

// Some members of each object of a list, as a table.
typedef struct Listing {
    const char *list;                   // path of the list
    const char *only_key, *only_value;  // of the objects alone that say so; NULL: of all
    const char *titles[LISTING_COLUMNS], *paths[LISTING_COLUMNS];
    size_t columns;
} Listing;

// A figure with its label.
typedef struct Figure {
    const char *label, *path;
} Figure;

typedef struct ExplainPart {
    Figure figures[FIGURES_MAX];
    Listing listings[LISTINGS_MAX];
    size_t figure_count, listing_count;
} ExplainPart;

// What to do, by the status. In the command {golden}, {target} and {dump} are the paths that the
// summary names, or GOLDEN, TARGET, DUMP.
typedef struct NextStep {
    // "bad": error, warning, unmatched; "good": same, pass; "nothing"; "any"; of curves that were
    // compared with none "alone" or "unjudged".
    Str status;
    const char *text;     // English
    const char *command;  // or NULL
} NextStep;

typedef struct Explain Explain;

// English texts; what they mean is said at the head of templates/explain.table.
typedef struct ExplainKind {
    const char *meaning;  // or NULL
    ExplainPart why, compared;
    NextStep next[STEPS_MAX];
    size_t next_count;
    // Of a kind that says more, or NULL.
    void (*say_why)(Explain *explain);
    void (*say_compared)(Explain *explain);
    void (*say_next)(Explain *explain);
} ExplainKind;

struct Explain {
    Arena *arena;
    const JsonNode *root;
    ExplainKind *kind;
    Report *out;
    StrBuf commands;  // a line each, printed at the end
};

// Of "vernier.curves/1"; false: of no kind of summary.
bool explain_kind_read(Str schema, Arena *arena, ExplainKind *out);

// A paragraph; nothing for an empty text.
void explain_say(Explain *explain, Str text);
// A name or path of the summary as one word for a shell.
Str explain_word(const Explain *explain, Str text);
void explain_command_line(Explain *explain, const char *command);
// The first objects of a list, or the last, as many as a reader takes in, and how many more.
void explain_listing(Explain *explain, const JsonNode *node, const Listing *listing);
void explain_listing_of_last(Explain *explain, const JsonNode *node, const Listing *listing);

// False, with *err set (input), where a key that is said has another type than a summary gives it.
bool explain_check(const Explain *explain, const char *file, Error *err);

// The whole report of the summary at explain->root.
void explain_summary(Explain *explain);

// What the summary says of one op: false if it does not name it; *near is then a name that it does
// name and that may be meant, or empty.
bool explain_op(Explain *explain, Str name, Str *near);

// vernier.compare/1, which says more than a table can.
void explain_compare_why(Explain *explain);
void explain_compare_compared(Explain *explain);
void explain_compare_next(Explain *explain);

#endif
