// SPDX-License-Identifier: Apache-2.0
// Tables of a page: rows with chips, classes and kept widths.
#include "renderers/cell_text.h"
#include "renderers/html_blocks.h"
#include "scene/text_width.h"

enum { WIDE_TABLE = 6 };  // from so many columns on a table may need to be scrolled

// Texts longer than LONG_EM may be broken, but their column keeps that width (page.css, td.w).
static const double LONG_EM = 11;

// How a cell of a style is set: class of the cell, class of a span around the text, chip.
typedef struct StyleMarks {
    const char *cell, *span;
    const char *chip, *glyph;  // class and letter
} StyleMarks;

static const StyleMarks marks[STYLE_COUNT] = {
    [STYLE_MUTED] = {.cell = "m"},
    [STYLE_SAME] = {.chip = "S", .glyph = "="},
    [STYLE_PASS] = {.chip = "P", .glyph = "✓"},
    [STYLE_PASS_TINT] = {.chip = "p", .glyph = "✓"},
    [STYLE_WARNING] = {.chip = "W", .glyph = "W"},
    [STYLE_ERROR] = {.chip = "E", .glyph = "E"},
    [STYLE_ERROR_TINT] = {.chip = "e", .glyph = "E"},
    [STYLE_WARNING_TINT] = {.chip = "w", .glyph = "W"},
    [STYLE_UNMATCHED] = {.chip = "U", .glyph = "<i>U</i>"},
    [STYLE_NO_DATA] = {.chip = "N", .glyph = "·"},
    [STYLE_GOLDEN] = {.span = "gl"},
    [STYLE_TARGET] = {.span = "tg"},
    [STYLE_MSPROBE_RED] = {.cell = "red"},
    [STYLE_MSPROBE_YELLOW] = {.cell = "yellow"},
};

// The word next to it says the same, so the letter is for the eye alone.
void html_write_chip(Markup *out, CellStyle style)
{
    const StyleMarks *mark = &marks[style];
    if (!mark->chip)
        return;
    markup_raw(out, "<span class=\"k ");
    markup_raw(out, mark->chip);
    markup_raw(out, "\" aria-hidden=\"true\">");
    markup_raw(out, mark->glyph);
    markup_raw(out, "</span>");
}

static void write_wrapped(Markup *out, const char *open, Str text, const char *close)
{
    markup_raw(out, open);
    markup_shown(out, text);
    markup_raw(out, close);
}

// A long name breaks after its dots, underscores and slashes where it has to.
static void write_name(Markup *out, Str text)
{
    if (text_width_mono(text, 1) <= LONG_EM) {
        markup_shown(out, text);
        return;
    }
    for (size_t from = 0, at = 0; from < text.size; from = at) {
        while (at < text.size && str_find_char(STR("._/"), text.data[at], 0) == SIZE_MAX)
            at++;
        while (at < text.size && str_find_char(STR("._/"), text.data[at], 0) != SIZE_MAX)
            at++;
        markup_shown(out, str_slice(text, from, at));
        if (at < text.size)
            markup_raw(out, "<wbr/>");
    }
}

static void write_styled(Markup *out, const Cell *cell, Str text)
{
    const StyleMarks *mark = &marks[cell->style];
    html_write_chip(out, cell->style);
    if (mark->span) {
        markup_raw(out, "<span class=\"");
        markup_raw(out, mark->span);
        write_wrapped(out, "\">", text, "</span>");
    } else if (cell->style == STYLE_STRONG) {
        write_wrapped(out, "<b>", text, "</b>");
    } else if (cell->style == STYLE_CODE) {
        markup_raw(out, "<code>");
        write_name(out, text);
        markup_raw(out, "</code>");
    } else {
        markup_shown(out, text);
    }
}

static double text_em(const Cell *cell, Str text)
{
    return cell->style == STYLE_CODE ? text_width_mono(text, 1) : text_width(text, 1, 400);
}

// Few words, a date, a word after a chip, a short name: next to wide columns a browser would break
// them at every space and hyphen, and code at every letter.
static bool stays_whole(const Cell *cell, Str text)
{
    bool breaks = str_find_char(text, '-', 0) != SIZE_MAX ||
                  str_find_char(text, ' ', 0) != SIZE_MAX || marks[cell->style].chip ||
                  cell->style == STYLE_CODE;
    return breaks && text_em(cell, text) <= LONG_EM;
}

static void write_cell_class(Markup *out, const Column *column, const Cell *cell, Str text)
{
    const char *own = marks[cell->style].cell;
    const char *first = NULL;
    if (column->number)
        first = "n";
    else if (stays_whole(cell, text))
        first = "d";
    else if (text_em(cell, text) > LONG_EM)
        first = "w";
    if (!first && !own)
        return;
    markup_raw(out, " class=\"");
    markup_raw(out, first ? first : "");
    markup_raw(out, first && own ? " " : "");
    markup_raw(out, own ? own : "");
    markup_char(out, '"');
}

static void write_cell(Markup *out, const Column *column, const Cell *cell)
{
    char buffer[NUMBER_BYTES];
    Str text = cell_shown(cell, buffer);
    bool link = markup_is_local(cell->link);
    markup_raw(out, "<td");
    write_cell_class(out, column, cell, text);
    if (cell->title.size)
        markup_attribute(out, "title", cell->title);
    markup_char(out, '>');
    if (link) {
        markup_raw(out, "<a");
        markup_attribute(out, "href", cell->link);
        markup_char(out, '>');
    }
    write_styled(out, cell, text);
    markup_raw(out, link ? "</a></td>" : "</td>");
}

static void write_head(Markup *out, const Table *table)
{
    markup_raw(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        markup_raw(out, table->columns[i].number ? "<th scope=\"col\" class=\"n\">"
                                                 : "<th scope=\"col\">");
        markup_text(out, table->columns[i].title);
        markup_raw(out, "</th>");
    }
    markup_raw(out, "</tr></thead>\n<tbody>\n");
}

static void write_rows(Markup *out, Table *table)
{
    Arena *arena = arena_new();
    Cell *cells = ARENA_ARRAY(arena, Cell, table->column_count);
    table->rewind(table->state);
    while (table->next(table->state, cells)) {
        markup_raw(out, "<tr>");
        for (size_t i = 0; i < table->column_count; i++) {
            write_cell(out, &table->columns[i], &cells[i]);
            cells[i] = (Cell){.kind = CELL_EMPTY};
        }
        markup_raw(out, "</tr>\n");
    }
    arena_release(arena);
}

// A table that may be wider than the page can be scrolled with the keyboard.
void html_write_table(Markup *out, Table *table)
{
    markup_raw(out, "<div class=\"t\"");
    if (table->column_count >= WIDE_TABLE) {
        markup_raw(out, " tabindex=\"0\" role=\"group\"");
        markup_attribute(out, "aria-label", table->name);
    }
    markup_raw(out, ">\n<table");
    markup_attribute(out, "aria-label", table->name);
    markup_raw(out, ">\n");
    write_head(out, table);
    write_rows(out, table);
    markup_raw(out, "</tbody></table></div>\n");
    if (table->note.size)
        write_wrapped(out, "<p class=\"note\">", table->note, "</p>\n");
}
