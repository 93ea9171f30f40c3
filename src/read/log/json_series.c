// SPDX-License-Identifier: Apache-2.0
#include "read/log/json_series.h"

#include <math.h>

#include "base/words.h"
#include "read/log/line_shape.h"
#include "read/log/lines.h"
#include "read/log/log_wrapper.h"
#include "read/log/record_object.h"
#include "read/log/series_name.h"

// An object of arrays, column by column.
typedef struct Cell {
    int64_t x;  // of a keyed column
    Figure figure;
} Cell;

typedef struct Column {
    Str key;
    size_t at;   // byte of the list
    bool keyed;  // its cells have a step each
    Cell *items;
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
    LineReading reading;  // of a line
    LineShapes shapes;
    int64_t unnumbered;
    bool of_columns;  // lists of records are counted alone, not read
    uint64_t listed;  // records in them
    uint64_t stored;
    uint64_t unsure;  // columns without steps beside series with their own
    uint64_t odd;     // entries of a list that are no record, rows of a table without a step
    size_t odd_at;    // byte of the first
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
    document->reading = (LineReading){0};
    if (stored && counted && record_object_is_plain(record)) {
        LogPlace place = record_object_place(record);
        document->reading = line_reading(&place, document->part);
        document->reading.padded = true;
    }
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
        *ARRAY_PUSH(document->arena, column) = (Cell){.figure = figure};
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
            series_name_is_measure(columns->items[i].key))
            return true;
    return false;
}

// A column with steps of its own keeps them, unless its keys number rows, of which one cell is the
// step, as pandas writes them.
static bool is_by_rows(const Column *column, const Column *steps)
{
    return !column->keyed || (steps && steps->keyed);
}

static void store_columns(Document *document, const Columns *columns)
{
    const Column *steps = step_column(columns);
    size_t rows = 0;
    for (size_t i = 0; i < columns->count; i++)
        if (is_by_rows(&columns->items[i], steps) && columns->items[i].count > rows)
            rows = columns->items[i].count;
    for (size_t row = 0; row < rows; row++) {
        double x = !steps               ? (double)row + 1
                   : row < steps->count ? steps->items[row].figure.value
                                        : NAN;
        if (!(fabs(x) < 9e15)) {
            note_odd(document, steps ? steps->at : 0);
            continue;
        }
        part_begin(document->part, (int64_t)x, -1, 0);
        for (size_t i = 0; i < columns->count; i++) {
            const Column *column = &columns->items[i];
            if (column != steps && is_by_rows(column, steps) && row < column->count &&
                !point_is_absent(column->items[row].figure.value))
                part_add(document->part, column->key, column->items[row].figure);
        }
        document->stored += part_end(document->part);
    }
}

// {"step": 5, "loss": 2.5} below the key "5", or a list of such objects: settings are no records.
static void read_record(Document *document, const int64_t *step)
{
    RecordObject *record = &document->record;
    record_object_read(&document->reader, document->arena, record);
    if (step && !record->has_step) {
        record->has_step = true;
        record->step = *step;
    }
    if (record->is_measured || record->is_evaluation || (record->is_named && record->has_step))
        store_record(document, 0);
}

// The name of a series in containers: {"val": {"loss": […]}}, {"loss": {"train": {"x": …}}}.
static Str joined_name(const Document *document, Str path, Str key)
{
    if (str_ends(key, STR(":")))
        key.size--;
    if (path.size == 0 || str_equal(path, key) ||
        STR_IN(path, "data", "history", "metrics", "scalars", "logs", "results"))
        return key;
    return str_printf(document->arena, STR_FMT "/" STR_FMT, STR_ARG(path), STR_ARG(key));
}

static void add_keyed(Document *document, Columns *columns, Str name, int64_t x, Figure figure)
{
    Column *last = columns->count ? &columns->items[columns->count - 1] : NULL;
    if (!last || !last->keyed || !str_equal(last->key, name)) {
        last = ARRAY_PUSH(document->arena, columns);
        *last = (Column){.key = name, .at = document->reader.at, .keyed = true};
    }
    *ARRAY_PUSH(document->arena, last) = (Cell){x, figure};
}

// Two columns that are "x" and "y".
static bool are_axes(const Column *columns)
{
    const Str first = columns[0].key, second = columns[1].key;
    return (str_equal(first, STR("x")) && str_equal(second, STR("y"))) ||
           (str_equal(first, STR("y")) && str_equal(second, STR("x")));
}

