// SPDX-License-Identifier: Apache-2.0
#include "commands/merge/part_book.h"

#include <string.h>

#include "base/words.h"
#include "read/table/xlsx_part.h"

// What a part of the container may hold.
typedef struct PartKind {
    const char *name;      // of the part; of sheets what stands before their number
    const char *elements;  // with blanks; NULL: any, the part means nothing but looks
} PartKind;

static const char of_types[] = "Types Default Override";
static const char of_relations[] = "Relationships Relationship";
static const char of_workbook[] =
    "workbook fileVersion workbookPr bookViews workbookView sheets sheet definedNames "
    "definedName calcPr";
static const char of_sheet[] =
    "worksheet sheetPr tabColor dimension sheetViews sheetView pane selection sheetFormatPr "
    "cols col sheetData row c v is r rPr t autoFilter pageMargins pageSetup pageSetUpPr "
    "conditionalFormatting cfRule dataBar cfvo color hyperlinks hyperlink formula "
    "mergeCells mergeCell";
static const char of_texts[] = "sst si t";

static const PartKind kinds[] = {
    {"[Content_Types].xml", of_types},
    {"_rels/.rels", of_relations},
    {"xl/_rels/workbook.xml.rels", of_relations},
    {"xl/workbook.xml", of_workbook},
    {"xl/worksheets/sheet", of_sheet},
    {"xl/worksheets/_rels/sheet", of_relations},
    {"xl/sharedStrings.xml", of_texts},
    {"xl/theme/theme1.xml", NULL},
    {"xl/styles.xml", NULL},
    {"docProps/core.xml", NULL},
    {"docProps/app.xml", NULL},
};

// "xl/worksheets/sheet3.xml", "xl/worksheets/_rels/sheet3.xml.rels".
static bool is_sheet(Str name, Str before, Str after)
{
    uint64_t number;
    return name.size > before.size + after.size && str_starts(name, before) &&
           str_ends(name, after) &&
           str_to_uint64(str_slice(name, before.size, name.size - after.size), &number);
}

static const PartKind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i].name) == 0 ||
            is_sheet(str_of(name), str_of(kinds[i].name),
                     kinds[i].elements == of_sheet ? STR(".xml") : STR(".xml.rels")))
            return &kinds[i];
    return NULL;
}

static bool is_listed(const PartKind *kind, Str name)
{
    Str rest = str_of(kind->elements ? kind->elements : ""), word;
    bool listed = !kind->elements;
    while (!listed && str_split(&rest, ' ', &word))
        listed = str_equal(name, word);
    return listed;
}

static bool is_inside(const char *target)
{
    Str text = str_of(target);
    return target && text.size && text.data[0] != '/' && str_find_char(text, ':', 0) == SIZE_MAX &&
           str_find(text, STR(".."), 0) == SIZE_MAX;
}

// The type of a part that holds no program; those with programs are of Microsoft's own tree.
static bool is_plain_type(const char *type)
{
    Str text = str_of(type);
    return str_equal(text, STR("application/xml")) ||
           str_starts(text, STR("application/vnd.openxmlformats-"));
}

static bool is_plain_name(Str name)
{
    return str_equal(name, STR("_xlnm._FilterDatabase")) ||
           str_equal(name, STR("_xlnm.Print_Titles"));
}

typedef struct PartCheck {
    const PartKind *kind;
    bool in_formula;
    size_t quotes, letters;  // of the formula so far
    char last;
} PartCheck;

// Links to files next to the workbook.
static bool is_of_sheet(const XlsxPart *part)
{
    return str_starts(str_of(((const PartCheck *)part->context)->kind->name),
                      STR("xl/worksheets/_rels/"));
}

static void on_start(XlsxPart *part, Str name, const char **attributes)
{
    PartCheck *check = part->context;
    bool good = is_listed(check->kind, name) && !check->in_formula;
    if (str_equal(name, STR("formula")))
        *check = (PartCheck){.kind = check->kind, .in_formula = true};
    if (good && str_equal(name, STR("Relationship")))
        good = is_inside(xlsx_attribute(attributes, "Target")) &&
               (!xlsx_attribute(attributes, "TargetMode") || is_of_sheet(part));
    if (good && (str_equal(name, STR("Default")) || str_equal(name, STR("Override"))))
        good = is_plain_type(xlsx_attribute(attributes, "ContentType"));
    // Names may stand for macros that run when the book is opened.
    if (good && str_equal(name, STR("definedName")))
        good = is_plain_name(str_of(xlsx_attribute(attributes, "name")));
    if (!good)
        xlsx_part_refuse(part, "");
}

// A condition compares a cell with a text; what is more than one text in quotes may compute.
static void on_end(XlsxPart *part, Str name)
{
    PartCheck *check = part->context;
    if (!str_equal(name, STR("formula")))
        return;
    check->in_formula = false;
    if (check->quotes != 2 || check->last != '"')
        xlsx_part_refuse(part, "");
}

static void on_text(XlsxPart *part, Str text)
{
    PartCheck *check = part->context;
    for (size_t i = 0; i < text.size && check->in_formula; i++) {
        check->last = text.data[i];
        check->quotes += check->last == '"';
        if (check->letters++ == 0 && check->last != '"')
            xlsx_part_refuse(part, "");
    }
}

static bool part_is_good(zip_t *archive, const char *name, uint64_t *left)
{
    static const XlsxHandlers handlers = {on_start, on_end, on_text};
    PartCheck check = {.kind = kind_of(name)};
    XlsxPart part;
    Error err;
    if (!check.kind || !xlsx_part_open(archive, "", name, &handlers, &check, &part, &err))
        return false;
    part.limit = part.limit < *left ? part.limit : *left;
    xlsx_part_read(&part);
    *left -= part.fed < *left ? part.fed : *left;
    xlsx_part_close(&part);
    return !part.failed;
}

static bool archive_is_good(zip_t *archive, uint64_t left)
{
    zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip_get_name(archive, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        // Of two parts with one name the reader of this check might see the other.
        if (!name || zip_name_locate(archive, name, 0) != i || !part_is_good(archive, name, &left))
            return false;
    }
    return count > 0;
}

const char *part_book_refusal(Str bytes)
{
    const uint64_t least = 64 << 20, ratio = 400;
    zip_error_t why;
    zip_error_init(&why);
    zip_source_t *source = zip_source_buffer_create(bytes.data, bytes.size, 0, &why);
    zip_t *archive = source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &why) : NULL;
    bool good = archive &&
                archive_is_good(archive, bytes.size > least / ratio ? bytes.size * ratio : least);
    if (archive)
        zip_discard(archive);
    else if (source)
        zip_source_free(source);
    zip_error_fini(&why);
    return good ? NULL
                : tr("this workbook has something that vernier's workbooks never have, such as a "
                     "formula or a link; it is left out");
}
