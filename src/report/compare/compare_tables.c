// SPDX-License-Identifier: Apache-2.0
#include "report/compare/compare_tables.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"
#include "compare/block_errors.h"
#include "compare/judge/judge.h"
#include "compare/judge/tree_row.h"
#include "compare/precheck_ops.h"
#include "picture/kit/chip.h"
#include "read/dump/op_name.h"
#include "read/dump/place_name.h"
#include "report/compare/pair_links.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/figure_text.h"
#include "verdict/verdict_text.h"

static uint64_t ops_of(const CompareSummary *summary, int side)
{
    uint64_t ops = 0;
    for (size_t i = 0; i < summary->count; i++)
        ops += side == 0 ? summary->pairs[i].ops_golden : summary->pairs[i].ops_target;
    return ops;
}

// "pytorch mix, statistics; float32, int64; torch 2.1.0": what the first dump of the side tells.
static Str framework_shown(const CompareSummary *summary, int side, Arena *arena)
{
    const PairFacts *pair = compare_summary_read(summary, side);
    if (!pair)
        return STR("—");
    Str task = pair->task[side], dtypes = pair->dtypes[side], versions = pair->versions[side];
    return str_printf(arena, "%s " STR_FMT "%s" STR_FMT "%s" STR_FMT "%s" STR_FMT,
                      framework_text(pair->framework[side]), STR_ARG(pair->level[side]),
                      task.size ? ", " : "", STR_ARG(task), dtypes.size ? "; " : "",
                      STR_ARG(dtypes), versions.size ? "; " : "", STR_ARG(versions));
}

// How many steps of the side were read, or the most ranks of one step; pairs stand step by step.
static uint64_t places_of(const CompareSummary *summary, int side, bool ranks)
{
    uint64_t steps = 0, here = 0, most = 0;
    const PairFacts *last = NULL;
    for (size_t i = 0; i < summary->count; i++) {
        const PairFacts *pair = &summary->pairs[i];
        if (pair->reads[side].file.size == 0)
            continue;
        bool same = last && pair_facts_same_step(last, pair);
        steps += !same;
        here = same ? here + 1 : 1;
        most = here > most ? here : most;
        last = pair;
    }
    return ranks ? most : steps;
}

static void side_columns(Row *row)
{
    const CompareSummary *summary = row->view;
    const int *side = row->item;
    TEXT(row, TR("side"), 10, cell_side(*side));
    TEXT(row, TR("dump"), 48, cell_code(*side ? summary->target_path : summary->golden_path));
    TEXT(row, TR("framework"), 12, cell_text(framework_shown(summary, *side, row->arena)));
    NUMBER(row, TR("steps"), 8, cell_count_or_dot(places_of(summary, *side, false), row->arena));
    NUMBER(row, TR("ranks"), 8, cell_count_or_dot(places_of(summary, *side, true), row->arena));
    NUMBER(row, TR("ops"), 10, cell_count_or_dot(ops_of(summary, *side), row->arena));
}

Table *table_of_runs(const CompareSummary *summary, Arena *arena)
{
    static const int sides[] = {0, 1};
    return COLUMNS_TABLE(TR("Runs"), side_columns, summary, sides, 2, arena);
}

typedef struct StatusCounts {
    Status status;
    uint64_t ops, slots;
} StatusCounts;

static void count_columns(Row *row)
{
    const StatusCounts *it = row->item;
    TEXT(row, TR("status"), 14, cell_status(it->status, true));
    NUMBER(row, TR("ops"), 10, cell_count_or_dot(it->ops, row->arena));
    NUMBER(row, TR("slots"), 10, cell_count_or_dot(it->slots, row->arena));
}

Table *table_of_counts(const CompareSummary *summary, Arena *arena)
{
    static const Status order[] = {STATUS_ERROR, STATUS_WARNING,   STATUS_PASS,
                                   STATUS_SAME,  STATUS_UNMATCHED, STATUS_NO_DATA};
    Table *table = columns_table(TR("Counts"), count_columns, NULL, arena);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        StatusCounts counts = {.status = order[i]};
        for (size_t k = 0; k < summary->count; k++) {
            counts.ops += summary->pairs[k].op_counts[order[i]];
            counts.slots += summary->pairs[k].slot_counts[order[i]];
        }
        columns_add(table, &counts);
    }
    return table;
}

