// SPDX-License-Identifier: Apache-2.0
// MindSpore's statistic.csv, of every generation of its header, as the records of a dump: one op
// for each execution of a kernel, "<Op Name>.<occurrence>.forward" ("backward" for names below
// Gradients), its tensors as "input.<slot>" and "output.<slot>". Rows are taken in the order of
// their time stamps; the n-th row of one tensor belongs to the n-th occurrence. Types get the
// spelling of MindSpore's dump.json ("Float32").
//
// Rows that are too short are left out, with a notice. The counts of NaN and infinities stand as
// extras of the slot where they are not 0.
#include "read/dump/dump_formats.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/dump/dump_rows.h"
#include "read/dump/kernel_name.h"
#include "read/table/csv_file.h"
#include "read/tensor/weights_file.h"

// What a column holds, whatever it is called.
typedef enum Column {
    COLUMN_OP_NAME,
    COLUMN_TASK,
    COLUMN_STREAM,
    COLUMN_TIME,
    COLUMN_IO,
    COLUMN_SLOT,
    COLUMN_DTYPE,
    COLUMN_SHAPE,
    COLUMN_MAX,
    COLUMN_MIN,
    COLUMN_MEAN,
    COLUMN_NORM,
    COLUMN_CHECKSUM,
    COLUMN_NAN,
    COLUMN_POSITIVE_INF,
    COLUMN_NEGATIVE_INF,
    COLUMNS,
    COLUMN_DESCRIPTION  // describes the tensor, or counts its zeros
} Column;

static const struct {
    const char *title;
    Column column;
} titles[] = {
    {"Op Name", COLUMN_OP_NAME},
    {"Task ID", COLUMN_TASK},
    {"Stream ID", COLUMN_STREAM},
    {"Timestamp", COLUMN_TIME},
    {"IO", COLUMN_IO},
    {"Input/Output", COLUMN_IO},
    {"Slot", COLUMN_SLOT},
    {"Data Type", COLUMN_DTYPE},
    {"Shape", COLUMN_SHAPE},
    {"Max Value", COLUMN_MAX},
    {"Min Value", COLUMN_MIN},
    {"Avg Value", COLUMN_MEAN},
    {"L2Norm Value", COLUMN_NORM},
    {"L2 Value", COLUMN_NORM},
    {"MD5", COLUMN_CHECKSUM},
    {"MD5 Value", COLUMN_CHECKSUM},
    {"SHA1", COLUMN_CHECKSUM},
    {"NaN Count", COLUMN_NAN},
    {"Positive Inf Count", COLUMN_POSITIVE_INF},
    {"Negative Inf Count", COLUMN_NEGATIVE_INF},
    {"Op Type", COLUMN_DESCRIPTION},
    {"Data Size", COLUMN_DESCRIPTION},
    {"Format", COLUMN_DESCRIPTION},
    {"Count", COLUMN_DESCRIPTION},
    {"Zero Count", COLUMN_DESCRIPTION},
    {"Negative Zero Count", COLUMN_DESCRIPTION},
    {"Positive Zero Count", COLUMN_DESCRIPTION},
};

// One row, its cells by Column.
typedef struct Row {
    Str cells[COLUMNS];
    uint64_t time, turn, line;  // `turn`: what orders it, the time stamp or another
    uint64_t offset;            // byte in the file
    bool output;
} Row;

typedef struct Rows {
    Row *items;
    size_t count, capacity;
} Rows;

// Where the columns are, and the rows so far.
typedef struct Table {
    int column_of[COLUMNS];  // -1: absent
    size_t width;            // columns of the header
    size_t described;        // of these, columns that describe the tensor
    const char *path;
    Notices *notices;
    Arena *scratch;
    Rows rows;
    uint64_t short_rows, short_line;
    Names *tensors;  // `saved_data: full`: the tensors next to the table, by tensor_key
    Str *files;      // by the id of the key
    size_t file_count;
    Names *taken;  // files that a row names
} Table;

// Its own columns in any order, as an editor of tables may leave them.
static bool is_title_row(Str line)
{
    static const char *const own[] = {"Op Type", "Op Name"};
    size_t found = 0;
    for (Str cell; str_split(&line, ',', &cell);)
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            found += str_equal(str_trim(cell), str_of(own[i]));
    return found == sizeof own / sizeof *own;
}

