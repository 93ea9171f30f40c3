// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "base/words.h"
#include "layout/compare_tables.h"
#include "layout/figure_text.h"
#include "layout/head_table.h"
#include "layout/weights_page.h"

static Cell count_cell(uint64_t count, Arena *arena)
{
    return cell_number_as((double)count, figure_count(count, arena));
}

// ---- All weights

typedef struct Order {
    int class;  // 0 differs, 1 alone or unreadable, 2 rounded, 3 equal
    double size;
    size_t item;
} Order;

static int class_of(Status status)
{
    static const int classes[STATUS_COUNT] = {
        [STATUS_NO_DATA] = 1, [STATUS_UNMATCHED] = 1, [STATUS_PASS] = 2, [STATUS_SAME] = 3};
    return classes[status];
}

static int by_size(const void *a, const void *b)
{
    const Order *one = a, *two = b;
    if (one->class != two->class)
        return one->class - two->class;
    if (one->size != two->size)
        return one->size > two->size ? -1 : 1;
    return (one->item > two->item) - (one->item < two->item);
}

static Order *order_of(const WeightComparison *comparison, Arena *arena)
{
    Order *order = ARENA_ARRAY(arena, Order, comparison->count);
    for (size_t i = 0; i < comparison->count; i++) {
        const WeightResult *result = &comparison->items[i];
        double error = result->metrics.norm_error;
        bool no_number = isnan(error) || result->metrics.nonfinite_mismatch > 0;
        order[i] = (Order){class_of(result->status), no_number ? (double)INFINITY : error, i};
        if (order[i].class)
            order[i].size = 0;
    }
    if (comparison->count > 1)
        qsort(order, comparison->count, sizeof *order, by_size);
    return order;
}

static Str shape_text(const Weight *weight, Arena *arena)
{
    StrBuf text;
    strbuf_init(&text, arena);
    strbuf_add_char(&text, '[');
    for (uint32_t axis = 0; axis < weight->rank; axis++)
        strbuf_printf(&text, "%s%llu", axis ? ", " : "", (unsigned long long)weight->shape[axis]);
    strbuf_add_char(&text, ']');
    return strbuf_str(&text);
}

// One text where both sides agree, else both.
static Str both_text(Str golden, Str target, Arena *arena)
{
    if (target.size == 0 || str_equal(golden, target))
        return golden;
    return golden.size ? str_printf(arena, STR_FMT " -> " STR_FMT, STR_ARG(golden), STR_ARG(target))
                       : target;
}

static Str padding_text(const WeightResult *result)
{
    static const char *const texts[] = {NULL, TR("added rows are zero"),
                                        TR("added rows are all equal"),
                                        TR("added rows hold values")};
    return result->padding == PADDING_NONE ? STR("") : str_of(tr(texts[result->padding]));
}

static void fill_metrics(const WeightComparison *comparison, const WeightResult *result,
                         Arena *arena, Cell *row)
{
    const TensorMetrics *metrics = &result->metrics;
    bool computed = metrics->kind[ELEMENT_COSINE] == ELEMENT_NUMBER;
    if (result->status == STATUS_SAME) {
        row[0] = cell_styled(STYLE_MUTED, STR("="));
        return;
    }
    row[0] = number_cell(computed ? metrics->value[ELEMENT_COSINE] : (double)NAN, arena);
    if (computed && row[0].number < 1)
        row[0].text = str_printf(arena, "%.9g", fmin(row[0].number, 0.999999999));
    row[1] = number_cell(result->norm_relative, arena);
    row[2] = number_cell(metrics->norm_error, arena);
    bool largest = metrics->kind[ELEMENT_MAX_ABS] == ELEMENT_NUMBER;
    row[3] = number_cell(largest ? metrics->value[ELEMENT_MAX_ABS] : (double)NAN, arena);
    row[4] = number_cell(metrics->ulp_max, arena);
    bool finite = metrics->nonfinite_mismatch == 0;
    uint64_t place = finite ? metrics->worst : metrics->first_mismatch;
    row[5] = cell_styled(STYLE_CODE, weights_place_text(comparison, result, place, arena));
}

static Str name_text(const Weights *weights, uint32_t index, const WeightSpan *span, Arena *arena)
{
    return index == WEIGHT_NONE ? STR("") : weights_part_text(&weights->items[index], span, arena);
}

