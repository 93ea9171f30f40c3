// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_mapped.h"

#include "base/array.h"
#include "compare/mapping/mapping_api.h"
#include "compare/mapping/mapping_ops.h"
#include "compare/mapping/row_name.h"
#include "read/settings/fragments.h"

// Steps: 1. the rows of both sides in msProbe's order; 2. a key for each: golden's from its names,
// the target's from the mapping; 3. rows with equal keys meet.

typedef struct Row {
    uint32_t op, slot;
    NameId key;
    uint32_t next;  // the next row of golden with that key, or ROW_NONE
    bool first;     // of its op
} Row;

#define ROW_NONE UINT32_MAX

typedef struct Rows {
    Row *items;
    size_t count, capacity;
} Rows;

typedef struct Joiner {
    const Graph *graphs[2];  // golden, target
    MsprobeGeneration generation;
    const MatchOptions *options;
    bool fuzzy;
    bool by_rows;              // a data or layer mapping
    const uint32_t *layer_of;  // by target op: golden's op under a layer mapping, or NULL
    bool cross_framework;
    const bool *golden_apis;  // by API rule: an op of golden holds the name of its API
    Names *texts;
    Rows rows[2];
    StrBuf name, key;
    Arena *arena, *scratch;
    MsprobeRows *out;
} Joiner;

bool msprobe_mapped_wanted(const MatchOptions *options)
{
    return options && (options->fuzzy || options->data || options->by_layers || options->cells ||
                       options->by_cells || options->apis || options->by_apis);
}

// ---- names

Str msprobe_fuzzy_name(Str row, Arena *arena)
{
    Str word = STR("forward");
    size_t at = str_find(row, word, 0);
    if (at == SIZE_MAX) {
        word = STR("backward");
        at = str_find(row, word, 0);
    }
    if (at == SIZE_MAX)
        return row;
    Str before = str_slice(row, 0, at), after = str_slice(row, at + word.size, row.size);
    after = str_slice(after, 0, str_find(after, word, 0));
    for (int fields = 0; fields < 2; fields++) {
        size_t dot = str_rfind_char(before, '.');
        before = str_slice(before, 0, dot == SIZE_MAX ? before.size : dot);
    }
    return str_printf(arena, STR_FMT "." STR_FMT STR_FMT, STR_ARG(before), STR_ARG(word),
                      STR_ARG(after));
}

static Str joiner_name(Joiner *joiner, int side, uint32_t op, uint32_t slot)
{
    const Dump *dump = joiner->graphs[side]->dump;
    return row_name(dump, &dump->ops[op], &dump->slots[slot], &joiner->name);
}

// The row's name with `op_name` in place of its op's.
static Str with_op(Joiner *joiner, int side, uint32_t op, Str row, Str op_name)
{
    const Dump *dump = joiner->graphs[side]->dump;
    Str own = names_text(dump->names, dump->ops[op].name);
    if (!str_starts(row, own))
        return row;
    joiner->key.size = 0;
    strbuf_add(&joiner->key, op_name);
    strbuf_add(&joiner->key, str_slice(row, own.size, row.size));
    return strbuf_str(&joiner->key);
}

// ---- what a mapping makes of the name of a row

static Str mapped_row(Joiner *joiner, uint32_t op, Str row)
{
    const NamePair *pair = joiner->options->data ? mapping_find(joiner->options->data, row) : NULL;
    if (pair)
        return pair->golden;
    if (!joiner->layer_of || joiner->layer_of[op] == OP_NONE)
        return row;
    const Dump *golden = joiner->graphs[0]->dump;
    return with_op(joiner, 1, op, row,
                   names_text(golden->names, golden->ops[joiner->layer_of[op]].name));
}

static const struct {
    const char *part;
    ApiGroup group;
} row_groups[] = {
    {".input.", API_INPUT},
    {".output.", API_OUTPUT},
    {".parameters_grad.", API_PARAMETERS_GRAD},
    {".parameters.", API_PARAMETERS},
};

