// SPDX-License-Identifier: Apache-2.0
#include "model/ops/op_traits.h"

#include <string.h>

typedef struct OpRow {
    Str name;
    unsigned traits;
} OpRow;

// Sorted by size, then by bytes: a search looks at few texts. Sources: the documentation of torch,
// torch.nn.functional, mindspore.mint and torch_npu; mindspore.mint has the names and signatures of
// torch. IEEE 754-2019, 5.4.1 and 9.6: addition, multiplication, the larger and the smaller of two
// commute. What docs/spec/graph.md §2.12 tolerates is a part of it; buffers of collectives are
// reported from their contributions in comm_call.c.
static const OpRow rows[] = {
    {{"mm", 2}, OP_MATMUL},
    {{"ELU", 3}, OP_ELU},
    {{"abs", 3}, API_FLIPS},
    {{"add", 3}, OP_SUMS | OP_COMMUTES},
    {{"bmm", 3}, OP_MATMUL},
    {{"cat", 3}, OP_SUMS | OP_MOVES},
    {{"div", 3}, API_FLIPS},
    {{"elu", 3}, OP_ELU},
    {{"exp", 3}, OP_EXP},
    {{"log", 3}, API_LOGARITHM | OP_LOG},
    {{"mul", 3}, API_FLIPS | OP_MULTIPLIES | OP_COMMUTES},
    {{"neg", 3}, API_FLIPS},
    {{"pad", 3}, API_FILLS},
    {{"sub", 3}, API_FLIPS | OP_SUMS},
    {{"sum", 3}, OP_SUMS | OP_REDUCES},
    {{"GELU", 4}, OP_GELU},
    {{"ReLU", 4}, OP_RELU},
    {{"SiLU", 4}, OP_SILU},
    {{"Tanh", 4}, OP_TANH},
    {{"clip", 4}, API_FILLS | API_PATCHES},
    {{"copy", 4}, API_FIRST_IS_RESULT},
    {{"fill", 4}, API_OVERWRITES | API_FILLS},
    {{"flip", 4}, OP_MOVES},
    {{"full", 4}, API_OVERWRITES | API_FILLS},
    {{"gelu", 4}, OP_GELU},
    {{"mean", 4}, OP_REDUCES},
    {{"norm", 4}, OP_SUMS},
    {{"rand", 4}, OP_RANDOM},
    {{"relu", 4}, OP_RELU},
    {{"roll", 4}, OP_MOVES},
    {{"silu", 4}, OP_SILU},
    {{"tanh", 4}, OP_TANH},
    {{"view", 4}, OP_MOVES},
    {{"zero", 4}, API_OVERWRITES},
    {{"RReLU", 5}, OP_RANDOM},
    {{"addmm", 5}, OP_MATMUL},
    {{"clamp", 5}, API_FILLS | API_PATCHES},
    {{"clone", 5}, OP_MOVES},
    {{"empty", 5}, API_UNDEFINED | API_OVERWRITES},
    {{"isinf", 5}, API_OVERWRITES},
    {{"isnan", 5}, API_OVERWRITES},
    {{"lerp_", 5}, OP_SUMS},
    {{"prelu", 5}, OP_WEIGHT_1},
    {{"randn", 5}, OP_RANDOM},
    {{"rrelu", 5}, OP_RANDOM},
    {{"stack", 5}, OP_SUMS | OP_MOVES},
    {{"where", 5}, API_FILLS | API_PATCHES},
    {{"concat", 6}, OP_MOVES},
    {{"conv1d", 6}, OP_CONVOLVES | OP_WEIGHT_1 | OP_WEIGHT_2},
    {{"conv2d", 6}, OP_CONVOLVES | OP_WEIGHT_1 | OP_WEIGHT_2},
    {{"conv3d", 6}, OP_CONVOLVES | OP_WEIGHT_1 | OP_WEIGHT_2},
    {{"einsum", 6}, OP_ATTENDS},
    {{"expand", 6}, OP_MOVES},
    {{"gather", 6}, OP_TAKES},
    {{"linear", 6}, OP_MATMUL | OP_WEIGHT_1 | OP_WEIGHT_2},
    {{"matmul", 6}, OP_MATMUL},
    {{"normal", 6}, API_OVERWRITES | OP_RANDOM},
    {{"random", 6}, API_OVERWRITES | OP_RANDOM},
    {{"resize", 6}, API_UNDEFINED | API_OVERWRITES},
    {{"tensor", 6}, API_FILLS},
    {{"Dropout", 7}, OP_RANDOM},
    {{"NLLLoss", 7}, OP_LOSS},
    {{"Sigmoid", 7}, OP_SIGMOID},
    {{"__add__", 7}, OP_SUMS | OP_COMMUTES},
    {{"__mul__", 7}, API_FLIPS | OP_MULTIPLIES | OP_COMMUTES},
    {{"__neg__", 7}, API_FLIPS},
    {{"__sub__", 7}, API_FLIPS | OP_SUMS},
    {{"baddbmm", 7}, OP_ATTENDS},
    {{"dropout", 7}, OP_RANDOM},
    {{"flatten", 7}, OP_MOVES},
    {{"l1_loss", 7}, OP_DISTANCE},
    {{"maximum", 7}, OP_COMMUTES},
    {{"minimum", 7}, OP_COMMUTES},
    {{"permute", 7}, OP_MOVES},
    {{"randint", 7}, OP_RANDOM},
    {{"reshape", 7}, OP_MOVES},
    {{"scatter", 7}, API_FILLS | API_PATCHES},
    {{"sigmoid", 7}, OP_SIGMOID},
    {{"squeeze", 7}, OP_MOVES},
    {{"uniform", 7}, API_OVERWRITES | OP_RANDOM},
    {{"__iadd__", 8}, OP_SUMS},
    {{"__imul__", 8}, API_FLIPS | OP_MULTIPLIES},
    {{"__isub__", 8}, API_FLIPS},
    {{"__radd__", 8}, OP_COMMUTES},
    {{"__rmul__", 8}, API_FLIPS | OP_COMMUTES},
    {{"__rsub__", 8}, API_FLIPS},
    {{"addcdiv_", 8}, OP_SUMS},
    {{"addcmul_", 8}, OP_SUMS},
    {{"isfinite", 8}, API_OVERWRITES},
    {{"multiply", 8}, OP_COMMUTES},
    {{"negative", 8}, API_FLIPS},
    {{"new_full", 8}, API_OVERWRITES | API_FILLS},
    {{"new_ones", 8}, API_OVERWRITES},
    {{"nll_loss", 8}, OP_LOSS},
    {{"randperm", 8}, OP_RANDOM},
    {{"rms_norm", 8}, OP_WEIGHT_2},
    {{"softplus", 8}, OP_SOFTPLUS},
    {{"Dropout1d", 9}, OP_RANDOM},
    {{"Dropout2d", 9}, OP_RANDOM},
    {{"Dropout3d", 9}, OP_RANDOM},
    {{"Embedding", 9}, OP_TAKES | OP_EMBEDS},
    {{"as_tensor", 9}, API_FILLS},
    {{"bernoulli", 9}, API_OVERWRITES | OP_RANDOM},
    {{"dropout1d", 9}, OP_RANDOM},
    {{"dropout2d", 9}, OP_RANDOM},
    {{"dropout3d", 9}, OP_RANDOM},
    {{"embedding", 9}, OP_TAKES | OP_EMBEDS | OP_WEIGHT_1},
    {{"full_like", 9}, API_OVERWRITES | API_FILLS},
    {{"index_put", 9}, API_FILLS | API_PATCHES},
    {{"new_empty", 9}, API_UNDEFINED | API_OVERWRITES},
    {{"new_zeros", 9}, API_OVERWRITES},
    {{"ones_like", 9}, API_OVERWRITES},
    {{"rand_like", 9}, API_OVERWRITES | OP_RANDOM},
    {{"transpose", 9}, OP_MOVES},
    {{"unsqueeze", 9}, OP_MOVES},
    {{"__matmul__", 10}, OP_MATMUL},
    {{"batch_norm", 10}, OP_WEIGHT_1 | OP_WEIGHT_2 | OP_WEIGHT_3 | OP_WEIGHT_4},
    {{"contiguous", 10}, OP_MOVES},
    {{"empty_like", 10}, API_UNDEFINED | API_OVERWRITES},
    {{"group_norm", 10}, OP_WEIGHT_2 | OP_WEIGHT_3},
    {{"index_fill", 10}, API_FILLS | API_PATCHES},
    {{"layer_norm", 10}, OP_WEIGHT_2 | OP_WEIGHT_3},
    {{"nan_to_num", 10}, API_PATCHES},
    {{"new_tensor", 10}, API_FILLS},
    {{"randn_like", 10}, API_OVERWRITES | OP_RANDOM},
    {{"zeros_like", 10}, API_OVERWRITES},
    {{"__getitem__", 11}, OP_TAKES},
    {{"__setitem__", 11}, API_FILLS | API_PATCHES},
    {{"__truediv__", 11}, API_FLIPS},
    {{"exponential", 11}, API_OVERWRITES | OP_RANDOM},
    {{"masked_fill", 11}, API_FILLS | API_PATCHES},
    {{"multinomial", 11}, OP_RANDOM},
    {{"AlphaDropout", 12}, OP_RANDOM},
    {{"index_select", 12}, OP_TAKES},
    {{"npu_rms_norm", 12}, OP_WEIGHT_1},
    {{"randint_like", 12}, API_OVERWRITES | OP_RANDOM},
    {{"alpha_dropout", 13}, OP_RANDOM},
    {{"cross_entropy", 13}, OP_LOSS},
    {{"empty_strided", 13}, API_UNDEFINED | API_OVERWRITES},
    {{"scalar_tensor", 13}, API_FILLS},
    {{"empty_permuted", 14}, API_UNDEFINED | API_OVERWRITES},
    {{"gumbel_softmax", 14}, OP_RANDOM},
    {{"masked_scatter", 14}, API_PATCHES},
    {{"smooth_l1_loss", 14}, OP_DISTANCE},
    {{"constant_pad_nd", 15}, API_FILLS},
    {{"CrossEntropyLoss", 16}, OP_LOSS},
    {{"conv_transpose1d", 16}, OP_WEIGHT_1 | OP_WEIGHT_2},
    {{"conv_transpose2d", 16}, OP_WEIGHT_1 | OP_WEIGHT_2},
    {{"empty_with_format", 17}, API_UNDEFINED | API_OVERWRITES},
    {{"new_empty_strided", 17}, API_UNDEFINED | API_OVERWRITES},
    {{"feature_alpha_dropout", 21}, OP_RANDOM},
    {{"scaled_dot_product_attention", 28}, OP_ATTENDS},
};