static void fill_row(const WeightComparison *comparison, const WeightResult *result, Arena *arena,
                     Cell *row)
{
    const WeightPair *pair = &result->pair;
    const Weight *golden =
        pair->golden == WEIGHT_NONE ? NULL : &comparison->golden->items[pair->golden];
    const Weight *target =
        pair->target == WEIGHT_NONE ? NULL : &comparison->target->items[pair->target];
    row[0] = cell_styled(style_of_status(result->status, false), status_shown(result->status));
    row[1] = cell_styled(STYLE_CODE,
                         name_text(comparison->golden, pair->golden, &pair->golden_span, arena));
    row[2] = cell_styled(STYLE_CODE,
                         name_text(comparison->target, pair->target, &pair->target_span, arena));
    Str forms = weights_forms_text(pair->forms, arena), padding = padding_text(result);
    row[3] = cell_text(
        padding.size ? str_printf(arena, STR_FMT "; " STR_FMT, STR_ARG(forms), STR_ARG(padding))
                     : forms);
    row[4] = cell_text(both_text(golden ? str_of(dtype_text(golden->dtype)) : STR(""),
                                 target ? str_of(dtype_text(target->dtype)) : STR(""), arena));
    row[5] = cell_text(both_text(golden ? shape_text(golden, arena) : STR(""),
                                 target ? shape_text(target, arena) : STR(""), arena));
    if (golden && target)
        fill_metrics(comparison, result, arena, row + 6);
}

Table *weights_table(const WeightComparison *comparison, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Status"),              12, false},
        {TR("Golden"),              48, false},
        {TR("Target"),              48, false},
        {TR("Paired as"),           24, false},
        {TR("Dtype"),               12, false},
        {TR("Shape"),               18, false},
        {TR("Cosine"),              14, true },
        {TR("Rel. norm"),           12, true },
        {TR("Rel. L2"),             12, true },
        {TR("Max abs. difference"), 14, true },
        {TR("ULP max"),             12, true },
        {TR("Worst element"),       18, false},
    };
    Table *table = HEAD_TABLE(TR("Weights"), heads, arena);
    Order *order = order_of(comparison, arena);
    size_t shown = limit && limit < comparison->count ? limit : comparison->count;
    for (size_t i = 0; i < shown; i++)
        fill_row(comparison, &comparison->items[order[i].item], arena, table_add_row(table));
    bool only_equal = order && shown < comparison->count && order[shown].class == 3;
    if (shown < comparison->count && !only_equal)
        table->note = str_printf(arena, tr("%zu more are in the workbook and in summary.json"),
                                 comparison->count - shown);
    return table;
}

// ---- Recognised

static const struct {
    uint32_t form;
    const char *text;
} readings[] = {
    {WEIGHT_RENAMED,    TR("Another name: paired by shape and values")                  },
    {WEIGHT_FUSED,      TR("Parts that the target keeps in one weight (first axis)")    },
    {WEIGHT_SPLIT,      TR("Parts that golden keeps in one weight (first axis)")        },
    {WEIGHT_TRANSPOSED, TR("Transposed: rows of one side are columns of the other")     },
    {WEIGHT_PADDED,     TR("Padded: one side has more rows; those of both are compared")},
    {WEIGHT_RESHAPED,   TR("One name with two shapes: not comparable")                  }
};

Table *weights_forms_table(const WeightComparison *comparison, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Weights"),    10, true },
        {TR("Recognised"), 48, false},
        {TR("Golden"),     48, false},
        {TR("Target"),     48, false},
    };
    Table *table = HEAD_TABLE(TR("Layout"), heads, arena);
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const WeightResult *example = NULL;
        uint64_t count = 0;
        for (size_t k = 0; k < comparison->count; k++)
            if (comparison->items[k].pair.forms & readings[i].form) {
                example = example ? example : &comparison->items[k];
                count++;
            }
        if (!example)
            continue;
        const WeightPair *pair = &example->pair;
        Cell *row = table_add_row(table);
        row[0] = count_cell(count, arena);
        row[1] = cell_text(str_of(tr(readings[i].text)));
        row[2] = cell_styled(
            STYLE_CODE, name_text(comparison->golden, pair->golden, &pair->golden_span, arena));
        row[3] = cell_styled(
            STYLE_CODE, name_text(comparison->target, pair->target, &pair->target_span, arena));
    }
    return table->row_count ? table : NULL;
}

Table *weights_sides_table(const WeightsView *view, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Side"),     10, false},
        {TR("Path"),     48, false},
        {TR("Weights"),  10, true },
        {TR("Elements"), 18, true },
        {TR("Bytes"),    18, true },
    };
    Table *table = HEAD_TABLE(TR("Checkpoints"), heads, arena);
    for (int side = 0; side < 2; side++) {
        const Weights *weights = side ? view->comparison->target : view->comparison->golden;
        uint64_t elements = 0;
        for (size_t i = 0; i < weights->count; i++)
            elements += weights->items[i].count;
        Cell *row = table_add_row(table);
        row[0] = side ? cell_styled(STYLE_TARGET, str_of(tr("target")))
                      : cell_styled(STYLE_GOLDEN, str_of(tr("golden")));
        row[1] = cell_styled(STYLE_CODE, side ? view->target : view->golden);
        row[2] = count_cell(weights->count, arena);
        row[3] = count_cell(elements, arena);
        row[4] = count_cell(weights->bytes, arena);
    }
    return table;
}
