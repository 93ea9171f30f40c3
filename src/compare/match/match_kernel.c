// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_kernel.h"

#include <math.h>
#include <string.h>

#include "compare/match/align_sequence.h"
#include "compare/match/match_key.h"

// What a token is made of, as a set of bits.
typedef enum KernelPass { BY_SORT = 1, BY_SHAPES = 2, BY_OUTPUT = 4, BY_NORM = 8 } KernelPass;

static const KernelPass passes[] = {
    BY_SORT | BY_SHAPES | BY_NORM, BY_SHAPES | BY_NORM, BY_SORT | BY_SHAPES, BY_SHAPES,
    BY_OUTPUT | BY_NORM,
};

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

typedef struct Line {
    const Dump *dump;
    uint32_t *ops;     // without a partner, in the order of the file
    uint32_t *places;  // by op: its place among all ops of the line
    uint64_t *tokens;
    uint32_t count;
} Line;

typedef struct Kernels {
    Matcher *matcher;
    bool kernels[2];  // which side they are on
    Line lines[2];
    uint32_t *second_of;
    Arena *scratch;
} Kernels;

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

static Str sort_of(const Kernels *kernels, int side, uint32_t op, char *buffer, size_t size)
{
    const MatchKeys *keys = &kernels->matcher->keys;
    Str stem = names_text(keys->texts, keys->ops[side][op].stem);
    size_t cut = str_rfind_char(stem, kernels->kernels[side] ? '/' : '.');
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

// About two digits: near enough for one computation on two platforms, far from most others.
static uint64_t hash_norm(uint64_t hash, const Slot *slot)
{
    double norm;
    if (!slot || !slot_stat(slot, STAT_NORM, &norm) || !isfinite(norm))
        return match_mix(hash, 3);
    double bin = norm == 0 ? -1e6 : floor(log2(fabs(norm)) * 64 + 0.5);
    return match_mix(hash, (uint64_t)(int64_t)bin);
}

static uint64_t token_of(const Kernels *kernels, int side, uint32_t op, KernelPass pass)
{
    char buffer[64];
    const Dump *dump = kernels->lines[side].dump;
    const Slot *in = first_tensor(dump, op, false), *out = first_tensor(dump, op, true);
    uint64_t token = match_mix(0, (uint64_t)pass);
    if (pass & BY_SORT)
        token = hash_text(token, sort_of(kernels, side, op, buffer, sizeof buffer));
    if (pass & BY_SHAPES)
        token = hash_shape(token, dump, in);
    if (pass & (BY_SHAPES | BY_OUTPUT))
        token = hash_shape(token, dump, out);
    if (pass & BY_NORM)
        token = hash_norm(token, out);
    return token;
}

// Calls of modules hold several kernels; backward calls list gradients, not what a kernel takes.
static bool may_pair(const Kernels *kernels, int side, uint32_t op)
{
    return kernels->matcher->stage[side][op] == STAGE_API &&
           first_tensor(kernels->lines[side].dump, op, true) != NULL;
}

static void collect(Kernels *kernels, int side)
{
    Line *line = &kernels->lines[side];
    line->count = 0;
    for (uint32_t i = 0; i < line->dump->op_count; i++)
        if (may_pair(kernels, side, i))
            line->ops[line->count++] = i;
}

static void pair_between(Kernels *kernels, const uint32_t from[2], const uint32_t to[2],
                         KernelPass pass)
{
    TokenSequence sequences[2];
    uint32_t *ops[2];
    for (int side = 0; side < 2; side++) {
        Line *line = &kernels->lines[side];
        uint32_t count = 0;
        ops[side] = line->places;
        for (uint32_t i = from[side]; i < to[side]; i++) {
            uint32_t op = line->ops[i];
            if (kernels->matcher->partner[side][op] != OP_NONE)
                continue;
            ops[side][count] = op;
            line->tokens[count++] = token_of(kernels, side, op, pass);
        }
        sequences[side] = (TokenSequence){line->tokens, count};
    }
    if (sequences[0].count == 0 || sequences[1].count == 0)
        return;
    align_sequences(sequences[0], sequences[1], kernels->second_of);
    for (uint32_t i = 0; i < sequences[0].count; i++)
        if (kernels->second_of[i] != ALIGN_NONE)
            match_pair(kernels->matcher, ops[0][i], ops[1][kernels->second_of[i]]);
}

// Pairs so far never cross; between two of them the pass runs on what lies there on both sides. The
// frame is what stood before the pass.
static void run_pass(Kernels *kernels, KernelPass pass)
{
    uint32_t from[2] = {0, 0}, second = 0;
    Line *first = &kernels->lines[0], *other = &kernels->lines[1];
    for (uint32_t i = 0; i < first->count; i++) {
        uint32_t partner = kernels->matcher->partner[0][first->ops[i]];
        if (partner == OP_NONE)
            continue;
        while (second < other->count && other->ops[second] < partner)
            second++;
        if (second == other->count || other->ops[second] != partner || second < from[1])
            continue;
        uint32_t to[2] = {i, second};
        pair_between(kernels, from, to, pass);
        from[0] = i + 1;
        from[1] = second + 1;
    }
    uint32_t end[2] = {first->count, other->count};
    pair_between(kernels, from, end, pass);
}

void match_kernels(Matcher *matcher)
{
    Kernels kernels = {.matcher = matcher, .scratch = arena_new()};
    for (int side = 0; side < 2; side++) {
        const Dump *dump = matcher->sides[side].dump;
        Line *line = &kernels.lines[side];
        kernels.kernels[side] = match_is_kernels(dump);
        line->dump = dump;
        line->ops = ARENA_ARRAY(kernels.scratch, uint32_t, (size_t)dump->op_count + 1);
        line->places = ARENA_ARRAY(kernels.scratch, uint32_t, (size_t)dump->op_count + 1);
        line->tokens = ARENA_ARRAY(kernels.scratch, uint64_t, (size_t)dump->op_count + 1);
        collect(&kernels, side);
    }
    kernels.second_of =
        ARENA_ARRAY(kernels.scratch, uint32_t, (size_t)matcher->sides[0].dump->op_count + 1);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        run_pass(&kernels, passes[i]);
    arena_release(kernels.scratch);
}
