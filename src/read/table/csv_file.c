// SPDX-License-Identifier: Apache-2.0
#include "read/table/csv_file.h"

#include <string.h>

#include "base/words.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

// The end of the line that starts at `at`, without its line end. The next line feed is kept in
// `feed`, so that a file of lone carriage returns is not searched to its end for every row.
static size_t line_stop(Str text, size_t at, size_t *feed)
{
    const char *from = text.data + at;
    if (*feed < at || at == 0) {
        const char *found = memchr(from, '\n', text.size - at);
        *feed = found ? (size_t)(found - text.data) : text.size;
    }
    const char *carriage = memchr(from, '\r', *feed - at);
    return carriage ? (size_t)(carriage - text.data) : *feed;
}

// Where the next line starts; CR LF is one line end.
static size_t skip_line_end(Str text, size_t at)
{
    if (at < text.size && text.data[at] == '\r')
        at++;
    else if (at < text.size && text.data[at] == '\n')
        return at + 1;
    return at < text.size && text.data[at] == '\n' ? at + 1 : at;
}

void csv_pass_line(Csv *csv, Str line)
{
    csv->line = csv->next_line++;
    csv->at = skip_line_end(csv->text, csv->at + line.size);
    csv->row_count++;
}

static void push_cell(Csv *csv, Str cell)
{
    if (csv->count == CSV_CELLS_MAX)
        return;
    if (csv->count == csv->capacity) {
        size_t capacity = csv->capacity ? 2 * csv->capacity : 16;
        csv->room =
            arena_grow(csv->arena, csv->room, csv->capacity * sizeof(Str), capacity * sizeof(Str));
        csv->capacity = capacity;
    }
    csv->room[csv->count++] = cell;
}

static Str trim_blanks(const char *from, const char *to)
{
    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    return (Str){from, (size_t)(to - from)};
}

static void split_at_blanks(Csv *csv, const char *at, const char *stop)
{
    while (at < stop) {
        while (at < stop && is_blank(*at))
            at++;
        const char *from = at;
        while (at < stop && !is_blank(*at))
            at++;
        if (at > from)
            push_cell(csv, (Str){from, (size_t)(at - from)});
    }
}

static void split_plain(Csv *csv, const char *at, const char *stop)
{
    if (csv->separator == ' ') {
        split_at_blanks(csv, at, stop);
        return;
    }
    for (;;) {
        const char *end = memchr(at, csv->separator, (size_t)(stop - at));
        push_cell(csv, trim_blanks(at, end ? end : stop));
        if (!end)
            return;
        at = end + 1;
    }
}

static void scratch_reserve(Csv *csv, size_t size)
{
    if (csv->scratch_capacity >= size)
        return;
    csv->scratch = arena_grow(csv->arena, csv->scratch, csv->scratch_capacity, size);
    csv->scratch_capacity = size;
}

// The position after the closing quote, or 0 if the quote does not end within the limit.
static size_t quote_end(Str text, size_t at)
{
    size_t limit = text.size - at > CSV_QUOTED_BYTES_MAX ? at + CSV_QUOTED_BYTES_MAX : text.size;
    while (at < limit) {
        const char *quote = memchr(text.data + at, '"', limit - at);
        if (!quote)
            return 0;
        at = (size_t)(quote - text.data) + 1;
        if (at >= text.size || text.data[at] != '"')
            return at;
        at++;
    }
    return 0;
}

// The text between two quotes; doubled ones are undone in the scratch memory, which was reserved
// for the whole row. Where quotes stand inside of cells the row may turn out longer than that; such
// a cell gets memory of its own.
static Str unquote(Csv *csv, Str inner)
{
    if (str_find(inner, STR("\"\""), 0) == SIZE_MAX)
        return inner;
    bool fits = csv->scratch_capacity - csv->scratch_size >= inner.size;
    char *out = fits ? csv->scratch + csv->scratch_size : arena_alloc(csv->arena, inner.size);
    size_t size = 0;
    for (size_t i = 0; i < inner.size; i++) {
        out[size++] = inner.data[i];
        if (inner.data[i] == '"' && i + 1 < inner.size && inner.data[i + 1] == '"')
            i++;
    }
    csv->scratch_size += fits ? size : 0;
    return (Str){out, size};
}

