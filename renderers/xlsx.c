// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include "base/array.h"
#include "base/file.h"
#include "base/names.h"
#include "base/utf8.h"
#include "base/words.h"
#include "renderers/cell_text.h"
#include "renderers/markup.h"
#include "renderers/xlsx_names.h"
#include "renderers/xlsx_splice.h"
#include "renderers/xlsx_styles.h"

// libxlsxwriter writes by path and speaks to stderr when it refuses something, so everything is
// checked here before it gets it.

enum {
    MAX_COLUMNS = 16384,
    DATA_ROWS = 1048575,
    ZIP64_CELLS = 20000000,
    MAX_WIDTH = 80,
    WIDE_COLUMNS = 8,
    SHORT_ROWS = 2000
};
static const time_t fixed_date = 315532800;  // 1980-01-01, the first day of zip
#define LAST_DATE INT64_C(253402300799)      // the last second of the year 9999

typedef struct Book {
    lxw_workbook *book;
    const RenderOptions *options;
    XlsxStyles styles;
    Arena *arena;
    Str *names;  // of the sheets so far
    size_t count, capacity;
    char *tmpdir;
    SheetRows *rows;    // that are not in the library's book
    Names *texts;       // that cells of long sheets share; their number is the id less one
    uint64_t uses;      // of them
    SheetRows *shared;  // these texts but the first, which is in the library's book
    lxw_error status;   // the first thing that went wrong
} Book;

// The library leaves out what it has no memory for and goes on; some of its functions say so, of
// the others errno tells. A workbook without a cell, a style or a sheet's name must never be kept.
static void keep(Book *book, lxw_error status)
{
    if (status == LXW_NO_ERROR && errno == ENOMEM)
        status = LXW_ERROR_MEMORY_MALLOC_FAILED;
    if (book->status == LXW_NO_ERROR)
        book->status = status;
}

static bool is_sound(const Book *book, Error *err)
{
    return book->status == LXW_NO_ERROR ||
           error_set(err, ERR_OUTPUT, NOWHERE, tr("cannot write the workbook: %s"),
                     lxw_strerror(book->status));
}

static bool temporary_failed(const Book *book, Error *err)
{
    return error_set(err, ERR_OUTPUT, WHERE_FILE(book->tmpdir),
                     tr("cannot write a temporary file here: %s"), strerror(errno));
}

// Words of a column that have the colours of one status. Besides the fills of their cells they get
// conditions, so that a row that is pasted or typed over has the colours of its word. A word with
// two styles (an error that starts, one that is inherited) has none.
enum { STATUS_WORDS = 12, STATUS_BYTES = 60 };

typedef struct StatusWords {
    struct {
        Str word;
        CellStyle style;
    } items[STATUS_WORDS];
    size_t count;
} StatusWords;

// Texts of a column that went to the shared ones, and how many of them were new there.
typedef struct ColumnTexts {
    uint64_t uses, fresh;
} ColumnTexts;

// The sheet that is being filled. Its rows are ours: the library would print each number and escape
// each text by way of several buffers; it puts what is in the temporary file of a sheet into
// the workbook as it is. The rows of a sheet of some length are put into its container here: the
// library would deflate them in twice the time.
typedef struct SheetPen {
    Book *book;
    const Table *table;
    lxw_worksheet *sheet;
    uint32_t row;
    lxw_col_t columns;  // up to the last one that holds something
    uint32_t next_row;  // the one that needs no number: readers count rows and cells themselves
    size_t next_column;
    bool in_row;  // the row holds something
    Arena *scratch;
    StatusWords *words;  // by column
    ColumnTexts *texts;  // by column
    StrBuf text;         // not yet in a temporary file
    SheetRows *rows;     // of a sheet of some length
} SheetPen;

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

