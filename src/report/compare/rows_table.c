// SPDX-License-Identifier: Apache-2.0
#include "report/compare/rows_table.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "compare/mapping/row_name.h"
#include "compare/msprobe/msprobe_colour.h"
#include "compare/precheck_ops.h"
#include "read/json/json_python.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/rule_text.h"

enum { NAME_WIDTH = 48, SHAPE_WIDTH = 16, MESSAGE_WIDTH = 40, CELLS_MAX = 32, STACKS_KEPT = 64 };

// What decided about a row, for the colour of its cell.
typedef enum Decider {
    DECIDES_NOTHING,
    DECIDES_TARGET,
    DECIDES_GOLDEN,
    DECIDES_DTYPE,
    DECIDES_SHAPE,
    DECIDES_CHECKSUM,
    DECIDES_VALUE,
    DECIDES_ERROR
} Decider;

typedef struct RowSide {
    const Dump *dump;
    const Op *op;      // NULL without
    const Slot *slot;  // NULL without
    const MsprobeColumns *columns;
} RowSide;

// What one row is made from.
typedef struct RowSource {
    RowSide target, golden;
    bool first;  // of its op
    const MsprobeMetrics *metrics;
    Cell result;
    Str message;
    const SlotPair *pair;        // of the rules `vernier`, else NULL
    const PrecheckOp *precheck;  // or NULL
    Decider decider;
    MsprobeCell stats[2][STAT_COUNT];  // of target and golden
    MsprobeDifference differences[STAT_COUNT];
} RowSource;

// Ops of one place in the code share a stack: its text, and whose it is.
typedef struct StackText {
    const StackFrames *frames;  // NULL: none yet
    StrBuf text;
} StackText;

// Where the texts of the row given last live.
typedef struct RowTexts {
    char numbers[CELLS_MAX][MSPROBE_TEXT_BYTES];
    StrBuf golden_name, target_name, said, message, files;
    StackText stacks[STACKS_KEPT];
} RowTexts;

typedef struct RowsState {
    RowSide golden, target;  // without op and slot
    Stacks *stacks;
    const Comparison *comparison;  // one of the two
    const MsprobeComparison *msprobe;
    const MsprobeMetrics *metrics;
    CompareMode mode;
    Rules rules;
    bool only_differing, has_stack;
    bool only_styles;  // of the row at work: its texts are not made
    size_t column_count;
    size_t at;      // next row of msProbe, or next op of the comparison
    uint32_t slot;  // next slot of that op
    RowTexts *texts;
} RowsState;

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
    for (int rule = 0; rule < MSPROBE_RULE_COUNT; rule++)
        if (hits >> rule & 1)
            add_json_text(text, str_of(tr(msprobe_rules[rule].text)));
    strbuf_add_char(text, ']');
    return strbuf_str(text);
}

// Free text, a reason a line; each reason once, where msProbe repeats it for every input.
static Str notes_text(StrBuf *text, uint32_t hits)
{
    text->size = 0;
    for (int note = 0; note < MSPROBE_NOTE_COUNT; note++)
        if (hits >> note & 1) {
            strbuf_add(text, text->size ? STR("\n") : STR(""));
            strbuf_add(text, str_of(tr(msprobe_notes[note].text)));
        }
    return strbuf_str(text);
}

Str row_rule_message(const Comparison *comparison, const OpPair *op, const SlotPair *pair,
                     StrBuf *said, StrBuf *text)
{
    text->size = 0;
    strbuf_add_char(text, '[');
    Str of_slot = rule_text_of_slot(comparison, pair, said);
    if (of_slot.size)
        add_json_text(text, of_slot);
    Str of_op = op ? rule_text_of_op(op, said) : STR("");
    if (of_op.size)
        add_json_text(text, of_op);
    strbuf_add_char(text, ']');
    return strbuf_str(text);
}

Str row_msprobe_message(const MsprobeComparison *msprobe, const MsprobeRow *row, StrBuf *text)
{
    return msprobe->rules == RULES_MSPROBE8 ? notes_text(text, row->hits)
                                            : rules_text(text, row->hits);
}

// ---- cells of any rules

