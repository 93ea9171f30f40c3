// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_kernel.h"

#include "compare/match/match_pass.h"

// Names of one computation. What a name contains decides, the first of the list; others are their
// own sort.
static const struct {
    const char *part;
    const char *sort;
} sorts[] = {{"attention", "attention"},
             {"matmul", "matmul"},
             {"linear", "matmul"},
             {"dense", "matmul"},
             {"addmm", "matmul"},
             {"bmm", "matmul"},
             {"layernorm", "layernorm"},
             {"rmsnorm", "rmsnorm"},
             {"batchnorm", "batchnorm"},
             {"logsoftmax", "logsoft"},
             {"crossentropy", "entropy"},
             {"softmax", "softmax"},
             {"gelu", "gelu"},
             {"silu", "silu"},
             {"swish", "silu"},
             {"relu", "relu"},
             {"sigmoid", "sigmoid"},
             {"embedding", "embedding"},
             {"gather", "embedding"},
             {"conv", "conv"},
             {"dropout", "dropout"},
             {"concat", "concat"},
             {"cat", "concat"},
             {"reducesum", "sum"},
             {"reducemean", "mean"}};

bool match_is_kernels(const Dump *dump)
{
    return dump->framework == FRAMEWORK_MINDSPORE && str_equal(dump->level, STR("L2"));
}

static uint64_t hash_text(uint64_t hash, Str text)
{
    for (size_t i = 0; i < text.size; i++)
        hash = match_mix(hash, (unsigned char)text.data[i]);
    return hash;
}

// "Functional.layer_norm", "LayerNorm-op12" and "LayerNormV3" are letters: "layernorm".
static Str letters_of(Str name, char *out, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < name.size && length < size; i++) {
        char c = name.data[i];
        char lower = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
        if (c == '-' || (c == '#' && length))
            break;
        if (lower >= 'a' && lower <= 'z')
            out[length++] = lower;
    }
    return (Str){out, length};
}

static Str sort_of(const Matcher *matcher, int side, uint32_t op, char *buffer, size_t size)
{
    Str stem = names_text(matcher->keys.texts, matcher->keys.ops[side][op].stem);
    size_t cut = str_rfind_char(stem, match_is_kernels(matcher->sides[side].dump) ? '/' : '.');
    Str leaf = str_slice(stem, cut == SIZE_MAX ? 0 : cut + 1, stem.size);
    Str letters = letters_of(leaf, buffer, size);
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (str_find(letters, str_of(sorts[i].part), 0) != SIZE_MAX)
            return str_of(sorts[i].sort);
    return letters;
}

static const Slot *first_tensor(const Dump *dump, uint32_t op, bool output)
{
    const Op *record = &dump->ops[op];
    for (uint32_t i = record->first_slot; i < record->first_slot + record->slot_count; i++)
        if (dump->slots[i].kind == SLOT_TENSOR && (dump->slots[i].group == GROUP_OUTPUT) == output)
            return &dump->slots[i];
    return NULL;
}

static uint64_t hash_shape(uint64_t hash, const Dump *dump, const Slot *slot)
{
    return slot ? hash_text(match_mix(hash, 1), names_text(dump->names, slot->shape))
                : match_mix(hash, 2);
}

// What a call and a kernel of the same computation have in common takes the place of their names:
// the sort is the class, the shapes of first input and output are the signature, and the norm of
// the output is the value. Calls of modules hold several kernels; what gives nothing is left out.
static bool *say_as_kernel(Matcher *matcher, int side, Arena *scratch)
{
    const Dump *dump = matcher->sides[side].dump;
    bool *may_pair = ARENA_ARRAY(scratch, bool, (size_t)dump->op_count + 1);
    char buffer[64];
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Slot *in = first_tensor(dump, i, false), *out = first_tensor(dump, i, true);
        OpKey *key = &matcher->keys.ops[side][i];
        may_pair[i] = out != NULL;
        key->class = (uint32_t)hash_text(0, sort_of(matcher, side, i, buffer, sizeof buffer));
        key->signature = hash_shape(hash_shape(0, dump, in), dump, out);
        key->values = match_mix_size(1, out);
    }
    return may_pair;
}

void match_kernels(Matcher *matcher)
{
    static const MatchPass passes[] = {BY_CLASS | BY_SIGNATURE | BY_VALUES,
                                       BY_SIGNATURE | BY_VALUES, BY_CLASS | BY_SIGNATURE,
                                       BY_SIGNATURE};
    Arena *scratch = arena_new();
    PassOps ops = {.stage = STAGE_API};
    for (int side = 0; side < 2; side++)
        ops.only[side] = say_as_kernel(matcher, side, scratch);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        match_pass_run(matcher, &ops, passes[i]);
    arena_release(scratch);
}