bool statistic_csv_is(const char *path, Str text)
{
    (void)path;
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_slice(text, 3, text.size);
    Str start = str_slice(text, 0, 1024);
    return is_title_row(str_slice(start, 0, str_find_char(start, '\n', 0)));
}

// False: no column of that name is known, or there was one before.
static bool take_title(Table *table, Str title, size_t at)
{
    for (size_t j = 0; j < sizeof titles / sizeof titles[0]; j++) {
        Column column = titles[j].column;
        if (!str_equal_nocase(title, str_of(titles[j].title)))
            continue;
        if (column == COLUMN_DESCRIPTION)
            table->described++;
        else if (table->column_of[column] < 0)
            table->column_of[column] = (int)at;
        else
            return false;
        return true;
    }
    return false;
}

static void take_titles(const Csv *csv, Table *table)
{
    for (int i = 0; i < COLUMNS; i++)
        table->column_of[i] = -1;
    table->width = csv->count;
    table->described = 0;
    if (csv->count && csv->cells[csv->count - 1].size == 0)
        table->width--;
    for (size_t i = 0; i < table->width; i++)
        if (!take_title(table, csv->cells[i], i))
            notices_partial(table->notices, WHERE_LINE(table->path, csv->line),
                            tr("the column '" STR_FMT "' is not known and is not compared"),
                            STR_ARG(str_slice(csv->cells[i], 0, 64)));
}

// How many cells a shape without quotes takes: "(1" "4096)".
static size_t shape_cells(const Csv *csv, size_t at)
{
    if (at >= csv->count || !str_starts(csv->cells[at], STR("(")))
        return 1;
    for (size_t i = at; i < csv->count; i++)
        if (str_ends(csv->cells[i], STR(")")))
            return i - at + 1;
    return 1;
}

static Str join_shape(const Csv *csv, size_t at, size_t count, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    for (size_t i = at; i < at + count && i < csv->count; i++) {
        if (i > at)
            strbuf_add_char(&out, ',');
        strbuf_add(&out, csv->cells[i]);
    }
    return strbuf_str(&out);
}

// Copies the cells that are known; false if the row is too short.
static bool take_row(const Csv *csv, Table *table, Row *out)
{
    const char *start = csv->text.data, *cell = csv->count ? csv->cells[0].data : NULL;
    size_t shape = (size_t)table->column_of[COLUMN_SHAPE];
    size_t joined = shape_cells(csv, shape), shift = joined - 1;
    bool too_long = csv->count > table->width + shift &&
                    csv->cells[table->width + shift].size + (csv->count - table->width - shift) > 1;
    if (csv->count < table->width + shift || too_long)
        return false;
    bool inside = cell >= start && cell < start + csv->text.size;  // else a copy
    *out = (Row){.line = csv->line, .offset = inside ? (uint64_t)(cell - start) : 0};
    for (int i = 0; i < COLUMNS; i++) {
        if (table->column_of[i] < 0)
            continue;
        size_t at = (size_t)table->column_of[i];
        at += at > shape ? shift : 0;
        out->cells[i] = i == COLUMN_SHAPE ? join_shape(csv, at, joined, table->scratch)
                                          : str_copy(table->scratch, csv->cells[at]);
    }
    str_to_uint64(out->cells[COLUMN_TIME], &out->time);
    out->output = str_equal_nocase(out->cells[COLUMN_IO], STR("output"));
    return out->output || str_equal_nocase(out->cells[COLUMN_IO], STR("input"));
}

static void take_rows(Csv *csv, Table *table)
{
    while (csv_next(csv)) {
        Row row;
        bool titles_again = csv->count > 1 && str_equal(csv->cells[0], STR("Op Type"));
        if (titles_again)
            take_titles(csv, table);
        else if (take_row(csv, table, &row))
            *ARRAY_PUSH(table->scratch, &table->rows) = row;
        else if (table->short_rows++ == 0)
            table->short_line = csv->line;
    }
}

static int compare_turns(const void *a, const void *b)
{
    const Row *one = a, *two = b;
    if (one->turn != two->turn)
        return one->turn < two->turn ? -1 : 1;
    return (one->line > two->line) - (one->line < two->line);
}

