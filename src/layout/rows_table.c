// SPDX-License-Identifier: Apache-2.0
#include "layout/rows_table.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "compare/peer_colour.h"
#include "layout/compare_tables.h"
#include "read/json_python.h"

// ---- columns

typedef enum RowColumn {
    COLUMN_TARGET_NAME,
    COLUMN_GOLDEN_NAME,
    COLUMN_TARGET_DTYPE,
    COLUMN_GOLDEN_DTYPE,
    COLUMN_TARGET_SHAPE,
    COLUMN_GOLDEN_SHAPE,
    COLUMN_TARGET_GRAD,
    COLUMN_GOLDEN_GRAD,
    COLUMN_DIFFERENCE,  // the first of eight, the six metrics, or the two checksums
    COLUMN_COUNT_MAX = 28
} RowColumn;

static const char *const head_titles[] = {
    "NPU Name",         "Bench Name",         "NPU Dtype",         "Bench Dtype",
    "NPU Tensor Shape", "Bench Tensor Shape", "NPU Requires_grad", "Bench Requires_grad"};
static const char *const difference_titles[] = {
    "Max diff",       "Min diff",       "Mean diff",       "L2norm diff",
    "MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr"};
static const char *const metric_titles[] = {"Cosine",
                                            "EucDist",
                                            "MaxAbsErr",
                                            "MaxRelativeErr",
                                            "One Thousandth Err Ratio",
                                            "Five Thousandths Err Ratio"};
static const char *const checksum_titles[] = {"NPU MD5", "BENCH MD5"};
static const char *const stat_titles[] = {"NPU max",   "NPU min",   "NPU mean",   "NPU l2norm",
                                          "Bench max", "Bench min", "Bench mean", "Bench l2norm"};

enum { NAME_WIDTH = 48, SHAPE_WIDTH = 16, MESSAGE_WIDTH = 40 };

// What one row is made from.
typedef struct RowSource {
    const Op *golden_op, *target_op;  // NULL without
    const Slot *golden, *target;
    bool first;  // of its op
    const PeerMetrics *metrics;
} RowSource;

typedef struct RowsState {
    const Dump *golden, *target;
    Stacks *stacks;
    const Comparison *comparison;  // one of the two
    const PeerComparison *peer;
    const PeerMetrics *metrics;
    CompareMode mode;
    Rules rules;
    bool only_differing, has_stack;
    PeerColumns golden_columns, target_columns;
    bool has_columns;
    Column *columns;
    size_t column_count;
    size_t message_column, result_column;
    size_t at;      // next row of the peer, or next op of the comparison
    uint32_t slot;  // next slot of that op
    char numbers[COLUMN_COUNT_MAX][PEER_TEXT_BYTES];
    StrBuf golden_name, target_name, message, stack, files;
} RowsState;

static void add_column(RowsState *state, const char *title, double width, bool number)
{
    state->columns[state->column_count++] =
        (Column){.title = str_of(title), .width = width, .number = number};
}

static void add_columns(RowsState *state, const char *const *titles, size_t count, double width,
                        bool number)
{
    for (size_t i = 0; i < count; i++)
        add_column(state, titles[i], width, number);
}

static void list_columns(RowsState *state)
{
    add_columns(state, head_titles, 2, NAME_WIDTH, false);
    add_columns(state, head_titles + 2, 6, SHAPE_WIDTH, false);
    if (state->mode == MODE_CHECKSUM)
        add_columns(state, checksum_titles, 2, SHAPE_WIDTH, false);
    else if (state->mode == MODE_TENSOR)
        add_columns(state, metric_titles, PEER_METRIC_COUNT, SHAPE_WIDTH, true);
    else
        add_columns(state, difference_titles, 8, SHAPE_WIDTH, true);
    if (state->mode != MODE_CHECKSUM)
        add_columns(state, stat_titles, 8, SHAPE_WIDTH, true);
    add_column(state, "Requires_grad Consistent", 0, false);
    state->result_column = state->column_count;
    bool accuracy = state->rules == RULES_MSPROBE8 && state->mode == MODE_TENSOR;
    add_column(state, accuracy ? "Accuracy Reached or Not" : "Result", 0, false);
    state->message_column = state->column_count;
    if (state->rules != RULES_MSPROBE8 || state->mode != MODE_CHECKSUM)
        add_column(state, "Err_message", MESSAGE_WIDTH, false);
    if (state->has_stack)
        add_column(state, "NPU_Stack_Info", MESSAGE_WIDTH, false);
    if (state->mode == MODE_TENSOR)
        add_column(state, "Data_name", MESSAGE_WIDTH, false);
}

