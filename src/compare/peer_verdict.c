// SPDX-License-Identifier: Apache-2.0
#include "compare/peer_verdict.h"

#include <math.h>

#include "base/words.h"

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

const PeerRuleInfo peer_rules[PEER_RULE_COUNT] = {
    [PEER_NONFINITE] = {"NONFINITE",  STATUS_ERROR,   STATISTICS | TENSORS,
                        TR("error: Max or Min of the target is NaN or infinite, golden's are not"),
                        EACH_ROW                                                                                             },
    [PEER_NORMREL] = {"NORMREL",    STATUS_ERROR,   STATISTICS,
                        TR("error: NormRelativeErr of the output is above 0.5, of all inputs below "
                         "0.1"),
                        EACH_OUTPUT                                                                                          },
    [PEER_THOUSANDTH] = {"THOUSANDTH", STATUS_ERROR,   TENSORS,
                        TR("error: One Thousandth Err Ratio of the inputs is above 0.9, of an "
                            "output below 0.1"),
                        FIRST_OUTPUT                                                                                         },
    [PEER_REQGRAD] = {"REQGRAD",    STATUS_ERROR,   STATISTICS | TENSORS,
                        TR("error: requires_grad differs"),                                                          MATCHED },
    [PEER_SCALAR] = {"SCALAR",     STATUS_ERROR,   STATISTICS | TENSORS,
                        TR("error: a scalar argument differs"),                                                      INPUTS  },
    [PEER_DTYPE] = {"DTYPE",      STATUS_ERROR,   STATISTICS | TENSORS, TR("error: the dtype differs"),
                        MATCHED                                                                                              },
    [PEER_SHAPE] = {"SHAPE",      STATUS_ERROR,   STATISTICS | TENSORS, TR("error: the shape differs"),
                        MATCHED                                                                                              },
    [PEER_NORM10X] = {"NORM10X",    STATUS_WARNING, STATISTICS,
                        TR("warning: NormRelativeErr of the outputs is more than 10 times that of "
                         "the inputs"),
                        FIRST_OUTPUT                                                                                         },
    [PEER_COSDROP] = {"COSDROP",    STATUS_WARNING, TENSORS,
                        TR("warning: Cosine of the inputs is above 0.9, of an output lower by more "
                         "than 0.1"),
                        FIRST_OUTPUT                                                                                         },
    [PEER_CRC] = {"CRC",        STATUS_ERROR,   CHECKSUMS,            TR("error: the checksum differs"),       EACH_ROW},
    [PEER_MD5MISS] = {"MD5MISS",    STATUS_WARNING, CHECKSUMS,            TR("warning: one side has no checksum"),
                        EACH_ROW                                                                                             },
};

static const char *const exempt_all[] = {
    "empty",
    "empty_like",
    "numpy",
    "to",
    "__setitem__",
    "empty_with_format",
    "new_empty_strided",
    "new_empty",
    "empty_strided",
};
static const char *const exempt_inputs[] = {
    "_reduce_scatter_base",
    "_all_gather_base",
    "all_to_all_single",
    "batch_isend_irecv",
};

static bool listed(Str text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(text, str_of(list[i])))
            return true;
    return false;
}