static bool at_separator(const Csv *csv, char c)
{
    return csv->separator == ' ' ? is_blank(c) : c == csv->separator;
}

static size_t skip_blanks(const Csv *csv, size_t at)
{
    while (at < csv->text.size && is_blank(csv->text.data[at]) &&
           (csv->separator == ' ' || csv->text.data[at] != csv->separator))
        at++;
    return at;
}

// One cell from `at`; gives the position of the separator or line end after it, or SIZE_MAX for a
// quote that does not end.
static size_t split_cell(Csv *csv, size_t at)
{
    Str text = csv->text;
    at = skip_blanks(csv, at);
    size_t from = at;
    if (at < text.size && text.data[at] == '"') {
        size_t end = quote_end(text, at + 1);
        if (end == 0)
            return SIZE_MAX;
        push_cell(csv, unquote(csv, str_slice(text, at + 1, end - 1)));
        at = end;
        while (at < text.size && !is_line_end(text.data[at]) && !at_separator(csv, text.data[at]))
            at++;  // text after a closing quote belongs to no cell
        return at;
    }
    while (at < text.size && !is_line_end(text.data[at]) && !at_separator(csv, text.data[at]))
        at++;
    push_cell(csv, trim_blanks(text.data + from, text.data + at));
    return at;
}

// A row with quotes, from csv->at; false if a quote does not end.
static bool split_quoted(Csv *csv, size_t *stop)
{
    size_t at = csv->at;
    for (;;) {
        at = split_cell(csv, at);
        if (at == SIZE_MAX)
            return false;
        if (csv->separator == ' ')
            at = skip_blanks(csv, at);
        if (at >= csv->text.size || is_line_end(csv->text.data[at]))
            break;
        at += csv->separator != ' ';
    }
    *stop = at;
    return true;
}

static uint64_t count_line_feeds(Str text)
{
    uint64_t lines = 0;
    for (size_t at = str_find_char(text, '\n', 0); at != SIZE_MAX;
         at = str_find_char(text, '\n', at + 1))
        lines++;
    return lines;
}

// The longest row that scratch may have to hold: up to the first line end outside of quotes.
static void reserve_for_row(Csv *csv, size_t stop)
{
    size_t at = csv->at, feed = csv->feed;
    while (at < csv->text.size) {
        if (at > stop)  // else the line is the same, and long lines have many quotes
            stop = line_stop(csv->text, at, &feed);
        const char *quote = memchr(csv->text.data + at, '"', stop - at);
        at = quote ? quote_end(csv->text, (size_t)(quote - csv->text.data) + 1) : 0;
        if (at == 0)
            break;
    }
    csv->scratch_size = 0;
    scratch_reserve(csv, (at ? at : stop) - csv->at + 1);
}

static void split_row(Csv *csv)
{
    Str text = csv->text;
    size_t stop = line_stop(text, csv->at, &csv->feed);
    const char *from = text.data + csv->at;
    uint64_t inner_lines = 0;
    csv->count = 0;
    if (!memchr(from, '"', stop - csv->at)) {
        split_plain(csv, from, text.data + stop);
    } else {
        reserve_for_row(csv, stop);
        if (split_quoted(csv, &stop)) {
            inner_lines = count_line_feeds(str_slice(text, csv->at, stop));
        } else {
            csv->count = 0;
            csv->open_quote_line = csv->open_quotes++ ? csv->open_quote_line : csv->next_line;
            split_plain(csv, from, text.data + stop);
        }
    }
    csv->line = csv->next_line;
    csv->unfinished = stop >= text.size;
    csv->next_line += 1 + inner_lines;
    csv->at = skip_line_end(text, stop);
    csv->cells = csv->room;
}

// Blank rows, and the zero bytes that a crash leaves at the end of a file.
static bool row_is_empty(const Csv *csv)
{
    for (size_t i = 0; i < csv->count; i++)
        for (size_t k = 0; k < csv->cells[i].size; k++)
            if (csv->cells[i].data[k] != '\0')
                return false;
    return csv->count <= 1 || csv->column_count == 0;
}

