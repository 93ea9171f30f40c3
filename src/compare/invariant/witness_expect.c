// SPDX-License-Identifier: Apache-2.0
// What one dump tells of --expect compute, batch, length and generated.
#include "compare/invariant/witness_look.h"

#include "base/words.h"

static bool contains(Str text, const char *part)
{
    return str_find(text, str_of(part), 0) != SIZE_MAX;
}

// ---- dtype of products

// Where autocast decides the dtype: products of matrices and attention.
static bool is_product(const Op *op, const OpName *name)
{
    Str is = name->type_name;
    if (op->kind == OP_MODULE)
        return str_ends(is, STR("Linear")) || str_starts(is, STR("Conv")) ||
               str_ends(is, STR("DotProductAttention")) || contains(is, "FlashAttention");
    return op->kind == OP_API && (op_traits(is) & (OP_MATMUL | OP_CONVOLVES | OP_ATTENDS) ||
                                  contains(is, "fusion_attention") || contains(is, "flash_att"));
}

static const Slot *first_tensor(const Looking *of, const Op *op, bool output, bool floats)
{
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        bool side = output ? slot->group == GROUP_OUTPUT
                           : slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
        if (side && slot->kind == SLOT_TENSOR &&
            (!floats || contains(names_text(of->dump->names, slot->dtype), "loat")))
            return slot;
    }
    return NULL;
}

// One thing that is held to an expectation, and how it stands to it. A configuration tells of a run
// as a whole: what is off by one is kept for the invariant, which looks at all dumps.
typedef enum Stand { STANDS, UNCLEAR, OFF } Stand;

static void hold(Looking *of, const Expect *it, LocalLaw law, Stand stand, const LocalBreak *off)
{
    ExpectTally *tally = &of->out->tally[it - of->out->expects->items];
    tally->checked++;
    if (it->source.size == 0) {
        of->out->local[law].checked++;
        if (stand != STANDS)
            look_break(of, law, off->op, STR_FMT, STR_ARG(off->text));
        return;
    }
    tally->fits += stand == STANDS;
    tally->unclear += stand == UNCLEAR;
    if (stand == OFF && tally->off++ == 0) {
        tally->op = off->op;
        tally->text = off->text;
    }
}

// The dtype is the same in every framework's spelling.
static void look_compute(Looking *of, const Op *op, const OpName *name)
{
    const Slot *slot = first_tensor(of, op, true, true);
    const Expect *it = slot ? expect_find(&of->expects, EXPECT_BIT(EXPECT_COMPUTE),
                                          look_name(of, op), is_product(op, name))
                            : NULL;
    if (!it)
        return;
    Str dtype = names_text(of->dump->names, slot->dtype);
    LocalBreak off = {.op = look_name(of, op)};
    bool fits = str_equal_nocase(str_behind(dtype, '.'), it->dtype);
    if (!fits)
        off.text = str_printf(of->scratch, tr(STR_FMT " is " STR_FMT ", not " STR_FMT),
                              STR_ARG(names_text(of->dump->names, slot->path)), STR_ARG(dtype),
                              STR_ARG(it->dtype));
    hold(of, it, LOCAL_COMPUTE, fits ? STANDS : OFF, &off);
}

// ---- sizes of inputs

// Tokens of embeddings and losses, a row each; positions are often one row for all.
static bool is_tokens(const Looking *of, const Op *op, const OpName *name, const Slot *slot)
{
    bool takes = contains(name->type_name, "Embed") || contains(name->type_name, "Loss") ||
                 contains(name->type_name, "Entropy");
    return op->kind == OP_MODULE && takes && !contains(name->path, "pos") &&
           !str_ends(name->path, STR("wpe")) &&
           contains(names_text(of->dump->names, slot->dtype), "nt") &&
           contains(names_text(of->dump->names, slot->shape), ",");
}

static Str size_text(const Looking *of, const Slot *slot, bool last, int64_t size)
{
    return str_printf(of->scratch,
                      last ? tr(STR_FMT " has shape " STR_FMT ", its last size is above %lld")
                           : tr(STR_FMT " has shape " STR_FMT ", its first size is not %lld"),
                      STR_ARG(names_text(of->dump->names, slot->path)),
                      STR_ARG(names_text(of->dump->names, slot->shape)), (long long)size);
}