static Str name_or_none(const Dump *dump, NameId name)
{
    return name == NAME_NONE ? STR("None") : names_text(dump->names, name);
}

static Cell name_cell(const RowsState *state, const RowSide *side, StrBuf *text)
{
    if (state->only_styles)
        return (Cell){0};
    return cell_text(side->slot ? row_name(side->dump, side->op, side->slot, text) : STR("N/A"));
}

static Cell dtype_cell(const RowSide *side)
{
    return cell_text(side->slot ? name_or_none(side->dump, side->slot->dtype) : STR("N/A"));
}

static Cell shape_cell(const RowSide *side)
{
    return cell_text(side->slot ? name_or_none(side->dump, side->slot->shape) : STR("N/A"));
}

static Str grad_text(const RowSide *side)
{
    return str_of(msprobe_requires_grad(side->slot));
}

// Numbers stay numbers unless `as_text`: generation 26 writes its differences as texts.
static Cell cell_of_msprobe(const Row *row, const MsprobeCell *cell, bool as_text)
{
    const RowsState *state = row->view;
    if (state->only_styles)
        return (Cell){0};
    if (!as_text && cell->kind == MSPROBE_REAL && isfinite(cell->number))
        return cell_number(cell->number);  // who shows it prints it the same; a workbook does not
    if (cell->kind == MSPROBE_PERCENT && isfinite(cell->number))
        return (Cell){.kind = CELL_PERCENT, .number = cell->number};
    Str text = msprobe_cell_text(cell, state->texts->numbers[row->at]);
    double number;
    if (cell->kind == MSPROBE_BOOL)
        return cell_bool(cell->integer != 0);
    if (!as_text && msprobe_is_number(cell, &number) && isfinite(number))
        return cell_number_as(number, text);
    return cell_text(text);
}

static Cell metric_cell(const Row *row, const MsprobeMetrics *metrics, size_t metric)
{
    static const MsprobeCell unsupported = {.kind = MSPROBE_UNSUPPORTED};
    return cell_of_msprobe(row, metrics ? &metrics->cells[metric] : &unsupported, false);
}

static Cell checksum_cell(const Row *row, const RowSide *side)
{
    const RowsState *state = row->view;
    Str text = side->slot ? msprobe_checksum(side->dump, side->slot, state->texts->numbers[row->at])
                          : STR("");
    return cell_text(text.size ? text : STR("N/A"));
}

static void subtract(const RowsState *state, RowSource *source)
{
    static const MsprobeFormula formulas[] = {[RULES_VERNIER] = MSPROBE_FORMULA_VERNIER,
                                              [RULES_MSPROBE26] = MSPROBE_FORMULA_26,
                                              [RULES_MSPROBE8] = MSPROBE_FORMULA_8};
    const MsprobeColumns *golden = source->golden.columns, *target = source->target.columns;
    for (int i = 0; i < STAT_COUNT; i++) {
        MsprobeCell *n = &source->stats[0][i], *b = &source->stats[1][i];
        *n = msprobe_stat(source->target.dump, target, source->target.slot, (Stat)i);
        *b = msprobe_stat(source->golden.dump, golden, source->golden.slot, (Stat)i);
        bool integers = golden ? golden->integer[i] && target->integer[i]
                               : n->kind == MSPROBE_INT && b->kind == MSPROBE_INT;
        if (state->mode != MODE_TENSOR)
            source->differences[i] = msprobe_difference(formulas[state->rules], n, b, integers);
    }
}

static void write_stack(const StackFrames *frames, StrBuf *text)
{
    text->size = 0;
    strbuf_add_char(text, '[');
    for (uint32_t i = 0; i < frames->count; i++) {
        strbuf_add(text, i ? STR(", ") : STR(""));
        python_string(frames->frames[i], text);
    }
    strbuf_add_char(text, ']');
}

// The stack as Python prints a list of texts.
static Str stack_text(const RowsState *state, const RowSource *source)
{
    const StackFrames *frames = NULL;
    if (source->first && source->target.op && !state->only_styles)
        frames = stacks_find(state->stacks, source->target.op->name);
    if (!frames)
        return STR("N/A");
    StackText *kept = &state->texts->stacks[frames->group % STACKS_KEPT];
    if (kept->frames != frames)
        write_stack(frames, &kept->text);
    kept->frames = frames;
    return strbuf_str(&kept->text);
}

