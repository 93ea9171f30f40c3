// SPDX-License-Identifier: Apache-2.0
// The names of APIs by msProbe's risk_level.
#include "compare/risk_level.h"

#include <stdlib.h>
#include <string.h>

// Both sorted as bytes.
static const char *const low_risk[] = {
    "__bool__",
    "align_as",
    "align_to",
    "arange",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "bfloat16",
    "bool",
    "byte",
    "cat",
    "cfloat",
    "char",
    "chunk",
    "clamp",
    "clone",
    "column_stack",
    "concat",
    "concatenate",
    "diag",
    "diag_embed",
    "diagflat",
    "double",
    "dsplit",
    "dstack",
    "empty",
    "empty_like",
    "expand",
    "expand_as",
    "eye",
    "flatten",
    "float",
    "full",
    "full_like",
    "half",
    "hsplit",
    "hstack",
    "identity",
    "int",
    "linspace",
    "logspace",
    "long",
    "moveaxis",
    "movedim",
    "numpy",
    "ones",
    "ones_like",
    "permute",
    "ravel",
    "repeat",
    "repeat_interleave",
    "reshape",
    "reshape_as",
    "row_stack",
    "split",
    "split_with_sizes",
    "squeeze",
    "stack",
    "stride",
    "swapaxes",
    "swapdims",
    "tensor_split",
    "tile",
    "to",
    "transpose",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "type_as",
    "unbind",
    "unflatten",
    "unfold",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "view",
    "view_as",
    "vsplit",
    "vstack",
    "zeros",
    "zeros_like",
};

static const char *const core[] = {
    "__matmul__",
    "_batch_norm_impl_index",
    "_convolution",
    "_fused_adam_",
    "_fused_adamw_",
    "addbmm",
    "addbmm_",
    "addmm",
    "addmm_",
    "addmv",
    "addmv_",
    "addr",
    "addr_",
    "baddbmm",
    "baddbmm_",
    "batch_norm",
    "batch_norm_backward_elemt",
    "batch_norm_backward_reduce",
    "batch_norm_elemt",
    "batch_norm_gather_stats",
    "batch_norm_gather_stats_with_counts",
    "batch_norm_stats",
    "batch_norm_update_stats",
    "bilinear",
    "bmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "embedding",
    "embedding_bag",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "linalg.matmul",
    "linalg.multi_dot",
    "linalg.vecdot",
    "local_response_norm",
    "matmul",
    "mm",
    "multi_head_attention_forward",
    "mv",
    "scaled_dot_product_attention",
};

static int compare_name(const void *key, const void *item)
{
    const Str *name = key;
    return str_compare(*name, str_of(*(const char *const *)item));
}

static bool is_among(Str name, const char *const *names, size_t count)
{
    return bsearch(&name, names, count, sizeof *names, compare_name) != NULL;
}

// "linalg.matmul" of "Torch.linalg.matmul".
static Str api_of(Str stem)
{
    size_t dot = str_find_char(stem, '.', 0);
    return str_slice(stem, dot == SIZE_MAX ? 0 : dot + 1, stem.size);
}

bool risk_level_low(Str stem)
{
    return is_among(api_of(stem), low_risk, sizeof low_risk / sizeof *low_risk);
}

bool risk_level_core(Str stem)
{
    static const char *const families[] = {"Distributed.", "NPU.", "MindSpeed"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (str_starts(stem, str_of(families[i])))
            return true;
    return is_among(api_of(stem), core, sizeof core / sizeof *core);
}