// What follows the first of the words that stand before an argument.
static size_t argument_at(Str row, ApiGroup *group)
{
    for (size_t i = 0; i < sizeof row_groups / sizeof *row_groups; i++) {
        Str part = str_of(row_groups[i].part);
        size_t at = str_find(row, part, 0);
        if (at == SIZE_MAX)
            continue;
        *group = row_groups[i].group;
        return at + part.size;
    }
    return SIZE_MAX;
}

static Str mapped_argument(const ApiRule *rule, Str row, Arena *arena)
{
    ApiGroup group = API_INPUT;
    size_t at = argument_at(row, &group);
    if (at == SIZE_MAX || rule->group_counts[group] == 0)
        return row;
    Str argument = str_slice(row, at, row.size);
    for (size_t i = 0; i < rule->group_counts[group]; i++)
        if (str_equal(argument, rule->groups[group][i].target))
            return str_concat(arena, str_slice(row, 0, at), rule->groups[group][i].golden);
    // No argument of golden: a key that nothing has.
    return str_concat(arena, row, STR("abandoned"));
}

static const bool *find_golden_apis(const ApiMapping *apis, const Dump *golden, Arena *arena)
{
    Fragments *names = fragments_new(arena);
    FragmentHits hits = {0};
    uint32_t *part_of = ARENA_ARRAY(arena, uint32_t, apis->count + 1);
    bool *known = ARENA_ARRAY(arena, bool, apis->count + 1);
    for (size_t i = 0; i < apis->count; i++)
        if (apis->items[i].golden_api.size)
            part_of[i] = fragments_add(names, apis->items[i].golden_api);
    fragments_link(names);
    bool *found = ARENA_ARRAY(arena, bool, apis->count + 1);
    for (uint32_t i = 0; i < golden->op_count; i++) {
        fragments_in(names, names_text(golden->names, golden->ops[i].name), arena, &hits);
        for (size_t k = 0; k < hits.count; k++)
            found[hits.items[k]] = true;
    }
    for (size_t i = 0; i < apis->count; i++)
        known[i] = apis->items[i].golden_api.size ? found[part_of[i]] : golden->op_count > 0;
    return known;
}

static Str mapped_api(Joiner *joiner, Str row)
{
    size_t dot = str_find_char(row, '.', 0);
    size_t end = dot == SIZE_MAX ? SIZE_MAX : str_find_char(row, '.', dot + 1);
    Str api = str_slice(row, 0, end), rest = str_slice(row, api.size, row.size);
    const ApiRule *rule =
        joiner->options->apis ? mapping_find_api(joiner->options->apis, api) : NULL;
    if (!rule || !joiner->golden_apis[rule - joiner->options->apis->items])
        return str_concat(joiner->scratch, mapping_api_name(api, joiner->scratch), rest);
    return mapped_argument(rule, str_concat(joiner->scratch, rule->golden_api, rest),
                           joiner->scratch);
}

static Str mapped_cell(Joiner *joiner, Str row)
{
    static const NameMapping none = {0};
    const NameMapping *cells = joiner->options->cells ? joiner->options->cells : &none;
    return mapping_cell_key(cells, row, joiner->generation == MSPROBE_26, joiner->scratch);
}

static Str target_key(Joiner *joiner, uint32_t op, Str row)
{
    const MatchOptions *options = joiner->options;
    if (joiner->by_rows)
        return mapped_row(joiner, op, row);
    if (options->apis || options->by_apis)
        row = mapped_api(joiner, row);
    if (options->cells || options->by_cells)
        row = mapped_cell(joiner, row);
    return joiner->fuzzy ? msprobe_fuzzy_name(row, joiner->scratch) : row;
}

// ---- the rows of a side

static NameId key_of(Joiner *joiner, int side, const Row *row, Str op_key)
{
    Str name = joiner_name(joiner, side, row->op, row->slot);
    if (side == 1)
        return names_add(joiner->texts, target_key(joiner, row->op, name));
    if (joiner->fuzzy)
        return names_add(joiner->texts, msprobe_fuzzy_name(name, joiner->scratch));
    return names_add(joiner->texts, with_op(joiner, 0, row->op, name, op_key));
}

