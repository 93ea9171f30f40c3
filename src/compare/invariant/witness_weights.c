// SPDX-License-Identifier: Apache-2.0
// Weights and the state of the optimizer, from checkpoints.
#include "compare/invariant/witness_take.h"

#include "base/array.h"
#include "base/crc32c.h"
#include "compare/invariant/witness_look.h"
#include "read/tensor/tensor_statistics.h"

// ---- what a tensor is

typedef struct StateWord {
    const char *word;
    StateKind kind;
} StateWord;

// Of names in lower case: Adam and its kin in PyTorch, Megatron, DeepSpeed and MindSpore.
static const StateWord state_words[] = {
    {"exp_avg_sq", STATE_SQUARE},  {"adam_v.", STATE_SQUARE},         {"moment2.", STATE_SQUARE},
    {"exp_avg", STATE_MOMENT},     {"momentum_buffer", STATE_MOMENT}, {"adam_m.", STATE_MOMENT},
    {"moment1.", STATE_MOMENT},    {"moments.", STATE_MOMENT},        {"fp32_from_f", STATE_MASTER},
    {"fp32_groups", STATE_MASTER}, {"fp32_flat", STATE_MASTER},       {"master", STATE_MASTER},
    {"main_param", STATE_MASTER},
};

static bool state_kind(Str name, StateKind *out)
{
    for (size_t i = 0; i < sizeof state_words / sizeof *state_words; i++)
        if (str_find(name, str_of(state_words[i].word), 0) != SIZE_MAX) {
            *out = state_words[i].kind;
            return true;
        }
    return false;
}

// The last part of the module's name tells what it is, where no class does.
static Str class_of(Str name)
{
    static const struct {
        const char *end, *class_name;
    } words[] = {
        {"layernorm", "LayerNorm"},     {"rmsnorm", "LayerNorm"},
        {"layer_norm", "LayerNorm"},    {"rms_norm", "LayerNorm"},
        {"final_norm", "LayerNorm"},    {"ln_1", "LayerNorm"},
        {"ln_2", "LayerNorm"},          {"ln_f", "LayerNorm"},
        {"router", "Router"},           {"lm_head", "LinearHead"},
        {"output_layer", "LinearHead"}, {"embed_out", "LinearHead"},
        {"for_head", "LinearHead"},     {"embed_tokens", "WordEmbedding"},
        {"wte", "WordEmbedding"},       {"word_embeddings", "WordEmbedding"},
        {"embed_in", "WordEmbedding"},  {"tok_embeddings", "WordEmbedding"},
    };
    size_t dot = str_rfind_char(name, '.');
    Str module = str_behind(str_slice(name, 0, dot == SIZE_MAX ? 0 : dot), '.');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_ends(module, str_of(words[i].end)))
            return str_of(words[i].class_name);
    return STR("");
}

// ---- its values

static void read_values(const Tensor *tensor, Arena *arena, TensorSeen *out)
{
    enum { SHAPE_SIZE = 256 };
    TensorStatistics found;
    char shape[SHAPE_SIZE];
    tensor_shape_text(tensor, shape, sizeof shape);
    tensor_statistics(tensor, &found);
    *out = (TensorSeen){.dtype = str_printf(arena, "torch.%s", dtype_text(tensor->dtype)),
                        .shape = str_copy(arena, str_of(shape)),
                        .elements = tensor->count,
                        .known = tensor->count ? (1U << STAT_COUNT) - 1 : 0};
    out->stat[STAT_MAX] = found.max;
    out->stat[STAT_MIN] = found.min;
    out->stat[STAT_MEAN] = found.mean;
    out->stat[STAT_NORM] = found.norm;
    if (tensor->contiguous && !tensor->big_endian)
        out->checksum = str_printf(
            arena, "%08x", crc32c(tensor->data, (size_t)tensor->count * dtype_size(tensor->dtype)));
}

// ---- the file

static void add_state(RankWitness *out, Str name, StateKind kind, const TensorSeen *seen)
{
    *ARRAY_ADD(out->arena, out->states, out->state_count, out->state_capacity) =
        (ParameterSeen){.name = name, .state = kind, .seen = true, .value = *seen};
}

static void add_weight(RankWitness *out, Str name, const TensorSeen *seen)
{
    *ARRAY_ADD(out->arena, out->parameters, out->parameter_count, out->parameter_capacity) =
        (ParameterSeen){
            .name = name, .op = name, .class_name = class_of(name), .seen = true, .value = *seen};
    out->has_parameters = true;
}

void witness_weights(const Weights *weights, bool aside, RankWitness *out, Notices *notices)
{
    out->sparse = true;
    for (size_t i = 0; i < weights->count; i++) {
        const Weight *it = &weights->items[i];
        StateKind kind = STATE_MOMENT;
        bool state = state_kind(it->name, &kind);
        TensorFile file;
        Error err;
        TensorSeen seen;
        if (dtype_class(it->dtype) != CLASS_FLOAT ||
            (!state && (aside || str_starts(it->name, STR("optimizer")))))
            continue;
        if (!weights_tensor(weights, i, &file, notices, &err)) {
            notices_add_error(notices, &err);
            continue;
        }
        weights_check_bytes(weights, i, &file.tensor, notices);
        read_values(&file.tensor, out->arena, &seen);
        tensor_close(&file);
        Str name = str_copy(out->arena, it->name);
        witness_finite(out, name, &seen, false);
        if (state)
            add_state(out, name, kind, &seen);
        else
            add_weight(out, name, &seen);
    }
}

void witness_weights_end(RankWitness *out)
{
    parameters_sort(out->parameters, out->parameter_count);
    parameters_sort(out->states, out->state_count);
}
