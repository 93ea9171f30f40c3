// SPDX-License-Identifier: Apache-2.0
#include "model/ops/op_traits.h"

typedef struct OpRow {
    const char *name;
    unsigned traits;
} OpRow;

// Sorted by bytes. Sources: the documentation of torch, torch.nn.functional, mindspore.mint and
// torch_npu; mindspore.mint has the names and signatures of torch. IEEE 754-2019, 5.4.1 and 9.6:
// addition, multiplication, the larger and the smaller of two commute. What
// docs/spec/graph.md §2.12 tolerates is a part of it; buffers of collectives are told from their
// contributions in comm_call.c.
static const OpRow rows[] = {
    {"CrossEntropyLoss", OP_LOSS},
    {"Embedding", OP_TAKES | OP_EMBEDS},
    {"NLLLoss", OP_LOSS},
    {"__add__", OP_SUMS | OP_COMMUTES},
    {"__getitem__", OP_TAKES},
    {"__iadd__", OP_SUMS},
    {"__imul__", API_FLIPS | OP_MULTIPLIES},
    {"__isub__", API_FLIPS},
    {"__matmul__", OP_MATMUL},
    {"__mul__", API_FLIPS | OP_MULTIPLIES | OP_COMMUTES},
    {"__neg__", API_FLIPS},
    {"__radd__", OP_COMMUTES},
    {"__rmul__", API_FLIPS | OP_COMMUTES},
    {"__rsub__", API_FLIPS},
    {"__setitem__", API_FILLS | API_PATCHES},
    {"__sub__", API_FLIPS | OP_SUMS},
    {"__truediv__", API_FLIPS},
    {"abs", API_FLIPS | OP_GATE},
    {"adaptive_max_pool2d", OP_GATE},
    {"add", OP_SUMS | OP_COMMUTES},
    {"addcdiv_", OP_SUMS},
    {"addcmul_", OP_SUMS},
    {"addmm", OP_MATMUL},
    {"amax", OP_GATE},
    {"as_tensor", API_FILLS},
    {"baddbmm", OP_ATTENDS},
    {"batch_norm", OP_WEIGHT_1 | OP_WEIGHT_2 | OP_WEIGHT_3 | OP_WEIGHT_4},
    {"bernoulli", API_OVERWRITES},
    {"bmm", OP_MATMUL},
    {"cat", OP_SUMS | OP_MOVES},
    {"clamp", API_FILLS | API_PATCHES | OP_GATE},
    {"clip", API_FILLS | API_PATCHES},
    {"clone", OP_MOVES},
    {"concat", OP_MOVES},
    {"constant_pad_nd", API_FILLS},
    {"contiguous", OP_MOVES},
    {"conv1d", OP_CONVOLVES | OP_WEIGHT_1 | OP_WEIGHT_2},
    {"conv2d", OP_CONVOLVES | OP_WEIGHT_1 | OP_WEIGHT_2},
    {"conv3d", OP_CONVOLVES | OP_WEIGHT_1 | OP_WEIGHT_2},
    {"conv_transpose1d", OP_WEIGHT_1 | OP_WEIGHT_2},
    {"conv_transpose2d", OP_WEIGHT_1 | OP_WEIGHT_2},
    {"copy", API_FIRST_IS_RESULT},
    {"cross_entropy", OP_LOSS},
    {"div", API_FLIPS},
    {"einsum", OP_ATTENDS},
    {"embedding", OP_TAKES | OP_EMBEDS | OP_WEIGHT_1},
    {"empty", API_UNDEFINED | API_OVERWRITES},
    {"empty_like", API_UNDEFINED | API_OVERWRITES},
    {"empty_permuted", API_UNDEFINED | API_OVERWRITES},
    {"empty_strided", API_UNDEFINED | API_OVERWRITES},
    {"empty_with_format", API_UNDEFINED | API_OVERWRITES},
    {"expand", OP_MOVES},
    {"exponential", API_OVERWRITES},
    {"fill", API_OVERWRITES | API_FILLS},
    {"flatten", OP_MOVES},
    {"flip", OP_MOVES},
    {"full", API_OVERWRITES | API_FILLS},
    {"full_like", API_OVERWRITES | API_FILLS},
    {"gather", OP_TAKES},
    {"group_norm", OP_WEIGHT_2 | OP_WEIGHT_3},
    {"hardtanh", OP_GATE},
    {"index_fill", API_FILLS | API_PATCHES},
    {"index_put", API_FILLS | API_PATCHES},
    {"index_select", OP_TAKES},
    {"isfinite", API_OVERWRITES},
    {"isinf", API_OVERWRITES},
    {"isnan", API_OVERWRITES},
    {"layer_norm", OP_WEIGHT_2 | OP_WEIGHT_3},
    {"leaky_relu", OP_GATE},
    {"leakyrelu", OP_GATE},
    {"lerp_", OP_SUMS},
    {"linear", OP_MATMUL | OP_WEIGHT_1 | OP_WEIGHT_2},
    {"log", API_LOGARITHM},
    {"masked_fill", API_FILLS | API_PATCHES},
    {"masked_scatter", API_PATCHES},
    {"matmul", OP_MATMUL},
    {"max", OP_GATE},
    {"max_pool1d", OP_GATE},
    {"max_pool2d", OP_GATE},
    {"max_pool3d", OP_GATE},
    {"maximum", OP_COMMUTES},
    {"maxpool1d", OP_GATE},
    {"maxpool2d", OP_GATE},
    {"maxpool3d", OP_GATE},
    {"minimum", OP_COMMUTES},
    {"mm", OP_MATMUL},
    {"mul", API_FLIPS | OP_MULTIPLIES | OP_COMMUTES},
    {"multiply", OP_COMMUTES},
    {"nan_to_num", API_PATCHES},
    {"neg", API_FLIPS},
    {"negative", API_FLIPS},
    {"new_empty", API_UNDEFINED | API_OVERWRITES},
    {"new_empty_strided", API_UNDEFINED | API_OVERWRITES},
    {"new_full", API_OVERWRITES | API_FILLS},
    {"new_ones", API_OVERWRITES},
    {"new_tensor", API_FILLS},
    {"new_zeros", API_OVERWRITES},
    {"nll_loss", OP_LOSS},
    {"norm", OP_SUMS},
    {"normal", API_OVERWRITES},
    {"npu_rms_norm", OP_WEIGHT_1},
    {"ones_like", API_OVERWRITES},
    {"pad", API_FILLS},
    {"permute", OP_MOVES},
    {"prelu", OP_GATE | OP_WEIGHT_1},
    {"rand_like", API_OVERWRITES},
    {"randint_like", API_OVERWRITES},
    {"randn_like", API_OVERWRITES},
    {"random", API_OVERWRITES},
    {"relu", OP_GATE},
    {"relu6", OP_GATE},
    {"reshape", OP_MOVES},
    {"resize", API_UNDEFINED | API_OVERWRITES},
    {"rms_norm", OP_WEIGHT_2},
    {"roll", OP_MOVES},
    {"scalar_tensor", API_FILLS},
    {"scaled_dot_product_attention", OP_ATTENDS},
    {"scatter", API_FILLS | API_PATCHES},
    {"squeeze", OP_MOVES},
    {"stack", OP_SUMS | OP_MOVES},
    {"sub", API_FLIPS | OP_SUMS},
    {"sum", OP_SUMS},
    {"tensor", API_FILLS},
    {"threshold", OP_GATE},
    {"transpose", OP_MOVES},
    {"uniform", API_OVERWRITES},
    {"unsqueeze", OP_MOVES},
    {"view", OP_MOVES},
    {"where", API_FILLS | API_PATCHES},
    {"zero", API_OVERWRITES},
    {"zeros_like", API_OVERWRITES},
};

static const OpRow *find(Str name)
{
    size_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_compare(str_of(rows[middle].name), name);
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

bool op_is_gate(Str name)
{
    char lower[32];
    if (name.size > sizeof lower)
        return false;
    for (size_t i = 0; i < name.size; i++)
        lower[i] = (char)(name.data[i] >= 'A' && name.data[i] <= 'Z' ? name.data[i] + 'a' - 'A'
                                                                     : name.data[i]);
    return op_traits((Str){lower, name.size}) & OP_GATE;
}

bool op_weight_place(unsigned traits, Str path)
{
    if (path.size != STR("input.1").size || !str_starts(path, STR("input.")))
        return false;
    char place = path.data[path.size - 1];
    return place >= '1' && place <= '4' && traits & OP_WEIGHT_1 << (place - '1');
}
