// SPDX-License-Identifier: Apache-2.0

// Tables among other lines. A box has a name and its number side by side, "| loss | 2.5 |", and is
// one record from frame to frame; or names stand directly above rows of numbers, framed, after
// tabs or two blanks, or above a rule: a row is a record.

#include <string.h>

#include "read/log/series_name.h"
#include "read/log/trainlog_dialects.h"
#include "read/log/trainlog_keyvalue.h"

enum { CELLS_MAX = 64, LINE_MAX_BYTES = 4096 };

typedef struct Box {
    Pair pairs[PAIRS_MAX];  // of the open box; the keys are copies
    size_t count;
    Str names[CELLS_MAX];  // above the columns; copies
    size_t name_count;
    uint64_t table_line;      // the last line of the table: names, rule or row
    bool needs_rule;          // its names stand at single blanks
    Str settings[PAIRS_MAX];  // names of the last box without a loss
    size_t setting_count;
} Box;

// What frames cells at both ends of a line; empty: nothing does.
static Str frame_of(Str line)
{
    static const Str marks[] = {{"|", 1}, {"│", 3}, {"┃", 3}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (line.size > 2 * marks[i].size && str_starts(line, marks[i]) && str_ends(line, marks[i]))
            return marks[i];
    return STR("");
}

// Apart by tabs, by bars, else by as many blanks.
static size_t open_cells(Str line, size_t blanks, Str cells[CELLS_MAX])
{
    bool tabs = str_find_char(line, '\t', 0) != SIZE_MAX;
    bool bars = str_find_char(line, '|', 0) != SIZE_MAX;
    Str gap = tabs ? STR("\t") : bars ? STR("|") : str_slice(STR("  "), 0, blanks);
    size_t count = 0;
    for (size_t at = 0; at < line.size && count < CELLS_MAX;) {
        size_t from = at;
        at = str_find(line, gap, at);
        at = at < line.size ? at : line.size;
        Str cell = str_trim(str_slice(line, from, at++));
        if (cell.size)
            cells[count++] = cell;
    }
    return count;
}

// Shares and times have their unit after them: "12%", "1.5s".
static bool is_number(Str cell, Figure *out)
{
    char last = cell.size > 1 ? cell.data[cell.size - 1] : ' ';
    bool unit = last == '%' ||
                ((last == 's' || last == 'm' || last == 'h') && is_digit(cell.data[cell.size - 2]));
    cell.size -= unit;
    Scan scan = scan_of(cell);
    return cell.size && scan_grouped(&scan, out) && scan_done(&scan);
}

static bool is_name(Str cell)
{
    Figure figure;
    return cell.size && !is_number(cell, &figure) &&
           ((cell.data[0] | 0x20) >= 'a' && (cell.data[0] | 0x20) <= 'z');
}

// "│ loss      2.5 │" of Ray: a name and its number with blanks between them are two cells.
static bool split_cell(Str cells[CELLS_MAX])
{
    Figure figure;
    Str cell = cells[0];
    size_t gap = str_find(cell, STR("  "), 0);
    if (gap == SIZE_MAX || !is_name(str_slice(cell, 0, gap)) ||
        !is_number(str_trim(str_slice(cell, gap, cell.size)), &figure))
        return false;
    cells[0] = str_slice(cell, 0, gap);
    cells[1] = str_trim(str_slice(cell, gap, cell.size));
    return true;
}

static size_t framed_cells(Str line, Str frame, Str cells[CELLS_MAX])
{
    size_t count = 0;
    for (size_t at = frame.size; at < line.size && count < CELLS_MAX;) {
        size_t stop = str_find(line, frame, at);
        cells[count++] = str_trim(str_slice(line, at, stop));
        at = stop + frame.size;
    }
    return count == 1 && split_cell(cells) ? 2 : count;
}

// spaCy calls the epoch E and the step #.
static void name_counters(Str *cells, size_t count)
{
    bool counts = false;
    for (size_t i = 0; i < count; i++)
        counts = counts || str_equal(cells[i], STR("#"));
    for (size_t i = 0; counts && i < count; i++)
        cells[i] = str_equal(cells[i], STR("#"))   ? STR("step")
                   : str_equal(cells[i], STR("E")) ? STR("epoch")
                                                   : cells[i];
}

// A counter is among the names, and what is measured.
static bool is_header(const Str *cells, size_t count)
{
    bool counts = false, measures = false;
    int order;
    for (size_t i = 0; i < count; i++) {
        if (!is_name(cells[i]))
            return false;
        counts = counts || series_name_is_step(cells[i], &order) ||
                 str_equal_nocase(cells[i], STR("epoch"));
        measures = measures || series_facts(cells[i]).measure;
    }
    return counts && measures;
}

// "|---|---|", "-----  ----": what parts names from rows.
static bool is_rule(Str line)
{
    for (size_t i = 0; i < line.size; i++)
        if (is_digit(line.data[i]) ||
            ((line.data[i] | 0x20) >= 'a' && (line.data[i] | 0x20) <= 'z'))
            return false;
    static const char *const marks[] = {"--", "==", "─", "━", "═"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (str_find(line, str_of(marks[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

static void note_header(TrainLog *log, const Str *cells, size_t count, bool needs_rule)
{
    log->box->table_line = log->number;
    log->box->needs_rule = needs_rule;
    for (size_t i = 0; i < count; i++)
        log->box->names[i] = str_copy(log->arena, cells[i]);
    log->box->name_count = count;
}

static Pair pair_of(TrainLog *log, Str key, Figure figure)
{
    return (Pair){
        .key = key, .figure = figure, .facts = name_facts(log->names, key), .marked = true};
}

// Names and places are in no line of the log here.
static bool take_pairs(TrainLog *log, const Pair *pairs, size_t count)
{
    Str line = log->line;
    log->line = STR("");
    bool taken = pairs_take(log, pairs, count);
    log->reading.plain = false;
    log->line = line;
    return taken;
}

static bool take_row(TrainLog *log, const Str *cells, size_t count)
{
    Pair pairs[CELLS_MAX];
    Figure figure;
    // pandas prints the number of the row in front, below no name.
    bool indexed =
        count == log->box->name_count + 1 && is_number(cells[0], &figure) && figure.decimals == 0;
    cells += indexed;
    count -= indexed;
    if (count != log->box->name_count || log->box->needs_rule)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_number(cells[i], &figure))
            return false;
        pairs[i] = pair_of(log, log->box->names[i], figure);
    }
    log->box->table_line = log->number;
    return take_pairs(log, pairs, count);
}

// Cells in twos, a name and its number; the title of a section has none.
static bool take_twos(TrainLog *log, const Str *cells, size_t count)
{
    Box *box = log->box;
    size_t before = box->count;
    Figure figure;
    for (size_t i = 0; i + 1 < count && count % 2 == 0; i += 2) {
        if (cells[i].size && !is_name(cells[i]))
            return false;
        if (!cells[i].size || !is_number(cells[i + 1], &figure) || box->count == PAIRS_MAX)
            continue;
        box->pairs[box->count++] = pair_of(log, str_copy(log->arena, cells[i]), figure);
    }
    return box->count > before;
}

bool box_take(TrainLog *log)
{
    Str line = str_trim(log->line), cells[CELLS_MAX];
    if (line.size < 3 || line.size > LINE_MAX_BYTES)
        return false;
    if (!log->box)
        log->box = ARENA_NEW(log->arena, Box);
    Str frame = frame_of(line);
    if (str_starts(line, STR("# ")))
        line = str_slice(line, 2, line.size);
    if (log->number > log->box->table_line + 1)
        log->box->name_count = 0;
    if (log->box->name_count && is_rule(line)) {
        log->box->table_line = log->number;
        log->box->needs_rule = false;
        return false;
    }
    size_t count = frame.size ? framed_cells(line, frame, cells) : open_cells(line, 2, cells);
    name_counters(cells, count);
    if (count > 1 && is_header(cells, count)) {
        note_header(log, cells, count, false);
        return false;
    }
    count = frame.size ? count : open_cells(line, 1, cells);
    if (!frame.size && count > 1 && is_header(cells, count)) {
        note_header(log, cells, count, true);
        return false;
    }
    return count > 1 &&
           (take_row(log, cells, count) || (frame.size && take_twos(log, cells, count)));
}

// A box of settings may have a rate next to a count: without a loss only names that come again are
// of training.
static bool is_of_training(Box *box)
{
    bool again = box->count == box->setting_count;
    for (size_t i = 0; i < box->count; i++) {
        const Pair *pair = &box->pairs[i];
        if (pair->facts.loss || pair->facts.evaluation ||
            (pair->facts.measure && !pair->facts.core))
            return true;
        again = again && str_equal(box->settings[i], box->pairs[i].key);
    }
    for (size_t i = 0; i < box->count; i++)
        box->settings[i] = box->pairs[i].key;
    box->setting_count = box->count;
    return again;
}

void box_close(TrainLog *log)
{
    if (!log->box || log->box->count == 0 || frame_of(str_trim(log->line)).size)
        return;
    if (is_of_training(log->box))
        take_pairs(log, log->box->pairs, log->box->count);
    log->box->count = 0;
}
