// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_verdict.h"

#include <math.h>

#include "base/words.h"
#include "compare/mapping/row_name.h"

enum {
    STATISTICS = 1 << MODE_STATISTICS,
    CHECKSUMS = 1 << MODE_CHECKSUM,
    TENSORS = 1 << MODE_TENSOR
};

#define EACH_ROW     TR("every row")
#define EACH_OUTPUT  TR("each output")
#define FIRST_OUTPUT TR("the first output")
#define MATCHED      TR("rows with a partner")
#define INPUTS       TR("inputs with a partner")

const MsprobeRuleInfo msprobe_rules[MSPROBE_RULE_COUNT] = {
    [MSPROBE_NONFINITE] =
        {"NONFINITE", STATUS_ERROR, STATISTICS | TENSORS,
         TR("error: Max or Min of the target is NaN or infinite, golden's are not"), EACH_ROW},
    [MSPROBE_NORMREL] =
        {"NORMREL", STATUS_ERROR, STATISTICS,
         TR("error: NormRelativeErr of the output is above 0.5, of all inputs below "
            "0.1"),
         EACH_OUTPUT},
    [MSPROBE_THOUSANDTH] = {"THOUSANDTH", STATUS_ERROR, TENSORS,
                            TR("error: One Thousandth Err Ratio of the inputs is above 0.9, of an "
                               "output below 0.1"),
                            FIRST_OUTPUT},
    [MSPROBE_REQGRAD] = {"REQGRAD", STATUS_ERROR, STATISTICS | TENSORS,
                         TR("error: requires_grad differs"), MATCHED},
    [MSPROBE_SCALAR] = {"SCALAR", STATUS_ERROR, STATISTICS | TENSORS,
                        TR("error: a scalar argument differs"), INPUTS},
    [MSPROBE_DTYPE] = {"DTYPE", STATUS_ERROR, STATISTICS | TENSORS, TR("error: the dtype differs"),
                       MATCHED},
    [MSPROBE_SHAPE] = {"SHAPE", STATUS_ERROR, STATISTICS | TENSORS, TR("error: the shape differs"),
                       MATCHED},
    [MSPROBE_NORM10X] = {"NORM10X", STATUS_WARNING, STATISTICS,
                         TR("warning: NormRelativeErr of the outputs is more than 10 times that of "
                            "the inputs"),
                         FIRST_OUTPUT},
    [MSPROBE_COSDROP] =
        {"COSDROP", STATUS_WARNING, TENSORS,
         TR("warning: Cosine of the inputs is above 0.9, of an output lower by more "
            "than 0.1"),
         FIRST_OUTPUT},
    [MSPROBE_CRC] = {"CRC", STATUS_ERROR, CHECKSUMS, TR("error: the checksum differs"), EACH_ROW},
    [MSPROBE_MD5MISS] = {"MD5MISS", STATUS_WARNING, CHECKSUMS,
                         TR("warning: one side has no checksum"), EACH_ROW},
};

MsprobeExempt msprobe_exempt(Str row_name)
{
    Str part = {NULL, 0};
    str_split(&row_name, '.', &part);
    if (!str_split(&row_name, '.', &part))
        return EXEMPT_NOTHING;
    part = str_slice(part, 0, str_find(part, STR("_rank"), 0));  // of merged ranks
    if (STR_IN(part, "empty", "empty_like", "numpy", "to", "__setitem__", "empty_with_format",
               "new_empty_strided", "new_empty", "empty_strided"))
        return EXEMPT_ALL;
    if (STR_IN(part, "_reduce_scatter_base", "_all_gather_base", "all_to_all_single",
               "batch_isend_irecv"))
        return EXEMPT_INPUTS;
    return EXEMPT_NOTHING;
}

// ---- the rules

// The extremes over inputs and outputs of one op. Cells that are no numbers are skipped.
typedef struct Extremes {
    double norm_in, norm_out;                // largest, from 0
    double thousandths_in, thousandths_out;  // smallest, from 1
    double cosine_in, cosine_out;
} Extremes;