// "_x000D_" in a workbook is a carriage return; as a text it is written "_x005F_x000D_".
static Str keep_escapes(Str text, Arena *arena)
{
    size_t from = 0;
    StrBuf buf = strbuf_new(arena);
    for (size_t at = 0; (at = str_find(text, STR("_x"), at)) != SIZE_MAX; at++) {
        Str code = str_slice(text, at + 2, at + 7);
        bool escape = code.size == 5 && code.data[4] == '_';
        for (size_t i = 0; escape && i < 4; i++)
            escape = is_hex(code.data[i]);
        if (!escape)
            continue;
        strbuf_add(&buf, str_slice(text, from, at));
        strbuf_add(&buf, STR("_x005F"));
        from = at;
    }
    if (!from && !buf.size)
        return text;
    strbuf_add(&buf, str_slice(text, from, text.size));
    return strbuf_str(&buf);
}

static void add_escaped(StrBuf *buf, Str text)
{
    size_t from = 0;
    for (size_t at = 0; at < text.size; at++) {
        char c = text.data[at];
        if (c != '&' && c != '<' && c != '>')
            continue;
        strbuf_add(buf, str_slice(text, from, at));
        strbuf_add(buf, c == '&' ? STR("&amp;") : c == '<' ? STR("&lt;") : STR("&gt;"));
        from = at + 1;
    }
    strbuf_add(buf, str_slice(text, from, text.size));
}

static void add_number(StrBuf *buf, double number)
{
    char digits[NUMBER_BYTES];
    strbuf_add(buf, (Str){digits, (size_t)number_sheet(number, digits)});
}

// The start of a cell, up to its kind. Rows and cells have a place only after a gap: it is
// optional (ECMA-376, 18.3.1.4 and 18.3.1.73), and half of what would have to be deflated.
static void start_cell(SheetPen *pen, size_t column, lxw_format *format)
{
    StrBuf *text = &pen->text;
    if (!pen->in_row && pen->row == pen->next_row)
        strbuf_add(text, STR("<row>"));
    else if (!pen->in_row)
        strbuf_printf(text, "<row r=\"%lu\">", (unsigned long)pen->row + 1);
    pen->next_column = pen->in_row ? pen->next_column : 0;
    pen->in_row = true;
    strbuf_add(text, STR("<c"));
    if (column != pen->next_column) {
        char name[LXW_MAX_COL_NAME_LENGTH];
        lxw_col_to_name(name, (lxw_col_t)column, LXW_FALSE);
        strbuf_printf(text, " r=\"%s%lu\"", name, (unsigned long)pen->row + 1);
    }
    pen->next_column = column + 1;
    if (format) {
        strbuf_add(text, STR(" s=\""));
        add_number(text, lxw_format_get_xf_index(format));
        strbuf_add_char(text, '"');
    }
    if (pen->columns <= column)
        pen->columns = (lxw_col_t)(column + 1);
}

static void end_row(SheetPen *pen)
{
    if (!pen->in_row)
        return;
    strbuf_add(&pen->text, STR("</row>"));
    pen->in_row = false;
    pen->next_row = pen->row + 1;
}

static void write_blank(SheetPen *pen, size_t column, lxw_format *format)
{
    if (!format)
        return;
    start_cell(pen, column, format);
    strbuf_add(&pen->text, STR("/>"));
}

static void add_text(StrBuf *buf, Str text)
{
    bool edges = is_space(text.data[0]) || is_space(text.data[text.size - 1]);
    strbuf_add(buf, edges ? STR("<t xml:space=\"preserve\">") : STR("<t>"));
    add_escaped(buf, text);
    strbuf_add(buf, STR("</t>"));
}

// The first text is the library's, so that it writes the part, its type and its relation; as a text
// with runs, since it leaves those as they are.
static void start_shared(Book *book, const char *item)
{
    struct sst_element *element = calloc(1, sizeof *element);
    if (element)
        *element = (struct sst_element){.string = strdup(item), .is_rich_string = LXW_TRUE};
    if (element && element->string) {
        STAILQ_INSERT_TAIL(book->book->sst->order_list, element, sst_order_pointers);
        return;
    }
    free(element);
    keep(book, LXW_ERROR_MEMORY_MALLOC_FAILED);
}

