// SPDX-License-Identifier: Apache-2.0
#include "layout/compare_tables.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge.h"
#include "layout/figure_text.h"
#include "layout/head_table.h"
#include "layout/verdict_text.h"
#include "read/op_name.h"

CellStyle style_of_status(Status status, bool inherited)
{
    switch (status) {
    case STATUS_SAME:
        return STYLE_SAME;
    case STATUS_PASS:
        return STYLE_PASS;
    case STATUS_WARNING:
        return inherited ? STYLE_WARNING_TINT : STYLE_WARNING;
    case STATUS_ERROR:
        return inherited ? STYLE_ERROR_TINT : STYLE_ERROR;
    case STATUS_UNMATCHED:
        return STYLE_UNMATCHED;
    default:
        return STYLE_NO_DATA;
    }
}

Str status_shown(Status status)
{
    static const char *const words[STATUS_COUNT] = {
        [STATUS_NO_DATA] = TR("no data"), [STATUS_SAME] = TR("same"),
        [STATUS_PASS] = TR("pass"),       [STATUS_WARNING] = TR("warning"),
        [STATUS_ERROR] = TR("error"),     [STATUS_UNMATCHED] = TR("unmatched")};
    return str_of(tr(words[status]));
}

static Cell count_cell(uint64_t count, Arena *arena)
{
    return cell_number_as((double)count, figure_count_or_dot(count, arena));
}

// A relative error as a number where it is one, else in the words of the pictures.
static Cell error_cell(double error, Arena *arena)
{
    Str shown = figure_error(error, arena);
    return isfinite(error) && error >= 0 ? cell_number_as(error, shown) : cell_text(shown);
}

static const PairFacts *read_pair(const CompareSummary *summary, int side)
{
    for (size_t i = 0; i < summary->count; i++)
        if (summary->pairs[i].reads[side].file.size)
            return &summary->pairs[i];
    return NULL;
}

static uint64_t ops_of(const CompareSummary *summary, int side)
{
    uint64_t ops = 0;
    for (size_t i = 0; i < summary->count; i++)
        ops += side == 0 ? summary->pairs[i].ops_golden : summary->pairs[i].ops_target;
    return ops;
}

Table *table_of_runs(const CompareSummary *summary, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("side"),      10, false},
        {TR("dump"),      48, false},
        {TR("framework"), 12, false},
        {TR("ops"),       10, true }
    };
    Table *table = HEAD_TABLE(TR("Runs"), heads, arena);
    for (int side = 0; side < 2; side++) {
        const PairFacts *pair = read_pair(summary, side);
        Cell *row = table_add_row(table);
        row[0] = cell_styled(side == 0 ? STYLE_GOLDEN : STYLE_TARGET,
                             str_of(side == 0 ? tr("golden") : tr("target")));
        row[1] = cell_styled(STYLE_CODE, side == 0 ? summary->golden_path : summary->target_path);
        row[2] =
            cell_text(pair ? str_printf(arena, "%s " STR_FMT, framework_text(pair->framework[side]),
                                        STR_ARG(pair->level[side]))
                           : STR("—"));
        row[3] = count_cell(ops_of(summary, side), arena);
    }
    return table;
}

Table *table_of_counts(const CompareSummary *summary, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("status"), 14, false},
        {TR("ops"),    10, true },
        {TR("slots"),  10, true }
    };
    static const Status order[] = {STATUS_ERROR, STATUS_WARNING,   STATUS_PASS,
                                   STATUS_SAME,  STATUS_UNMATCHED, STATUS_NO_DATA};
    Table *table = HEAD_TABLE(TR("Counts"), heads, arena);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint64_t ops = 0, slots = 0;
        for (size_t k = 0; k < summary->count; k++) {
            ops += summary->pairs[k].op_counts[order[i]];
            slots += summary->pairs[k].slot_counts[order[i]];
        }
        Cell *row = table_add_row(table);
        row[0] = cell_styled(style_of_status(order[i], true), status_shown(order[i]));
        row[1] = count_cell(ops, arena);
        row[2] = count_cell(slots, arena);
    }
    return table;
}

