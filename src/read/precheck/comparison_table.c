// SPDX-License-Identifier: Apache-2.0
// Tables of other comparators, by the columns that each tool writes.
#include <limits.h>
#include <math.h>

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"
#include "read/precheck/comparison_figure.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"
#include "read/table/row_table.h"

// Columns of one tool's table. `name` and `status` are what tells it; the others may be missing.
typedef struct Form {
    const char *tool;                                             // TR
    const char *name, *part, *status, *message, *value, *figure;  // figure: TR, of `value`
    const char *wide;  // whose cell may hold commas without quotes
    double least;      // of `value` where there is no status; NaN: any gap is a warning
} Form;

static const Form forms[] = {
    {TR("msProbe's compare"), "NPU Name", NULL, "Result", "Err_message", "MaxRelativeErr",
     TR("largest relative error"), NULL, 0},
    {TR("msProbe's compare"), "NPU Name", NULL, "Result", "Err_message", "Cosine",
     TR("cosine similarity"), NULL, 0},
    {TR("msProbe's compare"), "NPU Name", NULL, "Accuracy Reached or Not", "Err_message", "Cosine",
     TR("cosine similarity"), NULL, 0},
    {TR("msProbe's compare"), "NPU Name", NULL, "Result", "Err_message", "NPU MD5", NULL, NULL, 0},
    {TR("msProbe's PrecisionChecker"), "module_name", "check_type", "status", "note",
     "max_abs_diff", TR("largest absolute error"), NULL, 0},
    {TR("msaccucmp"), "NPUDump", NULL, "IsPrecisionError", "CompareFailReason", "CosineSimilarity",
     TR("cosine similarity"), "GroundTruth", 0},
    {TR("msaccucmp"), "NPUDump", NULL, NULL, "CompareFailReason", "CosineSimilarity",
     TR("cosine similarity"), "GroundTruth", 0.99},
    {TR("msaccucmp"), "LeftOp", NULL, NULL, "CompareFailReason", "CosineSimilarity",
     TR("cosine similarity"), NULL, 0.99},
    {TR("ExecuTorch's numeric gap"), "runtime_ops", NULL, NULL, "stacktraces", "gap", TR("gap"),
     NULL, (double)NAN},
};
enum { FORMS = sizeof forms / sizeof *forms };

// Columns of a table that a script wrote, -1: none.
typedef struct Columns {
    int name, status, figures[FIGURE_KINDS];
} Columns;

typedef struct Table {
    RowTable rows;
    const Form *form;  // NULL: own columns
    Columns own;
    int wide;  // column, -1: none
    Precheck *out;
    Arena *arena;
} Table;

static bool has(const RowTable *rows, const char *name)
{
    return !name || row_table_column(rows, name) >= 0;
}

static const Form *form_of(const RowTable *rows)
{
    for (size_t i = 0; i < FORMS; i++)
        if (has(rows, forms[i].name) && has(rows, forms[i].part) && has(rows, forms[i].status) &&
            has(rows, forms[i].value))
            return &forms[i];
    return NULL;
}

static bool columns_of(const RowTable *rows, Columns *out)
{
    bool found = false;
    int best = INT_MAX;
    *out = (Columns){-1, -1, {-1, -1, -1, -1}};
    for (size_t i = 0; i < rows->name_count; i++) {
        size_t size;
        int kind = figure_named(rows->names[i], 0, &size), rank = figure_name_rank(rows->names[i]);
        if (rank >= 0 && rank < best) {
            best = rank;
            out->name = (int)i;
        } else if (out->status < 0 && figure_is_status(rows->names[i])) {
            out->status = (int)i;
        } else if (kind >= 0 && out->figures[kind] < 0) {
            out->figures[kind] = (int)i;
            found = true;
        }
    }
    return out->name >= 0 && found;
}

// The first sheet that is such a table: a workbook of vernier begins with its summary. False: the
// file breaks; *is: one of its sheets is.
static bool start_table(Table *table, bool *is)
{
    *is = false;
    for (size_t sheet = 0; sheet < table->rows.sheet_count && !*is; sheet++) {
        if (!row_table_start(&table->rows, sheet))
            return false;
        table->form = form_of(&table->rows);
        *is = table->form || columns_of(&table->rows, &table->own);
    }
    return true;
}

// Where a cell that holds commas was written without quotes, the cells after it are as many too
// far to the right as there are too many.
static Str cell(const Table *table, const char *name)
{
    int column = name ? row_table_column(&table->rows, name) : -1;
    size_t wanted = table->rows.name_count, count = table->rows.csv.count;
    if (column > table->wide && table->wide >= 0 && !table->rows.book && count > wanted)
        return str_trim(csv_cell(&table->rows.csv, column + (int)(count - wanted)));
    return column >= 0 ? str_trim(row_table_cell(&table->rows, column)) : STR("");
}

