// SPDX-License-Identifier: Apache-2.0
#include "read/table/xlsx_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "read/table/xlsx_part.h"

#define BOOK_BYTES_MAX (UINT64_C(8) << 30)

// CELLS_MAX: of one sheet; places before a cell that is far to the right count too. Those are made
// by few bytes and cost as much as others: they may be so many, and so many more for each byte.
enum {
    GAPS_MAX = 1 << 22,
    GAPS_OF_BYTE = 8,
    SHEETS_MAX = 10000,
    TEXTS_BYTES_MAX = 512 << 20,
    ROW_BYTES_MAX = 16 << 20,
    CELLS_MAX = 1 << 28
};

typedef struct Sheet {
    const char *part;  // NULL: not found, or no table
} Sheet;

typedef struct Cell {
    size_t start, size;  // in the texts of the row
    Str shared;          // or this
} Cell;

typedef enum CellType { CELL_NUMBER, CELL_SHARED, CELL_TRUTH, CELL_TEXT } CellType;

struct Xlsx {
    const char *path;
    Arena *arena;
    Error *err;
    zip_t *archive;
    struct Sheets {
        Sheet *items;
        size_t count, capacity;
    } sheets;
    Names *relations;  // of the sheets: number i is that of sheet i - 1
    Names *parts;      // of the sheets
    const char *shared_part;
    struct Texts {
        Str *items;
        size_t count, capacity;
    } shared;
    size_t shared_bytes;
    uint64_t gap_count;  // cells that are left out before one to the right, over all sheets
    uint64_t unpacked;   // bytes of the parts that were read
    uint64_t limit;      // of one part
    // The sheet that is read.
    XlsxPart part;
    bool open;
    StrBuf texts;  // of the cells of the row; of the shared text that is read
    Cell *cells;
    Str *row;  // what xlsx_next gives
    size_t count, column, cell_count;
    CellType type;
    bool in_cell, in_value, in_phonetic;
};

bool xlsx_is(Str bytes)
{
    return str_starts(bytes, STR("PK\x03\x04"));
}

static void ignore_end(XlsxPart *part, Str name)
{
    (void)part;
    (void)name;
}

static void ignore_text(XlsxPart *part, Str text)
{
    (void)part;
    (void)text;
}

// What deflate can do beyond this is no table: repeated rows reach some 100 times.
static uint64_t limit_of(uint64_t bytes)
{
    const uint64_t least = 64 << 20, ratio = 400;
    return bytes > least / ratio ? bytes * ratio : least;
}

static void close_part(Xlsx *book, XlsxPart *part)
{
    book->unpacked += part->fed;
    xlsx_part_close(part);
}

// Reads a part that never pauses.
static bool read_part(Xlsx *book, const char *name, const XlsxHandlers *handlers)
{
    XlsxPart part;
    if (!xlsx_part_open(book->archive, book->path, name, handlers, book, &part, book->err))
        return false;
    part.limit = part.limit < book->limit ? part.limit : book->limit;
    xlsx_part_read(&part);
    close_part(book, &part);
    return !part.failed;
}

// ---- xl/workbook.xml: the sheets; its relations: their parts

static Str attribute(const Xlsx *book, const char **attributes, const char *name)
{
    const char *value = xlsx_attribute(attributes, name);
    return value ? str_copy(book->arena, str_of(value)) : (Str){"", 0};
}

static void start_in_workbook(XlsxPart *part, Str name, const char **attributes)
{
    Xlsx *book = part->context;
    if (!str_equal(name, STR("sheet")))
        return;
    if (book->sheets.count == SHEETS_MAX) {
        xlsx_part_refuse(part, tr("more than 10,000 sheets"));
        return;
    }
    Str relation = attribute(book, attributes, "id");
    size_t before = names_count(book->relations);
    if (relation.size == 0)
        return;
    names_add(book->relations, relation);
    if (names_count(book->relations) == before)
        xlsx_part_refuse(part, tr("two sheets in one part"));
    else
        *ARRAY_PUSH(book->arena, &book->sheets) = (Sheet){NULL};
}

// Targets are relative to the folder of the workbook part, or from the root of the container.
static const char *part_of_target(const Xlsx *book, Str target)
{
    if (str_starts(target, STR("/")))
        return str_cstr(book->arena, str_slice(target, 1, target.size));
    return str_cstr(book->arena, str_concat(book->arena, STR("xl/"), target));
}

static void start_in_relations(XlsxPart *part, Str name, const char **attributes)
{
    Xlsx *book = part->context;
    if (!str_equal(name, STR("Relationship")))
        return;
    Str id = attribute(book, attributes, "Id"), type = attribute(book, attributes, "Type");
    const char *target = part_of_target(book, attribute(book, attributes, "Target"));
    if (str_ends(type, STR("/sharedStrings")))
        book->shared_part = target;
    if (!str_ends(type, STR("/worksheet")))
        return;
    NameId number = names_find(book->relations, id);
    if (number == NAME_NONE)
        return;
    size_t before = names_count(book->parts);
    names_add(book->parts, str_of(target));
    if (names_count(book->parts) == before)
        xlsx_part_refuse(part, tr("two sheets in one part"));
    book->sheets.items[number - 1].part = target;
}

