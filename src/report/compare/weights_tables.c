// SPDX-License-Identifier: Apache-2.0
// Tables of two checkpoints: all weights, and the worst of them.
#include <math.h>
#include <stdlib.h>

#include "base/words.h"
#include "report/compare/weights_page.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/figure_text.h"

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
    StrBuf text = strbuf_new(arena);
    strbuf_add_char(&text, '[');
    for (uint32_t axis = 0; axis < weight->rank; axis++)
        strbuf_printf(&text, "%s%llu", axis ? ", " : "", (unsigned long long)weight->shape[axis]);
    strbuf_add_char(&text, ']');
    return strbuf_str(&text);
}

static Str dtype_shown(const Weight *weight, Arena *arena)
{
    (void)arena;
    return str_of(dtype_text(weight->dtype));
}

// One text where both sides agree, else both.
static Str both_text(const Row *row, const WeightPair *pair, Str (*text)(const Weight *, Arena *))
{
    const WeightComparison *comparison = row->view;
    Str golden = pair->golden == WEIGHT_NONE
                     ? STR("")
                     : text(&comparison->golden->items[pair->golden], row->arena);
    Str target = pair->target == WEIGHT_NONE
                     ? STR("")
                     : text(&comparison->target->items[pair->target], row->arena);
    if (target.size == 0 || str_equal(golden, target))
        return golden;
    return golden.size
               ? str_printf(row->arena, STR_FMT " -> " STR_FMT, STR_ARG(golden), STR_ARG(target))
               : target;
}

static Str padding_text(const WeightResult *result)
{
    static const char *const texts[] = {NULL, TR("added rows are zero"),
                                        TR("added rows are all equal"),
                                        TR("added rows hold values")};
    return result->padding == PADDING_NONE ? STR("") : str_of(tr(texts[result->padding]));
}

static Cell cosine_cell(const TensorMetrics *metrics, Arena *arena)
{
    bool computed = metrics->kind[ELEMENT_COSINE] == ELEMENT_NUMBER;
    Cell cell = cell_figure(computed ? metrics->value[ELEMENT_COSINE] : (double)NAN, arena);
    if (computed && cell.number < 1)
        cell.text = str_printf(arena, "%.9g", fmin(cell.number, 0.999999999));
    return cell;
}

static Cell largest_cell(const TensorMetrics *metrics, Arena *arena)
{
    bool largest = metrics->kind[ELEMENT_MAX_ABS] == ELEMENT_NUMBER;
    return cell_figure(largest ? metrics->value[ELEMENT_MAX_ABS] : (double)NAN, arena);
}

static Str worst_text(const WeightComparison *comparison, const WeightResult *result, Arena *arena)
{
    bool finite = result->metrics.nonfinite_mismatch == 0;
    uint64_t place = finite ? result->metrics.worst : result->metrics.first_mismatch;
    return weights_place_text(comparison, result, place, arena);
}

static Str name_text(const Weights *weights, uint32_t index, const WeightSpan *span, Arena *arena)
{
    return index == WEIGHT_NONE ? STR("") : weights_part_text(&weights->items[index], span, arena);
}

static Str golden_name(const Row *row, const WeightPair *pair)
{
    const WeightComparison *comparison = row->view;
    return name_text(comparison->golden, pair->golden, &pair->golden_span, row->arena);
}

static Str target_name(const Row *row, const WeightPair *pair)
{
    const WeightComparison *comparison = row->view;
    return name_text(comparison->target, pair->target, &pair->target_span, row->arena);
}

static Str paired_text(const WeightResult *result, Arena *arena)
{
    Str forms = weights_forms_text(result->pair.forms, arena), padding = padding_text(result);
    return padding.size ? str_printf(arena, STR_FMT "; " STR_FMT, STR_ARG(forms), STR_ARG(padding))
                        : forms;
}