static PrecheckStatus status_of(const Table *table, Str word, Str value)
{
    const Form *form = table->form;
    PrecheckStatus status;
    double number;
    if (!form->status && isnan(form->least))
        return !number_of_text(value, &number) ? PRECHECK_SKIPPED
               : !isfinite(number)             ? PRECHECK_ERROR
               : number != 0                   ? PRECHECK_WARNING
                                               : PRECHECK_PASS;
    if (!form->status)
        return !number_of_text(value, &number) || isnan(number) ? PRECHECK_SKIPPED
               : number < form->least                           ? PRECHECK_ERROR
                                                                : PRECHECK_PASS;
    if (str_equal(str_of(form->status), STR("IsPrecisionError")))
        return str_equal_nocase(word, STR("YES"))  ? PRECHECK_ERROR
               : str_equal_nocase(word, STR("NO")) ? PRECHECK_PASS
                                                   : PRECHECK_SKIPPED;
    precheck_word(word, &status);
    return status;
}

// A loss is what comes of all modules: its row comes after theirs.
static bool is_loss(Str part)
{
    return str_equal(part, STR("loss"));
}

static void take_own(Table *table)
{
    ComparisonFigures figures = {.name = str_trim(row_table_cell(&table->rows, table->own.name))};
    PrecheckFinding row;
    if (table->own.status >= 0)
        precheck_word(str_trim(row_table_cell(&table->rows, table->own.status)), &figures.status);
    for (int kind = 0; kind < FIGURE_KINDS; kind++)
        if (table->own.figures[kind] >= 0)
            figures.values[kind] = str_trim(row_table_cell(&table->rows, table->own.figures[kind]));
    if (!figure_judge(&figures, &row))
        return;
    precheck_add(table->out, table->arena, &row, "");
    table->out->rows++;
}

static void take_row(Table *table, bool losses)
{
    const Form *form = table->form;
    PrecheckFinding row = {.size = (double)NAN, .standard = form->tool};
    Str part = cell(table, form->part), name = cell(table, form->name);
    if (is_loss(part) != losses)
        return;
    if (name.size == 0 || str_equal(name, STR("N/A")))
        name = cell(table, "Bench Name");
    if (name.size == 0)
        return;
    row.value = cell(table, form->value);
    if (row.value.size > 2 && row.value.data[0] == '[')  // a list of one
        row.value = str_slice(row.value, 1, row.value.size - 1);
    if (!form->status && isnan(form->least) && !number_of_text(row.value, &row.size))
        row.size = (double)NAN;
    row.status = status_of(table, cell(table, form->status), row.value);
    row.message = cell(table, form->message);
    row.figure = row.status >= PRECHECK_WARNING ? form->figure : NULL;
    row.dtype = cell(table, "NPU Dtype");
    row.shape = cell(table, "NPU Tensor Shape");
    if (form->part) {
        row.api = str_printf(table->arena, STR_FMT "." STR_FMT, STR_ARG(name), STR_ARG(part));
        row.plain = true;
        row.backward = str_starts(part, STR("grad"));
        row.shape = cell(table, "shape");
    } else {
        precheck_split(name, &row);
    }
    precheck_add(table->out, table->arena, &row, "");
    table->out->rows++;
}

static bool read_rows(const char *path, Str bytes, Table *table, bool losses, Notices *notices,
                      Error *err)
{
    if (!row_table_open(path, bytes, table->arena, &table->rows, err))
        return false;
    bool is, good = start_table(table, &is);
    if (good && is) {
        table->wide = table->form && table->form->wide
                          ? row_table_column(&table->rows, table->form->wide)
                          : -1;
        while (row_table_next(&table->rows)) {
            if (table->form)
                take_row(table, losses);
            else
                take_own(table);
        }
        good = !row_table_failed(&table->rows);
    }
    Notices quiet;
    notices_init(&quiet, table->arena);
    row_table_close(&table->rows, losses || table->wide >= 0 ? &quiet : notices);
    return good;
}

bool comparison_table_is(Str bytes)
{
    enum { LOOK_BYTES = 1 << 16 };
    Arena *arena = arena_new();
    Table table = {.arena = arena};
    Error ignored;
    Notices quiet;
    notices_init(&quiet, arena);
    bool is = false;
    Str line = str_slice(bytes, 0, str_find_char(bytes, '\n', 0));
    Str start = xlsx_is(bytes) ? bytes : str_slice(bytes, 0, LOOK_BYTES);
    if ((xlsx_is(bytes) || line.size < 1 << 14) &&
        row_table_open("", start, arena, &table.rows, &ignored)) {
        is = start_table(&table, &is) && is;
        row_table_close(&table.rows, &quiet);
    }
    arena_release(arena);
    return is;
}

bool comparison_table_read(const char *path, Str bytes, Arena *arena, Precheck *out,
                           Notices *notices, Error *err)
{
    Table table = {.out = out, .arena = arena};
    bool good = read_rows(path, bytes, &table, false, notices, err);
    return good &&
           (!table.form || !table.form->part || read_rows(path, bytes, &table, true, notices, err));
}
