// SPDX-License-Identifier: Apache-2.0
#include "export/vis/vis_db.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "base/words.h"
#include "compare/judge/judge.h"
#include "compare/nonfinite/comm_call.h"
#include "export/vis/vis_config.h"
#include "export/vis/vis_items.h"
#include "export/vis/vis_links.h"

static const char schema[] =
    "CREATE TABLE tb_nodes (id TEXT PRIMARY KEY, graph_id TEXT NOT NULL, node_order INTEGER NOT "
    "NULL, node_name TEXT NOT NULL, node_type TEXT NOT NULL, up_node TEXT, sub_nodes TEXT, "
    "precision_index INTEGER, overflow_level TEXT, micro_step_id INTEGER NOT NULL, "
    "matched_node_link TEXT, stack_id TEXT, parallel_merge_info TEXT, matched_distributed TEXT, "
    "modified INTEGER NOT NULL, input_data TEXT, output_data TEXT, data_source TEXT, "
    "dump_data_dir TEXT, step INTEGER NOT NULL, rank INTEGER NOT NULL, is_distributed INTEGER);"
    "CREATE TABLE tb_config (id TEXT PRIMARY KEY, graph_type TEXT, task TEXT, tool_tip TEXT, "
    "micro_steps INTEGER, overflow_check INTEGER, node_colors TEXT, rank_list TEXT, step_list "
    "TEXT);"
    "CREATE TABLE tb_stack (id TEXT PRIMARY KEY, stack_info TEXT);";

static const char indexes[] =
    "CREATE INDEX ix_nodes_up ON tb_nodes (step, rank, data_source, up_node, node_order);"
    "CREATE INDEX ix_nodes_name ON tb_nodes (step, rank, data_source, node_name);"
    "CREATE INDEX ix_nodes_side_order ON tb_nodes (step, rank, data_source, node_order);"
    "CREATE INDEX ix_nodes_order ON tb_nodes (step, rank, node_order);"
    "CREATE INDEX ix_nodes_micro_step ON tb_nodes (step, rank, micro_step_id, node_order);"
    "CREATE INDEX ix_nodes_modified ON tb_nodes (step, rank, modified, matched_node_link);"
    "CREATE INDEX ix_nodes_distributed ON tb_nodes (is_distributed);";

typedef struct Numbers {
    int64_t *items;  // rising
    size_t count, capacity;
} Numbers;

struct VisDb {
    Arena *arena;
    sqlite3 *handle;
    sqlite3_stmt *add_node, *add_stack, *link;
    bool overflow, compares;
    CompareMode mode;
    uint32_t micro_steps;
    Numbers steps, ranks;
    VisLinks links;
};

// One side of one step and rank while it is written.
typedef struct VisGraph {
    const Graph *graph;
    const VisPair *pair;  // NULL: one side alone
    bool golden;
    int64_t step, rank;
    const char *folder;
    VisItems items;
    Str side;                // graph_id of its rows
    Names *stacks;           // stack_info as text; its id is the running number
    NameId *stack_of_group;  // of frames: each is written as text once; NAME_NONE: not yet
    size_t stack_groups;
    Arena *arena;
} VisGraph;

static bool fail(VisDb *db, Error *err)
{
    return error_set(err, ERR_OUTPUT, NOWHERE, tr("cannot write the graph database: %s"),
                     sqlite3_errmsg(db->handle));
}

static bool execute(VisDb *db, const char *sql, Error *err)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK || fail(db, err);
}

static bool prepare(VisDb *db, const char *sql, sqlite3_stmt **out, Error *err)
{
    return sqlite3_prepare_v2(db->handle, sql, -1, out, NULL) == SQLITE_OK || fail(db, err);
}

VisDb *vis_db_open(const char *path, bool overflow, Error *err)
{
    Arena *arena = arena_new();
    VisDb *db = ARENA_NEW(arena, VisDb);
    db->arena = arena;
    db->overflow = overflow;
    vis_links_init(&db->links, arena);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    bool good =
        (sqlite3_open_v2(path ? path : ":memory:", &db->handle, flags, NULL) == SQLITE_OK ||
         fail(db, err)) &&
        execute(db, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;",
                err) &&
        execute(db, "BEGIN", err) && execute(db, schema, err) &&
        prepare(db,
                "INSERT INTO tb_nodes VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,"
                "?16,?17,?18,?19,?20,?21,?22)",
                &db->add_node, err) &&
        prepare(db, "INSERT INTO tb_stack VALUES (?1,?2)", &db->add_stack, err) &&
        prepare(db, "UPDATE tb_nodes SET matched_distributed=?2 WHERE id=?1", &db->link, err);
    if (good)
        return db;
    vis_db_close(db);
    return NULL;
}

