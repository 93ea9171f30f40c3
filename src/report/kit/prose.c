// SPDX-License-Identifier: Apache-2.0
#include "report/kit/prose.h"

#include "base/words.h"
#include "scene/rich_text.h"

typedef struct Prose {
    Str rest;
    uint64_t line;
    const char *file;
    PlaceFigure *place;
    void *context;
    Report *report;
    Notices *notices;
    StrBuf paragraph;  // lines gathered so far
} Prose;

enum { TABLE_COLUMNS_MAX = 32 };

static bool next_line(Prose *prose, Str *line)
{
    if (prose->rest.size == 0 || !str_split(&prose->rest, '\n', line))
        return false;
    prose->line++;
    if (str_ends(*line, STR("\r")))
        line->size--;
    return true;
}

static void end_paragraph(Prose *prose)
{
    if (prose->paragraph.size == 0)
        return;
    Str text = str_copy(prose->report->arena, strbuf_str(&prose->paragraph));
    report_text(prose->report, text)->rich = true;
    prose->paragraph.size = 0;
}

static void add_to_paragraph(Prose *prose, Str line)
{
    if (prose->paragraph.size)
        strbuf_add_char(&prose->paragraph, ' ');
    strbuf_add(&prose->paragraph, line);
}

// Headings of the author stand below those of the report: "#" and "##" become level 2 without an
// anchor of the navigation, deeper ones level 3.
static bool read_heading(Prose *prose, Str line)
{
    size_t level = 0;
    while (level < line.size && line.data[level] == '#')
        level++;
    if (level == 0 || level > 6 || level == line.size || line.data[level] != ' ')
        return false;
    end_paragraph(prose);
    Str text = str_trim(str_slice(line, level, line.size));
    report_heading(prose->report, level <= 1 ? 2 : 3, "",
                   rich_text_plain(text, prose->report->arena), STR(""));
    return true;
}

static bool read_code(Prose *prose, Str line)
{
    Str code;
    if (!str_starts(line, STR("```")))
        return false;
    end_paragraph(prose);
    StrBuf text = strbuf_new(prose->report->arena);
    while (next_line(prose, &code) && !str_starts(str_trim(code), STR("```"))) {
        if (text.size)
            strbuf_add_char(&text, '\n');
        strbuf_add(&text, code);
    }
    report_code(prose->report, strbuf_str(&text));
    return true;
}

static bool read_figure(Prose *prose, Str line)
{
    if (!str_starts(line, STR("![[")) || !str_ends(line, STR("]]")))
        return false;
    end_paragraph(prose);
    Str name = str_trim(str_slice(line, 3, line.size - 2));
    if (prose->place(prose->context, name, prose->report))
        return true;
    Str cut = name.size > 80 ? str_slice(name, 0, 80) : name;
    notices_add(prose->notices, NOTICE_WARNING, WHERE_LINE(prose->file, 0),
                tr("the text places ![[" STR_FMT "]], but no figure or table has that name now"),
                STR_ARG(cut));
    report_text(prose->report,
                str_printf(prose->report->arena, tr("(not there yet: " STR_FMT ")"), STR_ARG(cut)));
    return true;
}

// The text after "- ", "* " or "12. ", or an empty one.
static Str list_text(Str line, bool *ordered)
{
    size_t digits = 0;
    *ordered = false;
    if (line.size > 2 && (line.data[0] == '-' || line.data[0] == '*') && line.data[1] == ' ')
        return str_trim(str_slice(line, 2, line.size));
    while (digits < line.size && digits < 9 && line.data[digits] >= '0' && line.data[digits] <= '9')
        digits++;
    if (digits == 0 || digits + 2 >= line.size || line.data[digits] != '.' ||
        line.data[digits + 1] != ' ')
        return (Str){"", 0};
    *ordered = true;
    return str_trim(str_slice(line, digits + 2, line.size));
}

static size_t indent_of(Str line)
{
    size_t indent = 0;
    while (indent < line.size && (line.data[indent] == ' ' || line.data[indent] == '\t'))
        indent++;
    return indent;
}

