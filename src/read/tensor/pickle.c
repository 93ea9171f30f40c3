// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/pickle.h"

#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "base/words.h"
#include "read/tensor/little_endian.h"

const PickleBounds pickle_of_tensor = {64 * 1024, 10000, 4096, 4096};
const PickleBounds pickle_of_checkpoint = {64 << 20, 4000000, 4000000, 4000000};

typedef struct Machine {
    PickleReader *reader;
    const char *path;
    const unsigned char *bytes;
    size_t at, end;
    size_t opcode_at;
    Arena *arena;
    PickleValue **stack;
    size_t depth, stack_room;
    PickleValue **memo;
    size_t memo_count, memo_room;
    Error *err;
} Machine;

typedef struct Opcode {
    const char *name;               // NULL: no opcode of any protocol
    bool (*run)(Machine *machine);  // NULL: not allowed
} Opcode;

static const Opcode opcodes[256];

static const char *opcode_name(const Machine *machine)
{
    return opcodes[machine->bytes[machine->opcode_at]].name;
}

// Every refusal names the opcode and where it stands.
static bool refuse(Machine *machine, const char *why)
{
    return error_set(machine->err, ERR_INPUT, WHERE_BYTE(machine->path, machine->opcode_at),
                     tr("refused pickle opcode %s: %s"), opcode_name(machine), why);
}

static bool payload(Machine *machine, uint64_t size, const unsigned char **out)
{
    if (size > machine->end - machine->at) {
        refuse(machine, tr("the pickle ends inside it"));
        return false;
    }
    *out = machine->bytes + machine->at;
    machine->at += (size_t)size;
    return true;
}

// Room for index `index`, in steps of two.
static void make_room(Machine *machine, PickleValue ***items, size_t index, size_t *room)
{
    size_t wanted = *room ? *room : 256;
    while (wanted <= index)
        wanted *= 2;
    if (wanted == *room)
        return;
    PickleValue **grown = ARENA_ARRAY(machine->arena, PickleValue *, wanted);
    if (*room)
        memcpy(grown, *items, *room * sizeof *grown);
    *items = grown;
    *room = wanted;
}

static bool push(Machine *machine, PickleValue *value)
{
    if (machine->depth == machine->reader->bounds->stack)
        return refuse(machine, tr("too many values on the stack"));
    make_room(machine, &machine->stack, machine->depth, &machine->stack_room);
    machine->stack[machine->depth++] = value;
    return true;
}

static bool push_new(Machine *machine, PickleValue value)
{
    PickleValue *kept = ARENA_NEW(machine->arena, PickleValue);
    *kept = value;
    kept->at = machine->opcode_at;
    return push(machine, kept);
}

// NULL if the stack is empty or a mark is on top.
static PickleValue *pop(Machine *machine)
{
    if (machine->depth == 0 || machine->stack[machine->depth - 1]->kind == PICKLE_MARK) {
        refuse(machine, tr("the stack is empty"));
        return NULL;
    }
    return machine->stack[--machine->depth];
}

static bool run_protocol(Machine *machine)
{
    const unsigned char *at;
    if (!payload(machine, 1, &at))
        return false;
    if (at[0] < 2 || at[0] > 4)
        return refuse(machine, tr("expected protocol 2, 3 or 4"));
    return true;
}

static bool run_frame(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 8, &at);
}

static bool run_mark(Machine *machine)
{
    return push_new(machine, (PickleValue){.kind = PICKLE_MARK});
}

static bool run_none(Machine *machine)
{
    return push_new(machine, (PickleValue){.kind = PICKLE_NONE});
}

static bool run_true(Machine *machine)
{
    return push_new(machine, (PickleValue){.kind = PICKLE_BOOL, .integer = 1});
}

static bool run_false(Machine *machine)
{
    return push_new(machine, (PickleValue){.kind = PICKLE_BOOL, .integer = 0});
}

static bool push_int(Machine *machine, int64_t value)
{
    return push_new(machine, (PickleValue){.kind = PICKLE_INT, .integer = value});
}

static bool run_int(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 4, &at) && push_int(machine, (int32_t)le32(at));
}