// Generation 8 asks for equal shapes, too: they become part of the key.
static NameId key_with_shape(Joiner *joiner, int side, const Row *row)
{
    const Dump *dump = joiner->graphs[side]->dump;
    Str shape = names_text(dump->names, dump->slots[row->slot].shape);
    return names_add(joiner->texts, str_printf(joiner->scratch, "%u " STR_FMT, (unsigned)row->key,
                                               STR_ARG(shape)));
}

static void list_rows(Joiner *joiner, int side)
{
    const Dump *dump = joiner->graphs[side]->dump;
    const Str *op_keys = msprobe_op_keys(dump, joiner->generation, joiner->scratch);
    uint32_t capacity = 0, *order = NULL;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        if (op_keys[i].size == 0)
            continue;
        if (op->slot_count > capacity) {
            capacity = op->slot_count * 2;
            order = ARENA_ARRAY(joiner->scratch, uint32_t, capacity);
        }
        msprobe_slot_order(dump, op, order);
        for (uint32_t k = 0; k < op->slot_count; k++) {
            Row *row = ARRAY_PUSH(joiner->scratch, &joiner->rows[side]);
            *row = (Row){.op = i, .slot = order[k], .next = ROW_NONE, .first = k == 0};
            row->key = key_of(joiner, side, row, op_keys[i]);
            if (joiner->generation == MSPROBE_8)
                row->key = key_with_shape(joiner, side, row);
        }
    }
}

// ---- rows that meet

static bool dtypes_meet(const Joiner *joiner, uint32_t golden, uint32_t target)
{
    const Dump *b = joiner->graphs[0]->dump, *n = joiner->graphs[1]->dump;
    Str one = names_text(b->names, b->slots[golden].dtype);
    Str two = names_text(n->names, n->slots[target].dtype);
    return joiner->by_rows || joiner->fuzzy || str_equal(one, two) ||
           msprobe_dtypes_meet(one, two, joiner->cross_framework);
}

static void add_row(Joiner *joiner, const Row *row, const Row *golden, bool first)
{
    MsprobeRow out = {
        .op = row->op, .golden_op = OP_NONE, .target = row->slot, .golden = SLOT_NONE};
    out.first = first;
    out.output =
        str_find(joiner_name(joiner, 1, row->op, row->slot), STR(".output."), 0) != SIZE_MAX;
    if (golden && dtypes_meet(joiner, golden->slot, row->slot)) {
        out.golden = golden->slot;
        out.golden_op = golden->op;
    }
    *ARRAY_PUSH(joiner->arena, joiner->out) = out;
}

// heads[key] is the first row of golden with it.
static uint32_t *chain_rows(const Joiner *joiner, Rows *rows)
{
    size_t count = names_count(joiner->texts) + 1;
    uint32_t *heads = array_of_none(joiner->scratch, count);
    for (size_t i = rows->count; i-- > 0;) {
        rows->items[i].next = heads[rows->items[i].key];
        heads[rows->items[i].key] = (uint32_t)i;
    }
    return heads;
}

enum { MAX_SAME_NAME = 256 };  // combinations of one row: more of them help nobody

static void join_equal(Joiner *joiner)
{
    const uint32_t *heads = chain_rows(joiner, &joiner->rows[0]);
    for (size_t i = 0; i < joiner->rows[1].count; i++) {
        const Row *row = &joiner->rows[1].items[i];
        uint32_t at = heads[row->key];
        if (at == ROW_NONE)
            add_row(joiner, row, NULL, row->first);
        for (int n = 0; at != ROW_NONE && n < MAX_SAME_NAME; n++) {
            const Row *golden = &joiner->rows[0].items[at];
            add_row(joiner, row, golden, row->first && n == 0);
            at = golden->next;
        }
    }
}

// ---- fuzzy: two queues that grow by a row a step; the first rows that meet cut both

typedef struct Queue {
    const Rows *rows;
    size_t start, end;  // rows at work
    uint32_t *heads;    // by key: the first of its rows that may be at work
} Queue;

