// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/series_class.h"

#include "read/log/series_name.h"

static bool has(Str name, const char *word)
{
    Str wanted = str_of(word);
    for (size_t at = 0; at + wanted.size <= name.size; at++)
        if (str_equal_nocase(str_slice(name, at, at + wanted.size), wanted))
            return true;
    return false;
}

static bool is_letter_of(Str name, size_t at)
{
    return at < name.size && ((name.data[at] | 0x20) >= 'a' && (name.data[at] | 0x20) <= 'z');
}

// The word with no letter before or after it: "kl", not "tackle".
static bool has_word(Str name, const char *word)
{
    Str wanted = str_of(word);
    for (size_t at = 0; at + wanted.size <= name.size; at++)
        if (str_equal_nocase(str_slice(name, at, at + wanted.size), wanted) &&
            !(at && is_letter_of(name, at - 1)) && !is_letter_of(name, at + wanted.size))
            return true;
    return false;
}

// Settings of a loss are none: "kl_coef", "clip_ratio_high" of a configuration.
static bool is_setting(Str name)
{
    return has(name, "coef") || has(name, "target_kl") || has(name, "weight_decay");
}

// How far values spread within a batch scatters by itself: the mean is judged.
static bool is_extreme(Str name)
{
    return has_word(name, "max") || has_word(name, "min") || has_word(name, "std");
}

SeriesClass series_class(Str name)
{
    const NameFacts facts = series_facts(name);
    bool probabilities = has(name, "logprob") || has(name, "log_prob") || has(name, "probs");
    if (facts.speed || is_setting(name) || is_extreme(name))
        return SERIES_OTHER;
    if ((probabilities && has(name, "diff")) || has_word(name, "kl") || has(name, "kl_div") ||
        has(name, "approx_kl") || has(name, "kl_loss") || has(name, "clipfrac") ||
        has(name, "clip_frac") || has(name, "clip_ratio"))
        return SERIES_ENGINE;
    if (facts.evaluation || facts.metric || facts.eval_error || facts.success || facts.second_loss)
        return SERIES_RESULT;
    return has(name, "norm") || STR_IN(name, "loss_scale", "grad_scale") ? SERIES_NORM
                                                                         : SERIES_OTHER;
}

double series_class_share(SeriesClass class)
{
    return class == SERIES_OTHER ? 0 : class == SERIES_RESULT ? 0.1 : 0.5;
}
