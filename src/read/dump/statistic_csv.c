// SPDX-License-Identifier: Apache-2.0
#include "read/dump/statistic_csv.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/words.h"
#include "read/dump/dump_rows.h"
#include "read/table/csv_file.h"

// What a column holds, whatever it is called.
typedef enum Column {
    COLUMN_OP_NAME,
    COLUMN_TASK,
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
    COLUMNS
} Column;

static const struct {
    const char *title;
    Column column;
} titles[] = {
    {"Op Name", COLUMN_OP_NAME},
    {"Task ID", COLUMN_TASK},
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
};

static const struct {
    const char *written, *shown;
} dtypes[] = {
    {"float", "Float32"},     {"float32", "Float32"},     {"float16", "Float16"},
    {"float64", "Float64"},   {"double", "Float64"},      {"bf16", "BFloat16"},
    {"bfloat16", "BFloat16"}, {"bool", "Bool"},           {"int8", "Int8"},
    {"int16", "Int16"},       {"int32", "Int32"},         {"int64", "Int64"},
    {"uint8", "UInt8"},       {"uint16", "UInt16"},       {"uint32", "UInt32"},
    {"uint64", "UInt64"},     {"complex64", "Complex64"}, {"complex128", "Complex128"},
};

// One row, its cells by Column.
typedef struct Row {
    Str cells[COLUMNS];
    uint64_t time, line;
    uint64_t offset;  // byte in the file
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
    Arena *scratch;
    Rows rows;
    uint64_t short_rows, short_line;
} Table;

static bool is_title_row(Str line)
{
    return str_starts(str_trim(line), STR("Op Type,Op Name,"));
}

bool statistic_csv_is(const char *path, Str text)
{
    (void)path;
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_slice(text, 3, text.size);
    return is_title_row(str_slice(text, 0, 64));
}

static void take_titles(const Csv *csv, Table *table)
{
    for (int i = 0; i < COLUMNS; i++)
        table->column_of[i] = -1;
    table->width = csv->count;
    for (size_t i = 0; i < csv->count; i++)
        for (size_t j = 0; j < sizeof titles / sizeof titles[0]; j++)
            if (str_equal_nocase(csv->cells[i], str_of(titles[j].title)) &&
                table->column_of[titles[j].column] < 0)
                table->column_of[titles[j].column] = (int)i;
    if (csv->count && csv->cells[csv->count - 1].size == 0)
        table->width--;
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
    if (csv->count < table->width + shift)
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

static int compare_times(const void *a, const void *b)
{
    const Row *one = a, *two = b;
    if (one->time != two->time)
        return one->time < two->time ? -1 : 1;
    return (one->line > two->line) - (one->line < two->line);
}

// How often each tensor came so far.
typedef struct Occurrences {
    Arena *arena;
    Names *keys;
    uint32_t *items;
    size_t capacity;
} Occurrences;

static uint32_t next_occurrence(Occurrences *seen, const Row *row)
{
    Str key = str_printf(seen->arena, STR_FMT "|" STR_FMT "|%d|" STR_FMT,
                         STR_ARG(row->cells[COLUMN_OP_NAME]), STR_ARG(row->cells[COLUMN_TASK]),
                         row->output, STR_ARG(row->cells[COLUMN_SLOT]));
    NameId id = names_add(seen->keys, key);
    if (id >= seen->capacity) {
        size_t capacity = (size_t)id * 2 + 64;
        seen->items = arena_grow(seen->arena, seen->items, seen->capacity * sizeof *seen->items,
                                 capacity * sizeof *seen->items);
        seen->capacity = capacity;
    }
    return seen->items[id]++;
}

// The same kernel under several tasks is several ops; the first one needs no mark.
static Str op_name(const Row *row, uint32_t occurrence, Arena *arena)
{
    Str name = row->cells[COLUMN_OP_NAME], task = row->cells[COLUMN_TASK];
    bool gradient = str_starts(name, STR("Gradients"));
    bool marked = task.size && !str_equal(task, STR("0")) && !str_equal(task, STR("65535"));
    Str mark = marked ? str_printf(arena, "#" STR_FMT, STR_ARG(task)) : STR("");
    return str_printf(arena, STR_FMT STR_FMT ".%u.%s", STR_ARG(name), STR_ARG(mark), occurrence,
                      gradient ? "backward" : "forward");
}

static NameId dtype_name(Names *names, Str written)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (str_equal_nocase(written, str_of(dtypes[i].written)))
            return names_add(names, str_of(dtypes[i].shown));
    return written.size ? names_add(names, written) : NAME_NONE;
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
    slot->dtype = dtype_name(names, row->cells[COLUMN_DTYPE]);
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

static bool has_statistics(const Table *table)
{
    return table->column_of[COLUMN_MAX] >= 0 || table->column_of[COLUMN_MIN] >= 0 ||
           table->column_of[COLUMN_MEAN] >= 0 || table->column_of[COLUMN_NORM] >= 0;
}

static void make_records(const Table *table, DumpRows *rows)
{
    Arena *scratch = table->scratch;
    Occurrences seen = {.arena = scratch, .keys = names_new(scratch)};
    for (size_t i = 0; i < table->rows.count; i++) {
        const Row *row = &table->rows.items[i];
        Str name = op_name(row, next_occurrence(&seen, row), scratch);
        fill_slot(rows, row, dump_rows_add(rows, name, row->offset), scratch);
        add_counts(rows, row);
    }
    dump_rows_finish(rows);
    Dump *dump = rows->dump;
    dump->framework = FRAMEWORK_MINDSPORE;
    dump->level = STR("L2");
    dump->task = dump->has_checksum && !has_statistics(table) ? STR("md5") : STR("statistics");
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
    if (table->rows.count > 1)
        qsort(table->rows.items, table->rows.count, sizeof *table->rows.items, compare_times);
    return true;
}

bool statistic_csv_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                        Notices *notices, Error *err)
{
    Table table = {.scratch = arena_new()};
    DumpRows rows;
    dump_rows_init(&rows, path, text.size, names, arena, table.scratch, out);
    bool good = read_table(path, text, &table, err);
    if (good)
        make_records(&table, &rows);
    if (good && table.short_rows)
        notices_partial(
            notices, WHERE_LINE(path, table.short_line),
            tr_count(table.short_rows,
                     "%llu row is too short or names neither input nor output; it is left out",
                     "%llu rows are too short or name neither input nor output; they are "
                     "left out"),
            (unsigned long long)table.short_rows);
    arena_release(table.scratch);
    return good;
}