PeerExempt peer_exempt(Str row_name)
{
    Str part = {NULL, 0};
    str_split(&row_name, '.', &part);
    if (!str_split(&row_name, '.', &part))
        return EXEMPT_NOTHING;
    part = str_slice(part, 0, str_find(part, STR("_rank"), 0));  // of merged ranks
    if (listed(part, exempt_all, sizeof exempt_all / sizeof *exempt_all))
        return EXEMPT_ALL;
    if (listed(part, exempt_inputs, sizeof exempt_inputs / sizeof *exempt_inputs))
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

static void lower(double *least, const PeerCell *cell)
{
    double value;
    if (peer_is_number(cell, &value) && value < *least)
        *least = value;
}

static void raise(double *most, const PeerCell *cell)
{
    double value;
    if (peer_fraction(cell, &value) && value > *most)
        *most = value;
}

static Extremes extremes_of(const PeerFacts *facts, size_t count)
{
    Extremes out = {0, 0, 1, 1, 1, 1};
    for (size_t i = 0; i < count; i++) {
        const PeerFacts *row = &facts[i];
        raise(row->output ? &out.norm_out : &out.norm_in, &row->norm_relative);
        lower(row->output ? &out.thousandths_out : &out.thousandths_in, &row->thousandths);
        lower(row->output ? &out.cosine_out : &out.cosine_in, &row->cosine);
    }
    return out;
}

// Single outputs also count an infinite relative error.
static bool norm_is_off(const PeerCell *cell)
{
    double value;
    if (peer_fraction(cell, &value))
        return value > 0.5;
    return cell->kind == PEER_REAL && isinf(cell->number);
}

static uint32_t bit(bool hit, PeerRule rule)
{
    return hit ? UINT32_C(1) << rule : 0;
}

static uint32_t rules_of_row(const PeerFacts *row)
{
    return bit(row->nonfinite, PEER_NONFINITE) | bit(row->requires_grad, PEER_REQGRAD) |
           bit(row->scalar && !row->output, PEER_SCALAR) | bit(row->dtype, PEER_DTYPE) |
           bit(row->shape, PEER_SHAPE) | bit(row->checksum == CHECKSUM_DIFFERS, PEER_CRC) |
           bit(row->checksum == CHECKSUM_MISSING, PEER_MD5MISS);
}

// Rules that weigh outputs against inputs.
static uint32_t rules_of_output(const PeerFacts *row, const Extremes *all, bool first)
{
    bool grew = (all->norm_in == 0 && all->norm_out > 0.1) ||
                (all->norm_in != 0 && all->norm_out / all->norm_in > 10);
    return bit(all->norm_in < 0.1 && norm_is_off(&row->norm_relative), PEER_NORMREL) |
           bit(first && all->thousandths_in > 0.9 && all->thousandths_out < 0.1, PEER_THOUSANDTH) |
           bit(first && grew, PEER_NORM10X) |
           bit(first && all->cosine_in > 0.9 && all->cosine_in - all->cosine_out > 0.1,
               PEER_COSDROP);
}

static uint32_t rules_of_mode(CompareMode mode)
{
    uint32_t mask = 0;
    for (int rule = 0; rule < PEER_RULE_COUNT; rule++)
        if (peer_rules[rule].modes & (1u << mode))
            mask |= UINT32_C(1) << rule;
    return mask;
}

void peer_judge(const PeerFacts *facts, size_t count, CompareMode mode, PeerExempt exempt,
                uint32_t *hits)
{
    Extremes all = extremes_of(facts, count);
    uint32_t mask = exempt == EXEMPT_ALL ? 0 : rules_of_mode(mode);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const PeerFacts *row = &facts[i];
        hits[i] = exempt == EXEMPT_INPUTS && !row->output ? 0 : rules_of_row(row);
        if (exempt == EXEMPT_INPUTS)
            hits[i] &= ~bit(true, PEER_SCALAR);
        if (row->output && exempt != EXEMPT_INPUTS)
            hits[i] |= rules_of_output(row, &all, first);
        hits[i] &= mask;
        first = first && !row->output;
    }
}

Status peer_status(uint32_t hits)
{
    Status worst = STATUS_PASS;
    for (int rule = 0; rule < PEER_RULE_COUNT; rule++)
        if ((hits >> rule & 1) && peer_rules[rule].level > worst)
            worst = peer_rules[rule].level;
    return worst;
}

// ---- the facts

static bool is_nonfinite(const PeerCell *cell)
{
    double value;
    if (cell->kind == PEER_NAN)
        return true;
    if (cell->kind == PEER_TEXT)
        return number_of_text(cell->text, &value) && !isfinite(value);
    return cell->kind == PEER_REAL && isinf(cell->number);
}

static bool extremes_nonfinite(const Dump *dump, const Slot *slot)
{
    PeerCell max = peer_stat(dump, NULL, slot, STAT_MAX);
    PeerCell min = peer_stat(dump, NULL, slot, STAT_MIN);
    return is_nonfinite(&max) || is_nonfinite(&min);
}

static bool of_python_class(const Dump *dump, const Slot *slot)
{
    return str_find(names_text(dump->names, slot->dtype), STR("class"), 0) != SIZE_MAX;
}

bool peer_scalar_differs(const PeerSides *sides, const Slot *golden, const Slot *target)
{
    if (!of_python_class(sides->target, target) || !of_python_class(sides->golden, golden) ||
        !str_equal(names_text(sides->target->names, target->shape), STR("[]")))
        return false;
    PeerCell n = peer_stat(sides->target, sides->target_columns, target, STAT_MAX);
    PeerCell b = peer_stat(sides->golden, sides->golden_columns, golden, STAT_MAX);
    return !peer_same_value(&n, &b);
}

void peer_facts_statistics(const PeerSides *sides, const Slot *golden, const Slot *target,
                           PeerFormula formula, PeerFacts *facts)
{
    facts->nonfinite = extremes_nonfinite(sides->target, target) &&
                       !(golden && extremes_nonfinite(sides->golden, golden));
    PeerCell n = peer_stat(sides->target, sides->target_columns, target, STAT_NORM);
    PeerCell b = peer_stat(sides->golden, sides->golden_columns, golden, STAT_NORM);
    facts->norm_relative = peer_difference(formula, &n, &b, false).relative;
    if (!golden)
        return;
    facts->scalar = peer_scalar_differs(sides, golden, target);
    facts->dtype = !peer_same_name(sides->to_target, golden->dtype, target->dtype);
    facts->shape = !peer_same_name(sides->to_target, golden->shape, target->shape);
    facts->requires_grad = golden->requires_grad != target->requires_grad;
}