// {"x": [0, 10], "y": [2.5, 2.25]}: its last two columns become one by steps.
static void join_axes(Columns *columns, Str name)
{
    Column *x = &columns->items[columns->count - 2], *y = &columns->items[columns->count - 1];
    Column *values = str_equal(x->key, STR("y")) ? x : y, *steps = values == x ? y : x;
    size_t count = 0;
    for (size_t i = 0; i < values->count && i < steps->count; i++) {
        double step = steps->items[i].figure.value;
        if (fabs(step) < 9e15 && step == floor(step) &&
            !point_is_absent(values->items[i].figure.value))
            values->items[count++] = (Cell){(int64_t)step, values->items[i].figure};
    }
    *x = *values;
    x->key = name;
    x->keyed = true;
    x->count = count;
    columns->count--;
}

static void read_list(Document *document, Columns *columns, Str path, Str key)
{
    LiteralReader *reader = &document->reader, ahead = *reader;
    literal_enter(reader, '[');
    literal_enter(&ahead, '[');
    bool objects = literal_element(&ahead) && literal_value(&ahead).kind == LITERAL_OBJECT;
    if (str_equal(key, STR("log_history"))) {
        document->part->format = "huggingface";
        read_array(document);
    } else if (objects) {
        while (literal_element(reader)) {
            bool record = literal_value(reader).kind == LITERAL_OBJECT;
            document->listed += record;
            if (record && !document->of_columns)
                read_record(document, NULL);
            else
                literal_skip(reader);
        }
    } else {
        bool axis = path.size && STR_IN(key, "x", "y");
        bool values = path.size && str_equal(key, STR("values"));
        read_column(document, columns,
                    axis     ? key
                    : values ? path
                             : joined_name(document, path, key));
    }
}

enum { CONTAINERS_MAX = 5 };

// An object: its log_history, its arrays as columns, series of reference values ({"start_step": 1,
// "values": {"1": 10.49}}, {"values": [11.63]}), {"1": 10.49, "5": 10.49}, {"x": [], "y": []}, and
// the same in containers. A "nan" in quotes is no value.
static void read_object(Document *document, Columns *columns, Str path, int depth)
{
    LiteralReader *reader = &document->reader;
    size_t first = columns->count;
    Str key;
    int64_t step;
    while (literal_member(reader, &key)) {
        Literal value = literal_value(reader);
        bool counted = str_to_int64(key, &step);
        if (value.kind == LITERAL_NUMBER && counted && path.size) {
            add_keyed(document, columns, path, step, value.figure);
        } else if (value.kind == LITERAL_ARRAY) {
            read_list(document, columns, path, key);
        } else if (value.kind == LITERAL_OBJECT && counted) {
            read_record(document, &step);
        } else if (value.kind == LITERAL_OBJECT && depth < CONTAINERS_MAX) {
            bool values = path.size && str_equal(key, STR("values"));
            literal_enter(reader, '{');
            read_object(document, columns, values ? path : joined_name(document, path, key),
                        depth + 1);
        } else if (value.kind == LITERAL_OBJECT) {
            literal_skip(reader);
        }
    }
    if (path.size && columns->count == first + 2 && are_axes(&columns->items[first]))
        join_axes(columns, path);
}

static void store_keyed(Document *document, const Column *column)
{
    for (size_t i = 0; i < column->count; i++) {
        part_begin(document->part, column->items[i].x, -1, 0);
        part_add(document->part, column->key, column->items[i].figure);
        document->stored += part_end(document->part);
    }
}

// What is by rows stands by the column of steps, or is numbered where no column has any.
static void store_object(Document *document, const Columns *columns)
{
    if (document->stored || !is_table(columns))
        return;
    const Column *steps = step_column(columns);
    size_t longest = 0;
    for (size_t i = 0; i < columns->count; i++)
        if (!is_by_rows(&columns->items[i], steps) && columns->items[i].count > longest)
            longest = columns->items[i].count;
    bool placed = longest == 0 || steps;
    if (placed)
        store_columns(document, columns);
    for (size_t i = 0; i < columns->count; i++)
        if (!is_by_rows(&columns->items[i], steps))
            store_keyed(document, &columns->items[i]);
        else if (!placed && 2 * columns->items[i].count >= longest)  // short lists are settings
            document->unsure++;
}