// Of a configuration: samples may be packed into rows, copied for choices and pairs, or split.
static Stand batch_stand(const Expect *it, int64_t size)
{
    if (size == it->size)
        return STANDS;
    bool whole = size == 0 || size % it->size == 0 || it->size % size == 0;
    return it->source.size && whole ? UNCLEAR : OFF;
}

// An input of a call, its first and its last size.
typedef struct Sized {
    const Op *op;
    const OpName *name;
    const Slot *slot;
    int64_t samples, size;
    bool tokens;
} Sized;

static const Expect *find(Looking *of, const Sized *in, ExpectKind kind)
{
    return expect_find(&of->expects, EXPECT_BIT(kind), look_name(of, in->op), in->tokens);
}

static void look_batch(Looking *of, const Sized *in)
{
    const Expect *it = find(of, in, EXPECT_BATCH);
    int64_t size = in->samples;
    if (!it)
        return;
    Stand stand = batch_stand(it, size);
    ExpectTally *tally = &of->out->tally[it - of->out->expects->items];
    LocalBreak off = {.op = look_name(of, in->op)};
    if (stand == OFF) {
        off.text = size_text(of, in->slot, false, it->size);
        tally->least = tally->off && tally->least < size ? tally->least : size;
        tally->most = tally->most > size ? tally->most : size;
    }
    hold(of, it, LOCAL_BATCH, stand, &off);
}

// Of a configuration: a few tokens more may be there for targets further ahead, and one row may
// hold several samples.
enum { TOKENS_AHEAD = 8 };

static Stand length_stand(const Expect *it, int64_t size, int64_t samples)
{
    if (size <= it->size)
        return STANDS;
    return it->source.size && (samples < 2 || size <= it->size + TOKENS_AHEAD) ? UNCLEAR : OFF;
}

static void look_length(Looking *of, const Sized *in)
{
    const Expect *it = find(of, in, EXPECT_LENGTH);
    if (!it)
        return;
    Stand stand = length_stand(it, in->size, in->samples);
    LocalBreak off = {.op = look_name(of, in->op)};
    if (stand == OFF)
        off.text = size_text(of, in->slot, true, it->size);
    hold(of, it, LOCAL_LENGTH, stand, &off);
}

// ---- tokens that are generated

// Calls of one module, of which each gets one token more than the one before: it was generated.
typedef struct Growing {
    Str module;
    int64_t samples, size, grown;
} Growing;

static void look_generated(Looking *of, const Sized *in, Growing *last)
{
    const Expect *it = find(of, in, EXPECT_GENERATED);
    if (!it)
        return;
    bool grows = str_equal(last->module, in->name->path) && last->samples == in->samples &&
                 in->size == last->size + 1;
    *last = (Growing){in->name->path, in->samples, in->size, grows ? last->grown + 1 : 0};
    LocalBreak off = {.op = look_name(of, in->op)};
    if (!grows)
        return;
    if (last->grown >= it->size)
        off.text = str_printf(
            of->scratch,
            tr(STR_FMT " has shape " STR_FMT
                       ": another token comes after %lld generated ones, where %lld are meant"),
            STR_ARG(names_text(of->dump->names, in->slot->path)),
            STR_ARG(names_text(of->dump->names, in->slot->shape)), (long long)last->grown,
            (long long)it->size);
    hold(of, it, LOCAL_GENERATED, last->grown < it->size ? STANDS : OFF, &off);
}

void witness_expect(Looking *of)
{
    Growing last = {0};
    of->out->tally = ARENA_ARRAY(of->out->arena, ExpectTally, of->out->expects->count);
    of->expects = (ExpectSearch){of->out->expects, of->out->tally, of->scratch, {0}};
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        if ((op->kind != OP_API && op->kind != OP_MODULE) || op->direction != DIR_FORWARD)
            continue;
        Sized in = {.op = op, .name = &of->names[i]};
        look_compute(of, op, in.name);
        in.slot = first_tensor(of, op, false, false);
        Str shape = in.slot ? names_text(of->dump->names, in.slot->shape) : STR("");
        if (shape.size <= 2)  // it has no dimension
            continue;
        in.samples = look_dimension(shape, 0);
        in.size = look_dimension(shape, -1);
        in.tokens = is_tokens(of, op, in.name, in.slot);
        look_batch(of, &in);
        look_length(of, &in);
        if (!of->out->has_backward)
            look_generated(of, &in, &last);
    }
}
