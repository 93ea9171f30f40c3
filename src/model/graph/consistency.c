// SPDX-License-Identifier: Apache-2.0
#include "model/graph/consistency.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "model/graph/graph_build.h"
#include "read/dump/op_name.h"

typedef struct NamePair {
    const char *from, *to;
} NamePair;

// Source: docs/spec/compare.md §2.9.
static const NamePair fsdp_names[] = {
    {"q_proj", "qkv_proj"},        {"k_proj", "qkv_proj"},      {"v_proj", "qkv_proj"},
    {"gate_proj", "gate_up_proj"}, {"up_proj", "gate_up_proj"}, {NULL, NULL},
};
static const NamePair megatron_names[] = {
    {"word_embeddings", "embed_tokens"},
    {"self_attention", "self_attn"},
    {"linear_qkv", "qkv_proj"},
    {"q_layernorm", "q_norm"},
    {"k_layernorm", "k_norm"},
    {"core_attention", "attn"},
    {"linear_proj", "o_proj"},
    {"router", "gate"},
    {"linear_fc1", "gate_up_proj"},
    {"linear_fc2", "down_proj"},
    {NULL, NULL},
};
static const NamePair *const names_of_backend[] = {[CONSISTENCY_INFERENCE] = NULL,
                                                   [CONSISTENCY_FSDP] = fsdp_names,
                                                   [CONSISTENCY_MEGATRON] = megatron_names};

// One call of a module under its common name; of several that are one, the first.
typedef struct Call {
    NameId name;
    uint32_t parts[4];  // ops of the dump
    uint32_t count;
} Call;

typedef struct Rewriter {
    const Graph *in;
    const NamePair *names;
    Arena *arena, *scratch;
    Names *modules;  // common names without call, each with how often it was called
    struct Module {
        uint32_t calls;      // begun so far
        uint32_t last_call;  // index in `calls`, of the call begun last
        NameId last_part;    // the original module that last joined it
    } * items;
    size_t count, capacity;
    struct Calls {
        Call *items;
        size_t count, capacity;
    } calls;
    uint32_t *call_of;  // by op: its call + 1; 0: left out
    Dump *dump;
} Rewriter;

// ---- names

static bool is_number(Str text)
{
    uint64_t value;
    return str_to_uint64(text, &value);
}

static Str renamed(const Rewriter *rewriter, Str part)
{
    for (const NamePair *pair = rewriter->names; pair && pair->from; pair++)
        if (str_equal(part, str_of(pair->from)))
            return str_of(pair->to);
    return part;
}

// What only wraps the model: "module.module", "model", "_fsdp_wrapped_module", the number of a
// model in a list.
static bool is_wrapper(Str part)
{
    return str_equal(part, STR("module")) || str_equal(part, STR("model")) ||
           str_equal(part, STR("_fsdp_wrapped_module")) || str_equal(part, STR("language_model")) ||
           str_equal(part, STR("decoder")) || str_equal(part, STR("embedding")) || is_number(part);
}

// "Module.module.module.decoder.layers.3.self_attention.linear_qkv" gives
// "layers.3.self_attn.qkv_proj". Below a layer only wrappers of FSDP are left out.
static Str common_name(const Rewriter *rewriter, Str path, Str type)
{
    StrBuf out;
    Str part, rest = path;
    bool in_layers = false;
    out = strbuf_new(rewriter->scratch);
    while (path.size && str_split(&rest, '.', &part)) {
        bool layers = str_equal(part, STR("layers"));
        bool wrapper = in_layers ? str_equal(part, STR("_fsdp_wrapped_module")) : is_wrapper(part);
        in_layers = in_layers || layers;
        if (wrapper)
            continue;
        Str text = renamed(rewriter, part);
        strbuf_printf(&out, "%s" STR_FMT, out.size ? "." : "", STR_ARG(text));
    }
    return out.size ? strbuf_str(&out) : str_ends(type, STR("Model")) ? STR("model") : type;
}

// ---- which calls

// Training goes on from its backward with the next batch, which begins with an embedding. What runs
// forward in between is recomputed.
static bool is_left_out(const OpName *name, bool *in_backward)
{
    if (name->direction == DIR_BACKWARD)
        *in_backward = *in_backward || str_ends(name->type_name, STR("Model"));
    else if (str_find(name->type_name, STR("Embedding"), 0) != SIZE_MAX)
        *in_backward = false;
    return name->direction != DIR_FORWARD || *in_backward;
}

static struct Module *module_of(Rewriter *rewriter, NameId module)
{
    while (rewriter->count <= module)
        *ARRAY_PUSH(rewriter->scratch, rewriter) = (struct Module){0};
    return &rewriter->items[module];
}

