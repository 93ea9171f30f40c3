// SPDX-License-Identifier: Apache-2.0
// What ranks exchange, and which gradient went into which reduction.
#include "compare/invariant/witness_look.h"
#include "model/graph/graph.h"

#include <stdlib.h>

#include "base/sort.h"

static CommReduce reduce_of(const Dump *dump, const Op *op)
{
    static const struct {
        const char *part;
        CommReduce reduce;
    } words[] = {
        {"SUM", REDUCE_SUM}, {"AVG", REDUCE_AVG}, {"MAX", REDUCE_MAX}, {"MIN", REDUCE_MIN}};
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &dump->slots[op->first_slot + i];
        if (!str_ends(names_text(dump->names, slot->type), STR("ReduceOp")))
            continue;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (str_find(names_text(dump->names, slot->value), str_of(words[k].part), 0) !=
                SIZE_MAX)
                return words[k].reduce;
        return REDUCE_OTHER;
    }
    return REDUCE_SUM;
}

static bool is_at(const Dump *dump, const Slot *slot, Str path)
{
    Str text = names_text(dump->names, slot->path);
    return str_starts(text, path) && (text.size == path.size || text.data[path.size] == '.');
}

static Str api_of(Str channel)
{
    Str rest = channel, part;
    str_split(&rest, ' ', &part);
    str_split(&rest, ' ', &part);
    return part;
}

// Results are in the first output, whatever follows them are the arguments again.
static void take_tensors(const Looking *of, const Op *op, CommSeen *comm)
{
    const Dump *dump = of->dump;
    uint32_t count = op->slot_count;
    comm->gave = ARENA_ARRAY(of->scratch, TensorSeen, count);
    comm->got = ARENA_ARRAY(of->scratch, TensorSeen, count);
    for (uint32_t i = 0; i < count; i++) {
        const Slot *slot = &dump->slots[op->first_slot + i];
        comm->usual = comm->usual || is_at(dump, slot, STR("input.0"));
        if (slot->kind != SLOT_TENSOR)
            continue;
        bool input = slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
        if (is_at(dump, slot, STR("output.0")) && comm->call.role != COMM_GIVES)
            look_read(of, slot, &comm->got[comm->got_count++]);
        else if (input && comm->call.role != COMM_GETS &&
                 !comm_overwrites(dump, look_index(of, op), of->out->rank, op->first_slot + i))
            look_read(of, slot, &comm->gave[comm->gave_count++]);
    }
}

void witness_comm(Looking *of, const Op *op, bool before_backward)
{
    RankWitness *out = of->out;
    const CommCall *calls = of->trail.calls;
    size_t from, end = of->call_at;
    while (end < of->trail.call_count && calls[end].op < look_index(of, op))
        end++;
    for (from = end; end < of->trail.call_count && calls[end].op == look_index(of, op);)
        end++;
    of->call_at = end;
    for (size_t i = from; i < end; i++) {
        CommSeen *new = ARRAY_ADD(out->arena, out->comms, out->comm_count, out->comm_capacity);
        *new = (CommSeen){.call = calls[i],
                          .reduce = reduce_of(of->dump, op),
                          .before_backward = before_backward};
        new->api = new->call.peer < 0 ? api_of(new->call.channel)
                                      : of->names[look_index(of, op)].type_name;
        if (end - from == 1)
            take_tensors(of, op, new);
    }
    if (end - from == 1)
        of->comms[look_index(of, op)] = (uint32_t)out->comm_count;
}

void witness_comm_use(Looking *of, const Op *op)
{
    const Slot *slot = look_slot(of, op, "input.0");
    uint32_t producer =
        slot ? flow_producer_op(of->flow, (uint32_t)(slot - of->dump->slots)) : OP_NONE;
    CommSeen *comm = producer != OP_NONE && of->comms[producer]
                         ? &of->out->comms[of->comms[producer] - 1]
                         : NULL;
    TensorSeen after;
    if (!comm || comm->used_by.size || comm->got_count != 1 ||
        !str_equal(comm->api, STR("allreduce")) || !tensor_seen_rich(&comm->got[0]) ||
        !look_tensor(of, op, "output.0", &after))
        return;
    comm->used_by = of->names[look_index(of, op)].type_name;
    comm->used = after;
}

bool comm_is_reduction(const CommSeen *comm)
{
    return !comm->before_backward && comm->gave_count == 1 &&
           tensor_seen_is_float(&comm->gave[0]) && tensor_seen_has_ends(&comm->gave[0]) &&
           STR_IN(comm->api, "allreduce", "reducescatter", "reducescattertensor",
                  "reducescatterbase");
}

// A gradient that is transposed is added up in another order: its ends alone stay as they are.
static int by_ends(const TensorSeen *a, const TensorSeen *b)
{
    if (a->elements != b->elements)
        return a->elements < b->elements ? -1 : 1;
    for (int i = STAT_MAX; i <= STAT_MIN; i++)
        if (a->stat[i] != b->stat[i])
            return a->stat[i] < b->stat[i] ? -1 : 1;
    return 0;
}

static int by_given(const void *a, const void *b)
{
    return by_ends((*(const CommSeen *const *)a)->gave, (*(const CommSeen *const *)b)->gave);
}

void witness_comm_gradients(RankWitness *out)
{
    Arena *scratch = arena_new();
    const CommSeen **given = ARENA_ARRAY(scratch, const CommSeen *, out->comm_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < out->comm_count; i++)
        if (comm_is_reduction(&out->comms[i]))
            given[count++] = &out->comms[i];
    if (count > 1)
        qsort(given, count, sizeof *given, by_given);
    for (size_t i = 0; count && i < out->parameter_count; i++) {
        ParameterSeen *it = &out->parameters[i];
        size_t at;
        if (it->gradient_parts != 1 || it->shared || !it->gradient_nonzero)
            continue;
        FIND_FIRST(at, count, by_ends(given[at]->gave, &it->gradient) < 0);
        if (at == count || by_ends(given[at]->gave, &it->gradient) != 0)
            continue;
        it->reduction = (uint32_t)(given[at] - out->comms) + 1;
        out->comms[it->reduction - 1].of_gradient = true;
    }
    arena_release(scratch);
}