static Str direction_shown(const WorstOp *op)
{
    if (op->gradient)
        return str_of(tr("gradient"));
    if (op->direction == DIR_NONE)
        return STR("—");
    return str_of(op->direction == DIR_FORWARD ? tr("forward") : tr("backward"));
}

static Str worst_name(const WorstOp *op)
{
    return op->target.size ? op->target : op->golden;
}

static Str short_name(Str name, Arena *arena)
{
    OpName parts = op_name_parse(name);
    if (parts.kind == OP_API)
        return str_printf(arena, STR_FMT ".%d", STR_ARG(parts.type_name), (int)parts.call);
    return parts.path.size ? parts.path : parts.stem;
}

static void worst_columns(Row *row)
{
    const WorstOp *op = row->item;
    TEXT(row, TR("op"), 52,
         cell_titled(
             cell_styled(style_of_status(op->status, op->inherited),
                         row->view ? worst_name(op) : short_name(worst_name(op), row->arena)),
             worst_name(op)));
    TEXT(row, TR("direction"), 12, cell_styled(STYLE_MUTED, direction_shown(op)));
    NUMBER(row, TR("relative error, in"), 12, cell_op_error(op->word_in, op->error_in, row->arena));
    NUMBER(row, TR("relative error, out"), 12,
           cell_op_error(op->word_out, op->error_out, row->arena));
}

Table *table_of_worst(const PairFacts *facts, size_t limit, bool whole_names, Arena *arena)
{
    const PairFacts *view = whole_names ? facts : NULL;
    return COLUMNS_TABLE(TR("Largest errors"), worst_columns, view, facts->worst,
                         facts->worst_count < limit ? facts->worst_count : limit, arena);
}

// Which columns the pairs have; each is known by its place in the summary.
typedef struct PairView {
    const CompareSummary *summary;
    bool staged, links, books;
} PairView;

static Cell range_cell(double from, double to, Arena *arena)
{
    Cell least = cell_error(from, arena), most = cell_error(to, arena);
    if (str_equal(least.text, most.text))
        return least;
    return cell_text(
        str_printf(arena, STR_FMT "–" STR_FMT, STR_ARG(least.text), STR_ARG(most.text)));
}

static void first_columns(Row *row, const PairFacts *pair, double least, double most)
{
    if (row->cells && pair->first.kind == DIVERGE_NONE)
        return;
    TEXT(row, TR("first divergence"), 56, cell_text(pair_facts_op(&pair->first)));
    TEXT(row, TR("kind"), 12, cell_text(str_of(divergence_word(pair->first.kind))));
    TEXT(row, TR("slot"), 16, cell_text(pair->first.slot));
    NUMBER(row, TR("relative error"), 14,
           pair->first.kind == DIVERGE_MISSING ? NO_CELL : range_cell(least, most, row->arena));
    NUMBER(row, TR("later ops"), 12, cell_count_or_dot(pair->first.later, row->arena));
}

static void pair_columns(Row *row)
{
    const PairFacts *pair = row->item;
    const PairView *view = row->view;
    Arena *arena = row->arena;
    size_t at = row->cells ? (size_t)(pair - view->summary->pairs) : 0;
    const PairFiles *files = view->links && row->cells ? &view->summary->files[at] : NULL;
    NUMBER(row, TR("step"), 8, cell_int(pair->step, arena));
    if (view->staged)
        TEXT(row, TR("stage"), 22, cell_text(pair->stage));
    NUMBER(row, TR("rank"), 8, cell_int(pair->rank, arena));
    TEXT(row, TR("status"), 14,
         files ? cell_linked(cell_status(pair->status, false), pair_page_link(view->summary, at))
               : cell_status(pair->status, false));
    if (view->books)
        TEXT(row, TR("workbook"), 26,
             files ? cell_linked(cell_text(pair_book(files)), pair_book(files)) : NO_CELL);
    first_columns(row, pair, pair ? pair->first.value : 0, pair ? pair->first.value : 0);
}