static Str direction_shown(Str text)
{
    OpName name = op_name_parse(text);
    if (name.kind == OP_OTHER || name.kind == OP_DEBUG)
        return STR("—");
    switch (name.direction) {
    case DIR_FORWARD:
        return str_of(tr("forward"));
    case DIR_BACKWARD:
        return str_of(tr("backward"));
    default:
        return str_of(tr("gradient"));
    }
}

Table *table_of_worst(const PairFacts *facts, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("op"),        52, false},
        {TR("direction"), 12, false},
        {TR("in"),        12, true },
        {TR("out"),       12, true }
    };
    Table *table = HEAD_TABLE(TR("Largest errors"), heads, arena);
    for (size_t i = 0; i < facts->worst_count && i < limit; i++) {
        const WorstOp *op = &facts->worst[i];
        Str name = op->target.size ? op->target : op->golden;
        OpName parts = op_name_parse(name);
        Cell *row = table_add_row(table);
        row[0] =
            cell_styled(style_of_status(op->status, op->inherited),
                        parts.kind == OP_API ? str_printf(arena, STR_FMT ".%d",
                                                          STR_ARG(parts.type_name), (int)parts.call)
                        : parts.path.size    ? parts.path
                                             : parts.stem);
        row[0].title = name;
        row[1] = cell_styled(STYLE_MUTED, direction_shown(name));
        row[2] = error_cell(op->error_in, arena);
        row[3] = error_cell(op->error_out, arena);
    }
    return table;
}

Table *table_of_pairs(const CompareSummary *summary, size_t most, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("step"),             8,  true },
        {TR("rank"),             8,  true },
        {TR("status"),           14, false},
        {TR("first divergence"), 56, false},
        {TR("kind"),             12, false},
        {TR("slot"),             16, false},
        {TR("relative error"),   14, true },
        {TR("later ops"),        12, true }
    };
    Table *table = HEAD_TABLE(TR("Pairs"), heads, arena);
    for (size_t i = 0; i < summary->count && i < most; i++) {
        const PairFacts *pair = &summary->pairs[i];
        const FirstDivergence *first = &pair->first;
        Cell *row = table_add_row(table);
        row[0] = cell_number_as((double)pair->step, figure_count(0, arena));
        row[0].text = str_printf(arena, "%lld", (long long)pair->step);
        row[1] =
            cell_number_as((double)pair->rank, str_printf(arena, "%lld", (long long)pair->rank));
        row[2] = cell_styled(style_of_status(pair->status, false), status_shown(pair->status));
        if (first->kind == DIVERGE_NONE)
            continue;
        row[3] = cell_text(first->target.size ? first->target : first->golden);
        row[4] = cell_text(str_of(divergence_word(first->kind)));
        row[5] = cell_text(first->slot);
        if (first->kind != DIVERGE_MISSING)
            row[6] = error_cell(first->value, arena);
        row[7] = count_cell(first->later, arena);
    }
    return table;
}

Table *table_of_problems(const Notices *notices, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("level"),   10, false},
        {TR("place"),   48, false},
        {TR("problem"), 80, false},
        {TR("times"),   8,  true }
    };
    static const char *const levels[] = {TR("note"), TR("warning"), TR("error")};
    if (notices->count == 0)
        return NULL;
    Table *table = HEAD_TABLE(TR("Problems"), heads, arena);
    for (size_t i = 0; i < notices->count; i++) {
        const Notice *notice = &notices->items[i];
        Str place = notice->file;
        if (notice->line)
            place = str_printf(arena, STR_FMT ":%llu", STR_ARG(place),
                               (unsigned long long)notice->line);
        if (notice->byte >= 0)
            place = str_printf(arena, tr(STR_FMT ", byte %lld"), STR_ARG(place),
                               (long long)notice->byte);
        Cell *row = table_add_row(table);
        row[0] = cell_text(str_of(tr(levels[notice->level])));
        row[1] = cell_styled(STYLE_CODE, place);
        row[2] = cell_text(notice->text);
        row[3] = count_cell(notice->count, arena);
    }
    return table;
}