static void lower(double *least, const MsprobeCell *cell)
{
    double value;
    if (msprobe_is_number(cell, &value) && value < *least)
        *least = value;
}

static void raise(double *most, const MsprobeCell *cell)
{
    double value;
    if (msprobe_fraction(cell, &value) && value > *most)
        *most = value;
}

static Extremes extremes_of(const MsprobeFacts *facts, size_t count)
{
    Extremes out = {0, 0, 1, 1, 1, 1};
    for (size_t i = 0; i < count; i++) {
        const MsprobeFacts *row = &facts[i];
        raise(row->output ? &out.norm_out : &out.norm_in, &row->norm_relative);
        lower(row->output ? &out.thousandths_out : &out.thousandths_in, &row->thousandths);
        lower(row->output ? &out.cosine_out : &out.cosine_in, &row->cosine);
    }
    return out;
}

// Single outputs also count an infinite relative error.
static bool norm_is_off(const MsprobeCell *cell)
{
    double value;
    if (msprobe_fraction(cell, &value))
        return value > 0.5;
    return cell->kind == MSPROBE_REAL && isinf(cell->number);
}

static uint32_t bit(bool hit, MsprobeRule rule)
{
    return hit ? UINT32_C(1) << rule : 0;
}

static uint32_t rules_of_row(const MsprobeFacts *row)
{
    return bit(row->nonfinite, MSPROBE_NONFINITE) | bit(row->requires_grad, MSPROBE_REQGRAD) |
           bit(row->scalar && !row->output, MSPROBE_SCALAR) | bit(row->dtype, MSPROBE_DTYPE) |
           bit(row->shape, MSPROBE_SHAPE) | bit(row->checksum == CHECKSUM_DIFFERS, MSPROBE_CRC) |
           bit(row->checksum == CHECKSUM_MISSING, MSPROBE_MD5MISS);
}

// Rules that weigh outputs against inputs.
static uint32_t rules_of_output(const MsprobeFacts *row, const Extremes *all, bool first)
{
    bool grew = (all->norm_in == 0 && all->norm_out > 0.1) ||
                (all->norm_in != 0 && all->norm_out / all->norm_in > 10);
    return bit(all->norm_in < 0.1 && norm_is_off(&row->norm_relative), MSPROBE_NORMREL) |
           bit(first && all->thousandths_in > 0.9 && all->thousandths_out < 0.1,
               MSPROBE_THOUSANDTH) |
           bit(first && grew, MSPROBE_NORM10X) |
           bit(first && all->cosine_in > 0.9 && all->cosine_in - all->cosine_out > 0.1,
               MSPROBE_COSDROP);
}

static uint32_t rules_of_mode(CompareMode mode)
{
    uint32_t mask = 0;
    for (int rule = 0; rule < MSPROBE_RULE_COUNT; rule++)
        if (msprobe_rules[rule].modes & (1u << mode))
            mask |= UINT32_C(1) << rule;
    return mask;
}

void msprobe_judge(const MsprobeFacts *facts, size_t count, CompareMode mode, MsprobeExempt exempt,
                   uint32_t *hits)
{
    Extremes all = extremes_of(facts, count);
    uint32_t mask = exempt == EXEMPT_ALL ? 0 : rules_of_mode(mode);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const MsprobeFacts *row = &facts[i];
        hits[i] = exempt == EXEMPT_INPUTS && !row->output ? 0 : rules_of_row(row);
        if (exempt == EXEMPT_INPUTS)
            hits[i] &= ~bit(true, MSPROBE_SCALAR);
        if (row->output && exempt != EXEMPT_INPUTS)
            hits[i] |= rules_of_output(row, &all, first);
        hits[i] &= mask;
        first = first && !row->output;
    }
}