Table *table_of_pairs(const CompareSummary *summary, size_t most, bool links, Arena *arena)
{
    PairView *view = ARENA_NEW(arena, PairView);
    *view = (PairView){.summary = summary, .links = links};
    for (size_t i = 0; i < summary->count; i++) {
        view->staged = view->staged || summary->pairs[i].stage.size;
        view->books = view->books || (links && pair_book(&summary->files[i]).size);
    }
    return COLUMNS_TABLE(TR("Pairs"), pair_columns, view, summary->pairs,
                         summary->count < most ? summary->count : most, arena);
}

static void group_columns(Row *row)
{
    enum { RANGES = 16 };
    const PairGroup *group = row->item;
    const PairView *view = row->view;
    Arena *arena = row->arena;
    static const PairFacts none = {.step = 0};  // of a head, which has no cells
    const PairFacts *pair = row->cells ? &view->summary->pairs[group->first] : &none;
    NUMBER(row, TR("step"), 8, cell_int(pair->step, arena));
    if (view->staged)
        TEXT(row, TR("stage"), 22, cell_text(pair->stage));
    TEXT(row, TR("ranks"), 26,
         cell_text(rank_ranges(group->ranks.items, group->ranks.count, RANGES, arena)));
    NUMBER(row, TR("pairs"), 8, cell_count(group->ranks.count, arena));
    TEXT(row, TR("status"), 14,
         view->links ? cell_linked(cell_status(pair->status, false),
                                   pair_page_link(view->summary, group->first))
                     : cell_status(pair->status, false));
    first_columns(row, pair, group ? group->least : 0, group ? group->most : 0);
}

Table *table_of_groups(const CompareSummary *summary, size_t most, bool links, Arena *arena)
{
    PairView *view = ARENA_NEW(arena, PairView);
    *view = (PairView){.summary = summary, .links = links};
    for (size_t i = 0; i < summary->count; i++)
        view->staged = view->staged || summary->pairs[i].stage.size;
    const PairGroups *groups = &summary->groups;
    return COLUMNS_TABLE(TR("Pairs"), group_columns, view, groups->items,
                         groups->count < most ? groups->count : most, arena);
}

static Str name_copy(const Dump *dump, NameId which, Arena *arena)
{
    return str_copy(arena, names_text(dump->names, which));
}

static Cell stat_cell(const Dump *dump, uint32_t slot, Stat stat, Arena *arena)
{
    char buffer[40];
    double value;
    if (slot == SLOT_NONE)
        return cell_text(STR("—"));
    Str shown = str_copy(arena, slot_stat_text(dump->names, &dump->slots[slot], stat, buffer));
    if (slot_stat(&dump->slots[slot], stat, &value) && isfinite(value) &&
        dump->slots[slot].tag[stat] != TAG_BOOL)
        return cell_number_as(value, shown);
    return cell_text(shown);
}

static Cell dtype_cell(const Dump *dump, uint32_t slot, Arena *arena)
{
    return slot == SLOT_NONE ? cell_dash()
                             : cell_text(name_copy(dump, dump->slots[slot].dtype, arena));
}

// The dump and the slot of the target, or those of golden where the target has none.
static const Dump *shown_dump(const Comparison *comparison, const SlotPair *pair)
{
    return pair->target != SLOT_NONE ? comparison->target->dump : comparison->golden->dump;
}

static bool decides(const Comparison *comparison, const SlotPair *pair)
{
    return (uint32_t)(pair - comparison->slots) == comparison->first.slot;
}

static Cell slot_cell(const Comparison *comparison, const SlotPair *pair, Arena *arena)
{
    return cell_styled(
        decides(comparison, pair) ? STYLE_STRONG : STYLE_PLAIN,
        name_copy(shown_dump(comparison, pair), shown_slot(comparison, pair)->path, arena));
}

static Cell norm_error_cell(const Comparison *comparison, const SlotPair *pair, Arena *arena)
{
    Cell cell = cell_error(pair->status == STATUS_SAME ? -1 : pair->norm_error, arena);
    bool deciding = decides(comparison, pair) && pair->metric == METRIC_NORM;
    return deciding ? cell_in(cell, STYLE_ERROR) : cell;
}