static void add_file(const RowSide *side, StrBuf *text)
{
    if (!side->slot)
        strbuf_add(text, STR("'N/A'"));
    else
        python_string(side->slot->data_name == NAME_NONE
                          ? STR("-1")
                          : names_text(side->dump->names, side->slot->data_name),
                      text);
}

static Str files_text(const RowsState *state, const RowSource *source)
{
    StrBuf *text = &state->texts->files;
    text->size = 0;
    strbuf_add_char(text, '[');
    add_file(&source->target, text);
    strbuf_add(text, STR(", "));
    add_file(&source->golden, text);
    strbuf_add_char(text, ']');
    return strbuf_str(text);
}

// ---- what the judge of the rules `vernier` went by

static Str metric_text(const SlotPair *pair)
{
    static const char *const words[] = {
        [METRIC_NONE] = "N/A",          [METRIC_NORM] = "norm",        [METRIC_MAX] = "max",
        [METRIC_MIN] = "min",           [METRIC_MEAN] = "mean",        [METRIC_VALUE] = "value",
        [METRIC_CHECKSUM] = "checksum", [METRIC_ELEMENTS] = "elements"};
    bool equal = pair->reason == REASON_NONE && pair->error == 0;
    if (equal || pair->status == STATUS_NO_DATA || pair->status == STATUS_UNMATCHED)
        return STR("N/A");
    return pair->reason == REASON_DTYPE   ? STR("dtype")
           : pair->reason == REASON_SHAPE ? STR("shape")
                                          : str_of(words[pair->metric]);
}

// NaN where no number decided.
static double deciding_error(const SlotPair *pair)
{
    if (pair->status == STATUS_NO_DATA || pair->status == STATUS_UNMATCHED ||
        pair->reason == REASON_DTYPE || pair->reason == REASON_SHAPE ||
        pair->metric == METRIC_NONE || pair->metric == METRIC_CHECKSUM)
        return (double)NAN;
    return pair->reason == REASON_NONFINITE ? (double)INFINITY : pair->error;
}

// NaN where the error was compared with none: nothing differs, or an argument does.
static double deciding_floor(const SlotPair *pair)
{
    double error = deciding_error(pair);
    bool held = error > 0 && pair->reason != REASON_NONFINITE && pair->metric != METRIC_VALUE;
    return held ? (double)pair->floor : (double)NAN;
}

static Cell judged_cell(const Row *row, double value, int digits)
{
    const RowsState *state = row->view;
    char *text = state->texts->numbers[row->at];
    if (state->only_styles)
        return (Cell){0};
    if (isnan(value))
        return cell_text(STR("N/A"));
    if (digits == 0 || !isfinite(value))
        return cell_number(value);
    number_significant(value, digits, text);
    return cell_number_as(value, str_of(text));
}

static Decider decider_of(const RowsState *state, const SlotPair *pair)
{
    if (pair->status == STATUS_UNMATCHED)
        return pair->target == SLOT_NONE ? DECIDES_GOLDEN : DECIDES_TARGET;
    if (pair->status != STATUS_WARNING && pair->status != STATUS_ERROR)
        return DECIDES_NOTHING;
    if (pair->reason == REASON_DTYPE)
        return DECIDES_DTYPE;
    if (pair->reason == REASON_SHAPE)
        return DECIDES_SHAPE;
    if (!isnan(deciding_error(pair)))
        return DECIDES_ERROR;
    return state->mode == MODE_CHECKSUM ? DECIDES_CHECKSUM : DECIDES_VALUE;
}

// ---- columns

static Cell marked(const RowSource *source, Decider decider, Cell cell)
{
    return source->decider == decider ? cell_in(cell, source->result.style) : cell;
}

#define PLAIN(row, title, width, ...) ROW_COLUMN(row, STR(title), width, false, __VA_ARGS__)