Status msprobe_status(uint32_t hits)
{
    Status worst = STATUS_PASS;
    for (int rule = 0; rule < MSPROBE_RULE_COUNT; rule++)
        if ((hits >> rule & 1) && msprobe_rules[rule].level > worst)
            worst = msprobe_rules[rule].level;
    return worst;
}

// ---- the facts

static bool is_nonfinite(const MsprobeCell *cell)
{
    double value;
    if (cell->kind == MSPROBE_NAN)
        return true;
    if (cell->kind == MSPROBE_TEXT)
        return number_of_text(cell->text, &value) && !isfinite(value);
    return cell->kind == MSPROBE_REAL && isinf(cell->number);
}

static bool extremes_nonfinite(const Dump *dump, const Slot *slot)
{
    MsprobeCell max = msprobe_stat(dump, NULL, slot, STAT_MAX);
    MsprobeCell min = msprobe_stat(dump, NULL, slot, STAT_MIN);
    return is_nonfinite(&max) || is_nonfinite(&min);
}

static bool of_python_class(const Dump *dump, const Slot *slot)
{
    return str_find(names_text(dump->names, slot->dtype), STR("class"), 0) != SIZE_MAX;
}

// Both sides are values of Python classes, the target's has no extent, and they differ.
static bool scalar_differs(const MsprobeSides *sides, const Slot *golden, const Slot *target)
{
    if (!of_python_class(sides->target, target) || !of_python_class(sides->golden, golden) ||
        !str_equal(names_text(sides->target->names, target->shape), STR("[]")))
        return false;
    MsprobeCell n = msprobe_stat(sides->target, sides->target_columns, target, STAT_MAX);
    MsprobeCell b = msprobe_stat(sides->golden, sides->golden_columns, golden, STAT_MAX);
    return !msprobe_same_value(&n, &b);
}

void msprobe_facts_statistics(const MsprobeSides *sides, const Slot *golden, const Slot *target,
                              MsprobeFormula formula, MsprobeFacts *facts)
{
    facts->nonfinite = extremes_nonfinite(sides->target, target) &&
                       !(golden && extremes_nonfinite(sides->golden, golden));
    MsprobeCell n = msprobe_stat(sides->target, sides->target_columns, target, STAT_NORM);
    MsprobeCell b = msprobe_stat(sides->golden, sides->golden_columns, golden, STAT_NORM);
    facts->norm_relative = msprobe_difference(formula, &n, &b, false).relative;
    if (!golden)
        return;
    facts->scalar = scalar_differs(sides, golden, target);
    facts->dtype = !msprobe_same_name(sides->to_target, golden->dtype, target->dtype);
    facts->shape = !msprobe_same_name(sides->to_target, golden->shape, target->shape);
    facts->requires_grad = golden->requires_grad != target->requires_grad;
}

static bool no_checksum(Str text)
{
    return text.size == 0 || str_equal(text, STR("N/A")) || str_equal_nocase(text, STR("nan"));
}

MsprobeChecksum msprobe_compare_checksums(const MsprobeSides *sides, const Slot *golden,
                                          const Slot *target)
{
    char n_buffer[MSPROBE_TEXT_BYTES], b_buffer[MSPROBE_TEXT_BYTES];
    Str n = msprobe_checksum(sides->target, target, n_buffer);
    Str b = golden ? msprobe_checksum(sides->golden, golden, b_buffer) : (Str){NULL, 0};
    if (str_equal(n, b))
        return CHECKSUM_EQUAL;
    return no_checksum(n) || no_checksum(b) ? CHECKSUM_MISSING : CHECKSUM_DIFFERS;
}

const char *msprobe_requires_grad(const Slot *slot)
{
    static const char *const texts[] = {
        [TRI_ABSENT] = "N/A", [TRI_FALSE] = "False", [TRI_TRUE] = "True"};
    return slot ? texts[slot->requires_grad] : texts[TRI_ABSENT];
}

// ---- all rows