static bool run_int1(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 1, &at) && push_int(machine, at[0]);
}

static bool run_int2(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 2, &at) && push_int(machine, le16(at));
}

// Two's complement, least byte first, any length up to 8.
static bool run_long1(Machine *machine)
{
    const unsigned char *size, *at;
    if (!payload(machine, 1, &size) || !payload(machine, size[0], &at))
        return false;
    if (size[0] > 8)
        return refuse(machine, tr("an integer of more than 8 bytes"));
    uint64_t value = size[0] > 0 && at[size[0] - 1] & 0x80 ? UINT64_MAX : 0;
    for (unsigned i = size[0]; i-- > 0;)
        value = value << 8 | at[i];
    return push_int(machine, (int64_t)value);
}

static bool run_real(Machine *machine)
{
    const unsigned char *at;
    if (!payload(machine, 8, &at))
        return false;
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | at[i];
    double value;
    memcpy(&value, &bits, sizeof value);
    return push_new(machine, (PickleValue){.kind = PICKLE_REAL, .real = value});
}

static bool push_text(Machine *machine, uint64_t size)
{
    const unsigned char *at;
    if (!payload(machine, size, &at))
        return false;
    Str text = {(const char *)at, (size_t)size};
    return push_new(machine, (PickleValue){.kind = PICKLE_TEXT, .text = text});
}

static bool run_text1(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 1, &at) && push_text(machine, at[0]);
}

static bool run_text4(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 4, &at) && push_text(machine, le32(at));
}

static bool run_text8(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 8, &at) && push_text(machine, le64(at));
}

static bool put(Machine *machine, uint64_t index)
{
    PickleValue *top = machine->depth ? machine->stack[machine->depth - 1] : NULL;
    if (!top || top->kind == PICKLE_MARK)
        return refuse(machine, tr("the stack is empty"));
    if (index >= machine->reader->bounds->memo)
        return refuse(machine, tr("the memo index is too large"));
    make_room(machine, &machine->memo, (size_t)index, &machine->memo_room);
    if (!machine->memo[index])
        machine->memo_count++;
    machine->memo[index] = top;
    return true;
}

static bool run_put1(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 1, &at) && put(machine, at[0]);
}

static bool run_put4(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 4, &at) && put(machine, le32(at));
}

static bool run_memoize(Machine *machine)
{
    return put(machine, machine->memo_count);
}

static bool fetch(Machine *machine, uint64_t index)
{
    if (index >= machine->memo_room || !machine->memo[index])
        return refuse(machine, tr("nothing is kept under this memo index"));
    return push(machine, machine->memo[index]);
}

static bool run_get1(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 1, &at) && fetch(machine, at[0]);
}

static bool run_get4(Machine *machine)
{
    const unsigned char *at;
    return payload(machine, 4, &at) && fetch(machine, le32(at));
}

static bool push_symbol(Machine *machine, Str module, Str name)
{
    const PickleSymbol *symbols = machine->reader->symbols;
    for (size_t i = 0; i < machine->reader->symbol_count; i++)
        if (str_equal(module, str_of(symbols[i].module)) &&
            str_equal(name, str_of(symbols[i].name)))
            return push_new(machine, (PickleValue){.kind = PICKLE_SYMBOL, .symbol = (uint32_t)i});
    Str shown = str_printf(machine->arena, STR_FMT " " STR_FMT, STR_ARG(str_slice(module, 0, 100)),
                           STR_ARG(str_slice(name, 0, 100)));
    shown = utf8_display(shown, machine->arena);
    error_set(
        machine->err, ERR_INPUT, WHERE_BYTE(machine->path, machine->opcode_at),
        tr("refused pickle opcode %s: '%.*s' is not on the list of names that a tensor file needs"),
        opcode_name(machine), STR_ARG(shown));
    return error_hint(machine->err, "%s",
                      tr("save nothing but tensors: torch.save(model.state_dict(), FILE), or as "
                         "safetensors"));
}

