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

// The first, or the last, size; false: it has no dimension.
static bool size_of(Str shape, bool last, int64_t *out)
{
    *out = look_dimension(shape, last ? -1 : 0);
    return shape.size > 2;
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

static void look_batch(Looking *of, const Op *op, const OpName *name, const Slot *slot)
{
    int64_t size;
    if (!size_of(names_text(of->dump->names, slot->shape), false, &size))
        return;
    const Expect *it = expect_find(&of->expects, EXPECT_BIT(EXPECT_BATCH), look_name(of, op),
                                   is_tokens(of, op, name, slot));
    if (!it)
        return;
    Stand stand = batch_stand(it, size);
    ExpectTally *tally = &of->out->tally[it - of->out->expects->items];
    LocalBreak off = {.op = look_name(of, op)};
    if (stand == OFF) {
        off.text = size_text(of, slot, false, it->size);
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

static void look_length(Looking *of, const Op *op, const OpName *name, const Slot *slot)
{
    int64_t size, samples;
    Str shape = names_text(of->dump->names, slot->shape);
    if (!size_of(shape, true, &size) || !size_of(shape, false, &samples))
        return;
    const Expect *it = expect_find(&of->expects, EXPECT_BIT(EXPECT_LENGTH), look_name(of, op),
                                   is_tokens(of, op, name, slot));
    if (!it)
        return;
    Stand stand = length_stand(it, size, samples);
    LocalBreak off = {.op = look_name(of, op)};
    if (stand == OFF)
        off.text = size_text(of, slot, true, it->size);
    hold(of, it, LOCAL_LENGTH, stand, &off);
}

// ---- tokens that are generated

// Calls of one module, of which each gets one token more than the one before: it was generated.
typedef struct Growing {
    Str module;
    int64_t samples, size, grown;
} Growing;

static void look_generated(Looking *of, const Op *op, const OpName *name, const Slot *slot,
                           Growing *last)
{
    int64_t size, samples;
    Str shape = names_text(of->dump->names, slot->shape);
    if (!size_of(shape, true, &size) || !size_of(shape, false, &samples))
        return;
    const Expect *it = expect_find(&of->expects, EXPECT_BIT(EXPECT_GENERATED), look_name(of, op),
                                   is_tokens(of, op, name, slot));
    if (!it)
        return;
    bool grows =
        str_equal(last->module, name->path) && last->samples == samples && size == last->size + 1;
    *last = (Growing){name->path, samples, size, grows ? last->grown + 1 : 0};
    LocalBreak off = {.op = look_name(of, op)};
    if (!grows)
        return;
    if (last->grown >= it->size)
        off.text = str_printf(
            of->scratch,
            tr(STR_FMT " has shape " STR_FMT
                       ": another token comes after %lld generated ones, where %lld are meant"),
            STR_ARG(names_text(of->dump->names, slot->path)), STR_ARG(shape),
            (long long)last->grown, (long long)it->size);
    hold(of, it, LOCAL_GENERATED, last->grown < it->size ? STANDS : OFF, &off);
}

static bool any_backward(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].direction == DIR_BACKWARD)
            return true;
    return false;
}

void witness_expect(Looking *of)
{
    bool trains = any_backward(of->dump);
    Growing last = {0};
    of->out->tally = ARENA_ARRAY(of->out->arena, ExpectTally, of->out->expects->count);
    of->expects = (ExpectSearch){of->out->expects, of->out->tally, of->scratch, {0}};
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        if ((op->kind != OP_API && op->kind != OP_MODULE) || op->direction != DIR_FORWARD)
            continue;
        const OpName *name = &of->names[i];
        look_compute(of, op, name);
        const Slot *slot = first_tensor(of, op, false, false);
        if (!slot)
            continue;
        look_batch(of, op, name, slot);
        look_length(of, op, name, slot);
        if (!trains)
            look_generated(of, op, name, slot, &last);
    }
}