static void add_shared(SheetPen *pen, Str text)
{
    Book *book = pen->book;
    bool first = names_count(book->texts) == 1;
    StrBuf item = strbuf_new(pen->scratch);
    strbuf_add(&item, first ? STR("") : STR("<si>"));
    add_text(&item, text);
    strbuf_add(&item, first ? STR("") : STR("</si>"));
    Str piece = strbuf_str(&item);
    if (first)
        start_shared(book, str_cstr(pen->scratch, piece));
    else
        book->shared->size += fwrite(piece.data, 1, piece.size, book->shared->file);
}

// The id of a text that cells share, NAME_NONE where it is to be in the cell: short sheets need no
// second part, and texts that do not repeat only grow it. So a column shares its texts until more
// than 64, and an eighth of what it shared, were new.
static NameId shared_text(SheetPen *pen, size_t column, Str text)
{
    enum { FRESH = 64, USES_EACH = 8, BYTES = 64 << 20 };
    Book *book = pen->book;
    ColumnTexts *texts = &pen->texts[column];
    if (!pen->rows || texts->fresh > FRESH + texts->uses / USES_EACH || book->shared->size > BYTES)
        return NAME_NONE;
    size_t known = names_count(book->texts);
    NameId id = names_add(book->texts, text);
    texts->uses++;
    if (names_count(book->texts) > known) {
        texts->fresh++;
        add_shared(pen, text);
    }
    book->book->sst->string_count = (uint32_t)++book->uses;
    return id;
}

static void write_text(SheetPen *pen, size_t column, Str text, lxw_format *format)
{
    Str clean = keep_escapes(cell_clean(text, pen->scratch), pen->scratch);
    clean = xlsx_cut(clean, XLSX_TEXT_UNITS, pen->scratch);
    if (!clean.size) {
        write_blank(pen, column, format);
        return;
    }
    start_cell(pen, column, format);
    NameId id = shared_text(pen, column, clean);
    strbuf_add(&pen->text, id ? STR(" t=\"s\"><v>") : STR(" t=\"inlineStr\"><is>"));
    if (id)
        add_number(&pen->text, id - 1);
    else
        add_text(&pen->text, clean);
    strbuf_add(&pen->text, id ? STR("</v></c>") : STR("</is></c>"));
}

static void write_number(SheetPen *pen, size_t column, const Cell *cell, lxw_format *format)
{
    char buffer[NUMBER_BYTES];
    if (!isfinite(cell->number)) {
        write_text(pen, column, cell_shown(cell, buffer), format);
        return;
    }
    start_cell(pen, column, format);
    strbuf_add(&pen->text, STR("><v>"));
    add_number(&pen->text, cell->number);
    strbuf_add(&pen->text, STR("</v></c>"));
}

static void write_percent(SheetPen *pen, size_t column, double number, lxw_format *format)
{
    char text[NUMBER_BYTES];
    int size = floor(number) < number ? number_sheet(number, text) : number_python(number, text);
    text[size++] = '%';
    write_text(pen, column, (Str){text, (size_t)size}, format);
}

// The library notes the link, and a cell of its own that the rows here have already.
static bool link_cell(SheetPen *pen, size_t column, Str link)
{
    lxw_worksheet *sheet = pen->sheet;
    bool inside = str_starts(link, STR("internal:"));
    if (!link.size || link.data[0] == '#' || (!inside && !markup_is_local(link)))
        return false;
    Str url = inside ? link : str_concat(pen->scratch, STR("external:"), link);
    if (worksheet_write_url(sheet, pen->row, (lxw_col_t)column, str_cstr(pen->scratch, url),
                            NULL) != LXW_NO_ERROR)
        return false;
    lxw_cell *cell = sheet->array[column];
    sheet->array[column] = NULL;
    sheet->optimize_row->data_changed = LXW_FALSE;
    if (cell)
        free(cell->u.string);
    free(cell);
    return true;
}

