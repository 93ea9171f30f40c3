// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/monitor_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mounts.h"
#include "base/number.h"
#include "base/text_decode.h"
#include "base/words.h"
#include "read/archive/gzip.h"
#include "read/monitor/event_table.h"
#include "read/monitor/inspect_log.h"
#include "read/monitor/monitor_columns.h"
#include "read/table/event_stream.h"
#include "read/table/quant_rows.h"

enum { CHUNK_BYTES = 1 << 18, LINE_BYTES_MAX = 64 << 20, SAMPLE_ROWS = 200, HEAD_BYTES = 64 };

typedef struct KnownColumn {
    const char *name;
    ColumnKind kind;
} KnownColumn;

static const KnownColumn known_columns[] = {
    {"vpp_stage", COLUMN_STAGE}, {"name", COLUMN_NAME},  {"module_name", COLUMN_NAME},
    {"param_name", COLUMN_NAME}, {"step", COLUMN_STEP},  {"micro_step", COLUMN_MICRO},
    {"scope", COLUMN_SCOPE},     {"shape", COLUMN_SKIP}, {"dtype", COLUMN_SKIP},
    {"id", COLUMN_SKIP},
};

double monitor_absent(void)
{
    uint64_t bits = MONITOR_ABSENT_BITS;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct SpecialNumber {
    const char *text;
    double value;
} SpecialNumber;

bool monitor_number(Str text, double *out)
{
    static const SpecialNumber specials[] = {
        {"1.#INF", (double)INFINITY}, {"-1.#INF", (double)-INFINITY}, {"1.#QNAN", (double)NAN},
        {"-1.#IND", (double)NAN},     {"1.#IND", (double)NAN},        {"-1.#QNAN", (double)NAN},
    };
    text = str_trim(text);
    if (text.size == 0 || str_equal_nocase(text, STR("none")) ||
        str_equal_nocase(text, STR("null"))) {
        *out = monitor_absent();
        return true;
    }
    if (number_of_text(text, out))
        return true;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (str_equal_nocase(text, str_of(specials[i].text))) {
            *out = specials[i].value;
            return true;
        }
    if (str_starts(text, STR("tensor(")) && str_ends(text, STR(")"))) {
        Str inner = str_slice(text, 7, text.size - 1);
        size_t comma = str_find_char(inner, ',', 0);
        return number_of_text(str_trim(str_slice(inner, 0, comma)), out);
    }
    if (text.size > 2 && text.data[0] == '[' && text.data[text.size - 1] == ']')
        return number_of_text(str_trim(str_slice(text, 1, text.size - 1)), out);
    return false;
}

// ---- bytes

static int open_regular(const char *path, Error *err)
{
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("cannot open the file: %s"),
                  strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("expected a regular file"));
    } else {
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

// A file on disk is read piece by piece: memory does not grow with it.
static bool open_bytes(MonitorRows *rows, const char *path, size_t *size, Error *err)
{
    const ArchiveMember *member = mounts_find(path, NULL);
    struct stat info;
    rows->descriptor = -1;
    if (member && !member->folder) {
        rows->packed = member->bytes;
        *size = member->bytes.size;
        return true;
    }
    rows->descriptor = open_regular(path, err);
    *size = CHUNK_BYTES;
    if (rows->descriptor >= 0 && fstat(rows->descriptor, &info) == 0)
        *size = (size_t)info.st_size;
    return rows->descriptor >= 0;
}

static void close_bytes(MonitorRows *rows)
{
    if (rows->descriptor >= 0)
        close(rows->descriptor);
    rows->descriptor = -1;
}

static bool is_wide(const MonitorRows *rows)
{
    char head[HEAD_BYTES];
    ssize_t got = rows->descriptor < 0 ? 0 : pread(rows->descriptor, head, sizeof head, 0);
    return text_is_wide(rows->descriptor < 0 ? rows->packed
                                             : (Str){head, got > 0 ? (size_t)got : 0});
}

// A file that is packed by itself, or no UTF-8, is read whole.
static bool unpack(MonitorRows *rows, const char *path, size_t *size, Error *err)
{
    File file = {0};
    if (!str_ends(str_of(path), STR(".gz")) && !is_wide(rows))
        return true;
    if (rows->descriptor >= 0) {
        close_bytes(rows);
        if (!file_open(path, &file, err))
            return false;
        rows->packed = file.text;
    }
    GzipEnd end = GZIP_WHOLE;
    if (gzip_is(rows->packed))
        end = gzip_unpack(rows->packed, gzip_limit(rows->packed.size), rows->arena, &rows->packed);
    else
        rows->packed = str_copy(rows->arena, rows->packed);
    rows->packed = text_decode(rows->packed, rows->arena);
    rows->broken = end == GZIP_BROKEN;
    *size = rows->packed.size;
    file_close(&file);
    return end != GZIP_TOO_LARGE ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr(ARCHIVE_TOO_LARGE));
}

