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