// The number that the slot was judged by, and of what it is where that is not the norm.
static Cell deciding_cell(const Comparison *comparison, const SlotPair *pair, Arena *arena)
{
    Cell cell = cell_error(pair->status == STATUS_SAME ? -1 : pair->error, arena);
    if (cell.kind == CELL_NUMBER)
        cell.text = str_printf(arena, "%s" STR_FMT, metric_prefix((Metric)pair->metric),
                               STR_ARG(cell.text));
    return decides(comparison, pair) ? cell_in(cell, STYLE_STRONG) : cell;
}

static void slot_columns(Row *row)
{
    static const struct {
        Stat stat;
        double width;
        const char *golden, *target;
    } stats[] = {{STAT_NORM, 20, TR("golden norm"), TR("target norm")},
                 {STAT_MAX, 20, TR("golden max"), TR("target max")},
                 {STAT_MIN, 20, TR("golden min"), TR("target min")},
                 {STAT_MEAN, 22, TR("golden mean"), TR("target mean")}};
    const Comparison *comparison = row->view;
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    const SlotPair *pair = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("slot"), 18, slot_cell(comparison, pair, arena));
    TEXT(row, TR("status"), 12, cell_status((Status)pair->status, false));
    TEXT(row, TR("golden dtype"), 16, dtype_cell(golden, pair->golden, arena));
    TEXT(row, TR("target dtype"), 16, dtype_cell(target, pair->target, arena));
    TEXT(row, TR("shape"), 18,
         cell_code(
             name_copy(shown_dump(comparison, pair), shown_slot(comparison, pair)->shape, arena)));
    NUMBER(row, TR("relative error"), 16, deciding_cell(comparison, pair, arena));
    NUMBER(row, TR("norm rel. diff"), 14, norm_error_cell(comparison, pair, arena));
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        NUMBER(row, stats[i].golden, stats[i].width,
               stat_cell(golden, pair->golden, stats[i].stat, arena));
        NUMBER(row, stats[i].target, stats[i].width,
               stat_cell(target, pair->target, stats[i].stat, arena));
    }
}

static Str op_text(const Dump *dump, uint32_t op)
{
    return op == OP_NONE ? STR("—") : names_text(dump->names, dump->ops[op].name);
}

Table *table_of_first_divergence(const Comparison *comparison, Arena *arena)
{
    if (comparison->first.kind == DIVERGE_NONE)
        return NULL;
    const OpPair *op = &comparison->ops[comparison->first.op];
    Table *table = COLUMNS_TABLE(TR("First divergence"), slot_columns, comparison,
                                 comparison->slots + op->first_slot, op->slot_count, arena);
    Str golden = op_text(comparison->golden->dump, op->golden);
    Str target = op_text(comparison->target->dump, op->target);
    table->note = str_printf(arena, tr("golden " STR_FMT " · target " STR_FMT), STR_ARG(golden),
                             STR_ARG(target));
    return table;
}

static Cell raw_norm(const Dump *dump, uint32_t slot, Arena *arena)
{
    double norm;
    if (slot == SLOT_NONE)
        return cell_text(STR("—"));
    if (slot_stat(&dump->slots[slot], STAT_NORM, &norm))
        return cell_number_as(norm, figure_number(norm, 6, arena));
    return stat_cell(dump, slot, STAT_MAX, arena);
}

static Str shape_and_dtype(const Comparison *comparison, const SlotPair *pair, Arena *arena)
{
    const Names *names = shown_dump(comparison, pair)->names;
    const Slot *slot = shown_slot(comparison, pair);
    return str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(names_text(names, slot->shape)),
                      STR_ARG(names_text(names, slot->dtype)));
}

static void first_slot_columns(Row *row)
{
    const Comparison *comparison = row->view;
    const SlotPair *pair = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("slot"), 18, slot_cell(comparison, pair, arena));
    TEXT(row, TR("status"), 12, cell_status((Status)pair->status, false));
    TEXT(row, TR("shape"), 18, cell_code(shape_and_dtype(comparison, pair, arena)));
    NUMBER(row, TR("golden"), 16, raw_norm(comparison->golden->dump, pair->golden, arena));
    NUMBER(row, TR("target"), 16, raw_norm(comparison->target->dump, pair->target, arena));
    NUMBER(row, TR("relative error"), 14, deciding_cell(comparison, pair, arena));
}