static ssize_t read_bytes(MonitorRows *rows, char *room, size_t size)
{
    if (rows->descriptor >= 0)
        return read(rows->descriptor, room, size);
    Str part = str_slice(rows->packed, 0, size);
    memcpy(room, part.data, part.size);
    rows->packed = str_slice(rows->packed, part.size, rows->packed.size);
    return (ssize_t)part.size;
}

static bool fail_reading(MonitorRows *rows, const char *why)
{
    rows->failed = rows->at_end = true;
    return error_set(&rows->error, ERR_INPUT, WHERE_LINE(rows->file->path, rows->csv.next_line),
                     "%s", why);
}

static bool is_log(const MonitorRows *rows)
{
    return rows->file->events || rows->file->inspect ||
           str_equal(rows->file->kind, STR(QUANT_LOG_KIND));
}

// Without a last line that is still being written.
static Str whole_lines(MonitorRows *rows, Str text)
{
    size_t last = str_rfind_char(text, '\n'), end = last == SIZE_MAX ? 0 : last + 1;
    for (size_t i = 0; end < text.size && i < end; i++)
        rows->unfinished_line += text.data[i] == '\n';
    rows->unfinished_line += end < text.size;
    return str_slice(text, 0, end);
}

// A log of statistics is read whole: its lines are put together to rows.
static bool take_log(MonitorRows *rows, size_t *size, Error *err)
{
    const char *path = rows->file->path;
    Str text = rows->packed;
    File file = {0};
    if (rows->descriptor >= 0) {
        close_bytes(rows);
        if (!file_open(path, &file, err))
            return false;
        text = file.text;
    }
    if (rows->file->events)
        rows->events = ARENA_NEW(rows->arena, EventStream);
    else
        text = whole_lines(rows, text);
    rows->packed =
        rows->file->events ? event_table(text, (EventGroup){rows->file->kind, rows->file->tag_rank},
                                         rows->arena, rows->events, &rows->ragged)
        : rows->file->inspect
            ? inspect_log_table(text, rows->arena, &rows->bad_cells, &rows->bad_cell_line)
            : quant_rows_table(path, text, rows->arena, &rows->ragged, &rows->ragged_line);
    *size = rows->packed.size;
    file_close(&file);
    return *size ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                     rows->file->inspect ? tr("no line is a statistic: NAME iteration=1 value=0.5")
                                         : tr("no tensor could be read"));
}

// Room for a line that did not fit; longer than any monitor writes is no line.
static bool grow_buffer(MonitorRows *rows)
{
    if (rows->capacity >= LINE_BYTES_MAX)
        return fail_reading(rows, tr("a line is longer than 64 MB; the rest of the file is not "
                                     "read"));
    rows->buffer = arena_grow(rows->arena, rows->buffer, rows->capacity + MONITOR_PADDING,
                              2 * rows->capacity + MONITOR_PADDING);
    rows->capacity *= 2;
    return true;
}

