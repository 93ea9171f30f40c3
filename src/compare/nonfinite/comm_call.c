// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/comm_call.h"

#include "read/dump/op_name.h"

// Which input is only a place for the result.
typedef enum Buffer { BUFFER_NONE, BUFFER_FIRST, BUFFER_SECOND } Buffer;

typedef enum CommShape {
    SHAPE_ALL,  // every member gives and gets
    SHAPE_FROM_ROOT,
    SHAPE_TO_ROOT,
    SHAPE_SEND,
    SHAPE_RECEIVE,
    SHAPE_BATCH
} CommShape;

typedef struct CommRule {
    const char *api;  // lower case, without underscores
    CommShape shape;
    Buffer buffer;
    const char *partner;   // keyword of the root or the peer
    const char *position;  // its place among the arguments
} CommRule;

// Source: the signatures of torch.distributed and mindspore.communication.comm_func; the names
// without underscore are the primitives of MindSpore. What is not listed is SHAPE_ALL.
static const CommRule rules[] = {
    {"send", SHAPE_SEND, BUFFER_NONE, "dst", "1"},
    {"isend", SHAPE_SEND, BUFFER_NONE, "dst", "1"},
    {"recv", SHAPE_RECEIVE, BUFFER_FIRST, "src", "1"},
    {"irecv", SHAPE_RECEIVE, BUFFER_FIRST, "src", "1"},
    {"receive", SHAPE_RECEIVE, BUFFER_FIRST, "src", "1"},
    {"batchisendirecv", SHAPE_BATCH, BUFFER_NONE, NULL, NULL},
    {"broadcast", SHAPE_FROM_ROOT, BUFFER_NONE, "src", "1"},
    {"scatter", SHAPE_FROM_ROOT, BUFFER_FIRST, "src", "2"},
    {"gather", SHAPE_TO_ROOT, BUFFER_SECOND, "dst", "2"},
    {"reduce", SHAPE_TO_ROOT, BUFFER_NONE, "dst", "1"},
    {"allgather", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"allgatherbase", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"allgatherintotensor", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"reducescatter", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"reducescatterbase", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"reducescattertensor", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"alltoall", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"alltoallsingle", SHAPE_ALL, BUFFER_FIRST, NULL, NULL},
    {"allreduce", SHAPE_ALL, BUFFER_NONE, NULL, NULL},
    {"barrier", SHAPE_ALL, BUFFER_NONE, NULL, NULL},
};

enum { API_BYTES = 48 };

