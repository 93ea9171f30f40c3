// SPDX-License-Identifier: Apache-2.0
#include "read/log/json_series.h"

#include <math.h>

#include "base/words.h"
#include "read/log/lines.h"
#include "read/log/record_object.h"
#include "read/log/series_name.h"

// An object of arrays, column by column.
typedef struct Column {
    Str key;
    size_t at;  // byte of the list
    Figure *items;
    size_t count, capacity;
} Column;

typedef struct Columns {
    Column *items;
    size_t count, capacity;
} Columns;

typedef struct Document {
    Part *part;
    LiteralReader reader;
    Arena *arena;
    RecordObject record;
    EpochCounter counter;
    int64_t unnumbered;
    uint64_t stored;
    uint64_t odd;   // entries of a list that are no record, rows of a table without a step
    size_t odd_at;  // byte of the first
} Document;

static char first_byte(Str text)
{
    Str trimmed = str_trim(str_slice(text, 0, 4096));
    return trimmed.size ? trimmed.data[0] : '\0';
}

static Str first_line(Str text)
{
    Str rest = text, line = STR("");
    while (str_split(&rest, '\n', &line))
        if (str_trim(line).size)
            break;
    return str_trim(line);
}

// A single object is a document.
static bool has_second_line(Str text, Str first)
{
    size_t stop = (size_t)(first.data - text.data) + first.size;
    return str_trim(str_slice(text, stop, stop + LINE_BYTES_MAX)).size > 0;
}

bool json_lines_recognise(Str text, Arena *arena)
{
    Str line = first_line(text);
    if (!has_second_line(text, line) || line.size < 2 || line.data[0] != '{' ||
        line.size > LINE_BYTES_MAX)
        return false;
    LiteralReader reader = literal_open(line, 0, arena);
    Str key;
    bool quoted =
        literal_enter(&reader, '{') && literal_member(&reader, &key) && key.data[-1] == '"';
    reader = literal_open(line, 0, arena);
    return quoted && literal_skip(&reader) &&
           str_trim(str_slice(line, reader.at, line.size)).size == 0;
}

bool json_document_recognise(Str text, Arena *arena)
{
    char first = first_byte(text);
    if (first != '{' && first != '[')
        return false;
    LiteralReader reader = literal_open(text, 0, arena);
    if (literal_enter(&reader, '[')) {
        if (!literal_element(&reader))
            return false;
        LiteralKind kind = literal_value(&reader).kind;
        return kind == LITERAL_OBJECT || kind == LITERAL_ARRAY;
    }
    Str key;
    return literal_enter(&reader, '{') && literal_member(&reader, &key) && key.data[-1] == '"' &&
           !json_lines_recognise(text, arena);
}

static void store_record(Document *document, uint64_t line)
{
    RecordObject *record = &document->record;
    int64_t step = document->part->last_step;
    // What an evaluation counts may be its own batches or the epoch.
    bool beside = record->is_all_evaluation && document->part->record_count &&
                  (record->has_epoch || !record->has_step);
    bool counted = beside || record_object_step(record, &document->counter, document->arena, &step);
    // Without a counter and without what is measured it is a setting.
    if (!counted && !record->is_measured && !record->is_evaluation && document->stored == 0)
        return;
    step = counted ? step : document->unnumbered + 1;
    bool stored = record_object_store(record, document->part, step, line);
    document->unnumbered += stored && !counted;
    document->stored += stored;
}

static void note_odd(Document *document, size_t at)
{
    document->odd_at = document->odd++ ? document->odd_at : at;
}

static bool read_pair(Document *document)
{
    Literal values[3];
    size_t count = literal_scalars(&document->reader, values, 3);
    if (count < 2 || values[count - 2].kind != LITERAL_NUMBER ||
        values[count - 1].kind != LITERAL_NUMBER || !(fabs(values[count - 2].figure.value) < 9e15))
        return false;
    part_begin(document->part, (int64_t)values[count - 2].figure.value, -1, 0);
    if (count == 3 && values[0].kind == LITERAL_NUMBER)
        part_add_time(document->part, values[0].figure.value);
    part_add(document->part, STR("loss"), values[count - 1].figure);
    document->stored += part_end(document->part);
    return true;
}