// "(1,4096)" and "(3,)" as "[1, 4096]" and "[3]".
static NameId shape_name(Names *names, Str written, Arena *arena)
{
    if (written.size < 2 || written.data[0] != '(')
        return written.size ? names_add(names, written) : NAME_NONE;
    StrBuf out = strbuf_new(arena);
    strbuf_add_char(&out, '[');
    Str rest = str_slice(written, 1, written.size - 1), part;
    for (bool first = true; str_split(&rest, ',', &part);) {
        part = str_trim(part);
        if (part.size == 0)
            continue;
        if (!first)
            strbuf_add(&out, STR(", "));
        strbuf_add(&out, part);
        first = false;
    }
    strbuf_add_char(&out, ']');
    return names_add(names, strbuf_str(&out));
}

static void fill_slot(DumpRows *rows, const Row *row, Slot *slot, Arena *scratch)
{
    Names *names = rows->dump->names;
    static const Column stat_columns[STAT_COUNT] = {[STAT_MAX] = COLUMN_MAX,
                                                    [STAT_MIN] = COLUMN_MIN,
                                                    [STAT_MEAN] = COLUMN_MEAN,
                                                    [STAT_NORM] = COLUMN_NORM};
    slot->path =
        names_add(names, str_printf(scratch, "%s." STR_FMT, row->output ? "output" : "input",
                                    STR_ARG(row->cells[COLUMN_SLOT])));
    slot->type = names_add(names, STR("mindspore.Tensor"));
    Str dtype = kernel_dtype(row->cells[COLUMN_DTYPE]);
    slot->dtype = dtype.size ? names_add(names, dtype) : NAME_NONE;
    slot->shape = shape_name(names, row->cells[COLUMN_SHAPE], scratch);
    slot->kind = SLOT_TENSOR;
    slot->group = row->output ? GROUP_OUTPUT : GROUP_INPUT;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        dump_rows_stat(rows, slot, (Stat)stat, row->cells[stat_columns[stat]]);
    Str checksum = row->cells[COLUMN_CHECKSUM];
    if (checksum.size) {
        slot->checksum = names_add(names, checksum);
        rows->dump->has_checksum = true;
    }
}

// Max and Min leave NaN out, so only the counts record it.
static void add_counts(DumpRows *rows, const Row *row)
{
    static const Column counts[] = {COLUMN_NAN, COLUMN_POSITIVE_INF, COLUMN_NEGATIVE_INF};
    static const char *const keys[] = {"NaN Count", "Positive Inf Count", "Negative Inf Count"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t count;
        if (str_to_uint64(row->cells[counts[i]], &count) && count > 0)
            dump_rows_extra(rows, str_of(keys[i]), row->cells[counts[i]]);
    }
}

static Str tensor_key(Str op, Str task, Str stream, uint64_t time, bool output, Str slot,
                      Arena *arena)
{
    return str_printf(arena, STR_FMT "|" STR_FMT "|" STR_FMT "|%llu|%d|" STR_FMT, STR_ARG(op),
                      STR_ARG(task), STR_ARG(stream), (unsigned long long)time, output,
                      STR_ARG(slot));
}

static void list_tensors(const char *path, Table *table)
{
    Arena *arena = table->scratch;
    FolderList list;
    Error ignored;
    KernelFile file;
    table->tensors = names_new(arena);
    table->taken = names_new(arena);
    if (!folder_list(str_cstr(arena, path_folder(str_of(path))), arena, &list, &ignored))
        return;
    for (size_t i = 0; i < list.count; i++) {
        bool known = kernel_file_parse(list.items[i], &file);
        if (!known && !weights_file_named(list.items[i]))
            continue;
        NameId id = names_add(
            table->tensors, known ? tensor_key(file.op, file.task, file.stream, file.time,
                                               str_equal(file.io, STR("output")), file.slot, arena)
                                  : list.items[i]);
        ARRAY_REACH(arena, table->files, table->file_count, id)[id] = list.items[i];
    }
}

// The file with the elements of a row, NAME_NONE: none. The release may write "/" in the table that
// no name of a file can hold.
static NameId file_of(const Table *table, const Row *row, Names *names)
{
    Arena *arena = table->scratch;
    static const char *const slashes[] = {"/", "_", "--"};
    for (size_t i = 0; i < sizeof slashes / sizeof *slashes && table->file_count; i++) {
        Str op = str_replace(arena, row->cells[COLUMN_OP_NAME], STR("/"), str_of(slashes[i]));
        NameId id = names_find(table->tensors,
                               tensor_key(op, row->cells[COLUMN_TASK], row->cells[COLUMN_STREAM],
                                          row->time, row->output, row->cells[COLUMN_SLOT], arena));
        if (id == NAME_NONE)
            continue;
        names_add(table->taken, table->files[id]);
        return names_add(names, table->files[id]);
    }
    return NAME_NONE;
}

