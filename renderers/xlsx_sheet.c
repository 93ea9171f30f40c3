// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx_sheet.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "renderers/cell_text.h"
#include "renderers/xlsx_styles.h"

enum { ROWS_MAX = 1048576, MAX_WIDTH = 80 };
#define SHEET_BYTES (UINT64_C(1) << 31)  // a sheet that grows beyond it goes on in another

// A text that a column had before, and what it is in the sheet: in most columns a few repeat.
typedef struct ColumnText {
    StrBuf text, markup;
    bool known;
} ColumnText;

struct XlsxSheet {
    const Table *table;
    ZipPack *pack;
    Arena *arena;
    StrBuf *starts;  // by column, what stands before the number of the row: <c r="AB
    ColumnText *texts;
    StrBuf line;
    uint32_t row;          // written last, from 1
    uint32_t filter_rows;  // without the note; 0: all
    char row_text[16];
    size_t row_digits;
    uint64_t bytes;
    Arena *scratch;
    size_t scratch_texts;
};

static size_t utf16_units(uint32_t c)
{
    return c >= 0x10000 ? 2 : 1;
}

Str xlsx_cut(Str text, size_t units, Arena *arena)
{
    size_t used = 0, fitting = 0;
    if (text.size <= units)
        return text;
    for (size_t at = 0; at < text.size;) {
        used += utf16_units(utf8_next(text, &at));
        if (used > units)
            return str_concat(arena, str_slice(text, 0, fitting), STR("…"));
        if (used < units)
            fitting = at;
    }
    return text;
}

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

// ---- markup

static inline void add(StrBuf *out, const char *text, size_t size)
{
    if (size <= out->capacity - out->size) {
        memcpy(out->data + out->size, text, size);
        out->size += size;
    } else {
        strbuf_add(out, (Str){text, size});
    }
}

#define ADD(out, literal) add((out), "" literal, sizeof(literal) - 1)

void xlsx_add_text(StrBuf *out, Str text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c != '&' && c != '<' && c != '>' && c != '"')
            continue;
        strbuf_add(out, str_slice(text, from, i));
        strbuf_add(out, c == '&'   ? STR("&amp;")
                        : c == '<' ? STR("&lt;")
                        : c == '>' ? STR("&gt;")
                                   : STR("&quot;"));
        from = i + 1;
    }
    strbuf_add(out, str_slice(text, from, text.size));
}

void xlsx_add_letters(StrBuf *out, size_t column)
{
    char letters[16];
    size_t at = sizeof letters;
    for (size_t rest = column + 1; rest; rest = (rest - 1) / 26)
        letters[--at] = (char)('A' + (rest - 1) % 26);
    strbuf_add(out, (Str){letters + at, sizeof letters - at});
}

// ---- cells