static bool fill(MonitorRows *rows)
{
    while (rows->filled < rows->capacity) {
        ssize_t got = read_bytes(rows, rows->buffer + rows->filled, rows->capacity - rows->filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_reading(rows, tr("the file cannot be read further"));
        if (got == 0) {
            rows->at_end = true;
            break;
        }
        rows->filled += (size_t)got;
        rows->byte_count += (uint64_t)got;
    }
    return true;
}

// The last line end of the filled part, or 0.
static size_t last_line_end(const MonitorRows *rows)
{
    size_t at = rows->filled;
    while (at > 0 && rows->buffer[at - 1] != '\n')
        at--;
    return at;
}

// The next whole lines become csv.text. False at the end of the file.
static bool next_chunk(MonitorRows *rows)
{
    memmove(rows->buffer, rows->buffer + rows->cut, rows->filled - rows->cut);
    rows->filled -= rows->cut;
    rows->cut = 0;
    do {
        if (rows->at_end)
            break;
        if (rows->filled == rows->capacity && !grow_buffer(rows))
            return false;
        if (!fill(rows))
            return false;
        rows->cut = last_line_end(rows);
    } while (rows->cut == 0);
    if (rows->cut == 0 && rows->filled > 0)
        rows->unfinished_line = rows->csv.next_line;
    rows->csv.text = (Str){rows->buffer, rows->cut};
    rows->csv.at = rows->csv.feed = 0;
    return rows->cut > 0;
}

// ---- header

static ColumnKind column_kind(Str name)
{
    for (size_t i = 0; i < sizeof known_columns / sizeof *known_columns; i++)
        if (str_equal_nocase(name, str_of(known_columns[i].name)))
            return known_columns[i].kind;
    return COLUMN_OP;
}

// "input.norm" → side "input", name "norm".
static MonitorOp op_of_title(Str title)
{
    static const char *const sides[] = {"input", "output"};
    for (size_t i = 0; i < 2; i++) {
        Str side = str_of(sides[i]);
        if (str_starts(title, side) && title.size > side.size + 1 && title.data[side.size] == '.')
            return (MonitorOp){str_slice(title, side.size + 1, title.size),
                               str_slice(title, 0, side.size)};
    }
    return (MonitorOp){.name = title};
}

static bool seen_before(const Csv *csv, size_t column)
{
    for (size_t i = 0; i < column && i < CSV_CELLS_MAX; i++)
        if (str_equal_nocase(csv->names[i], csv->names[column]))
            return true;
    return false;
}

// A name is looked for together with the cells before it that cannot change from step to step.
static void find_head(MonitorRows *rows)
{
    size_t name = 0;
    while (name + 1 < rows->column_count && rows->columns[name].kind != COLUMN_NAME)
        name++;
    rows->name_column = rows->head_column = name;
    rows->head_has_stage = false;
    while (rows->head_column > 0 && rows->columns[rows->head_column - 1].kind == COLUMN_STAGE) {
        rows->head_column--;
        rows->head_has_stage = true;
    }
}

static void map_columns(MonitorRows *rows)
{
    const Csv *csv = &rows->csv;
    rows->column_count = csv->column_count;
    rows->columns = ARENA_ARRAY(rows->arena, MonitorColumn, csv->column_count + 1);
    for (size_t i = 0; i < csv->column_count; i++) {
        ColumnKind kind = column_kind(csv->names[i]);
        if (i < 256 && seen_before(csv, i)) {
            rows->repeated_column++;
            kind = COLUMN_SKIP;
        }
        if (kind == COLUMN_OP && rows->op_count == MONITOR_OPS_MAX)
            kind = COLUMN_SKIP;
        rows->columns[i] = (MonitorColumn){.kind = kind, .op = rows->op_count};
        if (kind == COLUMN_OP)
            rows->ops[rows->op_count++] = op_of_title(csv->names[i]);
        if (kind != COLUMN_SKIP)
            rows->tail_column = i + 1;
    }
    find_head(rows);
}

static bool has_kind(const MonitorRows *rows, ColumnKind kind)
{
    for (size_t i = 0; i < rows->column_count; i++)
        if (rows->columns[i].kind == kind)
            return true;
    return false;
}

static MonitorGeneration find_generation(const MonitorRows *rows)
{
    if (has_kind(rows, COLUMN_SCOPE))
        return MONITOR_SECOND;
    for (size_t i = 0; i < rows->column_count; i++)
        if (rows->columns[i].kind == COLUMN_NAME && !str_equal(rows->csv.names[i], STR("name")))
            return MONITOR_LEGACY;
    return MONITOR_FIRST;
}

static bool check_header(MonitorRows *rows, Error *err)
{
    if (!has_kind(rows, COLUMN_NAME) || !has_kind(rows, COLUMN_STEP) || rows->op_count == 0) {
        error_set(err, ERR_INPUT, WHERE_LINE(rows->file->path, 1),
                  tr("expected a header with a name, a step and a statistic, found: %.200s"),
                  str_cstr(rows->arena,
                           str_slice(rows->csv.text, 0, str_find_char(rows->csv.text, '\n', 0))));
        return error_hint(err, tr("the file is left out; the other files are read"));
    }
    rows->generation = rows->file->inspect ? MONITOR_FIRST : find_generation(rows);
    return true;
}

// The header of a part file is that of the file it continues.
static bool take_other_header(MonitorRows *rows, Error *err)
{
    MonitorFile main_file = *rows->file;
    main_file.path = rows->file->header_path;
    main_file.header_path = NULL;
    MonitorRows other;
    if (!monitor_rows_open(&other, &main_file, rows->arena, err))
        return false;
    close_bytes(&other);
    rows->csv.names = other.csv.names;
    rows->csv.column_count = other.csv.column_count;
    return true;
}

static bool take_header(MonitorRows *rows, Error *err)
{
    if (rows->file->header_path)
        return take_other_header(rows, err);
    if (!csv_next(&rows->csv))
        return error_set(err, ERR_INPUT, WHERE_FILE(rows->file->path), tr("the file is empty"));
    csv_take_header(&rows->csv);
    return true;
}

// ---- rows

static void set_absent(MonitorRows *rows)
{
    double absent = monitor_absent();
    for (size_t i = 0; i < rows->op_count; i++)
        rows->values[i] = absent;
}

static bool cell_integer(Str text, int64_t *out)
{
    double value;
    if (str_to_int64(text, out))
        return true;
    if (!number_of_text(text, &value) || !number_can_count(value) || value != floor(value))
        return false;
    *out = (int64_t)value;
    return true;
}

static void note_bad_cell(MonitorRows *rows)
{
    rows->bad_cell_line = rows->bad_cells++ ? rows->bad_cell_line : rows->csv.line;
}

static bool general_cell(MonitorRows *rows, const MonitorColumn *column, Str text, MonitorRow *row)
{
    switch (column->kind) {
    case COLUMN_STAGE:
        return text.size == 0 || cell_integer(text, &row->stage);
    case COLUMN_STEP:
        return cell_integer(text, &row->step);
    case COLUMN_MICRO:
        return text.size == 0 || cell_integer(text, &row->micro);
    case COLUMN_NAME:
        row->name = text;
        return true;
    case COLUMN_SCOPE:
        row->scope = text;
        return true;
    case COLUMN_OP:
        if (!monitor_number(text, &rows->values[column->op]))
            note_bad_cell(rows);
        else if (rows->generation == MONITOR_LEGACY && text.size == 0)
            rows->values[column->op] = (double)NAN;  // legacy files leave those cells empty
        return true;
    case COLUMN_SKIP:
        break;
    }
    return true;
}

// Rows of communication statistics lack the stage: name, value, step, then more (spec trap 2).
static bool shifted_row(MonitorRows *rows, MonitorRow *row)
{
    const Csv *csv = &rows->csv;
    int64_t stage;
    if (csv->count < 3 || rows->columns[0].kind != COLUMN_STAGE || csv->cells[0].size == 0 ||
        cell_integer(csv->cells[0], &stage) || !cell_integer(csv->cells[2], &row->step) ||
        !monitor_number(csv->cells[1], &rows->values[0]))
        return false;
    row->name = csv->cells[0];
    rows->shifted_line = rows->shifted++ ? rows->shifted_line : csv->line;
    return true;
}

static bool note_ragged(MonitorRows *rows)
{
    rows->ragged_line = rows->ragged++ ? rows->ragged_line : rows->csv.line;
    return false;
}

static bool general_row(MonitorRows *rows, MonitorRow *row)
{
    const Csv *csv = &rows->csv;
    row->line = csv->line;
    bool whole = csv_row_is_whole(csv);
    for (size_t i = 0; whole && i < rows->column_count; i++)
        whole = general_cell(rows, &rows->columns[i], csv->cells[i], row);
    if (whole)
        return true;
    *row = (MonitorRow){.stage = MONITOR_NONE, .micro = MONITOR_NONE, .line = csv->line};
    set_absent(rows);
    return shifted_row(rows, row) || note_ragged(rows);
}

// One row of the current chunk; false at its end. *good tells whether it can be used.
static bool chunk_row(MonitorRows *rows, MonitorRow *row, bool *good)
{
    *row = (MonitorRow){.stage = MONITOR_NONE, .micro = MONITOR_NONE};
    if (rows->csv.at >= rows->csv.text.size)
        return false;
    *good = !rows->general_only && monitor_direct_row(rows, row);
    if (*good)
        return true;
    *row = (MonitorRow){.stage = MONITOR_NONE, .micro = MONITOR_NONE};
    set_absent(rows);
    if (!csv_next(&rows->csv))
        return false;
    *good = general_row(rows, row);
    return true;
}

bool monitor_rows_next(MonitorRows *rows, MonitorRow *row)
{
    for (bool good = false;;) {
        if (!chunk_row(rows, row, &good)) {
            if (!next_chunk(rows))
                return false;
        } else if (good) {
            rows->row_count++;
            if (row->stage == -1)
                row->stage = MONITOR_NONE;
            row->values = rows->values;
            return true;
        }
    }
}

// ---- digits

static int decimals_of(Str number)
{
    size_t point = str_find_char(number, '.', 0);
    size_t power = str_find_char(number, 'e', 0);
    int64_t exponent = 0;
    if (power != SIZE_MAX && !str_to_int64(str_slice(number, power + 1, number.size), &exponent))
        return 0;
    int64_t digits = 0;
    if (point != SIZE_MAX)
        digits = (int64_t)(power == SIZE_MAX ? number.size : power) - (int64_t)point - 1;
    if (digits == 1 && number.data[point + 1] == '0')
        digits = 0;
    digits -= exponent;
    return digits < 0 ? 0 : digits > 40 ? 40 : (int)digits;
}

int monitor_rows_decimals(MonitorRows *rows, size_t *numbers)
{
    int most = 0;
    Csv probe = rows->csv;
    for (int n = 0; n < SAMPLE_ROWS && csv_next(&probe); n++) {
        if (!csv_row_is_whole(&probe))
            continue;
        for (size_t i = 0; i < rows->column_count; i++) {
            double value;
            if (rows->columns[i].kind != COLUMN_OP || !number_of_text(probe.cells[i], &value))
                continue;
            int decimals = decimals_of(probe.cells[i]);
            most = decimals > most ? decimals : most;
            *numbers += 1;
        }
    }
    rows->csv.room = probe.room;
    rows->csv.capacity = probe.capacity;
    rows->csv.scratch = probe.scratch;
    rows->csv.scratch_capacity = probe.scratch_capacity;
    return most;
}

bool monitor_rows_open(MonitorRows *rows, const MonitorFile *file, Arena *arena, Error *err)
{
    *rows = (MonitorRows){.file = file, .arena = arena};
    size_t size;
    if (!open_bytes(rows, file->path, &size, err) || !unpack(rows, file->path, &size, err) ||
        (is_log(rows) && !take_log(rows, &size, err)))
        return false;
    rows->capacity = size < CHUNK_BYTES ? size + 1 : CHUNK_BYTES;
    rows->buffer = arena_alloc(arena, rows->capacity + MONITOR_PADDING);
    csv_open(&rows->csv, file->path, STR(""), ',', arena);
    rows->csv.next_line = 1;
    bool good = true;
    if (next_chunk(rows))
        rows->csv.at = text_mark(rows->csv.text);
    else if (rows->failed) {
        *err = rows->error;
        good = false;
    }
    good = good && take_header(rows, err);
    if (good) {
        map_columns(rows);
        good = check_header(rows, err);
    }
    if (!good)
        close_bytes(rows);
    return good;
}

void monitor_rows_close(MonitorRows *rows, Notices *notices)
{
    account_see(&notices->account, rows->row_count * rows->op_count);
    const char *path = rows->file->path;
    close_bytes(rows);
    if (rows->failed)
        notices_add_error(notices, &rows->error);
    if (rows->events)
        event_stream_report(rows->events, path, notices);
    if (rows->broken)
        notices_partial(notices, WHERE_FILE(path), "%s", tr(GZIP_BROKEN_TEXT));
    if (rows->ragged)
        notices_partial(
            notices, WHERE_LINE(path, rows->ragged_line),
            tr_count(rows->ragged, "%llu row does not fit the header and is left out",
                     "%llu rows do not fit the header and are left out, from this line"),
            (unsigned long long)rows->ragged);
    if (rows->bad_cells)
        notices_partial(notices, WHERE_LINE(path, rows->bad_cell_line),
                        tr_count(rows->bad_cells, "%llu cell is no number and is left out",
                                 "%llu cells are no numbers and are left out, from this line"),
                        (unsigned long long)rows->bad_cells);
    if (rows->shifted)
        notices_add(
            notices, NOTICE_INFO, WHERE_LINE(path, rows->shifted_line),
            tr_count(rows->shifted, "%llu row without a stage is read as name, value, step",
                     "%llu rows without a stage are read as name, value, step, from this line"),
            (unsigned long long)rows->shifted);
    if (rows->unfinished_line)
        notices_add(notices, NOTICE_WARNING, WHERE_LINE(path, rows->unfinished_line),
                    tr("the last line has no end and is left out (still being written?)"));
    if (rows->repeated_column)
        notices_partial(notices, WHERE_LINE(path, 1), "%s",
                        tr("a column name comes twice; the first one is used"));
}