// "all_gather_into_tensor" and "AllGather" in one spelling.
static Str plain_api(Str api, char out[API_BYTES])
{
    size_t size = 0;
    for (size_t i = 0; i < api.size && size < API_BYTES; i++) {
        char c = api.data[i];
        if (c != '_')
            out[size++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return (Str){out, size};
}

static const CommRule *find_rule(Str plain)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (str_equal(plain, str_of(rules[i].api)))
            return &rules[i];
    return NULL;
}

bool comm_is_call(Str op_name)
{
    if (!op_name_is_distributed(op_name) && !str_starts(op_name, STR("Primitive.")))
        return false;
    OpName name = op_name_parse(op_name);
    if (name.kind != OP_API || name.direction == DIR_BACKWARD)
        return false;
    char plain[API_BYTES];
    return op_name_is_distributed(op_name) || find_rule(plain_api(name.type_name, plain));
}

bool comm_ranks_parse(Str ranks, Arena *arena, RankList *out)
{
    *out = (RankList){0};
    if (!str_starts(ranks, STR("[")) || !str_ends(ranks, STR("]")))
        return false;
    Str rest = str_slice(ranks, 1, ranks.size - 1), part;
    while (str_split(&rest, ',', &part)) {
        int64_t rank;
        if (!str_to_int64(str_trim(part), &rank))
            return false;
        *ARRAY_PUSH(arena, out) = rank;
    }
    return out->count > 0;
}

typedef struct CallReader {
    const Dump *dump;
    const Op *op;
    const CommRule *rule;
    int64_t rank;
    Arena *arena;
    CommCall call;  // what all transfers of the op have in common
    Str api;        // plain
} CallReader;

static bool is_input(const Slot *slot)
{
    return slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
}

// "0" of "input.0.3", "group" of "input.group".
static Str argument_of(const CallReader *reader, const Slot *slot)
{
    Str path = names_text(reader->dump->names, slot->path);
    size_t first = str_find_char(path, '.', 0);
    size_t second = first == SIZE_MAX ? SIZE_MAX : str_find_char(path, '.', first + 1);
    return str_slice(path, first == SIZE_MAX ? path.size : first + 1, second);
}

static const Slot *slot_at(const CallReader *reader, uint32_t i)
{
    return &reader->dump->slots[reader->op->first_slot + i];
}

static const Slot *find_argument(const CallReader *reader, const char *name)
{
    for (uint32_t i = 0; name && i < reader->op->slot_count; i++) {
        const Slot *slot = slot_at(reader, i);
        if (is_input(slot) && str_equal(argument_of(reader, slot), str_of(name)))
            return slot;
    }
    return NULL;
}

static bool argument_number(const CallReader *reader, const char *name, int64_t *out)
{
    const Slot *slot = find_argument(reader, name);
    return slot && slot->kind == SLOT_SCALAR &&
           str_to_int64(names_text(reader->dump->names, slot->value), out);
}

// A rank given by its place in the group.
static bool group_member(const CallReader *reader, const char *name, int64_t *out)
{
    int64_t place;
    RankList list;
    if (!argument_number(reader, name, &place) || place < 0 ||
        !comm_ranks_parse(reader->call.ranks, reader->arena, &list) ||
        (uint64_t)place >= list.count)
        return false;
    *out = list.items[place];
    return true;
}

// The root of a collective, or the other side of a transfer; -1: not recorded.
static int64_t partner_of(const CallReader *reader)
{
    int64_t partner;
    const char *keyword = reader->rule->partner;
    const char *in_group = keyword[0] == 's' ? "group_src" : "group_dst";
    if (group_member(reader, in_group, &partner) || argument_number(reader, keyword, &partner) ||
        argument_number(reader, reader->rule->position, &partner))
        return partner;
    return -1;
}

// The group's ranks, or the name that MindSpore gives it.
static Str group_of(const CallReader *reader)
{
    const Names *names = reader->dump->names;
    for (uint32_t i = 0; i < reader->op->slot_count; i++) {
        const Slot *slot = slot_at(reader, i);
        if (is_input(slot) && slot->kind == SLOT_OTHER &&
            str_ends(names_text(names, slot->type), STR("ProcessGroup")))
            return names_text(names, slot->value);
    }
    const Slot *group = find_argument(reader, "group");
    return group && group->kind == SLOT_SCALAR ? names_text(names, group->value) : (Str){"", 0};
}

// Keywords of arguments that are only written.
static bool is_buffer_keyword(const CallReader *reader, Str argument)
{
    if (STR_IN(argument, "output", "output_tensor", "output_tensor_list", "gather_list"))
        return true;
    // all_gather(tensor_list, tensor) and scatter(tensor, scatter_list)
    if (str_equal(argument, STR("tensor_list")))
        return str_equal(reader->api, STR("allgather"));
    return str_equal(argument, STR("tensor")) && reader->rule &&
           (reader->rule->shape == SHAPE_RECEIVE || str_equal(reader->api, STR("scatter")));
}

static bool has_second_tensor(const CallReader *reader)
{
    for (uint32_t i = 0; i < reader->op->slot_count; i++) {
        const Slot *slot = slot_at(reader, i);
        if (is_input(slot) && slot->kind == SLOT_TENSOR &&
            !str_equal(argument_of(reader, slot), STR("0")))
            return true;
    }
    return false;
}

// Only written by the call. A first input is a contribution after all where it is the only tensor
// (mindspore returns the result).
static bool is_buffer(const CallReader *reader, const Slot *slot, bool second)
{
    Str argument = argument_of(reader, slot);
    if (slot->group == GROUP_KWARGS)
        return is_buffer_keyword(reader, argument);
    Buffer buffer = reader->rule ? reader->rule->buffer : BUFFER_NONE;
    if (buffer == BUFFER_FIRST && str_equal(argument, STR("0")))
        return second || reader->rule->shape == SHAPE_RECEIVE;
    return buffer == BUFFER_SECOND && str_equal(argument, STR("1"));
}

static void note(Nonfinite found, uint32_t slot, Nonfinite *all, uint32_t *first)
{
    if (found && !*all)
        *first = slot;
    *all = (Nonfinite)(*all | found);
}

// What the rank gave and got. The -Inf of a mask is no trouble.
static void read_values(const CallReader *reader, CommCall *call)
{
    bool second = has_second_tensor(reader), results = false;
    for (uint32_t i = 0; i < reader->op->slot_count; i++) {
        const Slot *slot = slot_at(reader, i);
        uint32_t index = reader->op->first_slot + i;
        Nonfinite found =
            nonfinite_is_mask(reader->dump, slot) ? 0 : nonfinite_of(reader->dump, slot);
        results = results || slot_is_output_tensor(slot);
        if (slot->group == GROUP_OUTPUT && call->role != COMM_GIVES)
            note(found, index, &call->got, &call->got_slot);
        else if (is_input(slot) && call->role != COMM_GETS && !is_buffer(reader, slot, second))
            note(found, index, &call->gave, &call->gave_slot);
    }
    const Slot *async = find_argument(reader, "async_op");
    call->late = !results || str_starts(reader->api, STR("i")) ||
                 (async && str_equal(names_text(reader->dump->names, async->value), STR("True")));
}

static Str transfer_channel(const CallReader *reader, int64_t peer, bool sends, int64_t tag)
{
    return str_printf(reader->arena, "p %lld %lld %lld", (long long)(sends ? reader->rank : peer),
                      (long long)(sends ? peer : reader->rank), (long long)tag);
}

static CommRole collective_role(const CallReader *reader)
{
    CommShape shape = reader->rule ? reader->rule->shape : SHAPE_ALL;
    int64_t root = reader->rule && reader->rule->partner ? partner_of(reader) : -1;
    if (root >= 0 && shape == SHAPE_FROM_ROOT)
        return root == reader->rank ? COMM_GIVES : COMM_GETS;
    return root >= 0 && root != reader->rank ? COMM_GIVES : COMM_GIVES_AND_GETS;
}

static void add_collective(CallReader *reader, CommCalls *out)
{
    CommCall call = reader->call;
    call.role = (uint8_t)collective_role(reader);
    call.channel = str_printf(reader->arena, "c " STR_FMT " " STR_FMT, STR_ARG(reader->api),
                              STR_ARG(call.ranks));
    read_values(reader, &call);
    *ARRAY_PUSH(reader->arena, out) = call;
}

static void add_transfer(CallReader *reader, CommCalls *out)
{
    CommCall call = reader->call;
    bool sends = reader->rule->shape == SHAPE_SEND;
    int64_t tag = 0;
    argument_number(reader, "tag", &tag);
    call.role = sends ? COMM_GIVES : COMM_GETS;
    call.peer = partner_of(reader);
    call.channel = transfer_channel(reader, call.peer, sends, tag);
    read_values(reader, &call);
    *ARRAY_PUSH(reader->arena, out) = call;
}

// The tensor of the same operation after the call; UINT32_MAX if it was not recorded.
static uint32_t after_of(const CallReader *reader, const Slot *before)
{
    Str path = names_text(reader->dump->names, before->path);
    Str place = str_slice(path, str_rfind_char(path, '.'), path.size);
    for (uint32_t i = 0; i < reader->op->slot_count; i++) {
        const Slot *slot = slot_at(reader, i);
        if (slot_is_output_tensor(slot) &&
            str_ends(names_text(reader->dump->names, slot->path), place))
            return reader->op->first_slot + i;
    }
    return UINT32_MAX;
}

static void add_batch_item(CallReader *reader, uint32_t index, CommCalls *out)
{
    const Dump *dump = reader->dump;
    CommCall call = reader->call;
    Str kind = slot_extra(dump, index, STR("op"));
    int64_t tag = 0;
    if (!str_to_int64(slot_extra(dump, index, STR("peer")), &call.peer))
        call.peer = -1;
    str_to_int64(slot_extra(dump, index, STR("tag")), &tag);
    bool sends = str_find(kind, STR("send"), 0) != SIZE_MAX;
    call.role = sends ? COMM_GIVES : COMM_GETS;
    call.late = true;
    call.channel = transfer_channel(reader, call.peer, sends, tag);
    uint32_t after = after_of(reader, &dump->slots[index]);
    if (sends)
        note(nonfinite_of(dump, &dump->slots[index]), index, &call.gave, &call.gave_slot);
    else if (after != UINT32_MAX)
        note(nonfinite_of(dump, &dump->slots[after]), after, &call.got, &call.got_slot);
    *ARRAY_PUSH(reader->arena, out) = call;
}

static void add_batch(CallReader *reader, CommCalls *out)
{
    size_t before = out->count;
    for (uint32_t i = 0; i < reader->op->slot_count; i++) {
        uint32_t index = reader->op->first_slot + i;
        if (is_input(slot_at(reader, i)) && slot_extra(reader->dump, index, STR("op")).size)
            add_batch_item(reader, index, out);
    }
    if (out->count == before)
        add_collective(reader, out);
}

static CallReader reader_of(const Dump *dump, uint32_t op, int64_t rank, Arena *arena)
{
    char plain[API_BYTES];
    Str full = names_text(dump->names, dump->ops[op].name), direction = STR(".forward");
    Str api =
        str_copy(arena, plain_api(op_name_of(dump->names, dump->ops[op].name).type_name, plain));
    CallReader reader = {.dump = dump,
                         .op = &dump->ops[op],
                         .rule = find_rule(api),
                         .rank = rank,
                         .arena = arena,
                         .api = api,
                         .call = {.op = op, .peer = -1}};
    size_t cut = str_ends(full, direction) ? direction.size : 0;
    reader.call.name = str_copy(arena, str_slice(full, 0, full.size - cut));
    reader.call.ranks = str_copy(arena, group_of(&reader));
    return reader;
}

void comm_calls_add(const Dump *dump, uint32_t op, int64_t rank, Arena *arena, CommCalls *out)
{
    CallReader reader = reader_of(dump, op, rank, arena);
    CommShape shape = reader.rule ? reader.rule->shape : SHAPE_ALL;
    if (shape == SHAPE_SEND || shape == SHAPE_RECEIVE)
        add_transfer(&reader, out);
    else if (shape == SHAPE_BATCH)
        add_batch(&reader, out);
    else
        add_collective(&reader, out);
}

static bool overwrites(const CallReader *reader, uint32_t index)
{
    const Slot *slot = &reader->dump->slots[index];
    CommShape shape = reader->rule ? reader->rule->shape : SHAPE_ALL;
    if (!is_input(slot) || slot->kind != SLOT_TENSOR)
        return false;
    if (shape == SHAPE_BATCH)
        return str_find(slot_extra(reader->dump, index, STR("op")), STR("recv"), 0) != SIZE_MAX;
    if (shape == SHAPE_FROM_ROOT && collective_role(reader) == COMM_GETS)
        return true;
    return is_buffer(reader, slot, has_second_tensor(reader));
}

bool comm_overwrites(const Dump *dump, uint32_t op, int64_t rank, uint32_t slot)
{
    Arena *scratch = arena_new();
    CallReader reader = reader_of(dump, op, rank, scratch);
    bool out = overwrites(&reader, slot);
    arena_release(scratch);
    return out;
}