static void drop_charts(Xlsx *book)
{
    size_t kept = 0;
    for (size_t i = 0; i < book->sheets.count; i++)
        if (book->sheets.items[i].part)
            book->sheets.items[kept++] = book->sheets.items[i];
    book->sheets.count = kept;
}

// ---- texts: <si> or <is> with <t>, or with runs <r><t>; <rPh> tells how it is pronounced

static void start_of_text(Xlsx *book, Str name)
{
    if (str_equal(name, STR("rPh")))
        book->in_phonetic = true;
    else if (str_equal(name, STR("t")))
        book->in_value = !book->in_phonetic;
}

static void end_of_text(Xlsx *book, Str name)
{
    if (str_equal(name, STR("rPh")))
        book->in_phonetic = false;
    else if (str_equal(name, STR("t")))
        book->in_value = false;
}

static void start_in_shared(XlsxPart *part, Str name, const char **attributes)
{
    (void)attributes;
    start_of_text(part->context, name);
}

static void end_in_shared(XlsxPart *part, Str name)
{
    Xlsx *book = part->context;
    end_of_text(book, name);
    if (!str_equal(name, STR("si")))
        return;
    book->shared_bytes += book->texts.size + sizeof(Str);
    if (book->shared_bytes > TEXTS_BYTES_MAX) {
        xlsx_part_refuse(part, tr("more than 512 MiB of texts"));
        return;
    }
    *ARRAY_PUSH(book->arena, &book->shared) = str_copy(book->arena, strbuf_str(&book->texts));
    book->texts.size = 0;
}

static void add_text(XlsxPart *part, Str text, size_t start)
{
    Xlsx *book = part->context;
    if (!book->in_value)
        return;
    if (book->texts.size - start + text.size > XLSX_CELL_BYTES_MAX)
        xlsx_part_refuse(part, tr("a cell with more than 1 MiB"));
    else if (book->texts.size + text.size > ROW_BYTES_MAX)
        xlsx_part_refuse(part, tr("a row with more than 16 MiB"));
    else
        strbuf_add(&book->texts, text);
}

static void text_in_shared(XlsxPart *part, Str text)
{
    add_text(part, text, 0);
}

// ---- a sheet: <row><c r="B7" t="s"><v>12</v></c>…</row>

// The column of "B7" is 1; `next` where there is none.
static bool column_of(const char *place, size_t next, size_t *out)
{
    size_t column = 0, at = 0;
    for (; place && place[at] >= 'A' && place[at] <= 'Z'; at++) {
        column = column * 26 + (size_t)(place[at] - 'A') + 1;
        if (column > XLSX_CELLS_MAX)
            return false;
    }
    *out = at ? column - 1 : next;
    return *out < XLSX_CELLS_MAX;
}

static CellType type_of(const char *type)
{
    if (!type || strcmp(type, "n") == 0)
        return CELL_NUMBER;
    if (strcmp(type, "s") == 0)
        return CELL_SHARED;
    return strcmp(type, "b") == 0 ? CELL_TRUTH : CELL_TEXT;
}

static void start_cell(XlsxPart *part, const char **attributes)
{
    Xlsx *book = part->context;
    size_t column;
    if (!column_of(xlsx_attribute(attributes, "r"), book->column, &column)) {
        xlsx_part_refuse(part, tr("more than 16,384 columns"));
        return;
    }
    // Cells are in order; one that goes back would hide what is after it.
    if (column < book->count) {
        xlsx_part_refuse(part, tr("two cells in one place"));
        return;
    }
    book->cell_count += column + 1 - book->count;
    book->gap_count += column - book->count;
    if (book->gap_count > GAPS_MAX + GAPS_OF_BYTE * (book->unpacked + part->fed)) {
        xlsx_part_refuse(part, tr("far more empty cells than its bytes can stand for"));
        return;
    }
    if (book->cell_count > CELLS_MAX) {
        xlsx_part_refuse(part, tr("more than 268 million cells"));
        return;
    }
    while (book->count <= column)
        book->cells[book->count++] = (Cell){.start = book->texts.size};
    book->column = column + 1;
    book->type = type_of(xlsx_attribute(attributes, "t"));
    book->in_cell = true;
}

static void start_in_sheet(XlsxPart *part, Str name, const char **attributes)
{
    Xlsx *book = part->context;
    if (book->in_cell && str_equal(name, STR("row"))) {
        xlsx_part_refuse(part, tr("a row inside a cell"));
    } else if (str_equal(name, STR("row"))) {
        book->count = book->column = 0;
        book->texts.size = 0;
    } else if (str_equal(name, STR("c"))) {
        start_cell(part, attributes);
    } else if (book->in_cell && str_equal(name, STR("v"))) {
        book->in_value = true;
    } else if (book->in_cell) {
        start_of_text(book, name);
    }
}