static bool is_status(CellStyle style)
{
    return style >= STYLE_SAME && style <= STYLE_NO_DATA;
}

// What a condition compares with is a formula, if only of a text: words of letters alone go there.
static bool is_word(Str text)
{
    bool word = text.size > 0 && text.size <= STATUS_BYTES;
    for (size_t i = 0; i < text.size && word; i++) {
        unsigned char c = (unsigned char)text.data[i];
        word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80 ||
               (i && (c == ' ' || c == ','));
    }
    return word;
}

static void note_word(SheetPen *pen, size_t column, const Cell *cell)
{
    StatusWords *words = &pen->words[column];
    size_t at = 0;
    if (cell->kind != CELL_TEXT || !is_status(cell->style) || !is_word(cell->text) ||
        !str_equal(cell->text, cell_clean(cell->text, pen->scratch)))
        return;
    while (at < words->count && !str_equal(words->items[at].word, cell->text))
        at++;
    if (at < words->count && words->items[at].style != cell->style)
        words->items[at].style = STYLE_PLAIN;
    if (at < words->count || at == STATUS_WORDS)
        return;
    words->items[at].word = str_copy(pen->book->arena, cell->text);
    words->items[at].style = cell->style;
    words->count++;
}

static void colour_words(SheetPen *pen, lxw_col_t column, uint32_t last)
{
    const StatusWords *words = &pen->words[column];
    for (size_t i = 0; i < words->count; i++) {
        if (words->items[i].style == STYLE_PLAIN)
            continue;
        Str value = str_printf(pen->book->arena, "\"" STR_FMT "\"", STR_ARG(words->items[i].word));
        lxw_conditional_format condition = {
            .type = LXW_CONDITIONAL_TYPE_CELL,
            .criteria = LXW_CONDITIONAL_CRITERIA_EQUAL_TO,
            .value_string = str_cstr(pen->book->arena, value),
            .format = pen->book->styles.cell[words->items[i].style][NUMBER_GENERAL]};
        keep(pen->book,
             worksheet_conditional_format_range(pen->sheet, 1, column, last, column, &condition));
    }
}

// A sheet with the lines of the columns that are marked for it, over the first column.
static void add_chart(const SheetPen *pen, int number, const char *name, uint32_t last)
{
    enum { LINES_MOST = 12 };
    Book *book = pen->book;
    lxw_chart *chart = NULL;
    int lines = 0;
    for (size_t i = 1; i < pen->table->column_count && lines < LINES_MOST; i++) {
        if (pen->table->columns[i].chart != number)
            continue;
        if (!lines++)
            chart = workbook_add_chart(book->book, LXW_CHART_SCATTER_STRAIGHT);
        lxw_chart_series *series = chart ? chart_add_series(chart, NULL, NULL) : NULL;
        if (!series) {
            keep(book, LXW_ERROR_MEMORY_MALLOC_FAILED);
            return;
        }
        const char *sheet = pen->sheet->name;
        lxw_col_t at = (lxw_col_t)i;
        chart_series_set_categories(series, sheet, 1, 0, last, 0);
        chart_series_set_values(series, sheet, 1, at, last, at);
        chart_series_set_name_range(series, sheet, 0, at);
        chart_series_set_line(series, &(lxw_chart_line){.width = 1});
    }
    if (!lines)
        return;
    Str unique = xlsx_sheet_name(str_of(name), book->names, book->count, book->arena);
    *ARRAY_ADD(book->arena, book->names, book->count, book->capacity) = unique;
    lxw_chartsheet *sheet = workbook_add_chartsheet(book->book, str_cstr(book->arena, unique));
    keep(book, sheet ? chartsheet_set_chart(sheet, chart) : LXW_ERROR_MEMORY_MALLOC_FAILED);
    if (sheet)
        chartsheet_set_landscape(sheet);
    chart_axis_set_name(chart->x_axis, str_cstr(book->arena, pen->table->columns[0].title));
}