// ---- cells of any rules

static Str name_or_none(const Dump *dump, NameId name)
{
    return name == NAME_NONE ? STR("None") : names_text(dump->names, name);
}

static Cell text_of(const Dump *dump, const Slot *slot, NameId name)
{
    return cell_text(slot ? name_or_none(dump, name) : STR("N/A"));
}

// Numbers stay numbers unless `as_text`: generation 26 writes its differences as texts.
static Cell cell_of_peer(RowsState *state, size_t column, const PeerCell *cell, bool as_text)
{
    Str text = peer_cell_text(cell, state->numbers[column]);
    double number;
    if (cell->kind == PEER_BOOL)
        return cell_bool(cell->integer != 0);
    if (!as_text && peer_is_number(cell, &number) && isfinite(number))
        return cell_number_as(number, text);
    return cell_text(text);
}

static void fill_head(RowsState *state, const RowSource *row, Cell *cells)
{
    Str none = STR("N/A");
    cells[COLUMN_TARGET_NAME] = cell_text(
        row->target ? peer_row_name(state->target, row->target_op, row->target, &state->target_name)
                    : none);
    cells[COLUMN_GOLDEN_NAME] = cell_text(
        row->golden ? peer_row_name(state->golden, row->golden_op, row->golden, &state->golden_name)
                    : none);
    NameId dtype = row->target ? row->target->dtype : NAME_NONE;
    NameId shape = row->target ? row->target->shape : NAME_NONE;
    cells[COLUMN_TARGET_DTYPE] = text_of(state->target, row->target, dtype);
    cells[COLUMN_TARGET_SHAPE] = text_of(state->target, row->target, shape);
    dtype = row->golden ? row->golden->dtype : NAME_NONE;
    shape = row->golden ? row->golden->shape : NAME_NONE;
    cells[COLUMN_GOLDEN_DTYPE] = text_of(state->golden, row->golden, dtype);
    cells[COLUMN_GOLDEN_SHAPE] = text_of(state->golden, row->golden, shape);
    cells[COLUMN_TARGET_GRAD] = cell_text(str_of(peer_requires_grad(row->target)));
    cells[COLUMN_GOLDEN_GRAD] = cell_text(str_of(peer_requires_grad(row->golden)));
}

static void fill_differences(RowsState *state, const RowSource *row, Cell *cells)
{
    const PeerColumns *golden = state->has_columns ? &state->golden_columns : NULL;
    const PeerColumns *target = state->has_columns ? &state->target_columns : NULL;
    static const PeerFormula formulas[] = {[RULES_VERNIER] = PEER_FORMULA_VERNIER,
                                           [RULES_MSPROBE26] = PEER_FORMULA_26,
                                           [RULES_MSPROBE8] = PEER_FORMULA_8};
    PeerFormula formula = formulas[state->rules];
    bool as_text = state->rules == RULES_MSPROBE26;
    for (int i = 0; i < STAT_COUNT; i++) {
        PeerCell n = peer_stat(state->target, target, row->target, (Stat)i);
        PeerCell b = peer_stat(state->golden, golden, row->golden, (Stat)i);
        bool integers = golden ? golden->integer[i] && target->integer[i]
                               : n.kind == PEER_INT && b.kind == PEER_INT;
        PeerDifference both = peer_difference(formula, &n, &b, integers);
        size_t column = COLUMN_DIFFERENCE + (size_t)i;
        cells[column] = cell_of_peer(state, column, &both.difference, as_text);
        column += STAT_COUNT;
        cells[column] = cell_of_peer(state, column, &both.relative, as_text);
    }
}