static bool read_line(Machine *machine, Str *out)
{
    Str rest = {(const char *)machine->bytes + machine->at, machine->end - machine->at};
    size_t end = str_find_char(rest, '\n', 0);
    if (end == SIZE_MAX)
        return refuse(machine, tr("the pickle ends inside it"));
    *out = str_slice(rest, 0, end);
    machine->at += end + 1;
    return true;
}

static bool run_global(Machine *machine)
{
    Str module, name;
    return read_line(machine, &module) && read_line(machine, &name) &&
           push_symbol(machine, module, name);
}

static bool run_stack_global(Machine *machine)
{
    PickleValue *name = pop(machine);
    PickleValue *module = name ? pop(machine) : NULL;
    if (!module)
        return false;
    if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
        return refuse(machine, tr("expected two texts on the stack"));
    return push_symbol(machine, module->text, name->text);
}

static bool push_tuple(Machine *machine, size_t count)
{
    PickleValue tuple = {.kind = PICKLE_TUPLE, .count = count, .capacity = count};
    tuple.items = ARENA_ARRAY(machine->arena, PickleValue *, count);
    for (size_t i = count; i-- > 0;)
        if (!(tuple.items[i] = pop(machine)))
            return false;
    return push_new(machine, tuple);
}

static bool run_tuple0(Machine *machine)
{
    return push_tuple(machine, 0);
}

static bool run_tuple1(Machine *machine)
{
    return push_tuple(machine, 1);
}

static bool run_tuple2(Machine *machine)
{
    return push_tuple(machine, 2);
}

static bool run_tuple3(Machine *machine)
{
    return push_tuple(machine, 3);
}

// How many values stand above the last mark.
static bool count_above_mark(Machine *machine, size_t *out)
{
    for (size_t i = machine->depth; i-- > 0;)
        if (machine->stack[i]->kind == PICKLE_MARK) {
            *out = machine->depth - i - 1;
            return true;
        }
    return refuse(machine, tr("there is no mark on the stack"));
}

static bool run_tuple(Machine *machine)
{
    size_t count;
    if (!count_above_mark(machine, &count))
        return false;
    PickleValue tuple = {.kind = PICKLE_TUPLE, .count = count, .capacity = count};
    tuple.items = ARENA_ARRAY(machine->arena, PickleValue *, count);
    machine->depth -= count;
    for (size_t i = 0; i < count; i++)
        tuple.items[i] = machine->stack[machine->depth + i];
    machine->depth--;
    return push_new(machine, tuple);
}

static bool run_list(Machine *machine)
{
    return push_new(machine, (PickleValue){.kind = PICKLE_LIST});
}

static bool run_dict(Machine *machine)
{
    return push_new(machine, (PickleValue){.kind = PICKLE_DICT});
}

// Moves the top `count` values into the list or dict below them (`gap` marks between).
static bool collect(Machine *machine, size_t count, size_t gap, PickleKind kind)
{
    if (machine->depth < count + gap + 1)
        return refuse(machine, tr("the stack is empty"));
    PickleValue **from = machine->stack + machine->depth - count;
    PickleValue *into = from[-1 - (ptrdiff_t)gap];
    bool call = kind == PICKLE_DICT && into->kind == PICKLE_CALL;  // an object with members
    if (into->kind != kind && !call)
        return refuse(machine, tr("it fills something that is no list or dict"));
    for (size_t i = 0; i < count; i++)
        if (from[i]->kind == PICKLE_MARK)
            return refuse(machine, tr("the stack is empty"));
    for (size_t i = 0; i < count && !call; i++)
        *ARRAY_PUSH(machine->arena, into) = from[i];
    machine->depth -= count + gap;
    return true;
}

static bool run_append(Machine *machine)
{
    return collect(machine, 1, 0, PICKLE_LIST);
}

static bool run_appends(Machine *machine)
{
    size_t count;
    return count_above_mark(machine, &count) && collect(machine, count, 1, PICKLE_LIST);
}

static bool run_setitem(Machine *machine)
{
    return collect(machine, 2, 0, PICKLE_DICT);
}