// Joins the call begun last where another module of the same common name is called: k_proj after
// q_proj. The same module again begins a new call.
static void add_call(Rewriter *rewriter, uint32_t op, const OpName *name)
{
    NameId common =
        names_add(rewriter->modules, common_name(rewriter, name->path, name->type_name));
    NameId own = names_add(rewriter->modules, name->stem);
    module_of(rewriter, common > own ? common : own);
    struct Module *module = &rewriter->items[common];
    Call *call = module->calls ? &rewriter->calls.items[module->last_call] : NULL;
    bool joins = call && call->count < 4 && module->last_part != own;
    for (uint32_t i = 0; joins && i < call->count; i++) {
        const Dump *dump = rewriter->in->dump;
        NameId other = dump->ops[call->parts[i]].name;
        joins = !str_equal(op_name_of(dump->names, other).stem, name->stem);
    }
    if (!joins) {
        module->last_call = (uint32_t)rewriter->calls.count;
        call = ARRAY_PUSH(rewriter->scratch, &rewriter->calls);
        *call = (Call){0};
        call->name = names_add(rewriter->dump->names,
                               str_printf(rewriter->scratch, "Module." STR_FMT ".forward.%u",
                                          STR_ARG(names_text(rewriter->modules, common)),
                                          (unsigned)module->calls++));
    }
    module->last_part = own;
    call->parts[call->count++] = op;
    rewriter->call_of[op] = (uint32_t)(call - rewriter->calls.items) + 1;
}

static void collect_calls(Rewriter *rewriter, Notices *notices)
{
    const Dump *dump = rewriter->in->dump;
    bool in_backward = false, apis = false;
    for (uint32_t op = 0; op < dump->op_count; op++) {
        OpName name = op_name_of(dump->names, dump->ops[op].name);
        apis = apis || name.kind == OP_API;
        if (name.kind == OP_MODULE && !is_left_out(&name, &in_backward))
            add_call(rewriter, op, &name);
    }
    if (apis)
        notices_add(
            notices, NOTICE_INFO, WHERE_FILE(dump->path.data), "%s",
            tr("consistency: the forward calls of modules are compared; APIs are left out"));
}

// ---- slots

static double share_of(const Dump *dump, const Slot *slot)
{
    uint64_t elements = shape_elements(names_text(dump->names, slot->shape));
    return elements ? (double)elements : 1;
}

static void join_stat(Slot *own, const Slot *other, Stat stat, double own_share, double other_share)
{
    double a, b;
    if (!slot_stat(own, stat, &a) || !slot_stat(other, stat, &b))
        return;
    double joined = stat == STAT_MAX   ? fmax(a, b)
                    : stat == STAT_MIN ? fmin(a, b)
                    : stat == STAT_NORM
                        ? sqrt(a * a + b * b)
                        : (a * own_share + b * other_share) / (own_share + other_share);
    own->tag[stat] = TAG_REAL;
    own->stat[stat].real = isnan(a) || isnan(b) ? (double)NAN : joined;
}

// Outputs and weights of the parts stand for one tensor that holds them all.
static bool is_joined(const Slot *own, const Slot *other)
{
    return (own->group == GROUP_OUTPUT || own->group == GROUP_PARAMETERS) &&
           other->path == own->path && other->group == own->group && other->kind == own->kind;
}

static void join_part(const Dump *dump, Slot *slots, uint32_t count, const Op *part, double *shares)
{
    for (uint32_t i = 0; i < count; i++) {
        Slot *own = &slots[i];
        for (uint32_t k = 0; k < part->slot_count; k++) {
            const Slot *other = &dump->slots[part->first_slot + k];
            if (!is_joined(own, other))
                continue;
            double share = share_of(dump, other);
            for (int stat = 0; stat < STAT_COUNT; stat++)
                join_stat(own, other, (Stat)stat, shares[i], share);
            shares[i] += share;
            own->checksum = own->data_name = NAME_NONE;
            own->counted |= other->counted;
            break;
        }
    }
}

static void write_call(Rewriter *rewriter, const Call *call)
{
    const Dump *in = rewriter->in->dump;
    Dump *dump = rewriter->dump;
    const Op *first = &in->ops[call->parts[0]];
    Op *op = &dump->ops[dump->op_count++];
    *op = *first;
    op->name = call->name;
    op->call = op_name_of(dump->names, call->name).call;
    op->first_slot = dump->slot_count;
    Slot *slots = &dump->slots[dump->slot_count];
    if (first->slot_count)
        memcpy(slots, &in->slots[first->first_slot], first->slot_count * sizeof *slots);
    double *shares = ARENA_ARRAY(rewriter->scratch, double, (size_t)first->slot_count + 1);
    for (uint32_t i = 0; i < first->slot_count; i++)
        shares[i] = share_of(in, &slots[i]);
    for (uint32_t i = 1; i < call->count; i++)
        join_part(in, slots, first->slot_count, &in->ops[call->parts[i]], shares);
    dump->slot_count += first->slot_count;
}

