// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/norm_names.h"

// What frameworks call the same weight.
static const char *const renames[][2] = {
    {"attention_norm", "input_layernorm"},
    {"ffn_norm", "pre_mlp_layernorm"},
    {"post_attention_layernorm", "pre_mlp_layernorm"},
    {"attention.wo", "self_attention.linear_proj"},
    {"o_proj", "linear_proj"},
    {"w_qkv", "linear_qkv"},
    {"qkv_proj", "linear_qkv"},
    {"feed_forward.w2", "mlp.linear_fc2"},
    {"down_proj", "linear_fc2"},
    {"feed_forward.w_gate_hidden", "mlp.linear_fc1"},
    {"gate_up_proj", "linear_fc1"},
    {"tok_embeddings.embedding_weight", "word_embeddings.weight"},
    {"embed_tokens", "word_embeddings"},
    {"norm_out", "final_layernorm"},
    {"lm_head", "output_layer"},
    {"self_attn", "self_attention"},
    {".attention.", ".self_attention."},
    {".feed_forward.", ".mlp."},
};

Str norm_plain_name(Str name, Arena *arena)
{
    size_t at = str_find(name, STR("layers."), 0);
    if (at != SIZE_MAX)
        name = str_slice(name, at, name.size);
    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++)
        name = str_replace(arena, name, str_of(renames[i][0]), str_of(renames[i][1]));
    if (at == SIZE_MAX) {
        size_t last = str_rfind_char(name, '.');
        size_t before = last == SIZE_MAX ? SIZE_MAX : str_rfind_char(str_slice(name, 0, last), '.');
        name = before == SIZE_MAX ? name : str_slice(name, before + 1, name.size);
    }
    return name;
}

static const char *const parts[][2] = {
    {"q_proj", "linear_qkv"},    {"k_proj", "linear_qkv"},    {"v_proj", "linear_qkv"},
    {"wq", "linear_qkv"},        {"wk", "linear_qkv"},        {"wv", "linear_qkv"},
    {"w_q", "linear_qkv"},       {"w_kv", "linear_qkv"},      {"wkv", "linear_qkv"},
    {"linear_q", "linear_qkv"},  {"linear_k", "linear_qkv"},  {"linear_v", "linear_qkv"},
    {"linear_kv", "linear_qkv"}, {"query", "linear_qkv"},     {"key", "linear_qkv"},
    {"value", "linear_qkv"},     {"gate_proj", "linear_fc1"}, {"up_proj", "linear_fc1"},
    {"w1", "linear_fc1"},        {"w3", "linear_fc1"},        {"w_gate", "linear_fc1"},
    {"w_up", "linear_fc1"},
};

Str norm_fused_name(Str plain, Arena *arena)
{
    Str rest = plain, piece, out = STR("");
    while (str_split(&rest, '.', &piece)) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (str_equal(piece, str_of(parts[i][0])))
                piece = str_of(parts[i][1]);
        out = str_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(out), out.size ? "." : "",
                         STR_ARG(piece));
    }
    return out;
}