static Str slot_text(const Dump *dump, uint32_t slot, NameId which, Arena *arena)
{
    (void)slot;
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

static void fill_slot_row(const Comparison *comparison, const SlotPair *pair, bool decides,
                          Cell *row, Arena *arena)
{
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    bool in_target = pair->target != SLOT_NONE, in_golden = pair->golden != SLOT_NONE;
    const Slot *shown = in_target ? &target->slots[pair->target] : &golden->slots[pair->golden];
    const Dump *dump = in_target ? target : golden;
    row[0] =
        cell_styled(decides ? STYLE_STRONG : STYLE_PLAIN, slot_text(dump, 0, shown->path, arena));
    row[1] = cell_styled(style_of_status((Status)pair->status, false),
                         status_shown((Status)pair->status));
    row[2] = cell_text(in_golden ? slot_text(golden, 0, golden->slots[pair->golden].dtype, arena)
                                 : STR("—"));
    row[3] = cell_text(in_target ? slot_text(target, 0, target->slots[pair->target].dtype, arena)
                                 : STR("—"));
    row[4] = cell_styled(STYLE_CODE, slot_text(dump, 0, shown->shape, arena));
    row[5] = error_cell(pair->status == STATUS_SAME ? -1 : pair->norm_error, arena);
    if (decides)
        row[5].style = STYLE_ERROR;
    static const Stat order[] = {STAT_NORM, STAT_MAX, STAT_MIN, STAT_MEAN};
    for (int i = 0; i < 4; i++) {
        row[6 + 2 * i] = stat_cell(golden, pair->golden, order[i], arena);
        row[7 + 2 * i] = stat_cell(target, pair->target, order[i], arena);
    }
}

Table *table_of_first_divergence(const Comparison *comparison, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("slot"),           18, false},
        {TR("status"),         12, false},
        {TR("golden dtype"),   16, false},
        {TR("target dtype"),   16, false},
        {TR("shape"),          18, false},
        {TR("norm rel. diff"), 14, true },
        {TR("golden norm"),    20, true },
        {TR("target norm"),    20, true },
        {TR("golden max"),     20, true },
        {TR("target max"),     20, true },
        {TR("golden min"),     20, true },
        {TR("target min"),     20, true },
        {TR("golden mean"),    22, true },
        {TR("target mean"),    22, true }
    };
    const Divergence *first = &comparison->first;
    if (first->kind == DIVERGE_NONE)
        return NULL;
    Table *table = HEAD_TABLE(TR("First divergence"), heads, arena);
    const OpPair *op = &comparison->ops[first->op];
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        fill_slot_row(comparison, &comparison->slots[i], i == first->slot, table_add_row(table),
                      arena);
    Str target = op->target != OP_NONE ? names_text(comparison->target->dump->names,
                                                    comparison->target->dump->ops[op->target].name)
                                       : STR("—");
    Str golden = op->golden != OP_NONE ? names_text(comparison->golden->dump->names,
                                                    comparison->golden->dump->ops[op->golden].name)
                                       : STR("—");
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