static void fill_metrics(RowsState *state, const RowSource *row, Cell *cells)
{
    static const PeerCell unsupported = {.kind = PEER_UNSUPPORTED};
    for (size_t i = 0; i < PEER_METRIC_COUNT; i++) {
        const PeerCell *cell = row->metrics ? &row->metrics->cells[i] : &unsupported;
        cells[COLUMN_DIFFERENCE + i] = cell_of_peer(state, COLUMN_DIFFERENCE + i, cell, false);
    }
}

static void fill_statistics(RowsState *state, const RowSource *row, size_t column, Cell *cells)
{
    const PeerColumns *golden = state->has_columns ? &state->golden_columns : NULL;
    const PeerColumns *target = state->has_columns ? &state->target_columns : NULL;
    for (int i = 0; i < STAT_COUNT; i++, column++) {
        PeerCell n = peer_stat(state->target, target, row->target, (Stat)i);
        PeerCell b = peer_stat(state->golden, golden, row->golden, (Stat)i);
        cells[column] = cell_of_peer(state, column, &n, false);
        cells[column + STAT_COUNT] = cell_of_peer(state, column + STAT_COUNT, &b, false);
    }
}

static Str checksum_text(const Dump *dump, const Slot *slot, char *buffer)
{
    Str text = slot ? peer_checksum(dump, slot, buffer) : (Str){NULL, 0};
    return text.size ? text : STR("N/A");
}

static void fill_checksums(RowsState *state, const RowSource *row, Cell *cells)
{
    size_t column = COLUMN_DIFFERENCE;
    cells[column] = cell_text(checksum_text(state->target, row->target, state->numbers[column]));
    column++;
    cells[column] = cell_text(checksum_text(state->golden, row->golden, state->numbers[column]));
}

// The stack as Python prints a list of texts.
static Str stack_text(RowsState *state, const RowSource *row)
{
    const StackFrames *frames = NULL;
    if (row->first && row->target_op)
        frames = stacks_find(state->stacks, row->target_op->name);
    if (!frames)
        return STR("N/A");
    StrBuf *text = &state->stack;
    text->size = 0;
    strbuf_add_char(text, '[');
    for (uint32_t i = 0; i < frames->count; i++) {
        strbuf_add(text, i ? STR(", ") : STR(""));
        python_string(frames->frames[i], text);
    }
    strbuf_add_char(text, ']');
    return strbuf_str(text);
}

static void add_file(const Dump *dump, const Slot *slot, StrBuf *text)
{
    if (!slot)
        strbuf_add(text, STR("'N/A'"));
    else
        python_string(slot->data_name == NAME_NONE ? STR("-1")
                                                   : names_text(dump->names, slot->data_name),
                      text);
}

static Str files_text(RowsState *state, const RowSource *row)
{
    StrBuf *text = &state->files;
    text->size = 0;
    strbuf_add_char(text, '[');
    add_file(state->target, row->target, text);
    strbuf_add(text, STR(", "));
    add_file(state->golden, row->golden, text);
    strbuf_add_char(text, ']');
    return strbuf_str(text);
}

static bool consistent(const RowSource *row)
{
    return str_equal(str_of(peer_requires_grad(row->target)),
                     str_of(peer_requires_grad(row->golden)));
}

static void fill_row(RowsState *state, const RowSource *row, Cell *cells)
{
    fill_head(state, row, cells);
    size_t column = COLUMN_DIFFERENCE;
    if (state->mode == MODE_CHECKSUM) {
        fill_checksums(state, row, cells);
    } else if (state->mode == MODE_TENSOR) {
        fill_metrics(state, row, cells);
        column += PEER_METRIC_COUNT;
    } else {
        fill_differences(state, row, cells);
        column += 2 * STAT_COUNT;
    }
    if (state->mode != MODE_CHECKSUM)
        fill_statistics(state, row, column, cells);
    cells[state->result_column - 1] = cell_bool(consistent(row));
    column = state->message_column;
    if (state->rules != RULES_MSPROBE8 || state->mode != MODE_CHECKSUM)
        column++;
    if (state->has_stack)
        cells[column++] = cell_text(stack_text(state, row));
    if (state->mode == MODE_TENSOR)
        cells[column] = cell_text(files_text(state, row));
}