static void write_cell(SheetPen *pen, size_t column, const Cell *cell)
{
    const XlsxStyles *styles = &pen->book->styles;
    NumberFormat number = xlsx_number_format(cell);
    bool whole = cell->kind == CELL_NUMBER && isfinite(cell->number);
    if (number == NUMBER_GENERAL && whole && pen->table->row_count <= SHORT_ROWS)
        number = NUMBER_WHOLE;  // a style for each cell of a long sheet makes it larger
    lxw_format *format = styles->cell[cell->style][number];
    note_word(pen, column, cell);
    if (cell->link.size && link_cell(pen, column, cell->link) && cell->style == STYLE_PLAIN)
        format = styles->link;
    switch (cell->kind) {
    case CELL_EMPTY:
        write_blank(pen, column, format);
        break;
    case CELL_TEXT:
        write_text(pen, column, cell->text, format);
        break;
    case CELL_NUMBER:
        write_number(pen, column, cell, format);
        break;
    case CELL_BOOL:
        start_cell(pen, column, format);
        strbuf_add(&pen->text,
                   cell->number > 0 ? STR(" t=\"b\"><v>1</v></c>") : STR(" t=\"b\"><v>0</v></c>"));
        break;
    case CELL_PERCENT:
        write_percent(pen, column, cell->number, format);
        break;
    }
}

// A first head that has no other next to it is a title over all columns.
static bool spans_columns(const Table *table)
{
    return table->column_count > 1 && !table->columns[1].title.size;
}

static double column_width(const Table *table, size_t at)
{
    const Column *column = &table->columns[at];
    double head = 3;  // room for the filter button
    if (spans_columns(table))
        return column->width;
    for (size_t byte = 0; byte < column->title.size;)
        head += utf8_columns(utf8_next(column->title, &byte));
    return fmin(fmax(column->width, head), MAX_WIDTH);
}

// As high as its lines: a long one would make the sheet as wide as itself, on paper too.
static void start_title(SheetPen *pen)
{
    enum { LINE = 16 };
    double width = 0, wanted = 4;
    for (size_t i = 0; i < pen->table->column_count; i++)
        width += column_width(pen->table, i);
    for (size_t at = 0; at < pen->table->columns[0].title.size;)
        wanted += utf8_columns(utf8_next(pen->table->columns[0].title, &at)) * 1.15;
    strbuf_printf(&pen->text, "<row r=\"1\" ht=\"%d\" customHeight=\"1\">",
                  LINE * (int)ceil(wanted / width));
    pen->in_row = true;
    pen->next_column = 0;
    keep(pen->book, xlsx_merge_title(pen->sheet, (lxw_col_t)(pen->table->column_count - 1)));
}

static void write_header(SheetPen *pen)
{
    const XlsxStyles *styles = &pen->book->styles;
    pen->row = pen->next_row = 0;
    pen->columns = 0;
    if (spans_columns(pen->table))
        start_title(pen);
    for (size_t i = 0; i < pen->table->column_count; i++) {
        const Column *column = &pen->table->columns[i];
        lxw_col_t at = (lxw_col_t)i;
        lxw_row_col_options closed = {.hidden = column->folded, .level = column->folded};
        closed.collapsed = i && !column->folded && column[-1].folded;
        keep(pen->book, worksheet_set_column_opt(pen->sheet, at, at, column_width(pen->table, i),
                                                 NULL, &closed));
        if (!spans_columns(pen->table))
            write_text(pen, i, column->title,
                       column->number ? styles->header_number : styles->header);
        else if (i == 0)
            write_text(pen, i, column->title, styles->title);
    }
    end_row(pen);
    bool wide = pen->table->column_count > WIDE_COLUMNS;
    if (pen->table->freeze)
        worksheet_freeze_panes(pen->sheet, 1, wide);
    if (wide)
        worksheet_set_zoom(pen->sheet, 85);
    // On paper: across, as wide as one page, the heads on each.
    worksheet_set_landscape(pen->sheet);
    worksheet_fit_to_pages(pen->sheet, 1, 0);
    keep(pen->book, worksheet_repeat_rows(pen->sheet, 0, 0));
    pen->row = 1;
}

