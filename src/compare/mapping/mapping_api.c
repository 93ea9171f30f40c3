// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/mapping_api.h"

// Functions of mindspore.ops that are not called the same in PyTorch, and methods of its Tensor.
typedef struct OtherName {
    const char *mindspore, *pytorch;
} OtherName;

static const OtherName functions[] = {
    {"batch_dot", "bmm"},
    {"batch_matmul", "bmm"},
    {"bidense", "bilinear"},
    {"cast", "to"},
    {"concat", "cat"},
    {"dense", "linear"},
    {"equal", "eq"},
    {"expand_dims", "unsqueeze"},
    {"floor_div", "floor_divide"},
    {"floor_mod", "remainder"},
    {"gather_d", "gather"},
    {"gather_elements", "gather"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"inplace_add", "add_"},
    {"invert", "bitwise_not"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"not_equal", "ne"},
    {"reduce_max", "amax"},
    {"reduce_mean", "mean"},
    {"reduce_min", "amin"},
    {"reduce_sum", "sum"},
    {"standard_normal", "randn"},
    {"stop_gradient", "detach"},
    {"swapaxes", "transpose"},
    {"swapdims", "transpose"},
    {"tensor_scatter_add", "scatter_add"},
    {"tensor_scatter_elements", "scatter"},
};

static const OtherName methods[] = {
    {"asnumpy", "numpy"},          {"astype", "to"},
    {"cauchy", "cauchy_"},         {"equal", "eq"},
    {"expand_dims", "unsqueeze"},  {"fill_diagonal", "fill_diagonal_"},
    {"gather_elements", "gather"}, {"greater", "gt"},
    {"greater_equal", "ge"},       {"less", "lt"},
    {"less_equal", "le"},          {"not_equal", "ne"},
    {"swapaxes", "transpose"},
};

// What mindspore.ops shares with torch.nn.functional; the rest of it belongs to torch.
static const char nn_functions[] =
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
    "adaptive_max_pool2d affine_grid avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear "
    "binary_cross_entropy binary_cross_entropy_with_logits celu conv1d conv2d conv3d "
    "cosine_embedding_loss cosine_similarity cross_entropy ctc_loss dropout dropout1d dropout2d "
    "dropout3d elu embedding fold gaussian_nll_loss gelu glu grid_sample group_norm gumbel_softmax "
    "hardshrink hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss interpolate kl_div "
    "l1_loss layer_norm leaky_relu linear log_softmax logsigmoid lp_pool1d lp_pool2d "
    "margin_ranking_loss max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d mish "
    "mse_loss "
    "multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss normalize "
    "one_hot "
    "pad pdist pixel_shuffle pixel_unshuffle prelu relu relu6 rms_norm rrelu selu sigmoid silu "
    "smooth_l1_loss soft_margin_loss softmax softmin softplus softshrink softsign tanhshrink "
    "threshold triplet_margin_loss unfold upsample";

static bool is_listed(Str name, const char *list)
{
    Str rest = str_of(list), part;
    while (str_split(&rest, ' ', &part))
        if (str_equal(part, name))
            return true;
    return false;
}

static Str other_name(Str name, const OtherName *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(name, str_of(names[i].mindspore)))
            return str_of(names[i].pytorch);
    return name;
}

#define OTHER_NAME(name, names) other_name(name, names, sizeof(names) / sizeof *(names))

typedef enum Home { HOME_TORCH, HOME_FUNCTIONAL, HOME_TENSOR, HOME_DISTRIBUTED, HOME_OTHER } Home;

static const char *const home_prefixes[] = {[HOME_TORCH] = "Torch",
                                            [HOME_FUNCTIONAL] = "Functional",
                                            [HOME_TENSOR] = "Tensor",
                                            [HOME_DISTRIBUTED] = "Distributed"};

// Where PyTorch has the function most likely, and what it is called there.
static Home split(Str api, Str *name)
{
    size_t dot = str_find_char(api, '.', 0);
    Str prefix = str_slice(api, 0, dot);
    if (dot == SIZE_MAX)
        return HOME_OTHER;
    *name = str_slice(api, dot + 1, api.size);
    if (str_equal(prefix, STR("Mint"))) {
        *name = OTHER_NAME(*name, functions);
        return HOME_TORCH;
    }
    if (str_equal(prefix, STR("MintFunctional")))
        return HOME_FUNCTIONAL;
    if (str_equal(prefix, STR("MintDistributed")) || str_equal(prefix, STR("Distributed")))
        return HOME_DISTRIBUTED;
    if (str_equal(prefix, STR("Tensor"))) {
        *name = OTHER_NAME(*name, methods);
        return HOME_TENSOR;
    }
    if (!str_equal(prefix, STR("Functional")))
        return HOME_OTHER;
    *name = OTHER_NAME(*name, functions);
    return is_listed(*name, nn_functions) ? HOME_FUNCTIONAL : HOME_TORCH;
}

static Str spell(Home home, Str name, Arena *arena)
{
    return str_printf(arena, "%s." STR_FMT, home_prefixes[home], STR_ARG(name));
}

Str mapping_api_name(Str api, Arena *arena)
{
    Str name = api;
    Home home = split(api, &name);
    return home == HOME_OTHER ? api : spell(home, name, arena);
}

static Str find_spelling(Home likely, Str name, const Names *known, Arena *arena)
{
    Str spelling = spell(likely, name, arena);
    if (names_find(known, spelling) != NAME_NONE || likely == HOME_DISTRIBUTED)
        return spelling;
    for (Home home = HOME_TORCH; home <= HOME_TENSOR; home++) {
        spelling = spell(home, name, arena);
        if (names_find(known, spelling) != NAME_NONE)
            return spelling;
    }
    return (Str){NULL, 0};
}

Str mapping_api_among(Str api, const Names *known, Arena *arena)
{
    Str name = api;
    Home home = split(api, &name);
    if (home == HOME_OTHER)
        return api;
    Str found = find_spelling(home, name, known, arena);
    if (found.size)
        return found;
    // PyTorch has aliases of its own: torch.concat, torch.greater.
    Str own = str_slice(api, str_find_char(api, '.', 0) + 1, api.size);
    found = find_spelling(home, own, known, arena);
    return found.size ? found : spell(home, name, arena);
}