// The oldest row of the queue with that key, or SIZE_MAX.
static size_t find_oldest(Queue *queue, NameId key)
{
    while (queue->heads[key] != ROW_NONE && queue->heads[key] < queue->start)
        queue->heads[key] = queue->rows->items[queue->heads[key]].next;
    uint32_t at = queue->heads[key];
    return at == ROW_NONE || at >= queue->end ? SIZE_MAX : at;
}

static void cut(Joiner *joiner, Queue queues[2], size_t golden, size_t target)
{
    for (size_t i = queues[1].start; i < target; i++)
        add_row(joiner, &queues[1].rows->items[i], NULL, queues[1].rows->items[i].first);
    add_row(joiner, &queues[1].rows->items[target], &queues[0].rows->items[golden],
            queues[1].rows->items[target].first);
    queues[0].start = golden + 1;
    queues[1].start = target + 1;
}

static void meet(Joiner *joiner, Queue queues[2])
{
    size_t newest[2] = {queues[0].end - 1, queues[1].end - 1};
    size_t golden = find_oldest(&queues[0], queues[1].rows->items[newest[1]].key);
    if (golden != SIZE_MAX) {
        cut(joiner, queues, golden, newest[1]);
        return;
    }
    size_t target = find_oldest(&queues[1], queues[0].rows->items[newest[0]].key);
    if (target != SIZE_MAX)
        cut(joiner, queues, newest[0], target);
}

static void join_fuzzy(Joiner *joiner)
{
    Queue queues[2];
    for (int side = 0; side < 2; side++)
        queues[side] =
            (Queue){.rows = &joiner->rows[side], .heads = chain_rows(joiner, &joiner->rows[side])};
    size_t counts[2] = {joiner->rows[0].count, joiner->rows[1].count};
    size_t steps = counts[0] > counts[1] ? counts[0] : counts[1];
    for (size_t i = 0; i < steps; i++) {
        for (int side = 0; side < 2; side++)
            queues[side].end = i < counts[side] ? i + 1 : counts[side];
        bool empty[2] = {queues[0].start >= queues[0].end, queues[1].start >= queues[1].end};
        if (empty[0] != empty[1])
            break;
        if (!empty[0])
            meet(joiner, queues);
    }
    for (size_t i = queues[1].start; i < counts[1]; i++)
        add_row(joiner, &queues[1].rows->items[i], NULL, queues[1].rows->items[i].first);
}

static bool is_pytorch(const Dump *dump)
{
    return dump->framework == FRAMEWORK_PYTORCH || dump->framework == FRAMEWORK_UNKNOWN;
}

void msprobe_mapped_build(const Graph *golden, const Graph *target, MsprobeGeneration generation,
                          const MatchOptions *options, Arena *arena, MsprobeRows *out)
{
    *out = (MsprobeRows){.golden = golden->dump,
                         .target = target->dump,
                         .generation = generation,
                         .to_target =
                             names_translate(golden->dump->names, target->dump->names, arena)};
    Arena *scratch = arena_new();
    Joiner joiner = {.graphs = {golden, target},
                     .generation = generation,
                     .options = options,
                     .by_rows = options->data || options->by_layers,
                     .cross_framework = is_pytorch(golden->dump) != is_pytorch(target->dump),
                     .texts = names_new(scratch),
                     .arena = arena,
                     .scratch = scratch,
                     .out = out};
    joiner.fuzzy = options->fuzzy && !joiner.by_rows;
    joiner.name = strbuf_new(scratch);
    joiner.key = strbuf_new(scratch);
    if (options->by_layers)
        joiner.layer_of = mapping_layer_ops(options->layers, golden, target, scratch);
    if (options->apis)
        joiner.golden_apis = find_golden_apis(options->apis, golden->dump, scratch);
    list_rows(&joiner, 0);
    list_rows(&joiner, 1);
    if (joiner.fuzzy)
        join_fuzzy(&joiner);
    else
        join_equal(&joiner);
    arena_release(scratch);
}