static bool open_sheet(SheetPen *pen, Error *err)
{
    Book *book = pen->book;
    Str name = xlsx_sheet_name(pen->table->name, book->names, book->count, book->arena);
    *ARRAY_ADD(book->arena, book->names, book->count, book->capacity) = name;
    const char *text = str_cstr(book->arena, name);
    pen->sheet = workbook_add_worksheet(book->book, text);
    if (!pen->sheet || !pen->sheet->optimize_tmpfile)
        return error_set(err, ERR_OUTPUT, NOWHERE, tr("the sheet '%s' could not be made"), text);
    if (!pen->sheet->quoted_name)
        keep(book, LXW_ERROR_MEMORY_MALLOC_FAILED);
    pen->words = ARENA_ARRAY(book->arena, StatusWords, pen->table->column_count);
    pen->texts = ARENA_ARRAY(book->arena, ColumnTexts, pen->table->column_count);
    write_header(pen);
    return is_sound(book, err);
}

static SheetRows *add_rows(Book *book, Str member, Str end, Error *err)
{
    SheetRows *rows = ARENA_NEW(book->arena, SheetRows);
    *rows = (SheetRows){member, end, lxw_tmpfile(book->tmpdir), 0, book->rows};
    if (rows->file)
        return book->rows = rows;
    temporary_failed(book, err);
    return NULL;
}

static bool start_rows(SheetPen *pen, Error *err)
{
    Book *book = pen->book;
    Str member =
        str_printf(book->arena, "xl/worksheets/sheet%u.xml", (unsigned)book->book->num_worksheets);
    if (!book->shared) {
        book->texts = names_new(book->arena);
        book->shared = add_rows(book, STR("xl/sharedStrings.xml"), STR("</sst>"), err);
    }
    pen->rows = book->shared ? add_rows(book, member, STR("</sheetData>"), err) : NULL;
    return pen->rows != NULL;
}

static bool flush_rows(SheetPen *pen, Error *err)
{
    if (!pen->rows && !start_rows(pen, err))
        return false;
    pen->rows->size += fwrite(pen->text.data, 1, pen->text.size, pen->rows->file);
    pen->text.size = 0;
    return true;
}

// A full disk would cut a sheet silently: the library does not look at its temporary files.
static bool end_rows(SheetPen *pen, Error *err)
{
    FILE *file = pen->rows ? pen->rows->file : pen->sheet->optimize_tmpfile;
    if (pen->rows) {
        flush_rows(pen, err);
        pen->rows = NULL;
    } else {
        fwrite(pen->text.data, 1, pen->text.size, file);
        pen->text.size = 0;
    }
    return (fflush(file) == 0 && !ferror(file)) || temporary_failed(pen->book, err);
}