// An item goes on over lines that are indented and start nothing else.
static bool read_item(Prose *prose, Str line)
{
    bool ordered, other;
    Str text = list_text(str_trim(line), &ordered), more;
    if (text.size == 0)
        return false;
    end_paragraph(prose);
    StrBuf whole = strbuf_new(prose->report->arena);
    strbuf_add(&whole, text);
    Prose ahead = *prose;
    while (next_line(&ahead, &more) && indent_of(more) >= 2 && str_trim(more).size &&
           list_text(str_trim(more), &other).size == 0) {
        strbuf_add_char(&whole, ' ');
        strbuf_add(&whole, str_trim(more));
        prose->rest = ahead.rest;
        prose->line = ahead.line;
    }
    report_item(prose->report, strbuf_str(&whole), ordered)->level = indent_of(line) >= 2 ? 2 : 1;
    return true;
}

static bool read_quote(Prose *prose, Str line)
{
    if (!str_starts(line, STR(">")))
        return false;
    end_paragraph(prose);
    Str text = str_copy(prose->report->arena, str_trim(str_slice(line, 1, line.size)));
    report_text(prose->report, text)->rich = true;
    return true;
}

// ---- tables

static size_t split_row(Str line, Str *cells)
{
    size_t count = 0;
    Str part, rest = str_trim(line);
    if (str_starts(rest, STR("|")))
        rest = str_slice(rest, 1, rest.size);
    if (str_ends(rest, STR("|")))
        rest.size--;
    while (count < TABLE_COLUMNS_MAX && str_split(&rest, '|', &part))
        cells[count++] = str_trim(part);
    return count;
}

static bool is_ruler(Str line)
{
    bool dash = false;
    for (size_t i = 0; i < line.size; i++) {
        char c = line.data[i];
        if (c != '|' && c != '-' && c != ':' && c != ' ')
            return false;
        dash = dash || c == '-';
    }
    return dash && str_find_char(line, '|', 0) != SIZE_MAX;
}

static Table *start_table(Prose *prose, Str head)
{
    Str cells[TABLE_COLUMNS_MAX];
    Arena *arena = prose->report->arena;
    size_t count = split_row(head, cells);
    Column *columns = ARENA_ARRAY(arena, Column, count);
    for (size_t i = 0; i < count; i++)
        columns[i].title = rich_text_plain(cells[i], arena);
    Table *table = ARENA_NEW(arena, Table);
    table_init_rows(table, ARENA_NEW(arena, TableRows), "", columns, count, arena);
    return table;
}

static bool read_table(Prose *prose, Str line)
{
    Str ruler, row, cells[TABLE_COLUMNS_MAX];
    Prose ahead = *prose;
    if (str_find_char(line, '|', 0) == SIZE_MAX || !next_line(&ahead, &ruler) || !is_ruler(ruler))
        return false;
    end_paragraph(prose);
    Table *table = start_table(prose, line);
    while (true) {
        prose->rest = ahead.rest;
        prose->line = ahead.line;
        if (!next_line(&ahead, &row) || str_find_char(row, '|', 0) == SIZE_MAX)
            break;
        size_t count = split_row(row, cells);
        Cell *out = table_add_row(table);
        for (size_t i = 0; i < count && i < table->column_count; i++)
            out[i] = cell_text(rich_text_plain(cells[i], prose->report->arena));
    }
    report_table(prose->report, table);
    return true;
}

static void read_line(Prose *prose, Str line)
{
    Str text = str_trim(line);
    if (text.size == 0)
        end_paragraph(prose);
    else if (!read_heading(prose, text) && !read_code(prose, text) && !read_figure(prose, text) &&
             !read_item(prose, line) && !read_quote(prose, text) && !read_table(prose, text))
        add_to_paragraph(prose, text);
}

void prose_add(Str markdown, const char *file, PlaceFigure *place, void *context, Report *report,
               Notices *notices)
{
    Prose prose = {.rest = markdown,
                   .file = file,
                   .place = place,
                   .context = context,
                   .report = report,
                   .notices = notices};
    prose.paragraph = strbuf_new(report->arena);
    for (Str line; next_line(&prose, &line);)
        read_line(&prose, line);
    end_paragraph(&prose);
}
