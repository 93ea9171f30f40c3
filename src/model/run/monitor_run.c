// SPDX-License-Identifier: Apache-2.0
#include "model/run/monitor_run.h"

#include <stdlib.h>

#include "base/sort.h"

// Spec: the prefixes of the first generation with the task names of its tags, in the order in which
// one training step records them.
static const MonitorTypeInfo types[] = {
    {"actv", "actv", 0, 0, false},
    {"activation", "activation", -1, 0, false},
    {"weight", "weight", -1, 0, false},
    {"output", "output", -1, 0, false},
    {"actv_grad", "actv_grad", 1, 1, false},
    {"gradient", "gradient", -1, 1, false},
    {"dgrad", "dgrad", -1, 1, false},
    {"wgrad", "wgrad", -1, 1, false},
    {"grad_unreduced", "pre_grad", 1, 1, false},
    {"grad_reduced", "post_grad", 1, 1, false},
    {"exp_avg", "exp_avg", 2, 2, false},
    {"exp_avg_sq", "exp_avg_sq", 2, 2, false},
    {"param_origin", "param_origin", -1, 0, false},
    {"param_updated", "param_updated", -1, 3, false},
    {"param", "param", -1, 0, false},
    {"attention_hook", "attention_hook", -1, 0, true},
    {"linear_hook", "linear_hook", -1, 0, true},
    {"moe_router_weight_hook", "moe_router_weight_hook", -1, 0, true},
    {"moe_router_logit_hook", "moe_router_logit_hook", -1, 0, true},
    {"inspect", "inspect", -1, 1, true},
    {"torchao", "torchao", -1, 0, true},
    {"comm", "cc", -1, 1, false},
    {"other", "other", -1, 1, false},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

size_t monitor_type_order(Str type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (str_equal(type, str_of(types[i].name)))
            return i;
    return TYPE_COUNT;
}

const MonitorTypeInfo *monitor_type_info(Str type)
{
    size_t order = monitor_type_order(type);
    return &types[order < TYPE_COUNT ? order : TYPE_COUNT - 1];
}

typedef struct ScopeType {
    const char *kind, *scope, *type;
} ScopeType;

static const ScopeType scope_types[] = {
    {"module", "forward", "actv"},
    {"module", "backward", "actv_grad"},
    {"weight_grad", "unreduced", "grad_unreduced"},
    {"weight_grad", "reduced", "grad_reduced"},
    {"optimizer", "exp_avg", "exp_avg"},
    {"optimizer", "exp_avg_sq", "exp_avg_sq"},
    {"param", "param_origin", "param_origin"},
    {"param", "param_updated", "param_updated"},
    {"cc", "comm", "comm"},
};

Str monitor_type_of(Str kind, Str scope)
{
    if (scope.size == 0)
        return kind;
    for (size_t i = 0; i < sizeof scope_types / sizeof *scope_types; i++)
        if (str_equal(kind, str_of(scope_types[i].kind)) &&
            str_equal(scope, str_of(scope_types[i].scope)))
            return str_of(scope_types[i].type);
    return scope;
}

bool monitor_type_next(Str kind, size_t *at, Str *out)
{
    enum { TYPES = sizeof scope_types / sizeof *scope_types, ALONE = TYPES + 1 };
    for (; *at < TYPES; (*at)++)
        if (str_equal(kind, str_of(scope_types[*at].kind))) {
            *out = str_of(scope_types[(*at)++].type);
            return true;
        }
    bool mixed = false;
    for (size_t i = 0; i < TYPES; i++)
        mixed = mixed || str_equal(kind, str_of(scope_types[i].kind));
    *out = kind;
    bool alone = *at == TYPES && !mixed;
    *at = ALONE;
    return alone;
}

static bool is_layer_word(Str part)
{
    return STR_IN(part, "layers", "layer", "blocks", "h");
}

int64_t monitor_layer(Str name)
{
    int64_t first_number = -1;
    bool after_word = false;
    Str rest = name, part;
    while (str_split(&rest, '.', &part)) {
        int64_t number;
        bool is_number = part.size > 0 && part.data[0] >= '0' && part.data[0] <= '9' &&
                         str_to_int64(part, &number);
        if (is_number && after_word)
            return number;
        if (is_number && first_number < 0)
            first_number = number;
        after_word = is_layer_word(part);
    }
    return first_number;
}

static bool starts_network_part(Str part)
{
    if (str_equal(part, STR("embedding")) || str_equal(part, STR("embeddings")))
        return true;
    return STR_ANY(part, str_starts, "final", "output", "norm");
}

Str monitor_tail(Str name)
{
    size_t last_layer = SIZE_MAX, first_part = SIZE_MAX;
    Str rest = name, part;
    while (str_split(&rest, '.', &part)) {
        size_t at = (size_t)(part.data - name.data);
        bool last = at + part.size == name.size;
        if (!last && (str_equal(part, STR("layers")) || str_equal(part, STR("layer"))))
            last_layer = at;
        if (!last && first_part == SIZE_MAX && starts_network_part(part))
            first_part = at;
    }
    size_t from = last_layer != SIZE_MAX ? last_layer : first_part;
    return from == SIZE_MAX ? name : str_slice(name, from, name.size);
}

Str monitor_series_type(const MonitorRun *run, const MonitorSeries *series)
{
    return names_text(run->names, series->object.type);
}

Str monitor_series_name(const MonitorRun *run, const MonitorSeries *series)
{
    return names_text(run->names, series->object.name);
}

Str monitor_series_op(const MonitorRun *run, const MonitorSeries *series)
{
    return names_text(run->names, series->object.op);
}

size_t monitor_step_index(const MonitorRun *run, int64_t step)
{
    size_t at;
    FIND_FIRST(at, run->step_count, run->steps[at] < step);
    return at < run->step_count && run->steps[at] == step ? at : SIZE_MAX;
}