static size_t longest_of(const Columns *columns)
{
    size_t longest = 0;
    for (size_t i = 0; is_table(columns) && i < columns->count; i++)
        longest = columns->items[i].count > longest ? columns->items[i].count : longest;
    return longest;
}

// A document may hold lists of records beside columns: whichever is longer is what was logged.
static void read_members(Document *document, Columns *columns)
{
    LiteralReader start = document->reader;
    document->of_columns = true;
    read_object(document, columns, STR(""), 0);
    if (document->stored || document->listed <= longest_of(columns))
        return;
    document->reader = start;
    document->of_columns = false;
    *columns = (Columns){0};
    read_object(document, columns, STR(""), 0);
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

void json_tell_foreign(const char *path, uint64_t lines, Notices *notices)
{
    notices_add(notices, NOTICE_WARNING, WHERE_FILE(path),
                tr_count(lines, "%llu line beside the JSON is passed over",
                         "%llu lines beside the JSON are passed over"),
                (unsigned long long)lines);
}

// Reads what is broken without the lines that are none of it.
static bool read_without_foreign(const char *path, Str text, Arena *arena, Parts *out,
                                 Notices *notices, Error *err)
{
    Str document, beside;
    uint64_t foreign;
    if (!wrapper_unpack_document(text, arena, &document, &beside, &foreign) ||
        !json_document_read(path, document, arena, out, notices, err))
        return false;
    json_tell_foreign(path, foreign, notices);
    return true;
}

bool json_document_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                        Error *err)
{
    size_t before = out->count;
    Document document = {.part = part_new(out, path, -1, "json", arena),
                         .reader = literal_open(text, 0, arena),
                         .arena = arena};
    Columns columns = {0};
    if (literal_enter(&document.reader, '['))
        read_array(&document);
    else if (literal_enter(&document.reader, '{'))
        read_members(&document, &columns);
    store_object(&document, &columns);
    if (document.stored == 0 && first_byte(text) == '{')
        read_single(&document);
    if (document.reader.broken) {
        out->count = before;
        if (read_without_foreign(path, text, arena, out, notices, err))
            return true;
        out->items[before] = document.part;
        out->count = before + 1;
    }
    if (document.reader.broken && document.stored)
        notices_partial(notices, WHERE_BYTE(path, document.reader.at), "%s",
                        tr("the JSON breaks off; what stands before is used"));
    else if (document.odd && document.stored)
        notices_partial(notices, WHERE_BYTE(path, document.odd_at),
                        tr_count(document.odd, "%llu entry is no training record; it is left out",
                                 "%llu entries are no training record, from this byte; they are "
                                 "left out"),
                        (unsigned long long)document.odd);
    if (document.unsure)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(document.unsure,
                                 "%llu list of numbers beside series with steps of their own has "
                                 "none, and is not read",
                                 "%llu lists of numbers beside series with steps of their own have "
                                 "none, and are not read"),
                        (unsigned long long)document.unsure);
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

// A line that has the shape of one before. Its epoch counts as long as none had a fraction.
static bool take_again(Document *document, Str line, uint64_t number)
{
    int64_t step;
    bool parses = document->part->parts->parses_all;
    const LineShape *shape = parses ? NULL : shapes_find(&document->shapes, line, 1);
    if (!shape)
        return false;
    const LogPlace *place = &shape->reading.place;
    bool counts = document->record.fractional == 0 && place->epoch < RECORD_EPOCH_MAX;
    if ((place->has_epoch && !counts) ||
        !epoch_counter_next(&document->counter, place, document->arena, &step))
        return false;
    document->stored += shape_store(shape, step, number);
    return true;
}

static void take_json_line(Document *document, Str line, uint64_t number, BadLines *bad)
{
    line = str_trim(line);
    if (line.size == 0 || line.data[0] == '\0' || take_again(document, line, number))
        return;
    document->reading.plain = false;
    document->reader = literal_open(line, 0, document->arena);
    if (!record_object_read(&document->reader, document->arena, &document->record)) {
        bad->line = bad->count++ ? bad->line : number;
        return;
    }
    if (document->part->record_count == 0)
        document->part->format = lines_format(line);
    store_record(document, number);
    if (document->reading.plain)
        shapes_learn(&document->shapes, line, &document->reading, 1, document->arena);
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
