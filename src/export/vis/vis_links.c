// SPDX-License-Identifier: Apache-2.0
#include "export/vis/vis_links.h"

#include "base/json_writer.h"
#include "base/names.h"

#define NONE UINT32_MAX

void vis_links_init(VisLinks *links, Arena *arena)
{
    *links = (VisLinks){.arena = arena};
}

void vis_links_add(VisLinks *links, const VisLinkNode *node, const Dump *dump, uint32_t op,
                   bool batches)
{
    CommCalls calls = {0};
    comm_calls_add(dump, op, node->rank, links->arena, &calls);
    Str api = str_slice(node->name, str_find_char(node->name, '.', 0), node->name.size);
    bool batch = str_starts(api, STR(".batch_isend_irecv."));
    if (batch && !batches)
        return;
    Str row_id = str_copy(links->arena, node->row_id), name = str_copy(links->arena, node->name);
    Str index = str_copy(links->arena, node->index);
    for (size_t i = 0; i < calls.count; i++) {
        if (batch && calls.items[i].peer < 0)
            continue;  // its transfers were not recorded
        VisLinkNode *added = ARRAY_PUSH(links->arena, links);
        *added = *node;
        added->row_id = row_id;
        added->name = name;
        added->index = index;
        added->call = calls.items[i];
        added->call.op = op;
        added->batched = batch;
        added->next = NONE;
    }
}

// The running count of a channel on one rank.
static uint32_t count_channel(Names *names, uint32_t **counts, size_t *capacity, Arena *arena,
                              Str text)
{
    NameId id = names_add(names, text);
    if (id >= *capacity) {
        size_t grown = *capacity ? *capacity * 2 : 64;
        *counts = arena_grow(arena, *counts, *capacity * sizeof **counts, grown * sizeof **counts);
        *capacity = grown;
    }
    return (*counts)[id]++;
}

void vis_links_tie(VisLinks *links)
{
    Arena *scratch = arena_new();
    Names *keys = names_new(scratch), *channels = names_new(scratch);
    uint32_t *counts = NULL;
    size_t capacity = 0;
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, links->count + 1);
    uint32_t *last = ARENA_ARRAY(scratch, uint32_t, links->count + 1);
    for (uint32_t i = 0; i < links->count; i++) {
        VisLinkNode *node = &links->items[i];
        Str own = str_printf(scratch, "%d %lld %lld " STR_FMT, node->golden, (long long)node->step,
                             (long long)node->rank, STR_ARG(node->call.channel));
        uint32_t number = count_channel(channels, &counts, &capacity, scratch, own);
        size_t before = names_count(keys);
        NameId key =
            names_add(keys, str_printf(scratch, "%d %lld %u " STR_FMT, node->golden,
                                       (long long)node->step, number, STR_ARG(node->call.channel)));
        bool is_new = names_count(keys) > before;
        if (is_new)
            first[key] = i;
        else
            links->items[last[key]].next = i;
        last[key] = i;
        node->first = first[key];
    }
    arena_release(scratch);
}

static const char *direction_of(const CommCall *call)
{
    static const char *const words[] = {
        [COMM_GIVES_AND_GETS] = "send_receive", [COMM_GIVES] = "send", [COMM_GETS] = "receive"};
    return words[call->role];
}

// In rooted collectives only the root deals with all others. The role does not tell a reduce's root
// from the rest, since the root gives too: the others give only.
static bool is_partner(const VisLinkNode *node, const VisLinkNode *other)
{
    if (node->rank == other->rank)
        return false;
    bool both = node->call.role == COMM_GIVES_AND_GETS && other->call.role == COMM_GIVES_AND_GETS;
    return both || node->call.role != other->call.role;
}

static bool has_partner(const VisLinks *links, const VisLinkNode *node)
{
    for (uint32_t i = node->first; i != NONE; i = links->items[i].next)
        if (is_partner(node, &links->items[i]))
            return true;
    return false;
}

static void write_link(JsonWriter *json, const VisLinks *links, const VisLinkNode *node,
                       Arena *arena)
{
    bool any = false;
    json_object_flat(json);
    for (uint32_t i = node->first; i != NONE; i = links->items[i].next) {
        const VisLinkNode *other = &links->items[i];
        if (!is_partner(node, other))
            continue;
        if (!any) {
            bool root = node->call.role == COMM_GIVES_AND_GETS && other->call.role == COMM_GIVES;
            json_text(json_key(json, "communications_type"),
                      root ? "receive" : direction_of(&node->call));
            json_object(json_key(json, "nodes_info"));
        }
        any = true;
        json_key_str(json, str_printf(arena, "%lld", (long long)other->rank));
        json_array(json);
        json_str(json, other->index);
        json_str(json, other->name);
        json_array_end(json);
    }
    json_object_end(json);
    json_object_end(json);
}

Str vis_links_json(const VisLinks *links, size_t *index, Arena *arena)
{
    const VisLinkNode *node = &links->items[*index];
    JsonWriter json;
    Sink *sink = sink_memory(arena);
    bool any = false, batched = node->batched;
    json_writer_init(&json, sink);
    do {
        const VisLinkNode *at = &links->items[(*index)++];
        if (!has_partner(links, at))
            continue;
        if (batched && !any)
            json_array_flat(&json);
        any = true;
        write_link(&json, links, at, arena);
    } while (batched && *index < links->count && links->items[*index].batched &&
             str_equal(links->items[*index].row_id, node->row_id));
    if (batched && any)
        json_array_end(&json);
    Str out = any ? sink_bytes(sink) : (Str){"", 0};
    sink_discard(sink);
    return out;
}