// ---- messages

static void add_json_text(StrBuf *text, Str words)
{
    strbuf_add(text, text->size > 1 ? STR(", \"") : STR("\""));
    for (size_t i = 0; i < words.size; i++) {
        if (words.data[i] == '"' || words.data[i] == '\\')
            strbuf_add_char(text, '\\');
        strbuf_add_char(text, words.data[i]);
    }
    strbuf_add_char(text, '"');
}

static Str rules_text(StrBuf *text, uint32_t hits)
{
    text->size = 0;
    strbuf_add_char(text, '[');
    for (int rule = 0; rule < PEER_RULE_COUNT; rule++)
        if (hits >> rule & 1)
            add_json_text(text, str_of(tr(peer_rules[rule].text)));
    strbuf_add_char(text, ']');
    return strbuf_str(text);
}

// Free text, a reason a line; each reason once, where the peer repeats it for every input.
static Str notes_text(StrBuf *text, uint32_t hits)
{
    text->size = 0;
    for (int note = 0; note < PEER_NOTE_COUNT; note++)
        if (hits >> note & 1) {
            strbuf_add(text, text->size ? STR("\n") : STR(""));
            strbuf_add(text, str_of(tr(peer_notes[note].text)));
        }
    return strbuf_str(text);
}

static const char *const reason_texts[] = {
    [REASON_NONE] = NULL,
    [REASON_UNMATCHED] = TR("only one side has this value"),
    [REASON_NONFINITE] = TR("NaN or Inf on one side only"),
    [REASON_DTYPE] = TR("the dtypes differ"),
    [REASON_SHAPE] = TR("the shapes differ"),
    [REASON_ARGUMENT] = TR("an argument differs"),
    [REASON_CHECKSUM] = TR("the checksums differ"),
    [REASON_STATISTIC] = TR("a statistic differs by more than noise explains"),
    [REASON_ELEMENTS] = TR("elements differ by more than noise explains"),
    [REASON_IGNORED] = TR("left out by the criteria"),
    [REASON_EXACT] = TR("a value that nothing computed differs"),
    [REASON_UNCOMPARABLE] = TR("cannot be compared"),
};

Str row_reason_message(Reason reason, StrBuf *text)
{
    text->size = 0;
    strbuf_add_char(text, '[');
    if (reason_texts[reason])
        add_json_text(text, str_of(tr(reason_texts[reason])));
    strbuf_add_char(text, ']');
    return strbuf_str(text);
}

Str row_peer_message(const PeerComparison *peer, const PeerRow *row, StrBuf *text)
{
    return peer->rules == RULES_MSPROBE8 ? notes_text(text, row->hits)
                                         : rules_text(text, row->hits);
}

// ---- rows of the peer

static const char *const status_words[STATUS_COUNT] = {
    [STATUS_NO_DATA] = "no data", [STATUS_SAME] = "pass",   [STATUS_PASS] = "pass",
    [STATUS_WARNING] = "warning", [STATUS_ERROR] = "error", [STATUS_UNMATCHED] = "unmatched"};

static void fill_verdict_8(RowsState *state, const PeerRow *row, const RowSource *source,
                           Cell *cells)
{
    cells[state->result_column] =
        cell_text(str_of(peer_result_8(&state->peer->rows, row, state->mode, source->metrics)));
    if (state->mode != MODE_CHECKSUM)
        cells[state->message_column] = cell_text(notes_text(&state->message, row->hits));
    CellStyle style = row->colour == COLOUR_RED      ? STYLE_PEER_RED
                      : row->colour == COLOUR_YELLOW ? STYLE_PEER_YELLOW
                                                     : STYLE_PLAIN;
    for (size_t i = 0; i < state->column_count; i++)
        cells[i].style = style;
}