static bool row_is_comment(const Csv *csv)
{
    return csv->column_count == 0 && csv->cells[0].size && csv->cells[0].data[0] == '#';
}

static bool row_is_header(const Csv *csv)
{
    if (csv->column_count == 0 || csv->count != csv->column_count)
        return false;
    for (size_t i = 0; i < csv->count; i++)
        if (!str_equal(csv->cells[i], csv->names[i]))
            return false;
    return true;
}

static const char separators[] = {'\t', ';', ',', ' '};

static char find_separator(Csv *csv)
{
    char found = ',';
    for (size_t s = 0; s < sizeof separators; s++) {
        Csv probe = *csv;
        probe.separator = separators[s];
        size_t lines = 0, cells = 0;
        while (lines < 20 && csv_next(&probe)) {
            if (lines > 0 && (probe.count != cells || cells < 2))
                break;
            cells = probe.count;
            lines += 1;
        }
        csv->room = probe.room;
        csv->capacity = probe.capacity;
        csv->scratch = probe.scratch;
        csv->scratch_capacity = probe.scratch_capacity;
        bool all = lines == 20 || probe.at >= probe.text.size;
        if (lines > 0 && cells > 1 && all)
            return separators[s];
        if (lines > 2 && cells > 1 && found == ',')
            found = separators[s];
    }
    return found;
}

void csv_open(Csv *csv, const char *path, Str text, char separator, Arena *arena)
{
    *csv = (Csv){.path = path, .text = text, .separator = separator, .arena = arena};
    csv->next_line = 1;
    if (separator == 0)
        csv->separator = find_separator(csv);
}

bool csv_next(Csv *csv)
{
    csv->after_header = false;
    while (csv->at < csv->text.size) {
        split_row(csv);
        if (csv->count == 0 || row_is_empty(csv) || row_is_comment(csv))
            continue;
        if (row_is_header(csv)) {
            csv->repeated_headers++;
            csv->after_header = true;
            continue;
        }
        csv->row_count++;
        if (!csv_row_is_whole(csv) && csv->column_count > 0 && !csv->unfinished)
            csv->ragged_line = csv->ragged_count++ ? csv->ragged_line : csv->line;
        return true;
    }
    return false;
}

void csv_take_header(Csv *csv)
{
    Str *names = ARENA_ARRAY(csv->arena, Str, csv->count ? csv->count : 1);
    for (size_t i = 0; i < csv->count; i++)
        names[i] = str_copy(csv->arena, csv->cells[i]);
    csv->names = names;
    csv->column_count = csv->count;
    csv->row_count = 0;
}

int csv_column(const Csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->column_count; i++)
        if (str_equal_nocase(csv->names[i], str_of(name)))
            return (int)i;
    return -1;
}

Str csv_cell(const Csv *csv, int column)
{
    if (column < 0 || (size_t)column >= csv->count)
        return STR("");
    return csv->cells[column];
}

bool csv_row_is_whole(const Csv *csv)
{
    return csv->count == csv->column_count;
}

void csv_report(const Csv *csv, Notices *notices)
{
    if (csv->ragged_count)
        notices_partial(
            notices, WHERE_LINE(csv->path, csv->ragged_line),
            tr_count(csv->ragged_count, "%llu row has more or fewer cells than the header",
                     "%llu rows have more or fewer cells than the header, from this line"),
            (unsigned long long)csv->ragged_count);
    if (csv->open_quotes)
        notices_partial(notices, WHERE_LINE(csv->path, csv->open_quote_line),
                        tr("a quoted cell does not end; the line is read without quotes"));
    if (csv->repeated_headers)
        notices_add(notices, NOTICE_INFO, WHERE_FILE(csv->path),
                    tr("the header comes %llu times again; those rows are skipped"),
                    (unsigned long long)csv->repeated_headers);
}

void csv_add_cell(StrBuf *out, Str text)
{
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++)
        quoted = quoted || text.data[i] == ',' || text.data[i] == '"' || text.data[i] == '\n';
    if (quoted)
        strbuf_add_char(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            strbuf_add_char(out, '"');
        strbuf_add_char(out, text.data[i]);
    }
    if (quoted)
        strbuf_add_char(out, '"');
}
