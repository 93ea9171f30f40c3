// SPDX-License-Identifier: Apache-2.0
#include "commands/dumps/place_graph.h"

#include "model/graph/graph_build.h"
#include "model/ranks/rank_merge.h"
#include "read/dump/dump_source.h"

static bool read_graph(const DumpPlace *place, GraphRules rules, Names *names, Arena *arena,
                       Graph *out, Notices *notices)
{
    Error err;
    Dump *dump = ARENA_NEW(arena, Dump);
    Construct construct;
    if (!dump_read(place->file, names, arena, dump, notices, &err)) {
        notices_add_error(notices, &err);
        return false;
    }
    Stacks *stacks;
    dump_read_hierarchy(dump, place->folder, arena, &construct, &stacks, notices);
    dump->path = redact_path(notices->redaction, dump->path, arena);
    graph_build(dump, &construct, stacks, rules, arena, out, notices);
    return true;
}

bool place_graph_read(const DumpPlace *place, GraphRules rules, Arena *arena, Graph *out,
                      Notices *notices)
{
    Names *names = names_new(arena);
    if (notices->redaction)
        names_redact(names);
    if (!place->parts)
        return read_graph(place, rules, names, arena, out, notices);
    size_t count = place->tp * place->pp * place->batches;
    const Graph **graphs = ARENA_ARRAY(arena, const Graph *, count);
    int64_t *numbers = ARENA_ARRAY(arena, int64_t, count);
    size_t *experts = ARENA_ARRAY(arena, size_t, count);
    for (size_t i = 0; i < count; i++) {
        Graph *graph = ARENA_NEW(arena, Graph);
        if (!read_graph(&place->parts[i], rules, names, arena, graph, notices))
            return false;
        graphs[i] = graph;
        numbers[i] = place->parts[i].rank;
        experts[i] = (size_t)numbers[i] / place->ep_stride % place->ep;
    }
    MergeRanks ranks = {.graphs = graphs,
                        .numbers = numbers,
                        .tp = place->tp,
                        .pp = place->pp,
                        .vpp = place->vpp,
                        .batches = place->batches,
                        .cp = place->cp,
                        .ep = place->ep,
                        .experts = experts,
                        .mean = place->mean,
                        .rules = rules};
    graph_merge(&ranks, arena, out, notices);
    uint64_t slots = 0;
    for (size_t i = 0; i < count; i++)
        slots += graphs[i]->dump->slot_count;
    account_set_aside(&notices->account, ASIDE_JOINED, slots - out->dump->slot_count);
    return true;
}