static bool has_statistics(const Table *table)
{
    return table->column_of[COLUMN_MAX] >= 0 || table->column_of[COLUMN_MIN] >= 0 ||
           table->column_of[COLUMN_MEAN] >= 0 || table->column_of[COLUMN_NORM] >= 0;
}

static void make_records(const Table *table, DumpRows *rows)
{
    Arena *scratch = table->scratch;
    KernelCalls calls = kernel_calls_new(scratch);
    for (size_t i = 0; i < table->rows.count; i++) {
        const Row *row = &table->rows.items[i];
        Str name =
            kernel_calls_op(&calls, row->cells[COLUMN_OP_NAME], row->cells[COLUMN_TASK],
                            row->output ? STR("output") : STR("input"), row->cells[COLUMN_SLOT]);
        Slot *slot = dump_rows_add(rows, name, row->offset);
        fill_slot(rows, row, slot, scratch);
        slot->data_name = file_of(table, row, rows->dump->names);
        dump_describe(rows->dump, table->described);
        add_counts(rows, row);
    }
    dump_rows_finish(rows);
    Dump *dump = rows->dump;
    dump->framework = FRAMEWORK_MINDSPORE;
    dump->level = STR("L2");
    dump->tensors_beside = dump->has_data_name = table->file_count > 0;
    dump->task = table->file_count                              ? STR("tensor")
                 : dump->has_checksum && !has_statistics(table) ? STR("md5")
                                                                : STR("statistics");
}

static void order_rows(const char *path, Table *table, Notices *notices)
{
    Rows *rows = &table->rows;
    const char *folder = str_cstr(table->scratch, path_folder(str_of(path)));
    KernelTensor *tensors = ARENA_ARRAY(table->scratch, KernelTensor, rows->count + 1);
    for (size_t i = 0; i < rows->count; i++) {
        const Row *row = &rows->items[i];
        tensors[i] = (KernelTensor){.op = row->cells[COLUMN_OP_NAME],
                                    .task = row->cells[COLUMN_TASK],
                                    .stream = row->cells[COLUMN_STREAM],
                                    .time = row->time,
                                    .output = row->output};
    }
    kernel_overflows_tell(folder, tensors, rows->count, notices);
    kernel_order_read(folder, tensors, rows->count);
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i].turn = tensors[i].time;
    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_turns);
}

static bool read_table(const char *path, Str text, Table *table, Error *err)
{
    Csv csv;
    csv_open(&csv, path, text, ',', table->scratch);
    if (csv_next(&csv))
        take_titles(&csv, table);
    static const Column needed[] = {COLUMN_OP_NAME, COLUMN_IO, COLUMN_SLOT, COLUMN_SHAPE};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (table->column_of[needed[i]] < 0)
            return error_set(err, ERR_INPUT, WHERE_LINE(path, 1), "%s",
                             tr("expected the columns Op Name, IO, Slot and Shape"));
    take_rows(&csv, table);
    return true;
}

static void note_files_left(const Table *table)
{
    for (size_t i = 0; i < table->file_count; i++)
        if (table->files[i].size && names_find(table->taken, table->files[i]) == NAME_NONE)
            notices_partial(
                table->notices,
                WHERE_FILE(path_join(table->scratch,
                                     str_cstr(table->scratch, path_folder(str_of(table->path))),
                                     table->files[i])),
                "%s", tr("the table next to this tensor has no row of it: not read"));
}

bool statistic_csv_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                        Notices *notices, Error *err)
{
    Table table = {.scratch = arena_new(), .path = path, .notices = notices};
    DumpRows rows;
    dump_rows_init(&rows, path, text.size, names, arena, table.scratch, out);
    bool good = read_table(path, text, &table, err);
    if (good) {
        order_rows(path, &table, notices);
        list_tensors(path, &table);
        make_records(&table, &rows);
        note_files_left(&table);
    }
    if (good && table.short_rows)
        notices_partial(
            notices, WHERE_LINE(path, table.short_line),
            tr_count(table.short_rows,
                     "%llu row has another number of cells than the header, or names neither input "
                     "nor output; it is left out",
                     "%llu rows have another number of cells than the header, or name neither "
                     "input nor output; they are left out"),
            (unsigned long long)table.short_rows);
    arena_release(table.scratch);
    return good;
}