static void head_columns(Row *row)
{
    const RowsState *state = row->view;
    const RowSource *it = row->item;
    PLAIN(row, "NPU Name", NAME_WIDTH,
          marked(it, DECIDES_TARGET, name_cell(state, &it->target, &state->texts->target_name)));
    PLAIN(row, "Bench Name", NAME_WIDTH,
          marked(it, DECIDES_GOLDEN, name_cell(state, &it->golden, &state->texts->golden_name)));
    PLAIN(row, "NPU Dtype", SHAPE_WIDTH, marked(it, DECIDES_DTYPE, dtype_cell(&it->target)));
    PLAIN(row, "Bench Dtype", SHAPE_WIDTH, dtype_cell(&it->golden));
    PLAIN(row, "NPU Tensor Shape", SHAPE_WIDTH, marked(it, DECIDES_SHAPE, shape_cell(&it->target)));
    PLAIN(row, "Bench Tensor Shape", SHAPE_WIDTH, shape_cell(&it->golden));
    PLAIN(row, "NPU Requires_grad", SHAPE_WIDTH, cell_text(grad_text(&it->target)));
    PLAIN(row, "Bench Requires_grad", SHAPE_WIDTH, cell_text(grad_text(&it->golden)));
}

// Statistics of the target, then of golden; the first stands for the value of an argument.
static Cell stat_cell(const Row *row, const RowSource *source, size_t index)
{
    Cell cell = cell_of_msprobe(row, &source->stats[index / STAT_COUNT][index % STAT_COUNT], false);
    return index == 0 ? marked(source, DECIDES_VALUE, cell) : cell;
}

static void value_columns(Row *row)
{
    static const char *const differences[] = {"Max diff", "Min diff", "Mean diff", "L2norm diff"};
    static const char *const relatives[] = {"MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr",
                                            "NormRelativeErr"};
    static const char *const stats[2][STAT_COUNT] = {
        {"NPU max", "NPU min", "NPU mean", "NPU l2norm"},
        {"Bench max", "Bench min", "Bench mean", "Bench l2norm"}};
    const RowsState *state = row->view;
    const RowSource *it = row->item;
    bool tensor = state->mode == MODE_TENSOR, as_text = state->rules == RULES_MSPROBE26;
    for (size_t i = 0; tensor && i < ELEMENT_METRICS; i++)
        ROW_COLUMN(row, str_of(element_metric_text((ElementMetric)i)), SHAPE_WIDTH, true,
                   metric_cell(row, it->metrics, i));
    for (size_t i = 0; !tensor && i < STAT_COUNT; i++)
        ROW_COLUMN(row, str_of(differences[i]), SHAPE_WIDTH, true,
                   cell_of_msprobe(row, &it->differences[i].difference, as_text));
    for (size_t i = 0; !tensor && i < STAT_COUNT; i++)
        ROW_COLUMN(row, str_of(relatives[i]), SHAPE_WIDTH, true,
                   cell_of_msprobe(row, &it->differences[i].relative, as_text));
    size_t first = row->count;
    for (size_t i = 0; i < 2 * STAT_COUNT; i++)
        ROW_COLUMN(row, str_of(stats[i / STAT_COUNT][i % STAT_COUNT]), SHAPE_WIDTH, true,
                   stat_cell(row, it, i));
    for (size_t i = first; !row->cells && i < row->count; i++)
        row->columns[i].folded = true;
}

static Cell precheck_cell(const PrecheckOp *of)
{
    if (!of)
        return cell_text(STR("N/A"));
    return precheck_fails(of)
               ? cell_styled(style_of_status(precheck_status(of->status), false), of->text)
               : cell_text(of->text);
}

