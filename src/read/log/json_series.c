// SPDX-License-Identifier: Apache-2.0
#include "read/log/json_series.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "read/log/json_columns.h"
#include "read/log/line_guess.h"
#include "read/log/line_shape.h"
#include "read/log/lines.h"
#include "read/log/record_object.h"
#include "read/log/series_name.h"

typedef struct Document {
    Part *part;
    LiteralReader reader;
    Arena *arena;
    RecordObject record;
    EpochCounter counter;
    LineReading reading;  // of a line
    LineShapes shapes;
    int64_t unnumbered;
    Str stem;         // of the file's name, where that is a series
    bool of_columns;  // lists of records are counted alone, not read
    uint64_t listed;  // records in them
    uint64_t stored;
    uint64_t numbered;  // shorter columns among numbered ones
    uint64_t unsure;    // columns without steps next to series with their own
    uint64_t odd;       // entries of a list that are no record, rows of a table without a step
    size_t odd_at;      // byte of the first
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

// What may come after an object of a line: nothing, or the next where a writer forgot to end it.
static bool is_end_or_next(Str rest)
{
    rest = str_trim(rest);
    return rest.size == 0 || rest.data[0] == '{' || str_equal(rest, STR(","));
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
    return quoted && literal_skip(&reader) && is_end_or_next(str_slice(line, reader.at, line.size));
}

static bool is_number_or_null(LiteralKind kind)
{
    return kind == LITERAL_NUMBER || kind == LITERAL_NULL;
}

// [2.5, 2.25] and nothing else: "[1, 2000] loss: 2.3" is a line of a log.
static bool is_list_of_numbers(Str text, Arena *arena)
{
    LiteralReader reader = literal_open(text, 0, arena);
    literal_enter(&reader, '[');
    size_t count = 0;
    for (; literal_element(&reader); count++)
        if (!is_number_or_null(literal_value(&reader).kind))
            return false;
    return count > 1 && !reader.broken && str_trim(str_slice(text, reader.at, text.size)).size == 0;
}

// "}" and, on the next line, "{": one object after the other, each over several lines.
static bool is_sequence(Str text)
{
    size_t next = str_find(text, STR("\n{"), 0);
    Str first = str_trim(str_slice(text, 0, next == SIZE_MAX ? 0 : next));
    int open = 0;
    if (str_ends(first, STR(",")))
        first.size--;
    if (!str_ends(first, STR("}")))
        return false;
    for (size_t i = 0; i < first.size; i++) {
        char c = first.data[i];
        open += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return open == 0;
}

bool json_document_recognise(Str text, Arena *arena)
{
    char first = first_byte(text);
    if ((first != '{' && first != '[') || (first == '{' && is_sequence(text)))
        return false;
    LiteralReader reader = literal_open(text, 0, arena);
    if (literal_enter(&reader, '[')) {
        if (!literal_element(&reader))
            return false;
        LiteralKind kind = literal_value(&reader).kind;
        return kind == LITERAL_OBJECT || kind == LITERAL_ARRAY ||
               (kind == LITERAL_NUMBER && is_list_of_numbers(text, arena));
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
    document->part->is_numbered = document->unnumbered > 0;
    document->stored += stored;
}

static void note_odd(Document *document, size_t at)
{
    document->odd_at = document->odd++ ? document->odd_at : at;
}

static bool read_pair(Document *document)
{
    int64_t step;
    Figure value;
    double time;
    if (!json_pair_read(&document->reader, false, &step, &value, &time))
        return false;
    part_begin(document->part, step, -1, 0);
    if (!isnan(time))
        part_add_time(document->part, time);
    part_add(document->part, document->stem.size ? document->stem : STR("loss"), value);
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

// Columns that have ended are looked at no more.
static void store_columns(Document *document, const JsonColumns *columns)
{
    const JsonColumn *steps = json_columns_step(columns);
    const JsonColumn **open = ARENA_ARRAY(document->arena, const JsonColumn *, columns->count);
    size_t rows = 0, count = 0;
    for (size_t i = 0; i < columns->count; i++) {
        const JsonColumn *column = &columns->items[i];
        if (!json_column_is_by_rows(column, steps))
            continue;
        rows = column->count > rows ? column->count : rows;
        if (column != steps)
            open[count++] = column;
    }
    for (size_t row = 0; row < rows; row++) {
        double x = !steps               ? (double)row + 1
                   : row < steps->count ? steps->items[row].figure.value
                                        : NAN;
        if (!number_can_count(x)) {
            note_odd(document, steps ? steps->at : 0);
            continue;
        }
        part_begin(document->part, (int64_t)x, -1, 0);
        size_t before = count;
        count = 0;
        for (size_t i = 0; i < before; i++) {
            const JsonColumn *column = open[i];
            if (row >= column->count)
                continue;
            open[count++] = column;
            if (!point_is_absent(column->items[row].figure.value))
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
    return series_name_below(path, key, document->arena);
}

// [[10, 2.5], [20, 2.25]] or [{"step": 10, "value": 2.5}] below the name of a series: its points.
// False with the reader where it stood where the first is none.
static bool read_points(Document *document, JsonColumns *columns, Str name, LiteralKind kind)
{
    LiteralReader start = document->reader, *reader = &document->reader;
    int64_t step;
    Figure value;
    double time;
    bool any = false;
    if ((kind != LITERAL_ARRAY && kind != LITERAL_OBJECT) || !json_is_series(name) ||
        !literal_enter(reader, '['))
        return false;
    while (literal_element(reader)) {
        size_t at = reader->at;
        bool object = literal_value(reader).kind == LITERAL_OBJECT;
        bool good = object ? json_point_read(reader, &step, &value)
                           : json_pair_read(reader, true, &step, &value, &time);
        if (!good && !any) {
            *reader = start;
            return false;
        }
        if (good)
            json_column_add(document->arena, columns, name, at, step, value);
        else
            note_odd(document, at);
        any = true;
    }
    return any;
}

static void read_list(Document *document, JsonColumns *columns, Str path, Str key)
{
    LiteralReader *reader = &document->reader, ahead = *reader;
    Str name = joined_name(document, path, key);
    literal_enter(&ahead, '[');
    LiteralKind first = literal_element(&ahead) ? literal_value(&ahead).kind : LITERAL_NULL;
    if (str_equal(key, STR("log_history")) && literal_enter(reader, '[')) {
        document->part->format = "huggingface";
        read_array(document);
    } else if (read_points(document, columns, name, first)) {
        return;
    } else if (first == LITERAL_OBJECT && literal_enter(reader, '[')) {
        while (literal_element(reader)) {
            bool record = literal_value(reader).kind == LITERAL_OBJECT;
            document->listed += record;
            if (record && !document->of_columns)
                read_record(document, NULL);
            else
                literal_skip(reader);
        }
    } else {
        bool values = path.size && str_equal(key, STR("values"));
        json_column_read(reader, document->arena, columns, values ? path : name, key);
    }
}

enum { CONTAINERS_MAX = 5 };

// An object: its log_history, its arrays as columns, series of reference values ({"start_step": 1,
// "values": {"1": 10.49}}, {"values": [11.63]}), {"1": 10.49, "5": 10.49}, {"x": [], "y": []}, and
// the same in containers. A "nan" in quotes is no value.
static void read_object(Document *document, JsonColumns *columns, Str path, int depth)
{
    LiteralReader *reader = &document->reader;
    size_t first = columns->count;
    Str key;
    int64_t step;
    while (literal_member(reader, &key)) {
        Literal value = literal_value(reader);
        bool counted = str_to_int64(key, &step);
        if (value.kind == LITERAL_NUMBER && counted && path.size) {
            json_column_add(document->arena, columns, path, reader->at, step, value.figure);
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
    Str name = path.size ? path : document->stem;
    if (name.size)
        json_columns_join_axes(columns, first, name);
}

static void store_keyed(Document *document, const JsonColumn *column)
{
    for (size_t i = 0; i < column->count; i++) {
        part_begin(document->part, column->items[i].x, -1, 0);
        part_add(document->part, column->key, column->items[i].figure);
        document->stored += part_end(document->part);
    }
}

static size_t longest_of(const JsonColumns *columns)
{
    size_t longest = 0;
    bool table = json_columns_are_table(columns);
    for (size_t i = 0; table && i < columns->count; i++)
        longest = columns->items[i].count > longest ? columns->items[i].count : longest;
    return longest;
}

// Lists of numbers without steps that are shorter than the longest: of each value is unknown where
// it stands.
static uint64_t uneven(const JsonColumns *columns)
{
    size_t longest = longest_of(columns);
    uint64_t count = 0;
    for (size_t i = 0; i < columns->count; i++) {
        const JsonColumn *column = &columns->items[i];
        count += !column->keyed && column->count > 1 && column->count < longest &&
                 !point_is_absent(column->items[0].figure.value);
    }
    return count;
}

static void store_object(Document *document, const JsonColumns *columns)
{
    if (document->stored || !json_columns_are_table(columns))
        return;
    const JsonColumn *steps = json_columns_step(columns);
    size_t longest = 0;
    for (size_t i = 0; i < columns->count; i++)
        if (!json_column_is_by_rows(&columns->items[i], steps) && columns->items[i].count > longest)
            longest = columns->items[i].count;
    bool placed = json_columns_are_placed(columns);
    if (placed)
        store_columns(document, columns);
    document->numbered = placed && !steps ? uneven(columns) : 0;
    for (size_t i = 0; i < columns->count; i++)
        if (!json_column_is_by_rows(&columns->items[i], steps))
            store_keyed(document, &columns->items[i]);
        else if (!placed && 2 * columns->items[i].count >= longest)  // short lists are settings
            document->unsure++;
}

// A document may hold lists of records next to columns: whichever is longer is what was logged.
static void read_members(Document *document, JsonColumns *columns)
{
    LiteralReader start = document->reader;
    document->of_columns = true;
    read_object(document, columns, STR(""), 0);
    if (document->stored || document->listed <= longest_of(columns))
        return;
    document->reader = start;
    document->of_columns = false;
    document->odd = 0;
    *columns = (JsonColumns){.loss = columns->loss};
    read_object(document, columns, STR(""), 0);
}

// An object that is one record itself.
static void read_single(Document *document)
{
    document->reader.at = 0;
    document->reader.broken = false;
    record_object_read(&document->reader, document->arena, &document->record);
    bool measures = false;
    for (size_t i = 0; i < document->record.count; i++)
        measures = measures || (document->record.items[i].depth == 1 &&
                                series_facts(document->record.items[i].key).core);
    if (document->record.has_step || (document->record.is_training && measures))
        store_record(document, 1);
}

// Of the lists of numbers that no name says are a series; of many the first ones.
static Str names_of_lists(const JsonColumns *columns, Arena *arena)
{
    enum { TOLD = 4 };
    StrBuf out = strbuf_new(arena);
    size_t told = 0;
    for (size_t i = 0; i < columns->count && told <= TOLD; i++) {
        const JsonColumn *column = &columns->items[i];
        if (column->count < 2 || point_is_absent(column->items[0].figure.value))
            continue;
        if (told++ < TOLD)
            strbuf_printf(&out, "%s'" STR_FMT "'", told > 1 ? ", " : "", STR_ARG(column->key));
        else
            strbuf_add(&out, STR(", …"));
    }
    return strbuf_str(&out);
}

static bool hint_at_lists(const JsonColumns *columns, Arena *arena, Error *err)
{
    Str lists = names_of_lists(columns, arena);
    if (lists.size)
        return error_hint(err, tr("say which list is the loss: --loss NAME, of " STR_FMT),
                          STR_ARG(lists));
    return error_hint(err, "%s",
                      tr("lists are read where they have a name: {\"loss\": [2.5, 2.25]}, "
                         "{\"loss\": [[10, 2.5]]} with steps, or a list in a file that is called "
                         "as its series (train_loss.json)"));
}

static void tell_behind(const char *path, Str text, size_t behind, Notices *notices)
{
    Str rest = str_slice(text, behind, text.size);
    size_t brace = str_find_char(rest, '{', 0), bracket = str_find_char(rest, '[', 0);
    size_t next = brace < bracket ? brace : bracket;
    if (next != SIZE_MAX)
        notices_partial(notices, WHERE_BYTE(path, behind + next), "%s",
                        tr("the JSON ends before; what follows it is not read"));
}

// `behind` is where the first value ends.
static void tell_document(const Document *document, const char *path, Str text, size_t behind,
                          Notices *notices)
{
    if (document->stored && !document->reader.broken)
        tell_behind(path, text, behind, notices);
    if (document->reader.broken && document->stored)
        notices_partial(notices, WHERE_BYTE(path, document->reader.at), "%s",
                        tr("the JSON breaks off; what comes before is used"));
    else if (document->odd && document->stored)
        notices_partial(notices, WHERE_BYTE(path, document->odd_at),
                        tr_count(document->odd, "%llu entry is no training record; it is left out",
                                 "%llu entries are no training record, from this byte; they are "
                                 "left out"),
                        (unsigned long long)document->odd);
    if (document->numbered)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(path),
                    tr_count(document->numbered,
                             "%llu list has fewer numbers than the longest and no steps: it is "
                             "numbered by itself",
                             "%llu lists have fewer numbers than the longest and no steps: each is "
                             "numbered by itself"),
                    (unsigned long long)document->numbered);
    if (document->unsure)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(document->unsure,
                                 "%llu list of numbers next to series with steps of their own has "
                                 "none, and is not read",
                                 "%llu lists of numbers next to series with steps of their own "
                                 "have none, and are not read"),
                        (unsigned long long)document->unsure);
}

bool json_document_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                        Error *err)
{
    Document document = {.part = part_new(out, path, -1, "json", arena),
                         .reader = literal_open(text, 0, arena),
                         .stem = series_stem(path),
                         .arena = arena};
    JsonColumns columns = {.loss = out->wish ? out->wish->loss : STR("")};
    if (document.stem.size && is_list_of_numbers(text, arena))
        json_column_read(&document.reader, arena, &columns, document.stem, document.stem);
    else if (first_byte(text) == '[')
        while (literal_enter(&document.reader, '['))
            read_array(&document);
    else if (literal_enter(&document.reader, '{'))
        read_members(&document, &columns);
    size_t behind = document.reader.at;
    store_object(&document, &columns);
    if (document.stored == 0 && first_byte(text) == '{')
        read_single(&document);
    tell_document(&document, path, text, behind, notices);
    account_see(&notices->account, document.stored);
    account_compare(&notices->account, document.stored);
    if (document.stored)
        return true;
    out->count--;
    error_set(err, ERR_INPUT, WHERE_BYTE(path, document.reader.at), "%s",
              tr("no training record in this JSON file"));
    return hint_at_lists(&columns, arena, err);
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
    document->reader = literal_open(line, 0, document->arena);
    size_t objects = 0;
    for (Str rest = line; rest.size && !str_equal(rest, STR(",")); objects++) {
        document->reading.plain = false;
        if (!record_object_read(&document->reader, document->arena, &document->record)) {
            bad->line = bad->count++ ? bad->line : number;
            return;
        }
        if (document->part->record_count == 0)
            document->part->format = lines_format(line);
        store_record(document, number);
        rest = str_trim(str_slice(line, document->reader.at, line.size));
    }
    if (document->reading.plain && objects == 1)
        shapes_learn(&document->shapes, line, &document->reading, 1, document->arena);
}

bool json_lines_read(const char *path, Str text, Arena *arena, Parts *out, Notices *notices,
                     Error *err)
{
    Document document = {
        .part = part_new(out, path, -1, "jsonl", arena), .arena = arena, .shapes = {.text = text}};
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
    account_see(&notices->account, document.stored);
    account_compare(&notices->account, document.stored);
    if (document.stored)
        return true;
    out->count--;
    return line_guess_refuse(path, text, arena, err);
}
