// SPDX-License-Identifier: Apache-2.0
// What ranks exchange, and which gradient went into which reduction.
#include "compare/invariant/witness_look.h"
#include "model/graph/graph.h"

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
           tensor_seen_is_float(&comm->gave[0]) &&
           (comm->gave[0].checksum.size || tensor_seen_has_ends(&comm->gave[0])) &&
           STR_IN(comm->api, "allreduce", "reducescatter", "reducescattertensor",
                  "reducescatterbase");
}

void witness_comm_gradients(RankWitness *out)
{
    Arena *scratch = arena_new();
    GradientIndex gradients = gradients_index(out, scratch);
    for (size_t i = 0; i < out->comm_count; i++) {
        CommSeen *comm = &out->comms[i];
        uint32_t at = comm_is_reduction(comm) ? gradients_find(&gradients, comm->gave) : 0;
        for (; at && tensor_seen_has_ends(comm->gave); at = gradients.next[at - 1]) {
            ParameterSeen *it = &out->parameters[at - 1];
            if (it->reduction)
                continue;
            it->reduction = (uint32_t)i + 1;
            comm->of_gradient = true;
        }
    }
    arena_release(scratch);
}