// Those of msProbe in its order, then what the judge of the rules `vernier` went by. The relative
// errors of msProbe are relative to the value itself, the judge's to the scale of the tensor.
static void row_columns(Row *row)
{
    const RowsState *state = row->view;
    const RowSource *it = row->item;
    bool old = state->rules == RULES_MSPROBE8;
    head_columns(row);
    if (state->mode == MODE_CHECKSUM) {
        PLAIN(row, "NPU MD5", SHAPE_WIDTH,
              marked(it, DECIDES_CHECKSUM, checksum_cell(row, &it->target)));
        PLAIN(row, "BENCH MD5", SHAPE_WIDTH, checksum_cell(row, &it->golden));
    } else {
        value_columns(row);
    }
    PLAIN(row, "Requires_grad Consistent", 0,
          cell_bool(str_equal(grad_text(&it->target), grad_text(&it->golden))));
    ROW_COLUMN(row,
               old && state->mode == MODE_TENSOR ? STR("Accuracy Reached or Not") : STR("Result"),
               0, false, it->result);
    if (!old || state->mode != MODE_CHECKSUM)
        PLAIN(row, "Err_message", MESSAGE_WIDTH, cell_text(it->message));
    if (state->has_stack)
        PLAIN(row, "NPU_Stack_Info", MESSAGE_WIDTH, cell_text(stack_text(state, it)));
    if (state->mode == MODE_TENSOR)
        PLAIN(row, "Data_name", MESSAGE_WIDTH, cell_text(files_text(state, it)));
    if (state->rules != RULES_VERNIER)
        return;
    PLAIN(row, "Deciding metric", SHAPE_WIDTH, cell_text(metric_text(it->pair)));
    ROW_COLUMN(row, STR("Deciding error"), SHAPE_WIDTH, true,
               marked(it, DECIDES_ERROR, judged_cell(row, deciding_error(it->pair), 0)));
    if (!row->cells)
        row->columns[row->count - 1].bar = true;
    ROW_COLUMN(row, STR("Noise floor"), SHAPE_WIDTH, true,
               judged_cell(row, deciding_floor(it->pair), 6));
    if (state->comparison->precheck)
        PLAIN(row, "Pre-check", MESSAGE_WIDTH, precheck_cell(it->precheck));
}

static void fill(const RowsState *state, RowSource *source, Cell *cells)
{
    if (state->mode != MODE_CHECKSUM && !state->only_styles)
        subtract(state, source);
    columns_fill(row_columns, state, NULL, source, cells);
}

// ---- rows of msProbe

static const char *const status_words[STATUS_COUNT] = {
    [STATUS_NO_DATA] = "no data", [STATUS_SAME] = "pass",   [STATUS_PASS] = "pass",
    [STATUS_WARNING] = "warning", [STATUS_ERROR] = "error", [STATUS_UNMATCHED] = "unmatched"};

static CellStyle style_of_colour(MsprobeColour colour)
{
    return colour == COLOUR_RED      ? STYLE_MSPROBE_RED
           : colour == COLOUR_YELLOW ? STYLE_MSPROBE_YELLOW
                                     : STYLE_PLAIN;
}

static bool next_msprobe_row(void *data, Cell *cells)
{
    RowsState *state = data;
    const MsprobeRows *rows = &state->msprobe->rows;
    while (state->at < rows->count && state->only_differing &&
           rows->items[state->at].status <= STATUS_PASS)
        state->at++;
    if (state->at >= rows->count)
        return false;
    const MsprobeRow *row = &rows->items[state->at];
    bool old = state->rules == RULES_MSPROBE8;
    RowSource source = {.target = state->target,
                        .golden = state->golden,
                        .first = row->first,
                        .metrics = state->metrics ? &state->metrics[state->at] : NULL,
                        .message =
                            row_msprobe_message(state->msprobe, row, &state->texts->message)};
    source.target.op = &rows->target->ops[row->op];
    source.target.slot = &rows->target->slots[row->target];
    if (row->golden != SLOT_NONE) {
        source.golden.op = &rows->golden->ops[row->golden_op];
        source.golden.slot = &rows->golden->slots[row->golden];
    }
    source.result = cell_text(str_of(old ? msprobe_result_8(rows, row, state->mode, source.metrics)
                                         : status_words[row->status]));
    fill(state, &source, cells);
    for (size_t i = 0; old && i < state->column_count; i++)
        cells[i].style = style_of_colour(row->colour);
    state->at++;
    return true;
}

// ---- rows of the default rules

// An op without partner has no slot pairs; its rows are its own slots.
static uint32_t rows_of_op(const RowsState *state, const OpPair *op)
{
    if (op->golden == OP_NONE)
        return state->target.dump->ops[op->target].slot_count;
    if (op->target == OP_NONE)
        return state->golden.dump->ops[op->golden].slot_count;
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
        pair.target = state->target.dump->ops[op->target].first_slot + index;
    else
        pair.golden = state->golden.dump->ops[op->golden].first_slot + index;
    return pair;
}