static void start_cell(XlsxSheet *sheet, size_t column, int format)
{
    StrBuf *out = &sheet->line;
    const StrBuf *start = &sheet->starts[column];
    add(out, start->data, start->size);
    add(out, sheet->row_text, sheet->row_digits);
    if (format) {
        char number[] = {(char)('0' + format / 10), (char)('0' + format % 10)};
        ADD(out, "\" s=\"");
        add(out, format < 10 ? number + 1 : number, format < 10 ? 1 : 2);
    }
    ADD(out, "\"");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static Arena *scratch_of(XlsxSheet *sheet)
{
    enum { TEXTS_AN_ARENA = 1024 };
    if (sheet->scratch_texts++ % TEXTS_AN_ARENA == 0) {
        arena_release(sheet->scratch);
        sheet->scratch = arena_new();
    }
    return sheet->scratch;
}

static Str text_markup(XlsxSheet *sheet, size_t column, Str text)
{
    ColumnText *kept = &sheet->texts[column];
    if (kept->known && str_equal(strbuf_str(&kept->text), text))
        return strbuf_str(&kept->markup);
    Arena *scratch = scratch_of(sheet);
    Str clean = keep_escapes(cell_clean(text, scratch), scratch);
    clean = xlsx_cut(clean, XLSX_TEXT_UNITS, scratch);
    kept->text.size = kept->markup.size = 0;
    strbuf_add(&kept->text, text);
    if (clean.size) {
        bool spaced = is_space(clean.data[0]) || is_space(clean.data[clean.size - 1]);
        strbuf_add(&kept->markup, spaced ? STR("<t xml:space=\"preserve\">") : STR("<t>"));
        xlsx_add_text(&kept->markup, clean);
    }
    kept->known = true;
    return strbuf_str(&kept->markup);
}

static void write_text(XlsxSheet *sheet, size_t column, Str text, int format)
{
    StrBuf *out = &sheet->line;
    Str markup = text_markup(sheet, column, text);
    if (!markup.size && !format)
        return;
    start_cell(sheet, column, format);
    if (!markup.size) {
        ADD(out, "/>");
        return;
    }
    ADD(out, " t=\"inlineStr\"><is>");
    add(out, markup.data, markup.size);
    ADD(out, "</t></is></c>");
}

static void write_value(XlsxSheet *sheet, size_t column, const Cell *cell)
{
    char digits[NUMBER_BYTES];
    StrBuf *out = &sheet->line;
    start_cell(sheet, column, (int)cell->style);
    if (cell->kind == CELL_BOOL) {
        ADD(out, " t=\"b\"><v>");
        add(out, cell->number > 0 ? "1" : "0", 1);
    } else {
        ADD(out, "><v>");
        add(out, digits, (size_t)number_json(cell->number, digits));
    }
    ADD(out, "</v></c>");
}

static void write_cell(XlsxSheet *sheet, size_t column, const Cell *cell)
{
    char buffer[NUMBER_BYTES];
    switch (cell->kind) {
    case CELL_EMPTY:
    case CELL_KIND_COUNT:
        write_text(sheet, column, (Str){"", 0}, (int)cell->style);
        break;
    case CELL_NUMBER:
        if (!isfinite(cell->number)) {
            write_text(sheet, column, cell_shown(cell, buffer), (int)cell->style);
            break;
        }
        write_value(sheet, column, cell);
        break;
    case CELL_BOOL:
        write_value(sheet, column, cell);
        break;
    case CELL_TEXT:
        write_text(sheet, column, cell->text, (int)cell->style);
        break;
    }
}

// ---- rows

static void flush_line(XlsxSheet *sheet)
{
    zip_pack_write(sheet->pack, strbuf_str(&sheet->line));
    sheet->bytes += sheet->line.size;
    sheet->line.size = 0;
}

static void start_row(XlsxSheet *sheet)
{
    sheet->row++;
    char digits[sizeof sheet->row_text];
    size_t at = sizeof digits;
    for (uint32_t rest = sheet->row; rest; rest /= 10)
        digits[--at] = (char)('0' + rest % 10);
    sheet->row_digits = sizeof digits - at;
    memcpy(sheet->row_text, digits + at, sheet->row_digits);
    ADD(&sheet->line, "<row r=\"");
    add(&sheet->line, sheet->row_text, sheet->row_digits);
    ADD(&sheet->line, "\">");
}

static void end_row(XlsxSheet *sheet)
{
    ADD(&sheet->line, "</row>");
    flush_line(sheet);
}

static double column_width(const Column *column)
{
    double width = column->width;
    if (!(width > 0)) {
        width = 3;  // room for the filter button
        for (size_t at = 0; at < column->title.size;)
            width += utf8_columns(utf8_next(column->title, &at));
    }
    return fmin(width, MAX_WIDTH);
}

// Characters of 7 pixels, and 5 beside them, in the format's 256ths of a character.
static void write_columns(XlsxSheet *sheet)
{
    const Table *table = sheet->table;
    char digits[NUMBER_BYTES];
    if (!table->column_count)
        return;
    strbuf_add(&sheet->line, STR("<cols>"));
    for (size_t i = 0; i < table->column_count; i++) {
        double width = floor((column_width(&table->columns[i]) * 7 + 5) / 7 * 256) / 256;
        number_json(width, digits);
        strbuf_printf(&sheet->line, "<col min=\"%zu\" max=\"%zu\" width=\"%s\" customWidth=\"1\"/>",
                      i + 1, i + 1, digits);
    }
    strbuf_add(&sheet->line, STR("</cols>"));
}

static void write_header(XlsxSheet *sheet)
{
    const Table *table = sheet->table;
    start_row(sheet);
    for (size_t i = 0; i < table->column_count; i++)
        write_text(sheet, i, table->columns[i].title,
                   table->columns[i].number ? XLSX_HEADER_NUMBER : XLSX_HEADER);
    end_row(sheet);
}

XlsxSheet *xlsx_sheet_begin(const Table *table, bool first, ZipPack *pack)
{
    Arena *arena = arena_new();
    XlsxSheet *sheet = ARENA_NEW(arena, XlsxSheet);
    size_t columns = table->column_count ? table->column_count : 1;  // of a note
    *sheet = (XlsxSheet){.table = table, .pack = pack, .arena = arena, .line = strbuf_new(arena)};
    sheet->starts = ARENA_ARRAY(arena, StrBuf, columns);
    sheet->texts = ARENA_ARRAY(arena, ColumnText, columns);
    for (size_t i = 0; i < columns; i++) {
        sheet->starts[i] = strbuf_new(arena);
        strbuf_add(&sheet->starts[i], STR("<c r=\""));
        xlsx_add_letters(&sheet->starts[i], i);
        sheet->texts[i] = (ColumnText){.text = strbuf_new(arena), .markup = strbuf_new(arena)};
    }
    strbuf_printf(&sheet->line,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
                  "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
                  "<sheetViews><sheetView%s workbookViewId=\"0\"%s",
                  first ? " tabSelected=\"1\"" : "",
                  table->freeze
                      ? "><pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" "
                        "state=\"frozen\"/><selection pane=\"bottomLeft\"/></sheetView>"
                      : "/>");
    strbuf_add(&sheet->line, STR("</sheetViews><sheetFormatPr defaultRowHeight=\"15\"/>"));
    write_columns(sheet);
    strbuf_add(&sheet->line, STR("<sheetData>"));
    write_header(sheet);
    return sheet;
}

bool xlsx_sheet_is_full(const XlsxSheet *sheet)
{
    return sheet->row == ROWS_MAX || sheet->bytes > SHEET_BYTES;
}

void xlsx_sheet_row(XlsxSheet *sheet, const Cell *cells)
{
    start_row(sheet);
    for (size_t i = 0; i < sheet->table->column_count; i++)
        write_cell(sheet, i, &cells[i]);
    end_row(sheet);
}

void xlsx_sheet_note(XlsxSheet *sheet, Str note)
{
    sheet->filter_rows = sheet->row;
    if (!note.size || sheet->row == ROWS_MAX)
        return;
    sheet->row += sheet->row + 1 < ROWS_MAX;  // an empty one between
    start_row(sheet);
    write_text(sheet, 0, note, XLSX_NOTE);
    end_row(sheet);
}

uint32_t xlsx_sheet_end(XlsxSheet *sheet)
{
    const Table *table = sheet->table;
    uint32_t rows = sheet->filter_rows ? sheet->filter_rows : sheet->row;
    bool filter = table->freeze && table->column_count && rows > 1;
    strbuf_add(&sheet->line, STR("</sheetData>"));
    if (filter) {
        strbuf_add(&sheet->line, STR("<autoFilter ref=\"A1:"));
        xlsx_add_letters(&sheet->line, table->column_count - 1);
        strbuf_printf(&sheet->line, "%u\"/>", rows);
    }
    strbuf_add(&sheet->line, STR("<pageMargins left=\"0.7\" right=\"0.7\" top=\"0.75\" "
                                 "bottom=\"0.75\" header=\"0.3\" footer=\"0.3\"/></worksheet>"));
    flush_line(sheet);
    arena_release(sheet->scratch);
    arena_release(sheet->arena);
    return filter ? rows : 0;
}