Table *table_of_first_slots(const Comparison *comparison, Arena *arena)
{
    if (comparison->first.kind == DIVERGE_NONE)
        return NULL;
    Table *table = columns_table(TR("First divergence"), first_slot_columns, comparison, arena);
    const OpPair *op = &comparison->ops[comparison->first.op];
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (comparison->slots[i].status != STATUS_NO_DATA)
            columns_add(table, &comparison->slots[i]);
    return table;
}

// "blocks.3": a list of layers is a module whose last path part is a number.
static bool is_layer(const Comparison *comparison, const TreeNode *row, Str *path)
{
    OpName name = tree_row_op_name(comparison, row);
    uint64_t number;
    if (name.kind != OP_MODULE || name.direction != DIR_FORWARD)
        return false;
    size_t dot = str_rfind_char(name.path, '.');
    Str last = str_slice(name.path, dot == SIZE_MAX ? 0 : dot + 1, name.path.size);
    *path = name.path;
    return dot != SIZE_MAX && str_to_uint64(last, &number);
}

static bool has_layers(const Comparison *comparison)
{
    Str path;
    for (uint32_t i = 0; i < comparison->tree_count; i++)
        if (is_layer(comparison, &comparison->tree[i], &path))
            return true;
    return false;
}

static Str layer_shown(const Comparison *comparison, const TreeNode *it)
{
    OpName name = tree_row_op_name(comparison, it);
    return name.path.size ? name.path : name.stem;
}

static Cell op_error_cell(const Comparison *comparison, const OpPair *op, OpSide side, Arena *arena)
{
    return cell_op_error(op_error_word(comparison, op, side),
                         side == OP_INPUTS ? op->error_in : op->error_out, arena);
}

// A layer, or several one after the other that are equal bit for bit.
typedef struct LayerRow {
    const TreeNode *const *layers;
    size_t count;
    const BlockError *block;  // of the first layer, or NULL
} LayerRow;

static uint64_t layers_with(const LayerRow *row, Status status)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < row->count; i++)
        sum += row->layers[i]->counts[status];
    return sum;
}

// "layers.0", "layers.0 … layers.62 ×63".
static Str layers_named(const LayerRow *row, Str first, Str last, Arena *arena)
{
    if (row->count == 1)
        return first;
    return str_printf(arena, STR_FMT " … " STR_FMT " ×%zu", STR_ARG(first), STR_ARG(last),
                      row->count);
}

static Cell layer_cell(const Comparison *comparison, const LayerRow *row, Arena *arena)
{
    const TreeNode *first = row->layers[0], *last = row->layers[row->count - 1];
    Str shown =
        layers_named(row, layer_shown(comparison, first), layer_shown(comparison, last), arena);
    Str whole =
        layers_named(row, tree_row_name(comparison, first), tree_row_name(comparison, last), arena);
    CellStyle style = style_of_status((Status)first->rollup, first->inherited);
    return cell_titled(cell_styled(style, shown), whole);
}

static Cell layer_error_cell(const Comparison *comparison, const LayerRow *row, Arena *arena)
{
    uint32_t pair = row->layers[0]->pair;
    return pair == PAIR_NONE ? cell_dash()
                             : op_error_cell(comparison, &comparison->ops[pair], OP_OUTPUTS, arena);
}

static Cell added_cell(const BlockError *block, Arena *arena)
{
    if (!block || isnan(block->added))
        return cell_dash();
    if (!(block->inherited > 0))
        return block->added > 0 ? cell_word(TR("all of it")) : cell_dash();
    return cell_digits(block->added / block->inherited, 2, arena);
}

static void layer_columns(Row *row)
{
    const Comparison *comparison = row->view;
    const LayerRow *layer = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("layer, forward"), 32, layer_cell(comparison, layer, arena));
    NUMBER(row, "E", 8,
           cell_count_or_dot(
               layers_with(layer, STATUS_ERROR) + layers_with(layer, STATUS_UNMATCHED), arena));
    NUMBER(row, "W", 8, cell_count_or_dot(layers_with(layer, STATUS_WARNING), arena));
    NUMBER(row, TR("agree"), 8,
           cell_count_or_dot(layers_with(layer, STATUS_PASS) + layers_with(layer, STATUS_SAME),
                             arena));
    NUMBER(row, TR("relative error, out"), 12, layer_error_cell(comparison, layer, arena));
    NUMBER(row, TR("added / inherited"), 12, added_cell(layer->block, arena));
}