static bool no_checksum(Str text)
{
    return text.size == 0 || str_equal(text, STR("N/A")) || str_equal_nocase(text, STR("nan"));
}

PeerChecksum peer_compare_checksums(const PeerSides *sides, const Slot *golden, const Slot *target)
{
    char n_buffer[PEER_TEXT_BYTES], b_buffer[PEER_TEXT_BYTES];
    Str n = peer_checksum(sides->target, target, n_buffer);
    Str b = golden ? peer_checksum(sides->golden, golden, b_buffer) : (Str){NULL, 0};
    if (str_equal(n, b))
        return CHECKSUM_EQUAL;
    return no_checksum(n) || no_checksum(b) ? CHECKSUM_MISSING : CHECKSUM_DIFFERS;
}

const char *peer_requires_grad(const Slot *slot)
{
    static const char *const texts[] = {
        [TRI_ABSENT] = "N/A", [TRI_FALSE] = "False", [TRI_TRUE] = "True"};
    return slot ? texts[slot->requires_grad] : texts[TRI_ABSENT];
}

// ---- all rows

// Fused projections are cast on purpose, so their dtypes may differ.
static bool dtype_may_differ(const PeerRows *rows, const PeerRow *row, StrBuf *buffer)
{
    Str name = peer_row_name(rows->golden, &rows->golden->ops[row->golden_op],
                             &rows->golden->slots[row->golden], buffer);
    return str_find(name, STR("qkv"), 0) != SIZE_MAX ||
           str_find(name, STR("gate_up"), 0) != SIZE_MAX;
}

typedef struct RowJudge {
    PeerRows *rows;
    CompareMode mode;
    const PeerMetrics *metrics;
    PeerSides sides;
    PeerColumns golden_columns, target_columns;
    PeerFacts *facts;
    uint32_t *hits;
    size_t capacity;
    StrBuf buffer;
    Arena *arena;
} RowJudge;

static PeerFacts facts_of_row(RowJudge *judge, size_t index)
{
    const PeerRow *row = &judge->rows->items[index];
    const Slot *target = &judge->rows->target->slots[row->target];
    const Slot *golden = row->golden == SLOT_NONE ? NULL : &judge->rows->golden->slots[row->golden];
    PeerFacts facts = {.output = row->output};
    if (judge->mode == MODE_CHECKSUM) {
        facts.checksum = peer_compare_checksums(&judge->sides, golden, target);
        return facts;
    }
    peer_facts_statistics(&judge->sides, golden, target, PEER_FORMULA_26, &facts);
    if (facts.dtype)
        facts.dtype = !dtype_may_differ(judge->rows, row, &judge->buffer);
    if (judge->metrics) {
        facts.cosine = judge->metrics[index].cells[PEER_COSINE];
        facts.thousandths = judge->metrics[index].cells[PEER_THOUSANDTHS];
    }
    return facts;
}

static void judge_op(RowJudge *judge, size_t first, size_t count)
{
    if (count > judge->capacity) {
        judge->capacity = count * 2;
        judge->facts = ARENA_ARRAY(judge->arena, PeerFacts, judge->capacity);
        judge->hits = ARENA_ARRAY(judge->arena, uint32_t, judge->capacity);
    }
    PeerExempt exempt = EXEMPT_NOTHING;
    bool seen_input = false;
    for (size_t i = 0; i < count; i++) {
        judge->facts[i] = facts_of_row(judge, first + i);
        if (judge->facts[i].output || seen_input)
            continue;
        const PeerRow *row = &judge->rows->items[first + i];
        const Dump *dump = judge->rows->target;
        exempt = peer_exempt(
            peer_row_name(dump, &dump->ops[row->op], &dump->slots[row->target], &judge->buffer));
        seen_input = true;
    }
    peer_judge(judge->facts, count, judge->mode, exempt, judge->hits);
    for (size_t i = 0; i < count; i++) {
        judge->rows->items[first + i].hits = judge->hits[i];
        judge->rows->items[first + i].status = (uint8_t)peer_status(judge->hits[i]);
    }
}

void peer_rows_judge(PeerRows *rows, CompareMode mode, const PeerMetrics *metrics)
{
    Arena *scratch = arena_new();
    RowJudge judge = {.rows = rows,
                      .mode = mode,
                      .metrics = metrics,
                      .golden_columns = peer_columns(rows->golden),
                      .target_columns = peer_columns(rows->target),
                      .arena = scratch};
    judge.sides = (PeerSides){.golden = rows->golden,
                              .target = rows->target,
                              .to_target = rows->to_target,
                              .golden_columns = &judge.golden_columns,
                              .target_columns = &judge.target_columns};
    strbuf_init(&judge.buffer, scratch);
    for (size_t first = 0, end; first < rows->count; first = end) {
        for (end = first + 1; end < rows->count && rows->items[end].op == rows->items[first].op;)
            end++;
        judge_op(&judge, first, end - first);
    }
    arena_release(scratch);
}