static bool next_peer_row(void *data, Cell *cells)
{
    RowsState *state = data;
    const PeerRows *rows = &state->peer->rows;
    while (state->at < rows->count && state->only_differing &&
           rows->items[state->at].status <= STATUS_PASS)
        state->at++;
    if (state->at >= rows->count)
        return false;
    const PeerRow *row = &rows->items[state->at];
    RowSource source = {.target_op = &rows->target->ops[row->op],
                        .target = &rows->target->slots[row->target],
                        .first = row->first,
                        .metrics = state->metrics ? &state->metrics[state->at] : NULL};
    if (row->golden != SLOT_NONE) {
        source.golden_op = &rows->golden->ops[row->golden_op];
        source.golden = &rows->golden->slots[row->golden];
    }
    fill_row(state, &source, cells);
    if (state->rules == RULES_MSPROBE8) {
        fill_verdict_8(state, row, &source, cells);
    } else {
        cells[state->result_column] = cell_text(str_of(status_words[row->status]));
        cells[state->message_column] = cell_text(rules_text(&state->message, row->hits));
    }
    state->at++;
    return true;
}

// ---- rows of the default rules

// An op without partner has no slot pairs; its rows are its own slots.
static uint32_t rows_of_op(const RowsState *state, const OpPair *op)
{
    if (op->golden == OP_NONE)
        return state->target->ops[op->target].slot_count;
    if (op->target == OP_NONE)
        return state->golden->ops[op->golden].slot_count;
    return op->slot_count;
}

static SlotPair pair_at(const RowsState *state, const OpPair *op, uint32_t index)
{
    if (op->golden != OP_NONE && op->target != OP_NONE)
        return state->comparison->slots[op->first_slot + index];
    SlotPair pair = {.golden = SLOT_NONE,
                     .target = SLOT_NONE,
                     .status = STATUS_UNMATCHED,
                     .reason = REASON_UNMATCHED};
    if (op->target != OP_NONE)
        pair.target = state->target->ops[op->target].first_slot + index;
    else
        pair.golden = state->golden->ops[op->golden].first_slot + index;
    return pair;
}

// The cell that decided, besides Result; SIZE_MAX for none.
static size_t decisive_column(const RowsState *state, const SlotPair *pair)
{
    static const uint8_t stats[] = {[METRIC_NORM] = STAT_NORM,
                                    [METRIC_MAX] = STAT_MAX,
                                    [METRIC_MIN] = STAT_MIN,
                                    [METRIC_MEAN] = STAT_MEAN};
    if (pair->status == STATUS_UNMATCHED)
        return pair->target == SLOT_NONE ? COLUMN_GOLDEN_NAME : COLUMN_TARGET_NAME;
    if (pair->status != STATUS_WARNING && pair->status != STATUS_ERROR)
        return SIZE_MAX;
    if (pair->reason == REASON_DTYPE)
        return COLUMN_TARGET_DTYPE;
    if (pair->reason == REASON_SHAPE)
        return COLUMN_TARGET_SHAPE;
    if (state->mode == MODE_CHECKSUM)
        return COLUMN_DIFFERENCE;
    if (state->mode == MODE_TENSOR)
        return COLUMN_DIFFERENCE + (pair->metric == METRIC_ELEMENTS ? (size_t)PEER_MAX_RELATIVE
                                                                    : (size_t)PEER_METRIC_COUNT);
    if (pair->metric >= METRIC_NORM && pair->metric <= METRIC_MEAN)
        return COLUMN_DIFFERENCE + STAT_COUNT + (size_t)stats[pair->metric];
    return COLUMN_DIFFERENCE + 2 * STAT_COUNT;
}