// The modules that are layers, in `out`; gives their number.
static size_t find_layers(const Comparison *comparison, const TreeNode **out)
{
    bool layers = has_layers(comparison);
    size_t count = 0;
    for (uint32_t i = 1; i < comparison->tree_count;) {
        const TreeNode *row = &comparison->tree[i];
        Str path;
        OpName name = tree_row_op_name(comparison, row);
        bool wanted =
            layers ? is_layer(comparison, row, &path)
                   : row->depth == 1 && name.kind == OP_MODULE && name.direction == DIR_FORWARD;
        if (wanted)
            out[count++] = row;
        i = wanted ? row->end : i + 1;
    }
    return count;
}

// How many from here on are one row.
static size_t equal_layers(const TreeNode *const *layers, size_t count)
{
    enum { FOLD_FROM = 3 };
    size_t same = 0;
    while (same < count && layers[same]->rollup == STATUS_SAME)
        same++;
    return same >= FOLD_FROM ? same : 1;
}

static const BlockError *block_of(const BlockErrors *blocks, uint32_t pair)
{
    for (size_t i = 0; i < blocks->count; i++)
        if (blocks->items[i].op == pair)
            return &blocks->items[i];
    return NULL;
}

Table *table_of_layers(const Comparison *comparison, bool book, Arena *arena)
{
    enum { LAYER_LIMIT = 128 };
    Table *table = columns_table(TR("Layers"), layer_columns, comparison, arena);
    const TreeNode **layers = ARENA_ARRAY(arena, const TreeNode *, comparison->tree_count);
    size_t count = find_layers(comparison, layers), at = 0;
    BlockErrors blocks = block_errors_find(comparison, arena);
    while (at < count && table->row_count < LAYER_LIMIT) {
        LayerRow *row = ARENA_NEW(arena, LayerRow);
        *row = (LayerRow){layers + at, equal_layers(layers + at, count - at),
                          block_of(&blocks, layers[at]->pair)};
        columns_add(table, row);
        at += row->count;
    }
    unsigned long long left_out = count - at;
    if (left_out)
        table->note = str_printf(arena,
                                 book ? tr_count(left_out, "%llu more layer is in the workbook",
                                                 "%llu more layers are in the workbook")
                                      : tr_count(left_out, "%llu layer is left out here",
                                                 "%llu layers are left out here"),
                                 left_out);
    return table;
}

static bool golden_alone(const OpPair *op)
{
    return op->target == OP_NONE;
}

static const Dump *dump_of(const Comparison *comparison, const OpPair *op)
{
    return golden_alone(op) ? comparison->golden->dump : comparison->target->dump;
}

static const Op *record_of(const Comparison *comparison, const OpPair *op)
{
    return &dump_of(comparison, op)->ops[golden_alone(op) ? op->golden : op->target];
}

static Str op_shown(const Comparison *comparison, const OpPair *op)
{
    return names_text(dump_of(comparison, op)->names, record_of(comparison, op)->name);
}

static Cell position_cell(const Row *row)
{
    const Comparison *comparison = row->view;
    const OpPair *op = row->item;
    return cell_count((uint64_t)(op - comparison->ops) + 1, row->arena);
}

static void unmatched_columns(Row *row)
{
    const OpPair *op = row->item;
    NUMBER(row, TR("number"), 10, position_cell(row));
    TEXT(row, TR("only in"), 10, cell_side(!golden_alone(op)));
    TEXT(row, TR("op"), 64, cell_text(str_copy(row->arena, op_shown(row->view, op))));
    NUMBER(row, TR("slots"), 8,
           cell_count_or_dot(record_of(row->view, op)->slot_count, row->arena));
}

Table *table_of_unmatched(const Comparison *comparison, Arena *arena)
{
    Table *table = columns_table(TR("Unmatched"), unmatched_columns, comparison, arena);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].status == STATUS_UNMATCHED)
            columns_add(table, &comparison->ops[i]);
    return table;
}

static Cell alone_cell(const PrecheckOp *of)
{
    return of ? cell_titled(cell_status(precheck_status(of->status), false), of->reason)
              : cell_dash();
}