static bool close_sheet(SheetPen *pen, Str note, Error *err)
{
    const Table *table = pen->table;
    lxw_worksheet *sheet = pen->sheet;
    uint32_t last = pen->row - 1;
    if (table->freeze && table->column_count && last)
        keep(pen->book,
             worksheet_autofilter(sheet, 0, 0, last, (lxw_col_t)(table->column_count - 1)));
    for (size_t i = 0; i < table->column_count && last; i++) {
        colour_words(pen, (lxw_col_t)i, last);
        if (table->columns[i].bar) {
            lxw_conditional_format bar = {
                .type = LXW_CONDITIONAL_DATA_BAR,
                .bar_color = theme_rgb(pen->book->options->theme, ROLE_ERROR_TEDGE, false)};
            keep(pen->book, worksheet_conditional_format_range(sheet, 1, (lxw_col_t)i, last,
                                                               (lxw_col_t)i, &bar));
        }
    }
    if (last) {
        add_chart(pen, 1, tr("Chart"), last);
        add_chart(pen, 2, tr("Chart of differences"), last);
    }
    if (note.size && pen->row <= DATA_ROWS) {
        pen->row += pen->row < DATA_ROWS;
        last = pen->row;
        write_text(pen, 0, note, pen->book->styles.note);
        end_row(pen);
    }
    if (pen->columns) {
        sheet->dim_rowmin = 0;
        sheet->dim_rowmax = last;
        sheet->dim_colmin = 0;
        sheet->dim_colmax = (lxw_col_t)(pen->columns - 1);
    }
    return end_rows(pen, err);
}

static bool write_row(SheetPen *pen, Cell *cells, Error *err)
{
    enum { ROWS_AN_ARENA = 1024, CHUNK = 1 << 16 };
    for (size_t i = 0; i < pen->table->column_count; i++) {
        if (cells[i].kind == CELL_EMPTY && cells[i].style == STYLE_PLAIN)
            continue;  // ranks of other stages leave most of a row empty
        write_cell(pen, i, &cells[i]);
        cells[i] = (Cell){.kind = CELL_EMPTY};
    }
    end_row(pen);
    pen->row++;
    if (pen->row % ROWS_AN_ARENA == 0) {
        arena_release(pen->scratch);
        pen->scratch = arena_new();
    }
    return pen->text.size <= CHUNK || flush_rows(pen, err);
}

static bool write_rows(SheetPen *pen, Table *table, Error *err)
{
    Cell *cells = ARENA_ARRAY(pen->book->arena, Cell, table->column_count);
    table->rewind(table->state);
    while (table->next(table->state, cells)) {
        if (pen->row > DATA_ROWS && !(close_sheet(pen, (Str){0}, err) && open_sheet(pen, err)))
            return false;
        if (!write_row(pen, cells, err))
            return false;
    }
    return close_sheet(pen, table->note, err) && is_sound(pen->book, err);
}

static bool write_table(Book *book, Table *table, Error *err)
{
    if (table->column_count > MAX_COLUMNS)
        return error_set(err, ERR_OUTPUT, NOWHERE,
                         tr("a sheet has at most %d columns, this table has %zu"), MAX_COLUMNS,
                         table->column_count);
    SheetPen pen = {.book = book, .table = table, .scratch = arena_new()};
    pen.text = strbuf_new(book->arena);
    bool good = open_sheet(&pen, err) && write_rows(&pen, table, err);
    arena_release(pen.scratch);
    return good;
}

static bool is_huge(Table *const *tables, size_t count)
{
    uint64_t cells = 0;
    for (size_t i = 0; i < count; i++) {
        if (tables[i]->row_count == UINT64_MAX)
            return true;
        cells += tables[i]->row_count * tables[i]->column_count;
    }
    return cells > ZIP64_CELLS;
}

static bool close_book(Book *book, const char *path, bool good, Error *err)
{
    // Closing a book that does not have a sheet reads what is not there.
    if (!good) {
        lxw_workbook_free(book->book);
        return false;
    }
    lxw_sst *sst = book->book->sst;
    sst->unique_count = book->texts ? (uint32_t)names_count(book->texts) : 0;
    errno = 0;
    lxw_error status = workbook_close(book->book);
    if (status == LXW_NO_ERROR && errno == ENOMEM)
        status = LXW_ERROR_MEMORY_MALLOC_FAILED;
    if (status != LXW_NO_ERROR)
        return error_set(err, ERR_OUTPUT, WHERE_FILE(path), tr("cannot write the workbook: %s"),
                         errno ? strerror(errno) : lxw_strerror(status));
    return true;
}