// Fused projections are cast on purpose, so their dtypes may differ.
static bool dtype_may_differ(const MsprobeRows *rows, const MsprobeRow *row, StrBuf *buffer)
{
    Str name = row_name(rows->golden, &rows->golden->ops[row->golden_op],
                        &rows->golden->slots[row->golden], buffer);
    return str_find(name, STR("qkv"), 0) != SIZE_MAX ||
           str_find(name, STR("gate_up"), 0) != SIZE_MAX;
}

typedef struct RowJudge {
    MsprobeRows *rows;
    CompareMode mode;
    const MsprobeMetrics *metrics;
    MsprobeSides sides;
    MsprobeColumns golden_columns, target_columns;
    MsprobeFacts *facts;
    uint32_t *hits;
    size_t capacity;
    StrBuf buffer;
    Arena *arena;
} RowJudge;

static MsprobeFacts facts_of_row(RowJudge *judge, size_t index)
{
    const MsprobeRow *row = &judge->rows->items[index];
    const Slot *target = &judge->rows->target->slots[row->target];
    const Slot *golden = row->golden == SLOT_NONE ? NULL : &judge->rows->golden->slots[row->golden];
    MsprobeFacts facts = {.output = row->output};
    if (judge->mode == MODE_CHECKSUM) {
        facts.checksum = msprobe_compare_checksums(&judge->sides, golden, target);
        return facts;
    }
    msprobe_facts_statistics(&judge->sides, golden, target, MSPROBE_FORMULA_26, &facts);
    if (facts.dtype)
        facts.dtype = !dtype_may_differ(judge->rows, row, &judge->buffer);
    if (judge->metrics) {
        facts.cosine = judge->metrics[index].cells[ELEMENT_COSINE];
        facts.thousandths = judge->metrics[index].cells[ELEMENT_THOUSANDTH];
    }
    return facts;
}

static void judge_op(RowJudge *judge, size_t first, size_t count)
{
    if (count > judge->capacity) {
        judge->capacity = count * 2;
        judge->facts = ARENA_ARRAY(judge->arena, MsprobeFacts, judge->capacity);
        judge->hits = ARENA_ARRAY(judge->arena, uint32_t, judge->capacity);
    }
    MsprobeExempt exempt = EXEMPT_NOTHING;
    bool seen_input = false;
    for (size_t i = 0; i < count; i++) {
        judge->facts[i] = facts_of_row(judge, first + i);
        if (judge->facts[i].output || seen_input)
            continue;
        const MsprobeRow *row = &judge->rows->items[first + i];
        const Dump *dump = judge->rows->target;
        exempt = msprobe_exempt(
            row_name(dump, &dump->ops[row->op], &dump->slots[row->target], &judge->buffer));
        seen_input = true;
    }
    msprobe_judge(judge->facts, count, judge->mode, exempt, judge->hits);
    for (size_t i = 0; i < count; i++) {
        judge->rows->items[first + i].hits = judge->hits[i];
        judge->rows->items[first + i].status = (uint8_t)msprobe_status(judge->hits[i]);
    }
}

void msprobe_rows_judge(MsprobeRows *rows, CompareMode mode, const MsprobeMetrics *metrics)
{
    Arena *scratch = arena_new();
    RowJudge judge = {.rows = rows,
                      .mode = mode,
                      .metrics = metrics,
                      .golden_columns = msprobe_columns(rows->golden),
                      .target_columns = msprobe_columns(rows->target),
                      .arena = scratch};
    judge.sides = (MsprobeSides){.golden = rows->golden,
                                 .target = rows->target,
                                 .to_target = rows->to_target,
                                 .golden_columns = &judge.golden_columns,
                                 .target_columns = &judge.target_columns};
    judge.buffer = strbuf_new(scratch);
    for (size_t first = 0, end; first < rows->count; first = end) {
        for (end = first + 1; end < rows->count && rows->items[end].op == rows->items[first].op;)
            end++;
        judge_op(&judge, first, end - first);
    }
    arena_release(scratch);
}