void vis_db_close(VisDb *db)
{
    if (!db)
        return;
    sqlite3_finalize(db->add_node);
    sqlite3_finalize(db->add_stack);
    sqlite3_finalize(db->link);
    sqlite3_close(db->handle);
    arena_release(db->arena);
}

// Viewers refuse a whole database for one text that is no UTF-8.
static void bind_repaired(sqlite3_stmt *statement, int column, Str text)
{
    Arena *scratch = arena_new();
    StrBuf whole = strbuf_new(scratch);
    for (size_t at = 0; at < text.size;) {
        char bytes[4];
        int size = utf8_write(utf8_next(text, &at), bytes);
        strbuf_add(&whole, (Str){bytes, (size_t)size});
    }
    sqlite3_bind_text64(statement, column, whole.data, whole.size, SQLITE_TRANSIENT, SQLITE_UTF8);
    arena_release(scratch);
}

static void bind_text(sqlite3_stmt *statement, int column, Str text)
{
    if (!utf8_valid(text)) {
        bind_repaired(statement, column, text);
        return;
    }
    // Statements are stepped before the text goes away.
    sqlite3_bind_text64(statement, column, text.data ? text.data : "", text.size, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static bool step(VisDb *db, sqlite3_stmt *statement, Error *err)
{
    bool good = sqlite3_step(statement) == SQLITE_DONE;
    if (!good)
        fail(db, err);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return good;
}

static void add_number(VisDb *db, Numbers *numbers, int64_t number)
{
    size_t at;
    FIND_FIRST(at, numbers->count, numbers->items[at] < number);
    if (at < numbers->count && numbers->items[at] == number)
        return;
    ARRAY_PUSH(db->arena, numbers);
    memmove(numbers->items + at + 1, numbers->items + at,
            (numbers->count - 1 - at) * sizeof *numbers->items);
    numbers->items[at] = number;
}

// ---- the texts of a node

static Str graph_id(const VisGraph *graph, Arena *arena)
{
    return str_printf(arena, "%s_%lld_%lld", graph->golden ? "Bench" : "NPU",
                      (long long)graph->step, (long long)graph->rank);
}

static Str name_of(const Graph *graph, NodeId node)
{
    return names_text(graph->dump->names, graph->nodes[node].name);
}

static Str json_begin(JsonWriter *json, Sink **sink, Arena *arena)
{
    *sink = sink_memory(arena);
    json_writer_init(json, *sink);
    json_array_flat(json);
    return (Str){"", 0};
}

static Str json_finish(JsonWriter *json, Sink *sink)
{
    json_array_end(json);
    Str out = sink_bytes(sink);
    sink_discard(sink);
    return out;
}

static Str children_json(const Graph *graph, NodeId node, Arena *arena)
{
    JsonWriter json;
    Sink *sink;
    if (graph->nodes[node].first_child == NODE_NONE)
        return (Str){"", 0};
    json_begin(&json, &sink, arena);
    for (NodeId child = graph->nodes[node].first_child; child != NODE_NONE;
         child = graph->nodes[child].next)
        json_str(&json, name_of(graph, child));
    return json_finish(&json, sink);
}

// What merging ranks did to the node.
static Str merge_json(const Graph *graph, NodeId node, Arena *arena)
{
    JsonWriter json;
    Sink *sink;
    if (!graph->origins || graph->origins[node].note_count == 0)
        return (Str){"", 0};
    json_begin(&json, &sink, arena);
    for (size_t i = 0; i < graph->origins[node].note_count; i++)
        json_str(&json, graph->origins[node].notes[i]);
    return json_finish(&json, sink);
}

static NodeId partner_of(const VisGraph *graph, NodeId node)
{
    if (!graph->pair)
        return NODE_NONE;
    const Comparison *comparison = graph->pair->comparison;
    return graph->golden ? comparison->target_of[node] : comparison->golden_of[node];
}

// No model nests that deep; a file that does would grow by the square of its modules.
enum { LINK_MAX = 256 };

// The ancestors of the partner, the LINK_MAX - 1 nearest at most, from the outermost down, and the
// partner.
static Str link_json(const VisGraph *graph, NodeId node, Arena *arena)
{
    JsonWriter json;
    Sink *sink;
    NodeId partner = partner_of(graph, node), chain[LINK_MAX];
    json_begin(&json, &sink, arena);
    if (partner != NODE_NONE) {
        const Comparison *comparison = graph->pair->comparison;
        const Graph *other = graph->golden ? comparison->target : comparison->golden;
        size_t count = 0;
        for (NodeId at = partner; at != NODE_NONE && count < LINK_MAX; at = other->nodes[at].parent)
            chain[count++] = at;
        while (count > 0)
            json_str(&json, name_of(other, chain[--count]));
    }
    return json_finish(&json, sink);
}

// 0, 0.5, 1; NaN: none. Golden's nodes have none.
static double index_of(const VisGraph *graph, NodeId node, const uint8_t *statuses)
{
    if (!graph->pair || graph->golden || !statuses)
        return (double)NAN;
    if (graph->pair->msprobe)
        return graph->pair->msprobe->nodes.precision_index[node];
    return status_precision_index((Status)statuses[node]);
}

static uint32_t micro_step_of(const VisGraph *graph, NodeId node)
{
    if (graph->golden && graph->pair->msprobe)
        return graph->pair->msprobe->nodes.golden_micro_step[node];
    return graph->graph->nodes[node].micro_step;
}

static Str stack_id_of(const VisGraph *graph, NameId number, Arena *arena)
{
    return str_printf(arena, STR_FMT "_%u", STR_ARG(graph->side), number - 1);
}

// The running number of the stack, which becomes a row when it is new.
static NameId stack_number(VisGraph *graph, VisDb *db, const StackFrames *frames, Arena *arena,
                           Error *err)
{
    JsonWriter json;
    Sink *sink;
    json_begin(&json, &sink, arena);
    for (uint32_t i = 0; frames && i < frames->count; i++)
        json_str(&json, frames->frames[i]);
    Str info = json_finish(&json, sink);
    size_t before = names_count(graph->stacks);
    NameId number = names_add(graph->stacks, info);
    if (names_count(graph->stacks) > before) {
        bind_text(db->add_stack, 1, stack_id_of(graph, number, arena));
        bind_text(db->add_stack, 2, info);
        step(db, db->add_stack, err);
    }
    return number;
}

static Str stack_id(VisGraph *graph, VisDb *db, NodeId node, Arena *arena, Error *err)
{
    const StackFrames *frames = graph_stack(graph->graph, node);
    if (graph->graph->origins)  // whose ranks count their groups each for itself
        return stack_id_of(graph, stack_number(graph, db, frames, arena, err), arena);
    size_t group = frames ? frames->group + (size_t)1 : 0;
    NameId *known =
        &ARRAY_REACH(graph->arena, graph->stack_of_group, graph->stack_groups, group)[group];
    if (*known == NAME_NONE)
        *known = stack_number(graph, db, frames, arena, err);
    return stack_id_of(graph, *known, arena);
}

static const char *overflow_text(const VisDb *db, const Node *node)
{
    static const char *const levels[] = {NULL, "medium", "high", "critical"};
    return db->overflow ? levels[node->overflow] : NULL;
}

static void bind_index(sqlite3_stmt *statement, int column, double index)
{
    if (isnan(index))
        sqlite3_bind_null(statement, column);
    else if (index == floor(index))
        sqlite3_bind_int(statement, column, (int)index);
    else
        sqlite3_bind_double(statement, column, index);
}

static void bind_or_null(sqlite3_stmt *statement, int column, const char *text)
{
    if (text)
        bind_text(statement, column, str_of(text));
    else
        sqlite3_bind_null(statement, column);
}

// ---- rows

// What other ranks are recorded of a communication node: its index, or its level, or Nan.
static Str link_index(const VisDb *db, const VisGraph *graph, const Node *node, double index,
                      Arena *arena)
{
    const char *level = overflow_text(db, node);
    if (graph->golden)
        return STR("Nan");
    if (db->overflow)
        return level ? str_of(level) : STR("Nan");
    if (isnan(index))
        return STR("Nan");
    return index == 0.5 ? STR("0.5") : str_printf(arena, "%d", (int)index);
}

static void note_link(VisDb *db, const VisGraph *graph, NodeId id, Str row_id, double index,
                      Arena *arena)
{
    const Node *node = &graph->graph->nodes[id];
    // Merged ranks have their communication within the graph.
    if (node->op == OP_NONE || graph->graph->origins || !comm_is_call(name_of(graph->graph, id)))
        return;
    VisLinkNode seen = {.row_id = row_id,
                        .name = name_of(graph->graph, id),
                        .index = link_index(db, graph, node, index, arena),
                        .golden = graph->golden,
                        .step = graph->step,
                        .rank = graph->rank};
    bool batches = !graph->pair || !graph->pair->msprobe;
    vis_links_add(&db->links, &seen, graph->graph->dump, node->op, batches);
}

static const char *tensor_folder(const VisGraph *graph, Arena *arena)
{
    return graph->graph->dump->has_data_name
               ? path_join(arena, graph->folder, STR("dump_tensor_data"))
               : NULL;
}

static bool add_node(VisDb *db, VisGraph *graph, uint32_t order, const uint8_t *statuses,
                     Error *err)
{
    static const char *const types[] = {[NODE_MODULE] = "0", [NODE_API] = "1", [NODE_GROUP] = "9"};
    Arena *scratch = arena_new();
    NodeId id = graph->graph->order[order];
    const Node *node = &graph->graph->nodes[id];
    Str name = name_of(graph->graph, id), side = graph->side;
    Str row_id = str_concat(scratch, str_concat(scratch, side, STR("_")), name);
    double index = index_of(graph, id, statuses);
    sqlite3_stmt *row = db->add_node;
    Str stack = stack_id(graph, db, id, scratch, err);
    bind_text(row, 1, row_id);
    bind_text(row, 2, side);
    sqlite3_bind_int64(row, 3, order);
    bind_text(row, 4, name);
    bind_text(row, 5, str_of(types[node->type]));
    bind_text(row, 6,
              node->parent == NODE_NONE ? (Str){"", 0} : name_of(graph->graph, node->parent));
    bind_text(row, 7, children_json(graph->graph, id, scratch));
    bind_index(row, 8, index);
    bind_or_null(row, 9, overflow_text(db, node));
    sqlite3_bind_int64(row, 10, id == 0 ? 0 : micro_step_of(graph, id));
    bind_text(row, 11, link_json(graph, id, scratch));
    bind_text(row, 12, stack);
    bind_text(row, 13, merge_json(graph->graph, id, scratch));
    bind_text(row, 14, STR("{}"));
    sqlite3_bind_int(row, 15, 0);
    bind_text(row, 16, vis_items_json(&graph->items, node->op, false, scratch));
    bind_text(row, 17, vis_items_json(&graph->items, node->op, true, scratch));
    bind_text(row, 18, graph->golden ? STR("Bench") : STR("NPU"));
    bind_or_null(row, 19, tensor_folder(graph, scratch));
    sqlite3_bind_int64(row, 20, graph->step);
    sqlite3_bind_int64(row, 21, graph->rank);
    sqlite3_bind_int(row, 22, str_starts(name, STR("Distributed")));
    bool good = step(db, row, err);
    note_link(db, graph, id, row_id, index, scratch);
    arena_release(scratch);
    return good;
}

static bool add_side(VisDb *db, VisGraph *graph, const uint8_t *statuses, Error *err)
{
    bool good = true;
    graph->arena = arena_new();
    graph->side = graph_id(graph, graph->arena);
    graph->stacks = names_new(graph->arena);
    for (uint32_t i = 0; good && i < graph->graph->order_count; i++)
        good = add_node(db, graph, i, statuses, err);
    add_number(db, &db->steps, graph->step);
    add_number(db, &db->ranks, graph->rank);
    if (graph->graph->micro_steps > db->micro_steps)
        db->micro_steps = graph->graph->micro_steps;
    arena_release(graph->arena);
    return good;
}

// A group has no data of its own: it shows the worst that its ops show.
static Status shown_status(const Comparison *comparison, const TreeNode *node)
{
    if (comparison->target->nodes[node->target].type != NODE_GROUP)
        return (Status)node->status;
    if (node->counts[STATUS_ERROR])
        return STATUS_ERROR;
    if (node->counts[STATUS_WARNING])
        return STATUS_WARNING;
    return node->counts[STATUS_PASS] || node->counts[STATUS_SAME] ? STATUS_PASS : STATUS_NO_DATA;
}

bool vis_db_add_pair(VisDb *db, const VisPair *pair, Error *err)
{
    const Comparison *comparison = pair->comparison;
    Arena *scratch = arena_new();
    uint8_t *statuses = ARENA_ARRAY(scratch, uint8_t, (size_t)comparison->target->count + 1);
    for (uint32_t i = 0; i < comparison->tree_count; i++)
        if (comparison->tree[i].target != NODE_NONE)
            statuses[comparison->tree[i].target] =
                (uint8_t)shown_status(comparison, &comparison->tree[i]);
    VisGraph target = {
        .graph = comparison->target,
        .pair = pair,
        .step = comparison->step,
        .rank = comparison->rank,
        .folder = pair->target_folder,
        .items = {.dump = comparison->target->dump,
                  .compared = comparison,
                  .msprobe = pair->msprobe,
                  .metrics = pair->metrics,
                  .pair_of = vis_items_pairs(comparison, scratch),
                  .row_of = pair->msprobe ? vis_items_rows(pair->msprobe, scratch) : NULL,
                  .checksums = comparison->mode == MODE_CHECKSUM}};
    VisGraph golden = target;
    golden.graph = comparison->golden;
    golden.golden = true;
    golden.folder = pair->golden_folder;
    golden.items = (VisItems){.dump = comparison->golden->dump,
                              .checksums = comparison->mode == MODE_CHECKSUM};
    db->compares = true;
    db->mode = comparison->mode;
    bool good = add_side(db, &target, statuses, err) && add_side(db, &golden, statuses, err);
    arena_release(scratch);
    return good;
}

bool vis_db_add_graph(VisDb *db, const Graph *graph, int64_t step_number, int64_t rank,
                      const char *folder, Error *err)
{
    VisGraph side = {.graph = graph,
                     .step = step_number,
                     .rank = rank,
                     .folder = folder,
                     .items = {.dump = graph->dump, .checksums = graph->dump->has_checksum}};
    return add_side(db, &side, NULL, err);
}

// ---- the end

static Str numbers_json(const Numbers *numbers, Arena *arena)
{
    JsonWriter json;
    Sink *sink;
    json_begin(&json, &sink, arena);
    for (size_t i = 0; i < numbers->count; i++)
        json_int(&json, numbers->items[i]);
    return json_finish(&json, sink);
}

static bool write_config(VisDb *db, Error *err)
{
    static const char *const tasks[] = {[MODE_STATISTICS] = "summary",
                                        [MODE_CHECKSUM] = "md5",
                                        [MODE_TENSOR] = "all",
                                        [MODE_STRUCTURE] = "structure"};
    sqlite3_stmt *row;
    if (!prepare(db, "INSERT INTO tb_config VALUES ('1',?1,?2,?3,?4,?5,?6,?7,?8)", &row, err))
        return false;
    bind_text(row, 1, db->compares ? STR("compare") : STR("build"));
    bind_text(row, 2, db->compares ? str_of(tasks[db->mode]) : (Str){"", 0});
    if (db->compares)
        bind_text(row, 3, vis_tool_tips(db->mode, db->arena));
    sqlite3_bind_int64(row, 4, db->micro_steps ? db->micro_steps : 1);
    sqlite3_bind_int(row, 5, db->overflow);
    bind_text(row, 6, db->compares ? vis_colours(db->mode, db->arena) : STR("null"));
    bind_text(row, 7, numbers_json(&db->ranks, db->arena));
    bind_text(row, 8, numbers_json(&db->steps, db->arena));
    bool good = step(db, row, err);
    sqlite3_finalize(row);
    return good;
}

static bool write_links(VisDb *db, Error *err)
{
    vis_links_tie(&db->links);
    for (size_t i = 0; i < db->links.count;) {
        Arena *scratch = arena_new();
        bind_text(db->link, 1, db->links.items[i].row_id);
        Str text = vis_links_json(&db->links, &i, scratch);
        bind_text(db->link, 2, text);
        bool good = text.size == 0 || step(db, db->link, err);
        sqlite3_clear_bindings(db->link);
        arena_release(scratch);
        if (!good)
            return false;
    }
    return true;
}

bool vis_db_finish(VisDb *db, Sink *out, Error *err)
{
    if (!write_links(db, err) || !write_config(db, err) || !execute(db, indexes, err) ||
        !execute(db, "COMMIT", err))
        return false;
    const char *file = sqlite3_db_filename(db->handle, "main");
    if (file && *file)
        return true;
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(db->handle, "main", &size, 0);
    if (!bytes)
        return fail(db, err);
    sink_write(out, bytes, (size_t)size);
    sqlite3_free(bytes);
    return true;
}