static void read_array(Document *document)
{
    LiteralReader *reader = &document->reader;
    while (literal_element(reader)) {
        size_t at = reader->at;
        LiteralKind kind = literal_value(reader).kind;
        if (kind == LITERAL_OBJECT) {
            record_object_read(reader, document->arena, &document->record);
            store_record(document, 0);
        } else if (kind != LITERAL_ARRAY || !read_pair(document)) {
            note_odd(document, at);
        }
    }
}

static void read_column(Document *document, Columns *columns, Str key)
{
    LiteralReader *reader = &document->reader;
    Column *column = ARRAY_PUSH(document->arena, columns);
    *column = (Column){.key = key, .at = reader->at};
    while (literal_element(reader)) {
        Literal value = literal_value(reader);
        if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY)
            literal_skip(reader);
        Figure figure =
            value.kind == LITERAL_NUMBER ? value.figure : (Figure){.value = point_absent()};
        *ARRAY_PUSH(document->arena, column) = figure;
    }
}

static const Column *step_column(const Columns *columns)
{
    const Column *found = NULL;
    int best = 1000, order;
    for (size_t i = 0; i < columns->count; i++)
        if (series_name_is_step(columns->items[i].key, &order) && order < best) {
            best = order;
            found = &columns->items[i];
        }
    return found;
}

// Arrays make a table if one of them is a known series or the step.
static bool is_table(const Columns *columns)
{
    int order;
    for (size_t i = 0; i < columns->count; i++)
        if (series_name_is_step(columns->items[i].key, &order) ||
            series_name_is_core(columns->items[i].key))
            return true;
    return false;
}

static void store_columns(Document *document, const Columns *columns)
{
    const Column *steps = step_column(columns);
    size_t rows = 0;
    for (size_t i = 0; i < columns->count; i++)
        rows = columns->items[i].count > rows ? columns->items[i].count : rows;
    for (size_t row = 0; row < rows; row++) {
        double x = !steps ? (double)row + 1 : row < steps->count ? steps->items[row].value : NAN;
        if (!(fabs(x) < 9e15)) {
            note_odd(document, steps ? steps->at : 0);
            continue;
        }
        part_begin(document->part, (int64_t)x, -1, 0);
        for (size_t i = 0; i < columns->count; i++) {
            const Column *column = &columns->items[i];
            if (column != steps && row < column->count &&
                !point_is_absent(column->items[row].value))
                part_add(document->part, column->key, column->items[row]);
        }
        document->stored += part_end(document->part);
    }
}

// {"1": 10.49, "5": 10.49}: step and value. A "nan" in quotes is no value.
static void read_steps(Document *document, Str name)
{
    LiteralReader *reader = &document->reader;
    Str key;
    literal_enter(reader, '{');
    while (literal_member(reader, &key)) {
        Literal value = literal_value(reader);
        int64_t step;
        if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY)
            literal_skip(reader);
        if (value.kind != LITERAL_NUMBER || !str_to_int64(key, &step))
            continue;
        part_begin(document->part, step, -1, 0);
        part_add(document->part, name, value.figure);
        document->stored += part_end(document->part);
    }
}

// A series of reference values: {"start_step": 1, "values": {"1": 10.49}} or {"values": [11.63]}.
static void read_reference(Document *document, Columns *columns, Str name)
{
    LiteralReader *reader = &document->reader;
    Str key;
    if (str_ends(name, STR(":")))
        name = str_slice(name, 0, name.size - 1);
    literal_enter(reader, '{');
    while (literal_member(reader, &key)) {
        LiteralKind kind = literal_value(reader).kind;
        bool values = str_equal(key, STR("values"));
        if (values && kind == LITERAL_OBJECT) {
            read_steps(document, name);
        } else if (values && kind == LITERAL_ARRAY) {
            literal_enter(reader, '[');
            read_column(document, columns, name);
        } else if (kind == LITERAL_OBJECT || kind == LITERAL_ARRAY) {
            literal_skip(reader);
        }
    }
}