static RowSource source_of(const RowsState *state, const OpPair *op, const SlotPair *pair)
{
    CellStyle style = style_of_status((Status)pair->status, op->inherited);
    RowSource source = {.target = state->target,
                        .golden = state->golden,
                        .first = state->slot == 0,
                        .pair = pair,
                        .precheck = precheck_of_op(state->comparison, op),
                        .decider = decider_of(state, pair),
                        .result = cell_styled(style, str_of(status_words[pair->status])),
                        .message = row_rule_message(state->comparison, op, pair,
                                                    &state->texts->said, &state->texts->message)};
    if (pair->golden != SLOT_NONE) {
        source.golden.op = &state->golden.dump->ops[op->golden];
        source.golden.slot = &state->golden.dump->slots[pair->golden];
    }
    if (pair->target != SLOT_NONE) {
        source.target.op = &state->target.dump->ops[op->target];
        source.target.slot = &state->target.dump->slots[pair->target];
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
            // Of an op with a partner the pair itself: what vouches for it is found by its place.
            bool kept = op_has_both(op);
            RowSource source = source_of(
                state, op, kept ? &comparison->slots[op->first_slot + state->slot] : &pair);
            fill(state, &source, cells);
            state->slot++;
            return true;
        }
        state->slot++;
    }
    return false;
}

// ---- tables

static bool next_styles(void *data, Cell *cells)
{
    RowsState *state = data;
    state->only_styles = true;
    bool more = state->msprobe ? next_msprobe_row(state, cells) : next_row(state, cells);
    state->only_styles = false;
    return more;
}

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
    RowTexts *texts = ARENA_NEW(arena, RowTexts);
    *state = (RowsState){.golden = {.dump = golden->dump},
                         .target = {.dump = target->dump},
                         .stacks = target->stacks,
                         .rules = rules,
                         .mode = mode,
                         .has_stack = target->stacks && stacks_exist(target->stacks),
                         .texts = texts};
    StrBuf *buffers[] = {&texts->golden_name, &texts->target_name, &texts->said, &texts->message,
                         &texts->files};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        *buffers[i] = strbuf_new(arena);
    for (size_t i = 0; i < STACKS_KEPT; i++)
        texts->stacks[i].text = strbuf_new(arena);
    return state;
}

static void finish(Table *table, RowsState *state, const RowsTableOptions *options,
                   uint64_t row_count, Arena *arena)
{
    state->only_differing = options->only_differing;
    *table = (Table){.name = str_of(options->name),
                     .columns = columns_heads(row_columns, state, arena, &state->column_count),
                     .row_count = options->only_differing ? UINT64_MAX : row_count,
                     .freeze = true,
                     .next = state->msprobe ? next_msprobe_row : next_row,
                     .next_styles = next_styles,
                     .rewind = rewind_rows,
                     .state = state};
    table->column_count = state->column_count;
    if (options->only_differing)
        table->note = str_of(tr("only rows that differ; --all-rows writes all"));
}

void rows_table_of_comparison(Table *table, const Comparison *comparison,
                              const MsprobeMetrics *metrics, const RowsTableOptions *options,
                              Arena *arena)
{
    RowsState *state =
        start(comparison->golden, comparison->target, RULES_VERNIER, comparison->mode, arena);
    state->comparison = comparison;
    state->metrics = metrics;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++)
        rows += rows_of_op(state, &comparison->ops[i]);
    finish(table, state, options, rows, arena);
}

void rows_table_of_msprobe(Table *table, const MsprobeComparison *msprobe,
                           const RowsTableOptions *options, Arena *arena)
{
    RowsState *state =
        start(msprobe->golden, msprobe->target, msprobe->rules, msprobe->mode, arena);
    state->msprobe = msprobe;
    state->metrics = msprobe->metrics;
    state->golden.columns = &msprobe->golden_columns;
    state->target.columns = &msprobe->target_columns;
    finish(table, state, options, msprobe->rows.count, arena);
}