// Puts the rows into the book that the library wrote to `path`, which may be the output's own file.
static bool deliver(Book *book, const char *path, bool own, Sink *out, Error *err)
{
    File file;
    if (own && !book->rows)
        return true;
    if (!file_open(path, &file, err))
        return false;
    // Not long: without the rows of any sheet of some length.
    Str text = str_copy(book->arena, file.text);
    file_close(&file);
    if (own && truncate(path, 0) != 0)
        return error_set(err, ERR_OUTPUT, WHERE_FILE(path), tr("cannot write the workbook: %s"),
                         strerror(errno));
    if (!book->rows)
        sink_str(out, text);
    else if (!xlsx_splice(text, book->rows, out))
        return error_set(err, ERR_OUTPUT, WHERE_FILE(path), tr("cannot write the workbook: %s"),
                         lxw_strerror(LXW_ERROR_ZIP_INTERNAL_ERROR));
    return true;
}

static void free_rows(Book *book)
{
    for (SheetRows *rows = book->rows; rows; rows = rows->next)
        fclose(rows->file);
}

static bool fill_book(Book *book, Table *const *tables, size_t count, const char *path, Error *err)
{
    // The C library has no words for later years.
    int64_t created = book->options->created;
    bool known = created > 0 && created <= LAST_DATE;
    lxw_doc_properties properties = {.created = known ? (time_t)created : fixed_date};
    keep(book, workbook_set_properties(book->book, &properties));
    if (!xlsx_styles(book->book, book->options->theme, &book->styles))
        keep(book, LXW_ERROR_MEMORY_MALLOC_FAILED);
    bool good = is_sound(book, err);
    for (size_t i = 0; good && i < count; i++)
        good = write_table(book, tables[i], err);
    return close_book(book, path, good, err);
}

static bool write_book(Table *const *tables, size_t count, const RenderOptions *options,
                       const char *path, Sink *out, Error *err)
{
    Book book = {.options = options, .arena = arena_new()};
    book.tmpdir = str_cstr(book.arena, path_folder(str_of(path)));
    lxw_workbook_options library = {
        .constant_memory = LXW_TRUE, .tmpdir = book.tmpdir, .use_zip64 = is_huge(tables, count)};
    bool own = sink_path(out) == path;
    errno = 0;
    book.book = workbook_new_opt(path, &library);
    bool good = book.book ? fill_book(&book, tables, count, path, err)
                          : error_set(err, ERR_OUTPUT, WHERE_FILE(path), "%s",
                                      tr("cannot write the workbook here"));
    good = good && deliver(&book, path, own, out, err);
    free_rows(&book);
    arena_release(book.arena);
    return good;
}

// For standard output and memory: by way of a file in the folder for temporary files.
static bool write_through_file(Table *const *tables, size_t count, const RenderOptions *options,
                               Sink *out, Error *err)
{
    Arena *arena = arena_new();
    const char *folder = getenv("TMPDIR");
    char *path = path_join(arena, folder && *folder ? folder : "/tmp", STR("vernier.XXXXXX"));
    int handle = mkstemp(path);
    bool good = handle >= 0;
    if (good) {
        close(handle);
        good = write_book(tables, count, options, path, out, err);
        unlink(path);
    } else {
        error_set(err, ERR_OUTPUT, WHERE_FILE(path), tr("cannot write a temporary file here: %s"),
                  strerror(errno));
    }
    arena_release(arena);
    return good;
}

static bool write_tables(Table *const *tables, size_t count, const RenderOptions *options,
                         Sink *out, Error *err)
{
    const char *path = sink_path(out);
    return path ? write_book(tables, count, options, path, out, err)
                : write_through_file(tables, count, options, out, err);
}

const Renderer xlsx_renderer = {
    .name = "xlsx",
    .suffix = ".xlsx",
    .write_tables = write_tables,
};
