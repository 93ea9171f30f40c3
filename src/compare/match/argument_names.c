// SPDX-License-Identifier: Apache-2.0
#include "compare/match/argument_names.h"

typedef struct Signature {
    const char *api;
    const char *names;  // comma separated, in order of position
} Signature;

static const Signature signatures[] = {
    {"linear", "input,weight,bias"},
    {"conv1d", "input,weight,bias,stride,padding,dilation,groups"},
    {"conv2d", "input,weight,bias,stride,padding,dilation,groups"},
    {"conv3d", "input,weight,bias,stride,padding,dilation,groups"},
    {"layer_norm", "input,normalized_shape,weight,bias,eps"},
    {"rms_norm", "input,normalized_shape,weight,eps"},
    {"group_norm", "input,num_groups,weight,bias,eps"},
    {"batch_norm", "input,running_mean,running_var,weight,bias,training,momentum,eps"},
    {"instance_norm", "input,running_mean,running_var,weight,bias,use_input_stats,momentum,eps"},
    {"embedding", "input,weight,padding_idx,max_norm,norm_type,scale_grad_by_freq,sparse"},
    {"dropout", "input,p,training,inplace"},
    {"softmax", "input,dim"},
    {"log_softmax", "input,dim"},
    {"cross_entropy", "input,target,weight,size_average,ignore_index,reduce,reduction"},
    {"nll_loss", "input,target,weight,size_average,ignore_index,reduce,reduction"},
    {"scaled_dot_product_attention", "query,key,value,attn_mask,dropout_p,is_causal"},
    {"max_pool2d", "input,kernel_size,stride,padding,dilation,ceil_mode"},
    {"avg_pool2d", "input,kernel_size,stride,padding,ceil_mode"},
    {"leaky_relu", "input,negative_slope,inplace"},
    {"matmul", "input,other"},
    {"bmm", "input,mat2"},
    {"masked_fill", "self,mask,value"},
    {"masked_fill_", "self,mask,value"},
};

Str argument_name(Str api, Str path)
{
    int64_t position;
    if (!str_starts(path, STR("input.")) ||
        !str_to_int64(str_slice(path, 6, path.size), &position) || position < 0)
        return (Str){0};
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        if (!str_equal(api, str_of(signatures[i].api)))
            continue;
        Str rest = str_of(signatures[i].names), name;
        while (str_split(&rest, ',', &name))
            if (position-- == 0)
                return name;
    }
    return (Str){0};
}

typedef struct Axes {
    const char *apis;   // comma separated
    uint32_t position;  // from where on all arguments by position are axes
} Axes;

// Source: the documentation of torch and mindspore.mint.
static const Axes axes[] = {
    {"softmax,log_softmax,softmin,sum,mean,prod,amax,amin,argmax,argmin,cumsum,cumprod,logsumexp,"
     "argsort,unbind,squeeze,transpose,swapaxes,permute,flatten,glu",
     1},
    {"unsqueeze,expand_dims,cat,concat,stack", 1},
    {"chunk,split,topk", 2},
};

// The argument of a path, without the place in a list: "1" of "input.1.0".
static Str argument_of(Str path)
{
    size_t dot = str_find_char(path, '.', 0);
    if (dot == SIZE_MAX)
        return path;
    return str_slice(path, dot + 1, str_find_char(path, '.', dot + 1));
}

static bool lists(const char *texts, Str text)
{
    Str rest = str_of(texts), item;
    while (str_split(&rest, ',', &item))
        if (str_equal(item, text))
            return true;
    return false;
}

bool argument_is_axis(Str api, Str path)
{
    Str argument = argument_of(path);
    int64_t position;
    if (lists("dim,axis,dim0,dim1,start_dim,end_dim", argument))
        return true;
    if (!str_to_int64(argument, &position))
        return false;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (lists(axes[i].apis, api))
            return position >= (int64_t)axes[i].position;
    return false;
}

bool argument_adds_axis(Str api)
{
    return lists("unsqueeze,stack,expand_dims", api);
}

bool argument_is_dtype(Str api, Str path)
{
    return str_equal(argument_of(path), STR("dtype")) &&
           lists("softmax,log_softmax,softmin,sum,mean,prod,cumsum,cumprod", api);
}