static const OpRow *find(Str name)
{
    size_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        Str other = rows[middle].name;
        int order = other.size != name.size ? (other.size > name.size) - (other.size < name.size)
                                            : other.data[0] - name.data[0];
        order = order ? order : memcmp(other.data, name.data, name.size);
        if (order == 0)
            return &rows[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool op_is_in_place(Str name)
{
    if (!str_ends(name, STR("__")))
        return str_ends(name, STR("_"));
    return STR_IN(str_behind(name, '.'), "__setitem__", "__iadd__", "__isub__", "__imul__",
                  "__itruediv__", "__idiv__", "__ifloordiv__", "__imod__", "__ipow__",
                  "__imatmul__", "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__");
}

unsigned op_traits(Str name)
{
    const OpRow *row = find(name);
    if (row)
        return row->traits;
    row = op_is_in_place(name) ? find(str_slice(name, 0, name.size - 1)) : NULL;
    return row ? row->traits & ~(unsigned)OP_COMMUTES : 0;
}

bool op_weight_place(unsigned traits, Str path)
{
    if (path.size != STR("input.1").size || !str_starts(path, STR("input.")))
        return false;
    char place = path.data[path.size - 1];
    return place >= '1' && place <= '4' &&
           (traits & ((unsigned)OP_WEIGHT_1 << (unsigned)(place - '1'))) != 0;
}
