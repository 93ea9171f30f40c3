// SPDX-License-Identifier: Apache-2.0
#include "compare/replaced_ops.h"

#include "base/array.h"
#include "read/dump/kernel_name.h"
#include "read/dump/op_name.h"

enum { NAMES_JOINED = 3 };

typedef struct Search {
    const Comparison *comparison;
    const Dump *dumps[2];
    OpKind kind;
    Arena *arena, *scratch;
    Names *known;  // of both names: the item that comes before its number in `list`
    ReplacedList list;
} Search;

static const Op *op_on(const Search *search, const OpPair *pair, int side)
{
    uint32_t op = op_on_side(pair, side);
    return op == OP_NONE ? NULL : &search->dumps[side]->ops[op];
}

static OpName name_of(const Search *search, const Op *op, int side)
{
    return op_name_of(search->dumps[side]->names, op->name);
}

// "add" of "__add__" and of "Torch.add"; of a kernel of MindSpore its name without scope.
static Str plain(OpName name)
{
    Str own = name.type_name, kernel = kernel_without_scope(name.stem);
    if (kernel.size)
        return kernel;
    bool wrapped = own.size > 4 && str_starts(own, STR("__")) && str_ends(own, STR("__"));
    return wrapped ? str_slice(own, 2, own.size - 2) : own;
}

static Str shown(OpName name)
{
    return name.kind == OP_MODULE ? name.type_name : name.stem;
}

void replaced_add(ReplacedList *list, Names *known, Replaced item, Arena *arena)
{
    Str key = str_printf(arena, STR_FMT ">" STR_FMT, STR_ARG(item.golden), STR_ARG(item.target));
    NameId id = names_add(known, key);
    if (list->items && id <= list->count)
        list->items[id - 1].calls += item.calls;
    else
        *ARRAY_PUSH(arena, list) =
            (Replaced){str_copy(arena, item.golden), str_copy(arena, item.target), item.calls};
}

static void add(Search *search, Str golden, Str target)
{
    replaced_add(&search->list, search->known, (Replaced){golden, target, 1}, search->arena);
}

static void look_at_pair(Search *search, const OpPair *pair)
{
    const Op *golden = op_on(search, pair, 0), *target = op_on(search, pair, 1);
    if (golden->kind != search->kind || target->kind != search->kind ||
        golden->direction != DIR_FORWARD ||
        str_equal(names_text(search->dumps[0]->names, golden->name),
                  names_text(search->dumps[1]->names, target->name)))
        return;
    OpName b = name_of(search, golden, 0), n = name_of(search, target, 1);
    if (plain(b).size && plain(n).size && !str_equal(plain(b), plain(n)))
        add(search, shown(b), shown(n));
}

// Ops of a rewriting in a row: what either side computes there of what both come to.
typedef struct Gap {
    Str names[2][NAMES_JOINED];
    uint32_t repeats[2][NAMES_JOINED], named[2], calls[2], ops[2];
} Gap;

static void look_at_part(const Search *search, const OpPair *pair, int side, Gap *gap)
{
    const Op *op = op_on(search, pair, side);
    if (!op || (!op_has_both(pair) && pair->rule != RULE_REWRITTEN))
        return;
    gap->ops[side]++;
    if (op->kind != search->kind || op->direction != DIR_FORWARD)
        return;
    Str name = shown(name_of(search, op, side));
    uint32_t last = gap->named[side];
    gap->calls[side]++;
    if (last && str_equal(name, gap->names[side][last - 1])) {
        gap->repeats[side][last - 1]++;
    } else if (last < NAMES_JOINED) {
        gap->names[side][last] = name;
        gap->repeats[side][last] = 1;
        gap->named[side]++;
    }
}

// "Torch.matmul, Functional.softmax x2, …"
static Str names_of(const Search *search, const Gap *gap, int side)
{
    StrBuf out = strbuf_new(search->scratch);
    uint32_t calls = 0;
    for (uint32_t i = 0; i < gap->named[side]; i++) {
        uint32_t repeats = gap->repeats[side][i];
        strbuf_printf(&out, "%s" STR_FMT, i ? ", " : "", STR_ARG(gap->names[side][i]));
        if (repeats > 1)
            strbuf_printf(&out, " x%u", repeats);
        calls += repeats;
    }
    strbuf_add(&out, calls < gap->calls[side] ? STR(", …") : STR(""));
    return strbuf_str(&out);
}

// Gives the ops on one side only that are named, or go with such.
static uint64_t close_gap(Search *search, Gap *gap)
{
    uint64_t ops = gap->ops[0] && gap->ops[1] ? gap->ops[0] + gap->ops[1] : 0;
    if (gap->calls[0] && gap->calls[1])
        add(search, names_of(search, gap, 0), names_of(search, gap, 1));
    *gap = (Gap){0};
    return ops;
}

// A pair in a rewriting of which one side does more: with a bias, or without.
static bool is_divided(const Comparison *comparison, const OpPair *pair)
{
    bool more = false;
    for (uint32_t k = pair->first_slot; k < pair->first_slot + pair->slot_count; k++)
        more = more || comparison->slots[k].golden == SLOT_NONE ||
               comparison->slots[k].target == SLOT_NONE;
    return more && comparison->regrouped && comparison->regrouped[pair - comparison->ops];
}

static uint64_t find(Search *search)
{
    Gap gap = {0};
    uint64_t alone = 0;
    for (uint32_t i = 0; i < search->comparison->op_count; i++) {
        const OpPair *pair = &search->comparison->ops[i];
        bool part = !op_has_both(pair) || is_divided(search->comparison, pair);
        for (int side = 0; side < 2 && part; side++)
            look_at_part(search, pair, side, &gap);
        if (part)
            continue;
        alone += close_gap(search, &gap);
        look_at_pair(search, pair);
    }
    return alone + close_gap(search, &gap);
}

uint64_t replaced_ops_find(const Comparison *comparison, Arena *arena, ReplacedList *out)
{
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    *out = (ReplacedList){0};
    if (golden->framework != target->framework || golden->format != target->format ||
        comparison->kernels || comparison->renamed_by_user || comparison->rules != RULES_VERNIER)
        return 0;
    const uint32_t *calls[2] = {comparison->recorded[0].ops[OP_API],
                                comparison->recorded[1].ops[OP_API]};
    Search search = {.comparison = comparison,
                     .dumps = {golden, target},
                     .kind = calls[0][DIR_FORWARD] || calls[1][DIR_FORWARD] ? OP_API : OP_MODULE,
                     .arena = arena,
                     .scratch = arena_new()};
    search.known = names_new(search.scratch);
    uint64_t alone = find(&search);
    *out = search.list;
    arena_release(search.scratch);
    return out->count ? alone : 0;
}