static void op_columns(Row *row)
{
    const OpPair *op = row->item;
    const Comparison *comparison = row->view;
    NUMBER(row, "#", 8, position_cell(row));
    TEXT(row, TR("status"), 14, cell_status((Status)op->status, op->inherited));
    TEXT(row, TR("op"), 64, cell_code(op_shown(row->view, op)));
    NUMBER(row, TR("relative error, in"), 12, op_error_cell(row->view, op, OP_INPUTS, row->arena));
    NUMBER(row, TR("relative error, out"), 12,
           op_error_cell(row->view, op, OP_OUTPUTS, row->arena));
    if (comparison->precheck)
        TEXT(row, TR("pre-check"), 12, alone_cell(precheck_of_op(comparison, op)));
}

Table *table_of_ops(const Comparison *comparison, size_t limit, bool book, Arena *arena)
{
    Table *table = columns_table(TR("Ops"), op_columns, comparison, arena);
    bool only_differing = comparison->op_count > limit;
    uint64_t left_out = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        bool wanted = !only_differing || status_differs((Status)op->status);
        if (wanted && table->row_count < limit)
            columns_add(table, op);
        else
            left_out++;
    }
    if (left_out)
        table->note = str_printf(
            arena,
            book ? tr_count(left_out,
                            "%llu op is left out here; every row that differs is in the workbook",
                            "%llu ops are left out here; every row that differs is in the workbook")
                 : tr_count(left_out, "%llu op is left out here", "%llu ops are left out here"),
            (unsigned long long)left_out);
    return table;
}

static void precheck_columns(Row *row)
{
    const PrecheckFact *fact = row->item;
    TEXT(row, TR("op"), 64, cell_code(fact->op));
    TEXT(row, TR("pre-check"), 12, cell_status(fact->precheck, false));
    TEXT(row, TR("why"), 48, fact->reason.size ? cell_text(fact->reason) : cell_dash());
    TEXT(row, TR("status here"), 14, cell_status(fact->status, fact->inherited));
}

Table *table_of_precheck(const PairFacts *facts, Arena *arena)
{
    return facts->precheck_count ? COLUMNS_TABLE(TR("Pre-check"), precheck_columns, NULL,
                                                 facts->precheck, facts->precheck_count, arena)
                                 : NULL;
}

// ---- the workbook

typedef struct Differing {
    Str name;  // as in the sheet Compare
    const SlotPair *slot;
    const OpPair *op;
} Differing;

// The peer's columns of these names hold the same as text with "%".
static const char *const relative_heads[STAT_COUNT] = {[STAT_MAX] = "MaxRelativeErr",
                                                       [STAT_MIN] = "MinRelativeErr",
                                                       [STAT_MEAN] = "MeanRelativeErr",
                                                       [STAT_NORM] = "NormRelativeErr"};

static Cell relative_cell(const Comparison *comparison, const SlotPair *slot, int stat)
{
    if (slot->golden == SLOT_NONE || slot->target == SLOT_NONE)
        return NO_CELL;
    double golden, target;
    if (!slot_stat(&comparison->golden->dump->slots[slot->golden], (Stat)stat, &golden) ||
        !slot_stat(&comparison->target->dump->slots[slot->target], (Stat)stat, &target))
        return NO_CELL;
    double error = fabs((target - golden) / golden);
    return isfinite(error) ? cell_number(error) : NO_CELL;
}

static void differing_columns(Row *row)
{
    const Comparison *comparison = row->view;
    const Differing *it = row->item;
    static const SlotPair none = {.status = STATUS_SAME};  // of a head, which has no cells
    const SlotPair *slot = row->cells ? it->slot : &none;
    Arena *arena = row->arena;
    TEXT(row, TR("name"), 52, cell_code(it->name));
    TEXT(row, TR("status"), 16,
         cell_styled(style_of_status((Status)slot->status, it->op->inherited),
                     status_label((Status)slot->status, it->op->inherited)));
    NUMBER(row, TR("relative error"), 16, deciding_cell(comparison, slot, arena));
    if (!row->cells)
        row->columns[row->count - 1].bar = true;
    NUMBER(row, TR("floor"), 14,
           slot->floor > 0 && isfinite(slot->floor)
               ? cell_number_as((double)slot->floor, figure_number((double)slot->floor, 2, arena))
               : cell_dash());
    TEXT(row, TR("rule"), 60,
         rule_table[slot->reason].said ? cell_word(rule_table[slot->reason].said) : NO_CELL);
    for (int stat = 0; stat < STAT_COUNT; stat++)
        NUMBER(row, relative_heads[stat], 16, relative_cell(comparison, slot, stat));
    NUMBER(row, TR("golden norm"), 16,
           stat_cell(comparison->golden->dump, slot->golden, STAT_NORM, arena));
    NUMBER(row, TR("target norm"), 16,
           stat_cell(comparison->target->dump, slot->target, STAT_NORM, arena));
}