// An object: its log_history, or its arrays as columns.
static void read_object(Document *document)
{
    LiteralReader *reader = &document->reader;
    Columns columns = {0};
    Str key;
    while (literal_member(reader, &key)) {
        LiteralKind kind = literal_value(reader).kind;
        if (kind == LITERAL_OBJECT)
            read_reference(document, &columns, key);
        if (kind != LITERAL_ARRAY)
            continue;
        literal_enter(reader, '[');
        if (str_equal(key, STR("log_history"))) {
            document->part->format = "huggingface";
            read_array(document);
        } else {
            read_column(document, &columns, key);
        }
    }
    if (document->stored == 0 && is_table(&columns))
        store_columns(document, &columns);
}

// An object that is one record itself.
static void read_single(Document *document)
{
    document->reader.at = 0;
    document->reader.broken = false;
    record_object_read(&document->reader, document->arena, &document->record);
    if (document->record.has_step || document->record.is_training)
        store_record(document, 1);
}

bool json_document_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                        Error *err)
{
    Document document = {.part = part_new(out, path, -1, "json", arena),
                         .reader = literal_open(text, 0, arena),
                         .arena = arena};
    if (literal_enter(&document.reader, '['))
        read_array(&document);
    else if (literal_enter(&document.reader, '{'))
        read_object(&document);
    if (document.stored == 0 && first_byte(text) == '{')
        read_single(&document);
    if (document.reader.broken && document.stored)
        notices_partial(notices, WHERE_BYTE(path, document.reader.at), "%s",
                        tr("the JSON breaks off; what stands before is used"));
    else if (document.odd && document.stored)
        notices_partial(notices, WHERE_BYTE(path, document.odd_at),
                        tr_count(document.odd, "%llu entry is no training record; it is left out",
                                 "%llu entries are no training record, from this byte; they are "
                                 "left out"),
                        (unsigned long long)document.odd);
    if (document.stored)
        return true;
    out->count--;
    return error_set(err, ERR_INPUT, WHERE_BYTE(path, document.reader.at), "%s",
                     tr("no training record in this JSON file"));
}

static const char *lines_format(Str line)
{
    if (str_find(line, STR("\"_step\""), 0) != SIZE_MAX)
        return "wandb";
    if (str_find(line, STR("\"current_steps\""), 0) != SIZE_MAX ||
        str_find(line, STR("max_steps\""), 0) != SIZE_MAX)
        return "huggingface";
    return "jsonl";
}

typedef struct BadLines {
    uint64_t count, line;
} BadLines;

static void take_json_line(Document *document, Str line, uint64_t number, BadLines *bad)
{
    line = str_trim(line);
    if (line.size == 0 || line.data[0] == '\0')
        return;
    document->reader = literal_open(line, 0, document->arena);
    if (!record_object_read(&document->reader, document->arena, &document->record)) {
        bad->line = bad->count++ ? bad->line : number;
        return;
    }
    if (document->part->record_count == 0)
        document->part->format = lines_format(line);
    store_record(document, number);
}

bool json_lines_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                     Error *err)
{
    Document document = {.part = part_new(out, path, -1, "jsonl", arena), .arena = arena};
    BadLines bad = {0};
    Lines lines;
    Str line;
    lines_open(&lines, text, arena);
    out->bytes_all = text.size;
    while (lines_next(&lines, &line)) {
        out->bytes_read = lines.at;
        take_json_line(&document, line, lines.line, &bad);
    }
    if (bad.count)
        notices_partial(notices, WHERE_LINE(path, bad.line),
                        tr_count(bad.count, "%llu line is no whole JSON object",
                                 "%llu lines are no whole JSON object, from this line"),
                        (unsigned long long)bad.count);
    if (document.stored)
        return true;
    out->count--;
    return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                     tr("no training record in this JSON file"));
}
