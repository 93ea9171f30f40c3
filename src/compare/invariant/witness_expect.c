// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/witness_expect.h"

#include "base/words.h"
#include "read/dump/op_name.h"

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
    return op->kind == OP_API &&
           (STR_IN(is, "linear", "conv1d", "conv2d", "conv3d", "matmul", "__matmul__", "mm", "bmm",
                   "addmm", "baddbmm", "einsum", "scaled_dot_product_attention") ||
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

// The dtype is the same in every framework's spelling.
static void look_compute(Looking *of, const Op *op, const OpName *name)
{
    const Slot *slot = first_tensor(of, op, true, true);
    const Expects *all = of->out->expects;
    const Expect *it = slot ? expect_find(all, EXPECT_BIT(EXPECT_COMPUTE), look_name(of, op),
                                          is_product(op, name), of->out->tally)
                            : NULL;
    if (!it)
        return;
    Str dtype = names_text(of->dump->names, slot->dtype);
    of->out->tally[it - all->items].checked++;
    of->out->local[LOCAL_COMPUTE].checked++;
    if (!str_equal_nocase(str_behind(dtype, '.'), it->dtype))
        look_break(of, LOCAL_COMPUTE, look_name(of, op),
                   str_printf(of->scratch, tr(STR_FMT " is " STR_FMT ", not " STR_FMT),
                              STR_ARG(names_text(of->dump->names, slot->path)), STR_ARG(dtype),
                              STR_ARG(it->dtype)));
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

// The first, or the last, number of "[2, 4, 16]"; false: it has no dimension.
static bool size_of(Str shape, bool last, int64_t *out)
{
    size_t comma = last ? str_rfind_char(shape, ',') : str_find_char(shape, ',', 0);
    size_t end = shape.size ? shape.size - 1 : 0;
    Str part = comma == SIZE_MAX ? str_slice(shape, 1, end)
               : last            ? str_slice(shape, comma + 1, end)
                                 : str_slice(shape, 1, comma);
    return str_to_int64(str_trim(part), out);
}

static void look_size(Looking *of, const Op *op, const OpName *name, ExpectKind kind)
{
    bool length = kind == EXPECT_LENGTH;
    LocalLaw law = length ? LOCAL_LENGTH : LOCAL_BATCH;
    const Slot *slot = first_tensor(of, op, false, false);
    const Expects *all = of->out->expects;
    int64_t size;
    if (!slot || !size_of(names_text(of->dump->names, slot->shape), length, &size))
        return;
    const Expect *it = expect_find(all, EXPECT_BIT(kind), look_name(of, op),
                                   is_tokens(of, op, name, slot), of->out->tally);
    if (!it)
        return;
    of->out->tally[it - all->items].checked++;
    of->out->local[law].checked++;
    if (length ? size > it->size : size != it->size)
        look_break(
            of, law, look_name(of, op),
            str_printf(of->scratch,
                       length ? tr(STR_FMT " has shape " STR_FMT ", its last size is above %lld")
                              : tr(STR_FMT " has shape " STR_FMT ", its first size is not %lld"),
                       STR_ARG(names_text(of->dump->names, slot->path)),
                       STR_ARG(names_text(of->dump->names, slot->shape)), (long long)it->size));
}

void witness_expect(Looking *of)
{
    of->out->tally = ARENA_ARRAY(of->out->arena, ExpectTally, of->out->expects->count);
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        if ((op->kind != OP_API && op->kind != OP_MODULE) || op->direction != DIR_FORWARD)
            continue;
        OpName name = op_name_of(of->dump->names, op->name);
        look_compute(of, op, &name);
        look_size(of, op, &name, EXPECT_BATCH);
        look_size(of, op, &name, EXPECT_LENGTH);
    }
}