// A slot of a later part of a call.
static Aside why_not_kept(const Dump *dump, const Op *first, const Slot *slot)
{
    for (uint32_t i = 0; i < first->slot_count; i++)
        if (is_joined(&dump->slots[first->first_slot + i], slot))
            return ASIDE_JOINED;
    return ASIDE_NOT_ASKED;
}

// A call keeps the slots of its first part. An op without a call is not compared.
static void set_rest_aside(const Rewriter *rewriter, Account *account)
{
    const Dump *dump = rewriter->in->dump;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        if (rewriter->call_of[i] == 0) {
            account_set_aside(account, ASIDE_NOT_ASKED, op->slot_count);
            continue;
        }
        const uint32_t *parts = rewriter->calls.items[rewriter->call_of[i] - 1].parts;
        uint32_t first = parts ? parts[0] : i;
        for (uint32_t k = 0; first != i && k < op->slot_count; k++)
            account_set_aside(
                account, why_not_kept(dump, &dump->ops[first], &dump->slots[op->first_slot + k]),
                1);
    }
}

// ---- the hierarchy

// By node: the nearest call that is kept, its own included; NAME_NONE without one.
static NameId *kept_calls(const Rewriter *rewriter)
{
    const Graph *in = rewriter->in;
    NameId *kept = ARENA_ARRAY(rewriter->scratch, NameId, (size_t)in->count + 1);
    for (uint32_t i = in->order_count; i-- > 0;) {  // parents first
        const Node *node = &in->nodes[in->order[i]];
        uint32_t call = node->op == OP_NONE ? 0 : rewriter->call_of[node->op];
        if (call)
            // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has a number is there
            kept[in->order[i]] = rewriter->calls.items[call - 1].name;
        else if (node->parent != NODE_NONE)
            kept[in->order[i]] = kept[node->parent];
    }
    return kept;
}

static NameId parent_of(const Rewriter *rewriter, const NameId *kept, const Call *call)
{
    const Graph *in = rewriter->in;
    NodeId node = graph_find(in, in->dump->ops[call->parts[0]].name);
    NodeId parent = node == NODE_NONE ? NODE_NONE : in->nodes[node].parent;
    return parent == NODE_NONE ? NAME_NONE : kept[parent];
}

static void name_origins(const Rewriter *rewriter, Graph *out)
{
    const Graph *in = rewriter->in;
    NodeOrigin *origins = ARENA_ARRAY(rewriter->arena, NodeOrigin, out->count);
    for (size_t i = 0; i < rewriter->calls.count; i++) {
        const Call *call = &rewriter->calls.items[i];
        NodeOrigin *origin = &origins[graph_find(out, call->name)];
        Str *notes = ARENA_ARRAY(rewriter->arena, Str, call->count);
        for (uint32_t k = 0; k < call->count; k++)
            notes[k] = names_text(in->dump->names, in->dump->ops[call->parts[k]].name);
        *origin = (NodeOrigin){.graph = in,
                               .node = graph_find(in, in->dump->ops[call->parts[0]].name),
                               .notes = notes,
                               .note_count = call->count};
        if (origin->node == NODE_NONE)
            origin->graph = NULL;
    }
    out->origins = origins;
}

void consistency_graph(const Graph *in, ConsistencyBackend backend, Arena *arena, Graph *out,
                       Notices *notices)
{
    Dump *dump = ARENA_NEW(arena, Dump);
    Rewriter rewriter = {.in = in,
                         .names = names_of_backend[backend],
                         .arena = arena,
                         .scratch = arena_new(),
                         .dump = dump};
    *dump = *in->dump;
    dump->ops = ARENA_ARRAY(arena, Op, (size_t)in->dump->op_count + 1);
    dump->slots = ARENA_ARRAY(arena, Slot, (size_t)in->dump->slot_count + 1);
    dump->op_count = dump->slot_count = dump->extra_count = 0;
    dump->merged = true;
    dump->shares = dump->merged_ranks = dump->batches = dump->experts = 1;
    rewriter.modules = names_new(rewriter.scratch);
    rewriter.call_of = ARENA_ARRAY(rewriter.scratch, uint32_t, (size_t)in->dump->op_count + 1);
    collect_calls(&rewriter, notices);
    const NameId *kept = kept_calls(&rewriter);
    Construct construct = {.last_micro_step = -1};
    construct.entries = ARENA_ARRAY(rewriter.scratch, ConstructEntry, rewriter.calls.count + 1);
    for (size_t i = 0; i < rewriter.calls.count; i++) {
        const Call *call = &rewriter.calls.items[i];
        write_call(&rewriter, call);
        construct.entries[construct.count++] = (ConstructEntry){
            .child = call->name, .parent = parent_of(&rewriter, kept, call), .micro_step = -1};
    }
    set_rest_aside(&rewriter, &notices->account);
    graph_build(dump, &construct, in->stacks, GRAPH_VERNIER, arena, out, notices);
    name_origins(&rewriter, out);
    arena_release(rewriter.scratch);
}