static Str slot_name(const Comparison *comparison, const OpPair *op, const SlotPair *slot,
                     Arena *arena)
{
    const Dump *dump = shown_dump(comparison, slot);
    uint32_t at = slot->target != SLOT_NONE ? op->target : op->golden;
    return str_printf(arena, STR_FMT "." STR_FMT, STR_ARG(op_text(dump, at)),
                      STR_ARG(names_text(dump->names, shown_slot(comparison, slot)->path)));
}

Table *table_of_differing(const Comparison *comparison, uint64_t most, Arena *arena)
{
    Table *table = columns_table(TR("What differs"), differing_columns, comparison, arena);
    uint64_t left_out = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        for (uint32_t k = 0; k < op->slot_count; k++) {
            const SlotPair *slot = &comparison->slots[op->first_slot + k];
            if (!status_differs((Status)slot->status))
                continue;
            if (table->row_count < most)
                columns_add(table, &(Differing){slot_name(comparison, op, slot, arena), slot, op});
            else
                left_out++;
        }
    }
    if (left_out)
        table->note = str_printf(arena, tr("… and %s more rows, left out here"),
                                 str_cstr(arena, figure_count(left_out, arena)));
    return table;
}

static void add_fact(SummaryFacts *facts, const char *name, Cell value, Cell more, Arena *arena)
{
    *ARRAY_PUSH(arena, facts) = (SummaryFact){str_of(tr(name)), value, more};
}

static void add_counts(const CompareSummary *summary, SummaryFacts *facts, Arena *arena)
{
    Table *counts = table_of_counts(summary, arena);
    Cell cells[3];
    while (counts->next(counts->state, cells))
        *ARRAY_PUSH(arena, facts) = (SummaryFact){cells[0].text, cells[1], cells[2]};
}

Table *table_of_summary(const CompareSummary *summary, const SummaryFacts *links,
                        Table *const *sheets, size_t count, Arena *arena)
{
    SummaryFacts facts = {0};
    add_fact(&facts, TR("golden"), cell_styled(STYLE_GOLDEN, summary->golden_path), NO_CELL, arena);
    add_fact(&facts, TR("target"), cell_styled(STYLE_TARGET, summary->target_path), NO_CELL, arena);
    add_fact(&facts, TR("mode"), cell_word(compare_mode_word(summary->mode)), NO_CELL, arena);
    add_fact(&facts, TR("rules"), cell_text(str_of(rules_word(summary->rules))), NO_CELL, arena);
    for (size_t i = 0; links && i < links->count; i++)
        *ARRAY_PUSH(arena, &facts) = links->items[i];
    *ARRAY_PUSH(arena, &facts) = (SummaryFact){.name = STR("")};
    *ARRAY_PUSH(arena, &facts) = (SummaryFact){str_of(tr("status")), cell_text(str_of(tr("ops"))),
                                               cell_text(str_of(tr("slots")))};
    add_counts(summary, &facts, arena);
    for (size_t i = 0; summary->count > 1 && i < summary->groups.count; i++) {
        const PairGroup *group = &summary->groups.items[i];
        *ARRAY_PUSH(arena, &facts) = (SummaryFact){
            place_text(summary->pairs[group->first].step, summary->pairs[group->first].stage,
                       summary->pairs[group->first].rank, arena),
            cell_styled(style_of_status(summary->pairs[group->first].status, false),
                        summary->verdicts[group->first].sentence),
            cell_count(group->ranks.count, arena)};
    }
    return summary_sheet(summary->verdict, &facts, sheets, count, arena);
}