static void fill_status(RowsState *state, const OpPair *op, const SlotPair *pair, Cell *cells)
{
    CellStyle style = style_of_status((Status)pair->status, op->inherited);
    cells[state->result_column] = cell_styled(style, str_of(status_words[pair->status]));
    cells[state->message_column] =
        cell_text(row_reason_message((Reason)pair->reason, &state->message));
    size_t decisive = decisive_column(state, pair);
    if (decisive != SIZE_MAX)
        cells[decisive].style = style;
}

static RowSource source_of(const RowsState *state, const OpPair *op, const SlotPair *pair)
{
    RowSource source = {.first = state->slot == 0};
    if (pair->golden != SLOT_NONE) {
        source.golden_op = &state->golden->ops[op->golden];
        source.golden = &state->golden->slots[pair->golden];
    }
    if (pair->target != SLOT_NONE) {
        source.target_op = &state->target->ops[op->target];
        source.target = &state->target->slots[pair->target];
    }
    if (state->metrics && op->golden != OP_NONE && op->target != OP_NONE)
        source.metrics = &state->metrics[op->first_slot + state->slot];
    return source;
}

static bool next_row(void *data, Cell *cells)
{
    RowsState *state = data;
    const Comparison *comparison = state->comparison;
    while (state->at < comparison->op_count) {
        const OpPair *op = &comparison->ops[state->at];
        if (state->slot >= rows_of_op(state, op)) {
            state->at++;
            state->slot = 0;
            continue;
        }
        SlotPair pair = pair_at(state, op, state->slot);
        if (!state->only_differing || pair.status > STATUS_PASS) {
            RowSource source = source_of(state, op, &pair);
            fill_row(state, &source, cells);
            fill_status(state, op, &pair, cells);
            state->slot++;
            return true;
        }
        state->slot++;
    }
    return false;
}

// ---- tables

static void rewind_rows(void *data)
{
    RowsState *state = data;
    state->at = 0;
    state->slot = 0;
}

static RowsState *start(const Graph *golden, const Graph *target, Rules rules, CompareMode mode,
                        Arena *arena)
{
    RowsState *state = ARENA_NEW(arena, RowsState);
    *state = (RowsState){.golden = golden->dump,
                         .target = target->dump,
                         .stacks = target->stacks,
                         .rules = rules,
                         .mode = mode,
                         .has_stack = target->stacks && stacks_exist(target->stacks)};
    StrBuf *buffers[] = {&state->golden_name, &state->target_name, &state->message, &state->stack,
                         &state->files};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        strbuf_init(buffers[i], arena);
    state->columns = ARENA_ARRAY(arena, Column, COLUMN_COUNT_MAX);
    list_columns(state);
    return state;
}

static void finish(Table *table, RowsState *state, const RowsTableOptions *options,
                   uint64_t row_count)
{
    state->only_differing = options->only_differing;
    *table = (Table){.name = str_of(options->name),
                     .columns = state->columns,
                     .column_count = state->column_count,
                     .row_count = options->only_differing ? UINT64_MAX : row_count,
                     .freeze = true,
                     .next = state->peer ? next_peer_row : next_row,
                     .rewind = rewind_rows,
                     .state = state};
    if (options->only_differing)
        table->note = str_of(tr("only rows that differ; --all-rows writes all"));
}

void rows_table_of_comparison(Table *table, const Comparison *comparison,
                              const PeerMetrics *metrics, const RowsTableOptions *options,
                              Arena *arena)
{
    RowsState *state =
        start(comparison->golden, comparison->target, RULES_VERNIER, comparison->mode, arena);
    state->comparison = comparison;
    state->metrics = metrics;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++)
        rows += rows_of_op(state, &comparison->ops[i]);
    finish(table, state, options, rows);
}

void rows_table_of_peer(Table *table, const PeerComparison *peer, const RowsTableOptions *options,
                        Arena *arena)
{
    RowsState *state = start(peer->golden, peer->target, peer->rules, peer->mode, arena);
    state->peer = peer;
    state->metrics = peer->metrics;
    state->golden_columns = peer->golden_columns;
    state->target_columns = peer->target_columns;
    state->has_columns = true;
    finish(table, state, options, peer->rows.count);
}