// Only pairs that differ have the further cells.
static void weight_columns(Row *row)
{
    const WeightComparison *comparison = row->view;
    const WeightResult *it = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("Status"), 12, cell_status(it->status, false));
    TEXT(row, TR("Golden"), 48, cell_code(golden_name(row, &it->pair)));
    TEXT(row, TR("Target"), 48, cell_code(target_name(row, &it->pair)));
    TEXT(row, TR("Paired as"), 24, cell_text(paired_text(it, arena)));
    TEXT(row, TR("Dtype"), 12, cell_text(both_text(row, &it->pair, dtype_shown)));
    TEXT(row, TR("Shape"), 18, cell_text(both_text(row, &it->pair, shape_text)));
    if (row->cells && (it->pair.golden == WEIGHT_NONE || it->pair.target == WEIGHT_NONE))
        return;
    NUMBER(row, TR("Cosine"), 14,
           it->status == STATUS_SAME ? cell_styled(STYLE_MUTED, STR("="))
                                     : cosine_cell(&it->metrics, arena));
    if (row->cells && it->status == STATUS_SAME)
        return;
    NUMBER(row, TR("Rel. norm"), 12, cell_figure(it->norm_relative, arena));
    NUMBER(row, TR("Rel. L2"), 12, cell_figure(it->metrics.norm_error, arena));
    NUMBER(row, TR("Max abs. difference"), 14, largest_cell(&it->metrics, arena));
    NUMBER(row, TR("ULP max"), 12, cell_figure(it->metrics.ulp_max, arena));
    TEXT(row, TR("Worst element"), 18, cell_code(worst_text(comparison, it, arena)));
}

Table *weights_table(const WeightComparison *comparison, size_t limit, Arena *arena)
{
    Table *table = columns_table(TR("Weights"), weight_columns, comparison, arena);
    Order *order = order_of(comparison, arena);
    size_t shown = limit && limit < comparison->count ? limit : comparison->count;
    for (size_t i = 0; i < shown; i++)
        columns_add(table, &comparison->items[order[i].item]);
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
} readings[] = {{WEIGHT_RENAMED, TR("Another name: paired by shape and values")},
                {WEIGHT_FUSED, TR("Parts that the target keeps in one weight (first axis)")},
                {WEIGHT_SPLIT, TR("Parts that golden keeps in one weight (first axis)")},
                {WEIGHT_TRANSPOSED, TR("Transposed: rows of one side are columns of the other")},
                {WEIGHT_PADDED, TR("Padded: one side has more rows; those of both are compared")},
                {WEIGHT_RESHAPED, TR("One name with two shapes: not comparable")}};

typedef struct Recognised {
    uint64_t count;
    const char *text;
    const WeightPair *example;
} Recognised;

static void form_columns(Row *row)
{
    const Recognised *it = row->item;
    NUMBER(row, TR("Weights"), 10, cell_count(it->count, row->arena));
    TEXT(row, TR("Recognised"), 48, cell_word(it->text));
    TEXT(row, TR("Golden"), 48, cell_code(golden_name(row, it->example)));
    TEXT(row, TR("Target"), 48, cell_code(target_name(row, it->example)));
}

Table *weights_forms_table(const WeightComparison *comparison, Arena *arena)
{
    Table *table = columns_table(TR("Layout"), form_columns, comparison, arena);
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        Recognised it = {.text = readings[i].text};
        for (size_t k = comparison->count; k-- > 0;)
            if (comparison->items[k].pair.forms & readings[i].form) {
                it.example = &comparison->items[k].pair;
                it.count++;
            }
        if (it.count)
            columns_add(table, &it);
    }
    return table->row_count ? table : NULL;
}

static uint64_t elements_of(const Weights *weights)
{
    uint64_t elements = 0;
    for (size_t i = 0; i < weights->count; i++)
        elements += weights->items[i].count;
    return elements;
}

static void side_columns(Row *row)
{
    const WeightsView *view = row->view;
    const Weights *weights = row->item;
    bool target = weights == view->comparison->target;
    TEXT(row, TR("Side"), 10, cell_side(target));
    TEXT(row, TR("Path"), 48, cell_code(target ? view->target : view->golden));
    NUMBER(row, TR("Weights"), 10, cell_count(weights->count, row->arena));
    NUMBER(row, TR("Elements"), 18, cell_count(elements_of(weights), row->arena));
    NUMBER(row, TR("Bytes"), 18, cell_count(weights->bytes, row->arena));
}

Table *weights_sides_table(const WeightsView *view, Arena *arena)
{
    Table *table = columns_table(TR("Checkpoints"), side_columns, view, arena);
    columns_add(table, view->comparison->golden);
    columns_add(table, view->comparison->target);
    return table;
}