static void use_shared(XlsxPart *part, Cell *cell, Str digits)
{
    Xlsx *book = part->context;
    uint64_t index;
    if (digits.size == 0)
        return;
    if (!str_to_uint64(str_trim(digits), &index) || index >= book->shared.count) {
        xlsx_part_refuse(part, tr("a shared text that is not there"));
        return;
    }
    cell->shared = book->shared.items[index];
}

static void end_cell(XlsxPart *part)
{
    Xlsx *book = part->context;
    Cell *cell = &book->cells[book->count - 1];
    cell->size = book->texts.size - cell->start;
    Str text = str_slice(strbuf_str(&book->texts), cell->start, book->texts.size);
    book->in_cell = false;
    if (book->type == CELL_SHARED)
        use_shared(part, cell, text);
    else if (book->type == CELL_TRUTH && text.size)
        cell->shared = str_equal(text, STR("1")) ? STR("True") : STR("False");
}

static void end_in_sheet(XlsxPart *part, Str name)
{
    Xlsx *book = part->context;
    if (str_equal(name, STR("v")))
        book->in_value = false;
    else if (str_equal(name, STR("c")) && book->in_cell)
        end_cell(part);
    else if (str_equal(name, STR("row")))
        xlsx_part_pause(part);
    else
        end_of_text(book, name);
}

static void text_in_sheet(XlsxPart *part, Str text)
{
    Xlsx *book = part->context;
    if (book->in_cell)
        add_text(part, text, book->cells[book->count - 1].start);
}

bool xlsx_sheet_start(Xlsx *book, size_t sheet, Error *err)
{
    static const XlsxHandlers handlers = {start_in_sheet, end_in_sheet, text_in_sheet};
    if (book->open)
        close_part(book, &book->part);
    book->open = false;
    if (book->unpacked > BOOK_BYTES_MAX)
        return error_set(err, ERR_INPUT, WHERE_FILE(book->path),
                         tr("the workbook is not readable: %s"), tr("more than 8 GiB"));
    book->in_cell = book->in_value = book->in_phonetic = false;
    book->count = book->column = book->cell_count = 0;
    book->open = xlsx_part_open(book->archive, book->path, book->sheets.items[sheet].part,
                                &handlers, book, &book->part, err);
    if (book->open && book->limit < book->part.limit)
        book->part.limit = book->limit;
    return book->open;
}

bool xlsx_next(Xlsx *book, XlsxRow *out)
{
    if (!book->open || !xlsx_part_read(&book->part))
        return false;
    Str texts = strbuf_str(&book->texts);
    for (size_t i = 0; i < book->count; i++) {
        const Cell *cell = &book->cells[i];
        book->row[i] = cell->shared.size ? cell->shared
                                         : str_slice(texts, cell->start, cell->start + cell->size);
    }
    *out = (XlsxRow){book->row, book->count};
    return true;
}

bool xlsx_failed(const Xlsx *book)
{
    return book->open && book->part.failed;
}

// ---- the container

static zip_t *open_archive(const char *path, Str bytes, Error *err)
{
    zip_error_t why;
    zip_error_init(&why);
    zip_source_t *source = zip_source_buffer_create(bytes.data, bytes.size, 0, &why);
    zip_t *archive = source ? zip_open_from_source(source, ZIP_RDONLY, &why) : NULL;
    if (!archive) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("the workbook is not readable: %s"),
                  zip_error_strerror(&why));
        zip_source_free(source);
    }
    zip_error_fini(&why);
    return archive;
}

static bool read_book(Xlsx *book)
{
    static const XlsxHandlers sheets = {start_in_workbook, ignore_end, ignore_text};
    static const XlsxHandlers relations = {start_in_relations, ignore_end, ignore_text};
    static const XlsxHandlers shared = {start_in_shared, end_in_shared, text_in_shared};
    if (!read_part(book, "xl/workbook.xml", &sheets) ||
        !read_part(book, "xl/_rels/workbook.xml.rels", &relations))
        return false;
    drop_charts(book);
    return !book->shared_part || read_part(book, book->shared_part, &shared);
}

Xlsx *xlsx_open(const char *path, Str bytes, Arena *arena, Error *err)
{
    Xlsx *book = ARENA_NEW(arena, Xlsx);
    book->path = path;
    book->arena = arena;
    book->err = err;
    book->limit = limit_of(bytes.size);
    book->archive = open_archive(path, bytes, err);
    if (!book->archive)
        return NULL;
    book->cells = ARENA_ARRAY(arena, Cell, XLSX_CELLS_MAX);
    book->row = ARENA_ARRAY(arena, Str, XLSX_CELLS_MAX);
    book->relations = names_new(arena);
    book->parts = names_new(arena);
    book->texts = strbuf_new(arena);
    if (read_book(book))
        return book;
    xlsx_close(book);
    return NULL;
}

void xlsx_close(Xlsx *book)
{
    if (book->open)
        close_part(book, &book->part);
    book->open = false;
    zip_discard(book->archive);
}

size_t xlsx_sheet_count(const Xlsx *book)
{
    return book->sheets.count;
}
