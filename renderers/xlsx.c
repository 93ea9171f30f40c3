// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx.h"

#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/utf8.h"
#include "base/words.h"
#include "renderers/xlsx_sheet.h"
#include "renderers/xlsx_styles.h"
#include "renderers/zip_pack.h"

// ECMA-376-1: SpreadsheetML in the packages of part 2. Sheets come first, as they are made; what
// lists them follows.

#define DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define OFFICE      "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define PACKAGE     "http://schemas.openxmlformats.org/package/2006/"
#define SHEETS_MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define SHEETS_TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml."

enum { MAX_COLUMNS = 16384 };
static const time_t fixed_date = 315532800;  // 1980-01-01, the first day of zip
#define LAST_DATE INT64_C(253402300799)      // the last second of the year 9999

static bool is_taken(Str name, const Str *taken, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_nocase(name, taken[i]))
            return true;
    return str_equal_nocase(name, STR("History"));  // Excel keeps that name for itself
}

static Str without_apostrophes(Str name)
{
    while (name.size && name.data[0] == '\'')
        name = str_slice(name, 1, name.size);
    while (name.size && name.data[name.size - 1] == '\'')
        name.size--;
    return name;
}

Str xlsx_sheet_name(Str wanted, const Str *taken, size_t count, Arena *arena)
{
    Str name = str_copy(arena, utf8_display(wanted, arena));
    for (size_t i = 0; i < name.size; i++)
        if (strchr("[]:*?/\\", name.data[i]))
            ((char *)name.data)[i] = '_';  // the copy is ours
    name = without_apostrophes(name);
    if (!name.size)
        name = STR("Sheet");
    Str unique = xlsx_cut(name, XLSX_NAME_UNITS, arena);
    for (size_t number = 2; is_taken(unique, taken, count); number++) {
        Str tail = str_printf(arena, " (%zu)", number);
        unique = str_concat(arena, xlsx_cut(name, XLSX_NAME_UNITS - tail.size, arena), tail);
    }
    return unique;
}

// A sheet that is written.
typedef struct SheetEntry {
    Str name;
    uint32_t filter_rows;  // that its filter covers; 0: it has none
    size_t columns;
} SheetEntry;

typedef struct Book {
    ZipPack *pack;
    Arena *arena;
    struct {
        SheetEntry *items;
        size_t count, capacity;
    } sheets;
    Str *names;  // of the sheets so far
    size_t name_count, name_capacity;
} Book;

static void write_part(Book *book, const char *name, Str text)
{
    zip_pack_part(book->pack, name);
    zip_pack_write(book->pack, text);
}

// ---- tables

static XlsxSheet *open_sheet(Book *book, const Table *table)
{
    Str name = xlsx_sheet_name(table->name, book->names, book->name_count, book->arena);
    *ARRAY_ADD(book->arena, book->names, book->name_count, book->name_capacity) = name;
    SheetEntry *entry = ARRAY_PUSH(book->arena, &book->sheets);
    *entry = (SheetEntry){.name = name, .columns = table->column_count};
    Str part = str_printf(book->arena, "xl/worksheets/sheet%zu.xml", book->sheets.count);
    zip_pack_part(book->pack, part.data);
    return xlsx_sheet_begin(table, book->sheets.count == 1, book->pack);
}

static void close_sheet(Book *book, XlsxSheet *sheet)
{
    book->sheets.items[book->sheets.count - 1].filter_rows = xlsx_sheet_end(sheet);
}

static bool write_table(Book *book, Table *table, Error *err)
{
    if (table->column_count > MAX_COLUMNS)
        return error_set(err, ERR_OUTPUT, NOWHERE,
                         tr("a sheet has at most %d columns, this table has %zu"), MAX_COLUMNS,
                         table->column_count);
    Cell *cells = ARENA_ARRAY(book->arena, Cell, table->column_count);
    XlsxSheet *sheet = open_sheet(book, table);
    table->rewind(table->state);
    while (table->next(table->state, cells)) {
        if (xlsx_sheet_is_full(sheet)) {
            close_sheet(book, sheet);
            sheet = open_sheet(book, table);
        }
        xlsx_sheet_row(sheet, cells);
        memset(cells, 0, table->column_count * sizeof *cells);
    }
    xlsx_sheet_note(sheet, table->note);
    close_sheet(book, sheet);
    return true;
}

// ---- what lists them

static Str relations(const Book *book)
{
    StrBuf out = strbuf_new(book->arena);
    size_t count = book->sheets.count;
    strbuf_add(&out, STR(DECLARATION "<Relationships xmlns=\"" PACKAGE "relationships\">"));
    for (size_t i = 1; i <= count; i++)
        strbuf_printf(&out,
                      "<Relationship Id=\"rId%zu\" Type=\"" OFFICE "/worksheet\" "
                      "Target=\"worksheets/sheet%zu.xml\"/>",
                      i, i);
    strbuf_printf(&out,
                  "<Relationship Id=\"rId%zu\" Type=\"" OFFICE "/styles\" "
                  "Target=\"styles.xml\"/></Relationships>",
                  count + 1);
    return strbuf_str(&out);
}