Table *table_of_first_slots(const Comparison *comparison, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("slot"),      18, false},
        {TR("status"),    12, false},
        {TR("shape"),     18, false},
        {TR("golden"),    16, true },
        {TR("target"),    16, true },
        {TR("rel. diff"), 12, true }
    };
    const Divergence *first = &comparison->first;
    if (first->kind == DIVERGE_NONE)
        return NULL;
    Table *table = HEAD_TABLE(TR("First divergence"), heads, arena);
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    const OpPair *op = &comparison->ops[first->op];
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (pair->status == STATUS_NO_DATA)
            continue;
        bool in_target = pair->target != SLOT_NONE;
        const Dump *dump = in_target ? target : golden;
        const Slot *slot = &dump->slots[in_target ? pair->target : pair->golden];
        Cell *row = table_add_row(table);
        row[0] = cell_styled(i == first->slot ? STYLE_STRONG : STYLE_PLAIN,
                             slot_text(dump, 0, slot->path, arena));
        row[1] = cell_styled(style_of_status((Status)pair->status, false),
                             status_shown((Status)pair->status));
        row[2] = cell_styled(STYLE_CODE, str_printf(arena, STR_FMT " " STR_FMT,
                                                    STR_ARG(names_text(dump->names, slot->shape)),
                                                    STR_ARG(names_text(dump->names, slot->dtype))));
        row[3] = raw_norm(golden, pair->golden, arena);
        row[4] = raw_norm(target, pair->target, arena);
        row[5] = error_cell(pair->status == STATUS_SAME ? -1 : pair->norm_error, arena);
        if (i == first->slot)
            row[5].style = STYLE_STRONG;
    }
    return table;
}

static Str name_of_row(const Comparison *comparison, const TreeNode *row)
{
    const Graph *graph = row->target != NODE_NONE ? comparison->target : comparison->golden;
    NodeId id = row->target != NODE_NONE ? row->target : row->golden;
    return names_text(graph->dump->names, graph->nodes[id].name);
}

// "blocks.3": a list of layers is a module whose last path part is a number.
static bool is_layer(const Comparison *comparison, const TreeNode *row, Str *path)
{
    OpName name = op_name_parse(name_of_row(comparison, row));
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

static void add_layer_row(Table *table, const Comparison *comparison, const TreeNode *row,
                          Arena *arena)
{
    Cell *cells = table_add_row(table);
    OpName name = op_name_parse(name_of_row(comparison, row));
    double out = (double)NAN;
    if (row->pair != PAIR_NONE)
        out = comparison->ops[row->pair].error_out;
    cells[0] = cell_styled(style_of_status((Status)row->rollup, row->inherited),
                           name.path.size ? name.path : name.stem);
    cells[0].title = name_of_row(comparison, row);
    cells[1] = count_cell(row->counts[STATUS_ERROR] + row->counts[STATUS_UNMATCHED], arena);
    cells[2] = count_cell(row->counts[STATUS_WARNING], arena);
    cells[3] = count_cell(row->counts[STATUS_PASS] + row->counts[STATUS_SAME], arena);
    cells[4] = error_cell(out, arena);
}

Table *table_of_layers(const Comparison *comparison, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("layer, forward"), 32, false},
        {"E",                  8,  true },
        {"W",                  8,  true },
        {TR("agree"),          8,  true },
        {TR("out"),            12, true }
    };
    enum { LAYER_LIMIT = 128 };
    Table *table = HEAD_TABLE(TR("Layers"), heads, arena);
    bool layers = has_layers(comparison);
    uint64_t left_out = 0;
    for (uint32_t i = 1; i < comparison->tree_count;) {
        const TreeNode *row = &comparison->tree[i];
        Str path;
        OpName name = op_name_parse(name_of_row(comparison, row));
        bool wanted =
            layers ? is_layer(comparison, row, &path)
                   : row->depth == 1 && name.kind == OP_MODULE && name.direction == DIR_FORWARD;
        if (wanted && table->row_count < LAYER_LIMIT)
            add_layer_row(table, comparison, row, arena);
        else
            left_out += wanted;
        i = wanted ? row->end : i + 1;
    }
    if (left_out)
        table->note = str_printf(arena,
                                 tr_count(left_out, "%llu more layer is in the workbook",
                                          "%llu more layers are in the workbook"),
                                 (unsigned long long)left_out);
    return table;
}