static bool run_setitems(Machine *machine)
{
    size_t count;
    if (!count_above_mark(machine, &count))
        return false;
    if (count % 2 != 0)
        return refuse(machine, tr("a key without a value"));
    return collect(machine, count, 1, PICKLE_DICT);
}

static bool run_storage(Machine *machine)
{
    PickleValue *id = pop(machine);
    if (!id)
        return false;
    if (id->kind != PICKLE_TUPLE)
        return refuse(machine, tr("expected a tuple that names a storage"));
    if (!push_new(machine, (PickleValue){.kind = PICKLE_STORAGE,
                                         .items = id->items,
                                         .count = id->count,
                                         .capacity = id->capacity}))
        return false;
    *ARRAY_PUSH(machine->arena, &machine->reader->storages) = machine->stack[machine->depth - 1];
    return true;
}

static bool push_call(Machine *machine, bool create)
{
    PickleValue *arguments = pop(machine);
    PickleValue *function = arguments ? pop(machine) : NULL;
    if (!function)
        return false;
    if (function->kind != PICKLE_SYMBOL || arguments->kind != PICKLE_TUPLE)
        return refuse(machine, tr("expected a name from the list and a tuple of arguments"));
    const PickleSymbol *symbol = &machine->reader->symbols[function->symbol];
    if (!(symbol->use & (create ? PICKLE_CREATABLE : PICKLE_CALLABLE)))
        return error_set(machine->err, ERR_INPUT, WHERE_BYTE(machine->path, machine->opcode_at),
                         tr("refused pickle opcode %s: '%s %s' may not be called"),
                         opcode_name(machine), symbol->module, symbol->name);
    if (symbol->use & PICKLE_MAKES_DICT)
        return run_dict(machine);
    return push_new(machine, (PickleValue){.kind = PICKLE_CALL,
                                           .symbol = function->symbol,
                                           .items = arguments->items,
                                           .count = arguments->count,
                                           .capacity = arguments->capacity});
}

static bool run_reduce(Machine *machine)
{
    return push_call(machine, false);
}

static bool run_newobj(Machine *machine)
{
    return push_call(machine, true);
}

// The state of an object: attributes of a tensor or of an OrderedDict, which do not change what it
// holds.
static bool run_build(Machine *machine)
{
    if (!pop(machine))
        return false;
    PickleValue *object = machine->depth ? machine->stack[machine->depth - 1] : NULL;
    if (!object || (object->kind != PICKLE_CALL && object->kind != PICKLE_DICT))
        return refuse(machine, tr("expected an object below the state"));
    return true;
}