static Str content_types(const Book *book)
{
    StrBuf out = strbuf_new(book->arena);
    strbuf_add(&out,
               STR(DECLARATION
                   "<Types xmlns=\"" PACKAGE "content-types\"><Default Extension=\"rels\" "
                   "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
                   "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
                   "<Override PartName=\"/docProps/core.xml\" ContentType=\""
                   "application/vnd.openxmlformats-package.core-properties+xml\"/>"
                   "<Override PartName=\"/xl/styles.xml\" ContentType=\"" SHEETS_TYPE
                   "styles+xml\"/><Override PartName=\"/xl/workbook.xml\" "
                   "ContentType=\"" SHEETS_TYPE "sheet.main+xml\"/>"));
    for (size_t i = 1; i <= book->sheets.count; i++)
        strbuf_printf(&out,
                      "<Override PartName=\"/xl/worksheets/sheet%zu.xml\" "
                      "ContentType=\"" SHEETS_TYPE "worksheet+xml\"/>",
                      i);
    strbuf_add(&out, STR("</Types>"));
    return strbuf_str(&out);
}

// Spreadsheet programs keep what a filter covers under a hidden name.
static void add_filters(const Book *book, StrBuf *out)
{
    bool any = false;
    for (size_t i = 0; i < book->sheets.count; i++) {
        const SheetEntry *sheet = &book->sheets.items[i];
        if (!sheet->filter_rows)
            continue;
        strbuf_add(out, any ? STR("") : STR("<definedNames>"));
        strbuf_printf(out,
                      "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"%zu\" "
                      "hidden=\"1\">'",
                      i);
        xlsx_add_text(out, str_replace(book->arena, sheet->name, STR("'"), STR("''")));
        strbuf_add(out, STR("'!$A$1:$"));
        xlsx_add_letters(out, sheet->columns - 1);
        strbuf_printf(out, "$%u</definedName>", sheet->filter_rows);
        any = true;
    }
    strbuf_add(out, any ? STR("</definedNames>") : STR(""));
}

static Str workbook(const Book *book)
{
    StrBuf out = strbuf_new(book->arena);
    strbuf_add(&out, STR(DECLARATION "<workbook xmlns=\"" SHEETS_MAIN "\" xmlns:r=\"" OFFICE "\">"
                                     "<bookViews><workbookView xWindow=\"240\" yWindow=\"15\" "
                                     "windowWidth=\"16095\" windowHeight=\"9660\"/></bookViews>"
                                     "<sheets>"));
    for (size_t i = 0; i < book->sheets.count; i++) {
        strbuf_add(&out, STR("<sheet name=\""));
        xlsx_add_text(&out, book->sheets.items[i].name);
        strbuf_printf(&out, "\" sheetId=\"%zu\" r:id=\"rId%zu\"/>", i + 1, i + 1);
    }
    strbuf_add(&out, STR("</sheets>"));
    add_filters(book, &out);
    strbuf_add(&out, STR("</workbook>"));
    return strbuf_str(&out);
}

// When it was made, in words of the format.
static Str properties(int64_t created, Arena *arena)
{
    // The C library has no words for later years.
    time_t date = created > 0 && created <= LAST_DATE ? (time_t)created : fixed_date;
    struct tm parts;
    char text[32] = "";
    if (gmtime_r(&date, &parts))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return str_printf(arena,
                      DECLARATION
                      "<cp:coreProperties xmlns:cp=\"" PACKAGE "metadata/core-properties\" "
                      "xmlns:dcterms=\"http://purl.org/dc/terms/\" "
                      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
                      "<dcterms:created xsi:type=\"dcterms:W3CDTF\">%s</dcterms:created>"
                      "<dcterms:modified xsi:type=\"dcterms:W3CDTF\">%s</dcterms:modified>"
                      "</cp:coreProperties>",
                      text, text);
}

static Str root_relations(void)
{
    return STR(DECLARATION "<Relationships xmlns=\"" PACKAGE "relationships\">"
                           "<Relationship Id=\"rId1\" Type=\"" OFFICE "/officeDocument\" "
                           "Target=\"xl/workbook.xml\"/><Relationship Id=\"rId2\" "
                           "Type=\"" PACKAGE "relationships/metadata/core-properties\" "
                           "Target=\"docProps/core.xml\"/></Relationships>");
}

static bool write_tables(Table *const *tables, size_t count, const RenderOptions *options,
                         Sink *out, Error *err)
{
    Book book = {.arena = arena_new()};
    book.pack = zip_pack_new(out, options->jobs, book.arena);
    write_part(&book, "_rels/.rels", root_relations());
    write_part(&book, "docProps/core.xml", properties(options->created, book.arena));
    write_part(&book, "xl/styles.xml", xlsx_styles(options->theme, book.arena));
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = write_table(&book, tables[i], err);
    write_part(&book, "xl/_rels/workbook.xml.rels", relations(&book));
    write_part(&book, "xl/workbook.xml", workbook(&book));
    write_part(&book, "[Content_Types].xml", content_types(&book));
    Error late;
    bool ended = zip_pack_end(book.pack, &late);
    if (good && !ended)
        *err = late;
    arena_release(book.arena);
    return good && ended;
}

const Renderer xlsx_renderer = {
    .name = "xlsx",
    .suffix = ".xlsx",
    .help = TR("rows as a workbook with coloured cells"),
    .write_tables = write_tables,
};