Table *table_of_unmatched(const Comparison *comparison, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("number"),  10, true },
        {TR("only in"), 10, false},
        {TR("op"),      64, false},
        {TR("slots"),   8,  true }
    };
    Table *table = HEAD_TABLE(TR("Unmatched"), heads, arena);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->status != STATUS_UNMATCHED)
            continue;
        bool golden = op->target == OP_NONE;
        const Dump *dump = golden ? comparison->golden->dump : comparison->target->dump;
        const Op *record = &dump->ops[golden ? op->golden : op->target];
        Cell *row = table_add_row(table);
        row[0] = count_cell(i + 1, arena);
        row[1] = cell_styled(golden ? STYLE_GOLDEN : STYLE_TARGET,
                             str_of(golden ? tr("golden") : tr("target")));
        row[2] = cell_text(str_copy(arena, names_text(dump->names, record->name)));
        row[3] = count_cell(record->slot_count, arena);
    }
    return table;
}

static Str op_shown(const Comparison *comparison, const OpPair *op)
{
    const Dump *dump = op->target != OP_NONE ? comparison->target->dump : comparison->golden->dump;
    return names_text(dump->names, dump->ops[op->target != OP_NONE ? op->target : op->golden].name);
}

Table *table_of_ops(const Comparison *comparison, size_t limit, Arena *arena)
{
    static const TableHead heads[] = {
        {"#",          8,  true },
        {TR("status"), 14, false},
        {TR("op"),     64, false},
        {TR("in"),     12, true },
        {TR("out"),    12, true }
    };
    Table *table = HEAD_TABLE(TR("Ops"), heads, arena);
    bool only_differing = comparison->op_count > limit;
    uint64_t left_out = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        bool wanted = !only_differing || status_differs((Status)op->status);
        if (!wanted || table->row_count == limit) {
            left_out++;
            continue;
        }
        Cell *row = table_add_row(table);
        row[0] = count_cell(i + 1, arena);
        row[1] = cell_styled(style_of_status((Status)op->status, op->inherited),
                             status_shown((Status)op->status));
        row[2] = cell_styled(STYLE_CODE, op_shown(comparison, op));
        row[3] = error_cell(op->error_in, arena);
        row[4] = error_cell(op->error_out, arena);
    }
    if (left_out)
        table->note =
            str_printf(arena,
                       tr_count(left_out, "%llu op is left out here; every row is in the workbook",
                                "%llu ops are left out here; every row is in the workbook"),
                       (unsigned long long)left_out);
    return table;
}

static void add_fact(Table *table, const char *name, Cell value)
{
    Cell *row = table_add_row(table);
    row[0] = cell_text(str_of(tr(name)));
    row[1] = value;
}

Table *table_of_summary(const CompareSummary *summary, Arena *arena)
{
    Table *table = ARENA_NEW(arena, Table);
    TableRows *rows = ARENA_NEW(arena, TableRows);
    Column *columns = ARENA_ARRAY(arena, Column, 2);
    columns[0] = (Column){.title = summary->verdict->sentence, .width = 24};
    columns[1] = (Column){.width = 80};
    table_init_rows(table, rows, tr(TR("Summary")), columns, 2, arena);
    table_add_row(table);
    add_fact(table, TR("golden"), cell_styled(STYLE_GOLDEN, summary->golden_path));
    add_fact(table, TR("target"), cell_styled(STYLE_TARGET, summary->target_path));
    add_fact(table, TR("mode"), cell_text(str_of(tr(compare_mode_word(summary->mode)))));
    add_fact(table, TR("rules"), cell_text(str_of(rules_word(summary->rules))));
    add_fact(table, TR("status"),
             cell_styled(style_of_status(summary->status, false), status_shown(summary->status)));
    Table *counts = table_of_counts(summary, arena);
    Cell cells[3];
    while (counts->next(counts->state, cells))
        add_fact(table, TR("ops"),
                 cell_styled(cells[0].style,
                             str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(cells[0].text),
                                        STR_ARG(cells[1].text))));
    for (size_t i = 0; i < summary->count; i++) {
        Cell *row = table_add_row(table);
        row[0] = cell_text(str_printf(arena, tr("step %lld, rank %lld"),
                                      (long long)summary->pairs[i].step,
                                      (long long)summary->pairs[i].rank));
        row[1] = cell_styled(style_of_status(summary->pairs[i].status, false),
                             summary->verdicts[i].sentence);
    }
    return table;
}