// Every opcode of the protocols 0 to 5, so that a refusal can name it.
static const Opcode opcodes[256] = {
    ['('] = {"MARK", run_mark},
    ['.'] = {"STOP", NULL},  // ends the loop of pickle_read
    ['0'] = {"POP", NULL},
    ['1'] = {"POP_MARK", NULL},
    ['2'] = {"DUP", NULL},
    ['F'] = {"FLOAT", NULL},
    ['I'] = {"INT", NULL},
    ['J'] = {"BININT", run_int},
    ['K'] = {"BININT1", run_int1},
    ['L'] = {"LONG", NULL},
    ['M'] = {"BININT2", run_int2},
    ['N'] = {"NONE", run_none},
    ['P'] = {"PERSID", NULL},
    ['Q'] = {"BINPERSID", run_storage},
    ['R'] = {"REDUCE", run_reduce},
    ['S'] = {"STRING", NULL},
    ['T'] = {"BINSTRING", run_text4},
    ['U'] = {"SHORT_BINSTRING", run_text1},
    ['V'] = {"UNICODE", NULL},
    ['X'] = {"BINUNICODE", run_text4},
    ['a'] = {"APPEND", run_append},
    ['b'] = {"BUILD", run_build},
    ['c'] = {"GLOBAL", run_global},
    ['d'] = {"DICT", NULL},
    ['}'] = {"EMPTY_DICT", run_dict},
    ['e'] = {"APPENDS", run_appends},
    ['g'] = {"GET", NULL},
    ['h'] = {"BINGET", run_get1},
    ['i'] = {"INST", NULL},
    ['j'] = {"LONG_BINGET", run_get4},
    ['l'] = {"LIST", NULL},
    [']'] = {"EMPTY_LIST", run_list},
    ['o'] = {"OBJ", NULL},
    ['p'] = {"PUT", NULL},
    ['q'] = {"BINPUT", run_put1},
    ['r'] = {"LONG_BINPUT", run_put4},
    ['s'] = {"SETITEM", run_setitem},
    ['t'] = {"TUPLE", run_tuple},
    [')'] = {"EMPTY_TUPLE", run_tuple0},
    ['u'] = {"SETITEMS", run_setitems},
    ['G'] = {"BINFLOAT", run_real},
    ['B'] = {"BINBYTES", NULL},
    ['C'] = {"SHORT_BINBYTES", NULL},
    [0x80] = {"PROTO", run_protocol},
    [0x81] = {"NEWOBJ", run_newobj},
    [0x82] = {"EXT1", NULL},
    [0x83] = {"EXT2", NULL},
    [0x84] = {"EXT4", NULL},
    [0x85] = {"TUPLE1", run_tuple1},
    [0x86] = {"TUPLE2", run_tuple2},
    [0x87] = {"TUPLE3", run_tuple3},
    [0x88] = {"NEWTRUE", run_true},
    [0x89] = {"NEWFALSE", run_false},
    [0x8a] = {"LONG1", run_long1},
    [0x8b] = {"LONG4", NULL},
    [0x8c] = {"SHORT_BINUNICODE", run_text1},
    [0x8d] = {"BINUNICODE8", run_text8},
    [0x8e] = {"BINBYTES8", NULL},
    [0x8f] = {"EMPTY_SET", NULL},
    [0x90] = {"ADDITEMS", NULL},
    [0x91] = {"FROZENSET", NULL},
    [0x92] = {"NEWOBJ_EX", NULL},
    [0x93] = {"STACK_GLOBAL", run_stack_global},
    [0x94] = {"MEMOIZE", run_memoize},
    [0x95] = {"FRAME", run_frame},
    [0x96] = {"BYTEARRAY8", NULL},
    [0x97] = {"NEXT_BUFFER", NULL},
    [0x98] = {"READONLY_BUFFER", NULL},
};

static bool run_opcode(Machine *machine)
{
    unsigned char code = machine->bytes[machine->opcode_at];
    if (opcodes[code].run)
        return opcodes[code].run(machine);
    if (opcodes[code].name)
        return refuse(machine, tr("a tensor file needs no such opcode"));
    return error_set(machine->err, ERR_INPUT, WHERE_BYTE(machine->path, machine->opcode_at),
                     tr("expected a pickle opcode, found byte 0x%02x"), code);
}

static bool run_all(Machine *machine)
{
    const PickleBounds *bounds = machine->reader->bounds;
    for (size_t count = 0; machine->at < machine->end; count++) {
        machine->opcode_at = machine->at++;
        if (count == bounds->opcodes)
            return error_set(machine->err, ERR_INPUT, WHERE_BYTE(machine->path, machine->opcode_at),
                             tr("the pickle has more than %zu opcodes"), bounds->opcodes);
        if (machine->bytes[machine->opcode_at] == '.')
            return true;
        if (!run_opcode(machine))
            return false;
    }
    return error_set(machine->err, ERR_INPUT, WHERE_BYTE(machine->path, machine->at),
                     tr("the pickle does not end with STOP within %zu KiB"), bounds->bytes / 1024);
}

bool pickle_read(PickleReader *reader, size_t *at, PickleValue **out)
{
    size_t left = reader->bytes.size - *at;
    Machine machine = {.reader = reader,
                       .path = reader->path,
                       .bytes = (const unsigned char *)reader->bytes.data,
                       .at = *at,
                       .end = *at + (left > reader->bounds->bytes ? reader->bounds->bytes : left),
                       .arena = reader->arena,
                       .err = reader->err};
    if (!run_all(&machine))
        return false;
    *out = pop(&machine);
    *at = machine.at;
    return *out != NULL;
}
